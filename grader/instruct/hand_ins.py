"""Hand-ins of a class: students, their attempts in order, and the code of each attempt.

A hand-in that cannot be read is an attempt with a problem, in a sentence for whoever handed it in.
"""

from __future__ import annotations

import csv
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC
from pathlib import Path

from grader.enclose.outcome import one_line
from grader.errors import UserError, unknown
from grader.instruct import layouts
from grader.instruct.assignment import Assignment
from grader.instruct.layouts import Piece
from grader.instruct.names import shown
from grader.judge import records, submission
from grader.judge.submission import Submission
from grader.judge.unpack import SUFFIXES

ROSTER = ("id", "name", "email", "group")


@dataclass(frozen=True)
class Student:
    """A student of the class."""

    id: str
    name: str = ""
    email: str = ""
    group: str = ""


@dataclass(frozen=True)
class HandIn:
    """One attempt of one student; a group's attempt is one of each member.

    Attributes:
        student: id.
        number: 1 for the first.
        submitted: UTC in ISO 8601, ``late``, or nothing where that is not known.
        piece: what the download holds of it.
    """

    student: str
    number: int
    submitted: str
    piece: Piece


@dataclass(frozen=True)
class Class:
    """All that was handed in.

    Attributes:
        layout: what named the files.
        students: those of the roster, and others who handed in, by id.
        hand_ins: in the order of students and attempts.
        strangers: ids of those who handed in and are not on the roster.
        notes: what was not taken for what it may be, a sentence each.
    """

    layout: str
    students: Mapping[str, Student]
    hand_ins: Sequence[HandIn]
    strangers: Sequence[str]
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Claim:
    """Whom one submitter of a hand-in is taken to be.

    Attributes:
        piece: the hand-in.
        student: of the roster, or else a new one.
        rank: by what: 0 the address, 1 the id, 2 a name, 3 nothing that is reliable.
        caller: what the platform calls the submitter; two callers are two people, or two files.
        said: the same in words.
    """

    piece: Piece
    student: Student
    rank: int
    caller: tuple[str, ...]
    said: str


@dataclass(frozen=True)
class Code:
    """Code of a hand-in that is graded.

    Attributes:
        files: text by name, ``linear.py`` or ``linear.ipynb``; of a notebook its code cells, each
            below a line that says how many lines it has.
        missing: why a chapter's file is not there, by slug.
        problem: why there is nothing to grade at all.
    """

    files: Mapping[str, str]
    missing: Mapping[str, str]
    problem: str = ""

    @property
    def source(self) -> bytes:
        """As it is stored."""
        text = json.dumps(dict(self.files), sort_keys=True, ensure_ascii=False)
        return text.encode("utf-8", "replace")

    @property
    def digest(self) -> str:
        """Equal ones, equal results."""
        return hashlib.sha256(self.source).hexdigest() if self.files else ""


def find(
    folder: Path,
    assignment: Assignment,
    roster: Path | None = None,
    *,
    attempts: bool = False,
    layout: str = "",
) -> Class:
    """Who handed in what.

    Args:
        folder: of submissions: a file, folder or zip for each student, or a download.
        assignment: what is graded.
        roster: a CSV file with a column ``id``, and ``name``, ``email`` and ``group`` as wanted.
        attempts: whether the folders in the folder of each student are attempts.
        layout: as `layouts.recognized` takes it.

    Raises:
        UserError: no such folder, nothing in it, or a roster that cannot be read.
    """
    zone = (assignment.due and assignment.due.tzinfo) or UTC
    known = read_roster(roster) if roster else {}
    download = layouts.recognized(folder, assignment.name, zone, attempts=attempts, layout=layout)
    students, pieces = dict(known), {}
    for student, piece in _members(download.pieces, known):
        students.setdefault(student.id, student)
        pieces.setdefault(student.id, []).append(piece)
    hand_ins = [
        HandIn(student, number, piece.submitted, piece)
        for student in sorted(pieces)
        for number, piece in enumerate(sorted(pieces[student], key=_order), 1)
    ]
    strangers = [name for name in sorted(pieces) if known and name not in known]
    groups = {student.group for student in known.values()}
    notes = [
        f"{name} has the name of a group: name the file after a member, and it counts for all."
        for name in strangers
        if name in groups
    ]
    undated = sum(not one.submitted for one in hand_ins)
    if undated and assignment.due and assignment.late.percent and download.layout != "Canvas":
        notes.append(f"Attempts without a time of submission, which count as on time: {undated}.")
    return Class(download.layout, students, hand_ins, strangers, [*download.notes, *notes])


