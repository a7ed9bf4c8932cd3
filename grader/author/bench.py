"""Where an author's answers are tried, many at a time, without losing what running each proves."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from grader import course
from grader.author.exercise import Exercise
from grader.enclose.outcome import Outcome
from grader.enclose.sandbox import Limits, Sandbox
from grader.enclose.worker import wire
from grader.judge.compare import compare

AT_ONCE = 24
SECONDS = 5.0  # of a process that runs many
PATIENT = Limits(seconds=40.0)  # an author's machine may be busy, and nobody waits for a verdict


class Bench:
    """Runs the answers to one exercise, and each of them on the same calls only once.

    Many run in one process, and the solution after them. Where the process ends before its time,
    or the solution no longer returns there what it returns alone, every answer of that process
    runs again in one of its own.

    Args:
        exercise: whose answers they are.
        sandbox: where they run, exactly as submissions do.
    """

    def __init__(self, exercise: Exercise, sandbox: Sandbox):
        self.exercise, self.sandbox = exercise, sandbox
        self.control = course.solution(exercise.slug)
        self._known: dict[tuple[str, bytes], Outcome] = {}

    def run(self, texts: Sequence[str], calls: list[dict]) -> list[Outcome]:
        """What each module returns on every call, as if it had run alone."""
        key = hashlib.sha256(wire.dumps(calls)).digest()
        todo = [text for text in dict.fromkeys(texts) if (text, key) not in self._known]
        if todo and (self.control, key) not in self._known:
            self._known[self.control, key] = self._alone(self.control, calls)
            todo = [text for text in todo if text != self.control]
        while todo:
            truth = self._known[self.control, key]
            count = max(1, min(AT_ONCE, int(SECONDS / max(truth.seconds, 1e-3))))
            some, todo = todo[:count], todo[count:]
            for text, outcome in zip(some, self._together(some, calls, truth), strict=True):
                self._known[text, key] = outcome
        return [self._known[text, key] for text in texts]

    def _together(self, texts: list[str], calls: list[dict], truth: Outcome) -> list[Outcome]:
        if len(texts) > 1:
            outcome = self._run([*texts, self.control], calls)
            size = len(calls)
            parts = [outcome.cases[at : at + size] for at in range(0, len(outcome.cases), size)]
            if outcome.status == "ok" and self._alike(parts[-1], truth.cases):
                return [Outcome("ok", cases=part) for part in parts[:-1]]
        return [self._alone(text, calls) for text in texts]

    def _alone(self, text: str, calls: list[dict]) -> Outcome:
        return self._run([text], calls)

    def _run(self, texts: list[str], calls: list[dict]) -> Outcome:
        filename, symbol = f"{self.exercise.slug}.py", self.exercise.symbol
        options = {"filename": filename, "forbidden": self.exercise.forbidden, "limits": PATIENT}
        return self.sandbox.run_all(texts, symbol, calls, **options)

    def _alike(self, some: list[dict], others: list[dict]) -> bool:
        return len(some) == len(others) and all(
            "values" in one
            and "values" in other
            and compare(one["values"], other["values"], self.exercise.tolerance) is None
            for one, other in zip(some, others, strict=True)
        )
