"""Who handed in what, by the names that learning platforms give: Canvas, Moodle, Gradescope,
Blackboard, nbgrader, or a file, folder or zip for each student.

What a platform writes was read in its own source where that is public (Canvas, Moodle, nbgrader),
and else in programs that read its downloads (Gradescope, Blackboard).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

from grader.errors import UserError

LATE = "late"  # where a name says so and gives no time
IGNORED = re.compile(r"\.|__MACOSX|Thumbs\.db|desktop\.ini")
METADATA = "submission_metadata.yml"
CANVAS = re.compile(
    r"(?P<name>[^_]+)(?P<late>_LATE)?_(?P<id>\d+|anon_\w+?)_(?P<order>\d+)_(?P<file>.+)", re.DOTALL
)
MOODLE = re.compile(
    r"(?P<name>.+)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)_?(?P<file>.*)", re.DOTALL
)
BLACKBOARD = re.compile(
    r".+_(?P<id>[^_]+)_attempt_(?P<time>\d{4}(?:-\d\d){5})(?:_(?P<file>.+)|\.txt)", re.DOTALL
)
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


def recognized(folder: Path, assignment: str, zone: tzinfo) -> tuple[str, list[Piece]]:
    """The layout of a folder, and what was handed in.

    Args:
        folder: of submissions.
        assignment: name of the one that is wanted, where a folder holds several.
        zone: of times that are written without one.

    Raises:
        UserError: there is no such folder, or nothing in it.
    """
    if not folder.is_dir():
        raise UserError(f"There is no folder {folder}.")
    top = list(folder.iterdir())
    inner = [one for one in top if one.is_dir() and not IGNORED.match(one.name)]
    for place in (folder, *inner[:1]):
        if (place / METADATA).is_file():
            return "Gradescope", list(_gradescope(place, zone))
    entries = sorted(one for one in top if not IGNORED.match(one.name))
    if not entries:
        raise UserError(f"{folder} is empty: nothing was handed in there.")
    names = [one.name for one in entries]
    for title, form, pieces in (
        ("Moodle", MOODLE, _moodle),
        ("Blackboard", BLACKBOARD, _blackboard),
        ("nbgrader", INBOUND, _inbound),
        ("Canvas", CANVAS, _canvas),
    ):
        fitting = sum(form.fullmatch(name) is not None for name in names)
        if 2 * fitting > len(names):
            known = [one for one in entries if form.fullmatch(one.name)]
            rest = [_unknown(one, title) for one in entries if one not in known]
            return title, [*pieces(known, assignment, zone), *rest]
    stamped = [path.parent.name for one in inner for path in one.glob("*/timestamp.txt")]
    if any(not ATTEMPT.fullmatch(name) for name in stamped):
        return "nbgrader", list(_submitted(entries, assignment, zone))
    return "a file or folder for each student", list(_plain(entries, zone))


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


def contents(folder: Path) -> list[tuple[str, Path]]:
    """Files of a folder and of those in it, the nearest first; links are not followed, and of a
    folder that is one there is nothing.
    """
    found, level = [], [] if folder.is_symlink() else [folder]
    while level and len(found) < 10_000:
        inner = []
        for place in level:
            for one in sorted(place.iterdir()):
                if IGNORED.match(one.name):
                    continue
                if one.is_dir() and not one.is_symlink():
                    inner.append(one)
                else:
                    found.append((one.name, one))
        level = inner
    return found


def _unknown(path: Path, title: str) -> Piece:
    said = f"{path.name} is not named as a submission from {title} is."
    student = ENDINGS.sub("", path.name) or path.name
    return Piece([student], [""], [], path, problem=said)


def _canvas(entries: Sequence[Path], _: str, zone: tzinfo) -> Iterator[Piece]:
    groups: dict[str, list[tuple[re.Match, Path]]] = {}
    for path in entries:
        found = CANVAS.fullmatch(path.name)
        groups.setdefault(found["id"], []).append((found, path))
    for student, members in groups.items():
        first, path = members[0]
        files = [(found["file"], one) for found, one in members]
        late = LATE if any(found["late"] for found, _ in members) else ""
        yield Piece([student], [first["name"]], files, path, submitted=late)


def _moodle(entries: Sequence[Path], _: str, zone: tzinfo) -> Iterator[Piece]:
    groups: dict[str, list[tuple[re.Match, Path]]] = {}
    for path in entries:
        found = MOODLE.fullmatch(path.name)
        groups.setdefault(found["id"], []).append((found, path))
    for student, members in groups.items():
        first, path = members[0]
        files = []
        for found, one in members:
            files += contents(one) if one.is_dir() else [(found["file"], one)]
        yield Piece([student], [first["name"]], files, path)


def _blackboard(entries: Sequence[Path], _: str, zone: tzinfo) -> Iterator[Piece]:
    groups: dict[tuple[str, str], list[tuple[re.Match, Path]]] = {}
    for path in entries:
        found = BLACKBOARD.fullmatch(path.name)
        groups.setdefault((found["id"], found["time"]), []).append((found, path))
    for (student, time), members in groups.items():
        files = [(found["file"], path) for found, path in members if found["file"]]
        said = next((path for found, path in members if not found["file"]), None)
        text = said.read_text(encoding="utf-8", errors="replace") if said else ""
        name = re.search(r"^Name:\s*(.*?)\s*\(.*\)\s*$", text, re.MULTILINE)
        date, clock = time[:10], time[11:].replace("-", ":")
        yield Piece(
            [student],
            [name[1] if name else ""],
            files,
            members[0][1],
            submitted=moment(f"{date} {clock}", zone),
        )


def _inbound(entries: Sequence[Path], assignment: str, zone: tzinfo) -> Iterator[Piece]:
    """The exchange's folder: student+assignment+time+random."""
    found = [(INBOUND.fullmatch(path.name), path) for path in entries]
    wanted = _assignment({one["assignment"] for one, _ in found}, assignment)
    for one, path in found:
        if one["assignment"] == wanted:
            time = _stamp(path, zone) or moment(one["time"], zone)
            yield Piece([one["id"]], [""], contents(path), path, submitted=time)


