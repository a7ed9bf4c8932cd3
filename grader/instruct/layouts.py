"""Who handed in what, by the names that learning platforms give: Canvas, Moodle, Gradescope,
Blackboard, nbgrader, or a file, folder or zip for each student.

What a platform writes was read in its own source where that is public (Canvas, Moodle, nbgrader),
and else in programs that read its downloads (Gradescope, Blackboard). Of a name that a
platform makes, students choose the end. Neither that end nor a file in a student's folder decides
the layout, whose a submission is, or when it was submitted.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

from grader.enclose.outcome import one_line
from grader.errors import UserError
from grader.instruct.names import shown

LATE = "late"  # where a name says so and gives no time
IGNORED = re.compile(r"\.|__MACOSX|Thumbs\.db|desktop\.ini")
METADATA = "submission_metadata.yml"
STAMP = "timestamp.txt"
CANVAS = re.compile(
    r"(?P<name>[^_]+)(?P<late>_LATE)?_(?P<id>\d+|anon_\w+?)_(?P<order>\d+)_(?P<file>.+)", re.DOTALL
)
MOODLE = re.compile(
    r"(?P<name>.+?)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)_?(?P<file>.*)", re.DOTALL
)
BLACKBOARD = re.compile(
    r".+?_(?P<id>[^_]+)_attempt_(?P<time>\d{4}(?:-\d\d){5})(?:_(?P<file>.+)|\.txt)", re.DOTALL
)
MOODLE_MARK = re.compile(r"_\d+_assignsubmission_(?:file|onlinetext)")
EXPORT = re.compile(r"assignment_\d+_export")  # Gradescope's own folder
INBOUND = re.compile(r"(?P<id>[^+]+)\+(?P<assignment>[^+]+)\+(?P<time>[^+]+)(?:\+.*)?", re.DOTALL)
ENDINGS = re.compile(r"(?:\.(?:py|ipynb|zip|txt|json|tar|gz))+$")
ATTEMPT = re.compile(r"(?:attempt[-_ ]?)?(?P<number>\d{1,3})|(?P<time>\d{4}-\d\d-\d\d.*)")


@dataclass(frozen=True)
class Piece:
    """One attempt, as a download holds it.

    Attributes:
        students: the platform's ids; several for a group.
        names: of each.
        emails: of each.
        files: paths by the names under which they were handed in.
        submitted: UTC in ISO 8601, ``late``, or nothing where that is not known.
        order: of attempts whose times are not known.
        path: what a person looks for in the download.
        single: a file that is named after the student and not after a chapter.
        problem: why it cannot be told what this is.
        known: the platform or the instructor named the student.
    """

    students: Sequence[str]
    names: Sequence[str]
    files: Sequence[tuple[str, Path]]
    path: Path
    emails: Sequence[str] = ("",)
    submitted: str = ""
    order: int = 0
    single: bool = False
    problem: str = ""
    known: bool = True


@dataclass(frozen=True)
class Download:
    """All that a folder of submissions holds.

    Attributes:
        layout: what named the files.
        pieces: every attempt.
        notes: what was left out, a sentence each.
    """

    layout: str
    pieces: Sequence[Piece]
    notes: Sequence[str] = ()


def recognized(
    folder: Path, assignment: str, zone: tzinfo, *, attempts: bool = False, layout: str = ""
) -> Download:
    """The layout of a folder, and what was handed in.

    Args:
        folder: of submissions.
        assignment: name of the one that is wanted, where a folder holds several.
        zone: of times that are written without one.
        attempts: whether the instructor wrote the folders in the folder of each student.
        layout: canvas, moodle, blackboard, nbgrader, gradescope or plain, where the names are not
            to decide: of few hand-ins they are mostly what students chose.

    Raises:
        UserError: there is no such folder, nothing in it, or nothing of this layout.
    """
    if not folder.is_dir():
        raise UserError(f"There is no folder {folder}.")
    entries = sorted(entry for entry in folder.iterdir() if not IGNORED.match(entry.name))
    if not entries:
        raise UserError(f"{folder} is empty: nothing was handed in there.")
    only = entries if len(entries) == 1 and EXPORT.fullmatch(entries[0].name) else []
    for place in (folder, *only) if layout in ("", "gradescope") else ():
        if (place / METADATA).is_file():
            return Download("Gradescope", [*_gradescope(place, zone)])
    if layout == "gradescope":
        raise UserError(f"There is no {METADATA} in {folder}, which Gradescope writes.")
    fitting, _, title, form, pieces = max(
        (
            sum(form.fullmatch(entry.name) is not None for entry in entries),
            -rank,
            title,
            form,
            pieces,
        )
        for rank, (title, form, pieces) in enumerate(FORMS)
        if layout in ("", "plain", title.lower())
    )
    if layout == title.lower() != "nbgrader" or (2 * fitting > len(entries) and layout != "plain"):
        known = [entry for entry in entries if form.fullmatch(entry.name)]
        rest = [_unknown(entry, title) for entry in entries if not form.fullmatch(entry.name)]
        return Download(title, [*pieces(known, assignment, zone), *rest])
    stamped = sum(any(map(_collected, folders(entry))) for entry in entries)
    if layout == "nbgrader" or (2 * stamped > len(entries) and not layout):
        submitted = [*_submitted(entries, assignment, zone)]
        left = len(entries) - len(submitted)
        notes = [f"Folders without a submission of this assignment: {left}."] if left else []
        return Download("nbgrader", submitted, notes)
    submitted = [*_plain(entries, zone, attempts)]
    notes = [*_untaken(entries, attempts), *(_timeless(entries, zone) if attempts else ())]
    return Download("a file or folder for each student", submitted, notes)


def moment(said: str, zone: tzinfo) -> str:
    """A time as UTC in ISO 8601; nothing where it cannot be read.

    Args:
        said: ISO 8601, or the same with the name of a zone behind it, as nbgrader writes.
        zone: where none is named.
    """
    text, _, name = said.strip().rpartition(" ")
    if text and re.fullmatch(r"[A-Za-z][\w/+-]*", name):
        try:
            zone = UTC if name in ("UTC", "GMT", "Z") else ZoneInfo(name)
        except (ValueError, OSError, KeyError):
            return ""
    else:
        text = said.strip()
    try:
        found = datetime.fromisoformat(text)
        return found.replace(tzinfo=found.tzinfo or zone).astimezone(UTC).isoformat()
    except (ValueError, OverflowError):
        return ""


def folders(place: Path) -> list[Path]:
    """Those in a folder; none where it is none, or cannot be read."""
    try:
        inner = sorted(place.iterdir()) if place.is_dir() and not place.is_symlink() else []
        return [one for one in inner if one.is_dir() and not IGNORED.match(one.name)]
    except OSError:
        return []


def contents(folder: Path) -> list[tuple[str, Path]]:
    """Files of a folder and of those in it, the nearest first; links are not followed, and of a
    folder that is one there is nothing.

    Raises:
        OSError: some of it cannot be read.
    """
    files, level = [], [] if folder.is_symlink() else [folder]
    while level and len(files) < 10_000:
        inner = []
        for directory in level:
            for path in sorted(directory.iterdir()):
                if IGNORED.match(path.name):
                    continue
                if path.is_dir() and not path.is_symlink():
                    inner.append(path)
                else:
                    files.append((path.name, path))
        level = inner
    return files


def _unknown(path: Path, title: str) -> Piece:
    said = f"{path.name} is not named as a submission from {title} is."
    student = ENDINGS.sub("", path.name) or path.name
    return Piece([student], [""], [], path, problem=said, known=False)


def _read(student: str, place: Path, submitted: str = "", order: int = 0) -> Piece:
    """A piece with the files of a folder, or with the reason why they cannot be read."""
    try:
        return Piece([student], [""], contents(place), place, submitted=submitted, order=order)
    except OSError as error:
        said = f"{one_line(Path(error.filename or place).name)} cannot be read: {error.strerror}."
        return Piece([student], [""], [], place, submitted=submitted, order=order, problem=said)


def _parts(pattern: re.Pattern, path: Path) -> re.Match:
    """The parts of a name by which the layout was recognized."""
    found = pattern.fullmatch(path.name)
    assert found is not None, path
    return found


def _canvas(entries: Sequence[Path], _: str, zone: tzinfo) -> Iterator[Piece]:
    groups: dict[str, list[tuple[re.Match, Path]]] = {}
    for path in entries:
        found = _parts(CANVAS, path)
        groups.setdefault(found["id"], []).append((found, path))
    for student, members in groups.items():
        first, path = members[0]
        files = [(found["file"], one) for found, one in members]
        late = LATE if any(found["late"] for found, _ in members) else ""
        yield Piece([student], [first["name"]], files, path, submitted=late)


def _moodle(entries: Sequence[Path], _: str, zone: tzinfo) -> Iterator[Piece]:
    groups: dict[str, list[tuple[re.Match, Path]]] = {}
    for path in entries:
        if len(MOODLE_MARK.findall(path.name)) > 1:  # one is a name that a student chose
            yield _unknown(path, "Moodle")
            continue
        found = _parts(MOODLE, path)
        groups.setdefault(found["id"], []).append((found, path))
    for student, members in groups.items():
        first, path = members[0]
        files, problem = [], ""
        for found, one in members:
            part = _read(student, one) if one.is_dir() else None
            files += part.files if part else [(found["file"], one)]
            problem = problem or (part.problem if part else "")
        yield Piece([student], [first["name"]], files, path, problem=problem)


def _blackboard(entries: Sequence[Path], _: str, zone: tzinfo) -> Iterator[Piece]:
    groups: dict[tuple[str, str], list[tuple[re.Match, Path]]] = {}
    for path in entries:
        parts = _parts(BLACKBOARD, path)
        groups.setdefault((parts["id"], parts["time"]), []).append((parts, path))
    for (student, time), members in groups.items():
        files = [(parts["file"], path) for parts, path in members if parts["file"]]
        comment = next((path for parts, path in members if not parts["file"]), None)
        date, clock = time[:10], time[11:].replace("-", ":")
        yield Piece(
            [student],
            [_named(comment) if comment else ""],
            files,
            members[0][1],
            submitted=moment(f"{date} {clock}", zone),
        )


def _named(path: Path) -> str:
    """The name in the first lines of the text that Blackboard writes: ``Name: Ada (al1)``."""
    try:
        with path.open("rb") as file:
            text = file.read(4096).decode("utf-8-sig", "replace")
    except OSError:
        return ""
    line = next((one for one in text.splitlines() if one.startswith("Name:")), "")
    name, _, rest = line.removeprefix("Name:").rpartition("(")
    return name.strip() if rest.rstrip().endswith(")") else ""


def _inbound(entries: Sequence[Path], assignment: str, zone: tzinfo) -> Iterator[Piece]:
    """The exchange's folder: student+assignment+time+random."""
    found = [(_parts(INBOUND, path), path) for path in entries]
    wanted = _assignment({one["assignment"] for one, _ in found}, assignment)
    for one, path in found:
        if one["assignment"] == wanted:
            time = moment(one["time"], zone) or _stamp(path, zone)
            yield _read(one["id"], path, submitted=time)


