"""Compression: held against torch's own quantizers and losses, brute force, and slow loops."""

import itertools

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from solutions.model_compression import (
    QuantizedLinear,
    absmax_scale,
    affine_range,
    decibels,
    dequantize,
    distillation_loss,
    gptq,
    largest_code,
    magnitude_masks,
    pack_int4,
    prune_units,
    quantize,
    quantize_affine,
    straight_through,
    unpack_int4,
)

DOUBLE = torch.float64


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=DOUBLE)


@pytest.mark.parametrize("bits", range(2, 9))
def test_codes_are_those_of_torch(bits):
    x = normal(5, 7).float()
    scale, limit = absmax_scale(x, bits), largest_code(bits)
    zero = torch.zeros((), dtype=torch.int32)
    expected = torch.fake_quantize_per_tensor_affine(x, scale, zero, -limit, limit)
    torch.testing.assert_close(dequantize(quantize(x, scale, bits), scale), expected)
    assert quantize(x, scale, bits).abs().max() == limit


def test_rounding_misses_by_at_most_half_a_step():
    x = normal(3, 5, 7)
    for dim in (None, 0, -1):
        scale = absmax_scale(x, 4, dim=dim)
        assert scale.shape == (() if dim is None else x.amax(dim, keepdim=True).shape)
        off = (x - dequantize(quantize(x, scale, 4), scale)).abs()
        assert (off <= scale / 2 * (1 + 1e-12)).all()


def test_a_row_of_zeros_stays_zero():
    scale = absmax_scale(torch.zeros(2, 3), 8, dim=-1)
    assert torch.equal(scale, torch.ones(2, 1))
    assert torch.equal(quantize(torch.zeros(2, 3), scale, 8), torch.zeros(2, 3, dtype=torch.int8))


@pytest.mark.parametrize("shift", [-5, -0.3, 0, 0.2, 4])
def test_affine_codes_are_those_of_torch_and_zero_is_exact(shift):
    x = (normal(50) + shift).float()
    scale, zero = affine_range(x, 8)
    codes = quantize_affine(x, scale, zero, 8)
    expected = torch.fake_quantize_per_tensor_affine(x, scale, zero.int(), 0, 255)
    torch.testing.assert_close(scale * (codes.long() - zero), expected, rtol=0, atol=1e-5)
    assert quantize_affine(torch.zeros(1), scale, zero, 8).item() == zero
    # the zero point is rounded, so the range shifts by half a step at most
    assert (scale * (codes.long() - zero) - x).abs().max() <= scale * 1.001


def test_six_decibels_per_bit():
    x = 2 * torch.rand(200_000, generator=torch.Generator().manual_seed(0), dtype=DOUBLE) - 1
    found = []
    for bits in (6, 7, 8):
        scale = absmax_scale(x, bits)
        found.append(decibels(x, dequantize(quantize(x, scale, bits), scale)))
        expected = 20 * torch.log10(torch.tensor(2.0 * largest_code(bits)))
        assert abs(found[-1] - expected) < 0.2
    assert torch.stack(found).diff().sub(6.02).abs().max() < 0.2


def test_packing_keeps_all_pairs():
    pairs = torch.tensor(list(itertools.product(range(-8, 8), repeat=2)), dtype=torch.int8)
    packed = pack_int4(pairs)
    assert packed.dtype == torch.uint8
    assert packed.unique().numel() == 256
    assert torch.equal(unpack_int4(packed), pairs)
    assert pack_int4(torch.tensor([1, -1], dtype=torch.int8)).item() == 0xF1
    with pytest.raises(ValueError, match="even, got 3"):
        pack_int4(torch.zeros(2, 3, dtype=torch.int8))


@pytest.mark.parametrize("group", [None, 2, 3, 1])
def test_quantized_linear_is_a_linear_layer_of_rounded_weights(group):
    torch.manual_seed(0)
    linear = nn.Linear(6, 5).double()
    layer = QuantizedLinear(linear, bits=4, group=group)
    parts = linear.weight.detach().split(group or 6, dim=1)
    rounded = [p.div(s := p.abs().amax(1, True) / 7).round() * s for p in parts]
    x = normal(2, 3, 6)
    torch.testing.assert_close(layer(x), F.linear(x, torch.cat(rounded, 1), linear.bias))
    assert not list(layer.parameters())
    with pytest.raises(ValueError, match="groups of 4 do not divide"):
        QuantizedLinear(linear, group=4)


