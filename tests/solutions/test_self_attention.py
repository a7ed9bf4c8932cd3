"""`solutions.self_attention` against torch's own attention, in float64, values and gradients."""

import math
from itertools import pairwise

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from solutions.self_attention import (
    SelfAttention,
    additive_mask,
    causal_mask,
    entropy,
    iterated_self_attention,
    operations,
    padding_mask,
    path_length,
    scaled_dot_product_attention,
    serial_steps,
    soft_lookup,
)

B, Q, K, D_K, D_V = 2, 3, 5, 7, 11
LAYERS = ("attention", "recurrent", "convolution")


def draw(*shape, seed=0, dtype=torch.float64, grad=False):
    generator = torch.Generator().manual_seed(seed + 97 * sum(shape))
    values = 2 * torch.randn(*shape, generator=generator, dtype=torch.float64)
    return values.to(dtype).requires_grad_(grad)


def some_mask(*shape, seed=0):
    """Random, but every query keeps a key."""
    mask = torch.rand(*shape, generator=torch.Generator().manual_seed(seed)) < 0.5
    mask[..., 1] = True
    return mask


def inputs(*, grad=True, batch=(B,)):
    return (
        draw(*batch, Q, D_K, seed=1, grad=grad),
        draw(*batch, K, D_K, seed=2, grad=grad),
        draw(*batch, K, D_V, seed=3, grad=grad),
    )


def gradients(output, *leaves):
    weights = torch.cos(torch.arange(output.numel(), dtype=output.dtype)).reshape(output.shape)
    return torch.autograd.grad((output * weights).sum(), leaves, retain_graph=True)


def assert_same(ours, theirs, *leaves):
    """Equal values, and equal gradients for every leaf."""
    torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=1e-12)
    for mine, other in zip(gradients(ours, *leaves), gradients(theirs, *leaves), strict=True):
        torch.testing.assert_close(mine, other, rtol=1e-11, atol=1e-12)


MASKS = {
    "none": None,
    "full": some_mask(B, Q, K),
    "one for all sequences": some_mask(Q, K, seed=1),
    "one for all queries": some_mask(B, 1, K, seed=2),
    "one row": some_mask(K, seed=3),
    "everything allowed": torch.ones(Q, K, dtype=torch.bool),
}


