"""`gpt.compute_optimal`: parameters and text for a budget."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="The compute-optimal model size",
    section="compute-optimal",
    cases=(
        Case("five budgets", lambda rng: _given(rng, (5,)), 2, grad=("flops",), corner=False),
        Case("even exponents", lambda rng: _given(rng, (3,), alpha=0.4, beta=0.4), corner=False),
        Case("text is expensive", lambda rng: _given(rng, (3,), b=900.0), corner=False),
        Case(
            "parameters are expensive",
            lambda rng: _given(rng, (3,), a=700.0, alpha=0.7),
            corner=False,
        ),
        Case("a table", lambda rng: _given(rng, (3, 1, 2))),
        Case("one budget", lambda rng: _given(rng, ())),
        Case("small budgets", lambda rng: _given(rng, (7,), largest=20.0)),
        Case("in bfloat16", lambda rng: _given(rng, (5,), largest=1e9), dtype="bfloat16"),
        Case("other prices", lambda rng: _given(rng, (5,), a=13.0, alpha=0.21), hidden=True),
    ),
    returns=("N", "D"),
    hint="Substitute D = C / (6 N) into the sum, and set its derivative with respect to N to 0.",
)


def _given(rng, shape, *, a=30.0, alpha=0.5, b=110.0, beta=0.3, largest=1e15):
    flops = np.asarray(largest ** rng.uniform(0.3, 1.0, shape))
    return {"flops": flops, "a": a, "alpha": alpha, "b": b, "beta": beta}
