"""`transfer.add_lora`: updates by name."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise, Made


def _given(rng, parts, rank, *, layers=2, **more):
    sizes = {"embed": [11, 6]}
    for k in range(layers):
        sizes |= {
            f"layers.{k}.attention.query": [6, 6],
            f"layers.{k}.attention.value": [4, 6],
            f"layers.{k}.up": [13, 6],
            f"layers.{k}.down": [6, 13],
            f"layers.{k}.norm": [6],
        }
    shapes = sizes | more
    weights = {  # few bits, which compress well
        name: np.round(32 * rng.standard_normal(shape)) / 32 for name, shape in shapes.items()
    }
    biased = ["query", "down", "head", "upper"]  # of those that are wrapped, and of others
    model = Made("network", {"weights": weights, "tables": ["embed"], "biased": biased})
    return {"model": model, "parts": parts, "rank": rank, "alpha": 2.0 * rank}


EXERCISE = Exercise(
    title="Adding LoRA to a model",
    section="low-rank-updates",
    cases=(
        Case("queries and values", lambda rng: _given(rng, ["query", "value"], 3), 2),
        Case("one part of many layers", lambda rng: _given(rng, ["down"], 1, layers=4)),
        Case("one that is not there", lambda rng: _given(rng, ["gate", "up"], 2)),
        Case("at the top", lambda rng: _given(rng, ["head", "up"], 2, head=[1, 6])),
        Case("a table of that name", lambda rng: _given(rng, ["embed", "up"], 2), corner=True),
        Case("a part of parts", lambda rng: _given(rng, ["attention", "up"], 2)),
        Case(
            "names that look alike",
            lambda rng: _given(rng, ["up"], 2, **{"layers.0.sup": [2, 6], "upper": [5, 6]}),
        ),
        Case(
            "a longer name",
            lambda rng: _given(rng, ["upper", "downward"], 2, upper=[5, 6], downward=[3, 6]),
        ),
        Case("none is called so", lambda rng: _given(rng, ["gate"], 2), raises="ValueError"),
        Case("a table alone", lambda rng: _given(rng, ["embed"], 2), raises="ValueError"),
        Case("more layers", lambda rng: _given(rng, ["query", "down"], 5, layers=7), hidden=True),
    ),
    hint=(
        "First collect owner, name and layer of all that match; then replace them with `setattr`. "
        "A module should not change while you walk through it."
    ),
    needs=("LoRA",),
    probe="inside",
    returns=(
        "what it returned",
        "the list of parameters of the model that ask for a gradient",
        "what the layers make of an input once A and B have learned",
        "the list of names in the model's state_dict()",
    ),
)
