"""`generative.log_posterior`: bayes' rule in logarithms."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.generative import B, _bayes, _far_apart, _far_below, _impossible

EXERCISE = Exercise(
    title="The log posterior: Bayes' rule",
    section="inference",
    tolerance=1e-8,
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
        Case("huge densities", lambda rng: _bayes(rng, 2, 3, offset=3000.0)),
        Case("an impossible class", lambda rng: _impossible(rng)),
        Case("two leading axes", lambda rng: _bayes(rng, 2, 3, offset=-1000.0), hidden=True),
        Case("one input", lambda rng: _bayes(rng, 1), corner=True),
        Case("densities of e to the −10³¹", lambda rng: _far_below(rng), corner=True),
    ),
    hint=(
        "Add the logarithms of likelihood and prior. What is left is to make the exponentials "
        "sum to 1, and that is a function you know."
    ),
)
