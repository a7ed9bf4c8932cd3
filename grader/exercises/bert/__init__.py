"""Exercises on BERT: what it reads, its two tasks, the model with its heads, and a probe.

What they share: rows of tokens, with special ones at the end of the vocabulary.
"""

import numpy as np

from grader.author.exercise import Made

ORDINARY = 19
PAD, CLS, SEP, MASK = range(ORDINARY, ORDINARY + 4)
VOCABULARY = ORDINARY + 4


def rows(rng: np.random.Generator, lengths: list[tuple[int, ...]], longest: int) -> np.ndarray:
    """Packed rows: for each the lengths of its texts, one or two; padded to ``longest``."""
    made = np.full((len(lengths), longest), PAD)
    for row, sizes in zip(made, lengths, strict=True):
        row[0], at = CLS, 1
        for size in sizes:
            row[at : at + size] = rng.integers(0, ORDINARY, size)
            row[at + size] = SEP
            at += size + 1
    return made


def segments(tokens: np.ndarray) -> np.ndarray:
    """1 from behind the first [SEP] to the second, 0 elsewhere."""
    found = (tokens == SEP).astype(int)
    before = found.cumsum(axis=-1) - found
    return ((before == 1) & (found.sum(axis=-1, keepdims=True) == 2)).astype(int)


def tuples(given):
    """The same with tuples in the place of lists, which are sequences, too."""
    return {
        name: Made("tuple", {"items": value}) if isinstance(value, list) else value
        for name, value in given.items()
    }
