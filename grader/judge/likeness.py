"""Fragments of a source that a disguise leaves alone: names, the order of definitions, layout,
comments and dead code change none of them. Standard library only, as all that reads at a distance.

Winnowing (Schleimer, Wilkerson and Aiken 2003) over the syntax tree in place of characters: hashes
of all runs of `RUN` tokens, and of each `WINDOW` of them in a row the smallest. What two texts have
in common for ``RUN + WINDOW - 1`` tokens is found; nothing shorter than `RUN` is.
"""

from __future__ import annotations

import ast
import builtins
import hashlib
from collections.abc import Collection, Iterator, Sequence
from typing import TypeGuard

from grader.judge import syntax
from grader.judge.cells import Notebook
from grader.judge.unpack import lines_ended

RUN = 8  # tokens of a fragment: about a line of code
WINDOW = 4
BYTES = 8  # of a hash, the same on every machine
Token = tuple[str, int]  # and its line
FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
ENDS = ast.Return | ast.Raise | ast.Break | ast.Continue
BODIES = ("body", "orelse", "finalbody")  # fields with statements
SILENT = ("print", "repr", "len", "str", "type", "id")  # calls that change nothing


def fragments(name: str, text: str, symbols: Collection[str]) -> dict:
    """The fragments of what some definitions reach.

    Args:
        name: of the file.
        text: Python.
        symbols: exercises; where none of them is there, everything counts.

    Returns:
        ``found``: a hash, its first and its last line, and the definition at the top of the file
        that it stands in, for each; ``error`` in their place where the text is no Python.
    """
    try:
        module = syntax.Module(Notebook([lines_ended(text)]).codes[1])  # without magics
    except (SyntaxError, ValueError) as error:
        return {"found": [], "error": getattr(error, "msg", str(error))}
    kept = {id(node) for node in module.reachable(*symbols)}
    body = [node for node in module.tree.body if not kept or id(node) in kept]
    names = _Names(module.tree, symbols)
    found = []
    for node in body:
        if isinstance(node, syntax.IMPORTS):
            continue
        title = next(iter(sorted(syntax.binds(node))), "")
        for unit in _units(node):
            tokens = list(_Tokens(names, unit).of())
            found += [[*one, title] for one in winnow(tokens)]
    return {"found": found, "error": ""}


def winnow(tokens: Sequence[Token]) -> Iterator[tuple[str, int, int]]:
    """The hash, the first and the last line of the fragments that stand for a text."""
    grams = [tokens[at : at + RUN] for at in range(len(tokens) - RUN + 1)]
    hashes = [_hash([word for word, _ in gram]) for gram in grams]
    last = -1
    for start in range(max(1, len(hashes) - WINDOW + 1) if hashes else 0):
        window = range(start, min(start + WINDOW, len(hashes)))
        at = min(window, key=lambda place: (hashes[place], -place))  # the last of equal ones
        if at != last:
            lines = [line for _, line in grams[at]]
            yield hashes[at], min(lines), max(lines)
        last = at


def _hash(words: Sequence[str]) -> str:
    return hashlib.blake2b("\0".join(words).encode(), digest_size=BYTES).hexdigest()


def _units(node: ast.stmt) -> Iterator[ast.stmt]:
    """Yield the parts in any order: definitions at the top; of a class methods and the rest."""
    if isinstance(node, ast.ClassDef):
        methods = [one for one in node.body if isinstance(one, FUNCTION)]
        yield from methods
        node.body = [one for one in node.body if one not in methods]
    yield node


