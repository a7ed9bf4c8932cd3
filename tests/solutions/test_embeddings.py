"""`solutions.embeddings` against torch.nn, finite differences, scikit-learn and brute force."""

import math
from collections import Counter

import pytest
import torch
from draws import assert_equal, draw
from sklearn.metrics.pairwise import cosine_similarity
from torch import nn
from torch.autograd import gradcheck
from torch.nn import functional as F

from solutions.embeddings import (
    UNKNOWN,
    Embedding,
    SkipGram,
    analogy,
    association,
    build_vocabulary,
    cbow_loss,
    cooccurrence,
    encode,
    glove_loss,
    info_nce,
    keep_probability,
    lookup,
    lookup_gradient,
    nearest,
    neighbor_mean,
    neighborhood,
    noise_distribution,
    one_hot,
    partner_ranks,
    pmi,
    ppmi,
    sgns_expected_loss,
    sgns_gradients,
    sgns_loss,
    skip_gram_pairs,
    subwords,
    svd_vectors,
    text_pairs,
    train_skip_gram,
)

B, K, D, V = 11, 3, 5, 17


def words(rng, *shape, count=V):
    return torch.randint(count, shape, generator=rng)


# the table


@pytest.mark.parametrize("lead", [(), (B,), (2, 3)])
def test_lookup_is_a_product_with_one_hot_vectors(rng, lead):
    input, weight = words(rng, *lead), draw(rng, V, D)
    assert torch.equal(one_hot(input, V), F.one_hot(input, V).to(torch.get_default_dtype()))
    assert torch.equal(lookup(input, weight), F.embedding(input, weight))
    assert_equal(one_hot(input, V).double() @ weight, lookup(input, weight))


@pytest.mark.parametrize("lead", [(), (B,), (2, 3)])
def test_lookup_gradient_is_that_of_autograd_and_of_a_sparse_table(rng, lead):
    input, weight = words(rng, *lead, count=5), draw(rng, V, D).requires_grad_()  # words repeat
    gradient = draw(rng, *lead, D)
    got = lookup_gradient(input, gradient, words=V)
    (dense,) = torch.autograd.grad(lookup(input, weight), weight, gradient)
    (sparse,) = torch.autograd.grad(F.embedding(input, weight, sparse=True), weight, gradient)
    assert sparse.is_sparse
    assert_equal(got, dense)
    assert_equal(got, sparse.to_dense())
    assert got[5:].count_nonzero() == 0


@pytest.mark.parametrize("padding_idx", [None, 0, 7])
def test_embedding_is_that_of_torch(rng, padding_idx):
    ours = Embedding(V, D, padding_idx=padding_idx)
    theirs = nn.Embedding(V, D, padding_idx=padding_idx)
    assert ours.weight.shape == theirs.weight.shape
    zero_rows = (ours.weight == 0).all(dim=1).nonzero().flatten().tolist()
    assert zero_rows == ([] if padding_idx is None else [padding_idx])
    ours, theirs = ours.double(), theirs.double()
    state = {"weight": draw(rng, V, D)}  # the padding row is not zeros here
    theirs.load_state_dict(state)
    ours.load_state_dict(theirs.state_dict())
    theirs.load_state_dict(ours.state_dict())
    input, weights = (
        torch.cat([words(rng, 2, B), torch.full((2, 1), 7)], dim=1),
        draw(rng, 2, 12, D),
    )
    assert torch.equal(ours(input), theirs(input))
    for table in (ours, theirs):
        (table(input) * weights).sum().backward()
    assert_equal(ours.weight.grad, theirs.weight.grad)
    assert (ours.weight.grad[7] == 0).all() == (padding_idx == 7)
    for number in (-1, V):
        with pytest.raises(IndexError, match=f"the numbers 0 to {V - 1}"):
            ours(torch.tensor([[0, number]]))
        with pytest.raises(IndexError):
            theirs(torch.tensor([[0, number]]))
    compiled = torch.compile(ours, backend="aot_eager", fullgraph=True)
    assert torch.equal(compiled(input), theirs(input))


# words and counts

TEXT = ["a b a c", "b a d", "e", "c a b b c"]


