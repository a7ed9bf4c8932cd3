"""`recurrent.lstm_cell`: one step of an LSTM."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.recurrent import READY_MADE, cell_inputs, far_inputs

_ALL = ("projected", "h", "c", "weight_hh", "bias_hh")

EXERCISE = Exercise(
    title="One step of an LSTM",
    section="lstm",
    cases=(
        Case("a batch", lambda rng: cell_inputs(rng, 4), 2, grad=_ALL),
        Case("no bias", lambda rng: cell_inputs(rng, 4, bias=False), grad=("h", "c")),
        Case("another size", lambda rng: cell_inputs(rng, 4, batch=3, hidden=2), grad=_ALL),
        Case("large numbers", lambda rng: far_inputs(rng, 4), grad=_ALL, corner=True),
        Case("a full cell", lambda rng: _full(rng), grad=("c",), corner=True),
        Case("in float32", lambda rng: cell_inputs(rng, 4), dtype="float32"),
        Case("a batch of one", lambda rng: cell_inputs(rng, 4, batch=1, hidden=7), corner=True),
        Case("a larger batch", lambda rng: cell_inputs(rng, 4, batch=11, hidden=3), hidden=True),
    ),
    hint=(
        "One product for all four gates, then `chunk(4, dim=-1)`. Three of the parts go through "
        "the logistic function, and `g` through tanh."
    ),
    forbidden=READY_MADE,
    needs=("rnn_cell",),
    returns=("the hidden state h'", "the cell state c'"),
)


def _full(rng):
    """A cell state that has grown over many steps."""
    given = cell_inputs(rng, 4)
    return {**given, "c": 2000 * given["c"]}
