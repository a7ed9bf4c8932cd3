"""`solutions.convolution` against torch.nn, autograd and finite differences."""

import itertools
from functools import partial

import draws
import pytest
import torch
from draws import draw
from torch import nn
from torch.autograd import gradcheck
from torch.nn import functional as F
from torch.utils.flop_counter import FlopCounterMode

from solutions.convolution import (
    Conv2d,
    ConvNeXtBlock,
    LeNet,
    PreActivationBlock,
    ResidualBlock,
    ResNet,
    avg_pool2d,
    conv2d,
    conv2d_cost,
    conv2d_input_gradient,
    conv2d_matrix,
    conv2d_weight_gradient,
    correlate2d,
    max_pool2d,
    output_size,
    receptive_field,
    shift,
    unfold,
)

assert_equal = partial(draws.assert_equal, rtol=1e-11, atol=1e-12)

SETTINGS = [
    {"stride": stride, "padding": padding, "dilation": dilation}
    for stride, padding, dilation in itertools.product((1, 2, 3), (0, 1, 4), (1, 2))
]


def weighted(output):
    """A sum in which every entry counts differently."""
    return (output * torch.cos(torch.arange(output.numel()).reshape(output.shape))).sum()


def assert_same_with_gradients(ours, theirs, *inputs):
    """Equal outputs, and equal gradients of a weighted sum of them."""
    leaves = [x.clone().requires_grad_() for x in inputs]
    copies = [x.clone().requires_grad_() for x in inputs]
    left, right = ours(*leaves), theirs(*copies)
    assert_equal(left, right)
    got = torch.autograd.grad(weighted(left), leaves)
    expected = torch.autograd.grad(weighted(right), copies)
    for one, other in zip(got, expected, strict=True):
        assert_equal(one, other)


# shifts and sizes


def test_shift_moves_and_fills_with_zeros(rng):
    x = draw(rng, 2, 5, 7)
    moved = shift(x, down=2, right=-3)
    assert torch.equal(moved[:, 2:, :4], x[:, :3, 3:])
    assert moved.count_nonzero() == 2 * 3 * 4
    assert torch.equal(shift(x), x)
    assert not shift(x, down=9, right=1).any()
    assert not shift(x, right=-7).any()
    assert torch.equal(shift(shift(x, right=1), right=-1)[..., :-1], x[..., :-1])


def test_output_size_is_that_of_torch():
    for n, k, s, p, d in itertools.product(range(1, 14), (1, 2, 5), (1, 2, 3), (0, 2), (1, 3)):
        kernel, settings = torch.zeros(1, 1, k), {"stride": s, "padding": p, "dilation": d}
        if d * (k - 1) + 1 > n + 2 * p:
            with pytest.raises(ValueError, match=rf"does not fit into {n} \+ 2·{p}; take"):
                output_size(n, k, **settings)
        else:
            expected = F.conv1d(torch.zeros(1, 1, n), kernel, **settings).shape[-1]
            assert output_size(n, k, **settings) == expected


# convolution, in every way


@pytest.mark.parametrize("shape", [(3, 2), (1, 1), (7, 11)])
def test_loops(rng, shape):
    x, kernel = draw(rng, 7, 11), draw(rng, *shape)
    assert_equal(correlate2d(x, kernel), F.conv2d(x[None, None], kernel[None, None])[0, 0])


@pytest.mark.parametrize("steps", SETTINGS, ids=str)
def test_unfold(rng, steps):
    x = draw(rng, 2, 3, 11, 13)
    assert_same_with_gradients(
        lambda x: unfold(x, (5, 2), **steps), lambda x: F.unfold(x, (5, 2), **steps), x
    )


@pytest.mark.parametrize("steps", SETTINGS, ids=str)
def test_conv2d(rng, steps):
    inputs = draw(rng, 2, 3, 11, 13), draw(rng, 5, 3, 5, 2), draw(rng, 5)
    assert_same_with_gradients(
        lambda *args: conv2d(*args, **steps), lambda *args: F.conv2d(*args, **steps), *inputs
    )
    without = inputs[:2]
    assert_equal(conv2d(*without, **steps), F.conv2d(*without, **steps))


