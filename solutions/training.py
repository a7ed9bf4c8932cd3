"""Training: how to start, step, steady, stop and search.

Builds weights that keep signals at their size (Glorot, He); the steps of momentum, Nesterov,
RMSProp, Adam, AdamW and Muon as pure functions, and optimizers made of them whose states fit those
of `torch.optim`; warm-up with cosine decay; gradient clipping; dropout; batch normalization; early
stopping; trials for random and grid search. The loop that uses them is `solutions.fit`.

A step function takes numbers and returns numbers: parameter, gradient and what the optimizer
remembers go in, the new parameter and the new memory come out, and nothing is changed in place.

Sources: Glorot and Bengio 2010; He et al. 2015 (initialization); Polyak 1964; Sutskever et al.
2013; Bengio et al. 2013 (momentum); Tieleman and Hinton 2012 (RMSProp); Kingma and Ba 2015 (Adam);
Loshchilov and Hutter 2017 (cosine), 2019 (AdamW); Jordan et al. 2024 (Muon); Goyal et al. 2017
(warm-up); Pascanu et al. 2013 (clipping); Srivastava et al. 2014 (dropout); Ioffe and Szegedy 2015
(batch normalization); Prechelt 1998 (early stopping); Bergstra and Bengio 2012 (random search).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import torch
from torch import nn

# starting


def glorot_uniform(draws: torch.Tensor) -> torch.Tensor:
    """Scale uniform draws to weights that keep the size of signals, forward and backward.

    Uniform on ±√(6 / (fan_in + fan_out)), so of variance 2 / (fan_in + fan_out) (Glorot and
    Bengio 2010, eq. 16). fan_in counts the inputs that one output sums up; fan_out the outputs
    that one input goes into.

    Args:
        draws: (outputs, inputs) float, or (outputs, inputs, height, width) for a convolution;
            uniform on [0, 1). A draw of 0 becomes the lower limit, one of ½ becomes 0.

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
        draws: (outputs, inputs) float, or (outputs, inputs, height, width) for a convolution;
            standard normal.

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
    """One step with momentum (Polyak 1964): keep the old direction and add the gradient.

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

    v ← μ v + g, then w ← w − η (g + μ v), with the new v (the method as Sutskever et al. 2013
    write it, rewritten by Bengio et al. 2013, section 3.5, in the variables of `torch.optim.SGD`).

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
    if weight_decay:
        gradient = gradient + weight_decay * parameter
    exp_avg = exp_avg.lerp(gradient, 1 - betas[0])  # β₁ m + (1 − β₁) g
    exp_avg_sq = exp_avg_sq.lerp(gradient.square(), 1 - betas[1])
    root = (exp_avg_sq / (1 - betas[1] ** step)).sqrt()
    size = lr / (1 - betas[0] ** step)
    return parameter.addcdiv(exp_avg, root + eps, value=-size), exp_avg, exp_avg_sq


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
    """One step of AdamW: Adam on the gradient alone; the weights are shrunk separately.

    w ← (1 − η λ) w, then `adam_step` without a penalty (Loshchilov and Hutter 2019, algorithm 2,
    whose λ is our η λ before a schedule scales it).

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


COEFFICIENTS = 3.4445, -4.7750, 2.0315  # of the polynomial of Muon


def newton_schulz(input: torch.Tensor, *, steps: int = 5, eps: float = 1e-7) -> torch.Tensor:
    """Bring the singular values of a matrix near 1, and leave its singular vectors alone.

    X ← X / (‖X‖ + ε), ‖X‖ the root of the sum of squares; then, again and again,
    X ← a X + (b A + c A²) X with A = X Xᵀ, a = 3.4445, b = −4.7750 and c = 2.0315 (Jordan et al.
    2024). Each singular value s becomes a s + b s³ + c s⁵, which lifts what is small and holds what
    is large: after five steps all those above 0.002 ‖X‖ lie between 0.68 and 1.21. None stays
    at 1. Where rows outnumber columns, Xᵀ goes through the steps, so that A never has more
    entries than X.

    Args:
        input: X, (rows, columns) float.
        steps: how often.
        eps: ε, added to ‖X‖; keeps a matrix of zeros finite.

    Returns:
        The shape of ``input``.
    """
    a, b, c = COEFFICIENTS
    tall = input.shape[0] > input.shape[1]
    x = input.T if tall else input
    x = x / (torch.linalg.matrix_norm(x) + eps)
    for _ in range(steps):
        square = x @ x.T  # (rows, columns) -> (rows, rows)
        x = a * x + (b * square + c * square @ square) @ x
    return x.T if tall else x