def code(piece: Piece, given: Assignment) -> Code:
    """The code of a hand-in, read in a process of its own as `grade check` reads it.

    Args:
        piece: of a download.
        given: what is assigned.

    Raises:
        ReaderError: reading itself failed, whatever was handed in.
    """
    if piece.problem:
        return Code({}, {}, one_line(piece.problem))
    texts: dict[str, str] = {}
    missing: dict[str, str] = {}
    for slug in given.slugs:
        try:
            found = _chosen(piece, slug, given)
            name = f"{slug}{'.py' if found.cells is None else '.ipynb'}"
            if not "".join([found.text, *(found.cells or ())]).strip():
                raise UserError(f"{name} holds no code.")
        except UserError as error:
            missing[slug] = one_line(str(error))
        else:
            texts[name] = found.text if found.cells is None else _joined(found.cells)
    reasons = [*dict.fromkeys(missing.values())]
    return Code(texts, missing, "" if texts else " ".join(reasons))


def submissions(source: bytes) -> dict[str, Submission]:
    """Submissions that are graded, by chapter, from what was stored of a hand-in."""
    found = {}
    for name, text in json.loads(source).items():
        slug, _, suffix = name.rpartition(".")
        cells = None if suffix == "py" else tuple(_split(text))
        found[slug] = Submission("" if cells is not None else text, name, None, cells)
    return found


def _chosen(piece: Piece, slug: str, given: Assignment) -> Submission:
    """A chapter's module or notebook: the one in which something is written."""
    written, error = [], None
    for path, suffixes in _candidates(piece, slug, given.slugs):
        for suffix in suffixes:
            try:
                written.append(submission.read(path, slug, (suffix,)))
            except UserError as refused:
                error = error or refused
    if not written:
        raise error or _nothing(piece, slug)
    if len(written) > 1:
        exercises = [known for known in records.manifests(slug) if known.id in given.exercises]
        for candidate in written:
            if not all(reading.unwritten for reading in candidate.readings(exercises).values()):
                return candidate
    return written[0]


def _candidates(piece: Piece, slug: str, slugs: Sequence[str]) -> list[tuple[Path, tuple]]:
    """Files that may hold a chapter, each with what it may be."""
    if piece.single:
        ((name, path),) = piece.files
        if name.endswith(".zip"):
            return [(path, SUFFIXES)]
        if not name.endswith(SUFFIXES) or (len(slugs) > 1 and path.stem != slug):
            return []
        return [(path, (path.suffix,))]
    named = re.compile(rf"{re.escape(slug)}(?:-\d+| ?\(\d+\))?(\.py|\.ipynb)")
    found = []
    for suffix in SUFFIXES:
        fit = [one for one in piece.files if (n := named.fullmatch(one[0])) and n[1] == suffix]
        nearest = min((len(path.parts) for _, path in fit), default=0)
        fit = [path for _, path in fit if len(path.parts) == nearest]
        if len(fit) > 1:
            raise UserError(f"{len(fit)} files are named {slug}{suffix}; hand in one.")
        found += [(path, (suffix,)) for path in fit]
    zips = [path for name, path in piece.files if name.endswith(".zip")]
    if not found and len(zips) == 1:
        return [(zips[0], SUFFIXES)]
    return found


def _nothing(piece: Piece, slug: str) -> UserError:
    """Why a chapter is not there, with the name that was meant, where one can be guessed."""
    names = [name for name, _ in piece.files if name != "timestamp.txt"]
    if not names:
        return UserError("The folder is empty.")
    asked = f"{slug}.py or {slug}.ipynb"
    hidden = [name for name in names if name.endswith((".py.txt", ".ipynb.txt", ".ipynb.json"))]
    if hidden:
        right = hidden[0].rpartition(".")[0]
        return UserError(f"{hidden[0]} is no {right}: take the last ending from its name.")
    if sum(name.endswith(".zip") for name in names) > 1:
        return UserError(f"There are several archives and no {asked}.")
    shown = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
    return UserError(f"There is no {asked}, only {shown}.")


def _joined(cells: Sequence[str]) -> str:
    """Code cells as one text from which they can be had again."""
    parts = []
    for number, cell in enumerate(cells, 1):
        parts += [f"# %% cell {number}, {cell.count(chr(10)) + 1} lines", cell]
    return "\n".join(parts)


def _split(text: str) -> Iterator[str]:
    lines = text.split("\n") if text else []
    while lines:
        count = int(lines[0].split()[-2])  # as `_joined` writes it
        yield "\n".join(lines[1 : 1 + count])
        lines = lines[1 + count :]


def _order(piece: Piece) -> tuple:
    return piece.submitted, piece.order, str(piece.path)