def _submitted(entries: Sequence[Path], assignment: str, zone: tzinfo) -> Iterator[Piece]:
    """The folder of the course: submitted/student/assignment."""
    inner = [one for path in entries if path.is_dir() for one in path.iterdir() if one.is_dir()]
    wanted = _assignment({one.name for one in inner}, assignment)
    for path in entries:
        if (place := path / wanted).is_dir():
            time = _stamp(place, zone)
            yield Piece([path.name], [""], contents(place), place, submitted=time)
        elif not path.is_dir():
            yield _unknown(path, "nbgrader")


def _assignment(there: set[str], wanted: str) -> str:
    if wanted in there:
        return wanted
    if len(there) == 1:
        return next(iter(there))
    raise UserError(
        f"These are submissions of {', '.join(sorted(there))}, and none is named {wanted!r}, as "
        "assignment.toml is."
    )


def _plain(entries: Sequence[Path], zone: tzinfo) -> Iterator[Piece]:
    for path in entries:
        if not path.is_dir():
            student = ENDINGS.sub("", path.name) or path.name
            yield Piece([student], [""], [(path.name, path)], path, single=True)
            continue
        inner = [one for one in sorted(path.iterdir()) if not IGNORED.match(one.name)]
        attempts = [(ATTEMPT.fullmatch(one.name), one) for one in inner if one.is_dir()]
        if attempts and len(attempts) == len(inner) and all(found for found, _ in attempts):
            for found, one in attempts:
                time = _stamp(one, zone) or moment(found["time"] or "", zone)
                order = int(found["number"] or 0)
                yield Piece([path.name], [""], contents(one), one, submitted=time, order=order)
        else:
            yield Piece([path.name], [""], contents(path), path, submitted=_stamp(path, zone))


def _stamp(folder: Path, zone: tzinfo) -> str:
    path = folder / "timestamp.txt"
    if path.is_symlink() or not path.is_file():
        return ""
    with path.open("rb") as file:
        return moment(file.read(100).decode("utf-8", "replace"), zone)


def _gradescope(folder: Path, zone: tzinfo) -> Iterator[Piece]:
    """What the YAML file names; students are known by their number, or else their address."""
    for name, told in _metadata(folder / METADATA).items():
        people, time = told["submitters"], moment(told["created_at"], zone)
        keys = [one.get("sid") or one.get("email") or one.get("name") or "" for one in people]
        place = folder / name
        problem = "" if place.is_dir() else f"{METADATA} names it, and it is not there."
        yield Piece(
            keys or [name],
            [one.get("name", "") for one in people] or [""],
            contents(place) if not problem else [],
            place,
            [one.get("email", "") for one in people] or [""],
            submitted=time,
            problem=problem,
        )


def _metadata(path: Path) -> dict[str, dict]:
    """The little that is wanted of a file that always has the same form: for each submission its
    submitters and its time.
    """
    found: dict[str, dict] = {}
    now, section = None, ""
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        if top := re.fullmatch(r"[\"']?(submission_\d+)[\"']?:\s*", line):
            now = found[top[1]] = {"submitters": [], "created_at": ""}
            section = ""
        elif now is not None and (entry := re.fullmatch(r"  :(\w+):\s*(.*)", line)):
            section = entry[1]
            if section == "created_at":
                now["created_at"] = _scalar(entry[2])
        elif now is not None and section == "submitters":
            one = re.fullmatch(r"\s+(-\s+)?:(\w+):\s*(.*)", line)
            if one and one[1]:
                now["submitters"].append({})
            if one and now["submitters"]:
                now["submitters"][-1][one[2]] = _scalar(one[3])
    if not found:
        raise UserError(f"{path} names no submissions.")
    return found


def _scalar(text: str) -> str:
    text = text.strip()
    if text[:1] == "'" == text[-1:] and len(text) > 1:
        return text[1:-1].replace("''", "'")
    if text[:1] == '"' == text[-1:] and len(text) > 1:
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    return "" if text in ("~", "null") else text
