"""`solutions.linear` against torch.nn, scikit-learn and finite differences."""

import math

import pytest
import torch
from draws import assert_equal, draw
from scipy.stats import ttest_rel
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression, Ridge
from torch import nn
from torch.autograd import gradcheck
from torch.distributions import Normal
from torch.nn import functional as F

from solutions import linear as chapter
from solutions.linear import (
    LOSSES,
    LinearModel,
    accuracy,
    cross_entropy,
    cross_entropy_gradient,
    hinge_loss,
    linear,
    log_sum_exp,
    logistic_loss,
    map_loss,
    normal_equations,
    paired_difference,
    predict_tuned,
    softmax,
    squared_loss,
    train,
)

B, C, D = 11, 5, 7


def labels(rng, count=B, classes=C):
    return torch.randint(classes, (count,), generator=rng)


def binary(rng, *shape):
    return torch.randint(2, shape, generator=rng).double()


def gradients(value, *leaves):
    return torch.autograd.grad(value, leaves)


def assert_same_with_gradients(ours, theirs, *inputs):
    """Equal outputs, and equal gradients of a weighted sum of them."""
    leaves = [x.clone().requires_grad_() for x in inputs]
    copies = [x.clone().requires_grad_() for x in inputs]
    left, right = ours(*leaves), theirs(*copies)
    assert_equal(left, right)
    weights = torch.cos(torch.arange(left.numel(), dtype=left.dtype)).reshape(left.shape)
    for got, expected in zip(
        gradients((left * weights).sum(), *leaves),
        gradients((right * weights).sum(), *copies),
        strict=True,
    ):
        assert_equal(got, expected)


# linear and LinearModel


@pytest.mark.parametrize("lead", [(), (B,), (2, 3)])
def test_linear_is_that_of_torch(rng, lead):
    inputs = draw(rng, *lead, D), draw(rng, C, D), draw(rng, C)
    assert_same_with_gradients(linear, F.linear, *inputs)
    assert_same_with_gradients(linear, F.linear, *inputs[:2])


def test_module_is_that_of_torch(rng):
    ours, theirs = LinearModel(D, C).double(), nn.Linear(D, C, dtype=torch.float64)
    assert ours.weight.count_nonzero() == ours.bias.count_nonzero() == 0
    ours.load_state_dict(theirs.state_dict())
    x = draw(rng, B, D)
    assert_same_with_gradients(ours, theirs, x)
    for got, expected in zip(
        gradients(ours(x).pow(3).sum(), *ours.parameters()),
        gradients(theirs(x).pow(3).sum(), *theirs.parameters()),
        strict=True,
    ):
        assert_equal(got, expected)


# losses


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e4])
def test_squared_loss(rng, scale):
    z, y = draw(rng, B, C, scale=scale), draw(rng, B, C)
    assert_same_with_gradients(squared_loss, lambda a, b: C * F.mse_loss(a, b), z, y)
    assert_same_with_gradients(squared_loss, F.mse_loss, z[:, 0], y[:, 0])


@pytest.mark.parametrize("scale", [0.0, 1e-6, 1.0, 1e4])
@pytest.mark.parametrize("shape", [(B,), (B, C)])
def test_logistic_loss(rng, scale, shape):
    z, y = draw(rng, *shape, scale=scale), binary(rng, *shape)
    expected = F.binary_cross_entropy_with_logits
    assert_same_with_gradients(
        lambda z: logistic_loss(z, y), lambda z: expected(z, y, reduction="sum") / B, z
    )


