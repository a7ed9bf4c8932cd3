"""Marks of a stored class: the instructor's files, and corrections that are shown and undone."""

import json
import sqlite3
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner

from grader import commands, course
from grader.instruct import assignment, gradebook, hidden, regrade
from grader.instruct.assignment import Assignment, Late
from grader.instruct.hand_ins import Code, HandIn, Student
from grader.instruct.layouts import Piece
from grader.instruct.store import Result, Store, counted

pytestmark = pytest.mark.usefixtures("workers")

DUE = datetime(2026, 12, 1, 12, tzinfo=UTC)
WEEK = Assignment(
    name="week-1",
    title="",
    exercises={"linear.softmax": 8, "linear.linear": 4},
    due=DUE,
    late=Late(percent=10, free_days=2),
    by_hand={"report": 10},
)


def run(*said: object):
    return CliRunner().invoke(commands.main, [*map(str, said)])


def report(*earned: int) -> dict:
    cases = [{"name": f"case {n}", "points": 2, "earned": got} for n, got in enumerate(earned)]
    return {
        "status": "failed",
        "detail": "",
        "cases": cases,
        "mistakes": [{"name": "m", "why": ""}],
    }


def build(folder, given=WEEK, **late_days: float):
    """Three students; who is late by how many days is said."""
    scores = {"ada": (2, 2, 2, 0), "bob": (2, 0, 0, 0), "cy": (0, 0, 0, 2)}
    with Store(folder, write=True) as store:
        store.enter_students([Student(name, name.title()) for name in (*scores, "dee")])
        for name, earned in scores.items():
            when = DUE.replace(day=DUE.day + late_days.get(name, 0)).isoformat()
            piece = Piece([name], [""], [], folder / name)
            code = Code({"linear.py": f"name = {name!r}\n"}, {})
            store.enter(HandIn(name, 1, when, piece), code)
            results = [
                Result("linear.softmax", "graded", report(*earned), "r", "g"),
                Result("linear.linear", "graded", report(2, 2), "r", "g"),
            ]
            store.put(code.digest, results, given)
    assignment.write(given, folder)
    return folder


@pytest.fixture
def grades(tmp_path):
    return build(tmp_path / "grades")


def totals(folder, column="total") -> dict[str, float | None]:
    done = run("marks", folder, "--json")
    assert done.exit_code == 0, done.output
    rows = json.loads((folder / "gradebook.json").read_text())
    return {row["student"]: row[column] for row in rows}


# Files of the instructor


def test_marks_by_hand_and_extensions(tmp_path):
    grades = build(tmp_path / "grades", replace(WEEK, late=Late(percent=10)), ada=1, bob=1)
    assert set(totals(grades, "state").values()) == {"incomplete", "missing"}
    (grades / "marks.csv").write_text(
        "student;part;points;comment\nada;report;7,5;\nbob;report;5;=1+1\ncy;report;0;\n"
    )
    (grades / "extensions.csv").write_text(
        "student,due,days,drop,comment\nbob,,1,linear.linear,ill\n"
    )
    assert totals(grades) == {"ada": 9 + 7.5, "bob": 7, "cy": 6, "dee": 0}
    assert totals(grades, "kept_percent")["ada"] == 90
    text = (grades / "assignment.toml").read_text()
    (grades / "assignment.toml").write_text(text.replace("by_hand = false", "by_hand = true "))
    assert totals(grades)["ada"] == 15.75
    with Store(grades) as store:
        rows = store.base.execute("SELECT student, points FROM mark").fetchall()
        assert {tuple(row) for row in rows} == {("ada", 7.5), ("bob", 5), ("cy", 0)}


def test_a_student_in_the_instructors_files_is_called_by_id_address_or_name(tmp_path):
    grades = build(tmp_path / "grades", replace(WEEK, late=Late()))
    with sqlite3.connect(grades / "grades.sqlite") as base:
        base.execute("UPDATE student SET name = 'Bob Lee', email = 'b@x.org' WHERE id = 'bob'")
        base.execute("UPDATE student SET name = 'Ann Oak' WHERE id IN ('cy', 'dee')")
    (grades / "marks.csv").write_text(
        "student,part,points\nada,report,7\nB@x.org,report,5\ncy,report,0\ndee,report,1\n"
    )
    (grades / "extensions.csv").write_text("student,drop\nLee Bob,\nBob Lee,linear.linear\n")
    done = run("marks", grades)
    assert "names bob a second time" in done.output
    (grades / "extensions.csv").write_text("student,drop\nBob Lee,linear.linear\n")
    assert totals(grades) == {"ada": 17, "bob": 7, "cy": 6, "dee": 1}
    (grades / "marks.csv").write_text("student,part,points\nAnn Oak,report,7\n")
    assert "There is no student" in run("marks", grades).output  # two have that name


