"""`self_attention.causal_mask`: no look into the future."""

from __future__ import annotations

from grader.author.afresh import changed
from grader.author.exercise import Case, Exercise


def _longer(rng, length, **_):
    """No length of a public case, which are below 20; 0 and 1 stay."""
    return {"length": length + int(rng.integers(20, 60)) if length > 1 else length}


EXERCISE = Exercise(
    title="The causal mask",
    section="masks",
    hint=(
        "Row i is the query at position i. Which columns j may it attend to? `torch.tril` keeps a "
        "triangle; comparing two `arange` does it too."
    ),
    cases=(
        Case("five positions", lambda rng: {"length": 5}),
        Case("one position", lambda rng: {"length": 1}, corner=True),
        Case("on a device", lambda rng: {"length": 5, "device": "meta"}, corner=True),
        Case("many positions", lambda rng: {"length": int(rng.integers(7, 20))}),
        Case("no position", lambda rng: {"length": 0}, corner=True),
        Case("two positions", lambda rng: {"length": 2}, hidden=True),
    ),
    afresh=changed(_longer),
)
