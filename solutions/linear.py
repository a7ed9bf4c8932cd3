"""Linear models: scores z = W x + b, four losses that say what the scores should be, one loop.

Builds linear regression (in closed form and by gradient descent), logistic regression, softmax
regression and the linear support vector machine, each with an L2 penalty on its weights.

A loss here is a mean over examples; within one example it adds up over the outputs. The softmax and
the losses follow their formulas; torch has one kernel for each, several times as fast.

Sources: Hoerl and Kennard 1970 (ridge regression); Cox 1958 (logistic regression); Bishop 2006,
"Pattern Recognition and Machine Learning", sections 3.1 and 4.3; Crammer and Singer 2001, "On the
Algorithmic Implementation of Multiclass Kernel-based Vector Machines" (hinge loss for classes).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import nn


def linear(
    input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None
) -> torch.Tensor:
    """Score every input once per output: z = W x + b.

    Args:
        input: (..., D) float.
        weight: (C, D) float, one row per output.
        bias: (C,) float; without it nothing is added.

    Returns:
        (..., C).
    """
    scores = input @ weight.T  # (..., D) x (D, C) -> (..., C)
    return scores if bias is None else scores + bias


def squared_loss(input: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Squared distance between prediction and truth, averaged over examples.

    (1/B) Σ_b Σ_c (z_bc − y_bc)². `F.mse_loss` divides by the number of outputs C as well.

    Args:
        input: (B,) or (B, C) float, predictions.
        target: float, the shape of ``input``.

    Returns:
        (), the loss.

    Raises:
        ValueError: the shapes differ.
    """
    if input.shape != target.shape:
        raise _different_shapes(input, target)
    return (input - target).square().sum() / len(input)


def normal_equations(
    features: torch.Tensor, target: torch.Tensor, *, l2: float = 0.0
) -> tuple[torch.Tensor, torch.Tensor]:
    """Solve linear regression exactly: where the gradient is zero (Hoerl and Kennard 1970).

    Minimizes squared_loss(X Wᵀ + b, Y) + λ Σ W². The bias is not penalized, so it is
    b = ȳ − W x̄, and with centered features X̃ = X − x̄ the weights solve
    (X̃ᵀX̃ + B λ I) Wᵀ = X̃ᵀY.

    Args:
        features: X, (B, D) float.
        target: Y, (B, C) float.
        l2: λ ≥ 0, the weight of the penalty.

    Returns:
        weight (C, D) and bias (C,).

    Raises:
        ValueError: λ = 0 and the equations have no single solution: a feature is constant or
            depends linearly on others, up to the rounding of X, or there are fewer than D + 1
            examples. Units that differ by a factor of 10⁷, or features that agree to two digits, do
            not raise it.
    """
    center = features.mean(dim=0)
    x = features - center
    penalty = torch.diag(x.new_full(center.shape, len(x) * l2))  # B λ I, (D, D)
    if l2 == 0 and _rank(x, features.norm()) < x.shape[1]:
        raise ValueError(
            "many weights fit equally well: some features are constant, or depend linearly on "
            "others, or there are too few examples; drop features, or give an l2 above 0"
        )
    weight = torch.linalg.solve(x.T @ x + penalty, x.T @ target).T  # (D, C) -> (C, D)
    return weight, target.mean(dim=0) - weight @ center


