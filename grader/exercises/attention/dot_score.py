"""`attention.dot_score`: how well keys match queries, by dot product."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.attention import READY_MADE, WHOLE, queries_and_keys

EXERCISE = Exercise(
    title="The dot-product score",
    section="attention-scores",
    cases=(
        Case("three queries, five keys", queries_and_keys, grad=WHOLE),
        Case("a batch", lambda rng: queries_and_keys(rng, 2), grad=WHOLE),
        Case("two batch axes", lambda rng: queries_and_keys(rng, 2, 13), grad=WHOLE, corner=True),
        Case("as many queries as keys", lambda rng: queries_and_keys(rng, queries=5)),
        Case(
            "scaled, of one number each",
            lambda rng: {**queries_and_keys(rng, queries=2, keys=3, d_q=1, d_k=1), "scaled": True},
            corner=True,
        ),
        Case("scaled", lambda rng: {**queries_and_keys(rng, 2), "scaled": True}, 2, grad=WHOLE),
        Case("two sizes", lambda rng: queries_and_keys(rng, d_k=11), raises="ValueError"),
        Case(
            "queries of one number", lambda rng: queries_and_keys(rng, d_q=1), raises="ValueError"
        ),
        Case("keys of one number", lambda rng: queries_and_keys(rng, d_k=1), raises="ValueError"),
        Case("in float32", lambda rng: queries_and_keys(rng, 2), dtype="float32"),
        Case(
            "scaled, one query, other sizes",
            lambda rng: {**queries_and_keys(rng, queries=1, d_q=13, d_k=13), "scaled": True},
            grad=WHOLE,
            hidden=True,
            corner=True,
        ),
        Case("far-out numbers", lambda rng: _far(rng), corner=True),
    ),
    hint="One matrix product. The keys have to be transposed: `transpose(-2, -1)`.",
    forbidden=READY_MADE,
)


def _far(rng):
    """Far beyond what is commonly clamped."""
    drawn = queries_and_keys(rng, 2)
    return {**drawn, "query": 1e12 * drawn["query"]}
