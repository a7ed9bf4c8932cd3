"""`transfer.LoRA`: a layer that stays, and an update that can be merged."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grader.author.exercise import Call, Case, Exercise, Made
from grader.author.parameters import few_bits


def _lora(rng, *batch, outputs=7, inputs=5, rank=3, alpha=4.0, bias=True, **given):
    base = {"weight": rng.standard_normal((outputs, inputs))}
    if bias:
        base["bias"] = rng.standard_normal(outputs)
    state = {f"base.{name}": rng.standard_normal(value.shape) for name, value in base.items()}
    state |= {
        "A": rng.standard_normal((rank, inputs)),
        "B": rng.standard_normal((outputs, rank)),
    }
    return Call(
        init={"base": Made("affine", base), "rank": rank, "alpha": alpha},
        state=few_bits(state),
        args={"x": rng.standard_normal((*batch, inputs))},
        **given,
    )


def _steps(rng, *names, **given):
    """Calls on x, and what `names` says between them; "x" is a call."""
    call = _lora(rng, **given)
    steps = []
    for name in names:
        if name == "x":
            steps.append(("", {"x": rng.standard_normal((2, call.state["A"].shape[1]))}))
        elif name == "merged":
            steps.append((name, None))
        else:
            steps.append((name, {}))
    return replace(call, args={}, steps=tuple(steps))


def _fresh(outputs=53, inputs=200, rank=29, kind="affine"):
    weight = np.linspace(-1, 1, outputs * inputs).reshape(outputs, inputs)
    weight = np.round(256 * weight) / 256  # few bits, which compress well
    base = Made(kind, {"weight": weight, "bias": weight[:, 0]})
    return Call(args={}, init={"base": base, "rank": rank, "alpha": 3.0})


EXERCISE = Exercise(
    title="LoRA as a module",
    section="low-rank-updates",
    cases=(
        Case("a batch", lambda rng: _lora(rng, 5, 2), 2, grad=("x",)),
        Case("rank 1, no bias", lambda rng: _lora(rng, 3, rank=1, alpha=2.0, bias=False)),
        Case("one vector, in training", lambda rng: _lora(rng, training=True), corner=True),
        Case("a batch of one", lambda rng: _lora(rng, 1, outputs=5, inputs=5), corner=True),
        Case("in float32", lambda rng: _lora(rng, 5), dtype="float32"),
        Case("merged", lambda rng: _steps(rng, "merged", "x", "merge", "x", "merged"), 2),
        Case("merged twice", lambda rng: _steps(rng, "merge", "merge", "x", "unmerge", "x"), 2),
        Case(
            "merged, in training",
            lambda rng: _steps(rng, "x", "merge", "x", "unmerge", "x", training=True),
        ),
        Case("not merged, unmerged", lambda rng: _steps(rng, "unmerge", "x", "merged", "x")),
        Case(
            "there and back, twice",
            lambda rng: _steps(
                rng, "x", "merge", "x", "unmerge", "unmerge", "x", "merge", "x", "unmerge", "merged"
            ),
            2,
        ),
        Case("as it is made", lambda rng: _fresh(), 2, probe="fresh", corner=False),
        Case(
            "on the device of the layer, a rank above both sizes",
            lambda rng: _fresh(2, 3, 5, kind="affine elsewhere"),
            probe="fresh",
        ),
        Case(
            "another size",
            lambda rng: _steps(
                rng, "merge", "x", "unmerge", "x", outputs=11, inputs=13, rank=2, alpha=0.7
            ),
            hidden=True,
        ),
    ),
    hint=(
        "With A and B both 0 neither has a gradient: draw one, and leave the other at 0. "
        "`merge` has to remember that it has been here."
    ),
)
