"""`assignment.toml` comes back as it was written, and what cannot be is told in one message."""

import tomllib
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from grader import commands
from grader.errors import UserError
from grader.instruct import assignment
from grader.instruct.assignment import Assignment, Late
from grader.judge import records

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
