"""`training.warmup_cosine`: warm-up and cosine."""

from __future__ import annotations

from grader.author.afresh import changed
from grader.author.exercise import Case, Exercise


def times(rng, low, high, **rest):
    return {"step": int(rng.integers(low, high)), **rest}


def _longer(rng, step, warmup, total, floor=0.0):
    """A longer ramp, and more steps behind it; at the top and at its end, others of these."""
    ramp, more = (int(number) for number in rng.integers(1, 40, 2))
    ramp *= warmup > 0
    step += ramp * (0 < warmup <= step + 1) + more * (step + 1 >= total > 1)
    lower = {"floor": floor * (0.5 + rng.random())} if floor else {}
    return {"step": step, "warmup": warmup + ramp, "total": total + ramp + more, **lower}


EXERCISE = Exercise(
    title="Warm-up and cosine decay",
    section="schedule",
    tolerance=1e-10,
    cases=(
        Case("on the ramp", lambda rng: times(rng, 1, 30, warmup=31, total=100)),
        Case("the first step", lambda rng: {"step": 0, "warmup": 7, "total": 31}),
        Case("the last of the ramp", lambda rng: {"step": 6, "warmup": 7, "total": 31}),
        Case("the top", lambda rng: {"step": 7, "warmup": 7, "total": 31, "floor": 0.2}),
        Case("on the way down", lambda rng: times(rng, 40, 90, warmup=31, total=100), 2),
        Case("to a floor", lambda rng: times(rng, 40, 90, warmup=31, total=100, floor=0.2)),
        Case("after the end", lambda rng: times(rng, 101, 170, warmup=3, total=100, floor=0.1)),
        Case("the last step", lambda rng: {"step": 30, "warmup": 7, "total": 31, "floor": 0.2}),
        Case("the end", lambda rng: {"step": 31, "warmup": 7, "total": 31, "floor": 0.2}),
        Case("no ramp", lambda rng: times(rng, 1, 28, warmup=0, total=29), corner=True),
        Case(
            "the first step without a ramp",
            lambda rng: {"step": 0, "warmup": 0, "total": 29},
            corner=True,
        ),
        Case(
            "a ramp to the end",
            lambda rng: {"step": 3, "warmup": 7, "total": 7},
            raises="ValueError",
        ),
        Case(
            "a ramp beyond the end",
            lambda rng: {"step": 9, "warmup": 8, "total": 7, "floor": 0.1},
            raises="ValueError",
        ),
        Case(
            "on a ramp beyond the end",
            lambda rng: {"step": 3, "warmup": 9, "total": 7},
            raises="ValueError",
        ),
        Case(
            "a negative ramp",
            lambda rng: {"step": 2, "warmup": -1, "total": 7},
            raises="ValueError",
        ),
        Case(
            "a single step",
            lambda rng: {"step": 0, "warmup": 0, "total": 1},
            hidden=True,
            corner=True,
        ),
        Case(
            "a ramp to a floor",
            lambda rng: times(rng, 1, 9, warmup=11, total=29, floor=0.9),
        ),
    ),
    hint=(
        "Two cases: before `warmup` and after. In the second, first compute how much of the way "
        "is done, as a number from 0 to 1 that stays at 1."
    ),
    afresh=changed(_longer),
)
