"""A class graded on a Dask cluster gets the marks that it gets here, and no worker is believed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import classroom
import pytest
from click.testing import CliRunner
from test_batch import rows

from grader import commands
from grader.author import catalog
from grader.errors import UserError
from grader.instruct import assignment, batch, cluster, hidden, pool
from tests import lent

STUDENTS = 4


def dask(*words: object) -> subprocess.Popen:
    code = f"from distributed.cli.dask_{words[0]} import main; main()"
    command = [sys.executable, "-c", code, *map(str, words[1:]), "--no-dashboard"]
    return subprocess.Popen(command, cwd="/", stderr=subprocess.DEVNULL, start_new_session=True)


def worker(file: Path) -> subprocess.Popen:
    return dask("worker", "--scheduler-file", file, "--nworkers", 1, "--nthreads", 2)


def end(process: subprocess.Popen) -> None:
    os.killpg(process.pid, signal.SIGTERM)
    process.wait(30)


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory):
    file = tmp_path_factory.mktemp("dask") / "scheduler.json"
    process = dask("scheduler", "--host", "127.0.0.1", "--port", 0, "--scheduler-file", file)
    deadline = time.monotonic() + 60
    while not file.exists():
        assert time.monotonic() < deadline
        time.sleep(0.1)
    yield file
    end(process)


@pytest.fixture(scope="module")
def made(tmp_path_factory, sandbox):
    """A class, the records to grade it with, and its results from here."""
    place = tmp_path_factory.mktemp("term")
    chosen = hidden.with_needs(catalog.select(classroom.ASSIGNED))
    assert list(hidden.record_hidden(chosen, place / "hidden", sandbox))
    assignment.write(classroom.assignment(), place)
    classroom.make(place / "class", classroom.judged(place / "hidden", sandbox), STUDENTS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool, "Process", lent.Worker)  # the cluster's processes are what is asked
        done = run(place, "here")
    assert done.exit_code == 0, done.output
    return place, told(place / "here")


def run(place: Path, grades: str, *more: object):
    words = ["batch", place / "class", "--assignment", place, "--references", place / "hidden"]
    words += ["-o", place / grades, "--jobs", 1, *more]
    return CliRunner().invoke(commands.main, [*map(str, words)])


def told(grades: Path) -> dict:
    keys = ("state", "points", "possible", "mistake", "record_digest", "grader_digest")
    return {
        key: {name: [row[one] for one in keys] for name, row in found.items()}
        for key, found in rows(grades).items()
    }


def test_without_a_worker_it_says_so(made, scheduler, monkeypatch):
    monkeypatch.setattr(cluster, "PATIENCE", 1)
    done = run(made[0], "nobody", "--scheduler", scheduler)
    assert done.exit_code == 2
    assert "no worker for 1 seconds" in done.output


def test_without_a_scheduler_it_says_so(made, monkeypatch):
    monkeypatch.setattr(cluster, "PATIENCE", 1)
    done = run(made[0], "nowhere", "--scheduler", "tcp://127.0.0.1:9")
    assert done.exit_code == 2
    assert "No scheduler of Dask answers at tcp://127.0.0.1:9" in done.output


@pytest.fixture(scope="module")
def working(scheduler):
    process = worker(scheduler)
    yield scheduler
    end(process)


@pytest.mark.parametrize("place", [0, 1])
def test_a_worker_with_another_grader_or_other_records_is_refused(made, working, place):
    known = [batch.grader_digest(), hidden.read(made[0] / "hidden").digest]
    said = ["its grader or its libraries", "its records in"][place]
    known[place] = "another"
    tasks = [pool.Task("d", b'{"linear.py": ""}', ["linear.softmax"])]
    with pytest.raises(UserError, match=said):
        list(cluster.grade(tasks, made[0] / "hidden", str(working), digests=tuple(known)))


def test_a_process_that_dies_is_replaced_and_then_no_score(made, monkeypatch):
    digests = [batch.grader_digest(), hidden.read(made[0] / "hidden").digest]
    setting = {"run": "r", "references": str(made[0] / "hidden"), "core": False}
    setting["digests"] = digests
    text = {"source": '{"linear.py": "x = 1"}', "exercises": ["linear.softmax"]}
    whole, begun = pool.Process.__init__, []

    def dying(self, *given):
        whole(self, *given)
        begun.append(self)
        if len(begun) in killed:
            self.process.kill()
            self.process.wait()

    monkeypatch.setattr(pool.Process, "__init__", dying)
    killed = {1}
    assert '"linear.softmax"' in cluster.answered(text, setting)
    cluster.close("r")
    assert begun[-1].process.poll() is not None
    killed = {3, 4}
    assert "died twice" in cluster.answered(text, setting)
    assert '"reports": {}' in cluster.answered(
        text | {"exercises": []}, setting | {"digests": ["", ""]}
    )
    cluster.close("r")


def test_marks_are_those_from_here_though_a_worker_is_killed(made, working, monkeypatch):
    place, here = made
    second, steps, grade = worker(working), [], batch.grade

    def killing(*given, **more):
        for step in grade(*given, **more):
            steps.append(step)
            if step.done == 1:
                os.killpg(second.pid, signal.SIGKILL)
            yield step

    monkeypatch.setattr(batch, "grade", killing)
    try:
        done = run(place, "there", "--scheduler", working)
    finally:
        os.killpg(second.pid, signal.SIGKILL)
        second.wait(30)
    assert done.exit_code == 0, done.output
    assert len(steps) > 4
    assert [step.lost for step in steps] == [""] * len(steps)
    assert told(place / "there") == here
    again = run(place, "there", "--scheduler", "tcp://127.0.0.1:9")
    assert again.exit_code == 0, "nothing is left to grade, so nobody is asked"
