"""`recurrent.unroll`: one cell over sequences of different lengths."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.recurrent import CELLS, GATES, READY_MADE

RAGGED = np.array([2, 4, 1])  # lengths of three

_WEIGHTS = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")


def _short(numbers):
    """Multiples of 1/256, which a record compresses."""
    return np.round(256 * numbers) / 256


def _inputs(rng, kind, *, lengths=None, bias=True, longest=4, nan=False):
    batch, rows = (2 if lengths is None else len(lengths)), 5 * GATES[kind]
    made = {
        "x": _short(rng.standard_normal((batch, longest, 3))),
        "state": [rng.standard_normal((batch, 5)) for _ in range(1 + (kind == "lstm"))],
        "weight_ih": _short(0.6 * rng.standard_normal((rows, 3))),
        "weight_hh": _short(0.6 * rng.standard_normal((rows, 5))),
        "kind": kind,
    }
    if bias:
        made |= {name: 0.7 * rng.standard_normal(rows) for name in ("bias_ih", "bias_hh")}
    if lengths is not None:
        made["lengths"] = lengths
    if nan:
        padding = np.arange(longest) >= lengths[:, None]
        made["x"][padding] = rng.choice([np.inf, -np.inf], (padding.sum(), 3))
        made["x"][-1, -1, 0] = np.nan
        made["weight_ih"] *= 3  # so that the largest number in place of ∞ overflows, too
    return made


def _away(rng):
    """Whole numbers: only where the result lies is looked at."""
    made = _inputs(rng, "gru", lengths=np.array([3, 1]), longest=3)
    whole = {name: np.round(value) for name, value in made.items() if name in ("x", *_WEIGHTS)}
    return made | whole | {"state": [np.round(made["state"][0])]}


EXERCISE = Exercise(
    title="Unrolling a cell over sequences of different lengths",
    section="padding",
    cases=(
        Case("Elman's cell", lambda rng: _inputs(rng, "rnn"), grad=("x", "state[0]", *_WEIGHTS)),
        Case(
            "an LSTM",
            lambda rng: _inputs(rng, "lstm"),
            grad=("x", "state[0]", "state[1]", *_WEIGHTS),
        ),
        Case("a GRU", lambda rng: _inputs(rng, "gru"), grad=("x", "state[0]", *_WEIGHTS)),
        Case(
            "a bias for the state alone",
            lambda rng: {**_inputs(rng, "gru"), "bias_ih": None},
            grad=("bias_hh",),
            corner=True,
        ),
        Case(
            "a bias for the input alone",
            lambda rng: {**_inputs(rng, "lstm"), "bias_hh": None},
            grad=("bias_ih",),
            corner=True,
        ),
        Case("no biases", lambda rng: _inputs(rng, "gru", bias=False), grad=("x",)),
        Case(
            "three lengths",
            lambda rng: _inputs(rng, "lstm", lengths=RAGGED),
            2,
            grad=("x", *_WEIGHTS),
        ),
        Case(
            "all shorter than the batch",
            lambda rng: _inputs(rng, "rnn", lengths=np.array([2, 3]), longest=5),
            grad=("x", *_WEIGHTS),
        ),
        Case(
            "padding that is not a number",
            lambda rng: _inputs(rng, "gru", lengths=RAGGED, nan=True),
            grad=_WEIGHTS,
        ),
        Case("in float32", lambda rng: _inputs(rng, "lstm"), dtype="float32"),
        Case("on another device", lambda rng: _away(rng), probe="elsewhere"),
        Case(
            "lengths, a GRU",
            lambda rng: _inputs(rng, "gru", lengths=np.array([1, 4, 2, 3])),
            grad=("x", *_WEIGHTS),
            hidden=True,
        ),
        Case("one sequence", lambda rng: _inputs(rng, "lstm", lengths=np.array([3])), corner=True),
    ),
    hint=(
        "Replace the padding in x first: NaN · 0 is NaN. Then write the loop; if a sequence has "
        "ended, `torch.where` keeps its old state, and its output is zero."
    ),
    forbidden=(
        *READY_MADE,
        "nn.utils.rnn.pack_padded_sequence",
        "nn.utils.rnn.pad_packed_sequence",
        "nn.utils.rnn.pack_sequence",
    ),
    needs=(*CELLS, "reverse_padded", "last_states"),
)
