"""Texts in the code of pages, found by syntax tree: messages of their catalogs."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Literal

from book.pages import BOOK

HOLE = re.compile(r"\{#\d+\}")
LETTERS = re.compile(r"[^\W\d_]{2,}")
WORDS = re.compile(r"(?<![^\s(“])[^\W\d_][a-z]{2,}(?![^\s,.:;)?”])")  # and not code, files, options
CELL = re.compile(r"^```\{code-cell\}[^\n]*\n((?::[^\n]*\n)*)(.*?)^```$", re.MULTILINE | re.DOTALL)
Kind = Literal["said", "shown", "loose"]  # by `say`; in a figure or table; perhaps in one of these


@dataclass(frozen=True)
class Message:
    """A text in code, with a placeholder for each part that is computed.

    Attributes:
        text: the English, in one line for each paragraph.
        holes: the code of each placeholder.
        many: the English for more than one, if ``'s' * (n != 1)`` stands in it; else empty.
        counts: the place of the number that decides between the two, from 0.
        inner: texts that a placeholder may show.
        sentence: whether `say` says it as Markdown; else it stands in a figure or table.
        line: of the page, or of the module.
    """

    text: str
    holes: tuple[str, ...] = ()
    many: str = ""
    counts: int = 0
    inner: tuple[Message, ...] = ()
    sentence: bool = False
    line: int = 0

    def note(self) -> list[str]:
        """Notes on it for a translator."""
        kind = ["A computed sentence."] if self.sentence and self.holes else []
        return kind + [f"{{#{k}}}: {code}" for k, code in enumerate(self.holes, 1)]

    @cached_property
    def pattern(self) -> re.Pattern:
        """Matches the English text with any parts."""
        options = [_pattern(self.text)] + ([_pattern(self.many)] if self.many else [])
        return re.compile("|".join(options), re.DOTALL)


def _pattern(text: str) -> str:
    """A regular expression for a text with any parts, wherever its lines are broken."""
    pieces = (map(re.escape, re.split(r"\s+", piece)) for piece in HOLE.split(text))
    return "(.*?)".join(r"\s+".join(piece) for piece in pieces)


SAID = {"say": 0}
SHOWN = {  # which argument of a call, counted from 0, is text on the page
    **{"annotate": 0, "set_title": 0, "set_xlabel": 0, "set_ylabel": 0, "suptitle": 0},
    **{"text": 2, "box": 2, "matrix": 4, "table": 0, "shapes": 0},
}
NAMED = {"alt", "caption", "header", "label", "note", "suptitle", "title", "xlabel", "ylabel"}
OF = {"show": 0}  # of a drawing, not the function of that name
PASSES = {"append", "dict", "enumerate", "join", "list", "reversed", "sorted", "tuple", "zip"}


def messages(source: str, line: int = 1) -> list[Message]:
    """The texts that Python source puts on a page, in its order.

    They are what `say` says, the texts of figures, tables and drawings, and strings that are given
    names or gone through in loops, which tables and labels take up.

    Args:
        source: of a cell or module; one that is no Python has none.
        line: on which it begins.
    """
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return []
    found: dict[tuple[str, bool], Message] = {}
    for node in ast.walk(tree):
        for part, kind in _texts(node):
            for message in _messages(part, kind, line):
                for one in (*message.inner, message):
                    found.setdefault((one.text, one.sentence), one)
    return sorted(found.values(), key=lambda message: message.line)


def _texts(node: ast.AST) -> Iterator[tuple[ast.expr, Kind]]:
    """The expressions under a node that are texts, and of which kind."""
    if isinstance(node, ast.Call):
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        places = SAID | SHOWN | (OF if isinstance(node.func, ast.Attribute) else {})
        if name == "shapes":
            named = (part.elts[0] for part in node.args if isinstance(part, ast.Tuple))
            yield from ((part, "shown") for part in named)
        elif name in places and len(node.args) > places[name]:
            yield node.args[places[name]], "said" if name in SAID else "shown"
        yield from ((pair.value, "shown") for pair in node.keywords if pair.arg in NAMED)
        if name == "append":
            yield from ((part, "loose") for part in node.args)
        elif isinstance(node.func, ast.Name) and not name.endswith("Error") and name not in places:
            yield from ((part, "loose") for part in node.args if _is_phrase(part))
    elif isinstance(node, ast.Dict):
        yield from ((key, "loose") for key in node.keys if _is_phrase(key))
    elif isinstance(node, ast.Assign | ast.Return) and node.value:
        yield node.value, "loose"
    elif isinstance(node, ast.For):
        yield node.iter, "loose"


def _is_phrase(node: ast.expr | None) -> bool:
    """Whether it is a text of several words: single ones are rather names than labels."""
    return any(isinstance(piece, str) and " " in piece for piece in (node and _pieces(node)) or ())


def _messages(node: ast.expr, kind: Kind, line: int) -> Iterator[Message]:
    """The messages that an expression may come to; the source begins on that line."""
    if (pieces := _pieces(node)) is not None:
        yield from _message(pieces, kind, line, line + node.lineno - 1)
        return
    if isinstance(node, ast.IfExp):
        parts = [node.body, node.orelse]
    elif isinstance(node, ast.BoolOp):
        parts = node.values
    elif isinstance(node, ast.Tuple | ast.List | ast.Set):
        parts = node.elts
    elif isinstance(node, ast.Dict):
        parts = [part for part in (*node.keys, *node.values) if part]
    elif isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp):
        parts = [node.elt, *(each.iter for each in node.generators)]
    elif isinstance(node, ast.Starred):
        parts = [node.value]
    elif isinstance(node, ast.Call):
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        parts = node.args if name in PASSES else []
    else:
        parts = []
    for part in parts:
        yield from _messages(part, kind, line)


def _pieces(node: ast.expr) -> list[str | ast.expr] | None:
    """A text in pieces: strings, and expressions that are computed; None if it is no text."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.JoinedStr):
        return [part.value if isinstance(part, ast.Constant) else part for part in node.values]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        sides = [_pieces(side) for side in (node.left, node.right)]
        if any(sides):
            return [*(sides[0] or [node.left]), *(sides[1] or [node.right])]
    replaces = isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "replace"
    if replaces and all(isinstance(part, ast.Constant) for part in node.args):
        old, new = (part.value for part in node.args)
        base = _pieces(node.func.value)
        return base and [one.replace(old, new) if isinstance(one, str) else one for one in base]
    return None


