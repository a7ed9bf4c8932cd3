"""A made class gets the marks that are known, however often the run is stopped."""

import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import classroom
import pytest
from click.testing import CliRunner

from grader import commands
from grader.author import catalog
from grader.errors import UserError
from grader.instruct import assignment, batch, hand_ins, hidden, pool
from grader.instruct.store import Store
from tests import lent

STUDENTS = 9
KILLS = 2
CHECKED = pool.Task("d", b"", ["linear.softmax"])


@pytest.fixture(scope="module")
def made(tmp_path_factory, sandbox):
    """A class, the records to grade it with, and what must come out."""
    place = tmp_path_factory.mktemp("term")
    chosen = hidden.with_needs(catalog.select(classroom.ASSIGNED))
    assert list(hidden.record_hidden(chosen, place / "hidden", sandbox))
    known = classroom.judged(place / "hidden", sandbox)
    assignment.write(classroom.assignment(), place)
    return place, classroom.make(place / "class", known, STUDENTS)


@pytest.fixture
def threads(monkeypatch):
    """Grade in threads of this process, where no process is asked for."""
    monkeypatch.setattr(pool, "Process", lent.Worker)


def words(place: Path, grades: Path, *more: str) -> list[str]:
    given = ["--assignment", str(place), "--references", str(place / "hidden")]
    given += ["--roster", str(place / "roster.csv"), "-o", str(grades), "--jobs", "1"]
    given += ["--attempts"]
    return ["batch", str(place / "class"), *given, *more]


def run(*said: object):
    return CliRunner().invoke(commands.main, [*map(str, said)])


@pytest.fixture(scope="module")
def graded(made, tmp_path_factory):
    """The same class, graded in one go."""
    place, truth = made
    grades = tmp_path_factory.mktemp("graded") / "grades"
    done = run(*words(place, grades, "--layout", "plain"))
    assert done.exit_code == 0, done.output
    assert run("marks", grades).exit_code == 0
    return grades, truth, done.output


def rows(grades: Path) -> dict[tuple[str, int], dict]:
    """Results by student and attempt, then by exercise."""
    with sqlite3.connect(grades / "grades.sqlite") as base:
        base.row_factory = sqlite3.Row
        found: dict[tuple[str, int], dict] = {}
        query = "SELECT a.student, a.number, r.* FROM result r JOIN attempt a ON a.id = r.attempt"
        for row in base.execute(query):
            found.setdefault((row["student"], row["number"]), {})[row["exercise"]] = dict(row)
        return found


def wrong(grades: Path, truth: classroom.Truth) -> list[str]:
    """List what is not as it must be."""
    found, differing = rows(grades), []
    given = classroom.assignment()
    for key, told in truth.answers.items():
        for name, worth in given.exercises.items():
            row = found[key][name]
            if name not in told:
                if row["state"] != "missing" or row["points"]:
                    differing.append(f"{key} {name} was not handed in")
                continue
            whole = sum(case["points"] for case in json.loads(row["report"])["cases"])
            due = round(worth * told[name].earned / whole, 4)
            mistake = None if told[name].mistake == classroom.BLANK else told[name].mistake
            got = (row["state"], row["points"], row["mistake"])
            if got != ("graded", due, mistake):
                differing.append(f"{key} {name}: {got}, due {due}, {mistake}")
    return differing


def test_no_mark_is_wrong(graded):
    grades, truth, _ = graded
    assert wrong(grades, truth) == []
    graded_rows = [row for one in rows(grades).values() for row in one.values()]
    assert len(graded_rows) == 6 * (len(truth.answers) + len(truth.problems))
    named = {row["mistake"] for row in graded_rows}
    assert len(named) > 20
    assert any(0 < row["points"] < row["possible"] for row in graded_rows)


def test_what_cannot_be_read_is_a_row_with_its_reason(graded):
    grades, truth, said = graded
    with Store(grades) as store:
        problems = {(row["student"], row["number"]): row["problem"] for row in store.attempts()}
    assert {key for key, problem in problems.items() if problem} == truth.problems.keys()
    for key, part in truth.problems.items():
        assert part in problems[key]
        assert f"{key[0]}, attempt {key[1]}: {problems[key]}" in said
    assert {row["state"] for row in rows(grades)["bomb", 1].values()} == {"missing"}


