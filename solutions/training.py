"""Training: how to start, step, steady, stop and search, and the loop that puts it together.

Builds weights that keep signals at their size (Glorot, He); the steps of momentum, Nesterov,
RMSProp, Adam and AdamW as pure functions, and optimizers made of them whose states fit those of
`torch.optim`; warm-up with cosine decay; gradient clipping; dropout; batch normalization; early
stopping; trials for random and grid search; and `fit`, the loop of all later chapters.

A step function takes numbers and returns numbers: parameter, gradient and what the optimizer
remembers go in, the new parameter and the new memory come out, and nothing is changed in place.

Sources: Glorot and Bengio 2010; He et al. 2015 (initialization); Polyak 1964; Sutskever et al.
2013 (momentum); Tieleman and Hinton 2012 (RMSProp); Kingma and Ba 2015 (Adam); Loshchilov and
Hutter 2017 (cosine), 2019 (AdamW); Goyal et al. 2017 (warm-up); Pascanu et al. 2013 (clipping);
Srivastava et al. 2014 (dropout); Ioffe and Szegedy 2015 (batch normalization); Prechelt 1998
(early stopping); Bergstra and Bengio 2012 (random search).
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn

# starting


def glorot_uniform(draws: torch.Tensor) -> torch.Tensor:
    """Scale uniform draws to weights that keep the size of signals, forward and backward.

    Uniform on ±√(6 / (fan_in + fan_out)), so of variance 2 / (fan_in + fan_out) (Glorot and
    Bengio 2010, eq. 16). fan_in counts the inputs that one output sums up; fan_out the outputs
    that one input goes into.

    Args:
        draws: (outputs, inputs) or, for a convolution, (outputs, inputs, *kernel) float, uniform
            on [0, 1).

    Returns:
        Weights of the same shape.
    """
    fan_in, fan_out = draws[0].numel(), draws[:, 0].numel()
    return (2 * draws - 1) * math.sqrt(6 / (fan_in + fan_out))


def he_normal(draws: torch.Tensor) -> torch.Tensor:
    """Scale normal draws to weights that keep the size of signals through ReLUs.

    Variance 2 / fan_in (He et al. 2015, eq. 10): a ReLU halves the mean square of what passes
    it, and the 2 makes up for that. fan_in counts the inputs that one output sums up.

    Args:
        draws: (outputs, inputs) or, for a convolution, (outputs, inputs, *kernel) float, standard
            normal.

    Returns:
        Weights of the same shape.
    """
    return draws * math.sqrt(2 / draws[0].numel())


# stepping


def momentum_step(
    parameter: torch.Tensor,
    gradient: torch.Tensor,
    velocity: torch.Tensor,
    *,
    lr: float,
    momentum: float = 0.9,
) -> tuple[torch.Tensor, torch.Tensor]:
    """One step with momentum (Polyak 1964): go on in the old direction, bent by the gradient.

    v ← μ v + g, then w ← w − η v.

    Args:
        parameter: w, float of any shape.
        gradient: g, of that shape.
        velocity: v, of that shape; zeros before the first step.
        lr: η.
        momentum: μ in [0, 1).

    Returns:
        The new parameter and the new velocity.
    """
    velocity = momentum * velocity + gradient
    return parameter - lr * velocity, velocity


def nesterov_step(
    parameter: torch.Tensor,
    gradient: torch.Tensor,
    velocity: torch.Tensor,
    *,
    lr: float,
    momentum: float = 0.9,
) -> tuple[torch.Tensor, torch.Tensor]:
    """One step with Nesterov's momentum: look where the velocity leads before stepping.

    v ← μ v + g, then w ← w − η (g + μ v), with the new v (Sutskever et al. 2013, section 2, in
    the variables of `torch.optim.SGD`).

    Args:
        parameter: w, float of any shape.
        gradient: g, of that shape.
        velocity: v, of that shape; zeros before the first step.
        lr: η.
        momentum: μ in [0, 1).

    Returns:
        The new parameter and the new velocity.
    """
    velocity = momentum * velocity + gradient
    return parameter - lr * (gradient + momentum * velocity), velocity


def rmsprop_step(
    parameter: torch.Tensor,
    gradient: torch.Tensor,
    square_avg: torch.Tensor,
    *,
    lr: float,
    alpha: float = 0.99,
    eps: float = 1e-8,
) -> tuple[torch.Tensor, torch.Tensor]:
    """One step of RMSProp: every entry is divided by the usual size of its gradient.

    s ← α s + (1 − α) g², then w ← w − η g / (√s + ε) (Tieleman and Hinton 2012, lecture 6.5).

    Args:
        parameter: w, float of any shape.
        gradient: g, of that shape.
        square_avg: s, of that shape; zeros before the first step.
        lr: η.
        alpha: α, how much of the old average is kept.
        eps: ε, added to the root; keeps the quotient finite.

    Returns:
        The new parameter and the new average of squares.
    """
    square_avg = alpha * square_avg + (1 - alpha) * gradient.square()
    return parameter - lr * gradient / (square_avg.sqrt() + eps), square_avg


def adam_step(
    parameter: torch.Tensor,
    gradient: torch.Tensor,
    exp_avg: torch.Tensor,
    exp_avg_sq: torch.Tensor,
    step: int,
    *,
    lr: float,
    betas: Sequence[float] = (0.9, 0.999),
    eps: float = 1e-8,
    weight_decay: float = 0.0,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """One step of Adam (Kingma and Ba 2015, algorithm 1), the penalty as part of the gradient.

    g ← g + λ w; m ← β₁ m + (1 − β₁) g; s ← β₂ s + (1 − β₂) g²;
    w ← w − η m̂ / (√ŝ + ε) with m̂ = m / (1 − β₁ᵗ) and ŝ = s / (1 − β₂ᵗ).

    Args:
        parameter: w, float of any shape.
        gradient: g, of that shape.
        exp_avg: m, of that shape; zeros before the first step.
        exp_avg_sq: s, of that shape; zeros before the first step.
        step: t, the number of this step, from 1.
        lr: η.
        betas: β₁ and β₂, how much of the old averages is kept.
        eps: ε, added to the root.
        weight_decay: λ.

    Returns:
        The new parameter, the new m and the new s (both without the correction).
    """
    gradient = gradient + weight_decay * parameter
    exp_avg = betas[0] * exp_avg + (1 - betas[0]) * gradient
    exp_avg_sq = betas[1] * exp_avg_sq + (1 - betas[1]) * gradient.square()
    mean = exp_avg / (1 - betas[0] ** step)
    mean_square = exp_avg_sq / (1 - betas[1] ** step)
    return parameter - lr * mean / (mean_square.sqrt() + eps), exp_avg, exp_avg_sq


def adamw_step(
    parameter: torch.Tensor,
    gradient: torch.Tensor,
    exp_avg: torch.Tensor,
    exp_avg_sq: torch.Tensor,
    step: int,
    *,
    lr: float,
    betas: Sequence[float] = (0.9, 0.999),
    eps: float = 1e-8,
    weight_decay: float = 0.01,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """One step of AdamW: Adam on the bare gradient, and the weights shrink by themselves.

    w ← (1 − η λ) w, then `adam_step` without a penalty (Loshchilov and Hutter 2019, algorithm 2).

    Args:
        parameter: w, float of any shape.
        gradient: g, of that shape.
        exp_avg: m, of that shape; zeros before the first step.
        exp_avg_sq: s, of that shape; zeros before the first step.
        step: t, the number of this step, from 1.
        lr: η.
        betas: β₁ and β₂, how much of the old averages is kept.
        eps: ε, added to the root.
        weight_decay: λ.

    Returns:
        The new parameter, the new m and the new s.
    """
    parameter = (1 - lr * weight_decay) * parameter
    return adam_step(parameter, gradient, exp_avg, exp_avg_sq, step, lr=lr, betas=betas, eps=eps)


class SGD(torch.optim.Optimizer):
    """Gradient descent on batches, with momentum (plain or Nesterov's) and an L2 penalty.

    The state of a parameter is ``momentum_buffer``, as in `torch.optim.SGD`.
    """

    def __init__(
        self,
        params: Iterable,
        lr: float,
        *,
        momentum: float = 0.0,
        nesterov: bool = False,
        weight_decay: float = 0.0,
    ) -> None:
        """Remember the parameters: tensors, or groups (dicts) of them with rates of their own."""
        settings = {"lr": lr, "momentum": momentum, "nesterov": nesterov}
        # `torch.optim.SGD` asks for a dampening when it loads this optimizer's state
        super().__init__(params, {**settings, "weight_decay": weight_decay, "dampening": 0.0})

    @torch.no_grad()
    def step(self) -> None:
        """Move every parameter that has a gradient."""
        for group in self.param_groups:
            rule = nesterov_step if group["nesterov"] else momentum_step
            rates = {name: group[name] for name in ("lr", "momentum")}
            for parameter in [p for p in group["params"] if p.grad is not None]:
                gradient = parameter.grad + group["weight_decay"] * parameter
                velocity = self.state[parameter].get("momentum_buffer")
                if velocity is None:
                    velocity = torch.zeros_like(parameter)
                moved, velocity = rule(parameter, gradient, velocity, **rates)
                parameter.copy_(moved)
                if group["momentum"]:
                    self.state[parameter]["momentum_buffer"] = velocity


class RMSprop(torch.optim.Optimizer):
    """RMSProp. The state of a parameter is ``step`` and ``square_avg``, as in `torch.optim`."""

    def __init__(
        self,
        params: Iterable,
        lr: float,
        *,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
    ) -> None:
        """Remember the parameters: tensors, or groups (dicts) of them with rates of their own."""
        rates = {"lr": lr, "alpha": alpha, "eps": eps, "weight_decay": weight_decay}
        super().__init__(params, rates)

    @torch.no_grad()
    def step(self) -> None:
        """Move every parameter that has a gradient."""
        for group in self.param_groups:
            rates = {name: group[name] for name in ("lr", "alpha", "eps")}
            for parameter in [p for p in group["params"] if p.grad is not None]:
                state = self.state[parameter]
                if not state:
                    state["step"] = torch.tensor(0.0)
                    state["square_avg"] = torch.zeros_like(parameter)
                state["step"] += 1
                gradient = parameter.grad + group["weight_decay"] * parameter
                moved, state["square_avg"] = rmsprop_step(
                    parameter, gradient, state["square_avg"], **rates
                )
                parameter.copy_(moved)


class Adam(torch.optim.Optimizer):
    """Adam as PyTorch writes an optimizer: groups of parameters, and a state for each parameter.

    ``step()`` moves every parameter that has a gradient by `adam_step`, in place, with the rates
    that its group holds at that moment. What has to survive lies in ``self.state[parameter]``:

    ``step``: () float32, on the processor; steps made. ``exp_avg`` and ``exp_avg_sq``: of the
    parameter's shape. These are the names of `torch.optim.Adam`; the base class saves and loads
    them. A parameter whose ``grad`` is None keeps its value and gets no state.
    """

    rule = staticmethod(adam_step)

    def __init__(
        self,
        params: Iterable,
        lr: float = 1e-3,
        *,
        betas: Sequence[float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
    ) -> None:
        """Remember the parameters: tensors, or groups (dicts) of them with rates of their own."""
        rates = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        super().__init__(params, rates)

    @torch.no_grad()
    def step(self) -> None:
        """Move every parameter that has a gradient."""
        for group in self.param_groups:
            rates = {name: group[name] for name in ("lr", "betas", "eps", "weight_decay")}
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                state = self.state[parameter]
                if not state:
                    state["step"] = torch.tensor(0.0)
                    state["exp_avg"] = torch.zeros_like(parameter)
                    state["exp_avg_sq"] = torch.zeros_like(parameter)
                state["step"] += 1
                memory = state["exp_avg"], state["exp_avg_sq"]
                moved, state["exp_avg"], state["exp_avg_sq"] = self.rule(
                    parameter, parameter.grad, *memory, int(state["step"]), **rates
                )
                parameter.copy_(moved)


class AdamW(Adam):
    """Adam with decoupled weight decay: the same loop around `adamw_step`."""

    rule = staticmethod(adamw_step)

    def __init__(
        self,
        params: Iterable,
        lr: float = 1e-3,
        *,
        betas: Sequence[float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.01,
    ) -> None:
        """Remember the parameters: tensors, or groups (dicts) of them with rates of their own."""
        super().__init__(params, lr, betas=betas, eps=eps, weight_decay=weight_decay)


# steadying


def warmup_cosine(step: int, *, warmup: int, total: int, floor: float = 0.0) -> float:
    """Factor of the learning rate: up a ramp, then down half a wave.

    (t + 1) / warmup before step ``warmup`` (Goyal et al. 2017); from there on
    floor + (1 − floor) (1 + cos(π p)) / 2, with p going from 0 to 1 between steps ``warmup`` and
    ``total`` (Loshchilov and Hutter 2017, eq. 5), and staying at 1 after that.

    Args:
        step: t, counted from 0.
        warmup: steps of the ramp, from 0.
        total: steps of the whole training, more than ``warmup``.
        floor: factor at the end.

    Returns:
        A number from 0 to 1.

    Raises:
        ValueError: ``warmup`` is negative, or leaves no step for the rest.
    """
    if not 0 <= warmup < total:
        raise ValueError(f"warmup must be from 0 to total - 1, got {warmup} of {total} steps")
    if step < warmup:
        return (step + 1) / warmup
    part = min(1.0, (step - warmup) / (total - warmup))
    return floor + (1 - floor) * (1 + math.cos(math.pi * part)) / 2


def clip_by_global_norm(
    gradients: Sequence[torch.Tensor], *, max_norm: float
) -> tuple[list[torch.Tensor], torch.Tensor]:
    """Shorten all gradients by one common factor where together they are too long.

    g ← g · min(1, max_norm / ‖g‖), with ‖g‖ the length of all gradients as one vector
    (Pascanu et al. 2013, algorithm 1).

    Args:
        gradients: float tensors of any shapes; not changed.
        max_norm: the length that is not exceeded, above 0.

    Returns:
        The gradients in their order and shapes, and ‖g‖ before clipping, ().
    """
    norm = torch.stack([gradient.square().sum() for gradient in gradients]).sum().sqrt()
    factor = (max_norm / norm).clamp(max=1.0)
    return [gradient * factor for gradient in gradients], norm


class BatchNorm1d(nn.Module):
    """Give every feature mean 0 and variance 1 over the batch, then a scale and shift of its own.

    y = γ (x − mean) / √(variance + ε) + β (Ioffe and Szegedy 2015, algorithm 1). In training,
    mean and variance (divided by B) are those of the batch, and each call moves the running
    values: r ← (1 − momentum) r + momentum · r_batch, where the variance is the unbiased one
    (divided by B − 1). In evaluation the running values take their place and stay as they are.

    Attributes:
        weight: γ, parameter (num_features,), ones at first.
        bias: β, parameter (num_features,), zeros at first.
        running_mean: buffer (num_features,), zeros at first.
        running_var: buffer (num_features,), ones at first.
        num_batches_tracked: buffer () int64, calls in training.
    """

    def __init__(self, num_features: int, *, eps: float = 1e-5, momentum: float = 0.1) -> None:
        """Make parameters and buffers.

        Args:
            num_features: D.
            eps: ε, added under the root.
            momentum: the new batch's share of the running values.
        """
        super().__init__()
        self.eps, self.momentum = eps, momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Normalize.

        Args:
            x: (B, num_features) float; in training B is at least 2.

        Returns:
            (B, num_features).

        Raises:
            ValueError: a single example in training: it has no variance.
        """
        mean, variance = self.running_mean, self.running_var
        if self.training:
            if len(x) < 2:
                raise ValueError(f"training needs at least 2 examples per batch, got {len(x)}")
            mean, variance = x.mean(dim=0), x.var(dim=0, correction=0)  # (B, D) -> (D,)
            with torch.no_grad():
                self.running_mean.lerp_(mean, self.momentum)
                self.running_var.lerp_(x.var(dim=0), self.momentum)
                self.num_batches_tracked += 1
        return self.weight * (x - mean) / torch.sqrt(variance + self.eps) + self.bias


# stopping in time, and other ways not to learn by heart


def dropout(input: torch.Tensor, draws: torch.Tensor, *, p: float) -> torch.Tensor:
    """Set entries to zero by chance, and scale up the others so that the mean stays.

    x / (1 − p) where the draw is at least p, else 0 (Srivastava et al. 2014, section 10, the
    scaling done in training).

    Args:
        input: float of any shape.
        draws: of that shape, uniform on [0, 1).
        p: the probability of zero, from 0 up to but not including 1.

    Returns:
        The shape of ``input``.
    """
    return input * (draws >= p) / (1 - p)


class Dropout(nn.Module):
    """`dropout` with fresh draws in training; in evaluation it lets everything through."""

    def __init__(self, p: float = 0.5) -> None:
        """Remember the probability.

        Args:
            p: the probability of zero, from 0 up to but not including 1.

        Raises:
            ValueError: ``p`` is outside of that.
        """
        super().__init__()
        if not 0 <= p < 1:
            raise ValueError(f"p must be from 0 up to but not including 1, got {p}")
        self.p = p

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Drop entries, in training.

        Args:
            x: float of any shape.

        Returns:
            The shape of ``x``.
        """
        return dropout(x, torch.rand_like(x), p=self.p) if self.training else x


def early_stopping(losses: Sequence[float], *, patience: int) -> tuple[int, bool]:
    """Find the best epoch so far, and say whether to stop waiting for a better one.

    Stop when the best epoch, the first of equals, lies ``patience`` epochs back (Prechelt 1998,
    with the simplest of his criteria). An epoch whose loss is NaN is never better.

    Args:
        losses: on development data, one per epoch, at least one.
        patience: epochs to wait, from 1.

    Returns:
        The best epoch, counted from 0, and True to stop.
    """
    heights = [math.inf if math.isnan(loss) else loss for loss in losses]
    best = heights.index(min(heights))
    return best, len(losses) - 1 - best >= patience


# searching


def random_trials(
    draws: torch.Tensor, *, low: Sequence[float], high: Sequence[float]
) -> torch.Tensor:
    """Trials of a random search: each hyperparameter log-uniform in a range of its own.

    low · (high / low)ᵘ: every factor of ten gets the same share of the trials (Bergstra and
    Bengio 2012).

    Args:
        draws: u, (trials, hyperparameters) float, uniform on [0, 1).
        low: smallest value of each hyperparameter, above 0.
        high: largest value of each hyperparameter.

    Returns:
        (trials, hyperparameters).
    """
    low, high = draws.new_tensor(low), draws.new_tensor(high)  # (hyperparameters,)
    return low * (high / low) ** draws


def grid_trials(per_axis: int, *, low: Sequence[float], high: Sequence[float]) -> torch.Tensor:
    """Trials of a grid search: every combination of values at equal ratios.

    Args:
        per_axis: values of each hyperparameter, from 2; the first is its ``low``, the last its
            ``high``.
        low: smallest value of each hyperparameter, above 0.
        high: largest value of each hyperparameter.

    Returns:
        (per_axis ** hyperparameters, hyperparameters) float64; the last one changes fastest.
    """
    steps = torch.linspace(0, 1, per_axis, dtype=torch.float64)
    draws = torch.cartesian_prod(*[steps] * len(low)).reshape(-1, len(low))
    return random_trials(draws, low=low, high=high)


# the loop

Batch = Any  # a tensor, or a tuple, named tuple, list or dict of batches


def map_tensors(batch: Batch, change: Callable[[torch.Tensor], Any]) -> Batch:
    """Apply a function to every tensor of a batch, and keep its form.

    Args:
        batch: a tensor, or a tuple, named tuple, list or dict of batches; what is something else
            stays as it is.
        change: what to do with a tensor: ``lambda part: part.to("cuda")``.

    Returns:
        A batch of the same form.
    """
    if isinstance(batch, torch.Tensor):
        return change(batch)
    if isinstance(batch, dict):
        return {name: map_tensors(part, change) for name, part in batch.items()}
    if isinstance(batch, tuple | list):
        parts = [map_tensors(part, change) for part in batch]
        return type(batch)(*parts) if hasattr(batch, "_fields") else type(batch)(parts)
    return batch


class Batches:
    """Minibatches of data in memory, shuffled anew each epoch; seed and epoch fix their order.

    Call it with the number of an epoch for its batches: ``for x, y in Batches((x, y), 32)(0)``.
    Iterating over the object itself gives the batches of epoch 0. ``len`` counts batches.
    """

    def __init__(
        self,
        data: Batch,
        size: int,
        *,
        seed: int = 0,
        shuffle: bool = True,
        collate: Callable[[list], Batch] | None = None,
    ) -> None:
        """Remember the data; nothing is copied.

        Args:
            data: tensors with one row per example (a tensor, or a tuple, named tuple, list or dict
                of them); batches have the same form. With ``collate``, any sequence of examples.
            size: examples per batch; the last batch of an epoch holds what is left.
            seed: of the shuffles.
            shuffle: False keeps the examples in order, as for development data.
            collate: makes a batch of a list of examples, say by padding them.

        Raises:
            ValueError: ``size`` is below 1, or the tensors differ in length or are empty.
        """
        lengths = {len(data)} if collate else set()
        if not collate:
            map_tensors(data, lambda part: lengths.add(len(part)))
        if size < 1:
            raise ValueError(f"size must be at least 1, got {size}")
        if len(lengths) != 1 or 0 in lengths:
            raise ValueError(
                "data must have one row per example, and at least one, in every tensor; "
                f"got lengths {sorted(lengths)}"
            )
        self.data, self.size, self.seed, self.shuffle = data, size, seed, shuffle
        self.collate, self.examples = collate, lengths.pop()

    def __call__(self, epoch: int) -> Iterator[Batch]:
        """The batches of one epoch."""
        order = torch.arange(self.examples)
        if self.shuffle:
            generator = torch.Generator().manual_seed(1_000_003 * self.seed + epoch)
            order = torch.randperm(self.examples, generator=generator)
        for chosen in order.split(self.size):
            if self.collate:
                yield self.collate([self.data[index] for index in chosen.tolist()])
            else:
                yield map_tensors(self.data, lambda part: part[chosen.to(part.device)])  # noqa: B023

    def __iter__(self) -> Iterator[Batch]:
        """The batches of epoch 0."""
        return self(0)

    def __len__(self) -> int:
        """How many batches an epoch has."""
        return math.ceil(self.examples / self.size)


@dataclasses.dataclass
class History:
    """What `fit` saw, as lists of plain numbers.

    Attributes:
        train_loss: loss of the batch, before each step.
        learning_rate: of the first group of parameters, in each step.
        gradient_norm: length of the whole gradient before clipping, in each step; stays empty
            without ``clip_norm``.
        steps: how many steps had been made at the end of each epoch.
        dev_loss: at the end of each epoch.
        dev_metric: at the end of each epoch.
        best_epoch: the epoch (from 0) after which the development data liked the model best.
        stopped: ``"patience"`` or ``"diverged"`` where training ended before its last epoch.
    """

    train_loss: list[float] = dataclasses.field(default_factory=list)
    learning_rate: list[float] = dataclasses.field(default_factory=list)
    gradient_norm: list[float] = dataclasses.field(default_factory=list)
    steps: list[int] = dataclasses.field(default_factory=list)
    dev_loss: list[float] = dataclasses.field(default_factory=list)
    dev_metric: list[float] = dataclasses.field(default_factory=list)
    best_epoch: int | None = None
    stopped: str | None = None


def evaluate(
    model: nn.Module,
    batches: Iterable[Batch],
    measure: Callable[[nn.Module, Batch], torch.Tensor],
) -> float:
    """Average a loss or a metric over all batches, in evaluation mode and without gradients.

    Args:
        model: ends in the mode, training or evaluation, that it came in.
        batches: each is moved to the model's device.
        measure: gives one number per example (or token), or their mean. Means are weighted by
            the number of rows of the batch's first tensor.

    Returns:
        The mean over all examples (or tokens).

    Raises:
        ValueError: there are no batches.
    """
    device, was_training = next(model.parameters()).device, model.training
    model.eval()
    total, count = 0.0, 0
    with torch.no_grad():
        for batch in batches:
            rows: list[int] = []
            map_tensors(batch, lambda part: rows.append(len(part)))  # noqa: B023
            batch = map_tensors(batch, lambda part: part.to(device))
            values = torch.as_tensor(measure(model, batch))
            weight = values.numel() if values.dim() else rows[0]
            total += values.float().mean().item() * weight if weight else 0.0
            count += weight
    model.train(was_training)
    if not count:
        raise ValueError(
            "there are no batches to evaluate on; a generator is empty after its first use, so "
            "give a list or Batches"
        )
    return total / count


def fit(
    model: nn.Module,
    train: Callable[[int], Iterable[Batch]],
    *,
    loss: Callable[[nn.Module, Batch], torch.Tensor],
    optimizer: torch.optim.Optimizer,
    epochs: int,
    dev: Iterable[Batch] | None = None,
    metric: Callable[[nn.Module, Batch], torch.Tensor] | None = None,
    best_by: str = "loss",
    patience: int | None = None,
    schedule: Callable[[int], float] | None = None,
    clip_norm: float | None = None,
    mixed_precision: torch.dtype | None = None,
    seed: int = 0,
    checkpoint: str | Path | None = None,
    checkpoint_every: int | None = None,
    resume: bool = False,
    progress: bool | None = None,
) -> History:
    """Train a model: any model, any batches, any loss.

    ::

        data = digits()
        model = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
        history = fit(
            model,
            Batches(data.train, 32, seed=0),
            loss=lambda model, batch: F.cross_entropy(model(batch.features), batch.labels),
            optimizer=AdamW(model.parameters(), lr=1e-2),
            epochs=20,
            dev=[data.dev],
            metric=lambda model, batch: model(batch.features).argmax(dim=1) == batch.labels,
        )

    It runs where the model's parameters are; batches are moved there. The same arguments give the
    same model, to the bit, on the same machine: also when training was killed and resumed.
    Afterwards the model is in evaluation mode.

    Args:
        model: trained in place.
        train: gives the batches of an epoch when called with its number, from 0, the same ones
            each time: `Batches`, or a function of your own.
        loss: ``loss(model, batch)``: one number per example (or token), or their mean. The mean
            is minimized.
        optimizer: made for the parameters of ``model``; ours or one of `torch.optim`.
        epochs: how often to go through the training data.
        dev: development batches, looked at after each epoch (a list, or `Batches`).
        metric: ``metric(model, batch)``, as ``loss``; recorded for ``dev``.
        best_by: ``"loss"``: the best epoch has the lowest ``dev`` loss; ``"metric"``: the highest
            metric.
        patience: stop after so many epochs without a new best, and go back to the weights of the
            best epoch, also when the epochs ran out before.
        schedule: factor of the learning rate in each step, counted from 0.
        clip_norm: longest gradient, see `clip_by_global_norm`; ``math.inf`` only records it.
        mixed_precision: ``torch.bfloat16``, or ``torch.float16`` with scaled losses, for the
            forward pass on CUDA; elsewhere it does nothing.
        seed: of dropout and whatever else draws from torch's generators during training; the
            state of these before the call is restored after it.
        checkpoint: file to write to after each epoch. All that is needed to go on is in it.
        checkpoint_every: write also after every so many steps.
        resume: go on from ``checkpoint`` if that file exists, with otherwise the same arguments.
        progress: show a bar; by default on a terminal, but not in a notebook.

    Returns:
        What was seen on the way.

    Raises:
        ValueError: arguments that contradict each other, an epoch without batches, a checkpoint
            made with other settings.
        FileExistsError: ``checkpoint`` exists, and ``resume`` is not set.
    """
    check_settings(model, optimizer, epochs, dev, metric, best_by, patience, clip_norm)
    if checkpoint_every is not None and (checkpoint is None or checkpoint_every < 1):
        raise ValueError("checkpoint_every counts steps, from 1, and needs a checkpoint file")
    device = next(model.parameters()).device
    on_cuda = device.type == "cuda" and mixed_precision is not None
    scaler = torch.amp.GradScaler(device.type, enabled=on_cuda and mixed_precision == torch.float16)
    settings = {"seed": seed, "clip_norm": clip_norm, "patience": patience, "best_by": best_by}
    base_rates = [group["lr"] for group in optimizer.param_groups]
    parameters = [p for group in optimizer.param_groups for p in group["params"]]
    history, best_weights, start, done = History(), None, 0, 0
    unread: dict[str, list[torch.Tensor]] = {"train_loss": [], "gradient_norm": []}

    def autocast() -> contextlib.AbstractContextManager:
        return torch.autocast("cuda", mixed_precision) if on_cuda else contextlib.nullcontext()

    def read() -> None:  # numbers stay on the device until needed: reading one waits for it
        for name, values in unread.items():
            getattr(history, name).extend(torch.stack(values).tolist() if values else [])
            values.clear()

    def save(epoch: int) -> None:
        read()
        state = {
            "model": model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "scaler": scaler.state_dict(),
            "random": random_state(device),
            "position": (epoch, done),  # `done` batches of this epoch are behind us
            "history": dataclasses.asdict(history),
            "best_weights": best_weights,
            "base_rates": base_rates,
            "settings": settings,
        }
        write_checkpoint(Path(checkpoint), state)

    if checkpoint is not None and Path(checkpoint).exists() and not resume:
        raise FileExistsError(
            f"{checkpoint} exists: resume=True goes on from it; delete it to start anew"
        )
    before = random_state(device)
    try:
        torch.manual_seed(seed)
        if checkpoint is not None and Path(checkpoint).exists():
            state = torch.load(checkpoint, map_location=device, weights_only=True)
            if state["settings"] != settings:
                raise ValueError(f"{checkpoint} was made with {state['settings']}, now {settings}")
            model.load_state_dict(state["model"])
            optimizer.load_state_dict(state["optimizer"])
            scaler.load_state_dict(state["scaler"])
            set_random_state(state["random"], device)
            history, (start, done) = History(**state["history"]), state["position"]
            best_weights, base_rates = state["best_weights"], state["base_rates"]
        with progress_bar(progress, epochs, train, len(history.train_loss)) as advance:
            for epoch in range(start, epochs if history.stopped is None else 0):
                model.train()
                for batch in itertools.islice(train(epoch), done, None):
                    step = len(history.train_loss) + len(unread["train_loss"])
                    with autocast():
                        batch = map_tensors(batch, lambda part: part.to(device))
                        value = loss(model, batch).mean()
                    optimizer.zero_grad()
                    scaler.scale(value).backward()
                    scaler.unscale_(optimizer)
                    if clip_norm is not None:
                        held = [p for p in parameters if p.grad is not None]
                        clipped, norm = clip_by_global_norm(
                            [p.grad for p in held], max_norm=clip_norm
                        )
                        for parameter, gradient in zip(held, clipped, strict=True):
                            parameter.grad = gradient
                        unread["gradient_norm"].append(norm)
                    if schedule is not None:
                        for group, rate in zip(optimizer.param_groups, base_rates, strict=True):
                            group["lr"] = rate * schedule(step)
                    scaler.step(optimizer)
                    scaler.update()
                    unread["train_loss"].append(value.detach())
                    history.learning_rate.append(optimizer.param_groups[0]["lr"])
                    done += 1
                    advance(epoch)
                    if checkpoint_every is not None and (step + 1) % checkpoint_every == 0:
                        save(epoch)
                if not done:
                    raise ValueError(f"train({epoch}) gave no batches")
                read()
                history.steps.append(len(history.train_loss))
                if not math.isfinite(history.train_loss[-1]):
                    history.stopped = "diverged"
                if dev is not None:
                    with autocast():
                        history.dev_loss.append(evaluate(model, dev, loss))
                        if metric is not None:
                            history.dev_metric.append(evaluate(model, dev, metric))
                    values = history.dev_loss
                    if best_by == "metric":
                        values = [-value for value in history.dev_metric]
                    history.best_epoch, stop = early_stopping(values, patience=patience or epochs)
                    if patience is not None and history.best_epoch == epoch:
                        weights = model.state_dict().items()
                        best_weights = {name: value.clone() for name, value in weights}
                    if patience is not None and stop:
                        history.stopped = history.stopped or "patience"
                done = 0
                if checkpoint is not None:
                    save(epoch + 1)
                if history.stopped is not None:
                    break
    finally:
        for group, rate in zip(optimizer.param_groups, base_rates, strict=True):
            group["lr"] = rate
        set_random_state(before, device)
    if best_weights is not None:
        model.load_state_dict(best_weights)
    model.eval()
    return history


def check_settings(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    epochs: int,
    dev: object,
    metric: object,
    best_by: str,
    patience: int | None,
    clip_norm: float | None,
) -> None:
    """Refuse arguments of `fit` that cannot be meant.

    Args:
        model: as for `fit`, like all that follow.
        optimizer: holds at least one of the model's parameters.
        epochs: not negative.
        dev: needed by ``metric`` and ``patience``.
        metric: needed by ``best_by="metric"``.
        best_by: ``"loss"`` or ``"metric"``.
        patience: from 1, or None.
        clip_norm: above 0, or None.

    Raises:
        ValueError: one of them is not so.
    """
    own = {id(p) for p in model.parameters()}
    if not own & {id(p) for group in optimizer.param_groups for p in group["params"]}:
        raise ValueError(
            "the optimizer holds none of the model's parameters; make it for this model: "
            "AdamW(model.parameters(), lr=...)"
        )
    if epochs < 0:
        raise ValueError(f"epochs must not be negative, got {epochs}")
    if best_by not in ("loss", "metric"):
        raise ValueError(f"best_by must be 'loss' or 'metric', got {best_by!r}")
    if dev is None and (metric is not None or patience is not None):
        raise ValueError("metric and patience look at development data; give dev as well")
    if best_by == "metric" and metric is None:
        raise ValueError("best_by='metric' needs a metric")
    if patience is not None and patience < 1:
        raise ValueError(f"patience counts epochs, from 1; got {patience}")
    if clip_norm is not None and not clip_norm > 0:
        raise ValueError(f"clip_norm must be above 0, got {clip_norm}")


def random_state(device: torch.device) -> dict[str, torch.Tensor]:
    """Note where torch's generators stand: that of the processor, and that of the device.

    Args:
        device: whose generator is noted as well.

    Returns:
        ``"cpu"`` and, for another device, ``"device"``: what `set_random_state` takes.
    """
    state = {"cpu": torch.get_rng_state()}
    if device.type != "cpu":
        state["device"] = torch.get_device_module(device).get_rng_state()
    return state


def set_random_state(state: dict[str, torch.Tensor], device: torch.device) -> None:
    """Put torch's generators back to where they stood.

    Args:
        state: from `random_state`.
        device: the same device.
    """
    torch.set_rng_state(state["cpu"].cpu())
    if device.type != "cpu":
        torch.get_device_module(device).set_rng_state(state["device"].cpu())


def write_checkpoint(path: Path, state: dict) -> None:
    """Write a file in one piece: at any moment either the old one or the new one is there.

    Args:
        path: where to.
        state: tensors and plain values, nested in dicts, lists and tuples.
    """
    draft = path.with_name(f"{path.name}.tmp")
    with draft.open("wb") as file:
        torch.save(state, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, path)


@contextlib.contextmanager
def progress_bar(
    wanted: bool | None, epochs: int, train: object, done: int
) -> Iterator[Callable[[int], None]]:
    """Show a bar on the terminal, or nothing.

    Args:
        wanted: None for a terminal that is no notebook; without a terminal there is never one.
        epochs: of the whole training.
        train: its length, if it has one, is the number of steps per epoch.
        done: steps already made.

    Yields:
        What to call with the number of the epoch after each step.
    """
    if wanted is False:
        yield lambda epoch: None
        return
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    silent = not console.is_terminal or (wanted is None and console.is_jupyter)
    total = epochs * len(train) if hasattr(train, "__len__") else None
    with Progress(console=console, disable=silent) as bar:
        task = bar.add_task("epoch", total=total, completed=done)
        yield lambda epoch: bar.update(
            task, advance=1, description=f"epoch {epoch + 1} of {epochs}"
        )
