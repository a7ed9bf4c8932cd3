"""Autograders for platforms: a student's copy, hidden records where nobody else can read them, and
the program that runs them and writes what the platform reads.
"""

from __future__ import annotations

import io
import json
import tomllib
import uuid
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from grader.errors import UserError
from grader.instruct import assignment, classroom50, gradescope, prairielearn
from grader.instruct.assignment import Assignment
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
RUN_PRAIRIELEARN = """#!/bin/sh
# For each submission, without a network.
export OMP_NUM_THREADS=1
exec "${PYTHON:-python3}" "$(dirname "$0")/prairielearn.py"
"""
IMAGE = """FROM python:3.11-slim
RUN apt-get update -qq && apt-get install -y -qq bubblewrap && rm -rf /var/lib/apt/lists/*
COPY constraints.txt .
RUN pip install --no-cache-dir -q -c constraints.txt {names}
"""
QUESTION = """<pl-question-panel>
  <p>Write {names}.</p>
{editors}
</pl-question-panel>
<pl-submission-panel>
  <pl-external-grader-results></pl-external-grader-results>
  <pl-file-preview></pl-file-preview>
</pl-submission-panel>
"""
MOST = 10 * 2**20  # bytes of a bundle that the runner of Classroom 50 fetches
LEFT_OUT = ("work", ".venv", "__pycache__")


def build(copy: Path, hidden: Path | None) -> bytes:
    """The zip for Gradescope.

    Args:
        copy: what `grade release` wrote.
        hidden: what `grade hidden` wrote; without it, the public cases alone are graded.

    Raises:
        UserError: one of the two folders is something else.
    """
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in (("setup.sh", SETUP), ("run_autograder", RUN)):
            _add(archive, name, text.encode(), 0o755)
        for name, data in _graded(copy, hidden, gradescope):
            _add(archive, name, data)
    return packed.getvalue()


def for_prairielearn(copy: Path, hidden: Path | None, image: str) -> Iterator[tuple[str, bytes]]:
    """A question for PrairieLearn's course, and what its grader's image is made of.

    Args:
        copy: what `grade release` wrote.
        hidden: what `grade hidden` wrote; without it, the public cases alone are graded.
        image: name of the image.

    Raises:
        UserError: one of the two folders is something else.
    """
    given = _assignment(copy)
    graded = [*_graded(copy, hidden, gradescope, prairielearn)]
    place = f"questions/{given.name}"
    told = {
        "uuid": str(uuid.uuid5(uuid.NAMESPACE_OID, f"{given.name} {dict(given.records)}")),
        "title": given.title,
        "topic": given.slugs[0],
        "type": "v3",
        "singleVariant": True,
        "gradingMethod": "External",
        "externalGradingOptions": {
            "enabled": True,
            "image": image,
            "entrypoint": "/grade/tests/run.sh",
            "timeout": 300,
        },
    }
    yield f"{place}/info.json", json.dumps(told, indent=2).encode()
    yield f"{place}/question.html", _question(given).encode()
    for slug in given.slugs:
        yield f"{place}/{slug}.py", (copy / "work" / f"{slug}.py").read_bytes()
    yield f"{place}/tests/run.sh", RUN_PRAIRIELEARN.encode()
    yield f"{place}/tests/{prairielearn.WORTH}", json.dumps(dict(given.exercises)).encode()
    for name, data in graded:
        yield f"{place}/tests/{name}", data
    wanted = tomllib.loads((copy / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    yield "image/Dockerfile", IMAGE.format(names=" ".join(wanted["dependencies"])).encode()
    yield "image/constraints.txt", (copy / "constraints.txt").read_bytes()


def for_classroom50(copy: Path) -> Iterator[tuple[str, bytes]]:
    """The folder ``autograders/ASSIGNMENT`` of a classroom; it holds nothing that is secret.

    Raises:
        UserError: it is no student's copy, or it is larger than the runner takes.
    """
    made = [*_graded(copy, None, gradescope)]
    made.append(("autograder.py", Path(classroom50.__file__).read_bytes()))
    if (size := sum(len(data) for _, data in made)) > MOST:
        raise UserError(
            f"{copy} has {size / 2**20:.1f} MB, and Classroom 50 takes {MOST / 2**20:.0f}: release "
            "fewer chapters at a time."
        )
    yield from made


def _graded(copy: Path, hidden: Path | None, *programs: ModuleType) -> Iterator[tuple[str, bytes]]:
    """The copy, the records, what is graded in which way, and the programs."""
    references = copy / "grader" / "references"
    if not (copy / "pyproject.toml").is_file() or not references.is_dir():
        raise UserError(f"{copy} is no student's copy: name the folder that grade release wrote.")
    given = _assignment(copy)
    words = [one.id for one in records.select([*given.exercises], hidden or references)]
    for program in programs:
        path = Path(program.__file__ or "")
        yield path.name, path.read_bytes()
    yield gradescope.TARGETS, "\n".join([*words, *["--core"] * given.core]).encode()
    yield from _tree(copy, gradescope.COPY)
    if hidden:
        yield from _tree(hidden, gradescope.HIDDEN)


def _assignment(copy: Path) -> Assignment:
    try:
        return assignment.read(copy)
    except UserError as error:
        raise UserError(f"{copy} is no student's copy. {error}") from error


def _question(given: Assignment) -> str:
    """The page of a question: an editor for each chapter's module."""
    editors = "\n".join(
        f'  <pl-file-editor file-name="{slug}.py" source-file-name="{slug}.py" '
        'ace-mode="ace/mode/python"></pl-file-editor>'
        for slug in given.slugs
    )
    names = ", ".join(f"<code>{name}</code>" for name in given.exercises)
    return QUESTION.format(names=names, editors=editors)


def _tree(folder: Path, name: str) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if path.is_file() and not set(inside.parts) & {*LEFT_OUT}:
            yield f"{name}/{inside.as_posix()}", path.read_bytes()


def _add(archive: zipfile.ZipFile, name: str, data: bytes, mode: int = 0o644) -> None:
    """The same bytes at every time: the date is that of the format's beginning."""
    entry = zipfile.ZipInfo(name)
    entry.external_attr = (0o100000 | mode) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, data)
