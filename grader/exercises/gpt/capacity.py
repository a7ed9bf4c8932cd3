"""`gpt.capacity`: how much one expert accepts."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="The capacity of an expert",
    section="expert-capacity",
    cases=(
        Case(
            "equal shares",
            lambda rng: _some(rng, even=True),
            2,
            probe="calls",
            corner=False,
        ),
        Case(
            "a share that is no whole number",
            lambda rng: _some(rng),
            2,
            probe="calls",
            corner=False,
        ),
        Case("several choices", lambda rng: _some(rng, k=(2, 5)), 2, probe="calls", corner=False),
        Case(
            "factors",
            lambda rng: _factors(rng),
            2,
            probe="calls",
            corner=False,
        ),
        Case("a single call", lambda rng: _some(rng, k=(3, 6), factors=(1.25,))["calls"][0]),
        Case("nothing but the first two", lambda rng: _bare(rng), probe="calls"),
        Case("more experts than choices", lambda rng: _few(rng), probe="calls"),
        Case(
            "another batch",
            lambda rng: _some(rng, k=(1, 4), factors=(0.75, 1.125)),
            hidden=True,
            probe="calls",
            corner=False,
        ),
    ),
    hint="Multiply first, divide once, and round up: `math.ceil`.",
)


def _some(rng, *, k=(1, 2), factors=(1.0,), even=False):
    """Shares that are whole numbers, or none that is: those would be a matter of rounding."""
    calls = []
    while len(calls) < 5:
        experts, own = int(rng.integers(3, 20)), int(rng.integers(*k))
        factor = float(factors[len(calls) % len(factors)])
        tokens = experts * int(rng.integers(5, 40)) + (0 if even else int(rng.integers(1, experts)))
        if even or factor * own * tokens % experts:
            calls.append({"tokens": tokens, "num_experts": experts, "k": own, "factor": factor})
    return {"calls": calls}


def _factors(rng):
    """One of its calls leaves more room than there are tokens."""
    more = {"tokens": int(rng.integers(3, 8)), "num_experts": 2, "k": 2, "factor": 1.5}
    return {"calls": [*_some(rng, k=(1, 4), factors=(0.5, 1.25, 1.5, 2.0))["calls"][:4], more]}


def _bare(rng):
    return {
        "calls": [
            {name: call[name] for name in ("tokens", "num_experts")} for call in _some(rng)["calls"]
        ]
    }


def _few(rng):
    """One of its calls has no token."""
    calls = [
        {"tokens": int(tokens), "num_experts": int(rng.integers(31, 60)), "k": 2, "factor": factor}
        for tokens, factor in zip(rng.permutation(12)[:3], (0.5, 1.0, 4.0), strict=True)
    ]
    return {"calls": [*calls, {"tokens": 0, "num_experts": 5, "k": 2, "factor": 1.5}]}
