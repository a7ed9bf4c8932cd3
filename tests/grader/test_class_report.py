"""Reports on a class: a page of its own, and files that other programs read."""

import csv
import io
import json
import re
import shlex
import shutil
import sqlite3
import stat
import subprocess
import sys
import zipfile
from dataclasses import asdict, replace
from html import unescape
from urllib.parse import unquote
from xml.etree import ElementTree

import classroom
import numpy as np
import pytest
from click.testing import CliRunner

from grader import commands, course
from grader.errors import UserError
from grader.instruct import exports, gradebook, gradescope, marks, page, similar
from grader.instruct.browser import chromium
from grader.judge import compare, source
from grader.student import export

sys.path.append(str(course.ROOT / "tests" / "book"))
from driver import BROWSER, lacking

pytestmark = pytest.mark.usefixtures("workers")

ADA, ALAN, GRACE, EMMY, CARL, SOFIA = classroom.NAMES[:6]
ODD = "\n\ndef softmax(input, dim=-1):\n    return (2 * input).softmax(0) + input.new_tensor(3.0)\n"
ODD = ODD.replace("(2 * input).softmax(0)", "(2 * input).exp() / (2 * input).exp().sum()")
RIGHT = course.solution(classroom.SLUG)
MISTAKEN = source.change(RIGHT, "softmax", {"(input - largest).exp()": "input.exp()"})
BLANK = source.blank(RIGHT, classroom.EXERCISES)