def test_pooling_of_no_picture_is_empty(rng):
    nothing = draw(rng, 0, 3, 7, 5)
    for ours, theirs in ((max_pool2d, F.max_pool2d), (avg_pool2d, F.avg_pool2d)):
        assert_same_with_gradients(lambda x, f=ours: f(x, 2), lambda x, f=theirs: f(x, 2), nothing)


def test_conv2d_of_no_picture_is_empty(rng):
    inputs = draw(rng, 0, 4, 7, 5), draw(rng, 6, 2, 2, 3), draw(rng, 6)
    assert_same_with_gradients(
        lambda *args: conv2d(*args, groups=2, padding=1),
        lambda *args: F.conv2d(*args, groups=2, padding=1),
        *inputs,
    )


@pytest.mark.parametrize(("channels", "filters", "groups"), [(6, 10, 2), (6, 3, 3), (7, 14, 7)])
def test_groups(rng, channels, filters, groups):
    inputs = draw(rng, 2, channels, 7, 5), draw(rng, filters, channels // groups, 3, 2)
    inputs = *inputs, draw(rng, filters)
    assert_same_with_gradients(
        lambda *args: conv2d(*args, groups=groups, padding=1),
        lambda *args: F.conv2d(*args, groups=groups, padding=1),
        *inputs,
    )


@pytest.mark.parametrize("steps", SETTINGS, ids=str)
def test_the_matrix_is_the_convolution_and_its_transpose_the_gradient(rng, steps):
    x, weight = draw(rng, 2, 3, 7, 11), draw(rng, 5, 3, 2, 3)
    matrix = conv2d_matrix(weight, x.shape[2:], **steps)
    y = F.conv2d(x, weight, **steps)
    assert_equal(x.flatten(1) @ matrix.T, y.flatten(1))
    grad = draw(rng, *y.shape)
    back = conv2d_input_gradient(grad, weight, x.shape[2:], **steps)
    assert_equal((grad.flatten(1) @ matrix).reshape(x.shape), back)


@pytest.mark.parametrize("steps", SETTINGS, ids=str)
def test_gradients_by_hand(rng, steps):
    x, weight = draw(rng, 2, 3, 11, 13).requires_grad_(), draw(rng, 5, 3, 5, 2).requires_grad_()
    y = F.conv2d(x, weight, **steps)
    grad = draw(rng, *y.shape)
    expected = torch.autograd.grad(y, (x, weight), grad)
    x, weight = x.detach(), weight.detach()
    assert_equal(conv2d_input_gradient(grad, weight, x.shape[2:], **steps), expected[0])
    assert_equal(conv2d_weight_gradient(grad, x, weight.shape[2:], **steps), expected[1])


def test_input_gradient_is_the_transposed_convolution_of_torch(rng):
    grad, weight = draw(rng, 2, 5, 3, 4), draw(rng, 5, 3, 3, 2)
    theirs = F.conv_transpose2d(grad, weight, stride=2, padding=1)
    assert_equal(conv2d_input_gradient(grad, weight, theirs.shape[2:], stride=2, padding=1), theirs)


def test_gradients_against_finite_differences(rng):
    x, weight = draw(rng, 1, 2, 5, 4).requires_grad_(), draw(rng, 2, 1, 2, 3).requires_grad_()
    settings = {"stride": 2, "padding": 1, "groups": 2}
    assert gradcheck(lambda x, w: conv2d(x, w, **settings), (x, weight))
    assert gradcheck(lambda x: max_pool2d(x, 2), x)
    assert gradcheck(lambda x: avg_pool2d(x, 3, stride=1), x)


# pooling


@pytest.mark.parametrize("kernel_size", [1, 2, 3, 5])
@pytest.mark.parametrize("stride", [None, 1, 2, 3])
def test_pooling(rng, kernel_size, stride):
    x = draw(rng, 2, 3, 7, 11)
    for ours, theirs in ((max_pool2d, F.max_pool2d), (avg_pool2d, F.avg_pool2d)):
        assert_same_with_gradients(
            lambda x, ours=ours: ours(x, kernel_size, stride=stride),
            lambda x, theirs=theirs: theirs(x, kernel_size, stride=stride),
            x,
        )


def test_of_equals_the_first_gets_the_gradient(rng):
    x = draw(rng, 2, 3, 7, 11).relu()  # with windows of zeros alone
    assert (F.max_pool2d(x, 2) == 0).any()
    assert_same_with_gradients(lambda x: max_pool2d(x, 2), lambda x: F.max_pool2d(x, 2), x)


# costs and fields


@pytest.mark.parametrize(("stride", "padding", "groups"), [(1, 0, 1), (2, 1, 2), (3, 2, 1)])
def test_cost_is_what_torch_counts(stride, padding, groups):
    settings = {"stride": stride, "padding": padding, "groups": groups}
    layer = nn.Conv2d(6, 10, 3, **settings)
    with FlopCounterMode(display=False) as counter:
        layer(torch.zeros(1, 6, 11, 11))
    parameters = sum(p.numel() for p in layer.parameters())
    expected = parameters, counter.get_total_flops() // 2
    assert conv2d_cost(6, 10, 3, size=11, **settings) == expected


def test_receptive_field_is_where_the_gradient_is(rng):
    layers = [(3, 1, 1, 1), (2, 2, 1, 0), (3, 1, 2, 2), (3, 2, 1, 0), (3, 1, 1, 1)]
    x = draw(rng, 1, 1, 97, 97).requires_grad_()
    y = x
    for kernel_size, stride, dilation, padding in layers:
        weight = draw(rng, 1, 1, kernel_size, kernel_size).abs()
        y = conv2d(y, weight, stride=stride, dilation=dilation, padding=padding)
    field, step, start = receptive_field(layers)
    seen = []
    for column in (7, 8):
        (grad,) = torch.autograd.grad(y[0, 0, 7, column], x, retain_graph=True)
        columns = grad[0, 0].abs().sum(0).nonzero().flatten()
        seen.append(columns)
    assert seen[0][-1] - seen[0][0] + 1 == field
    assert seen[0][0] == start + 7 * step
    assert seen[1][0] - seen[0][0] == step
    assert start < 0
    assert receptive_field([]) == (1, 1, 0)


# modules


@pytest.mark.parametrize("bias", [True, False])
def test_layer_is_that_of_torch(rng, bias):
    settings = {"kernel_size": 3, "stride": 2, "padding": 1, "dilation": 2, "groups": 2}
    ours = Conv2d(6, 10, bias=bias, **settings).double()
    theirs = nn.Conv2d(6, 10, bias=bias, dtype=torch.float64, **settings)
    ours.load_state_dict(theirs.state_dict())
    x = draw(rng, 2, 6, 11, 7)
    assert_same_with_gradients(ours, theirs, x)
    for got, expected in zip(
        torch.autograd.grad(weighted(ours(x)), list(ours.parameters())),
        torch.autograd.grad(weighted(theirs(x)), list(theirs.parameters())),
        strict=True,
    ):
        assert_equal(got, expected)
    fresh = Conv2d(6, 10, bias=bias, **settings).double()
    theirs.load_state_dict(fresh.state_dict())
    assert_equal(fresh(x), theirs(x))
    bound = (3 * 9) ** -0.5  # as torch draws
    assert 0.9 * bound < fresh.weight.abs().max() < bound


def test_lenet_is_the_sequence_of_its_layers(rng):
    ours = LeNet(2, 7, size=13).double()
    theirs = nn.Sequential(
        *(nn.Conv2d(2, 6, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(6, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Flatten(), nn.Linear(16 * 9, 120), nn.ReLU()),
        *(nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 7)),
    ).double()
    names = dict(zip(theirs.state_dict(), ours.state_dict().values(), strict=True))
    theirs.load_state_dict(names)
    assert_same_with_gradients(ours, theirs, draw(rng, 3, 2, 13, 13))


class BasicBlock(nn.Module):
    """The block as torch's layers make it."""

    def __init__(self, inside, outside, stride, residual):
        super().__init__()
        self.conv1 = nn.Conv2d(inside, outside, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(outside)
        self.conv2 = nn.Conv2d(outside, outside, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(outside)
        changes = stride != 1 or inside != outside
        if residual and changes:
            self.shortcut = nn.Conv2d(inside, outside, 1, stride, bias=False)
        self.residual, self.changes = residual, changes

    def forward(self, x):
        y = self.norm2(self.conv2(F.relu(self.norm1(self.conv1(x)))))
        if not self.residual:
            return F.relu(y)
        return F.relu(y + (self.shortcut(x) if self.changes else x))


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("residual", [True, False])
@pytest.mark.parametrize(
    ("inside", "outside", "stride"), [(3, 3, 1), (3, 5, 1), (3, 3, 2), (2, 5, 2)]
)
def test_residual_block(rng, inside, outside, stride, residual, training):
    ours = ResidualBlock(inside, outside, stride=stride, residual=residual).double()
    theirs = BasicBlock(inside, outside, stride, residual).double()
    for name, value in ours.state_dict().items():
        if value.is_floating_point():
            value.copy_(draw(rng, *value.shape).abs() if "var" in name else draw(rng, *value.shape))
    theirs.load_state_dict(ours.state_dict())
    ours.train(training), theirs.train(training)
    x = draw(rng, 3, inside, 7, 5)
    assert_same_with_gradients(ours, theirs, x)


def test_a_block_that_adds_nothing_is_the_identity(rng):
    block = ResidualBlock(3, 3).double()
    nn.init.zeros_(block.norm2.weight)
    x = draw(rng, 2, 3, 5, 7).relu()
    assert torch.equal(block(x), x)


@pytest.mark.parametrize(
    ("inside", "outside", "stride"), [(3, 3, 1), (3, 5, 1), (3, 3, 2), (2, 5, 2)]
)
def test_pre_activation_block(rng, inside, outside, stride):
    block = PreActivationBlock(inside, outside, stride=stride).double()
    for parameter in block.parameters():
        parameter.data = draw(rng, *parameter.shape)
    x = draw(rng, 3, inside, 7, 5)

    def by_torch(x):
        way = x
        for norm, conv, step in (
            (block.norm1, block.conv1, stride),
            (block.norm2, block.conv2, 1),
        ):
            x = F.relu(F.batch_norm(x, None, None, norm.weight, norm.bias, training=True))
            x = F.conv2d(x, conv.weight, stride=step, padding=1)
        if block.shortcut is not None:
            way = F.conv2d(way, block.shortcut.weight, stride=stride)
        return way + x

    assert_same_with_gradients(block, by_torch, x)
    assert (block.shortcut is None) == (stride == 1 and inside == outside)


def test_pre_activation_that_adds_nothing_is_the_identity_for_any_sign(rng):
    block = PreActivationBlock(3, 3).double()
    nn.init.zeros_(block.conv2.weight)
    x = draw(rng, 2, 3, 5, 7)
    assert torch.equal(block(x), x)


def test_convnext_block(rng):
    block = ConvNeXtBlock(3).double()
    assert torch.equal(block.scale, torch.full((3,), 1e-6).double())
    for parameter in block.parameters():
        parameter.data = draw(rng, *parameter.shape)

    def by_torch(x):  # with 1×1 convolutions
        h = F.conv2d(x, block.conv.weight, block.conv.bias, padding=3, groups=3)
        off = h - h.mean(1, keepdim=True)
        h = off / (off.square().mean(1, keepdim=True) + 1e-6).sqrt()
        h = h * block.norm.weight[:, None, None] + block.norm.bias[:, None, None]
        h = F.gelu(F.conv2d(h, block.widen.weight[:, :, None, None], block.widen.bias))
        h = F.conv2d(h, block.narrow.weight[:, :, None, None], block.narrow.bias)
        return x + block.scale[:, None, None] * h

    assert_same_with_gradients(block, by_torch, draw(rng, 2, 3, 5, 7))


def test_resnet(rng):
    net = ResNet(2, 7, channels=(3, 5, 11), blocks=2).double().eval()
    assert len(net.blocks) == 6
    convolutions = [name for name, m in net.named_modules() if isinstance(m, Conv2d)]
    assert sum("shortcut" not in name for name in convolutions) == 2 * 2 * 3 + 1
    x = draw(rng, 3, 2, 9, 13)
    sizes = []
    for block in net.blocks:
        block.register_forward_hook(lambda *args: sizes.append(tuple(args[2].shape[1:])))
    y = net(x)
    assert y.shape == (3, 7)
    assert sizes == [*[(3, 9, 13)] * 2, *[(5, 5, 7)] * 2, *[(11, 3, 4)] * 2]
    h = F.relu(net.norm(F.conv2d(x, net.conv.weight, padding=1)))
    assert_equal(y, net.fc(F.adaptive_avg_pool2d(net.blocks(h), 1).flatten(1)))
    even = ResNet(2, 7, channels=(3, 3), blocks=2)  # a stage halves even if its channels stay
    assert [block.conv1.steps["stride"] for block in even.blocks] == [1, 1, 2, 1]
    assert [block.shortcut is None for block in even.blocks] == [True, True, False, True]
    plain = ResNet(2, 7, channels=(3, 5, 11), blocks=2, residual=False)
    assert not any("shortcut" in name for name, _ in plain.named_parameters())
    assert all(not block.residual for block in plain.blocks)


# errors, inputs, devices


def test_channels_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match=r"5 filters for 3 channels each, in 1 groups.*of 2 chann"):
        conv2d(torch.zeros(1, 2, 5, 5), torch.zeros(5, 3, 2, 2))
    with pytest.raises(ValueError, match="filters / groups whole"):
        conv2d(torch.zeros(1, 4, 5, 5), torch.zeros(5, 2, 2, 2), groups=2)


def test_inputs_stay_as_they_are(rng):
    x, weight, grad = draw(rng, 2, 3, 5, 7), draw(rng, 2, 3, 2, 2), draw(rng, 2, 2, 4, 6)
    before = [value.clone() for value in (x, weight, grad)]
    conv2d(x, weight), max_pool2d(x, 2), avg_pool2d(x, 2), unfold(x, (2, 2)), shift(x, down=1)
    conv2d_input_gradient(grad, weight, (5, 7)), conv2d_weight_gradient(grad, x, (2, 2))
    LeNet(3).double()(draw(rng, 2, 3, 8, 8)), ResNet(3).double()(x)
    assert all(map(torch.equal, before, (x, weight, grad)))


@pytest.mark.cuda
def test_everything_runs_on_cuda(rng):
    x = draw(rng, 2, 1, 8, 8)
    for make in (LeNet, ResNet):
        net = make(device="cuda").double().eval()
        assert all(p.device.type == "cuda" for p in net.parameters())
        torch.testing.assert_close(net(x.cuda()).cpu(), net.cpu()(x), rtol=1e-9, atol=1e-10)
    weight, grad = draw(rng, 3, 1, 2, 2), draw(rng, 2, 3, 7, 7)
    for ours, args in (
        (conv2d, (x, weight)),
        (lambda w: conv2d_matrix(w, (5, 7)), (weight,)),
        (lambda g, w: conv2d_input_gradient(g, w, (8, 8)), (grad, weight)),
        (lambda g, x: conv2d_weight_gradient(g, x, (2, 2)), (grad, x)),
        (lambda x: max_pool2d(x, 3, stride=2), (x,)),
        (lambda x: avg_pool2d(x, 2), (x,)),
    ):
        there = ours(*(arg.cuda() for arg in args))
        assert there.device.type == "cuda"
        torch.testing.assert_close(there.cpu(), ours(*args), rtol=1e-10, atol=1e-12)
