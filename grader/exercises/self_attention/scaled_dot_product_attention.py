"""`self_attention.scaled_dot_product_attention`: scaled dot-product attention."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.self_attention import READY_MADE


def _qkv(rng, *batch, queries=3, keys=5, scale=1.0, d_v=11):
    """Queries and keys of 7 features and values of 11, in few bits, which compress well."""
    shapes = {"query": (queries, 7), "key": (keys, 7), "value": (keys, d_v)}
    sizes = {"query": scale, "key": 1.0, "value": 10.0}
    return {
        name: sizes[name] * np.round(256 * rng.standard_normal((*batch, *shape))) / 256
        for name, shape in shapes.items()
    }


def _some(rng, *shape):
    """A mask that allows every query something, and forbids it something."""
    mask = rng.random(shape) < 0.5
    mask[..., 1], mask[..., 2] = True, False
    return mask


def _one_query_alone(rng):
    mask = _some(rng, 2, 3, 5)
    mask[0, 1] = mask[1, 2] = False
    return {**_qkv(rng, 2), "mask": mask}


def _very_negative(rng):
    """Scores near −11,000 at the allowed keys, of order 1 at the masked one."""
    made = _qkv(rng)
    made["query"][:, 0] = 3e4
    made["key"][:, 0] = -1
    made["key"][2, 0] = 0
    return {**made, "mask": np.array([[True, True, False, True, True]])}


def _most_negative(rng):
    """Scores of −4·10⁴⁰ at the allowed keys, all alike, and of 0 at the masked one."""
    made = _qkv(rng)
    made["query"][:], made["query"][:, 0] = 0, 1e41
    made["key"][:, 0], made["key"][2, 0] = -1, 0
    return {**made, "mask": np.array([[True, True, False, True, True]])}


ATTENTION = ("query", "key", "value")

EXERCISE = Exercise(
    title="Scaled dot-product attention",
    section="scaled-dot-product-attention",
    hint=(
        "Scores, scale, mask, softmax over the keys, weighted sum, in this order. For a query "
        "without a single key the softmax is 0/0: decide what it gets before it is computed."
    ),
    forbidden=READY_MADE,
    needs=("additive_mask",),
    cases=(
        Case("no mask", _qkv, 2, grad=ATTENTION),
        Case("a batch", lambda rng: _qkv(rng, 2), grad=ATTENTION),
        Case(
            "a mask for each query",
            lambda rng: {**_qkv(rng, 2), "mask": _some(rng, 2, 3, 5)},
            2,
            grad=ATTENTION,
        ),
        Case(
            "a causal mask",
            lambda rng: {**_qkv(rng, queries=5), "mask": np.tri(5, dtype=bool)},
            grad=ATTENTION,
        ),
        Case(
            "a padding mask",
            lambda rng: {**_qkv(rng, 2), "mask": np.arange(5) < np.array([[[3]], [[4]]])},
            grad=ATTENTION,
        ),
        Case(
            "two batch axes, one mask for all",
            lambda rng: {**_qkv(rng, 2, 13), "mask": _some(rng, 3, 5)},
            grad=ATTENTION,
        ),
        Case(
            "two batch axes, a mask for each of the second",
            lambda rng: {**_qkv(rng, 3, 3, d_v=2), "mask": _some(rng, 3, 3, 5)},
            corner=True,
        ),
        Case(
            "as many sequences as queries, one mask for all",
            lambda rng: {**_qkv(rng, 3, d_v=2), "mask": _some(rng, 3, 5)},
            corner=True,
        ),
        Case(
            "a mask of one row",
            lambda rng: {**_qkv(rng, 2, d_v=2), "mask": _some(rng, 5)},
            corner=True,
        ),
        Case("as many queries as keys", lambda rng: _qkv(rng, 2, queries=5), grad=ATTENTION),
        Case("a query whose every key is masked", _one_query_alone, 2, grad=ATTENTION),
        Case("scores in the thousands", lambda rng: _qkv(rng, scale=5e3)),
        Case("allowed scores that are very negative", _very_negative),
        Case("allowed scores that are even more negative", _most_negative),
        Case(
            "a mask for whole queries",
            lambda rng: {**_qkv(rng), "mask": np.array([[True], [False], [True]])},
            grad=ATTENTION,
            corner=True,
        ),
        Case(
            "queries longer than keys",
            lambda rng: {**_qkv(rng), "query": rng.standard_normal((3, 11))},
            raises="ValueError",
        ),
        Case(
            "keys of one feature",
            lambda rng: {**_qkv(rng), "key": rng.standard_normal((5, 1))},
            raises="ValueError",
        ),
        Case(
            "keys longer than queries",
            lambda rng: {**_qkv(rng), "key": np.ones((5, 13))},
            raises="ValueError",
        ),
        Case(
            "fewer values than keys",
            lambda rng: {**_qkv(rng), "value": rng.standard_normal((4, 11))},
            raises="ValueError",
        ),
        Case(
            "a mask of numbers",
            lambda rng: {**_qkv(rng), "mask": np.tri(3, 5, dtype=int)},
            raises="ValueError",
        ),
        Case(
            "half precision", lambda rng: {**_qkv(rng), "mask": _some(rng, 3, 5)}, dtype="bfloat16"
        ),
        Case("in float32", lambda rng: _qkv(rng), dtype="float32"),
        Case(
            "nothing allowed",
            lambda rng: {**_qkv(rng, 2), "mask": np.zeros((3, 5), bool)},
            grad=ATTENTION,
            hidden=True,
            corner=True,
        ),
        Case(
            "more values than keys",
            lambda rng: {**_qkv(rng), "value": np.ones((6, 11))},
            raises="ValueError",
        ),
        Case(
            "one query", lambda rng: _qkv(rng, queries=1), grad=ATTENTION, hidden=True, corner=True
        ),
    ),
)
