"""`solutions.attention` against torch's own, autograd, and sums by hand."""

import itertools
import math

import draws
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from solutions.attention import (
    KINDS,
    AttendingDecoder,
    Attention,
    additive_score,
    agreement,
    attend,
    attend_backward,
    attention_block,
    coverage_penalty,
    date_alignment,
    date_tokens,
    dot_score,
    general_score,
    hard_gradient,
    masked_softmax,
)
from solutions.data import dates
from solutions.seq2seq import EncoderDecoder, RecurrentEncoder, greedy, shift_right

B, Q, K, D_Q, D_K, D_V, H = 2, 3, 5, 7, 11, 13, 17


def draw(rng, *shape):
    return draws.draw(rng, *shape).requires_grad_()


def weighted(*outputs):
    """A sum in which every entry counts differently."""
    flat = torch.cat([output.flatten() for output in outputs])
    return (flat * torch.cos(torch.arange(len(flat)))).sum()


def assert_same(got, expected, *leaves):
    """The same numbers, and the same gradients at the leaves."""
    torch.testing.assert_close(got, expected, rtol=1e-10, atol=1e-11)
    if leaves:
        slopes = [
            torch.autograd.grad(weighted(one), leaves, retain_graph=True) for one in (got, expected)
        ]
        for one, other in zip(*slopes, strict=True):
            torch.testing.assert_close(one, other, rtol=1e-10, atol=1e-11)


def some_mask(rng, *shape):
    mask = torch.rand(shape, generator=rng) < 0.5
    mask[..., 1], mask[..., 2] = True, False
    return mask


# scores


def test_dot_products_are_those_that_torch_attends_by(rng):
    q, k, v = draw(rng, B, Q, D_K), draw(rng, B, K, D_K), draw(rng, B, K, D_V)
    for scaled, scale in ((False, 1.0), (True, D_K**-0.5)):
        ours, _ = attend(dot_score(q, k, scaled=scaled), v)
        assert_same(ours, F.scaled_dot_product_attention(q, k, v, scale=scale), q, k, v)


def test_two_sizes_are_refused(rng):
    with pytest.raises(ValueError, match="one size, got 7 and 11"):
        dot_score(draw(rng, Q, D_Q), draw(rng, K, D_K))


def test_general_score_is_bilinear(rng):
    q, k, w = draw(rng, B, Q, D_Q), draw(rng, B, K, D_K), draw(rng, D_Q, D_K)
    pairs = q[:, :, None].expand(-1, -1, K, -1), k[:, None].expand(-1, Q, -1, -1)
    expected = F.bilinear(*(pair.contiguous() for pair in pairs), w[None]).squeeze(-1)
    assert_same(general_score(q, k, w), expected, q, k, w)
    same = dot_score(q, k[..., :D_Q].contiguous())
    assert_same(general_score(q, k, torch.eye(D_Q, D_K, dtype=q.dtype)), same)


def test_additive_score_is_a_network_on_every_pair(rng):
    q, k = draw(rng, B, Q, D_Q), draw(rng, B, K, D_K)
    wq, wk, v = draw(rng, H, D_Q), draw(rng, H, D_K), draw(rng, H)
    rows = [
        torch.stack([torch.tanh(wq @ a + wk @ b) @ v for a in q[i] for b in k[i]]).reshape(Q, K)
        for i in range(B)
    ]
    ours = additive_score(q, k, wq, wk, v)
    assert_same(ours, torch.stack(rows), q, k, wq, wk, v)
    assert_same(additive_score(q, k @ wk.T, wq, None, v), ours, q, k, wq, wk, v)


# weights


def test_masked_softmax_is_that_of_the_keys_that_are_there(rng):
    scores, mask = draw(rng, B, Q, K), some_mask(rng, B, Q, K)
    rows = []
    for row, here in zip(scores.flatten(0, 1), mask.flatten(0, 1), strict=True):
        kept = row[here].softmax(0)
        rows.append(torch.zeros_like(row).masked_scatter(here, kept))
    assert_same(masked_softmax(scores, mask), torch.stack(rows).reshape(B, Q, K), scores)
    assert_same(masked_softmax(scores), scores.softmax(-1), scores)


