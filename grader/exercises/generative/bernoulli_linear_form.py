"""`generative.bernoulli_linear_form`: so is Bernoulli naive Bayes."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.generative import C, D, log_shares

EXERCISE = Exercise(
    title="Bernoulli naive Bayes as a linear model",
    section="linear-form",
    tolerance=1e-10,
    cases=(
        Case("random coins", lambda rng: _coins_of(rng), 2, grad=("log_prior", "probability")),
        Case("almost certain coins", lambda rng: _coins_of(rng, sure=1e-7), corner=True),
        Case(
            "coins that hardly ever fall so",
            lambda rng: _rare(rng),
            grad=("probability",),
            corner=True,
        ),
        Case("as many classes as features", lambda rng: _coins_of(rng, classes=D)),
        Case("very many coins", lambda rng: _coins_of(rng, classes=2, features=1009)),
        Case("in float32", lambda rng: _coins_of(rng), dtype="float32"),
        Case("two classes", lambda rng: _coins_of(rng, classes=2), hidden=True),
        Case("one class", lambda rng: _coins_of(rng, classes=1), corner=True),
    ),
    hint="Write x ln p + (1 − x) ln(1 − p) as x times something plus something without x.",
)


def _coins_of(rng, *, classes=C, sure=0.05, features=D):
    probability = rng.uniform(0.05, 0.95, (classes, features))
    probability[:, ::3] = np.where(rng.random(probability[:, ::3].shape) < 0.5, sure, 1 - sure)
    return {"log_prior": log_shares(rng, classes), "probability": probability}


def _rare(rng):
    given = _coins_of(rng)
    given["probability"][:, 1] = 1e-9
    return given
