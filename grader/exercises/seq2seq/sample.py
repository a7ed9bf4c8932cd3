"""`seq2seq.sample`: drawing whole sequences."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise
from grader.exercises.seq2seq import END, model


def _inputs(rng, *, batch=7, length=11, eos=END, state=None, size=1.0, **settings):
    return {
        "step": model(rng, size=size),
        "state": state,
        "first": rng.integers(0, 5, batch),
        "uniform": rng.random((batch, length)),
        "eos": eos,
        **settings,
    }


def _default(rng):
    made = _inputs(rng)
    del made["eos"]
    return made


EXERCISE = Exercise(
    title="Sampling sequences",
    section="sampling-sequences",
    cases=(
        Case("seven rows", lambda rng: _inputs(rng, batch=13), 2),
        Case("cold", lambda rng: _inputs(rng, temperature=0.4)),
        Case("hot", lambda rng: _inputs(rng, temperature=3.0)),
        Case("a temperature of zero", lambda rng: _inputs(rng, size=1e-9, temperature=0)),
        Case("one row", lambda rng: _inputs(rng, batch=1, length=5, eos=4), corner=True),
        Case("one token", lambda rng: _inputs(rng, length=1), corner=True),
        Case("another end token", lambda rng: _inputs(rng, batch=11, eos=0)),
        Case("a state to begin with", lambda rng: _inputs(rng, state=np.arange(7))),
        Case("as it comes", lambda rng: _default(rng)),
        Case("in float32", lambda rng: _inputs(rng, batch=5), dtype="float32"),
        Case("many rows", lambda rng: _inputs(rng, batch=31, length=23), hidden=True),
    ),
    hint=(
        "Like greedy decoding, with `draw_next` of the chapter on recurrent networks in place of "
        "`argmax`."
    ),
)
