"""`recurrent.rnn_states`: Elman's cell through time, with truncated backpropagation."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.recurrent import READY_MADE

_ALL = ("x", "h", "weight_ih", "weight_hh")


def _inputs(rng, *, batch=2, length=7, size=1.0, **span):
    return {
        "x": size * rng.standard_normal((batch, length, 3)),
        "h": rng.standard_normal((batch, 5)),
        "weight_ih": 0.5 * rng.standard_normal((5, 3)),
        "weight_hh": 0.4 * rng.standard_normal((5, 5)),
        **span,
    }


EXERCISE = Exercise(
    title="Truncated backpropagation through time",
    section="truncated",
    cases=(
        Case("no span", lambda rng: _inputs(rng), 2, grad=_ALL),
        Case("a span of three", lambda rng: _inputs(rng, span=3), 2, grad=_ALL),
        Case("a span of two, one step less", lambda rng: _inputs(rng, length=6, span=2), grad=_ALL),
        Case("a span of one", lambda rng: _inputs(rng, batch=1, span=1), grad=_ALL),
        Case("a span beyond the end", lambda rng: _inputs(rng, span=11), grad=_ALL, corner=True),
        Case("one step", lambda rng: _inputs(rng, length=1), grad=_ALL, corner=True),
        Case("a span of all steps", lambda rng: _inputs(rng, length=2, span=2), grad=_ALL),
        Case("in float32, large inputs", lambda rng: _inputs(rng, size=300.0), dtype="float32"),
        Case("a long span", lambda rng: _inputs(rng, length=11, span=5), grad=_ALL, hidden=True),
    ),
    hint=(
        "Write a loop over the steps that keeps every state, with `torch.stack(..., dim=1)` at "
        "the end. `h.detach()` has the numbers of h and no graph; which steps start a run?"
    ),
    forbidden=READY_MADE,
    needs=("rnn_cell",),
)
