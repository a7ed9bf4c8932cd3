"""`solutions.mlp` against torch.nn, autograd, finite differences and torch's own counter."""

import math
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
import torch
from draws import assert_equal, draw
from torch import nn
from torch.nn import functional as F
from torch.utils.flop_counter import FlopCounterMode

from solutions import mlp as chapter
from solutions.mlp import (
    MLP,
    SwiGLU,
    Value,
    activate,
    activation_backward,
    backward,
    collapse,
    forward,
    gelu,
    interpolate,
    jvp,
    linear_backward,
    memory_bytes,
    multiply_adds,
    numerical_gradient,
    random_start,
    recomputing_backward,
    relu,
    reverse_mode,
    sigmoid,
    softmax_jacobian,
    topological_order,
    train_step,
)

B, SIZES = 11, (7, 13, 5, 3)
THEIRS = {
    "relu": F.relu,
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
    "identity": lambda a: a,
}


def network(rng, sizes=SIZES):
    """Weights and biases, all random."""
    weights = [draw(rng, d_out, d_in, scale=d_in**-0.5) for d_in, d_out in pairwise(sizes)]
    return weights, [draw(rng, d_out) for d_out in sizes[1:]]


def labels(rng, count=B, classes=SIZES[-1]):
    return torch.randint(classes, (count,), generator=rng)


def sequential(weights, biases, activation):
    """The same network by `torch.nn`."""
    module = {"relu": nn.ReLU, "sigmoid": nn.Sigmoid, "tanh": nn.Tanh, "identity": nn.Identity}
    layers = []
    for weight, bias in zip(weights, biases, strict=True):
        layer = nn.Linear(*reversed(weight.shape), dtype=weight.dtype)
        layer.load_state_dict({"weight": weight, "bias": bias})
        layers += [layer, module[activation]()]
    return nn.Sequential(*layers[:-1])


def assert_all_equal(got, expected):
    for one, other in zip(got, expected, strict=True):
        assert_equal(one, other)


# activations


@pytest.mark.parametrize("name", THEIRS)
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e3])
def test_activations_are_those_of_torch(rng, name, scale):
    a = draw(rng, B, 7, scale=scale)
    a[0, :3] = torch.tensor([0.0, 40.0, -40.0])
    ours, theirs = a.clone().requires_grad_(), a.clone().requires_grad_()
    left, right = activate(ours, name), THEIRS[name](theirs)
    assert_equal(left, right)
    grad = draw(rng, B, 7)
    (slope,) = torch.autograd.grad(left, ours, grad)
    (expected,) = torch.autograd.grad(right, theirs, grad)
    assert_equal(slope, expected)
    assert_equal(activation_backward(grad, left.detach(), name), expected)


def test_activations_keep_the_type_and_what_is_not_a_number():
    a = torch.tensor([-math.inf, -1.0, 0.0, 2.0, math.inf, math.nan])
    assert relu(a).dtype == sigmoid(a).dtype == torch.float32
    assert torch.equal(relu(a)[:5], torch.tensor([0.0, 0.0, 0.0, 2.0, math.inf]))
    assert relu(a)[5].isnan()
    assert sigmoid(a)[5].isnan()
    tiny = sigmoid(torch.tensor(-80.0, dtype=torch.float64))
    assert tiny.item() == pytest.approx(math.exp(-80), rel=1e-12)  # not rounded to 0


def test_activations_do_not_share_memory(rng):
    a = draw(rng, 3)
    for name in THEIRS:
        before = a.clone()
        activate(a, name).add_(1.0)
        activation_backward(a, a, name).add_(1.0)
        assert torch.equal(a, before)


def test_softmax_jacobian(rng):
    z = draw(rng, 3, 5)
    got = softmax_jacobian(z)
    for row, matrix in zip(z, got, strict=True):
        expected = torch.autograd.functional.jacobian(lambda z: z.softmax(0), row)
        assert_equal(matrix, expected)
    assert_equal(got.sum(-1), torch.zeros(3, 5, dtype=torch.float64))
    assert_equal(softmax_jacobian(z[0]), got[0])
    large = softmax_jacobian(torch.tensor([1e4, -1e4, 1e4], dtype=torch.float64))
    assert_equal(large[0], torch.tensor([0.25, 0.0, -0.25], dtype=torch.float64))


