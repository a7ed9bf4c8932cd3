"""BERT: an encoder that predicts masked tokens, and its use for tasks with few labels.

Builds what BERT reads (pairs of texts in one row, segments, padding), its two tasks that need no
labels (masked tokens, the next sentence), the model with its heads, and a linear probe of its
layers. Weights of `transformers.BertForPreTraining` load both ways.

Ordinary tokens come first in the vocabulary: those below ``ordinary``. The special ones, such as
[PAD], [CLS], [SEP] and [MASK], are numbered after them, as `BytePairTokenizer` does.

Sources: Devlin et al. 2019, "BERT: Pre-training of Deep Bidirectional Transformers for Language
Understanding"; Taylor 1953, "Cloze Procedure"; Alain and Bengio 2016, "Understanding Intermediate
Layers Using Linear Classifier Probes".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from solutions.tokenization import BytePairTokenizer
from solutions.transformer import Config, Encoder, rename

SPECIALS = ("[PAD]", "[CLS]", "[SEP]", "[MASK]")
NOT_ASKED = -100  # the label of a position that is in no loss; torch's own choice

# a text


class Word(NamedTuple):
    """A word of the language reference, and whether it stood between quotes.

    Attributes:
        text: with its marks, without quotes.
        code: whether any of it stood between double quotes, as names and keywords do there.
    """

    text: str
    code: bool


def marked_sentences(paragraph: str) -> list[list[Word]]:
    """Take the double quotes out of a paragraph, and remember what stood between them.

    Args:
        paragraph: as `solutions.data.text` has it, one line.

    Returns:
        Its sentences, lists of words; a sentence ends with a word that ends with one of ``.;:?!``.
        None where quotes are not closed.
    """
    parts = paragraph.split('"')
    if len(parts) % 2 == 0:
        return []
    plain = "".join(parts)
    code = [place % 2 == 1 for place, part in enumerate(parts) for _ in part]
    sentences: list[list[Word]] = [[]]
    for found in re.finditer(r"\S+", plain):
        sentences[-1].append(Word(found.group(), any(code[found.start() : found.end()])))
        if found.group()[-1] in ".;:?!":
            sentences.append([])
    return [sentence for sentence in sentences if sentence]


class Sentences(NamedTuple):
    """Sentences as tokens.

    Attributes:
        tokens: a list of tokens for each sentence.
        words: for each of these tokens the place of its word in the sentence.
        code: for each sentence, of each of its words, whether it is code.
        document: (sentences,) int64, the paragraph of each sentence.
    """

    tokens: list[list[int]]
    words: list[list[int]]
    code: list[list[bool]]
    document: Tensor


def read_sentences(paragraphs: Sequence[str], tokenizer: BytePairTokenizer) -> Sentences:
    """Cut paragraphs into sentences, and sentences into tokens, word by word.

    Args:
        paragraphs: as `solutions.data.text` has them.
        tokenizer: trained; each word is encoded with a space before it.

    Returns:
        All sentences, in their order.
    """
    read = Sentences([], [], [], torch.empty(0, dtype=torch.int64))
    document = []
    for number, paragraph in enumerate(paragraphs):
        for sentence in marked_sentences(paragraph):
            pieces = [tokenizer.encode(" " + word.text) for word in sentence]
            read.tokens.append([token for piece in pieces for token in piece])
            read.words.append([place for place, piece in enumerate(pieces) for _ in piece])
            read.code.append([word.code for word in sentence])
            document.append(number)
    return read._replace(document=torch.tensor(document))


# what is read


def truncate_pair(
    first: Sequence[int], second: Sequence[int], room: int
) -> tuple[list[int], list[int]]:
    """Shorten two texts until both fit: token by token from the end of the longer one.

    Args:
        first: a list of tokens; left as it is.
        second: a list of tokens; left as it is.
        room: how many may be left in both together, 0 or more.

    Returns:
        The beginnings that are left, as two lists. Where both are equally long, the second one
        loses the next token. What fits is not shortened, and may be the list that was given.
    """
    first, second = list(first), list(second)
    while len(first) + len(second) > room:
        longer = first if len(first) > len(second) else second
        longer.pop()
    return first, second


def pack_pair(
    first: Sequence[int], second: Sequence[int] | None, *, cls: int, sep: int, longest: int
) -> list[int]:
    """Put two texts into one row: [CLS] first [SEP] second [SEP] (Devlin et al. 2019, figure 2).

    Args:
        first: a list of tokens.
        second: a list of tokens, maybe []. None if there is only one text: [CLS] first [SEP].
        cls: number of the token [CLS].
        sep: number of the token [SEP].
        longest: how long the row may be, 3 or more. A pair that is too long is shortened as by
            `truncate_pair`, a single text at its end; the special tokens stay.

    Returns:
        The row, a list.
    """
    if second is None:
        return [cls, *first[: longest - 2], sep]
    first, second = truncate_pair(first, second, longest - 3)
    return [cls, *first, sep, *second, sep]


def segment_ids(tokens: Tensor, sep: int) -> Tensor:
    """Number each token by the text of the pair that it belongs to.

    Args:
        tokens: (..., T) int64: rows of `pack_pair`, with any padding after them.
        sep: number of the token [SEP], of which a row has one or two.

    Returns:
        (..., T) int64: 1 from the token after the first [SEP] up to and including the second [SEP],
        0 everywhere else, padding included. In a row with one [SEP] all are 0.
    """
    is_sep = (tokens == sep).long()
    before = is_sep.cumsum(dim=-1) - is_sep  # [SEP]s that stand further left
    return ((before > 0) & (before < is_sep.sum(dim=-1, keepdim=True))).long()


def key_mask(tokens: Tensor, pad: int) -> Tensor:
    """Allow every query to attend to all tokens except padding.

    Args:
        tokens: (B, T) int64.
        pad: number of the token [PAD].

    Returns:
        (B, 1, T) bool, one row for all queries; True may be attended to.
    """
    return (tokens != pad)[:, None, :]


# tasks without labels


def choose_positions(
    tokens: Tensor, chance: Tensor, *, ordinary: int, share: float = 0.15
) -> Tensor:
    """Choose the tokens that a model must predict, each independently of the others.

    Args:
        tokens: (B, T) int64.
        chance: (B, T) float in [0, 1), one number for each position.
        ordinary: tokens below it may be chosen, special ones (from it on) never are.
        share: a position is chosen where its chance is below this.

    Returns:
        (B, T) bool.
    """
    return (chance < share) & (tokens < ordinary)


def corrupt(
    tokens: Tensor, chosen: Tensor, action: Tensor, draw: Tensor, *, ordinary: int, mask: int
) -> tuple[Tensor, Tensor]:
    """Replace chosen tokens, most of them by [MASK], and keep the originals as labels.

    Of those chosen 80 % become [MASK], 10 % a random ordinary token, and 10 % stay as they are
    (Devlin et al. 2019, section 3.1). The model must predict all of them.

    Args:
        tokens: (B, T) int64; left as they are.
        chosen: (B, T) bool.
        action: (B, T) float in [0, 1): below 0.8 a chosen token is masked, from 0.8 to below 0.9 it
            is replaced, from 0.9 on it stays.
        draw: (B, T) float in [0, 1): a token is replaced by token ⌊draw · ordinary⌋.
        ordinary: how many ordinary tokens there are: 0 to ordinary − 1.
        mask: number of the token [MASK].

    Returns:
        The input, (B, T) int64; and the labels, (B, T) int64: the original token where it was
        chosen, −100 everywhere else.
    """
    random = (draw * ordinary).long()
    hidden = torch.where(action < 0.8, mask, torch.where(action < 0.9, random, tokens))
    return torch.where(chosen, hidden, tokens), torch.where(chosen, tokens, NOT_ASKED)


def mask_tokens(
    tokens: Tensor,
    *,
    ordinary: int,
    mask: int,
    share: float = 0.15,
    generator: torch.Generator | None = None,
) -> tuple[Tensor, Tensor]:
    """Choose and corrupt, with numbers from a generator: the same generator gives the same masks.

    Args:
        tokens: (B, T) int64.
        ordinary: as in `choose_positions`.
        mask: number of the token [MASK].
        share: as in `choose_positions`.
        generator: on the CPU; torch's own, if None.

    Returns:
        The input and the labels, as from `corrupt`.
    """
    numbers = torch.rand(3, *tokens.shape, generator=generator).to(tokens.device)
    chance, action, draw = numbers
    chosen = choose_positions(tokens, chance, ordinary=ordinary, share=share)
    return corrupt(tokens, chosen, action, draw, ordinary=ordinary, mask=mask)


def mlm_loss(logits: Tensor, labels: Tensor) -> Tensor:
    """Mean of −ln p(label) over the positions that have a label.

    Args:
        logits: (..., V) float.
        labels: (...) int64; −100 where there is no label.

    Returns:
        (), in nats per label; 0, with gradients that are 0, if there is none, and ∞ if a label has
        probability 0.
    """
    asked = labels != NOT_ASKED
    losses = F.cross_entropy(logits[asked], labels[asked], reduction="sum")
    return losses / asked.sum().clamp(min=1)


def next_sentences(
    document: Tensor, first: Tensor, chance: Tensor, other: Tensor
) -> tuple[Tensor, Tensor]:
    """Pair sentences with the one that comes next, or with one from another document.

    Args:
        document: (sentences,) int64, the document of every sentence, in the order of the text:
            those of one document stand together.
        first: (B,) int64, sentences which are not the last of their document.
        chance: (B,) float in [0, 1): below 0.5 the next sentence is taken, from 0.5 on another.
        other: (B,) float in [0, 1): of the n sentences of all *other* documents, in their order,
            number ⌊other · n⌋ is taken.

    Returns:
        The second sentences, (B,) int64; and the labels, (B,) int64: 0 where the second follows the
        first, 1 where it comes from elsewhere. (That is how `transformers` numbers them.)

    Raises:
        ValueError: a first sentence is the last of its document, so that none follows; or there is
            only one document.
    """
    last = torch.ones_like(document, dtype=torch.bool)
    last[:-1] = document[1:] != document[:-1]
    if bool(last[first].any()):
        raise ValueError("a first sentence is the last of its document: no sentence follows it")
    same = document[first, None] == document  # (B, sentences)
    size, start = same.sum(dim=1), same.long().argmax(dim=1)
    if bool((size == len(document)).any()):
        raise ValueError("there is one document, and so no sentence from another")
    place = (other * (len(document) - size)).long()
    elsewhere = torch.where(place < start, place, place + size)  # step over the document itself
    strange = chance >= 0.5
    return torch.where(strange, elsewhere, first + 1), strange.long()


# the model


class BertEmbeddings(nn.Module):
    """Sum of three embeddings, normalized: of the token, its position and its segment.

    norm(words[token] + positions[t] + segments[segment]) (Devlin et al. 2019, figure 2), with
    positions t = 0 to T − 1 through the whole row, both texts; then dropout.

    Attributes:
        words: `nn.Embedding`, (vocabulary, embed_dim).
        positions: `nn.Embedding`, (longest, embed_dim).
        segments: `nn.Embedding`, (2, embed_dim).
        norm: `nn.LayerNorm`.
    """

    def __init__(
        self,
        vocabulary: int,
        embed_dim: int,
        *,
        longest: int,
        eps: float = 1e-12,
        dropout: float = 0.0,
        device: torch.device | str | None = None,
    ) -> None:
        """Make the three tables, which start as `nn.Embedding` draws them, and the norm.

        Args:
            vocabulary: tokens V.
            embed_dim: features D.
            longest: positions that can be told apart.
            eps: of the norm.
            dropout: chance of an entry to be dropped, in training.
            device: where the parameters go.
        """
        super().__init__()
        self.words = nn.Embedding(vocabulary, embed_dim, device=device)
        self.positions = nn.Embedding(longest, embed_dim, device=device)
        self.segments = nn.Embedding(2, embed_dim, device=device)
        self.norm = nn.LayerNorm(embed_dim, eps=eps, device=device)
        self.dropout = nn.Dropout(dropout)

    def forward(self, tokens: Tensor, segments: Tensor) -> Tensor:
        """Look up, add, normalize.

        Args:
            tokens: (B, T) int64.
            segments: (B, T) int64, 0 or 1.

        Returns:
            (B, T, D).

        Raises:
            ValueError: T is more than ``longest``.
        """
        length, longest = tokens.shape[-1], self.positions.num_embeddings
        if length > longest:
            raise ValueError(f"{length} tokens, and only {longest} positions can be told apart")
        places = self.positions.weight[:length]  # (T, D)
        return self.dropout(self.norm(self.words(tokens) + places + self.segments(segments)))


class MaskedHead(nn.Module):
    """Score every token of the vocabulary for each position.

    norm(GELU(transform(h))) · Eᵀ + bias, with the exact GELU and the table E of token embeddings
    (Devlin et al. 2019, their code).

    Attributes:
        transform: `nn.Linear`, ``transform.weight`` (embed_dim, embed_dim) and ``transform.bias``.
        norm: `nn.LayerNorm`.
        bias: the parameter (vocabulary,); zeros at the start.
    """

    def __init__(
        self,
        vocabulary: int,
        embed_dim: int,
        *,
        eps: float = 1e-12,
        device: torch.device | str | None = None,
    ) -> None:
        """Create the layers before the table; the table itself belongs to the embeddings.

        Args:
            vocabulary: tokens V.
            embed_dim: features D.
            eps: of the norm.
            device: where the parameters go.
        """
        super().__init__()
        self.transform = nn.Linear(embed_dim, embed_dim, device=device)
        self.norm = nn.LayerNorm(embed_dim, eps=eps, device=device)
        self.bias = nn.Parameter(torch.zeros(vocabulary, device=device))

    def forward(self, hidden: Tensor, table: Tensor) -> Tensor:
        """Transform, then compare with every token's vector.

        Args:
            hidden: (..., D) float.
            table: E, (V, D) float, the weight of the embedding.

        Returns:
            (..., V), logits.
        """
        return F.linear(self.norm(F.gelu(self.transform(hidden))), table, self.bias)


class Pooler(nn.Module):
    """One vector for a whole row: tanh(W h_[CLS] + b).

    Attributes:
        dense: `nn.Linear`, ``dense.weight`` (embed_dim, embed_dim) and ``dense.bias``.
    """

    def __init__(self, embed_dim: int, *, device: torch.device | str | None = None) -> None:
        """Make the layer.

        Args:
            embed_dim: features D.
            device: where the parameters go.
        """
        super().__init__()
        self.dense = nn.Linear(embed_dim, embed_dim, device=device)

    def forward(self, hidden: Tensor) -> Tensor:
        """Pool the state at [CLS], the first position.

        Args:
            hidden: (B, T, D) float, T ≥ 1.

        Returns:
            (B, D).
        """
        return torch.tanh(self.dense(hidden[:, 0]))


class BERT(nn.Module):
    """BERT: embeddings, an encoder that sees both sides, and a head for each of its two tasks.

    Encoder layers have their norms after the sums, exact GELUs, and no norm follows the last one.
    No position attends to padding. At the start all tables and the weights of linear layers are
    normal with standard deviation ``std``, biases 0, scales of norms 1.

    Attributes:
        embeddings: `BertEmbeddings`.
        encoder: `Encoder`.
        pooler: `Pooler`.
        masked: `MaskedHead`, which is given ``embeddings.words.weight``.
        next: `nn.Linear`, from D features to 2 scores: follows, or comes from elsewhere.
    """

    def __init__(
        self,
        vocabulary: int,
        *,
        embed_dim: int,
        num_heads: int,
        num_layers: int,
        hidden: int,
        longest: int,
        pad: int,
        eps: float = 1e-12,
        dropout: float = 0.0,
        std: float = 0.02,
        device: torch.device | str | None = None,
    ) -> None:
        """Make the parts.

        Args:
            vocabulary: tokens V, special ones included.
            embed_dim: features D of each position.
            num_heads: heads of each attention.
            num_layers: layers N.
            hidden: units of the feed-forward networks.
            longest: positions that can be told apart.
            pad: number of the token [PAD].
            eps: of all norms.
            dropout: chance of an entry to be dropped, in training: of the embeddings' sum after its
                norm, and of what each part of a layer adds.
            std: spread of the weights at the start; BERT's 0.02 is meant for 768 features.
            device: where the parameters go.
        """
        super().__init__()
        config = Config(
            embed_dim=embed_dim,
            num_heads=num_heads,
            num_layers=num_layers,
            hidden=hidden,
            activation="gelu",
            eps=eps,
            dropout=dropout,
            final_norm=False,
        )
        self.pad = pad
        self.embeddings = BertEmbeddings(
            vocabulary, embed_dim, longest=longest, eps=eps, dropout=dropout, device=device
        )
        self.encoder = Encoder(config, device=device)
        self.pooler = Pooler(embed_dim, device=device)
        self.masked = MaskedHead(vocabulary, embed_dim, eps=eps, device=device)
        self.next = nn.Linear(embed_dim, 2, device=device)
        for name, parameter in self.named_parameters():
            if name.endswith("bias"):
                nn.init.zeros_(parameter)
            elif "norm" not in name:
                nn.init.normal_(parameter, std=std)

    def states(self, tokens: Tensor, segments: Tensor | None = None) -> list[Tensor]:
        """Hidden states at every position, after the embeddings and after each layer.

        Args:
            tokens: (B, T) int64, padded with ``pad``.
            segments: (B, T) int64; all 0, if None.

        Returns:
            N + 1 tensors, (B, T, D) each.
        """
        x = self.embeddings(tokens, torch.zeros_like(tokens) if segments is None else segments)
        mask, found = key_mask(tokens, self.pad), [x]
        for layer in self.encoder.layers:
            found.append(layer(found[-1], mask))
        return found

    def forward(self, tokens: Tensor, segments: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Score every token at each position, and whether the second text follows the first.

        Args:
            tokens: as in `states`.
            segments: likewise.

        Returns:
            Logits of the token at each position, (B, T, V), and of the pair, (B, 2).
        """
        hidden = self.states(tokens, segments)[-1]
        return self.masked(hidden, self.embeddings.words.weight), self.next(self.pooler(hidden))

    def weights(self, tokens: Tensor, segments: Tensor | None = None) -> Tensor:
        """Attention weights of each head of each layer.

        Args:
            tokens: as in `states`.
            segments: likewise.

        Returns:
            (N, B, heads, T, T): row q of the last two axes holds the weights of query q.
        """
        mask, found = key_mask(tokens, self.pad), []
        states = self.states(tokens, segments)
        for layer, x in zip(self.encoder.layers, states, strict=False):
            found.append(layer(x, mask, need_weights=True)[1])
        return torch.stack(found)


