"""`solutions.refresher` against autograd, NumPy, torch.distributions and counting."""

import itertools

import numpy as np
import pytest
import torch
from draws import assert_equal, draw
from torch.distributions import Normal

from solutions.refresher import (
    broadcast_shape,
    finite_difference,
    minimize,
    moments,
    neuron_gradient,
    normal_log_density,
    polynomial_derivative,
    posterior,
    side_by_side,
    squared_distances,
)

D = 7


@pytest.mark.parametrize("terms", [1, 2, 7])
def test_polynomial_derivative_is_that_of_numpy_and_autograd(rng, terms):
    coefficients, at = draw(rng, terms), draw(rng, 1)
    slopes = polynomial_derivative(coefficients)
    assert slopes.shape == (terms - 1,)
    polynomial = np.polynomial.Polynomial(coefficients.numpy())
    expected = torch.as_tensor(polynomial.deriv()(at.numpy()))
    assert_equal((slopes * at ** torch.arange(terms - 1)).sum(0, keepdim=True), expected)


def test_neuron_gradient_is_that_of_autograd(rng):
    x, weight, bias, target = draw(rng, D), draw(rng, D), draw(rng), draw(rng)
    weight.requires_grad_()
    bias.requires_grad_()
    loss = (torch.tanh(weight @ x + bias) - target) ** 2
    expected = torch.autograd.grad(loss, (weight, bias))
    for got, due in zip(neuron_gradient(x, weight, bias, target), expected, strict=True):
        assert_equal(got.detach(), due)


def test_finite_difference_is_exact_for_squares_and_off_by_its_step_for_cubes(rng):
    x, factors = draw(rng, D), draw(rng, D)
    before = x.clone()
    squares = finite_difference(lambda x: (factors * x**2).sum(), x, step=0.5)
    assert_equal(squares, 2 * factors * x)
    cubes = finite_difference(lambda x: (factors * x**3).sum(), x, step=0.5)
    assert_equal(cubes, factors * (3 * x**2 + 0.5**2))
    assert torch.equal(x, before)


SHAPES = [shape for axes in range(4) for shape in itertools.product((0, 1, 2, 3), repeat=axes)]


def test_broadcast_shape_is_that_of_torch():
    for first, second in itertools.product(SHAPES, SHAPES):
        try:
            expected = tuple(torch.broadcast_shapes(first, second))
        except RuntimeError:
            with pytest.raises(ValueError, match="do not fit"):
                broadcast_shape(first, second)
        else:
            assert broadcast_shape(first, second) == expected


def test_squared_distances_are_those_of_torch(rng):
    x, y = draw(rng, 5, D), draw(rng, 3, D)
    assert_equal(squared_distances(x, y), torch.cdist(x, y) ** 2)
    assert squared_distances(x + 1e8, x + 1e8).diagonal().eq(0).all()


@pytest.mark.parametrize("lead", [(), (3,), (2, 5)])
def test_moments_are_those_of_numpy(rng, lead):
    values = draw(rng, D)
    probabilities = draw(rng, *lead, D).softmax(dim=-1)
    mean, variance = moments(values, probabilities)
    assert mean.shape == variance.shape == lead
    for row, got, spread in zip(
        probabilities.reshape(-1, D), mean.flatten(), variance.flatten(), strict=True
    ):
        expected = np.average(values.numpy(), weights=row.numpy())
        squares = np.average((values.numpy() - expected) ** 2, weights=row.numpy())
        assert_equal(got, torch.tensor(expected))
        assert_equal(spread, torch.tensor(squares))


def test_normal_log_density_is_that_of_torch(rng):
    x, mean, variance = draw(rng, 5, D, scale=30.0), draw(rng, D), draw(rng, D).exp()
    got = normal_log_density(x, mean=mean, variance=variance)
    assert_equal(got, Normal(mean, variance.sqrt()).log_prob(x))
    assert got.min() < -745  # where the density itself is rounded to 0


def test_posterior_counts_what_is_counted():
    """Of 6 + 2 people in two classes, 3 and 2 show the symptom."""
    prior = torch.tensor([6 / 8, 2 / 8], dtype=torch.float64)
    symptom = torch.tensor([3 / 6, 2 / 2], dtype=torch.float64)
    got = posterior(prior, torch.stack([symptom, 1 - symptom]))
    assert_equal(got, torch.tensor([[3 / 5, 2 / 5], [1, 0]], dtype=torch.float64))


def test_side_by_side_is_a_concatenation(rng):
    images = draw(rng, 5, 3, 2)
    assert torch.equal(side_by_side(images), torch.cat(list(images), dim=1))
    assert torch.equal(side_by_side(images.long()), side_by_side(images).long())


def test_minimize_is_sgd_and_leaves_the_start_alone(rng):
    start, factors = draw(rng, 3, D), draw(rng, 3, D).exp()
    before = start.clone()

    def bowl(x):
        return (factors * x**2).sum() + x.sum().cosh().log()

    leaf = start.clone().requires_grad_()
    optimizer = torch.optim.SGD([leaf], lr=0.01)
    for _ in range(5):
        optimizer.zero_grad()
        bowl(leaf).backward()
        optimizer.step()
    got = minimize(bowl, start, learning_rate=0.01, steps=5)
    assert_equal(got, leaf.detach())
    assert not got.requires_grad
    assert torch.equal(start, before)
    assert not start.requires_grad
