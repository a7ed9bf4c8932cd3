"""Exercises on GPT: filters of logits, losses, writing, and speculative decoding.

What they share: logits, and probabilities.
"""

import numpy as np


def logits(rng: np.random.Generator, *shape: int, size: float = 2.0) -> np.ndarray:
    """No two alike."""
    return size * rng.standard_normal(shape)


def ties(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Whole numbers, so that many are alike."""
    return rng.integers(-2, 3, shape).astype(float)


def probabilities(rng: np.random.Generator, *shape: int, size: float = 1.2) -> np.ndarray:
    """Rows that are positive and sum to 1."""
    powers = np.exp(logits(rng, *shape, size=size))
    return powers / powers.sum(axis=-1, keepdims=True)