def grade(*words):
    return CliRunner().invoke(commands.main, [*map(str, words)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory, sandbox):
    class_ = {
        ADA: [RIGHT],
        ALAN: [BLANK, MISTAKEN],
        GRACE: [RIGHT + ODD],
        EMMY: [RIGHT + ODD.replace("input):", "x):")],
        CARL: ["def f(:\n"],
        SOFIA: [],
    }
    return classroom.gradebook(
        tmp_path_factory.mktemp("term") / "grades",
        class_,
        sandbox,
        problems={CARL: "linear.py is no Python: <script>alert(1)</script>"},
        marks={ADA: [("essay", 7.5, "clear <b>")]},
    )


@pytest.fixture(scope="module")
def book(folder):
    return gradebook.read(folder)


def test_the_gradebook_is_as_it_was_made(book):
    assert [one.name for one in book.students] == sorted([ADA, ALAN, GRACE, EMMY, CARL, SOFIA])
    final = {one.name: book.final(one.id) for one in book.students}
    assert final[ADA].total == sum(book.possible.values()) + 7.5
    assert final[ALAN].attempt.number == 2
    assert final[ALAN].total < final[ADA].total - 7.5
    assert [final[name].state for name in (CARL, SOFIA)] == ["unreadable", "missing"]
    assert [final[name].total for name in (CARL, SOFIA)] == [0, 0]


# The page


def text_of(html):
    return re.sub(r"<[^>]*>", " ", html.partition("<body>")[2])


def test_the_page_asks_nobody_for_anything_and_runs_nothing_that_was_handed_in(book):
    html = page.report(book)
    assert "default-src 'none'" in html
    assert not re.findall(r"""(?:src|@import|url\()\s*=?\s*["']?(?:https?:)?//""", html)
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert" in html
    links = re.findall(r'href="([^"]*)"', html)
    assert links
    assert all(link.startswith(("#", "http")) for link in links)
    ids = set(re.findall(r' id="([^"]+)"', html))
    assert {link[1:] for link in links if link.startswith("#")} <= ids


@pytest.mark.parametrize("odd", ["O'Brien & Sons", "100%", "a/b#c"])
def test_a_link_leads_to_its_student(book, odd):
    changed = of_students(book, gradebook.Student(odd))
    html = page.report(changed)
    ids = {unescape(one) for one in re.findall(r' id="([^"]+)"', html)}
    (link,) = re.findall(r'href="#(student-[^"]+)"', html)
    assert unquote(unescape(link)) == f"student-{odd}"
    assert f"student-{odd}" in ids


def test_the_page_names_mistakes_and_clusters_what_nobody_has_named(book):
    html = page.report(book)
    made = [one for one in page.clusters(book) if one.exercise == "linear.softmax"]
    assert sorted(one.name for cluster in made for one, _ in cluster.results) == sorted(
        [GRACE, EMMY]
    )
    assert [len(cluster.results) for cluster in made] == [2]
    assert "infinite" in text_of(html)  # the sentence on a softmax that overflows


def test_clusters_tell_different_errors_apart(book):
    (one,) = [one for one in page.clusters(book) if one.exercise == "linear.softmax"]
    _, result = one.results[0]
    signs = set(page._signs(result))
    assert page._alike(signs, signs) == 1
    assert page._alike(signs, {f"another {sign}" for sign in signs}) == 0


def test_numbers_of_the_page_are_those_of_the_gradebook(book):
    html = page.report(book)
    facts = dict(re.findall(r"<dt>([^<]+)</dt><dd>([^<]+)", html.partition('id="exercises"')[0]))
    assert facts["Students"] == "6"
    assert facts["Handed in"] == "5"
    assert facts["Attempts"] == "6"
    bars = re.findall(r">([\d.]+ to [\d.]+ points): (\d+) students<", html)
    assert sum(int(count) for _, count in bars) == 5
    assert sum(int(count) for count in re.findall(r": (\d+) attempts<", html)) == 6
    assert "without a time" not in html


@pytest.mark.parametrize(
    ("times", "said"),
    [
        (["late", "late", ""], "3 attempts without a time; the download calls 2 of them late."),
        ([""], "1 attempt without a time."),
        (["late"] * 6, "6 attempts without a time; the download calls 6 of them late."),
    ],
)
def test_attempts_whose_time_is_not_known_are_counted(book, times, said):
    left = iter(times)
    attempts = {
        student: [replace(one, submitted=next(left, one.submitted)) for one in found]
        for student, found in book.attempts.items()
    }
    html = page.report(replace(book, attempts=attempts))
    assert said in html
    bars = [int(count) for count in re.findall(r": (\d+) attempts<", html)]
    assert sum(bars) + len(times) == 6


# The page in a browser


@pytest.fixture(scope="module")
def used(book, tmp_path_factory):
    """Use the page in a browser; what it saw."""
    if why := lacking():
        pytest.skip(why)
    file = tmp_path_factory.mktemp("page") / "report.html"
    file.write_text(page.report(book), encoding="utf-8")
    command = ["node", BROWSER / "report.mjs", chromium(), file.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout) | {"own": file.as_uri()}


def test_a_browser_asks_nobody_for_anything(used):
    assert set(used["asked"]) - {used["own"]} == set()
    assert used["errors"] == []


def test_the_page_is_accessible_in_both_themes(used):
    for name, view in used["views"].items():
        assert view["violations"] == [], name
        assert view["passed"] > 10, name
    assert used["views"]["light"]["ground"] != used["views"]["dark"]["ground"]
    assert used["sideways"] <= 0


def test_students_are_sorted_searched_and_chosen(used, book):
    totals = [float(text) for text in used["sorted"]["once"]]
    assert totals == sorted(totals, reverse=True)
    assert len(set(totals)) > 2
    assert [float(text) for text in used["sorted"]["twice"]] == sorted(totals)
    assert used["sorted"]["told"] == [["Total", "ascending"]]
    assert sorted(used["sorted"]["names"]) == sorted(one.name for one in book.students)
    assert used["searched"] == {"names": [ADA], "said": "1 student"}
    assert used["chosen"] == [CARL]


def test_a_students_page_opens_alone_and_closes(used):
    first = used["sorted"]["names"][0]
    assert used["student"] == {"titles": [first], "focused": first, "closed": [True, []]}


def secret(book):
    """The same class, graded with cases that students have not seen: each has a token."""
    for attempt in (one for found in book.attempts.values() for one in found):
        for result in attempt.results.values():
            for place, case in enumerate(result.cases):
                case["secret"] = True
                if place % 2:
                    case["name"] = f"TOKEN {case['name']}"
                if case["difference"]:
                    case["difference"]["numbers"] = ""
                if case["earned"] < case["points"] and place % 3 == 0:
                    case["difference"] = None
                    case["error"] = {"kind": "TOKEN", "type": "TOKEN", "message": "TOKEN"}
            result.report["log"] = "TOKEN"
            result.report["detail"] = "TOKEN"
    return book


def test_a_handout_has_nothing_of_a_hidden_case(folder):
    book = secret(gradebook.read(folder))
    assert "TOKEN" in page.report(book)
    for student in book.students:
        html = page.handout(book, student)
        assert "TOKEN" not in html
        assert student.name in html
        others = [one for one in book.students if one is not student]
        assert not any(one.name in html or one.id in html for one in others)
    assert "a batch" in page.handout(book, book.students[0])  # a public case's name is told


def test_commands_write_what_they_say(folder, tmp_path):
    done = grade("report", folder, "-o", tmp_path / "r.html", "--handouts", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert len([*(tmp_path / "out").iterdir()]) == 6
    assert (tmp_path / "r.html").read_text() == page.report(gradebook.read(folder))


# Tables and documents


def test_csv_and_json_say_the_same(book):
    table = [*csv.DictReader(io.StringIO(exports.as_csv(book)))]
    document = json.loads(exports.as_json(book))
    assert [row["student"] for row in table] == [row["student"] for row in document["students"]]
    for row, told in zip(table, document["students"], strict=True):
        assert float(row["total"]) == told["total"] == book.final(told["student"]).total
        known = {one["id"]: one["points"] for one in told["exercises"]}
        assert all(float(row[name]) == points for name, points in known.items())
    (alan,) = [row for row in document["students"] if row["name"] == ALAN]
    assert "exponential_overflows" in [n for one in alan["exercises"] for n in one["mistakes"]]


def test_a_formula_in_a_name_stays_a_text(folder, tmp_path):
    book = gradebook.read(folder)
    student = gradebook.Student("x", "=1+1")
    changed = gradebook.Gradebook(**{**vars(book), "students": [student]})
    assert "'=1+1" in exports.as_csv(changed)


def of_students(book, *students):
    return gradebook.Gradebook(**{**vars(book), "students": [*students]})


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("=1+1", "'=1+1"),
        (" =1+1", " '=1+1"),
        ("＝1+1", "'＝1+1"),
        ("x\r=1+1", "x =1+1"),
        ("x\n\ty", "x y"),
        ("ada;=HYPERLINK(1)", "ada;'=HYPERLINK(1)"),
        ("2 days - 10 %", "2 days - 10 %"),
        (-1.5, "-1.5"),
    ],
)
def test_no_cell_is_computed_or_begins_a_row(text, told):
    assert marks.cell(text) == told