def read_roster(path: Path) -> dict[str, Student]:
    """The students that a CSV file lists, by id.

    Raises:
        UserError: it cannot be read, has no column ``id``, or a line is wrong.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read: {error}.") from error
    head = text.partition("\n")[0]
    rows = csv.DictReader(text.splitlines(), delimiter=";" if ";" in head else ",")
    names = [str(name).strip().lower() for name in rows.fieldnames or ()]
    if "id" not in names:
        raise UserError(f"{path} has no column id in its first line: {head or 'it is empty'}")
    for name in names:
        if name not in ROSTER:
            raise unknown(f"column of {path.name}", name, ROSTER)
    students: dict[str, Student] = {}
    for number, row in enumerate(rows, 2):
        if None in row or None in row.values():
            raise UserError(f"{path}, line {number}, has not as many fields as the first line.")
        student = Student(
            **dict(zip(names, (shown(value.strip()) for value in row.values()), strict=True))
        )
        if not student.id or student.id in students:
            wrong = f"the id {student.id!r} a second time" if student.id else "no id"
            raise UserError(f"{path}, line {number}, has {wrong}.")
        students[student.id] = student
    return students


def keys(students: Iterable[Student]) -> dict[str, str]:
    """Ids of the roster by all that a platform may call a student; what two share is no key."""
    found: dict[str, set[str]] = {}
    for one in students:
        first, _, last = one.name.rpartition(" ")
        for key in (one.email.lower(), plain(one.name), plain(f"{last}{first}")):
            if key:
                found.setdefault(key, set()).add(one.id)
    return {key: next(iter(ids)) for key, ids in found.items() if len(ids) == 1}


def ids(names: Iterable[str], students: Mapping[str, Student]) -> dict[str, str]:
    """The id of each student whom a person calls by id, address or name; strangers have none."""
    called = keys(students.values())
    found = {
        name: name if name in students else called.get(name.lower(), called.get(plain(name)))
        for name in names
    }
    return {name: known for name, known in found.items() if known}


def plain(name: str) -> str:
    """A name by its letters alone."""
    return re.sub(r"\W", "", name).lower()


def _members(
    pieces: Sequence[Piece], known: Mapping[str, Student]
) -> Iterator[tuple[Student, Piece]]:
    """Each hand-in with those whom it counts for: a group's members, where the roster has groups.

    Where two submitters are taken for one student, the one who is known by a better reason is that
    student; the other, or both where none is better, cannot be graded until somebody has looked.
    """
    called, taken = keys(known.values()), {*known}
    made = [(piece, _claims(piece, known, called)) for piece in pieces]
    rivals: dict[str, set[tuple]] = {}
    for _, claims in made:
        for claim in claims:
            rivals.setdefault(claim.student.id, set()).add((claim.rank, claim.caller, claim.said))
    kept = {name: _best(callers) for name, callers in rivals.items()}
    taken |= {name for name, caller in kept.items() if caller}
    for piece, claims in made:
        members: dict[str, Student] = {}
        for claim in claims:
            if kept[claim.student.id] == claim.caller:
                members[claim.student.id] = claim.student
                continue
            callers = rivals[claim.student.id]
            others = sorted({said for _, caller, said in callers if caller != claim.caller})
            why = (
                f"{' and '.join([claim.said, *others])} are taken for the same student; this "
                "submission is not graded until an instructor has decided."
            )
            own = kept[claim.student.id] is None and claim.rank == 1
            who = claim.student if own else _refused(claim, taken)
            yield who, replace(piece, problem=piece.problem or why)
        for group in {member.group for member in members.values() if member.group}:
            members |= {other.id: other for other in known.values() if other.group == group}
        if len(piece.students) > 1:
            team = "+".join(sorted(members))
            members = {
                key: member if member.group else replace(member, group=team)
                for key, member in members.items()
            }
        for name in sorted(members):
            yield members[name], piece


def _claims(piece: Piece, known: Mapping[str, Student], keys: Mapping[str, str]) -> list[Claim]:
    """Whom each submitter of a hand-in is taken to be."""
    claims = []
    emails = [*piece.emails, *[""] * len(piece.students)]
    for told in zip(piece.students, piece.names, emails, strict=False):
        key, name, email = map(shown, told)
        caller, said = (told[2].lower() or told[0],), email or key
        if piece.single or not piece.known:
            caller, said = (piece.path.name,), shown(piece.path.name)
        by_address = known.get(keys.get(email.lower(), "")) if email else None
        likely = next((k for k in (key.lower(), plain(name)) if k in keys), "")
        if not piece.known:
            one, rank = Student(key), 3
        elif by_address:
            one, rank = by_address, 0
        elif key in known or likely not in keys:
            one, rank = known.get(key) or Student(key, name, email), 1
        else:
            one, rank = known[keys[likely]], 2
        claims.append(Claim(piece, one, rank, caller, said))
    return claims


def _best(callers: set[tuple]) -> tuple[str, ...] | None:
    """The caller with the best reason, if there is one alone."""
    best = min(rank for rank, *_ in callers)
    found = {caller for rank, caller, _ in callers if rank == best}
    return found.pop() if len(found) == 1 else None


def _refused(claim: Claim, taken: set[str]) -> Student:
    """A student of a name that nobody has, for a hand-in of whom it is not known whose it is."""
    key, number = claim.said, 1
    while key in taken:
        number += 1
        key = f"{claim.said} ({number})"
    return Student(key)
