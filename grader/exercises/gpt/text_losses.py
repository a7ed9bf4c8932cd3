"""`gpt.text_losses`: every token of a long text, asked for once."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise, Made
from grader.exercises.gpt import logits

EXERCISE = Exercise(
    title="Scoring a text longer than the window",
    section="long-texts",
    cases=(
        Case("half overlap", lambda rng: _given(rng, 25, span=6, stride=3), 2),
        Case(
            "one token further each time",
            lambda rng: _given(rng, 13, span=5, stride=1),
            corner=True,
        ),
        Case("as far as can be", lambda rng: _given(rng, 25, span=6, stride=5), corner=True),
        Case("a short last window", lambda rng: _given(rng, 24, span=7, stride=5)),
        Case("ends with a window", lambda rng: _given(rng, 17, span=7, stride=5)),
        Case("shorter than the window", lambda rng: _given(rng, 5, span=11, stride=4)),
        Case("as long as the window", lambda rng: _given(rng, 11, span=11, stride=4)),
        Case("two tokens", lambda rng: _given(rng, 2, span=3, stride=2), corner=True),
        Case("pairs", lambda rng: _given(rng, 7, span=2, stride=1)),
        Case("logits of hundreds", lambda rng: _sharp(rng), corner=True),
        Case(
            "no window too many",
            lambda rng: _given(rng, 17, span=7, stride=5),
            most={"calls": 3, "positions": 21},
        ),
        Case(
            "one window is enough",
            lambda rng: _given(rng, 5, span=11, stride=4),
            most={"calls": 1, "positions": 5},
        ),
        Case("a long text", lambda rng: _given(rng, 97, span=13, stride=5), hidden=True),
    ),
    hint=(
        "Keep the number of the first token that no window has predicted yet. A window that begins "
        "at `start` can predict the tokens from `start` + 1 on; earlier windows may have predicted "
        "the first of these."
    ),
)


def _given(rng, length, *, span, stride):
    return {
        "model": Made("every prefix", {"log_probs": logits(rng, 37, 11)}),
        "tokens": rng.integers(0, 11, length),
        "span": span,
        "stride": stride,
    }


def _sharp(rng):
    return {
        **_given(rng, 17, span=6, stride=3),
        "model": Made("every prefix", {"log_probs": logits(rng, 37, 11, size=500.0)}),
    }