def test_the_remark_in_moodles_worksheet_is_no_formula(book):
    attempt = gradebook.Attempt(1, "x", 1, "", "x.py", "", "=1+1.py is no linear.py.")
    changed = of_students(book, gradebook.Student("x"))
    changed = gradebook.Gradebook(**{**vars(changed), "attempts": {"x": [attempt]}})
    text, _ = exports.moodle(changed, exports.Sheet(f"{MOODLE}P,X,x@y,,,9,Yes,,-,\n", "m.csv"))
    assert "=1+1" not in text
    text, _ = exports.moodle(
        changed,
        exports.Sheet(
            "Identifier,ID number,Grade,Last modified (grade),Feedback comments\nP,x,,-,\n", "m.csv"
        ),
    )
    assert text.endswith("P,x,0.00,-,'=1+1.py is no linear.py.\n")


def test_what_is_not_graded_is_never_a_zero(folder):
    book = gradebook.read(folder)
    who = next(one for one in book.students if one.name == ADA)
    attempt = book.counted(who.id)
    name = next(iter(attempt.results))
    lost = gradebook.Result(name, "ungraded", 0.0, 5.0)
    attempt.results[name] = lost
    assert book.final(who.id).total is None
    (row,) = [row for row in exports.rows(book) if row["student"] == who.id]
    assert row["total"] is None
    assert row[name] is None
    (score,) = [s for s in json.loads(exports.as_lti(book)) if s["userId"] == who.id]
    assert "scoreGiven" not in score
    assert score["gradingProgress"] == "Pending"
    assert f"{who.id}/results.json" not in dict(exports.as_gradescope(book))
    sheet = exports.Sheet(f"Student,ID,Section,A (1)\n{ADA},{who.id},,4\n", "canvas.csv")
    assert exports.canvas(book, sheet, None)[0].endswith(f"{ADA},{who.id},,4\n")
    root = ElementTree.fromstring(exports.as_junit(book))
    assert root.find(f"testsuite[@name='{who.id}']").get("errors") == "1"


