"""Exercises on generative models: densities, fits by counting, Bayes' rule, samples, gaps.

What they share: sizes, and generators of inputs.
"""

import numpy as np

B, C, D = 11, 5, 7


def log_shares(rng, classes=C):
    """Logarithms of probabilities, none of them very small."""
    shares = 0.2 + rng.random(classes)
    return np.log(shares / shares.sum())


def labels_of(rng, count, classes=C, each=2):
    """Labels in which every class occurs at least ``each`` times, in no order."""
    rest = rng.integers(classes, size=count - each * classes)
    return rng.permutation(np.concatenate([np.repeat(np.arange(classes), each), rest]))


def gap(drawn):
    """The same with one class more, in the middle, that has no example."""
    labels = drawn["labels"]
    return {**drawn, "labels": labels + (labels >= 2), "classes": drawn["classes"] + 1}


def bits(rng, *shape):
    return (rng.random(shape) < 0.4).astype(float)


def _bayes(rng, *lead, offset=0.0):
    return {
        "log_likelihood": offset + 2 * rng.standard_normal((*lead, C)),
        "log_prior": log_shares(rng),
    }


def _impossible(rng):
    drawn = _bayes(rng, B, offset=-700.0)
    drawn["log_likelihood"][np.arange(B), rng.integers(C, size=B)] = -np.inf
    return drawn


def _unheard_of(rng):
    drawn = _impossible(rng)
    drawn["log_likelihood"][3] = -np.inf
    return drawn


def _far_below(rng):
    """Beyond what is commonly put for −∞, and some classes impossible."""
    drawn = _bayes(rng, B)
    drawn["log_likelihood"] = -1e31 * rng.integers(1, 9, (B, C)).astype(float)
    drawn["log_prior"][1] = -np.inf
    return drawn


def _far_apart(rng):
    """Rows from −3000 to 3000, and within each classes that differ by some 500."""
    drawn = _bayes(rng, B)
    level = np.linspace(-3000.0, 3000.0, B)[:, None]
    return {**drawn, "log_likelihood": level + 250 * drawn["log_likelihood"]}