def test_vocabulary():
    text = [line.split() for line in TEXT]
    vocabulary, counts = build_vocabulary(text)
    assert vocabulary == [UNKNOWN, "a", "b", "c", "d", "e"]
    assert counts.tolist() == [0, 4, 4, 3, 1, 1]
    vocabulary, counts = build_vocabulary(text, minimum=3)
    assert vocabulary == [UNKNOWN, "a", "b", "c"]
    assert counts.tolist() == [2, 4, 4, 3]
    index = {word: number for number, word in enumerate(vocabulary)}
    assert encode(["c", "zebra", "a"], index).tolist() == [3, 0, 1]
    assert encode([], index).dtype == torch.int64


def test_unknown_words_of_a_text_are_left_out_ones():
    vocabulary, counts = build_vocabulary([["a", UNKNOWN, "a"], [UNKNOWN, "b"]], minimum=2)
    assert vocabulary == [UNKNOWN, "a"]
    assert counts.tolist() == [3, 2]


@pytest.mark.parametrize("window", [1, 2, 7])
def test_pairs_are_those_of_two_loops(rng, window):
    sentence = words(rng, 6)
    expected = [
        [sentence[i].item(), sentence[j].item()]
        for i in range(6)
        for j in range(6)
        if i != j and abs(i - j) <= window
    ]
    pairs = skip_gram_pairs(sentence, window)
    assert pairs.tolist() == expected
    found = Counter(map(tuple, expected))
    counts = cooccurrence(pairs, V)
    assert counts.sum() == len(expected)
    assert all(counts[pair] == number for pair, number in found.items())
    assert torch.equal(counts, counts.T)  # windows are symmetric


def test_pairs_of_a_text_stay_inside_its_sentences():
    sentences = [torch.tensor(ids) for ids in ([0, 3, 1, 0], [2], [5, 4], [1, 1, 6, 0, 2])]
    for window in (1, 2, 7):
        expected = torch.cat([skip_gram_pairs(sentence, window) for sentence in sentences])
        assert torch.equal(text_pairs(sentences, window), expected)


def test_one_word_has_no_pairs():
    assert skip_gram_pairs(torch.tensor([3]), 2).shape == (0, 2)
    assert cooccurrence(torch.zeros(0, 2, dtype=torch.int64), 3).tolist() == [[0] * 3] * 3
    assert neighborhood(3, 1).tolist() == [
        [False, True, False],
        [True, False, True],
        [False, True, False],
    ]


@pytest.mark.parametrize("power", [1.0, 0.75])
def test_pmi_is_the_ratio_of_probabilities(rng, power):
    counts = words(rng, 5, 7, count=4)
    counts[2], counts[:, 3] = 0, 0  # a word and a context that were never seen
    total = counts.sum().item()
    smoothed = [counts[:, c].sum().item() ** power for c in range(7)]
    got = pmi(counts, power=power)
    for w in range(5):
        for c in range(7):
            if counts[w, c] == 0:
                assert got[w, c] == -math.inf
                continue
            chance = counts[w].sum().item() / total * smoothed[c] / sum(smoothed)
            expected = math.log(counts[w, c].item() / total / chance)
            assert got[w, c].item() == pytest.approx(expected, rel=1e-12, abs=1e-14)
    shifted = ppmi(counts, power=power, negatives=2)
    assert_equal(shifted, (got - math.log(2)).clamp(min=0))
    assert shifted.isfinite().all()
    assert (shifted == 0).any()
    assert (shifted > 0).any()


def test_svd_vectors(rng):
    matrix = draw(rng, V, 13)
    vectors = svd_vectors(matrix, D, power=1.0)
    u, s, vh = torch.linalg.svd(matrix)
    best = u[:, :D] @ torch.diag(s[:D]) @ vh[:D]  # the best approximation of that rank
    torch.testing.assert_close(vectors @ vectors.T, best @ best.T, rtol=1e-10, atol=1e-10)
    half = svd_vectors(-matrix, D)
    torch.testing.assert_close(half.square().sum(dim=0), s[:D], rtol=1e-10, atol=1e-10)
    assert (half.amax(dim=0) == half.abs().amax(dim=0)).all()
    torch.testing.assert_close(half, svd_vectors(matrix, D), rtol=1e-9, atol=1e-9)


# neighbors


