"""Word vectors: a table of one vector per word, and two ways to fill it from text.

Builds the lookup and its gradient, a vocabulary, co-occurrence counts, pointwise mutual information
and its truncated SVD, skip-gram with negative sampling (SGNS), neighbors and analogies by cosine,
and the simplest vector that depends on context; further CBOW, GloVe, subwords, a measure of bias,
and a contrastive loss.

Words are numbered by frequency; number 0 is `UNKNOWN`, which stands for every word left out.

Sources: Mikolov et al. 2013, "Distributed Representations of Words and Phrases and their
Compositionality", eq. 4 and 5; Levy and Goldberg 2014, "Neural Word Embedding as Implicit Matrix
Factorization"; Levy, Goldberg and Dagan 2015, "Improving Distributional Similarity with Lessons
Learned from Word Embeddings".
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import torch
from torch import nn
from torch.nn import functional

UNKNOWN = "<unk>"


def build_vocabulary(
    sentences: list[list[str]], *, minimum: int = 1
) -> tuple[list[str], torch.Tensor]:
    """Choose the words that get a vector, and count them.

    Args:
        sentences: lists of words.
        minimum: words that occur less often have no separate entry.

    Returns:
        The words: ``UNKNOWN`` first, then by falling frequency, words of equal frequency in the
        order of `sorted` (*The* and *the* are two words); and their counts, (words,) int64. The
        first count is the number of left-out tokens, including any ``UNKNOWN`` in the text.
    """
    found = Counter(word for sentence in sentences for word in sentence)
    kept = [word for word, count in found.items() if count >= minimum and word != UNKNOWN]
    kept.sort(key=lambda word: (-found[word], word))
    counts = [found[word] for word in kept]
    return [UNKNOWN, *kept], torch.tensor([found.total() - sum(counts), *counts])


def encode(sentence: list[str], index: Mapping[str, int]) -> torch.Tensor:
    """Replace words by their numbers.

    Args:
        sentence: words.
        index: the number of each word of the vocabulary.

    Returns:
        (len(sentence),) int64; a word that has no number is 0.
    """
    return torch.tensor([index.get(word, 0) for word in sentence], dtype=torch.int64)


def one_hot(input: torch.Tensor, words: int) -> torch.Tensor:
    """Write every word as a vector that is 1 at the word's number and 0 elsewhere.

    Args:
        input: (...) int64, numbers from 0 to words − 1.
        words: V, the size of the vocabulary.

    Returns:
        (..., words), in torch's default float, on the device of ``input``.
    """
    numbers = torch.arange(words, device=input.device)
    return (input.unsqueeze(-1) == numbers).to(torch.get_default_dtype())  # (..., V)


def lookup(input: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Fetch the vector of every word: the result of one_hot(input) @ weight, without the product.

    Args:
        input: (...) int64, numbers of words; not empty.
        weight: (words, D) float, one row per word.

    Returns:
        (..., D).
    """
    return weight[input]  # (...) -> (..., D)


def lookup_gradient(input: torch.Tensor, gradient: torch.Tensor, *, words: int) -> torch.Tensor:
    """Gradient of `lookup` with respect to its table, by the formula derived by hand.

    one_hot(input)ᵀ ∂L/∂output: each vector's gradient is added to the row that it came from. Rows
    that were not looked up get zeros; a word that occurs n times gets a sum of n gradients.

    Args:
        input: (...) int64, the words that were looked up.
        gradient: ∂L/∂output, (..., D) float, finite.
        words: V, rows of the table.

    Returns:
        ∂L/∂weight, (words, D), in the dtype and on the device of the gradient.
    """
    size = gradient.shape[-1]
    rows = gradient.new_zeros(words, size)
    return rows.index_add(0, input.flatten(), gradient.reshape(-1, size))


