"""Grade one submission: run it in the sandbox, compare outside, name the mistake."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from grader import course
from grader.enclose.outcome import Outcome, one_line
from grader.enclose.sandbox import Sandbox
from grader.errors import UserError
from grader.judge import diagnose, given, inspection, records, syntax, trivial
from grader.judge.compare import Difference
from grader.judge.picture import Picture, picture
from grader.judge.records import Manifest, Mistake, Record, RecordedCase
from grader.judge.submission import Submission

NOT_LOADED = "Before any exercise was called,"  # begins the sentence on what ended a run


@dataclass
class CaseResult:
    """One case of one submission.

    Attributes:
        name: of the case.
        points: what it is worth.
        earned: all of it, or nothing.
        secret: recorded with an instructor's seed; no numbers are shown.
        counted: its cost is judged, which is counted in the process that runs the code.
        corner: an answer can be wrong here and have the idea right.
        difference: the first thing that is wrong with the returned values.
        error: what the code raised: ``kind``, ``type``, ``message``, ``line``, ``text``, and
            ``cell`` for a notebook.
        picture: expected against got; of public cases alone.
        answer: what came back, untrusted; of the first public case that fails.
    """

    name: str
    points: int
    earned: int = 0
    secret: bool = False
    counted: bool = False
    corner: bool = False
    difference: Difference | None = None
    error: Mapping | None = None
    picture: Picture | None = None
    answer: Mapping | None = field(default=None, repr=False)

    @property
    def passed(self) -> bool:
        return self.earned == self.points


@dataclass
class ExerciseResult:
    """One exercise of one submission.

    Attributes:
        exercise: what was asked.
        cases: one result per recorded case, whether it ran or not.
        status: ``passed``, ``failed``, ``blank``, ``refused`` (a shortcut), ``unread`` (its source
            cannot be analyzed), ``ungraded`` (the grader itself failed: there is no score), or
            how the worker ended: ``timeout``, ``memory``, ``died``, ``invalid``.
        detail: a sentence on the status, where there is more to say.
        named: the known mistakes that explain the result.
        complete: they explain every case; otherwise only some of the failures.
        observed: what else can be said of the numbers, when no known mistake explains them.
        upstream: exercises that this one builds on and that are not right either, each with its
            status.
        stood_in: the course's versions of those were put in their place, to see what this one is
            worth by itself; points and known mistakes are those of that run.
        left_out: what of a notebook does not count, and why.
        log: what the code printed and warned.
        seconds: wall time in the worker, as the worker's own clock gave it.
    """

    exercise: Manifest
    cases: list[CaseResult]
    status: str = "failed"
    detail: str = ""
    named: list[Mistake] = field(default_factory=list)
    complete: bool = False
    observed: list[str] = field(default_factory=list)
    upstream: dict[str, str] = field(default_factory=dict)
    stood_in: bool = False
    left_out: list[str] = field(default_factory=list)
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

    @property
    def core_earned(self) -> int:
        return sum(case.earned for case in self.cases if not case.corner)

    @property
    def core_points(self) -> int:
        return sum(case.points for case in self.cases if not case.corner)

    @property
    def idea_right(self) -> bool:
        """Is every core case right, whatever is wrong in the corners?"""
        return self.core_earned == self.core_points > 0


class Grader:
    """Grades submissions of one student, and what has not changed since only once.

    Args:
        sandbox: where the code runs.
        folder: of the records; the public ones by default.
        core: whether the core cases alone are run and count.
        loaded: records by exercise that graders of other students have loaded; filled here too.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        folder: Path | None = None,
        *,
        core: bool = False,
        loaded: dict[str, Record] | None = None,
    ):
        self.sandbox, self.folder, self.core = sandbox, folder, core
        self._records: dict[str, Record] = {} if loaded is None else loaded
        self._asked: set[str] = set()  # by the one who grades; others because they are built on
        self._graded: dict[object, tuple[str, ExerciseResult]] = {}
        self._endless: dict[str, Outcome] = {}  # by text: what never comes to its end when loaded

    def grade(
        self, chosen: Sequence[Manifest], submissions: Mapping[str, Submission]
    ) -> list[ExerciseResult]:
        """Grade exercises, each in the submission of its chapter.

        What one that fails builds on is graded with it, whether it was chosen or not.

        Raises:
            UserError: there is no record of one.
            SandboxError: the sandbox does not work. Where it or the reading of one source fails,
                that exercise is ungraded, and the others are graded.
        """
        self._asked |= {manifest.id for manifest in chosen}
        chapters = {slug: records.manifests(slug) for slug in submissions}
        for slug, exercises in chapters.items():
            asked = {manifest.symbol for manifest in chosen if manifest.slug == slug}
            asked |= {
                name for manifest in chosen if manifest.slug == slug for name in manifest.needs
            }
            with contextlib.suppress(Exception):  # it will be told of each exercise
                submissions[slug].readings(
                    manifest for manifest in exercises if manifest.symbol in asked
                )
        self.sandbox.tier  # noqa: B018 - one that does not work at all is told once
        results = {
            manifest.id: self._guarded(manifest, submissions[manifest.slug]) for manifest in chosen
        }
        for exercise in chosen:
            result, submission = results[exercise.id], submissions[exercise.slug]
            if result.passed or result.status == "ungraded":
                continue
            called, wrong = _reached(exercise, submission, chapters[exercise.slug]), {}
            for manifest in called:
                needed = results.get(manifest.id) or self._guarded(manifest, submission)
                if needed.status not in ("passed", "ungraded"):
                    wrong[manifest] = needed.status
            direct = submission.reading(exercise).uses
            upstream = {
                manifest.id: status
                for manifest, status in wrong.items()
                if manifest.symbol in direct
            }
            if upstream:
                result = replace(result, upstream=upstream, observed=[], named=[])
                results[exercise.id] = self._by_itself(result, [*wrong], submission)
        return [results[exercise.id] for exercise in chosen]

    def _guarded(self, exercise: Manifest, submission: Submission) -> ExerciseResult:
        """The result, or the news that there is none: one exercise must not cost the others."""
        try:
            return self._grade(exercise, submission)
        except UserError:
            raise
        except Exception as error:
            result = _unjudged(self._record(exercise))
            result.status = "ungraded"
            result.detail = one_line(f"The grader failed: {type(error).__name__}: {error}")
            return result

    def _grade(self, exercise: Manifest, submission: Submission) -> ExerciseResult:
        text = submission.reading(exercise).fingerprint
        known, result = self._graded.get(exercise.id, ("", None))
        if result is None or not text or known != text or _names_a_line(result):
            result = self._check(exercise, submission)
            self._graded[exercise.id] = text, result
        return result

    def _check(self, exercise: Manifest, submission: Submission) -> ExerciseResult:
        """Run it, unless the same text has shown that it never comes to its end when loaded."""
        record, text = self._record(exercise), submission.reading(exercise).text
        if text in self._endless:
            return refuse(record, submission) or judge(record, submission, self._endless[text])
        result, outcome = run(record, submission, sandbox=self.sandbox)
        if outcome and outcome.status == "timeout" and not outcome.loaded:
            self._endless[text] = outcome
        return result

    def _record(self, exercise: Manifest) -> Record:
        """Its record; of what was not asked for, and is not in the folder, the public one."""
        if exercise.id not in self._records:
            try:
                record = records.load(exercise.slug, exercise.symbol, self.folder)
            except UserError:
                if exercise.id in self._asked:
                    raise
                record = records.load(exercise.slug, exercise.symbol)
            self._records[exercise.id] = record.core if self.core else record
        return self._records[exercise.id]

    def _by_itself(
        self, result: ExerciseResult, wrong: Sequence[Manifest], submission: Submission
    ) -> ExerciseResult:
        """The result of an exercise that builds on wrong ones: what it is worth without them.

        Of the run with the course's versions it takes points and known mistakes alone. The code
        that ran may have read those versions, and nothing that it says may be shown.
        """
        reading = submission.reading(result.exercise)
        if reading.unwritten or reading.error or reading.refused or reading.text in self._endless:
            return result
        if result.status == "blank":  # what it calls is
            result.status = "failed"
        others = _answers(wrong)
        if not others or result.exercise.symbol in others:
            return result
        key, text = (result.exercise.id, *others), reading.fingerprint
        known, second = self._graded.get(key, ("", None))
        if second is None or known != text:
            try:
                other = submission.with_others(result.exercise, others)
                second = check(self._record(result.exercise), other, sandbox=self.sandbox)
            except Exception:  # then there is no second result, and the first one stands
                return result
            self._graded[key] = text, second
        cases = [
            replace(case, earned=case.points, difference=None, error=None, picture=None)
            if again.passed
            else case
            for case, again in zip(result.cases, second.cases, strict=True)
        ]
        passed = all(case.passed for case in cases)
        return replace(
            result,
            cases=cases,
            status="passed" if passed else result.status,
            detail="" if passed else result.detail,
            named=[] if passed else second.named,
            complete=second.complete,
            stood_in=True,
        )


