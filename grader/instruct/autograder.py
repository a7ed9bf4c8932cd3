"""An autograder for Gradescope: a zip with a student's copy, hidden records, and what runs them."""

from __future__ import annotations

import io
import tomllib
import zipfile
from collections.abc import Sequence
from pathlib import Path

from grader.errors import UserError
from grader.instruct import gradescope
from grader.judge import records

SETUP = """#!/usr/bin/env bash
# Once, when the image is built, with a network: Python and what constraints.txt pins.
set -e
apt-get update -qq
apt-get install -y -qq python3 python3-pip python3-venv bubblewrap
python3 -m venv /autograder/venv
cd /autograder/source/course
/autograder/venv/bin/pip install -q -c constraints.txt -e .
"""
RUN = """#!/usr/bin/env bash
# For each submission, without a network.
export OMP_NUM_THREADS=1
exec "${PYTHON:-/autograder/venv/bin/python}" source/gradescope.py
"""
LEFT_OUT = ("work", ".venv", "__pycache__")


def build(copy: Path, hidden: Path | None, targets: Sequence[str] = ()) -> bytes:
    """The zip.

    Args:
        copy: what `grade release` wrote.
        hidden: what `grade hidden` wrote; without it, the public cases alone are graded.
        targets: exercises; by default those of its ``assignment.toml``, or all of the copy's.

    Raises:
        UserError: one of the two folders is something else.
    """
    references = copy / "grader" / "references"
    if not (copy / "pyproject.toml").is_file() or not references.is_dir():
        raise UserError(f"{copy} is no student's copy: name the folder that grade release wrote.")
    chosen = [one.id for one in records.select(targets or _assigned(copy), hidden or references)]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in (("setup.sh", SETUP), ("run_autograder", RUN)):
            _add(archive, name, text.encode(), 0o755)
        _add(archive, "gradescope.py", Path(gradescope.__file__).read_bytes())
        _add(archive, gradescope.TARGETS, "\n".join(chosen).encode())
        _tree(archive, copy, gradescope.COPY)
        if hidden:
            _tree(archive, hidden, gradescope.HIDDEN)
    return packed.getvalue()


def _assigned(copy: Path) -> list[str]:
    """The exercises that the copy's assignment names; none where it has no such file."""
    path = copy / "assignment.toml"
    try:
        return [*tomllib.loads(path.read_text(encoding="utf-8"))["exercises"]]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"{path} cannot be read: {error}.") from error


def _tree(archive: zipfile.ZipFile, folder: Path, name: str) -> None:
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if path.is_file() and not set(inside.parts) & {*LEFT_OUT}:
            _add(archive, f"{name}/{inside.as_posix()}", path.read_bytes())


def _add(archive: zipfile.ZipFile, name: str, data: bytes, mode: int = 0o644) -> None:
    """The same bytes at every time: the date is that of the format's beginning."""
    entry = zipfile.ZipInfo(name)
    entry.external_attr = (0o100000 | mode) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, data)