def test_logistic_loss_of_certain_answers():
    z = torch.tensor([-1e4, 1e4, -40.0], dtype=torch.float64)
    assert logistic_loss(z[:2], torch.tensor([0.0, 1.0]).double()) == 0
    assert logistic_loss(z[:2], torch.tensor([1.0, 0.0]).double()) == 1e4
    tiny = logistic_loss(z[2:], torch.zeros(1).double())
    assert_equal(tiny, torch.tensor(math.exp(-40.0)).double())  # not rounded to 0


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e4])
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_log_sum_exp_and_softmax(rng, scale, dim):
    z = draw(rng, 3, C, D, scale=scale)
    z[0] += 3 * scale  # rows far apart: one shift for all of them would lose the low ones
    assert_same_with_gradients(lambda z: log_sum_exp(z, dim), lambda z: z.logsumexp(dim), z)
    got, expected = softmax(z, dim), F.softmax(z, dim)
    torch.testing.assert_close(got, expected, rtol=1e-11, atol=1e-13)
    assert_equal(got.sum(dim), torch.ones_like(got.sum(dim)))


def test_log_sum_exp_with_minus_infinity(rng):
    z = draw(rng, C, D)
    z[0] = -math.inf
    z[1, :3] = -math.inf
    assert_equal(log_sum_exp(z), z.logsumexp(-1))
    assert log_sum_exp(z)[0] == -math.inf


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e4])
def test_cross_entropy(rng, scale):
    z, y = draw(rng, B, C, scale=scale), labels(rng)
    assert_same_with_gradients(lambda z: cross_entropy(z, y), lambda z: F.cross_entropy(z, y), z)
    leaf = z.clone().requires_grad_()
    (expected,) = gradients(F.cross_entropy(leaf, y), leaf)
    torch.testing.assert_close(cross_entropy_gradient(z, y), expected, rtol=1e-11, atol=1e-13)


def test_two_classes_make_logistic_regression(rng):
    z, y = draw(rng, B, 2), labels(rng, classes=2)
    assert_equal(cross_entropy(z, y), logistic_loss(z[:, 1] - z[:, 0], y.double()))


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e4])
@pytest.mark.parametrize("margin", [0.0, 1.0, 2.5])
def test_hinge_loss(rng, scale, margin):
    z, y = draw(rng, B, C, scale=scale), labels(rng)

    def strongest_rival(z):
        """The right class against each other class alone, by torch; the worst of these counts."""
        right = z.gather(1, y[:, None])
        rivals = [(y + k) % C for k in range(1, C)]
        duels = [
            2
            * F.multi_margin_loss(
                torch.cat([right, z.gather(1, rival[:, None])], 1),
                torch.zeros_like(y),
                margin=margin,
                reduction="none",
            )
            for rival in rivals
        ]
        return torch.stack(duels).amax(0).mean()

    ours = lambda z: hinge_loss(z, y, margin=margin)  # noqa: E731
    assert_same_with_gradients(ours, strongest_rival, z)


def test_gradients_against_finite_differences(rng):
    z, y = draw(rng, B, C).requires_grad_(), labels(rng)
    real, yes = draw(rng, B, C), binary(rng, B, C)
    assert gradcheck(squared_loss, (z, real))
    assert gradcheck(logistic_loss, (z, yes))
    assert gradcheck(lambda z: logistic_loss(0 * z, yes), z)
    assert gradcheck(cross_entropy, (z, y))
    assert gradcheck(hinge_loss, (z, y))
    assert gradcheck(log_sum_exp, z)
    weight, bias = draw(rng, D, C).requires_grad_(), draw(rng, D).requires_grad_()
    assert gradcheck(linear, (z, weight, bias))


def test_inputs_stay_as_they_are(rng):
    z, y, real = draw(rng, B, C), labels(rng), binary(rng, B, C)
    before = z.clone(), y.clone(), real.clone()
    for loss in (squared_loss, logistic_loss):
        loss(z, real)
    for loss in (cross_entropy, cross_entropy_gradient, hinge_loss):
        loss(z, y)
    log_sum_exp(z), softmax(z), normal_equations(z, real, l2=0.1)
    assert all(torch.equal(a, b) for a, b in zip(before, (z, y, real), strict=True))


# solving and training


def ridge_problem(rng):
    x, truth = draw(rng, 31, D), draw(rng, C, D)
    return x + 3.0, x @ truth.T + draw(rng, C) + 0.1 * draw(rng, 31, C)


