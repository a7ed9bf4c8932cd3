"""What a student hands in: a module, or the definitions in a notebook."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from grader import source
from grader.exercise import UserError

LARGEST = 5 * 2**20  # bytes; no honest module or notebook without outputs comes near


@dataclass(frozen=True)
class Submission:
    """Source text to run, and the name under which tracebacks show it."""

    text: str
    filename: str


def find(folder: Path, slug: str) -> Path | None:
    """A chapter's module in a folder, or else its notebook, or nothing."""
    for suffix in (".py", ".ipynb"):
        path = folder / f"{slug}{suffix}"
        if path.is_file():
            return path
    return None


def read(path: Path) -> Submission:
    """Read a submission: a ``.py`` module, or the definitions of an ``.ipynb`` notebook.

    Raises:
        UserError: nothing there that can be read as Python; the message says what to do.
    """
    if not path.exists():
        raise UserError(f"There is no file {path}.")
    if not path.is_file():
        raise UserError(f"{path} is not a file.")
    if path.suffix not in (".py", ".ipynb"):
        raise UserError(f"{path.name} is neither a Python module (.py) nor a notebook (.ipynb).")
    try:
        if path.stat().st_size > LARGEST:
            raise UserError(f"{path.name} is larger than {LARGEST // 2**20} MB.")
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"{path.name} is not UTF-8 text (byte {error.start}).") from error
    except OSError as error:
        raise UserError(f"{path.name} cannot be read: {error.strerror}.") from error
    if path.suffix == ".ipynb":
        text = notebook_source(text, path.name)
    return Submission(text.replace("\r\n", "\n"), path.name)


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

    Shell lines and magics are dropped, and so is any cell that is not Python.
    """
    parts = []
    for cell in cells:
        lines = cell.splitlines()
        code = "\n".join(line for line in lines if not line.lstrip().startswith(("%", "!", "?")))
        try:
            parts.append(source.definitions(code))
        except (SyntaxError, ValueError):
            parts.append(code if _defines(code) else "")
    return "\n".join(parts) + "\n"


def _defines(cell: str) -> bool:
    """A broken cell with a definition in it must be reported; any other may be left out."""
    return any(line.startswith(("def ", "class ", "@")) for line in cell.splitlines())
