"""`assignment.toml` comes back as it was written, and what cannot be is told in one message."""

import json
import re
import tomllib
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from IPython.core.interactiveshell import InteractiveShell

from grader import commands, course
from grader.errors import UserError
from grader.instruct import assignment
from grader.instruct.assignment import Assignment, Late
from grader.judge import records, source, syntax
from grader.student import assigned, notebook, workspace

DUE = datetime(2026, 12, 1, 23, 59, tzinfo=timezone(timedelta(hours=1)))
WEEK = Assignment(
    name="week-1",
    title="Lines and layers",
    exercises={"linear.softmax": 6, "linear.log_softmax": 2.5},
    due=DUE,
    course="1.0.0",
    late=Late(attempt="best", grace_minutes=15, percent=10, per="hour", floor=50, free_days=3),
    by_hand={"report": 10},
    records={"linear.softmax": "ab" * 32},
)


def test_what_is_written_is_read(tmp_path):
    for one in (WEEK, replace(WEEK, due=None, by_hand={}, records={}, late=Late())):
        assignment.write(one, tmp_path)
        assert assignment.read(tmp_path) == one
        assert assignment.read(tmp_path / "assignment.toml") == one
    assert WEEK.slugs == ["linear"]
    assert WEEK.points == 18.5


@given(st.text(st.characters(codec="utf-8"), min_size=1).filter(str.strip))
def test_any_text_comes_back(text):
    one = replace(WEEK, name=text, title=text, by_hand={text: 1})
    assert assignment.parse(assignment.text(one)) == one


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"name": ""}, "name is missing"),
        ({"name": " "}, "name is empty"),
        ({"exercises": {}}, "exercises is missing"),
        ({"exercises": {"softmax": 1}}, "'softmax' is no exercise"),
        ({"exercises": {"linear.softmax": -1}}, "expected a number of 0 or more"),
        ({"exercises": {"linear.softmax": True}}, "expected a number of 0 or more"),
        ({"exercises": {"linear.softmax": "6"}}, "expected a number of 0 or more"),
        ({"by_hand": {"linear.softmax": 1}}, "both an exercise and a part"),
        ({"due": "tomorrow"}, "expected a time like 2026-12-01T23:59:00+01:00"),
        ({"due": "2026-12-01T23:59:00"}, "without a zone"),
        ({"due": 7}, "expected a time like"),
        ({"core": "yes"}, "expected true or false"),
        ({"late": {"attempt": "first"}}, "expected latest or best"),
        ({"late": {"per": "week"}}, "expected day or hour"),
        ({"late": {"percent": 101}}, "expected 100 at most"),
        ({"late": {"free_days": -1}}, "expected a number of 0 or more"),
        ({"late": {"percnt": 10}}, "Did you mean 'percent'?"),
        ({"late": 7}, "expected a table [late]"),
        ({"dew": "2026-12-01"}, "Did you mean 'due'?"),
    ],
    ids=str,
)
def test_what_cannot_be_is_told(change, said, tmp_path):
    told = tomllib.loads(assignment.text(WEEK)) | change
    lines = [f"{name} = {_inline(value)}" for name, value in told.items()]
    (tmp_path / "assignment.toml").write_text("\n".join(lines))
    with pytest.raises(UserError) as caught:
        assignment.read(tmp_path)
    assert said in str(caught.value)
    assert str(tmp_path / "assignment.toml") in str(caught.value)


def _inline(value: object) -> str:
    if isinstance(value, dict):
        pairs = [f'"{name}" = {_inline(one)}' for name, one in value.items()]
        return f"{{{', '.join(pairs)}}}"
    return value.isoformat() if isinstance(value, datetime) else assignment._toml(value)


@pytest.mark.parametrize("content", [None, b"name = ", b"\xff", b'name = "a"\n due = 2026-12-01'])
def test_a_file_that_is_none_is_one_message(content, tmp_path):
    if content is not None:
        (tmp_path / "assignment.toml").write_bytes(content)
    with pytest.raises(UserError, match=r"assignment\.toml"):
        assignment.read(tmp_path)


def test_a_release_says_what_it_assigns(tmp_path):
    words = ["release", "linear.softmax", "vit", "--to", str(tmp_path / "copy")]
    more = ["--name", "week-1", "--due", "2026-12-01T23:59:00+01:00"]
    done = CliRunner().invoke(commands.main, [*words, *more])
    assert done.exit_code == 0, done.output
    found = assignment.read(tmp_path / "copy")
    chosen = records.select(["linear.softmax", "vit"])
    assert found.exercises == {one.id: one.public_points for one in chosen}
    assert (found.name, found.due, found.course) == ("week-1", DUE, assignment.version())
    assert found.records == {one.id: assignment.digest(one.slug, one.symbol) for one in chosen}
    copied = tmp_path / "copy" / "grader" / "references"
    last = chosen[-1]
    assert found.records[last.id] == assignment.digest(last.slug, last.symbol, copied)


