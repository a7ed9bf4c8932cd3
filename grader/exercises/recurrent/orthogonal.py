"""`recurrent.orthogonal`: a start that changes no length."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="Orthogonal initialization",
    section="forgetting",
    cases=(
        Case("square", lambda rng: {"normal": rng.standard_normal((7, 7))}, 2),
        Case("more rows", lambda rng: {"normal": rng.standard_normal((11, 5))}),
        Case("more columns", lambda rng: {"normal": rng.standard_normal((3, 13))}),
        Case("another square", lambda rng: {"normal": rng.standard_normal((2, 2)) - 1.0}),
        Case("one number", lambda rng: {"normal": -1.0 - rng.random((1, 1))}, corner=True),
        Case("in float32", lambda rng: {"normal": rng.standard_normal((5, 5))}, dtype="float32"),
        Case("one column", lambda rng: {"normal": rng.standard_normal((5, 1))}, hidden=True),
        Case(
            "one row", lambda rng: {"normal": rng.standard_normal((1, 3))}, hidden=True, corner=True
        ),
        Case("columns that are nearly the same", lambda rng: _nearly_same(rng), corner=True),
    ),
    hint=(
        "`torch.linalg.qr` gives Q and R. If R has a negative number on its diagonal, change the "
        "sign of that column of Q. A wide matrix has more columns than rows: transpose it first."
    ),
    forbidden=("nn.init.orthogonal_", "nn.utils.parametrizations.orthogonal"),
)


def _nearly_same(rng):
    """Apart by little, and still of full rank."""
    return {"normal": rng.standard_normal((7, 1)) + 2e-6 * rng.standard_normal((7, 5))}
