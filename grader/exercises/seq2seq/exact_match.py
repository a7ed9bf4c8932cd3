"""`seq2seq.exact_match`: right from the first token to the end token."""

from __future__ import annotations

import numpy as np

from grader.author.afresh import changed
from grader.author.exercise import Case, Exercise
from grader.exercises.seq2seq import END


def _pairs(written, target, **eos):
    return {"written": np.array(written), "target": np.array(target), **eos}


def _drawn(rng, *, rows=23, width=7, more=0, eos=END):
    """Copies of the target with another tail, and some with one token changed."""
    target = rng.integers(3, 9, (rows, width))
    ends = rng.integers(0, width, rows)
    target[np.arange(rows), ends] = eos
    tail = np.arange(width) > ends[:, None]
    target[tail] = 0
    written = np.pad(target, ((0, 0), (0, more)), constant_values=eos)
    tail = np.arange(width + more) > ends[:, None]
    written[tail] = rng.integers(0, 9, (rows, width + more))[tail]
    spoiled = np.arange(rows) % 3 == 0
    at = rng.integers(0, ends + 1)
    written[np.arange(rows)[spoiled], at[spoiled]] = 10
    return _pairs(written, target, eos=eos)


def _none():
    return {"written": np.zeros((0, 3), dtype=int), "target": np.zeros((0, 2), dtype=int)}


def _more(rng, written, target, eos=END):
    """Rows more, each right or wrong by chance."""
    token = next(token for token in (7, 8, 9) if token != eos)
    count = int(rng.integers(5, 11))
    right = np.full((count, 2), [token, eos])
    said = np.where(rng.random(count) < 0.5, token, token + 1)[:, None]
    other = {"written": np.concatenate([said, right[:, 1:]], 1), "target": right}
    made = {}
    for name, rows in (("written", written), ("target", target)):
        wide = max(2, rows.shape[1])
        made[name] = np.concatenate(
            [
                np.pad(one, ((0, 0), (0, wide - one.shape[1])), constant_values=eos)
                for one in (rows, other[name])
            ]
        )
    return made


EXERCISE = Exercise(
    title="Exact match",
    section="exact-matches",
    cases=(
        Case("what follows the end", lambda rng: _pairs([[5, 6, 2, 9]], [[5, 6, 2, 0]])),
        Case(
            "a wrong token, and another order",
            lambda rng: _pairs([[5, 7, 2], [5, 6, 2], [6, 5, 2]], [[5, 6, 2]] * 3),
        ),
        Case("tokens of two digits", lambda rng: _pairs([[5, 11, 2]], [[51, 1, 2]]), corner=True),
        Case("a zero between", lambda rng: _pairs([[5, 0, 6, 2]], [[5, 6, 2, 0]]), corner=True),
        Case("too short", lambda rng: _pairs([[5, 2, 2], [2, 2, 2]], [[5, 6, 2], [5, 2, 0]])),
        Case("too long", lambda rng: _pairs([[5, 6, 7, 2]], [[5, 6, 2, 0]])),
        Case(
            "narrower",
            lambda rng: _pairs([[5, 2], [5, 6]], [[5, 2, 0, 0], [5, 6, 2, 0]]),
            2,
            corner=True,
        ),
        Case("wider", lambda rng: _drawn(rng, rows=7, more=2), 2, corner=True),
        Case("no end token", lambda rng: _pairs([[5, 6, 7], [5, 6, 7]], [[5, 6, 7], [5, 6, 2]])),
        Case("cut off at the same place", lambda rng: _pairs([[5, 6]], [[5, 6, 7]]), corner=True),
        Case(
            "longer, and no end",
            lambda rng: _pairs([[5, 6, 2], [5, 6, 0]], [[5, 6], [5, 6]]),
            corner=True,
        ),
        Case(
            "at once the end", lambda rng: _pairs([[2, 5], [5, 2]], [[2, 0], [2, 0]]), corner=True
        ),
        Case("no sequences", lambda rng: _none(), corner=True),
        Case("another end token", lambda rng: _drawn(rng, rows=7, eos=4)),
        Case("many", lambda rng: _drawn(rng, rows=101, more=2), hidden=True),
    ),
    hint=(
        "In both, replace everything after the first end token by one number; a `cumsum` says how "
        "many end tokens come *before* a position. Then make both equally wide."
    ),
    afresh=changed(_more),
)
