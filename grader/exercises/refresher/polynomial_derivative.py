"""`refresher.polynomial_derivative`: one rule of differentiation."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="Derivative of a polynomial",
    section="derivatives",
    tolerance=1e-10,
    cases=(
        Case("seven terms", lambda rng: _terms(rng, 7), 2),
        Case("a cubic", lambda rng: _terms(rng, 4)),
        Case("a straight line", lambda rng: _terms(rng, 2)),
        Case("gradient", lambda rng: _terms(rng, 5), grad=("coefficients",), corner=True),
        Case("a constant", lambda rng: _terms(rng, 1), corner=True),
        Case("last coefficients of 0", lambda rng: _ends_in_zeros(rng), corner=True),
        Case("float32", lambda rng: _terms(rng, 3), dtype="float32"),
        Case("eleven terms", lambda rng: _terms(rng, 11), hidden=True),
    ),
    hint="Multiply each coefficient by its power, then drop the first one: `x[1:]`.",
)


def _terms(rng, count):
    return {"coefficients": rng.standard_normal(count)}


def _ends_in_zeros(rng):
    """A polynomial of a lower degree than its list is long: the terms still count."""
    drawn = _terms(rng, 5)
    drawn["coefficients"][-2:] = 0.0
    return drawn
