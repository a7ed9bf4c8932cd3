"""Transfer: one model reads, and others profit from what it has learned.

Builds what encoder-decoders are pretrained on (spans cut out and asked for), one stack that is an
encoder, a decoder or between the two by its mask, and the ways to a task from there: a head on
frozen features, fine-tuning with a rate per layer, adapters, low-rank updates, learned prompts and
learned keys and values; and what is asked of a model that nobody trains any more: a prompt with
examples, and the scores of the words that could answer it.

Sources: Raffel et al. 2020, "Exploring the Limits of Transfer Learning with a Unified Text-to-Text
Transformer" (T5: spans, prefixes); Lewis et al. 2020, "BART"; Howard and Ruder 2018, "Universal
Language Model Fine-tuning for Text Classification"; Houlsby et al. 2019, "Parameter-Efficient
Transfer Learning for NLP" (adapters); Hu et al. 2022, "LoRA"; Lester, Al-Rfou and Constant 2021,
"The Power of Scale for Parameter-Efficient Prompt Tuning"; Li and Liang 2021, "Prefix-Tuning";
Brown et al. 2020, "Language Models are Few-Shot Learners"; Zhao et al. 2021, "Calibrate Before
Use".
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from solutions.transformer import Config, Decoder, Encoder

# what is cut out, and asked for


def span_corruption(
    tokens: Tensor, starts: Sequence[int], lengths: Sequence[int], *, sentinel: int
) -> tuple[Tensor, Tensor]:
    """Cut spans out of a text, and ask for them (Raffel et al. 2020, section 3.1.4).

    In what is read, each span is replaced by one sentinel: the first by ``sentinel``, the second by
    ``sentinel`` + 1, and so on. What is asked is each sentinel followed by the tokens of its span,
    in the order of the text, and at the end one sentinel more, the next that is unused. Spans that
    touch are one span.

    Args:
        tokens: (T,) int64, T ≥ 1, all below ``sentinel``; not changed.
        starts: where each span begins, ascending.
        lengths: tokens of each span, 1 or more. A span ends where the next begins or before.
        sentinel: the first of the sentinels.

    Returns:
        What is read and what is asked, two int64 vectors on the device of ``tokens``. Without
        spans, the text and one sentinel.

    Raises:
        ValueError: a span is empty, overlaps the one before it, or does not lie inside the text.
    """
    read, asked, end, number = [], [], 0, sentinel
    for start, length in zip(starts, lengths, strict=True):
        if length < 1 or start < end or start + length > len(tokens):
            raise ValueError(f"no span can be cut from {start} to {start + length}, after {end}")
        if start > end or not asked:  # else it goes on where the last one ended
            mark = tokens.new_tensor([number])
            read += [tokens[end:start], mark]
            asked.append(mark)
            number += 1
        end = start + length
        asked.append(tokens[start:end])
    return torch.cat([*read, tokens[end:]]), torch.cat([*asked, tokens.new_tensor([number])])


def restore_spans(read: Tensor, asked: Tensor, *, sentinel: int) -> Tensor:
    """Put the spans back: `span_corruption`, undone.

    Args:
        read: (n,) int64, a text with sentinels.
        asked: (m,) int64, what a model wrote: sentinels, each followed by the tokens of its span.
            They may come in any order. What stands before the first sentinel belongs to none, and
            so does what follows a sentinel that is not in ``read``.
        sentinel: the first of the sentinels; every token from it on is one.

    Returns:
        The text, int64, on the device of ``read``, without sentinels. A sentinel of ``read`` that
        was not answered, or by no token, leaves nothing; of one that was answered twice the first
        answer counts.
    """
    spans: dict[int, list[int]] = {}
    span: list[int] = []
    for token in asked.tolist():
        if token >= sentinel:
            span = []
            spans.setdefault(token, span)
        else:
            span.append(token)
    text: list[int] = []
    for token in read.tolist():
        text += spans.get(token, []) if token >= sentinel else [token]
    return read.new_tensor(text)


def text_infilling(
    tokens: Tensor, starts: Sequence[int], lengths: Sequence[int], *, mask: int
) -> Tensor:
    """Put one mask in the place of each span (Lewis et al. 2020, section 2.2).

    The whole text is what is asked, so that a model has to find out how long each span was. An
    empty span puts in a mask where nothing is missing, before token ``start``.

    Args:
        tokens: (T,) int64; not changed.
        starts: where each span begins, 0 to T, ascending; all are places in ``tokens``.
        lengths: tokens of each span, 0 or more; a span ends where the next begins or before.
        mask: the token that is put in, the same for all. Spans that touch get one each.

    Returns:
        What is read, an int64 vector.
    """
    parts, end = [], 0
    for start, length in zip(starts, lengths, strict=True):
        parts += [tokens[end:start], tokens.new_tensor([mask])]
        end = start + length
    return torch.cat([*parts, tokens[end:]])


# one stack, three families


def prefix_mask(prefixes: Tensor, longest: int) -> Tensor:
    """Let a prefix see all of itself, and what follows only the past (Raffel et al. 2020, fig. 3).

    Args:
        prefixes: (B,) int64, how many of the first positions of each row are prefix, 0 to T.
        longest: positions T.

    Returns:
        (B, T, T) bool, made on the device of ``prefixes`` by operations on tensors; True may
        attend: key j by query i, where j is not after i, or j lies in the prefix.
    """
    place = torch.arange(longest, device=prefixes.device)
    past = place <= place[:, None]  # (T, T): a row per query
    return past | (place < prefixes[:, None])[:, None]  # (B, 1, T)


def with_prompt(prompt: Tensor, embedded: Tensor, positions: Tensor | None = None) -> Tensor:
    """Put learned vectors before a text, as if they were words (Lester et al. 2021, section 2).

    Args:
        prompt: P learned vectors, (P, D) float, the same for every row.
        embedded: the embedded text, (B, T, D) float, without positions.
        positions: a table with one row per position, (longest, D) float, longest ≥ P + T. It is
            added to the whole, so that the prompt has positions 0 to P − 1. Nothing if None.

    Returns:
        (B, P + T, D).
    """
    whole = torch.cat([prompt.expand(len(embedded), -1, -1), embedded], dim=1)
    return whole if positions is None else whole + positions[: whole.shape[1]]


def prompt_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    """Loss of a causal model that read a learned prompt and then a text.

    Each token of the text is asked for at the position before it, the first at the last position of
    the prompt. Positions of the prompt before that one are asked nothing, and neither is the last
    position of the text.

    Args:
        logits: (B, P + T, V) float, P ≥ 1: of what follows each position.
        tokens: (B, T) int64, the text.

    Returns:
        (): the mean over all tokens of −ln p, in nats.
    """
    about = logits[:, -tokens.shape[1] - 1 : -1]  # (B, P + T, V) -> (B, T, V)
    return F.cross_entropy(about.flatten(0, 1), tokens.flatten())


class Reader(nn.Module):
    """Embedded tokens pass a stack of layers: an encoder, or causal, a decoder without a memory.

    Attributes:
        embed: `nn.Embedding`, (vocabulary, embed_dim); normal with variance 1/embed_dim at the
            start. The same table scores tokens.
        encoder: `Encoder`. Its positions are rotary, if ``config`` says so; else there are none.
    """

    def __init__(
        self, config: Config, *, is_causal: bool = False, device: torch.device | str | None = None
    ) -> None:
        """Make the parts.

        Args:
            config: sizes and options, ``vocabulary`` among them.
            is_causal: whether positions see the past and themselves only.
            device: where the parameters go.
        """
        super().__init__()
        self.is_causal = is_causal
        self.embed = nn.Embedding(config.vocabulary, config.embed_dim, device=device)
        nn.init.normal_(self.embed.weight, std=config.embed_dim**-0.5)
        self.encoder = Encoder(config, device=device)

    def forward(
        self, tokens: Tensor, mask: Tensor | None = None, *, prompt: Tensor | None = None
    ) -> Tensor:
        """Read.

        Args:
            tokens: (B, T) int64.
            mask: bool, broadcastable to (B, P + T, P + T), what may be looked at; True may attend.
            prompt: P learned vectors that stand before the text, (P, D); P = 0 if None.

        Returns:
            (B, P + T, D), a vector for each position.
        """
        x = self.embed(tokens)  # (B, T) -> (B, T, D)
        x = x if prompt is None else with_prompt(prompt, x)
        return self.encoder(x, mask, is_causal=self.is_causal)

    def score(self, states: Tensor) -> Tensor:
        """Score each token of the vocabulary by its own vector.

        Args:
            states: (..., D) float.

        Returns:
            (..., V), logits.
        """
        return F.linear(states, self.embed.weight)


class Rewriter(nn.Module):
    """Encoder and decoder with one table of tokens: a text goes in, and another comes out.

    Attributes:
        reader: `Reader`, not causal.
        decoder: `Decoder`.
    """

    def __init__(self, config: Config, *, device: torch.device | str | None = None) -> None:
        """Make both halves.

        Args:
            config: sizes and options, the same for both.
            device: where the parameters go.
        """
        super().__init__()
        self.reader = Reader(config, device=device)
        self.decoder = Decoder(config, device=device)

    def forward(self, source: Tensor, target: Tensor, source_mask: Tensor | None = None) -> Tensor:
        """Read the source, and score what comes after each token of the target.

        Args:
            source: (B, S) int64.
            target: (B, T) int64, what is written already.
            source_mask: (B, S) bool, which tokens of the source are text; all if None.

        Returns:
            (B, T, V), logits.
        """
        mask = None if source_mask is None else source_mask[:, None]  # (B, S) -> (B, 1, S)
        memory = self.reader(source, mask)
        return self.reader.score(self.decoder(self.reader.embed(target), memory, memory_mask=mask))


class At(nn.Module):
    """Hidden state at one position: a vector for each example.

    Attributes:
        reader: what reads.
    """

    def __init__(self, reader: nn.Module, position: int) -> None:
        """Choose a position.

        Args:
            reader: maps tokens (B, T) to states (B, T, D).
            position: which; −1 is the last.
        """
        super().__init__()
        self.reader, self.position = reader, position

    def forward(self, tokens: Tensor) -> Tensor:
        """Read, and keep one state.

        Args:
            tokens: (B, T) int64.

        Returns:
            (B, D).
        """
        return self.reader(tokens)[:, self.position]


# what each family is asked


def next_token_loss(model: Reader, rows: Tensor) -> Tensor:
    """Pretraining loss of a decoder: at each position, the next token.

    Args:
        model: causal.
        rows: (B, T) int64, pieces of a text.

    Returns:
        (): the mean of −ln p over B (T − 1) questions.
    """
    logits = model.score(model(rows))[:, :-1]  # (B, T - 1, V)
    return F.cross_entropy(logits.flatten(0, 1), rows[:, 1:].flatten())


def masked_loss(
    model: Reader, rows: Tensor, generator: torch.Generator, *, mask: int, share: float = 0.15
) -> Tensor:
    """Pretraining loss of an encoder: the masked tokens (BERT's, without its 80/10/10).

    Args:
        model: not causal.
        rows: (B, T) int64, pieces of a text.
        generator: draws which tokens are masked, on the CPU.
        mask: the token that is put in.
        share: how likely each token is to be masked.

    Returns:
        (): the mean of −ln p over the tokens that are masked.
    """
    chosen = (torch.rand(rows.shape, generator=generator) < share).to(rows.device)
    states = model(rows.masked_fill(chosen, mask))[chosen]  # (B, T, D) -> (chosen, D)
    return F.cross_entropy(model.score(states), rows[chosen])


def draw_spans(
    length: int, missing: int, number: int, generator: torch.Generator
) -> tuple[list[int], list[int]]:
    """Draw spans that do not touch: all ways to cut, and all ways to place, are equally likely.

    Args:
        length: tokens of the text, ``missing`` + ``number`` − 1 or more.
        missing: tokens of all spans together, ``number`` or more.
        number: of spans.
        generator: on the CPU.

    Returns:
        Where each begins, ascending, and how long each is.
    """

    def parts(total: int, count: int) -> list[int]:  # of 1 or more, with this sum
        cuts = torch.randperm(total - 1, generator=generator)[: count - 1].sort().values + 1
        return torch.diff(torch.tensor([0, *cuts.tolist(), total])).tolist()

    lengths = parts(missing, number)
    gaps = parts(length - missing + 2, number + 1)  # the first and the last may be empty
    gaps[0] -= 1
    starts, end = [], 0
    for gap, size in zip(gaps, lengths, strict=False):
        starts.append(end + gap)
        end += gap + size
    return starts, lengths


def span_loss(
    model: Rewriter,
    rows: Tensor,
    generator: torch.Generator,
    *,
    sentinel: int,
    missing: int,
    number: int,
) -> Tensor:
    """Pretraining loss of an encoder-decoder: the spans that were cut out of its input.

    Args:
        model: reads the text with sentinels, and is asked for `span_corruption`'s second result
            token by token, given those before; its first token is given and not asked for.
        rows: (B, T) int64, pieces of a text.
        generator: draws the spans, on the CPU.
        sentinel: the first of the sentinels.
        missing: tokens that are cut out of each row.
        number: of spans in each row.

    Returns:
        (): the mean of −ln p over B (missing + number) questions.
    """
    pairs = [
        span_corruption(row, *draw_spans(len(row), missing, number, generator), sentinel=sentinel)
        for row in rows
    ]
    read, asked = map(torch.stack, zip(*pairs, strict=True))
    return F.cross_entropy(model(read, asked[:, :-1]).flatten(0, 1), asked[:, 1:].flatten())


def holes(
    tokens: Tensor, words: Tensor, *, before: int, after: int, hole: int
) -> tuple[Tensor, Tensor]:
    """Make a task of a text: say which of a few words stood in a hole.

    Args:
        tokens: (n,) int64, the text.
        words: (C,) int64, the words, one token each.
        before: tokens on the left of a hole.
        after: tokens on its right.
        hole: the token that is put in place of the word.

    Returns:
        A row for each place where one of the words stands and that has enough on both sides, in
        their order, (m, before + 1 + after) int64; and the word's number in ``words``, (m,).
    """
    places = torch.isin(tokens, words).nonzero()[:, 0]
    places = places[(places >= before) & (places < len(tokens) - after)]
    rows = tokens[places[:, None] + torch.arange(-before, after + 1, device=tokens.device)]
    labels = (rows[:, before, None] == words).long().argmax(dim=1)
    rows[:, before] = hole
    return rows, labels


# a layer for the task, and who learns


class Classifier(nn.Module):
    """A task on top of a model that has read: its vector of an example, and one linear layer.

    With ``frozen`` nothing of the trunk changes, neither by gradients (its parameters ask for none,
    and no graph is built through it) nor by running statistics, and it makes no noise: it is in
    evaluation mode, also when the classifier is in training mode.

    Attributes:
        trunk: what reads.
        head: `nn.Linear`, ``head.weight`` (classes, features) and ``head.bias`` (classes,).
    """

    def __init__(
        self, trunk: nn.Module, features: int, classes: int, *, frozen: bool = False
    ) -> None:
        """Put a head on a trunk.

        Args:
            trunk: maps its input to one vector for each example, (B, D), with parameters that ask
                for gradients. It is used itself, and not copied.
            features: D.
            classes: C.
            frozen: whether the trunk stays as it is.
        """
        super().__init__()
        self.trunk = trunk.requires_grad_(not frozen)
        self.head = nn.Linear(features, classes)
        self.frozen = frozen
        self.train()

    def train(self, mode: bool = True) -> Classifier:
        """Switch to training mode, or to evaluation mode; a frozen trunk stays in the latter.

        Args:
            mode: whether to train.

        Returns:
            The classifier itself.
        """
        super().train(mode)
        if self.frozen:
            self.trunk.eval()
        return self

    def forward(self, x: Tensor) -> Tensor:
        """Score the classes.

        Args:
            x: (B, ...), what the trunk takes.

        Returns:
            (B, C), logits.
        """
        with torch.set_grad_enabled(torch.is_grad_enabled() and not self.frozen):
            read = self.trunk(x)  # (B, D)
        return self.head(read)


def layer_rates(
    names: Sequence[str], *, layers: int, rate: float, decay: float
) -> dict[str, float]:
    """Learning rates that fall from the top of a network to its bottom (Howard and Ruder 2018).

    The head learns at ``rate``, and each step downward divides by ``decay``: the layer on top of
    the others at rate / decay, the one below at rate / decay², and the embedding, below all
    layers, at rate / decay^(layers + 1).

    Args:
        names: of parameters. A name in which ``layers.3.`` stands, at its beginning or after a
            dot, belongs to layer 3, counted from 0, the lowest. Of the others, one in which
            ``embed.`` stands likewise belongs to the embedding; the rest learn like the head.
        layers: N.
        rate: of the head.
        decay: 1 or more; 2.6 in the paper.

    Returns:
        The rate of each name.
    """
    found = {}
    for name in names:
        parts = name.split(".")
        depth = 0  # steps from the head downward
        if "layers" in parts[:-2]:
            depth = layers - int(parts[parts.index("layers") + 1])
        elif "embed" in parts[:-1]:
            depth = layers + 1
        found[name] = rate / decay**depth
    return found


class Adapter(nn.Module):
    """A narrow detour that is put after a frozen part (Houlsby et al. 2019, figure 2).

    x + W_2 σ(W_1 x + b_1) + b_2, with σ the exact GELU. At the start W_2 and b_2 are 0, so that
    nothing changes, and W_1 and b_1 are as `nn.Linear` draws them.

    Attributes:
        down: `nn.Linear`, ``down.weight`` (width, features): W_1; ``down.bias``: b_1.
        up: `nn.Linear`, ``up.weight`` (features, width): W_2; ``up.bias``: b_2.
    """

    def __init__(
        self, features: int, width: int, *, device: torch.device | str | None = None
    ) -> None:
        """Make both layers.

        Args:
            features: D, what comes in and goes out.
            width: of the detour.
            device: where the parameters go.
        """
        super().__init__()
        self.down = nn.Linear(features, width, device=device)
        self.up = nn.Linear(width, features, device=device)
        nn.init.zeros_(self.up.weight)
        nn.init.zeros_(self.up.bias)

    def forward(self, x: Tensor) -> Tensor:
        """Add the detour.

        Args:
            x: (..., D) float.

        Returns:
            (..., D).
        """
        return x + self.up(F.gelu(self.down(x)))


# low rank


def lora_linear(x: Tensor, weight: Tensor, A: Tensor, B: Tensor, *, alpha: float) -> Tensor:
    """A linear layer with an update of low rank: x (W + (α / r) B A)ᵀ (Hu et al. 2022, eq. 3).

    The update is applied as two thin products, and the matrix B A is never made.

    Args:
        x: (..., D) float.
        weight: W, (C, D) float, the frozen weight.
        A: (r, D) float.
        B: (C, r) float.
        alpha: α; the scale is α / r, so that a larger rank does not mean a larger step.

    Returns:
        (..., C).
    """
    return F.linear(x, weight) + alpha / len(A) * F.linear(F.linear(x, A), B)


def lora_size(shapes: Mapping[str, Sequence[int]], parts: Sequence[str], rank: int) -> int:
    """How many numbers LoRA trains.

    Args:
        shapes: of all parameters, by name: ``{"layers.0.query.weight": (64, 64)}``.
        parts: names of linear layers without a dot, such as ``"query"``: each parameter that has
            two axes and whose name is ``query.weight``, or ends with ``.query.weight``, gets an
            update.
        rank: r.

    Returns:
        The entries of all A and B together; the head is not counted.
    """
    return sum(
        rank * (shape[0] + shape[1])
        for name, shape in shapes.items()
        if len(shape) == 2 and name.endswith(".weight") and name.split(".")[-2] in parts
    )


class LoRA(nn.Module):
    """A linear layer that stays as it is, and learns an update of low rank (Hu et al. 2022).

    W x + b + (α / r) B A x. At the start A is normal with variance 1/D and B is 0: nothing changes,
    and yet B has a gradient. The parameters of the wrapped layer ask for no gradient.

    Attributes:
        base: the `nn.Linear` that is wrapped, the same object, ``base.weight`` (C, D) and
            ``base.bias`` (C,) where it has one.
        A: (r, D), a parameter, where ``base.weight`` is and of its dtype.
        B: (C, r), likewise.
        merged: whether the update is part of ``base.weight`` at present. As long as it is, A and B
            have no part in what is computed.
    """

    def __init__(self, base: nn.Linear, *, rank: int, alpha: float) -> None:
        """Wrap a layer.

        Args:
            base: the layer.
            rank: r.
            alpha: α, of the scale α / r.
        """
        super().__init__()
        self.base = base.requires_grad_(False)
        outputs, inputs = base.weight.shape
        self.A = nn.Parameter(base.weight.new_empty(rank, inputs).normal_(std=inputs**-0.5))
        self.B = nn.Parameter(base.weight.new_zeros(outputs, rank))
        self.scale, self.merged = alpha / rank, False

    def forward(self, x: Tensor) -> Tensor:
        """The layer with its update, merged or not.

        Args:
            x: (..., D) float.

        Returns:
            (..., C).
        """
        if self.merged:
            return self.base(x)
        return self.base(x) + self.scale * F.linear(F.linear(x, self.A), self.B)

    def merge(self) -> None:
        """Add (α / r) B A to ``base.weight``, once: a second call changes nothing.

        From then on the layer costs as much as one that was never wrapped.
        """
        self._shift(+1, merged=True)

    def unmerge(self) -> None:
        """Take the update out of ``base.weight`` again; nothing happens where it is not in it."""
        self._shift(-1, merged=False)

    def _shift(self, sign: int, *, merged: bool) -> None:
        if self.merged != merged:
            with torch.no_grad():
                self.base.weight += sign * self.scale * self.B @ self.A
            self.merged = merged


def add_lora(
    model: nn.Module, parts: Sequence[str], *, rank: int, alpha: float
) -> dict[str, list[int]]:
    """Freeze a model, and wrap some of its linear layers in `LoRA`, in place.

    Args:
        model: its other parameters, biases among them, ask for no gradient afterwards, and nothing
            but the layers that are wrapped is added or replaced. No layer of it stands in two
            places, none that is meant is of a subclass of `nn.Linear`, and none is wrapped yet.
        parts: names such as ``"query"``: every `nn.Linear` that is called so, as an attribute of
            any module of ``model``, is wrapped, with its bias where it has one.
        rank: r.
        alpha: α.

    Returns:
        The shape of each parameter that is trained now, by name.

    Raises:
        ValueError: no layer is called so.
    """
    model.requires_grad_(False)
    found = [
        (owner, name, layer)
        for owner in model.modules()
        for name, layer in owner.named_children()
        if name in parts and isinstance(layer, nn.Linear)
    ]
    if not found:
        raise ValueError(f"no linear layer of the model is called {' or '.join(parts)}")
    for owner, name, layer in found:
        setattr(owner, name, LoRA(layer, rank=rank, alpha=alpha))
    return {name: list(p.shape) for name, p in model.named_parameters() if p.requires_grad}


# learned prompts


class Prompted(nn.Module):
    """A frozen reader of learned vectors and a text (Lester et al. 2021).

    Attributes:
        reader: `Reader`; its parameters ask for no gradient.
        prompt: (length, D), a parameter; at the start vectors of the first ``length`` tokens that
            are given.
    """

    def __init__(self, reader: Reader, start: Tensor) -> None:
        """Put a prompt before a reader.

        Args:
            reader: what reads.
            start: (P,) int64, tokens whose vectors the prompt begins with.
        """
        super().__init__()
        self.reader = reader.requires_grad_(False)
        self.prompt = nn.Parameter(reader.embed.weight.detach()[start].clone())

    def forward(self, tokens: Tensor) -> Tensor:
        """Read the text after the prompt.

        Args:
            tokens: (B, T) int64.

        Returns:
            (B, T, D), the states of the text alone.
        """
        return self.reader(tokens, prompt=self.prompt)[:, len(self.prompt) :]


class Prefix(nn.Module):
    """Learned keys and values before those of the text, in one attention (Li and Liang 2021).

    What `MultiHeadAttention` takes as a cache: positions that were there before the text, of a text
    that nobody wrote. It does not grow.

    Attributes:
        key: (heads, P, d_k), a parameter, standard normal at the start.
        value: (heads, P, d_v), a parameter, likewise.
        length: P, an int.
    """

    def __init__(
        self,
        heads: int,
        length: int,
        d_k: int,
        d_v: int,
        *,
        device: torch.device | str | None = None,
    ) -> None:
        """Draw keys and values.

        Args:
            heads: of keys and values.
            length: P.
            d_k: features of a key.
            d_v: features of a value.
            device: where the parameters go.
        """
        super().__init__()
        self.key = nn.Parameter(torch.randn(heads, length, d_k, device=device))
        self.value = nn.Parameter(torch.randn(heads, length, d_v, device=device))
        self.length = length

    def extend(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Put the learned ones first.

        Args:
            key: of the text, (..., heads, T, d_k) float.
            value: of the text, (..., heads, T, d_v) float.

        Returns:
            (..., heads, P + T, d_k) and (..., heads, P + T, d_v). The next call begins anew.
        """
        first = self.key.expand(*key.shape[:-3], -1, -1, -1)
        second = self.value.expand(*value.shape[:-3], -1, -1, -1)
        return torch.cat([first, key], dim=-2), torch.cat([second, value], dim=-2)

    def forward(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """The same as `extend`.

        Args:
            key: as there.
            value: as there.

        Returns:
            What `extend` does.
        """
        return self.extend(key, value)


# asked, and not trained


def few_shot_prompt(examples: Sequence[Sequence[str]], question: str) -> str:
    """Write solved examples and one question, in one form, for a model to go on.

    Each example is the line ``"Q: "`` and its question, then the line ``"A: "`` and its answer;
    then comes an empty line. The question at the end is followed by ``"A:"``, with nothing after
    the colon: an answer begins with its own space.

    Args:
        examples: pairs of a question and its answer; none is zero-shot.
        question: what is asked. Spaces and line ends around a question or an answer are dropped.

    Returns:
        The prompt.
    """
    solved = [f"Q: {asked.strip()}\nA: {answer.strip()}\n\n" for asked, answer in examples]
    return "".join(solved) + f"Q: {question.strip()}\nA:"


def label_scores(
    log_probs: Tensor, labels: Tensor, lengths: Tensor, *, mean: bool = False
) -> Tensor:
    """How probable each of several answers is, as a whole.

    ln p(answer) = Σ_t ln p(a_t | question, a_1, ..., a_{t-1}): all tokens of an answer count.

    Args:
        log_probs: (..., C, T, V) float: for each answer c, at t, the log-probabilities of its token
            t, given the question and the tokens of that answer before t.
        labels: (C, T) int64, the tokens of the answers, padded with any tokens.
        lengths: (C,) int64, how many tokens each has, 1 to T.
        mean: divide each sum by the length of its answer, so that long answers are not punished.

    Returns:
        (..., C), on the device of ``log_probs``.
    """
    index = labels[..., None].expand(*log_probs.shape[:-1], 1)
    found = log_probs.gather(-1, index)[..., 0]  # (..., C, T, V) -> (..., C, T)
    kept = torch.arange(labels.shape[-1], device=labels.device) < lengths[:, None]
    total = torch.where(kept, found, 0.0).sum(dim=-1)
    return total / lengths if mean else total


def calibrated(scores: Tensor, blank: Tensor) -> Tensor:
    """Take out what a model would answer to any question (Zhao et al. 2021, section 5).

    p(c | question) / p(c | nothing), shared out to sum to 1.

    Args:
        scores: (..., C) float, log-probabilities of the answers to a question, up to a constant;
            hundreds of nats may lie between them, as between those of a blank.
        blank: (C,) or (m, C) float, those to one question, or m, that say nothing, such as "N/A";
            of several, the probabilities are averaged, after each was shared out to sum to 1.

    Returns:
        (..., C), probabilities.
    """
    p = blank.log_softmax(dim=-1)
    usual = p if p.dim() == 1 else p.logsumexp(dim=0)  # ln of m times the mean, (m, C) -> (C,)
    return (scores - usual).softmax(dim=-1)


def forgotten(before: Tensor, after: Tensor) -> Tensor:
    """How much likelier a text was before a model learned something else.

    Args:
        before: (n,) float, −ln p of each token of an old text, in nats.
        after: (n,) float, the same after learning something else.

    Returns:
        (): the rise of the mean, in bits per token.
    """
    return (after - before).mean() / math.log(2)
