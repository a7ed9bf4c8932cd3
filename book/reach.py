"""Find the book's and the solutions' definitions that some Python uses, by their names.

Nothing is run. A name is followed to everything that it may stand for, so more may be found than
is used. Less is found only where code looks something up by a string (``globals()["f"]``) or where
a decorator keeps what no name leads to; neither stands in these packages.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from grader.judge.syntax import chain, first_line

PACKAGES = ("book", "solutions")


def imports(source: str) -> Iterator[str]:
    """Dotted names of everything that Python source may import, at the top or deeper."""
    return (dotted for node in ast.walk(ast.parse(source)) for _, dotted in _imported(node))


def reached(source: str, root: Path) -> dict[str, str]:
    """Find what Python source uses of the packages, directly or through one another.

    Args:
        source: all code cells of a page, say. One with a syntax error uses nothing.
        root: the folder that holds the packages.

    Returns:
        The text of each definition (function, class, constant) by its dotted name; and by the name
        of each module that is imported on the way, those of its statements that define nothing.
    """
    found: dict[str, str] = {}
    modules: dict[str, _Module] = {}
    page = _Module("", source)
    todo = [*page.uses(page.everything)]
    seen = set()
    while todo:
        dotted, used = use = todo.pop()
        if use in seen:
            continue
        seen.add(use)
        parts, depth = dotted.split("."), 0
        while depth < len(parts) and (file := _file(root, parts[: depth + 1])):
            depth += 1
            name = ".".join(parts[:depth])
            if name not in modules:
                module = modules[name] = _module(name, file.read_text())
                found[name] = module.text(module.statements)
                todo += module.uses([*module.imports, *module.statements])
        if not depth or not used:
            continue
        module, rest = modules[name], parts[depth:]
        for one in rest[:1] or module.definitions:  # a module that is passed on: all of it
            if one in module.definitions:
                found[f"{name}.{one}"] = module.text(module.definitions[one])
                todo += module.uses(module.definitions[one])
            else:  # it comes from elsewhere
                todo += [(".".join([far, *rest[1:]]), True) for far in module.meanings.get(one, ())]
    return found


class _Module:
    """A module by its syntax tree: what it defines, and what its names may stand for."""

    def __init__(self, name: str, source: str):
        self.lines = source.splitlines()
        self.definitions: dict[str, list[ast.stmt]] = defaultdict(list)
        self.meanings: dict[str, set[str]] = defaultdict(set)  # dotted names
        self.imports: list[ast.stmt] = []
        self.statements: list[ast.stmt] = []  # what is neither
        try:
            self.everything = ast.parse(source).body
        except SyntaxError:  # who runs it hears of the error
            self.everything = []
        for node in self.everything:
            if isinstance(node, ast.Import | ast.ImportFrom):
                self.imports.append(node)
            elif names := _defined(node):
                for one in names:
                    self.definitions[one].append(node)
                    self.meanings[one].add(f"{name}.{one}")
            elif not _idle(node):
                self.statements.append(node)
            for inner in ast.walk(node):
                for alias, dotted in _imported(inner):
                    self.meanings[alias].add(dotted)
        self.meanings.pop("", None)

    def text(self, nodes: Iterable[ast.stmt]) -> str:
        """Their source with its comments, which pages show."""
        parts = []
        for node in nodes:
            parts += self.lines[first_line(node) - 1 : node.end_lineno]
        return "\n".join(parts)

    def uses(self, nodes: Iterable[ast.AST]) -> Iterator[tuple[str, bool]]:
        """Dotted names that stand under the nodes: imported (False) or used as values (True)."""
        for node in nodes:
            yield from ((dotted, False) for _, dotted in _imported(node))
            head, path = chain(node)
            if isinstance(head, ast.Name):
                for dotted in self.meanings.get(head.id, ()):
                    yield ".".join([dotted, *path]), True
            else:
                yield from self.uses(ast.iter_child_nodes(node))


_module = cache(_Module)  # several pages ask for the same ones


def _imported(node: ast.AST) -> Iterator[tuple[str, str]]:
    """The names that an import statement binds, and the dotted names that they stand for."""
    if isinstance(node, ast.Import):
        for item in node.names:
            yield (item.asname, item.name) if item.asname else (item.name.partition(".")[0],) * 2
            yield "", item.name  # without a name, but it is imported
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        yield "", node.module
        for item in node.names:
            yield item.asname or item.name, f"{node.module}.{item.name}"


def _defined(node: ast.stmt) -> list[str]:
    """The names that a definition binds; none for any other statement."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    if not isinstance(node, ast.Assign | ast.AnnAssign):
        return []
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    names = [one for target in targets for one in getattr(target, "elts", [target])]
    return [one.id for one in names] if all(isinstance(one, ast.Name) for one in names) else []


def _idle(node: ast.stmt) -> bool:
    """Whether it does nothing when the module is imported: a docstring, or the main program."""
    if isinstance(node, ast.If):
        return ast.unparse(node.test) == "__name__ == '__main__'"
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _file(root: Path, parts: list[str]) -> Path | None:
    """The module or package of that dotted name, if it is one of this project's."""
    if parts[0] not in PACKAGES:
        return None
    path = root.joinpath(*parts)
    found = (file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file())
    return next(found, None)