def _reached(
    exercise: Manifest, submission: Submission, chapter: Sequence[Manifest]
) -> list[Manifest]:
    """Other exercises that an answer calls, and those that the course's version of them may call.

    What it calls need not be what the solution calls; but what the chapter builds later is no
    way to an earlier answer, unless the solution goes it, and nothing is the way to itself.
    """
    place = [manifest.symbol for manifest in chapter].index(exercise.symbol)
    before = {manifest.symbol for manifest in chapter[:place]} | {*exercise.needs} - {
        exercise.symbol
    }
    todo = [name for name in submission.reading(exercise).uses if name in before]
    names = {name: manifest.needs for manifest in chapter for name in [manifest.symbol]}
    reached: set[str] = set()
    while todo:
        if (name := todo.pop()) not in reached:
            reached.add(name)
            todo += [other for other in names.get(name, ()) if other in before]
    return [manifest for manifest in chapter if manifest.symbol in reached]


def _answers(exercises: Sequence[Manifest]) -> dict[str, str]:
    """The course's own definitions by symbol; none where the solutions are not at hand."""
    try:
        text = course.solution(exercises[0].slug)
    except UserError:
        return {}
    others = {one.symbol for one in records.manifests(exercises[0].slug)}
    return {one.symbol: syntax.portion(text, one.symbol, others) for one in exercises}


