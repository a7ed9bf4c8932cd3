"""Reading and rewriting Python source by its syntax tree: skeletons, known mistakes, shortcuts."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable, Collection, Iterator, Mapping

Definition = ast.FunctionDef | ast.ClassDef
BLANK = "raise NotImplementedError"


def definition(source: str, symbol: str) -> Definition:
    """The top-level function or class of that name; the last one wins, as at run time.

    Raises:
        LookupError: the source defines no such function or class.
    """
    for node in reversed(ast.parse(source).body):
        if isinstance(node, Definition) and node.name == symbol:
            return node
    raise LookupError(f"no function or class {symbol!r}")


def text_of(source: str, symbol: str) -> str:
    """The source text of one definition, decorators included."""
    node = definition(source, symbol)
    return "\n".join(source.splitlines()[_first_line(node) - 1 : node.end_lineno]) + "\n"


def replace(source: str, symbol: str, text: str) -> str:
    """Put other text in the place of a definition."""
    node = definition(source, symbol)
    lines = source.splitlines()
    lines[_first_line(node) - 1 : node.end_lineno] = textwrap.dedent(text).strip("\n").splitlines()
    return "\n".join(lines) + "\n"


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


def blank(source: str, symbols: Collection[str]) -> str:
    """The skeleton: the named definitions keep signature and docstring and lose their bodies.

    Private definitions and constants at the top level (``_name``) are part of the answer and go,
    unless something that stays needs them.
    """
    tree = ast.parse(source)
    lines = source.splitlines()
    private = {
        id(node): set(_names(node)) for node in tree.body if any(map(_private, _names(node)))
    }
    answers = {id(n) for n in tree.body if isinstance(n, Definition) and n.name in symbols}
    kept = [node for node in tree.body if id(node) not in private and id(node) not in answers]
    for node in kept:  # grows while private helpers of helpers are found
        used = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        kept += [n for n in tree.body if private.get(id(n), set()) & used and n not in kept]
    needed = {id(node) for node in kept}
    for node in reversed(tree.body):
        if id(node) in private and id(node) not in needed:
            del lines[_first_line(node) - 1 : node.end_lineno]
        elif isinstance(node, Definition) and node.name in symbols:
            lines[_first_line(node) - 1 : node.end_lineno] = _blank_lines(node, lines)
    return tidy("\n".join(lines)) + "\n"


def definitions(source: str) -> str:
    """What importing a file should do and no more: imports, definitions and constants.

    Everything that computes at the top level (training, plots, prints) is left out; line numbers
    stay. Used for notebooks.
    """
    kept = ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef
    return _only(source, lambda node: isinstance(node, kept) or _is_constant(node))


def constants(source: str) -> str:
    """The constants alone: assignments of literals, names and arithmetic on them."""
    return tidy(_only(source, _is_constant)).strip("\n")


def parts(source: str, symbols: Collection[str]) -> Iterator[tuple[str | None, str]]:
    """A file cut before and after each of the named definitions.

    Yields:
        Each piece in order: the symbol (None for what stands between two), and its text.
    """
    lines, between = source.splitlines(), []
    at = 0
    for node in ast.parse(source).body:
        if isinstance(node, Definition) and node.name in symbols:
            between += lines[at : _first_line(node) - 1]
            if text := tidy("\n".join(between)).strip("\n"):
                yield None, text
            yield node.name, "\n".join(lines[_first_line(node) - 1 : node.end_lineno])
            between, at = [], node.end_lineno
    if text := tidy("\n".join(lines[at:])).strip("\n"):
        yield None, text


def fingerprint(source: str, symbol: str) -> str:
    """What a definition's result can depend on: equal texts of this, equal results.

    That is the definition, every statement that is no definition, and all they refer to.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return source
    loose = [node for node in tree.body if not isinstance(node, Definition)]
    names = {part.id for node in loose for part in ast.walk(node) if isinstance(part, ast.Name)}
    reached = {id(node) for node in _reachable(tree, symbol, *names)}
    return "\n".join(ast.dump(node) for node in tree.body if node in loose or id(node) in reached)


def tidy(text: str) -> str:
    """At most two blank lines in a row, none at the end."""
    while "\n\n\n\n" in text:
        text = text.replace("\n\n\n\n", "\n\n\n")
    return text.rstrip("\n")


