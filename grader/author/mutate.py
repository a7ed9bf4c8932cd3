"""Systematic mutation: small changes of a right answer, none of which may pass unseen.

Known mistakes are what people write; mutants are everything near the right answer. An exercise
whose cases kill every mutant has no hole that a wrong answer could slip through nearby.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from grader.judge import syntax

OPERATORS = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "/",
    ast.Div: "*",
    ast.Pow: "*",
    ast.FloorDiv: "*",
    ast.Mod: "*",
    ast.BitAnd: "|",
    ast.BitOr: "&",
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
}


@dataclass(frozen=True)
class Mutant:
    """One change of a definition.

    Attributes:
        name: the changed line, the way the audit lists it and an exercise excuses it.
        source: the whole file with the change.
    """

    name: str
    source: str


def mutants(text: str, symbol: str) -> Iterator[Mutant]:
    """All mutants of one definition: operators, constants, signs, dropped calls and statements.

    Guards (``if …: raise``, ``_check…(…)``) and docstrings are left alone: messages are not graded.

    Args:
        text: the file.
        symbol: the definition in it.

    Yields:
        Each mutant once, in the order of the file.
    """
    seen = {text}
    for node, new in _changes(syntax.definition(text, symbol)):
        mutated = _splice(text, node, new)
        if mutated not in seen:
            seen.add(mutated)
            line = syntax.lines_of(mutated)[node.lineno - 1].partition("  # ")[0]
            if new == "pass":
                line = f"pass  # {syntax.lines_of(text)[node.lineno - 1].strip()}"
            yield Mutant(" ".join(line.split()), mutated)


def _changes(definition: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    for node in _computing(definition):
        if isinstance(node, ast.BinOp | ast.Compare):
            yield from _operator(node)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
            next_axis = f"-{ast.literal_eval(node.operand) + 1}"  # of -1
            yield from ((node, new) for new in (next_axis, "0"))
        elif isinstance(node, ast.UnaryOp):
            yield node, f"({ast.unparse(node.operand)})"
        elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
            yield node, str(not node.value)
        elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            yield node, repr(node.value + 1)
        elif isinstance(node, ast.Call):
            yield from _dropped(node)
        elif isinstance(node, ast.IfExp):
            yield node, f"({ast.unparse(node.body)})"
            yield node, f"({ast.unparse(node.orelse)})"
        elif isinstance(node, ast.Expr | ast.AugAssign):
            yield node, "pass"


def _computing(node: ast.AST) -> Iterator[ast.AST]:
    """Nodes that take part in the result; signatures, docstrings and guards do not."""
    for child in ast.iter_child_nodes(node):
        guard = isinstance(child, ast.Raise) or (
            isinstance(child, ast.If) and all(isinstance(s, ast.Raise) for s in child.body)
        )
        if isinstance(child, ast.Expr) and isinstance(child.value, ast.Call):
            guard = syntax.dotted(child.value.func).startswith("_check")
        text = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
        if guard or text or isinstance(child, ast.arguments):
            continue
        if isinstance(child, ast.expr) and child in getattr(node, "decorator_list", ()):
            continue
        if child is getattr(node, "annotation", None) or child is getattr(node, "returns", None):
            continue
        if isinstance(child, ast.keyword) and child.arg == "strict":
            continue  # of zip: a check of lengths, which are not graded
        yield child
        if not (isinstance(child, ast.UnaryOp) and isinstance(child.operand, ast.Constant)):
            yield from _computing(child)


def _operator(node: ast.BinOp | ast.Compare) -> Iterator[tuple[ast.AST, str]]:
    if isinstance(node, ast.Compare):
        new = OPERATORS.get(type(node.ops[0]))
        left, right = node.left, node.comparators[0]
    else:
        new = OPERATORS.get(type(node.op))
        left, right = node.left, node.right
    if new:
        yield node, f"(({ast.unparse(left)}) {new} ({ast.unparse(right)}))"
    if isinstance(node, ast.BinOp):
        yield node, f"({ast.unparse(left)})"


def _dropped(node: ast.Call) -> Iterator[tuple[ast.AST, str]]:
    """``x.f(…)`` becomes ``x``; ``f(x, …)`` becomes ``x``; keywords are dropped one by one."""
    of = node.func.value if isinstance(node.func, ast.Attribute) else None
    method = of and not syntax.dotted(of).startswith(("torch", "math", "nn", "F", "super"))
    if of and method and not syntax.dotted(node.func).startswith("self."):
        yield node, f"({ast.unparse(of)})"
    elif node.args and syntax.dotted(node.func) not in (
        "range",
        "len",
        "zip",
        "enumerate",
        "super",
    ):
        yield node, f"({ast.unparse(node.args[0])})"
    for keyword in node.keywords:
        if keyword.arg in ("device", "strict"):
            continue  # there is one device where grades are given; strict: see `_computing`
        rest = [item for item in node.keywords if item is not keyword]
        yield node, ast.unparse(ast.Call(node.func, node.args, rest))


def _splice(text: str, node: ast.AST, new: str) -> str:
    """Put new text in a node's place; columns count bytes."""
    lines = [line.encode() for line in syntax.lines_of(text)]
    first, last = node.lineno - 1, node.end_lineno - 1
    tail = lines[last][node.end_col_offset :]
    lines[first : last + 1] = [lines[first][: node.col_offset] + new.encode() + tail]
    return b"\n".join(lines).decode() + "\n"