def logistic_loss(input: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Surprise at yes-or-no answers when σ(z) is the probability of yes, in nats.

    −[y ln σ(z) + (1 − y) ln σ(−z)], summed over the outputs of an example and averaged over
    examples (Bishop 2006, eq. 4.90). The logarithms are computed from the scores, so a large score
    does not overflow, and a loss near 0 is not rounded away.

    Args:
        input: z, (B,) or (B, C) float, scores of any size.
        target: y, float of the shape of ``input``: 0 for no, 1 for yes, or the probability of a
            yes.

    Returns:
        (), the loss.

    Raises:
        ValueError: the shapes differ.
    """
    if input.shape != target.shape:
        raise _different_shapes(input, target)
    zero = torch.zeros_like(input)  # ln(1 + e⁻ᶻ) = −ln σ(z), without overflow:
    yes, no = torch.logaddexp(zero, -input), torch.logaddexp(zero, input)
    return (target * yes + (1 - target) * no).sum() / len(input)


def map_loss(
    weight: torch.Tensor,
    bias: torch.Tensor,
    features: torch.Tensor,
    target: torch.Tensor,
    *,
    noise: float,
    prior: float,
) -> torch.Tensor:
    """Surprise at the targets and at the weights, when both are Gaussian, in nats.

    −Σ_b ln N(y_b; W x_b + b, s I) − Σ ln N(W; 0, s_W), where −ln N(v; m, s) = (v − m)² / (2s) +
    ½ ln(2πs) for each number v. It is smallest where squared_loss + λ Σ W² is smallest, with λ =
    s / (B s_W) (Bishop 2006, eq. 3.55): ridge regression finds the most probable weights.

    Args:
        weight: W, (C, D) float.
        bias: b, (C,) float; it has no prior.
        features: X, (B, D) float.
        target: Y, (B, C) float.
        noise: s > 0, the variance of every target around its prediction.
        prior: s_W > 0, the variance of every weight around 0.

    Returns:
        (), a sum over the examples, not a mean.

    Raises:
        ValueError: predictions and target differ in shape.
    """
    prediction = linear(features, weight, bias)
    if prediction.shape != target.shape:
        raise _different_shapes(prediction, target)
    data = (prediction - target).square() / noise + math.log(2 * math.pi * noise)  # (B, C)
    weights = weight.square() / prior + math.log(2 * math.pi * prior)  # (C, D)
    return (data.sum() + weights.sum()) / 2


def log_sum_exp(input: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """A soft maximum along one axis: ln Σ exp(z), for numbers of any size.

    ln Σⱼ exp(zⱼ) = m + ln Σⱼ exp(zⱼ − m), with m the largest zⱼ.

    Args:
        input: float, any shape with at least one number along ``dim``; ±∞ are allowed.
        dim: the axis to sum over.

    Returns:
        The shape of ``input`` without that axis. Where all numbers are −∞, so is the result; where
        one is +∞, it is +∞.
    """
    largest = input.detach().amax(dim=dim, keepdim=True)  # no gradient: the shift cancels
    shift = largest.masked_fill(largest.isinf(), 0.0)  # ∞ − ∞ is not a number
    return (input - shift).exp().sum(dim=dim).log() + shift.squeeze(dim)


def softmax(input: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """Turn scores into probabilities: pⱼ = exp(zⱼ) / Σₖ exp(zₖ).

    The largest score is subtracted first, so no exponential exceeds 1. Exponentials divided by
    their sum add up to 1 up to rounding; exp(z − ln Σ exp(z)) does not for large scores (Blanchard,
    Higham and Higham 2021).

    Args:
        input: float, any shape with at least one score along ``dim``.
        dim: the axis along which the probabilities sum to 1.

    Returns:
        The shape of ``input``.
    """
    largest = input.detach().amax(dim=dim, keepdim=True)  # no gradient: the shift cancels
    powers = (input - largest).exp()
    return powers / powers.sum(dim=dim, keepdim=True)


def cross_entropy(input: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Surprise at the right class when softmax(z) are the probabilities, in nats.

    −ln softmax(z)_y = ln Σⱼ exp(zⱼ) − z_y, averaged over examples (Bishop 2006, eq. 4.108). The
    largest score is subtracted first, so that the last step does not subtract two large numbers.

    Args:
        input: z, (B, C) float, scores; the softmax is part of the loss.
        target: y, (B,) int64, the right classes.

    Returns:
        (), the loss.

    Raises:
        ValueError: the shapes do not fit.
    """
    if input.dim() != 2 or target.shape != input.shape[:1]:
        raise _no_labels(input, target)
    scores = input - input.detach().amax(dim=1, keepdim=True)  # no gradient: the shift cancels
    right = scores.gather(1, target[:, None]).squeeze(1)  # (B, C), (B, 1) -> (B, 1) -> (B,)
    return (log_sum_exp(scores) - right).mean()


def cross_entropy_gradient(input: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Gradient of `cross_entropy` with respect to the scores, by the formula derived by hand.

    (p − y) / B with p = softmax(z) and y one-hot: in Bishop 2006, eq. 4.109, this factor multiplies
    the features.

    Args:
        input: z, (B, C) float, scores.
        target: y, (B,) int64, the right classes.

    Returns:
        (B, C), on the device of ``input``.

    Raises:
        ValueError: the shapes do not fit.
    """
    if input.dim() != 2 or target.shape != input.shape[:1]:
        raise _no_labels(input, target)
    classes = torch.arange(input.shape[1], device=input.device)
    one_hot = (classes == target[:, None]).to(input.dtype)  # (C,), (B, 1) -> (B, C)
    return (softmax(input) - one_hot) / len(input)


def hinge_loss(input: torch.Tensor, target: torch.Tensor, *, margin: float = 1.0) -> torch.Tensor:
    """How far the right class is from beating its strongest rival by a margin.

    max(0, margin + max_{j≠y} zⱼ − z_y), averaged over examples (Crammer and Singer 2001).

    Args:
        input: z, (B, C) float, scores of two classes or more.
        target: y, (B,) int64, the right classes.
        margin: the lead over every other class at which the loss is 0.

    Returns:
        (), the loss, on the device of ``input``.

    Raises:
        ValueError: the shapes do not fit.
    """
    if input.dim() != 2 or target.shape != input.shape[:1]:
        raise _no_labels(input, target)
    right = input.gather(1, target[:, None])  # (B, C), (B, 1) -> (B, 1)
    wrong = torch.arange(input.shape[1], device=input.device) != target[:, None]  # (B, C)
    return (input + margin * wrong - right).amax(dim=1).mean()


LOSSES = {
    "squared": squared_loss,
    "logistic": logistic_loss,
    "cross_entropy": cross_entropy,
    "hinge": hinge_loss,
}


def train(
    features: torch.Tensor,
    target: torch.Tensor,
    *,
    weight: torch.Tensor,
    bias: torch.Tensor,
    loss: str,
    learning_rate: float,
    steps: int,
    l2: float = 0.0,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Fit a linear model by gradient descent on all examples at once.

    Each step computes J = loss(linear(features, W, b), target) + λ Σ W², then the gradients of J
    with respect to both W and b, and only then moves both: W ← W − η ∂J/∂W, b ← b − η ∂J/∂b.

    Args:
        features: (B, D) float.
        target: what the loss compares the scores with: (B, C) float for ``"squared"`` and
            ``"logistic"``, (B,) int64 for ``"cross_entropy"`` and ``"hinge"``.
        weight: (C, D) float, where to start; is not changed. It may require a gradient.
        bias: (C,) float, where to start; is not changed. It may require a gradient.
        loss: a key of ``LOSSES``.
        learning_rate: η, the length of a step per unit of gradient.
        steps: number of steps; all are taken, even if J becomes ∞ or NaN.
        l2: λ; the bias is not penalized.

    Returns:
        weight (C, D) and bias (C,) after the last step, and J before each step (steps,): tensors
        of the dtype of ``weight``, none of them part of a graph, not even that of the start.

    Raises:
        ValueError: there is no such loss, whatever ``steps`` is.
    """
    if loss not in LOSSES:
        raise ValueError(f"loss must be one of {', '.join(LOSSES)}, got {loss!r}")
    weight = weight.detach().clone().requires_grad_()
    bias = bias.detach().clone().requires_grad_()
    history = weight.new_empty(steps)
    for step in range(steps):
        objective = LOSSES[loss](linear(features, weight, bias), target)
        objective = objective + l2 * weight.square().sum()
        slope, bias_slope = torch.autograd.grad(objective, (weight, bias))
        with torch.no_grad():
            weight -= learning_rate * slope
            bias -= learning_rate * bias_slope
            history[step] = objective
    return weight.detach(), bias.detach(), history


class LinearModel(nn.Module):
    """A linear model as a PyTorch module: it holds its parameters, and calling it returns scores.

    The loss knows what the scores mean, so no σ is applied here.

    Attributes:
        weight: parameter (out_features, in_features), zeros at first.
        bias: parameter (out_features,), zeros at first.
    """

    def __init__(
        self, in_features: int, out_features: int, *, device: torch.device | str | None = None
    ) -> None:
        """Make the two parameters.

        Args:
            in_features: D.
            out_features: C.
            device: where the parameters go.
        """
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(out_features, in_features, device=device))
        self.bias = nn.Parameter(torch.zeros(out_features, device=device))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Score every input once per output.

        Args:
            x: (..., in_features) float.

        Returns:
            (..., out_features), scores z = W x + b.
        """
        return linear(x, self.weight, self.bias)


def accuracy(input: torch.Tensor, target: torch.Tensor) -> float:
    """Fraction of examples whose largest score is at the right class.

    If a score is NaN, as after training has diverged, no score counts as the largest.

    Args:
        input: (B, C) float, scores.
        target: (B,) int64, the right classes.

    Returns:
        A number from 0 to 1.
    """
    right = (input.argmax(dim=-1) == target) & ~input.isnan().any(dim=-1)
    return right.float().mean().item()


def paired_difference(
    first: Sequence[float], second: Sequence[float], *, reuse: float = 0.0
) -> tuple[float, float, float]:
    """How reliable a difference between two models is, measured on the same occasions.

    Pair i holds the results of both on the same split or from the same seed. An effect of the
    occasion on both cancels in d_i = first_i − second_i, so the pairs are compared, not the two
    means: t = d̄ / √(s² / n) with s² = Σ (d_i − d̄)² / (n − 1) (Student 1908, "The Probable Error
    of a Mean"). By chance alone t is beyond ±2.8 in one of twenty cases for n = 5, and beyond ±2.3
    for n = 10.

    Shuffles of one pool share most of their training examples, and resemble each other more than
    fresh samples would. For conclusions about fresh samples, √(s² (1/n + reuse)) replaces √(s² / n)
    (Nadeau and Bengio 2003, "Inference for the Generalization Error").

    Args:
        first: (n,) results of one model, two or more.
        second: (n,) results of the other, on the same occasions in the same order.
        reuse: evaluation examples per training example, in each shuffle of one pool; 0 if the
            occasions share no examples, or for conclusions about another shuffle of this pool.

    Returns:
        The mean difference d̄, its standard error, and t. If all differences are the same number,
        the mean is that number and the standard error is exactly 0, without rounding errors; then t
        is ±∞, or 0 if they are all 0.

    Raises:
        ValueError: the two differ in length, or there are fewer than two pairs.
    """
    if len(first) != len(second) or len(first) < 2:
        raise ValueError(
            f"expected two or more pairs, got {len(first)} and {len(second)} results; "
            "measure both models on the same occasions"
        )
    differences = [one - other for one, other in zip(first, second, strict=True)]
    count = len(differences)
    mean = differences[0] + math.fsum(d - differences[0] for d in differences) / count
    variance = math.fsum((difference - mean) ** 2 for difference in differences) / (count - 1)
    error = math.sqrt(variance * (1 / count + reuse))
    if error == 0:
        return mean, error, math.copysign(math.inf, mean) if mean else 0.0
    return mean, error, mean / error


def predict_tuned(
    features: torch.Tensor,
    labels: torch.Tensor,
    *,
    dev_features: torch.Tensor,
    dev_labels: torch.Tensor,
    new_features: torch.Tensor,
    classes: int,
    candidates: Sequence[float],
    learning_rate: float,
    steps: int,
) -> torch.Tensor:
    """Softmax regression whose λ is chosen on development data, applied to new examples.

    For each candidate λ: `train` on the training data with the cross-entropy, from zeros of the
    dtype of ``features``, and measure `accuracy` on the development data. The best of these models
    scores the new examples as it is, without more training; of equally good models, the one of the
    earliest candidate. If λ is too large for η, the run diverges; `accuracy` counts its NaN as
    wrong, and if all runs diverge, the first candidate is chosen.

    Args:
        features: (B, D) float, training data.
        labels: (B,) int64.
        dev_features: (development examples, D) float.
        dev_labels: (development examples,) int64.
        new_features: (new examples, D) float.
        classes: C; labels run from 0 to C − 1.
        candidates: values of λ to try.
        learning_rate: η of every run.
        steps: of every run.

    Returns:
        (new examples, C), scores.
    """
    models = [
        train(
            features,
            labels,
            weight=features.new_zeros(classes, features.shape[1]),
            bias=features.new_zeros(classes),
            loss="cross_entropy",
            learning_rate=learning_rate,
            steps=steps,
            l2=l2,
        )[:2]
        for l2 in candidates
    ]
    found = [accuracy(linear(dev_features, *model), dev_labels) for model in models]
    best = models[found.index(max(found))]
    return linear(new_features, *best)


def _rank(x: torch.Tensor, size: torch.Tensor) -> torch.Tensor:
    """How many columns of x are independent, x being what is left of numbers of that size."""
    rounding = torch.finfo(x.dtype).eps * max(x.shape) * size
    return torch.linalg.matrix_rank(x, atol=rounding, rtol=0.0)


def _different_shapes(input: torch.Tensor, target: torch.Tensor) -> ValueError:
    return ValueError(
        f"input and target must have the same shape, got {tuple(input.shape)} and "
        f"{tuple(target.shape)}; reshape one of them, or they would be broadcast"
    )


def _no_labels(input: torch.Tensor, target: torch.Tensor) -> ValueError:
    return ValueError(
        "input must be (examples, classes) and target (examples,), got "
        f"{tuple(input.shape)} and {tuple(target.shape)}; a target is one class number each"
    )
