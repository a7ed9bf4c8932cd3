"""Proof that an exercise can be trusted: right answers pass, wrong ones fail and are named."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from queue import SimpleQueue

from grader import diagnose, source
from grader.check import ExerciseResult, check
from grader.compare import compare, error_between
from grader.exercise import Exercise
from grader.mutate import mutants
from grader.reference import (
    Reference,
    join,
    load,
    mistaken_source,
    parse,
    record,
    record_cases,
    solution_source,
)
from grader.sandbox import Sandbox
from grader.submission import Submission
from grader.worker import codec

FIRST = 2  # cases that a mutant meets first
MARGIN = 100  # factor between the tolerance and what right answers differ by


@dataclass(frozen=True)
class Evidence:
    """How a known mistake shows.

    Attributes:
        cases: in how many cases it goes wrong.
        kind: what is wrong in the first of them: a kind of `compare.Difference`, ``gradient`` or
            ``error``.
        nearest: the other known mistake that looks most alike; empty where there is no other.
        apart: cases in which the two differ.
        where: the first of these cases.
    """

    cases: int
    kind: str
    nearest: str
    apart: int
    where: str


@dataclass
class Audit:
    """What was found for one exercise.

    Attributes:
        exercise: the audited one.
        public: number of public cases.
        hidden: number of hidden ones.
        mutants: mutants of the solution, those excused as equivalent left out.
        killed: how many of them lose points.
        named: known mistakes that fail and are named, each alone.
        accepted: right variants with full marks.
        right: largest relative difference among right answers.
        wrong: smallest relative difference that gives a known mistake away.
        evidence: for each known mistake, how it shows.
        gaps: what keeps the exercise from being done; empty when it is proven.
    """

    exercise: Exercise
    public: int = 0
    hidden: int = 0
    mutants: int = 0
    killed: int = 0
    named: int = 0
    accepted: int = 0
    right: float = 0.0
    wrong: float = float("inf")
    evidence: dict[str, Evidence] = field(default_factory=dict)
    gaps: list[str] = field(default_factory=list)


def audit(chosen: Sequence[Exercise]) -> Iterator[Audit]:
    """Prove exercises on their public references and on fresh hidden ones, as many at a time as
    there are processors.

    Args:
        chosen: the exercises to prove.

    Yields:
        One audit per exercise, in order.
    """
    public = {slug: load(slug) for slug in {exercise.slug for exercise in chosen}}
    with ExitStack() as stack:
        workers = min(os.cpu_count() or 1, len(chosen))
        free: SimpleQueue[Sandbox] = SimpleQueue()
        for _ in range(workers):
            free.put(stack.enter_context(Sandbox()))

        def run(exercise: Exercise) -> Audit:
            sandbox = free.get()
            try:
                drawn = list(record_cases(exercise, sandbox, secrets.randbits(32)))
                references = public[exercise.slug][exercise.symbol]
                return prove(exercise, references, join(exercise, drawn, True), sandbox)
            finally:
                free.put(sandbox)

        pool = ThreadPoolExecutor(workers)
        stack.callback(pool.shutdown, cancel_futures=True)  # Ctrl-C waits for nothing in the queue
        yield from pool.map(run, chosen)


def prove(
    exercise: Exercise, public: list[Reference], hidden: list[Reference], sandbox: Sandbox
) -> Audit:
    """Prove one exercise.

    Args:
        exercise: the one.
        public: what its students are given.
        hidden: what its instructor grades with.
        sandbox: where everything runs, as a submission does.

    Returns:
        What was found.
    """
    found = Audit(exercise, len(public), len(hidden) - len(public))
    solution = solution_source(exercise.slug)
    _require(found, exercise)

    def grade(text: str, references: list[Reference]) -> ExerciseResult:
        submission = Submission(text, f"{exercise.slug}.py")
        return check(exercise, submission, references=references, sandbox=sandbox)

    for references, edition in ((public, "public"), (hidden, "hidden")):

        def gap(said: str, edition: str = edition) -> None:
            found.gaps.append(f"{said} ({edition} cases)")

        if not (right := grade(solution, references)).passed:
            gap(f"the solution scores {right.earned} of {right.points}: {_why(right)}")
        empty = grade(source.blank(solution, {exercise.symbol}), references)
        if empty.earned or empty.status != "blank":
            gap(f"the skeleton scores {empty.earned} and counts as {empty.status}")
        for number, text in enumerate(exercise.variants, 1):
            variant = source.replace(solution, exercise.symbol, text)
            result = grade(variant, references)
            found.accepted += result.passed and edition == "public"
            if not result.passed:
                gap(f"right variant {number} scores {result.earned}: {_why(result)}")
            found.right = max(found.right, _spread(exercise, variant, references, sandbox))
        for mistake in exercise.mistakes:
            try:
                text = mistaken_source(exercise, mistake)
            except LookupError as error:
                gap(f"mistake {mistake.name}: {error}")
                continue
            result = grade(text, references)
            names = [named.name for named in result.named]
            if result.passed:
                gap(f"mistake {mistake.name} passes")
            elif names != [mistake.name] or not result.complete:
                gap(f"mistake {mistake.name} is named {', '.join(names) or result.status}")
            else:
                found.named += edition == "public"
            found.wrong = min(found.wrong, _giveaway(mistake.name, references, exercise.tolerance))
    found.evidence = {
        mistake.name: _evidence(mistake.name, exercise, hidden) for mistake in exercise.mistakes
    }
    _mutate(found, exercise, solution, hidden, sandbox)
    if found.right * MARGIN > exercise.tolerance:
        found.gaps.append(
            f"right answers differ by {found.right:.1e}, too near the tolerance"
            f" {exercise.tolerance:.0e}"
        )
    if found.wrong < MARGIN * exercise.tolerance:
        found.gaps.append(
            f"a mistake differs by {found.wrong:.1e} only, too near the tolerance"
            f" {exercise.tolerance:.0e}"
        )
    return found


def _evidence(name: str, exercise: Exercise, references: list[Reference]) -> Evidence:
    """How a mistake shows, and what tells it from the one that looks most alike."""
    shows = [entry for entry in references if name in entry.mistakes]
    kind = ""
    if shows:
        values = shows[0].mistakes[name].get("values")
        difference = shows[0].judge(values, exercise.tolerance) if values is not None else None
        kind = difference.kind if difference else "error"
        if difference and difference.where.startswith("grad."):
            kind = "gradient"
    differ = {
        other.name: [
            entry.case.name
            for entry in references
            if not _alike(entry.mistakes.get(name), entry.mistakes.get(other.name), exercise)
        ]
        for other in exercise.mistakes
        if other.name != name
    }
    nearest = min(differ, key=lambda other: len(differ[other]), default="")
    apart = differ.get(nearest, [])
    return Evidence(len(shows), kind, nearest, len(apart), apart[0] if apart else "")


def _alike(one: Mapping | None, other: Mapping | None, exercise: Exercise) -> bool:
    """Do two mistakes give the same result on a case? None stands for the right one."""
    if one is None or other is None:
        return one is other
    return diagnose.same(one, other, exercise.tolerance)


def _mutate(
    found: Audit, exercise: Exercise, solution: str, references: list[Reference], sandbox: Sandbox
) -> None:
    """No small change of the solution keeps full marks, but for those declared equivalent."""
    excused = set(exercise.equivalent)
    survived = set()
    for mutant in mutants(solution, exercise.symbol):
        submission = Submission(mutant.source, f"{exercise.slug}.py")
        passed = all(  # most die in the first cases; the others are spared the rest
            check(exercise, submission, references=some, sandbox=sandbox).passed
            for some in (references[:FIRST], references[FIRST:])
        )
        if mutant.name in excused and passed:
            survived.add(mutant.name)
            continue
        found.mutants += 1
        found.killed += not passed
        if passed:
            found.gaps.append(f"this mutant passes: {mutant.name}")
    for name in sorted(excused - survived):
        found.gaps.append(f"excused as equivalent, but no mutant that passes: {name}")


def _require(found: Audit, exercise: Exercise) -> None:
    """What every exercise has, whatever it is about."""
    for have, least, what in (
        (len(exercise.mistakes), 3, "known mistakes"),
        (len(exercise.variants), 2, "right variants"),
        (found.public, 1, "public cases"),
        (found.hidden, 1, "hidden cases"),
    ):
        if have < least:
            found.gaps.append(f"{have} {what}, at least {least} are needed")
    for what, names in (
        ("case", [case.name for case in exercise.cases]),
        ("mistake", [mistake.name for mistake in exercise.mistakes]),
    ):
        if len(set(names)) < len(names):
            found.gaps.append(f"two {what}s have the same name")


def _why(result: ExerciseResult) -> str:
    """The first thing that went wrong, in a few words."""
    for case in result.cases:
        if case.difference:
            return f"{case.name}: {case.difference.message} {case.difference.numbers}"
        if case.error:
            return f"{case.name}: {case.error.get('message')}"
    return result.detail or result.status


def _spread(exercise: Exercise, text: str, references: list[Reference], sandbox: Sandbox) -> float:
    """How far a right answer is from the reference, over all cases."""
    calls = [dict(entry.call) for entry in references]
    outcome = sandbox.run(text, exercise.symbol, calls, filename=f"{exercise.slug}.py")
    return max(
        (
            error_between(entry.expected, answer["values"])
            for entry, answer in zip(references, outcome.cases, strict=False)
            if "values" in answer and entry.case.at_least is None
        ),
        default=0.0,
    )


def _giveaway(name: str, references: list[Reference], tolerance: float) -> float:
    """The largest difference by which a mistake shows, over all cases.

    ∞ for errors, and for what is no matter of more or less: a shape, a dtype, a change in place.
    """
    largest = 0.0
    for entry in references:
        if name not in entry.mistakes:
            continue
        values = entry.mistakes[name].get("values")
        difference = entry.judge(values, tolerance) if values else None
        if difference is None or difference.kind != "value":
            return float("inf")
        largest = max(largest, error_between(entry.expected, values) or float("inf"))
    return largest


def verify(slug: str, sandbox: Sandbox) -> list[str]:
    """Record again and compare with the references on disk.

    Returns:
        Every case whose inputs or numbers are not what was recorded.

    Raises:
        UserError: the references cannot be read, or are of other cases.
    """
    old, new = load(slug), parse(record(slug, sandbox))
    return [
        f"{slug}.{symbol}, case {before.case.name!r}"
        for symbol in old
        for before, after in zip(old[symbol], new[symbol], strict=True)
        if not _agree(before, after)
    ]


def _agree(before: Reference, after: Reference) -> bool:
    return (
        codec.dumps([before.call, before.held_out]) == codec.dumps([after.call, after.held_out])
        and compare(before.expected, after.expected, 1e-9) is None
        and before.mistakes.keys() == after.mistakes.keys()
    )
