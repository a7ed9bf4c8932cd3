"""`efficient_attention.continue_greedily`: no position is read twice."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise, Made


def _inputs(rng, *, batch=2, length=5, steps=7):
    return {
        "model": Made("cached", {"log_probs": rng.standard_normal((37, 11))}),
        "tokens": rng.integers(0, 11, (batch, length)),
        "steps": steps,
    }


def _over(rng):
    """One token is likely whatever was read; a text does not end where it comes again."""
    table = rng.standard_normal((37, 11))
    table[:, 4] += 2.5
    given = _inputs(rng, batch=1, length=1, steps=11)
    return given | {"model": Made("cached", {"log_probs": table})}


EXERCISE = Exercise(
    title="Greedy decoding with a KV cache",
    section="cache",
    cases=(
        Case("one token", lambda rng: _inputs(rng, steps=1), corner=True),
        Case("seven tokens", lambda rng: _inputs(rng), 2),
        Case("one text, one token over and over", lambda rng: _over(rng), corner=True),
        Case("no token", lambda rng: _inputs(rng, steps=0), most={"positions": 2 * (5 - 1)}),
        Case(
            "positions are counted",
            lambda rng: _inputs(rng, batch=3, length=7, steps=13),
            3,
            most={"positions": 3 * (7 + 13 - 1)},
            corner=False,
        ),
        Case(
            "calls are counted",
            lambda rng: _inputs(rng, length=3, steps=11),
            most={"calls": 11},
        ),
        Case("more texts", lambda rng: _inputs(rng, batch=5, length=3, steps=17), hidden=True),
    ),
    hint=(
        "The first call reads the whole prompt. What does the second call have to read, if the "
        "cache holds all earlier positions?"
    ),
)