def _message(pieces: list[str | ast.expr], kind: Kind, start: int, line: int) -> Iterator[Message]:
    """The message that pieces make; if they hold no words, those that stand in its parts."""
    holes: list[str] = []
    inner: list[Message] = []
    one = many = counted = ""
    for piece in pieces:
        if isinstance(piece, str):
            one, many = one + piece, many + piece
        elif number := _plural(piece):
            many, counted = f"{many}s", number
        else:
            holes.append(_code(piece))
            mark = f"{{#{len(holes)}}}"
            one, many = one + mark, many + mark
            value = piece.value if isinstance(piece, ast.FormattedValue) else piece
            inner += _messages(value, "shown", start)
    if not (WORDS if kind == "loose" else LETTERS).search(bare(one)):
        yield from inner
        return
    one, many = (flow(inspect.cleandoc(text)) for text in (one, many))
    places = [k for k, code in enumerate(holes) if code.partition(":")[0] == counted]
    more = (many, places[0]) if counted and places else ("", 0)
    yield Message(one, tuple(holes), *more, tuple(inner), kind == "said", line)


def bare(text: str) -> str:
    """A text without its placeholders, code and formulas."""
    return re.sub(r"`[^`]*`|\$[^$]*\$", "", HOLE.sub("", text))


def _plural(piece: ast.expr) -> str:
    """The number in ``'s' * (number != 1)`` or ``> 1``; else nothing."""
    times = piece.value if isinstance(piece, ast.FormattedValue) else piece
    if not isinstance(times, ast.BinOp) or not isinstance(times.right, ast.Compare):
        return ""
    return ast.unparse(times.right.left) if ast.unparse(times.left) == "'s'" else ""


def _code(piece: ast.expr) -> str:
    """The code of a placeholder as it stands in an f-string."""
    if not isinstance(piece, ast.FormattedValue):
        return ast.unparse(piece)
    form = "".join(
        part.value if isinstance(part, ast.Constant) else "…"
        for part in getattr(piece.format_spec, "values", [])
    )
    return ast.unparse(piece.value) + (f":{form}" if form else "")


def flow(text: str) -> str:
    """A text with each paragraph in one line; lists, tables and code keep their lines."""
    if "```" in text:
        return text
    return re.sub(r"(?<!\n)[ \t]*\n(?!\s*(?:\n|[-*+|>] |\d+\. |\Z|:::|<))[ \t]*", " ", text)


@cache
def cells_of(page: Path) -> list[tuple[int, str]]:
    """The code cells of a page as it stands in a file: line and source of each."""
    text = page.read_text()
    return [(text.count("\n", 0, cell.start(2)) + 1, cell[2]) for cell in CELL.finditer(text)]


@cache
def of_interface() -> list[Message]:
    """Messages of the functions that pages call, said by themselves."""
    sources = ((BOOK / f"{name}.py").read_text() for name in ("figures", "recorded"))
    found = [message for source in sources for message in messages(source)]
    return [one for one in found if one.holes and (one.sentence or len(one.holes) > 2)]
