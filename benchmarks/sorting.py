"""The models of the page on preferences, for runs that are too long for it.

`page` reads the definitions of `book/preference.md` itself (imports, functions, constants), so that
a recorded run trains with the same code as the page.
"""

from __future__ import annotations

import ast
import random
import re
from pathlib import Path
from types import SimpleNamespace

import torch

PAGE = Path(__file__).parents[1] / "book" / "preference.md"
HELD = 200  # pairs kept apart, as on the page


def page() -> SimpleNamespace:
    """Every function of the page, with what it needs."""
    kept: list[ast.stmt] = []
    for cell in re.findall(r"```\{code-cell\} ipython3\n(.*?)```", PAGE.read_text(), re.DOTALL):
        source = re.sub(r"^:tags:.*\n", "", cell)
        if "%pip" in source:
            continue
        for node in ast.parse(source).body:
            names = node.targets if isinstance(node, ast.Assign) else []
            names = [leaf for target in names for leaf in ast.walk(target)]
            names = [leaf.id for leaf in names if isinstance(leaf, ast.Name)]
            simple = {"ids", "device"}
            constant = names and all(name in simple or CONSTANT.fullmatch(name) for name in names)
            if isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef) or constant:
                kept.append(node)
    scope: dict = {}
    skip = {"KINDS", "STAGES", "TITLES"}  # made of what was trained
    for node in kept:
        if not (isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in skip):
            exec(compile(ast.Module([node], []), str(PAGE), "exec"), scope)
    scope["asked"] = scope["questions"](random.Random(4_000), 400)
    return SimpleNamespace(**{name: scope[name] for name in scope if not name.startswith("__")})


CONSTANT = re.compile(r"[A-Z][A-Z_]*")


def truths(on: SimpleNamespace, digits: list[str]) -> torch.Tensor:
    """The right answer to each prompt, as tokens."""
    return on.encode([f"{one}?{''.join(sorted(one))}." for one in digits])


@torch.no_grad()
def chance_right(on: SimpleNamespace, model: torch.nn.Module, rows: torch.Tensor) -> float:
    """Mean probability of the right answer, without sampling."""
    return on.sequence_log_probs(model(rows), rows, on.mask_of(rows)).exp().mean().item()
