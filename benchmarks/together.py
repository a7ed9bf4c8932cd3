"""Many small networks of one shape, trained side by side: all seeds and rates in one run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state, vmap


class Together:
    """Networks of one shape, stacked; each has its own data, learning rate, clipping and Adam.

    The result is that of training one after the other, up to rounding.
    """

    def __init__(
        self,
        models: Sequence[nn.Module],
        rates: Sequence[float],
        *,
        clip: float = 1.0,
        betas: tuple[float, float] = (0.9, 0.999),
    ) -> None:
        """Stack the parameters.

        Args:
            models: all of one shape.
            rates: learning rate of each.
            clip: longest gradient of a network; a longer one is scaled down to it.
            betas: of Adam.
        """
        self.model, self.clip, self.betas = models[0], clip, betas
        self.parameters, self.buffers = stack_module_state(list(models))
        self.rates = torch.tensor(rates)
        self.moments = [
            (torch.zeros_like(part), torch.zeros_like(part)) for part in self.parameters.values()
        ]
        self.steps = 0

    def __call__(self, *inputs: Any) -> Any:
        """Outputs of all networks: the first dimension of each input counts the networks."""

        def run(parameters: dict, buffers: dict, *own: Any) -> Any:
            return functional_call(self.model, (parameters, buffers), own)

        return vmap(run)(self.parameters, self.buffers, *inputs)

    def step(self, loss: Callable[[Any], Tensor], *inputs: Any, scale: float = 1.0) -> Any:
        """One update of every network by Adam.

        Args:
            loss: maps the outputs of all to one loss per network, (M,).
            inputs: of the networks.
            scale: times the learning rates, for a schedule.

        Returns:
            The outputs before the update.
        """
        outputs = self(*inputs)
        losses = loss(outputs)
        parts = list(self.parameters.values())
        grads = torch.autograd.grad(losses.sum(), parts)
        with torch.no_grad():
            squares = sum(grad.square().flatten(1).sum(dim=1) for grad in grads)
            shrink = (self.clip / squares.sqrt()).clamp(max=1)  # (M,)
            self.steps += 1
            first, second = (1 - beta**self.steps for beta in self.betas)
            for part, grad, (mean, square) in zip(parts, grads, self.moments, strict=True):
                wide = (-1,) + (1,) * (part.dim() - 1)
                grad = grad * shrink.view(wide)
                mean.lerp_(grad, 1 - self.betas[0])
                square.lerp_(grad.square(), 1 - self.betas[1])
                move = (mean / first) / ((square / second).sqrt() + 1e-8)
                part -= scale * self.rates.view(wide) * move
        return outputs
