"""Associative recall at several learning rates, and with products in a state-space model.

    python benchmarks/recall.py [--fresh]

The task, the models and the training of the page on efficient attention. There all models have one
rate; here the two whose states are compared have several. The last mixer is the page's state-space
model with one change: its kernel is applied to the product of two projections of the input, feature
by feature. So it has as many products as linear attention with one feature, with which it is
compared. Records the shares of right answers, for each number of pairs a number per seed, and
reuses what `recall.json` holds; `--fresh` starts over.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import torch
from defined import definitions
from machine import record
from torch import Tensor, nn

WANTED = {"SYMBOLS", "FEATURES", "SEEDS", "PAIRS", "Recall", "LinearMixer", "StateSpaceMixer"}
RATES = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--fresh", action="store_true")
    path = Path(__file__).with_suffix(".json")
    anew = parser.parse_args().fresh or not path.exists()
    known = {} if anew else json.loads(path.read_text())
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
        "gated": (page["gated"], RATES[:4]),
        "linear, 1": (lambda: page["LinearMixer"](features, 1), RATES[1:3]),
        "state space, products": (Products, RATES[1:3]),
    }
    found: dict[str, dict[str, list]] = known.get("right", {})
    for name, (make, rates) in mixers.items():
        for rate in rates:
            if f"{rate:g}" in found.get(name, {}):
                continue
            right = page["recalled"](lambda make=make: page["Recall"](make()), rate=rate)
            found.setdefault(name, {})[f"{rate:g}"] = right.T.tolist()
            print(name, rate, right.mean(dim=0).tolist(), flush=True)
    record(
        __file__,
        [*page["SEEDS"]],
        pairs=[*page["PAIRS"]],
        right=found,
        processor_seconds=known.get("processor_seconds", 0) + time.process_time() - begun,
    )


if __name__ == "__main__":
    main()
