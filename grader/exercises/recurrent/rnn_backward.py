"""`recurrent.rnn_backward`: backpropagation through time by hand."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import AUTOGRAD, Case, Exercise
from grader.exercises.recurrent import READY_MADE


def _inputs(rng, *, batch=2, length=7, hidden=5, last=False):
    x, h = rng.standard_normal((batch, length, 3)), rng.standard_normal((batch, hidden))
    weight_ih = 0.5 * rng.standard_normal((hidden, 3))
    weight_hh = 0.5 * rng.standard_normal((hidden, hidden))
    states, now = np.zeros((batch, length, hidden)), h
    for t in range(length):
        now = np.tanh(x[:, t] @ weight_ih.T + now @ weight_hh.T)
        states[:, t] = now
    grad = rng.standard_normal((batch, length, hidden))
    if last:
        grad[:, :-1] = 0
    return {
        "grad": grad,
        "x": x,
        "h": h,
        "states": states,
        "weight_ih": weight_ih,
        "weight_hh": weight_hh,
    }


EXERCISE = Exercise(
    title="Backpropagation through time",
    section="through-time",
    cases=(
        Case("a loss at every step", lambda rng: _inputs(rng), 3),
        Case("a loss at the last step alone", lambda rng: _inputs(rng, last=True), 2),
        Case("one step", lambda rng: _inputs(rng, length=1), corner=True),
        Case("as many features as hidden", lambda rng: _inputs(rng, hidden=3)),
        Case("in float32", lambda rng: _inputs(rng), dtype="float32"),
        Case("one sequence", lambda rng: _inputs(rng, batch=1, length=7), corner=True),
        Case("a long one", lambda rng: _inputs(rng, length=11), hidden=True),
    ),
    hint=(
        "Go from the last step to the first, and carry one vector: the gradient that reaches "
        "this state from later steps. The slope of tanh follows from its output: 1 − h²."
    ),
    forbidden=(*READY_MADE, *AUTOGRAD),
    needs=("rnn_cell", "rnn_states"),
    returns=(
        "the gradient of x",
        "the gradient of h",
        "the gradient of W_ih",
        "the gradient of W_hh",
    ),
)