def test_nothing_to_look_at_gives_zeros_and_no_gradient(rng):
    scores, mask = draw(rng, Q, K), torch.ones(Q, K, dtype=torch.bool)
    mask[1] = False
    weights = masked_softmax(scores, mask)
    assert not weights[1].any()
    (slope,) = torch.autograd.grad(weighted(weights), scores)
    assert slope.isfinite().all()
    assert not slope[1].any()


def test_what_is_masked_may_be_anything(rng):
    scores, mask = draw(rng, Q, K), some_mask(rng, Q, K)
    spoiled = torch.where(mask, scores.detach(), math.nan).requires_grad_()
    weights = masked_softmax(spoiled, mask)
    assert torch.equal(weights, masked_softmax(scores, mask))
    (slope,) = torch.autograd.grad(weighted(weights), spoiled)
    assert not slope[~mask].any()
    assert slope.isfinite().all()


def test_a_mask_of_numbers_is_refused(rng):
    with pytest.raises(ValueError, match=r"mask must be bool .* got torch.int64"):
        masked_softmax(draw(rng, Q, K), torch.ones(Q, K, dtype=torch.int64))


def test_attend_is_torchs_attention_with_a_mask(rng):
    q, k, v = draw(rng, B, Q, D_K), draw(rng, B, K, D_K), draw(rng, B, K, D_V)
    mask = some_mask(rng, B, 1, K)
    ours, weights = attend(dot_score(q, k, scaled=True), v, mask)
    assert_same(ours, F.scaled_dot_product_attention(q, k, v, mask), q, k, v)
    assert_same(weights @ v, ours)


def test_gradients_by_hand(rng):
    scores, v, grad = draw(rng, B, Q, K), draw(rng, B, K, D_V), draw(rng, B, Q, D_V)
    mask = some_mask(rng, B, Q, K)
    mask[0, 0] = False
    context, weights = attend(scores, v, mask)
    expected = torch.autograd.grad(context, (scores, v), grad)
    for got, want in zip(attend_backward(grad, weights, v), expected, strict=True):
        assert_same(got, want)


def test_block_is_attention_with_one_query(rng):
    h, x = draw(rng, B, D_K), draw(rng, B, K, D_K)
    c, p = attention_block(h, x)
    expected = F.scaled_dot_product_attention(h[:, None], x, x, scale=1.0)
    assert_same(c, expected[:, 0], h, x)
    assert_same(p.sum(-1), torch.ones(B, dtype=p.dtype))
    c, p = attention_block(h[0], x[0])
    assert_same(c, torch.softmax(x[0] @ h[0], 0) @ x[0])
    assert p.shape == (K,)


# hard attention


def test_the_estimate_is_right_on_average(rng):
    """The sum over all keys, each as often as it is drawn, is the gradient itself."""
    scores, values = draw(rng, K), torch.arange(K, dtype=torch.float64).square()
    weights = scores.softmax(0)
    (exact,) = torch.autograd.grad((weights * values).sum(), scores)
    weights = weights.detach()
    for baseline in (0.0, 3.5):
        each = [
            hard_gradient(weights, torch.tensor([k]), values[k : k + 1], baseline=baseline)
            for k in range(K)
        ]
        assert_same(sum(w * one for w, one in zip(weights, each, strict=True)), exact)
    drawn = torch.tensor([3, 1, 1])
    single = [hard_gradient(weights, drawn[i : i + 1], values[drawn[i : i + 1]]) for i in range(3)]
    assert_same(hard_gradient(weights, drawn, values[drawn]), sum(single) / 3)


# modules


