"""`embeddings.partner_ranks`: a score for neighbors."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.embeddings import D, V, _vectors


def _partners(rng, words=V, pairs=7):
    drawn = [rng.permutation(words)[:2] for _ in range(pairs)]
    pairs = np.array(drawn, dtype=np.int64).reshape(-1, 2)
    return {"vectors": _vectors(rng, words=words), "pairs": pairs}


EXERCISE = Exercise(
    title="Ranking the partners of a word",
    section="twins",
    hint=(
        "The rank of the partner is one more than the number of words with a larger cosine; the "
        "word itself must not be among them."
    ),
    cases=(
        Case("seven pairs", _partners, 2),
        Case("partners that are near", lambda rng: _near_partners(rng)),
        Case("as many pairs as features", lambda rng: _partners(rng, pairs=D)),
        Case("others as near as the partner", lambda rng: _as_near(rng), corner=True),
        Case("in float32", lambda rng: _partners(rng), dtype="float32"),
        Case("one pair", lambda rng: _partners(rng, words=13, pairs=1), corner=True),
        Case("many pairs", lambda rng: _partners(rng, words=31, pairs=23), hidden=True),
        Case("no pair", lambda rng: _partners(rng, words=3, pairs=0), corner=True),
        Case("tiny vectors", lambda rng: _tiny(rng), corner=True),
        Case("cosines apart by 10⁻¹⁰", lambda rng: _hardly_nearer(rng), corner=True),
    ),
    needs=("nearest",),
)


def _near_partners(rng):
    made = _partners(rng, pairs=5)
    made["pairs"] = np.arange(10).reshape(5, 2)
    noise = rng.standard_normal((5, D))
    made["vectors"][1:10:2] = 0.3 * made["vectors"][0:10:2] + 0.02 * noise
    return made


def _as_near(rng):
    """Vectors along axes, some of them twice: cosines of 0 and 1, without rounding."""
    vectors = np.eye(5)[[0, 0, 0, 1, 1, 2, 3, 4]] * 2.0 ** np.array([[0, 1, 2, 0, 1, 0, 2, 1]]).T
    return {"vectors": vectors, "pairs": np.array([[0, 2], [1, 3], [5, 6], [4, 3]])}


def _tiny(rng):
    """Lengths beside which an eps is large; cosines do not see them."""
    made = _partners(rng)
    return {**made, "vectors": 1e-9 * made["vectors"]}


def _hardly_nearer(rng):
    """The third word is the partner of the first, and the second hardly nearer."""
    angle = np.array([0.0, 1e-3, 1.0001e-3, 2.0, 3.0]) + rng.random()
    return {
        "vectors": np.stack([np.cos(angle), np.sin(angle)], 1),
        "pairs": np.array([[0, 2], [0, 1], [3, 4]]),
    }
