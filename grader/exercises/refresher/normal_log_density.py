"""`refresher.normal_log_density`: the bell curve, in logarithms."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="The normal distribution, in logarithms",
    section="normal-distribution",
    tolerance=1e-9,
    cases=(
        Case(
            "one mean for each number",
            lambda rng: _numbers(rng, 3, 7),
            2,
            grad=("x", "mean", "variance"),
        ),
        Case("a narrow one", lambda rng: _narrow(rng), grad=("x",), corner=True),
        Case("a wide one", lambda rng: _numbers(rng, 11, variance=50.0)),
        Case("one mean for all", lambda rng: _shared(rng)),
        Case("far from the mean", lambda rng: _numbers(rng, 5, scale=60.0), corner=True),
        Case("a row of one", lambda rng: _numbers(rng, 1, 5), corner=True),
        Case("float32", lambda rng: _numbers(rng, 7), dtype="float32"),
        Case("two axes", lambda rng: _numbers(rng, 2, 5, variance=2.0), hidden=True),
    ),
    hint="Take the logarithm of the formula on paper first: the exponential disappears.",
    forbidden=("torch.distributions", "F.gaussian_nll_loss", "nn.GaussianNLLLoss"),
)


def _numbers(rng, *shape, variance=1.0, scale=1.0):
    return {
        "x": scale * rng.standard_normal(shape),
        "mean": rng.standard_normal(shape),
        "variance": variance * rng.uniform(0.5, 2.0, shape),
    }


def _narrow(rng):
    """A variance far below any number that is added to be safe."""
    drawn = _numbers(rng, 11, variance=1e-20)
    return {**drawn, "x": drawn["mean"] + 1e-10 * drawn["x"]}


def _shared(rng):
    return {
        "x": rng.standard_normal((5, 3)),
        "mean": rng.standard_normal(3),
        "variance": np.asarray(rng.uniform(0.5, 2.0)),
    }
