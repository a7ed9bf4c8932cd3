"""`generative.gaussian_linear_form`: gaussian naive Bayes is a linear model."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.generative import C, D, log_shares

EXERCISE = Exercise(
    title="Gaussian naive Bayes as a linear model",
    section="linear-form",
    tolerance=1e-10,
    cases=(
        Case("random classes", lambda rng: _line(rng), 2, grad=("log_prior", "mean", "variance")),
        Case("unequal variances", lambda rng: _line(rng, spread=100.0), 2),
        Case("as many classes as features", lambda rng: _line(rng, classes=D)),
        Case("in float32", lambda rng: _line(rng), dtype="float32"),
        Case("two classes", lambda rng: _line(rng, classes=2), hidden=True),
        Case("one class", lambda rng: _line(rng, classes=1), corner=True),
    ),
    hint=(
        "Multiply out −½ (x − m)² / s. The term with x² is the same for every class; what is "
        "left is m x / s and a constant."
    ),
)


def _line(rng, *, classes=C, spread=3.0):
    return {
        "log_prior": log_shares(rng, classes),
        "mean": rng.standard_normal((classes, D)),
        "variance": spread ** rng.uniform(-1, 1, (1, D)),
    }
