"""`solutions.efficient_attention` against torch's attention, autograd, and loops."""

import math
from functools import partial

import draws
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from solutions.efficient_attention import (
    CachedAttention,
    CachedDecoder,
    GatedRecurrence,
    absorb,
    band_mask,
    cache_numbers,
    causal_convolution,
    causal_linear_attention,
    combine,
    continue_greedily,
    discretize,
    extend_cache,
    feature_map,
    largest_tensor,
    linear_attention,
    linear_attention_step,
    low_rank_attention,
    parallel_scan,
    recall_batch,
    ssm_kernel,
    ssm_recurrence,
    tiled_attention,
    tiled_forward,
    window_attention,
)

assert_equal = partial(draws.assert_equal, rtol=1e-10, atol=1e-11)


def draw(rng, *shape):
    return draws.draw(rng, *shape).requires_grad_()


def assert_same(ours, theirs, *inputs):
    """Outputs and the gradients of all inputs."""
    got, expected = ours(*inputs), theirs(*inputs)
    assert_equal(got, expected)
    weights = torch.cos(torch.arange(got.numel(), dtype=got.dtype)).view_as(got)
    for one, other in zip(
        torch.autograd.grad(got, inputs, weights),
        torch.autograd.grad(expected, inputs, weights),
        strict=True,
    ):
        assert_equal(one, other)


def triple(rng, queries=11, keys=11):
    return draw(rng, 2, 3, queries, 5), draw(rng, 2, 3, keys, 5), draw(rng, 2, 3, keys, 7)


# the cache


def test_band_mask():
    assert band_mask(2, 4).tolist() == [[True, True, True, False], [True] * 4]
    assert band_mask(2, 4, window=2).tolist() == [
        [False, True, True, False],
        [False, False, True, True],
    ]
    assert band_mask(3, 3, window=1).equal(torch.eye(3, dtype=torch.bool))
    assert band_mask(5, 5).equal(torch.ones(5, 5).tril().bool())
    assert band_mask(0, 3).shape == (0, 3)
    with pytest.raises(ValueError, match="last of the keys"):
        band_mask(4, 3)


def test_a_cache_keeps_what_the_next_query_needs_and_no_graph(rng):
    key, value = draw(rng, 2, 7, 3), draw(rng, 2, 7, 5)
    (seen, _), kept = extend_cache(None, key, value, window=4)
    assert seen is key
    assert kept[0].shape == (2, 3, 3)
    assert not kept[0].requires_grad
    (seen, values), kept = extend_cache(kept, key[:, :2], value[:, :2], window=4)
    assert_equal(seen, torch.cat([key[:, 4:], key[:, :2]], dim=1))
    assert_equal(values, torch.cat([value[:, 4:], value[:, :2]], dim=1))
    assert kept[1].shape == (2, 3, 5)
    assert extend_cache(None, key, value, window=1)[1][0].shape == (2, 0, 3)


@pytest.mark.parametrize("window", [None, 1, 4])
@pytest.mark.parametrize("key_heads", [1, 2, 6])
def test_cached_attention_is_torchs_and_the_same_in_parts(rng, key_heads, window):
    layer = CachedAttention(12, heads=6, key_heads=key_heads, window=window).double()
    x = draw(rng, 3, 11, 12)

    def theirs(x):
        query, key, value = (
            part(x).view(3, 11, -1, 2).transpose(1, 2)
            for part in (layer.query, layer.key, layer.value)
        )
        found = F.scaled_dot_product_attention(
            query, key, value, band_mask(11, 11, window=window), enable_gqa=True
        )
        return layer.out(found.transpose(1, 2).reshape(3, 11, 12))

    assert_same(lambda x: layer(x)[0], theirs, x)
    cache, parts = None, []
    for part in x.split([5, 1, 2, 3], dim=1):
        found, cache = layer(part, cache)
        parts.append(found)
    assert_equal(torch.cat(parts, dim=1), theirs(x))


def test_heads_must_divide():
    with pytest.raises(ValueError, match="divide"):
        CachedAttention(12, heads=5)
    with pytest.raises(ValueError, match="divide"):
        CachedAttention(12, heads=6, key_heads=4)


def test_the_same_tokens_as_without_a_cache():
    torch.manual_seed(0)
    model = CachedDecoder(17, 12, longest=40, layers=2, heads=4, key_heads=2).double()
    fed, tokens = [], torch.randint(17, (3, 5))

    def counted(new, cache=None):
        fed.append(new.shape[1])
        return model(new, cache)

    found = continue_greedily(counted, tokens, 20)
    whole = tokens
    for _ in range(20):
        whole = torch.cat([whole, model(whole)[0][:, -1].argmax(-1, keepdim=True)], dim=1)
    assert found.equal(whole[:, 5:])
    assert len(set(found.flatten().tolist())) > 3
    assert sum(fed) == 5 + 20 - 1
    assert continue_greedily(counted, tokens, 0).shape == (3, 0)
    kept = model(tokens)[1]
    numbers = sum(part[0].numel() for layer in kept for part in layer)
    assert numbers == cache_numbers(5, layers=2, key_heads=2, d_k=3, d_v=3)


