"""The package `course` as a submission finds it: what its chapter builds on, as text.

That is what the chapter's own solution imports, and what stands beside its exercises and calls
none of them. Each module holds this and what it needs, and no answer to what the chapter asks for.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping
from functools import cache

from grader import course
from grader.judge import records, syntax

IMPORT = re.compile(r"^[ \t]*(?:from|import)[^\n#]*\bcourse\b", re.MULTILINE)


def modules(slug: str, text: str) -> dict[str, str]:
    """Modules that a text of a chapter may import, by name, each after those it imports.

    Modules of which it may have nothing are there and empty. A text that does not import from the
    package, as those do not that were begun before there was one, needs none.

    Raises:
        UserError: the solutions are not at hand.
    """
    return _modules(slug) if IMPORT.search(text) else {}


@cache
def _modules(slug: str) -> dict[str, str]:
    text = course.solution(slug)
    found = collected(imports(text) | {slug: beside(text, records.symbols(slug))})
    empty = {f"course.{other}" for other in records.slugs()} - found.keys()
    return found | dict.fromkeys(sorted(empty), "")


def imports(text: str) -> dict[str, set[str]]:
    """The names that a module imports of each chapter."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(ast.parse(text)):
        home = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
        if isinstance(node, ast.ImportFrom) and home.startswith("course."):
            names = found.setdefault(home.removeprefix("course."), set())
            names.update(item.name for item in node.names)
    return found


def beside(text: str, asked: Collection[str]) -> set[str]:
    """The names of a module that are no exercises, and need none."""
    module = syntax.Module(text)
    return {
        name
        for name, nodes in module.binding.items()
        if not any(isinstance(node, ast.Import | ast.ImportFrom) for node in nodes)
        and not any(syntax.binds(node) & {*asked} for node in module.reachable(name))
    }


def collected(wanted: Mapping[str, set[str]]) -> dict[str, str]:
    """The parts of modules that some names of each need, each after what it imports."""
    names: dict[str, set[str]] = {}
    todo = list(wanted.items())
    while todo:
        slug, more = todo.pop()
        if more - names.setdefault(slug, set()):
            names[slug] |= more
            todo += imports(_part(slug, names[slug])).items()
    found: dict[str, str] = {}

    def add(slug: str) -> None:
        if f"course.{slug}" not in found:
            for other in sorted(imports(course.solution(slug)).keys() & names.keys()):
                add(other)
            found[f"course.{slug}"] = _part(slug, names[slug])

    for slug in names:
        add(slug)
    return found


def _part(slug: str, names: Collection[str]) -> str:
    return syntax.part(course.solution(slug), names)
