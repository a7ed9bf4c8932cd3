"""How far a student has come: plain JSON in the workspace, for her eyes and never for grades."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from grader import files
from grader.check import ExerciseResult
from grader.exercise import Exercise, UserError, select

NAME = "progress.json"


def begin(folder: Path) -> Path | None:
    """Make an empty record in a new workspace; one that is there stays."""
    path = folder / NAME
    if path.exists():
        return None
    _write(path, {})
    return path


def keep(folder: Path, results: Sequence[ExerciseResult]) -> None:
    """Note results, if this folder is a workspace.

    Raises:
        UserError: the record cannot be written.
    """
    path = folder / NAME
    if path.is_file():
        record = _read(path)
        record |= {result.exercise.id: result.earned for result in results}
        _write(path, record)


def earned(folder: Path) -> list[tuple[Exercise, int | None]]:
    """Points for every public case of every exercise; None for what was never checked.

    Raises:
        UserError: the folder is no workspace.
    """
    path = folder / NAME
    if not path.is_file():
        raise UserError(f"{folder.resolve()} is no workspace. Make one: grade start FOLDER")
    record = _read(path)
    return [(exercise, record.get(exercise.id)) for exercise in select(None)]


def _read(path: Path) -> dict[str, int]:
    """What is noted; nothing where somebody has broken the file."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        return {key: int(value) for key, value in record.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _write(path: Path, record: dict[str, int]) -> None:
    files.write(path, json.dumps(record, indent=1, sort_keys=True) + "\n")