def test_a_due_date_that_moves_changes_every_mark(tmp_path):
    grades = build(tmp_path / "grades", replace(WEEK, late=Late(percent=10), by_hand={}), ada=2)
    assert totals(grades)["ada"] == 8
    text = (grades / "assignment.toml").read_text()
    (grades / "assignment.toml").write_text(text.replace("2026-12-01", "2026-12-03"))
    assert totals(grades)["ada"] == 10
    (grades / "assignment.toml").write_text(
        text.replace('"linear.softmax" = 8', '"linear.softmax" = 80')
    )
    book = gradebook.read(grades)  # reports and exports, also before `grade marks`
    assert book.final("ada").total == 0.8 * (60 + 4)
    assert book.counted("ada").results["linear.softmax"].possible == 80
    assert book.counted("ada").points == 60 + 4
    assert totals(grades)["ada"] == 0.8 * (60 + 4)


def test_free_days_are_shared_in_the_order_of_due_dates(tmp_path):
    given = replace(WEEK, by_hand={})
    first = build(tmp_path / "first", given, ada=1)
    second = build(tmp_path / "second", replace(given, due=DUE.replace(day=2)), ada=2, bob=2)
    # due a day later, so that ada and bob are late by one day there; two free days in all
    third = build(tmp_path / "third", replace(given, due=DUE.replace(month=11, day=30)), bob=1)
    assert run("marks", second, third, first, "--json").exit_code == 0
    found = {
        folder.name: {
            row["student"]: (row["free_days"], row["kept_percent"])
            for row in json.loads((folder / "gradebook.json").read_text())
        }
        for folder in (first, second, third)
    }
    assert found["third"]["bob"] == (2, 100)
    assert found["third"]["ada"] == (1, 100)  # a day late there: it was due the day before
    assert found["first"]["ada"] == (1, 100)
    assert found["second"]["ada"] == (0, 90)  # both days are used
    assert found["second"]["bob"] == (0, 90)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("marks.csv", "student,part,points\nada,report,11\n", "which is worth 10"),
        ("marks.csv", "student,part,points\nada,reprot,1\n", "Did you mean 'report'?"),
        ("marks.csv", "student,part,points\nbbo,report,1\n", "Did you mean 'bob'?"),
        ("marks.csv", "student,part,points\nada,report,x\n", "line 2: 'x' is not a number"),
        ("marks.csv", "student,part,points\nada,report,-1\n", "is not a number of 0 or more"),
        ("marks.csv", "student,part,points\nada,report,nan\n", "is not a number of 0 or more"),
        ("marks.csv", "student,part,points\nada,report,1\nada,report,2\n", "a second time"),
        ("marks.csv", "student,part,points\nada,report\n", "has not as many fields"),
        ("marks.csv", "part,points\nreport,1\n", "no column student"),
        ("marks.csv", b"\xff\xfe\x00", "cannot be read"),
        ("extensions.csv", "student,due\nada,tomorrow\n", "expected a time"),
        ("extensions.csv", "student,days\nada,soon\n", "is not a number"),
        ("extensions.csv", "student,drop\nada,linear.sofmax\n", "Did you mean 'linear.softmax'?"),
        ("extensions.csv", "student,days\nada,1\nada,2\n", "a second time"),
        ("assignment.toml", "name = 1", "cannot be read"),
    ],
)
def test_what_cannot_be_read_is_one_message_and_changes_nothing(name, text, said, grades):
    (grades / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    done = run("marks", grades)
    assert done.exit_code == 2
    assert said in done.output
    assert not (grades / "gradebook.csv").exists()


def test_no_grades_is_one_message(tmp_path):
    for words in (["marks"], ["regrade", "--undo"], ["verify", "--references", tmp_path]):
        done = run(words[0], tmp_path, *words[1:])
        assert done.exit_code == 2
        assert "name the folder that grade batch wrote" in done.output


def test_a_spreadsheet_computes_nothing(grades):
    with Store(grades, write=True) as store:
        store.enter_students([Student("=cmd|x", "@sum(1)")])
    assert run("marks", grades).exit_code == 0
    assert "\n'=cmd|x,'@sum(1)," in (grades / "gradebook.csv").read_text()


# Corrections


def dump(folder) -> list[tuple]:
    with sqlite3.connect(folder / "grades.sqlite") as base:
        tables = ("result", "void", "attempt", "mark", "student")
        return [base.execute(f"SELECT * FROM {name} ORDER BY 1, 2").fetchall() for name in tables]


def test_a_void_case_is_shown_before_it_is_written_and_can_be_undone(tmp_path):
    grades = build(tmp_path / "grades", replace(WEEK, by_hand={}))
    before, old = dump(grades), totals(grades)
    assert old == {"ada": 10, "bob": 6, "cy": 6, "dee": 0}
    done = run("regrade", grades, "--void", "linear.softmax: case 3")
    assert done.exit_code == 1
    lines = done.output.splitlines()
    assert lines[0] == "linear.softmax: case 3 is void."
    assert "Ada: 10 -> 12" in lines
    assert "Cy: 6 -> 4" in lines
    assert lines[-2:] == ["3 marks change, 1 stay.", "nothing is written"]
    assert dump(grades) == before
    assert run("regrade", grades, "--void", "linear.softmax: case 3", "--yes").exit_code == 0
    assert totals(grades) == {"ada": 12, "bob": 6.67, "cy": 4, "dee": 0}
    done = run("regrade", grades, "--void", "linear.softmax: case 3", "--yes")
    assert (done.exit_code, "void already" in done.output) == (2, True)
    assert run("regrade", grades, "--void", "linear.softmax: case 0", "--yes").exit_code == 0
    for _ in range(2):
        assert run("regrade", grades, "--undo", "--yes").exit_code == 0
    assert dump(grades) == before
    done = run("regrade", grades, "--undo")
    assert (done.exit_code, "No change is noted" in done.output) == (2, True)


def test_points_that_change_are_shown_while_others_are_to_come(grades):
    (grades / "marks.csv").write_text("student,part,points\nbob,report,5\n")
    lines = run("regrade", grades, "--void", "linear.softmax: case 3").output.splitlines()
    assert "Ada: 10 without report (incomplete) -> 12 without report (incomplete)" in lines
    assert "Bob: 11 -> 11.67" in lines
    assert lines[-2:] == ["3 marks change, 1 stay.", "nothing is written"]


def test_a_name_writes_no_line_above_the_question(tmp_path):
    grades = build(tmp_path / "grades", replace(WEEK, by_hand={}))
    with sqlite3.connect(grades / "grades.sqlite") as base:
        name = "Ada\n0 marks change, 4 stay.\nWrite this? [y|N]: \x1b[2J\u202e"
        base.execute("UPDATE student SET name = ? WHERE id = 'ada'", (name,))
    lines = run("regrade", grades, "--void", "linear.softmax: case 3").output.splitlines()
    assert len(lines) == 6
    assert lines[-2:] == ["3 marks change, 1 stay.", "nothing is written"]
    assert all(line.isprintable() for line in lines)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "Say one of"),
        (["--undo", "--void", "x"], "Say one of"),
        (["--exercise", "linear.softmax"], "--references FOLDER"),
        (["--void", "linear.sofmax: case 1"], "Did you mean 'linear.softmax'?"),
        (["--void", "linear.softmax: caes 1"], "Did you mean"),
        (["--void", "linear.softmax: case"], "There is no case of linear.softmax 'case'"),
        (["--void", "linear.softmax"], "There is no case"),
    ],
)
def test_a_correction_that_cannot_be_is_told(words, said, grades):
    done = run("regrade", grades, *words)
    assert done.exit_code == 2
    assert said in done.output


