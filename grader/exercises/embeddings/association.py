"""`embeddings.association`: which of two groups a word is nearer to."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.embeddings import _vectors

EXERCISE = Exercise(
    title="Association with one of two groups of words",
    section="successors",
    hint=(
        "Scale every vector to length 1 before anything is averaged. A mean of products with one "
        "vector is the product with a mean."
    ),
    forbidden=("F.cosine_similarity", "nn.CosineSimilarity", "F.normalize"),
    cases=(
        Case("groups of two sizes", lambda rng: _groups(rng), 2, grad=("vectors",)),
        Case("a larger second group", lambda rng: _groups(rng, first=2, second=5)),
        Case("one word in each", lambda rng: _groups(rng, first=1, second=1), corner=True),
        Case("one word asked about", lambda rng: _groups(rng, words=1), corner=True),
        Case("a word of a group", lambda rng: _inside(rng)),
        Case("the same group twice", lambda rng: _same(rng), corner=True),
        Case("a word listed twice", lambda rng: _twice(rng)),
        Case("nothing asked", lambda rng: {**_groups(rng), "words": np.zeros(0, dtype=np.int64)}),
        Case("float32", lambda rng: _groups(rng), dtype="float32"),
        Case(
            "larger groups", lambda rng: _groups(rng, first=7, second=5), hidden=True, corner=True
        ),
        Case("tiny vectors", lambda rng: _tiny(rng), corner=True),
    ),
)


def _groups(rng, *, words=5, first=3, second=2):
    order = rng.permutation(17)
    return {
        "vectors": _vectors(rng),
        "words": order[:words],
        "first": order[words : words + first],
        "second": order[words + first : words + first + second],
    }


def _inside(rng):
    made = _groups(rng)
    return {**made, "words": np.append(made["words"], made["first"])}


def _same(rng):
    made = _groups(rng)
    return {**made, "second": made["first"]}


def _twice(rng):
    made = _groups(rng)
    return {**made, "first": np.append(made["first"], made["first"][:1])}


def _tiny(rng):
    """Lengths beside which an eps is large; cosines do not see them."""
    made = _groups(rng)
    return {**made, "vectors": 1e-9 * made["vectors"]}
