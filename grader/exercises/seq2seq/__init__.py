"""Exercises on sequence to sequence: teacher forcing, decoding, and measuring what comes out.

What they share: a model that is a table, and padded targets.
"""

import numpy as np

from grader.author.exercise import Made

END = 2  # the end token, where nothing else is said


def model(rng, *, rows=37, symbols=5, size=2.0, never=()):
    """A model that remembers all that it has read: log-probabilities of what comes next."""
    scores = size * rng.standard_normal((rows, symbols))
    scores[:, list(never)] = -np.inf
    return as_model(scores)


def as_model(scores):
    """Rows of any numbers as a model."""
    top = scores.max(axis=1, keepdims=True)
    log_probs = scores - top - np.log(np.exp(scores - top).sum(axis=1, keepdims=True))
    return Made("stepwise", {"log_probs": log_probs})


def padded(rng, lengths, *, longest, symbols=7, pad=0):
    """Targets without the padding token, (B, longest), padded from their lengths on."""
    others = np.array([symbol for symbol in range(symbols) if symbol != pad])
    target = others[rng.integers(0, len(others), (len(lengths), longest))]
    target[np.arange(longest) >= np.array(lengths)[:, None]] = pad
    return target


def sentence(rng, longest, *, kinds=3, shortest=0):
    """A few words, often the same ones, so that runs of them repeat and match."""
    count = rng.integers(shortest, longest + 1)
    return ["abcdefg"[word] for word in rng.integers(0, kinds, count)]
