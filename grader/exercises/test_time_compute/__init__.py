"""Exercises on test-time compute: verifiers, votes, search over steps, budgets and tools.

What they share: inputs of few bits, which make small records.
"""

import numpy as np


def few(rng, *shape):
    """Normal numbers, rounded to multiples of 1/32."""
    return np.round(32 * rng.standard_normal(shape)) / 32


def shares(rng, *shape):
    """Probabilities, multiples of 1/32, none of them 0 or 1."""
    return rng.integers(1, 32, shape) / 32