class Tagger(nn.Module):
    """BERT with a new layer for a task: all of it is trained further, the new layer from scratch.

    It gives every position a class (Devlin et al. 2019, figure 4 d).

    Attributes:
        bert: `BERT`; its two heads are not used.
        classifier: `nn.Linear`, from D features to the classes.
    """

    def __init__(self, bert: BERT, classes: int) -> None:
        """Put the layer on top.

        Args:
            bert: pretrained, or not.
            classes: how many.
        """
        super().__init__()
        self.bert = bert
        weight = bert.next.weight
        self.classifier = nn.Linear(weight.shape[1], classes, device=weight.device)

    def forward(self, tokens: Tensor, segments: Tensor | None = None) -> Tensor:
        """Score the classes at each position.

        Args:
            tokens: (B, T) int64.
            segments: (B, T) int64; all 0, if None.

        Returns:
            (B, T, classes), logits.
        """
        return self.classifier(self.bert.states(tokens, segments)[-1])


# training


class Specials(NamedTuple):
    """Numbers of the special tokens, of which [PAD] is the first that is not ordinary."""

    pad: int
    cls: int
    sep: int
    mask: int


def padded(rows: Sequence[Sequence[int]], value: int) -> Tensor:
    """Rows of different length as one tensor.

    Args:
        rows: lists of numbers.
        value: what fills them up.

    Returns:
        (B, T) int64.
    """
    found = [torch.tensor(row, dtype=torch.int64) for row in rows]
    return nn.utils.rnn.pad_sequence(found, batch_first=True, padding_value=value)


