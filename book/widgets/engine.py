"""Widgets that train or step: the page carries `engine.js` beside the script of the widget."""

from __future__ import annotations

from book.widgets.board import widget


def live_widget(name: str, content: str, alt: str, *, model: object) -> None:
    """Show a widget whose script also has what `engine.js` defines, and the looks of `engine.css`.

    Args:
        name: of its files in this folder.
        content: HTML of a still, with a sentence that says the same.
        alt: what it is, for notebooks that show no HTML.
        model: data for the script, to be written as JSON.
    """
    widget(name, content, alt, model=model, shared=("board", "engine"))
