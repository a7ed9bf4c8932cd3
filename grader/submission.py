"""What a student hands in: a module, a notebook, or a folder that holds one of them."""

from __future__ import annotations

import ast
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

    Shell lines and magics are dropped, and so is any cell that is not Python.

    Raises:
        UserError: the text is not a notebook.
    """
    try:
        cells = json.loads(text)["cells"]
        sources = [cell["source"] for cell in cells if cell["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"{name} is not a Jupyter notebook: {error}.") from error
    parts = []
    for lines in sources:
        code = "".join(lines) if isinstance(lines, list) else str(lines)
        kept = [line for line in code.splitlines() if not line.lstrip().startswith(("%", "!", "?"))]
        cell = "\n".join(kept)
        try:
            ast.parse(cell)
        except (SyntaxError, ValueError):
            parts.append(cell if _defines(cell) else "")
            continue
        parts.append(source.definitions(cell))
    return "\n".join(parts) + "\n"


def _defines(cell: str) -> bool:
    """A broken cell with a definition in it must be reported; any other may be left out."""
    return any(line.startswith(("def ", "class ", "@")) for line in cell.splitlines())