def muon_step(
    parameter: torch.Tensor,
    gradient: torch.Tensor,
    momentum_buffer: torch.Tensor,
    *,
    lr: float,
    momentum: float = 0.95,
    weight_decay: float = 0.1,
) -> tuple[torch.Tensor, torch.Tensor]:
    """One step of Muon (Jordan et al. 2024): a matrix moves about equally far in all directions.

    v ← μ v + (1 − μ) g; O = newton_schulz(μ v + (1 − μ) g), with the new v;
    w ← (1 − η λ) w − η √max(1, rows / columns) O.

    Args:
        parameter: w, (rows, columns) float.
        gradient: g, of that shape.
        momentum_buffer: v, of that shape; zeros before the first step.
        lr: η.
        momentum: μ in [0, 1).
        weight_decay: λ.

    Returns:
        The new parameter and the new v.
    """
    rows, columns = parameter.shape
    buffer = momentum * momentum_buffer + (1 - momentum) * gradient
    direction = newton_schulz(momentum * buffer + (1 - momentum) * gradient)
    shrunk = (1 - lr * weight_decay) * parameter
    return shrunk - lr * math.sqrt(max(1, rows / columns)) * direction, buffer


def _loss(closure: Callable[[], torch.Tensor] | None) -> torch.Tensor | None:
    if closure is None:
        return None
    with torch.enable_grad():
        return closure()


class SGD(torch.optim.Optimizer):
    """Gradient descent on batches, with momentum (plain or Nesterov's) and an L2 penalty.

    The state of a parameter is ``momentum_buffer``, as in `torch.optim.SGD`. A step computes the
    numbers of `momentum_step` or `nesterov_step`, to the bit, but writes them into the tensors that
    are there: where these have millions of entries, new ones cost more than the arithmetic.
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
    def step(self, closure: Callable[[], torch.Tensor] | None = None) -> torch.Tensor | None:
        """Move every parameter that has a gradient.

        Args:
            closure: computes the loss and its gradients before the step, as in `torch.optim`.

        Returns:
            Its loss; None without one.
        """
        loss = _loss(closure)
        for group in self.param_groups:
            momentum = group["momentum"]
            for parameter in [p for p in group["params"] if p.grad is not None]:
                direction = parameter.grad
                if group["weight_decay"]:
                    direction = direction + group["weight_decay"] * parameter
                if momentum:
                    state = self.state[parameter]
                    if state.get("momentum_buffer") is None:
                        state["momentum_buffer"] = torch.zeros_like(parameter)
                    velocity = state["momentum_buffer"].mul_(momentum).add_(direction)
                    direction = direction + momentum * velocity if group["nesterov"] else velocity
                parameter.sub_(group["lr"] * direction)
        return loss


class RMSprop(torch.optim.Optimizer):
    """RMSProp: the numbers of `rmsprop_step`, written into the tensors that are there.

    The state of a parameter is ``step`` and ``square_avg``, as in `torch.optim`.
    """

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
    def step(self, closure: Callable[[], torch.Tensor] | None = None) -> torch.Tensor | None:
        """Move every parameter that has a gradient.

        Args:
            closure: computes the loss and its gradients before the step, as in `torch.optim`.

        Returns:
            Its loss; None without one.
        """
        loss = _loss(closure)
        for group in self.param_groups:
            for parameter in [p for p in group["params"] if p.grad is not None]:
                state = self.state[parameter]
                if not state:
                    state["step"] = torch.tensor(0.0)
                    state["square_avg"] = torch.zeros_like(parameter)
                state["step"] += 1
                gradient = parameter.grad
                if group["weight_decay"]:
                    gradient = gradient + group["weight_decay"] * parameter
                square = gradient.square().mul_(1 - group["alpha"])
                state["square_avg"].mul_(group["alpha"]).add_(square)
                root = torch.sqrt(state["square_avg"], out=square).add_(group["eps"])
                parameter.sub_((group["lr"] * gradient).div_(root))
        return loss


class Adam(torch.optim.Optimizer):
    """Adam as PyTorch writes an optimizer: groups of parameters, and a state for each parameter.

    ``step()`` moves every parameter that has a gradient by `adam_step`, in place, with the rates
    that its group holds at that moment. What must be kept is in ``self.state[parameter]``:

    ``step``: steps made, a tensor () on the CPU or a number. ``exp_avg`` and ``exp_avg_sq``:
    of the parameter's shape. These are the names of `torch.optim.Adam`; the base class saves and
    loads them, and nothing else is kept there. A parameter whose ``grad`` is None keeps its value,
    and the step does not count for it. ``grad`` is only read: neither changed nor cleared. Groups
    may be added between steps (`add_param_group`).
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
    def step(self, closure: Callable[[], torch.Tensor] | None = None) -> torch.Tensor | None:
        """Move every parameter that has a gradient.

        Args:
            closure: computes the loss and its gradients before the step, as in `torch.optim`.

        Returns:
            Its loss; None without one.
        """
        loss = _loss(closure)
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
        return loss