def shortcuts(source: str, symbol: str, forbidden: Collection[str]) -> Iterator[tuple[str, int]]:
    """Forbidden names that a definition uses, itself or through others of the same file.

    Args:
        source: the student's file.
        symbol: the exercise's definition in it.
        forbidden: ``"F.softmax"``, ``"nn.Linear"``, ``"torch.softmax"`` or, for a method of
            tensors, ``"Tensor.softmax"``.

    Yields:
        Each name that is used, and the line.
    """
    tree = ast.parse(source)
    aliases = dict(_aliases(tree))
    wanted = {
        _full(name, {"F": "torch.nn.functional", "nn": "torch.nn"}): name for name in forbidden
    }
    last = {name.rpartition(".")[2]: name for name in forbidden}
    for node in _reachable(tree, symbol):
        if isinstance(node, ast.Attribute | ast.Name):
            name = dotted(node)
            full = _full(name, aliases) if name else ""
            method = isinstance(node, ast.Attribute) and not full.startswith("torch.")
            if full in wanted:
                yield wanted[full], node.lineno
            elif method and f"Tensor.{node.attr}" in forbidden:
                yield f"Tensor.{node.attr}", node.lineno
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in last:
            yield last[node.value], node.lineno  # getattr(F, "softmax")


def dotted(node: ast.expr) -> str:
    """``a.b.c`` for such an expression, else nothing."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (base := dotted(node.value)):
        return f"{base}.{node.attr}"
    return ""


def full_name(name: str) -> str:
    """``"F.softmax"`` as torch itself calls it: ``torch.nn.functional.softmax``."""
    return _full(name, {"F": "torch.nn.functional", "nn": "torch.nn", "Tensor": "torch.Tensor"})


def _first_line(node: ast.stmt) -> int:
    decorators = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def _names(node: ast.stmt) -> list[str]:
    """Names that a top-level statement binds."""
    if isinstance(node, Definition):
        return [node.name]
    targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _blank_lines(node: Definition, lines: list[str]) -> list[str]:
    """The lines of a definition without its body; a class keeps its public methods' heads."""
    first = node.body[0]
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    end = first.end_lineno if documented else _first_line(first) - 1
    head = lines[_first_line(node) - 1 : end]
    if isinstance(node, ast.FunctionDef):
        return [*head, " " * first.col_offset + BLANK]
    body: list[str] = []
    for item in node.body[1 if documented else 0 :]:
        if isinstance(item, ast.FunctionDef):
            if item.name.startswith("_") and not item.name.startswith("__"):
                continue
            body += ["", *_blank_lines(item, lines)]
        else:
            body += lines[_first_line(item) - 1 : item.end_lineno]
    return head + body


def _only(source: str, wanted: Callable[[ast.stmt], bool]) -> str:
    """The source with every top-level statement emptied that is not wanted."""
    lines = source.splitlines()
    for node in ast.parse(source).body:
        if not wanted(node):
            for number in range(_first_line(node) - 1, node.end_lineno):
                lines[number] = ""
    return "\n".join(lines) + "\n"


def _is_constant(node: ast.stmt) -> bool:
    """An assignment of literals, names and arithmetic on them; nothing that calls."""
    if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
        return False
    calls = ast.Call | ast.Await | ast.Yield | ast.YieldFrom
    return not any(isinstance(part, calls) for part in ast.walk(node.value))


def _aliases(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """What each name of the file stands for: ``F -> torch.nn.functional``."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for item in node.names:
                name = item.asname or item.name.partition(".")[0]
                found[name] = item.name if item.asname else name
        elif isinstance(node, ast.ImportFrom) and node.module:
            for item in node.names:
                found[item.asname or item.name] = f"{node.module}.{item.name}"
        elif isinstance(node, ast.Assign) and (name := dotted(node.value)):
            full = _full(name, found)
            if full.startswith("torch."):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        found[target.id] = full
    yield from found.items()


def _full(name: str, aliases: Mapping[str, str]) -> str:
    head, dot, rest = name.partition(".")
    return aliases.get(head, head) + dot + rest


def _reachable(tree: ast.Module, *symbols: str) -> Iterator[ast.AST]:
    """All nodes of definitions and of the top-level definitions they refer to, each once."""
    top = {name: node for node in tree.body for name in _names(node)}
    todo, seen = list(symbols), set()
    while todo:
        name = todo.pop()
        if name in seen or name not in top:
            continue
        seen.add(name)
        for node in ast.walk(top[name]):
            yield node
            if isinstance(node, ast.Name):
                todo.append(node.id)
