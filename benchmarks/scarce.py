"""Fifty pictures of digits: the trained rungs of the image ladder at rates chosen for so few.

    python benchmarks/scarce.py

The models, the loop and the draws of the page on the image ladder. Each rate is tried on two
draws of fifty pictures that no report uses, and the one with the most right development pictures
is kept; where it is the lowest or the highest, one beyond is tried. Five other draws report, on the
test pictures.
"""

from __future__ import annotations

import time

import torch
from defined import definitions
from machine import record

COUNT, SEEDS, TRIALS = 5, [0, 1, 2, 3, 4], [5, 6]
RATES = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
WANTED = {
    "convolution",
    "device",
    "data",
    "RATES",
    "EPOCHS",
    "BATCH",
    "STEPS",
    "SEEDS",
    "total",
    "Rung",
    "gaussian_bayes",
    "bernoulli_bayes",
    "pictures",
    "cost_of",
    "trained",
    "LADDER",
    "few",
    "score",
}


def main() -> None:
    torch.set_num_threads(1)
    begun, on = time.process_time(), definitions("image_ladder", WANTED)
    data, score = on["data"], on["score"]
    rungs = {name: rung for name, rung in on["LADDER"].items() if rung.setting == "learning rate"}
    parts = {seed: on["few"](COUNT, seed) for seed in (*SEEDS, *TRIALS)}
    found = {}
    for name, rung in rungs.items():
        tried: dict[float, float] = {}

        def trial(rate: float, rung=rung) -> float:
            models = [rung.train(parts[seed], rate, seed) for seed in TRIALS]
            return sum(score(model, data.dev) for model in models) / len(TRIALS)

        tried.update({rate: trial(rate) for rate in RATES})
        while (best := max(tried, key=tried.__getitem__)) in (min(tried), max(tried)):
            rate = best / 3 if best == min(tried) else best * 3
            tried[rate] = trial(rate)
        test = [score(rung.train(parts[seed], best, seed), data.test) for seed in SEEDS]
        rates = {f"{rate:g}": round(tried[rate], 3) for rate in sorted(tried)}
        found[name] = {"rate": best, "tried": rates, "test": test}
        print(name, found[name], flush=True)
    taken = time.process_time() - begun
    record(__file__, SEEDS, pictures=10 * COUNT, rungs=found, processor_seconds=taken)


if __name__ == "__main__":
    main()