def test_junit_counts_what_is_in_it(book):
    root = ElementTree.fromstring(exports.as_junit(book))
    suites = {one.get("name"): one for one in root}
    assert len(suites) == 5
    for suite in suites.values():
        assert int(suite.get("tests")) == len(suite.findall("testcase"))
        assert int(suite.get("failures")) == len(suite.findall("testcase/failure"))
    (ada,) = [one for one in book.students if one.name == ADA]
    assert suites[ada.id].get("failures") == suites[ada.id].get("errors") == "0"


def test_junit_holds_ids_with_control_characters(book):
    (ada,) = [one for one in book.students if one.name == ADA]
    odd = gradebook.Student("evil\x01")
    attempts = {odd.id: book.attempts[ada.id]}
    changed = {"students": [odd], "attempts": attempts, "assignment": "week\x02"}
    text = exports.as_junit(gradebook.Gradebook(**{**vars(book), **changed}))
    assert ElementTree.fromstring(text)[0].get("name") == "evil"


def test_lti_scores_are_as_the_service_takes_them(book):
    for score in json.loads(exports.as_lti(book)):
        assert {"userId", "timestamp", "activityProgress", "gradingProgress"} <= score.keys()
        if "scoreGiven" in score:
            assert score["scoreGiven"] >= 0
            assert score["scoreMaximum"] > 0
            assert score["gradingProgress"] == "FullyGraded"
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", score["timestamp"])


# Gradescope

TOP = {
    *("score", "execution_time", "output", "output_format", "test_output_format"),
    *("test_name_format", "visibility", "stdout_visibility", "extra_data", "tests", "leaderboard"),
}
TEST = {
    *("score", "max_score", "status", "name", "name_format", "number", "output"),
    *("output_format", "tags", "visibility", "extra_data"),
}
VISIBLE = {"hidden", "after_due_date", "after_published", "visible"}


def specified(document):
    """Is it as gradescope/autograder_samples, docs/specs.md, has it?"""
    assert document.keys() <= TOP
    assert document["visibility"] in VISIBLE
    assert document["stdout_visibility"] in VISIBLE
    for test in document["tests"]:
        assert test.keys() <= TEST
        assert test["status"] in ("passed", "failed")
        assert test["visibility"] in VISIBLE
        assert isinstance(test["number"], str)
        assert 0 <= test["score"] <= test["max_score"]
    assert "score" in document or all("score" in test for test in document["tests"])
    for entry in document.get("leaderboard", ()):
        assert {"name", "value"} <= entry.keys() <= {"name", "value", "order"}


def test_gradescopes_results_are_as_it_reads_them(book):
    made = {name: json.loads(text) for name, text in exports.as_gradescope(book, leaderboard=True)}
    assert len(made) == 5
    for document in made.values():
        specified(document)
    (ada,) = [one for one in book.students if one.name == ADA]
    document = made[f"{ada.id}/results.json"]
    assert document["score"] == book.final(ada.id).total
    assert document["leaderboard"][0]["value"] == sum(one["score"] for one in document["tests"])


