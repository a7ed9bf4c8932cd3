"""Editing Python source by its syntax tree: answers, skeletons and blanks, known mistakes."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence

from grader.judge.syntax import (
    IMPORTS,
    Definition,
    Module,
    binds,
    definition,
    dotted,
    first_line,
    is_private,
    lines_of,
    names_in,
    text_of,
)

LINE = 100  # characters, as everywhere in this project
BLANK = "raise NotImplementedError"
ANSWERS = ("right", "wrong")  # decorators of answers
HEAD = re.compile(rb"(?:def|class)\s+([^\s(:]+)")  # of a definition at the top


def replace(source: str, symbol: str, text: str) -> str:
    """Put other text in the place of a definition."""
    node = definition(source, symbol)
    lines = lines_of(source)
    new = textwrap.dedent(text).strip("\n")
    lines[first_line(node) - 1 : node.end_lineno] = lines_of(new)
    return "\n".join(lines) + "\n"


def renamed(source: str, node: Definition, symbol: str) -> str:
    """The text of a definition under another name, without the decorators of answers."""
    lines = [line.encode() for line in lines_of(source)]  # columns count bytes
    uses = [
        (part.lineno, part.col_offset, part.end_col_offset)
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and part.id == node.name
    ]
    if head := HEAD.match(lines[node.lineno - 1]):
        uses.append((node.lineno, *head.span(1)))
    for line, start, end in sorted(uses, reverse=True):  # those before it in the line stay put
        old = lines[line - 1]
        lines[line - 1] = old[:start] + symbol.encode() + old[end:]
    return undecorated(b"\n".join(lines).decode(), node)


def undecorated(source: str, node: ast.stmt) -> str:
    """The text of a statement without the decorators of answers; others stay."""
    drop: set[int] = set()
    for item in getattr(node, "decorator_list", ()):
        called = item.func if isinstance(item, ast.Call) else item
        if dotted(called) in ANSWERS:
            drop.update(range(item.lineno, 1 + (item.end_lineno or item.lineno)))
    kept = range(first_line(node), 1 + (node.end_lineno or node.lineno))
    lines = lines_of(source)
    return "\n".join(lines[number - 1] for number in kept if number not in drop)


def change(source: str, symbol: str, changes: Mapping[str, str]) -> str:
    """Apply small textual changes inside one definition.

    Raises:
        LookupError: a text to change does not stand there exactly once.
    """
    text = text_of(source, symbol)
    for old, new in changes.items():
        if text.count(old) != 1:
            raise LookupError(
                f"{old!r} stands {text.count(old)} times in {symbol!r}, expected once"
            )
        text = text.replace(old, new)
    return replace(source, symbol, text)


def skeleton(source: str, symbols: Collection[str], home: str) -> str:
    """A chapter's exercises as `blank` leaves them, and of the rest what they need: imports,
    constants that fit on a line, and what calls an exercise in its turn.

    Other public definitions that they need are imported; private ones are part of the answers.

    Args:
        source: the chapter's module.
        symbols: its exercises.
        home: the module that has the rest, ``course.linear`` for example.
    """
    module, lines = Module(source), lines_of(source)
    kept, used, given = _beside(module, symbols)
    ours = {home: given} if given else {}
    imports = [node for node in module.tree.body if isinstance(node, IMPORTS)]
    for node in imports:
        names = _used_names(node, used) if _package(node) == "course" else []
        if names and isinstance(node, ast.ImportFrom):
            ours[node.module or ""] = names
    block = [line for name in sorted(ours) for line in _import_lines(name, ours[name])]
    found, end = list[str](), 0
    for node in module.tree.body:
        first, new = first_line(node), list[str]()
        between, end = lines[end : first - 1], node.end_lineno
        if isinstance(node, Definition) and node.name in symbols:
            new = _blank_lines(node, lines)
        elif isinstance(node, ast.ImportFrom) and _package(node) not in ("course", "__future__"):
            if names := _used_names(node, used):
                new = _import_lines(node.module or "", names)
        elif (
            node is module.tree.body[0]
            or id(node) in kept
            or _package(node) == "__future__"
            or (isinstance(node, ast.Import) and _used_names(node, used))
        ):
            new = lines[first - 1 : end]
        while not new and between and between[-1].startswith("#"):  # a comment on what goes
            between.pop()
        found += [*between, *new]
        if node is imports[-1] and block:
            found = [*lines_of("\n".join(found).rstrip("\n")), "", *block]
    return re.sub(r"(?<=\n)# .*\n+(?=# |\Z)", "", tidy("\n".join(found))) + "\n"


def _beside(module: Module, symbols: Collection[str]) -> tuple[set[int], set[str], list[str]]:
    """Parts of a skeleton beside its exercises: the statements that stay, all names that are
    used, and those to import.
    """
    asked, kept, used, given = {*symbols}, set[int](), set[str](), set[str]()
    answers = [node for node in module.tree.body if binds(node) & asked]
    todo, seen = [(name, False) for name in names_in(answers)], set[tuple[str, bool]]()
    while todo:
        name, stays = todo.pop()
        used.add(name)
        nodes = () if (name, stays) in seen else module.binding.get(name, ())
        seen.add((name, stays))
        for node in nodes:
            if isinstance(node, IMPORTS) or node in answers:
                continue
            needs = names_in([node])
            private = all(map(is_private, binds(node)))
            own = {one for one in needs if not _is_imported(module, one)} - binds(node)
            short = node.lineno == node.end_lineno and not own
            calls = any(other in answers for other in module.reachable(name))
            if short or (stays if private else calls):
                kept.add(id(node))
                todo += [(one, True) for one in needs]
            elif private:
                todo += [(one, False) for one in needs]
            else:
                given.add(name)
    return kept, used, sorted(given)


def _is_imported(module: Module, name: str) -> bool:
    """Is it none of the names that the file itself gives a value to?"""
    return all(isinstance(node, IMPORTS) for node in module.binding.get(name, ()))


def _used_names(node: ast.Import | ast.ImportFrom, used: Collection[str]) -> list[str]:
    """Names that an import brings and that are used, as the import states them."""
    items = [one for one in node.names if (one.asname or one.name.partition(".")[0]) in used]
    return [f"{one.name} as {one.asname}" if one.asname else one.name for one in items]


def _import_lines(module: str, names: Sequence[str]) -> list[str]:
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= LINE:
        return [line]
    return [f"from {module} import (", *(f"    {name}," for name in names), ")"]


def blank(source: str, symbols: Collection[str]) -> str:
    """The skeleton: the named definitions keep signature and docstring and lose their bodies.

    Private definitions and constants at the top level (``_name``) are part of the answer and go,
    unless something that stays needs them.
    """
    tree = ast.parse(source)
    lines = lines_of(source)
    private = {
        id(node): set(names)
        for node in tree.body
        if (names := _targets(node)) and all(map(is_private, names))
    }
    answers = {id(n) for n in tree.body if isinstance(n, Definition) and n.name in symbols}
    kept = [node for node in tree.body if id(node) not in private and id(node) not in answers]
    for node in kept:  # grows while private helpers of helpers are found
        used = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        kept += [n for n in tree.body if private.get(id(n), set()) & used and n not in kept]
    needed = {id(node) for node in kept}
    for node in reversed(tree.body):
        if id(node) in private and id(node) not in needed:
            del lines[first_line(node) - 1 : node.end_lineno]
        elif isinstance(node, Definition) and node.name in symbols:
            lines[first_line(node) - 1 : node.end_lineno] = _blank_lines(node, lines)
    return tidy("\n".join(lines)) + "\n"


def parts(source: str, symbols: Collection[str]) -> Iterator[tuple[str | None, str]]:
    """A file cut before and after each of the named definitions.

    Yields:
        Each piece in order: the symbol (None for what stands between two), and its text.
    """
    lines, between = lines_of(source), []
    at = 0
    for node in ast.parse(source).body:
        if isinstance(node, Definition) and node.name in symbols:
            between += lines[at : first_line(node) - 1]
            if text := tidy("\n".join(between)).strip("\n"):
                yield None, text
            yield node.name, "\n".join(lines[first_line(node) - 1 : node.end_lineno])
            between, at = [], node.end_lineno
    if text := tidy("\n".join(lines[at:])).strip("\n"):
        yield None, text


def tidy(text: str) -> str:
    """At most two blank lines in a row, none at the end."""
    while "\n\n\n\n" in text:
        text = text.replace("\n\n\n\n", "\n\n\n")
    return text.rstrip("\n")


def _blank_lines(node: Definition, lines: list[str]) -> list[str]:
    """The lines of a definition without its body; a class keeps its public methods' heads."""
    first = node.body[0]
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    end = first.end_lineno if documented else first_line(first) - 1
    head = lines[first_line(node) - 1 : end]
    if isinstance(node, ast.FunctionDef):
        return [*head, " " * first.col_offset + BLANK]
    body: list[str] = []
    for item in node.body[1 if documented else 0 :]:
        if isinstance(item, ast.FunctionDef):
            if item.name.startswith("_") and not item.name.startswith("__"):
                continue
            body += ["", *_blank_lines(item, lines)]
        else:
            body += lines[first_line(item) - 1 : item.end_lineno]
    return head + body


def _package(node: ast.stmt) -> str:
    """``a`` of ``from a.b import c``; nothing of other statements."""
    return (getattr(node, "module", None) or "").partition(".")[0]


def _targets(node: ast.stmt) -> list[str]:
    """Names that a top-level statement binds."""
    if isinstance(node, Definition):
        return [node.name]
    targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
    parts = [part for target in targets if target for part in ast.walk(target)]
    return [p.id for p in parts if isinstance(p, ast.Name) and isinstance(p.ctx, ast.Store)]