class Embedding(nn.Module):
    """A table with one trainable vector per word, like `nn.Embedding`.

    Attributes:
        weight: parameter (num_embeddings, embedding_dim), initialized from N(0, 1); the row
            ``padding_idx`` starts as zeros and gets no gradient, whatever values it has. (A copy of
            a module loses hooks; copies are not checked.)
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        *,
        padding_idx: int | None = None,
        device: torch.device | str | None = None,
    ) -> None:
        """Make the table.

        Args:
            num_embeddings: V, the number of words.
            embedding_dim: D, the length of a vector.
            padding_idx: the number, from 0 to V − 1, of the word that pads short sequences, if any.
            device: where the table goes.
        """
        super().__init__()
        self.padding_idx = padding_idx
        self.weight = nn.Parameter(torch.randn(num_embeddings, embedding_dim, device=device))
        if padding_idx is not None:
            with torch.no_grad():
                self.weight[padding_idx] = 0.0

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Look every word up.

        Args:
            input: (...) int64, numbers of words.

        Returns:
            (..., embedding_dim).

        Raises:
            IndexError: a number is negative, or V or more. (On a GPU, as in `nn.Embedding`, a
                device assertion reports it later: a check here would have to wait for the device.)
        """
        try:  # not `lookup`, which reads row −1 as Python does: the last
            vectors = self.weight.index_select(0, input.flatten())  # (..., ) -> (n, D)
        except IndexError:
            raise IndexError(f"words have the numbers 0 to {len(self.weight) - 1}") from None
        vectors = vectors.view(*input.shape, self.weight.shape[1])  # (n, D) -> (..., D)
        if self.padding_idx is None:
            return vectors
        padding = (input == self.padding_idx).unsqueeze(-1)  # (..., 1)
        return torch.where(padding, vectors.detach(), vectors)


def neighborhood(
    length: int, window: int, *, device: torch.device | str | None = None
) -> torch.Tensor:
    """Mask of the positions that are near each position: at most ``window`` away, itself excluded.

    Args:
        length: positions T.
        window: number of positions that count on either side.
        device: where the result goes.

    Returns:
        (T, T) bool, symmetric; True where column is near row.
    """
    position = torch.arange(length, device=device)
    distance = (position[:, None] - position).abs()  # (T, T)
    return (distance > 0) & (distance <= window)


def skip_gram_pairs(sentence: torch.Tensor, window: int) -> torch.Tensor:
    """List every pair of a word and a word near it (Mikolov et al. 2013, eq. 1).

    Args:
        sentence: (T,) int64, numbers of words in their order.
        window: number of positions on either side that belong to the context; fewer at the ends.

    Returns:
        (pairs, 2) int64, rows (center, context) by the position of the center, then by that of
        the context; on the device of ``sentence``.
    """
    length = len(sentence)
    position = torch.arange(length, device=sentence.device)[:, None]
    reach = torch.arange(-window, window + 1, device=sentence.device)
    context = position + reach[reach != 0]  # (T, 1) + (2 window,) -> (T, 2 window)
    inside = (context >= 0) & (context < length)
    center = position.expand_as(context)
    return torch.stack([sentence[center[inside]], sentence[context[inside]]], dim=1)


def text_pairs(sentences: Sequence[torch.Tensor], window: int) -> torch.Tensor:
    """List the `skip_gram_pairs` of all sentences, one sentence after the other.

    Args:
        sentences: (T,) int64 each, numbers of words, none of them negative.
        window: how many positions to either side belong to the context.

    Returns:
        (pairs, 2) int64, rows (center, context); none reaches into another sentence.
    """
    apart = [functional.pad(sentence, (0, window), value=-1) for sentence in sentences]
    pairs = skip_gram_pairs(torch.cat(apart), window)  # one call is faster than one per sentence
    return pairs[(pairs >= 0).all(dim=1)]


def cooccurrence(pairs: torch.Tensor, words: int) -> torch.Tensor:
    """Count how often each word has each other word in its context.

    Args:
        pairs: (pairs, 2) int64, rows (center, context).
        words: V, the size of the vocabulary.

    Returns:
        (words, words) int64, a row per center.

    Raises:
        ValueError: a number is negative, or not below ``words``.
    """
    if ((pairs < 0) | (pairs >= words)).any():
        raise ValueError(
            f"numbers of words must lie from 0 to {words - 1}, got {int(pairs.min())} to "
            f"{int(pairs.max())}; give the size of the vocabulary that they come from"
        )
    cell = pairs[:, 0] * words + pairs[:, 1]  # numbers the cells of the matrix row by row
    return torch.bincount(cell, minlength=words * words).reshape(words, words)