def test_gradescope_shows_nothing_that_a_hidden_case_raised(folder):
    book = secret(gradebook.read(folder))
    for _, text in exports.as_gradescope(book):
        document = json.loads(text)
        assert all(test["visibility"] == "after_published" for test in document["tests"])
        assert "TOKEN" not in document["output"]
        assert "TOKEN" not in "".join(test["output"] for test in document["tests"])


SPELLED = "[0.4326, 2.0581]"  # inputs, in words and numbers that a submission can choose


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        ({"output": 1.0}, {"output": {"$type": SPELLED}}),
        ({"output": 1.0}, {f"output[{SPELLED!r}]": 1.0}),
        ({"output": np.zeros(2)}, {"output": np.zeros((4326, 0))}),
        ({"output": np.zeros(9000)}, {"output": np.eye(1, 9000, 4326)[0]}),
        ({"output": np.zeros(9000)}, {"output": np.where(np.arange(9000) == 4326, np.nan, 0)}),
        ({"output": [0.0]}, {"output": [0.0] * 4326}),
        ({"parameters": {}}, {"parameters": {SPELLED: (4326,)}}),
        ({"changed": False}, {"changed": [SPELLED]}),
        ({"attached": False, "output": 1.0}, {"attached": [SPELLED], "output": 1.0}),
        (
            {"fresh.weight": np.asarray([9.0, 0, 1, 2])},
            {"fresh.weight": np.asarray([9, 0.4326, 0, 1])},
        ),
        ({"fresh.names": []}, {"fresh.names": [SPELLED]}),
    ],
)
def test_no_difference_of_a_hidden_case_is_told_in_the_submissions_words(expected, got):
    difference = asdict(compare.compare(expected, got, 1e-6))
    assert re.search("4326", difference["message"] + difference["numbers"])
    difference["numbers"] = ""
    case = {"secret": True, "earned": 0, "points": 1, "difference": difference, "error": None}
    assert gradescope.said(case)
    assert not re.search(r"\d", gradescope.said(case))


def test_no_error_of_a_hidden_case_is_told_in_the_submissions_words():
    error = {"kind": "exception", "type": SPELLED, "message": SPELLED, "line": 4326, "text": "x"}
    case = {"secret": True, "earned": 0, "points": 1, "difference": None, "error": error}
    assert gradescope.said(case) == "exception"
    assert gradescope.said(case, private=True) == f"{SPELLED}, line 4326: {SPELLED}"
    error["type"] = "KeyError"
    assert gradescope.said(case) == "KeyError"
    case["error"] = {"kind": SPELLED, "type": ""}
    assert gradescope.said(case) == "exception"


def test_each_kind_of_difference_has_a_sentence_for_hidden_cases():
    kinds = export.schema()["$defs"]["case"]["properties"]["difference"]["oneOf"][1]
    kinds = {*kinds["properties"]["kind"]["enum"]} - {"value"}
    assert kinds <= gradescope.SAID.keys()
    value = {"kind": "value", "message": "The loss is wrong in 3 of 9 items, the first at [4]."}
    case = {"secret": True, "difference": value, "error": None}
    assert gradescope.said(case) == "The loss is wrong."


