"""`refresher.neuron_gradient`: the chain rule for one unit."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import AUTOGRAD, Case, Exercise

EXERCISE = Exercise(
    title="The chain rule for one unit",
    section="chain-rule",
    tolerance=1e-9,
    cases=(
        Case("five inputs", lambda rng: _unit(rng, 5), 2),
        Case("an output below its target", lambda rng: _unit(rng, 3, target=2.0)),
        Case("an output above its target", lambda rng: _unit(rng, 3, target=-2.0)),
        Case("one input", lambda rng: _unit(rng, 1), corner=True),
        Case("nearly saturated", lambda rng: _unit(rng, 2, bias=4.0)),
        Case("saturated", lambda rng: _unit(rng, 3, bias=-1e3), corner=True),
        Case("float32", lambda rng: _unit(rng, 5), dtype="float32"),
        Case("seven inputs", lambda rng: _unit(rng, 7), hidden=True),
    ),
    hint=(
        "Compute o first. Then go backward from the loss, one factor per step: 2 (o − y), then "
        "1 − o², then x for the weight and 1 for the bias."
    ),
    forbidden=AUTOGRAD,
    returns=("the gradient of w", "the gradient of b"),
)


def _unit(rng, count, *, target=None, bias=None):
    return {
        "x": rng.standard_normal(count),
        "weight": 0.4 * rng.standard_normal(count),
        "bias": np.asarray(0.3 * rng.standard_normal() if bias is None else bias),
        "target": np.asarray(rng.standard_normal() if target is None else target),
    }
