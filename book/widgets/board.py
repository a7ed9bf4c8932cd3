"""Puts a widget on the page: its HTML and data, with the style and the script of its name."""

from __future__ import annotations

import html
import json
from pathlib import Path

from IPython.display import display


def widget(
    name: str, content: str, alt: str, *, model: object = None, attributes: str = ""
) -> None:
    """Show a widget: what `<name>.css` styles and `<name>.js` brings to life, where they are there.

    Args:
        name: of its files in this folder; also the class of its element, `course-<name>`.
        content: HTML that says, without the script, at least what it would be.
        alt: what it is, for notebooks that show no HTML.
        model: data for the script, to be written as JSON.
        attributes: further ones of the element, ``'role="group"'``.
    """
    style, script = (f"{_asset('board', kind)}{_asset(name, kind)}" for kind in ("css", "js"))
    if model is not None:
        data = json.dumps(model, separators=(",", ":"), ensure_ascii=False)
        attributes += f' data-model="{html.escape(data)}"'
    page = f'<div class="course-widget course-{name}" {attributes.strip()}>{content}</div>'
    page = f"<style>{style}</style>\n{page}"
    if _asset(name, "js"):  # one scope for both parts, and none of the page's names
        page += f"\n<script>(() => {{\n{script}}})();</script>"
    display({"text/html": page, "text/plain": alt}, raw=True)


def _asset(name: str, kind: str) -> str:
    file = Path(__file__).with_name(f"{name}.{kind}")
    return file.read_text(encoding="utf-8") if file.exists() else ""