class TestScaledDotProductAttention:
    @pytest.mark.parametrize("name", MASKS)
    def test_agrees_with_torch_for_boolean_masks(self, name):
        q, k, v = inputs()
        theirs = F.scaled_dot_product_attention(q, k, v, attn_mask=MASKS[name])
        assert_same(scaled_dot_product_attention(q, k, v, MASKS[name]), theirs, q, k, v)

    @pytest.mark.parametrize("name", [name for name in MASKS if name != "none"])
    def test_additive_masks_say_the_same(self, name):
        q, k, v = inputs()
        added = additive_mask(MASKS[name]).double()
        theirs = F.scaled_dot_product_attention(q, k, v, attn_mask=added)
        assert_same(scaled_dot_product_attention(q, k, v, MASKS[name]), theirs, q, k, v)

    @pytest.mark.parametrize("batch", [(), (B,), (B, 13)])
    def test_any_number_of_batch_axes(self, batch):
        q, k, v = inputs(batch=batch)
        theirs = F.scaled_dot_product_attention(q, k, v)
        assert_same(scaled_dot_product_attention(q, k, v), theirs, q, k, v)

    def test_batch_axes_broadcast(self):
        q, k, v = draw(13, 1, Q, D_K), draw(B, K, D_K), draw(K, D_V)
        ours = scaled_dot_product_attention(q, k, v, some_mask(13, 1, 1, K))
        assert ours.shape == (13, B, Q, D_V)
        one = scaled_dot_product_attention(q[5, 0], k[1], v, some_mask(13, 1, 1, K)[5, 0])
        torch.testing.assert_close(ours[5, 1], one)

    def test_causal_agrees_with_is_causal(self):
        q, k, v = draw(B, K, D_K, grad=True), draw(B, K, D_K, seed=1, grad=True), draw(B, K, D_V)
        theirs = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        assert_same(scaled_dot_product_attention(q, k, v, causal_mask(K)), theirs, q, k)

    @pytest.mark.filterwarnings("ignore:Anomaly Detection")
    @pytest.mark.parametrize("shape", [(B, Q, K), (Q, K), (B, 1, K)])
    def test_queries_without_keys_give_zeros_and_zero_gradients(self, shape):
        q, k, v = inputs()
        mask = some_mask(*shape)
        mask[0] = False
        with torch.autograd.detect_anomaly(check_nan=True):
            output = scaled_dot_product_attention(q, k, v, mask)
            grads = gradients(output, q, k, v)
        alone = ~mask.expand(B, Q, K).any(-1)
        assert alone.any()
        assert not alone.all()
        assert (output[alone] == 0).all()
        assert (grads[0][alone] == 0).all()
        assert all(grad.isfinite().all() for grad in grads)
        allowed = mask.expand(B, Q, K) | alone[..., None]  # the others: as torch has them
        theirs = F.scaled_dot_product_attention(q, k, v, attn_mask=allowed)
        torch.testing.assert_close(output[~alone], theirs[~alone])

    def test_nothing_allowed_at_all(self):
        q, k, v = inputs()
        output = scaled_dot_product_attention(q, k, v, torch.zeros(Q, K, dtype=torch.bool))
        assert (output == 0).all()
        assert all((grad == 0).all() for grad in gradients(output, q, k, v))

    def test_the_future_does_not_reach_the_past(self):
        x = draw(B, K, D_K)
        changed = x.clone()
        changed[:, 3:] += 100
        before, after = (
            scaled_dot_product_attention(s, s, s, causal_mask(K)) for s in (x, changed)
        )
        assert torch.equal(before[:, :3], after[:, :3])
        assert not torch.isclose(before[:, 3:], after[:, 3:]).any()

    def test_huge_scores_stay_finite(self):
        q, k, v = inputs(grad=False)
        mask = some_mask(Q, K)
        output = scaled_dot_product_attention(1e200 * q, k, v, mask)
        best = (q @ k.mT).masked_fill(~mask, -math.inf).argmax(-1)
        torch.testing.assert_close(output, v.gather(1, best[..., None].expand(-1, -1, D_V)))

    def test_even_the_lowest_score_beats_a_masked_key(self):
        q, k, v = torch.full((1, 1), -1e30), torch.tensor([[1e8], [1.0]]), torch.eye(2)
        output = scaled_dot_product_attention(q, k, v, torch.tensor([[True, False]]))
        assert output.tolist() == [[1.0, 0.0]]

    def test_inputs_stay_as_they_were(self):
        q, k, v = inputs(grad=False)
        mask = MASKS["full"].clone()
        mask[0, 0] = False
        copies = [t.clone() for t in (q, k, v, mask)]
        scaled_dot_product_attention(q, k, v, mask)
        assert all(torch.equal(t, c) for t, c in zip((q, k, v, mask), copies, strict=True))

    @pytest.mark.parametrize(
        ("dtype", "tolerance"), [(torch.float32, 1e-5), (torch.bfloat16, 3e-2)]
    )
    def test_lower_precision_keeps_its_dtype(self, dtype, tolerance):
        q, k, v = inputs(grad=False)
        mask = MASKS["full"].clone()
        mask[1, 2] = False
        exact = scaled_dot_product_attention(q, k, v, mask)
        ours = scaled_dot_product_attention(q.to(dtype), k.to(dtype), v.to(dtype), mask)
        assert ours.dtype == dtype
        assert (ours.double() - exact).abs().max() < tolerance * v.abs().max()

    @pytest.mark.parametrize(
        ("key", "value", "mask", "said"),
        [
            ((K, D_K + 1), (K, D_V), None, "last size d_k, got 7 and 8"),
            ((K, D_K), (K + 1, D_V), None, "got 5 keys and 6 values"),
            ((K, D_K), (K, D_V), torch.zeros(Q, K), "bool.*float32.*mask == 0"),
        ],
    )
    def test_errors_say_what_does_not_fit(self, key, value, mask, said):
        with pytest.raises(ValueError, match=said):
            scaled_dot_product_attention(draw(Q, D_K), draw(*key), draw(*value), mask)

    @pytest.mark.cuda
    def test_same_on_cuda(self):
        q, k, v = inputs(grad=False)
        mask = MASKS["full"].clone()
        mask[0, 0] = False
        ours = scaled_dot_product_attention(q.cuda(), k.cuda(), v.cuda(), mask.cuda())
        torch.testing.assert_close(ours.cpu(), scaled_dot_product_attention(q, k, v, mask))