def _adamw_in_place(
    parameter: torch.Tensor,
    gradient: torch.Tensor,
    exp_avg: torch.Tensor,
    exp_avg_sq: torch.Tensor,
    step: int,
    *,
    lr: float,
    betas: Sequence[float],
    eps: float,
    weight_decay: float,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """`adamw_step` to the bit, written into the tensors that it is given, with one more of a size.

    Args:
        parameter: w, float of any shape; changed, as are m and s.
        gradient: g, of that shape.
        exp_avg: m, of that shape.
        exp_avg_sq: s, of that shape.
        step: t, from 1.
        lr: η.
        betas: β₁ and β₂.
        eps: ε.
        weight_decay: λ.

    Returns:
        The three tensors.
    """
    parameter.mul_(1 - lr * weight_decay)
    exp_avg.lerp_(gradient, 1 - betas[0])
    square = gradient.square()
    exp_avg_sq.lerp_(square, 1 - betas[1])
    root = torch.div(exp_avg_sq, 1 - betas[1] ** step, out=square).sqrt_().add_(eps)
    parameter.addcdiv_(exp_avg, root, value=-lr / (1 - betas[0] ** step))
    return parameter, exp_avg, exp_avg_sq


class AdamW(Adam):
    """Adam with decoupled weight decay: the same loop around `adamw_step`, done in place.

    It trains most models of the course, and where these have millions of numbers, new tensors at
    every step cost more than the arithmetic.
    """

    rule = staticmethod(_adamw_in_place)

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


class Muon(torch.optim.Optimizer):
    """Muon, for matrices alone; biases and the like are left to another optimizer.

    The state of a parameter is ``momentum_buffer``, as in `torch.optim.Muon`. That one multiplies
    matrices in bfloat16, so its steps agree with these to about two digits.
    """

    def __init__(
        self,
        params: Iterable,
        lr: float = 1e-3,
        *,
        momentum: float = 0.95,
        weight_decay: float = 0.1,
    ) -> None:
        """Remember the parameters: tensors, or groups (dicts) of them with rates of their own.

        Raises:
            ValueError: a parameter is not a matrix.
        """
        # `torch.optim.Muon` asks for these when it loads this optimizer's state
        theirs = {"nesterov": True, "ns_coefficients": COEFFICIENTS, "eps": 1e-7, "ns_steps": 5}
        rates = {"lr": lr, "momentum": momentum, "weight_decay": weight_decay}
        super().__init__(params, {**rates, **theirs, "adjust_lr_fn": None})
        for parameter in [p for group in self.param_groups for p in group["params"]]:
            if parameter.ndim != 2:
                raise ValueError(f"Muon moves matrices, got the shape {(*parameter.shape,)}")

    @torch.no_grad()
    def step(self, closure: Callable[[], torch.Tensor] | None = None) -> torch.Tensor | None:
        """Move every parameter that has a gradient.

        Args:
            closure: computes the loss and its gradients before the step, as in `torch.optim`.

        Returns:
            Its loss; None without one.
        """
        loss = _loss(closure)
        for group in self.param_groups:
            rates = {name: group[name] for name in ("lr", "momentum", "weight_decay")}
            for parameter in [p for p in group["params"] if p.grad is not None]:
                state = self.state[parameter]
                if not state:
                    state["momentum_buffer"] = torch.zeros_like(parameter)
                moved, state["momentum_buffer"] = muon_step(
                    parameter, parameter.grad, state["momentum_buffer"], **rates
                )
                parameter.copy_(moved)
        return loss


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
        gradients: float tensors of any shapes, at least one; not changed.
        max_norm: the length that is not exceeded, above 0.

    Returns:
        The gradients in their order, shapes and dtypes, which may differ, and ‖g‖ before clipping,
        (), of the widest dtype among them; float32 if all are of half precision, whose squares
        would overflow.
    """
    wide = [gradient.to(_wide(gradient)) for gradient in gradients]
    norm = torch.linalg.vector_norm(torch.stack([g.norm() for g in wide]))
    factor = (max_norm / norm).clamp(max=1.0)
    clipped = [(g * factor).to(own.dtype) for g, own in zip(wide, gradients, strict=True)]
    return clipped, norm


def _wide(tensor: torch.Tensor) -> torch.dtype:
    """The dtype to add up in: that of the tensor, and float32 for half precision."""
    return torch.promote_types(tensor.dtype, torch.float32)


class BatchNorm1d(nn.Module):
    """Give every feature mean 0 and variance 1 over the batch, then a scale and shift of its own.

    y = γ (x − mean) / √(variance + ε) + β (Ioffe and Szegedy 2015, algorithm 1). In training,
    mean and variance (divided by B) are those of the batch, and each call moves the running
    values: r ← (1 − momentum) r + momentum · r_batch, where the variance is the unbiased one
    (divided by B − 1). In evaluation the running values take their place and stay as they are.
    Half precision is computed in float32.

    Attributes:
        weight: γ, parameter (num_features,), ones at first.
        bias: β, parameter (num_features,), zeros at first.
        running_mean: buffer (num_features,), zeros at first.
        running_var: buffer (num_features,), ones at first.
        num_batches_tracked: buffer () int64, calls in training.
    """

    def __init__(
        self,
        num_features: int,
        *,
        eps: float = 1e-5,
        momentum: float = 0.1,
        device: torch.device | str | None = None,
    ) -> None:
        """Make parameters and buffers.

        Args:
            num_features: D.
            eps: ε, added under the root.
            momentum: the new batch's share of the running values.
            device: of parameters and buffers.

        Raises:
            ValueError: the momentum is None, for which `nn.BatchNorm1d` averages all batches.
        """
        super().__init__()
        if momentum is None:
            raise ValueError("momentum must be a number; an average of all batches is not built")
        self.eps, self.momentum = eps, momentum
        self.weight = nn.Parameter(torch.ones(num_features, device=device))
        self.bias = nn.Parameter(torch.zeros(num_features, device=device))
        self.register_buffer("running_mean", torch.zeros(num_features, device=device))
        self.register_buffer("running_var", torch.ones(num_features, device=device))
        self.register_buffer("num_batches_tracked", torch.tensor(0, device=device))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Normalize.

        Args:
            x: (B, num_features) float; in training B is at least 2.

        Returns:
            (B, num_features), of the dtype of x.

        Raises:
            ValueError: x has another shape, or, in training, fewer than 2 examples, which have
                no variance.
        """
        if x.ndim != 2 or x.shape[1] != len(self.weight):
            raise ValueError(f"x must be (B, {len(self.weight)}), got {(*x.shape,)}")
        if self.training and len(x) < 2:
            raise ValueError(f"training needs at least 2 examples per batch, got {len(x)}")
        wide = x.to(_wide(x))
        mean = wide.mean(dim=0) if self.training else self.running_mean  # (B, D) -> (D,)
        centered, variance = wide - mean, self.running_var
        if self.training:
            squares = torch.linalg.vecdot(centered, centered, dim=0)  # -> (D,); var_mean is slower
            variance = squares / len(x)
            with torch.no_grad():
                self.running_mean += self.momentum * (mean - self.running_mean)
                self.running_var += self.momentum * (squares / (len(x) - 1) - self.running_var)
                self.num_batches_tracked += 1
        scale = self.weight / torch.sqrt(variance + self.eps)
        return (centered * scale + self.bias).to(x.dtype)


# early stopping, and other ways not to memorize


def dropout(input: torch.Tensor, draws: torch.Tensor, *, p: float) -> torch.Tensor:
    """Set random entries to zero, and scale up the others to keep the mean.

    x / (1 − p) where the draw is at least p, else 0 (Srivastava et al. 2014, section 10, the
    scaling done in training).

    Args:
        input: float of any shape.
        draws: of that shape, uniform on [0, 1).
        p: the probability of zero, from 0 up to but not including 1.

    Returns:
        The shape of ``input``. Gradients flow to the entries that stay, scaled as these are.
    """
    return torch.where(draws >= p, input / (1 - p), 0.0)


class Dropout(nn.Module):
    """`dropout` with fresh draws in training; in evaluation it lets everything through."""

    def __init__(self, p: float = 0.5) -> None:
        """Remember the probability.

        Args:
            p: the probability of zero, from 0 up to but not including 1.

        Raises:
            ValueError: ``p`` is outside this range.
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
        if not self.training:
            return x
        draws = torch.rand(x.shape, dtype=_wide(x), device=x.device)  # bfloat16 knows 256 numbers
        return dropout(x, draws, p=self.p)


def early_stopping(losses: Sequence[float], *, patience: int) -> tuple[int, bool]:
    """Find the best epoch so far, and say whether to stop waiting for a better one.

    Stop when the best epoch, the first of equals, lies ``patience`` epochs back or more (Prechelt
    1998 compares other criteria). NaN counts as infinitely high; if all are NaN, the first epoch
    is the best.

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
    """Trials of a random search: each hyperparameter log-uniform in its own range.

    low · (high / low)ᵘ = low¹⁻ᵘ highᵘ: every factor of ten gets the same share of the trials
    (Bergstra and Bengio 2012). Both ends are possible, and ``high / low`` may overflow.

    Args:
        draws: u, (trials, hyperparameters) float, uniform on [0, 1).
        low: value of each hyperparameter at u = 0, above 0.
        high: its value at u = 1, above 0.

    Returns:
        (trials, hyperparameters).
    """
    low, high = draws.new_tensor(low), draws.new_tensor(high)  # (hyperparameters,)
    return low ** (1 - draws) * high**draws


def grid_trials(per_axis: int, *, low: Sequence[float], high: Sequence[float]) -> torch.Tensor:
    """Trials of a grid search: every combination of values at equal ratios.

    Each range is cut into equal parts on a logarithmic scale, and each part is tried in its middle.

    Args:
        per_axis: values of each hyperparameter, from 1.
        low: lower end of each range, above 0.
        high: upper end of each range.

    Returns:
        (per_axis ** hyperparameters, hyperparameters) float64; the last one changes fastest.
    """
    steps = (torch.arange(per_axis, dtype=torch.float64) + 0.5) / per_axis
    draws = torch.cartesian_prod(*[steps] * len(low)).reshape(-1, len(low))
    return random_trials(draws, low=low, high=high)
