"""The text of what is handed in: of a module, of a notebook's cells, of either in an archive."""

from __future__ import annotations

import base64
import io
import json
import re
import tokenize
from collections.abc import Sequence
from pathlib import PurePosixPath

SUFFIXES = (".py", ".ipynb")
MODULE = 256 * 2**10  # bytes of Python that run at once; no honest module comes near
NOTEBOOK = 2**20  # bytes in all code cells
NAMED = re.compile(rb"coding[:=][ \t]*([-\w.]+)")  # an encoding, as PEP 263 names it
TOO_MUCH = "is nested too deeply, or too large"


class BadFile(Exception):
    """A file that cannot be read. The message is a sentence for whoever handed it in."""


def unpack(name: str, slug: str, data: str, suffixes: Sequence[str] = SUFFIXES) -> dict:
    """The text of a module, or the code cells of a notebook.

    Args:
        name: of the file.
        slug: the chapter; an archive is searched for it.
        data: the file in base64.
        suffixes: what an archive is searched for.

    Returns:
        ``name``, and ``text`` or ``cells``.
    """
    content = base64.b64decode(data)
    if name.endswith(".zip"):
        name, content = _from_zip(name, [f"{slug}{suffix}" for suffix in suffixes], content)
    if name.endswith(".py") and len(content) > MODULE:
        raise BadFile(f"{name} is larger than {MODULE // 2**10} KB.")
    if name.endswith(".py"):
        return {"name": name, "text": lines_ended(_decoded(name, content))}
    return {"name": name, "cells": _cells(name, _decoded(name, content, "utf-8-sig"))}


def _decoded(name: str, content: bytes, encoding: str = "") -> str:
    """The text of a file: in the encoding that a module names in its first lines (PEP 263), as
    Python reads it, or in UTF-8.
    """
    try:
        encoding = encoding or tokenize.detect_encoding(io.BytesIO(content).readline)[0]
    except SyntaxError:  # it names none that is known, or is no text at all
        pass
    except LookupError:  # from Python 3.14 on, where it names what does not encode texts
        found = NAMED.search(content)
        encoding = found[1].decode() if found else ""
    try:
        return content.decode(encoding or "utf-8-sig")
    except (ValueError, LookupError) as error:  # some codecs raise errors of other kinds
        known = encoding and not encoding.startswith("utf-8")
        said = f"text in {encoding}, as it says" if known else "UTF-8 text"
        where = f" (byte {error.start})" if isinstance(error, UnicodeDecodeError) else ""
        raise BadFile(f"{name} is not {said}{where}. Save it as UTF-8.") from error


def _from_zip(name: str, names: Sequence[str], content: bytes) -> tuple[str, bytes]:
    """A chapter's file inside an archive. Nothing is unpacked to disk, whatever its names say."""
    import zipfile  # takes a while, and few hand in archives

    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for wanted in names:
                found = [
                    entry
                    for entry in archive.infolist()
                    if PurePosixPath(entry.filename.replace("\\", "/")).name == wanted
                ]
                if len(found) > 1:
                    raise BadFile(f"{name} holds {len(found)} files {wanted}.")
                if found:
                    if found[0].external_attr >> 28 == 0o12:
                        raise BadFile(f"{wanted} in {name} is a link; hand in the file itself.")
                    with archive.open(found[0]) as file:
                        return wanted, file.read(len(content) + NOTEBOOK * 16)
    except BadFile:
        raise
    except MemoryError as error:
        raise BadFile(f"{name} is too large to be unpacked.") from error
    except Exception as error:  # a dozen kinds, from as many libraries
        raise BadFile(f"{name} cannot be read as a zip archive: {error}.") from error
    if len(names) == 1:
        raise BadFile(f"{name} holds no {names[0]}.")
    raise BadFile(f"{name} holds neither {' nor '.join(names)}.")


def _cells(name: str, text: str) -> list[str]:
    try:
        found = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
        cells = ["".join(cell["source"]) for cell in found]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise BadFile(f"{name} is not a Jupyter notebook: {error}.") from error
    if sum(len(cell.encode("utf-8", "replace")) for cell in cells) > NOTEBOOK:
        raise BadFile(f"{name} holds more than {NOTEBOOK // 2**20} MB of code.")
    return cells


def lines_ended(text: str) -> str:
    """With line feeds alone at the ends of lines, as Python reads it, and without surrogates."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.encode("utf-8", "replace").decode()
