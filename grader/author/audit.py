"""Proof that an exercise can be trusted: right answers pass, wrong ones fail and are named."""

from __future__ import annotations

import ast
import hashlib
import json
import os
import pkgutil
import platform
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from pathlib import Path
from queue import SimpleQueue

from grader import course, files
from grader.author import catalog, constant, core, coverage, lookup, scaffold
from grader.author.bench import Bench
from grader.author.exercise import Exercise
from grader.author.mutate import mutants
from grader.author.recording import record, renewed
from grader.enclose.outcome import Outcome
from grader.enclose.sandbox import Sandbox
from grader.enclose.worker.entry import Kind, kind_of
from grader.judge import diagnose, given, grading, records, syntax
from grader.judge.compare import error_between
from grader.judge.grading import ExerciseResult
from grader.judge.inspection import SHORT
from grader.judge.records import Record, RecordedCase
from grader.judge.submission import Submission

FIRST = 2  # cases that a mutant meets first
MARGIN = 100  # factor between the tolerance and what right answers differ by


@dataclass
class Audit:
    """Findings on one exercise.

    Attributes:
        exercise: the audited one.
        public: number of public cases.
        hidden: number of hidden ones.
        cases: all of them, as an instructor grades with them.
        shown: what each known mistake returned on them.
        mutants: mutants of the solution, those excused as equivalent left out.
        killed: how many of them lose points.
        named: known mistakes that fail and are named, each alone.
        accepted: right variants with full marks.
        right: largest relative difference among right answers.
        wrong: smallest relative difference that gives a known mistake away.
        gaps: what keeps the exercise from being done; empty when it is proven.
    """

    exercise: Exercise
    public: int = 0
    hidden: int = 0
    cases: Sequence[RecordedCase] = ()
    shown: Mapping[str, Sequence[Mapping]] = field(default_factory=dict)
    mutants: int = 0
    killed: int = 0
    named: int = 0
    accepted: int = 0
    right: float = 0.0
    wrong: float = float("inf")
    gaps: list[str] = field(default_factory=list)


def audit(
    chosen: Sequence[Exercise],
    *,
    keep: bool = False,
    mutate: bool = True,
    fresh: bool = False,
) -> Iterator[Audit]:
    """Prove exercises on their public records and on hidden ones, as many at a time as there are
    processors.

    Args:
        chosen: the exercises to prove.
        keep: whether what is proven leaves its stamp (`unproven`).
        mutate: whether small changes of the solutions are tried too.
        fresh: draw hidden cases that nobody has seen. Else an exercise has the same ones until it
            changes, so that what is proven here is proven elsewhere.

    Yields:
        One audit per exercise, in order.
    """
    with ExitStack() as stack:
        workers = min(os.cpu_count() or 1, len(chosen)) or 1
        free: SimpleQueue[Sandbox] = SimpleQueue()
        for _ in range(workers):
            free.put(stack.enter_context(Sandbox()))

        def run(exercise: Exercise) -> Audit:
            sandbox = free.get()
            try:
                bench = Bench(exercise, sandbox)
                public = records.load(exercise.slug, exercise.symbol)
                seed = secrets.randbits(64) if fresh else drawn_from(exercise)
                secret = record(bench, seed=seed)
                hidden = records.parse(secret, core.names(exercise))
                found = prove(bench, public, hidden, mutate=mutate)
                left = records.parse(lookup.unseen(secret, public))
                found.gaps.extend(lookup.gaps(bench, public, left))
                known = records.core(exercise.slug, exercise.symbol)
                listed = list(known) == core.names(exercise, hidden=False)
                if renewed(bench, records.home(exercise.slug)) or not listed:
                    found.gaps.append(f"its record is out of date: grade record {exercise.id}")
                return found
            finally:
                free.put(sandbox)

        pool = ThreadPoolExecutor(workers)
        stack.callback(pool.shutdown, cancel_futures=True)  # Ctrl-C waits for nothing in the queue
        for found in pool.map(run, chosen):
            if keep:
                _note(found)
            yield found


def proofs(slug: str) -> Path:
    """The file with the stamps of a chapter's exercises, beside their records."""
    return records.home(slug) / "proofs.json"


def unproven(chosen: Sequence[Exercise], lot: int = 0) -> list[Exercise]:
    """Those in which something has changed since they left their stamp.

    The file of stamps is committed: what one machine has proven, others need not prove again. So
    that nobody has to believe it, `lot` proves one in so many of the others all the same, each
    time different ones.
    """
    stamps = {}
    for path in {proofs(exercise.slug) for exercise in chosen}:
        stamps |= _stamps(path)
    drawn = secrets.SystemRandom()
    return [
        exercise
        for exercise in chosen
        if stamps.get(exercise.id) != stamp(exercise) or (lot and drawn.randrange(lot) == 0)
    ]


