"""A learner's own versions of what chapters build: those that have passed, and what they need."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from types import CodeType

from grader import course
from grader.enclose.sandbox import Sandbox
from grader.errors import UserError
from grader.judge import given, reader, records, source, submission, syntax
from grader.judge.cells import FUTURE
from grader.judge.unpack import SUFFIXES
from grader.student import progress

TAKEN = "\nimport {home} as home\nfor name in {names}:\n    setattr(home, name, globals()[name])\n"


@dataclass(frozen=True)
class Own:
    """Definitions that a learner has built of a chapter.

    Attributes:
        path: the module or notebook.
        names: the exercises that have passed.
        text: Python that defines them. What they call and has not passed, it imports of `course`.
        pieces: where its lines come from, as in `grader.judge.submission.Reading`.
    """

    path: Path
    names: tuple[str, ...]
    text: str
    pieces: tuple[tuple[int, int, int, int], ...]

    def codes(self) -> Iterator[CodeType]:
        """The text statement by statement, so that a traceback names the lines of the file."""
        lines = self.text.split("\n")
        flags = annotations.compiler_flag if self.text.startswith(FUTURE) else 0
        for first, cell, line, count in self.pieces:
            file = f"{self.path}, cell {cell}" if self.path.suffix == ".ipynb" else str(self.path)
            piece = "\n".join(lines[first - 1 : first - 1 + count])
            yield compile("\n" * (line - 1) + piece, file, "exec", flags, dont_inherit=True)


def own(folder: Path, slug: str) -> Own | None:
    """Definitions that a workspace has of a chapter: in its module, or else in its notebook.

    Raises:
        UserError: its record or a file cannot be read.
    """
    passed = progress.passed(folder, slug)
    others = [symbol for symbol in records.symbols(slug) if symbol not in passed]
    for path in (folder / f"{slug}{suffix}" for suffix in SUFFIXES):
        if passed and path.is_file():
            read = submission.read(path, slug)
            asked = {"passed": passed, "others": others, "home": f"course.{slug}"}
            cells = [read.text] if read.cells is None else read.cells
            found = reader.ask("learned", path.name, cells=cells, **asked)
            if found["names"]:
                pieces = tuple(map(tuple, found["pieces"]))
                return Own(path, tuple(found["names"]), found["text"], pieces)
    return None


def with_own(wanted: Mapping[str, set[str]], found: Mapping[str, Own]) -> dict[str, str]:
    """The course's modules, and behind each what the learner has, which takes its place there.

    Args:
        wanted: names of the course by chapter.
        found: the learner's versions by chapter.
    """
    wanted = {slug: {*names} for slug, names in wanted.items()}
    for slug in found:
        text, symbols = course.solution(slug), records.symbols(slug)
        needs = given.imports(text) | {slug: {*symbols} | given.beside(text, symbols)}
        for other, names in needs.items():
            wanted.setdefault(other, set()).update(names)
    modules = {}
    for name, text in given.collected(wanted).items():
        modules[name] = text
        if mine := found.get(name.partition(".")[2]):
            taken = TAKEN.format(home=name, names=mine.names)
            modules[f"own.{mine.path.stem}"] = mine.text + taken
    return modules


class Workbench(Sandbox):
    """A sandbox for learners: what their copy of the course leaves blank is there as they wrote it.

    A copy that assigns two chapters holds no answer to either, and one may build on the other.
    """

    def __init__(self, folder: Path, *, strict: bool = False):
        """Look for the learner's versions in the workspace around a folder."""
        super().__init__(strict=strict)
        self.folder = folder

    def provided(self, modules: Mapping[str, str]) -> Mapping[str, str]:
        """Complete what a run asks for from the learner's files."""
        return completed(modules, self.folder)


def completed(modules: Mapping[str, str], folder: Path) -> Mapping[str, str]:
    """Modules of the course in which the learner's versions take the place of blank exercises; one
    that has not passed says so when it is called.
    """
    blanks = {name: found for name, text in modules.items() if (found := left_blank(name, text))}
    if not blanks:
        return modules
    mine, workspace = dict[str, Own](), progress.around(folder)
    for name, found in blanks.items():
        slug = name.partition(".")[2]
        try:
            written = own(workspace, slug) if workspace else None
        except (UserError, reader.ReaderError):  # a check of that chapter tells why
            continue
        if written and (names := tuple(one for one in written.names if one in found)):
            mine[slug] = replace(written, names=names)
    wanted = {
        name.partition(".")[2]: {*syntax.Module(text).binding}
        for name, text in modules.items()
        if text
    }
    filled = with_own(wanted, mine)
    for name in blanks:
        filled[name] = _telling(name, filled[name])
    return filled | {name: text for name, text in modules.items() if name not in filled}


@lru_cache(maxsize=64)
def left_blank(module: str, text: str) -> Mapping[str, tuple[int, ...]]:
    """The exercises that a module leaves blank, and the lines that say so."""
    slug = module.partition(".")[2]
    if source.BLANK not in text or slug not in records.slugs():
        return {}
    asked, found = {*records.symbols(slug)}, {}
    for node in ast.parse(text).body:
        if isinstance(node, syntax.Definition) and node.name in asked:
            functions = [one for one in ast.walk(node) if isinstance(one, ast.FunctionDef)]
            ends = [one.body[-1] for one in functions]
            if ends and all(ast.unparse(end) == source.BLANK for end in ends):
                found[node.name] = tuple(end.lineno for end in ends)
    return found


def _telling(module: str, text: str) -> str:
    """A module whose blank exercises name themselves in their errors."""
    lines, slug = syntax.lines_of(text), module.partition(".")[2]
    for name, blank in left_blank(module, text).items():
        for line in blank:
            lines[line - 1] += f'("it builds on {slug}.{name}, which has not passed a check yet")'
    return "\n".join(lines) + "\n"
