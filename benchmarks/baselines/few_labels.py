"""Softmax regression on fifty labeled digits; changed: each also shifted by one pixel.

    python benchmarks/baselines/few_labels.py

Prints the test error in percent for five seeds. A seed draws the split and the fifty digits.
"""

from __future__ import annotations

import torch

from solutions.convolution import shift
from solutions.data import digits
from solutions.linear import accuracy, linear, train

SEEDS = range(5)
LABELED = 5  # digits of each class


def score(seed: int, *, changed: bool = False) -> float:
    """Percent of the test digits that are classified wrongly.

    Args:
        seed: of the split; the first five training digits of each class keep their labels.
        changed: train on the four neighbors of each labeled digit as well.
    """
    data = digits(seed=seed)
    rows = torch.cat([(data.train.labels == one).nonzero()[:LABELED, 0] for one in range(10)])
    features, labels = data.train.features[rows], data.train.labels[rows]
    if changed:
        pictures = features.view(-1, 8, 8)
        moved = [shift(pictures, down=by) for by in (-1, 1)]
        moved += [shift(pictures, right=by) for by in (-1, 1)]
        features = torch.cat([pictures, *moved]).flatten(1)
        labels = labels.repeat(5)
    zeros = {"weight": torch.zeros(10, 64), "bias": torch.zeros(10)}
    settings = {"loss": "cross_entropy", "learning_rate": 0.5, "steps": 500, "l2": 0.001}
    weight, bias, _ = train(features, labels, **zeros, **settings)
    return 100 * (1 - accuracy(linear(data.test.features, weight, bias), data.test.labels))


if __name__ == "__main__":
    for seed in SEEDS:
        print(f"seed {seed}: {score(seed):.1f} % wrong, changed {score(seed, changed=True):.1f} %")
