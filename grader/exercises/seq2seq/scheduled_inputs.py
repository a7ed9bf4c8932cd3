"""`seq2seq.scheduled_inputs`: some of what the decoder reads is its own."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise


def _inputs(rng, *shape, share):
    return {
        "forced": rng.integers(0, 50, shape),
        "written": rng.integers(50, 99, shape),
        "uniform": rng.random(shape),
        "share": share,
    }


def _all(rng):
    """Whatever the numbers: they are as near to 1 as can be drawn."""
    made = _inputs(rng, 1, 7, share=1.0)
    return {**made, "uniform": 1 - 1e-9 * made["uniform"]}


def _border(rng):
    made = _inputs(rng, 2, 5, share=0.25)
    made["uniform"] = np.array([[0.9, 0.25, 0.0, 0.125, 0.5], [0.0, 0.75, 0.25, 0.2, 0.3]])
    return made


EXERCISE = Exercise(
    title="Scheduled sampling",
    section="exposure-bias",
    cases=(
        Case("half of them", lambda rng: _inputs(rng, 3, 11, share=0.5), 2),
        Case("a fifth", lambda rng: _inputs(rng, 2, 31, share=0.2)),
        Case("none", lambda rng: _inputs(rng, 3, 5, share=0.0)),
        Case("all, of one sequence", lambda rng: _all(rng)),
        Case("on the border", lambda rng: _border(rng), corner=True),
        Case("one column", lambda rng: _inputs(rng, 5, 1, share=1.0), corner=True),
        Case("in float32", lambda rng: _inputs(rng, 3, 7, share=0.4), dtype="float32"),
        Case("many", lambda rng: _inputs(rng, 13, 17, share=0.7), hidden=True),
    ),
    hint="At t the decoder reads the token written at t − 1: shift the samples as the target was.",
    needs=("shift_right",),
)
