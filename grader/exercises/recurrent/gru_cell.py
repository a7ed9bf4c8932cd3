"""`recurrent.gru_cell`: one step of a gated recurrent unit."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.recurrent import READY_MADE, cell_inputs, far_inputs

_ALL = ("projected", "h", "weight_hh", "bias_hh")

EXERCISE = Exercise(
    title="One step of a GRU",
    section="gru",
    cases=(
        Case("a batch", lambda rng: cell_inputs(rng, 3), 2, grad=_ALL),
        Case("no bias", lambda rng: cell_inputs(rng, 3, bias=False), grad=("projected", "h")),
        Case("another size", lambda rng: cell_inputs(rng, 3, batch=7, hidden=2), grad=_ALL),
        Case("large numbers", lambda rng: far_inputs(rng, 3), grad=_ALL, corner=True),
        Case("in float32", lambda rng: cell_inputs(rng, 3), dtype="float32"),
        Case("a batch of one", lambda rng: cell_inputs(rng, 3, batch=1, hidden=7), corner=True),
        Case("a larger batch", lambda rng: cell_inputs(rng, 3, batch=11, hidden=2), hidden=True),
    ),
    hint=(
        "Keep p and q separate until you have split each into three parts: the reset gate "
        "multiplies only q_n, with its bias."
    ),
    forbidden=READY_MADE,
    needs=("rnn_cell", "lstm_cell"),
)