def _stamps(path: Path) -> dict[str, str]:
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def _note(found: Audit) -> None:
    """Leave the stamp of what is proven, and take away those of what is not, or no longer there."""
    path, name = proofs(found.exercise.slug), found.exercise.id
    stamps = _stamps(path)
    slugs = {key.partition(".")[0] for key in stamps}
    there = {f"{slug}.{symbol}" for slug in slugs for symbol in catalog.files(slug)}
    left = {key: mark for key, mark in stamps.items() if key != name and key in there}
    if not found.gaps:
        left[name] = stamp(found.exercise)
    if left != stamps:
        files.write(path, json.dumps(left, indent=0, sort_keys=True) + "\n")


def drawn_from(exercise: Exercise) -> int:
    """A seed of 64 bits from the text of an exercise, its answers and its solution."""
    path = catalog.files(exercise.slug)[exercise.symbol]
    answer = syntax.fingerprint(course.solution(exercise.slug), exercise.symbol)
    digest = hashlib.sha256(answer.encode())
    for part in (path, catalog.answers_of(path)):
        digest.update(part.read_bytes())
    return int.from_bytes(digest.digest()[:8], "little")


def stamp(exercise: Exercise) -> str:
    """A hash of everything that the proof of an exercise depends on."""
    path = catalog.files(exercise.slug)[exercise.symbol]
    rooms = [catalog.FOLDER.parent / room for room in ("author", "enclose", "judge")]
    machinery = [path for room in rooms for path in sorted(room.rglob("*.py"))]
    machinery = [path for path in machinery if path.stem not in ("commands", "report")]
    parts = [
        *path.parent.glob("__init__.py"),
        path,
        catalog.answers_of(path),
        lookup.TEXT,
        *records.home(exercise.slug).glob(f"{exercise.slug}/{path.stem}{records.SUFFIX}"),
    ]
    digest = hashlib.sha256()
    for path in parts:
        digest.update(path.read_bytes() + b"\0")
    for path in machinery:
        digest.update(_code(path.read_text("utf-8")).encode() + b"\0")
    solution = course.solution(exercise.slug)
    answer = syntax.fingerprint(solution, exercise.symbol)
    elsewhere = given.collected(given.imports(solution)).values()
    code = map(_code, (answer, *elsewhere))
    python = ".".join(platform.python_version_tuple()[:2])
    told = [python, version("numpy"), version("torch"), *coverage.promised(exercise)]
    digest.update("\0".join([*code, *told, *unplaced(exercise)]).encode())
    return digest.hexdigest()[:16]


