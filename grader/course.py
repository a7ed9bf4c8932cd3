"""Where the course's own files lie: its solutions, its pages and their order, its website.

All are read as text; nothing here imports a solution or a page.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from grader.errors import UserError

ROOT = Path(__file__).resolve().parents[1]


def solution(slug: str) -> str:
    """Source text of ``solutions/<slug>.py``, read without importing it.

    A submission can import no solution. So what the module imports from other ones stands in the
    place of the import, with all that it needs.

    Raises:
        UserError: the solutions are not on this machine (a student's edition), there is no such
            chapter, or what it imports has the name of something else in it.
    """
    package = find_spec("solutions")
    if package is None:
        raise UserError(f"solutions/{slug}.py is not here; this needs the instructor's edition.")
    path = Path(package.submodule_search_locations[0], f"{slug}.py")
    if not path.is_file():
        raise UserError(
            f"There is no solutions/{slug}.py. Begin the chapter: "
            f'make chapter SLUG={slug} TITLE="Its title"'
        )
    return _whole(slug, path.read_text(encoding="utf-8"))


@cache
def _whole(slug: str, text: str) -> str:
    """A module's text with what it imports from other solutions put in."""
    lines, tree, there = text.split("\n"), ast.parse(text), dict[str, str]()
    brought: dict[int, list[str]] = {}
    for node in tree.body:
        module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
        if not module.startswith("solutions."):
            _add(there, node, "\n".join(lines[_first(node) - 1 : node.end_lineno]), slug)
            continue
        other = solution(module.removeprefix("solutions."))
        asked = {item.name: item.asname or item.name for item in node.names}
        found = [_add(there, part, cut, slug) for part, cut in _needed(other, {*asked})]
        renamed = [f"{new} = {old}" for old, new in asked.items() if new != old]
        brought[node.lineno - 1] = [cut for cut in found if cut] + renamed
    for node in reversed(tree.body):
        if (first := node.lineno - 1) in brought:
            lines[first : node.end_lineno] = "\n\n\n".join(brought[first]).split("\n")
    return "\n".join(lines)


def _needed(text: str, names: set[str]) -> list[tuple[ast.stmt, str]]:
    """The statements of a module that give these names a value, and those that they need."""
    lines, body, kept = text.split("\n"), ast.parse(text).body, list[ast.stmt]()
    while more := [node for node in body if node not in kept and _bound(node) & names]:
        kept += more
        names |= {part.id for node in more for part in ast.walk(node) if isinstance(part, ast.Name)}
    return [
        (node, "\n".join(lines[_first(node) - 1 : node.end_lineno]))
        for node in body
        if node in kept
    ]


def _add(there: dict[str, str], node: ast.stmt, text: str, slug: str) -> str:
    """Note a statement by its names; its text, or nothing where it is there already."""
    names = _bound(node)
    known = {there[name] for name in names if name in there}
    if known - {text} and not isinstance(node, ast.Import | ast.ImportFrom):
        raise UserError(f"solutions/{slug}.py imports another {', '.join(sorted(names))}.")
    there |= dict.fromkeys(names, text)
    return "" if known == {text} else text


def _bound(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {item.asname or item.name.partition(".")[0] for item in node.names}
    inside = (part for part in ast.walk(node) if isinstance(part, ast.Name))
    return {part.id for part in inside if isinstance(part.ctx, ast.Store)}


def _first(node: ast.stmt) -> int:
    return min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])


def chapters() -> list[str]:
    """Slugs of all pages in the order of ``_toc.yml``; none without that file."""
    toc = ROOT / "_toc.yml"
    text = toc.read_text(encoding="utf-8") if toc.is_file() else ""
    return re.findall(r"^\s*- file: book/(\w+)\s*$", text, re.MULTILINE)


def stated(slug: str) -> list[str]:
    """Symbols of the exercises that a chapter's page states, in the order of the page."""
    page = ROOT / "book" / f"{slug}.md"
    text = page.read_text(encoding="utf-8") if page.is_file() else ""
    return [*map(symbol, re.findall(rf"^:label: {re.escape(slug)}\.(\w+)\s*$", text, re.MULTILINE))]


def anchors(slug: str) -> list[str]:
    """What a chapter's page calls its sections: ``(name)=`` above their headings."""
    page = ROOT / "book" / f"{slug}.md"
    text = page.read_text(encoding="utf-8") if page.is_file() else ""
    return re.findall(r"^\((\S+)\)=$", text, re.MULTILINE)


def symbol(name: str) -> str:
    """The symbol that a label, or a file of an exercise, is named after.

    A class that shares its name with a function but for capitals, as ``Conv2d`` does, is called
    ``Conv2d_layer`` there: neither Sphinx nor the disks of macOS and Windows tell capitals.
    """
    return name.removesuffix("_layer")


def address(slug: str, section: str) -> str | None:
    """Where a browser finds a section: on the website, or on the one that was built here.

    The website is where ``html: baseurl`` in ``_config.yml`` says.
    """
    config = ROOT / "_config.yml"
    text = config.read_text(encoding="utf-8") if config.is_file() else ""
    if site := re.search(r"^\s+baseurl:\s*[\"']?(https?://[^\s\"'#]+)", text, re.MULTILINE):
        return f"{site[1].rstrip('/')}/book/{slug}.html#{section}"
    for build in (ROOT / "_build", ROOT / "_build" / "student" / "_build"):
        page = build / "html" / "book" / f"{slug}.html"
        if page.is_file():
            return f"{page.as_uri()}#{section}"
    return None


def notebook(slug: str) -> Path | None:
    """A chapter as a notebook, where the course's pages are at hand."""
    path = ROOT / "book" / f"{slug}.ipynb"
    return path if path.is_file() else None
