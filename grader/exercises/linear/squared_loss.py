"""`linear.squared_loss`: squared loss."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.linear import B, C


def predictions(rng, *shape, scale=1.0):
    return {
        "input": scale * rng.standard_normal(shape),
        "target": scale * rng.standard_normal(shape),
    }


def _close(rng):
    drawn = predictions(rng, 3, 2)
    return {name: 1e6 + values for name, values in drawn.items()}


EXERCISE = Exercise(
    title="Squared loss",
    section="linear-regression",
    tolerance=1e-10,
    cases=(
        Case("several outputs", lambda rng: predictions(rng, B, C), 2, grad=("input", "target")),
        Case("one number per example", lambda rng: predictions(rng, B), grad=("input",)),
        Case("far off", lambda rng: predictions(rng, B, C, scale=1e4), grad=("input",)),
        Case(
            "a single example",
            lambda rng: predictions(rng, 1, C),
            grad=("input",),
            corner=True,
        ),
        Case(
            "almost right", lambda rng: predictions(rng, B, C, scale=1e-5), hidden=True, corner=True
        ),
        Case("almost right, and far from zero", lambda rng: _close(rng), corner=True),
        Case("in float32", lambda rng: predictions(rng, B, C), dtype="float32"),
        Case(
            "one target for several outputs",
            lambda rng: {**predictions(rng, 2, 3), "target": rng.standard_normal((2, 1))},
            raises="ValueError",
        ),
        Case(
            "one target for all examples",
            lambda rng: {**predictions(rng, 2, 3), "target": rng.standard_normal(3)},
            raises="ValueError",
        ),
        Case(
            "a row against a column",
            lambda rng: {**predictions(rng, 2), "target": rng.standard_normal((2, 1))},
            raises="ValueError",
        ),
        Case(
            "rows for columns",
            lambda rng: {**predictions(rng, 2, 3), "target": rng.standard_normal((3, 2))},
            raises="ValueError",
        ),
        Case(
            "a column against a row",
            lambda rng: {**predictions(rng, 2, 1), "target": rng.standard_normal(2)},
            raises="ValueError",
        ),
        Case(
            "far-out numbers",
            lambda rng: predictions(rng, B, C, scale=1e12),
            grad=("input",),
            corner=True,
        ),
    ),
    hint="Sum all the squares, then divide by the number of examples: `len(input)`.",
    forbidden=(
        "F.mse_loss",
        "nn.MSELoss",
        "F.huber_loss",
        "nn.HuberLoss",
        "F.smooth_l1_loss",
        "nn.SmoothL1Loss",
    ),
)
