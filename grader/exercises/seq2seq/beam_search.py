"""`seq2seq.beam_search`: a few hypotheses side by side."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise, Made
from grader.exercises.seq2seq import END, as_model, model

SEED = 3


class _Near:
    """Draws near to those of a fixed seed: other numbers, and the same steps decide the search."""

    def __init__(self, rng, seed):
        self.rng, self.fixed = rng, np.random.default_rng(seed)

    def standard_normal(self, shape):
        return self.fixed.standard_normal(shape) + 0.01 * self.rng.standard_normal(shape)


def _inputs(rng, *, beam=3, eos=END, size=1.5, state=None, length=7, **settings):
    rng = rng if isinstance(rng, _Near) else _Near(rng, [beam, length])
    return {
        "step": model(rng, size=size),
        "state": state,
        "first": np.array([1]),
        "beam": beam,
        "eos": eos,
        "max_length": length,
        **settings,
    }


def _paired(rng, **settings):
    made = _inputs(rng, **settings)
    return made | {"step": Made("stepwise, with a pair", made["step"].given)}


def _nested(rng):
    made = _inputs(rng)
    return made | {"step": Made("stepwise, with pairs in pairs", made["step"].given)}


def _stateless(rng):
    """A model that keeps nothing: its state is None from the first step to the last."""
    made = _inputs(rng)
    return made | {"step": Made("stepwise, without a state", made["step"].given)}


def _late(rng, *, beam=4, penalty=2.0, length=6):
    """Ends are unlikely at first: the short ones are found early, the long ones score higher."""
    rng = _Near(rng, SEED)
    scores = 0.7 * rng.standard_normal((29, 5))  # not 31: then only the last token would count
    scores[:, END] -= 0.5
    made = _inputs(rng, beam=beam, penalty=penalty, length=length)
    return made | {"step": as_model(scores)}


def _never(rng, **settings):
    rng = _Near(rng, SEED)
    return _inputs(rng, **settings) | {"step": model(rng, never=(END,))}


def _sure(rng, *, beam, length=9):
    """The end token has nine tenths everywhere: soon nothing can win, in spite of the penalty."""
    scores = 0.01 * rng.standard_normal((19, 5))
    scores[:, END] += np.log(36.0)
    return _inputs(rng, beam=beam, penalty=0.5, length=length) | {"step": as_model(scores)}


def _fixed(seed, **settings):
    """A table that is always the same: here whoever stops too early returns something else."""
    rng = np.random.default_rng(seed)
    scores = 1.2 * rng.standard_normal((31, 5))
    scores[:, END] += 0.5
    return _inputs(rng, **settings) | {"step": as_model(scores)}


def _default(rng):
    made = _inputs(rng)
    for name in ("eos", "max_length"):
        del made[name]
    return made


def _away(rng):
    """A small table, whose numbers are not looked at."""
    table = model(rng, rows=3, symbols=3)
    return _inputs(rng, beam=2, length=2) | {"step": table}


EXERCISE = Exercise(
    title="Beam search",
    section="beams",
    cases=(
        Case("three beams", lambda rng: _inputs(rng), 3),
        Case("one beam", lambda rng: _inputs(rng, beam=1)),
        Case("length counts", lambda rng: _late(rng), 3),
        Case("a weak penalty", lambda rng: _inputs(rng, beam=5, penalty=0.6), 2),
        Case("ends that are overtaken", lambda rng: _fixed(267, beam=3, penalty=1.5, length=9), 2),
        Case("the second overtaken", lambda rng: _fixed(204, beam=3, penalty=1.5, length=9)),
        Case("overtaken late", lambda rng: _fixed(415, beam=3, penalty=1.5, length=9)),
        Case("wide enough to be exact", lambda rng: _inputs(rng, beam=5**3, length=3), 2),
        Case("never an end", lambda rng: _never(rng, penalty=1.0, length=5), 2),
        Case("one token", lambda rng: _inputs(rng, length=1), corner=True),
        Case(
            "another end token, read first",
            lambda rng: _inputs(rng, eos=0, beam=4) | {"first": np.array([0])},
        ),
        Case("a state to begin with", lambda rng: _inputs(rng, state=np.array([5]), beam=2)),
        Case("a state of two tensors", lambda rng: _paired(rng), corner=True),
        Case("a state of tuples and None", _nested, corner=True),
        Case("no state at all", _stateless, corner=True),
        Case("as it comes", lambda rng: _default(rng)),
        Case("on another device", lambda rng: _away(rng), probe="elsewhere"),
        Case("over when nothing can win", lambda rng: _sure(rng, beam=3), most={"calls": 2}),
        Case(
            "one call a round",
            lambda rng: _never(rng, length=5),
            most={"calls": 5, "positions": 13},
        ),
        Case("wide, and length counts", lambda rng: _late(rng, beam=7, length=9), 2, hidden=True),
    ),
    hint=(
        "In each round: one call of step, then `extend_beams`. Rearrange tokens, scores and state "
        "by the rows that it returns. Then separate finished hypotheses from live ones."
    ),
    needs=("extend_beams", "length_score", "Hypothesis"),
)