@pytest.mark.parametrize("l2", [0.0, 1e-3, 2.0])
def test_normal_equations(rng, l2):
    x, y = ridge_problem(rng)
    weight, bias = normal_equations(x, y, l2=l2)
    ridge = Ridge(alpha=len(x) * l2, solver="svd").fit(x.numpy(), y.numpy())
    torch.testing.assert_close(weight, torch.from_numpy(ridge.coef_), rtol=1e-9, atol=1e-11)
    torch.testing.assert_close(bias, torch.from_numpy(ridge.intercept_), rtol=1e-9, atol=1e-11)
    weight, bias = weight.requires_grad_(), bias.requires_grad_()
    objective = squared_loss(linear(x, weight, bias), y) + l2 * weight.square().sum()
    for slope in gradients(objective, weight, bias):
        assert slope.abs().max() < 1e-10


def test_both_solvers_agree(rng):
    x, y = ridge_problem(rng)
    x = x - x.mean(0)
    start = {"weight": draw(rng, C, D), "bias": draw(rng, C)}
    weight, bias, history = train(
        x, y, **start, loss="squared", learning_rate=0.2, steps=2000, l2=0.05
    )
    exact = normal_equations(x, y, l2=0.05)
    torch.testing.assert_close(weight, exact[0], rtol=1e-10, atol=1e-12)
    torch.testing.assert_close(bias, exact[1], rtol=1e-10, atol=1e-12)
    assert (history.diff() <= 1e-12).all()


@pytest.mark.parametrize("loss", sorted(LOSSES))
@pytest.mark.parametrize("l2", [0.0, 0.3])
def test_train_takes_the_steps_of_sgd(rng, loss, l2):
    """`torch.optim.SGD` calls 2 λ the weight decay, and must be told to spare the bias."""
    x = draw(rng, B, D)
    targets = {"squared": draw(rng, B, C), "logistic": binary(rng, B, C)}
    y = targets.get(loss, labels(rng))
    net = nn.Linear(D, C, dtype=torch.float64)
    start = {name: value.detach().clone() for name, value in net.named_parameters()}
    before = {name: value.clone() for name, value in start.items()}
    weight, bias, history = train(x, y, **start, loss=loss, learning_rate=0.1, steps=13, l2=l2)
    groups = [{"params": [net.weight], "weight_decay": 2 * l2}, {"params": [net.bias]}]
    optimizer = torch.optim.SGD(groups, lr=0.1)
    for step in range(13):
        value = LOSSES[loss](net(x), y)
        assert_equal(history[step], (value + l2 * net.weight.square().sum()).detach())
        optimizer.zero_grad()
        value.backward()
        optimizer.step()
    assert_equal(weight, net.weight.detach())
    assert_equal(bias, net.bias.detach())
    assert not any(found.requires_grad for found in (weight, bias, history))
    assert all(torch.equal(start[name], before[name]) for name in start)


def test_no_steps_change_nothing(rng):
    weight, bias = draw(rng, C, D), draw(rng, C)
    found = train(
        draw(rng, B, D),
        labels(rng),
        weight=weight,
        bias=bias,
        loss="hinge",
        learning_rate=1.0,
        steps=0,
    )
    assert torch.equal(found[0], weight)
    assert torch.equal(found[1], bias)
    assert found[2].shape == (0,)


def test_softmax_regression_finds_what_scikit_learn_finds():
    data = load_digits(n_class=3)
    x, y = torch.from_numpy(data.data[:101] / 16), torch.from_numpy(data.target[:101])
    x = x - x.mean(0)
    zeros = torch.zeros(3, 64, dtype=torch.float64)
    weight, bias, _ = train(
        x,
        y,
        weight=zeros,
        bias=zeros[:, 0],
        loss="cross_entropy",
        learning_rate=0.3,
        steps=3000,
        l2=0.01,
    )
    theirs = LogisticRegression(C=1 / (2 * 0.01 * 101), tol=1e-12, max_iter=10_000).fit(x, y)
    torch.testing.assert_close(weight, torch.from_numpy(theirs.coef_), rtol=0, atol=1e-6)
    offset = torch.from_numpy(theirs.intercept_)  # one constant for all classes is free
    torch.testing.assert_close(bias - bias.mean(), offset - offset.mean(), rtol=0, atol=1e-6)


