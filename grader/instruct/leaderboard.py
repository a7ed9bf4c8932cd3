"""A class's hand-ins of a measured assignment, on splits that only its instructor can draw.

The secret is a file with a random number. Splits are drawn from it and the public pool, and so are
the pseudonyms under which students appear. Results are saved after each hand-in in
``<name>.json``, so that an interrupted run continues where it stopped. A new hand-in, another
secret or another record is measured anew.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from grader import files
from grader.enclose.outcome import one_line
from grader.enclose.sandbox import Sandbox
from grader.errors import UserError
from grader.judge import measure
from grader.judge.measure import METRICS, Challenge, Run
from grader.judge.reader import ReaderError

BITS = 128
NAME = 64  # characters of a student's name
SEEDS = (1, 2, 3)


@dataclass(frozen=True, kw_only=True)
class Place:
    """A student on the board.

    Attributes:
        student: name of the folder or module that was handed in.
        pseudonym: the same in each board of one secret.
        runs: one for each seed; none where nothing can be read.
        error: why nothing can be read; else empty.
        key: of what was measured; equal ones, equal results.
    """

    student: str
    pseudonym: str
    runs: tuple[Run, ...]
    error: str = ""
    key: str = ""

    @property
    def points(self) -> float:
        return statistics.mean(run.points for run in self.runs) if self.runs else 0.0


def secret_of(path: Path) -> str:
    """The secret in a file, which is made where there is none.

    Raises:
        UserError: it holds something else, or cannot be read or written.
    """
    try:
        if not path.exists():
            files.write(path, f"{secrets.randbits(BITS):0{BITS // 4}x}\n")
            path.chmod(0o600)
        found = path.read_text(encoding="ascii").strip()
        if len(found) != BITS // 4 or int(found, 16) < 0:
            raise ValueError("it does not hold a number of 32 hexadecimal digits")
    except (OSError, ValueError) as error:
        raise UserError(f"{path} is not a secret: {error}.") from error
    return found


def handed_in(folder: Path, name: str) -> list[tuple[str, Path]]:
    """Students and their modules: ``<student>/<name>.py`` or ``<student>.py``.

    Raises:
        UserError: the folder holds none, or several of a student.
    """
    found = [
        (one_line(path.name.removesuffix(".py"), NAME), path)
        for path in sorted(folder.iterdir() if folder.is_dir() else [])
        if path.suffix == ".py" or (path.is_dir() and (path / f"{name}.py").exists())
    ]
    if not found:
        raise UserError(f"{folder} holds neither STUDENT/{name}.py nor STUDENT.py.")
    if twice := [one for one, count in Counter(one for one, _ in found).items() if count > 1]:
        raise UserError(f"{folder} holds several modules of {twice[0]}.")
    return found


def board(
    challenge: Challenge, folder: Path, secret: str, sandbox: Sandbox, notes: Path
) -> Iterator[Place]:
    """Measure a class.

    Args:
        challenge: what is asked.
        folder: of hand-ins.
        secret: as `secret_of` reads it.
        sandbox: made with ``strict=True, without=measure.SOURCES``.
        notes: file of what was measured before; written after each student.

    Yields:
        A place for each student, in the order of names.
    """
    known = _noted(notes)
    number = [int(secret[at : at + 8], 16) for at in range(0, len(secret), 8)]
    for student, path in handed_in(folder, challenge.name):
        pseudonym = hmac.new(secret.encode(), student.encode(), hashlib.sha256).hexdigest()[:8]
        try:
            text = measure.read(path, challenge.name)
        except (UserError, ReaderError) as error:
            yield Place(student=student, pseudonym=pseudonym, runs=(), error=str(error))
            continue
        key = _key(challenge, text, secret)
        place = known.get(student)
        if place is None or place.key != key:
            found = measure.measure(challenge, text, sandbox, SEEDS, secret=number)
            runs = tuple(replace(run, log="") for run in found)
            place = Place(student=student, pseudonym=pseudonym, runs=runs, key=key)
            known[student] = place
            files.write(notes, json.dumps([asdict(one) for one in known.values()], indent=1) + "\n")
        yield place


def _key(challenge: Challenge, text: str, secret: str) -> str:
    """A digest of the module, the secret and the assignment, pool included."""
    found = hashlib.sha256()
    limits = (challenge.seconds, challenge.memory_mb, challenge.numbers)
    asked = f"{challenge.metric} {limits} {challenge.cutoffs}"
    for part in (text, secret, challenge.id, asked):
        found.update(hashlib.sha256(part.encode("utf-8", "replace")).digest())
    for name in sorted(challenge.pool):
        found.update(challenge.pool[name].tobytes())
    return found.hexdigest()


def _noted(path: Path) -> dict[str, Place]:
    if not path.exists():
        return {}
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        return {
            one["student"]: Place(**{**one, "runs": tuple(Run(**run) for run in one["runs"])})
            for one in told
        }
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"{path} cannot be read: {error}. Move it away to start over.") from error


def lines(challenge: Challenge, places: Sequence[Place], *, names: bool = False) -> Iterator[str]:
    """The board: best first; equal points share a rank, and the order of names says nothing.

    Args:
        challenge: what was asked.
        places: of all students.
        names: with the names, for the instructor alone.
    """
    metric = METRICS[challenge.metric]
    ordered = sorted(places, key=lambda place: (-round(place.points, 3), place.pseudonym))
    for place in ordered:
        rank = 1 + sum(round(other.points, 3) > round(place.points, 3) for other in places)
        scores = [run.score for run in place.runs if run.score is not None]
        score = "—"
        if scores:
            score = metric.text(statistics.mean(scores))
            if len(scores) > 1:
                score += f" ± {metric.text(statistics.stdev(scores))}"
        stopped = sum(run.score is None for run in place.runs)
        more = f", {stopped} runs stopped" if stopped else ""
        who = f"  {place.student}" if names else ""
        why = f"  {one_line(place.error)}" if place.error and names else ""
        yield f"{rank:>3}  {place.pseudonym}  {place.points:5.2f} points  {score}{more}{who}{why}"


def marks(challenge: Challenge, places: Sequence[Place]) -> list[Mapping[str, object]]:
    """Points of each student, for a gradebook; nobody whose hand-in could not be read."""
    return [
        {
            "student": place.student,
            "pseudonym": place.pseudonym,
            "points": round(place.points, 3),
            "of": challenge.points,
        }
        for place in places
        if not place.error
    ]


def shares(challenge: Challenge, places: Sequence[Place]) -> dict[str, tuple[float, str]]:
    """Each student's share of all points, and a comment for the gradebook; nobody whose hand-in
    could not be read.
    """
    return {
        place.student: (
            place.points / challenge.points,
            f"{place.points:.2f} of {challenge.points:g} points, on {len(place.runs)} splits",
        )
        for place in places
        if not place.error
    }
