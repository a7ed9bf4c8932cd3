"""Where an author's answers are tried, many at a time, without losing what running each proves."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from grader import course
from grader.author import catalog
from grader.author.exercise import Exercise, Mistake
from grader.enclose.outcome import Outcome
from grader.enclose.sandbox import Limits, Sandbox
from grader.enclose.worker import wire
from grader.errors import UserError
from grader.judge import given, source, syntax
from grader.judge.compare import compare
from grader.judge.records import RecordedCase

AT_ONCE = 64
TOGETHER = Limits(seconds=120.0, patience=1.5)  # torch loads its compiler for a second
PATIENT = Limits(seconds=40.0)  # an author's machine may be busy, and nobody waits for a verdict


class Bench:
    """Runs the answers to one exercise, and each of them on the same calls only once.

    Many run in one process, between two runs of the solution. Where that process ends before its
    time, or the second run no longer returns what the first did, halves of them run again, and at
    last each answer in a process of its own.

    Args:
        exercise: whose answers they are.
        sandbox: where they run, exactly as submissions do.

    Attributes:
        solution: the chapter's module.
        control: what the exercise and its answers need of that module; to read and to load the
            rest for every answer would take most of the time.
    """

    def __init__(self, exercise: Exercise, sandbox: Sandbox):
        self.exercise, self.sandbox = exercise, sandbox
        self.solution = course.solution(exercise.slug)
        self._known: dict[bytes, dict[str, Outcome]] = {}
        self._late: set[str] = set()  # of what `left` was given

    @cached_property
    def control(self) -> str:
        answers = self.exercise.answers
        texts = [variant.source for variant in answers.variants]
        for known in answers.mistakes:
            texts += [known.source or "", *(known.change or {}).values()]
        names = set(re.findall(r"[^\W\d]\w*", "\n".join(texts)))
        return syntax.Module(self.solution).fingerprint(self.exercise.symbol, *sorted(names))

    @cached_property
    def mistakes(self) -> dict[str, str]:
        """A module with each known mistake.

        Raises:
            UserError: some cannot be made, as after a change of the solution; all are listed.
        """
        found, broken = {}, []
        for known in self.exercise.mistakes:
            try:
                found[known.name] = mistaken(self.exercise, known, self.control)
            except LookupError as error:
                broken.append(f"  {known.name}: {error}")
        if broken:
            path = catalog.answers_of(catalog.files(self.exercise.slug)[self.exercise.symbol])
            raise UserError(
                f"mistakes of {self.exercise.id} do not fit its solution.\n{path}:\n"
                + "\n".join(broken)
            )
        return found

    @cached_property
    def variants(self) -> dict[str, str]:
        """A module with each right variant."""
        return {
            known.name: source.replace(self.control, self.exercise.symbol, known.source)
            for known in self.exercise.answers.variants
        }

    @cached_property
    def texts(self) -> list[str]:
        """All of these, and the skeleton; they run together."""
        blank = source.blank(self.solution, {self.exercise.symbol})
        own = [self.solution, self.control, blank]
        return [*own, *self.variants.values(), *self.mistakes.values()]

    def run(self, texts: Sequence[str], calls: list[dict]) -> list[Outcome]:
        """Run some of `texts` on every call, each as if it had run alone."""
        known = self._known.setdefault(hashlib.sha256(wire.dumps(calls)).digest(), {})
        if not known:
            parts = self._together([*dict.fromkeys(self.texts)], calls)
            for text, cases in parts:
                if cases is None or any(map(_late, cases)):
                    known[text] = self._run([text], calls, PATIENT)
                else:
                    known[text] = Outcome("ok", cases=cases)
        return [known[text] for text in texts]

    def left(self, texts: Sequence[str], cases: Sequence[RecordedCase]) -> list[str]:
        """Those of several modules that do not go wrong on any of these cases, as far as running
        them together shows: who knows what a case of too much computing would have returned. One
        that computed too much is left, and is not run together with others again.
        """
        wrong, soon = set(), [text for text in texts if text not in self._late]
        for text, answers in self._together(soon, [dict(case.call) for case in cases]):
            if any(map(_late, answers or ())):
                self._late.add(text)
            if any(map(_wrong, cases, answers or ())):
                wrong.add(text)
        return [text for text in texts if text not in wrong]

    def _together(
        self, texts: Sequence[str], calls: list[dict]
    ) -> Iterator[tuple[str, list[dict] | None]]:
        """Each text, and what it returns on every call; None where only a process of its own can
        tell.
        """
        for start in range(0, len(texts), AT_ONCE):
            yield from self._halved(texts[start : start + AT_ONCE], calls)

    def _halved(self, texts: Sequence[str], calls: list[dict]) -> Iterator:
        size, half = len(calls), len(texts) // 2
        cases = self._run([self.control, *texts, self.control], calls, TOGETHER).cases
        parts = [cases[at : at + size] for at in range(0, len(cases), size)]
        if len(parts) == len(texts) + 2 and self._alike(parts[0], parts[-1]):
            yield from zip(texts, parts[1:-1], strict=True)
        elif half and parts and self._alike(parts[0], parts[0]):
            yield from self._halved(texts[:half], calls)
            yield from self._halved(texts[half:], calls)
        else:  # one text, or a solution that fails
            yield from ((text, None) for text in texts)

    def _run(self, texts: list[str], calls: list[dict], limits: Limits) -> Outcome:
        filename, symbol = f"{self.exercise.slug}.py", self.exercise.symbol
        forbidden = self.exercise.forbidden
        modules = given.modules(self.exercise.slug, self.solution + "".join(texts))
        return self.sandbox.run_all(
            texts,
            symbol,
            calls,
            filename=filename,
            forbidden=forbidden,
            modules=modules,
            limits=limits,
        )

    def _alike(self, some: list[dict], others: list[dict]) -> bool:
        return len(some) == len(others) and all(
            "values" in one
            and "values" in other
            and compare(one["values"], other["values"], self.exercise.tolerance) is None
            for one, other in zip(some, others, strict=True)
        )


def mistaken(exercise: Exercise, mistake: Mistake, text: str | None = None) -> str:
    """A module with one known mistake in it.

    Args:
        exercise: whose mistake it is.
        mistake: a known one.
        text: of the module; the chapter's own if there is none.

    Raises:
        LookupError: a text to change does not stand there exactly once.
    """
    text = course.solution(exercise.slug) if text is None else text
    if mistake.change is not None:
        return source.change(text, exercise.symbol, mistake.change)
    return source.replace(text, exercise.symbol, mistake.source or "")


def _wrong(case: RecordedCase, answer: Mapping) -> bool:
    """Is an answer surely wrong?"""
    if "values" in answer:
        return case.judge(answer["values"]) is not None
    return not _late(answer)


def _late(answer: Mapping) -> bool:
    """Did it compute for too long, or a case before it?"""
    return answer.get("error", {}).get("kind") == "timeout"
