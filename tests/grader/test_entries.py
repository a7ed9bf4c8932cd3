"""Points of a measured assignment in the gradebook of a class."""

from __future__ import annotations

import csv

import pytest
from click.testing import CliRunner

from grader.commands import main
from grader.instruct import assignment, entries, marks
from grader.instruct.assignment import Assignment
from grader.instruct.hand_ins import Student
from grader.instruct.store import Store
from grader.judge import measure

pytestmark = pytest.mark.usefixtures("workers")

DIGITS = measure.load("digits")
GIVEN = Assignment(
    name="week-9",
    title="Week 9",
    exercises={"linear.softmax": 4},
    by_hand={"digits": 20, "essay": 5},
)
STUDENTS = [
    Student("s1", "Ada Lovelace", "ada@example.org"),
    Student("s2", "Alan Turing"),
    Student("s3", "Grace Hopper", group="g"),
    Student("s4", "Emmy Noether", group="g"),
    Student("s5", "Carl Gauss"),
]


def grade(*words):
    return CliRunner().invoke(main, [*map(str, words)])


@pytest.fixture
def grades(tmp_path):
    folder = tmp_path / "grades"
    assignment.write(GIVEN, folder)
    with Store(folder, write=True) as store:
        store.enter_students(STUDENTS)
    return folder


@pytest.fixture
def leaderboard(tmp_path, monkeypatch, grades):
    """The command, with a class whose modules say which points they reach."""
    monkeypatch.setattr(
        measure, "measure", lambda _, text, *__, **___: [measure.Run(seed=1, points=float(text))]
    )
    monkeypatch.setattr(measure, "read", lambda path, _: path.read_text())

    def run(points, *more):
        folder = tmp_path / "class"
        folder.mkdir(exist_ok=True)
        for name, one in points.items():
            (folder / f"{name}.py").write_text(str(one))
        words = ("digits", folder, "--secret", tmp_path / "secret", "--marks", grades)
        return grade("leaderboard", *words, *more)

    return run


def by_student(grades, part="digits"):
    with Store(grades) as store:
        found = marks.hand_marks(grades / marks.MARKS, GIVEN, store.students())
    return {student: points for student, one, points, _ in found if one == part}


def test_points_go_into_the_gradebook(grades, leaderboard):
    """By id, address, name and group; their share of what the part is worth."""
    done = leaderboard(
        {"s2": 5.0, "ada@example.org": DIGITS.points, "Hopper Grace": 2.5, "Nobody": 1.0}
    )
    assert done.exit_code == 0, done.output
    half, quarter = (20 * points / DIGITS.points for points in (5.0, 2.5))
    assert by_student(grades) == {"s1": 20, "s2": half, "s3": quarter, "s4": quarter}
    assert "Nobody" in done.stderr.partition("Not among the students")[2].splitlines()[0]
    assert "Without a mark for digits: s5" in done.stderr
    assert grade("marks", grades).exit_code == 0
    rows = csv.DictReader((grades / "gradebook.csv").read_text().splitlines())
    assert {row["student"]: row["digits"] for row in rows}["s1"] == "20"


def test_a_new_measurement_replaces_the_old_one_and_no_mark_by_hand(grades, leaderboard):
    path = grades / marks.MARKS
    head = "\ufeffStudent;Comment;Part;Points\n"
    own = "s1;read twice;digits;3,5\ns2;;essay;5\n"
    path.write_text(f"{head}{own}s5;;digits;\n", encoding="utf-8")
    assert leaderboard({"s1": 10.0, "s2": 5.0, "s5": 1.0}).exit_code == 0
    first = path.read_text(encoding="utf-8")
    assert first.startswith(f"{head}{own}s5;measured: ")
    done = leaderboard({"s2": 7.5})
    assert "Marked by hand, which stays: s1" in done.stderr
    assert by_student(grades) == {
        "s1": 3.5,
        **{name: 20 * points / DIGITS.points for name, points in (("s2", 7.5), ("s5", 1.0))},
    }
    assert by_student(grades, "essay") == {"s2": 5}
    assert leaderboard({}).exit_code == 0
    last = path.read_text(encoding="utf-8")
    assert last.splitlines()[:4] == first.splitlines()[:4]
    assert len(last.splitlines()) == len(first.splitlines())


def test_what_cannot_be_entered_is_told_before_anything_is_measured(
    tmp_path, grades, leaderboard, monkeypatch
):
    def measured(*_, **__):
        raise AssertionError("measured for nothing")

    monkeypatch.setattr(measure, "measure", measured)
    done = leaderboard({"s1": 1.0}, "--part", "digit")
    assert done.exit_code == 2
    assert "[by_hand]: digit = 10" in done.stderr
    (grades / marks.MARKS).write_text("student,part,points\ns1,digits,100\n")
    assert leaderboard({}).exit_code == 2
    assert not (tmp_path / "secret").exists()


def test_a_name_that_a_table_would_compute_is_not_entered(grades):
    with Store(grades, write=True) as store:
        store.enter_students([Student("=1+1")])
        done = entries.enter(store, GIVEN, "digits", {"=1+1": (1.0, ""), "s1": (0.5, "")})
    assert done.strangers == ["=1+1"]
    assert by_student(grades) == {"s1": 10}
