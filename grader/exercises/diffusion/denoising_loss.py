"""`diffusion.denoising_loss`: what a denoiser is trained on."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise, Made
from grader.exercises.diffusion import affine, few, levels_of

EXERCISE = Exercise(
    title="The denoising loss",
    section="denoising-score",
    tolerance=1e-10,
    needs=("add_noise",),
    cases=(
        Case("a batch", lambda rng: _batch(rng, 5, 3), 2, grad=("clean",)),
        Case("more features", lambda rng: _batch(rng, 2, 5), 2),
        Case("one level for all", lambda rng: _batch(rng, 3, 3) | {"levels": levels_of(rng) / 3}),
        Case("a model bound to its batch", lambda rng: _told(rng), corner=True),
        Case("sequences", lambda rng: _batch(rng, 2, 3, 2), corner=True),
        Case("one example", lambda rng: _batch(rng, 1, 3), corner=True),
        Case("in float32", lambda rng: _batch(rng, 5, 3, dtype=np.float32), dtype="float32"),
        Case("seven examples", lambda rng: _batch(rng, 7, 2), hidden=True),
    ),
    hint=(
        "The model gets only the noisy examples; compare its output with the noise that was drawn."
    ),
)


def _batch(rng, *shape, dtype=np.float64):
    return {
        "predict": affine(rng, shape[-1], dtype),
        "clean": few(rng, *shape),
        "draws": few(rng, *shape),
        "levels": levels_of(rng, shape[0]) / 3,  # not in float32
    }


def _told(rng):
    """A model that is bound to the levels of this batch, in their order."""
    given = _batch(rng, 3, 2)
    made = {"weight": few(rng, 2, 2) / 2, "bias": few(rng, 3, 2)}
    return given | {"predict": Made("affine", made)}