# tiles


def test_keys_can_come_in_parts(rng):
    scores, value = draw(rng, 3, 11), draw(rng, 11, 5)
    scores = (800 * scores).masked_fill(torch.arange(33).view(3, 11) % 4 == 1, -math.inf)
    state = torch.full((3,), -math.inf), torch.zeros(3), torch.zeros(3, 5)
    state = tuple(part.double() for part in state)
    nothing = absorb(*state, torch.full((3, 2), -math.inf).double(), value[:2])
    for got, expected in zip(nothing, state, strict=True):
        assert_equal(got, expected)
    for part, some in zip(scores.split([1, 4, 6], dim=1), value.split([1, 4, 6]), strict=True):
        state = absorb(*state, part, some)
    assert_equal(state[2] / state[1][:, None], scores.softmax(dim=1) @ value)
    assert_equal(state[0] + state[1].log(), scores.logsumexp(dim=1))


@pytest.mark.parametrize("block", [1, 4, 11, 64])
@pytest.mark.parametrize(("queries", "keys"), [(11, 11), (3, 11), (11, 3)])
def test_tiled_attention(rng, queries, keys, block):
    parts = triple(rng, queries, keys)
    assert_same(lambda *p: tiled_attention(*p, block=block), F.scaled_dot_product_attention, *parts)
    if queries <= keys:
        mask = band_mask(queries, keys)
        assert_same(
            lambda *p: tiled_attention(*p, block=block, causal=True),
            lambda *p: F.scaled_dot_product_attention(*p, mask),
            *parts,
        )
        with torch.no_grad():
            scores = (parts[0] @ parts[1].mT / math.sqrt(5)).masked_fill(~mask, -math.inf)
            _, log_total = tiled_forward(*parts, block=block, causal=True)
            assert_equal(log_total, scores.logsumexp(dim=-1))


def test_no_tensor_is_as_large_as_the_table(rng):
    query, key, value = (draw(rng, 257, 4) for _ in range(3))

    def run(attention):
        attention().sum().backward()

    plain = largest_tensor(lambda: run(lambda: F.softmax(query @ key.mT, -1) @ value))
    assert plain == 257 * 257
    assert largest_tensor(lambda: run(lambda: tiled_attention(query, key, value, block=16))) == (
        257 * 4
    )
    bound = 272 * 4 * 8
    assert largest_tensor(lambda: run(lambda: window_attention(query, key, value, window=5))) < (
        bound
    )
    assert largest_tensor(lambda: run(lambda: linear_attention(query, key, value))) < bound
    linear = largest_tensor(
        lambda: run(lambda: causal_linear_attention(query, key, value, block=16))
    )
    assert linear < bound


# less than everything


@pytest.mark.parametrize("window", [1, 2, 4, 11, 30])
def test_window_attention(rng, window):
    assert_same(
        lambda *p: window_attention(*p, window=window),
        lambda *p: F.scaled_dot_product_attention(*p, band_mask(11, 11, window=window)),
        *triple(rng),
    )


def test_low_rank_attention(rng):
    parts = triple(rng)
    whole = torch.eye(11, dtype=torch.float64)
    assert_equal(low_rank_attention(*parts, whole, whole), F.scaled_dot_product_attention(*parts))
    some = draw(rng, 4, 11), draw(rng, 4, 11)
    assert_same(
        low_rank_attention,
        lambda q, k, v, e, f: F.scaled_dot_product_attention(
            q, torch.einsum("rt,bhtd->bhrd", e, k), torch.einsum("rt,bhtd->bhrd", f, v)
        ),
        *parts,
        *some,
    )


# linear


def by_table(query, key, value, mask=None):
    """Linear attention with the table that it does without."""
    scores = feature_map(query) @ feature_map(key).mT
    scores = scores if mask is None else scores * mask
    return scores / scores.sum(-1, keepdim=True) @ value


def test_linear_attention(rng):
    assert_same(linear_attention, by_table, *triple(rng, queries=4))


@pytest.mark.parametrize("block", [1, 4, 11, 64])
def test_causal_linear_attention(rng, block):
    assert_same(
        lambda *p: causal_linear_attention(*p, block=block),
        lambda *p: by_table(*p, band_mask(11, 11)),
        *triple(rng),
    )


def test_linear_attention_step_by_step(rng):
    def steps(query, key, value):
        state, total, found = query.new_zeros(2, 3, 5, 7), query.new_zeros(2, 3, 5), []
        for now in zip(query.unbind(-2), key.unbind(-2), value.unbind(-2), strict=True):
            output, state, total = linear_attention_step(state, total, *now)
            found.append(output)
        return torch.stack(found, dim=-2)

    assert_same(steps, causal_linear_attention, *triple(rng))


