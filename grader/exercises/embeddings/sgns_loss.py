"""`embeddings.sgns_loss`: the loss of skip-gram."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.embeddings import D, K, _triples

SIDES = ("center", "context", "noise")

EXERCISE = Exercise(
    title="The loss of skip-gram with negative sampling",
    section="negative-sampling",
    hint=(
        "−ln σ(x) = ln(1 + e⁻ˣ), and `torch.logaddexp(-x, zeros)` computes it for x of any size. "
        "Sum over the noise words, average over the pairs."
    ),
    cases=(
        Case("eleven pairs", _triples, 2, grad=SIDES),
        Case("one noise word", lambda rng: _triples(rng, negatives=1), grad=SIDES, corner=True),
        Case("as many noise words as pairs", lambda rng: _triples(rng, batch=K), grad=SIDES),
        Case(
            "huge products", lambda rng: _triples(rng, batch=3, scale=1e4), grad=SIDES, corner=False
        ),
        Case("many noise words, sure and right", lambda rng: _sure(rng)),
        Case(
            "one noise word for all",
            lambda rng: {**_triples(rng, batch=2), "noise": rng.standard_normal((1, K, D))},
            raises="ValueError",
        ),
        Case(
            "one context for all",
            lambda rng: {**_triples(rng, batch=2), "context": rng.standard_normal((1, D))},
            raises="ValueError",
        ),
        Case(
            "contexts of one number",
            lambda rng: {**_triples(rng, batch=2), "context": rng.standard_normal((2, 1))},
            raises="ValueError",
        ),
        Case(
            "one center for all",
            lambda rng: {**_triples(rng, batch=2), "center": rng.standard_normal((1, D))},
            raises="ValueError",
        ),
        Case(
            "noise without an axis of its own",
            lambda rng: {**_triples(rng, batch=2), "noise": rng.standard_normal((2, D))},
            raises="ValueError",
        ),
        Case(
            "noise of one number",
            lambda rng: {**_triples(rng, batch=2), "noise": rng.standard_normal((2, K, 1))},
            raises="ValueError",
        ),
        Case(
            "a center without an axis of pairs",
            lambda rng: {
                "center": rng.standard_normal(D),
                "context": rng.standard_normal(D),
                "noise": rng.standard_normal((D, K, D)),
            },
            raises="ValueError",
        ),
        Case("in float32", lambda rng: _triples(rng), dtype="float32"),
        Case(
            "a single pair",
            lambda rng: _triples(rng, batch=1, size=2),
            grad=SIDES,
            hidden=True,
            corner=True,
        ),
        Case("many noise words", lambda rng: _triples(rng, negatives=13), hidden=True),
    ),
)


def _sure(rng):
    """Losses near 10⁻¹⁶ that add up: none may be lost beside a 1."""
    center, product = rng.uniform(1, 2, (1, 1)), rng.uniform(36.8, 37)
    noise = -product / center * np.ones((1, 400, 1))
    return {"center": center, "context": product / center, "noise": noise}