class TestSelfAttention:
    @staticmethod
    def layer(**options):
        torch.manual_seed(0)
        layer = SelfAttention(13, d_k=D_K, d_v=D_V, **options).double()
        with torch.no_grad():
            for parameter in layer.parameters():
                parameter.normal_()
        return layer

    @pytest.mark.parametrize("causal", [False, True])
    @pytest.mark.parametrize("padded", [False, True])
    def test_agrees_with_multihead_attention_of_one_head(self, causal, padded):
        torch.manual_seed(1)
        ours = SelfAttention(D_K, d_k=D_K, d_v=D_K, causal=causal, bias=True).double()
        theirs = nn.MultiheadAttention(D_K, 1, batch_first=True).double()
        with torch.no_grad():
            for parameter in ours.parameters():
                parameter.normal_()
            parts = (ours.query, ours.key, ours.value)
            theirs.in_proj_weight.copy_(torch.cat([part.weight for part in parts]))
            theirs.in_proj_bias.copy_(torch.cat([part.bias for part in parts]))
            theirs.out_proj.weight.copy_(torch.eye(D_K))
            theirs.out_proj.bias.zero_()
        x = draw(B, K, D_K, grad=True)
        real = padding_mask(torch.tensor([K, 3]), K) if padded else None
        output, _ = theirs(
            *(x, x, x),
            attn_mask=~causal_mask(K) if causal else None,  # there True is blocked
            key_padding_mask=~real[:, 0] if padded else None,
        )
        assert_same(ours(x, real), output, x)
        of_ours = gradients(ours(x, real), *(part.weight for part in parts))
        (of_theirs,) = gradients(output, theirs.in_proj_weight)
        torch.testing.assert_close(torch.cat(of_ours), of_theirs, rtol=1e-10, atol=1e-11)

    @pytest.mark.parametrize("bias", [False, True])
    def test_parameters_are_those_of_the_docstring(self, bias):
        shapes = {name: tuple(p.shape) for name, p in self.layer(bias=bias).named_parameters()}
        weights = {"query.weight": (D_K, 13), "key.weight": (D_K, 13), "value.weight": (D_V, 13)}
        biases = {"query.bias": (D_K,), "key.bias": (D_K,), "value.bias": (D_V,)}
        assert shapes == (weights | biases if bias else weights)

    def test_one_bilinear_form_gives_the_scores(self):
        layer, x = self.layer(), draw(K, 13)
        form = layer.query.weight.T @ layer.key.weight / math.sqrt(D_K)
        torch.testing.assert_close(
            layer(x), torch.softmax(x @ form @ x.T, -1) @ x @ layer.value.weight.T
        )

    def test_a_bias_of_the_keys_changes_nothing(self):
        layer, x = self.layer(bias=True), draw(B, K, 13)
        before = layer(x)
        with torch.no_grad():
            layer.key.bias.zero_()
        torch.testing.assert_close(layer(x), before)

    def test_equivariant_without_causality_alone(self):
        x, order = draw(K, 13), torch.tensor([3, 0, 4, 1, 2])
        plain, causal = self.layer(), self.layer(causal=True)
        torch.testing.assert_close(plain(x[order]), plain(x)[order])
        assert not torch.isclose(causal(x[order]), causal(x)[order]).all()

    def test_causal_and_padding_together(self):
        layer, x = self.layer(causal=True), draw(B, K, 13)
        lengths = torch.tensor([2, 4])
        together = layer(x, padding_mask(lengths, K))
        for row, length in enumerate(lengths.tolist()):
            torch.testing.assert_close(together[row, :length], layer(x[row, :length]))

    def test_queries_that_may_attend_to_nothing_get_zeros(self):
        layer = self.layer(causal=True, bias=True)
        strict = causal_mask(K) & ~torch.eye(K, dtype=torch.bool)
        output = layer(draw(B, K, 13), strict)
        assert (output[:, 0] == 0).all()
        assert (output[:, 1:] != 0).all()

    @pytest.mark.cuda
    def test_causal_mask_follows_the_input_to_cuda(self):
        layer, x = self.layer(causal=True), draw(B, K, 13)
        expected = layer(x)
        torch.testing.assert_close(layer.cuda()(x.cuda()).cpu(), expected)


