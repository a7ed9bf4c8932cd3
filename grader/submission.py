"""What a student hands in: a module, a notebook, or a folder or archive that holds one."""

from __future__ import annotations

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
    """Source text to run, the name under which tracebacks show it, and where it came from."""

    text: str
    filename: str
    path: Path | None = None


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
    if name.endswith(".ipynb"):
        text = notebook_source(text, name)
    return Submission(text.replace("\r\n", "\n"), name)


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


def notebook_source(text: str, name: str) -> str:
    """The definitions of a notebook's code cells, as one module.

    Raises:
        UserError: the text is not a notebook.
    """
    try:
        cells = [
            cell["source"] for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"
        ]
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"{name} is not a Jupyter notebook: {error}.") from error
    return cells_source(["".join(cell) for cell in cells])


def cells_source(cells: list[str]) -> str:
    """The definitions of code cells, as one module: later ones win.

    Shell lines and magics are dropped, and so is any cell that is not Python. Constants stand
    once more at the end, for a table of functions must hold those that were written last.
    """
    parts, constants = [], []
    for cell in cells:
        lines = cell.splitlines()
        code = "\n".join(line for line in lines if not line.lstrip().startswith(("%", "!", "?")))
        try:
            parts.append(source.definitions(code))
            constants.append(source.constants(code))
        except (SyntaxError, ValueError):
            parts.append(code if _defines(code) else "")
    return "\n".join(parts + constants) + "\n"


def _defines(cell: str) -> bool:
    """A broken cell with a definition in it must be reported; any other may be left out."""
    return any(line.startswith(("def ", "class ", "@")) for line in cell.splitlines())
