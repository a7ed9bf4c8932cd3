"""Ten layers from four initial weights, each at its own learning rate.

    python benchmarks/starts.py

The network, the initial weights and the eight epochs of the page on training, by momentum and by
Adam. Two seeds that are not used again choose the rate for each start and each optimizer. Records
the accuracy on the development pictures at that rate, and at all rates.
"""

from __future__ import annotations

import time

import torch
from defined import definitions
from machine import record

SEEDS, CHOOSE = [0, 1, 2, 3, 4], [98, 99]
RATES = (5e-4, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 1e-1)


def main() -> None:
    torch.set_num_threads(1)
    begun = time.process_time()
    wanted = {"device", "data", "network", "loss", "is_right", "run", "glorot", "starts"}
    page = definitions("training", wanted | {"SGD", "Adam"})
    ways = {
        "momentum": lambda weights, rate: page["SGD"](weights, lr=rate, momentum=0.9),
        "Adam": lambda weights, rate: page["Adam"](weights, lr=rate),
    }

    def accuracy(start: str, way: str, rate: float, seed: int) -> float:
        model = page["network"](hidden=(64,) * 10, seed=seed, weights=page["starts"][start])
        optimizer = ways[way](model.parameters(), rate)
        history = page["run"](model, optimizer, seed=seed, epochs=8)
        return history.dev_metric[-1]

    found: dict[str, dict[str, dict]] = {}
    for start in page["starts"]:
        for way in ways:
            tried = {
                f"{rate:g}": sum(accuracy(start, way, rate, seed) for seed in CHOOSE) / len(CHOOSE)
                for rate in RATES
            }
            rate = float(max(tried, key=lambda name, tried=tried: tried[name]))
            ends = [accuracy(start, way, rate, seed) for seed in SEEDS]
            of = {"tried": tried, "rate": rate, "accuracy": ends}
            found.setdefault(start, {})[way] = of
            print(start, way, of, flush=True)
    taken = time.process_time() - begun
    record(__file__, SEEDS, choose=CHOOSE, starts=found, processor_seconds=taken)


if __name__ == "__main__":
    main()
