"""`contrastive.update_teacher`: a moving average of a model."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise, Made
from grader.exercises.contrastive import few

EXERCISE = Exercise(
    title="A teacher by moving average",
    section="self-distillation",
    tolerance=1e-9,
    cases=(
        Case("weights and biases", lambda rng: _given(rng, 0.75), 2),
        Case("hardly any change", lambda rng: _given(rng, 0.9375), 2),
        Case("a copy of the student", lambda rng: _given(rng, 0.0), corner=True),
        Case("the teacher stays", lambda rng: _given(rng, 1.0), corner=True),
        Case("a counter", lambda rng: _counted(rng, 0.5), 2),
        Case("other dtypes in the student", lambda rng: _mixed(rng), corner=True),
        Case("one number", lambda rng: _single(rng), corner=True),
        Case("in float16", lambda rng: _given(rng, 0.75), dtype="float16"),
        Case("halfway", lambda rng: _given(rng, 0.5), hidden=True),
        Case("another counter", lambda rng: _counted(rng, 0.25), hidden=True),
    ),
    hint="A comprehension over the names; `is_floating_point` tells which tensors have a mean.",
)


def _weights(rng):
    return {"0.weight": few(rng, 1, 3), "0.bias": few(rng, 2)}


def _given(rng, decay):
    return {"teacher": _weights(rng), "student": _weights(rng), "decay": decay}


def _counted(rng, decay):
    given = _given(rng, decay)
    for name in ("teacher", "student"):
        given[name]["0.count"] = np.array(rng.integers(2, 99))
    return given


def _mixed(rng):
    return {
        "teacher": {"0.weight": Made("bfloat16", {"numbers": few(rng, 3)}), "0.seen": np.array(3)},
        "student": {"0.weight": few(rng, 3), "0.seen": np.array(True)},
        "decay": 0.5,
    }


def _single(rng):
    return {
        "teacher": {"scale": np.array(few(rng))},
        "student": {"scale": np.array(few(rng))},
        "decay": 0.25,
    }
