"""Associative recall at several learning rates, and with products in a state-space model.

    python benchmarks/recall.py

The task, the models and the training of the page on efficient attention. There all models have one
rate; here the two whose states are compared have several. The last mixer is the page's state-space
model with one change: its kernel is applied to the product of two projections of the input, feature
by feature. So it has as many products as linear attention with one feature, which is there to
compare. Records the shares of right answers, for each number of pairs a number per seed.
"""

from __future__ import annotations

import time

import torch
from defined import definitions
from machine import record
from torch import Tensor, nn

WANTED = {"SYMBOLS", "FEATURES", "SEEDS", "PAIRS", "Recall", "LinearMixer", "StateSpaceMixer"}
RATES = (0.01, 0.02, 0.04, 0.08)


def main() -> None:
    torch.set_num_threads(1)
    begun = time.process_time()
    page = definitions("efficient_attention", WANTED | {"gated", "recalled"})
    features = page["FEATURES"]

    class Products(page["StateSpaceMixer"]):
        """The state-space model of the page, on products of two projections."""

        def __init__(self) -> None:
            super().__init__(features, 4)
            self.times = nn.Linear(features, features)

        def forward(self, x: Tensor) -> tuple[Tensor, None]:
            parts = self.rate.exp(), self.frequency, self.step.exp(), self.weight
            kernel = page["ssm_kernel"](*parts, length=x.shape[1])
            states = page["causal_convolution"](self.inward(x) * self.times(x), kernel)
            return self.out(torch.sigmoid(self.gate(x)) * states), None

    mixers = {
        "linear, 8": (lambda: page["LinearMixer"](features, 8), RATES),
        "gated": (page["gated"], RATES),
        "linear, 1": (lambda: page["LinearMixer"](features, 1), RATES[1:3]),
        "state space, products": (Products, RATES[1:3]),
    }
    found: dict[str, dict[str, list]] = {}
    for name, (make, rates) in mixers.items():
        for rate in rates:
            right = page["recalled"](lambda make=make: page["Recall"](make()), rate=rate)
            found.setdefault(name, {})[f"{rate:g}"] = right.T.tolist()
            print(name, rate, right.mean(dim=0).tolist(), flush=True)
    record(
        __file__,
        [*page["SEEDS"]],
        pairs=[*page["PAIRS"]],
        right=found,
        processor_seconds=time.process_time() - begun,
    )


if __name__ == "__main__":
    main()
