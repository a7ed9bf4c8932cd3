"""`mlp.softmax_jacobian`: the one that is not elementwise."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.mlp import AUTOGRAD, _numbers

EXERCISE = Exercise(
    title="The Jacobian of the softmax",
    section="elementwise",
    tolerance=1e-10,
    cases=(
        Case("one vector", lambda rng: _numbers(rng, 5)),
        Case("a batch", lambda rng: _numbers(rng, 3, 5), 2),
        Case("two leading axes", lambda rng: _numbers(rng, 2, 3, 5)),
        Case("as many vectors as scores", lambda rng: _numbers(rng, 5, 5)),
        Case("scores of a thousand", lambda rng: _high_and_low(rng)),
        Case("one class", lambda rng: _numbers(rng, 3, 1), corner=True),
        Case("half precision", lambda rng: _numbers(rng, 3, 5), dtype="bfloat16"),
        Case("two classes", lambda rng: _numbers(rng, 3, 2), hidden=True),
    ),
    hint="p_i on the diagonal (`torch.diag_embed`), minus the outer product of p with itself.",
    forbidden=(
        "torch.autograd.functional.jacobian",
        "torch.func.jacrev",
        "torch.func.jacfwd",
        *AUTOGRAD,
    ),
)


def _high_and_low(rng):
    """High, low, and so far apart that all probabilities but one are next to 0."""
    spread = np.array([[1.0], [1.0], [40.0]])
    return {"input": np.array([[1e3], [-1e3], [0.0]]) + spread * rng.standard_normal((3, 5))}
