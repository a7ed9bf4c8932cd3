"""What course platforms read: assignments and marks for nbgrader, autograders for the others.

The exports were tried on nbgrader 0.9.6: an assignment generated, released and collected, marks
entered and exported, feedback released. What stands for it here is as little as they need of it.
"""

import json
import re
import runpy
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from classroom import gradebook as made_gradebook
from click.testing import CliRunner

from grader import commands, course
from grader.instruct import assignment, gradebook, nbgrader, page
from grader.judge import submission

RIGHT = course.solution("linear")
ADA, ALAN, NOBODY = "Ada Lovelace", "Alan Turing", "Grace Hopper"
ASSIGNED = ("linear.softmax", "linear.cross_entropy", "linear.LinearModel")


def grade(*words):
    return CliRunner().invoke(commands.main, [*map(str, words)])


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("out") / "week-1"
    assert grade("release", *ASSIGNED, "--to", folder, "--name", "week-1").exit_code == 0
    given = folder / assignment.NAME
    given.write_text(given.read_text().replace('# "report"', '"a report"'))
    return folder


# nbgrader


@pytest.fixture(scope="module")
def source(copy, tmp_path_factory):
    folder = tmp_path_factory.mktemp("course") / "source" / "week-1"
    done = grade("export", copy, "--to", "nbgrader-assignment", "-o", folder)
    assert done.exit_code == 0, done.output
    return folder


def cells(folder: Path) -> dict[str, dict]:
    book = json.loads((folder / "linear.ipynb").read_text())
    marked = [one for one in book["cells"] if "nbgrader" in one["metadata"]]
    return {one["metadata"]["nbgrader"]["grade_id"]: one for one in marked}


def test_nbgrader_gets_what_is_assigned_and_what_it_is_worth(copy, source):
    found = cells(source)
    given = assignment.read(copy)
    points = {name: one["metadata"]["nbgrader"]["points"] for name, one in found.items()}
    worth = {**given.exercises, **given.by_hand}
    assert points == {nbgrader.cell_name(name): value for name, value in worth.items()}
    assert [*found] == ["linear-softmax", "linear-cross_entropy", "linear-LinearModel", "a-report"]
    for one in found.values():  # the rules of nbgraderformat/v3.json
        told = one["metadata"]["nbgrader"]
        assert re.fullmatch(r"[a-zA-Z0-9_\-]+", told["grade_id"])
        assert told["schema_version"] == 3
        assert set(told) == {
            *("schema_version", "grade", "solution", "locked", "task", "grade_id", "points")
        }
        assert (told["grade"], told["solution"], told["task"]) == (True, True, False)


def cleared(text: str) -> str:
    """As nbgrader's ClearSolutions leaves it."""
    form = re.compile(r"^( *)### BEGIN SOLUTION\n.*?### END SOLUTION$", re.DOTALL | re.MULTILINE)
    return form.sub(r"\1# YOUR CODE HERE\n\1raise NotImplementedError()", text)


def test_what_nbgrader_hands_out_is_a_blank_with_its_signature(source, tmp_path):
    book = json.loads((source / "linear.ipynb").read_text())
    regions = 0
    for cell in book["cells"]:
        if cell["cell_type"] == "code" and "nbgrader" in cell["metadata"]:
            text = "".join(cell["source"])
            regions += text.count("BEGIN SOLUTION")
            cell["source"] = cleared(text)
            assert cell["source"].startswith("%%grade linear.")
            assert '"""' in cell["source"]
            assert "SOLUTION" not in cell["source"]
    assert regions == 4  # the module has two methods
    (tmp_path / "linear.ipynb").write_text(json.dumps(book))
    done = grade("check", *ASSIGNED, "--file", tmp_path / "linear.ipynb", "--json")
    told = json.loads(done.output)
    assert [one["status"] for one in told["exercises"]] == ["blank"] * 3, told
    read = submission.read(tmp_path / "linear.ipynb", "linear", (".ipynb",))
    assert "YOUR CODE HERE" in "".join(read.cells)


@pytest.mark.parametrize(
    ("to", "said"), [("source/other", "-o source/week-1"), ("used/week-1", "is not empty")]
)
def test_an_assignment_of_another_name_is_refused(copy, tmp_path, to, said):
    (tmp_path / "used" / "week-1").mkdir(parents=True)
    (tmp_path / "used" / "week-1" / "mine.txt").write_text("mine")
    done = grade("export", copy, "--to", "nbgrader-assignment", "-o", tmp_path / to)
    assert done.exit_code == 2
    assert said in done.output
    assert not (tmp_path / "source").exists()


@pytest.fixture(scope="module")
def folder(tmp_path_factory, sandbox):
    class_ = {ADA: [RIGHT], ALAN: [RIGHT + "\n\ndef softmax(input, dim=-1):\n    return input\n"]}
    place = tmp_path_factory.mktemp("class") / "grades"
    more = {"marks": {ADA: [("a report", 5, "fine")]}}
    return made_gradebook(place, class_ | {NOBODY: []}, sandbox, **more)


class Missing(Exception):
    pass


