"""Grade one submission: run it in the sandbox, compare outside, name the mistake."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grader import diagnose, source
from grader.compare import Difference
from grader.exercise import Exercise, Mistake
from grader.picture import Picture, picture
from grader.reference import Reference, load
from grader.sandbox import Sandbox
from grader.submission import Submission


@dataclass
class CaseResult:
    """One case of one submission.

    Attributes:
        name: of the case.
        points: what it is worth.
        earned: all of it, or nothing.
        secret: recorded with the instructor's seed; no numbers are shown.
        difference: the first thing that is wrong with the returned values.
        error: what the code raised: ``kind``, ``type``, ``message``, ``line``, ``text``, and
            ``cell`` for a notebook.
        picture: expected against got; of public cases alone.
    """

    name: str
    points: int
    earned: int = 0
    secret: bool = False
    difference: Difference | None = None
    error: Mapping | None = None
    picture: Picture | None = None

    @property
    def passed(self) -> bool:
        return self.earned == self.points


@dataclass
class ExerciseResult:
    """One exercise of one submission.

    Attributes:
        exercise: what was asked.
        cases: one result per recorded case, whether it ran or not.
        status: ``passed``, ``failed``, ``blank``, ``refused`` (a shortcut) or how the worker
            ended: ``timeout``, ``memory``, ``died``, ``invalid``.
        detail: a sentence on the status, where there is more to say.
        named: the known mistakes that explain the result.
        complete: they explain every case; otherwise only some of the failures.
        observed: what else can be said of the numbers, when no known mistake explains them.
        upstream: exercises that this one builds on and that are not right either.
        log: what the code printed and warned.
        seconds: wall time in the worker, as the worker's own clock gave it.
    """

    exercise: Exercise
    cases: list[CaseResult]
    status: str = "failed"
    detail: str = ""
    named: list[Mistake] = field(default_factory=list)
    complete: bool = False
    observed: list[str] = field(default_factory=list)
    upstream: list[str] = field(default_factory=list)
    log: str = ""
    seconds: float = 0.0

    @property
    def earned(self) -> int:
        return sum(case.earned for case in self.cases)

    @property
    def points(self) -> int:
        return sum(case.points for case in self.cases)

    @property
    def passed(self) -> bool:
        return self.status == "passed"


class Desk:
    """Grades submissions of one student, and what has not changed since only once.

    Args:
        sandbox: where the code runs.
        folder: of the references; the public ones by default.
    """

    def __init__(self, sandbox: Sandbox, folder: Path | None = None):
        self.sandbox, self.folder = sandbox, folder
        self._references: dict[str, dict[str, list[Reference]]] = {}
        self._graded: dict[str, tuple[str, ExerciseResult]] = {}

    def grade(
        self, chosen: Sequence[Exercise], submissions: Mapping[str, Submission]
    ) -> list[ExerciseResult]:
        """Grade exercises, each in the submission of its chapter."""
        results = [self._grade(exercise, submissions[exercise.slug]) for exercise in chosen]
        wrong = {result.exercise.id for result in results if not result.passed}
        for result in results:
            needed = [f"{result.exercise.slug}.{name}" for name in result.exercise.needs]
            result.upstream = [name for name in needed if name in wrong]
        return results

    def _grade(self, exercise: Exercise, submission: Submission) -> ExerciseResult:
        text = source.fingerprint(submission.text, exercise.symbol)
        known, result = self._graded.get(exercise.id, (None, None))
        if result is None or known != text or _names_a_line(result):
            if exercise.slug not in self._references:
                self._references[exercise.slug] = load(exercise.slug, self.folder)
            references = self._references[exercise.slug][exercise.symbol]
            result = check(exercise, submission, references=references, sandbox=self.sandbox)
            self._graded[exercise.id] = text, result
        return result


def _names_a_line(result: ExerciseResult) -> bool:
    """Lines move when something else in the file changes."""
    return result.status == "refused" or any(case.error for case in result.cases)


def check(
    exercise: Exercise,
    submission: Submission,
    *,
    references: Sequence[Reference],
    sandbox: Sandbox,
) -> ExerciseResult:
    """Grade one exercise of a submission.

    Args:
        exercise: what to check.
        submission: the student's source.
        references: of this exercise, public or hidden.
        sandbox: where the code runs.

    Returns:
        The result. Whatever the code does, there is one: a crash is a wrong answer with a reason.

    Raises:
        SandboxError: the sandbox itself failed; there is no score.
    """
    blanks = [
        CaseResult(entry.case.name, entry.case.points, secret=entry.secret) for entry in references
    ]
    result = ExerciseResult(exercise, blanks)
    try:
        used = list(source.shortcuts(submission.text, exercise.symbol, exercise.forbidden))
    except (SyntaxError, ValueError, RecursionError):
        used = []  # the worker reports it, with the line
    if used:
        name, line = used[0]
        cell, line = submission.place(line)
        where = f"Cell {cell}, line {line}" if cell else f"Line {line}"
        result.status = "refused"
        result.detail = f"{where} uses {name}, which this exercise asks you to do without."
        return result
    calls = [dict(entry.call) for entry in references]
    outcome = sandbox.run(submission.text, exercise.symbol, calls, filename=submission.filename)
    result.log, result.seconds = outcome.log, outcome.seconds
    if called := _called(exercise, outcome.cases):
        result.status = "refused"
        result.detail = (
            f"{called} was called while the code ran; this exercise asks you to do without it."
        )
        return result
    for case, entry, answer in zip(blanks, references, outcome.cases, strict=False):
        _judge(case, entry, answer, exercise.tolerance)
        if case.error and case.error.get("line"):
            cell, line = submission.place(case.error["line"])
            case.error = {**case.error, "cell": cell, "line": line}
    if outcome.status != "ok":
        name = references[min(len(outcome.cases), len(references) - 1)].case.name
        result.status, result.detail = outcome.status, f"In case {name!r} {outcome.detail}."
    elif len(outcome.cases) < len(references):
        result.status, result.detail = "invalid", "The worker did not return every case."
    elif all(case.passed for case in blanks):
        result.status = "passed"
    elif all((case.error or {}).get("kind") == "blank" for case in blanks):
        result.status = "blank"
    if result.status == "failed":
        _explain(result, references, outcome.cases)
    return result


def _judge(case: CaseResult, entry: Reference, answer: Mapping, tolerance: float) -> None:
    """Fill in one case from what the worker sent; nothing in it is trusted."""
    values = answer.get("values")
    if not isinstance(values, Mapping):
        error = answer.get("error")
        case.error = error if isinstance(error, Mapping) else {"kind": "exception"}
    else:
        try:
            case.difference = entry.judge(values, tolerance)
            if case.difference and not case.secret and entry.case.at_least is None:
                where = case.difference.where
                want, got = entry.expected.get(where), values.get(where)
                case.picture = picture(where, want, got, tolerance)
        except Exception:  # values that no probe sends: somebody wrote them by hand
            case.difference = Difference("type", "output", "The result cannot be read.")
        if case.difference is None:
            case.earned = case.points


def _explain(
    result: ExerciseResult, references: Sequence[Reference], answers: Sequence[Mapping]
) -> None:
    """Name the mistake; forged values that break the search stay unexplained."""
    exercise = result.exercise
    try:
        result.named, result.complete = diagnose.known(
            exercise.mistakes, references, answers, exercise.tolerance
        )
        if not result.complete:
            result.observed = list(diagnose.observe(references, answers, exercise.tolerance))
    except Exception:  # nothing that a student sends may stop the grading of the others
        result.named, result.complete = [], False


def _called(exercise: Exercise, answers: Sequence[Mapping]) -> str | None:
    """A forbidden name that was called, though the source does not show it.

    What torch's own functions call in their turn is not counted: the worker does not see it.
    """
    seen = {str(name) for answer in answers for name in answer.get("called") or ()}
    return next((name for name in exercise.forbidden if source.full_name(name) in seen), None)
