"""Refresher: derivatives, matrices, probability and PyTorch tensors, one short function for each.

Builds the derivative of a polynomial, the chain rule for one unit, finite differences, the rules
of broadcasting, squared distances, mean and variance, the normal distribution, Bayes' rule, a strip
of pictures, and gradient descent with autograd.

Sources: Deisenroth, Faisal and Ong 2020, "Mathematics for Machine Learning" (sections 5.1 to 5.6:
derivatives, 6.3 to 6.5: probability); Harris et al. 2020, "Array programming with NumPy"
(broadcasting).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor


def polynomial_derivative(coefficients: Tensor) -> Tensor:
    """Differentiate a polynomial term by term: c_k xᵏ becomes k c_k xᵏ⁻¹.

    Args:
        coefficients: c_0 to c_n, (terms,) float with at least one term, the constant first.

    Returns:
        (terms − 1,), coefficients of the derivative, its constant first. A constant has a
        derivative without terms.
    """
    powers = torch.arange(len(coefficients), device=coefficients.device)
    return (powers * coefficients)[1:]


def neuron_gradient(
    x: Tensor, weight: Tensor, bias: Tensor, target: Tensor
) -> tuple[Tensor, Tensor]:
    """Gradient of the squared error of one tanh unit, by the chain rule.

    a = w · x + b, o = tanh(a), L = (o − y)². Each step has a derivative of its own, and they
    multiply: ∂L/∂o = 2 (o − y), ∂o/∂a = 1 − o², ∂a/∂w = x, ∂a/∂b = 1.

    Args:
        x: (D,) float, the inputs.
        weight: w, (D,) float.
        bias: b, () float.
        target: y, () float.

    Returns:
        ∂L/∂w (D,) and ∂L/∂b ().
    """
    output = torch.tanh(weight @ x + bias)
    by_sum = 2 * (output - target) * (1 - output.square())  # ∂L/∂a
    return by_sum * x, by_sum


def finite_difference(function: Callable[[Tensor], Tensor], x: Tensor, *, step: float) -> Tensor:
    """Measure a gradient: move one input at a time, up and down.

    ∂f/∂x_i ≈ (f(x + ε e_i) − f(x − ε e_i)) / 2ε, where e_i is 1 at place i and 0 elsewhere.

    Args:
        function: f, takes (D,) and returns ().
        x: (D,) float; not changed.
        step: ε > 0, how far to move.

    Returns:
        (D,), on the device of x.
    """
    moves = step * torch.eye(len(x), dtype=x.dtype, device=x.device)  # (D, D)
    rises = [function(x + move) - function(x - move) for move in moves]
    return torch.stack(rises) / (2 * step)


def broadcast_shape(first: Sequence[int], second: Sequence[int]) -> tuple[int, ...]:
    """Shape of the sum of two tensors, by the rules of broadcasting.

    The shapes are aligned at their last axes; an axis that one of them lacks has size 1 there. Two
    sizes fit if they are equal, or if one of them is 1: then the other one is the result's.

    Args:
        first: sizes of one tensor's axes, a list or a tuple; none for a number.
        second: sizes of the other's, likewise.

    Returns:
        Sizes of the result's axes.

    Raises:
        ValueError: two sizes do not fit.
    """
    axes = max(len(first), len(second))
    padded = [(1,) * (axes - len(sizes)) + tuple(sizes) for sizes in (first, second)]
    result = []
    for one, other in zip(*padded, strict=True):
        if one != other and 1 not in (one, other):
            raise ValueError(
                f"{tuple(first)} and {tuple(second)} do not fit: from the right, sizes have to be "
                f"equal, or one of them 1, and here are {one} and {other}"
            )
        result.append(other if one == 1 else one)
    return tuple(result)


def squared_distances(x: Tensor, y: Tensor) -> Tensor:
    """Squared distance between each row of one matrix and each row of another.

    ‖x_a − y_b‖² = Σ_d (x_ad − y_bd)², from differences, so that it is exact where two rows nearly
    agree.

    Args:
        x: (A, D) float.
        y: (B, D) float.

    Returns:
        (A, B).
    """
    differences = x[:, None] - y  # (A, 1, D) − (B, D) -> (A, B, D)
    return differences.square().sum(dim=-1)


def moments(values: Tensor, probabilities: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and variance of a number that takes some values with known probabilities.

    E[x] = Σ_i p_i x_i and Var[x] = Σ_i p_i (x_i − E[x])².

    Args:
        values: x_1 to x_n, (n,) float.
        probabilities: p_1 to p_n, (..., n) float; each row sums to 1.

    Returns:
        The means and the variances, (...) each.
    """
    mean = (probabilities * values).sum(dim=-1, keepdim=True)  # (..., 1)
    variance = (probabilities * (values - mean).square()).sum(dim=-1)
    return mean.squeeze(-1), variance


def normal_log_density(x: Tensor, *, mean: Tensor, variance: Tensor) -> Tensor:
    """Logarithm of the normal density, in nats.

    ln N(x; m, s) = −½ ((x − m)² / s + ln(2π s)), with the variance s. Never the logarithm of a
    density that was computed before: far from the mean, that one is rounded to 0.

    Args:
        x: float.
        mean: m, float, broadcastable to x.
        variance: s > 0, float, broadcastable to x.

    Returns:
        The shape of ``x``.
    """
    return -0.5 * ((x - mean).square() / variance + torch.log(2 * math.pi * variance))


def posterior(prior: Tensor, likelihood: Tensor) -> Tensor:
    """Probability of each class after an observation, by Bayes' rule.

    p(c | x) = p(c) p(x | c) / Σ_k p(k) p(x | k).

    Args:
        prior: p(c), (C,) float; sums to 1.
        likelihood: p(x | c) of each observation, (..., C) float; not all 0 in a row. Densities may
            be above 1.

    Returns:
        (..., C); each row sums to 1.
    """
    joint = prior * likelihood  # (C,) · (..., C) -> (..., C)
    return joint / joint.sum(dim=-1, keepdim=True)


def side_by_side(images: Tensor) -> Tensor:
    """Join pictures into one strip, from left to right.

    Args:
        images: (N, H, W), any dtype; one or more.

    Returns:
        (H, N W): row h holds row h of picture 0, then row h of picture 1, and so on.
    """
    count, height, width = images.shape
    return images.transpose(0, 1).reshape(height, count * width)  # (N, H, W) -> (H, N, W) -> …


def minimize(
    function: Callable[[Tensor], Tensor], x: Tensor, *, learning_rate: float, steps: int
) -> Tensor:
    """Gradient descent with autograd: x ← x − η ∇f(x), several times.

    Args:
        function: f, takes a tensor of the shape of x and returns ().
        x: float, where to start; keeps its numbers. It may require a gradient.
        learning_rate: η.
        steps: how many steps.

    Returns:
        The shape of ``x``, where the last step has led; not part of a graph.
    """
    for _ in range(steps):
        x = x.detach().requires_grad_()
        (gradient,) = torch.autograd.grad(function(x), x)
        x = x - learning_rate * gradient
    return x.detach()
