"""Gradients clipped and not, on data with five faulty pictures, each at many rates.

    python benchmarks/clipping.py

The network, the fault and the training of the page on training: six epochs of SGD with momentum.
Rates are a factor of about three apart; if the best one is at an end, more are tried. Records the
accuracy on the development pictures.
"""

from __future__ import annotations

import math
import time

import torch
from defined import definitions
from machine import record

from book.recorded import fingerprint

SEEDS, EPOCHS = [0, 1, 2, 3, 4], 6
RATES = [0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0]
LIMITS = {"not clipped": math.inf, "clipped to 1": 1.0}


def main() -> None:
    torch.set_num_threads(1)
    begun = time.process_time()
    wanted = {"device", "data", "network", "loss", "is_right", "run", "glare", "bright", "faulty"}
    on = definitions("training", wanted)
    bright = on["bright"].to(on["device"])
    assert on["faulty"].features[bright].max() > 10 * on["data"].train.features.max()
    found: dict[str, dict[str, list]] = {name: {} for name in LIMITS}
    for name, limit in LIMITS.items():
        for rate in RATES:
            ends = []
            for seed in SEEDS:
                model = on["network"](seed=seed)
                optimizer = on["SGD"](model.parameters(), lr=rate, momentum=0.9)
                options = {"seed": seed, "epochs": EPOCHS, "train": on["faulty"]}
                history = on["run"](model, optimizer, clip_norm=limit, **options)
                ends.append(history.dev_metric[-1])
            found[name][f"{rate:g}"] = ends
            print(name, rate, ends, flush=True)
    taken = time.process_time() - begun
    results = {"epochs": EPOCHS, "accuracy": found, "processor_seconds": taken}
    record(__file__, SEEDS, data=fingerprint(on["data"]), **results)


if __name__ == "__main__":
    main()
