"""Results of `grade batch`: students, their attempts, and a result for each exercise.

The database is opened to read, so that marks can be looked at while others are being made.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from grader.errors import UserError
from grader.instruct.store import DATABASE, counted

NOT_RUN = ("blank", "missing", "import", "needs")  # kinds of error: nothing is wrong with it yet
COLUMNS = {
    "student": ("id", "name", "email", "grp"),
    "attempt": ("id", "student", "number", "submitted", "path", "digest", "problem"),
    "result": (
        *("attempt", "exercise", "state", "points", "possible", "mistake", "report"),
        *("record_digest", "grader_digest", "seconds"),
    ),
    "mark": ("student", "part", "points", "comment"),
    "source": ("digest", "text"),
}


@dataclass(frozen=True)
class Student:
    """Who handed in."""

    id: str
    name: str = ""
    email: str = ""
    group: str = ""

    @property
    def title(self) -> str:
        return self.name or self.id


@dataclass(frozen=True)
class Mark:
    """Points that somebody gave by hand."""

    part: str
    points: float
    comment: str = ""


@dataclass(frozen=True)
class Result:
    """One exercise of one attempt.

    Attributes:
        exercise: its id.
        state: ``graded``, ``ungraded`` (the grader failed: no score), or ``missing``.
        points: earned.
        possible: what could be earned.
        report: the exercise as `grade check --json` tells of it; nothing where nothing ran.
        seconds: of the run.
    """

    exercise: str
    state: str
    points: float
    possible: float
    report: Mapping = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def mistakes(self) -> list[Mapping]:
        return list(self.report.get("mistakes", ()))

    @property
    def cases(self) -> list[Mapping]:
        return list(self.report.get("cases", ()))

    @property
    def stopped(self) -> str:
        """Why nothing of it ran: what the file raised when it was loaded, or what is not there."""
        errors = [case["error"] for case in self.cases]
        if not errors or not all(one and one.get("kind") in NOT_RUN for one in errors):
            return ""
        return f"{errors[0].get('type') or errors[0]['kind']}: {errors[0].get('message')}"

    @property
    def unexplained(self) -> bool:
        """Is something wrong that no known mistake gives?"""
        wrong = any(case["difference"] or case["error"] for case in self.cases)
        ran = self.report.get("status") == "failed" and not self.stopped
        return wrong and ran and not self.mistakes


@dataclass(frozen=True)
class Attempt:
    """Files that a student handed in at one time."""

    id: int
    student: str
    number: int
    submitted: str
    path: str
    digest: str
    problem: str = ""
    results: Mapping[str, Result] = field(default_factory=dict)

    @property
    def points(self) -> float:
        return sum(result.points for result in self.results.values())

    @property
    def ungraded(self) -> list[str]:
        return [name for name, result in self.results.items() if result.state == "ungraded"]


@dataclass(frozen=True)
class Final:
    """Final result of a student.

    Attributes:
        state: ``graded``, ``incomplete`` (a mark by hand is not there), ``ungraded``,
            ``unreadable``, or ``missing`` (nothing was handed in).
        total: what counts; None while something is not marked.
        possible: what could be earned.
        attempt: the one that counts.
        remark: what a person should know of it.
        late_hours: by how much it is late, after extensions.
        free_days: that it uses up.
        earned: points before anything is taken off; None while something is not marked.
        share: of the points that is kept.
        lateness: what being late cost, in a sentence.
    """

    state: str
    total: float | None
    possible: float
    attempt: Attempt | None = None
    remark: str = ""
    late_hours: float = 0.0
    free_days: int = 0
    earned: float | None = None
    share: float = 1.0
    lateness: str = ""

    @property
    def told(self) -> str:
        """Sentences for the student: the remark, and what being late cost."""
        return " ".join(filter(None, (self.remark, self.lateness)))


@dataclass(frozen=True)
class Gradebook:
    """All of it.

    Attributes:
        assignment: its name.
        students: in the order of their names.
        attempts: of each student, in the order of their numbers.
        marks: given by hand, of each student.
        possible: what each exercise is worth, in the order of the assignment.
        parts: the same of what is marked by hand.
        policy: marks by the assignment's policy, by student; empty where there is none.
        folder: where it lies.
    """

    assignment: str
    students: Sequence[Student]
    attempts: Mapping[str, Sequence[Attempt]]
    marks: Mapping[str, Sequence[Mark]]
    possible: Mapping[str, float]
    parts: Mapping[str, float]
    policy: Mapping[str, Any]
    folder: Path

    @property
    def worth(self) -> float:
        """Points of all exercises and parts."""
        return sum(self.possible.values()) + sum(self.parts.values())

    def counted(self, student: str) -> Attempt | None:
        """The attempt that counts: that of the policy, or else the latest that could be read."""
        there = self.attempts.get(student, ())
        if chosen := self.policy.get(student):
            return next((one for one in there if one.number == chosen.attempt), None)
        read = [attempt for attempt in there if not attempt.problem]
        return next(reversed(read or there), None)

    def final(self, student: str) -> Final:
        """Final result of a student; without a policy, all points of the attempt and by hand."""
        attempt = self.counted(student)
        if chosen := self.policy.get(student):
            return Final(
                chosen.state,
                chosen.total,
                chosen.possible,
                attempt,
                chosen.remark,
                late_hours=round(chosen.late / timedelta(hours=1), 2),
                free_days=chosen.free_days,
                earned=chosen.earned,
                share=chosen.share,
                lateness=chosen.lateness,
            )
        by_hand = sum(mark.points for mark in self.marks.get(student, ()))
        if attempt is None:
            return Final("missing", by_hand, self.worth, earned=by_hand)
        if attempt.ungraded:
            return Final("ungraded", None, self.worth, attempt)
        state, total = "unreadable" if attempt.problem else "graded", attempt.points + by_hand
        return Final(state, total, self.worth, attempt, attempt.problem, earned=total)

    def texts(self, attempts: Sequence[Attempt]) -> dict[int, dict[str, str]]:
        """The code of attempts as it was graded, by the attempt and the file's name."""
        found = {}
        with _opened(self.folder) as base:
            for attempt in attempts:
                query = "SELECT text FROM source WHERE digest = ?"
                row = base.execute(query, (attempt.digest,)).fetchone()
                if row and row[0] is not None:
                    found[attempt.id] = _files(row[0], attempt.path)
        return found