COARSE = {torch.float64: 1e-12, torch.float32: 1e-5, torch.bfloat16: 2e-2, torch.float16: 3e-3}


@pytest.mark.parametrize("dtype", COARSE)
@pytest.mark.parametrize("shape", [(), (0,), (1,), (3, 0), (5, 7)])
@pytest.mark.parametrize("name", ["relu", "sigmoid", "tanh", "gelu"])
def test_activations_in_every_dtype_size_and_layout(rng, name, shape, dtype):
    reference = {**THEIRS, "gelu": F.gelu}[name]
    call = gelu if name == "gelu" else partial(activate, activation=name)
    a = (4 * torch.randn((*shape, 2), generator=rng)).to(dtype)[..., 0]  # not contiguous
    left, right = a.detach().requires_grad_(), a.detach().requires_grad_()
    got, want = call(left), reference(right)
    assert got.dtype == dtype
    assert got.shape == shape
    got.sum().backward()
    want.sum().backward()
    for one, other in ((got, want), (left.grad, right.grad)):
        torch.testing.assert_close(one, other, rtol=COARSE[dtype], atol=COARSE[dtype])


def test_activations_of_infinities():
    a = torch.tensor([-math.inf, -1e300, 1e300, math.inf], dtype=torch.float64)
    for name, low, high in (("relu", 0, math.inf), ("sigmoid", 0, 1), ("tanh", -1, 1)):
        got = activate(a, name)
        assert (got[0].item(), got[3].item()) == (low, high)
        assert got.isnan().sum() == 0
    assert gelu(a[1:]).tolist() == [0.0, 1e300, math.inf]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_a_step_in_half_precision_is_near_that_in_float32(rng, dtype):
    weights, biases = ([part.float() for part in group] for group in network(rng))
    x, y = draw(rng, B, 7).float(), labels(rng)
    settings = {"activation": "tanh", "learning_rate": 0.3}
    want = train_step(x, y, weights=weights, biases=biases, **settings)
    half = [[part.to(dtype) for part in group] for group in (weights, biases)]
    got = train_step(x.to(dtype), y, weights=half[0], biases=half[1], **settings)
    for one, other in zip((got[0], *got[1], *got[2]), (want[0], *want[1], *want[2]), strict=True):
        assert one.dtype == dtype
        # bfloat16 keeps 8 bits, 0.4 % a rounding, and several layers add up
        torch.testing.assert_close(one.float(), other, rtol=0.05, atol=0.05)


@pytest.mark.parametrize("make", [lambda: MLP(SIZES), lambda: SwiGLU(7, 5, outputs=3)])
def test_modules_under_autocast(rng, make):
    net, x = make(), torch.randn(B, 7, generator=rng)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        scores = net(x)
        loss = F.cross_entropy(scores, labels(rng))
    loss.backward()
    # the products are in bfloat16, which keeps 8 bits: 0.4 % a rounding
    torch.testing.assert_close(scores.float(), net(x), rtol=0.05, atol=0.05)
    assert all(parameter.grad.isfinite().all() for parameter in net.parameters())


# stacks


@pytest.mark.parametrize("sizes", [(7, 3), (7, 2, 5), SIZES])
def test_collapse(rng, sizes):
    weights, biases = network(rng, sizes)
    x = draw(rng, B, 7)
    weight, bias = collapse(weights, biases)
    scores, _ = forward(x, weights, biases, activation="identity")
    assert_equal(F.linear(x, weight, bias), scores)
    assert torch.linalg.matrix_rank(weight) == min(sizes)


