"""Digits with few labels: what SimCLR's views are worth without SimCLR.

    python benchmarks/few_labels_views.py

Two controls of `few_labels.py`, with its encoder, labeled pictures and augmentations. Softmax
regression of the pixels, fitted to labeled pictures and views of them; and training from scratch
with views at the most labels, for more steps. The development part chooses penalties and rates, on
a seed that is not used again: a rate lies between two that are worse. Writes
`few_labels_views.json`.
"""

from __future__ import annotations

import time

import torch
from few_labels import (
    COUNTS,
    DATA,
    DEV,
    PENALTIES,
    SEEDS,
    TEST,
    TRAIN,
    TUNING,
    encoder,
    fine_tuned,
    labeled,
    share_right,
)
from machine import record
from sklearn.linear_model import LogisticRegression
from torch import Tensor
from tuning import next_rate

from solutions.contrastive import random_views

VIEWS = 20  # of each labeled picture, besides the picture
STEPS, FIRST_RATE = 800, 0.005


def pixels(count: int, seed: int, penalty: float, images: Tensor, to: Tensor) -> float:
    """Accuracy of softmax regression on standardized pixels of pictures and of their views.

    Together, all that is made of a picture weighs as much as one picture.
    """
    chosen, chance = labeled(count, seed), torch.Generator().manual_seed(seed)
    shown = [TRAIN[chosen], *(random_views(TRAIN[chosen], chance) for _ in range(VIEWS))]
    # views have values where all pictures are 0, so the scale of a pixel is that of both
    known = torch.cat([TRAIN, random_views(TRAIN, chance)]).flatten(1)
    mean, deviation = known.mean(dim=0), known.std(dim=0)
    given, new = ((x.flatten(1) - mean) / deviation for x in (torch.cat(shown), images))
    labels = DATA.train.labels[chosen].repeat(VIEWS + 1)
    fitted = LogisticRegression(C=1 / penalty, max_iter=3_000)
    weights = torch.full((len(labels),), 1 / (VIEWS + 1))
    fitted.fit(given.numpy(), labels.numpy(), sample_weight=weights.numpy())
    return share_right(torch.as_tensor(fitted.predict(new.numpy())), to)


def linear_runs() -> list[dict]:
    runs = []
    for count in COUNTS:
        on_dev = [pixels(count, TUNING, penalty, DEV, DATA.dev.labels) for penalty in PENALTIES]
        best = PENALTIES[on_dev.index(max(on_dev))]
        found = [pixels(count, seed, best, TEST, DATA.test.labels) for seed in SEEDS]
        one = {"labels": count, "penalty": best, "development": on_dev, "accuracy": found}
        runs.append(one)
        print(one, flush=True)
    return runs


def longer_run() -> dict:
    count = max(COUNTS)

    def trained(seed: int, rate: float, images: Tensor, to: Tensor) -> float:
        start = encoder(seed)
        return fine_tuned(start, count, seed, rate, images, to, steps=STEPS, moving=True)

    tried: dict[str, float] = {}  # errors in percent
    while f"{(rate := next_rate(tried, FIRST_RATE)):g}" not in tried:
        tried[f"{rate:g}"] = 100 - trained(TUNING, rate, DEV, DATA.dev.labels)
        print(rate, tried, flush=True)
    found = [trained(seed, rate, TEST, DATA.test.labels) for seed in SEEDS]
    return {"labels": count, "steps": STEPS, "rate": rate, "tried": tried, "accuracy": found}


def main() -> None:
    torch.set_num_threads(1)
    begun = time.process_time()
    linear, longer = linear_runs(), longer_run()
    taken = round(time.process_time() - begun)
    record(
        __file__, list(SEEDS), views=VIEWS, linear=linear, longer=longer, processor_seconds=taken
    )


if __name__ == "__main__":
    main()
