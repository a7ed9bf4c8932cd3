"""`embeddings.analogy`: analogies by offsets."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.embeddings import D, V


def _question(rng, *, words=V, count=3):
    """A question with an answer near b − a + c; every vector has its own length."""
    vectors = rng.standard_normal((words, D))
    question = rng.permutation(words)[:4]
    a, b, c, answer = question
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors[answer] = unit[b] - unit[a] + unit[c] + 0.1 * rng.standard_normal(D)
    vectors *= np.geomspace(0.2, 7, words)[rng.permutation(words)][:, None]
    return {"vectors": vectors, "question": question[:3], "count": count}


def _negative(rng):
    """Every word that is no part of the question points away from the answer."""
    made = _question(rng, words=7, count=4)
    a, b, c = made["question"]
    unit = made["vectors"] / np.linalg.norm(made["vectors"], axis=1, keepdims=True)
    for word in sorted(set(range(7)) - {a, b, c}):
        made["vectors"][word] = unit[a] - unit[b] - unit[c] + 0.2 * rng.standard_normal(D)
    return made


EXERCISE = Exercise(
    title="Analogies by vector offsets",
    section="analogies",
    hint=(
        "Scale all vectors to length 1 before adding them up, and exclude the three words of the "
        "question before `topk`."
    ),
    cases=(
        Case("a question", _question, 2),
        Case("all answers, in order", lambda rng: _question(rng, words=11, count=8)),
        Case("no good answer", _negative, corner=True),
        Case("one word is left, exactly opposite", lambda rng: _one_left(), corner=True),
        Case("in float32", lambda rng: _question(rng), dtype="float32"),
        Case("the best answer", lambda rng: _question(rng, words=31, count=1), hidden=True),
        Case("tiny vectors", lambda rng: _tiny(rng), corner=True),
        Case("one answer by default", lambda rng: _without(_question(rng), "count")),
    ),
)


def _one_left():
    vectors = np.array([[1.0, 0.0], [0.0, 3.0], [2.0, 0.0], [0.0, -5.0]])
    return {"vectors": vectors, "question": np.array([0, 1, 2]), "count": 1}


def _tiny(rng):
    """Lengths beside which an eps is large; cosines do not see them."""
    made = _question(rng)
    return {**made, "vectors": 1e-9 * made["vectors"]}


def _without(drawn, *names):
    """Left to their defaults."""
    return {name: value for name, value in drawn.items() if name not in names}