@cache
def _code(text: str) -> str:
    """The part of a module that runs: no comments, and no docstrings."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node
        ):
            node.body = node.body[1:]
    return ast.dump(tree)


def prove(bench: Bench, public: Record, hidden: Record, *, mutate: bool = True) -> Audit:
    """Prove one exercise.

    Args:
        bench: of the exercise.
        public: what its students are given.
        hidden: what its instructor grades with.
        mutate: whether small changes of the solution are tried too.

    Returns:
        What was found.
    """
    exercise = bench.exercise
    proof = Audit(
        exercise, len(public.cases), len(hidden.cases) - len(public.cases), cases=hidden.cases
    )
    _require(proof, exercise)
    for entry, edition in ((public, "public"), (hidden, "hidden")):
        gaps = [*_grading(proof, bench, entry, public=edition == "public")]
        proof.gaps.extend(f"{gap} ({edition} cases)" for gap in gaps)
    proof.gaps.extend(_core(exercise, public.cases))
    proof.gaps.extend(coverage.size_one(hidden.cases))
    proof.gaps.extend(constant.gaps(hidden, public))
    if mutate:
        _mutate(proof, bench, hidden)
    if proof.right * MARGIN > exercise.tolerance:
        proof.gaps.append(
            f"right answers differ by {proof.right:.1e}, too near the tolerance"
            f" {exercise.tolerance:.0e}"
        )
    if proof.wrong < MARGIN * exercise.tolerance:
        proof.gaps.append(
            f"a mistake differs by {proof.wrong:.1e} only, too near the tolerance"
            f" {exercise.tolerance:.0e}"
        )
    return proof


def _grading(found: Audit, bench: Bench, entry: Record, *, public: bool) -> Iterator[str]:
    """Note how the answers fare in one edition; what is wrong with their marks."""
    exercise, variants, mistakes = bench.exercise, bench.variants, bench.mistakes
    submissions = [Submission(text, f"{exercise.slug}.py") for text in bench.texts]
    (right, _), (control, _), (empty, _), *others = _grade(bench, submissions, entry)
    for said, result in (("the solution", right), ("what is needed of it", control)):
        if not result.passed:
            yield f"{said} scores {result.earned} of {result.points}: {_why(result)}"
    if empty.earned or empty.status != "blank":
        yield f"the skeleton scores {empty.earned} and counts as {empty.status}"
    for name, (result, outcome) in zip(variants, others, strict=False):
        found.accepted += result.passed and public
        if not result.passed:
            yield f"right variant {name} scores {result.earned}: {_why(result)}"
        found.right = max(found.right, _spread(entry.cases, outcome, exercise.tolerance))
    wrong = dict(zip(mistakes, others[len(variants) :], strict=True))
    found.shown = {name: outcome.cases for name, (_, outcome) in wrong.items()}
    for name, (result, outcome) in wrong.items():
        names = [named.name for named in result.named]
        if result.passed:
            yield f"mistake {name} passes"
        elif names != [name] or not result.complete:
            yield f"mistake {name} is named {', '.join(names) or result.status}"
        else:
            found.named += public
        given = _shows(name, entry.cases, outcome.cases)
        found.wrong = min(found.wrong, _giveaway(given, exercise.tolerance))


def _grade(
    bench: Bench, submissions: Sequence[Submission], entry: Record
) -> list[tuple[ExerciseResult, Outcome]]:
    """The result of each, and what came back of it."""
    outcomes = bench.run([one.text for one in submissions], [dict(c.call) for c in entry.cases])
    return [
        (grading.refuse(entry, one) or grading.judge(entry, one, outcome), outcome)
        for one, outcome in zip(submissions, outcomes, strict=True)
    ]


def _core(exercise: Exercise, cases: Sequence[RecordedCase]) -> Iterator[str]:
    """Where the core does not refuse all that gets the idea wrong, or refuses more."""
    inside = [case for case in cases if not case.corner]
    for known in exercise.mistakes:
        refusing = [case.name for case in inside if known.name in case.mistakes]
        if known.corner and refusing:
            yield (
                f"mistake {known.name} is called one of a corner, and case {refusing[0]!r}, which"
                " is core, refuses it"
            )
        if not known.corner and not refusing:
            yield (
                f"mistake {known.name} passes the core: make a case that refuses it core"
                " (corner=False), or call it one of a corner (corner=True)"
            )


def difference_kind(name: str, found: Audit) -> str:
    """Kind of difference in the first case in which a known mistake shows: that of a
    `compare.Difference`, ``gradient`` or ``error``; empty where it shows in none.
    """
    first = next(_shows(name, found.cases, found.shown[name]), None)
    if first is None:
        return ""
    entry, answer = first
    difference = entry.judge(answer["values"]) if "values" in answer else None
    if difference and kind_of(difference.where) is Kind.GRAD:
        return "gradient"
    return difference.kind if difference else "error"


def nearest(name: str, found: Audit) -> tuple[str, list[str]]:
    """The other known mistake that looks most like one, and the cases in which the two differ."""
    given = {entry.name: answer for entry, answer in _shows(name, found.cases, found.shown[name])}
    differ = {
        other.name: [
            entry.name
            for entry in found.cases
            if not _alike(entry.mistakes.get(other.name), given.get(entry.name), entry)
        ]
        for other in found.exercise.mistakes
        if other.name != name
    }
    return min(differ.items(), key=lambda item: len(item[1]), default=("", []))


def _alike(known: Mapping | None, answer: Mapping | None, entry: RecordedCase) -> bool:
    """Did an answer go wrong as a known mistake does on a case? None: it is right there."""
    if known is None or answer is None:
        return known is answer
    return diagnose.same(known, answer, entry)


def _shows(
    name: str, cases: Sequence[RecordedCase], answers: Sequence[Mapping]
) -> Iterator[tuple[RecordedCase, Mapping]]:
    """The cases in which a known mistake shows, and what it returned there, if anything."""
    for index, entry in enumerate(cases):
        if name in entry.mistakes:
            yield entry, answers[index] if index < len(answers) else {}


def _mutate(found: Audit, bench: Bench, entry: Record) -> None:
    """No small change of the solution keeps full marks, but for those declared equivalent."""
    excused, symbol = set(bench.exercise.answers.equivalent), bench.exercise.symbol
    made = {mutant.source: mutant.name for mutant in mutants(bench.control, symbol)}
    # What is right but for rounding passes on one processor and fails on another: either is right.
    left = [text for text, name in made.items() if name not in excused]
    found.mutants, passing = len(left), []
    for cases in (entry.cases[:FIRST], entry.cases[FIRST:]):  # most fail in the first of them
        left = bench.left(left, cases) if left and cases else left
    for text in left:  # what passes, or takes too long, is graded as any submission is
        submission = Submission(text, f"{bench.exercise.slug}.py")
        if grading.check(entry, submission, sandbox=bench.sandbox).passed:
            passing.append(made[text])
    found.killed = found.mutants - len(passing)
    found.gaps.extend(
        f"this mutant passes: {name}: make a case that refuses it, or say why it is right, in the"
        f" answers: equivalent({json.dumps(name, ensure_ascii=False)}, why=...)"
        for name in passing
    )
    for name in sorted(excused - {*made.values()}):
        found.gaps.append(f"excused as equivalent, but there is no such mutant: {name}")


def _require(found: Audit, exercise: Exercise) -> None:
    """Require what every exercise has, whatever it is about."""
    for have, least, what in (
        (len(exercise.mistakes), 3, "known mistakes"),
        (len(exercise.answers.variants), 2, "right variants"),
        (found.public, 1, "public cases"),
        (found.hidden, 1, "hidden cases"),
    ):
        if have < least:
            found.gaps.append(f"{have} {what}, at least {least} are needed")
    if not core.names(exercise, hidden=False):
        found.gaps.append("no public case is core: corner=False")
    found.gaps.extend(coverage.missing(exercise))
    found.gaps.extend(_unfilled(exercise))
    found.gaps.extend(_nowhere(exercise))
    found.gaps.extend(unplaced(exercise))
    for what, names in (
        ("case", [case.name for case in exercise.cases]),
        ("mistake", [mistake.name for mistake in exercise.mistakes]),
    ):
        if len(set(names)) < len(names):
            found.gaps.append(f"two {what}s have the same name")


def _unfilled(exercise: Exercise) -> Iterator[str]:
    """Yield texts that are still as `make exercise` wrote them."""
    whys = [(f"the why of {known.name}", known.why) for known in exercise.mistakes]
    for place, text in (("the title", exercise.title), ("the hint", exercise.hint), *whys):
        if text in (scaffold.TITLE, scaffold.HINT, scaffold.WHY):
            yield f"{place} is not filled in"


def _nowhere(exercise: Exercise) -> Iterator[str]:
    """Yield names in its `forbidden` that nothing has: they would refuse nothing."""
    for name in exercise.forbidden:
        root, dot, rest = name.partition(".")
        try:
            pkgutil.resolve_name(SHORT.get(root, root) + dot + rest)
        except (ImportError, AttributeError, ValueError):
            yield f"forbidden={name!r}: there is nothing of that name"


def unplaced(exercise: Exercise) -> Iterator[str]:
    """Yield what the chapter's page lacks; chapters of projects have none."""
    if course.project(exercise.slug):
        if exercise.section and not exercise.section.startswith(course.SITE):
            yield f"the section {exercise.section!r} is no address: write https://..., or nothing"
        return
    page = f"book/{exercise.slug}.md"
    if not (course.ROOT / page).is_file():
        return
    if exercise.symbol not in course.stated(exercise.slug):
        yield f"{page} has no box for it. Write it there, and record again: that sets the order"
    if exercise.symbol not in course.shown(exercise.slug):
        yield f"{page} does not show its solution: show({exercise.symbol}) in a code cell"
    if exercise.section not in course.anchors(exercise.slug):
        yield f"{page} has no section {exercise.section!r}: ({exercise.section})= above a heading"


