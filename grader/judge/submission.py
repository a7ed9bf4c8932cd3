"""Files that a student hands in: a module, a notebook, or a folder or archive that holds one."""

from __future__ import annotations

import base64
import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grader.enclose.outcome import NAME, cleaned_error, one_line
from grader.errors import UserError
from grader.judge import reader
from grader.judge.records import Manifest, symbols
from grader.judge.unpack import MODULE, SUFFIXES

LARGEST = 16 * 2**20  # bytes of a notebook with its outputs, or of an archive
LEFT_OUT = 20  # things of a notebook that do not count, and are told one by one


@dataclass(frozen=True)
class Reading:
    """Facts of one exercise in a submission before it runs.

    Attributes:
        text: Python source: the module, or what the exercise needs of a notebook.
        code: the text as Python compiles it, marshaled, where several exercises are in it.
        pieces: where the lines of a notebook come from: the first line in the text, the cell, the
            line in it, how many.
        fingerprint: equal ones, equal results.
        shortcut: a refused name that the source shows, and the line.
        unwritten: nothing is there, or it still raises NotImplementedError.
        uses: other exercises of the chapter that it calls.
        left_out: what of the notebook does not count, and why.
        error: why the text is no Python, as the worker tells of an exception.
        refused: why it cannot be read; else nothing.
    """

    text: str
    code: bytes = field(default=b"", repr=False)
    pieces: Sequence[Sequence[int]] = ()
    fingerprint: str = ""
    shortcut: tuple[str, int] | None = None
    unwritten: bool = True
    uses: Sequence[str] = ()
    left_out: Sequence[str] = ()
    error: Mapping | None = None
    refused: str = ""

    def place(self, line: int) -> tuple[int | None, int]:
        """The code cell, counted from 1, and the line in it; None and the line in modules."""
        for first, cell, start, count in self.pieces:
            if first <= line < first + count:
                return cell, line - first + start
        return None, line


@dataclass(frozen=True)
class Submission:
    """Source to run.

    Attributes:
        text: of a module; empty for a notebook.
        filename: the name under which tracebacks show it.
        path: where it came from.
        cells: of a notebook, those with code, in the order in which they stand or ran.
        failed: cells that did not run to their end, counted from 1, and the line and column in
            which each stopped; line 0 where that is not known.
    """

    text: str
    filename: str
    path: Path | None = None
    cells: tuple[str, ...] | None = None
    failed: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    _known: dict = field(default_factory=dict, compare=False, repr=False)

    def reading(self, exercise: Manifest) -> Reading:
        """Read one exercise in it.

        Raises:
            ReaderError: reading failed, whatever this is worth.
        """
        return self.readings([exercise])[exercise.symbol]

    def readings(self, exercises: Iterable[Manifest]) -> dict[str, Reading]:
        """The same for several of a chapter, by symbol; the source is read once for all."""
        wanted = {one.symbol: (one.id, one.forbidden) for one in exercises}
        new = {name: key for name, key in wanted.items() if key not in self._known}
        if new:
            asked = {name: (key[1], symbols(key[0].partition(".")[0])) for name, key in new.items()}
            try:
                found = self._study(asked)
            except reader.Unreadable as error:
                found = dict.fromkeys(new, Reading(self.text, refused=str(error)))
            self._known.update({new[name]: found[name] for name in new})
        return {name: self._known[key] for name, key in wanted.items()}

    def _study(self, wanted: Mapping[str, tuple]) -> dict[str, Reading]:
        name = Path(self.filename).name
        if self.cells is None:
            found = reader.ask("study_module", name, text=self.text, wanted=wanted)
        else:
            failed = [*self.failed.items()]
            found = reader.ask(
                "study_notebook", name, cells=self.cells, wanted=wanted, failed=failed
            )
        return {symbol: _reading(**one) for symbol, one in found.items()}

    def with_others(self, exercise: Manifest, given: Mapping[str, str]) -> Submission:
        """The same for one exercise, with other definitions in the place of those it calls.

        Raises:
            Unreadable: its source cannot be read.
        """
        text = self.reading(exercise).text
        found = reader.ask("stand_in", Path(self.filename).name, text=text, given=given)
        return Submission(found["text"], self.filename)


def _reading(
    *, code: str, shortcut: Sequence | None, left_out: Sequence[str], error: Mapping | None, **more
) -> Reading:
    """Make a reading, its words cleaned: all of them may come from the source."""
    left_out, rest = [*map(one_line, left_out[:LEFT_OUT])], len(left_out) - LEFT_OUT
    return Reading(
        code=base64.b64decode(code),
        shortcut=(one_line(shortcut[0], NAME), shortcut[1]) if shortcut else None,
        left_out=[*left_out, f"{rest:,} more"] if rest > 0 else left_out,
        error=cleaned_error(error) if error else None,
        **more,
    )


def find(folder: Path, slug: str) -> Path | None:
    """A chapter's module in a folder, or else its notebook, or nothing."""
    for suffix in SUFFIXES:
        path = folder / f"{slug}{suffix}"
        if path.is_symlink() or path.is_file():
            return path
    return None


def read(path: Path, slug: str, suffixes: Sequence[str] = SUFFIXES) -> Submission:
    """Read what was handed in for one chapter.

    Args:
        path: a ``.py`` module, an ``.ipynb`` notebook (of which an exercise gets what its
            definition needs), or a folder or ``.zip`` with one of them named after the chapter.
        slug: the chapter.
        suffixes: what is looked for in an archive.

    Raises:
        UserError: nothing there that can be read as Python; the message says what to do.
    """
    if path.is_dir():
        if path.is_symlink():
            raise UserError(f"{one_line(path.name)} is a link; hand in the folder itself.")
        found = find(path, slug)
        if found is None:
            raise UserError(f"{path} holds neither {slug}.py nor {slug}.ipynb.")
        path = found
    data = base64.b64encode(_bytes(path)).decode()
    if path.suffix not in (*SUFFIXES, ".zip"):
        raise UserError(f"{path.name} is neither a Python module (.py) nor a notebook (.ipynb).")
    try:
        found = reader.ask("unpack", path.name, slug=slug, data=data, suffixes=suffixes)
    except reader.Unreadable as error:
        raise UserError(str(error)) from error
    cells = tuple(found["cells"]) if "cells" in found else None
    return Submission(found.get("text", ""), found["name"], path, cells)


def _bytes(path: Path) -> bytes:
    """Read a file. A link is refused: it may lead to what others have handed in."""
    if path.is_symlink():
        raise UserError(f"{one_line(path.name)} is a link; hand in the file itself.")
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW
    try:
        file = os.open(path, flags)
    except FileNotFoundError:
        raise UserError(f"There is no file {path}.") from None
    except OSError as error:
        raise UserError(f"{path.name} cannot be read: {error.strerror or error}.") from error
    largest = MODULE if path.suffix == ".py" else LARGEST
    with open(file, "rb") as opened:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise UserError(f"{path} is not a file.")
        data = opened.read(largest + 1)
    if len(data) > largest:
        size = f"{MODULE // 2**10} KB" if path.suffix == ".py" else f"{LARGEST // 2**20} MB"
        raise UserError(f"{one_line(path.name)} is larger than {size}.")
    return data
