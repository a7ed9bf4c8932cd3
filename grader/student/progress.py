"""How far a student has come: plain JSON in the workspace, for her eyes and never for grades."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader import files
from grader.errors import UserError
from grader.judge import records
from grader.judge.grading import ExerciseResult
from grader.judge.records import Manifest

NAME = "progress.json"
CORE = " core"  # behind the name of an exercise
LARGEST = 2**20  # bytes; a record of every exercise is far smaller


@dataclass(frozen=True)
class Earned:
    """Points for an exercise so far, and those of its core; a record is plain text, and may hold
    anything: no more than there are count, and all of them hold the core's.
    """

    exercise: Manifest
    points: int
    core: int

    def __post_init__(self):
        public, inside = self.exercise.public_points, self.exercise.core_points
        points = min(max(self.points, 0), public)
        core = inside if points == public else min(max(self.core, 0), inside)
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "core", core)


def begin(folder: Path) -> Path | None:
    """Make an empty record in a new workspace; one that is there stays."""
    path = folder / NAME
    if path.exists():
        return None
    _write(path, {})
    return path


def keep(folder: Path, results: Sequence[ExerciseResult]) -> None:
    """Note results, if this folder is a workspace. Several commands may do so at once.

    Raises:
        UserError: the record cannot be read or written; it stays as it is.
    """
    path = folder / NAME
    if path.is_file() and not path.is_symlink():  # a link leads to somebody else's
        with _alone(folder):
            record = _read(path)
            for result in results:
                if result.status != "ungraded":
                    _note(record, result)
            _write(path, record)


def _note(record: dict[str, int], result: ExerciseResult) -> None:
    """All points of an exercise, and those of its core beside them."""
    name, core = result.exercise.id, f"{result.exercise.id}{CORE}"
    corners = 0
    if result.points < result.exercise.public_points:  # of the core alone; the corners as they were
        corners = max(record.get(name, 0) - record.get(core, 0), 0)
    record |= {name: result.earned + corners, core: result.core_earned}


def earned(folder: Path) -> list[Earned]:
    """Points for the public cases of every exercise.

    Raises:
        UserError: the folder is no workspace, or its record cannot be read.
    """
    path = folder / NAME
    if not path.is_file():
        raise UserError(f"{folder.resolve()} is not a workspace. Make one: grade start FOLDER")
    record = _read(path)
    return [
        Earned(one, record.get(one.id, 0), record.get(f"{one.id}{CORE}", 0))
        for one in records.select()
    ]


def begun(folder: Path) -> set[str]:
    """The chapters that a workspace has files of."""
    return {path.stem for kind in ("*.py", "*.ipynb") for path in folder.glob(kind)}


def following(
    earned: Sequence[Earned], begun: Collection[str] = (), asked: Collection[str] = ()
) -> Manifest | None:
    """Exercise to write next: the first whose idea is not right yet; after all of them, corners.

    Args:
        earned: every exercise and its points so far.
        begun: chapters that come before all others.
        asked: exercises that come before the others.
    """
    todo = [score.exercise for score in earned if score.core < score.exercise.core_points]
    todo += [score.exercise for score in earned if score.points < score.exercise.public_points]
    todo.sort(key=lambda exercise: exercise.id not in asked)
    return next(
        (exercise for exercise in todo if exercise.slug in begun), todo[0] if todo else None
    )


def passed(folder: Path, slug: str) -> list[str]:
    """The exercises of a chapter that had all points of their public cases when last checked.

    Raises:
        UserError: the record cannot be read.
    """
    record = _read(folder / NAME)
    told = records.manifests(slug) if slug in records.slugs() else []
    return [one.symbol for one in told if record.get(one.id, -1) >= one.public_points]


def around(folder: Path) -> Path | None:
    """The workspace that a folder is, or lies in."""
    above = (folder.resolve(), *folder.resolve().parents)
    return next((one for one in above if (one / NAME).is_file()), None)


def _read(path: Path) -> dict[str, int]:
    """Read what is noted. A file that holds anything else may be somebody's, and stays as it is."""
    try:
        with path.open("rb") as file:
            record = json.loads(file.read(LARGEST))
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror or error}.") from error
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict) or not all(type(points) is int for points in record.values()):
        raise UserError(
            f"{path} is not a record of points. Move it away, and start again: grade start FOLDER"
        )
    return record


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Others that note something in this folder wait, where the system knows how to."""
    try:
        import fcntl

        lock = os.open(folder, os.O_RDONLY)
    except (ImportError, OSError):
        yield
        return
    try:
        with contextlib.suppress(OSError):  # some network folders know no locks
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _write(path: Path, record: dict[str, int]) -> None:
    files.write(path, json.dumps(record, indent=1, sort_keys=True) + "\n")