def slow_gptq(weight, inputs, scale, bits, damping):
    """Optimal brain surgeon, by least squares: after each rounding, all later weights anew."""
    count = weight.shape[1]
    ridge = (damping * inputs.square().sum(0).mean()).sqrt() * torch.eye(count, dtype=DOUBLE)
    design = torch.cat([inputs, ridge])
    current, goal = weight.clone(), design @ weight.T
    for column in range(count):
        code = quantize(current[:, [column]], scale, bits)
        current[:, [column]] = dequantize(code, scale)
        done = column + 1
        if done < count:
            rest = goal - design[:, :done] @ current[:, :done].T
            current[:, done:] = torch.linalg.lstsq(design[:, done:], rest).solution.T
    return quantize(current, scale, bits)


@pytest.mark.parametrize("bits", [2, 3, 4])
def test_gptq_solves_least_squares_after_each_column(bits):
    weight, inputs = normal(5, 7), normal(40, 7, seed=1) @ normal(7, 7, seed=2)
    scale = absmax_scale(weight, bits, dim=-1)
    found = gptq(weight, inputs, scale, bits)
    assert torch.equal(found, slow_gptq(weight, inputs, scale, bits, 0.01))
    nearest = quantize(weight, scale, bits)

    def error(codes):
        return (inputs @ (weight - dequantize(codes, scale)).T).square().sum()

    assert error(found) < 0.8 * error(nearest)


def test_gptq_with_uncorrelated_inputs_or_great_damping_is_rounding():
    weight = normal(5, 7)
    scale = absmax_scale(weight, 3, dim=-1)
    nearest = quantize(weight, scale, 3)
    assert torch.equal(gptq(weight, torch.eye(7, dtype=DOUBLE), scale, 3), nearest)
    assert torch.equal(gptq(weight, normal(40, 7), scale, 3, damping=1e9), nearest)


def test_straight_through_is_torchs_fake_quantization():
    x = normal(5, 7).float().requires_grad_()
    scale = torch.tensor(0.4)
    found = straight_through(x, scale, 3)
    (gradient,) = torch.autograd.grad(found.square().sum(), x)
    zero = torch.zeros((), dtype=torch.int32)
    expected = torch.fake_quantize_per_tensor_affine(x, scale, zero, -3, 3)
    torch.testing.assert_close(found, expected)
    inside = x.detach().abs() <= 1.2
    torch.testing.assert_close(gradient, torch.where(inside, 2 * expected, 0.0))
    assert torch.equal(found, dequantize(quantize(x.detach(), scale, 3), scale))


def test_distillation_is_a_cross_entropy_with_soft_targets():
    student, teacher, labels = normal(5, 7).requires_grad_(), normal(5, 7, seed=1), torch.arange(5)
    teacher.requires_grad_()
    loss = distillation_loss(student, teacher, labels, temperature=3.0, weight=0.7)
    gradient = torch.autograd.grad(loss, [student, teacher], allow_unused=True)
    soft = F.cross_entropy(student / 3, (teacher.detach() / 3).softmax(-1))
    expected = 0.7 * 9 * soft + 0.3 * F.cross_entropy(student, labels)
    torch.testing.assert_close(gradient[0], torch.autograd.grad(expected, student)[0])
    assert gradient[1] is None
    same = distillation_loss(teacher, teacher, labels, temperature=2.0, weight=1.0)
    assert abs(same) < 1e-12


def test_at_a_high_temperature_logits_are_matched():
    student = normal(5, 7).requires_grad_()
    teacher = normal(5, 7, seed=1)
    loss = distillation_loss(student, teacher, torch.arange(5), temperature=1e4, weight=1.0)
    (gradient,) = torch.autograd.grad(loss, student)
    centered = [one.detach() - one.detach().mean(1, keepdim=True) for one in (student, teacher)]
    torch.testing.assert_close(gradient, (centered[0] - centered[1]) / 35, rtol=1e-3, atol=1e-6)


def test_masks_rank_all_weights_together():
    weights = [torch.tensor([[3.0, -1.0], [0.5, 2.0]]), torch.tensor([-4.0, 0.1, 1.0])]
    masks = magnitude_masks(weights, 4 / 7)
    assert [mask.tolist() for mask in masks] == [
        [[True, False], [False, True]],
        [True, False, False],
    ]
    halves = magnitude_masks([torch.ones(5)], 0.4)
    assert halves[0].tolist() == [False, False, True, True, True]


def test_units_without_effect_are_removed_without_effect():
    torch.manual_seed(0)
    first, second = nn.Linear(3, 7).double(), nn.Linear(7, 2).double()
    with torch.no_grad():
        second.weight[:, [1, 4]] = 0
    small = prune_units(first, second, 5)
    x = normal(11, 3)
    torch.testing.assert_close(small[1](small[0](x).relu()), second(first(x).relu()))
    assert torch.equal(small[0].weight, first.weight[[0, 2, 3, 5, 6]])
