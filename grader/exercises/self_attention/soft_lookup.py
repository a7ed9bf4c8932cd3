"""`self_attention.soft_lookup`: a dictionary that answers to a degree."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.self_attention import READY_MADE


def _dictionary(rng, *, scale=1.0, keys=5, **options):
    """A query, keys of very different lengths, and values."""
    lengths = np.geomspace(0.1, 1.3, keys)[:, None]
    return {
        "query": scale * 0.6 * rng.standard_normal(7),
        "key": lengths * rng.standard_normal((keys, 7)),
        "value": 10 * rng.standard_normal((keys, 3)),
        **options,
    }


def _thousands(rng):
    """One key points where the query does, so that exp of its score overflows."""
    made = _dictionary(rng, scale=3e3)
    made["key"][2] = made["query"] / np.linalg.norm(made["query"])
    return made


def _alike(rng):
    """Scores so near to each other that several keys answer even at a temperature near 0."""
    made = _dictionary(rng, temperature=2e-9)
    near = made["key"][-1] + 0.02 * made["key"]
    return {**made, "query": 1e-7 * made["query"], "key": near}


def _found(rng):
    """One key is the query itself: their distance is 0, where a square root has no slope."""
    made = _dictionary(rng, score="distance")
    made["key"][1] = made["query"]
    return made


def _near(rng):
    """A query and keys far from 0 and near to each other: of a difference of squares rounding
    would leave little.
    """
    made = _dictionary(rng, score="distance")
    return {**made, "query": made["query"] + 1e6, "key": made["key"] + 1e6}


def _short(rng):
    """Lengths of 1e-7 to 1e-5: an eps beside their product would show, and so would one of 1e-6
    as the least length of the query.
    """
    made = _dictionary(rng, score="cosine")
    query = 2e-7 * made["query"] / np.linalg.norm(made["query"])
    return {**made, "query": query, "key": 1e-6 * made["key"]}


LOOKUP = ("query", "key", "value")

EXERCISE = Exercise(
    title="Soft dictionary lookup",
    section="soft-lookup",
    hint=(
        "First compute one number per key: its score. Divide by the temperature, take the softmax "
        "over the keys, and use the result to weight the rows of value."
    ),
    forbidden=READY_MADE,
    cases=(
        Case("dot product", _dictionary, grad=LOOKUP),
        Case("cosine", lambda rng: _dictionary(rng, score="cosine"), grad=LOOKUP),
        Case("distance", lambda rng: _dictionary(rng, score="distance"), grad=LOOKUP),
        Case("a cold lookup", lambda rng: _dictionary(rng, temperature=0.6), grad=LOOKUP),
        Case("a very cold lookup", lambda rng: _alike(rng), grad=LOOKUP, corner=True),
        Case(
            "a hot lookup by cosine",
            lambda rng: _dictionary(rng, score="cosine", temperature=2.3),
            grad=LOOKUP,
        ),
        Case(
            "a cold lookup by distance",
            lambda rng: _dictionary(rng, score="distance", temperature=0.7),
            grad=LOOKUP,
        ),
        Case("the cosine of short vectors", lambda rng: _short(rng), corner=True),
        Case("a key that is the query, by distance", _found, grad=LOOKUP, corner=True),
        Case("neighbors far from zero", lambda rng: _near(rng), corner=True),
        Case("scores in the thousands", _thousands, corner=False),
        Case("thousands, and a hot lookup", lambda rng: {**_thousands(rng), "temperature": 4e3}),
        Case("no such score", lambda rng: _dictionary(rng, score="angle"), raises="ValueError"),
        Case("a large letter", lambda rng: _dictionary(rng, score="Dot"), raises="ValueError"),
        Case(
            "a temperature of zero",
            lambda rng: _dictionary(rng, temperature=0.0),
            raises="ValueError",
        ),
        Case(
            "a temperature below zero",
            lambda rng: _dictionary(rng, score="distance", temperature=-0.5),
            raises="ValueError",
        ),
        Case("in float32", lambda rng: _dictionary(rng), dtype="float32"),
        Case("one key", lambda rng: _dictionary(rng, keys=1), grad=LOOKUP, corner=True),
        Case("many keys", lambda rng: _dictionary(rng, keys=23), grad=LOOKUP, hidden=True),
        Case("values of one number", lambda rng: _numbers(rng), grad=LOOKUP, corner=True),
    ),
)


def _numbers(rng):
    drawn = _dictionary(rng)
    return {**drawn, "value": drawn["value"][:, :1]}
