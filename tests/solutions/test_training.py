"""`solutions.training` against torch.optim and torch.nn."""

import copy
import math

import pytest
import torch
from draws import assert_equal, draw
from torch import nn

from solutions.training import (
    SGD,
    Adam,
    AdamW,
    BatchNorm1d,
    Dropout,
    Muon,
    RMSprop,
    adam_step,
    adamw_step,
    clip_by_global_norm,
    dropout,
    early_stopping,
    glorot_uniform,
    grid_trials,
    he_normal,
    momentum_step,
    nesterov_step,
    newton_schulz,
    random_trials,
    rmsprop_step,
    warmup_cosine,
)

B, C, D, H = 11, 5, 7, 13


# starting


@pytest.mark.parametrize("shape", [(C, D), (C, D, 3, 2)])
def test_initial_weights_are_those_of_torch(shape):
    generators = [torch.Generator().manual_seed(5) for _ in range(4)]
    empty = torch.empty(shape, dtype=torch.float64)
    uniform = torch.rand(shape, generator=generators[0], dtype=torch.float64)
    expected = nn.init.xavier_uniform_(empty.clone(), generator=generators[1])
    assert_equal(glorot_uniform(uniform), expected)
    normal = torch.randn(shape, generator=generators[2], dtype=torch.float64)
    expected = nn.init.kaiming_normal_(empty, nonlinearity="relu", generator=generators[3])
    assert_equal(he_normal(normal), expected)


def test_initial_weights_keep_the_size_of_signals(rng):
    x, width = draw(rng, 512, 257), 257
    y, forward = x, []
    for _ in range(10):
        y = torch.relu(y @ he_normal(draw(rng, width, width)).T)
        forward.append(y.square().mean().item() / x.square().mean().item())
    assert all(0.5 < size < 2 for size in forward)
    weight = glorot_uniform(torch.rand(199, 401, generator=rng, dtype=torch.float64))
    assert weight.var().item() == pytest.approx(2 / 600, rel=0.02)
    backward = draw(rng, 64, 199) @ weight
    assert 0.5 < backward.var().item() < 1.0  # 2 fan_out / (fan_in + fan_out) = 0.66


# stepping

STEPS = {
    "momentum": (
        lambda w, g, memory, step: momentum_step(w, g, *memory, lr=0.1, momentum=0.8),
        lambda w: torch.optim.SGD(w, lr=0.1, momentum=0.8),
        1,
    ),
    "nesterov": (
        lambda w, g, memory, step: nesterov_step(w, g, *memory, lr=0.1, momentum=0.8),
        lambda w: torch.optim.SGD(w, lr=0.1, momentum=0.8, nesterov=True),
        1,
    ),
    "rmsprop": (
        lambda w, g, memory, step: rmsprop_step(w, g, *memory, lr=0.1, alpha=0.9, eps=0.01),
        lambda w: torch.optim.RMSprop(w, lr=0.1, alpha=0.9, eps=0.01),
        1,
    ),
    "adam": (
        lambda w, g, memory, step: adam_step(
            w, g, *memory, step, lr=0.1, betas=(0.8, 0.95), eps=0.01, weight_decay=0.3
        ),
        lambda w: torch.optim.Adam(w, lr=0.1, betas=(0.8, 0.95), eps=0.01, weight_decay=0.3),
        2,
    ),
    "adamw": (
        lambda w, g, memory, step: adamw_step(
            w, g, *memory, step, lr=0.1, betas=(0.8, 0.95), eps=0.01, weight_decay=0.3
        ),
        lambda w: torch.optim.AdamW(w, lr=0.1, betas=(0.8, 0.95), eps=0.01, weight_decay=0.3),
        2,
    ),
    "adam by default": (
        lambda w, g, memory, step: adam_step(w, g, *memory, step, lr=0.1),
        lambda w: torch.optim.Adam(w, lr=0.1),
        2,
    ),
    "adamw by default": (
        lambda w, g, memory, step: adamw_step(w, g, *memory, step, lr=0.1),
        lambda w: torch.optim.AdamW(w, lr=0.1),
        2,
    ),
}


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e4])
def test_steps_are_those_of_torch(rng, name, scale):
    ours, theirs, memories = STEPS[name]
    start = draw(rng, D, C)
    parameter = nn.Parameter(start.clone())
    optimizer = theirs([parameter])
    memory = [torch.zeros_like(start)] * memories
    for step in range(1, 51):
        parameter.grad = draw(rng, D, C, scale=scale) + 0.1 * scale
        before = [start.clone(), *(part.clone() for part in memory)]
        moved, *new = ours(start, parameter.grad, memory, step)
        assert all(torch.equal(a, b) for a, b in zip(before, [start, *memory], strict=True))
        start, memory = moved, new
        optimizer.step()
        torch.testing.assert_close(start, parameter.detach(), rtol=1e-11, atol=1e-12)


