"""Few pictures of digits: the image ladder with 50 and 140 of them, and what explains its order.

    python benchmarks/scarce.py

The models, the loop, the tuning and the draws of the page on the image ladder; five draws report,
on the test pictures.

- `curves`: every rung at the setting that is `chosen` with all pictures, by number of pictures;
  `learned`: its lowest training accuracy on the fewest.
- `rungs`: the trained rungs at rates chosen for the fewest. Each rate is tried on two other draws,
  and the one with the most right development pictures is kept; where it is the lowest or the
  highest, one beyond is tried.
- `variants`: residual networks on the fewest, at the rate that is chosen for LeNet.
"""

from __future__ import annotations

import time

import torch
from defined import definitions
from machine import record

from book.recorded import fingerprint

SEEDS, TRIALS = [0, 1, 2, 3, 4], [5, 6]
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
    "one_by_one",
    "gaussian_bayes",
    "bernoulli_bayes",
    "pictures",
    "cost_of",
    "trained",
    "LADDER",
    "score",
    "tune",
    "few",
    "COUNTS",
    "PlacedResNet",
    "RepeatedMeans",
    "variants",
}


def with_own_rate(rung, on: dict, count: int) -> dict:
    """The rate chosen for so few pictures, all that were tried, and the test accuracies."""
    data, score = on["data"], on["score"]
    tried: dict[float, float] = {}

    def trial(rate: float) -> float:
        models = rung.train([(on["few"](count, seed), rate, seed) for seed in TRIALS])
        return sum(score(model, data.dev) for model in models) / len(TRIALS)

    tried.update({rate: trial(rate) for rate in RATES})
    while (best := max(tried, key=tried.__getitem__)) in (min(tried), max(tried)):
        rate = best / 3 if best == min(tried) else best * 3
        tried[rate] = trial(rate)
    models = rung.train([(on["few"](count, seed), best, seed) for seed in SEEDS])
    return {
        "rate": best,
        "tried": {f"{rate:g}": round(tried[rate], 3) for rate in sorted(tried)},
        "test": [score(model, data.test) for model in models],
    }


def main() -> None:
    torch.set_num_threads(1)
    begun, on = time.process_time(), definitions("image_ladder", WANTED)
    data, score, counts = on["data"], on["score"], on["COUNTS"]
    parts = {count: [on["few"](count, seed) for seed in SEEDS] for count in counts}

    def trained(rung, setting: float, count: int) -> list:
        runs = zip(parts[count], [setting] * len(SEEDS), SEEDS, strict=True)
        return rung.train(list(runs))

    chosen, curves, learned, rungs = {}, {}, {}, {}
    for name, rung in on["LADDER"].items():
        chosen[name], _ = on["tune"](rung)
        models = {count: trained(rung, chosen[name], count) for count in counts}
        curves[name] = [[score(model, data.test) for model in models[count]] for count in counts]
        learned[name] = min(map(score, models[counts[0]], parts[counts[0]]))
        if rung.setting == "learning rate":
            rungs[name] = with_own_rate(rung, on, counts[0])
        print(name, chosen[name], curves[name], learned[name], rungs.get(name), flush=True)
    variants = {
        name: [score(model, data.test) for model in trained(rung, chosen["LeNet"], counts[0])]
        for name, rung in on["variants"].items()
    }
    record(
        __file__,
        SEEDS,
        data=fingerprint(data),
        pictures=[10 * count for count in counts],
        chosen=chosen,
        curves=curves,
        learned=learned,
        rungs=rungs,
        variants=variants,
        processor_seconds=time.process_time() - begun,
    )


if __name__ == "__main__":
    main()
