"""`solutions` beside torch's own, on inputs that nobody thinks of: dtypes, sizes, layouts, ties.

What torch computes in float64 from the same numbers is the truth. An answer in a smaller dtype may
be as far from it as torch's own in that dtype, times a few, or a few roundings.
"""

import copy
import dataclasses
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional as F

from solutions import convolution, embeddings, generative, linear, mlp, self_attention, training

DTYPES = (torch.float64, torch.float32, torch.bfloat16, torch.float16)
quick = settings(max_examples=25, deadline=None, derandomize=True, database=None)


@dataclasses.dataclass
class Draw:
    """Numbers of a dtype, in a layout and of a kind that Hypothesis chooses."""

    dtype: torch.dtype = torch.float64
    size: int = 7
    some: int = 3
    other: int = 2
    layout: str = "plain"
    kind: str = "plain"
    seed: int = 0

    def __post_init__(self):
        self.rng = torch.Generator().manual_seed(self.seed)

    def __call__(self, *shape, kind=None):
        """A tensor of that shape; ``kind`` where it is not free."""
        kind = kind or self.kind
        if self.layout == "repeated" and shape:
            numbers = self._numbers(kind, 1, *shape[1:]).expand(shape)
        elif self.layout == "transposed":
            numbers = self._numbers(kind, *shape[::-1]).permute(tuple(range(len(shape)))[::-1])
        elif self.layout == "strided":
            numbers = self._numbers(kind, *(2 * size for size in shape))
            numbers = numbers[tuple(slice(0, None, 2) for _ in shape)]
        else:
            numbers = self._numbers(kind, *shape)
        return numbers.detach().requires_grad_()

    def _numbers(self, kind, *shape):
        numbers = torch.randn(shape, generator=self.rng, dtype=torch.float64)
        if kind == "ties":
            numbers = numbers.round()
        scale = {"zeros": 0.0, "large": 1e3, "tiny": 1e-3}.get(kind, 1.0)
        return (scale * numbers).to(self.dtype)

    def labels(self, count, classes):
        return torch.randint(classes, (count,), generator=self.rng)

    def bits(self, *shape):
        return torch.randint(2, shape, generator=self.rng).to(self.dtype)


def draws(*dtypes, layouts=("plain", "transposed", "strided", "repeated")):
    """Draws of these dtypes."""
    some = st.sampled_from([1, 2, 3, 7])
    return st.builds(
        Draw,
        dtype=st.sampled_from(dtypes or DTYPES),
        size=st.sampled_from([0, 1, 2, 3, 7]),
        some=some,
        other=some,
        layout=st.sampled_from(layouts),
        kind=st.sampled_from(["plain", "ties", "zeros", "large", "tiny"]),
        seed=st.integers(0, 99),
    )


def run(function, inputs):
    """Outputs, and the gradients of their weighted sum for each input that asks for one."""
    leaves = [part for part in inputs if part.requires_grad]
    found = function(*inputs)
    found = [*found] if isinstance(found, tuple | list) else [found]
    slopes = [part for part in found if part.requires_grad]
    if not leaves or not slopes:
        return found
    rng = torch.Generator().manual_seed(0)
    weights = [torch.randn(part.shape, generator=rng).to(part.dtype) for part in slopes]
    return [*found, *torch.autograd.grad(slopes, leaves, weights, materialize_grads=True)]


