"""What a student hands in: a module, a notebook, or a folder or archive that holds one."""

from __future__ import annotations

import ast
import json
import zipfile
import zlib
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from grader import source
from grader.exercise import UserError

SUFFIXES = (".py", ".ipynb")
LARGEST = 5 * 2**20  # bytes; no honest module or notebook without outputs comes near


@dataclass(frozen=True)
class Submission:
    """What to run.

    Attributes:
        text: Python source.
        filename: the name under which tracebacks show it.
        path: where it came from.
        cells: how many lines of the text each code cell of a notebook takes; empty for modules.
    """

    text: str
    filename: str
    path: Path | None = None
    cells: tuple[int, ...] = ()

    def place(self, line: int) -> tuple[int | None, int]:
        """The code cell, counted from 1, and the line in it; None and the line in modules."""
        left = line
        for number, length in enumerate(self.cells, 1):
            if 0 < left <= length:
                return number, left
            left -= length
        return None, line


def find(folder: Path, slug: str) -> Path | None:
    """A chapter's module in a folder, or else its notebook, or nothing."""
    for suffix in SUFFIXES:
        path = folder / f"{slug}{suffix}"
        if path.is_file():
            return path
    return None


def read(path: Path, slug: str) -> Submission:
    """Read what was handed in for one chapter.

    Args:
        path: a ``.py`` module, an ``.ipynb`` notebook (its definitions alone are taken), or a
            folder or ``.zip`` with one of them named after the chapter.
        slug: the chapter.

    Raises:
        UserError: nothing there that can be read as Python; the message says what to do.
    """
    try:
        if path.is_dir():
            found = find(path, slug)
            if found is None:
                raise UserError(f"{path} holds neither {slug}.py nor {slug}.ipynb.")
            path = found
        if not path.exists():
            raise UserError(f"There is no file {path}.")
        if not path.is_file():
            raise UserError(f"{path} is not a file.")
        if path.suffix == ".zip":
            name, data = _from_zip(path, slug)
        else:
            name = path.name
            with path.open("rb") as file:
                data = file.read(LARGEST + 1)
    except OSError as error:
        raise UserError(f"{path.name} cannot be read: {error.strerror or error}.") from error
    return replace(_decode(name, data), path=path)


def _decode(name: str, data: bytes) -> Submission:
    if not name.endswith(SUFFIXES):
        raise UserError(f"{name} is neither a Python module (.py) nor a notebook (.ipynb).")
    if len(data) > LARGEST:
        raise UserError(f"{name} is larger than {LARGEST // 2**20} MB.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"{name} is not UTF-8 text (byte {error.start}).") from error
    text = text.replace("\r\n", "\n")
    return _from_notebook(text, name) if name.endswith(".ipynb") else Submission(text, name)


def _from_zip(path: Path, slug: str) -> tuple[str, bytes]:
    """A chapter's file inside an archive. Nothing is unpacked to disk, whatever its names say."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if not name.endswith("/")]
            for suffix in SUFFIXES:
                found = [name for name in names if PurePosixPath(name).name == f"{slug}{suffix}"]
                if len(found) > 1:
                    raise UserError(f"{path.name} holds {len(found)} files {slug}{suffix}.")
                if found:
                    with archive.open(found[0]) as file:
                        return f"{slug}{suffix}", file.read(LARGEST + 1)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error) as error:
        raise UserError(f"{path.name} cannot be read as a zip archive: {error}.") from error
    raise UserError(f"{path.name} holds neither {slug}.py nor {slug}.ipynb.")


def _from_notebook(text: str, name: str) -> Submission:
    try:
        cells = [
            cell["source"] for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"
        ]
        return from_cells(["".join(cell) for cell in cells], name)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UserError(f"{name} is not a Jupyter notebook: {error}.") from error


def from_cells(cells: list[str], name: str) -> Submission:
    """The definitions of code cells, as one module: later ones win.

    Shell lines and magics are dropped, and so is any cell that is not Python. Constants stand
    once more at the end, for a table of functions must hold those that were written last.
    """
    parts, constants = [], []
    for cell in cells:
        code = _without_magics(cell)
        try:
            parts.append(source.definitions(code))
            constants.append(source.constants(code))
        except (SyntaxError, ValueError):
            parts.append(code if _defines(code) else "")
    lengths = tuple(part.count("\n") + 1 for part in parts)
    return Submission("\n".join(parts + constants) + "\n", name, cells=lengths)


def _without_magics(cell: str) -> str:
    """Python alone, each line in its place. A line that begins with % may go on from the last."""
    lines = cell.splitlines()
    try:
        ast.parse(cell)
    except (SyntaxError, ValueError):
        lines = ["" if _is_magic(line) else line for line in lines]
    return "\n".join(lines)


def _is_magic(line: str) -> bool:
    return line.lstrip().startswith(("%", "!", "?")) or line.rstrip().endswith("?")


def _defines(cell: str) -> bool:
    """A broken cell with a definition in it must be reported; any other may be left out."""
    return any(line.startswith(("def ", "class ", "@")) for line in cell.splitlines())