OPTIMIZERS = {
    "SGD": (SGD, torch.optim.SGD, {"weight_decay": 0.2}),
    "momentum": (SGD, torch.optim.SGD, {"momentum": 0.7, "weight_decay": 0.2}),
    "Nesterov": (SGD, torch.optim.SGD, {"momentum": 0.7, "nesterov": True, "weight_decay": 0.2}),
    "RMSprop": (RMSprop, torch.optim.RMSprop, {"alpha": 0.9, "weight_decay": 0.2}),
    "Adam": (Adam, torch.optim.Adam, {"betas": (0.8, 0.95), "weight_decay": 0.2}),
    "AdamW": (AdamW, torch.optim.AdamW, {"betas": (0.8, 0.95), "weight_decay": 0.2}),
    "Adam by default": (Adam, torch.optim.Adam, {}),
    "AdamW by default": (AdamW, torch.optim.AdamW, {}),
}


def parameters(rng):
    return [nn.Parameter(draw(rng, *shape)) for shape in ((D, C), (C,), (2, 3))]


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("swapped", [None, "to torch", "from torch"])
def test_optimizers_are_those_of_torch(rng, name, swapped):
    """Groups with rates of their own, a missing gradient, and states that change sides midway."""
    ours, theirs, options = OPTIMIZERS[name]
    mine = parameters(rng)
    copies = [nn.Parameter(p.detach().clone()) for p in mine]

    def build(kind, tensors):
        return kind(
            [{"params": tensors[:2]}, {"params": tensors[2:], "lr": 0.02}], lr=0.1, **options
        )

    left, right = build(ours, mine), build(theirs, copies)
    for step in range(50):
        if step == 20 and swapped == "to torch":
            state, left = left.state_dict(), build(theirs, mine)
            left.load_state_dict(state)
        if step == 20 and swapped == "from torch":
            state, right = right.state_dict(), build(ours, copies)
            right.load_state_dict(state)
        for index, (p, q) in enumerate(zip(mine, copies, strict=True)):
            p.grad = None if step < 3 and index == 1 else draw(rng, *p.shape)
            q.grad = None if p.grad is None else p.grad.clone()
        left.param_groups[0]["lr"] = right.param_groups[0]["lr"] = 0.1 / (1 + step)
        left.step()
        right.step()
        for p, q in zip(mine, copies, strict=True):
            torch.testing.assert_close(p, q, rtol=1e-11, atol=1e-12)
    assert not any(p.requires_grad for state in left.state.values() for p in state.values())


IN_PLACE = {
    "plain": (SGD, {}, lambda p, g, m, t: (p - 0.1 * g,)),
    "momentum": (SGD, {"momentum": 0.9}, lambda p, g, m, t: momentum_step(p, g, m[0], lr=0.1)),
    "Nesterov": (
        SGD,
        {"momentum": 0.9, "nesterov": True},
        lambda p, g, m, t: nesterov_step(p, g, m[0], lr=0.1),
    ),
    "RMSprop": (RMSprop, {}, lambda p, g, m, t: rmsprop_step(p, g, m[0], lr=0.1)),
    "AdamW": (
        AdamW,
        {"weight_decay": 0.3},
        lambda p, g, m, t: adamw_step(p, g, *m, t, lr=0.1, weight_decay=0.3),
    ),
}


@pytest.mark.parametrize("name", IN_PLACE)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_optimizers_write_the_numbers_of_the_formulas_in_place(rng, name, dtype):
    kind, settings, formula = IN_PLACE[name]
    moved = draw(rng, 1009).to(dtype)
    parameter = nn.Parameter(moved.clone())
    optimizer = kind([parameter], lr=0.1, **settings)
    memory, places = (torch.zeros_like(moved),) * 2, None
    for step in range(1, 8):
        parameter.grad = draw(rng, 1009).to(dtype)
        moved, *memory = formula(moved, parameter.grad, memory, step)
        optimizer.step()
        assert torch.equal(parameter, moved)  # to the bit
        kept = [value for name, value in optimizer.state[parameter].items() if name != "step"]
        assert len(kept) == len(memory)
        assert all(torch.equal(*pair) for pair in zip(kept, memory, strict=True))
        here = [tensor.data_ptr() for tensor in (parameter, *kept)]
        assert places in (None, here)
        places = here


