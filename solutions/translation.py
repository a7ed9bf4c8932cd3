"""Translation by a Transformer: its two halves as parts of `EncoderDecoder`, and batches of pairs.

Builds an encoder and a decoder that fit beside the recurrent ones, so that every model translates
through the same `greedy` and `beam_search`; one table of embeddings for source, target and output;
a look at where the decoder looks; beam search for a whole batch; batches of pairs of about equal
length; and lines of dates with years and formats kept for the end. Decoding keeps the keys and
values of what was written, so that each step feeds one position.

Sources: Vaswani et al. 2017, "Attention Is All You Need"; Press and Wolf 2017, "Using the Output
Embedding to Improve Language Models"; Zhang, Dauphin and Ma 2019, "Fixup Initialization" (last
matrices that begin at zero).
"""

from __future__ import annotations

import datetime
import itertools
import random
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from solutions.attention import AttendingDecoder, date_tokens
from solutions.fit import map_tensors
from solutions.seq2seq import (
    BOS,
    EOS,
    PAD,
    UNKNOWN,
    Batch,
    Decoder,
    Encoded,
    EncoderDecoder,
    Hypothesis,
    RecurrentDecoder,
    RecurrentEncoder,
    Step,
    Vocabulary,
    exact_match,
    extend_beams,
    greedy,
    length_mask,
    length_score,
    sequence_loss,
    shift_right,
    start_remembering,
)
from solutions.training import Muon
from solutions.transformer import Config, sinusoidal
from solutions.transformer import Decoder as DecoderStack
from solutions.transformer import Encoder as EncoderStack

Rows = tuple[tuple[Tensor, Tensor], ...]  # keys and values of each layer, the batch first
LANGUAGES, FORMATS = ("de", "en", "es", "fr"), ("full", "long", "medium")
HELD_FORMATS = (("en", "full"), ("es", "long"))  # no model learns from these
PARTS = ("train", "dev", "test", "years", "formats")
SMALL = {  # of the ladder on dates, with about as many parameters each
    "rnn": {"embed_dim": 32, "hidden_size": 88},
    "lstm": {"embed_dim": 32, "hidden_size": 46},
    "gru": {"embed_dim": 32, "hidden_size": 54},
    "attention": {"embed_dim": 32, "hidden_size": 30, "decoder_size": 42},
    "transformer": Config(
        embed_dim=32,
        num_heads=4,
        num_layers=2,
        hidden=96,
        positions="rotary",
        qk_norm=True,
        norm="rms",
        norm_first=True,
        activation="relu2",
        bias=False,
    ),
}


class Line(NamedTuple):
    """Some dates in a row, and their digits.

    Attributes:
        source: tokens as `solutions.attention.date_tokens` cuts them, dates parted by ``";"``.
        target: eight digits for each date: year, month, day.
        dates: how many there are.
    """

    source: list[str]
    target: list[str]
    dates: int


class TransformerEncoder(nn.Module):
    """Tokens, embedded, through a stack of encoder layers.

    The vectors of the table are multiplied by √D; sinusoidal positions are added to them, rotary
    ones turn queries and keys.

    Attributes:
        embedding: `nn.Embedding`, symbols to ``config.embed_dim``.
        stack: `solutions.transformer.Encoder`.
    """

    def __init__(self, embedding: nn.Embedding, config: Config) -> None:
        """Put the parts together.

        Args:
            embedding: of the tokens; may be shared.
            config: sizes and options; ``positions`` is ``"sinusoidal"`` or ``"rotary"``.

        Raises:
            ValueError: positions are of another kind.
        """
        super().__init__()
        self.embedding, self.stack = embedding, EncoderStack(config)
        self.added = _added(config)

    def forward(self, source: Tensor, lengths: Tensor) -> Encoded:
        """Read the sources.

        Args:
            source: (B, S) int64; what stands in the padding does not matter.
            lengths: (B,) int64, the real positions of each, from 1 to S; they come first.

        Returns:
            The memory, (B, S, D), of which the padding means nothing; the mask; and no summary.
        """
        mask = length_mask(lengths, source.shape[1])
        x = _embedded(self.embedding, source, self.added, 0)
        return Encoded(self.stack(x, mask[:, None]), mask, None)


