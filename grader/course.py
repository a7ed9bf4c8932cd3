"""Where files lie: the course's solutions, its pages and their order, its website; and projects
with exercises of your own, each a package with folders of solutions, exercises and references.

All are read as text; nothing here imports a solution or a page.
"""

from __future__ import annotations

import os
import re
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from grader.errors import UserError, unknown

ROOT = Path(__file__).resolve().parents[1]
GOALS = re.compile(r"^```\{goals\}\n(.*?)^```$", re.MULTILINE | re.DOTALL)
GROUP = "neural_networks_in_code.exercises"  # entry points of packages with exercises
KINDS = ("dist-info", "egg-info")  # of folders in which an installed package announces itself
VARIABLE = "COURSE_EXERCISES"  # folders of projects that need not be installed
SITE = ("http://", "https://")


@dataclass(frozen=True)
class Project:
    """Exercises outside of the course.

    Attributes:
        package: its name.
        folder: of the package, with the folders ``solutions``, ``exercises`` and ``references``.
    """

    package: str
    folder: Path

    def module(self, slug: str) -> Path:
        """The file of a chapter's solutions, which may be missing."""
        return self.folder / "solutions" / f"{slug}.py"

    @property
    def exercises(self) -> Path:
        return self.folder / "exercises"

    @property
    def references(self) -> Path:
        return self.folder / "references"

    @property
    def slugs(self) -> list[str]:
        """Its chapters: the modules of its solutions."""
        return sorted(path.stem for path in self.module("*").parent.glob("[!_]*.py"))


def projects() -> tuple[Project, ...]:
    """Projects in the folders that the environment names, then those that are installed.

    Raises:
        UserError: a folder is no project, or a chapter has a name that is taken.
    """
    return _projects(os.environ.get(VARIABLE, ""))


def named() -> list[str]:
    """Chapters of the projects in the folders that the environment names."""
    count = len(list(filter(None, os.environ.get(VARIABLE, "").split(os.pathsep))))
    return [slug for one in projects()[:count] for slug in one.slugs]


@contextmanager
def using(*folders: Path) -> Iterator[None]:
    """Look for projects in these folders, here and in processes that are started.

    Raises:
        UserError: as `projects`.
    """
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = os.pathsep.join(str(one.resolve()) for one in folders)
    try:
        projects()
        yield
    finally:
        os.environ.pop(VARIABLE)
        if before is not None:
            os.environ[VARIABLE] = before


@cache
def _projects(folders: str) -> tuple[Project, ...]:
    given = [project_in(Path(one)) for one in folders.split(os.pathsep) if one]
    known = {one.package for one in given}
    found = [*given, *(one for one in _installed() if one.package not in known)]
    taken = dict.fromkeys(own_chapters(), "the course")
    for one in found:
        for slug in one.slugs:
            if slug in taken:
                raise UserError(
                    f"{one.module(slug)}: {taken[slug]} has a chapter {slug} already. Give yours "
                    "another name."
                )
            taken[slug] = str(one.folder)
    return tuple(found)


def project_in(folder: Path) -> Project:
    """The project in a folder.

    Raises:
        UserError: its ``pyproject.toml`` is missing, or announces no package with exercises.
    """
    path = folder / "pyproject.toml"
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
        (package,) = told["project"]["entry-points"][GROUP].values()
    except OSError as error:
        raise UserError(
            f"{folder} is no project with exercises: {path.name} cannot be read"
            f" ({error.strerror}). Begin one: grade new SLUG.SYMBOL --to FOLDER"
        ) from error
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise UserError(
            f'{path} announces no exercises: it needs one line PACKAGE = "PACKAGE" under '
            f'[project.entry-points."{GROUP}"].'
        ) from error
    if not (folder / package).is_dir():
        raise UserError(f"{path} announces the package {package}, and {folder} holds none.")
    return Project(package, (folder / package).resolve())