def test_a_result_counts_its_share_of_what_is_not_void():
    told = report(2, 0, 2, 0)
    assert counted(told, "graded", 10) == 5
    assert counted(told, "graded", 10, ["case 1"]) == 6.6667
    assert counted(told, "graded", 10, [f"case {n}" for n in range(4)]) == 10
    assert counted(told, "ungraded", 10) == counted({}, "missing", 10) == 0


@pytest.fixture(scope="module")
def corrected(tmp_path_factory):
    """A class of two, graded; and the next set of records, in which one exercise is drawn anew."""
    place = tmp_path_factory.mktemp("term")
    given = replace(WEEK, by_hand={})
    assignment.write(given, place)
    (place / "class").mkdir()
    right = course.solution("linear")
    (place / "class" / "ada.py").write_text(right)
    (place / "class" / "bob.py").write_text(right.replace("def linear(", "def linaer("))
    for more in ([], ["--again"]):
        names = [*given.exercises] if not more else ["linear.softmax"]
        assert run("hidden", *names, "--to", place / "hidden", *more).exit_code == 0
    words = ["--assignment", place, "--references", place / "hidden", "-o", place / "grades"]
    done = run("batch", place / "class", *words)
    assert done.exit_code == 0, done.output
    return place


def test_the_next_set_has_the_others_as_they_were(corrected):
    one, two = (hidden.read(corrected / name).records for name in ("hidden", "hidden-2"))
    assert one.keys() == two.keys()
    assert one["linear.linear"] == two["linear.linear"]
    assert one["linear.softmax"] != two["linear.softmax"]


