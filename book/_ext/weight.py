"""Sphinx extension: what a page loads, and when.

The theme asks for a script of all icons there are, and for the search index on every page. Here
icons are a style of ours, only the page that searches loads the index, and no script keeps the
page from being painted. The theme's script measures what a reader is near to, not the whole page,
which would lay all of it out. Formulas are set by KaTeX, where there are any. Code is not indexed:
a search finds words, and says in which sections they stand.
"""

from __future__ import annotations

import html
import re
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.ext.mathjax import html_visit_displaymath, html_visit_math

ICONS = re.compile(r'<script[^>]*src="[^"]*fontawesome\.js[^"]*"[^>]*></script>\n?')
SEARCH = re.compile(
    r'<script[^>]*src="[^"]*(searchtools|language_data|searchindex)\.js[^"]*"[^>]*></script>\n?'
)
BLOCKING = re.compile(
    r"<script(?![^>]*\b(?:defer|async)\b)(?=[^>]*\bsrc=)(?![^>]*documentation_opt)"
)

MEASURES = "e.tabIndex=e.scrollWidth>e.clientWidth||e.scrollHeight>e.clientHeight?0:-1"
FULL = 80  # letters: whoever ends a line of a docstring there goes on in the next
NEAR = "e.checkVisibility?.({contentVisibilityAuto:!0})??!0"


class code(nodes.literal_block, nodes.comment):
    """Code that the search leaves out: it takes no comments."""


def code_block(text: str, language: str, *classes: str) -> code:
    """Code to read, highlighted."""
    return code(text, text, language=language, classes=list(classes))


def _visit_code(translator, node: code) -> None:
    try:
        translator.visit_literal_block(node)
    finally:
        if "course-statement" in node["classes"]:  # on a phone its lines are broken
            translator.body[-1] = _lines(translator.body[-1])


def _lines(markup: str) -> str:
    """Highlighted code, each line of it in a part that knows how far it is indented.

    A line of a docstring that goes on with the sentence before it stands in that one's part.
    """
    before, code, after = re.fullmatch(r"(.*?<pre>)(.*)(</pre>.*)", markup, re.DOTALL).groups()
    parts: list[str] = []
    last, quoted = "", False
    for line in code.splitlines(keepends=True):
        text = html.unescape(re.sub(r"<[^>]*>", "", line)).rstrip("\n")
        if quoted and _goes_on(last, text):
            opened, spaces, rest = re.fullmatch(r"((?:<[^>]*>)*)( +)(.*)", line, re.DOTALL).groups()
            joined = f'{opened}<span class="course-join">\n{spaces}</span>{rest}'
            parts[-1] = parts[-1].removesuffix("\n</span>") + joined + "</span>"
        else:
            indent = _indent(text)
            style = f' style="--in:{indent}"' * (indent > 0)
            parts.append(f'<span class="course-line"{style}>{line}</span>')
        last, quoted = text, quoted ^ (text.count('"""') % 2 == 1)
    return "".join([before, *parts, after])


def _goes_on(line: str, after: str) -> bool:
    """Whether a line of a docstring is full, and the next one goes on with its sentence."""
    word = next(iter(after.split()), "")
    named = re.match(r" *[\w*, `]+: ", after) and _indent(after) <= _indent(line)
    return bool(word.strip('"')) and not named and len(line) + 1 + len(word) > FULL


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def lighten(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Give the page's template a function for its head."""

    def lighter(head: str) -> str:
        head = ICONS.sub("", head)
        if template != "search.html":  # its own scripts wait for one another
            head = BLOCKING.sub("<script defer", SEARCH.sub("", head))
        return head

    context["lighter"] = lighter


def load(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Load what sets formulas where there are some, and what finds sections where one searches."""
    if template == "search.html":
        app.add_js_file("sections.js")
    body = context.get("body", "")
    if 'class="math' in body or "tex2jax_process" in body:
        app.add_css_file("katex/katex.min.css", priority=100)
        app.add_js_file("katex/katex.min.js", priority=100)
        app.add_js_file("formulas.js", priority=101)


def spare(app: Sphinx, exception: Exception | None) -> None:
    """Let the theme's script measure only what is laid out; a11y.js comes back to the rest."""
    script = Path(app.outdir, "_static", "scripts", "pydata-sphinx-theme.js")
    if exception or not script.is_file():
        return
    text = script.read_text(encoding="utf-8")
    spared = f"({NEAR})&&({MEASURES})"
    if spared not in text:
        if text.count(MEASURES) != 1:
            raise RuntimeError(f"{script.name} measures in another way: see {__name__}.spare")
        script.write_text(text.replace(MEASURES, spared), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("katex", (html_visit_math, None), (html_visit_displaymath, None))
    app.connect("html-page-context", load, priority=400)
    app.add_node(code, html=(_visit_code, None))
    app.connect("html-page-context", lighten)
    app.connect("build-finished", spare)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