def read(folder: Path, *, settled: bool = True) -> Gradebook:
    """Read a folder of grades.

    Args:
        folder: that `grade batch` wrote.
        settled: whether totals are wanted, which free days used in other assignments change.

    Raises:
        UserError: it holds none, or none that can be read; or the totals that are wanted are not
            settled, as `term.marked` says.
    """
    with _opened(folder) as base:
        rows = {name: _rows(base, name, columns) for name, columns in COLUMNS.items()}
        run = base.execute("SELECT assignment FROM run ORDER BY id DESC LIMIT 1").fetchone()
    given, policy, by_hand, voids = _policy(folder, settled)
    results: dict[int, dict[str, Result]] = {}
    for row in rows["result"]:
        results.setdefault(row["attempt"], {})[row["exercise"]] = _result(row, given, voids)
    attempts: dict[str, list[Attempt]] = {}
    for row in sorted(rows["attempt"], key=lambda row: (row["student"], row["number"], row["id"])):
        texts: dict[str, Any] = {
            name: row[name] or "" for name in ("submitted", "path", "digest", "problem")
        }
        texts |= {"results": results.get(row["id"], {})}
        attempt = Attempt(row["id"], row["student"], row["number"], **texts)
        attempts.setdefault(attempt.student, []).append(attempt)
    if given is None:
        by_hand = [
            (row["student"], row["part"], float(row["points"] or 0), row["comment"] or "")
            for row in rows["mark"]
        ]
    marks: dict[str, list[Mark]] = {}
    for who, *mark in by_hand:
        marks.setdefault(who, []).append(Mark(*mark))
    students = [
        Student(row["id"], row["name"] or "", row["email"] or "", row["grp"] or "")
        for row in rows["student"]
    ]
    students.sort(key=lambda student: (student.title.casefold(), student.id))
    possible: dict[str, float] = {}
    for result in (result for graded in results.values() for result in graded.values()):
        possible[result.exercise] = max(result.possible, possible.get(result.exercise, 0))
    parts: dict[str, float] = {}
    for mark in (mark for given in marks.values() for mark in given):
        parts[mark.part] = max(mark.points, parts.get(mark.part, 0))
    name = Path(run[0]).name if run and run[0] else folder.resolve().name
    if given:
        name, possible, parts = given.title, dict(given.exercises), dict(given.by_hand)
    return Gradebook(name, students, attempts, marks, possible, parts, policy, folder)


def _policy(folder: Path, settled: bool) -> tuple:
    """The assignment, the mark of each student by its policy, the marks by hand as they stand in
    the instructor's file now, and the cases that are void; nothing where there is none.
    """
    if not (folder / "assignment.toml").is_file():
        return None, {}, [], {}
    from grader.instruct import marks, store, term

    given = store.assigned(folder)
    with store.Store(folder) as opened:
        found = term.marked(opened, given) if settled else marks.table(opened, given)
        by_hand = marks.hand_marks(folder / marks.MARKS, given, opened.students())
        return given, {row.student.id: row.mark for row in found}, by_hand, opened.voids()


@contextlib.contextmanager
def _opened(folder: Path) -> Iterator[sqlite3.Connection]:
    path = folder / DATABASE if folder.is_dir() else folder
    if not path.is_file():
        raise UserError(f"{folder} holds no {DATABASE}: name the folder that grade batch wrote.")
    try:
        with contextlib.closing(
            sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        ) as base:
            base.row_factory = sqlite3.Row
            yield base
    except sqlite3.Error as error:
        raise UserError(f"{path} cannot be read as a gradebook: {error}.") from error


def _rows(base: sqlite3.Connection, table: str, columns: Sequence[str]) -> list[sqlite3.Row]:
    if table == "source":  # is read for those attempts that are asked for
        base.execute("SELECT digest, text FROM source LIMIT 0")
        return []
    return base.execute(f"SELECT {', '.join(columns)} FROM {table} ORDER BY rowid").fetchall()


def _result(row: sqlite3.Row, given: Any, voids: Mapping) -> Result:
    """A result, with what it counts for by the assignment as it is now, where there is one."""
    try:
        report = json.loads(row["report"] or "{}")
    except ValueError as error:
        raise UserError(
            f"The report on {row['exercise']} of attempt {row['attempt']} is no JSON: {error}."
        ) from error
    points, possible = float(row["points"] or 0), float(row["possible"] or 0)
    if given:
        possible = float(given.exercises.get(row["exercise"], 0))
        points = counted(report, row["state"], possible, voids.get(row["exercise"], ()))
    return Result(row["exercise"], row["state"], points, possible, report, row["seconds"] or 0.0)


def _files(stored: bytes | str, path: str) -> dict[str, str]:
    """One text, or several by their names as JSON."""
    text = stored.decode("utf-8", "replace") if isinstance(stored, bytes) else stored
    if text.startswith("{"):
        with contextlib.suppress(ValueError):
            return {str(name): str(one) for name, one in json.loads(text).items()}
    return {Path(path).name or "submission.py": text}