@pytest.mark.parametrize("kind", KINDS)
def test_modules_are_the_functions(rng, kind):
    d_k = D_Q if kind in ("dot", "scaled") else D_K
    layer = Attention(kind, query_size=D_Q, key_size=d_k, hidden_size=H).double()
    q, k, v = draw(rng, B, Q, D_Q), draw(rng, B, K, d_k), draw(rng, B, K, D_V)
    mask = some_mask(rng, B, 1, K)
    scores = {
        "dot": lambda: dot_score(q, k),
        "scaled": lambda: dot_score(q, k, scaled=True),
        "general": lambda: general_score(q, k, layer.weight),
        "additive": lambda: additive_score(q, k, layer.weight_query, layer.weight_key, layer.v),
    }[kind]()
    context, weights = layer(q, layer.project(k), v, mask)
    leaves = q, k, *layer.parameters()
    assert_same(context, attend(scores, v, mask)[0], v, *leaves)
    assert_same(weights, masked_softmax(scores, mask), *leaves)


def test_parameters_of_modules():
    counts = {"dot": 0, "scaled": 0, "general": 49, "additive": 2 * 7 * H + H}
    for kind, count in counts.items():
        layer = Attention(kind, query_size=7, key_size=7, hidden_size=H, device="meta")
        assert sum(p.numel() for p in layer.parameters()) == count
    layer = Attention("additive", query_size=31, key_size=97, hidden_size=389)
    for parameter in layer.parameters():
        assert 0.85 < parameter.abs().max() * math.sqrt(parameter.shape[-1]) <= 1
    with pytest.raises(ValueError, match="one of dot, scaled, general, additive, got 'cosine'"):
        Attention("cosine", query_size=2, key_size=2)
    for kind in ("dot", "scaled"):
        with pytest.raises(ValueError, match="one size, got 2 and 3"):
            Attention(kind, query_size=2, key_size=3)


def decoder(**more):
    sizes = {"summary_size": 6, "memory_size": 5, "embed_dim": 3, "hidden_size": 7}
    return AttendingDecoder(11, **sizes, **more).double()


@pytest.mark.parametrize("score", ["general", "additive"])
def test_decoder_is_torchs_gru_cell_over_contexts(rng, score):
    ours = decoder(score=score)
    cell = nn.GRUCell(8, 7).double()
    cell.load_state_dict({n.removesuffix("_l0"): p for n, p in ours.layer.state_dict().items()})
    memory, summary = draw(rng, B, 4, 5), draw(rng, B, 6)
    mask = torch.tensor([[True, True, True, False], [True] * 4])
    tokens = torch.tensor([[1, 5, 3], [1, 10, 0]])
    logits, weights, end = ours.align(tokens, memory, mask, ours.begin(summary))
    h = torch.tanh(summary @ ours.bridge.weight.T + ours.bridge.bias)
    for t in range(3):
        context, looks = ours.attention(
            h[:, None], ours.attention.project(memory), memory, mask[:, None]
        )
        h = cell(torch.cat([ours.embedding.weight[tokens[:, t]], context[:, 0]], dim=1), h)
        expected = ours.output(torch.cat([h, context[:, 0]], dim=1))
        assert_same(logits[:, t], expected, memory, summary)
        assert_same(weights[:, t], looks[:, 0])
    assert_same(end, h)
    assert not weights[0, :, 3].any()
    assert_same(ours(tokens, memory, mask, ours.begin(summary))[0], logits)


def test_decoder_goes_on_where_it_left_off(rng):
    ours, memory = decoder(), draw(rng, B, 4, 5)
    mask, tokens = torch.ones(B, 4, dtype=torch.bool), torch.tensor([[1, 5, 3, 2], [1, 9, 0, 4]])
    state = ours.begin(draw(rng, B, 6))
    whole, end = ours(tokens, memory, mask, state)
    for t in range(4):
        logits, state = ours.step(tokens[:, t], memory, mask, state)
        assert_same(logits, whole[:, t])
    assert_same(state, end)