class _Names:
    """Meanings of names: another package's whatever they are called here, an exercise, or
    something of the file's own.
    """

    def __init__(self, tree: ast.Module, symbols: Collection[str]):
        self.symbols = {*symbols}
        self.imported: dict[str, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for one in node.names:
                    head = one.name.partition(".")[0]
                    self.imported[one.asname or head] = one.name if one.asname else head
            elif isinstance(node, ast.ImportFrom):
                for one in node.names:
                    self.imported[one.asname or one.name] = f"{node.module}.{one.name}"

    def given(self, name: str) -> str:
        """Name that everybody calls it; nothing for the file's own names."""
        if name in self.symbols:
            return name
        return self.imported.get(name) or (name if hasattr(builtins, name) else "")


class _Tokens:
    """The tokens of one unit: its syntax tree from the outside in, without what does nothing.

    An own name is told by how recently it was used, which no renaming changes.
    """

    def __init__(self, names: _Names, unit: ast.stmt):
        self.names, self.unit = names, unit
        self.recent: list[str] = []
        bound = (part.id for part in ast.walk(unit) if _stored(part))
        arguments = (part.arg for part in ast.walk(unit) if isinstance(part, ast.arg))
        self.own = {*bound, *arguments}
        self.receiver = ""
        if isinstance(unit, FUNCTION) and unit.args.args and unit.args.args[0].arg == "self":
            self.receiver = "self"
        self.read = _read(unit)

    def of(self) -> Iterator[Token]:
        return self._node(self.unit, self.unit.lineno)

    def _node(self, node: ast.AST, line: int) -> Iterator[Token]:
        line = getattr(node, "lineno", line)
        if isinstance(node, ast.Name):
            yield self._name(node.id), line
        elif isinstance(node, ast.arg):
            yield self._name(node.arg), line
        elif isinstance(node, ast.Constant):
            text = isinstance(node.value, str | bytes)
            yield "text" if text else repr(node.value), line
        elif isinstance(node, ast.Attribute):
            yield from self._attribute(node, line)
        elif isinstance(node, ast.keyword):
            yield f"{node.arg}=", line
            yield from self._node(node.value, line)
        else:
            yield self._kind(node), line
            for part in self._parts(node):
                yield from self._node(part, line)

    def _attribute(self, node: ast.Attribute, line: int) -> Iterator[Token]:
        head, path = syntax.chain(node)
        name = head.id if isinstance(head, ast.Name) else ""
        if name and name == self.receiver:
            yield ".".join(["self", "*", *path[1:]]), line
        elif name and name not in self.own and self.names.given(name):
            yield ".".join([self.names.given(name), *path]), line
        else:
            yield f".{node.attr}", line
            yield from self._node(node.value, line)

    def _name(self, name: str) -> str:
        if name not in self.own and (given := self.names.given(name)):
            return given
        place = self.recent.index(name) if name in self.recent else len(self.recent)
        self.recent = [name, *(one for one in self.recent if one != name)]
        return f"name {min(place, 9)}"

    @staticmethod
    def _kind(node: ast.AST) -> str:
        kind = type(node).__name__
        if isinstance(node, ast.BinOp | ast.UnaryOp | ast.BoolOp | ast.AugAssign):
            return f"{kind} {type(node.op).__name__}"
        if isinstance(node, ast.Compare):
            return " ".join([kind, *(type(one).__name__ for one in node.ops)])
        return "Assign" if isinstance(node, ast.AnnAssign) else kind

    def _parts(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the parts of a node, without annotations, types and what does nothing."""
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "returns", "type_comment", "op", "ops", "ctx"):
                continue
            many = value if isinstance(value, list) else [value]
            parts = [one for one in many if isinstance(one, ast.AST)]
            if field == "keywords":
                parts.sort(key=lambda one: getattr(one, "arg", None) or "")
            yield from self._living(parts) if field in BODIES else parts

    def _living(self, body: Sequence[ast.AST]) -> Iterator[ast.AST]:
        for node in body:
            if isinstance(node, ast.If) and isinstance(node.test, ast.Constant):
                yield from self._living(node.body if node.test.value else node.orelse)
            elif not self._does_nothing(node):
                yield node
            if isinstance(node, ENDS):
                return

    def _does_nothing(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Expr):
            return _silent(node.value)
        if isinstance(node, ast.AnnAssign) and node.value is None:
            return True
        if names := _assigned(node):
            unread = isinstance(self.unit, FUNCTION) and self.read.isdisjoint(names)
            value = getattr(node, "value", None)
            itself = isinstance(value, ast.Name) and [value.id] == names
            return unread or (itself and not isinstance(node, ast.AugAssign))
        if isinstance(node, ast.Assert):
            return isinstance(node.test, ast.Constant) and bool(node.test.value)
        if isinstance(node, ast.While):
            return isinstance(node.test, ast.Constant) and not node.test.value
        if isinstance(node, ast.For | ast.If | ast.With):
            return not any(True for _ in self._living([*node.body, *getattr(node, "orelse", [])]))
        if isinstance(node, ast.FunctionDef):
            return isinstance(self.unit, FUNCTION) and node.name not in self.read
        return isinstance(node, ast.Pass)


def _stored(part: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)


def _assigned(node: ast.AST) -> list[str]:
    """The names that an assignment gives a value to, where it does nothing else."""
    if not isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
        return []
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    names = [one.id for one in targets if isinstance(one, ast.Name)]
    return names if len(names) == len(targets) else []


def _read(unit: ast.AST) -> set[str]:
    """Names that something depends on; not those that only names are made of which nobody reads."""
    uses: dict[str, set[str]] = {}
    inside: set[int] = set()
    for node in ast.walk(unit):
        if names := _assigned(node):
            inside.update(map(id, ast.walk(node)))
            value = getattr(node, "value", None)
            for name in names:
                uses.setdefault(name, set()).update(syntax.names_in([value] if value else []))
    parts = (part for part in ast.walk(unit) if isinstance(part, ast.Name))
    read = {part.id for part in parts if not _stored(part) and id(part) not in inside}
    todo = [*read]
    while todo:
        new = uses.get(todo.pop(), set()) - read
        read |= new
        todo += new
    return read


def _silent(value: ast.expr) -> bool:
    """Does it change nothing when it stands alone?"""
    calls = [one for one in ast.walk(value) if isinstance(one, ast.Call | ast.Await | ast.Yield)]
    return all(isinstance(one, ast.Call) and syntax.dotted(one.func) in SILENT for one in calls)
