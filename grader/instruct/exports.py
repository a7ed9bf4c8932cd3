"""Marks for other programs: tables, learning platforms, and feedback for each student.

What is not graded is empty, or said to be pending; it is never 0. A platform's own worksheet is
filled where it is empty or holds another mark, and everything else in it stays as it was.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import PurePath
from xml.etree import ElementTree

from grader.errors import UserError
from grader.instruct import gradescope
from grader.instruct.gradebook import Final, Gradebook, Student
from grader.instruct.marks import cell
from grader.instruct.names import path_part

MOODLE_FOLDER = re.compile(r".+_\d+_assignsubmission_file.*")
MOODLE_NAME = re.compile(r"_(\d+)_assignsubmission_")
CANVAS_OWN = ("ID", "SIS User ID", "SIS Login ID", "Integration ID", "Root Account", "Section")
CANVAS_FILE = re.compile(r"(.+?)(_LATE)?_(\d+|anon_\w+?)_(\d+)_(.+)")


def rows(book: Gradebook) -> list[dict]:
    """A dict for each student: who, what was handed in, points of each exercise, and the total."""
    return [_row(book, one, book.final(one.id)) for one in book.students]


def _row(book: Gradebook, student: Student, final: Final) -> dict:
    attempt = final.attempt
    by_hand = {mark.part: mark.points for mark in book.marks.get(student.id, ())}
    found = attempt.results if attempt else {}
    points = {
        name: found[name].points if name in found and found[name].state != "ungraded" else None
        for name in book.possible
    }
    return {
        "student": student.id,
        "name": student.name,
        "email": student.email,
        "group": student.group,
        "state": final.state,
        "attempt": attempt.number if attempt else None,
        "submitted": attempt.submitted if attempt else None,
        "late_hours": final.late_hours,
        "free_days": final.free_days,
        **points,
        **{part: by_hand.get(part) for part in book.parts},
        "earned": final.earned,
        "kept_percent": round(100 * final.share, 2),
        "total": final.total,
        "possible": final.possible,
        "remark": final.remark,
    }


def as_csv(book: Gradebook) -> str:
    """A table for spreadsheets."""
    told = rows(book)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(told[0] if told else ())
    writer.writerows([cell(value) for value in row.values()] for row in told)
    return text.getvalue()


def as_json(book: Gradebook) -> str:
    """The same, with the known mistakes and the cases that are wrong in each exercise."""
    told = rows(book)
    for row, student in zip(told, book.students, strict=True):
        attempt = book.final(student.id).attempt
        row["exercises"] = [
            {
                "id": result.exercise,
                "state": result.state,
                "points": row.get(result.exercise),
                "possible": result.possible,
                "mistakes": [one["name"] for one in result.mistakes],
                "wrong": [c["name"] for c in result.cases if c["earned"] < c["points"]],
            }
            for result in (attempt.results.values() if attempt else ())
        ]
    document = {"format": 1, "assignment": book.assignment, "students": told}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def as_junit(book: Gradebook) -> str:
    """A test suite for each student, a test case for each case."""
    root = ElementTree.Element("testsuites", name=_legal(book.assignment))
    for student in book.students:
        attempt = book.final(student.id).attempt
        if attempt is None:
            continue
        suite = ElementTree.SubElement(root, "testsuite", name=_legal(student.id))
        if attempt.problem:
            entry = ElementTree.SubElement(suite, "testcase", classname="handed in", name="read")
            ElementTree.SubElement(entry, "error", message=_legal(attempt.problem))
        for result in attempt.results.values():
            for case in result.cases or [{"name": result.state}]:
                name = {"classname": _legal(result.exercise), "name": _legal(case["name"])}
                entry = ElementTree.SubElement(suite, "testcase", name)
                if result.state == "ungraded":
                    ElementTree.SubElement(entry, "error", message="the grader failed: no score")
                elif result.state == "missing" or case["earned"] < case["points"]:
                    said = gradescope.said(case) if "points" in case else "nothing is there"
                    ElementTree.SubElement(entry, "failure", message=_legal(said))
        for tag in ("testcase", "failure", "error"):
            plural = "tests" if tag == "testcase" else f"{tag}s"
            suite.set(plural, str(len(list(suite.iter(tag)))))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _legal(text: str) -> str:
    """Without the characters that XML 1.0 cannot hold."""
    return re.sub("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "", text)


def as_gradescope(book: Gradebook, *, leaderboard: bool = False) -> Iterator[tuple[str, str]]:
    """``results.json`` of each student whose mark is known, by path."""
    for student in book.students:
        final = book.final(student.id)
        if final.attempt is None or final.total is None:
            continue
        reports = [one.report for one in final.attempt.results.values() if one.report.get("cases")]
        remarks = [final.told] if final.told else []
        found = gradescope.results(
            reports, score=final.total, remarks=remarks, leaderboard=leaderboard
        )
        text = json.dumps(found, indent=1, ensure_ascii=False) + "\n"
        yield f"{path_part(student.id)}/results.json", text


def as_lti(book: Gradebook) -> str:
    """Scores of LTI Assignment and Grade Services, one for each student; the platform's own ids
    are the students' ids.
    """
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    scores = []
    for student in book.students:
        final = book.final(student.id)
        score = {"userId": student.id, "timestamp": now, "scoreMaximum": final.possible}
        if final.attempt is None:
            score |= {"activityProgress": "Initialized", "gradingProgress": "NotReady"}
            scores.append(score)
            continue
        score |= {"activityProgress": "Completed", "gradingProgress": "Pending"}
        if final.total is not None:
            score |= {"scoreGiven": final.total, "gradingProgress": "FullyGraded"}
        elif final.state == "incomplete":
            score["gradingProgress"] = "PendingManual"
        if final.told:
            score["comment"] = final.told
        if final.attempt.submitted:
            score["submission"] = {"submittedAt": final.attempt.submitted}
        scores.append(score)
    return json.dumps(scores, indent=1, ensure_ascii=False) + "\n"


# Worksheets of platforms


class Sheet:
    """A CSV file of a platform, which keeps its delimiter, its line ends and its mark of order."""

    def __init__(self, text: str, name: str):
        self.name, self.mark = name, "\ufeff" * text.startswith("\ufeff")
        text = text.removeprefix("\ufeff")
        head = text.partition("\n")[0]
        self.delimiter = ";" if head.count(";") > head.count(",") else ","
        self.end = "\r\n" if "\r\n" in text else "\n"
        self.rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=self.delimiter))
        if not self.rows or not self.rows[0]:
            raise UserError(f"{name} is empty: download the worksheet of the assignment.")
        self.head = [one.strip() for one in self.rows[0]]

    def column(self, *names: str) -> int | None:
        """Where a column of one of these names is."""
        lower = [one.lower() for one in self.head]
        return next((lower.index(name.lower()) for name in names if name.lower() in lower), None)

    def needed(self, *names: str) -> int:
        """The same.

        Raises:
            UserError: there is none.
        """
        if (found := self.column(*names)) is None:
            raise UserError(f"{self.name} has no column {names[0]!r}: {', '.join(self.head)}")
        return found

    def text(self) -> str:
        out = io.StringIO(newline="")
        csv.writer(out, delimiter=self.delimiter, lineterminator=self.end).writerows(self.rows)
        return self.mark + out.getvalue()


def canvas(book: Gradebook, sheet: Sheet, column: str | None) -> tuple[str, list[str]]:
    """Canvas's gradebook with the marks of one assignment filled in.

    Args:
        book: the marks.
        sheet: as Canvas exports it.
        column: the assignment, with or without its number in parentheses. Without one, the file
            has a single column that ends in a number.

    Returns:
        The file, and the ids of students whom it does not have.
    """
    if "Student" not in sheet.head[0] or sheet.column("ID") is None:
        raise UserError(f"{sheet.name} does not begin as Canvas's gradebook does: Student, ID, …")
    place, worth = _assignment(sheet, column), None
    people = _people(book)
    logins = people["login"] | people["id"]
    keys = {"ID": people["id"], "SIS User ID": people["id"], "SIS Login ID": logins}
    at = {number: keys[name] for name in keys if (number := sheet.column(name)) is not None}
    body = []
    for row in sheet.rows[1:]:
        if row and row[0].strip() == "Points Possible":
            worth = _points(row[place])
        elif row and row[0].strip():
            body.append(row)
    missing = _fill(book, body, at, (0, people["name"]), place, worth)
    return sheet.text(), missing


def _assignment(sheet: Sheet, wanted: str | None) -> int:
    """The column of an assignment in Canvas's file. Canvas ends the titles of its own in a number;
    one without a number is a column that the instructor added.

    Raises:
        UserError: there is none of this title, or more than one.
    """
    numbered = {n: one for n, one in enumerate(sheet.head) if re.search(r" \(\d+\)$", one)}
    own = {n: one for n, one in enumerate(sheet.head) if n and one and one not in CANVAS_OWN}
    if wanted is None:
        found = [*numbered]
    else:
        key = _key(wanted)
        found = [n for n, one in own.items() if _key(one) == key]
        found = found or [
            n for n, one in numbered.items() if _key(re.sub(r" \(\d+\)$", "", one)) == key
        ]
    if len(found) == 1:
        return found[0]
    names = ", ".join(f'"{one}"' for one in (numbered or own).values()) or "none"
    if wanted is None:
        said = f"Which column of {sheet.name} is the assignment? Name it with --column"
    elif found:
        said = f'{sheet.name} has {len(found)} columns "{wanted}". Give the whole title'
    else:
        said = f'{sheet.name} has no column "{wanted}"'
    raise UserError(f"{said}. Its assignments: {names}.")


def moodle(book: Gradebook, sheet: Sheet, _: str | None = None) -> tuple[str, list[str]]:
    """Moodle's grading worksheet with marks and remarks filled in.

    Returns:
        The file, and the ids of students whom it does not have.
    """
    place = sheet.needed("Grade")
    identifier = sheet.needed("Identifier")
    sheet.needed("Last modified (grade)")  # Moodle takes no sheet without it
    name = sheet.column("Full name")
    comment, most = sheet.column("Feedback comments"), sheet.column("Maximum grade")
    worth = next((_points(row[most]) for row in sheet.rows[1:] if most is not None), None)
    numbers = {}  # a download's folders have the number that identifies the participant
    for student in book.students:
        attempt = book.counted(student.id)
        if attempt and (found := MOODLE_NAME.search(attempt.path)):
            numbers[f"participant {found[1]}"] = student.id
    people = _people(book)
    keys = {"ID number": people["id"], "Email address": people["email"] | people["id"]}
    at = {number: keys[key] for key in keys if (number := sheet.column(key)) is not None}
    at[identifier] = people["id"] | numbers
    named = None if name is None else (name, people["name"])
    missing = _fill(book, sheet.rows[1:], at, named, place, worth, comment)
    return sheet.text(), missing


def _fill(
    book: Gradebook,
    body: Iterable[list[str]],
    keys: Mapping[int, Mapping[str, str]],
    named: tuple[int, Mapping[str, str]] | None,
    place: int,
    worth: float | None,
    comment: int | None = None,
) -> list[str]:
    """Write marks into rows, and return the ids of students who have none.

    A name, which whoever bears it may choose, counts only in a row in which no id or address says
    who it is; where two of these say different students, the row is nobody's.

    Args:
        book: the marks.
        body: rows that are changed.
        keys: students by what stands in a column that identifies them.
        named: the column of names, and students by their names.
        place: the column of marks.
        worth: what the platform counts for all points.
        comment: the column of remarks.
    """
    finals = {one.id: book.final(one.id) for one in book.students}
    met = set()
    for row in body:
        ids = _found(row, keys) or _found(row, dict([named] if named else []))
        who = ids.pop() if len(ids) == 1 else None
        if who is None or who in met:
            continue
        met.add(who)
        final = finals[who]
        if final.total is None or place >= len(row):
            continue  # not marked yet: what is there stays
        scale = worth / final.possible if worth and final.possible else 1
        row[place] = f"{final.total * scale:.2f}"
        if comment is not None and comment < len(row) and final.told:
            row[comment] = str(cell(final.told))
    return [one.id for one in book.students if one.id not in met]


def _found(row: Sequence[str], keys: Mapping[int, Mapping[str, str]]) -> set[str]:
    """Whom a row's cells say."""
    told = (known.get(_key(row[at])) for at, known in keys.items() if at < len(row))
    return {who for who in told if who}