def test_neighbors_are_those_of_scikit_learn(rng):
    vectors = draw(rng, V, D) + 1  # of different lengths
    similar = torch.tensor(cosine_similarity(vectors.numpy()))
    similar.fill_diagonal_(-2)
    indices, cosines = nearest(vectors, 4, count=6)
    expected = similar[4].topk(6)
    assert torch.equal(indices, expected.indices)
    assert_equal(cosines, expected.values)
    pairs = torch.tensor([[4, 2], [0, 16], [11, 3]])
    order = similar.argsort(dim=1, descending=True)
    expected = [
        [1 + order[a].tolist().index(b), 1 + order[b].tolist().index(a)] for a, b in pairs.tolist()
    ]
    assert partner_ranks(vectors, pairs).tolist() == expected


def test_analogy(rng):
    vectors = draw(rng, V, D)
    unit = F.normalize(vectors, dim=1)
    vectors[9] = 7 * (unit[2] - unit[1] + unit[3])
    numbers, cosines = analogy(vectors, torch.tensor([1, 2, 3]), count=4)
    assert numbers[0] == 9
    assert_equal(cosines[0], torch.tensor(1.0).double())
    target = (unit[2] - unit[1] + unit[3]).numpy()[None]
    similar = torch.tensor(cosine_similarity(target, vectors.numpy()))[0]
    expected = [word for word in similar.argsort(descending=True).tolist() if word not in (1, 2, 3)]
    assert numbers.tolist() == expected[:4]
    assert_equal(cosines, similar[numbers])


def test_neighbor_mean(rng):
    sentence, vectors = words(rng, 7), draw(rng, V, D)
    got = neighbor_mean(sentence, vectors, window=2)
    for i in range(7):
        near = [sentence[j] for j in range(7) if j != i and abs(i - j) <= 2]
        assert_equal(got[i], torch.stack([vectors[word] for word in near]).mean(dim=0))
    assert neighbor_mean(sentence[:1], vectors, window=2).count_nonzero() == 0


# skip-gram with negative sampling


def test_distributions():
    counts = torch.tensor([16, 81, 0, 1])
    assert_equal(noise_distribution(counts), torch.tensor([8.0, 27, 0, 1]).double() / 36)
    counts = torch.tensor([60, 30, 0, 10])
    assert_equal(
        keep_probability(counts, threshold=0.15),
        torch.tensor([0.5, math.sqrt(0.5), 1, 1], dtype=torch.float64),
    )


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_sgns_loss_is_a_sum_of_binary_cross_entropies(rng, scale):
    center, context, noise = draw(rng, B, D, scale=scale), draw(rng, B, D), draw(rng, B, K, D)
    rows = torch.cat([context[:, None], noise], dim=1)  # (B, 1 + K, D)
    target = torch.zeros(B, 1 + K, dtype=torch.float64)
    target[:, 0] = 1
    logits = torch.einsum("bkd,bd->bk", rows, center)
    expected = F.binary_cross_entropy_with_logits(logits, target, reduction="sum") / B
    assert_equal(sgns_loss(center, context, noise), expected)


def test_sgns_gradients_are_those_of_autograd(rng):
    inputs = [x.requires_grad_() for x in (draw(rng, B, D), draw(rng, B, D), draw(rng, B, K, D))]
    assert gradcheck(sgns_loss, inputs)
    slopes = torch.autograd.grad(sgns_loss(*inputs), inputs)
    for got, expected in zip(sgns_gradients(*(x.detach() for x in inputs)), slopes, strict=True):
        assert_equal(got, expected)


def test_expected_loss_is_the_mean_over_all_pairs_and_all_noise(rng):
    counts, center, context = words(rng, 3, 4, count=5), draw(rng, 3, D), draw(rng, 4, D)
    noise = noise_distribution(torch.tensor([5, 1, 2, 9]))
    total = 0.0
    for w in range(3):
        for c in range(4):
            drawn = [
                noise[n] * 2 * -F.logsigmoid(-center[w] @ context[n]) for n in range(4)
            ]  # two noise words
            total += counts[w, c] * (-F.logsigmoid(center[w] @ context[c]) + sum(drawn))
    got = sgns_expected_loss(center @ context.T, counts, noise, negatives=2)
    assert_equal(got, total / counts.sum())


def test_expected_loss_is_least_at_the_shifted_pmi(rng):
    counts = 1 + words(rng, 5, 7, count=9)
    noise = counts.sum(dim=0).double() ** 0.75
    noise = noise / noise.sum()
    best = (pmi(counts, power=0.75) - math.log(3)).requires_grad_()
    loss = sgns_expected_loss(best, counts, noise, negatives=3)
    (slope,) = torch.autograd.grad(loss, best)
    assert slope.abs().max() < 1e-15
    other = best.detach() + draw(rng, 5, 7, scale=0.1)
    assert sgns_expected_loss(other, counts, noise, negatives=3) > loss