def test_accuracy():
    scores = torch.tensor([[0.1, -2.0, 3.0], [5.0, 4.0, -1.0], [0.0, 2.0, 1.0], [1.0, 0.0, 0.5]])
    assert accuracy(scores, torch.tensor([2, 1, 1, 0])) == 0.75
    scores[3, 2] = math.nan  # and `argmax` takes it for the largest
    assert accuracy(scores, torch.tensor([2, 1, 1, 2])) == 0.5


def test_paired_difference_is_that_of_scipy(rng):
    first, second = draw(rng, 5).tolist(), draw(rng, 5).tolist()
    mean, error, t = paired_difference(first, second)
    assert math.isclose(t, ttest_rel(first, second).statistic, rel_tol=1e-12)
    assert math.isclose(mean / error, t)


def test_reuse_takes_the_place_of_more_shuffles(rng):
    first, second = draw(rng, 5).tolist(), draw(rng, 5).tolist()
    plain, wary = (paired_difference(first, second, reuse=r) for r in (0.0, 1 / 3))
    assert plain[0] == wary[0]
    assert math.isclose(wary[1] / plain[1], math.sqrt(1 + 5 / 3))
    assert math.isclose(plain[2] / wary[2], math.sqrt(1 + 5 / 3))


def test_differences_without_spread():
    assert paired_difference([2.0, 3.0], [1.0, 2.0]) == (1.0, 0.0, math.inf)
    assert paired_difference([1.0, 2.0], [2.0, 3.0]) == (-1.0, 0.0, -math.inf)
    assert paired_difference([1.0, 2.0], [1.0, 2.0]) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("second", [[0.5], [0.5, 0.6, 0.7]])
def test_results_without_a_partner_are_refused(second):
    with pytest.raises(ValueError, match="same occasions"):
        paired_difference([0.5, 0.6][: len(second)], second)


def test_map_loss_is_that_of_torch(rng):
    weight, bias, features, target = (
        draw(rng, C, D),
        draw(rng, C),
        draw(rng, B, D),
        draw(rng, B, C),
    )

    def theirs(weight, bias):
        of_target = Normal(linear(features, weight, bias), 0.3**0.5).log_prob(target).sum()
        of_weight = Normal(torch.zeros(()).double(), 1.7**0.5).log_prob(weight).sum()
        return -of_target - of_weight

    def ours(weight, bias):
        return map_loss(weight, bias, features, target, noise=0.3, prior=1.7)

    assert_same_with_gradients(ours, theirs, weight, bias)


def test_ridge_regression_is_the_most_probable_one(rng):
    features, target = draw(rng, B, D), draw(rng, B, C)
    weight, bias = normal_equations(features, target, l2=0.3 / (B * 1.7))
    leaves = weight.requires_grad_(), bias.requires_grad_()
    loss = map_loss(*leaves, features, target, noise=0.3, prior=1.7)
    for slope in torch.autograd.grad(loss, leaves):
        assert slope.abs().max() < 1e-12


def test_a_run_that_diverged_is_not_chosen():
    features, labels = torch.zeros(5, 2), torch.zeros(5, dtype=torch.int64)
    features[:, 0] = torch.tensor([1.0, -1.0, 2.0, -2.0, 0.5])
    dev_labels = torch.tensor([0, 1, 1, 1, 1])  # NaN answers class 0, and has one right
    scores = predict_tuned(
        features,
        labels,
        dev_features=features,
        dev_labels=dev_labels,
        new_features=features,
        classes=2,
        candidates=[1e9, 0.1],
        learning_rate=0.5,
        steps=100,
    )
    assert scores.isfinite().all()


