"""Exercises on word vectors, in the order in which the chapter builds them.

What they share: sizes, and generators of inputs.
"""

import numpy as np

B, D, K, V = 11, 5, 3, 17

TABLES = ("F.embedding", "nn.Embedding", "F.one_hot")


def _words(rng, *shape, words=V):
    """Numbers of words; the first and the last word are among them where there is room."""
    drawn = rng.integers(words, size=shape)
    if drawn.size > 2:
        drawn.flat[1], drawn.flat[-1] = words - 1, 0
    return drawn


def _counts(rng, *, rows=7, columns=5, scale=4.0, **options):
    """Counts with zeros among them; no row and no column is empty."""
    drawn = rng.poisson(scale * rng.random((rows, columns)) ** 2)
    drawn[rng.integers(rows, size=2), :2] = 0
    drawn[np.arange(rows), np.arange(rows) % columns] += 1 + rng.integers(3, size=rows)
    return {"counts": drawn, **options}


def _never_seen(rng):
    made = _counts(rng, power=0.75)
    made["counts"][2], made["counts"][:, 3] = 0, 0
    return made


def _vectors(rng, words=V, size=D):
    """Vectors of very different lengths, so that length and direction disagree."""
    return rng.standard_normal((words, size)) * np.geomspace(0.1, 9, words)[:, None]


def _frequencies(rng, words=V, **options):
    counts = 1 + rng.integers(9, size=words) * rng.integers(1, 40, size=words)
    return {"counts": counts, **options}


def _one_missing(rng, **options):
    made = _frequencies(rng, **options)
    made["counts"][3] = 0
    return made


def _triples(rng, *, batch=B, negatives=K, size=D, scale=1.0):
    return {
        "center": scale * rng.standard_normal((batch, size)),
        "context": rng.standard_normal((batch, size)),
        "noise": rng.standard_normal((batch, negatives, size)),
    }
