"""`efficient_attention.combine`: two steps of a linear recurrence as one."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise


def _steps(rng, *shape, zero=False):
    made = {
        name: [rng.standard_normal(shape), rng.standard_normal(shape)]
        for name in ("first", "second")
    }
    if zero:
        made["second"][0][...] = 0.0
    return made


_ALL = ("first[0]", "first[1]", "second[0]", "second[1]")

EXERCISE = Exercise(
    title="Combining two steps of a linear recurrence",
    section="scan",
    cases=(
        Case("vectors", lambda rng: _steps(rng, 7), 2, grad=_ALL),
        Case("a batch", lambda rng: _steps(rng, 2, 3, 5), grad=_ALL),
        Case("a batch of one", lambda rng: _steps(rng, 1, 3), corner=True),
        Case("numbers", lambda rng: _steps(rng)),
        Case("the second forgets all", lambda rng: _steps(rng, 5, zero=True), grad=_ALL),
        Case("in float32", lambda rng: _steps(rng, 2, 2), dtype="float32"),
        Case("another batch", lambda rng: _steps(rng, 3, 2), hidden=True),
    ),
    tolerance=1e-9,
    hint="Substitute h → f₁ h + x₁ into h → f₂ h + x₂, and collect the terms with h.",
    returns=("the factor f", "the summand x"),
)