def test_why_nothing_ran_is_told_in_words_of_ours(graded):
    """Words of the code may hold a hidden input, and students read remarks."""
    grades, _, said = graded
    lines = (grades / "gradebook.csv").read_text().splitlines()
    for student, why in (
        ("exits", "No exercise ran: the process ended while the file was loaded."),
        ("no_python", "No exercise ran: linear.py is not valid Python (line 1: invalid syntax)."),
    ):
        assert f"{student}, attempt 1: {why}" in said
        (line,) = [line for line in lines if line.startswith(f"{student},")]
        assert line.endswith(f",{why}")
    assert sum("No exercise ran" in line for line in lines) == 2


def test_times_groups_and_those_who_handed_in_nothing(graded):
    grades, truth, _ = graded
    with Store(grades) as store:
        times = {(row["student"], row["number"]): row["submitted"] for row in store.attempts()}
    for key, when in truth.submitted.items():
        assert times[key] == when.replace(second=0, microsecond=0).isoformat()
    lines = (grades / "gradebook.csv").read_text().splitlines()
    (partner,) = [line for line in lines if line.startswith("partner,")]
    (first,) = [line for line in lines if line.startswith("s001,")]
    assert partner.split(",")[3:] == first.split(",")[3:]
    assert any(line.startswith("nobody,Handed Nothing In,,,missing,") for line in lines)


def test_nothing_is_graded_twice(made, graded, monkeypatch, threads):
    place, _ = made
    grades, *_ = graded
    asked = []
    whole = pool.grade

    def counted(tasks, *given, **more):
        tasks = list(tasks)
        asked.extend(tasks)
        return whole(iter(tasks), *given, **more)

    monkeypatch.setattr(batch.pool, "grade", counted)
    before = (grades / "gradebook.csv").read_bytes()
    assert run(*words(place, grades)).exit_code == 0
    assert asked == []
    work = place / "class" / "s004" / "1" / "linear.py"
    old = work.read_bytes()
    work.write_bytes(old + b"\n# changed\n")
    try:
        assert run(*words(place, grades)).exit_code == 0
        assert [len(task.exercises) for task in asked] == [6]
    finally:
        work.write_bytes(old)
    assert run(*words(place, grades)).exit_code == 0
    assert run("marks", grades).exit_code == 0
    assert (grades / "gradebook.csv").read_bytes() == before