def draw_pairs(
    sentences: Sentences, count: int, special: Specials, *, longest: int, generator: torch.Generator
) -> tuple[Tensor, Tensor, Tensor]:
    """A batch of pairs, half of them true.

    Args:
        sentences: to choose from.
        count: B.
        special: numbers of the special tokens.
        longest: of a row.
        generator: on the CPU.

    Returns:
        Tokens (B, T), segments (B, T), and the labels of `next_sentences`, (B,).
    """
    document = sentences.document
    able = (document[1:] == document[:-1]).nonzero()[:, 0]
    first = able[torch.randint(len(able), (count,), generator=generator)]
    chance, other = torch.rand(2, count, generator=generator)
    second, label = next_sentences(document, first, chance, other)
    rows = [
        pack_pair(
            sentences.tokens[a],
            sentences.tokens[b],
            cls=special.cls,
            sep=special.sep,
            longest=longest,
        )
        for a, b in zip(first.tolist(), second.tolist(), strict=True)
    ]
    tokens = padded(rows, special.pad)
    return tokens, segment_ids(tokens, special.sep), label


def pretrain(
    model: BERT,
    sentences: Sentences,
    special: Specials,
    *,
    steps: int,
    size: int = 32,
    longest: int = 48,
    share: float = 0.15,
    rate: float = 3e-3,
    seed: int = 0,
    look: Callable[[int], None] | None = None,
) -> list[tuple[float, float]]:
    """Train both tasks at once, with their losses added: AdamW, linear warm-up and linear decay.

    Args:
        model: trained in place.
        sentences: to choose from.
        special: numbers of the special tokens.
        steps: how many.
        size: pairs in a step.
        longest: of a row.
        share: of tokens that are chosen.
        rate: peak learning rate.
        seed: of pairs and masks.
        look: called with the number of steps made, after each.

    Returns:
        Both losses of every step, that of masked tokens first, in nats.
    """
    device = model.next.weight.device
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, betas=(0.9, 0.99))
    losses = []
    for step in range(steps):
        ramp = min((step + 1) / 50, 1) * (1 - step / steps)
        optimizer.param_groups[0]["lr"] = rate * ramp
        tokens, segments, label = (
            part.to(device)
            for part in draw_pairs(sentences, size, special, longest=longest, generator=generator)
        )
        read, asked = mask_tokens(
            tokens, ordinary=special.pad, mask=special.mask, share=share, generator=generator
        )
        hidden, holes = model.states(read, segments)[-1], asked != NOT_ASKED
        logits = model.masked(hidden[holes], model.embeddings.words.weight)  # at holes alone
        of_words = mlm_loss(logits, asked[holes])
        of_pairs = F.cross_entropy(model.next(model.pooler(hidden)), label)
        optimizer.zero_grad()
        (of_words + of_pairs).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append((of_words.item(), of_pairs.item()))
        if look is not None:
            look(step + 1)
    return losses