def _submitted(entries: Sequence[Path], assignment: str, zone: tzinfo) -> Iterator[Piece]:
    """The folder of the course: submitted/student/assignment."""
    inner = {one.name for path in entries for one in folders(path) if _collected(one)}
    wanted = _assignment(inner, assignment)
    for path in entries:
        there = {one.name: one for one in folders(path)}
        if place := there.get(wanted):
            yield _read(path.name, place, submitted=_stamp(place, zone))
        elif not path.is_dir():
            yield _unknown(path, "nbgrader")


def _assignment(there: set[str], wanted: str) -> str:
    if wanted in there:
        return wanted
    if len(there) == 1:
        return next(iter(there))
    if not there:
        raise UserError("No folder here was collected by nbgrader.")
    raise UserError(
        f"These are submissions of {', '.join(sorted(there))}, and none is named {wanted!r}, as "
        "assignment.toml is."
    )


def _plain(entries: Sequence[Path], zone: tzinfo, attempts: bool) -> Iterator[Piece]:
    """A student's file or folder is one attempt, unless the instructor wrote what is in it."""
    for path in entries:
        if not path.is_dir():
            student = ENDINGS.sub("", path.name) or path.name
            yield Piece([student], [""], [(path.name, path)], path, single=True)
            continue
        found = _attempts(path) if attempts else []
        for name, one in found:
            time = _stamp(one, zone) or moment(name["time"] or "", zone)
            yield _read(path.name, one, submitted=time, order=int(name["number"] or 0))
        if not found:
            yield _read(path.name, path)