def test_linear_backward(rng):
    x, weight, bias = (draw(rng, *shape).requires_grad_() for shape in ((B, 7), (5, 7), (5,)))
    grad = draw(rng, B, 5)
    expected = torch.autograd.grad(F.linear(x, weight, bias), (x, weight, bias), grad)
    assert_all_equal(linear_backward(grad, x.detach(), weight.detach()), expected)


@pytest.mark.parametrize("activation", THEIRS)
@pytest.mark.parametrize("sizes", [(7, 3), (7, 11, 3), SIZES])
def test_forward_and_backward_are_those_of_torch(rng, activation, sizes):
    weights, biases = network(rng, sizes)
    net = sequential(weights, biases, activation)
    x = draw(rng, B, 7)
    scores, outputs = forward(x, weights, biases, activation=activation)
    assert_equal(scores, net(x).detach())
    assert len(outputs) == len(weights)
    expected = [x]
    for layer in range(0, len(net) - 1, 2):
        expected.append(net[: layer + 2](x).detach())
    assert_all_equal(outputs, expected)

    grad = draw(rng, B, sizes[-1])
    leaf = x.clone().requires_grad_()
    slopes = torch.autograd.grad(net(leaf), (leaf, *net.parameters()), grad)
    got_x, got_weights, got_biases = backward(grad, outputs, weights, activation=activation)
    assert_equal(got_x, slopes[0])
    assert_all_equal(got_weights, slopes[1::2])
    assert_all_equal(got_biases, slopes[2::2])


def test_a_batch_may_be_empty(rng):
    weights, biases = network(rng)
    scores, outputs = forward(draw(rng, 0, 7), weights, biases, activation="tanh")
    got, by_weight, by_bias = backward(scores, outputs, weights, activation="tanh")
    assert scores.shape == (0, 3)
    assert got.shape == (0, 7)
    assert all(not slope.any() for slope in (*by_weight, *by_bias))
    assert jvp(draw(rng, 0, 7), outputs, weights, activation="tanh").shape == (0, 3)
    _, *moved = train_step(
        draw(rng, 0, 7),
        labels(rng, 0),
        weights=weights,
        biases=biases,
        activation="tanh",
        learning_rate=0.3,
    )
    assert_all_equal((*moved[0], *moved[1]), (*weights, *biases))  # the loss is NaN, as torch's is


@pytest.mark.parametrize("activation", THEIRS)
@pytest.mark.parametrize("sizes", [(7, 3), (7, 11, 3), SIZES])
def test_jvp_is_that_of_torch(rng, activation, sizes):
    weights, biases = network(rng, sizes)
    x, tangent = draw(rng, B, 7), draw(rng, B, 7)
    _, outputs = forward(x, weights, biases, activation=activation)
    got = jvp(tangent, outputs, weights, activation=activation)
    _, want = torch.func.jvp(sequential(weights, biases, activation), (x,), (tangent,))
    assert_equal(got, want.detach())


@pytest.mark.parametrize("activation", THEIRS)
@pytest.mark.parametrize("every", [1, 2, 3, 5, 8])
def test_recomputing_backward_is_backward(rng, activation, every):
    weights, biases = network(rng, (7, 3, 5, 2, 11, 3))
    scores, outputs = forward(draw(rng, B, 7), weights, biases, activation=activation)
    want = backward(scores, outputs, weights, activation=activation)
    got = recomputing_backward(
        scores, outputs[::every], weights, biases, activation=activation, every=every
    )
    assert_equal(got[0], want[0])
    assert_all_equal(got[1], want[1])
    assert_all_equal(got[2], want[2])


@pytest.mark.parametrize("count", [2, 3, 11])
def test_interpolate_runs_through_its_points(rng, count):
    knots, values = draw(rng, count).sort().values, draw(rng, count)
    weights, biases = interpolate(knots, values)
    assert [tuple(weight.shape) for weight in weights] == [(count - 1, 1), (1, count - 1)]
    line = torch.linspace(knots[0], knots[-1], 101, dtype=torch.float64)
    got, _ = forward(line[:, None], weights, biases, activation="relu")
    want = np.interp(line.numpy(), knots.numpy(), values.numpy())
    torch.testing.assert_close(got[:, 0], torch.from_numpy(want), rtol=1e-9, atol=1e-9)
    before, _ = forward(knots[:1, None] - 3, weights, biases, activation="relu")
    assert_equal(before[0], values[:1])


