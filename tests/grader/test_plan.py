"""Plans of a term, and the assignments that they become."""

from datetime import datetime, timedelta

import pytest
from click.testing import CliRunner

from grader import course
from grader.commands import main
from grader.errors import UserError
from grader.instruct import assignment, plan

START = "2027-01-11T10:00+01:00"


def grade(*words):
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.mark.parametrize("weeks", plan.plans())
def test_a_plan_becomes_an_assignment_for_each_week_that_has_exercises(tmp_path, weeks):
    done = grade("plan", weeks, "--to", tmp_path / "term", "--start", START)
    assert done.exit_code == 0, done.output
    rows = [row for row in plan.plan(weeks) if row.exercises()]
    assert sorted(path.name for path in (tmp_path / "term").iterdir()) == [row.name for row in rows]
    for row in rows:
        given = assignment.read(tmp_path / "term" / row.name)
        assert given.slugs == [slug for slug in row.slugs if plan.main_exercises(slug)]
        assert given.exercises == {one.id: one.public_points for one in row.exercises()}
        assert given.due == datetime.fromisoformat(START) + timedelta(weeks=row.number)


def test_due_dates_keep_the_time_of_day_when_clocks_change(tmp_path):
    words = ("--start", "2027-03-15T10:00", "--zone", "Europe/Berlin")
    done = grade("plan", 6, "--to", tmp_path / "term", *words)
    assert done.exit_code == 0, done.output
    due = [assignment.read(tmp_path / "term" / f"week-{week:02}").due for week in (1, 2)]
    assert [one.isoformat() for one in due] == [
        "2027-03-22T10:00:00+01:00",
        "2027-03-29T10:00:00+02:00",  # summer time began the day before
    ]


def test_main_exercises_are_assigned_unless_all_are(tmp_path):
    goals = course.goals("linear")
    for words, core in (((), True), (("--all",), False)):
        folder = tmp_path / str(core)
        assert grade("plan", 14, "--to", folder, *words).exit_code == 0
        given = assignment.read(folder / "week-01").exercises
        sections = {one.id: one.section for one in plan.exercises("linear")}
        assert set(given) == {name for name, at in sections.items() if at in goals or not core}
        assert assignment.read(folder / "week-01").due is None


def test_a_released_week_is_the_assignment_with_the_digests_of_today(tmp_path):
    grade("plan", 14, "--to", tmp_path / "term")
    week = tmp_path / "term" / "week-01" / assignment.NAME
    text = week.read_text().replace("percent = 0 ", "percent = 10 ")
    digest = assignment.read(week).records["linear.softmax"]
    week.write_text(text.replace(digest, "0" * 64))
    done = grade("release", "--assignment", week, "--to", tmp_path / "week-1")
    assert done.exit_code == 0, done.output
    given = assignment.read(tmp_path / "week-1")
    assert given.late.percent == 10
    assert given.name == "week-01"
    assert given.records["linear.softmax"] == digest
    assert (tmp_path / "week-1" / "work" / "linear.py").is_file()


WRONG = {
    "no plan of 7 weeks": (7,),
    "is not empty": (14, "--to", "{full}"),
    "Write a time with its zone": (14, "--to", "{new}", "--start", "2027-01-11"),
    "Write a time with its zone: ": (14, "--to", "{new}", "--start", "Monday"),
    "a time without": (14, "--to", "{new}", "--start", START, "--zone", "UTC"),
    "There is no time zone": (14, "--to", "{new}", "--start", "2027-01-11", "--zone", "Europe/X"),
    "add --start": (14, "--to", "{new}", "--zone", "UTC"),
    "say where they go": (14, "--start", START),
    "Say how many weeks": ("--to", "{new}"),
}


@pytest.mark.parametrize("said", WRONG)
def test_a_plan_that_cannot_be_is_told_in_one_line(tmp_path, said):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    places = {"full": tmp_path / "full", "new": tmp_path / "new"}
    done = grade("plan", *(str(word).format(**places) for word in WRONG[said]))
    assert done.exit_code == 2
    assert said in done.output
    assert not (tmp_path / "new").exists()
    assert (tmp_path / "full" / "mine.txt").read_text() == "mine"


@pytest.mark.parametrize("words", [(), ("linear", "--assignment", "x"), ("--assignment", "x")])
def test_a_release_needs_names_or_an_assignment(tmp_path, words):
    done = grade("release", *words, "--to", tmp_path / "new")
    assert done.exit_code == 2
    assert not (tmp_path / "new").exists()


def test_a_name_or_due_date_beside_an_assignment_is_refused(tmp_path):
    grade("plan", 14, "--to", tmp_path / "term")
    week = tmp_path / "term" / "week-01"
    done = grade("release", "--assignment", week, "--name", "x", "--to", tmp_path / "new")
    assert done.exit_code == 2
    assert "change them in its file" in done.output


@pytest.mark.parametrize("text", ["linear\n", "linear\nnowhere\n"])
def test_a_plan_with_a_line_too_few_or_an_unknown_chapter_is_refused(text, tmp_path, monkeypatch):
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "syllabus.md").write_text(f"```{{plan}} 2\n{text}```\n")
    toc = (course.ROOT / "_toc.yml").read_text()
    (tmp_path / "_toc.yml").write_text(toc)
    monkeypatch.setattr(course, "ROOT", tmp_path)
    with pytest.raises(UserError, match=r"1 lines|no chapter"):
        plan.plans()
