"""`embeddings.lookup_gradient`: who gets the gradient?."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.embeddings import B, D, V


def _slopes(rng, *shape, words=V, used=None):
    """Words that repeat, as in any text, and a gradient for each."""
    return {
        "input": rng.integers(words if used is None else used, size=shape),
        "gradient": rng.standard_normal((*shape, D)),
        "words": words,
    }


EXERCISE = Exercise(
    title="The gradient of a lookup",
    section="lookup-gradient",
    hint=(
        "Start from zeros and add each vector's gradient to its row. `rows[input] += gradient` "
        "does not add up where a number repeats; `index_add` does."
    ),
    forbidden=("torch.autograd.grad", "F.embedding", "nn.Embedding"),
    cases=(
        Case("words that repeat", lambda rng: _slopes(rng, 23, used=5), 2),
        Case("a batch of sentences", lambda rng: _slopes(rng, 3, 7), 1),
        Case("every word once", lambda rng: _once(rng)),
        Case("one word, eleven times", lambda rng: _slopes(rng, B, used=1), corner=True),
        Case("a larger batch", lambda rng: _slopes(rng, 5, 11), hidden=True, corner=True),
        Case("on another device", lambda rng: _slopes(rng, 7), probe="elsewhere"),
        Case("gradients beyond float32", lambda rng: _huge(rng)),
        Case("in float16", lambda rng: _whole(_slopes(rng, 23, used=5)), dtype="float16"),
        Case(
            "a single word",
            lambda rng: {
                "input": np.array(rng.integers(V)),
                "gradient": rng.standard_normal(D),
                "words": V,
            },
            corner=True,
        ),
        Case("a vocabulary of one word", lambda rng: _slopes(rng, 7, words=1), corner=True),
        Case("three axes", lambda rng: _slopes(rng, 2, 3, 4), corner=True),
    ),
)


def _huge(rng):
    drawn = _slopes(rng, 7)
    return {**drawn, "gradient": 1e200 * drawn["gradient"]}


def _once(rng):
    return {
        "input": rng.permutation(V)[:7],
        "gradient": rng.standard_normal((7, D)),
        "words": V,
    }


def _whole(given):
    """Whole numbers, whose sums in half precision do not depend on their order."""
    return given | {"gradient": np.rint(given["gradient"])}