def test_skip_gram_starts_without_an_opinion(rng):
    model = SkipGram(V, D)
    assert {name: tuple(p.shape) for name, p in model.named_parameters()} == {
        "center.weight": (V, D),
        "context.weight": (V, D),
    }
    assert model.context.weight.count_nonzero() == 0
    assert model.center.weight.count_nonzero() == V * D
    loss = model(words(rng, B), words(rng, B), words(rng, B, K))
    assert loss.item() == pytest.approx((1 + K) * math.log(2), rel=1e-6)


def test_shapes_are_checked(rng):
    with pytest.raises(ValueError, match=r"noise \(B, negatives, D\), got \(11, 5\)"):
        sgns_loss(draw(rng, B, D), draw(rng, B, D), draw(rng, 1, K, D))
    with pytest.raises(ValueError, match="at most 5, got 6"):
        svd_vectors(draw(rng, V, D), 6)
    with pytest.raises(ValueError, match="below 17"):
        nearest(draw(rng, V, D), 0, count=V)


def test_skip_gram_uses_both_tables(rng):
    model = SkipGram(V, D).double()
    nn.init.normal_(model.context.weight, generator=rng)
    center, context, noise = words(rng, B), words(rng, B), words(rng, B, K)
    v, u = model.center.weight, model.context.weight
    assert_equal(model(center, context, noise), sgns_loss(v[center], u[context], u[noise]))


def test_numbers_beyond_the_vocabulary_are_refused():
    for pair in ([0, 4], [4, 0], [-1, 2]):
        with pytest.raises(ValueError, match="from 0 to 3"):
            cooccurrence(torch.tensor([[0, 1], pair]), 4)


def test_cbow_is_skip_gram_from_the_mean_of_the_neighbors(rng):
    vectors, outputs = draw(rng, V, D).requires_grad_(), draw(rng, V, D).requires_grad_()
    sentence, noise = words(rng, 11), words(rng, 11, 3)
    loss = cbow_loss(sentence, noise, vectors=vectors, outputs=outputs, window=2)
    scores, answers = [], []
    for t in range(11):
        around = [sentence[j] for j in range(max(t - 2, 0), min(t + 3, 11)) if j != t]
        guess = vectors[torch.stack(around)].mean(0)
        scores += [outputs[sentence[t]] @ guess, *(outputs[n] @ guess for n in noise[t])]
        answers += [1.0, 0.0, 0.0, 0.0]
    answers = torch.tensor(answers, dtype=vectors.dtype)
    expected = F.binary_cross_entropy_with_logits(torch.stack(scores), answers, reduction="sum")
    assert_equal(loss, expected / 11)
    for got, wanted in zip(
        torch.autograd.grad(loss, (vectors, outputs)),
        torch.autograd.grad(expected / 11, (vectors, outputs)),
        strict=True,
    ):
        assert_equal(got, wanted)


def test_glove_is_least_at_the_logarithms_of_the_counts(rng):
    counts = torch.tensor([[0, 1, 200], [7, 0, 100]])
    products = draw(rng, 2, 3).requires_grad_()
    loss = glove_loss(products, counts)
    weight = torch.tensor([[0, 0.01**0.75, 1], [0.07**0.75, 0, 1]]).double()
    logarithm = torch.tensor([[0, 0, math.log(200)], [math.log(7), 0, math.log(100)]]).double()
    torch.testing.assert_close(loss, (weight * (products - logarithm) ** 2).sum())
    (slope,) = torch.autograd.grad(loss, products)
    assert not slope[counts == 0].any()
    assert slope[counts > 0].all()
    assert glove_loss(logarithm, counts) < 1e-12


def test_glove_leaves_infinite_products_out_where_nothing_was_seen():
    counts = torch.tensor([[3.0, 0.0, 0.0]])
    products = torch.tensor([[1.0, math.inf, -math.inf]], requires_grad=True)
    loss = glove_loss(products, counts)
    assert loss == glove_loss(products[:, :1], counts[:, :1])
    (slope,) = torch.autograd.grad(loss, products)
    assert slope[0, 0] != 0
    assert slope[0, 1:].tolist() == [0, 0]