def check(ours, theirs, inputs, dtype, *, times=4.0, roundings=8.0):
    """Hold ours against torch's, both in that dtype, and against torch's in float64."""
    wide = [
        part.detach().double().requires_grad_() if part.requires_grad else part for part in inputs
    ]
    with torch.autocast("cpu", enabled=False):
        truths = run(theirs, wide)
    got, expected = run(ours, inputs), run(theirs, inputs)
    assert len(got) == len(expected) == len(truths)
    for mine, other, truth in zip(got, expected, truths, strict=True):
        assert mine.shape == other.shape
        assert mine.dtype == other.dtype or torch.is_autocast_enabled("cpu")
        if not mine.dtype.is_floating_point:
            assert mine.equal(other)
            continue
        mine, other = mine.detach().double(), other.detach().double()
        asked = other.isfinite() & truth.isfinite()
        assert mine[asked].isfinite().all()
        infinite = other.isinf() & truth.isinf()
        assert mine[infinite].equal(truth[infinite])
        if asked.any():
            eps = max(torch.finfo(dtype).eps, 1e-12)  # in float64 the truth is rounded, too
            truth, mine, other = truth[asked], mine[asked], other[asked]
            scale = truth.abs() + truth.abs().max() + 0.1
            allowed = times * (other - truth).abs().max() + roundings * eps * scale
            worst = ((mine - truth).abs() / allowed).max().item()
            assert worst <= 1, f"{worst:.3g} times what is allowed"


def sizes(call):
    """Two leading axes of any size, and a last one that is not empty."""
    return call(call.size, call.other, call.some)


def layer(call):
    inputs, outputs = call.some, call.other
    return call(call.size, 3, inputs), call(outputs, inputs), call(outputs)


def scores(call):
    """Scores and right classes."""
    return call(call.size, call.some), call.labels(call.size, call.some)


def answers(call):
    shape = (call.size,) if call.some == 1 else (call.size, call.some)
    return call(*shape), call.bits(*shape)


def per_example(loss, **settings):
    return lambda input, target: loss(input, target, reduction="sum", **settings) / len(input)


def picture(call):
    """Pictures, filters and biases of moderate numbers; as many rows as the kernel, or more."""
    kind = "ties" if call.kind == "ties" else "plain"
    x = call(call.some, 2, 2 + call.some, 2 + call.other, kind=kind)
    return x, call(call.some, 2, 3, 2, kind=kind), call(call.some, kind=kind)


def heads(call):
    """Queries, keys and values; moderate, as scores are products."""
    parts = ((call.size, call.some, 5), (call.size, call.other, 5), (call.size, call.other, 3))
    return [call(*part, kind="ties" if call.kind == "ties" else "plain") for part in parts]


def masked(attention):
    """Some keys are masked, never all."""

    def call(query, key, value):
        mask = torch.arange(key.shape[-2]) <= torch.arange(query.shape[-2])[:, None]
        return attention(query, key, value, mask)

    return call


def stack(call):
    """A batch and the parameters of two layers."""
    a, b, c = call.some, call.other, 3
    return call(call.size, a), call(b, a), call(b), call(c, b), call(c)


def by_hand(x, first, first_bias, second, second_bias):
    return mlp.forward(x, [first, second], [first_bias, second_bias], activation="tanh")[0]


def by_torch(x, first, first_bias, second, second_bias):
    return F.linear(torch.tanh(F.linear(x, first, first_bias)), second, second_bias)


def activation_slope(name):
    """The gradient that goes through an activation: by hand, and by autograd."""

    def ours(input, grad):
        return mlp.activation_backward(grad, mlp.activate(input.detach(), name), name)

    def theirs(input, grad):
        leaf = input.detach().requires_grad_()
        output = {"relu": torch.relu, "tanh": torch.tanh, "sigmoid": torch.sigmoid}[name](leaf)
        return torch.autograd.grad(output, leaf, grad, create_graph=True)[0]

    return (
        ours,
        theirs,
        lambda call: (call(call.size, call.some).detach(), call(call.size, call.some)),
    )


def jacobian(input):
    return torch.autograd.functional.jacobian(lambda z: torch.softmax(z, -1), input.detach())


def gradient(input, target):
    leaf = input.detach().requires_grad_()
    return torch.autograd.grad(F.cross_entropy(leaf, target), leaf)[0]


def bernoulli(input, probability):
    coins = torch.distributions.Bernoulli(probability, validate_args=False)
    return coins.log_prob(input.unsqueeze(-2)).sum(-1)


