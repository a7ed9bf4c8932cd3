"""Puts a widget on the page: its HTML and data, with the style and the script of its name."""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Sequence
from pathlib import Path

from IPython.display import display

SPARED = {
    "css": re.compile(r"^ *\n|^ +|/\*.*?\*/\n?", re.MULTILINE | re.DOTALL),
    "js": re.compile(r"^ *(?://.*)?\n|^ +| //(?= ).*$", re.MULTILINE),
}
NAMED = re.compile(r"^const (\w+) =", re.MULTILINE)  # what a script of several widgets hands on
PART = "(globalThis.courseParts ??= {{}}).{name} ??= (() => {{\n{text}return {names};\n}})();"


def widget(
    name: str,
    content: str,
    alt: str,
    *,
    model: object = None,
    attributes: str = "",
    parts: Sequence[str] = (),
) -> None:
    """Show a widget: what `<name>.css` styles and `<name>.js` brings to life, where they are there.

    The website keeps the first of each style and script that stand several times on a page
    (`data-shared`); a notebook shows each widget alone, and needs them all.

    Args:
        name: of its files in this folder; also the class of its element, `course-<name>`.
        content: HTML that says, without the script, at least what it would be.
        alt: what it is, for notebooks that show no HTML.
        model: data for the script, to be written as JSON.
        attributes: further ones of the element, ``'role="group"'``.
        parts: what else its script uses of this folder, as ``"player"``.
    """
    if model is not None:
        data = json.dumps(model, separators=(",", ":"), ensure_ascii=False)
        attributes += f' data-model="{html.escape(data)}"'
    page = f'<div class="course-widget course-{name}" {attributes.strip()}>{content}</div>'
    used = ("board", *parts)
    page = "".join(_shared("style", part, asset(part, "css")) for part in (*used, name)) + page
    if asset(name, "js"):
        scripts = {part: _part(part) for part in used} | {name: _script(name, used)}
        page += "\n" + "".join(_shared("script", part, text) for part, text in scripts.items())
    display({"text/html": page, "text/plain": alt}, raw=True)


def board_and_bars(pixels: Sequence[float], shares: Sequence[float], texts: Sequence[str]) -> str:
    """HTML of a board of pixels and its bars without the script, in the same form.

    Args:
        pixels: of a square picture, from 0 (paper) to 1 (ink).
        shares: the lengths of the bars, from 0 to 1.
        texts: one beside each bar.
    """
    side = math.isqrt(len(pixels))
    cells = [f'<i style="--ink:{ink:.3f}"></i>' for ink in pixels]
    lines = ("".join(cells[start : start + side]) for start in range(0, len(cells), side))
    board = "".join(f'<div class="course-line">{line}</div>' for line in lines)
    bars = "".join(
        f'<div class="course-bar"><b>{number}</b><span><i style="--share:{share:.4f}"></i></span>'
        f"<span>{text}</span></div>"
        for number, (share, text) in enumerate(zip(shares, texts, strict=True))
    )
    return (
        f'<div class="course-both"><div class="course-board" aria-hidden="true">{board}</div>'
        f'<div class="course-bars">{bars}</div></div>'
    )


def asset(name: str, kind: str) -> str:
    """A style or a script of this folder as pages carry it: without comments and indentation.

    Empty if there is none. No string in them goes over the end of a line.
    """
    return SPARED[kind].sub("", _written(name, kind))


def _written(name: str, kind: str) -> str:
    file = Path(__file__).with_name(f"{name}.{kind}")
    return file.read_text(encoding="utf-8") if file.exists() else ""


def _shared(tag: str, name: str, text: str) -> str:
    return f'<{tag} data-shared="{name}">{text}</{tag}>\n' if text else ""


def _names(part: str) -> str:
    """As JavaScript writes what a script hands on, and what another takes."""
    return f"{{ {', '.join(NAMED.findall(_written(part, 'js')))} }}"


def _part(name: str) -> str:
    """The script of a part, which has the names of the board, and none of the page's."""
    return PART.format(name=name, text=_taken(("board",), name), names=_names(name))


def _script(name: str, parts: Sequence[str]) -> str:
    """The script of a widget, which has the names of its parts."""
    return f"(() => {{\n{_taken(parts, name)}}})();"


def _taken(parts: Sequence[str], name: str) -> str:
    taken = [f"const {_names(part)} = courseParts.{part};\n" for part in parts if part != name]
    return "".join(taken) + asset(name, "js")
