"""Assignments: ``assignment.toml``, read by every command that grades a class.

It names the exercises and what each is worth, when they are due, what being late costs, which
parts are marked by hand, and which version of the course and of its records students were given.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime
from importlib import metadata
from pathlib import Path

from grader import files
from grader.errors import UserError, unknown
from grader.judge import records
from grader.judge.records import Manifest

NAME = "assignment.toml"
EXERCISE = re.compile(r"\w+\.\w+")
ATTEMPTS = ("latest", "best")
UNITS = ("day", "hour")
REMARKS = {
    "attempt": "which attempt counts: latest, or best",
    "grace_minutes": "after the due time that cost nothing",
    "percent": "of the points, taken off for each day or hour begun after the due time",
    "per": "day, or hour",
    "floor": "percent of the points that are kept however late",
    "free_days": "late days that each student may use in all assignments together",
    "by_hand": "true: parts marked by hand lose the same percentage; false: they lose nothing",
}


@dataclass(frozen=True, kw_only=True)
class Late:
    """Cost of being late, and which attempt counts.

    Attributes:
        attempt: ``latest`` or ``best``.
        grace_minutes: lateness up to this costs nothing; beyond it, all of it counts.
        percent: of the points, taken off for each unit begun.
        per: the unit, ``day`` or ``hour``.
        floor: percent of the points that are kept however late.
        free_days: late days of each student, for all assignments together.
        by_hand: whether the parts that are marked by hand lose points, too.
    """

    attempt: str = "latest"
    grace_minutes: float = 0
    percent: float = 0
    per: str = "day"
    floor: float = 0
    free_days: int = 0
    by_hand: bool = False

    def __post_init__(self):
        if self.attempt not in ATTEMPTS:
            raise ValueError(f"attempt is {self.attempt!r}, expected latest or best")
        if self.per not in UNITS:
            raise ValueError(f"per is {self.per!r}, expected day or hour")
        for name in ("grace_minutes", "percent", "floor", "free_days"):
            _at_least_zero(name, getattr(self, name))
        for name in ("percent", "floor"):
            if getattr(self, name) > 100:
                raise ValueError(f"{name} is {getattr(self, name)}, expected 100 at most")
        if not isinstance(self.by_hand, bool):
            raise ValueError(f"by_hand of [late] is {self.by_hand!r}, expected true or false")


@dataclass(frozen=True, kw_only=True)
class Assignment:
    """Exercises that are assigned, and how they count.

    Attributes:
        name: short, as in ``week-1``.
        title: for people.
        exercises: points by id.
        due: with its zone; None where there is no due date.
        core: whether the core cases alone count.
        course: version of the course that was handed out.
        late: what being late costs.
        by_hand: points of the parts that are marked by hand, by name.
        records: digest of each exercise's public record when it was released.
    """

    name: str
    title: str
    exercises: Mapping[str, float]
    due: datetime | None = None
    core: bool = False
    course: str = ""
    late: Late = field(default_factory=Late)
    by_hand: Mapping[str, float] = field(default_factory=dict)
    records: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self):
        if not self.exercises:
            raise ValueError("there is no exercise under [exercises]")
        for name in ("name", "title", "course"):
            if not isinstance(getattr(self, name), str):
                raise ValueError(f"{name} is {getattr(self, name)!r}, expected a text")
        if not self.name.strip():
            raise ValueError("name is empty")
        if not isinstance(self.core, bool):
            raise ValueError(f"core is {self.core!r}, expected true or false")
        for name in self.exercises:
            if not EXERCISE.fullmatch(name):
                raise ValueError(f"{name!r} is no exercise; one is named like linear.softmax")
        if both := [*self.exercises.keys() & self.by_hand.keys()]:
            raise ValueError(f"{both[0]!r} is both an exercise and a part marked by hand")
        for name, points in [*self.exercises.items(), *self.by_hand.items()]:
            _at_least_zero(f"what {name} is worth", points)
        if self.due and self.due.tzinfo is None:
            raise ValueError(f"due is {self.due} without a zone: write it like {_example()}")

    @property
    def slugs(self) -> list[str]:
        """Its chapters."""
        return [*dict.fromkeys(name.partition(".")[0] for name in self.exercises)]

    @property
    def points(self) -> float:
        """Points of it in all."""
        return sum(self.exercises.values()) + sum(self.by_hand.values())


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
                due=_moment(due) if due else None,
            ),
            chosen,
        )
    except ValueError as error:
        raise UserError(f"{error}.") from error


def stamped(given: Assignment, chosen: Sequence[Manifest]) -> Assignment:
    """An assignment with the course's version and the digests of its records as they are now."""
    digests = {one.id: digest(one.slug, one.symbol) for one in chosen}
    return replace(given, course=version(), records=digests)


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
    due = assignment.due.isoformat() if assignment.due else f"# due = {_example()}"
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


def read(path: Path) -> Assignment:
    """Read a file, or the ``assignment.toml`` of a folder.

    Raises:
        UserError: it cannot be read, or says what cannot be: which line or name, and what to do.
    """
    if path.is_dir():
        path = path / NAME
    try:
        return parse(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(
            f"There is no {path}. It is in what grade release wrote: --assignment FOLDER"
        ) from None
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror or error}.") from error
    except (ValueError, UserError) as error:
        raise UserError(f"{path} cannot be read: {str(error).rstrip('.')}.") from error


def parse(said: str) -> Assignment:
    """An assignment from what its file says.

    Raises:
        ValueError: it is not TOML, or a value cannot be.
        UserError: a name that does not exist; the message suggests the nearest that does.
    """
    told = tomllib.loads(said)
    known = [one.name for one in fields(Assignment)]
    _only("entry", told, known)
    for name in ("late", "exercises", "by_hand", "records"):
        if not isinstance(told.setdefault(name, {}), dict):
            raise ValueError(f"{name} is {told[name]!r}, expected a table [{name}]")
    _only("entry of [late]", told["late"], [one.name for one in fields(Late)])
    if missing := [name for name in ("name", "exercises") if not told.get(name)]:
        raise ValueError(f"{missing[0]} is missing")
    told["title"] = told.get("title", told["name"])
    if isinstance(due := told.get("due"), str):
        told["due"] = _moment(due)
    elif due is not None and not isinstance(due, datetime):
        raise ValueError(f"due is {due}, expected a time like {_example()}")
    return Assignment(**{**told, "late": Late(**told["late"])})


def _only(what: str, given: Mapping, known: Collection[str]) -> None:
    for name in given:
        if name not in known:
            raise unknown(what, name, [*known])


def _moment(said: str) -> datetime:
    try:
        found = datetime.fromisoformat(said)
    except ValueError:
        raise ValueError(f"due is {said!r}, expected a time like {_example()}") from None
    if found.tzinfo is None:
        raise ValueError(f"due is {said!r} without a zone: write it like {_example()}")
    return found


def _example() -> str:
    return "2026-12-01T23:59:00+01:00"


def _at_least_zero(name: str, value: object) -> None:
    number = value if isinstance(value, int | float) and not isinstance(value, bool) else -1
    if 0 <= number < float("inf"):
        return
    raise ValueError(f"{name} is {value!r}, expected a number of 0 or more")


def _toml(value: object) -> str:
    """A basic string escapes as JSON does, but for one character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
