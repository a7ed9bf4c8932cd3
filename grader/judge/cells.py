"""The statements of a notebook's code cells, and the names that they bind and use."""

from __future__ import annotations

import ast
import re
import symtable
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from grader.judge import syntax
from grader.judge.unpack import TOO_MUCH

FUTURE = "from __future__ import annotations\n"
RUN = ("%%grade", "%%time", "%%capture", "%%prun")  # cell magics that run Python in the notebook
MAGIC = re.compile(r"\s*(?:[%!?]|[\w.*]+\?\??\s*$|[\w, ]+=\s*[%!])")
DEFINES = re.compile(r"^(?:def|class) +(\w+)|^(\w+) *=", re.MULTILINE)
COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.DictComp
WAITING = {"function", "type alias", "TypeVar bound"}  # scopes whose names are looked up later
if sys.version_info >= (3, 14):
    WAITING.add("annotation")
ASSIGNMENT = ast.Assign | ast.AnnAssign | ast.AugAssign


def no_python(error: Exception, text: str) -> dict:
    """Why a text is no Python, as the worker tells of an exception."""
    lines, line = syntax.lines_of(text), getattr(error, "lineno", None)
    return {
        "kind": "import",
        "type": "SyntaxError",
        "message": getattr(error, "msg", None) or str(error),
        "line": line,
        "text": lines[line - 1].strip() if line and line <= len(lines) else None,
    }


@dataclass(eq=False)
class Statement:
    """One statement at the top level of a cell.

    Attributes:
        node: its syntax tree.
        text: from its first character to its last.
        cell: counted from 1.
        place: its number among all statements.
        future: annotations are not evaluated.
    """

    node: ast.stmt
    text: str
    cell: int
    place: int
    future: bool

    @property
    def line(self) -> int:
        return syntax.first_line(self.node)

    @cached_property
    def binds(self) -> set[str]:
        return syntax.binds(self.node)

    @cached_property
    def stores(self) -> set[str]:
        """Names that it gives a new value to, whatever they stood for before."""
        node = self.node
        if isinstance(node, ast.Import):
            return {item.asname for item in node.names if item.asname}
        if isinstance(node, ast.Assign | ast.AnnAssign):
            todo: list[ast.AST] = []
            todo += [node.target] if isinstance(node, ast.AnnAssign) else node.targets
            found: set[str] = set()
            while todo:
                target = todo.pop()
                if isinstance(target, ast.Name):
                    found.add(target.id)
                elif isinstance(target, ast.Tuple | ast.List | ast.Starred):
                    todo += ast.iter_child_nodes(target)
            return found
        definition = isinstance(node, ast.ImportFrom | ast.AsyncFunctionDef | syntax.Definition)
        return syntax.binds(node) if definition else set()

    def changes(self, name: str) -> bool:
        """Does it change in place what this name stands for?"""
        return isinstance(self.node, ASSIGNMENT | ast.Expr) and name not in self.stores

    @cached_property
    def uses(self) -> tuple[set[str], set[str]]:
        """Names outside of it that it needs when it runs, and those needed when it is called.

        Raises:
            SyntaxError: it parses, and is no Python all the same.
        """
        now: set[str] = set()
        later: set[str] = set()
        text = FUTURE * self.future + _outlined(self.node, self.text)
        todo = [(symtable.symtable(text, "cell", "exec"), now)]
        while todo:
            table, found = todo.pop()
            for item in table.get_symbols():
                if item.is_referenced() or item.is_declared_global():
                    if item.is_global() or table.get_type() == "module":
                        found.add(item.get_name())
                    elif table.get_type() == "class":  # its own, or one of the file before
                        later.add(item.get_name())
            for inner in table.get_children():
                waits = inner.get_type() in WAITING and inner.get_name() != "genexpr"
                todo.append((inner, later if waits else found))
        return now, later


