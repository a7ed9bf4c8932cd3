"""`training.glorot_uniform`: glorot's initialization."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise


def uniform(rng, *shape):
    return {"draws": rng.random(shape)}


EXERCISE = Exercise(
    title="Glorot initialization",
    section="first-weights",
    tolerance=1e-10,
    cases=(
        Case("a wide layer", lambda rng: uniform(rng, 5, 31), 2),
        Case("a tall layer", lambda rng: uniform(rng, 29, 3)),
        Case("a convolution", lambda rng: uniform(rng, 5, 7, 3, 2)),
        Case("one output", lambda rng: uniform(rng, 1, 13), corner=True),
        Case("one input", lambda rng: uniform(rng, 11, 1), corner=True),
        Case("single precision", lambda rng: uniform(rng, 5, 7), dtype="float32"),
        Case("as many inputs as outputs", lambda rng: uniform(rng, 7, 7), hidden=True),
    ),
    hint=(
        "Draws from [0, 1) become draws from [−1, 1) by 2u − 1; then the limit scales them. "
        "`draws[0]` holds the weights of one output, `draws[:, 0]` those of one input."
    ),
    forbidden=("nn.init.xavier_uniform_", "nn.init.uniform_"),
)