def test_predict_tuned_takes_the_best_candidate(rng):
    x = draw(rng, 3 * B, D)
    y = (x @ draw(rng, D, C) + draw(rng, 3 * B, C)).argmax(1)
    parts = {"dev_features": x[B : 2 * B], "dev_labels": y[B : 2 * B], "new_features": x[2 * B :]}
    zeros = torch.zeros(C, D, dtype=torch.float64)

    def fit(l2):
        return train(
            x[:B],
            y[:B],
            weight=zeros,
            bias=zeros[:, 0],
            loss="cross_entropy",
            learning_rate=0.5,
            steps=23,
            l2=l2,
        )[:2]

    candidates = [0.3, 0.0, 0.03, 0.1]
    found = [accuracy(linear(parts["dev_features"], *fit(l2)), y[B : 2 * B]) for l2 in candidates]
    best = max(range(4), key=lambda i: found[i])  # the first among equals
    assert len(set(found)) > 1
    parts |= {"classes": C, "candidates": candidates, "learning_rate": 0.5, "steps": 23}
    got = predict_tuned(x[:B], y[:B], **parts)
    assert_equal(got, linear(x[2 * B :], *fit(candidates[best])))


# errors, devices


@pytest.mark.parametrize("loss", [squared_loss, logistic_loss])
def test_shapes_that_would_broadcast_are_refused(loss):
    with pytest.raises(ValueError, match=r"same shape, got \(11, 1\) and \(11,\); reshape"):
        loss(torch.zeros(B, 1), torch.zeros(B))


@pytest.mark.parametrize("loss", [cross_entropy, cross_entropy_gradient, hinge_loss])
def test_targets_that_are_no_class_numbers_are_refused(loss):
    with pytest.raises(ValueError, match=r"got \(11, 5\) and \(11, 5\); a target is one class"):
        loss(torch.zeros(B, C), torch.zeros(B, C))
    with pytest.raises(ValueError, match=r"got \(5,\) and \(\)"):
        loss(torch.zeros(C), torch.tensor(1))


def test_equations_without_one_solution_are_refused(rng):
    x = draw(rng, B, D)
    x[:, 2] = 4.0
    with pytest.raises(ValueError, match=r"some features are constant.* give an l2 above 0"):
        normal_equations(x, draw(rng, B, C))
    assert normal_equations(x, draw(rng, B, C), l2=1e-3)[0][:, 2].abs().max() < 1e-12


def test_unknown_loss_is_refused(rng):
    with pytest.raises(ValueError, match="one of squared, logistic, cross_entropy, hinge, got 'l1"):
        train(
            draw(rng, B, D),
            labels(rng),
            weight=draw(rng, C, D),
            bias=draw(rng, C),
            loss="l1",
            learning_rate=1.0,
            steps=1,
        )


@pytest.mark.cuda
def test_everything_runs_on_cuda(rng):
    x, y = draw(rng, B, D).cuda(), labels(rng).cuda()
    one_hot = F.one_hot(y, C).double()
    assert LinearModel(D, C, device="cuda").weight.device.type == "cuda"
    weight, bias = normal_equations(x, one_hot, l2=0.1)
    on_cpu = normal_equations(x.cpu(), one_hot.cpu(), l2=0.1)
    torch.testing.assert_close(weight.cpu(), on_cpu[0], rtol=1e-10, atol=1e-12)
    for loss in LOSSES:
        target = one_hot if loss in ("squared", "logistic") else y
        settings = {"loss": loss, "learning_rate": 0.1, "steps": 7, "l2": 0.1}
        there = train(x, target, weight=weight, bias=bias, **settings)
        here = train(x.cpu(), target.cpu(), weight=weight.cpu(), bias=bias.cpu(), **settings)
        for got, expected in zip(there, here, strict=True):
            assert got.device.type == "cuda"
            torch.testing.assert_close(got.cpu(), expected, rtol=1e-10, atol=1e-12)
    assert chapter.cross_entropy_gradient(linear(x, weight, bias), y).device.type == "cuda"
