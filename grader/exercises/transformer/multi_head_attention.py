"""`transformer.multi_head_attention`: several heads at once."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.transformer import PADDED, READY_MADE, some

_ALL = ("x", "memory", "weight_q", "weight_k", "weight_v", "weight_o")


def _given(rng, *batch, heads=3, queries=5, keys=7, mask=None):
    size = heads * 2
    made = {
        "x": rng.standard_normal((*batch, queries, size)),
        "memory": rng.standard_normal((*batch, keys, size)),
    }
    for name in _ALL[2:]:
        made[name] = 0.7 * rng.standard_normal((size, size))
    made["num_heads"] = heads
    return made if mask is None else made | {"mask": mask}


def _alone(rng):
    mask = some(rng, 2, 5, 7)
    mask[0, 1] = mask[1, 4] = False
    return _given(rng, 2, mask=mask)


def _low(rng):
    """All scores are near −10⁴⁰, and no two of a query are near to each other."""
    made = {name: np.abs(value) + 0.5 for name, value in _given(rng, 2).items() if name in _ALL}
    made["weight_q"], made["weight_k"] = -1e20 * made["weight_q"], 1e20 * made["weight_k"]
    return made | {"num_heads": 3, "mask": some(rng, 2, 5, 7)}


EXERCISE = Exercise(
    title="Multi-head attention",
    section="heads",
    cases=(
        Case("a batch", lambda rng: _given(rng, 2), 3, grad=_ALL),
        Case("a batch of one", lambda rng: _given(rng, 1), grad=_ALL, corner=True),
        Case("no batch", lambda rng: _given(rng), grad=_ALL, corner=True),
        Case("as many queries as keys", lambda rng: _given(rng, 2, queries=7), grad=_ALL),
        Case("as many heads as positions", lambda rng: _given(rng, 2, heads=7, queries=7)),
        Case("one head", lambda rng: _given(rng, 2, heads=1), grad=_ALL, corner=True),
        Case("one mask for all", lambda rng: _given(rng, 3, mask=some(rng, 5, 7)), grad=_ALL),
        Case("a padding mask", lambda rng: _given(rng, 2, mask=PADDED), grad=_ALL),
        Case(
            "a mask for each query, as many sequences as heads",
            lambda rng: _given(rng, 3, mask=some(rng, 3, 5, 7)),
            2,
            grad=_ALL,
        ),
        Case("a query whose every key is masked", _alone, grad=_ALL, corner=True),
        Case(
            "two batch axes, a mask for each of the second",
            lambda rng: _given(rng, 2, 3, mask=some(rng, 3, 5, 7)),
            grad=_ALL,
            corner=True,
        ),
        Case("allowed scores far below zero", lambda rng: _low(rng), corner=True),
        Case("in float32", lambda rng: _given(rng, 2), dtype="float32"),
        Case(
            "two batch axes, a mask for all of the first",
            lambda rng: _given(rng, 2, 3, heads=2, queries=2, mask=some(rng, 1, 3, 2, 7)),
            corner=True,
        ),
        Case(
            "two batch axes, one mask for all",
            lambda rng: _given(rng, 3, 2, mask=some(rng, 5, 7)),
            grad=_ALL,
            hidden=True,
            corner=True,
        ),
        Case(
            "a mask of one row",
            lambda rng: _given(rng, 2, mask=np.arange(7) < 4),
            grad=_ALL,
            corner=True,
        ),
    ),
    hint=(
        "Project, split, attend, merge, project. A mask with a batch axis needs one more axis for "
        "the heads, between batch and queries."
    ),
    forbidden=(*READY_MADE, "F.scaled_dot_product_attention"),
    needs=("split_heads", "merge_heads", "_for_heads"),
)
