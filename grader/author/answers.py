"""Answers to an exercise as real functions, right and wrong, in ``<symbol>_answers.py``.

Such a file is read by its syntax tree and never imported: what it says runs in the sandbox alone.
Its answers carry names of their own (`with_einsum`, `mean_over_outputs`); each is taken out with
what it needs beside it, given the name of the exercise's symbol, and put in the place of the
solution's definition.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from grader.author.exercise import Answers, Mistake, Variant
from grader.errors import UserError
from grader.judge import source, syntax

__all__ = ["equivalent", "read", "right", "wrong"]


def right(answer: Callable) -> Callable:
    """A right answer, written differently than the solution: it must get full marks."""
    return answer


def wrong(
    name: str = "", *, why: str, change: Mapping[str, str] | None = None, corner: bool = False
) -> Callable:
    """A wrong answer that people really write. Above a definition: ``@wrong(why="...")``.

    Args:
        name: of the mistake, where it is a change of the solution and no definition.
        why: one sentence for the student: what was done, and why it is wrong.
        change: ``{text: replacement}`` inside the solution's definition; each text stands there
            exactly once.
        corner: who makes it has the idea right: corner cases alone refuse it.
    """
    return lambda answer: answer


def equivalent(line: str, *, why: str) -> None:
    """Excuse a mutant of the solution: the changed line, and why it computes the same."""


def read(path: Path, symbol: str) -> Answers:
    """The answers in a file.

    Raises:
        UserError: the file is not what this module describes; the message names the line.
    """
    try:
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text, path.name)
    except (OSError, SyntaxError, ValueError) as error:
        raise UserError(f"{path} cannot be read: {error}") from error
    mistakes: dict[str, Mistake] = {}
    variants: dict[str, Variant] = {}
    excused: dict[str, str] = {}
    for node in tree.body:
        try:
            for role, given in _roles(node):
                name = given.pop("name", "")
                if role == "equivalent":
                    excused[given["line"]] = given["why"]
                    continue
                if isinstance(node, syntax.Definition):
                    if name or "change" in given:
                        raise ValueError("a definition has its own name, and is no change")
                    name = node.name
                    given["source"] = _cut(text, node, symbol, path.parent.name)
                elif not (name and given.get("change")):
                    raise ValueError(f"{role}(...) that is no decorator needs a name and a change")
                if name in {**mistakes, **variants}:
                    raise ValueError(f"there are two answers {name!r}")
                if role == "wrong":
                    mistakes[name] = Mistake(name=name, **given)
                else:
                    variants[name] = Variant(name=name, **given)
        except (TypeError, ValueError) as error:
            raise UserError(f"{path}, line {node.lineno}: {error}.") from error
    return Answers(
        mistakes=tuple(mistakes.values()), variants=tuple(variants.values()), equivalent=excused
    )


def _roles(node: ast.stmt) -> Iterator[tuple[str, dict]]:
    """``right``, ``wrong`` or ``equivalent`` where a statement says so, and what it is given."""
    alone = [node.value] if isinstance(node, ast.Expr) else []
    for item in getattr(node, "decorator_list", alone):
        call = item if isinstance(item, ast.Call) else None
        role = syntax.dotted(call.func if call else item)
        if role == "right" and not call:
            yield role, {}
        elif role in ROLES:
            plain = map(ast.literal_eval, call.args if call else ())
            named = {one.arg or "**": one.value for one in call.keywords} if call else {}
            named = {name: ast.literal_eval(value) for name, value in named.items()}
            yield role, dict(inspect.signature(ROLES[role]).bind(*plain, **named).arguments)


ROLES: dict[str, Callable] = {"right": right, "wrong": wrong, "equivalent": equivalent}


def _cut(text: str, node: syntax.Definition, symbol: str, slug: str) -> str:
    """One answer as it stands in a submission: under the symbol's name, with what it needs."""
    needed = syntax.needed(text, node.name)
    pieces = []
    for part in needed:
        if isinstance(part, ast.Import | ast.ImportFrom):
            module = getattr(part, "module", None) or ""
            if not (module.startswith(("grader", "__future__")) or module == f"solutions.{slug}"):
                pieces.append(re.sub(r"^from solutions\.", "from course.", ast.unparse(part)))
        elif part is not needed[-1]:
            pieces.append(source.undecorated(text, part))
    return "\n\n\n".join([*pieces, source.renamed(text, node, symbol)]) + "\n"
