"""`training.he_normal`: he's initialization."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise


def normal(rng, *shape):
    return {"draws": rng.standard_normal(shape)}


EXERCISE = Exercise(
    title="He initialization",
    section="first-weights",
    tolerance=1e-10,
    cases=(
        Case("a wide layer", lambda rng: normal(rng, 5, 31), 2),
        Case("a tall layer", lambda rng: normal(rng, 29, 3)),
        Case("a convolution", lambda rng: normal(rng, 5, 7, 3, 2)),
        Case("one output", lambda rng: normal(rng, 1, 13), corner=True),
        Case("one input", lambda rng: normal(rng, 11, 1), corner=True),
        Case("single precision", lambda rng: normal(rng, 5, 7), dtype="float32"),
        Case("as many inputs as outputs", lambda rng: normal(rng, 7, 7), hidden=True),
    ),
    hint=(
        "The variance is 2 / fan_in, and a draw of variance 1 is multiplied by a standard "
        "deviation."
    ),
    forbidden=("nn.init.kaiming_normal_", "nn.init.normal_"),
)