def pmi(counts: torch.Tensor, *, power: float = 1.0) -> torch.Tensor:
    """Pointwise mutual information: how much more often two words co-occur than by chance, in nats.

    ln [ P(w, c) / (P(w) q(c)) ] with P(w, c) and P(w) from the counts, and q(c) proportional to
    the context's count to a power (Church and Hanks 1990; the power: Levy, Goldberg and Dagan 2015,
    sec. 3.2).

    Args:
        counts: (words, contexts), not negative, integers or not; at least one is positive. Not
            changed; of any dtype, and their sums may lie beyond its range.
        power: 1 compares with independence; below 1, PMI with rare contexts is lower.

    Returns:
        (words, contexts) in float64; −∞ for pairs that were never seen, also if one of the words
        was never seen.
    """
    counts = counts.double()
    context = counts.sum(dim=0) ** power
    expected = counts.sum(dim=1, keepdim=True) * context / context.sum()  # (V, 1), (V,) -> (V, V)
    return torch.where(counts > 0, (counts / expected).log(), -math.inf)


def ppmi(counts: torch.Tensor, *, power: float = 1.0, negatives: float = 1.0) -> torch.Tensor:
    """Shifted positive PMI: max(PMI − ln k, 0), which is 0 for pairs that were never seen.

    Levy and Goldberg 2014, sec. 4.1.

    Args:
        counts: (words, contexts), as in `pmi`.
        power: as in `pmi`.
        negatives: k; 1 for no shift.

    Returns:
        (words, contexts) in float64, in nats, not negative.
    """
    return (pmi(counts, power=power) - math.log(negatives)).clamp(min=0)


def svd_vectors(matrix: torch.Tensor, size: int, *, power: float = 0.5) -> torch.Tensor:
    """Short vectors for the rows of a matrix, by truncated singular value decomposition.

    M = U Σ Vᵀ, truncated to the ``size`` largest singular values: the rows of U Σᵖ (Levy,
    Goldberg and Dagan 2015, sec. 3.3). A singular vector's sign is arbitrary; here the entry of
    largest magnitude in each column of the result is positive.

    Args:
        matrix: (rows, columns) float. Singular values below a thousandth of the largest are not
            checked, so that eigenvectors of M Mᵀ will do.
        size: D ≤ min(rows, columns).
        power: p; with 1 the dot products are those of the rows of the best approximation of M.

    Returns:
        (rows, size), columns by falling singular value.

    Raises:
        ValueError: the matrix has no ``size`` singular values.
    """
    if size > min(matrix.shape):
        raise ValueError(f"size must be at most {min(matrix.shape)}, got {size}")
    u, s, _ = torch.linalg.svd(matrix, full_matrices=False)
    vectors = u[:, :size] * s[:size] ** power
    largest = vectors.gather(0, vectors.abs().argmax(dim=0, keepdim=True))  # (1, D)
    return vectors * largest.sign()


