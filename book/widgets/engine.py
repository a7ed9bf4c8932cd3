"""Widgets that train or step: the page carries `engine.js` beside the script of the widget."""

from __future__ import annotations

from book.widgets.board import asset, widget


def live_widget(name: str, content: str, alt: str, *, model: object) -> None:
    """Show a widget whose script can call `CourseEngine`, which `engine.js` defines.

    The website keeps the first of what several widgets of a page share (`data-shared`).

    Args:
        name: of its files in this folder.
        content: HTML of a still, with a sentence that says the same.
        alt: what it is, for notebooks that show no HTML.
        model: data for the script, to be written as JSON.
    """
    style, script = (asset("engine", kind) for kind in ("css", "js"))
    before = f'<style data-shared="engine">{style}</style>\n'
    before += f'<script data-shared="engine">{script}</script>\n'
    widget(name, content, alt, model=model, before=before)