class TransformerDecoder(Decoder):
    """Embed the tokens written so far, pass them through decoder layers, score with the same table.

    The state is what attention needs of the past: keys and values of each layer.

    Attributes:
        embedding: `nn.Embedding`; its table also scores the next token (Press and Wolf 2017).
        stack: `solutions.transformer.Decoder`.
    """

    def __init__(self, embedding: nn.Embedding, config: Config) -> None:
        """Put the parts together.

        Args:
            embedding: of the tokens; may be that of the encoder.
            config: as for `TransformerEncoder`.

        Raises:
            ValueError: positions are neither sinusoidal nor rotary.
        """
        super().__init__()
        self.embedding, self.stack = embedding, DecoderStack(config)
        self.added = _added(config)

    def forward(
        self, targets_in: Tensor, memory: Tensor, mask: Tensor, state: Rows | None
    ) -> tuple[Tensor, Rows]:
        """Read tokens that are given, and say at each what should come next.

        Args:
            targets_in: (B, T) int64, after those of the state.
            memory: (B, S, D) float, of the encoder.
            mask: (B, S) bool, True where the source has a token.
            state: keys and values of earlier tokens, (B, heads, earlier, d_k) each, by layer; None
                before the first.

        Returns:
            Logits (B, T, symbols), and the keys and values of all tokens so far.
        """
        caches = [_Grown(*rows) for rows in state or [()] * len(self.stack.layers)]
        x = _embedded(self.embedding, targets_in, self.added, caches[0].length)
        x = self.stack(x, memory, memory_mask=mask[:, None], caches=caches)
        return x @ self.embedding.weight.T, tuple(cache.rows for cache in caches)


def transformer(
    symbols: int,
    config: Config,
    *,
    zero: bool = False,
    device: torch.device | str | None = None,
) -> EncoderDecoder:
    """The whole model, with one table of embeddings for source, target and output.

    The table is drawn normally with variance 1/D.

    Args:
        symbols: of both languages together.
        config: sizes and options; ``positions`` is ``"sinusoidal"`` or ``"rotary"``.
        zero: whether the last matrix of each part of a layer starts at 0, so that with
            ``norm_first`` the layers hand on at first what they are given.
        device: where the parameters go.

    Returns:
        An `EncoderDecoder`.

    Raises:
        ValueError: positions are of another kind.
    """
    embedding = nn.Embedding(symbols, config.embed_dim)
    nn.init.normal_(embedding.weight, std=config.embed_dim**-0.5)
    model = EncoderDecoder(
        TransformerEncoder(embedding, config), TransformerDecoder(embedding, config)
    )
    if zero:
        for name, parameter in model.named_parameters():
            if name.endswith(("output.weight", "down.weight")):
                nn.init.zeros_(parameter)
    return model.to(device)


def cross_attention(
    model: EncoderDecoder, source: Tensor, lengths: Tensor, targets_in: Tensor
) -> Tensor:
    """Where each head of each decoder layer looks in the source, while a target is read.

    Args:
        model: of `transformer`.
        source: (B, S) int64.
        lengths: (B,) int64, the real positions of each source.
        targets_in: (B, T) int64, of `solutions.seq2seq.shift_right`.

    Returns:
        (B, layers, heads, T, S) float; 0 in the padding of the source.
    """
    given: list[tuple[nn.Module, tuple]] = []
    handles = [
        layer.cross.register_forward_pre_hook(lambda cross, args: given.append((cross, args)))
        for layer in model.decoder.stack.layers
    ]
    with torch.no_grad():
        model(source, lengths, targets_in)
        for handle in handles:
            handle.remove()
        return torch.stack([cross(*args, need_weights=True)[1] for cross, args in given], dim=1)


