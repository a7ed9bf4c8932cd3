"""`test_time_compute.generate_with_tool`: the model calls, the tool answers."""

from __future__ import annotations

import numpy as np

from grader.author.exercise import Case, Exercise, Made

SIGNS = "0123456789+?[=]."

EXERCISE = Exercise(
    title="Generation with a tool",
    section="tool-calls",
    cases=(
        Case("one call", lambda rng: _said(rng, ["p?"], ["[p+q=r."]), 2),
        Case(
            "two rows, two calls",
            lambda rng: _said(rng, ["pq?", "rs?"], ["[s+r0=q.", "sr[p+q=."]),
            2,
        ),
        Case("two calls", lambda rng: _said(rng, ["r?"], ["[p+q=.[s+r0=q..."], count=22), 2),
        Case("a call that the tool does not know", lambda rng: _said(rng, ["p?"], ["[p+p+q=rs"])),
        Case(
            "an equals sign without a bracket",
            lambda rng: _said(rng, ["rq?", "p+q", "rs?"], ["sp=rq..", "=s.", "[p+q=r=q"]),
        ),
        Case(
            "a result with =, cut off",
            lambda rng: _said(rng, ["p?"], ["[1=r"], count=8),
            corner=True,
        ),
        Case("a call in the prompt calls nothing", lambda rng: _said(rng, ["[p+q="], ["rspq."])),
        Case("part of the call is in the prompt", lambda rng: _said(rng, ["s?[p+"], ["q=r."])),
        Case("any tokens", lambda rng: _drawn(rng, 3, 17, penalty=2.0, temperature=0.5)),
        Case("cold", lambda rng: _drawn(rng, 2, 11, temperature=0.0)),
        Case("in float32", lambda rng: _drawn(rng, 2, 7), dtype="float32"),
        Case("none wanted", lambda rng: _drawn(rng, 2, 0), corner=True),
        Case(
            "fed once",
            lambda rng: _drawn(rng, 2, 5),
            most={"positions": 2 * (3 + 4), "calls": 5},
            corner=False,
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


def _said(rng, prompts, wanted, *, count=14):
    """The model is indifferent: random numbers in the middle of a token's share sample it.

    The letters stand for digits that differ.
    """
    digits = str.maketrans(dict(zip("pqrs", map(str, rng.permutation(8)[:4] + 2), strict=True)))
    prompts, wanted = ([text.translate(digits) for text in texts] for texts in (prompts, wanted))
    p, q, r, s = (int(letter.translate(digits)) for letter in "pqrs")
    tool = {f"{p}+{q}": str(p + q), f"{s}+{r}0": str(10 * r + s)}
    tool["1"] = f"{rng.integers(10, 100)}={rng.integers(10**5, 10**6)}"
    rows = [_row(text, before, tool, count) for text, before in zip(wanted, prompts, strict=True)]
    return {
        "step": Made("continued", {"log_probs": np.zeros((1, 16))}),
        "prompt": _encode(prompts),
        "uniform": np.array(rows),
        "tool": tool,
    }


def _row(text, before, tool, count):
    """Random numbers with which a model says a text, and the tool its results."""
    row, waiting, signs = [], "", iter(text)
    while len(row) < count:
        sign = waiting[0] if waiting else next(signs, ".")
        row.append(0.5 if waiting else (SIGNS.index(sign) + 0.5) / 16)
        if waiting:
            waiting = waiting[1:]
        elif sign == "=":
            waiting = tool.get(before.rpartition("[")[2], "") + "]"
        before += sign
    return row


def _drawn(rng, rows, count, **settings):
    table = np.round(32 * rng.standard_normal((5, 16))) / 32
    table[:, SIGNS.index("=")] += 1.0
    prompt = rng.integers(2, 10, (rows, 3))
    return {
        "step": Made("continued", {"log_probs": table}),
        "prompt": prompt,
        "uniform": rng.integers(0, 64, (rows, count)) / 64 + 1 / 128,
        "tool": {"".join(map(str, row)): "12" for row in prompt.tolist()},
        **settings,
    }