@pytest.mark.parametrize("activation", ["sigmoid", "tanh"])
@pytest.mark.parametrize("layer", [0, 1, 2, -1])
def test_numerical_gradient(rng, activation, layer):
    weights, biases = network(rng)
    x, y = draw(rng, B, 7), labels(rng)
    scores, outputs = forward(x, weights, biases, activation=activation)
    grad = (scores.softmax(1) - F.one_hot(y, 3)) / B
    _, by_hand, _ = backward(grad, outputs, weights, activation=activation)
    errors = []
    for step in (1e-2, 1e-3):
        measured = numerical_gradient(
            x, y, weights=weights, biases=biases, activation=activation, layer=layer, step=step
        )
        errors.append((measured - by_hand[layer]).norm() / by_hand[layer].norm())
    assert errors[0] < 1e-3
    assert 90 < errors[0] / errors[1] < 110  # the error falls with the square of the step


@pytest.mark.parametrize("activation", THEIRS)
def test_train_step_is_that_of_sgd(rng, activation):
    weights, biases = network(rng)
    copies = [parameter.clone() for parameter in (*weights, *biases)]
    net = sequential(weights, biases, activation)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.3)
    new_weights, new_biases = weights, biases
    x, y = draw(rng, B, 7), labels(rng)
    for _ in range(5):
        optimizer.zero_grad()
        expected = F.cross_entropy(net(x), y)
        expected.backward()
        optimizer.step()
        loss, new_weights, new_biases = train_step(
            x, y, weights=new_weights, biases=new_biases, activation=activation, learning_rate=0.3
        )
        assert_equal(loss, expected.detach())
    parameters = [parameter.detach() for parameter in net.parameters()]
    assert_all_equal(new_weights, parameters[0::2])
    assert_all_equal(new_biases, parameters[1::2])
    assert all(map(torch.equal, (*weights, *biases), copies))


def test_random_start_is_that_of_linear():
    weights, biases = random_start((64, 301, 17), generator=torch.Generator().manual_seed(0))
    assert [tuple(weight.shape) for weight in weights] == [(301, 64), (17, 301)]
    assert [tuple(bias.shape) for bias in biases] == [(301,), (17,)]
    for weight, bias in zip(weights, biases, strict=True):
        layer, limit = nn.Linear(*reversed(weight.shape)), weight.shape[1] ** -0.5
        assert weight.dtype == torch.float32
        assert weight.abs().max() <= limit
        assert bias.abs().max() <= limit
        assert weight.std().item() == pytest.approx(layer.weight.std().item(), rel=0.03)
        assert abs(weight.mean().item()) < 0.03 * limit


# any graph


def test_topological_order_lists_parents_first(rng):
    parents = [[]] + [
        torch.randint(node, (int(torch.randint(4, (), generator=rng)),), generator=rng).tolist()
        for node in range(1, 60)
    ]
    mixed = torch.randperm(60, generator=rng).tolist()  # numbers that say nothing about the order
    graph = [[] for _ in parents]
    for node, found in enumerate(parents):
        graph[mixed[node]] = [mixed[parent] for parent in found]
    order = topological_order(graph, mixed[59])
    assert order[-1] == mixed[59]
    assert len(set(order)) == len(order)
    for place, node in enumerate(order):
        assert set(graph[node]) <= set(order[:place])


def test_topological_order_of_a_long_chain():
    chain = [[], *([node] for node in range(50_000))]
    assert topological_order(chain, 50_000) == list(range(50_001))