def test_a_gradient_that_waited_starts_its_own_count(rng):
    """Bias correction counts the steps of each parameter, not those of the optimizer."""
    first, second = parameters(rng)[:2]
    optimizer = Adam([first, second], lr=0.1)
    for _ in range(9):
        first.grad = draw(rng, D, C)
        optimizer.step()
    assert second not in optimizer.state
    before, second.grad = second.detach().clone(), draw(rng, C)
    optimizer.step()
    torch.testing.assert_close(
        second.detach(), before - 0.1 * second.grad.sign(), rtol=0, atol=1e-6
    )


# steadying


@pytest.mark.parametrize("warmup", [0, 1, 7])
def test_the_schedule_is_a_ramp_and_the_cosine_of_torch(warmup):
    total, floor = 29, 0.1
    got = [warmup_cosine(step, warmup=warmup, total=total, floor=floor) for step in range(40)]
    assert got[:warmup] == pytest.approx([(step + 1) / warmup for step in range(warmup)])
    optimizer = torch.optim.SGD([torch.zeros(1)], lr=1.0)
    cosine = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, total - warmup, eta_min=floor)
    for factor in got[warmup : total + 1]:
        assert factor == pytest.approx(cosine.get_last_lr()[0], abs=1e-12)
        optimizer.step()
        cosine.step()
    assert got[total:] == [pytest.approx(floor)] * 11
    with pytest.raises(ValueError, match="warmup must be from 0 to total - 1, got 5 of 5 steps"):
        warmup_cosine(0, warmup=5, total=5)


@pytest.mark.parametrize("max_norm", [1e-3, 1.0, 1e3])
def test_clipping_is_that_of_torch(rng, max_norm):
    gradients = [draw(rng, H, D), draw(rng, D, scale=30.0), draw(rng, 2, 3, 5)]
    parameters = [nn.Parameter(torch.zeros_like(gradient)) for gradient in gradients]
    for parameter, gradient in zip(parameters, gradients, strict=True):
        parameter.grad = gradient.clone()
    expected = nn.utils.clip_grad_norm_(parameters, max_norm)
    clipped, norm = clip_by_global_norm(gradients, max_norm=max_norm)
    assert_equal(norm, expected)
    for got, parameter in zip(clipped, parameters, strict=True):
        # torch adds 1e-6 to the norm
        torch.testing.assert_close(got, parameter.grad, rtol=1e-6, atol=0)
    for shape in ((), (0,), (1,), (0, 3)):
        alone = [torch.ones(shape, dtype=torch.float64)]
        parameter = nn.Parameter(torch.zeros(shape, dtype=torch.float64))
        parameter.grad = alone[0].clone()
        expected = nn.utils.clip_grad_norm_([parameter], 0.5)
        clipped, norm = clip_by_global_norm(alone, max_norm=0.5)
        assert_equal(norm, expected)
        torch.testing.assert_close(clipped[0], parameter.grad, rtol=1e-5, atol=0)
    zeros, norm = clip_by_global_norm([torch.zeros(3)], max_norm=1.0)
    assert norm == 0
    assert torch.equal(zeros[0], torch.zeros(3))


@pytest.mark.parametrize("kind", [SGD, RMSprop, Adam, AdamW, Muon])
def test_optimizers_take_a_closure(rng, kind):
    start, target = draw(rng, 3, 2), draw(rng, 3, 2)
    alone, called = nn.Parameter(start.clone()), nn.Parameter(start.clone())
    first, second = kind([alone], lr=0.1), kind([called], lr=0.1)

    def loss_of(parameter):
        parameter.grad = None
        loss = (parameter - target).square().sum()
        loss.backward()
        return loss

    for _ in range(3):
        expected = loss_of(alone)
        assert first.step() is None
        assert torch.equal(second.step(lambda: loss_of(called)), expected)
        assert torch.equal(called, alone)
    assert not torch.equal(called, start)


