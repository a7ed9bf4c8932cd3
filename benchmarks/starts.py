"""Ten layers from four initial weights, each at its own learning rate.

    python benchmarks/starts.py

The network, the initial weights and the eight epochs of the page on training, by momentum, by
momentum with the gradient clipped, and by Adam. Two seeds that are not used again choose the rate
for each start and each way to train. Records the accuracy on the development pictures at that rate,
and at all rates.
"""

from __future__ import annotations

import time

import torch
from defined import definitions
from machine import record

SEEDS, CHOOSE = [0, 1, 2, 3, 4], [98, 99]
RATES = (5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 1e-1, 2e-1)
CLIP = 1.0


def main() -> None:
    torch.set_num_threads(1)
    begun = time.process_time()
    wanted = {"device", "data", "network", "loss", "is_right", "run", "glorot", "starts"}
    page = definitions("training", wanted | {"SGD", "Adam"})
    ways = {
        "momentum": (lambda w, rate: page["SGD"](w, lr=rate, momentum=0.9), {}),
        "momentum, clipped": (
            lambda w, rate: page["SGD"](w, lr=rate, momentum=0.9),
            {"clip_norm": CLIP},
        ),
        "Adam": (lambda w, rate: page["Adam"](w, lr=rate), {}),
    }

    def accuracy(start: str, way: str, rate: float, seed: int) -> float:
        make, options = ways[way]
        model = page["network"](hidden=(64,) * 10, seed=seed, weights=page["starts"][start])
        optimizer = make(model.parameters(), rate)
        history = page["run"](model, optimizer, seed=seed, epochs=8, **options)
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
    record(__file__, SEEDS, choose=CHOOSE, clip=CLIP, starts=found, processor_seconds=taken)


if __name__ == "__main__":
    main()