def test_reverse_mode_adds_up_all_paths(rng):
    """∂z/∂v is the sum over all paths of the products along them."""
    count = 12
    parents = [list(range(node)) for node in range(count)]
    parents[5] = [2, 2]
    slopes = [draw(rng, len(found)).tolist() for found in parents]

    def paths(node, output):
        if node == output:
            return 1.0
        return sum(
            slope * paths(node, parent)
            for parent, slope in zip(parents[output], slopes[output], strict=True)
        )

    got = reverse_mode(parents, slopes, 9)
    assert_equal(got, torch.tensor([paths(node, 9) for node in range(count)], dtype=torch.float64))
    assert got[10:].tolist() == [0.0, 0.0]


def test_value_is_differentiated_like_torch(rng):
    def formula(a, b, c, relu, exp, log):
        shared = a * b + 0.5
        left = exp(shared * a)
        ratio = (2.0 - shared) / left - left**-2 / (1.0 + shared**2) + 1.0 / left - (-c) ** 3
        return relu(left - c) * shared + log(left) + 3.0 * relu(c) + ratio / 4.0 - (c - 1.0) ** 0

    numbers = draw(rng, 3).tolist()
    ours = [Value(number) for number in numbers]
    result = formula(*ours, Value.relu, Value.exp, Value.log)
    result.backward()
    theirs = [torch.tensor(number, dtype=torch.float64, requires_grad=True) for number in numbers]
    expected = formula(*theirs, torch.relu, torch.exp, torch.log)
    assert result.data == pytest.approx(expected.item(), rel=1e-13)
    slopes = torch.autograd.grad(expected, theirs)
    assert [v.grad for v in ours] == pytest.approx([s.item() for s in slopes], rel=1e-12)
    result.backward()  # a second time sets, and does not add
    assert [v.grad for v in ours] == pytest.approx([s.item() for s in slopes], rel=1e-12)


def test_value_may_be_the_end_of_a_long_chain():
    start = Value(1.0)
    total = start
    for _ in range(5_000):
        total = total + start
    total.backward()
    assert start.grad == 5_001.0


# the module


@pytest.mark.parametrize("activation", THEIRS)
def test_module_is_the_sequence_of_torch(rng, activation):
    weights, biases = network(rng)
    theirs = sequential(weights, biases, activation)
    ours = MLP(SIZES, activation=activation).double()
    linears = nn.Sequential(*(layer for layer in theirs if isinstance(layer, nn.Linear)))
    ours.layers.load_state_dict(linears.state_dict())
    linears.load_state_dict(ours.layers.state_dict())  # and the other way
    names = [f"layers.{layer}.{kind}" for layer in range(3) for kind in ("weight", "bias")]
    assert list(ours.state_dict()) == names
    x = draw(rng, 2, B, 7).requires_grad_()
    left, right = ours(x), theirs(x)
    assert_equal(left, right)
    assert_equal(left[0], forward(x[0], weights, biases, activation=activation)[0])
    left, right = left.pow(3).sum(), right.pow(3).sum()
    assert_all_equal(
        torch.autograd.grad(left, (x, *ours.parameters())),
        torch.autograd.grad(right, (x, *theirs.parameters())),
    )


def test_gates_are_those_of_torch(rng):
    net = SwiGLU(7, 5, outputs=3).double()
    assert {name: tuple(value.shape) for name, value in net.state_dict().items()} == {
        "gate.weight": (5, 7),
        "up.weight": (5, 7),
        "down.weight": (3, 5),
    }
    x = draw(rng, 2, B, 7).requires_grad_()
    want = (F.silu(x @ net.gate.weight.T) * (x @ net.up.weight.T)) @ net.down.weight.T
    parameters = (x, *net.parameters())
    assert_equal(net(x), want)
    assert_all_equal(
        torch.autograd.grad(net(x).pow(3).sum(), parameters),
        torch.autograd.grad(want.pow(3).sum(), parameters),
    )
    assert SwiGLU(7, 5)(x.float()).shape == x.shape


