"""Where the course's own files lie: its solutions, its pages and their order, its website.

All are read as text; nothing here imports a solution or a page.
"""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

from grader.errors import UserError

ROOT = Path(__file__).resolve().parents[1]
GOALS = re.compile(r"^```\{goals\}\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def solution(slug: str) -> str:
    """A chapter's solution as a submission: what it takes from other solutions it imports from the
    package `course`, for a submission can import no solution.

    Raises:
        UserError: as `original`.
    """
    return re.sub(r"^from solutions\.", "from course.", original(slug), flags=re.MULTILINE)


def original(slug: str) -> str:
    """Source text of ``solutions/<slug>.py``, read without importing it.

    Raises:
        UserError: the solutions are not on this machine (a student's edition), or there is no such
            chapter.
    """
    package = find_spec("solutions")
    if package is None or not package.submodule_search_locations:
        raise UserError(f"solutions/{slug}.py is not here; this needs the instructor's edition.")
    path = Path(package.submodule_search_locations[0], f"{slug}.py")
    if not path.is_file():
        raise UserError(
            f"There is no solutions/{slug}.py. Begin the chapter: "
            f'make chapter SLUG={slug} TITLE="Its title"'
        )
    return path.read_text(encoding="utf-8")


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


def shown(slug: str) -> list[str]:
    """Names that a chapter's page puts out by ``show``, in the order of the page."""
    page = ROOT / "book" / f"{slug}.md"
    text = page.read_text(encoding="utf-8") if page.is_file() else ""
    calls = re.findall(r"^show\(([\w,\s]+)\)$", text, re.MULTILINE)
    return [name for call in calls for name in re.findall(r"\w+", call)]


def anchors(slug: str) -> list[str]:
    """Names of the sections of a chapter's page: ``(name)=`` above their headings."""
    page = ROOT / "book" / f"{slug}.md"
    text = page.read_text(encoding="utf-8") if page.is_file() else ""
    return re.findall(r"^\((\S+)\)=$", text, re.MULTILINE)


def goals(slug: str) -> dict[str, str]:
    """Abilities of a reader at the end of a chapter, by the section that teaches each: the lines of
    ``{goals}`` on its page, in their order; none without that page.
    """
    page = ROOT / "book" / f"{slug}.md"
    text = page.read_text(encoding="utf-8") if page.is_file() else ""
    found = GOALS.search(text)
    lines = found[1].splitlines() if found else []
    return dict(line.split(": ", 1) for line in lines if line.strip())


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