def test_glove_of_counts_below_one():
    """Where a neighbor n positions away counts 1 / n."""
    counts = torch.tensor([[0.5, 0.0, 1 / 3]], dtype=torch.float64)
    products = torch.where(counts > 0, counts, 1.0).log()
    assert glove_loss(products, counts) == 0
    assert glove_loss(products + 1, counts) > 0.01


def test_subwords_are_those_of_the_paper():
    assert subwords("where", longest=3) == ["<wh", "whe", "her", "ere", "re>", "<where>"]
    assert subwords("a") == ["<a>"]
    assert subwords("aaa", shortest=2, longest=2) == ["<a", "aa", "a>", "<aaa>"]


def test_association_is_a_difference_of_mean_cosines(rng):
    vectors = draw(rng, V, D)
    asked, first, second = torch.tensor([0, 3]), torch.tensor([1, 2, 4]), torch.tensor([5, 6])
    cosine = F.cosine_similarity(vectors[:, None], vectors, dim=2)
    expected = cosine[asked][:, first].mean(1) - cosine[asked][:, second].mean(1)
    assert_equal(association(vectors, asked, first, second), expected)


def test_info_nce_is_a_cross_entropy_over_the_batch(rng):
    first, second = draw(rng, B, D), draw(rng, B, D)
    scores = F.normalize(first) @ F.normalize(second).T / 0.3
    expected = F.cross_entropy(scores, torch.arange(B))
    assert_equal(info_nce(first, second, temperature=0.3), expected)
    assert_equal(info_nce(7 * first, second / 3, temperature=0.3), expected)
    with pytest.raises(ValueError, match="one partner"):
        info_nce(first, second[1:])


def make_text(rng, device="cpu"):
    """Sentences in which words 1 and 2 keep the same company, and so do 3 and 4."""
    first = torch.randint(1, 3, (150,), generator=rng)
    second = torch.randint(3, 5, (150,), generator=rng)
    sides = [torch.randint(low, low + 4, (150, 2), generator=rng) for low in (5, 9)]
    rows = [
        torch.stack([side[:, 0], word, side[:, 1]], dim=1)
        for side, word in zip(sides, (first, second), strict=True)
    ]
    text = torch.cat(rows)
    return list(text.to(device)), torch.bincount(text.flatten(), minlength=13).to(device)


OPTIONS = {"size": 7, "window": 1, "negatives": 3, "threshold": 1.0, "batch_size": 64}


def test_training_finds_words_that_keep_the_same_company(rng):
    sentences, counts = make_text(rng)
    model, history = train_skip_gram(sentences, counts, epochs=12, **OPTIONS)
    assert history.shape == (12,)
    assert history[-1] < history[0] < 4 * math.log(2) + 0.01
    vectors = model.center.weight.detach()[1:]  # word 0 does not occur
    assert partner_ranks(vectors, torch.tensor([[0, 1], [2, 3]])).tolist() == [[1, 1], [1, 1]]
    again, _ = train_skip_gram(sentences, counts, epochs=12, **OPTIONS)
    assert torch.equal(model.center.weight, again.center.weight)
    other, _ = train_skip_gram(sentences, counts, epochs=12, seed=1, **OPTIONS)
    assert not torch.equal(model.center.weight, other.center.weight)


@pytest.mark.cuda
def test_on_cuda(rng):
    sentences, counts = make_text(rng, "cuda")
    model, _ = train_skip_gram(sentences, counts, epochs=2, **OPTIONS)
    reference, _ = train_skip_gram([s.cpu() for s in sentences], counts.cpu(), epochs=2, **OPTIONS)
    assert model.center.weight.is_cuda
    # float32 sums in another order, and two epochs in which the differences grow
    torch.testing.assert_close(
        model.center.weight.cpu(), reference.center.weight, rtol=1e-2, atol=1e-3
    )
    pairs = torch.cat([skip_gram_pairs(sentence, 1) for sentence in sentences])
    matrix = ppmi(cooccurrence(pairs, 13))
    assert svd_vectors(matrix, 3).is_cuda
    assert nearest(model.center.weight.detach(), 1, count=3)[0].is_cuda
    assert partner_ranks(model.center.weight.detach(), torch.tensor([[1, 2]]).cuda()).is_cuda
    assert neighbor_mean(sentences[0], matrix, window=1).is_cuda
    assert lookup_gradient(sentences[0], matrix[:3], words=13).is_cuda
    assert one_hot(sentences[0], 13).is_cuda
