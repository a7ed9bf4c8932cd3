"""The assignment that a copy of the course belongs to: exercises, points, due date, lateness.

It is in ``assignment.toml``, which `grade release` writes and which all commands that grade a class
read. What students are told of it, on every page and in every report, is written here.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from pathlib import Path

from grader import course
from grader.errors import UserError, unknown
from grader.judge.grading import ExerciseResult

NAME = "assignment.toml"
EXERCISE = re.compile(r"\w+\.\w+")
ATTEMPTS = ("latest", "best")
UNITS = ("day", "hour")


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
        if both := sorted(self.exercises.keys() & self.by_hand.keys()):
            raise ValueError(f"{both[0]!r} is both an exercise and a part marked by hand")
        for name, points in [*self.exercises.items(), *self.by_hand.items()]:
            _at_least_zero(f"what {name} is worth", points)
        if self.due and self.due.tzinfo is None:
            raise ValueError(f"due is {self.due} without a zone: write it like {example()}")

    @property
    def slugs(self) -> list[str]:
        """Its chapters."""
        return [*dict.fromkeys(name.partition(".")[0] for name in self.exercises)]

    @property
    def points(self) -> float:
        """Points of it in all."""
        return sum(self.exercises.values()) + sum(self.by_hand.values())


def here() -> Assignment | None:
    """The assignment of this copy of the course; None where the course is whole.

    Raises:
        UserError: its file cannot be read.
    """
    path = course.ROOT / NAME
    return read(path) if path.is_file() else None


def asked() -> Collection[str]:
    """Ids of the exercises that this copy of the course assigns; none where the course is whole."""
    given = here()
    return given.exercises if given else ()


def terms(given: Assignment) -> str:
    """When it is due, and in one sentence what being late costs: for students."""
    said, due = [f"The {given.late.attempt} attempt counts."], given.due
    if given.core:
        said.append("Only core cases count.")
    if not due:
        return " ".join(["There is no due date.", *said])
    when = f"{due:%A, %B} {due.day}, {due:%Y}, at {due:%H:%M} ({due.tzname()})"
    return " ".join(
        [f"Due {when}.", f"{'; '.join(_lateness(given.late, by_hand=bool(given.by_hand)))}.", *said]
    )


def _lateness(rules: Late, *, by_hand: bool) -> Iterator[str]:
    """Cost of being late, in parts of a sentence."""
    if not rules.percent:
        yield "Late work keeps all of its points"
        return
    rest = f" but keeps at least {rules.floor:g}%" if rules.floor else ""
    yield f"Late work loses {rules.percent:g}% of its points for each {rules.per} begun{rest}"
    if rules.grace_minutes:
        yield f"up to {rules.grace_minutes:g} minutes late costs nothing"
    if rules.free_days:
        days = "1 free late day" if rules.free_days == 1 else f"{rules.free_days} free late days"
        yield f"you have {days} for all assignments together"
    if by_hand and not rules.by_hand:
        yield "parts marked by hand lose nothing"


def points(number: float) -> str:
    """Points with their unit: ``1 point``, ``2.5 points``."""
    return f"{number:g} point{'s' * (number != 1)}"


def counted(number: int) -> str:
    """Exercises with their number: ``1 exercise``."""
    return f"{number} exercise{'s' * (number != 1)}"


def summary(given: Assignment, results: Sequence[ExerciseResult]) -> str:
    """Points of the assigned exercises in a check of all of them, and when they are due."""
    by_id = {one.exercise.id: one for one in results}
    shares = {name: _share(by_id.get(name), core=given.core) for name in given.exercises}
    earned = sum(worth * shares[name] for name, worth in given.exercises.items())
    most = sum(given.exercises.values())
    done = sum(share == 1 for share in shares.values())
    return (
        f"Assigned: {done} of {counted(len(shares))} complete, {earned:.4g} of {points(most)} "
        f"in public cases. {terms(given)}"
    )


def _share(result: ExerciseResult | None, *, core: bool) -> float:
    """Part of an exercise's points that is earned."""
    if result is None:
        return 0.0
    got, most = result.earned, result.points
    if core:
        got, most = result.core_earned, result.core_points
    return got / most if most else 0.0


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
        told["due"] = moment(due)
    elif due is not None and not isinstance(due, datetime):
        raise ValueError(f"due is {due}, expected a time like {example()}")
    return Assignment(**{**told, "late": Late(**told["late"])})


def _only(what: str, given: Mapping, known: Collection[str]) -> None:
    for name in given:
        if name not in known:
            raise unknown(what, name, [*known])


def moment(said: str) -> datetime:
    try:
        found = datetime.fromisoformat(said)
    except ValueError:
        raise ValueError(f"due is {said!r}, expected a time like {example()}") from None
    if found.tzinfo is None:
        raise ValueError(f"due is {said!r} without a zone: write it like {example()}")
    return found


def example() -> str:
    return "2026-12-01T23:59:00+01:00"


def _at_least_zero(name: str, value: object) -> None:
    number = value if isinstance(value, int | float) and not isinstance(value, bool) else -1
    if 0 <= number < float("inf"):
        return
    raise ValueError(f"{name} is {value!r}, expected a number of 0 or more")
