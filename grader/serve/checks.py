"""The process of one slot: checks come in as lines of JSON, reports go out.

It holds a sandbox and keeps nothing of one check for the next but the records, which are the same
for everybody. A check that nobody waits for any more is cancelled while it runs.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import re
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import IO

from grader.enclose.outcome import NAME, Outcome, one_line
from grader.enclose.sandbox import Cancelled, Limits, Sandbox
from grader.judge import reader, records
from grader.judge.grading import ExerciseResult, Grader
from grader.judge.records import Record
from grader.judge.submission import Submission
from grader.student import case as cases
from grader.student import report

AGAIN = 0.05  # seconds; a check runs code several times, and each run is to be cancelled
DEFINED = re.compile(r"^(?:def|class) (\w+)", re.MULTILINE)


class Cancellable(Sandbox):
    """A sandbox that runs nothing more for a check that is cancelled.

    Attributes:
        number: of the check that goes on.
        cancelled: number of the check that was cancelled last.
    """

    number, cancelled = 0, -1

    def run_all(self, *given, **options) -> Outcome:
        if self.number == self.cancelled:
            raise Cancelled("the check was cancelled")
        return super().run_all(*given, **options)

    def end(self, number: int) -> None:
        """Cancel a check, and wait for its end where it goes on; any thread may call this."""
        self.cancelled = number
        while self.number == number:
            self.cancel()
            reader.cancel()
            time.sleep(AGAIN)


def check(task: Mapping, sandbox: Sandbox, loaded: dict[str, Record]) -> dict:
    """Check one exercise.

    Args:
        task: ``exercise``, its id, and ``code``, the text of a module or the texts of cells.
        sandbox: where the code runs.
        loaded: records that are read already; filled here.

    Returns:
        Plain values: the ``verdict``, a status of `grader.judge.grading.ExerciseResult`; points
        ``earned`` of ``points``; and ``html``, the report that a notebook shows.
    """
    (told,) = records.select([task["exercise"]])
    code = task["code"]
    if isinstance(code, str):
        submission = Submission(code, f"{told.slug}.py")
    else:
        submission = Submission("", told.slug, cells=tuple(code))
    found = Grader(sandbox, loaded=loaded).grade([told], {told.slug: submission})
    fold = cases.first(found[0], loaded.get(told.id))
    shown = found if isinstance(code, str) else [_placed(found[0], code)]
    return {
        "exercise": told.id,
        "verdict": found[0].status,
        "earned": found[0].earned,
        "points": found[0].points,
        "html": report.html(shown, sandbox.missing, {told.id: fold}, beside=True),
    }


def _placed(result: ExerciseResult, cells: Sequence[str]) -> ExerciseResult:
    """The same, with lines counted in the text of their own exercise; of others, named by it."""

    def name(number: object) -> str:
        names = DEFINED.findall(cells[number - 1]) if isinstance(number, int) else []
        own = not names or result.exercise.symbol in names
        return "" if own else f"{one_line(names[-1], NAME)}, "

    placed = [
        replace(case, error={**case.error, "cell": name(case.error.get("cell"))})
        if case.error
        else case
        for case in result.cases
    ]
    return replace(result, cases=placed)


def serve() -> None:
    """Answer lines with lines until there are no more; the first one tells of the sandbox."""
    limits = Limits(**json.loads(sys.argv[1]))
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing but answers may be printed there
    todo: queue.SimpleQueue[dict | None] = queue.SimpleQueue()
    sandbox = Cancellable(limits=limits)
    with sandbox:
        sandbox.tier  # noqa: B018 - waits for it
        listener = threading.Thread(target=_listen, args=(sys.stdin.buffer, todo, sandbox))
        listener.start()
        _answer(answers, {"tier": sandbox.tier, "missing": sandbox.missing})
        loaded: dict[str, Record] = {}
        while (task := todo.get()) is not None:
            sandbox.number = task["number"]
            try:
                answer = check(task, sandbox, loaded)
            except Exception as error:  # says nothing of what was handed in
                answer = {"failed": one_line(f"{type(error).__name__}: {error}")}
            if sandbox.number == sandbox.cancelled:
                answer = {"failed": "The check was cancelled."}
            sandbox.number = 0
            _answer(answers, answer)


def _listen(lines: IO[bytes], todo: queue.SimpleQueue, sandbox: Cancellable) -> None:
    """Hand tasks on, and cancel one where a line says so, or nobody is there any more."""
    for line in lines:
        told = json.loads(line)
        if "cancel" in told:
            sandbox.end(told["cancel"])
        else:
            todo.put(told)
    todo.put(None)
    if sandbox.number:
        sandbox.end(sandbox.number)


def _answer(answers: IO[bytes], answer: dict) -> None:
    with contextlib.suppress(BrokenPipeError):  # then nobody is there any more
        answers.write(json.dumps(answer).encode() + b"\n")
        answers.flush()