@pytest.mark.parametrize("momentum", [0.1, 0.7])
def test_batch_norm_is_that_of_torch(rng, momentum):
    ours = BatchNorm1d(D, eps=0.01, momentum=momentum).double()
    theirs = nn.BatchNorm1d(D, eps=0.01, momentum=momentum, dtype=torch.float64)
    assert {k: v.tolist() for k, v in ours.state_dict().items()} == {
        k: v.tolist() for k, v in theirs.state_dict().items()
    }
    with torch.no_grad():
        theirs.weight.copy_(draw(rng, D))
        theirs.bias.copy_(draw(rng, D))
        theirs.running_mean.copy_(draw(rng, D))
        theirs.running_var.copy_(draw(rng, D).square() + 0.1)
    ours.load_state_dict(theirs.state_dict())
    for training in (True, True, False, True):
        ours.train(training)
        theirs.train(training)
        x, weights = draw(rng, B, D, scale=3.0) + 2, draw(rng, B, D)
        left, right = x.clone().requires_grad_(), x.clone().requires_grad_()
        assert_equal(ours(left), theirs(right))
        ours.load_state_dict(theirs.state_dict())  # both ways, and both the same by now
        theirs.load_state_dict(ours.state_dict())
        inputs = [(left, *ours.parameters()), (right, *theirs.parameters())]
        for got, expected in zip(
            torch.autograd.grad((ours(left) * weights).sum(), inputs[0]),
            torch.autograd.grad((theirs(right) * weights).sum(), inputs[1]),
            strict=True,
        ):
            torch.testing.assert_close(got, expected, rtol=1e-10, atol=1e-12)
        for name, value in theirs.state_dict().items():
            assert_equal(ours.state_dict()[name], value)
    ours.train()
    with pytest.raises(ValueError, match="at least 2 examples per batch, got 1"):
        ours(draw(rng, 1, D))
    for shape in ((B, 1), (B, D + 1), (D,), (B, D, D)):
        with pytest.raises(ValueError, match=rf"x must be \(B, {D}\)"):
            ours(draw(rng, *shape))
    with pytest.raises(ValueError, match="momentum must be a number"):
        BatchNorm1d(D, momentum=None)


# stopping in time


def test_dropout_keeps_the_mean(rng):
    x = draw(rng, 200, 101)
    draws = torch.rand(200, 101, generator=rng, dtype=torch.float64)
    y = dropout(x, draws, p=0.3)
    assert torch.equal(y == 0, draws < 0.3)
    assert_equal(y[draws >= 0.3], x[draws >= 0.3] / 0.7)
    ones = dropout(torch.ones_like(x), draws, p=0.3)
    assert ones.mean().item() == pytest.approx(1, abs=0.02)


def test_dropout_as_a_module(rng):
    layer, theirs = Dropout(0.3), nn.Dropout(0.3)
    x = torch.ones(200, 101)
    for module in (layer, theirs):
        torch.manual_seed(0)
        y = module(x)
        assert y.unique().tolist() == pytest.approx([0.0, 1 / 0.7])
        assert (y == 0).float().mean().item() == pytest.approx(0.3, abs=0.02)
    assert not torch.equal(layer(x), layer(x))
    layer.eval()
    assert torch.equal(layer(x), x)
    for p in (-0.1, 1.0):
        with pytest.raises(ValueError, match=f"up to but not including 1, got {p}"):
            Dropout(p)


@pytest.mark.parametrize(
    ("losses", "patience", "expected"),
    [
        ([3.0], 1, (0, False)),
        ([3.0, 2.0, 2.5], 1, (1, True)),
        ([3.0, 2.0, 2.5], 2, (1, False)),
        ([3.0, 2.0, 2.0, 2.0], 2, (1, True)),  # equal is not better
        ([math.nan, 2.0, math.nan, 1.0], 2, (3, False)),
        ([math.nan, math.nan], 1, (0, True)),
        ([math.nan, math.inf], 1, (0, True)),
        ([math.inf, -math.inf, math.nan], 2, (1, False)),
        ([-1.0, 4.0, -2.0], 3, (2, False)),
    ],
)
def test_early_stopping(losses, patience, expected):
    assert early_stopping(losses, patience=patience) == expected


# searching