class TestMasks:
    @pytest.mark.parametrize("length", [1, 5])
    def test_causal(self, length):
        mask = causal_mask(length)
        assert mask.dtype == torch.bool
        assert mask.tolist() == [[j <= i for j in range(length)] for i in range(length)]

    def test_padding(self):
        mask = padding_mask(torch.tensor([3, 0, 5]), 5)
        assert mask.dtype == torch.bool
        assert mask.tolist() == [[[j < n for j in range(5)]] for n in (3, 0, 5)]

    def test_padding_refuses_what_does_not_fit(self):
        with pytest.raises(ValueError, match="6 positions, longest is 5"):
            padding_mask(torch.tensor([3, 6]), 5)

    def test_additive(self):
        added = additive_mask(torch.tensor([[True, False]]))
        assert added.tolist() == [[0.0, -math.inf]]
        assert added.dtype == torch.get_default_dtype()

    @pytest.mark.cuda
    def test_masks_on_cuda(self):
        assert causal_mask(3, device="cuda").device.type == "cuda"
        assert padding_mask(torch.tensor([1, 2], device="cuda"), 3).device.type == "cuda"
        assert additive_mask(causal_mask(3, device="cuda")).device.type == "cuda"


class TestSoftLookup:
    def test_dot_is_attention_with_one_query(self):
        q, k, v = draw(D_K, grad=True), draw(K, D_K, grad=True), draw(K, D_V, grad=True)
        theirs = F.scaled_dot_product_attention(q[None], k, v, scale=1 / 3)[0]
        assert_same(soft_lookup(q, k, v, temperature=3.0), theirs, q, k, v)

    def test_cosine_and_distance_against_torch(self):
        q, k, v = draw(D_K, grad=True), draw(K, D_K, grad=True), draw(K, D_V)
        cosine = torch.softmax(F.cosine_similarity(k, q[None], dim=-1) / 0.5, -1) @ v
        assert_same(soft_lookup(q, k, v, score="cosine", temperature=0.5), cosine, q, k)
        distance = torch.softmax(-(torch.cdist(k, q[None])[:, 0] ** 2) / 2, -1) @ v
        assert_same(soft_lookup(q, k, v, score="distance"), distance, q, k)

    def test_distance_is_dot_for_keys_of_one_length(self):
        q, k, v = draw(D_K), F.normalize(draw(K, D_K), dim=-1), draw(K, D_V)
        torch.testing.assert_close(soft_lookup(q, k, v, score="distance"), soft_lookup(q, k, v))

    def test_cold_takes_the_best_hot_takes_the_mean(self):
        q, k, v = draw(D_K), draw(K, D_K), draw(K, D_V)
        torch.testing.assert_close(soft_lookup(q, k, v, temperature=1e-6), v[(k @ q).argmax()])
        torch.testing.assert_close(soft_lookup(q, k, v, temperature=1e9), v.mean(0))

    @pytest.mark.parametrize("options", [{"score": "sine"}, {"temperature": 0.0}])
    def test_errors(self, options):
        with pytest.raises(ValueError, match=next(iter(options))):
            soft_lookup(draw(D_K), draw(K, D_K), draw(K, D_V), **options)


class TestIterated:
    def test_each_level_is_attention_on_the_one_before(self):
        x = draw(B, Q, D_K)
        found = iterated_self_attention(x, 5)
        assert found.shape == (5, B, Q, D_K)
        assert torch.equal(found[0], x)
        for before, after in pairwise(found):
            expected = F.scaled_dot_product_attention(before, before, before, scale=1.0)
            torch.testing.assert_close(after, expected)

    def test_gradients_pass_through_every_level(self):
        x = draw(Q, D_K, grad=True)
        two = x
        for _ in range(2):
            two = F.scaled_dot_product_attention(two, two, two, scale=1.0)
        assert_same(iterated_self_attention(x, 3)[-1], two, x)

    def test_no_level_leaves_the_range_of_the_one_before(self):
        found = iterated_self_attention(draw(B, Q, D_K) / 4, 4)
        spread = found.amax(-2) - found.amin(-2)
        assert (spread[1:] < spread[:-1]).all()

    def test_one_level_is_the_input(self):
        assert iterated_self_attention(draw(Q, D_K), 1).shape == (1, Q, D_K)
        with pytest.raises(ValueError, match="at least 1"):
            iterated_self_attention(draw(Q, D_K), 0)