def nearest(vectors: torch.Tensor, word: int, *, count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Nearest neighbors of a word by cosine.

    Args:
        vectors: (words, D) float, no row zero.
        word: the number of the word, which is not among its own neighbors.
        count: how many neighbors, at most words − 1.

    Returns:
        Their numbers (count,) int64 and cosines (count,), nearest first, on the device of
        ``vectors``.

    Raises:
        ValueError: ``count`` exceeds the number of other words.
    """
    if count >= len(vectors):
        raise ValueError(f"count must be below {len(vectors)}, the number of words; got {count}")
    unit = vectors / vectors.norm(dim=1, keepdim=True)
    others = torch.arange(len(vectors), device=vectors.device) != word
    cosine = torch.where(others, unit @ unit[word], -math.inf)  # (V, D) x (D,) -> (V,)
    best = cosine.topk(count)
    return best.indices, best.values


def partner_ranks(vectors: torch.Tensor, pairs: torch.Tensor) -> torch.Tensor:
    """Rank each word's partner among the neighbors of the word.

    Args:
        vectors: (words, D) float, no row zero.
        pairs: (pairs, 2) int64, numbers of two different words each.

    Returns:
        (pairs, 2) int64: at [i, 0] the rank of the second word among the neighbors of the first
        by cosine, at [i, 1] the other way round. Rank 1 is the nearest; words exactly as near
        do not raise the rank, and the word itself has none.
    """
    unit = vectors / vectors.norm(dim=1, keepdim=True)
    cosine = unit[pairs] @ unit.T  # (P, 2, D) x (D, V) -> (P, 2, V)
    cosine = cosine.scatter(2, pairs.unsqueeze(2), -math.inf)  # no word is its own neighbor
    partner = cosine.gather(2, pairs.flip(1).unsqueeze(2))  # (P, 2, 1)
    return 1 + (cosine > partner).sum(dim=2)


def noise_distribution(counts: torch.Tensor, *, power: float = 0.75) -> torch.Tensor:
    """Distribution of the noise words: counts to a power, normalized (Mikolov et al. 2013).

    Args:
        counts: (words,), not negative, whole or not; at least one is positive. Not changed.
        power: 1 draws words as often as the text has them, 0 draws all equally often.

    Returns:
        (words,) float64; they sum to 1.
    """
    weights = counts.double() ** power
    return weights / weights.sum()


def keep_probability(counts: torch.Tensor, *, threshold: float) -> torch.Tensor:
    """Probability that an occurrence of a word is kept when frequent words are subsampled.

    min(1, √(t / f)) with f the word's share of all tokens (Mikolov et al. 2013, eq. 5, which gives
    the probability of the opposite).

    Args:
        counts: (words,), not negative, whole or not; at least one is positive. Not changed.
        threshold: t, the share of the text above which a word is subsampled.

    Returns:
        (words,) float64, from 0 to 1; 1 for a word that does not occur.
    """
    counts = counts.double()  # half precision does not hold the sum
    share = counts / counts.sum()
    return (threshold / share).sqrt().clamp(max=1)


def sgns_loss(center: torch.Tensor, context: torch.Tensor, noise: torch.Tensor) -> torch.Tensor:
    """Skip-gram loss: how badly true contexts are distinguished from noise words, in nats.

    −ln σ(u·v) − Σₖ ln σ(−uₖ·v), averaged over the pairs (Mikolov et al. 2013, eq. 4, with the sign
    reversed). Exact for products of any size.

    Args:
        center: v, (B, D) float, the vectors of the centers.
        context: u, (B, D) float, the vectors of words found near them.
        noise: uₖ, (B, negatives, D) float, the vectors of noise words.

    Returns:
        (), the loss.

    Raises:
        ValueError: the shapes do not fit, or would be broadcast.
    """
    if context.shape != center.shape or noise.shape[::2] != center.shape:
        raise ValueError(
            "center and context must be (B, D) and noise (B, negatives, D), got "
            f"{tuple(center.shape)}, {tuple(context.shape)} and {tuple(noise.shape)}"
        )
    found = (context * center).sum(dim=1)  # (B,)
    drawn = (noise * center.unsqueeze(1)).sum(dim=2)  # (B, k, D), (B, 1, D) -> (B, k)
    return (_softplus(-found) + _softplus(drawn).sum(dim=1)).mean()


def sgns_gradients(
    center: torch.Tensor, context: torch.Tensor, noise: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Gradients of `sgns_loss` by the formulas derived by hand.

    With errors e = σ(u·v) − 1 and eₖ = σ(uₖ·v): ∂L/∂v = (e u + Σₖ eₖ uₖ) / B, ∂L/∂u = e v / B and
    ∂L/∂uₖ = eₖ v / B.

    Args:
        center: v, (B, D) float.
        context: u, (B, D) float.
        noise: uₖ, (B, negatives, D) float.

    Returns:
        The gradients with respect to center, context and noise, in their shapes.
    """
    found = torch.sigmoid((context * center).sum(dim=1, keepdim=True)) - 1  # (B, 1)
    drawn = torch.sigmoid((noise * center.unsqueeze(1)).sum(dim=2, keepdim=True))  # (B, k, 1)
    slope = found * context + (drawn * noise).sum(dim=1)  # (B, D)
    batch = len(center)
    return slope / batch, found * center / batch, drawn * center.unsqueeze(1) / batch