def _outlined(node: ast.stmt, text: str) -> str:
    """A statement's text with a generator in the place of each other comprehension.

    Since Python 3.12 (PEP 709) the names of a comprehension stand in the symbol table of what is
    around it, as if they were its own; those of a generator never do.
    """
    if not any(isinstance(part, COMPREHENSIONS) for part in syntax.parts(node)):
        return text
    return ast.unparse(_Outlined().visit(ast.parse(text)))


class _Outlined(ast.NodeTransformer):
    """Makes generators of comprehensions."""

    def _generator(self, node: ast.ListComp | ast.SetComp | ast.DictComp) -> ast.GeneratorExp:
        self.generic_visit(node)
        if isinstance(node, ast.DictComp):
            pair = ast.Tuple([node.key, node.value], ast.Load())
            return ast.GeneratorExp(pair, node.generators)
        return ast.GeneratorExp(node.elt, node.generators)

    visit_ListComp = visit_SetComp = visit_DictComp = _generator


class Notebook:
    """The statements of code cells, and the names that they bind.

    Args:
        cells: Python with magics.
        failed: cells that did not run to their end, and where each stopped.
    """

    def __init__(self, cells: Sequence[str], failed: Mapping[int, tuple[int, int]] | None = None):
        self.failed = failed or {}
        self.codes: dict[int, str] = {}
        self.broken: dict[int, Exception] = {}
        self.ran: dict[str, list[Statement]] = {}
        self.unsure: dict[str, list[Statement]] = {}  # nobody knows where their cell failed
        self.never: dict[str, list[Statement]] = {}  # where a cell had failed by then
        self.definitions: list[str] = []
        trees: dict[int, ast.Module] = {}
        for cell, text in enumerate(cells, 1):
            self.codes[cell], tree = _parsed(text)
            if isinstance(tree, ast.Module):
                trees[cell] = tree
            else:
                self.broken[cell] = tree
        self.future = any(_is_future(node) for tree in trees.values() for node in tree.body)
        place = 0
        for cell, tree in trees.items():
            lines = [line.encode() for line in syntax.lines_of(self.codes[cell])]
            for node in tree.body:
                if _is_future(node):
                    continue
                place += 1
                text = syntax.cut(lines, node)
                statement = Statement(node, text, cell, place, self.future)
                kept, stopped = self.ran, self.failed.get(cell)
                if stopped and tuple(stopped) < (node.end_lineno, node.end_col_offset):
                    kept = self.never if stopped[0] else self.unsure
                for name in sorted(statement.binds):
                    kept.setdefault(name, []).append(statement)
                    if _is_definition(node):
                        self.definitions.append(name)


def _parsed(cell: str) -> tuple[str, ast.Module | Exception]:
    """Python alone, each line in its place, and its tree, or why there is none."""
    lines = syntax.lines_of(cell)
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if lines[first].startswith("%%"):
        if lines[first].split()[0] not in RUN:
            return "", ast.Module([], [])  # another language, or a file
        lines[first] = ""
    try:
        code = "\n".join(lines)
        return code, syntax.parsed(cell if code == cell.removesuffix("\n") else code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pass  # a line that begins with % may go on from the last: only now they are magics
    for number, line in enumerate(lines):
        if MAGIC.match(line):
            lines[number] = line[: len(line) - len(line.lstrip())] + "pass"
    code = "\n".join(lines)
    try:
        return code, ast.parse(code)
    except (SyntaxError, ValueError) as error:
        return code, error
    except (RecursionError, MemoryError):
        return code, ValueError(f"it {TOO_MUCH}")


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _is_definition(node: ast.stmt) -> bool:
    """A function, a class, or a value that is found without a call."""
    if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
        calls = ast.Call | ast.Await
        return not any(isinstance(part, calls) for part in ast.walk(node.value))
    return isinstance(node, syntax.Definition)


def defined(code: str) -> set[str]:
    """Names that a text which is not valid Python seems to define."""
    return {name for names in DEFINES.findall(code) for name in names if name}