def test_random_trials_are_even_on_a_logarithmic_scale(rng):
    draws = torch.rand(4000, 2, generator=rng, dtype=torch.float64)
    trials = random_trials(draws, low=[1e-4, 2.0], high=[1.0, 64.0])
    powers = (trials[:, 0].log10() + 4).floor()
    assert torch.bincount(powers.long()).tolist() == pytest.approx([1000] * 4, rel=0.1)
    assert 2 <= trials[:, 1].min() <= 2.1
    assert 60 <= trials[:, 1].max() <= 64
    ends = random_trials(torch.tensor([[0.0, 1.0]]), low=[1e-4, 2.0], high=[1.0, 64.0])
    torch.testing.assert_close(ends, torch.tensor([[1e-4, 64.0]]))


def test_grid_trials_are_all_combinations():
    trials = grid_trials(3, low=[0.01, 1.0], high=[1.0, 4.0])
    parts = 1 / 6, 3 / 6, 5 / 6
    expected = [[0.01 * 100**u, 4**v] for u in parts for v in parts]
    assert_equal(trials, torch.tensor(expected, dtype=torch.float64))

    assert grid_trials(1, low=[1.0], high=[4.0]).tolist() == [[pytest.approx(2.0)]]


def test_ranges_may_span_all_that_a_float_holds():
    ends = torch.tensor([[0.0], [0.5], [1.0]], dtype=torch.float64)
    trials = random_trials(ends, low=[1e-300], high=[1e300])
    assert trials.flatten().tolist() == [1e-300, pytest.approx(1.0), 1e300]
    assert random_trials(torch.empty(0, 2), low=[1.0, 2.0], high=[3.0, 4.0]).shape == (0, 2)


# dtypes, sizes, layouts, special values

DTYPES = [torch.float64, torch.float32, torch.bfloat16, torch.float16]
NEAR = {  # relative; float64 apart, sums are rounded in another order
    torch.float64: 1e-11,
    torch.float32: 1e-5,
    torch.bfloat16: 1e-2,
    torch.float16: 2e-3,
}


def layouts(x):
    """The same numbers in other places of memory."""
    yield x
    yield x.T.contiguous().T
    yield torch.stack((x, x), dim=-1)[..., 0]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(2, 1), (3, 7), (33, 65)])
def test_batch_norm_in_every_dtype(rng, dtype, shape):
    values = draw(rng, *shape, scale=2.0) + 3
    for x in layouts(values.to(dtype)):
        ours, theirs = BatchNorm1d(shape[1]).to(dtype), nn.BatchNorm1d(shape[1], dtype=dtype)
        for training in (True, False):
            ours.train(training)
            theirs.train(training)
            left, right = x.clone().requires_grad_(), x.clone().requires_grad_()
            got, expected = ours(left), theirs(right)
            assert got.dtype == dtype
            near = {"rtol": NEAR[dtype], "atol": 3 * NEAR[dtype]}
            torch.testing.assert_close(got, expected, **near)
            got.square().sum().backward()
            expected.square().sum().backward()
            if (
                shape[0] > 2
            ):  # of two examples each is ±1, and what is left of the gradient is noise
                slopes = left.grad, right.grad
                torch.testing.assert_close(*slopes, rtol=NEAR[dtype], atol=20 * NEAR[dtype])
        for name, value in theirs.state_dict().items():
            torch.testing.assert_close(ours.state_dict()[name], value, **near)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_batch_norm_under_autocast(rng, dtype):
    """The layer before it gives half precision, its own parameters are float32."""
    x = draw(rng, B, D).float()
    linear, ours, theirs = nn.Linear(D, C), BatchNorm1d(C), nn.BatchNorm1d(C)
    with torch.autocast("cpu", dtype):
        got, expected = ours(linear(x)), theirs(linear(x))
    assert got.dtype == dtype
    torch.testing.assert_close(got.float(), expected.float(), rtol=NEAR[dtype], atol=NEAR[dtype])
    torch.testing.assert_close(ours.running_var, theirs.running_var, rtol=1e-3, atol=0)  # 2e-4
    got.float().square().sum().backward()
    assert all(p.grad.isfinite().all() for p in (*linear.parameters(), *ours.parameters()))


def test_batch_norm_is_where_it_is_asked_to_be(rng):
    layer = BatchNorm1d(D, device="meta")
    assert {value.device.type for value in layer.state_dict().values()} == {"meta"}
    layer = BatchNorm1d(D).eval()
    assert layer(torch.empty(0, D)).shape == (0, D)
    layer.train()
    layer(draw(rng, B, D).float())
    assert not any(value.requires_grad for value in layer.buffers())