def test_an_autograder_runs_in_gradescopes_folders(tmp_path):
    copy = tmp_path / "week-1"
    assert grade("release", "linear", "--to", copy).exit_code == 0
    zipped = tmp_path / "autograder.zip"
    done = grade("export", copy, "--to", "gradescope-autograder", "-o", zipped)
    assert done.exit_code == 0, done.output
    root = tmp_path / "autograder"
    with zipfile.ZipFile(zipped) as archive:
        archive.extractall(root / "source")
        modes = {one.filename: one.external_attr >> 16 for one in archive.infolist()}
        names = archive.namelist()
    assert all(stat.S_IMODE(modes[name]) == 0o755 for name in ("setup.sh", "run_autograder"))
    assert not [name for name in names if "_answers" in name or "work" in name.split("/")]
    (root / "submission").mkdir()
    (root / "submission" / "linear.py").write_text(MISTAKEN)
    script = (root / "source" / "run_autograder").read_text()
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=root,
        env={"PYTHON": sys.executable, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    document = json.loads((root / "results" / "results.json").read_text())
    specified(document)
    wrong = {test["name"].partition(":")[0] for test in document["tests"] if not test["score"]}
    assert wrong == {"linear.softmax", "linear.cross_entropy_gradient"}  # which calls it
    assert "infinite" in document["output"]


# Worksheets

CANVAS = (
    "\ufeffStudent,ID,SIS Login ID,Section,Week 1 (77),Week 2 (78),Final Score\r\n"
    "    Points Possible,,,,10,20,(read only)\r\n"
    '"Lovelace, Ada",1001,ada,M1,,3,5\r\n'
    '"Turing, Alan",1002,alan,M1,2,,\r\n'
    '"Nobody, Else",1003,else,M1,9,,\r\n'
)


MOODLE = (
    "Identifier,Full name,Email address,Status,Grade,Maximum grade,Grade can be changed,"
    "Last modified (submission),Last modified (grade),Feedback comments\n"
)


def test_canvas_gets_its_own_file_back_with_one_column_filled(book):
    text, missing = exports.canvas(book, exports.Sheet(CANVAS, "c.csv"), "Week 1")
    assert text.startswith("\ufeff")
    assert text.count("\r\n") == 5
    before, after = (list(csv.reader(io.StringIO(one[1:]))) for one in (CANVAS, text))
    changed = {
        (r, c) for r, row in enumerate(after) for c, cell in enumerate(row) if cell != before[r][c]
    }
    assert changed == {(2, 4), (3, 4)}
    final = {one.name: book.final(one.id) for one in book.students}
    assert float(after[2][4]) == round(10 * final[ADA].total / final[ADA].possible, 2)
    assert float(after[3][4]) == round(10 * final[ALAN].total / final[ALAN].possible, 2)
    assert len(missing) == 4


def test_a_column_of_canvas_is_named_with_or_without_its_number(book):
    head = "Student,ID,SIS Login ID,Section,Week 1 (55),Week 2 (56),Week 2 (57),Extra"
    text = f"{head}\nAda,1,x,,,,,\n"

    def filled(column):
        made, _ = exports.canvas(book, exports.Sheet(text, "c.csv"), column)
        return made

    for column, place in (
        ("Week 1", 4),
        (" week 1 ", 4),
        ("Week 1 (55)", 4),
        ("Week 2 (57)", 6),
        ("Extra", 7),
    ):
        assert exports._assignment(exports.Sheet(text, "c.csv"), column) == place
        assert filled(column) == text  # Ada is nobody of this class
    for column, said in (
        ("Week 3", 'c.csv has no column "Week 3". Its assignments: "Week 1 (55)", "Week 2 (56)"'),
        ("Week 2", 'c.csv has 2 columns "Week 2". Give the whole title. Its assignments: "Week 1'),
        ("Section", 'c.csv has no column "Section"'),
        (None, "Which column of c.csv is the assignment? Name it with --column. Its assignments"),
    ):
        with pytest.raises(UserError) as caught:
            filled(column)
        assert str(caught.value).startswith(said)


@pytest.mark.parametrize(
    "mal",
    [
        gradebook.Student("s3", "101"),
        gradebook.Student("s3", "Mal", "101@example.org"),
        gradebook.Student("s3", "Mal", "s1@example.org"),
        gradebook.Student("s3", "Ada Lovelace"),
    ],
)
def test_nobody_takes_the_row_of_another(book, mal):
    """Neither by a name nor by what stands before an address's @."""
    ada, emmy = (next(o for o in book.students if o.name == name) for name in (ADA, EMMY))
    students = [gradebook.Student("s1", "Ada Lovelace", "ada@example.org"), mal]
    attempts = {"s1": book.attempts[ada.id], "s3": book.attempts[emmy.id]}
    changed = gradebook.Gradebook(**{**vars(book), "students": students, "attempts": attempts})
    text = (
        "Student,ID,SIS User ID,SIS Login ID,Section,Week 1 (55)\n"
        f'"Lovelace, Ada",101,s1,s1,1,\n{mal.name},102,s3,mal,1,\n'
    )
    filled, missing = exports.canvas(changed, exports.Sheet(text, "c.csv"), None)
    rows = {row["SIS User ID"]: row["Week 1 (55)"] for row in csv.DictReader(io.StringIO(filled))}
    assert rows == {who: f"{changed.final(who).total:.2f}" for who in ("s1", "s3")}
    assert rows["s1"] != rows["s3"]
    assert missing == []


def test_a_row_whose_ids_disagree_is_nobodys(book):
    text = (
        "Student,ID,SIS User ID,SIS Login ID,Section,A (1)\n"
        f"x,1,{book.students[0].id},{book.students[1].id},,\n"
    )
    filled, missing = exports.canvas(book, exports.Sheet(text, "c.csv"), None)
    assert filled == text
    assert len(missing) == len(book.students)


def test_moodle_gets_its_own_file_back_with_grades_and_remarks(book):
    ada, carl = (next(one for one in book.students if one.name == name) for name in (ADA, CARL))
    rows = (
        f'Participant 7,X,{ada.email},"Submitted, late",,100.00,Yes,"Monday, 2",-,\n'
        f"Participant 8,{CARL},,Submitted,,100.00,Yes,-,-,\n"
    )
    sheet = exports.Sheet(MOODLE + rows, "m.csv")
    text, missing = exports.moodle(book, sheet)
    one, two = csv.DictReader(io.StringIO(text))
    assert float(one["Grade"]) == 100 * book.final(ada.id).total / book.final(ada.id).possible
    assert one["Status"] == "Submitted, late"
    assert one["Feedback comments"] == ""
    assert two["Grade"] == "0.00"
    assert two["Feedback comments"].startswith("linear.py is no Python")
    assert ada.id not in missing
    assert carl.id not in missing


@pytest.mark.parametrize(
    ("path", "to"),
    [
        (
            "down/Ada Lovelace_1234_assignsubmission_file/linear.py",
            "Ada Lovelace_1234_assignsubmission_file/feedback.html",
        ),
        ("down/lovelaceada_LATE_55_9001_linear-1.py", "lovelaceada_LATE_55_9001_linear-1.html"),
        ("ada/linear.py", "x/feedback.html"),
        ("", "x/feedback.html"),
    ],
)
def test_feedback_goes_back_under_the_platforms_names(path, to):
    assert exports.returned(path, "x") == to


@pytest.mark.parametrize("odd", ["../../out", "{there}/out", "x/../bob", "b" * 250, ".."])
def test_nothing_is_written_outside_of_the_folder_or_over_another_students(odd, tmp_path, sandbox):
    odd, wrong = odd.format(there=tmp_path), RIGHT + ODD
    folder = classroom.gradebook(
        tmp_path / "grades", {"bob": [RIGHT], "odd": [wrong], "cyd": [RIGHT]}, sandbox
    )
    with sqlite3.connect(folder / "grades.sqlite") as base:
        base.execute("PRAGMA foreign_keys = OFF")
        base.execute("UPDATE student SET id = ? WHERE id = 'odd'", (odd,))
        base.execute("UPDATE attempt SET student = ? WHERE student = 'odd'", (odd,))
    made, page_ = tmp_path / "a" / "b", tmp_path / "a" / "b" / "r.html"
    done = [grade("report", folder, "-o", page_, "--handouts", made / "handouts")]
    for kind in ("gradescope", "feedback"):
        done.append(grade("export", folder, "--to", kind, "-o", made / kind))
    assert [one.exit_code for one in done] == [0, 0, 0], [one.output for one in done]
    there = [path for path in tmp_path.rglob("*") if path.is_file() and folder not in path.parents]
    assert len(there) == 10
    assert all(made in path.parents for path in there)
    document = json.loads((made / "gradescope" / "bob" / "results.json").read_text())
    book = gradebook.read(folder)
    assert document["score"] == book.final("bob").total > book.final(odd).total


# Bad input


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["similar", "{nothing}"], "grade batch wrote"),
        (["report", "{broken}", "-o", "r.html"], "cannot be read as a gradebook"),
        (["report", "{other}", "-o", "r.html"], "cannot be read as a gradebook"),
        (["export", "{good}", "--to", "canvas"], "--worksheet"),
        (["export", "{good}", "--to", "canvas", "--worksheet", "{csv}"], "does not begin"),
        (["export", "{good}", "--to", "moodle", "--worksheet", "{csv}"], "no column 'Grade'"),
        (["export", "{good}", "--to", "moodle", "--worksheet", "nowhere.csv"], "cannot be read"),
        (["export", "{good}", "--to", "feedback"], "-o FOLDER"),
        (["export", "{good}", "--to", "feedback", "-o", "{good}"], "not empty"),
        (["export", "{good}", "--to", "gradescope-autograder", "-o", "a.zip"], "student's copy"),
        (["similar", "{good}", "-o", "pairs.txt"], ".html or .json"),
        (["similar", "{good}", "--earlier", "{nothing}"], "nothing that can be read"),
        (["export", "{good}", "--to", "banner"], "not one of"),
    ],
)
def test_bad_input_is_one_message(folder, tmp_path, words, said):
    places = {name: tmp_path / name for name in ("nothing", "broken", "other")}
    for place in places.values():
        place.mkdir()
    (places["broken"] / "grades.sqlite").write_text("no database at all, but long enough" * 50)
    sqlite3.connect(places["other"] / "grades.sqlite").execute(
        "CREATE TABLE a(b)"
    ).connection.close()
    (tmp_path / "list.csv").write_text("a,b\n1,2\n")
    places |= {"good": folder, "csv": tmp_path / "list.csv"}
    done = grade(*[word.format(**places) for word in words])
    assert done.exit_code == 2
    assert said in done.output
    assert "Traceback" not in done.output


