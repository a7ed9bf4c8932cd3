"""`linear.paired_difference`: how sure a difference is."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="The standard error of a paired difference",
    section="paired",
    cases=(
        Case("five splits", lambda rng: _measured(rng, 5), 2),
        Case("the second is ahead", lambda rng: _measured(rng, 7, ahead=-2.0)),
        Case("two pairs", lambda rng: _measured(rng, 2)),
        Case("shuffles of one pool", lambda rng: {**_measured(rng, 5), "reuse": 1 / 3}, 2),
        Case("always ahead by the same", lambda rng: _apart(3, by=0.5)),
        Case("always behind by the same", lambda rng: _apart(4, by=-0.25)),
        Case("no difference anywhere", lambda rng: _apart(5, by=0.0)),
        Case(
            "a tenth each time", lambda rng: {"first": [0.1] * 3, "second": [0.0] * 3}, corner=True
        ),
        Case(
            "a tenth each time, in shuffles of one pool",
            lambda rng: {"first": [0.1] * 3, "second": [0.0] * 3, "reuse": 0.5},
            corner=True,
        ),
        Case("differences that hardly differ", lambda rng: _close(rng), corner=True),
        Case("counts in place of fractions", lambda rng: _counts(rng), corner=True),
        Case(
            "one result is missing",
            lambda rng: {"first": [0.9, 0.8, 0.7], "second": [0.8, 0.7]},
            raises="ValueError",
        ),
        Case(
            "a result too many",
            lambda rng: {"first": [0.9, 0.8], "second": [0.8, 0.7, 0.7]},
            raises="ValueError",
        ),
        Case("one pair", lambda rng: {"first": [0.9], "second": [0.8]}, raises="ValueError"),
        Case("eleven seeds", lambda rng: _measured(rng, 11), hidden=True),
        Case("a pool, used up", lambda rng: {**_measured(rng, 3), "reuse": 1.0}, hidden=True),
        Case("differences of 10⁻¹²", lambda rng: _tiny(rng), corner=True),
    ),
    hint=(
        "Subtract first, pair by pair; from then on there is one list. Its variance divides by n "
        "− 1, since the mean was computed from the same numbers."
    ),
)


def _measured(rng, count, *, ahead=0.7):
    """Occasions that differ by more than the two models do."""
    occasion = 93.0 + 3.0 * rng.standard_normal(count)
    first = occasion + ahead + 0.5 * rng.standard_normal(count)
    second = occasion + 0.5 * rng.standard_normal(count)
    return {"first": first.tolist(), "second": second.tolist()}


def _apart(count, *, by):
    """The same difference each time, without rounding."""
    second = [90.0 + 2.0 * place for place in range(count)]
    return {"first": [value + by for value in second], "second": second}


def _close(rng):
    """Around 1, by less than float32 holds, and by less than numbers that `math.isclose` takes for
    equal: the standard error is no 0.
    """
    return {"first": (1.0 + 3e-10 * rng.random(3)).tolist(), "second": [0.0] * 3}


def _counts(rng):
    second = rng.integers(300, 350, size=5)
    first = second + rng.integers(-3, 9, size=5)
    return {"first": first.tolist(), "second": second.tolist()}


def _tiny(rng):
    """Far below 1, and not the same: the standard error is no 0."""
    return {"first": (1e-12 * (1 + rng.random(5))).tolist(), "second": [0.0] * 5}
