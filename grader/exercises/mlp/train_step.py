"""`mlp.train_step`: loss, gradient, update."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.mlp import AUTOGRAD, SIZES, B, network

EXERCISE = Exercise(
    title="A training step: loss, gradient, update",
    section="mlp-training",
    tolerance=1e-9,
    cases=(
        Case("three layers, ReLU", lambda rng: _step(rng, "relu"), 2),
        Case("two layers, tanh", lambda rng: _step(rng, "tanh", (7, 5, 3)), 2),
        Case("a long step", lambda rng: _step(rng, "sigmoid", learning_rate=30.0)),
        Case("one layer", lambda rng: _step(rng, "relu", (7, 3)), corner=True),
        Case("scores in the thousands", lambda rng: _confident(rng)),
        Case("one example", lambda rng: _step(rng, "tanh", count=1), corner=True),
        Case("as many examples as classes", lambda rng: _step(rng, "sigmoid", count=3)),
        Case("float32", lambda rng: _step(rng, "tanh"), dtype="float32"),
        Case("all of one width", lambda rng: _step(rng, "tanh", (5, 5, 5)), hidden=True),
        Case("one hidden unit", lambda rng: _step(rng, "tanh", (7, 1, 3)), corner=True),
        Case("far-out numbers", lambda rng: _far(rng), corner=True),
    ),
    hint=(
        "`forward`, the cross-entropy, its gradient p − y for the scores, `backward`, and then "
        "all parameters at once."
    ),
    forbidden=AUTOGRAD,
    needs=("forward", "backward"),
    returns=("the loss", "the new W_{1}", "the new b_{1}"),
)


def _step(rng, activation, sizes=SIZES, *, count=B, learning_rate=0.7):
    return {
        "x": rng.standard_normal((count, sizes[0])),
        "target": rng.integers(sizes[-1], size=count),
        **network(rng, sizes),
        "activation": activation,
        "learning_rate": learning_rate,
    }


def _confident(rng):
    """Scores so far apart that the probability of some right classes is 0 in float64."""
    drawn = _step(rng, "tanh")
    drawn["weights"][-1] *= 4000.0
    return drawn


def _far(rng):
    """Far beyond what is commonly clamped."""
    drawn = _step(rng, "relu")
    return {**drawn, "x": 1e6 * drawn["x"]}