def sgns_expected_loss(
    products: torch.Tensor, counts: torch.Tensor, noise: torch.Tensor, *, negatives: float
) -> torch.Tensor:
    """Mean of `sgns_loss` over all pairs of a text, in expectation over the noise words.

    −(1/N) Σ_wc [ #(w, c) ln σ(z_wc) + k #(w) q(c) ln σ(−z_wc) ], with #(w) = Σ_c #(w, c) and N the
    number of pairs. It is smallest at z_wc = ln [ #(w, c) / (k #(w) q(c)) ] (Levy and Goldberg
    2014, sec. 3.1). Exact for products of any size.

    Args:
        products: z, (words, contexts) float, finite: dot products u_c · v_w.
        counts: #(w, c), (words, contexts), not negative, whole or not; at least one is positive.
        noise: q, (contexts,) float, the probability of each noise word.
        negatives: k, noise words per pair.

    Returns:
        (), the loss in nats per pair.
    """
    expected = negatives * counts.sum(dim=1, keepdim=True) * noise  # (V, 1) x (V,) -> (V, V)
    return (counts * _softplus(-products) + expected * _softplus(products)).sum() / counts.sum()


class SkipGram(nn.Module):
    """Skip-gram with negative sampling: two vectors per word, one as center, one as context.

    Attributes:
        center: `Embedding` (words, size), so its parameter is ``center.weight``.
        context: `Embedding` (words, size), with ``context.weight``; zeros at first, so that a new
            model gives every pair probability ½.
    """

    def __init__(self, words: int, size: int, *, device: torch.device | str | None = None) -> None:
        """Make the two tables.

        Args:
            words: V, the size of the vocabulary.
            size: D, the length of a vector.
            device: where the tables go.
        """
        super().__init__()
        self.center = Embedding(words, size, device=device)
        self.context = Embedding(words, size, device=device)
        nn.init.zeros_(self.context.weight)

    def forward(
        self, center: torch.Tensor, context: torch.Tensor, noise: torch.Tensor
    ) -> torch.Tensor:
        """Compute the loss on pairs of words and the noise drawn for them.

        Args:
            center: (B,) int64.
            context: (B,) int64, words found near the centers.
            noise: (B, negatives) int64.

        Returns:
            (), `sgns_loss` of their vectors.
        """
        return sgns_loss(self.center(center), self.context(context), self.context(noise))


def train_skip_gram(
    sentences: list[torch.Tensor],
    counts: torch.Tensor,
    *,
    size: int = 50,
    window: int = 5,
    negatives: int = 5,
    threshold: float = 1e-4,
    epochs: int = 20,
    batch_size: int = 1024,
    learning_rate: float = 0.01,
    seed: int = 0,
) -> tuple[SkipGram, torch.Tensor]:
    """Fit `SkipGram` with Adam. All random choices of an epoch are made before its first step.

    Center vectors start small, uniform between −0.5/D and 0.5/D.

    Args:
        sentences: (T,) int64 each, numbers of words.
        counts: (words,) int64, how often each occurs.
        size: D.
        window: positions on either side, counted after subsampling.
        negatives: noise words per pair.
        threshold: of `keep_probability`.
        epochs: passes over the text.
        batch_size: pairs per step.
        learning_rate: of Adam, per step.
        seed: of all random choices; a seed gives the same vectors on all machines of one kind.

    Returns:
        The model, on the device of ``counts``, and the mean loss of each epoch (epochs,).
    """
    device, draw = counts.device, torch.Generator().manual_seed(seed)
    model = SkipGram(len(counts), size, device=device)
    with torch.no_grad():
        start = (torch.rand(len(counts), size, generator=draw) - 0.5) / size
        model.center.weight.copy_(start)
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate, fused=True)
    counts = counts.cpu()  # the dice are thrown there, the same on every device
    keep = keep_probability(counts, threshold=threshold)
    noise_words = noise_distribution(counts)
    sentences = [sentence.cpu() for sentence in sentences]
    history = torch.zeros(epochs)
    for epoch in range(epochs):
        thinned = [s[torch.rand(len(s), generator=draw) < keep[s]] for s in sentences]
        pairs = text_pairs(thinned, window)
        pairs = pairs[torch.randperm(len(pairs), generator=draw)]
        noise = noise_words.multinomial(len(pairs) * negatives, replacement=True, generator=draw)
        noise = noise.reshape(-1, negatives)
        batches = zip(
            pairs.to(device).split(batch_size), noise.to(device).split(batch_size), strict=True
        )
        for batch, drawn in batches:
            loss = model(batch[:, 0], batch[:, 1], drawn)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            history[epoch] += loss.item() * len(batch) / len(pairs)
    return model, history


