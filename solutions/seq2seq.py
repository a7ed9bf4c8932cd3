"""Sequence to sequence: one network reads, another generates, one token at a time.

Builds an encoder-decoder into which any encoder and any decoder fit (recurrent ones and a
convolutional encoder are here), training by teacher forcing, decoding by greedy choice, sampling
and beam search, and measures of the output: perplexity, exact match and BLEU.

Sources: Cho et al. 2014, "Learning Phrase Representations Using RNN Encoder-Decoder"; Sutskever,
Vinyals and Le 2014, "Sequence to Sequence Learning with Neural Networks"; Bengio et al. 2015,
"Scheduled Sampling"; Wu et al. 2016, "Google's Neural Machine Translation System"; Papineni et al.
2002, "BLEU"; Chen and Cherry 2014, "A Systematic Comparison of Smoothing Techniques".
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from solutions.fit import map_tensors
from solutions.recurrent import Recurrent, draw_next, last_states, orthogonal

PAD, BOS, EOS, UNKNOWN = range(4)  # the first four tokens of every vocabulary here
Step = Callable[[Tensor, Any], tuple[Tensor, Any]]  # token and state to log-probabilities and state


class Encoded(NamedTuple):
    """The output of an encoder.

    Attributes:
        memory: (B, S, features) float, a vector for each source position.
        mask: (B, S) bool, True where the source has a token and not padding.
        summary: (B, features) float, one vector for the whole source; None if there is none.
    """

    memory: Tensor
    mask: Tensor
    summary: Tensor | None


class Hypothesis(NamedTuple):
    """One output sequence, found by a search.

    Attributes:
        tokens: after the begin token, the end token included where it was reached.
        score: what hypotheses are ranked by, the higher the better.
    """

    tokens: list[int]
    score: float


# what a decoder is fed, and what it is asked for


def shift_right(target: Tensor, *, bos: int = BOS) -> Tensor:
    """Shift the target right by one place: the input of a decoder in training.

    At position t the decoder reads the target's token t − 1, and at position 0 the begin token. The
    last entry of the target is never read (Sutskever, Vinyals and Le 2014).

    Args:
        target: (B, T) int64, T at least 1; it stays as it is.
        bos: the begin token.

    Returns:
        (B, T) int64.
    """
    begin = torch.full_like(target[:, :1], bos)  # (B, 1)
    return torch.cat([begin, target[:, :-1]], dim=1)


def sequence_loss(logits: Tensor, target: Tensor, *, pad: int = PAD) -> Tensor:
    """Cross-entropy per token, in nats, over the tokens that are there.

    −Σ ln p(y_t) / n, where the sum goes over all n entries of the target, of all sequences, that
    are not padding. So every token counts the same, whether its sequence is long or short.

    Args:
        logits: (B, T, V) float; logits at padding do not change the loss, even if they are NaN (its
            gradient at a NaN is not checked).
        target: (B, T) int64; ``pad`` at padding. At least one token is not.
        pad: the padding token, any integer; it may lie outside the vocabulary.

    Returns:
        (), float.
    """
    real = target != pad  # (B, T)
    return F.cross_entropy(logits[real], target[real])  # (n, V), (n,) -> ()


def scheduled_inputs(forced: Tensor, written: Tensor, uniform: Tensor, *, share: float) -> Tensor:
    """Replace some inputs of a decoder in training by its own predictions.

    Scheduled sampling (Bengio et al. 2015): each input but the first is, with probability
    ``share``, the token that the model wrote at the position before, and else the target's.

    Args:
        forced: (B, T) int64, what `shift_right` made of the target.
        written: (B, T) int64; entry t is what the model wrote at position t.
        uniform: (B, T) float in [0, 1), one number per input; below ``share`` the model's counts.
        share: from 0 to 1.

    Returns:
        (B, T) int64. The first column is that of ``forced``.
    """
    own = shift_right(written)  # (B, T)
    chosen = uniform < share
    chosen[:, 0] = False
    return torch.where(chosen, own, forced)


# writing


def greedy(
    step: Step, state: Any, first: Tensor, *, eos: int = EOS, max_length: int = 100
) -> Tensor:
    """Write the likeliest token, read it, write the next: a whole batch at once.

    Args:
        step: ``step(token, state)`` reads (B,) int64 and returns log-probabilities (B, V) of the
            next token, and the next state.
        state: what the first step is given.
        first: (B,) int64, what is read first: the begin token.
        eos: the end token. A row that has written it writes nothing else from then on.
        max_length: most tokens to write, from 1.

    Returns:
        (B, T) int64 without ``first``. T is the length of the longest row, its end token counted,
        and at most ``max_length``: when every row has ended, no further step is made. A row that
        ended earlier is filled with end tokens.
    """
    token, ended, written = first, torch.zeros_like(first, dtype=torch.bool), []
    while len(written) < max_length and not ended.all():
        log_probs, state = step(token, state)
        token = log_probs.argmax(dim=-1).masked_fill(ended, eos)  # (B, V) -> (B,)
        written.append(token)
        ended = ended | (token == eos)
    return torch.stack(written, dim=1)


def sample(
    step: Step,
    state: Any,
    first: Tensor,
    uniform: Tensor,
    *,
    eos: int = EOS,
    temperature: float = 1.0,
) -> Tensor:
    """Sample a token from the model, read it, sample the next.

    Args:
        step: as for `greedy`.
        state: what the first step is given.
        first: (B,) int64, what is read first: the begin token.
        uniform: (B, T) float in [0, 1), T at least 1: column t decides on token t, as in
            `draw_next`.
        eos: the end token. A row that has written it writes nothing else from then on.
        temperature: log-probabilities are divided by it; at 0 the likeliest token is taken.

    Returns:
        (B, T) int64 without ``first``; after its first end token a row holds end tokens alone.
    """
    token, ended, written = first, torch.zeros_like(first, dtype=torch.bool), []
    for chance in uniform.unbind(dim=1):  # (B,)
        log_probs, state = step(token, state)
        token = draw_next(log_probs, chance, temperature=temperature).masked_fill(ended, eos)
        written.append(token)
        ended = ended | (token == eos)
    return torch.stack(written, dim=1)


def length_score(log_prob: Tensor, length: Tensor | int, *, penalty: float = 0.0) -> Tensor:
    """Make log-probabilities of sequences of different lengths comparable.

    ln P / ((5 + n) / 6)^ζ for n tokens (Wu et al. 2016, eq. 14, who write α for ζ). With ζ = 0
    it is the log-probability, which every further token can only lower.

    Args:
        log_prob: (...) float, ln P of the whole sequence; −∞ stays −∞.
        length: n, how many tokens it has, the end token counted; an int, or (...) float.
        penalty: ζ, not negative.

    Returns:
        (...) float.
    """
    return log_prob / ((5 + length) / 6) ** penalty


def extend_beams(log_probs: Tensor, scores: Tensor, *, beam: int) -> tuple[Tensor, Tensor, Tensor]:
    """Of all ways to make hypotheses one token longer, keep the likeliest.

    A hypothesis of log-probability s that continues with token v has s + ln p(v). The best of all
    of these together are kept, whichever hypothesis they come from.

    Args:
        log_probs: (K, V) float, ln p(v) after each of the K hypotheses; 2²⁴ numbers or more are
            not checked.
        scores: (K,) float, their log-probabilities.
        beam: how many to keep, from 1; all, where there are fewer.

    Returns:
        rows, tokens and scores, each (min(beam, K · V),), the best first: which hypothesis is
        continued (int64), with which token (int64), and the log-probability of the whole.
    """
    total = scores[:, None] + log_probs  # (K, 1) + (K, V) -> (K, V)
    best, place = total.flatten().topk(min(beam, total.numel()))
    vocabulary = log_probs.shape[1]
    return place // vocabulary, place % vocabulary, best


def beam_search(
    step: Step,
    state: Any,
    first: Tensor,
    *,
    beam: int,
    eos: int = EOS,
    max_length: int = 100,
    penalty: float = 0.0,
) -> list[Hypothesis]:
    """Search for the likeliest sequence, with a few hypotheses side by side.

    It begins with one hypothesis, the begin token. In each round all live hypotheses are extended
    (in one call of ``step``), and of all continuations the ``beam`` with the highest
    log-probability are kept. A kept one that ends with the end token is finished: it is put aside
    with its `length_score`, and never continued. The others live on.

    The search is over when none lives, after ``max_length`` rounds, or as soon as no live
    hypothesis can get among the ``beam`` best finished ones any more: its log-probability can only
    fall, so its score stays at or below what that log-probability is worth at ``max_length``.

    Args:
        step: reads (K,) int64 and a state, returns log-probabilities (K, V) and the next state.
        state: what the first step is given, for one sequence: a tensor whose first dimension is
            the batch, None, or a tuple of states, which may be tuples again. When hypotheses are
            dropped or multiplied, rows of all these tensors are, too.
        first: (1,) int64, what is read first: the begin token. The search runs on its device.
        beam: hypotheses that are kept in each round, from 1.
        eos: the end token.
        max_length: most tokens of a hypothesis, from 1.
        penalty: ζ of `length_score`. It ranks finished hypotheses; live ones are all of one length.

    Returns:
        At most ``beam`` finished hypotheses, the highest score first. Where none has finished,
        those that live after ``max_length`` rounds, with the score that they have there.
    """
    tokens, finished = first[:, None], []  # (K, 1 + t)
    scores = torch.zeros(1, device=first.device)  # (K,)
    for length in range(1, max_length + 1):
        log_probs, state = step(tokens[:, -1], state)
        rows, token, scores = extend_beams(log_probs, scores, beam=beam)
        tokens = torch.cat([tokens[rows], token[:, None]], dim=1)
        worth = length_score(scores, length, penalty=penalty)
        for row in torch.nonzero(token == eos).flatten().tolist():
            finished.append(Hypothesis(tokens[row, 1:].tolist(), worth[row].item()))
        finished.sort(key=lambda hypothesis: -hypothesis.score)
        alive = token != eos
        rows, tokens, scores = rows[alive], tokens[alive], scores[alive]
        state = map_tensors(state, lambda part: part[rows])  # noqa: B023
        if not alive.any():
            break
        reach = length_score(scores.max(), max_length, penalty=penalty)
        if len(finished) >= beam and finished[beam - 1].score >= reach:
            break
    if not finished:
        ends = length_score(scores, max_length, penalty=penalty).tolist()
        finished = [Hypothesis(*pair) for pair in zip(tokens[:, 1:].tolist(), ends, strict=True)]
    return finished[:beam]


def exhaustive_search(
    step: Step,
    state: Any,
    first: Tensor,
    *,
    eos: int = EOS,
    max_length: int,
    penalty: float = 0.0,
) -> Hypothesis:
    """Try every sequence that ends within ``max_length`` tokens: a reference for beam search.

    Args:
        step: as for `beam_search`.
        state: what the first step is given.
        first: (1,) int64, what is read first: the begin token.
        eos: the end token.
        max_length: most tokens, the end token counted, from 1. The cost grows as V to this power.
        penalty: ζ of `length_score`.

    Returns:
        The sequence that ends with its only end token and has the highest score. At least one
        has a probability above 0.
    """
    best = Hypothesis([], -math.inf)

    def go_on(token: Tensor, state: Any, tokens: list[int], log_prob: Tensor | float) -> None:
        nonlocal best
        log_probs, state = step(token, state)  # (1, V)
        for v, further in enumerate(log_probs[0]):
            longer, total = [*tokens, v], log_prob + further
            if v == eos:
                score = length_score(total, len(longer), penalty=penalty).item()
                best = max(best, Hypothesis(longer, score), key=lambda found: found.score)
            elif len(longer) < max_length:
                go_on(torch.full_like(first, v), state, longer, total)

    go_on(first, state, [], 0.0)
    return best


# measuring


def perplexity(log_probs: Sequence[Tensor]) -> Tensor:
    """Perplexity per token of a set of sequences: the effective number of choices.

    exp(−Σ ln p / n), over all n tokens of all sequences together. It is not the mean of the
    perplexities of the sequences, nor that of batches: these count short ones as much as long.

    Args:
        log_probs: one tensor per sequence, (T_i,) float: the log-probability that the model gave to
            each of its tokens, −∞ where it gave probability 0. One token or more in all; a sequence
            may have none.

    Returns:
        (), float; ∞ if a token has probability 0.
    """
    return torch.cat([*log_probs]).mean().neg().exp()


def exact_match(written: Tensor, target: Tensor, *, eos: int = EOS) -> Tensor:
    """Which sequences are right from the first token to the end token.

    Tokens after the first end token do not matter, in either. A sequence without an end token is
    compared as it is, and equals no sequence that ends. The two may differ in width.

    Args:
        written: (B, T) int64; B may be 0.
        target: (B, U) int64.
        eos: the end token.

    Returns:
        (B,) bool.
    """
    width = max(written.shape[1], target.shape[1])
    both = []
    for tokens in (written, target):
        ends = (tokens == eos).cumsum(dim=1) - (tokens == eos).long()  # before each place
        row = tokens.new_full((len(tokens), width), -1)
        row[:, : tokens.shape[1]] = tokens.masked_fill(ends > 0, -1)
        both.append(row)
    return (both[0] == both[1]).all(dim=1)


def clipped_counts(
    hypothesis: Sequence[str], references: Sequence[Sequence[str]], n: int
) -> tuple[int, int]:
    """Count the n-grams of a translation that a reference has too, no more often than it does.

    A run of n words that occurs twice in the hypothesis, and at most once in any one reference,
    counts once (Papineni et al. 2002, section 2.1.1).

    Args:
        hypothesis: the words of a translation; any texts, with spaces in them too.
        references: one or more translations to compare with, as words.
        n: words in a row, from 1.

    Returns:
        How many of the hypothesis's n-grams are matched, and how many it has.
    """
    counts = _ngrams(hypothesis, n)
    allowed: Counter = Counter()
    for reference in references:
        allowed |= _ngrams(reference, n)  # of each n-gram, the larger count
    return (counts & allowed).total(), counts.total()


def brevity_penalty(length: int, reference_length: int) -> float:
    """Factor that penalizes a short translation: exp(1 − reference_length / length), at most 1.

    Precision alone would be highest for a translation of one safe word (Papineni et al. 2002,
    section 2.2).

    Args:
        length: words of the translation; of the whole corpus, for a corpus.
        reference_length: words of the reference.

    Returns:
        From 0 to 1; 0 where there are no words and should be some.
    """
    if length >= reference_length:
        return 1.0
    return math.exp(1 - reference_length / length) if length else 0.0


def corpus_bleu(
    hypotheses: Sequence[Sequence[str]],
    references: Sequence[Sequence[Sequence[str]]],
    *,
    longest: int = 4,
    smooth: bool = False,
) -> float:
    """BLEU of a corpus, from 0 to 100, as sacrebleu computes it on the same words.

    The precision p_n is the sum of the matched n-grams of all sentences over the sum of all n-grams
    (`clipped_counts`); BLEU is 100 times the brevity penalty times the geometric mean of p_1 to
    p_longest. The brevity penalty is that of the corpus: for each sentence the reference that is
    closest in length counts, the shorter of two that are equally close, and these lengths are
    summed (Papineni et al. 2002; Post 2018).

    Where some p_n is zero, so is BLEU. With ``smooth``, the first n without a match gets half a
    match, the second a quarter, and so on (Chen and Cherry 2014, method 3). If the corpus
    has no n-grams of some length at all, or no word matches, BLEU is 0 either way.

    Args:
        hypotheses: a translation per sentence, as words; of one sentence or more.
        references: for each sentence one or more references, as words.
        longest: n-grams up to this length count.
        smooth: whether precisions of zero are smoothed, as sacrebleu does unless told otherwise.

    Returns:
        A number from 0 to 100.

    Raises:
        ValueError: there are not as many lists of references as hypotheses.
    """
    if len(hypotheses) != len(references):
        raise ValueError(
            f"Expected references for every hypothesis, got {len(references)} for "
            f"{len(hypotheses)}."
        )
    pairs = list(zip(hypotheses, references, strict=True))
    logs, halves = 0.0, 1
    for n in range(1, longest + 1):
        counts = [clipped_counts(hypothesis, some, n) for hypothesis, some in pairs]
        matched, total = (sum(column) for column in zip(*counts, strict=True))
        if matched == 0 and smooth and n > 1:
            halves *= 2
            matched = 1 / halves
        if matched == 0 or total == 0:
            return 0.0
        logs += math.log(matched / total) / longest
    closest = [
        min((len(one) for one in some), key=lambda r: (abs(r - len(hypothesis)), r))
        for hypothesis, some in pairs
    ]
    length = sum(len(hypothesis) for hypothesis in hypotheses)
    return 100 * brevity_penalty(length, sum(closest)) * math.exp(logs)


def _ngrams(words: Sequence[str], n: int) -> Counter:
    """How often each run of n words occurs."""
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


# the machine


class Vocabulary:
    """Symbols as numbers: padding, begin, end and unknown first, then the others.

    Attributes:
        symbols: every symbol, by its number.
    """

    def __init__(self, texts: Iterable[Sequence[str]]) -> None:
        """Collect the symbols, in their order.

        Args:
            texts: each a string, for characters, or a list of words.
        """
        found = sorted({symbol for text in texts for symbol in text})
        self.symbols = ["<pad>", "<bos>", "<eos>", "<unk>", *found]
        self.numbers = {symbol: number for number, symbol in enumerate(self.symbols)}

    def __len__(self) -> int:
        """How many symbols there are."""
        return len(self.symbols)

    def encode(self, texts: Sequence[Sequence[str]]) -> tuple[Tensor, Tensor]:
        """Turn texts into numbers, each with the end token, and pad them to one length.

        Args:
            texts: each a string, or a list of words.

        Returns:
            Tokens (B, T) int64, and how many of each row are real, (B,) int64.
        """
        rows = [torch.tensor([*(self.numbers.get(s, UNKNOWN) for s in t), EOS]) for t in texts]
        lengths = torch.tensor([len(row) for row in rows])
        return nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=PAD), lengths

    def decode(self, tokens: Tensor) -> list[list[str]]:
        """Turn numbers into symbols, each row up to its first end token.

        Args:
            tokens: (B, T) int64.

        Returns:
            A list of symbols per row.
        """
        rows = (itertools.takewhile(lambda token: token != EOS, row) for row in tokens.tolist())
        return [[self.symbols[token] for token in row] for row in rows]


class RecurrentEncoder(nn.Module):
    """An encoder that reads from left to right, or both ways.

    Attributes:
        embedding: `nn.Embedding`, symbols to embed_dim.
        layer: `Recurrent`, embed_dim to hidden_size.
    """

    def __init__(
        self,
        symbols: int,
        *,
        embed_dim: int,
        hidden_size: int,
        kind: str = "gru",
        bidirectional: bool = False,
        device: torch.device | str | None = None,
    ) -> None:
        """Make the parts.

        Args:
            symbols: how many the source vocabulary has.
            embed_dim: features of each symbol.
            hidden_size: features of each direction's state.
            kind: ``"rnn"``, ``"lstm"`` or ``"gru"``.
            bidirectional: whether to read in both directions.
            device: where the parameters go.
        """
        super().__init__()
        self.embedding = nn.Embedding(symbols, embed_dim, device=device)
        self.layer = Recurrent(
            embed_dim, hidden_size, kind=kind, bidirectional=bidirectional, device=device
        )
        self.bidirectional = bidirectional
        self.features = hidden_size * (1 + bidirectional)

    def forward(self, source: Tensor, lengths: Tensor) -> Encoded:
        """Read a batch of sources.

        Args:
            source: (B, S) int64; its padding may hold any symbols.
            lengths: (B,) int64, the real positions of each, from 1 to S; they come first.

        Returns:
            The output at every position, zeros in the padding; the mask; and as summary, the
            output at which each direction has read its whole sequence: (B, directions · H).
        """
        memory, _ = self.layer(self.embedding(source), None, lengths)
        summary = last_states(memory, lengths, bidirectional=self.bidirectional)
        return Encoded(memory, length_mask(lengths, source.shape[1]), summary)


class ConvEncoder(nn.Module):
    """An encoder that reads all positions at once, each with its neighbors.

    Each position is the sum of a vector for its symbol and one for its place, E_x + P_t. Layers of
    convolutions follow, X + ReLU(conv(X)), with zeros around the sequence and in its padding
    (Gehring et al. 2017, with a ReLU for their gate).

    Attributes:
        embedding: `nn.Embedding`, symbols to hidden_size.
        places: `nn.Embedding`, max_length to hidden_size.
        convs: `nn.ModuleList` of `nn.Conv1d`, hidden_size to hidden_size.
    """

    def __init__(
        self,
        symbols: int,
        *,
        hidden_size: int,
        max_length: int,
        kernel_size: int = 5,
        num_layers: int = 2,
        device: torch.device | str | None = None,
    ) -> None:
        """Make the parts.

        Args:
            symbols: how many the source vocabulary has.
            hidden_size: features of each position.
            max_length: positions of the longest source.
            kernel_size: positions that a convolution sees, odd.
            num_layers: how many convolutions.
            device: where the parameters go.
        """
        super().__init__()
        self.embedding = nn.Embedding(symbols, hidden_size, device=device)
        self.places = nn.Embedding(max_length, hidden_size, device=device)
        self.convs = nn.ModuleList(
            nn.Conv1d(
                hidden_size, hidden_size, kernel_size, padding=kernel_size // 2, device=device
            )
            for _ in range(num_layers)
        )
        self.features = hidden_size

    def forward(self, source: Tensor, lengths: Tensor) -> Encoded:
        """Read a batch of sources.

        Args:
            source: (B, S) int64, S at most max_length; its padding may hold any symbols.
            lengths: (B,) int64, the real positions of each, from 1 to S; they come first.

        Returns:
            The features of every position, zeros in the padding; the mask; and as summary their
            mean over the real positions: (B, hidden_size).
        """
        mask = length_mask(lengths, source.shape[1])
        x = self.embedding(source) + self.places.weight[: source.shape[1]]  # (B, S, H)
        x = x * mask[:, :, None]
        for conv in self.convs:
            found = conv(x.transpose(1, 2)).transpose(1, 2)  # (B, H, S) and back
            x = (x + found.relu()) * mask[:, :, None]
        return Encoded(x, mask, x.sum(dim=1) / lengths[:, None])


class Decoder(nn.Module):
    """Base class of decoders. A subclass defines `forward`, and `begin` if it keeps a state.

    A state is None, a tensor, or a tuple of states; the first dimension of each tensor is the
    batch, so that a search may pick rows of it.
    """

    def __init__(self) -> None:
        """Make no parameters: a subclass makes its own."""
        super().__init__()

    def begin(self, summary: Tensor | None) -> Any:
        """The state before the first token.

        Args:
            summary: (B, features) float, of the encoder.

        Returns:
            A state; None for a decoder that needs none.
        """
        return None

    def forward(
        self, targets_in: Tensor, memory: Tensor, mask: Tensor, state: Any
    ) -> tuple[Tensor, Any]:
        """Read given tokens, and score the next token after each.

        Args:
            targets_in: (B, T) int64: in training the target, shifted right; in decoding, all new
                tokens.
            memory: (B, S, features) float, of the encoder.
            mask: (B, S) bool, True where the source has a token.
            state: of `begin`, or what the call before returned.

        Returns:
            Logits (B, T, V), and the state after the last token.
        """
        raise NotImplementedError

    def step(self, token: Tensor, memory: Tensor, mask: Tensor, state: Any) -> tuple[Tensor, Any]:
        """Read one token, and score the next.

        Args:
            token: (B,) int64.
            memory: as for `forward`.
            mask: as for `forward`.
            state: after the tokens before this one.

        Returns:
            Logits (B, V), and the state after this token.
        """
        logits, state = self(token[:, None], memory, mask, state)
        return logits[:, -1], state


class RecurrentDecoder(Decoder):
    """A decoder that knows only the summary of the source, and reads it at every step.

    Its first state is tanh(W · summary + b); for an LSTM h and c in this order, from one product
    with twice the rows. At each step the layer reads the embedded token and after it the summary,
    [E_x, summary] (Cho et al. 2014), and the output layer scores the next token.

    Attributes:
        bridge: `nn.Linear`, summary_size to hidden_size; for an LSTM, to 2 · hidden_size.
        embedding: `nn.Embedding`, symbols to embed_dim.
        layer: `Recurrent`, embed_dim + summary_size to hidden_size, one layer.
        output: `nn.Linear`, hidden_size to symbols.
    """

    def __init__(
        self,
        symbols: int,
        *,
        summary_size: int,
        embed_dim: int,
        hidden_size: int,
        kind: str = "gru",
        device: torch.device | str | None = None,
    ) -> None:
        """Make the parts.

        Args:
            symbols: how many the target vocabulary has.
            summary_size: features of the encoder's summary.
            embed_dim: features of each symbol.
            hidden_size: features of the state.
            kind: ``"rnn"``, ``"lstm"`` or ``"gru"``.
            device: where the parameters go.
        """
        super().__init__()
        parts = 2 if kind == "lstm" else 1
        self.bridge = nn.Linear(summary_size, parts * hidden_size, device=device)
        self.embedding = nn.Embedding(symbols, embed_dim, device=device)
        self.layer = Recurrent(embed_dim + summary_size, hidden_size, kind=kind, device=device)
        self.output = nn.Linear(hidden_size, symbols, device=device)

    def begin(self, summary: Tensor) -> tuple[Tensor, ...]:
        """Compute the first state from the summary.

        Args:
            summary: (B, summary_size) float.

        Returns:
            A tuple of the summary itself, (B, summary_size), and h, for an LSTM h and c; each
            (B, hidden_size).
        """
        start = torch.tanh(self.bridge(summary))
        return summary, *start.split(self.layer.hidden_size, dim=-1)

    def forward(
        self, targets_in: Tensor, memory: Tensor, mask: Tensor, state: tuple[Tensor, ...]
    ) -> tuple[Tensor, tuple[Tensor, ...]]:
        """Read given tokens, and score the next token after each.

        Args:
            targets_in: (B, T) int64.
            memory: not used.
            mask: not used.
            state: as `begin` returns it.

        Returns:
            Logits (B, T, symbols), and the state after the last token, in the same form; the
            summary in it stays.
        """
        summary, *parts = state
        x = self.embedding(targets_in)
        x = torch.cat([x, summary[:, None].expand(-1, x.shape[1], -1)], dim=-1)
        parts = [part[None] for part in parts]  # (B, H) -> (1, B, H): `Recurrent` has layers
        found, after = self.layer(x, tuple(parts) if len(parts) > 1 else parts[0])
        after = after if len(parts) > 1 else (after,)
        return self.output(found), (summary, *(part[0] for part in after))


class EncoderDecoder(nn.Module):
    """Any encoder and any decoder, as one model of p(target | source).

    Attributes:
        encoder: maps source and lengths to `Encoded`.
        decoder: a `Decoder`.
    """

    def __init__(self, encoder: nn.Module, decoder: Decoder) -> None:
        """Put the two together.

        Args:
            encoder: `RecurrentEncoder`, `ConvEncoder` or one of yours.
            decoder: `RecurrentDecoder` or one of yours.
        """
        super().__init__()
        self.encoder, self.decoder = encoder, decoder

    def forward(self, source: Tensor, lengths: Tensor, targets_in: Tensor) -> Tensor:
        """Teacher forcing: score the next token at every position of a known target.

        Args:
            source: (B, S) int64.
            lengths: (B,) int64, the real positions of each source.
            targets_in: (B, T) int64, of `shift_right`.

        Returns:
            Logits (B, T, V).
        """
        memory, mask, summary = self.encoder(source, lengths)
        return self.decoder(targets_in, memory, mask, self.decoder.begin(summary))[0]

    def begin(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Any]:
        """Read the sources: the state with which `greedy` and the others begin.

        Args:
            source: (B, S) int64.
            lengths: (B,) int64, the real positions of each source.

        Returns:
            The memory, its mask and the decoder's first state.
        """
        memory, mask, summary = self.encoder(source, lengths)
        return memory, mask, self.decoder.begin(summary)

    def step(
        self, token: Tensor, state: tuple[Tensor, Tensor, Any]
    ) -> tuple[Tensor, tuple[Tensor, Tensor, Any]]:
        """Read one token of each target, and score the next; `greedy` calls this.

        Args:
            token: (B,) int64.
            state: of `begin`, or of the step before.

        Returns:
            Log-probabilities (B, V), and the next state.
        """
        memory, mask, inner = state
        logits, inner = self.decoder.step(token, memory, mask, inner)
        return logits.log_softmax(dim=-1), (memory, mask, inner)


def length_mask(lengths: Tensor, width: int) -> Tensor:
    """Which positions of padded sequences are real.

    Args:
        lengths: (B,) int64, the real positions, which come first.
        width: positions of all.

    Returns:
        (B, width) bool, True at real positions.
    """
    return torch.arange(width, device=lengths.device) < lengths[:, None]


# training


class Batch(NamedTuple):
    """Pairs of sequences, padded.

    Attributes:
        source: (B, S) int64.
        lengths: (B,) int64, the real positions of each source.
        target: (B, T) int64, each with its end token.
    """

    source: Tensor
    lengths: Tensor
    target: Tensor


class Buckets:
    """Minibatches of pairs whose sources are about equally long, so that little is padding.

    All pairs are shuffled and dealt into pools of several batches. Each pool is sorted by length
    and cut into batches, which come in random order. Sources are cut to the longest of their
    batch. Call it with the number of an epoch, as `solutions.fit.fit` does; seed and epoch fix the
    order.
    """

    def __init__(self, data: Batch, size: int, *, pool: int = 8, seed: int = 0) -> None:
        """Remember the data.

        Args:
            data: all pairs.
            size: pairs of a batch; what is left over in an epoch is left out.
            pool: batches that are sorted together.
            seed: of the shuffles.
        """
        self.data, self.size, self.pool, self.seed = data, size, pool, seed

    def __len__(self) -> int:
        """How many batches an epoch has."""
        return len(self.data.source) // self.size

    def __call__(self, epoch: int) -> Iterator[Batch]:
        """The batches of one epoch."""
        generator = torch.Generator().manual_seed(1_000_003 * self.seed + epoch)
        order = torch.randperm(len(self.data.source), generator=generator)
        for pool in order[: len(self) * self.size].split(self.pool * self.size):
            pool = pool[self.data.lengths[pool.to(self.data.lengths.device)].argsort().cpu()]
            rows = pool.view(-1, self.size)
            for chosen in rows[torch.randperm(len(rows), generator=generator)]:
                source, lengths, target = (part[chosen.to(part.device)] for part in self.data)
                yield Batch(source[:, : int(lengths.max())], lengths, target)


def start_remembering(model: nn.Module) -> None:
    """Initialize every `Recurrent` of a model so that it forgets little.

    Each (H, H) block of every weight_hh becomes an orthogonal matrix; and the second block of
    bias_hh, which opens the forget gate of an LSTM and the update gate of a GRU, becomes 1.

    Args:
        model: changed in place.
    """
    for layer in model.modules():
        if isinstance(layer, Recurrent):
            size = layer.hidden_size
            for name, parameter in layer.named_parameters():
                with torch.no_grad():
                    if name.startswith("weight_hh"):
                        for block in parameter.split(size):
                            block.copy_(orthogonal(torch.randn(size, size).to(block)))
                    if name.startswith("bias_hh") and layer.kind != "rnn":
                        parameter[size : 2 * size] = 1.0