def test_a_run_that_is_killed_goes_on_where_it_was(made, graded, tmp_path):
    place, truth = made
    grades, chance, kills = tmp_path / "grades", random.Random(3), 0
    command = [sys.executable, "-c", "from grader.cli import main\nmain()"]
    counts = []
    while True:
        process = subprocess.Popen(
            [*command, *words(place, grades)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        begun = time.monotonic()
        while process.poll() is None and time.monotonic() - begun < 120:
            time.sleep(0.1)
            now = known_results(grades)
            assert now is None or now >= (counts or [0])[-1]  # nothing is lost by a kill
            if now and kills < KILLS and now > (counts or [0])[-1] + chance.randrange(5, 40):
                counts.append(now)
                os.kill(process.pid, signal.SIGKILL)
                kills += 1
                break
        process.wait()
        if process.returncode == 0:
            break
        assert process.returncode == -signal.SIGKILL, process.stderr.read()
    assert kills == KILLS
    assert wrong(grades, truth) == []
    assert run("marks", grades).exit_code == 0
    expected = (graded[0] / "gradebook.csv").read_bytes()
    assert (grades / "gradebook.csv").read_bytes() == expected


def known_results(grades: Path) -> int | None:
    try:
        with sqlite3.connect(f"file:{grades / 'grades.sqlite'}?mode=ro", uri=True) as base:
            query = "SELECT count(*) FROM result WHERE state = 'graded'"
            return base.execute(query).fetchone()[0]
    except sqlite3.Error:
        return None


def test_two_at_a_time_are_told(made, tmp_path):
    place, _ = made
    with Store(tmp_path / "grades", write=True):
        done = run(*words(place, tmp_path / "grades"))
    assert done.exit_code == 2
    assert "Another grade command writes" in done.output


def test_a_full_disk_is_one_message_and_loses_nothing(made, tmp_path, threads):
    place, truth = made
    with Store(tmp_path / "grades", write=True) as store:
        given, known = classroom.assignment(), hidden.read(place / "hidden")
        found = hand_ins.find(place / "class", given, place / "roster.csv", attempts=True)
        batch.collect(store, found, given)
        (pages,) = store.base.execute("PRAGMA page_count").fetchone()
        store.base.execute(f"PRAGMA max_page_count = {pages + 20}")
        with pytest.raises(UserError, match=r"cannot be written: database or disk is full"):
            list(batch.grade(store, given, place / "hidden", 1))
        digests = batch.digests(given, known)
        done = store.known(digests, batch.grader_digest())
        assert 0 < len(done) < len(truth.answers)
        store.base.execute("PRAGMA max_page_count = 100000")
        list(batch.grade(store, given, place / "hidden", 1))
    assert wrong(tmp_path / "grades", truth) == []


# When the grader fails


def test_a_failure_of_the_grader_is_ungraded_and_never_zero(made, tmp_path, monkeypatch):
    place, _ = made
    grades = tmp_path / "grades"

    def broken(tasks, *_, **__):
        for task in tasks:
            yield task, pool.Answer({}, "The disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr(batch.pool, "grade", broken)
        done = run(*words(place, grades))
    assert done.exit_code == 2
    assert "Not everything is graded: The disk is full. Run this again." in done.output
    assert run("marks", grades).exit_code == 0
    lines = (grades / "gradebook.csv").read_text().splitlines()
    (first,) = [line for line in lines if line.startswith("s001,")]
    state, earned = first.split(",")[4], first.split(",")[-5]
    assert (state, earned) == ("ungraded", "")


def test_a_process_that_dies_is_replaced_and_its_text_tried_once_more(made, monkeypatch):
    place, _ = made
    begun = []
    whole = pool.Process.__init__

    def dying(self, *given):
        whole(self, *given)
        begun.append(self)
        if len(begun) < 3:
            self.process.kill()

    monkeypatch.setattr(pool.Process, "__init__", dying)
    source = json.dumps({"linear.py": "def softmax(logits):\n    return logits\n"}).encode()
    tasks = [pool.Task(name, source, ["linear.softmax"]) for name in "ab"]
    answers = {task.digest: answer for task, answer in pool.grade(tasks, place / "hidden", 1)}
    assert answers["a"].failed == "The process that graded it died twice."
    assert answers["b"].reports["linear.softmax"]["status"] == "failed"


def test_an_error_inside_is_told_and_the_others_are_graded(made):
    place, _ = made
    source = json.dumps({"linear.py": "x = 1"}).encode()
    tasks = [pool.Task("a", b"[]", ["linear.softmax"]), pool.Task("b", source, ["linear.softmax"])]
    answers = {task.digest: answer for task, answer in pool.grade(tasks, place / "hidden", 1)}
    assert answers["a"].failed.startswith("The grader failed: AttributeError")
    assert answers["b"].reports["linear.softmax"]["earned"] == 0
    assert answers["b"].tier


# Bad input


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"--assignment": "nowhere"}, "There is no nowhere"),
        ({"--references": "{place}/class"}, "holds no records"),
        ({"-o": "{place}/class/grades"}, "name a folder beside it"),
        ({"--roster": "{place}/nobody.csv"}, "cannot be read"),
    ],
)
def test_misuse_is_one_message(change, said, made):
    place, _ = made
    given = words(place, place / "unused")
    for option, value in change.items():
        given[given.index(option) + 1] = value.format(place=place)
    done = run(*given)
    assert done.exit_code == 2
    assert said in done.output
    assert not (place / "unused" / "grades.sqlite").exists()


def test_an_exercise_without_a_record_is_told(made, tmp_path):
    place, _ = made
    text = (place / "assignment.toml").read_text()
    (tmp_path / "assignment.toml").write_text(re.sub("linear.softmax", "linear.train", text))
    given = words(place, tmp_path / "grades")
    given[given.index("--assignment") + 1] = str(tmp_path)
    done = run(*given)
    assert done.exit_code == 2
    assert "do not have linear.train, which is assigned" in done.output


def test_a_file_that_is_no_gradebook_is_told(made, tmp_path):
    (tmp_path / "grades.sqlite").write_text("no database, but long enough to be read as one" * 9)
    done = run(*words(made[0], tmp_path))
    assert done.exit_code == 2
    assert "cannot be used as a gradebook" in done.output
