"""Definitions of a page, for recorded runs that train with the page's own code."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection
from pathlib import Path

BOOK = Path(__file__).parents[1] / "book"
CELL = re.compile(r"```\{code-cell\} ipython3\n(.*?)```", re.DOTALL)


def definitions(slug: str, wanted: Collection[str]) -> dict:
    """Run a page's imports and the named functions, classes and assignments, in its order.

    Args:
        slug: of the page.
        wanted: the names. An assignment is taken if it assigns one of them.
    """
    scope: dict = {}
    page = BOOK / f"{slug}.md"
    for cell in CELL.findall(page.read_text()):
        source = re.sub(r"^:tags:.*\n", "", cell)
        if "%pip" in source:
            continue
        for node in ast.parse(source).body:
            targets = node.targets if isinstance(node, ast.Assign) else []
            targets = [node.target] if isinstance(node, ast.AugAssign) else targets
            names = {name for target in targets for name in _assigned(target)}
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                names = {node.name}
            if isinstance(node, ast.Import | ast.ImportFrom) or names & set(wanted):
                exec(compile(ast.Module([node], []), str(page), "exec"), scope)
    return scope


def _assigned(target: ast.expr) -> list[str]:
    """Names that an assignment changes: ``a`` of ``a[i]`` and of ``a.b``, not ``i``."""
    if isinstance(target, ast.Tuple | ast.List):
        return [name for part in target.elts for name in _assigned(part)]
    while isinstance(target, ast.Attribute | ast.Subscript | ast.Starred):
        target = target.value
    return [target.id] if isinstance(target, ast.Name) else []