def beam_searches(
    step: Step,
    state: Any,
    first: Tensor,
    *,
    beam: int,
    eos: int = EOS,
    max_length: int = 100,
    penalty: float = 0.0,
) -> list[list[Hypothesis]]:
    """Run `solutions.seq2seq.beam_search` for every row of a batch, the searches side by side.

    In each round the live hypotheses of all searches are read on in one call of ``step``. Then each
    search extends its own. A search that is over takes no further part, so the batch shrinks.

    Args:
        step: reads (R,) int64 and a state, returns log-probabilities (R, V) and the next state.
        state: what the first step is given, for B sequences; as for `beam_search`.
        first: (B,) int64, what is read first: the begin token of each.
        beam: hypotheses that each search keeps in each round, from 1.
        eos: the end token.
        max_length: most tokens of a hypothesis, from 1.
        penalty: ζ of `solutions.seq2seq.length_score`.

    Returns:
        For each row what `beam_search` returns for it alone.
    """
    found: list[list[Hypothesis]] = [[] for _ in first]
    tokens, owner = first[:, None], torch.arange(len(first), device=first.device)
    scores = torch.zeros(len(first), device=first.device)
    for length in range(1, max_length + 1):
        log_probs, state = step(tokens[:, -1], state)  # (R,) -> (R, V)
        going_on = []
        for number in owner.unique().tolist():
            mine = torch.nonzero(owner == number).flatten()
            rows, token, total = extend_beams(log_probs[mine], scores[mine], beam=beam)
            written = torch.cat([tokens[mine[rows]], token[:, None]], dim=1)
            worth, ended = length_score(total, length, penalty=penalty), token == eos
            over = found[number]
            over += _hypotheses(written[ended], worth[ended])
            over.sort(key=lambda hypothesis: -hypothesis.score)
            alive = ~ended
            if not alive.any():
                continue
            reach = length_score(total[alive].max(), max_length, penalty=penalty)
            if len(over) >= beam and over[beam - 1].score >= reach:
                continue
            if length == max_length and not over:
                over += _hypotheses(written[alive], worth[alive])
            going_on.append((mine[rows[alive]], written[alive], total[alive]))
        if not going_on:
            break
        rows, tokens, scores = (torch.cat(parts) for parts in zip(*going_on, strict=True))
        owner = owner[rows]
        state = map_tensors(state, lambda part: part[rows])  # noqa: B023
    return [over[:beam] for over in found]


def recurrent(
    kind: str, symbols: int, *, embed_dim: int, hidden_size: int, decoder_size: int | None = None
) -> EncoderDecoder:
    """A recurrent model, beside `transformer` on the ladder.

    ``"attention"`` is a GRU that reads both ways and one that attends to it, with the additive
    score; the others know the source by one vector.

    Args:
        kind: ``"rnn"``, ``"lstm"``, ``"gru"`` or ``"attention"``.
        symbols: of source and target together; two tables of embeddings are made of them.
        embed_dim: features of each symbol.
        hidden_size: features of the encoder's state, for ``"attention"`` in each direction.
        decoder_size: features of the decoder's state; those of the encoder, if None.

    Returns:
        An `EncoderDecoder` that begins as `start_remembering` has it.
    """
    sizes = {"embed_dim": embed_dim, "hidden_size": decoder_size or hidden_size}
    attends = kind == "attention"
    cell = "gru" if attends else kind
    encoder = RecurrentEncoder(
        symbols, embed_dim=embed_dim, hidden_size=hidden_size, kind=cell, bidirectional=attends
    )
    if attends:
        memory = {"summary_size": encoder.features, "memory_size": encoder.features}
        decoder: Decoder = AttendingDecoder(symbols, **memory, **sizes)
    else:
        decoder = RecurrentDecoder(symbols, summary_size=encoder.features, **sizes, kind=kind)
    model = EncoderDecoder(encoder, decoder)
    start_remembering(model)
    return model


def small(kind: str, symbols: int) -> EncoderDecoder:
    """One of the five models that climb the ladder on dates.

    Args:
        kind: of `SMALL`.
        symbols: of source and target together.

    Returns:
        A new model, drawn from torch's generator.
    """
    sizes = SMALL[kind]
    if kind == "transformer":
        return transformer(symbols, sizes, zero=True)
    return recurrent(kind, symbols, **sizes)