def test_padding_of_the_source_does_not_matter(rng):
    encoder = RecurrentEncoder(9, embed_dim=3, hidden_size=4, bidirectional=True)
    ours = AttendingDecoder(8, summary_size=8, memory_size=8, embed_dim=3, hidden_size=7)
    model = EncoderDecoder(encoder, ours).double()
    source, lengths = torch.tensor([[4, 5, 6, 7], [8, 4, 2, 2]]), torch.tensor([4, 2])
    target = torch.tensor([[4, 5, 2], [7, 2, 0]])
    both = model(source, lengths, shift_right(target))
    alone = model(source[1:, :2], lengths[1:], shift_right(target[1:]))
    assert_same(both[1:], alone)
    written = greedy(model.step, model.begin(source, lengths), torch.tensor([1, 1]), max_length=6)
    assert written.shape[0] == 2


# measures


def test_coverage_by_hand():
    weights = torch.tensor([[[0.5, 0.25, 0.25], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]]).double()
    every = torch.ones(1, 3, dtype=torch.bool)
    two = torch.tensor([[True, True, False]])
    assert_same(coverage_penalty(weights, every, every), torch.tensor([0.25]).double().log())
    assert_same(coverage_penalty(weights, two, every), torch.tensor([0.25]).double().log())
    assert_same(coverage_penalty(weights, every, two), torch.tensor([0.0625]).double().log())
    assert coverage_penalty(weights[:, 1:2], every, every[:, :1]).item() == -math.inf
    even = torch.full((2, 4, 4), 0.25).double()
    assert_same(
        coverage_penalty(even, *(torch.ones(2, 4, dtype=torch.bool),) * 2).sum() + 1, even.sum() / 8
    )


def test_agreement_by_hand():
    weights = torch.tensor([[0.2, 0.5, 0.3], [0.4, 0.4, 0.2], [0.1, 0.2, 0.7]]).double()
    gold = torch.zeros(3, 3, dtype=torch.bool)
    assert agreement(weights, gold).isnan()
    gold[0, 1] = gold[1, 1] = True
    assert agreement(weights, gold) == 0.5
    gold[1, 0] = True
    assert agreement(weights, gold) == 1
    stacked = torch.stack([weights, weights]), torch.stack([gold, gold.flip(0)])
    rows = list(itertools.chain(*(zip(w, g, strict=True) for w, g in zip(*stacked, strict=True))))
    hits = [bool(g[w.argmax()]) for w, g in rows if g.any()]
    assert agreement(*stacked).item() == sum(hits) / len(hits)


@pytest.mark.parametrize(
    ("written", "iso", "month_and_day"),
    [
        ("2. März 2003", "2003-03-02", "märz märz 2 2"),
        ("Mar 12, 2003", "2003-03-12", "mar mar 1 2"),
        ("2003年3月12日", "2003-03-12", "3 3 1 2"),
        ("2003/10/01", "2003-10-01", "1 0 0 1"),
        ("02.10.2003", "2003-10-02", "1 0 0 2"),
        ("Κυριακή 20 Οκτωβρίου 2003", "2003-10-20", "οκτωβρίου οκτωβρίου 2 0"),
        ("domingo, 2 de marzo de 2003", "2003-03-02", "marzo marzo 2 2"),
    ],
)
def test_where_a_date_says_what(written, iso, month_and_day):
    tokens = date_tokens(written)
    where = date_alignment(tokens, iso)
    said = [tokens[row.nonzero().item()] for row in where]
    assert said == ["2", "0", "0", "3", *month_and_day.split()]


def test_every_date_says_everything():
    for pair in dates(4000).train:
        where = date_alignment(date_tokens(pair.source), pair.target)
        assert where.sum(dim=1).tolist() == [1] * 8, pair
        months = where[4:6].nonzero()[:, 1].unique().tolist()
        assert set(months).isdisjoint(where[6:].nonzero()[:, 1].tolist()), pair
