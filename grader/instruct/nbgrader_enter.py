"""Enter a class's marks into nbgrader's gradebook, and put its feedback where nbgrader looks.

    python enter.py [FOLDER_OF_THE_COURSE]

Runs where nbgrader is installed, and imports nothing of the grader. The assignment has to be there:
`nbgrader generate_assignment`. Each exercise's points become the manual score of its cell; what a
late policy takes off becomes the late penalty of the first notebook. Entering again replaces what
was entered before. Students without a mark are left as they are.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

MARKS, FEEDBACK = "marks.json", "feedback"
NEEDED = ("timestamp.txt", "submission_secret.txt")  # by these nbgrader finds who gets feedback


def main(words: Sequence[str]) -> int:
    here = Path(__file__).resolve().parent
    told = json.loads((here / MARKS).read_text(encoding="utf-8"))
    if words:
        os.chdir(words[0])
    from nbgrader.api import Gradebook
    from nbgrader.apps.baseapp import NbGrader
    from nbgrader.coursedir import CourseDirectory

    app = NbGrader()
    app.load_config_file()  # nbgrader_config.py, of this folder
    course = CourseDirectory(config=app.config)
    with Gradebook(course.db_url) as book:
        if wrong := unfit(book, told):
            print(f"enter.py: {wrong}", file=sys.stderr)
            return 2
        for student in told["students"]:
            enter(book, told["assignment"], student)
    print(f"{len(told['students'])} students' marks entered into {course.db_url}")
    given = [feedback(course, told["assignment"], one) for one in sorted(here.glob("feedback/*"))]
    if missing := given.count(False):
        print(f"{missing} students' feedback left out: nbgrader collected nothing of theirs")
    return 0


def unfit(book, told: Mapping) -> str:
    """Why the marks are not those of the gradebook's assignment; nothing where they are."""
    from nbgrader.api import MissingEntry

    name = told["assignment"]
    try:
        there = book.find_assignment(name)
    except MissingEntry:
        return f"The gradebook has no assignment {name}: nbgrader generate_assignment {name}"
    cells = [cell for one in there.notebooks for cell in (*one.grade_cells, *one.task_cells)]
    worth = {cell.name: cell.max_score for cell in cells}
    if worth == told["worth"]:
        return ""
    parts = sorted(
        part for part in worth | told["worth"] if worth.get(part) != told["worth"].get(part)
    )
    return (
        f"{', '.join(parts)}: not the same in the gradebook's {name} and in the marks. Generate "
        "the assignment from the folder that grade export wrote."
    )


def enter(book, assignment: str, student: Mapping) -> None:
    """One student's marks, in place of those that are there."""
    from nbgrader.api import MissingEntry

    try:
        book.find_student(student["id"])
    except MissingEntry:
        names = {key: student[key] for key in ("first_name", "last_name", "email")}
        book.add_student(student["id"], **names)
    when = student["submitted"]
    more = {"timestamp": when} if when[:1].isdigit() else {}  # else the platform told none
    submission = book.update_or_create_submission(assignment, student["id"], **more)
    off = round(sum(student["points"].values()) - student["total"], 4)
    for number, notebook in enumerate(submission.notebooks):
        first = number == 0
        notebook.late_submission_penalty = max(off, 0) if first else 0
        for place, grade in enumerate(notebook.grades):
            grade.manual_score = student["points"][grade.name]
            grade.extra_credit = max(-off, 0) if first and place == 0 else None
            grade.needs_manual_grade = False
    book.db.commit()


def feedback(course, assignment: str, folder: Path) -> bool:
    """Copy a student's feedback; False where nbgrader has collected nothing of that student."""
    submitted, given = (
        Path(course.format_path(name, folder.name, assignment))
        for name in (course.submitted_directory, course.feedback_directory)
    )
    if not all((submitted / name).is_file() for name in NEEDED):
        return False
    given.mkdir(parents=True, exist_ok=True)
    for path in [*folder.glob("*.html"), *(submitted / name for name in NEEDED)]:
        shutil.copy(path, given / path.name)
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
