"""Free days are shared by the assignments of a term, whichever command tells a mark."""

import csv
import io
import json
import shutil
from dataclasses import replace

import pytest
from click.testing import CliRunner
from test_regrade import DUE, WEEK, build

from grader import commands
from grader.instruct import gradebook, regrade, term
from grader.instruct.store import Store, assigned

pytestmark = pytest.mark.usefixtures("workers")

FIRST = replace(WEEK, by_hand={})
SECOND = replace(FIRST, name="week-2", due=DUE.replace(day=8))
SHARED, ALONE = 0.8 * (6 + 4), 6 + 4  # of ada, whose two free days are used in the first


def run(*said: object):
    return CliRunner().invoke(commands.main, [*map(str, said)])


@pytest.fixture
def both(tmp_path):
    """Two assignments; ada is late by two days in each."""
    first = build(tmp_path / "grades-1", FIRST, ada=2)
    second = build(tmp_path / "grades-2", SECOND, ada=9)
    return first, second


def told(folder):
    """Each total of ada that a command tells of an assignment."""
    sheet = folder.parent / "canvas.csv"
    sheet.write_text("Student,ID,SIS Login ID,Section,Week (7)\nAda,1,ada,,\n")
    done = run("export", folder, "--to", "csv")
    assert done.exit_code == 0, done.output
    (row,) = [one for one in csv.DictReader(io.StringIO(done.stdout)) if one["student"] == "ada"]
    yield float(row["total"])
    document = json.loads(run("export", folder, "--to", "json").stdout)
    yield next(one["total"] for one in document["students"] if one["student"] == "ada")
    scores = json.loads(run("export", folder, "--to", "lti").stdout)
    yield next(one["scoreGiven"] for one in scores if one["userId"] == "ada")
    filled = run("export", folder, "--to", "canvas", "--worksheet", sheet).stdout
    yield float(filled.splitlines()[1].rpartition(",")[2])
    yield gradebook.read(folder).final("ada").total
    assert run("marks", folder).exit_code == 0
    rows = csv.DictReader(io.StringIO((folder / "gradebook.csv").read_text()))
    yield next(float(row["total"]) for row in rows if row["student"] == "ada")


def test_every_command_counts_the_free_days_of_the_term(both):
    first, second = both
    assert run("marks", second, first).exit_code == 0
    assert {*told(first)} == {ALONE}
    assert {*told(second)} == {SHARED}


def test_a_later_call_on_one_folder_writes_the_marks_of_the_term(both):
    first, second = both
    assert run("marks", first, second).exit_code == 0
    (first / "extensions.csv").write_text("student,days\nada,2\n")
    done = run("marks", first)
    assert f"wrote {second / 'gradebook.csv'}" in done.output
    (line,) = [
        one for one in (second / "gradebook.csv").read_text().splitlines() if one.startswith("ada,")
    ]
    assert line.split(",")[8] == "2"  # free days that the extension has freed
    assert {*told(second)} == {ALONE}


def test_marks_that_another_assignment_may_change_are_refused(both):
    first, second = both
    for words in (
        ["marks", second],
        ["export", second, "--to", "csv"],
        ["report", second, "-o", second.parent / "r.html"],
        ["regrade", second, "--void", "linear.linear: case 0", "--yes"],
    ):
        done = run(*words)
        assert done.exit_code == 2, done.output
        assert f"grade marks {first} {second}" in done.output
    assert not (second / "gradebook.csv").exists()
    assert run("marks", first).exit_code == 0  # it is due before, so the other changes nothing
    assert run("similar", second).exit_code == 0  # needs no mark


def test_an_assignment_between_is_asked_for_and_joins_the_term(both):
    first, second = both
    assert run("marks", first, second).exit_code == 0
    between = build(
        first.parent / "grades-x", replace(FIRST, name="x", due=DUE.replace(day=2)), bob=2
    )
    assert {*told(second)} == {SHARED}  # bob is late there, and nowhere else
    late = replace(SECOND, name="week-3", due=DUE.replace(day=20))
    third = build(first.parent / "grades-3", late, bob=21)
    done = run("marks", third)
    assert done.exit_code == 2
    assert run("marks", second, between, third).exit_code == 0  # the first is in second's term
    assert term.read(third).folders == sorted(
        one.resolve() for one in (first, second, between, third)
    )


def test_folders_apart_count_alone_and_new_ones_are_still_asked_for(both):
    first, second = both
    assert run("marks", second, "--only").exit_code == 0
    assert {*told(second)} == {ALONE}
    assert run("marks", first, second).exit_code == 0  # said otherwise later
    assert {*told(second)} == {SHARED}
    assert run("marks", second, "--only").exit_code == 0
    assert {*told(second)} == {ALONE}
    assert term.read(first).folders == [first.resolve()]
    build(first.parent / "new", replace(FIRST, name="x", due=DUE.replace(day=2)), ada=5)
    assert run("marks", second).exit_code == 2


def test_copies_other_classes_and_assignments_without_free_days_are_not_asked_for(both):
    first, second = both
    shutil.copytree(second, second.parent / "a copy")
    text = (first / "assignment.toml").read_text()
    (first / "assignment.toml").write_text(text.replace("free_days = 2", "free_days = 0"))
    assert run("marks", second).exit_code == 0
    (first / "assignment.toml").write_text(text)
    assert run("marks", second).exit_code == 2
    with Store(first, write=True) as store:
        for table, column in (("student", "id"), ("attempt", "student")):
            store.base.execute(f"UPDATE {table} SET {column} = 'other.' || {column}")
    assert run("marks", second).exit_code == 0


def test_folders_of_one_name_in_the_folders_of_weeks_are_found(tmp_path):
    build(tmp_path / "week-1" / "grades", FIRST, ada=2)
    second = build(tmp_path / "week-2" / "grades", SECOND, ada=9)
    done = run("marks", second)
    assert done.exit_code == 2
    assert str(tmp_path / "week-1" / "grades") in done.output


def test_a_folder_of_the_term_that_is_gone_is_told(both):
    first, second = both
    assert run("marks", first, second).exit_code == 0
    first.rename(first.parent.parent / f"{first.parent.name}-moved")
    done = run("export", second, "--to", "csv")
    assert done.exit_code == 2
    assert str(second / "term.toml") in done.output
    for text in ("folders = 1", "folders = [1]", "apart = ''", "{"):
        (second / "term.toml").write_text(text)
        assert run("marks", second).exit_code == 2


def test_a_correction_shows_the_marks_of_the_term(both):
    first, second = both
    assert run("marks", first, second).exit_code == 0
    with Store(second, write=True) as store:
        shown = []
        regrade.void(store, assigned(second), "linear.softmax: case 3", lambda x: shown.extend(x))
    assert f"Ada: {SHARED:g} -> {0.8 * (8 + 4):g}" in shown