# what a layer knows


def word_vectors(hidden: Tensor, words: Tensor, count: int) -> Tensor:
    """One vector for each word: the mean over its tokens.

    Args:
        hidden: (..., T, D) float, a layer's state at each token.
        words: (..., T) int64, the word that each token is a part of, numbered through the whole
            batch from 0 on; −1 for tokens of no word: [CLS], [SEP], padding.
        count: how many words there are, 0 or more; each has a token or more.

    Returns:
        (count, D).
    """
    inside = words >= 0
    sums = hidden.new_zeros(count, hidden.shape[-1])
    sums = sums.index_add(0, words[inside], hidden[inside])
    return sums / words[inside].bincount()[:, None]


def fit_probe(
    features: Tensor, labels: Tensor, *, classes: int, decay: float = 1e-3
) -> tuple[Tensor, Tensor]:
    """A linear probe: ridge regression to one-hot labels, in closed form.

    The smallest mean over examples of ‖W x + b − y‖² + decay · ‖W‖², where y is 1 at the label and
    0 elsewhere. The bias is not penalized.

    Args:
        features: X, (n, D) float.
        labels: (n,) int64.
        classes: C, how many labels there are.
        decay: weight of the penalty, above 0.

    Returns:
        W, (C, D), and b, (C,), of the dtype of the features; the largest score wins.
    """
    target = F.one_hot(labels, classes).to(features.dtype)
    center, share = features.mean(dim=0), target.mean(dim=0)
    x = features - center
    products = x.T @ x
    products.diagonal().add_(decay * len(x))
    weight = torch.linalg.solve(products, x.T @ target).T  # (C, D); x sums to 0, so may target
    return weight, share - weight @ center


