"""Reports, handouts and exports tell of lateness, of files that do not run, and of open marks."""

import csv
import io
import json
import re
from dataclasses import replace
from html import unescape

import pytest
from click.testing import CliRunner
from test_regrade import DUE, WEEK

from grader import commands
from grader.instruct import assignment, gradebook, page
from grader.instruct.assignment import Late
from grader.instruct.hand_ins import Code, HandIn, Student
from grader.instruct.layouts import Piece
from grader.instruct.store import Result, Store

GIVEN = replace(
    WEEK, late=Late(percent=10, free_days=1), by_hand={"viva": 10}, title="Week 1", name="week-1"
)
BROKEN = "def softmax(:\n"
ERROR = {"kind": "import", "type": "SyntaxError", "message": "a hidden input: 0.5", "line": 1}


def run(*said: object):
    return CliRunner().invoke(commands.main, [*map(str, said)])


def report(name: str, error: dict | None) -> dict:
    case = {"points": 2, "earned": 0 if error else 2, "secret": True, "corner": False}
    cases = [{**case, "name": f"case {n}", "difference": None, "error": error} for n in range(3)]
    more = {"detail": "", "hint": "", "mistakes": [], "observed": [], "log": "", "seconds": 0.0}
    return {"id": name, "status": "failed" if error else "passed", "cases": cases, **more}


@pytest.fixture(scope="module")
def grades(tmp_path_factory):
    """Ada's work is late and right, Bob's file is not Python, Cy's cannot be read, Dee has none."""
    folder = tmp_path_factory.mktemp("told") / "grades"
    texts = {"ada": "a = 1\n", "bob": BROKEN, "cy": ""}
    with Store(folder, write=True) as store:
        store.enter_students([Student(name, name.title()) for name in (*texts, "dee")])
        for name, text in texts.items():
            when = DUE.replace(day=DUE.day + 2, hour=15).isoformat()
            problem = "" if text else "hw.zip cannot be read as a zip archive."
            code = Code({"linear.py": text} if text else {}, {}, problem)
            store.enter(HandIn(name, 1, when, Piece([name], [""], [], folder / name)), code)
            error = ERROR if name == "bob" else None
            results = [
                Result(one, "graded", report(one, error), "r", "g") for one in GIVEN.exercises
            ]
            if text:
                store.put(code.digest, results, GIVEN)
            else:
                gone = {"status": "missing", "detail": problem}
                missing = [Result(one, "missing", gone, "", "") for one in GIVEN.exercises]
                store.put_missing(3, missing, GIVEN)
    assignment.write(GIVEN, folder)
    return folder


def words(book, name: str, *, private: bool = False) -> str:
    (student,) = [one for one in book.students if one.id == name]
    text = page._student(book, student, private=private) if private else page.handout(book, student)
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", text[text.index("<section") :])))


def test_a_handout_says_what_being_late_cost_and_which_zone_the_time_has(grades):
    told = words(gradebook.read(grades), "ada")
    assert "Late by 51 h: 1 free day used, 80% of the exercises' points kept." in told
    assert "2026-12-03 15:00 UTC" in told
    assert "Late" not in words(gradebook.read(grades), "dee")


def test_a_syntax_error_is_told_once_with_its_line_and_no_word_of_the_run(grades):
    book = gradebook.read(grades)
    told = words(book, "bob")
    assert told.count("linear.py is not valid Python (line 1: invalid syntax)") == 1
    assert "SyntaxError" not in told
    assert "hidden input" not in told
    for private in (True, False):
        assert "case 1" not in words(book, "bob", private=private)
    assert words(book, "bob", private=True).count("hidden input") == 1
    done = run("export", grades, "--to", "csv")
    assert "No exercise ran: linear.py is not valid Python" in done.output


def test_why_nothing_could_be_read_is_told_once(grades):
    told = words(gradebook.read(grades), "cy")
    assert told.count("cannot be read as a zip archive") == 1
    assert "Not written yet" not in told


def test_parts_without_a_mark_are_said_to_be_not_marked_yet(grades):
    assert words(gradebook.read(grades), "ada").count("not marked yet") == 2  # total, and viva
    assert "viva not marked yet" in words(gradebook.read(grades), "cy")
    assert "not marked yet" not in words(gradebook.read(grades), "dee")  # nothing to be marked
    table = page.report(gradebook.read(grades))
    assert "not marked yet" in table[table.index('id="students-table"') :].partition("Dee")[0]
    (grades / "marks.csv").write_text("student,part,points\nada,viva,7.5\n")
    try:  # entered, and read without another command
        told = words(gradebook.read(grades), "ada")
        assert "7.5 points" in told
        assert "not marked yet" not in told
        assert f"Total {0.8 * 12 + 7.5:g} of 22" in told
    finally:
        (grades / "marks.csv").unlink()


def test_the_csv_has_lateness_free_days_and_what_is_kept(grades):
    done = run("export", grades, "--to", "csv")
    assert done.exit_code == 0, done.output
    rows = {row["student"]: row for row in csv.DictReader(io.StringIO(done.stdout))}
    told = [rows["ada"][name] for name in ("late_hours", "free_days", "kept_percent", "earned")]
    assert told == ["51", "1", "80", ""]
    assert [rows["dee"][name] for name in ("late_hours", "free_days", "total")] == ["0", "0", "0"]


def test_what_is_exported_for_students_says_what_being_late_cost(grades):
    scores = {one["userId"]: one for one in json.loads(run("export", grades, "--to", "lti").stdout)}
    assert scores["ada"]["comment"].startswith("Late by 51 h: 1 free day used")
    assert scores["bob"]["comment"].startswith("No exercise ran: linear.py is not valid Python")
    assert "comment" not in scores["dee"]


def test_states_are_explained_where_they_are_counted(grades):
    done = run("marks", grades)
    assert "gradebook.csv: 2 incomplete, 1 unreadable, 1 missing" in done.output
    assert "  missing: nothing was handed in: 0 points" in done.output
    assert re.search(r"  unreadable: .* parts marked by hand are still to be marked", done.output)
    assert "  ungraded" not in done.output
