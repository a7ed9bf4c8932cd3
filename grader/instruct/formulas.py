"""Formulas as HTML and MathML: KaTeX's own script runs in QuickJS, which pip installs."""

from __future__ import annotations

import json
from functools import cache

import quickjs

from grader import course

FOLDER = course.ROOT / "book" / "_vendor" / "katex"
SCRIPT = FOLDER / "katex.min.js"
# as JSON: QuickJS keeps a long string in pieces, which the package cannot read
RENDER = "(tex, displayMode) => JSON.stringify(katex.renderToString(tex, { displayMode }))"


@cache
def _engine() -> quickjs.Object:
    context = quickjs.Context()
    context.eval(SCRIPT.read_text("utf-8"))
    return context.eval(RENDER)


@cache
def katex(tex: str, display: bool = False) -> str:
    """Set a formula.

    Args:
        tex: without delimiters.
        display: on a line of its own.

    Returns:
        HTML and MathML.

    Raises:
        ValueError: KaTeX does not understand it; the message says where.
    """
    try:
        return json.loads(_engine()(tex, display))
    except quickjs.JSException as error:
        reason = str(error).split("\n")[0].removeprefix("ParseError: ")
        raise ValueError(f"{reason}, in: {tex}") from None
