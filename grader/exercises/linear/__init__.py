"""Exercises on linear models: scores, losses, the closed form, the loop, and honest tuning.

What they share: sizes, and generators of inputs.
"""

import numpy as np

B, C, D = 11, 5, 7


def scores_and_labels(rng, *, count=B, classes=C, scale=1.0):
    """Scores (count, classes), and a right class for each."""
    return {
        "input": scale * rng.standard_normal((count, classes)),
        "target": rng.integers(classes, size=count),
    }


def _level(rng, level):
    return {"input": level + rng.standard_normal((B, C)), "dim": 1}


def _rows_apart(rng):
    return {"input": 2000.0 * np.arange(-2, 3)[:, None] + rng.standard_normal((5, 7)), "dim": 1}


def _middle(rng):
    return {"input": 10 * rng.standard_normal((3, 5, 7)), "dim": 1}
