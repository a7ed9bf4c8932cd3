"""Ten layers with layer norm or RMSNorm, from small and from large weights.

    python benchmarks/norms.py

The network, the starts and the training of the page on training: eight epochs of SGD with momentum.
The large start is the control for the small one. Records the accuracy on the development pictures,
by norm, start and learning rate.
"""

from __future__ import annotations

import time

import torch
from defined import definitions
from machine import record
from torch import nn

from book.recorded import fingerprint

SEEDS = [0, 1, 2, 3, 4]
SMALL, LARGE = "standard deviation 0.05", "standard deviation 0.3"
RUNS = (
    ("layer norm", nn.LayerNorm, SMALL, 0.02),
    ("layer norm", nn.LayerNorm, SMALL, 0.002),
    ("layer norm", nn.LayerNorm, LARGE, 0.02),
    ("layer norm", nn.LayerNorm, LARGE, 0.2),
    ("RMSNorm", nn.RMSNorm, SMALL, 0.02),
    ("RMSNorm", nn.RMSNorm, SMALL, 0.002),
)


def main() -> None:
    torch.set_num_threads(1)
    begun = time.process_time()
    wanted = {"device", "data", "network", "loss", "is_right", "run", "glorot", "starts"}
    on = definitions("training", wanted | {"with_norm"})
    found: dict[str, dict[str, dict[str, list]]] = {}
    for name, kind, start, rate in RUNS:
        ends = [on["with_norm"](kind, start, rate, seed) for seed in SEEDS]
        found.setdefault(name, {}).setdefault(start, {})[f"{rate:g}"] = ends
        print(name, start, rate, ends, flush=True)
    taken = time.process_time() - begun
    results = {"epochs": 8, "accuracy": found, "processor_seconds": taken}
    record(__file__, SEEDS, data=fingerprint(on["data"]), **results)


if __name__ == "__main__":
    main()
