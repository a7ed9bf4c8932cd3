"""A made-up class of 60 or more, graded in one go, and again with kills at random moments.

    python benchmarks/class_batch.py [--students 60] [--kills 20]

The class and its expected marks are those of tests/grader/classroom.py: right answers, known
mistakes, and the oddities of real downloads. Counts marks that are wrong, rows that are lost and
gradebooks that differ; and the processor seconds for one exercise of one submission, over all
processes and without the cost of starting: the time for a class of one is subtracted.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
sys.path += [str(HERE), str(HERE.parent), str(HERE.parent / "tests" / "grader")]

import classroom  # noqa: E402
from machine import record  # noqa: E402
from test_batch import known_results, rows, wrong  # noqa: E402

from grader.author import catalog  # noqa: E402
from grader.enclose.sandbox import Limits, Sandbox  # noqa: E402
from grader.instruct import assignment, hidden  # noqa: E402

SEED = 0
GRADE = [sys.executable, "-c", "from grader.cli import main\nmain()"]


def command(place: Path, submissions: Path, grades: Path) -> list[str]:
    given = ["--assignment", str(place), "--references", str(place / "hidden")]
    given += ["--roster", str(place / "roster.csv"), "-o", str(grades), "--jobs", "1"]
    given += ["--attempts"]
    return [*GRADE, "batch", str(submissions), *given]


def gradebook(grades: Path) -> bytes:
    subprocess.run([*GRADE, "marks", str(grades)], check=True, stdout=subprocess.DEVNULL)
    return (grades / "gradebook.csv").read_bytes()


def timed(place: Path, submissions: Path, grades: Path) -> dict[str, float]:
    """Processor seconds of one batch with its children, wall seconds, and number of results."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command(place, submissions, grades), check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    with sqlite3.connect(grades / "grades.sqlite") as base:
        query = (
            "SELECT count(*) FROM (SELECT DISTINCT a.digest, r.exercise FROM result r"
            " JOIN attempt a ON a.id = r.attempt WHERE r.state = 'graded')"
        )
        (count,) = base.execute(query).fetchone()
    return {"processor": used, "clock": time.monotonic() - begun, "graded": count}


def killed(place: Path, grades: Path, kills: int, results: int) -> dict[str, int]:
    """Grade, and kill the command each time a random number of further results is known; the first
    time before any result.
    """
    chance, lost, done, seen, goal = random.Random(SEED), 0, 0, 0, 0
    while True:
        process = subprocess.Popen(
            command(place, place / "class", grades),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while process.poll() is None:
            time.sleep(chance.uniform(0.1, 0.3))
            if done < kills and known_results(grades) >= goal:
                os.kill(process.pid, signal.SIGKILL)
                process.wait()
                done += 1
        now = known_results(grades)
        lost, seen = lost + max(0, seen - now), max(seen, now)
        goal = seen + chance.randint(1, 2 * results // (kills + 2))
        if process.returncode == 0:
            return {"kills": done, "rows_lost": lost}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--students", type=int, default=60)
    parser.add_argument("--kills", type=int, default=20)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        with Sandbox(limits=Limits(seconds=60)) as sandbox:
            chosen = hidden.with_needs(catalog.select(classroom.ASSIGNED))
            for _ in hidden.record_hidden(chosen, place / "hidden", sandbox):
                pass
            known = classroom.judged(place / "hidden", sandbox)
        truth = classroom.make(place / "class", known, given.students, SEED)
        assignment.write(classroom.assignment(), place)
        shutil.copytree(place / "class" / "s000" / "1", place / "one" / "s000")
        one = timed(place, place / "one", place / "first")
        whole = timed(place, place / "class", place / "grades")
        each = (whole["processor"] - one["processor"]) / (whole["graded"] - one["graded"])
        expected = gradebook(place / "grades")
        again = killed(place, place / "again", given.kills, known_results(place / "grades"))
        differing = wrong(place / "grades", truth) + wrong(place / "again", truth)
        found = {
            "attempts": len(rows(place / "grades")),
            "unreadable": len(truth.problems),
            "wrong_marks": len(differing),
            **again,
            "same_gradebook": gradebook(place / "again") == expected,
            "class": whole,
            "class_of_one": one,
            "processor_seconds_per_exercise": round(each, 4),
        }
    print(record(__file__, [SEED], **found).read_text())
    for line in differing:
        print(line)


if __name__ == "__main__":
    main()