def test_batch_norm_compiles(rng):
    layer, theirs = BatchNorm1d(D), nn.BatchNorm1d(D)
    compiled = torch.compile(layer, backend="aot_eager")
    x = draw(rng, B, D).float()
    torch.testing.assert_close(compiled(x), theirs(x))
    torch.testing.assert_close(layer.running_var, theirs.running_var)


@pytest.mark.parametrize("dtype", DTYPES)
def test_optimizers_are_those_of_torch_in_every_dtype(rng, dtype):
    for ours, theirs, options in OPTIMIZERS.values():
        for shape in ((), (0,), (1,), (3, 5)):
            start = draw(rng, *shape).to(dtype)
            pair = [nn.Parameter(start.clone()) for _ in range(2)]
            built = [
                kind([p], lr=0.05, **options) for kind, p in zip((ours, theirs), pair, strict=True)
            ]
            for _ in range(5):
                size = draw(rng, *shape).abs() + 0.25  # squares that float16 can hold
                gradient = (size * draw(rng, *shape).sign()).to(dtype)
                for parameter, optimizer in zip(pair, built, strict=True):
                    parameter.grad = gradient.clone()
                    optimizer.step()
            assert pair[0].dtype == dtype
            near = {"rtol": 3 * NEAR[dtype], "atol": 2 * NEAR[dtype]}
            torch.testing.assert_close(*(p.detach() for p in pair), **near)


@pytest.mark.parametrize("kind", [SGD, RMSprop, Adam, AdamW])
def test_without_a_penalty_an_infinite_weight_is_no_nan(kind):
    parameter = nn.Parameter(torch.tensor([math.inf, 1.0]))
    parameter.grad = torch.ones(2)
    kind([parameter], lr=0.1, weight_decay=0.0).step()
    assert parameter[0].item() == math.inf


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_clipping_in_half_precision(rng, dtype):
    """The squares overflow, and the factor lies below what float16 can hold."""
    gradients = [torch.full((300, 300), 2e4, dtype=dtype), torch.tensor(3e4, dtype=dtype)]
    clipped, norm = clip_by_global_norm(gradients, max_norm=1.0)
    assert norm.dtype == torch.float32
    assert norm.item() == pytest.approx(300 * 2e4, rel=0.01)
    assert [part.dtype for part in clipped] == [dtype, dtype]
    assert clipped[0][0, 0].item() == pytest.approx(1 / 300, rel=0.01)
    assert clipped[1].item() == pytest.approx(0.005, rel=0.01)


def test_clipping_of_what_is_not_finite():
    """As in torch: an infinite length makes zeros of all that is finite."""
    gradients = [torch.tensor([math.inf, 1.0]), torch.tensor([2.0])]
    parameters = [nn.Parameter(torch.zeros_like(gradient)) for gradient in gradients]
    for parameter, gradient in zip(parameters, gradients, strict=True):
        parameter.grad = gradient.clone()
    nn.utils.clip_grad_norm_(parameters, 1.0)
    clipped, norm = clip_by_global_norm(gradients, max_norm=1.0)
    assert norm == math.inf
    for got, parameter in zip(clipped, parameters, strict=True):
        torch.testing.assert_close(got, parameter.grad, equal_nan=True)


@pytest.mark.parametrize("dtype", DTYPES)
def test_dropout_drops_its_share_in_every_dtype(dtype):
    torch.manual_seed(0)
    for p in (0.001, 0.3):
        y = Dropout(p)(torch.ones(1000, 1000, dtype=dtype))
        assert y.dtype == dtype
        dropped = (y == 0).float().mean().item()
        assert dropped == pytest.approx(p, abs=5 * math.sqrt(p / 1e6))


def test_what_is_dropped_is_zero():
    x = torch.tensor([math.inf, math.nan, 1.0, math.inf], requires_grad=True)
    y = dropout(x, torch.tensor([0.1, 0.2, 0.3, 0.9]), p=0.5)
    assert y.tolist() == [0.0, 0.0, 0.0, math.inf]
    y.sum().backward()
    assert x.grad.tolist() == [0.0, 0.0, 0.0, 2.0]
    assert dropout(torch.empty(0, 3), torch.empty(0, 3), p=0.5).shape == (0, 3)


@pytest.mark.parametrize("dtype", DTYPES)
def test_initial_weights_keep_their_dtype(rng, dtype):
    x = torch.rand(5, 7, generator=rng).to(dtype)
    assert glorot_uniform(x).dtype == he_normal(x).dtype == dtype