def gaussian(input, mean, variance):
    normal = torch.distributions.Normal(mean, variance.sqrt(), validate_args=False)
    return normal.log_prob(input.unsqueeze(-2)).sum(-1)


def classes(call):
    """Points, and mean and variance of every class."""
    x = call(call.size, call.some, kind="plain")
    mean = call(call.other, call.some, kind="plain")
    variance = (0.5 + call(call.other, call.some, kind="plain").detach().square()).requires_grad_()
    return x, mean, variance


def coins(call):
    chance = torch.sigmoid(call(call.other, call.some, kind="plain").detach())
    return call.bits(call.size, call.some), chance.requires_grad_()


PAIRS = {
    "linear": (linear.linear, F.linear, layer),
    "squared_loss": (
        linear.squared_loss,
        per_example(F.mse_loss),
        lambda call: (call(call.size, call.some), call(call.size, call.some)),
    ),
    "logistic_loss": (
        linear.logistic_loss,
        per_example(F.binary_cross_entropy_with_logits),
        answers,
    ),
    "log_sum_exp": (
        lambda input: linear.log_sum_exp(input, dim=1),
        lambda input: torch.logsumexp(input, dim=1),
        lambda call: [sizes(call)],
    ),
    "softmax": (linear.softmax, lambda z: torch.softmax(z, -1), lambda call: [sizes(call)]),
    "cross_entropy": (linear.cross_entropy, F.cross_entropy, scores),
    "cross_entropy_gradient": (
        lambda input, target: linear.cross_entropy_gradient(input.detach(), target),
        gradient,
        scores,
    ),
    "relu": (mlp.relu, torch.relu, lambda call: [sizes(call)]),
    "sigmoid": (mlp.sigmoid, torch.sigmoid, lambda call: [sizes(call)]),
    "gelu": (mlp.gelu, F.gelu, lambda call: [sizes(call)]),
    **{f"slope of {name}": activation_slope(name) for name in ("relu", "tanh", "sigmoid")},
    "softmax_jacobian": (
        lambda input: mlp.softmax_jacobian(input.detach()),
        jacobian,
        lambda call: [call(call.some)],
    ),
    "forward": (by_hand, by_torch, stack),
    "shift": (
        lambda x: convolution.shift(x, down=1, right=-2),
        lambda x: F.pad(x, (-2, 2, 1, -1)),
        lambda call: [call(call.size, 2 + call.some, 3 + call.other)],
    ),
    "unfold": (
        lambda x: convolution.unfold(x, (3, 2), padding=1, stride=2),
        lambda x: F.unfold(x, (3, 2), padding=1, stride=2),
        lambda call: [call(call.some, 2, 2 + call.some, 2 + call.other)],
    ),
    "conv2d": (convolution.conv2d, F.conv2d, picture),
    "max_pool2d": (
        lambda x: convolution.max_pool2d(x, 2),
        lambda x: F.max_pool2d(x, 2),
        lambda call: [call(call.some, call.other, 1 + call.some, 3)],
    ),
    "avg_pool2d": (
        lambda x: convolution.avg_pool2d(x, 2),
        lambda x: F.avg_pool2d(x, 2),
        lambda call: [call(call.some, call.other, 1 + call.some, 3)],
    ),
    "lookup": (
        lambda weight, words: embeddings.lookup(words, weight),
        lambda weight, words: F.embedding(words, weight),
        lambda call: (call(call.some, call.other), call.labels(call.size, call.some)),
    ),
    "gaussian_log_density": (generative.gaussian_log_density, gaussian, classes),
    "bernoulli_log_likelihood": (
        lambda x, p: generative.bernoulli_log_likelihood(x, p),
        bernoulli,
        coins,
    ),
    "scaled_dot_product_attention": (
        self_attention.scaled_dot_product_attention,
        F.scaled_dot_product_attention,
        heads,
    ),
    "attention with a mask": (
        masked(self_attention.scaled_dot_product_attention),
        masked(F.scaled_dot_product_attention),
        heads,
    ),
}


