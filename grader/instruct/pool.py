"""Processes that grade, each with a sandbox: texts go in, reports come back as JSON.

One that dies is replaced. The text that it graded is tried once more; after that it is the news
that there is no result, which is never a score.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import BinaryIO

from grader.enclose.sandbox import Sandbox
from grader.instruct import hand_ins
from grader.judge import records
from grader.judge.grading import Grader
from grader.judge.records import Manifest
from grader.student import export

ROOT = Path(__file__).resolve().parents[2]
CODE = f"""
import sys
sys.path.append({str(ROOT)!r})
from grader.instruct import pool
pool.serve()
"""


@dataclass(frozen=True)
class Task:
    """A text, and the exercises to grade in it."""

    digest: str
    source: bytes
    exercises: Sequence[str]


@dataclass(frozen=True)
class Answer:
    """Answer to a task.

    Attributes:
        reports: of each exercise, as `grade check --json` tells of it.
        failed: why there is none, where the grader failed.
        tier: of the sandbox.
        missing: protections that do not hold, a sentence each.
    """

    reports: Mapping[str, Mapping]
    failed: str = ""
    tier: str = ""
    missing: Sequence[str] = ()


DIED_TWICE = Answer({}, "The process that graded it died twice.")


def grade(
    tasks: Iterable[Task], references: Path, jobs: int, *, core: bool = False
) -> Iterator[tuple[Task, Answer]]:
    """Grade texts in several processes.

    Args:
        tasks: are taken one by one, so that not all are in memory.
        references: folder of the records.
        jobs: how many processes.
        core: whether the core cases alone are run.

    Yields:
        Each task with its answer, as they come.
    """
    todo, again = iter(tasks), []
    free: list[Process] = []
    busy: dict[Process, tuple[Task, int]] = {}
    selector = selectors.DefaultSelector()

    def give(task: Task, tries: int) -> None:
        worker = free.pop() if free else Process(references, core)
        if worker.ask(task):
            selector.register(worker.answers, selectors.EVENT_READ, worker)
            busy[worker] = task, tries
        else:  # it died while it had nothing to do
            worker.close()
            again.append((task, tries + 1))

    try:
        while True:
            while len(busy) < jobs:
                task, tries = again.pop() if again else (next(todo, None), 0)
                if task is None:
                    break
                if tries > 1:
                    yield task, DIED_TWICE
                else:
                    give(task, tries)
            if not busy:
                return
            for key, _ in selector.select():
                worker = key.data
                answer = worker.hear()
                if answer is None and worker.lives:
                    continue
                selector.unregister(worker.answers)
                task, tries = busy.pop(worker)
                if answer is None:
                    worker.close()
                    again.append((task, tries + 1))
                else:
                    free.append(worker)
                    yield task, answer
    finally:
        selector.close()
        for worker in [*free, *busy]:
            worker.close()


class Process:
    """A process that grades one text after the other."""

    def __init__(self, references: Path, core: bool):
        told = json.dumps({"references": str(references.resolve()), "core": core})
        self.process = subprocess.Popen(
            [sys.executable, "-c", CODE, told],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            start_new_session=True,  # a Ctrl-C in the terminal reaches the grader alone
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.tasks, self.answers = self.process.stdin, self.process.stdout
        self.heard = b""
        self.lives, self.busy = True, False

    def ask(self, task: Task) -> bool:
        """Hand a task over; whether there was somebody to take it."""
        told = {"source": task.source.decode(), "exercises": [*task.exercises]}
        self.busy = True
        try:
            self.tasks.write(json.dumps(told).encode() + b"\n")
            self.tasks.flush()
        except OSError:
            return False
        return True

    def hear(self) -> Answer | None:
        """Read what has come; None while it is not whole, or when nothing more will."""
        part = os.read(self.answers.fileno(), 2**20)
        self.lives = bool(part)
        self.heard += part
        if not self.heard.endswith(b"\n"):
            return None
        said, self.heard, self.busy = self.heard, b"", False
        return Answer(**json.loads(said))

    def answer(self, task: Task) -> Answer | None:
        """Hand a task over and wait for what comes; None where the process dies."""
        found = None
        if self.ask(task):
            while found is None and self.lives:
                found = self.hear()
        return found

    def close(self) -> None:
        """It ends when its input ends, or soon after."""
        with contextlib.suppress(OSError):
            self.tasks.close()
        try:
            self.process.wait(0.5 if self.busy else 10)
        except subprocess.TimeoutExpired:
            self.process.kill()  # its sandbox ends with it
            self.process.wait()
        self.answers.close()


def serve() -> None:
    """Answer lines with lines until there are no more."""
    told = json.loads(sys.argv[1])
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing but answers may be printed there
    with Sandbox() as sandbox:
        answer_lines(sys.stdin.buffer, answers, sandbox, told)


def answer_lines(tasks: BinaryIO, answers: BinaryIO, sandbox: Sandbox, told: Mapping) -> None:
    """Grade what each line holds, and write what came of it as a line.

    Args:
        tasks: one JSON object a line: a source and its exercises.
        answers: where the fields of an `Answer` go.
        sandbox: where submissions run.
        told: the folder of the records, and whether the core cases alone are run.
    """
    loaded: dict = {}
    for line in tasks:
        task = json.loads(line)
        grader = Grader(sandbox, Path(told["references"]), core=told["core"], loaded=loaded)
        try:
            found = _graded(grader, task)
        except Exception as error:  # says nothing of what was handed in
            said = f"The grader failed: {type(error).__name__}: {error}"
            found = {"reports": {}, "failed": said}
        with contextlib.suppress(BrokenPipeError):  # then nobody is there any more
            answers.write(json.dumps(found).encode() + b"\n")
            answers.flush()


@cache
def _selected(*exercises: str) -> list[Manifest]:
    """Exercises by name; to find them takes long, and all texts of a class ask for the same."""
    return records.select(exercises)


def _graded(grader: Grader, task: Mapping) -> dict:
    chosen = _selected(*task["exercises"])
    found = grader.grade(chosen, hand_ins.submissions(task["source"].encode()))
    reports = {one["id"]: one for one in export.as_json(found, [])["exercises"]}
    sandbox = grader.sandbox
    return {"reports": reports, "tier": sandbox.tier, "missing": sandbox.missing}
