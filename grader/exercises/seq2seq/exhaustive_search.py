"""`seq2seq.exhaustive_search`: every sequence there is."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise, Made
from grader.exercises.seq2seq import END, as_model, model


def _inputs(rng, *, length=4, symbols=4, rows=37, eos=END, size=2.0, state=None, **settings):
    step = model(rng, rows=rows, symbols=symbols, size=size)
    first = {"first": np.array([1])}
    return {"step": step, "state": state, **first, "eos": eos, "max_length": length, **settings}


def _late(rng):
    """Ending early is possible everywhere, and never worth it once lengths count."""
    scores = 0.1 * rng.standard_normal((29, 4))
    scores[:, END] -= 1.5
    made = _inputs(rng, penalty=2.0)
    return made | {"step": as_model(scores)}


def _fixed(seed):
    """Always the same table: neither the likeliest steps nor the likeliest sequence win."""
    rng = np.random.default_rng(seed)
    scores = 0.7 * rng.standard_normal((31, 4))
    scores[:, END] += 0.3
    return _inputs(rng, penalty=3.0) | {"step": as_model(scores)}


def _apart():
    """Always the same table: the best, the best that is shorter and the likeliest steps differ."""
    scores = 0.7 * np.random.default_rng(21).standard_normal((29, 4))
    scores[:, END] -= 0.3
    return _inputs(np.random.default_rng(21), penalty=3.0) | {"step": as_model(scores)}


def _default(rng):
    made = _inputs(rng)
    del made["eos"]
    return made


EXERCISE = Exercise(
    title="Exhaustive search",
    section="exhaustive",
    returns=("the tokens", "the score"),
    cases=(
        Case("four tokens", lambda rng: _inputs(rng), 2),
        Case("length counts", lambda rng: _late(rng), 2),
        Case("the likeliest step leads astray", lambda rng: _fixed(19), 2),
        Case("the longest and the likeliest are not the best", lambda rng: _apart(), 2),
        Case("the best begins with the least likely token", lambda rng: _unlikely_start(rng), 2),
        Case("the best falls behind at first", lambda rng: _behind(rng)),
        Case("a weak penalty", lambda rng: _inputs(rng, size=1.0, penalty=0.5)),
        Case("one token", lambda rng: _single(rng), corner=True),
        Case("two", lambda rng: _inputs(rng, length=2, rows=13, penalty=1.0)),
        Case("another end token", lambda rng: _inputs(rng, eos=0, size=1.0)),
        Case("a state to begin with", lambda rng: _inputs(rng, rows=31, state=np.array([5]))),
        Case("a state of two tensors", lambda rng: _paired(rng)),
        Case("as it comes", lambda rng: _default(rng)),
        Case(
            "five tokens",
            lambda rng: _inputs(rng, length=5, symbols=3, rows=23, penalty=1.0),
            hidden=True,
        ),
        Case("ends that are very unlikely", lambda rng: _unlikely(rng), corner=True),
    ),
    hint=(
        "A function that calls itself: after each token that does not end the sequence, it tries "
        "all that may follow. A sequence with the end token is a candidate."
    ),
    needs=("length_score", "Hypothesis"),
)


def _unlikely(rng):
    """The best is still the best, far below what is commonly put for −∞."""
    scores = 2.0 * rng.standard_normal((17, 4))
    scores[:, END] -= 1e11
    return _inputs(rng, length=3, rows=3) | {"step": as_model(scores)}


def _unlikely_start(rng):
    """Only after the first token that is least likely does the sequence end almost surely."""
    scores = 0.3 * rng.standard_normal((37, 5))
    scores[:, END] -= 2.0
    start = rng.choice([0, 1, 3, 4])
    scores[2, [start, END]] -= [2.0, 2.0]  # row 2 follows the begin token
    scores[(31 * 2 + start + 1) % 37, END] += 10.0
    return _inputs(rng, length=2, rows=3) | {"step": as_model(scores)}


def _single(rng):
    """A sequence of two would score more."""
    scores = 0.1 * rng.standard_normal((3, 4))
    scores[:, END] -= 1.5
    return _inputs(rng, length=1, rows=3, penalty=8.0) | {"step": as_model(scores)}


def _paired(rng):
    made = _inputs(rng, length=2, rows=11, state=(np.array([5]), np.array([4])))
    return made | {"step": Made("stepwise, with a pair", made["step"].given)}


def _behind(rng):
    """To end at once is likelier than the first token of the best, which then can only go on."""
    scores = 0.3 * rng.standard_normal((37, 4))
    scores[2] = [-4.0, -4.0, 1.0, 0.5]  # row 2 follows the begin token
    scores[29, 0] += 10.0  # then, token by token, the rows of 3, 0, 0
    scores[12, 0] += 10.0
    scores[3, END] += 10.0
    return _inputs(rng, rows=3, penalty=3.0) | {"step": as_model(scores)}
