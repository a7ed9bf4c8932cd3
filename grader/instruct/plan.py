"""Plans of a term: which chapters belong to which week, and an assignment for each week.

The plans are written down once, in ``book/syllabus.md``; the front page and the commands read them
there. A chapter's main exercises are those of the sections that its goals name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from grader import course
from grader.errors import UserError
from grader.instruct import assignment
from grader.judge import records
from grader.judge.records import Manifest

PAGE = "syllabus"
EXAMPLE = "2027-01-11T10:00+01:00"
BEGIN = 10  # minutes to read an exercise's statement and to begin
PLAN = re.compile(r"^```\{plan\} (\d+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Week:
    """One week of a plan.

    Attributes:
        number: from 1.
        slugs: its chapters, in order.
    """

    number: int
    slugs: tuple[str, ...]

    @property
    def name(self) -> str:
        """Of its assignment: ``week-03``."""
        return f"week-{self.number:02}"

    def exercises(self, *, core: bool = True) -> list[Manifest]:
        """Exercises of its chapters, the main ones alone unless said otherwise."""
        chosen = main_exercises if core else exercises
        return [one for slug in self.slugs for one in chosen(slug)]


def plans() -> dict[int, list[Week]]:
    """The plans by their number of weeks.

    Raises:
        UserError: this copy of the course has no syllabus, or a line of a plan cannot be read.
    """
    page = course.ROOT / "book" / f"{PAGE}.md"
    if not page.is_file():
        raise UserError(f"{page} is not here; plans need the instructor's copy of the course.")
    text = page.read_text(encoding="utf-8")
    return {int(weeks): _weeks(int(weeks), body) for weeks, body in PLAN.findall(text)}


def _weeks(count: int, body: str) -> list[Week]:
    lines = [line for line in body.splitlines() if line.strip()]
    if len(lines) != count:
        raise UserError(f"The plan of {count} weeks has {len(lines)} lines, one for each week.")
    known = course.chapters()
    for line in lines:
        for slug in line.split():
            if slug not in known:
                raise UserError(f"The plan of {count} weeks names {slug!r}, which is no chapter.")
    return [Week(number, tuple(line.split())) for number, line in enumerate(lines, 1)]


def plan(weeks: int) -> list[Week]:
    """The plan of so many weeks.

    Raises:
        UserError: there is none; the message lists those that there are.
    """
    known = plans()
    if weeks not in known:
        lengths = ", ".join(map(str, sorted(known)))
        raise UserError(f"There is no plan of {weeks} weeks. There are plans of {lengths} weeks.")
    return known[weeks]


def exercises(slug: str) -> list[Manifest]:
    """The recorded exercises of a chapter; a chapter that only compares models has none."""
    return records.select([slug]) if slug in records.slugs() else []


def main_exercises(slug: str) -> list[Manifest]:
    """The exercises of a chapter that belong to a section which one of its goals names."""
    sections = course.goals(slug)
    return [exercise for exercise in exercises(slug) if exercise.section in sections]


def minutes(exercise: Manifest) -> int:
    """How long an exercise takes: an estimate, which nobody has measured on learners."""
    return BEGIN + exercise.public_points


def told(weeks: Sequence[Week], *, core: bool = True) -> str:
    """How much the exercises of some weeks are: "9 main exercises, 83 points, 2.9 h"."""
    chosen = [one for week in weeks for one in week.exercises(core=core)]
    points, hours = (sum(map(of, chosen)) for of in (lambda one: one.public_points, minutes))
    return f"{len(chosen)} {'main ' * core}exercises, {points} points, {hours / 60:.1f} h"


def write(
    weeks: Sequence[Week], folder: Path, *, core: bool = True, start: str = "", zone: str = ""
) -> Iterator[Path]:
    """Write a folder with an ``assignment.toml`` for each week that has exercises.

    Args:
        weeks: a plan.
        folder: made anew.
        core: assign the main exercises alone.
        start: when the first week begins, ISO 8601. Each assignment is due a week after its own
            week has begun; without it there are no due dates.
        zone: name of the time zone of ``start``, in place of an offset: due dates then keep the
            time of day when clocks change.

    Yields:
        Each file, when it is written.

    Raises:
        UserError: the folder holds something already, or the date cannot be read.
    """
    begin = _begin(start, zone) if start else None
    if folder.exists() and any(folder.iterdir()):
        raise UserError(f"{folder} is not empty: name a new folder.")
    for week in weeks:
        if chosen := week.exercises(core=core):
            due = (begin + timedelta(weeks=week.number)).isoformat() if begin else ""
            title = f"Week {week.number}: {', '.join(week.slugs)}"
            given = assignment.released(chosen, name=week.name, title=title, due=due)
            yield assignment.write(given, folder / week.name)


def _begin(said: str, zone: str) -> datetime:
    try:
        found = datetime.fromisoformat(said)
    except ValueError:
        found = None
    if found is None or (found.tzinfo is None) == (not zone):
        raise UserError(
            f"The start is {said!r}. Write a time with its zone: {EXAMPLE}, or a time "
            "without an offset, and its zone with --zone."
        )
    try:
        return found.replace(tzinfo=ZoneInfo(zone)) if zone else found
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise UserError(f"There is no time zone {zone!r}. One is Europe/Berlin.") from None
