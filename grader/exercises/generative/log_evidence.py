"""`generative.log_evidence`: the density of an input."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.generative import B, _bayes, _far_apart, _far_below, _impossible, _unheard_of

EXERCISE = Exercise(
    title="The log evidence of an input",
    section="inference",
    tolerance=1e-10,
    cases=(
        Case("a batch", lambda rng: _bayes(rng, B), 2, grad=("log_likelihood", "log_prior")),
        Case("a single input", lambda rng: _bayes(rng), corner=True),
        Case(
            "inputs and classes far apart",
            lambda rng: _far_apart(rng),
            grad=("log_likelihood", "log_prior"),
            corner=False,
        ),
        Case("no input", lambda rng: _bayes(rng, 0)),
        Case("densities beyond all numbers", lambda rng: _bayes(rng, B, offset=-4000.0)),
        Case("in float32", lambda rng: _bayes(rng, B), dtype="float32"),
        Case("two leading axes", lambda rng: _bayes(rng, 2, 3, offset=900.0)),
        Case("an input that no class makes", lambda rng: _unheard_of(rng)),
        Case("an impossible class", lambda rng: _impossible(rng), hidden=True),
        Case("a class that never comes", lambda rng: _never(rng)),
        Case("one input", lambda rng: _bayes(rng, 1), corner=True),
        Case("densities of e to the −10³¹", lambda rng: _far_below(rng), corner=True),
    ),
    hint=(
        "A sum of exponentials, of which the logarithm is wanted: the chapter on linear models "
        "has built it, and torch has it too."
    ),
)


def _never(rng):
    drawn = _bayes(rng, B)
    drawn["log_prior"][1] = -np.inf
    return drawn
