"""`diffusion.flow_loss`: velocities on straight lines."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise, Made
from grader.exercises.diffusion import affine, between, few

EXERCISE = Exercise(
    title="The flow matching loss",
    section="flow-matching",
    tolerance=1e-8,
    needs=("add_noise",),
    cases=(
        Case("a batch", lambda rng: _batch(rng, 5, 3), 2, grad=("clean",)),
        Case("more features", lambda rng: _batch(rng, 2, 5), 2),
        Case("as many examples as features", lambda rng: _batch(rng, 3, 3)),
        Case("a model bound to its batch", lambda rng: _told(rng), corner=True),
        Case("data and pure noise", lambda rng: _ends(rng), corner=True),
        Case("one number each", lambda rng: _thirds(rng), corner=True),
        Case("sequences", lambda rng: _batch(rng, 2, 3, 2), corner=True),
        Case("one example", lambda rng: _batch(rng, 1, 3), corner=True),
        Case("in float32", lambda rng: _batch(rng, 5, 3, dtype=np.float32), dtype="float32"),
        Case("seven examples", lambda rng: _batch(rng, 7, 2), hidden=True),
    ),
    hint=(
        "Compute where the example is at time t, and its velocity there; the velocity does not "
        "depend on t."
    ),
)


def _batch(rng, *shape, dtype=np.float64):
    return {
        "predict": affine(rng, shape[-1], dtype),
        "clean": few(rng, *shape),
        "draws": few(rng, *shape),
        "times": _times(rng, shape[0]),
    }


def _times(rng, count):
    """Some below ½ and some above."""
    return between(rng, 0, 0.25, count) + rng.permutation(np.arange(count) % 2) / 2


def _thirds(rng):
    given = _batch(rng, 3)
    return given | {"times": given["times"] / 3}


def _ends(rng):
    return _batch(rng, 2, 3) | {"times": rng.permutation(np.array([0.0, 1.0]))}


def _told(rng):
    """A model that is bound to the levels of this batch, in their order."""
    given = _batch(rng, 3, 2)
    made = {"weight": few(rng, 2, 2) / 2, "bias": few(rng, 3, 2)}
    return given | {"predict": Made("affine", made)}
