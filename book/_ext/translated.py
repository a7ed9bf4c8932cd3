"""Sphinx extension: the site in another language than English, and its texts for translators.

Sphinx translates the prose by the catalogs that `book.translation` keeps. Here are what it does not
know: the words of our own scripts, and that pages are read for their texts as they are written.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective
from sphinx_exercise.directive import ExerciseDirective

from book.pages import BOOK
from book.translation import ENGLISH, digest, said, word
from book.translation.templates import INSIDE, SCRIPT


class Nothing(SphinxDirective):
    """Stand in for a directive that shows the outputs of cells, where none has run."""

    required_arguments = 2

    def run(self) -> list[nodes.Node]:
        return []


class Exercise(ExerciseDirective):
    """An exercise with its title in the language of the site, which Sphinx leaves alone."""

    def run(self) -> list[nodes.Node]:
        self.arguments = [said(Path(self.env.docname).name, title) for title in self.arguments]
        return super().run()


class Formulas(SphinxTransform):
    """The words that stand in formulas on lines of their own."""

    default_priority = 15

    def apply(self) -> None:
        slug = Path(self.env.docname).name
        for block in self.document.findall(nodes.math_block):
            tex = block.astext()
            if (new := INSIDE.sub(lambda found: said(slug, found[1]), tex)) != tex:
                block.children = []
                block += nodes.Text(new)


def read_as_written(app: Sphinx) -> None:
    """For Sphinx's gettext builder, leave pages as they are written, and run nothing."""
    if app.builder.name != "gettext":
        return
    for listeners in app.events.listeners.values():
        ours = [one for one in listeners if one.handler.__module__.startswith("book._ext.")]
        for listener in ours:
            listeners.remove(listener)
    for name in ("from-chapter", "wrong-answer"):
        app.add_directive(name, Nothing, override=True)


def translate_scripts(app: Sphinx, exception: Exception | None) -> None:
    """Write the words of our scripts in the language of the site."""
    if exception or app.config.language == ENGLISH:
        return
    for source in BOOK.glob("_static/*.js"):
        copy = Path(app.outdir, "_static", source.name)
        if copy.is_file():
            text = SCRIPT.sub(_quoted, source.read_text("utf-8"))
            copy.write_text(text, "utf-8")


def mark_english(
    app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document | None
) -> None:
    """Say of a page that has no catalog that it is English."""
    if doctree is not None and not digest(Path(page).name):
        context["language"] = ENGLISH


def _quoted(found: re.Match) -> str:
    return json.dumps(word(found[0]), ensure_ascii=False)[1:-1]


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("exercise", Exercise, override=True)
    app.add_transform(Formulas)
    app.connect("builder-inited", read_as_written)
    app.connect("html-page-context", mark_english)
    app.connect("build-finished", translate_scripts, priority=100)  # before styles are gathered
    return {"parallel_read_safe": True, "parallel_write_safe": True}
