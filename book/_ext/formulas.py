"""Sphinx extension: formulas are set by KaTeX while the book is built.

A page holds each formula twice: as HTML for the eye, and as MathML for screen readers. No script
sets it in the browser.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.locale import _
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

from grader.instruct.formulas import katex

logger = logging.getLogger(__name__)
PIECE = re.compile(r"\\(?:begin|end)\{\w+\*?\}|\\[a-zA-Z]+|\\?.", re.DOTALL)
OPENS, CLOSES = re.compile(r"\{|\\begin.*|\\left"), re.compile(r"\}|\\end.*|\\right")
BEFORE, AFTER = r"[(\[“‘]", r"(?:[.,;:!?)\]”’]+|th\b)"  # what stays on the line of a formula
INLINE = re.compile(rf"({BEFORE}?)\\\((.+?)\\\)({AFTER}?)", re.DOTALL)
OUTPUTS = re.compile(  # with formulas in their text
    r"<(table|figcaption)\b[^>]*\btex2jax_process\b.*?</\1>", re.DOTALL
)
TEXT = re.compile(r">[^<]+")


def _pieces(tex: str) -> list[tuple[str, int]]:
    """Commands and letters, each with how many braces and environments are open around it."""
    depth, found = 0, []
    for piece in PIECE.findall(tex):
        depth -= bool(CLOSES.fullmatch(piece))
        found.append((piece, depth))
        depth += bool(OPENS.fullmatch(piece))
    return found


def display(tex: str) -> str:
    """Set a formula on a line of its own.

    `\\qquad` outside of braces parts it: where the parts do not fit into a line, each has its own.

    Args:
        tex: rows that `\\\\` ends are aligned at `&`; an environment with numbers has none.

    Returns:
        HTML and MathML.

    Raises:
        ValueError: KaTeX does not understand it.
    """
    tex = re.sub(r"\{(align|gather)\}", r"{\1*}", tex.strip())
    if any(depth == 0 and piece in ("\\\\", "&") for piece, depth in _pieces(tex)):
        return katex(rf"\begin{{split}}{tex}\end{{split}}", display=True)
    parts = [""]
    for piece, depth in _pieces(tex):
        if depth == 0 and piece == r"\qquad":
            parts.append("")
        else:
            parts[-1] += piece
    made = [katex(part, display=True) for part in parts if part.strip()]
    return made[0] if len(made) == 1 else f'<div class="course-parts">{"".join(made)}</div>'


def _set(tex: str, render: Callable[[str], str], place: object) -> str:
    try:
        return render(tex)
    except ValueError as error:
        logger.warning(str(error), location=place)
        return html.escape(tex)


def _visit_math(translator, node: nodes.math) -> None:
    made = _set(node.astext(), katex, node)
    start = translator.starttag(node, "span", "", CLASS="math notranslate nohighlight")
    translator.body.append(f"{start}{made}</span>")
    raise nodes.SkipNode


def _visit_display(translator, node: nodes.math_block) -> None:
    body = translator.body
    body.append(translator.starttag(node, "div", CLASS="math notranslate nohighlight"))
    if node["number"] and not node["nowrap"]:
        body.append(f'<span class="eqno">({get_node_equation_number(translator, node)})')
        translator.add_permalink_ref(node, _("Link to this equation"))
        body.append("</span>")
    body.append(f"{_set(node.astext(), display, node)}</div>\n")
    raise nodes.SkipNode


def keep(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Keep the comma after a formula, and the bracket before one, on its line."""
    for math in list(doctree.findall(nodes.math)):
        at = math.parent.index(math)
        before, after = (
            math.parent[place] if 0 <= place < len(math.parent) else None
            for place in (at - 1, at + 1)
        )
        opened = re.search(f"{BEFORE}$", before) if isinstance(before, nodes.Text) else None
        closed = re.match(AFTER, after) if isinstance(after, nodes.Text) else None
        if not opened and not closed:
            continue
        kept = nodes.inline("", classes=["course-kept"])
        math.replace_self(kept)
        kept += math
        if opened:
            kept.insert(0, nodes.Text(opened[0]))
            before.parent.replace(before, nodes.Text(before[: opened.start()]))
        if closed:
            kept += nodes.Text(closed[0])
            after.parent.replace(after, nodes.Text(after[closed.end() :]))


def inside(text: str, page: str = "") -> str:
    """Set the formulas of the text between two tags, which stand in `\\(` and `\\)`."""

    def one(found: re.Match) -> str:
        before, tex, after = found.groups()
        made = before + _set(html.unescape(tex), katex, page) + after
        return f'<span class="course-kept">{made}</span>' if before or after else made

    return INLINE.sub(one, text)


def outputs(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Set the formulas of tables and captions that cells put out as HTML."""
    if "body" in context:
        context["body"] = OUTPUTS.sub(
            lambda box: TEXT.sub(lambda text: inside(text[0], page), box[0]), context["body"]
        )


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("katex", (_visit_math, None), (_visit_display, None))
    app.connect("doctree-resolved", keep)
    app.connect("html-page-context", outputs)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
