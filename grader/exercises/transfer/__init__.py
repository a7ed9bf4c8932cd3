"""Exercises on transfer: spans, frozen trunks, low rank, prompts, and answers that are scored.

What they share: a text whose tokens are all different, and logits.
"""

import numpy as np

from grader.author.exercise import Made


def text(rng: np.random.Generator, length: int, below: int = 90) -> np.ndarray:
    """Tokens, no two alike as long as there are enough, and 0 among them."""
    tokens = rng.permutation(below)
    at, zero = rng.integers(min(length, below)), tokens.argmin()
    tokens[[at, zero]] = tokens[[zero, at]]
    return tokens[:length]


def logs(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Log-probabilities along the last axis."""
    scores = 2 * rng.standard_normal(shape)
    return scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True))


def tuples(given):
    """The same with tuples in the place of lists, which are sequences, too."""
    return {
        name: Made("tuple", {"items": value}) if isinstance(value, list) else value
        for name, value in given.items()
    }
