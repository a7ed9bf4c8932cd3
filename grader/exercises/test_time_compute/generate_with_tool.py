"""`test_time_compute.generate_with_tool`: the model calls, the tool answers."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise, Made

SIGNS = "0123456789+?[=]."
TOOL = {"2+3": "5", "40+7": "47", "1": "", "9+9": "18", "7": "123456789"}

EXERCISE = Exercise(
    title="Generation with a tool",
    section="tool-calls",
    cases=(
        Case("one call", lambda rng: _said(["7?"], ["[2+3=5."]), 2),
        Case("two rows, one calls", lambda rng: _said(["12?", "45?"], ["[40+7=4.", "6789.0.."]), 2),
        Case("two calls", lambda rng: _said(["7?"], ["[2+3=.[9+9=8..."], count=22), 2),
        Case("a call that the tool does not know", lambda rng: _said(["7?"], ["[2+2=4.0"])),
        Case("an equals sign without a call", lambda rng: _said(["7?"], ["12=34.."])),
        Case("a result of no characters", lambda rng: _said(["7?"], ["[1=48.."]), corner=True),
        Case("cut off", lambda rng: _said(["3?"], ["[7=4....."], count=8), corner=True),
        Case("a call in the prompt calls nothing", lambda rng: _said(["[2+3="], ["4567."])),
        Case("part of the call is in the prompt", lambda rng: _said(["8?[2+"], ["3=9."])),
        Case("any tokens", lambda rng: _drawn(rng, 3, 17)),
        Case("cold", lambda rng: _drawn(rng, 2, 11, temperature=0.0)),
        Case("none wanted", lambda rng: _drawn(rng, 2, 0), corner=True),
        Case(
            "fed once",
            lambda rng: _drawn(rng, 2, 5),
            most={"positions": 2 * (3 + 4), "calls": 5},
        ),
        Case("other tokens", lambda rng: _drawn(rng, 4, 23), hidden=True),
    ),
    hint=(
        "Keep, for each row, the text that the tool still has to write. A row with such a text "
        "takes its next character; any other row takes the token that it samples."
    ),
    needs=("filtered", "draw_next"),
)


def _encode(texts):
    return np.array([[SIGNS.index(sign) for sign in text] for text in texts])


def _said(prompts, wanted, *, count=14):
    """The model is indifferent: random numbers in the middle of a token's share sample it."""
    rows = []
    for text in wanted:
        waiting, row, text, before = "", [], list(text), prompts[len(rows)]
        while len(row) < count:
            if waiting:
                row.append(0.5)
                before, waiting = before + waiting[0], waiting[1:]
                continue
            sign = text.pop(0) if text else "."
            row.append((SIGNS.index(sign) + 0.5) / 16)
            if sign == "=":
                waiting = TOOL.get(before.rpartition("[")[2], "") + "]"
            before += sign
        rows.append(row)
    table = np.zeros((1, 16))
    return {
        "step": Made("continued", {"log_probs": table}),
        "prompt": _encode(prompts),
        "uniform": np.array(rows),
        "tool": TOOL,
    }


def _drawn(rng, rows, count, **settings):
    table = np.round(32 * rng.standard_normal((17, 16))) / 32
    table[:, SIGNS.index("=")] += 1.0
    return {
        "step": Made("continued", {"log_probs": table}),
        "prompt": rng.integers(0, 10, (rows, 3)),
        "uniform": rng.integers(0, 64, (rows, count)) / 64 + 1 / 128,
        "tool": TOOL | {str(digit): "12" for digit in range(7)},
        **settings,
    }