def _people(book: Gradebook) -> dict[str, dict[str, str]]:
    """Students by ``id``, ``email``, ``login`` (the address, or what stands before its @) and
    ``name``; what two are called is nobody's.
    """
    known: dict[str, dict[str, str | None]] = {"id": {}, "email": {}, "login": {}, "name": {}}
    for student in book.students:
        first, _, last = student.name.rpartition(" ")
        called = {
            "id": {student.id},
            "email": {student.email},
            "login": {student.email, student.email.partition("@")[0]},
            "name": {student.name, f"{last}, {first}"},
        }
        for kind, texts in called.items():
            for key in {_key(text) for text in texts} - {"", ","}:
                known[kind][key] = (
                    student.id if known[kind].get(key, student.id) == student.id else None
                )
    return {kind: {key: who for key, who in all_.items() if who} for kind, all_ in known.items()}


def _key(text: str) -> str:
    return text.strip().casefold()


def _points(text: str) -> float | None:
    try:
        return float(text.strip().replace(",", "."))
    except ValueError:
        return None


# Feedback, by the names of what was handed in


def feedback(book: Gradebook, page: Callable[[Student], str]) -> Iterator[tuple[str, str]]:
    """A page for each student who handed in, by the path that the platform takes it back under.

    Moodle returns a file to whom the folder's name says, Canvas to whom the file's name says;
    elsewhere a student's folder has the student's id, as `names.path_part` has it.
    """
    for student in book.students:
        if attempt := book.counted(student.id):
            yield returned(attempt.path, student.id), page(student)


def returned(path: str, student: str) -> str:
    """Where the feedback on a hand-in belongs."""
    parts = PurePath(path).parts
    for part in parts:
        if MOODLE_FOLDER.fullmatch(part):
            return f"{part}/feedback.html"
    if parts and CANVAS_FILE.fullmatch(parts[-1]):
        return f"{PurePath(parts[-1]).stem}.html"
    return f"{path_part(student)}/feedback.html"


TEXTS: dict[str, Callable[[Gradebook], str]] = {
    "csv": as_csv,
    "json": as_json,
    "junit": as_junit,
    "lti": as_lti,
}
SHEETS: dict[str, Callable[..., tuple[str, list[str]]]] = {"canvas": canvas, "moodle": moodle}