def test_similar_reads_a_gradebook(folder, tmp_path):
    assert grade("similar", folder, "-o", tmp_path / "p.html").exit_code == 0
    document = tmp_path / "p.json"
    assert grade("similar", folder, "-o", document).exit_code == 0
    told = json.loads(document.read_text())
    assert told["texts"] == 5
    assert [*told["unread"]] == ["carl.gauss"]
    assert similar.NOTE in grade("similar", folder).output


def test_the_guides_commands_run(folder, tmp_path, monkeypatch):
    guide = (course.ROOT / "book" / "guide_instructor.md").read_text()
    guide = guide.partition("## Report on")[2].partition("## Grade one submission")[0]
    elsewhere = r"^## (Exercises of your own|Written exams)\n.*?(?=^## )"  # tests of their own
    guide = re.sub(elsewhere, "", guide, flags=re.MULTILINE | re.DOTALL)
    lines = "\n".join(re.findall(r"```sh\n(.*?)```", guide, re.DOTALL)).splitlines()
    said = [shlex.split(line, comments=True)[1:] for line in lines if line.strip()]
    measured = ("leaderboard", "marks")  # training, and its points: see test_entries.py
    said = [words for words in said if words[0] not in measured]
    assert {words[0] for words in said} == {"report", "similar", "export", "release", "hidden"}
    shutil.copytree(folder, tmp_path / "grades")
    (tmp_path / "last-year" / "noether").mkdir(parents=True)
    (tmp_path / "last-year" / "noether" / "linear.py").write_text(RIGHT)
    (tmp_path / "canvas.csv").write_text(CANVAS.replace(",Week 2 (78)", ",Week 2"))
    (tmp_path / "moodle.csv").write_text(MOODLE + "Participant 7,X,,,,100.00,Yes,-,-,\n")
    monkeypatch.chdir(tmp_path)
    for words in said:
        done = grade(*words)
        assert done.exit_code == 0, f"{words}: {done.output}"
        if words[-2:-1] == ["-o"]:
            assert (tmp_path / words[-1]).exists()
