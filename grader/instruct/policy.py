"""From attempts to marks: which attempt counts, and what being late costs.

Pure functions of attempts, an assignment and extensions. Marks are computed anew each time and
stored nowhere, so a due date that moves changes every mark that it should, and no other.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from grader.instruct.assignment import Assignment, Late

DAY = timedelta(days=1)
UNITS = {"day": DAY, "hour": timedelta(hours=1)}
MOMENT = timedelta(microseconds=1)
STATES = {  # of marks, and how each counts whose name does not say so
    "graded": "",
    "missing": "nothing was handed in: 0 points",
    "unreadable": "a file was handed in and could not be read, as the remark says: exercises count "
    "0 points, parts marked by hand are still to be marked",
    "incomplete": "a part marked by hand has no mark yet: no total",
    "ungraded": "the grader failed: no total until grade batch has run again",
}


@dataclass(frozen=True)
class Extension:
    """Extension that one student is granted.

    Attributes:
        due: in the place of the assignment's due date.
        days: more after that; a part of a day is one too.
        drop: exercises and parts that do not count for this student.
    """

    due: datetime | None = None
    days: float = 0.0
    drop: tuple[str, ...] = ()


@dataclass(frozen=True)
class Attempt:
    """One attempt, as far as its mark is concerned.

    Attributes:
        number: 1 for the first.
        submitted: when; None where that is not known.
        late: it is known to be late, and not by how much.
        points: for each exercise; None where it is not graded.
        problem: why it could not be read.
        note: why none of its exercises ran, though it was read.
    """

    number: int
    submitted: datetime | None
    points: Mapping[str, float | None]
    late: bool = False
    problem: str = ""
    note: str = ""


@dataclass(frozen=True)
class Mark:
    """Mark of a student.

    Attributes:
        state: ``graded``; ``ungraded`` (the grader failed on something), ``incomplete`` (a mark by
            hand is not there), ``unreadable``, or ``missing`` (nothing was handed in).
        attempt: number of the one that counts.
        submitted: when that was.
        late: by how much, after extensions.
        free_days: late days that it uses up.
        points: for each exercise and part that counts; None where there are none yet.
        share: of the earned points that is kept.
        possible: what could be earned.
        remark: what a person should know of it.
        spared: parts whose points are kept whole, however late.
    """

    state: str
    attempt: int | None = None
    submitted: datetime | None = None
    late: timedelta = timedelta()
    free_days: int = 0
    points: Mapping[str, float | None] = field(default_factory=dict)
    share: float = 1.0
    possible: float = 0.0
    remark: str = ""
    spared: Collection[str] = ()

    @property
    def earned(self) -> float | None:
        """Before anything is taken off; None while something is not marked."""
        marked = [points for points in self.points.values() if points is not None]
        return round(math.fsum(marked), 4) if len(marked) == len(self.points) else None

    @property
    def total(self) -> float | None:
        """Points that count; None while something is not marked."""
        return None if self.earned is None else rounded(self.so_far)

    @property
    def so_far(self) -> float:
        """Points that count, without those that are not marked yet; not rounded."""
        spared = math.fsum(self.points.get(name) or 0.0 for name in self.spared)
        others = (points or 0.0 for name, points in self.points.items() if name not in self.spared)
        return math.fsum(others) * self.share + spared

    @property
    def lateness(self) -> str:
        """A sentence on what being late cost; empty for an attempt on time."""
        if not self.late and self.share == 1:
            return ""
        said = []
        if self.free_days:
            said.append(f"{self.free_days} free day{'s' * (self.free_days > 1)} used")
        of = "the exercises' points" if self.spared else "the points"
        said.append(f"{self.share * 100:g}% of {of} kept" if self.share < 1 else "all points kept")
        by = f"Late by {spell(self.late)}: " if self.late else ""
        return f"{by}{', '.join(said)}."


def rounded(points: float) -> float:
    """To hundredths, halves up; what is a half but for rounding in binary is one."""
    return math.floor(points * 100 + 0.5 + 1e-6) / 100


def spell(time: timedelta) -> str:
    """A time in minutes up to an hour, and in hours beyond; a part of one is told as one."""
    if time <= UNITS["hour"]:
        return f"{math.ceil(time / timedelta(minutes=1))} min"
    return f"{math.ceil(time / UNITS['hour'])} h"


def lateness(attempt: Attempt, due: datetime | None, rules: Late) -> timedelta:
    """By how much an attempt is late. One of which only that is known counts as late by a moment
    more than the grace.
    """
    if attempt.submitted and due:
        return max(attempt.submitted - due, timedelta())
    return timedelta(minutes=rules.grace_minutes) + MOMENT if attempt.late else timedelta()


def kept(late: timedelta, rules: Late, budget: int = 0) -> tuple[float, int]:
    """The share of the points that is kept, and the free days that this takes.

    Free days are used first, as many as there are and no more than help; each takes a day from the
    lateness. What is then within the grace costs nothing, and all that is beyond it counts from
    the due time on.

    Args:
        late: by how much.
        rules: of the assignment.
        budget: free days that are left.
    """
    grace = timedelta(minutes=rules.grace_minutes)
    if late <= grace or not rules.percent:
        return 1.0, 0
    used = min(budget, math.ceil((late - grace) / DAY))
    late -= used * DAY
    if late <= grace:
        return 1.0, used
    units = math.ceil(late / UNITS[rules.per])
    return max(100 - rules.percent * units, rules.floor, 0) / 100, used


def due(given: Assignment, extension: Extension) -> datetime | None:
    """When it is due for one student."""
    base = extension.due or given.due
    return base + extension.days * DAY if base else None


def mark(
    attempts: Sequence[Attempt],
    given: Assignment,
    extension: Extension,
    by_hand: Mapping[str, float],
    budget: int | None = None,
) -> Mark:
    """The mark of one student.

    Args:
        attempts: all, in order.
        given: what is assigned.
        extension: what this student is granted.
        by_hand: points of the parts that are marked by hand.
        budget: free days that are left; by default all of the assignment's.
    """
    rules = given.late
    budget = rules.free_days if budget is None else budget
    exercises = [name for name in given.exercises if name not in extension.drop]
    parts = [name for name in given.by_hand if name not in extension.drop]
    worth = {**given.exercises, **given.by_hand}
    possible = math.fsum(worth[name] for name in [*exercises, *parts])
    marked = {name: by_hand.get(name) for name in parts}
    if not attempts:
        zeros = dict.fromkeys(exercises, 0.0) | {name: by_hand.get(name, 0.0) for name in parts}
        return Mark("missing", points=zeros, possible=possible)
    candidates = [
        _of(candidate, given, extension, exercises, marked, budget) for candidate in attempts
    ]
    read = [
        candidate
        for candidate, attempt in zip(candidates, attempts, strict=True)
        if not attempt.problem
    ]
    chosen = (read or candidates)[-1]
    if rules.attempt == "best" and read:
        if any(
            candidate.state == "ungraded" for candidate in read
        ):  # which is best is not known yet
            chosen = next(
                candidate for candidate in reversed(read) if candidate.state == "ungraded"
            )
        else:
            chosen = max(read, key=lambda candidate: (candidate.so_far, -(candidate.attempt or 0)))
    return chosen


def _of(
    attempt: Attempt,
    given: Assignment,
    extension: Extension,
    exercises: Sequence[str],
    marked: Mapping[str, float | None],
    budget: int,
) -> Mark:
    """Compute the mark as if this attempt counted."""
    late = lateness(attempt, due(given, extension), given.late)
    told = {name: attempt.points.get(name) for name in exercises}
    state, remark = "graded", attempt.problem or attempt.note
    if attempt.problem:
        state, told = "unreadable", dict.fromkeys(exercises, 0.0)
    elif any(points is None for points in told.values()):
        state = "ungraded"
    elif any(points is None for points in marked.values()):
        state = "incomplete"
    cut = [*told.values(), *(marked.values() if given.late.by_hand else ())]
    share, used = kept(late, given.late, budget if any(one != 0 for one in cut) else 0)
    if attempt.late and not attempt.submitted:
        remark = f"{remark} Late, and by how much is not known.".strip()
        late = timedelta()
    worth = {**given.exercises, **given.by_hand}
    possible = math.fsum(worth[name] for name in [*told, *marked])
    return Mark(
        state,
        attempt.number,
        attempt.submitted,
        late,
        used,
        {**told, **marked},
        share,
        possible,
        remark,
        () if given.late.by_hand else tuple(marked),
    )
