"""`transformer.decoder_mask`: the past, without the padding."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grader.author.exercise import Case, Exercise


def _given(*lengths, longest):
    return {"lengths": np.array(lengths, dtype=np.int64), "longest": longest}


def _longer(call, rng):
    """Longer rows; the longest stay the longest."""
    more = int(rng.integers(1, 9))

    def other(lengths, longest):
        drawn = rng.integers(1, longest + more, len(lengths))
        inside = np.where(lengths == longest, longest + more, drawn)
        return {"lengths": np.where(lengths == 0, 0, inside), "longest": longest + more}

    if "calls" in call.args:
        return replace(call, args={"calls": [other(**given) for given in call.args["calls"]]})
    return replace(call, args=other(**call.args))


EXERCISE = Exercise(
    title="The decoder's mask: causal and padding",
    section="decoder",
    cases=(
        Case("three lengths", lambda rng: _given(2, 5, 3, longest=5), 2),
        Case("as many sequences as positions", lambda rng: _given(1, 4, 2, 3, longest=4)),
        Case("no padding", lambda rng: _given(3, 3, longest=3), corner=True),
        Case("nobody is the longest", lambda rng: _given(3, 2, longest=5), corner=True),
        Case("a sequence without a word", lambda rng: _given(0, 3, longest=3), corner=True),
        Case("longer than the batch", lambda rng: _given(3, 8, longest=7), raises="ValueError"),
        Case("on another device", lambda rng: _given(2, 5, 3, longest=5), probe="elsewhere"),
        Case("one sequence", lambda rng: _given(3, longest=7), corner=True),
        Case("one position", lambda rng: _given(1, 0, longest=1), hidden=True, corner=True),
    ),
    hint="You already have both masks, and `&` broadcasts (T, T) against (B, 1, T).",
    afresh=_longer,
)
