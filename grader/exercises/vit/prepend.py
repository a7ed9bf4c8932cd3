"""`vit.prepend`: a token before every sequence."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="Prepending a class token",
    section="class-token",
    cases=(
        Case("a batch", lambda rng: _given(rng, 3, 5, 7), 2, grad=("token", "x")),
        Case("one sequence", lambda rng: _given(rng, 1, 4, 3), grad=("token", "x"), corner=True),
        Case("in float32", lambda rng: _given(rng, 2, 3, 5), dtype="float32"),
        Case(
            "one position",
            lambda rng: _given(rng, 5, 1, 2),
            grad=("token", "x"),
            hidden=True,
            corner=True,
        ),
        Case("no position", lambda rng: _given(rng, 2, 0, 3), grad=("token",), corner=True),
    ),
    tolerance=1e-9,
    hint="`expand` gives the token a batch axis without copying it; then the two are joined.",
)


def _given(rng, count, length, width):
    return {
        "token": rng.standard_normal(width),
        "x": rng.standard_normal((count, length, width)),
    }