# weights of others

HUGGING_FACE = {  # in files since 2018; ``bert.`` before the first names is there or not
    "embeddings.word_embeddings": "embeddings.words",
    "embeddings.position_embeddings": "embeddings.positions",
    "embeddings.token_type_embeddings": "embeddings.segments",
    "embeddings.LayerNorm": "embeddings.norm",
    "encoder.layer.{}.attention.self.query": "encoder.layers.{}.attention.query",
    "encoder.layer.{}.attention.self.key": "encoder.layers.{}.attention.key",
    "encoder.layer.{}.attention.self.value": "encoder.layers.{}.attention.value",
    "encoder.layer.{}.attention.output.dense": "encoder.layers.{}.attention.output",
    "encoder.layer.{}.attention.output.LayerNorm": "encoder.layers.{}.attention_norm",
    "encoder.layer.{}.intermediate.dense": "encoder.layers.{}.feed_forward.up",
    "encoder.layer.{}.output.dense": "encoder.layers.{}.feed_forward.down",
    "encoder.layer.{}.output.LayerNorm": "encoder.layers.{}.feed_forward_norm",
    "pooler.dense": "pooler.dense",
    "cls.predictions.transform.dense": "masked.transform",
    "cls.predictions.transform.LayerNorm": "masked.norm",
    "cls.predictions": "masked",
    "cls.seq_relationship": "next",
}

