"""`gpt.generate`: a text, token by token, each fed once."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise, Made
from grader.exercises.gpt import logits
from grader.exercises.gpt.filtered import FILTERS

EXERCISE = Exercise(
    title="Generation with a KV cache",
    section="every-token-once",
    cases=(
        Case("two rows", lambda rng: _given(rng), 2),
        Case(
            "a prompt of one token, and a state that is a tensor",
            lambda rng: _given(rng, rows=3, read=1, model="cached"),
            corner=True,
        ),
        Case("one token wanted", lambda rng: _given(rng, count=1), corner=True),
        Case("none wanted", lambda rng: _given(rng, count=0)),
        Case(
            "one row, filtered",
            lambda rng: _given(rng, rows=1, k=4, p=0.9, temperature=0.8),
            corner=True,
        ),
        Case("cold", lambda rng: _given(rng, temperature=0)),
        Case("hot", lambda rng: _given(rng, rows=5, count=11, temperature=3.0), 2),
        Case("only what is likely", lambda rng: _given(rng, rows=5, count=11, least=0.5)),
        Case("what was said pays", lambda rng: _given(rng, count=17, penalty=4.0), 2),
        Case("what was read pays", lambda rng: _read(rng)),
        Case("in float32", lambda rng: _given(rng, k=6), dtype="float32"),
        Case(
            "fed once",
            lambda rng: _given(rng, count=4),
            3,
            most={"positions": 2 * (5 + 3), "calls": 4},
            corner=False,
        ),
        Case(
            "fed once, a longer text",
            lambda rng: _given(rng, rows=1, read=11, count=23, k=5),
            most={"positions": 11 + 22, "calls": 23},
            hidden=True,
        ),
    ),
    hint=(
        "The first call gets the prompt, every later one the token sampled last, with the state "
        "that came back. The penalty needs all tokens so far."
    ),
    needs=("filtered", "draw_next", *FILTERS),
)


def _given(rng, *, rows=2, read=5, count=7, model="continued", **settings):
    return {
        "step": Made(model, {"log_probs": logits(rng, 37, 11)}),
        "prompt": rng.integers(0, 11, (rows, read)),
        "uniform": rng.random((rows, count)),
        **settings,
    }


def _read(rng):
    """Whatever comes likeliest stands in the prompt."""
    given = _given(rng, rows=4, read=3, count=5, temperature=0, penalty=50.0)
    table = np.abs(given["step"].given["log_probs"])
    table[:, :4] += 5.0
    return given | {
        "step": Made("continued", {"log_probs": table}),
        "prompt": np.array([[0, 1, 2], [2, 1, 3], [3, 3, 0], [1, 2, 1]]),
    }
