"""Digits in 20 seconds: train a classifier on a thousand small pictures."""

import numpy as np

from grader.judge.measure import Challenge

CHALLENGE = Challenge(
    title="handwritten digits in 20 s",
    section="ladder-moved",
    metric="accuracy",
    seconds=20,
    memory_mb=1024,
    numbers=200_000,
    cutoffs=((0.65, 0), (0.95, 10)),
    license="Optical Recognition of Handwritten Digits, UCI Machine Learning Repository, CC BY 4.0",
)
READS = ("from sklearn.datasets import load_digits\nload_digits()",)


def pool() -> dict[str, np.ndarray]:
    """All pictures as scikit-learn has them, and their labels."""
    from sklearn.datasets import load_digits

    found = load_digits()
    return {"images": found.images.astype(np.uint8), "labels": found.target.astype(np.uint8)}
