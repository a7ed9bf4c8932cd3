"""Exercises on learning from demonstrations, preferences and rewards.

What they share: rows of prompts and answers, and numbers of models.
"""

import numpy as np


def normal(rng: np.random.Generator, *shape: int, size: float = 2.0) -> np.ndarray:
    """No two alike."""
    return size * rng.standard_normal(shape)


def log_probs(rng: np.random.Generator, *shape: int, size: float = 1.0) -> np.ndarray:
    """Below 0, as they are."""
    return -np.abs(size * rng.standard_normal(shape)) - 0.1


def answers(rows: int, length: int, spans: list[tuple[int, int]]) -> np.ndarray:
    """A mask: in each row the answer goes from the first number to before the second."""
    places = np.arange(length)
    return np.array([(places >= begin) & (places < end) for begin, end in spans]).reshape(
        rows, length
    )