def analogy(
    vectors: torch.Tensor, question: torch.Tensor, *, count: int = 1
) -> tuple[torch.Tensor, torch.Tensor]:
    """Answer "a is to b as c is to …" by an offset (Mikolov, Yih and Zweig 2013).

    The words whose vectors have the largest cosines with b − a + c, all vectors scaled to length 1
    before they are added; a, b and c themselves are excluded.

    Args:
        vectors: (words, D) float, no row zero.
        question: (3,) int64, the numbers of a, b and c.
        count: how many answers, at most words − 3.

    Returns:
        Their numbers (count,) int64 and cosines (count,), best first.
    """
    unit = vectors / vectors.norm(dim=1, keepdim=True)
    a, b, c = unit[question]
    target = b - a + c
    cosine = unit @ target / target.norm()  # (V, D) x (D,) -> (V,)
    best = cosine.index_fill(0, question, -math.inf).topk(count)
    return best.indices, best.values


def neighbor_mean(sentence: torch.Tensor, vectors: torch.Tensor, *, window: int) -> torch.Tensor:
    """A vector per position that depends on the sentence: the mean of the words around it.

    Args:
        sentence: (T,) int64, numbers of words, one or more.
        vectors: (words, D) float, finite. The checks allow the rounding that a far larger vector
            causes in other means: differences of running sums are accepted.
        window: number of positions that count on either side; the position itself does not.

    Returns:
        (T, D), in the dtype and on the device of the vectors; zeros for a word that has no
        neighbor.
    """
    near = neighborhood(len(sentence), window, device=sentence.device).to(vectors.dtype)
    number = near.sum(dim=1, keepdim=True)  # (T, 1)
    return near @ lookup(sentence, vectors) / number.clamp(min=1)  # (T, T) x (T, D) -> (T, D)


def cbow_loss(
    sentence: torch.Tensor,
    noise: torch.Tensor,
    *,
    vectors: torch.Tensor,
    outputs: torch.Tensor,
    window: int,
) -> torch.Tensor:
    """Loss of continuous bag of words: predict each word from the mean of its neighbors, in nats.

    The reverse of skip-gram (Mikolov et al. 2013, "Efficient Estimation of Word Representations in
    Vector Space"): `sgns_loss`, with the mean of the words around a position as the center, and the
    word at that position as the context.

    Args:
        sentence: (T,) int64, numbers of words in their order.
        noise: (T, negatives) int64, words drawn for each position.
        vectors: (words, D) float, the vectors of the words as neighbors.
        outputs: (words, D) float, the vectors of the words as predictions.
        window: number of positions averaged on either side, fewer at the ends; the position itself
            is not averaged. A word without neighbors is predicted from zeros.

    Returns:
        (), a mean over the positions.
    """
    guess = neighbor_mean(sentence, vectors, window=window)  # (T, D)
    return sgns_loss(guess, lookup(sentence, outputs), lookup(noise, outputs))