@pytest.mark.parametrize("name", PAIRS)
@quick
@given(call=draws())
def test_as_near_to_the_truth_as_torch(name, call):
    ours, theirs, inputs = PAIRS[name]
    check(ours, theirs, [*inputs(call)], call.dtype)


@pytest.mark.parametrize("name", PAIRS)
@settings(quick, max_examples=5)
@given(call=draws(torch.float32))
def test_under_autocast(name, call):
    ours, theirs, inputs = PAIRS[name]
    call.kind = "plain"
    with torch.autocast("cpu", torch.bfloat16):
        check(ours, theirs, [*inputs(call)], torch.bfloat16, roundings=16.0)


SPECIAL = (math.inf, -math.inf, 0.0, 1.0, -200.0, 200.0, 3e38, -3e38)


@pytest.mark.parametrize("name", ["log_sum_exp", "softmax", "relu", "sigmoid"])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@quick
@given(numbers=st.lists(st.sampled_from(SPECIAL), min_size=1, max_size=4))
def test_infinite_and_huge_numbers(name, dtype, numbers):
    ours, theirs, _ = PAIRS[name]
    rows = torch.tensor([numbers, numbers[::-1]], dtype=dtype)
    got, expected = ours(rows), theirs(rows)
    assert not (got.isnan() & ~expected.isnan()).any()
    torch.testing.assert_close(got, expected, equal_nan=True)


@pytest.mark.parametrize("loss", ["logistic", "cross_entropy"])
@quick
@given(
    score=st.floats(-(2.0**100), 2.0**100, width=32),
    lead=st.floats(-110.0, 110.0, width=32),
    yes=st.integers(0, 1),
)
def test_losses_of_scores_of_any_size(loss, score, lead, yes):
    if loss == "logistic":
        pair = linear.logistic_loss, F.binary_cross_entropy_with_logits
        inputs = torch.tensor([lead]), torch.tensor([float(yes)])
        huge = torch.tensor([score]), torch.tensor([float(yes)])
    else:
        pair = linear.cross_entropy, F.cross_entropy
        inputs = torch.tensor([[0.0, lead]]), torch.tensor([yes])
        huge = torch.tensor([[score, score, -score]]), torch.tensor([2 * yes])
    for input, target in (inputs, huge):
        torch.testing.assert_close(
            pair[0](input, target), pair[1](input, target), atol=1e-35, rtol=1e-5
        )


@quick
@given(call=draws(), longest=st.sampled_from([1e-3, 1.0, 1e4, math.inf]))
def test_clipping_is_that_of_torch(call, longest):
    gradients = [call(call.some, call.other).detach(), call(call.size).detach(), call().detach()]
    wide = [part.double() for part in gradients]
    length = nn.utils.get_total_norm(wide)
    clipped, norm = training.clip_by_global_norm(gradients, max_norm=longest)
    torch.testing.assert_close(norm.double(), length, rtol=4e-6, atol=1e-12)
    least = torch.finfo(call.dtype).smallest_normal  # below it, steps are as wide as there
    close = {"rtol": 4 * torch.finfo(call.dtype).eps, "atol": least}
    for mine, part, own in zip(clipped, wide, gradients, strict=True):
        assert (mine.dtype, mine.shape) == (own.dtype, own.shape)
        expected = part * torch.clamp(longest / length, max=1.0)
        torch.testing.assert_close(mine.double(), expected, **close)


OPTIMIZERS = {
    "SGD": {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1},
    "RMSprop": {"weight_decay": 0.1},
    "Adam": {"weight_decay": 0.1},
    "AdamW": {"weight_decay": 0.1},
}