def _names_a_line(result: ExerciseResult) -> bool:
    """Lines move when something else in the file changes."""
    return result.status == "refused" or any(case.error for case in result.cases)


def check(record: Record, submission: Submission, *, sandbox: Sandbox) -> ExerciseResult:
    """Grade one exercise of a submission.

    Args:
        record: of the exercise, public or hidden.
        submission: the student's source.
        sandbox: where the code runs.

    Returns:
        The result. Whatever the code does, there is one: a crash is a wrong answer with a reason.

    Raises:
        SandboxError: the sandbox itself failed; there is no score.
        ReaderError: the same of the process that reads the source.
    """
    return run(record, submission, sandbox=sandbox)[0]


def run(
    record: Record, submission: Submission, *, sandbox: Sandbox
) -> tuple[ExerciseResult, Outcome | None]:
    """As `check`; and what came back from the sandbox, if anything ran."""
    if refused := refuse(record, submission):
        return refused, None
    told, calls = record.manifest, [dict(case.call) for case in record.cases]
    reading = submission.reading(told)
    if reading.error:  # what is no Python need not run
        outcome = Outcome("ok", cases=[{"error": {**reading.error}} for _ in calls])
    else:
        how = options(told, submission)
        outcome = sandbox.run(reading.text, told.symbol, calls, **how, code=reading.code)
    return judge(record, submission, outcome), outcome


def options(exercise: Manifest, submission: Submission) -> dict:
    """How the sandbox runs a submission for an exercise."""
    return {
        "filename": submission.filename,
        "forbidden": exercise.forbidden,
        "modules": given.modules(exercise.slug, submission.reading(exercise).text),
    }


def refuse(record: Record, submission: Submission) -> ExerciseResult | None:
    """The result of a submission whose source shows a forbidden name, or cannot be analyzed for
    one; None for any other.
    """
    reading, result = submission.reading(record.manifest), _unjudged(record)
    forbidden = record.manifest.forbidden
    result.left_out = [*reading.left_out]
    if reading.refused:
        result.status, result.detail = "unread", reading.refused
        return result
    if reading.shortcut:
        name, line = reading.shortcut
        cell, line = reading.place(line)
        where = f"Cell {cell}, line {line}" if cell else f"Line {line}"
        result.status = "refused"
        asked = "this exercise asks you to do without" if name in forbidden else "no answer needs"
        result.detail = f"{where} uses {name}, which {asked}."
        return result
    return None