class TestHalfPrecision:
    @pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
    @pytest.mark.parametrize("masked", [False, True])
    def test_products_that_would_overflow(self, dtype, masked):
        query = torch.full((1, 64), 40.0, dtype=dtype)  # q·k is 102,400, and float16 ends at 65,504
        key = torch.stack([query[0], -query[0], 0.9 * query[0]])
        value = torch.randn(3, 5).to(dtype)
        mask = torch.tensor([[True, True, False]]) if masked else None
        found = scaled_dot_product_attention(query, key, value, mask)
        assert found.dtype == dtype
        torch.testing.assert_close(found, F.scaled_dot_product_attention(query, key, value, mask))


class TestEntropy:
    def test_against_torch(self):
        weights = torch.softmax(draw(B, Q, K), -1).requires_grad_()
        assert_same(entropy(weights), torch.special.entr(weights).sum(-1), weights)

    def test_zeros_add_nothing_and_break_nothing(self):
        weights = torch.tensor([[0.0, 1.0, 0.0], [0.5, 0.5, 0.0]], requires_grad=True)
        found = entropy(weights)
        torch.testing.assert_close(found, torch.tensor([0.0, math.log(2)]))
        assert gradients(found, weights)[0].isfinite().all()


class TestCost:
    """The formulas against what torch counts, and against which gradients are zero."""

    @staticmethod
    def layer(name, features, width):
        torch.manual_seed(0)
        if name == "attention":
            return SelfAttention(features, d_k=features, d_v=features, causal=True)
        if name == "recurrent":
            rnn = nn.RNN(features, features)
            return lambda x: rnn(x)[0]
        conv = nn.Conv1d(features, features, width)
        return lambda x: conv(F.pad(x.T, (width - 1, 0))).T

    @pytest.mark.parametrize("name", LAYERS)
    @pytest.mark.parametrize(("length", "features", "width"), [(2, 3, 5), (13, 7, 3), (29, 11, 2)])
    def test_operations_are_those_that_torch_counts(self, name, length, features, width):
        layer = self.layer(name, features, width)
        with FlopCounterMode(display=False) as counter:
            output = layer(torch.randn(length, features))
        assert output.shape == (length, features)
        expected = operations(name, length=length, features=features, width=width)
        assert counter.get_total_flops() == 2 * expected  # a multiply and an add

    @pytest.mark.parametrize(("length", "width"), [(2, 2), (13, 3), (12, 3), (29, 5), (30, 5)])
    def test_path_length_is_the_depth_at_which_the_gradient_arrives(self, length, width):
        hops = path_length("convolution", length=length, width=width)
        x = torch.randn(length, 3, dtype=torch.float64, requires_grad=True)
        conv, arrived, output = self.layer("convolution", 3, width), [], x.float()
        for _ in range(hops):
            output = conv(output)
            arrived.append(bool(gradients(output[-1], x)[0][0].any()))
        assert arrived == [False] * (hops - 1) + [True]

    @pytest.mark.parametrize(
        ("length", "width"), [(2, 2), (8, 2), (9, 2), (27, 3), (28, 3), (125, 5), (126, 5)]
    )
    def test_path_length_of_dilated_convolutions(self, length, width):
        hops = path_length("dilated", length=length, width=width)
        x = torch.rand(1, 1, length, dtype=torch.float64, requires_grad=True)
        kernel = torch.ones(1, 1, width, dtype=torch.float64)
        arrived, output = [], x
        for layer in range(hops):
            apart = width**layer
            output = F.conv1d(F.pad(output, ((width - 1) * apart, 0)), kernel, dilation=apart)
            arrived.append(bool(gradients(output[0, 0, -1], x)[0][0, 0, 0]))
        assert arrived == [False] * (hops - 1) + [True]

    def test_path_length_of_the_others(self):
        assert path_length("attention", length=29) == 1
        assert path_length("recurrent", length=29) == 28

    def test_serial_steps(self):
        assert [serial_steps(name, length=29) for name in LAYERS] == [3, 29, 1]

    @pytest.mark.parametrize(
        "cost",
        [
            lambda: operations("pooling", length=3, features=2),
            lambda: serial_steps("pooling", length=3),
            lambda: path_length("pooling", length=3),
        ],
    )
    def test_unknown_layers_are_refused(self, cost):
        known = "attention, recurrent, convolution(, dilated)?"
        with pytest.raises(ValueError, match=f"{known}, got 'pooling'"):
            cost()