TIED = {
    "cls.predictions.decoder.weight": "embeddings.word_embeddings.weight",
    "cls.predictions.decoder.bias": "cls.predictions.bias",
}


def from_bert(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Rename the weights of `transformers.BertForPreTraining` to those of `BERT`.

    Args:
        state: its ``state_dict()``, or what a file of its kind holds. Names may begin with
            ``bert.``, or not; norms may have ``gamma`` and ``beta``, as in the files of 2018.
            ``position_ids`` and ``token_type_ids`` are 0, 1, 2 … and zeros, and left out. So is
            the decoder under ``cls.predictions``: it is tied.

    Returns:
        The ``state_dict()`` of a `BERT`, but for parts that the file lacks: a file of the encoder
        alone has no ``masked`` and ``next``, one of the masked model no ``pooler`` and ``next``.

    Raises:
        ValueError: there are weights of other names, or the decoder has weights of its own.
    """
    kept = {}
    for name, tensor in state.items():
        name = name.removeprefix("bert.")
        name = name.replace("LayerNorm.gamma", "LayerNorm.weight")
        name = name.replace("LayerNorm.beta", "LayerNorm.bias")
        if name not in ("embeddings.position_ids", "embeddings.token_type_ids"):
            kept[name] = tensor
    for copy, original in TIED.items():
        again = kept.pop(copy, None)
        if again is not None and not torch.equal(again, kept.get(original, again)):
            raise ValueError(f"{copy} is not {original}, to which it is tied here")
    return rename(kept, HUGGING_FACE)


def to_bert(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The other way: the weights of a `BERT` under the names of `from_bert`'s model.

    Args:
        state: the ``state_dict()`` of ours.

    Returns:
        That of `transformers.BertForPreTraining`, the tied decoder included.
    """
    renamed = rename(state, {ours: theirs for theirs, ours in HUGGING_FACE.items()})
    theirs = {name if name[:4] == "cls." else f"bert.{name}": renamed[name] for name in renamed}
    theirs["cls.predictions.decoder.weight"] = theirs["bert.embeddings.word_embeddings.weight"]
    theirs["cls.predictions.decoder.bias"] = theirs["cls.predictions.bias"]
    return theirs
