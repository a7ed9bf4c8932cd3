"""One small training run per chapter, for ``grade run``.

A recipe names the ``model``, the ``loss`` on the next examples, and for how many ``STEPS`` of which
``RATE`` Adam walks. All that chapters build it imports from `course`, so it runs on a learner's own
versions as on the course's.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

from course.training import Adam


def losses(
    model: Callable[[], nn.Module], loss: Callable[[nn.Module], Tensor], *, steps: int, rate: float
) -> Tensor:
    """Train, and return the loss of every step.

    Weights and examples hang on the number of the parameter and of the step alone: two right
    versions of one model have the same losses, whatever else they draw.
    """
    net = model()
    with torch.no_grad():
        for number, (name, value) in enumerate(sorted(net.named_parameters())):
            torch.manual_seed(number)
            if value.ndim > 1:
                value.normal_(std=value[0].numel() ** -0.5)
            elif "bias" in name:
                value.zero_()
    optimizer = Adam(net.parameters(), lr=rate)
    found = []
    for step in range(steps):
        torch.manual_seed(step)
        now = loss(net)
        optimizer.zero_grad()
        now.backward()
        optimizer.step()
        found.append(now.detach())
    return torch.stack(found)
