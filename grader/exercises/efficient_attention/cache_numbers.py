"""`efficient_attention.cache_numbers`: what is kept of a text that is being written."""

from __future__ import annotations

from grader.author.afresh import larger
from grader.author.exercise import Case, Exercise


def _sizes(length, layers, key_heads, d_k, d_v):
    return {
        "length": length,
        "layers": layers,
        "key_heads": key_heads,
        "d_k": d_k,
        "d_v": d_v,
    }


EXERCISE = Exercise(
    title="The size of the KV cache",
    section="cache",
    cases=(
        Case("all different", lambda rng: _sizes(11, 3, 2, 5, 7), 2),
        Case("one head of keys", lambda rng: _sizes(1_000, 12, 1, 64, 64), corner=True),
        Case("nothing read yet", lambda rng: _sizes(0, 3, 2, 5, 7), corner=True),
        Case("drawn", lambda rng: _sizes(*(int(n) for n in rng.integers(2, 99, 5)))),
        Case(
            "drawn again",
            lambda rng: _sizes(*(int(n) for n in rng.integers(2, 99, 5))),
            hidden=True,
        ),
    ),
    hint=(
        "One position in one layer and one head has a key and a value. How many of these are there?"
    ),
    afresh=larger("length", "layers", "key_heads", "d_k", "d_v"),
)
