"""Marks of a class: the policy applied to what is stored, with extensions and marks by hand.

``extensions.csv`` and ``marks.csv`` are files of the instructor in the folder of grades; they are
read anew each time.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from grader.errors import UserError, unknown
from grader.instruct import hand_ins, policy
from grader.instruct.assignment import Assignment
from grader.instruct.hand_ins import Student
from grader.instruct.layouts import LATE
from grader.instruct.policy import Attempt, Extension, Mark
from grader.instruct.store import Store, counted
from grader.judge import records
from grader.judge.grading import NOT_LOADED

EXTENSIONS, MARKS = "extensions.csv", "marks.csv"
COLUMNS = {
    EXTENSIONS: ("student", "due", "days", "drop", "comment"),
    MARKS: ("student", "part", "points", "comment"),
}
NOT_RUN = {
    "import": "No exercise ran: the file raises an error when it is loaded.",
    "timeout": "No exercise ran: loading the file takes too long.",
    "memory": "No exercise ran: loading the file takes too much memory.",
    "died": "No exercise ran: the process ended while the file was loaded.",
    "invalid": "No exercise ran: loading the file wrote something in place of its results.",
    "unread": "No exercise ran: the source cannot be analyzed.",
}
SIGNS = "=+\\-@＝＋－＠"
FORMULA = re.compile(rf"(^\s*|[;|]\s*)(?=[{SIGNS}])")  # where a spreadsheet would begin to compute


@dataclass(frozen=True)
class Row:
    """A student and the mark."""

    student: Student
    mark: Mark


def table(store: Store, given: Assignment, budgets: Mapping[str, int] | None = None) -> list[Row]:
    """The mark of each student, in the order of ids.

    Args:
        store: of the class.
        given: what is assigned.
        budgets: free days that are left to students; by default all of the assignment's.

    Raises:
        UserError: a file of the instructor cannot be read.
    """
    students = store.students()
    granted = extensions(store.folder / EXTENSIONS, given, students)
    by_hand: dict[str, dict[str, float]] = {}
    for student, part, points, _ in hand_marks(store.folder / MARKS, given, students):
        by_hand.setdefault(student, {})[part] = points
    handed = attempts(store, given)
    return [
        Row(
            one,
            policy.mark(
                handed.get(one.id, ()),
                given,
                granted.get(one.id, Extension()),
                by_hand.get(one.id, {}),
                None if budgets is None else budgets.get(one.id, given.late.free_days),
            ),
        )
        for one in students.values()
    ]


def attempts(store: Store, given: Assignment) -> dict[str, list[Attempt]]:
    """The attempts of each student, with what each exercise counts for by the assignment."""
    points: dict[int, dict[str, float | None]] = {}
    notes: dict[int, set[str]] = {}
    query, voids = "SELECT attempt, exercise, state, report FROM result", store.voids()
    for number, exercise, state, text in store.base.execute(query):
        report, worth = json.loads(text or "{}"), given.exercises.get(exercise, 0)
        earned = counted(report, state, worth, voids.get(exercise, ()))
        points.setdefault(number, {})[exercise] = None if state == "ungraded" else earned
        if state != "missing":
            notes.setdefault(number, set()).add("" if earned else _not_run(report))
    found: dict[str, list[Attempt]] = {}
    for row in store.attempts():
        when = row["submitted"]
        moment = datetime.fromisoformat(when) if when not in ("", LATE) else None
        said = notes.get(row["id"], set())
        if said == {NOT_RUN["import"]} and (why := _no_python(store.source(row["digest"]))):
            said = {why}
        one = Attempt(
            row["number"],
            moment,
            points.get(row["id"], {}),
            when == LATE,
            row["problem"] or "",
            "" if "" in said else " ".join(sorted(said)),
        )
        found.setdefault(row["student"], []).append(one)
    return found


def _not_run(report: Mapping) -> str:
    """Why an exercise did not run, in words of ours: students read them, and what the code said may
    hold a hidden input. Nothing where it ran.
    """
    status, errors = report.get("status", ""), [one.get("error") for one in report.get("cases", ())]
    if errors and all(one and one["kind"] == "import" for one in errors):
        return NOT_RUN["import"]
    if status != "unread" and not report.get("detail", "").startswith(NOT_LOADED):
        return ""
    return NOT_RUN.get(status, "")


@lru_cache(maxsize=1000)
def _no_python(source: bytes) -> str:
    """Which file of a hand-in is not valid Python, and where; nothing if each is.

    It is read again and not taken from the report: what was run could have chosen the words there.
    """
    for slug, one in hand_ins.submissions(source).items():
        with contextlib.suppress(UserError):
            for reading in one.readings(records.manifests(slug)).values():
                if error := reading.error:
                    cell, line = reading.place(error["line"] or 1)
                    place = f"cell {cell}, line {line}" if cell else f"line {line}"
                    said = f"{one.filename} is not valid Python ({place}: {error['message']})"
                    return f"No exercise ran: {said}."
    return ""


def extensions(
    path: Path, given: Assignment, students: Mapping[str, Student]
) -> dict[str, Extension]:
    """Extensions of students; none where there is no file."""
    found = {}
    for where, row in _rows(path, students):
        if row["student"] in found:
            raise UserError(f"{where} names {row['student']} a second time.")
        drop = tuple(row["drop"].replace(";", " ").split())
        for name in drop:
            if name not in (known := [*given.exercises, *given.by_hand]):
                raise unknown(f"exercise or part ({where})", name, known)
        moment = None
        if row["due"]:
            try:
                moment = datetime.fromisoformat(row["due"])
            except ValueError:
                raise UserError(f"{where}: due is {row['due']!r}, expected a time.") from None
            if moment.tzinfo is None:
                moment = moment.replace(tzinfo=given.due.tzinfo if given.due else UTC)
        days = _number(row["days"], where) if row["days"] else 0.0
        found[row["student"]] = Extension(moment, days, drop)
    return found


def hand_marks(
    path: Path, given: Assignment, students: Mapping[str, Student]
) -> list[tuple[str, str, float, str]]:
    """Marks by hand: student, part, points and comment; none where there is no file."""
    found: dict[tuple[str, str], tuple[str, str, float, str]] = {}
    for where, row in _rows(path, students):
        student, part = row["student"], row["part"]
        if part not in given.by_hand:
            raise unknown(f"part ({where})", part, [*given.by_hand])
        if not row["points"]:
            continue  # not marked yet
        points = _number(row["points"], where)
        if points > given.by_hand[part]:
            worth = f"{given.by_hand[part]:g}"
            raise UserError(f"{where} gives {points:g} points for {part}, which is worth {worth}.")
        if (student, part) in found:
            raise UserError(f"{where} marks {part} of {student} a second time.")
        found[student, part] = student, part, points, row["comment"]
    return [*found.values()]


def _rows(path: Path, students: Mapping[str, Student]) -> Iterator[tuple[str, dict[str, str]]]:
    """Each line of a file of the instructor, and what to call it; students by their ids."""
    columns = COLUMNS[path.name]
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read: {error}.") from error
    head = text.partition("\n")[0]
    rows = csv.DictReader(io.StringIO(text), delimiter=";" if ";" in head else ",")
    names = [name.strip().lower() for name in rows.fieldnames or ()]
    for name in names:
        if name not in columns:
            raise unknown(f"column of {path.name}", name, columns)
    if "student" not in names:
        raise UserError(f"{path} has no column student in its first line.")
    field = (rows.fieldnames or ())[names.index("student")]
    lines = [(rows.line_num, row) for row in rows]
    called = hand_ins.ids([(row[field] or "").strip() for _, row in lines], students)
    for number, row in lines:
        where = f"{path}, line {number}"
        if None in row or None in row.values():
            raise UserError(f"{where}, has not as many fields as the first line.")
        told = dict.fromkeys(columns, "")
        told |= dict(zip(names, (value.strip() for value in row.values()), strict=True))
        if told["student"] not in called:
            raise unknown(f"student ({where})", told["student"], [*students][:20])
        told["student"] = called[told["student"]]
        yield where, told


def _number(text: str, where: str) -> float:
    try:
        found = float(text.replace(",", "."))
    except ValueError:
        found = -1.0
    if not 0 <= found < float("inf"):
        raise UserError(f"{where}: {text!r} is not a number of 0 or more.")
    return found


# Written


def rows(marked: Sequence[Row], given: Assignment) -> list[dict]:
    """The gradebook as plain values, one dict for each student."""
    names = [*given.exercises, *given.by_hand]
    return [
        {
            "student": row.student.id,
            "name": row.student.name,
            "email": row.student.email,
            "group": row.student.group,
            "state": row.mark.state,
            "attempt": row.mark.attempt,
            "submitted": row.mark.submitted.isoformat() if row.mark.submitted else None,
            "late_hours": round(row.mark.late.total_seconds() / 3600, 2),
            "free_days": row.mark.free_days,
            **{name: row.mark.points.get(name) for name in names},
            "earned": row.mark.earned,
            "kept_percent": round(100 * row.mark.share, 2),
            "total": row.mark.total,
            "possible": row.mark.possible,
            "remark": row.mark.remark,
        }
        for row in marked
    ]


def as_csv(told: Sequence[Mapping]) -> str:
    """A table for spreadsheets; what is not known is empty, and never 0."""
    text = io.StringIO()
    if told:
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(told[0])
        writer.writerows([cell(value) for value in row.values()] for row in told)
    return text.getvalue()


def as_json(told: Sequence[Mapping]) -> str:
    return json.dumps(told, indent=1, ensure_ascii=False) + "\n"


def cell(value: object) -> object:
    """A value as a table has it: a text in one line that no spreadsheet computes, also where
    semicolons separate its cells.
    """
    if isinstance(value, float):
        return f"{value:.10g}"
    if isinstance(value, str):
        return FORMULA.sub(r"\1'", re.sub(r"[\x00-\x1f\x7f]+", " ", value))
    return "" if value is None else value
