"""Puts a widget on the page: its HTML and data, with the style and the script of its name."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Sequence
from pathlib import Path

from IPython.display import display


def widget(
    name: str,
    content: str,
    alt: str,
    *,
    model: object = None,
    attributes: str = "",
    before: str = "",
    parts: Sequence[str] = (),
) -> None:
    """Show a widget: what `<name>.css` styles and `<name>.js` brings to life, where they are there.

    Args:
        name: of its files in this folder; also the class of its element, `course-<name>`.
        content: HTML that says, without the script, at least what it would be.
        alt: what it is, for notebooks that show no HTML.
        model: data for the script, to be written as JSON.
        attributes: further ones of the element, ``'role="group"'``.
        before: HTML that comes before its style.
        parts: what else its script uses of this folder, as ``"player"``.
    """
    names = ("board", *parts, name)
    style, script = ("".join(asset(part, kind) for part in names) for kind in ("css", "js"))
    if model is not None:
        data = json.dumps(model, separators=(",", ":"), ensure_ascii=False)
        attributes += f' data-model="{html.escape(data)}"'
    page = f'<div class="course-widget course-{name}" {attributes.strip()}>{content}</div>'
    page = f"{before}<style>{style}</style>\n{page}"
    if asset(name, "js"):  # one scope for all parts, and none of the page's names
        page += f"\n<script>(() => {{\n{script}}})();</script>"
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
    """The text of a style or a script in this folder; empty if there is none."""
    file = Path(__file__).with_name(f"{name}.{kind}")
    return file.read_text(encoding="utf-8") if file.exists() else ""
