"""Marks that a program enters into ``marks.csv``, beside those that a person gives by hand.

The comment of each begins with a word by which it is known again: a new one replaces it. A mark
without this word is a person's, and stays.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader import files
from grader.errors import UserError
from grader.instruct import assignment, hand_ins, marks
from grader.instruct.assignment import Assignment
from grader.instruct.hand_ins import Student
from grader.instruct.store import Store

WORD = "measured: "


@dataclass(frozen=True)
class Entered:
    """Marks that were entered, and those that were not.

    Attributes:
        path: of the file.
        count: of marks that it has now from here.
        kept: students whose mark a person gave.
        strangers: names of submitters that fit no student.
        lacking: students who have no mark yet.
    """

    path: Path
    count: int
    kept: Sequence[str]
    strangers: Sequence[str]
    lacking: Sequence[str]


def require(store: Store, given: Assignment, part: str) -> None:
    """Make sure that marks of a part can be entered.

    Raises:
        UserError: the assignment has no such part, or ``marks.csv`` cannot be read.
    """
    if part not in given.by_hand:
        place = store.folder / assignment.NAME
        raise UserError(
            f"{place} has no part {part}. Add it to the assignment, under [by_hand]: {part} = 10. "
            "Then run grade batch again, which copies the assignment there."
        )
    marks.hand_marks(store.folder / marks.MARKS, given, store.students())


def enter(
    store: Store, given: Assignment, part: str, shares: Mapping[str, tuple[float, str]]
) -> Entered:
    """Enter marks of a part; what the file has beside them stays as it is.

    Args:
        store: of the class, open to be written.
        given: its assignment.
        part: what is marked.
        shares: of the part's points, from 0 to 1, each with a comment, by what submitters are
            called: an id, an address or a name.

    Raises:
        UserError: as `require`.
    """
    require(store, given, part)
    path, students = store.folder / marks.MARKS, store.students()
    new, strangers = _of_students(shares, students)
    sheet = _Sheet(path)
    called = hand_ins.ids((sheet.get(row, "student") for row in sheet.rows), students)
    kept = []
    for row in sheet.rows:
        student = called.get(sheet.get(row, "student"), "")
        if sheet.get(row, "part") != part or student not in new:
            continue
        share, comment = new.pop(student)
        if sheet.get(row, "points") and not sheet.get(row, "comment").startswith(WORD):
            kept.append(student)
        else:
            sheet.fill(row, points=share * given.by_hand[part], comment=comment)
    for student, (share, comment) in new.items():
        sheet.add(student, part, points=share * given.by_hand[part], comment=comment)
    files.write(path, sheet.text())
    there = {name for name, one, _, _ in marks.hand_marks(path, given, students) if one == part}
    return Entered(
        path, sheet.count, kept, strangers, [one for one in students if one not in there]
    )


def _of_students(
    shares: Mapping[str, tuple[float, str]], students: Mapping[str, Student]
) -> tuple[dict[str, tuple[float, str]], list[str]]:
    """Shares by the ids of students, and the names that fit none. What one member of a group hands
    in counts for those who hand in nothing.
    """
    called, found, strangers = hand_ins.ids(shares, students), {}, []
    for name, share in shares.items():
        known = called.get(name)
        if known is None or marks.cell(known) != known:  # a formula is nothing to write to a table
            strangers.append(name)
        else:
            found[known] = share
    for known in [*found]:
        group = students[known].group
        for one in students.values():
            if group and one.group == group:
                found.setdefault(one.id, found[known])
    return found, strangers


class _Sheet:
    """``marks.csv`` with the order of its columns, and its separator."""

    def __init__(self, path: Path):
        data = path.read_text(encoding="utf-8") if path.is_file() else ""
        self.mark = "\ufeff" if data.startswith("\ufeff") else ""
        data = data.removeprefix(self.mark)
        self.separator = ";" if ";" in data.partition("\n")[0] else ","
        self.head, *self.rows = [*csv.reader(io.StringIO(data), delimiter=self.separator)] or [[]]
        self.rows = [row for row in self.rows if row]
        names = [name.strip().lower() for name in self.head]
        for name in marks.COLUMNS[marks.MARKS]:
            if name not in names:
                names.append(name)
                self.head.append(name)
                self.rows = [[*row, ""] for row in self.rows]
        self.at = {name: index for index, name in enumerate(names)}
        self.count = 0

    def get(self, row: list[str], column: str) -> str:
        return row[self.at[column]].strip()

    def fill(self, row: list[str], *, points: float, comment: str) -> None:
        told = f"{points:.10g}"
        if self.separator == ";":  # where spreadsheets write fractions with a comma
            told = told.replace(".", ",")
        row[self.at["points"]], row[self.at["comment"]] = told, f"{WORD}{comment}"
        self.count += 1

    def add(self, student: str, part: str, *, points: float, comment: str) -> None:
        row = [""] * len(self.head)
        row[self.at["student"]], row[self.at["part"]] = student, part
        self.fill(row, points=points, comment=comment)
        self.rows.append(row)

    def text(self) -> str:
        text = io.StringIO()
        writer = csv.writer(text, delimiter=self.separator, lineterminator="\n")
        writer.writerows([self.head, *self.rows])
        return self.mark + text.getvalue()