def judge(record: Record, submission: Submission, outcome: Outcome) -> ExerciseResult:
    """The result of a run: every case compared, and the mistake named.

    Args:
        record: of the exercise.
        submission: what ran.
        outcome: what came back; nothing in it is trusted.
    """
    exercise, result = record.manifest, _unjudged(record)
    reading = submission.reading(exercise)
    result.left_out = [*reading.left_out]
    result.log, result.seconds = outcome.log, outcome.seconds
    if used := _used(exercise, outcome.cases):
        result.status = "refused"
        result.detail = f"While the code ran, {used}; this exercise asks you to do without."
        return result
    for case, entry, answer in zip(result.cases, record.cases, outcome.cases, strict=False):
        _judge(case, entry, answer)
        if case.error and case.error.get("line"):
            cell, line = reading.place(case.error["line"])
            case.error = {**case.error, "cell": cell, "line": line}
    _withhold(result.cases, record.cases)
    for case, answer in zip(result.cases, outcome.cases, strict=False):
        if not case.passed and not case.secret:
            case.answer = answer
            break
    if outcome.status != "ok":
        name = record.cases[min(len(outcome.cases), len(record.cases) - 1)].name
        where = f"In case {name!r}" if outcome.loaded else NOT_LOADED
        result.status, result.detail = outcome.status, f"{where} {outcome.detail}."
    elif len(outcome.cases) < len(record.cases):
        result.status, result.detail = "invalid", "The worker did not return every case."
    elif all(case.passed for case in result.cases):
        result.status = "passed"
    elif all((case.error or {}).get("kind") == "blank" for case in result.cases):
        result.status = "blank"
    if result.status == "failed":
        _explain(result, record.cases, outcome.cases)
    return result


def _unjudged(record: Record) -> ExerciseResult:
    secret = record.manifest.secret
    cases = [
        CaseResult(case.name, case.points, secret=secret, counted=case.counted, corner=case.corner)
        for case in record.cases
    ]
    return ExerciseResult(record.manifest, cases)


def _judge(case: CaseResult, entry: RecordedCase, answer: Mapping) -> None:
    """Fill in one case from what the worker sent; nothing in it is trusted."""
    values = answer.get("values")
    if not isinstance(values, Mapping):
        error = answer.get("error")
        case.error = error if isinstance(error, Mapping) else {"kind": "exception"}
        if "raised" in entry.expected and case.error.get("kind") == "exception":
            said = (
                f"{case.error.get('message', '')} (a {entry.expected['raised']} is expected here)"
            )
            case.error = {**case.error, "message": said.strip()}
    else:
        try:
            case.difference = _short(entry.judge(values))
            if case.difference and not case.secret and entry.at_least is None:
                where = case.difference.where
                want, got = entry.expected.get(where), values.get(where)
                case.picture = picture(where, want, got, entry.tolerance)
        except Exception:  # values that no probe sends: somebody wrote them by hand
            case.difference = Difference("type", "output", "The result cannot be read.")
        if case.difference is None:
            case.earned = case.points


def _short(difference: Difference | None) -> Difference | None:
    """With what can be read of sentences that list names from a submission."""
    if difference is None:
        return None
    told = {name: one_line(getattr(difference, name)) for name in ("where", "message", "numbers")}
    return replace(difference, **told)


def _withhold(results: Sequence[CaseResult], cases: Sequence[RecordedCase]) -> None:
    """Withhold the points of trivial cases while all other cases are wrong."""
    right = [case.passed for case in results]
    if any(right) and (other := trivial.missing(cases, right)):
        for case, entry in zip(results, cases, strict=True):
            if case.passed:
                case.earned, case.difference = 0, trivial.withheld(entry, other)


def _explain(
    result: ExerciseResult, cases: Sequence[RecordedCase], answers: Sequence[Mapping]
) -> None:
    """Name the mistake; forged values that break the search stay unexplained."""
    exercise = result.exercise
    try:
        result.named, result.complete = diagnose.known(exercise.mistakes, cases, answers)
        if not result.complete:
            result.observed = list(diagnose.observe(cases, answers))
    except Exception:  # nothing that a student sends may stop the grading of the others
        result.named, result.complete = [], False


def _used(exercise: Manifest, answers: Sequence[Mapping]) -> str:
    """Name what was refused while the code ran: an operator that ran, or a forbidden name that was
    called, though the source does not show it.

    Of names, those that torch's own functions call in their turn are not counted.
    """
    for answer in answers:
        error = answer.get("error")
        if isinstance(error, Mapping) and error.get("kind") == "refused":
            return str(error.get("message", ""))
    seen = {str(name) for answer in answers for name in answer.get("called") or ()}
    found = next((name for name in exercise.forbidden if inspection.full_name(name) in seen), None)
    return f"it called {found}" if found else ""
