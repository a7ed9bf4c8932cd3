"""Names in Python source, and what they reach: definitions, what these need, what they change.

Source is read by its syntax tree; nothing is run. Standard library only.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property, lru_cache

Definition = ast.FunctionDef | ast.ClassDef
IMPORTS = ast.Import | ast.ImportFrom
CHANGING = {  # methods of lists, sets and dictionaries
    *("append", "extend", "insert", "pop", "remove", "reverse", "sort", "clear"),
    *("add", "discard", "update", "setdefault"),
}


def lines_of(text: str) -> list[str]:
    """Lines as Python counts them: only a line feed ends one, whatever Unicode thinks."""
    return text.removesuffix("\n").split("\n")


def definition(source: str, symbol: str) -> Definition:
    """The top-level function or class of that name; the last one wins, as at run time.

    Raises:
        LookupError: the source defines no such function or class.
    """
    return _definition(ast.parse(source), symbol)


def _definition(tree: ast.Module, symbol: str) -> Definition:
    for node in reversed(tree.body):
        if isinstance(node, Definition) and node.name == symbol:
            return node
    raise LookupError(f"no function or class {symbol!r}")


def text_of(source: str, symbol: str) -> str:
    """The source text of one definition, decorators included."""
    node = definition(source, symbol)
    return "\n".join(lines_of(source)[first_line(node) - 1 : node.end_lineno]) + "\n"


def needed(source: str, symbol: str) -> list[ast.stmt]:
    """Collect what a definition needs of its file, itself last: imports, constants, definitions."""
    module = _read(source)
    used = names_in(module.reachable(symbol))
    found = [
        node
        for node, names in zip(module.tree.body, module.bound, strict=True)
        if used.intersection(names) and symbol not in names
    ]
    return [*found, _definition(module.tree, symbol)]


def portion(source: str, symbol: str, without: Collection[str]) -> str:
    """The text of a definition and of what it needs, but for other names that are asked for."""
    lines = [line.encode() for line in lines_of(source)]
    *others, own = needed(source, symbol)
    kept = [node for node in others if not binds(node).intersection(without)]
    return "\n\n\n".join(cut(lines, node) for node in [*kept, own]) + "\n"


def part(source: str, names: Collection[str]) -> str:
    """The statements of a file that give these names a value, and all that they need of it."""
    module = Module(source)
    kept = {id(node) for node in module.reachable("annotations", *names)}  # of __future__
    told = zip(module.tree.body, module.texts, strict=True)
    return "\n\n\n".join(text for node, text in told if id(node) in kept) + "\n"


def names_in(nodes: Iterable[ast.AST]) -> set[str]:
    return {part.id for part in walk(nodes) if isinstance(part, ast.Name)}


def fingerprint(source: str, symbol: str) -> str:
    """Text of all that a definition's result can depend on: equal texts, equal results.

    That is the definition, every statement that is no definition, and all they refer to.
    """
    try:
        return Module(source).fingerprint(symbol)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return source


@lru_cache(maxsize=1)  # a module is read in two ways, one after the other
def parsed(source: str) -> ast.Module:
    """The syntax tree of a file, which nobody changes."""
    return ast.parse(source)


class Module:
    """A file, parsed once; all that is asked of it takes time in proportion to its length."""

    def __init__(self, source: str):
        self.tree = parsed(source)
        self.bound = [binds(node) for node in self.tree.body]
        self.binding: dict[str, list[ast.stmt]] = {}
        for node, names in zip(self.tree.body, self.bound, strict=True):
            for name in names:
                self.binding.setdefault(name, []).append(node)
        self._source = source

    @cached_property
    def texts(self) -> list[str]:
        """The text of each statement at the top level, decorators included."""
        lines = [line.encode() for line in lines_of(self._source)]
        return [cut(lines, node) for node in self.tree.body]

    @cached_property
    def nodes(self) -> dict[int, list[ast.AST]]:
        """All parts of each statement at the top level, by its id; to walk a tree takes long."""
        return {id(node): parts(node) for node in self.tree.body}

    @property
    def all_nodes(self) -> Iterator[ast.AST]:
        """All parts of all statements."""
        return itertools.chain.from_iterable(self.nodes.values())

    @cached_property
    def _names(self) -> dict[int, set[str]]:
        """Names in each statement at the top level."""
        return {
            key: {part.id for part in parts if isinstance(part, ast.Name)}
            for key, parts in self.nodes.items()
        }

    def reachable(self, *symbols: str) -> list[ast.stmt]:
        """The top-level statements that bind these names, or names that those refer to."""
        found: dict[int, ast.stmt] = {}
        todo, seen = list(symbols), set()
        while todo:
            name = todo.pop()
            for node in () if name in seen else self.binding.get(name, ()):
                if id(node) not in found:
                    found[id(node)] = node
                    todo += sorted(self._names[id(node)])  # sets differ in order between runs
            seen.add(name)
        return list(found.values())

    def fingerprint(self, *symbols: str) -> str:
        """As `fingerprint`, of several definitions together."""
        loose, names = self._loose
        kept = loose | {id(node) for node in self.reachable(*symbols, *names)}
        told = zip(self.tree.body, self.texts, strict=True)
        return "\n".join(text for node, text in told if id(node) in kept)

    @cached_property
    def _loose(self) -> tuple[set[int], set[str]]:
        """The statements that are no definitions, and the names in them."""
        loose = [node for node in self.tree.body if not isinstance(node, Definition)]
        keys = {id(node) for node in loose}
        return keys, set[str]().union(*(self._names[key] for key in keys))


@lru_cache(maxsize=1)  # of a file of answers, each is asked for
def _read(source: str) -> Module:
    return Module(source)


def dotted(node: ast.expr) -> str:
    """``a.b.c`` for such an expression, else nothing."""
    head, path = chain(node)
    return ".".join([head.id, *path]) if isinstance(head, ast.Name) else ""


def binds(statement: ast.stmt) -> set[str]:
    """Names that a top-level statement gives a value to, or whose value it changes in place."""
    found: set[str] = set()
    todo: list[ast.AST] = [statement]
    while todo:
        node = todo.pop()
        if isinstance(node, Definition | ast.AsyncFunctionDef):
            found.add(node.name)  # its body is a scope of its own
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {item.asname or item.name.partition(".")[0] for item in node.names}
        elif isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Starred):
            if isinstance(node.ctx, ast.Store) and (name := _head(node)):
                found.add(name)
            todo += [] if isinstance(node, ast.Name) else [node.value]
        elif isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            walrus = (part for part in ast.walk(node) if isinstance(part, ast.NamedExpr))
            found |= {part.target.id for part in walrus}
        elif isinstance(node, ast.MatchAs | ast.MatchStar) and node.name:
            found.add(node.name)
            todo += ast.iter_child_nodes(node)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            found.add(node.rest)
            todo += ast.iter_child_nodes(node)
        elif isinstance(node, ast.Expr) and (name := _changed_by_call(node.value)):
            found.add(name)
        elif isinstance(node, ast.AnnAssign) and node.value is None:
            continue
        elif not isinstance(node, ast.Lambda):
            todo += ast.iter_child_nodes(node)
    return found


def _head(node: ast.expr) -> str:
    """``a`` of ``a``, ``a.b`` and ``a[0].c``."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Starred):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _changed_by_call(node: ast.expr) -> str:
    """``a`` of ``a.append(3)`` and of ``a.zero_()``, which tensors have."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        method = node.func.attr
        if method in CHANGING or (method.endswith("_") and not method.startswith("_")):
            return node.func.value.id if isinstance(node.func.value, ast.Name) else ""
    return ""


def chain(node: ast.expr) -> tuple[ast.expr, list[str]]:
    """Split ``a.b.c`` into its beginning and the attributes that follow."""
    path = []
    while isinstance(node, ast.Attribute):
        path.append(node.attr)
        node = node.value
    return node, path[::-1]


def cut(lines: list[bytes], node: ast.stmt) -> str:
    """The text of a statement, decorators included; columns count bytes."""
    first, last = first_line(node) - 1, (node.end_lineno or node.lineno) - 1
    start = node.col_offset if first == node.lineno - 1 else 0
    if first == last:
        return lines[first][start : node.end_col_offset].decode()
    inner, end = lines[first + 1 : last], lines[last][: node.end_col_offset]
    return b"\n".join([lines[first][start:], *inner, end]).decode()


def walk(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    for node in nodes:
        yield from parts(node)


def parts(node: ast.AST) -> list[ast.AST]:
    """As `ast.walk` has them, in half the time; without the contexts of names."""
    found = [node]
    for part in found:  # grows on the way
        for name in part._fields:
            value = getattr(part, name, None)
            if isinstance(value, list):
                found += [item for item in value if isinstance(item, ast.AST)]
            elif isinstance(value, ast.AST) and name != "ctx":
                found.append(value)
    return found


def first_line(node: ast.stmt) -> int:
    decorators = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")
