"""`transfer.with_prompt`: learned vectors before a text."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise

EXERCISE = Exercise(
    title="Prompt tuning: learned vectors before the text",
    section="tuned-prompts",
    cases=(
        Case(
            "with positions",
            lambda rng: _given(rng, 2, 5, prompt=3, longest=11),
            2,
            grad=("prompt", "embedded", "positions"),
        ),
        Case("without", lambda rng: _given(rng, 3, 5, prompt=2), grad=("prompt", "embedded")),
        Case("just long enough", lambda rng: _given(rng, 2, 4, prompt=3, longest=7)),
        Case(
            "one row, one vector", lambda rng: _given(rng, 1, 5, prompt=1, longest=7), corner=True
        ),
        Case("no text", lambda rng: _given(rng, 2, 0, prompt=3, longest=7)),
        Case("no prompt", lambda rng: _given(rng, 2, 5, prompt=0, longest=7)),
        Case("in float32", lambda rng: _given(rng, 2, 5, prompt=3, longest=11), dtype="float32"),
        Case("longer", lambda rng: _given(rng, 7, 13, prompt=11, longest=29), hidden=True),
    ),
    tolerance=1e-9,
    hint=(
        "The prompt has no rows of a batch; `expand` gives it some. Then one `cat`, then positions."
    ),
)


def _given(rng, rows, length, *, prompt, longest=None, features=7):
    positions = rng.standard_normal((longest, features)) if longest else None
    given = {
        "prompt": rng.standard_normal((prompt, features)),
        "embedded": rng.standard_normal((rows, length, features)),
    }
    return given if positions is None else given | {"positions": positions}