@pytest.mark.parametrize("make", [lambda: MLP(SIZES), lambda: SwiGLU(7, 5, outputs=3)])
def test_modules_compile_to_one_graph(rng, make):
    net, x = make(), torch.randn(B, 7, generator=rng)
    compiled = torch.compile(net, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(x), net(x))


# cost


@pytest.mark.parametrize("sizes", [(7, 3), (7, 11, 3), SIZES])
@pytest.mark.parametrize("batch", [1, B])
@pytest.mark.parametrize("input_gradient", [False, True])
def test_multiply_adds_are_those_that_torch_counts(rng, sizes, batch, input_gradient):
    net = MLP(sizes)
    x = torch.randn(batch, sizes[0], generator=rng, requires_grad=input_gradient)
    with FlopCounterMode(display=False) as counter:
        total = net(x).sum()
        ahead = counter.get_total_flops()
        total.backward()
    back = counter.get_total_flops() - ahead
    expected = multiply_adds(sizes, batch=batch, input_gradient=input_gradient)
    assert (ahead // 2, back // 2) == expected
    if input_gradient:  # and our own passes
        weights, biases = random_start(sizes, generator=rng)
        with FlopCounterMode(display=False) as counter:
            scores, outputs = forward(x.detach(), weights, biases, activation="relu")
            ahead = counter.get_total_flops()
            backward(scores, outputs, weights, activation="relu")
        assert (ahead // 2, (counter.get_total_flops() - ahead) // 2) == expected


def test_memory_is_what_the_tensors_take(rng):
    for dtype, itemsize in ((torch.float32, 4), (torch.float64, 8)):
        weights, biases = random_start(SIZES, generator=rng, dtype=dtype)
        x = torch.randn(B, SIZES[0], generator=rng, dtype=dtype)
        scores, outputs = forward(x, weights, biases, activation="tanh")
        _, weight_grads, bias_grads = backward(scores, outputs, weights, activation="tanh")
        held = {
            "parameters": weights + biases,
            "gradients": weight_grads + bias_grads,
            "outputs": outputs,
        }
        expected = {name: sum(tensor.nbytes for tensor in held[name]) for name in held}
        assert memory_bytes(SIZES, batch=B, itemsize=itemsize) == expected


# errors, devices


@pytest.mark.parametrize("call", [activate, lambda a, name: activation_backward(a, a, name)])
def test_unknown_activation_is_refused(call):
    with pytest.raises(ValueError, match="one of relu, sigmoid, tanh, identity, got 'softmax'"):
        call(torch.zeros(3), "softmax")


@pytest.mark.cuda
def test_everything_runs_on_cuda(rng):
    weights, biases = random_start(SIZES, generator=rng, dtype=torch.float64)
    x, y = draw(rng, B, 7), labels(rng)
    there = [[tensor.cuda() for tensor in group] for group in (weights, biases)]
    for activation in THEIRS:
        settings = {"activation": activation, "learning_rate": 0.3}
        got = train_step(x.cuda(), y.cuda(), weights=there[0], biases=there[1], **settings)
        expected = train_step(x, y, weights=weights, biases=biases, **settings)
        assert got[0].device.type == "cuda"
        assert_equal(got[0].cpu(), expected[0])
        for side in (1, 2):
            assert_all_equal([tensor.cpu() for tensor in got[side]], expected[side])
        settings = {"activation": activation, "layer": 1, "step": 1e-3}
        got = numerical_gradient(x.cuda(), y.cuda(), weights=there[0], biases=there[1], **settings)
        expected = numerical_gradient(x, y, weights=weights, biases=biases, **settings)
        torch.testing.assert_close(got.cpu(), expected, rtol=1e-8, atol=1e-10)
    assert MLP(SIZES, device="cuda")(x.float().cuda()).device.type == "cuda"
    assert softmax_jacobian(x.cuda()).device.type == "cuda"
    assert chapter.collapse(*there)[0].device.type == "cuda"
    made, _ = random_start(SIZES, generator=rng, device="cuda")
    assert made[0].device.type == "cuda"