@pytest.mark.parametrize("due", ["tomorrow", "2026-12-01T23:59:00"])
def test_a_due_date_that_cannot_be_read_writes_nothing(due, tmp_path):
    words = ["release", "linear", "--to", str(tmp_path / "copy"), "--due", due]
    done = CliRunner().invoke(commands.main, words)
    assert done.exit_code == 2
    assert "due is" in done.output
    assert not (tmp_path / "copy").exists()


# What students are told

FIRST = ("linear.softmax", "linear.linear")


@pytest.mark.parametrize(
    ("late", "said"),
    [
        (Late(), "Late work keeps all of its points. The latest attempt counts."),
        (
            Late(percent=10, floor=50, attempt="best"),
            "Late work loses 10% of its points for each day begun but keeps at least 50%. The best "
            "attempt counts.",
        ),
        (
            Late(percent=2.5, per="hour", grace_minutes=15, free_days=1),
            "Late work loses 2.5% of its points for each hour begun; up to 15 minutes late costs "
            "nothing; you have 1 free late day for all assignments together.",
        ),
    ],
)
def test_students_are_told_the_due_date_with_its_zone_and_what_being_late_costs(late, said):
    told = assigned.terms(replace(WEEK, due=DUE, late=late, by_hand={}))
    assert told.startswith("Due Tuesday, December 1, 2026, at 23:59 (UTC+01:00). ")
    assert said in told
    kept = "; parts marked by hand lose nothing. "
    assert kept not in told
    told = assigned.terms(replace(WEEK, due=DUE, late=late, by_hand={"essay": 5}))
    assert (kept in told) == bool(late.percent)
    assert ("Only core cases count." in told) == WEEK.core


def test_without_a_due_date_nothing_is_late():
    late = Late(percent=10)
    assert assigned.terms(Assignment(name="a", title="a", exercises={"a.b": 1}, late=late)) == (
        "There is no due date. The latest attempt counts."
    )


@pytest.fixture
def copy(monkeypatch, tmp_path):
    """A copy of the course with an assignment, and a workspace in it."""
    given = assignment.released(records.select(FIRST), title="Week 1", due=DUE.isoformat())
    given = replace(given, exercises={"linear.softmax": 12, "linear.linear": 3})
    monkeypatch.setattr(assigned, "here", lambda: given)
    workspace.start(tmp_path, ["linear"], given)
    monkeypatch.chdir(tmp_path)
    return given


def test_a_notebook_says_when_it_is_due_now(copy, monkeypatch, capsys):
    monkeypatch.setattr(notebook, "_warm", lambda: None)
    moved = replace(copy, due=DUE.replace(year=2031))
    for one, said in ((copy, "2026"), (moved, "2031"), (None, "")):
        monkeypatch.setattr(assigned, "here", lambda one=one: one)
        notebook.load_ipython_extension(InteractiveShell())
        out = capsys.readouterr().out
        assert said in out
        assert out == (f"{assigned.terms(one)}\n" if one else "")


def test_list_marks_what_is_assigned(copy):
    said = CliRunner().invoke(commands.main, ["list", "linear"]).output
    lines = said.splitlines()
    marked = [line.split()[1] for line in lines if line.startswith("* ")]
    assert sorted(marked) == sorted(FIRST)
    assert "Week 1. * is assigned: 2 exercises, 15 points." in lines
    assert assigned.terms(copy) in lines


def test_a_whole_check_ends_with_the_assignment_and_that_of_a_chapter_does_not(copy, tmp_path):
    path = tmp_path / "linear.py"
    right = syntax.portion(course.solution("linear"), "softmax", ())
    path.write_text(source.replace(path.read_text(), "softmax", right))
    whole = CliRunner().invoke(commands.main, ["check"]).output
    told = "Assigned: 1 of 2 exercises complete, 12 of 15 points in public cases."
    assert whole.rstrip().endswith(f"{told} {assigned.terms(copy)}")
    assert "Assigned" not in CliRunner().invoke(commands.main, ["check", "linear"]).output


def test_files_to_fill_in_name_what_is_assigned(copy, tmp_path):
    text = (tmp_path / "linear.py").read_text()
    assert re.search(r"# Assigned, 12 points\..*\n(?:# .*\n)*def softmax\(", text)
    assert text.count("# Assigned, ") == 2
    cells = json.loads((tmp_path / "linear.ipynb").read_text())["cells"]
    texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    assert "**Week 1**. Assigned: `linear.softmax`, `linear.linear`." in texts[0]
    assert "Due" not in texts[0]  # `%load_ext grader` says it, as the file has it then
    about = {re.search(r"^`(.*?)`", one, re.MULTILINE)[1]: one for one in texts[1:]}
    assert "**assigned**, 12 points" in about["linear.softmax"]
    assert {name for name, one in about.items() if "not assigned" not in one} == {*FIRST}