def date_lines(part: str, count: int, *, most: int = 3, seed: int = 0) -> list[Line]:
    """Lines of one date, two, and so on, in turn, written in four languages and three formats.

    Of the days from 1900 to 2099, twenty years are kept for ``"years"``, and of the others every
    day is in one of three parts: eight of ten for training, one for development, one for the test.
    Two of the twelve pairs of language and format are kept for ``"formats"``: English with its
    weekday, whose names are then unknown, and Spanish without it.

    Args:
        part: ``"train"``, ``"dev"``, ``"test"``; ``"years"``: days of the years kept back;
            ``"formats"``: days of the test part in the two formats kept back.
        count: of lines.
        most: dates of the longest line.
        seed: of the draws; which day is in which part does not depend on it.

    Returns:
        The lines.

    Raises:
        ValueError: there is no such part.
    """
    from babel.dates import format_date

    if part not in PARTS:
        raise ValueError(f"part must be one of {', '.join(PARTS)}, got {part!r}")
    fixed, chance = random.Random(0), random.Random(f"{part} {seed}")
    kept = set(fixed.sample(range(1900, 2100), 20))
    span = (datetime.date(year, 1, 1).toordinal() for year in (1900, 2100))
    days = [datetime.date.fromordinal(number) for number in range(*span)]
    fixed.shuffle(days)
    others = [day for day in days if day.year not in kept]
    tenth = len(others) // 10
    days = {
        "train": others[2 * tenth :],
        "dev": others[:tenth],
        "years": [day for day in days if day.year in kept],
    }.get(part, others[tenth : 2 * tenth])
    forms = list(HELD_FORMATS)
    if part != "formats":
        forms = [form for form in itertools.product(LANGUAGES, FORMATS) if form not in forms]
    lines = []
    for number in range(count):
        source, target = [], []
        for _ in range(1 + number % most):
            day, (language, form) = chance.choice(days), chance.choice(forms)
            written = re.sub(r"\s+", " ", format_date(day, format=form, locale=language))
            source += [";", *date_tokens(written)]
            target += day.strftime("%Y%m%d")
        lines.append(Line(source[1:], target, 1 + number % most))
    return lines


def padded(pairs: Sequence[tuple[Sequence[int], Sequence[int]]]) -> Batch:
    """Pairs as one batch.

    Args:
        pairs: token numbers of source and target, without begin or end tokens.

    Returns:
        Sources (B, S), their lengths (B,), and targets (B, T), which end in the end token; all
        int64.
    """
    sources = [torch.tensor(source) for source, _ in pairs]
    targets = [torch.tensor([*target, EOS]) for _, target in pairs]
    source, target = (
        nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=PAD)
        for rows in (sources, targets)
    )
    return Batch(source, torch.tensor([len(row) for row in sources]), target)


def pair_batches(
    pairs: Sequence[tuple[Sequence[int], Sequence[int]]], size: int, *, seed: int, pool: int = 50
) -> Iterator[Batch]:
    """One epoch of padded batches, of pairs of about the same length.

    The pairs are shuffled; of each `pool` batches' worth of them, sorted by the tokens of source
    and target together, neighbors become a batch; the batches of a pool come in any order. So
    little is padding, and an epoch still has no order.

    Args:
        pairs: token numbers of source and target, without begin or end tokens.
        size: pairs in a batch; the last one of the epoch may have fewer.
        seed: of the epoch.
        pool: batches that are sorted together.

    Yields:
        Every pair once, in batches as `padded` makes them.
    """
    chance = random.Random(seed)
    order = chance.sample(range(len(pairs)), len(pairs))
    for start in range(0, len(order), size * pool):
        near = sorted(order[start : start + size * pool], key=lambda k: sum(map(len, pairs[k])))
        batches = [near[at : at + size] for at in range(0, len(near), size)]
        for batch in chance.sample(batches, len(batches)):
            yield padded([pairs[k] for k in batch])


def numbered(lines: Sequence[Line], words: Vocabulary) -> list[tuple[list[int], list[int]]]:
    """Lines of dates as token numbers, in one vocabulary for both sides.

    Args:
        lines: of `date_lines`.
        words: what is not in it becomes the unknown token.

    Returns:
        Source and target of each, without begin or end tokens.
    """
    return [
        tuple([words.numbers.get(token, UNKNOWN) for token in side] for side in line[:2])
        for line in lines
    ]


