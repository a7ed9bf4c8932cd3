"""nbgrader: an assignment to hand out, and marks for its gradebook.

nbgrader hands out and collects; the grading is done here, and its `autograde`, which runs
submissions as the user who grades, is not needed. Cells follow nbgrader's format 3: each exercise
is a solution that is marked by hand, so that no test stands in the notebook.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from grader.errors import UserError
from grader.instruct import assignment, nbgrader_enter
from grader.instruct.assignment import Assignment
from grader.instruct.gradebook import Gradebook, Student
from grader.instruct.names import path_part

EXERCISE = re.compile(r"%%grade (\w+\.\w+)\n")
STUB = re.compile(r"^([ \t]*)raise NotImplementedError$", re.MULTILINE)
SOLUTION = r"\1### BEGIN SOLUTION\n\1raise NotImplementedError\n\1### END SOLUTION"


def cell_name(part: str) -> str:
    """The ``grade_id`` of an exercise, or of a part that is marked by hand."""
    return re.sub(r"[^a-zA-Z0-9_-]", "-", part)


def notebooks(copy: Path, folder: Path) -> Iterator[tuple[str, str]]:
    """The notebooks of an assignment, for nbgrader's folder ``source/NAME``.

    Args:
        copy: what `grade release` wrote.
        folder: where they go; nbgrader calls the assignment as this is called.

    Yields:
        Each notebook's name and text.

    Raises:
        UserError: it is no such folder, a notebook lacks an exercise that is assigned, or the two
            names differ.
    """
    given = assignment.read(copy)
    if folder.resolve().name != given.name:
        raise UserError(
            f"nbgrader names an assignment after its folder, and assignment.toml names this one "
            f"{given.name}: -o source/{given.name}"
        )
    for slug in given.slugs:
        path = copy / "work" / f"{slug}.ipynb"
        try:
            book = json.loads(path.read_text(encoding="utf-8"))
            cells = book["cells"]
        except (OSError, ValueError, KeyError) as error:
            raise UserError(
                f"{path} cannot be read ({error}): name the folder that grade release wrote."
            ) from error
        wanted = {name for name in given.exercises if name.startswith(f"{slug}.")}
        for cell in cells:
            wanted -= _marked(cell, given)
        if wanted:
            raise UserError(f"{path} has no cell for {', '.join(sorted(wanted))}.")
        if slug == given.slugs[0]:
            cells += [_by_hand(part, points) for part, points in given.by_hand.items()]
        yield path.name, json.dumps(book, indent=1, ensure_ascii=False) + "\n"


def _marked(cell: dict, given: Assignment) -> set[str]:
    """Give the cell of an assigned exercise its metadata; which exercise that is."""
    text = "".join(cell["source"])
    found = EXERCISE.match(text) if cell["cell_type"] == "code" else None
    if found is None or found[1] not in given.exercises:
        return set()
    cell["source"] = STUB.sub(SOLUTION, text).splitlines(keepends=True)
    cell["metadata"]["nbgrader"] = _metadata(found[1], given.exercises[found[1]])
    return {found[1]}


def _by_hand(part: str, points: float) -> dict:
    name = cell_name(part)
    return {
        "cell_type": "markdown",
        "id": name[:64],
        "metadata": {"nbgrader": _metadata(part, points)},
        "source": [f"## {part}\n", "\n", "### BEGIN SOLUTION\n", "### END SOLUTION"],
    }


def _metadata(part: str, points: float) -> dict:
    """Graded and a solution: a person gives the points, or what enters the marks."""
    return {
        "schema_version": 3,
        "grade": True,
        "solution": True,
        "locked": False,
        "task": False,
        "grade_id": cell_name(part),
        "points": points,
    }


def marks(book: Gradebook, page: Callable[[Student], str]) -> Iterator[tuple[str, str]]:
    """Files that enter a class's marks into nbgrader's gradebook: program, marks, and feedback.

    Args:
        book: the marks.
        page: the feedback of a student.

    Yields:
        Each file's path and text.
    """
    worth = {**book.possible, **book.parts}
    known = (book.folder / assignment.NAME).is_file()
    told = {
        "assignment": assignment.read(book.folder).name if known else book.assignment,
        "worth": {cell_name(part): points for part, points in worth.items()},
        "students": [one for one in (_student(book, one) for one in book.students) if one],
    }
    yield nbgrader_enter.MARKS, json.dumps(told, indent=1, ensure_ascii=False) + "\n"
    yield "enter.py", Path(nbgrader_enter.__file__).read_text(encoding="utf-8")
    slugs = dict.fromkeys(name.partition(".")[0] for name in book.possible)
    for student in book.students:
        if book.counted(student.id):
            text = page(student)
            for slug in slugs:
                yield f"{nbgrader_enter.FEEDBACK}/{path_part(student.id)}/{slug}.html", text


def _student(book: Gradebook, student: Student) -> Mapping | None:
    """A student's marks; None where there are none yet, or nothing was handed in."""
    final = book.final(student.id)
    if final.attempt is None or final.total is None:
        return None
    first, _, last = student.name.rpartition(" ")
    earned = {name: one.points for name, one in final.attempt.results.items()}
    earned |= {mark.part: mark.points for mark in book.marks.get(student.id, ())}
    parts = [*book.possible, *book.parts]
    scale = book.worth / final.possible if final.possible else 1
    return {
        "id": student.id,
        "first_name": first,
        "last_name": last,
        "email": student.email,
        "submitted": final.attempt.submitted,
        "points": {cell_name(part): earned.get(part, 0) for part in parts},
        "total": round(final.total * scale, 4),
        "remark": final.remark,
    }