# recurrences


def loop(decay, x, state=None):
    state = torch.zeros_like(x[..., 0, :]) if state is None else state
    found = []
    for f, now in zip(decay.unbind(-2), x.unbind(-2), strict=True):
        state = f * state + now
        found.append(state)
    return torch.stack(found, dim=-2)


def test_combine_is_associative_and_not_commutative(rng):
    one, two, three = ((draw(rng, 5), draw(rng, 5)) for _ in range(3))
    left = combine(combine(one, two), three)
    right = combine(one, combine(two, three))
    for a, b in zip(left, right, strict=True):
        assert_equal(a, b)
    assert not torch.allclose(combine(one, two)[1], combine(two, one)[1])
    h = draw(rng, 5)
    assert_equal(
        left[0] * h + left[1],
        loop(*(torch.stack(p) for p in zip(one, two, three, strict=True)), h)[2],
    )


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 7, 8, 13, 16, 31])
def test_parallel_scan(rng, length):
    parts = draw(rng, 2, length, 3), draw(rng, 2, length, 3), draw(rng, 2, 3)
    assert_equal(parallel_scan(*parts[:2]), loop(*parts[:2]))
    assert_same(parallel_scan, loop, *parts)


def test_gated_recurrence(rng):
    layer = GatedRecurrence(3, 5).double()
    x, state = draw(rng, 2, 7, 3), draw(rng, 2, 5)

    def theirs(x, state):
        found = []
        for now in x.unbind(1):
            f = torch.sigmoid(layer.gate(now))
            state = f * state + (1 - f) * layer.candidate(now)
            found.append(layer.out(torch.sigmoid(layer.read(now)) * state))
        return torch.stack(found, dim=1)

    assert_same(lambda *p: layer(*p)[0], theirs, x, state)
    whole, last = layer(x)
    first, between = layer(x[:, :4])
    second, end = layer(x[:, 4:], between)
    assert_equal(torch.cat([first, second], dim=1), whole)
    assert_equal(end, last)
    assert isinstance(layer.gate, nn.Linear)


def ssm(rng):
    return (
        draw(rng, 3, 4).exp(),
        3 * draw(rng, 3, 4),
        draw(rng, 3).exp() / 5,
        draw(rng, 3, 4, 2),
    )


def test_discretize_solves_the_equation(rng):
    rate, frequency, step, _ = ssm(rng)
    f, g = discretize(rate, frequency, step)
    s, small = torch.complex(-rate, frequency), step[:, None] / 100_000
    one = torch.linalg.matrix_power(  # Euler's steps, tiny
        torch.stack(
            [
                torch.stack([1 + small * s, small.expand_as(s).to(s)], dim=-1),
                torch.tensor([0.0, 1.0]).to(s).expand(3, 4, 2),
            ],
            dim=-2,
        ),
        100_000,
    )
    torch.testing.assert_close(f, one[..., 0, 0], rtol=1e-3, atol=1e-4)
    torch.testing.assert_close(g, one[..., 0, 1], rtol=1e-3, atol=1e-4)


def test_a_state_space_model_is_a_convolution(rng):
    parts = ssm(rng)
    assert_same(
        ssm_recurrence,
        lambda x, *p: causal_convolution(x, ssm_kernel(*p, length=13)),
        draw(rng, 2, 13, 3),
        *parts,
    )
    f, g = discretize(*parts[:3])
    x, c = draw(rng, 2, 13, 3), torch.view_as_complex(parts[3].contiguous())
    inputs = (g * x[..., None]).transpose(1, 2).reshape(6, 13, 4)
    states = parallel_scan(f.repeat(2, 1)[:, None].expand(6, 13, 4), inputs)
    found = torch.einsum("bdth,dh->btd", states.view(2, 3, 13, 4), c).real
    assert_equal(found, ssm_recurrence(x, *parts))


def test_causal_convolution(rng):
    def direct(x, kernel):
        padded = F.pad(x.transpose(1, 2), (12, 0))
        return F.conv1d(padded, kernel.flip(1)[:, None], groups=3).transpose(1, 2)

    assert_same(causal_convolution, direct, draw(rng, 2, 13, 3), draw(rng, 3, 13))


# recall


def test_recall_asks_for_what_was_there(rng):
    keys, values, asked = recall_batch(5, 40, symbols=7, generator=rng)
    assert keys.shape == values.shape == (40, 10)
    assert (values[:, 5:] == 7).all()
    assert values[:, :5].max() == 6
    for row in range(40):
        known = dict(zip(keys[row, :5].tolist(), values[row, :5].tolist(), strict=True))
        assert len(known) == 5
        assert [known[key] for key in keys[row, 5:].tolist()] == asked[row].tolist()
    assert not keys[:, :5].equal(keys[:, 5:])
