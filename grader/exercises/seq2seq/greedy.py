"""`seq2seq.greedy`: the likeliest token, again and again, for a batch."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.seq2seq import END, as_model, model


def _inputs(rng, *, batch=7, first=None, eos=END, state=None, **settings):
    first = rng.integers(0, 5, batch) if first is None else np.array(first)
    return {"step": model(rng), "state": state, "first": first, "eos": eos, **settings}


def _ends_at_once(rng):
    """The end token is the likeliest after everything."""
    scores = rng.standard_normal((11, 5))
    scores[:, END] += 30
    return {"step": as_model(scores), "state": None, "first": np.array([1, 3, 4]), "eos": END}


def _default(rng):
    made = _inputs(rng)
    del made["eos"]
    return made


EXERCISE = Exercise(
    title="Greedy decoding",
    section="greedy-decoding",
    cases=(
        Case("seven rows", lambda rng: _inputs(rng), 2),
        Case("one row", lambda rng: _inputs(rng, batch=1, max_length=23), corner=True),
        Case("never an end", lambda rng: _never(rng)),
        Case("cut off", lambda rng: _inputs(rng, batch=11, max_length=2), 2),
        Case("one token", lambda rng: _inputs(rng, max_length=1), corner=True),
        Case("the end at once", lambda rng: _ends_at_once(rng), most={"calls": 1}),
        Case("another end token", lambda rng: _inputs(rng, eos=0, max_length=40)),
        Case(
            "the end token as the first", lambda rng: _inputs(rng, first=[END, 1, END]), corner=True
        ),
        Case("a state to begin with", lambda rng: _inputs(rng, state=np.arange(7))),
        Case("as it comes", lambda rng: _default(rng)),
        Case("each token read once", lambda rng: _fed(rng), most={"positions": 12, "calls": 4}),
        Case("many rows", lambda rng: _inputs(rng, batch=31), hidden=True),
    ),
    hint=(
        "Keep a boolean for each row that has ended: replace its further tokens (`masked_fill`), "
        "and stop the loop when all rows have ended."
    ),
)


def _never(rng):
    step = model(rng, never=(END,))
    return {"step": step, "state": None, "first": np.array([1, 3]), "eos": END, "max_length": 13}


def _fed(rng):
    """Three rows that never end write four tokens: four calls on three tokens each."""
    step = model(rng, never=(END,))
    return {"step": step, "state": None, "first": np.array([0, 1, 3]), "eos": END, "max_length": 4}
