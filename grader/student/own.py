"""A learner's own versions of what chapters build: those that have passed, and what they need."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType

from grader.judge import reader, records, submission
from grader.judge.cells import FUTURE
from grader.judge.unpack import SUFFIXES
from grader.student import progress


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
