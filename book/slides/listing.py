"""Code that can be read from the last row: what is too long is cut where a reader would cut it."""

from __future__ import annotations

import ast
import re
from html import unescape

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

OPTION = " is not None"
LINES = 17  # of code on a slide
WIDTH = 80  # letters of a line; the rest goes on below it
METHODS = ("forward", "step", "encode")  # what a class is shown by


def listings(block: str) -> list[str]:
    """Code as the listing of one slide, or of two; none if its main method needs still more.

    Args:
        block: HTML inside the page's ``pre``.
    """
    block = re.sub(r'^<span></span>| *<span class="c1"># noqa.*?</span>', "", block)
    lines = block.strip("\n").split("\n")
    if any(line.count("<span") != line.count("</span>") for line in lines):
        return []  # a text of several lines, which cannot be cut between them
    lines = _comments_above(_short_signatures(lines))
    for shorter in (_without_docstrings, _without_guards, _main_method):
        if _height(lines) > LINES:
            lines = shorter(lines)
    if not _parts(lines):
        lines = _without_options(lines)
    return [_set(part) for part in _parts(lines)]


def height(listing: str) -> int:
    """Lines that listings take on a slide, with what stands between them."""
    found = re.findall(r"<pre>(.*?)\n</span></pre>", listing, re.DOTALL)
    return sum(_height(one.split("\n")) for one in found) + 3 * max(0, len(found) - 1)


def _text(line: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", line))


def _height(lines: list[str]) -> int:
    return sum(max(1, -(-len(_text(line)) // WIDTH)) for line in lines)


def _indent(line: str) -> int:
    return len(text := _text(line)) - len(text.lstrip())


def _nodes(lines: list[str]) -> list[ast.AST]:
    """Everything in some code, in its order; nothing if it is only a part."""
    try:
        return list(ast.walk(ast.parse("\n".join(map(_text, lines)))))
    except SyntaxError:
        return []


def _comments_above(lines: list[str]) -> list[str]:
    """A comment at the end of a line that is too long goes above it."""
    made = []
    for line in lines:
        ends = re.fullmatch(r'(.*\S)\s+(<span class="c1">.*</span>)', line)
        if ends and len(_text(line)) > WIDTH:
            made += [" " * _indent(line) + ends[2], ends[1]]
        else:
            made.append(line)
    return made


def _short_signatures(lines: list[str]) -> list[str]:
    """Leave out the types of signatures that take several lines."""
    lines = [*lines]
    for one in reversed(_nodes(lines)):
        if not isinstance(one, ast.FunctionDef):
            continue
        long = len(_text(lines[one.lineno - 1])) > WIDTH
        if long or one.body[0].lineno > one.lineno + 1:
            for argument in ast.walk(one.args):
                if isinstance(argument, ast.arg):
                    argument.annotation = None
            short = f"def {one.name}({ast.unparse(one.args)}):".replace("'", '"')
            colored = highlight(short, PythonLexer(), HtmlFormatter(nowrap=True)).strip()
            end = _end_of_signature(lines, one.lineno - 1)
            lines[one.lineno - 1 : end] = [" " * one.col_offset + colored]
    return lines


def _end_of_signature(lines: list[str], first: int) -> int:
    """Number of the line after a signature that begins at a line."""
    closed = (at for at in range(first, len(lines)) if re.search(r":\s*$", _text(lines[at])))
    return next(closed, first) + 1


def _without_docstrings(lines: list[str]) -> list[str]:
    """Leave out what a function says of itself: a slide has a heading."""
    lines = [*lines]
    for one in reversed(_nodes(lines)):
        if isinstance(one, ast.FunctionDef) and ast.get_docstring(one) and len(one.body) > 1:
            del lines[one.body[0].lineno - 1 : one.body[0].end_lineno]
    return lines


def _without_guards(lines: list[str]) -> list[str]:
    """Leave out what only refuses wrong arguments."""
    lines = [*lines]
    alone = [one for one in _nodes(lines) if isinstance(one, ast.If) and not one.orelse]
    return _without(lines, [one for one in alone if isinstance(one.body[-1], ast.Raise)])


def _without_options(lines: list[str]) -> list[str]:
    """Leave out what is done only where an option is not None."""
    alone = [one for one in _nodes(lines) if isinstance(one, ast.If) and not one.orelse]
    return _without(lines, [one for one in alone if ast.unparse(one.test).endswith(OPTION)])


def _without(lines: list[str], statements: list[ast.If]) -> list[str]:
    """Lines with dots for statements, once where several follow one another."""
    lines = [*lines]
    for one in sorted(statements, key=lambda statement: -statement.lineno):
        gap = " " * one.col_offset + "..."
        again = lines[one.end_lineno : (one.end_lineno or 0) + 1] == [gap]
        lines[one.lineno - 1 : one.end_lineno] = [] if again else [gap]
    return lines


def _main_method(lines: list[str]) -> list[str]:
    """Of a class its first line and its main method."""
    nodes = _nodes(lines)
    for made in (one for one in nodes if isinstance(one, ast.ClassDef)):
        methods = {one.name: one for one in made.body if isinstance(one, ast.FunctionDef)}
        for one in (methods[name] for name in METHODS if name in methods):
            method = lines[one.lineno - 1 : one.end_lineno]
            return [lines[made.lineno - 1], " " * one.col_offset + "...", *method]
    return lines


def _parts(lines: list[str]) -> list[list[str]]:
    """One part, or two that are about as long.

    The second begins with a statement, and not inside of a loop unless there is no other place.
    """
    if _height(lines) <= LINES:
        return [lines]
    least = 8 if _text(lines[0]).startswith("class") else 4
    begins = {one.lineno - 1 for one in _nodes(lines) if isinstance(one, ast.stmt)}
    cuts = []
    for cut in begins:
        while _text(lines[cut - 1]).strip().startswith("#"):
            cut -= 1  # a comment stays with its statement
        heights = _height(lines[:cut]), _height(lines[cut:])
        if _indent(lines[cut]) >= least and max(heights) <= LINES:
            cuts.append((_indent(lines[cut]), abs(heights[0] - heights[1]), cut))
    if not cuts:
        return []
    cut = min(cuts)[-1]
    return [[*lines[:cut]], [*lines[cut:]]]


def _set(lines: list[str]) -> str:
    """A listing whose long lines go on below, further in."""
    while not _text(lines[-1]).strip():
        lines.pop()
    made = (f'<span class="deck-line" style="--in:{_indent(one)}">{one}\n</span>' for one in lines)
    return f'<div class="highlight"><pre>{"".join(made)}</pre></div>'