def test_an_exercise_is_graded_again_with_other_records(corrected):
    grades = corrected / "grades"
    before = dump(grades)
    words = ["regrade", grades, "--exercise", "linear.softmax", "--jobs", 1]
    done = run(*words, "--references", corrected / "hidden-2")
    assert done.exit_code == 1
    assert done.output.splitlines()[-2:] == ["0 marks change, 2 stay.", "nothing is written"]
    assert dump(grades) == before
    done = run(*words, "--references", corrected / "hidden-2", "--yes")
    assert done.exit_code == 0
    assert dump(grades) != before  # the digests of the records
    assert run("verify", grades, "--references", corrected / "hidden-2").exit_code == 0
    done = run("verify", grades, "--references", corrected / "hidden")
    assert done.exit_code == 1
    assert "ada, attempt 1, linear.softmax: was graded with other records." in done.output
    assert run("regrade", grades, "--undo", "--yes").exit_code == 0
    assert dump(grades) == before


def test_what_builds_on_an_exercise_is_graded_again_with_it(tmp_path):
    """Its mark comes from the records of what it builds on, so `verify` asks for the new ones."""
    exercises = {"linear.softmax": 8, "linear.cross_entropy_gradient": 4}
    given = replace(WEEK, exercises=exercises, by_hand={}, late=Late())
    names = regrade.concerned(given, "linear.softmax")
    assert names == [*given.exercises]
    assert regrade.concerned(given, names[1]) == names[1:]
    grades = build(tmp_path / "grades", given)
    with Store(grades, write=True) as store:
        (code,) = (row["digest"] for row in store.attempts() if row["student"] == "ada")
        store.put(code, [Result(names[1], "graded", report(2, 2), "r", "g")], given)
    before = dump(grades)
    with Store(grades, write=True) as store:
        found = [(code, [Result(one, "graded", report(2, 2), "new", "g") for one in names])]
        told: list[str] = []
        assert regrade.exercise(store, given, names, found, lambda said: not told.extend(said))
        assert {row["record_digest"] for row in store.results(names[1])} == {"new"}
    assert told[:2] == [
        "linear.softmax graded again, with linear.cross_entropy_gradient, built on it.",
        "Ada: 10 -> 12",
    ]
    assert dump(grades) != before
    assert run("regrade", grades, "--undo", "--yes").exit_code == 0
    assert dump(grades) == before


def test_verify_finds_what_was_changed_by_hand(corrected):
    grades = corrected / "grades"
    words = ["verify", grades, "--references", corrected / "hidden", "--jobs", 1]
    assert run(*words).exit_code == 0
    with sqlite3.connect(grades / "grades.sqlite") as base:
        base.execute("UPDATE result SET points = points + 1 WHERE exercise = 'linear.linear'")
        base.execute("UPDATE source SET text = replace(text, 'linaer', 'linear')")
        (attempt, stored), (other, _) = base.execute(
            "SELECT attempt, report FROM result WHERE exercise = 'linear.softmax' ORDER BY attempt"
        ).fetchall()
        told = json.loads(stored)
        first, second, *_ = told["cases"]
        first["earned"] += second["earned"]  # so many points, and of other cases
        second["earned"] = 0
        change = "UPDATE result SET report = ? WHERE exercise = 'linear.softmax' AND attempt = ?"
        base.execute(change, (json.dumps(told), attempt))
        gone = "DELETE FROM result WHERE exercise = 'linear.softmax' AND attempt = ?"
        base.execute(gone, (other,))
    base.close()
    done = run(*words)
    assert done.exit_code == 1
    assert "The code of bob, attempt 1, was changed." in done.output
    assert "ada, attempt 1, linear.linear: has 5 points, and 4 now." in done.output
    assert "linear.softmax: earned its points in other cases." in done.output
    assert "linear.softmax: is not there; grade batch grades it." in done.output