def _why(result: ExerciseResult) -> str:
    """The first thing that went wrong, in a few words."""
    for case in result.cases:
        if case.difference:
            return f"{case.name}: {case.difference.message} {case.difference.numbers}"
        if case.error:
            return f"{case.name}: {case.error.get('message')}"
    return result.detail or result.status


def _spread(cases: Sequence[RecordedCase], outcome: Outcome, tolerance: float) -> float:
    """How far a right answer is from the record, over all cases that have this tolerance."""
    return max(
        (
            error_between(entry.expected, answer["values"])
            for entry, answer in zip(cases, outcome.cases, strict=False)
            if "values" in answer and entry.at_least is None and entry.tolerance == tolerance
        ),
        default=0.0,
    )


def _giveaway(shows: Iterable[tuple[RecordedCase, Mapping]], tolerance: float) -> float:
    """The largest difference by which a mistake shows, over all cases in which it does.

    ∞ for errors, and for what is no matter of more or less: a shape, a dtype, a change in place.
    """
    largest = 0.0
    for entry, answer in shows:
        values = answer.get("values")
        difference = entry.judge(values) if values else None
        if not values or difference is None or difference.kind != "value" or "layout" in values:
            return float("inf")
        largest = max(largest, error_between(entry.expected, values) or float("inf"))
    return largest
