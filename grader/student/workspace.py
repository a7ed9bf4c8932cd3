"""Files a student starts from: skeleton modules and exercise notebooks, made from `solutions`."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

from grader import course, files
from grader.judge import source, syntax
from grader.judge.records import Manifest, manifests
from grader.student import assigned, progress
from grader.student.assigned import Assignment


def start(
    folder: Path, slugs: list[str], given: Assignment | None = None
) -> tuple[list[Path], list[Path]]:
    """Write a workspace; files that are there already stay as they are.

    Args:
        folder: made when it does not exist.
        slugs: chapters.
        given: the assignment, which the files name.

    Returns:
        The files written, and those kept.

    Raises:
        UserError: the folder cannot be made or written.
    """
    written, kept = [], []
    for slug in slugs:
        module = skeleton(slug)
        document = json.dumps(notebook(slug, module, given), indent=1, ensure_ascii=False)
        for suffix, text in ((".py", _with_comments(slug, module, given)), (".ipynb", document)):
            path = folder / f"{slug}{suffix}"
            if path.exists():
                kept.append(path)
            else:
                written.append(files.write(path, text.rstrip("\n") + "\n"))
    if record := progress.begin(folder):
        written.append(record)
    return written, kept


def skeleton(slug: str) -> str:
    """The chapter's exercises without their bodies; what they build on is imported."""
    asked = {exercise.symbol for exercise in manifests(slug)}
    return source.skeleton(course.solution(slug), asked, f"course.{slug}")


def _with_comments(slug: str, module: str, given: Assignment | None) -> str:
    """The skeleton with a comment above each exercise that is assigned, or refuses some names."""
    worth = given.exercises if given else {}
    avoid = {exercise.symbol: exercise.forbidden for exercise in manifests(slug)}
    pieces = []
    for symbol, text in source.parts(module, avoid):
        told, name = [], f"{slug}.{symbol}"
        if symbol and name in worth:
            told.append(f"Assigned, {assigned.points(worth[name])}.")
        if symbol and avoid[symbol]:
            told.append(f"Do it without {', '.join(avoid[symbol])}.")
        comment = textwrap.wrap(" ".join(told), 98, break_long_words=False, break_on_hyphens=False)
        text = "".join(f"# {line}\n" for line in comment) + text
        pieces.append(text.strip("\n"))
    return source.tidy("\n\n\n".join(pieces)) + "\n"


def notebook(slug: str, module: str, given: Assignment | None = None) -> dict:
    """The same as a notebook: one exercise, one cell that is checked when it runs.

    Args:
        slug: chapter.
        module: its skeleton.
        given: the assignment, which the first cell and the assigned exercises name.

    Returns:
        A notebook in format 4.5, without outputs.
    """
    found = {exercise.symbol: exercise for exercise in manifests(slug)}
    begin = [f"# {slug}: exercises", "Write a cell and run it: that checks it."]
    if given:
        mine = [f"`{one}`" for one in given.exercises if one.partition(".")[0] == slug]
        begin.append(f"**{given.title}**. Assigned: {', '.join(mine)}.")  # when it is due may move
    cells = [_cell("markdown", "\n\n".join(begin))]
    first = "%load_ext grader\n\n"
    for symbol, text in source.parts(module, found):
        if symbol is None:
            cells.append(_cell("code", first + text))
            first = ""
        else:
            exercise = found[symbol]
            cells.append(_cell("markdown", _statement(exercise, given)))
            cells.append(_cell("code", f"%%grade {exercise.id}\n\n{text}"))
    for number, cell in enumerate(cells):
        cell["id"] = f"{slug}-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def _statement(exercise: Manifest, given: Assignment | None) -> str:
    due = ""
    if given:
        worth = given.exercises.get(exercise.id)
        due = " · not assigned" if worth is None else f" · **assigned**, {assigned.points(worth)}"
    public = exercise.public_points
    more = f", {exercise.points - public} more in hidden cases" if exercise.points > public else ""
    avoid = ", ".join(f"`{name}`" for name in exercise.forbidden)
    lines = [
        f"## {exercise.title}",
        f"`{exercise.id}` · {public} points, {exercise.core_points} of them core{more}{due}",
        *([f"Do it without {avoid}."] if avoid else []),
        f"<details><summary>Hint</summary>{exercise.hint}</details>",
    ]
    return "\n\n".join(lines)


def _cell(kind: str, text: str) -> dict:
    lines = syntax.lines_of(text.rstrip("\n"))
    cell = {
        "cell_type": kind,
        "metadata": {},
        "source": [f"{line}\n" for line in lines[:-1]] + lines[-1:],
    }
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})