def teach(
    model: EncoderDecoder,
    pairs: Sequence[tuple[Sequence[int], Sequence[int]]],
    *,
    rate: float,
    muon: bool = True,
    epochs: int = 1,
    batch: int = 32,
    seed: int = 0,
) -> list[float]:
    """Train by teacher forcing: warm up over 20 steps, then down along a line to 0.

    Matrices inside the model take steps of `solutions.training.Muon`. What has a row per symbol,
    embeddings and output, and all vectors take those of AdamW, with a quarter of the rate. No
    weight decays; a gradient longer than 1 is cut to that length.

    Args:
        model: changed in place, and left in evaluation mode.
        pairs: as for `pair_batches`.
        rate: the highest learning rate.
        muon: False gives all parameters to AdamW, with the whole rate.
        epochs: rounds through the pairs.
        batch: pairs in a batch.
        seed: of the order.

    Returns:
        The loss of each step, in nats per token.
    """
    symbols = model.decoder.embedding.num_embeddings
    groups: dict[bool, list[Tensor]] = {True: [], False: []}
    for parameter in model.parameters():
        inside = parameter.ndim == 2 and parameter.shape[0] != symbols
        groups[muon and inside].append(parameter)
    own = {"lr": rate / 4 if muon else rate, "betas": (0.9, 0.98), "weight_decay": 0.0}
    adam = torch.optim.AdamW(groups[False], **own)
    steppers = [adam, *([Muon(groups[True], lr=rate, weight_decay=0.0)] if muon else [])]
    highest = [stepper.param_groups[0]["lr"] for stepper in steppers]
    steps, losses = epochs * -(-len(pairs) // batch), []
    model.train()
    for epoch in range(epochs):
        for part in pair_batches(pairs, batch, seed=1_000 * seed + epoch):
            factor = min((len(losses) + 1) / 20, 1 - len(losses) / steps)
            logits = model(part.source, part.lengths, shift_right(part.target))
            loss = sequence_loss(logits, part.target)
            model.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            for stepper, most in zip(steppers, highest, strict=True):
                stepper.param_groups[0]["lr"] = factor * most
                stepper.step()
            losses.append(loss.item())
    model.eval()
    return losses


def exactly_right(
    model: EncoderDecoder, pairs: Sequence[tuple[Sequence[int], Sequence[int]]]
) -> Tensor:
    """Which targets the model writes from the first token to the end, by greedy choice.

    Args:
        model: in evaluation mode.
        pairs: as for `padded`.

    Returns:
        (pairs,) bool.
    """
    data = padded(pairs)
    with torch.no_grad():
        state = model.begin(data.source, data.lengths)
        first = torch.full_like(data.lengths, BOS)
        written = greedy(model.step, state, first, max_length=data.target.shape[1])
    return exact_match(written, data.target)


def _hypotheses(written: Tensor, worth: Tensor) -> list[Hypothesis]:
    """Rows of tokens, the begin token first, with their scores."""
    return [Hypothesis(*one) for one in zip(written[:, 1:].tolist(), worth.tolist(), strict=True)]


def _added(config: Config) -> bool:
    """Whether positions are added to what is embedded."""
    if config.positions not in ("sinusoidal", "rotary"):
        raise ValueError(f"positions must be 'sinusoidal' or 'rotary', got {config.positions!r}")
    return config.positions == "sinusoidal"


def _embedded(embedding: nn.Embedding, tokens: Tensor, added: bool, before: int) -> Tensor:
    """Vectors of length 1 or so times √D, and positions where these are added."""
    x = embedding(tokens) * embedding.embedding_dim**0.5  # (B, T) -> (B, T, D)
    if added:
        table = sinusoidal(before + tokens.shape[-1], embedding.embedding_dim).to(x)
        x = x + table[before:]
    return x


class _Grown:
    """Keys and values of one layer: those there were, then what is new."""

    def __init__(self, *rows: Tensor) -> None:
        self.rows = rows
        self.length = rows[0].shape[-2] if rows else 0

    def extend(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        new = (key, value)
        if self.rows:
            new = tuple(torch.cat(pair, dim=-2) for pair in zip(self.rows, new, strict=True))
        self.rows = new
        return new