@pytest.mark.parametrize("name", OPTIMIZERS)
@quick
@given(call=draws(torch.float64, torch.float32, layouts=("plain", "transposed", "strided")))
def test_optimizers_step_as_those_of_torch(name, call):
    shapes = (call.size, call.some), (call.other,), ()
    ours = [call(*shape).detach().requires_grad_() for shape in shapes]
    theirs = [part.detach().clone().requires_grad_() for part in ours]
    mine = getattr(training, name)(ours, lr=0.01, **OPTIMIZERS[name])
    other = getattr(torch.optim, name)(theirs, lr=0.01, **OPTIMIZERS[name])
    for step in range(3):
        for one, two in zip(ours, theirs, strict=True):
            one.grad = None if step == 1 and one.dim() == 1 else call(*one.shape).detach()
            two.grad = None if one.grad is None else one.grad.clone()
        mine.step()
        other.step()
    rtol = 1e-5 if call.dtype == torch.float32 else 1e-12
    for one, two in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, two, rtol=rtol, atol=rtol)
        for key, value in other.state[two].items():
            torch.testing.assert_close(mine.state[one][key], value)


LAYERS = {
    "LinearModel": (linear.LinearModel, nn.Linear),
    "MLP": (
        lambda inputs, outputs: mlp.MLP([inputs, 3, outputs]),
        lambda inputs, outputs: nn.Sequential(
            nn.Linear(inputs, 3), nn.ReLU(), nn.Linear(3, outputs)
        ),
    ),
    "BatchNorm1d": (
        lambda inputs, _: training.BatchNorm1d(inputs),
        lambda inputs, _: nn.BatchNorm1d(inputs),
    ),
    "BatchNorm1d, evaluated": (
        lambda inputs, _: training.BatchNorm1d(inputs).eval(),
        lambda inputs, _: nn.BatchNorm1d(inputs).eval(),
    ),
    "Dropout, evaluated": (
        lambda *_: training.Dropout(0.5).eval(),
        lambda *_: nn.Dropout(0.5).eval(),
    ),
    "Embedding": (embeddings.Embedding, nn.Embedding),
    "Conv2d": (
        lambda inputs, outputs: convolution.Conv2d(inputs, outputs, kernel_size=2),
        lambda inputs, outputs: nn.Conv2d(inputs, outputs, 2),
    ),
}


def called(layer):
    """A layer as a function of its input and its parameters, in the dtype of the latter."""
    names = [name for name, _ in layer.named_parameters()]

    def call(x, *parameters):
        typed = copy.deepcopy(layer).to(parameters[0].dtype if parameters else x.dtype)
        return torch.func.functional_call(typed, dict(zip(names, parameters, strict=True)), (x,))

    return call


def fed(name, call, layer):
    """An input for a layer, and its parameters."""
    shapes = {"Conv2d": (call.some, call.some, 3, 4)}
    x = call(*shapes.get(name, (2 + call.size, call.some)), kind="plain")
    if name == "Embedding":
        x = call.labels(call.size, call.some)
    return x, *(call(*parameter.shape) for parameter in layer.parameters())


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("autocast", [False, True])
@quick
@given(call=draws())
def test_layers_as_near_to_the_truth_as_those_of_torch(name, autocast, call):
    call.dtype = torch.float32 if autocast else call.dtype
    ours, theirs = (make(call.some, call.other) for make in LAYERS[name])
    inputs = fed(name, call, ours)
    with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
        dtype = torch.bfloat16 if autocast else call.dtype
        check(called(ours), called(theirs), inputs, dtype, roundings=16.0)


@pytest.mark.parametrize(
    "name", ["linear", "softmax", "cross_entropy", "sigmoid", "conv2d", "attention with a mask"]
)
def test_compiled(name):
    ours, _, inputs = PAIRS[name]
    compiled = torch.compile(ours, backend="aot_eager", fullgraph=True)
    for call in Draw(torch.float32), Draw(torch.float64, size=2, layout="transposed"):
        given = [*inputs(call)]
        for got, expected in zip(run(compiled, given), run(ours, given), strict=True):
            torch.testing.assert_close(got, expected, rtol=1e-5, atol=1e-7)
