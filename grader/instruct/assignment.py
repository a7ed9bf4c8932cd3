"""Assignments: ``assignment.toml``, read by every command that grades a class.

It names the exercises and what each is worth, when they are due, what being late costs, which
parts are marked by hand, and which version of the course and of its records students were given.
`grader.student.assigned` reads it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from importlib import metadata
from pathlib import Path

from grader import files
from grader.errors import UserError
from grader.judge import records
from grader.judge.records import Manifest
from grader.student.assigned import NAME as NAME
from grader.student.assigned import Assignment, example, moment
from grader.student.assigned import Late as Late
from grader.student.assigned import parse as parse
from grader.student.assigned import read as read

REMARKS = {
    "attempt": "which attempt counts: latest, or best",
    "grace_minutes": "after the due time that cost nothing",
    "percent": "of the points, taken off for each day or hour begun after the due time",
    "per": "day, or hour",
    "floor": "percent of the points that are kept however late",
    "free_days": "late days that each student may use in all assignments together",
    "by_hand": "true: parts marked by hand lose the same percentage; false: they lose nothing",
}


def released(
    chosen: Sequence[Manifest], *, name: str = "", title: str = "", due: str = ""
) -> Assignment:
    """The assignment that a release hands out.

    Args:
        chosen: its exercises.
        name: by default its chapters.
        title: the same.
        due: ISO 8601 with a zone; nothing for no due date.

    Raises:
        UserError: the due date cannot be read.
    """
    slugs = [*dict.fromkeys(one.slug for one in chosen)]
    try:
        return stamped(
            Assignment(
                name=name or "-".join(slugs),
                title=title or ", ".join(slugs),
                exercises={one.id: one.public_points for one in chosen},
                due=moment(due) if due else None,
            ),
            chosen,
        )
    except ValueError as error:
        raise UserError(f"{error}.") from error


def stamped(given: Assignment, chosen: Sequence[Manifest]) -> Assignment:
    """An assignment with the course's version and the digests of its records as they are now."""
    digests = {one.id: digest(one.slug, one.symbol) for one in chosen}
    return replace(given, course=version(), records=digests)


def later(given: Assignment, folder: Path) -> set[str]:
    """Exercises of the assignments in the folders beside one that come after it: by their due
    dates, or by the names of the folders where one has no due date or both have the same.

    Raises:
        UserError: one of them cannot be read.
    """
    found = set[str]()
    for path in sorted(folder.resolve().parent.glob(f"*/{NAME}")):
        other = read(path)
        after = path.parent.name > folder.resolve().name
        if other.due and given.due and other.due != given.due:
            after = other.due > given.due
        if after and other.name != given.name:
            found |= other.exercises.keys()
    return found


def version() -> str:
    """Of the course that is installed; nothing where it is not."""
    try:
        return metadata.version("neural-networks-in-code")
    except metadata.PackageNotFoundError:
        return ""


def digest(slug: str, symbol: str, folder: Path | None = None) -> str:
    """SHA-256 of a record's file and of the names of its core cases.

    Raises:
        UserError: there is no such record.
    """
    path = records.file(slug, symbol, folder)
    core = json.dumps(records.core(slug, symbol, folder)).encode()
    return hashlib.sha256(path.read_bytes() + core).hexdigest()


def text(assignment: Assignment) -> str:
    """Text of ``assignment.toml``."""
    told = asdict(assignment)
    lines = [f"{name} = {_toml(told[name])}" for name in ("name", "title")]
    due = assignment.due.isoformat() if assignment.due else f"# due = {example()}"
    lines.append(f"due = {due}" if assignment.due else due)
    lines += [f"{name} = {_toml(told[name])}" for name in ("core", "course")]
    lines += ["", "[late]"]
    for name, value in told["late"].items():
        said = f"{name} = {_toml(value)}"
        lines.append(f"{said:<24}# {REMARKS[name]}")
    for table in ("exercises", "by_hand", "records"):
        rows = [f"{_toml(name)} = {_toml(value)}" for name, value in told[table].items()]
        if table == "by_hand" and not rows:
            rows = ['# "report" = 10          # points of a part that you mark yourself']
        lines += ["", f"[{table}]", *rows]
    return "\n".join(lines) + "\n"


def write(assignment: Assignment, folder: Path) -> Path:
    """Put it into a folder as ``assignment.toml``."""
    return files.write(folder / NAME, text(assignment))


def _toml(value: object) -> str:
    """A basic string escapes as JSON does, but for one character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