def _attempts(folder: Path) -> list[tuple[re.Match, Path]]:
    """The folders of a student's attempts, where there is nothing else."""
    inner = folders(folder)
    found = [(name, one) for one in inner if (name := ATTEMPT.fullmatch(one.name))]
    try:
        whole = [one for one in folder.iterdir() if not IGNORED.match(one.name)]
    except OSError:
        return []
    return found if len(found) == len(whole) else []


def _untaken(entries: Sequence[Path], attempts: bool) -> list[str]:
    """That some folders look like attempts, or tell a time, and were not taken for that."""
    found = []
    for path in entries:
        with contextlib.suppress(OSError):
            inner = [path, *folders(path)] if path.is_dir() else []
            if _attempts(path) or any((one / STAMP).is_file() for one in inner):
                found.append(shown(path.name))
    if attempts or not found:
        return []
    return [
        f"Student folders that contain numbered folders or {STAMP}: {len(found)}. Each (such as "
        f"{found[0]}) is read as one attempt without a time; if you wrote these yourself, add "
        "--attempts."
    ]


def _timeless(entries: Sequence[Path], zone: tzinfo) -> Iterator[str]:
    """Say which files that tell a time cannot be read: such an attempt counts as on time."""
    for path in entries:
        for _, one in _attempts(path) if path.is_dir() else ():
            if (one / STAMP).is_file() and not _stamp(one, zone):
                yield (
                    f"{shown(path.name)}, {shown(one.name)}: {STAMP} holds no time, so the attempt "
                    "counts as on time. Write it like 2026-12-01 23:10 or 2026-12-01T23:10+01:00."
                )