def glove_loss(
    products: torch.Tensor, counts: torch.Tensor, *, limit: float = 100.0, power: float = 0.75
) -> torch.Tensor:
    """GloVe: weighted squared distance between products of vectors and logarithms of counts.

    Σ_wc f(#(w, c)) (z_wc − ln #(w, c))² over the cells that were seen, with f(n) =
    (n / limit)^power below the limit and 1 from there on (Pennington, Socher and Manning 2014,
    eq. 8 and 9).

    Args:
        products: z, (words, contexts) float, u_c · v_w and the biases of both.
        counts: #(w, c), (words, contexts), not negative, whole or not.
        limit: the count from which on all cells have the same weight.
        power: how fast the weight grows below.

    Returns:
        (), a sum over the cells; cells never seen add nothing and get a gradient of 0, even if
        their product is infinite.
    """
    counts = counts.to(products.dtype)
    weight = (counts / limit).clamp(max=1) ** power
    distance = torch.where(counts > 0, products - counts.log(), 0.0)  # not 0 · ∞, which is NaN
    return (weight * distance.square()).sum()


def subwords(word: str, *, shortest: int = 3, longest: int = 6) -> list[str]:
    """Pieces of a word, whose vectors fastText adds up (Bojanowski et al. 2017, sec. 3.2).

    The word is put in angle brackets, so that its ends are distinguished from its middle, and cut
    into all runs of ``shortest`` to ``longest`` letters, the brackets included: *where* has the
    pieces <wh, whe, her, ere, re> of three letters. The whole <where> is a piece too.

    Args:
        word: without brackets.
        shortest: letters of the shortest piece.
        longest: letters of the longest, at least as many.

    Returns:
        The pieces by length, then by position, each listed once, at its first position; at the end
        the whole word in its brackets, unless it is among them already.
    """
    marked = f"<{word}>"
    pieces = [
        marked[start : start + length]
        for length in range(shortest, longest + 1)
        for start in range(len(marked) - length + 1)
    ]
    return list(dict.fromkeys([*pieces, marked]))


def association(
    vectors: torch.Tensor, words: torch.Tensor, first: torch.Tensor, second: torch.Tensor
) -> torch.Tensor:
    """Association of words with one of two groups, as tests of bias in vectors measure it.

    Mean cosine with the words of the first group minus mean cosine with those of the second
    (Caliskan, Bryson and Narayanan 2017).

    Args:
        vectors: (rows, D) float, no row zero.
        words: (n,) int64, the words to measure.
        first: (a,) int64, the first group; one or more.
        second: (b,) int64, the second group; one or more.

    Returns:
        (n,), from −2 to 2; positive if a word is nearer to the first group.
    """
    unit = vectors / vectors.norm(dim=1, keepdim=True)
    directions = unit[first].mean(dim=0) - unit[second].mean(dim=0)  # (D,)
    return unit[words] @ directions


def info_nce(
    first: torch.Tensor, second: torch.Tensor, *, temperature: float = 0.1
) -> torch.Tensor:
    """Contrastive loss: find the partner of each vector in the whole batch, in nats.

    The cross-entropy of the cosines divided by τ, with row i of ``second`` as the right answer for
    row i of ``first``; all other rows of ``second`` are the noise (van den Oord, Li and Vinyals
    2018, eq. 4; with cosines and τ: Chen et al. 2020, eq. 1, one direction).

    Args:
        first: (B, D) float, no row zero.
        second: (B, D) float, no row zero, its partners in the same order.
        temperature: τ > 0; the smaller τ, the more the nearest rivals count.

    Returns:
        (), a mean over the batch.

    Raises:
        ValueError: the shapes differ.
    """
    if first.shape != second.shape:
        raise ValueError(
            f"each vector needs one partner, got {tuple(first.shape)} and {tuple(second.shape)}"
        )
    one, other = (rows / rows.norm(dim=1, keepdim=True) for rows in (first, second))
    scores = one @ other.T / temperature  # (B, D) x (D, B) -> (B, B)
    return (scores.logsumexp(dim=1) - scores.diagonal()).mean()


def _softplus(input: torch.Tensor) -> torch.Tensor:
    """ln(1 + eˣ) = −ln σ(−x), for numbers of any size."""
    return torch.logaddexp(input, torch.zeros_like(input))
