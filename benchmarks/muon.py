"""Muon against the same average without orthogonalization, each at many rates.

    python benchmarks/muon.py

The network and the training of the page on training: digits, two hidden layers of 64 units, three
epochs. `Lengthened` is the control: it steps along the average itself, with Muon's momentum,
look-ahead and step length; only the singular values stay as they are. Biases and the last layer
have the same Adam in both. Rates are a factor of two apart, and more are tried until, for each
epoch, the best rate of both lies between two that are worse. Records the development loss after
each epoch.
"""

from __future__ import annotations

import time

import torch
from defined import definitions
from machine import record
from tuning import next_rate

from book.recorded import fingerprint
from solutions.training import SGD, Adam, newton_schulz

EPOCHS, SEEDS = 3, [0, 1, 2, 3, 4]
FIRST = {"momentum": 0.1, "Adam": 0.02, "Muon": 0.1, "lengthened": 0.1}


class Lengthened(torch.optim.Optimizer):
    """Muon's step with the average in place of the result of `newton_schulz`, equally long."""

    def __init__(self, params: list, lr: float, *, momentum: float = 0.95) -> None:
        super().__init__(params, {"lr": lr, "momentum": momentum})

    @torch.no_grad()
    def step(self) -> None:
        for group in self.param_groups:
            mu = group["momentum"]
            for part in group["params"]:
                state = self.state[part]
                buffer = state.setdefault("momentum_buffer", torch.zeros_like(part))
                buffer.mul_(mu).add_(part.grad, alpha=1 - mu)
                ahead = mu * buffer + (1 - mu) * part.grad
                length = newton_schulz(ahead).norm() / (ahead.norm() + 1e-12)
                rows, columns = part.shape
                part -= group["lr"] * max(1, rows / columns) ** 0.5 * length * ahead


def lengthened(model: torch.nn.Module, lr: float) -> tuple:
    """As the page's `by_matrix`, with the control in the place of Muon."""
    *matrices, last = [part for part in model.parameters() if part.ndim == 2]
    others = [last, *(part for part in model.parameters() if part.ndim == 1)]
    return Lengthened(matrices, lr=lr), Adam(others, lr=0.01)


def main() -> None:
    torch.set_num_threads(1)
    begun = time.process_time()
    wanted = {"device", "data", "network", "loss", "by_matrix", "train_with"}
    on = definitions("training", wanted)
    ways = {
        "momentum": lambda m, lr: [SGD(m.parameters(), lr=lr, momentum=0.9)],
        "Adam": lambda m, lr: [Adam(m.parameters(), lr=lr)],
        "Muon": on["by_matrix"],
        "lengthened": lengthened,
    }
    found: dict[str, dict[str, list]] = {}
    for name, make in ways.items():
        losses: dict[str, list] = {}  # rate: (seeds, epochs)
        for epoch in range(EPOCHS):
            tried = {rate: sum(one[epoch] for one in each) for rate, each in losses.items()}
            while f"{(rate := next_rate(tried, FIRST[name])):g}" not in tried:
                each = [on["train_with"](make, rate, seed, EPOCHS)[0] for seed in SEEDS]
                losses[f"{rate:g}"] = each
                tried[f"{rate:g}"] = sum(one[epoch] for one in each)
        found[name] = {rate: losses[rate] for rate in sorted(losses, key=float)}
        for rate, each in found[name].items():
            print(name, rate, torch.tensor(each).mean(dim=0).tolist(), flush=True)
    taken = time.process_time() - begun
    results = {"epochs": EPOCHS, "losses": found, "processor_seconds": taken}
    record(__file__, SEEDS, data=fingerprint(on["data"]), **results)


if __name__ == "__main__":
    main()