def _installed() -> Iterator[Project]:
    if not any(map(_announces, sys.path)):
        return
    from importlib.metadata import entry_points  # takes longer than all else that a command loads

    for entry in entry_points(group=GROUP):
        spec = find_spec(entry.value)
        if spec and spec.submodule_search_locations:
            yield Project(entry.value, Path(next(iter(spec.submodule_search_locations))).resolve())


def _announces(path: str) -> bool:
    """Whether a package that is installed in a folder may hold exercises; one in an archive may."""
    folder = Path(path)
    try:
        if folder.is_file() or folder.suffix == ".egg" or any(folder.glob("*.egg")):
            return True
        told = [one for kind in KINDS for one in folder.glob(f"*.{kind}/entry_points.txt")]
        return any(GROUP.encode() in one.read_bytes() for one in told)
    except OSError:
        return True


def own_chapters() -> set[str]:
    """Chapters of the course itself that have solutions or records."""
    modules = (ROOT / "solutions").glob("*.py")
    records = (ROOT / "grader" / "references").glob("*/")
    return {path.stem for path in (*modules, *records)} - {"__init__", "__pycache__"}


def project(slug: str) -> Project | None:
    """The project that a chapter belongs to; None for those of the course."""
    return next((one for one in projects() if one.module(slug).is_file()), None)


def solution(slug: str) -> str:
    """A chapter's solution as a submission: what it takes from other solutions it imports from the
    package `course`, for a submission can import no solution.

    Raises:
        UserError: as `original`.
    """
    return re.sub(r"^from solutions\.", "from course.", original(slug), flags=re.MULTILINE)


def original(slug: str) -> str:
    """Source text of ``solutions/<slug>.py``, read without importing it. A project may import its
    solutions as ``<package>.solutions.<slug>``; here they are ``solutions.<slug>`` as all others.

    Raises:
        UserError: the solutions are not on this machine (a student's edition), or there is no such
            chapter.
    """
    if outside := project(slug):
        text = outside.module(slug).read_text(encoding="utf-8")
        ours = rf"^from {re.escape(outside.package)}\.solutions\."
        return re.sub(ours, "from solutions.", text, flags=re.MULTILINE)
    package = find_spec("solutions")
    if package is None or not package.submodule_search_locations:
        raise UserError(f"solutions/{slug}.py is not here; this needs the instructor's edition.")
    path = Path(package.submodule_search_locations[0], f"{slug}.py")
    if not path.is_file():
        built = [name for name in chapters() if path.with_name(f"{name}.py").is_file()]
        raise UserError(
            f"{unknown('chapter', slug, built)} Begin a new one: "
            f'make chapter SLUG={slug} TITLE="Its title"'
        )
    return path.read_text(encoding="utf-8")


def chapters() -> list[str]:
    """Slugs of all pages in the order of ``_toc.yml``; none without that file."""
    toc = ROOT / "_toc.yml"
    text = toc.read_text(encoding="utf-8") if toc.is_file() else ""
    return re.findall(r"^\s*- file: book/(\w+)\s*$", text, re.MULTILINE)


def stated(slug: str) -> list[str]:
    """Symbols of the exercises that a chapter's page states, in the order of the page; of a
    project, which has no pages, all functions and classes in the order of the module.
    """
    if project(slug):
        return re.findall(r"^(?:def|class) (\w+)", original(slug), re.MULTILINE)
    page = ROOT / "book" / f"{slug}.md"
    return [*_stated(page, page.stat().st_mtime_ns)] if page.is_file() else []


@cache
def _stated(page: Path, changed: int) -> tuple[str, ...]:
    """The symbols that a page states, read once for each time that it was changed."""
    text = page.read_text(encoding="utf-8")
    label = rf"^:label: {re.escape(page.stem)}\.(\w+)\s*$"
    return tuple(map(symbol, re.findall(label, text, re.MULTILINE)))


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
    """Where a browser finds a section: on the website, or on the one that was built here. An
    exercise outside of the course has an address in place of a section, or nothing.

    The website is where ``html: baseurl`` in ``_config.yml`` says.
    """
    if not section or section.startswith(SITE):
        return section or None
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
