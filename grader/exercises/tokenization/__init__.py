"""Exercises on tokenization: pairs, merges, text to tokens and back.

What they share: words to count, and a text to train on.
"""

import numpy as np

WORDS = ([5, 7, 5, 7, 9], [7, 5, 7], [11, 2], [9], [5, 7, 9, 2])
COUNTS = (3, 2, 1, 4, 2)
TWICE = {"words": [[1, 2], [3, 4], [], [3, 4], [1, 2, 5]], "counts": [2, 2, 9, 2, 1], "number": 2}
TEXT = (
    "low low low lower lowest newest newest newest newer wider wider widest "
    "a slow yellow owl, 3.14 and 42; it's so: naïve café, 日本 🙂\n\n  end "
)


def drawn(rng: np.random.Generator, *, words: int = 17, longest: int = 11, kinds: int = 5) -> dict:
    """Words of few different tokens, so that pairs come up often, and how often each occurs."""
    sizes = rng.integers(1, longest + 1, words)
    return {
        "words": [rng.integers(0, kinds, size).tolist() for size in sizes],
        "counts": rng.integers(1, 20, words).tolist(),
    }
