"""`test_time_compute.step_labels`: right up to here?"""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="Labels of steps",
    section="process-verifier",
    cases=(
        Case("five steps", lambda rng: _given(rng, 7, 5), 2),
        Case("right again after a mistake", lambda rng: _given(rng, 5, 7, wrong=1), 2),
        Case("all right", lambda rng: _given(rng, 1, 5, wrong=0)),
        Case("wrong at once", lambda rng: _given(rng, 3, 5, first=True)),
        Case("as many answers as steps", lambda rng: _given(rng, 5, 5)),
        Case("one step", lambda rng: _given(rng, 5, 1), corner=True),
        Case("eleven steps", lambda rng: _given(rng, 3, 11), hidden=True),
    ),
    hint="Compare, then `cumprod` along the steps: a product with a 0 in it stays 0.",
)


def _given(rng, rows, steps, *, wrong=2, first=False):
    solutions = rng.integers(0, 9, (rows, steps))
    said = solutions.copy()
    for row in said:
        places = [0] if first else rng.permutation(steps)[:wrong]
        row[places] += 1 - 2 * (np.arange(len(places)) % 2)  # sums of steps agree again
    if not first and wrong and steps > 1:
        said[0] = solutions[0]
        said[-1, 1:] = solutions[-1, 1:]
        said[-1, 0] = solutions[-1, 0] - 1
    return {"steps": said, "solutions": np.array(solutions)}