class Book:
    """As much of nbgrader's gradebook as is used."""

    def __init__(self, worth):
        self.cells = [SimpleNamespace(name=name, max_score=value) for name, value in worth.items()]
        self.students, self.submissions, self.commits = {}, {}, 0
        self.db = SimpleNamespace(commit=self.commit)

    def commit(self):
        self.commits += 1

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def find_assignment(self, name):
        if name != "week-1":
            raise Missing
        notebook = SimpleNamespace(grade_cells=self.cells, task_cells=[])
        return SimpleNamespace(notebooks=[notebook])

    def find_student(self, name):
        if name not in self.students:
            raise Missing
        return self.students[name]

    def add_student(self, name, **more):
        self.students[name] = more

    def update_or_create_submission(self, assignment, student, **more):
        if student not in self.submissions:
            grades = [SimpleNamespace(name=one.name, needs_manual_grade=True) for one in self.cells]
            notebook = SimpleNamespace(grades=grades, late_submission_penalty=None)
            self.submissions[student] = SimpleNamespace(notebooks=[notebook], **more)
        return self.submissions[student]


class Course:
    db_url = "sqlite:///gradebook.db"
    submitted_directory, feedback_directory = "submitted", "feedback"

    def __init__(self, config):
        pass

    def format_path(self, step, student, assignment):
        return str(Path(step, student, assignment))


def enter(place: Path, root: Path, book: Book, monkeypatch) -> int:
    modules = {
        "nbgrader": {},
        "nbgrader.api": {"Gradebook": lambda url: book, "MissingEntry": Missing},
        "nbgrader.apps": {},
        "nbgrader.apps.baseapp": {
            "NbGrader": lambda: SimpleNamespace(load_config_file=lambda: None, config={})
        },
        "nbgrader.coursedir": {"CourseDirectory": Course},
    }
    for name, members in modules.items():
        module = ModuleType(name)
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.chdir(root)
    monkeypatch.setattr(sys, "argv", ["enter.py", str(root)])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(place / "enter.py"), run_name="__main__")
    return ended.value.code


def test_marks_enter_nbgraders_gradebook(folder, tmp_path, monkeypatch, capsys):
    book = gradebook.read(folder)
    place = tmp_path / "marks"
    assert grade("export", folder, "--to", "nbgrader", "-o", place).exit_code == 0
    worth = json.loads((place / "marks.json").read_text())["worth"]
    (tmp_path / "course" / "submitted" / "ada.lovelace" / "week-1").mkdir(parents=True)
    for name in ("timestamp.txt", "submission_secret.txt"):
        path = tmp_path / "course" / "submitted" / "ada.lovelace" / "week-1" / name
        path.write_text(name)
    there = Book(worth)
    assert enter(place, tmp_path / "course", there, monkeypatch) == 0
    assert set(there.submissions) == {"ada.lovelace", "alan.turing"}, "no zero for who did nothing"
    assert there.students["ada.lovelace"]["last_name"] == "Lovelace"
    for student in ("ada.lovelace", "alan.turing"):
        (notebook,) = there.submissions[student].notebooks
        earned = sum(one.manual_score + (one.extra_credit or 0) for one in notebook.grades)
        assert earned - notebook.late_submission_penalty == book.final(student).total
        assert not any(one.needs_manual_grade for one in notebook.grades)
    feedback = tmp_path / "course" / "feedback" / "ada.lovelace" / "week-1"
    assert {one.name for one in feedback.iterdir()} == {
        *("linear.html", "timestamp.txt", "submission_secret.txt")
    }
    (ada,) = [one for one in book.students if one.id == "ada.lovelace"]
    assert (feedback / "linear.html").read_text() == page.handout(book, ada)
    assert "1 students' feedback left out" in capsys.readouterr().out


@pytest.mark.parametrize(("total", "off", "extra"), [(8.5, 1.5, 0), (12, 0, 2), (10, 0, 0)])
def test_late_points_are_a_penalty_and_a_bonus_is_extra_credit(total, off, extra, monkeypatch):
    from grader.instruct import nbgrader_enter

    module = ModuleType("nbgrader.api")
    module.MissingEntry = Missing
    monkeypatch.setitem(sys.modules, "nbgrader.api", module)
    book = Book({"a": 4, "b": 6})
    student = {"id": "x", "first_name": "", "last_name": "", "email": "", "submitted": "late"}
    nbgrader_enter.enter(book, "week-1", student | {"points": {"a": 4, "b": 6}, "total": total})
    (notebook,) = book.submissions["x"].notebooks
    assert notebook.late_submission_penalty == off
    assert notebook.grades[0].extra_credit == extra
    assert book.commits == 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"assignment": "week-2"}, "generate_assignment week-2"),
        ({"worth": {"a": 1}}, "a, a-report, linear"),
    ],
)
def test_marks_of_another_assignment_are_refused(
    folder, tmp_path, monkeypatch, capsys, change, said
):
    place = tmp_path / "marks"
    assert grade("export", folder, "--to", "nbgrader", "-o", place).exit_code == 0
    told = json.loads((place / "marks.json").read_text())
    book = Book(told["worth"])
    (place / "marks.json").write_text(json.dumps(told | change))
    assert enter(place, tmp_path, book, monkeypatch) == 2
    assert said in capsys.readouterr().err
    assert not book.submissions
