"""Sphinx extension: what a page loads, and when.

The theme asks for a script of all icons there are, and for the search index on every page. Here
icons are a style of ours, only the page that searches loads the index, and no script keeps the
page from being painted. Code is not indexed: a search finds words and sections.
"""

from __future__ import annotations

import re

from docutils import nodes
from sphinx.application import Sphinx

ICONS = re.compile(r'<script[^>]*src="[^"]*fontawesome\.js[^"]*"[^>]*></script>\n?')
SEARCH = re.compile(
    r'<script[^>]*src="[^"]*(searchtools|language_data|searchindex)\.js[^"]*"[^>]*></script>\n?'
)
BLOCKING = re.compile(
    r"<script(?![^>]*\b(?:defer|async)\b)(?=[^>]*\bsrc=)(?![^>]*documentation_opt)"
)


class code(nodes.literal_block, nodes.comment):
    """Code that the search leaves out: it takes no comments."""


def code_block(text: str, language: str, *classes: str) -> code:
    """Code to read, highlighted."""
    return code(text, text, language=language, classes=list(classes))


def _visit_code(translator, node: code) -> None:
    translator.visit_literal_block(node)


def lighten(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Give the page's template a function for its head."""

    def lighter(html: str) -> str:
        html = ICONS.sub("", html)
        if template != "search.html":  # its own scripts wait for one another
            html = BLOCKING.sub("<script defer", SEARCH.sub("", html))
        return html

    context["lighter"] = lighter


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_node(code, html=(_visit_code, None))
    app.connect("html-page-context", lighten)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
