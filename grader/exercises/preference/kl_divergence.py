"""`preference.kl_divergence`: how far away, summed over the vocabulary."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.preference import answers, normal

BOTH = ("logits", "reference")

EXERCISE = Exercise(
    title="The KL divergence per token",
    section="distance-from-reference",
    cases=(
        Case("answers of one length", lambda rng: _given(rng, [(3, 6)] * 3), 2, grad=BOTH),
        Case("other lengths", lambda rng: _given(rng, [(3, 7), (1, 2), (2, 6)]), 2, grad=BOTH),
        Case("the same model", lambda rng: _same(rng), grad=BOTH),
        Case("large logits", lambda rng: _large(rng), grad=BOTH),
        Case("what one never says", lambda rng: _never(rng), 2, grad=BOTH),
        Case("answers with gaps", lambda rng: _gaps(rng), grad=BOTH),
        Case("no answer", lambda rng: _given(rng, [(3, 3), (2, 6)]), grad=BOTH, corner=True),
        Case("one row", lambda rng: _given(rng, [(2, 6)]), grad=BOTH, corner=True),
        Case("in float32", lambda rng: _given(rng, [(3, 7), (1, 2)]), dtype="float32"),
        Case(
            "five rows",
            lambda rng: _given(rng, [(1, 7), (2, 3), (4, 4), (3, 6), (5, 7)]),
            grad=BOTH,
            hidden=True,
        ),
    ),
    hint=(
        "Σ p (ln p − ln q) over the vocabulary, shifted by one like every loss of a language model."
    ),
)


def _given(rng, spans):
    rows = len(spans)
    return {
        "logits": normal(rng, rows, 7, 5, size=2.0),
        "reference": normal(rng, rows, 7, 5, size=2.0),
        "mask": answers(rows, 7, spans),
    }


def _large(rng):
    """Ordinary probabilities from logits of which exp is infinite, or 0."""
    given = _given(rng, [(3, 7), (2, 4)])
    return given | {"logits": given["logits"] + 900, "reference": given["reference"] - 900}


def _same(rng):
    """The same probabilities from other logits."""
    given = _given(rng, [(3, 7), (1, 4)])
    return given | {"reference": given["logits"] + 3.5}


def _never(rng):
    """Probabilities that are too small for a number, of either model."""
    given = _given(rng, [(3, 7), (2, 4)])
    given["logits"][..., 0] += 2000
    given["reference"][..., 1] += 3000
    return given


def _gaps(rng):
    """Of an answer in several turns, what is said between is not the answer."""
    given = _given(rng, [(1, 7), (2, 7)])
    given["mask"][0, 3:5] = given["mask"][1, 4] = False
    return given