def _collected(folder: Path) -> bool:
    """Whether nbgrader's exchange wrote a folder."""
    with contextlib.suppress(OSError):
        return not ATTEMPT.fullmatch(folder.name) and (folder / STAMP).is_file()
    return False


def _stamp(folder: Path, zone: tzinfo) -> str:
    path = folder / STAMP
    try:
        if path.is_symlink() or not path.is_file():
            return ""
        with path.open("rb") as file:
            return moment(file.read(100).decode("utf-8", "replace"), zone)
    except OSError:
        return ""


def _gradescope(folder: Path, zone: tzinfo) -> Iterator[Piece]:
    """Read what the YAML file names; students are known by their number, or else their address."""
    for name, metadata in _metadata(folder / METADATA).items():
        people, time = metadata["submitters"], moment(metadata["created_at"], zone)
        keys = [
            person.get("sid") or person.get("email") or person.get("name") or ""
            for person in people
        ]
        place = folder / name
        submitted = _read(name, place)
        problem = "" if place.is_dir() else f"{METADATA} names it, and it is not there."
        yield Piece(
            keys or [name],
            [person.get("name", "") for person in people] or [""],
            submitted.files,
            place,
            [person.get("email", "") for person in people] or [""],
            submitted=time,
            problem=problem or submitted.problem,
        )


def _metadata(path: Path) -> dict[str, dict]:
    """The little that is wanted of a file that always has the same form: for each submission its
    submitters and its time.
    """
    submissions: dict[str, dict] = {}
    now, section = None, ""
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        if top := re.fullmatch(r"[\"']?(submission_\d+)[\"']?:\s*", line):
            now = submissions[top[1]] = {"submitters": [], "created_at": ""}
            section = ""
        elif now is not None and (entry := re.fullmatch(r"  :(\w+):\s*(.*)", line)):
            section = entry[1]
            if section == "created_at":
                now["created_at"] = _scalar(entry[2])
        elif now is not None and section == "submitters":
            field = re.fullmatch(r"\s+(-\s+)?:(\w+):\s*(.*)", line)
            if field and field[1]:
                now["submitters"].append({})
            if field and now["submitters"]:
                now["submitters"][-1][field[2]] = _scalar(field[3])
    if not submissions:
        raise UserError(f"{path} names no submissions.")
    return submissions


def _scalar(text: str) -> str:
    text = text.strip()
    if text[:1] == "'" == text[-1:] and len(text) > 1:
        return text[1:-1].replace("''", "'")
    if text[:1] == '"' == text[-1:] and len(text) > 1:
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    return "" if text in ("~", "null") else text


# Where all names fit several of these, the first: it is the one whose students choose least of it.
# `--layout` of grade batch offers the same titles.
FORMS = (
    ("Canvas", CANVAS, _canvas),
    ("Moodle", MOODLE, _moodle),
    ("Blackboard", BLACKBOARD, _blackboard),
    ("nbgrader", INBOUND, _inbound),
)