# devices


@pytest.mark.cuda
def test_steps_and_layers_run_on_cuda(rng):
    x, weights = draw(rng, B, D), draw(rng, C, D)
    draws = torch.rand(B, D, generator=rng, dtype=torch.float64)
    for rule in (momentum_step, nesterov_step, rmsprop_step):
        here = rule(weights, weights + 1, weights.square(), lr=0.1)
        there = rule(weights.cuda(), weights.cuda() + 1, weights.cuda().square(), lr=0.1)
        for got, expected in zip(there, here, strict=True):
            assert_equal(got.cpu(), expected)
    for kind in (SGD, RMSprop, Adam, AdamW):
        pair = [nn.Parameter(weights.clone()), nn.Parameter(weights.cuda())]
        for parameter in pair:
            optimizer = kind([parameter], lr=0.1)
            for step in range(3):
                parameter.grad = torch.full_like(parameter, 1.0 + step)
                optimizer.step()
        assert_equal(pair[1].detach().cpu(), pair[0].detach())
    layer = BatchNorm1d(D).double()
    expected = layer(x)
    there = BatchNorm1d(D).double().cuda()
    assert_equal(there(x.cuda()).cpu(), expected)
    assert_equal(there.running_var.cpu(), layer.running_var)
    assert_equal(dropout(x.cuda(), draws.cuda(), p=0.3).cpu(), dropout(x, draws, p=0.3))
    clipped, _ = clip_by_global_norm([x.cuda(), weights.cuda()], max_norm=0.1)
    assert all(part.device.type == "cuda" for part in clipped)
    assert glorot_uniform(draws.cuda()).device.type == he_normal(x.cuda()).device.type == "cuda"
    ranges = {"low": [1e-3] * D, "high": [1.0] * D}
    assert_equal(random_trials(draws.cuda(), **ranges).cpu(), random_trials(draws, **ranges))


@pytest.mark.parametrize("shape", [(C, D), (D, C), (C, C)])
@pytest.mark.parametrize("steps", [0, 1, 5])
def test_newton_schulz_changes_singular_values_alone(rng, shape, steps):
    matrix = draw(rng, *shape)
    left, sizes, right = torch.linalg.svd(matrix, full_matrices=False)
    sizes = sizes / sizes.norm()
    for _ in range(steps):
        sizes = 3.4445 * sizes - 4.7750 * sizes**3 + 2.0315 * sizes**5
    expected = (left * sizes) @ right
    torch.testing.assert_close(newton_schulz(matrix, steps=steps), expected, rtol=0, atol=1e-6)


def test_newton_schulz_reaches_what_it_says():
    sizes = torch.logspace(math.log10(0.002), 0, 10_001, dtype=torch.float64)
    for _ in range(5):
        sizes = 3.4445 * sizes - 4.7750 * sizes**3 + 2.0315 * sizes**5
    assert sizes.min() > 0.68
    assert sizes.max() < 1.21
    assert not newton_schulz(torch.zeros(C, D)).any()


@pytest.mark.parametrize("swapped", [False, True])
def test_muon_is_that_of_torch(rng, swapped):
    """Torch multiplies in bfloat16, which leaves two digits of each step."""
    start = [draw(rng, *shape) for shape in ((C, D), (D, C))]
    mine, theirs = ([nn.Parameter(part.clone()) for part in start] for _ in range(2))
    ours, original = Muon(mine, lr=0.1), torch.optim.Muon(theirs, lr=0.1)
    for step in range(10):
        for a, b in zip(mine, theirs, strict=True):
            a.grad = draw(rng, *a.shape)
            b.grad = a.grad.clone()
        ours.step()
        original.step()
        if swapped and step == 4:
            states = copy.deepcopy((ours.state_dict(), original.state_dict()))
            original.load_state_dict(states[0])
            ours.load_state_dict(states[1])
    for a, b, begin in zip(mine, theirs, start, strict=True):
        assert (a - b).norm() < 0.05 * (b - begin).norm()
    torch.testing.assert_close(
        ours.state[mine[0]]["momentum_buffer"], original.state[theirs[0]]["momentum_buffer"]
    )


def test_muon_refuses_what_is_no_matrix():
    with pytest.raises(ValueError, match="matrices"):
        Muon([nn.Parameter(torch.zeros(3))])
