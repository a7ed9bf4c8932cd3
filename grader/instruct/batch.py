"""Grade a class: read what was handed in, grade what is not graded yet, store each result at once.

What a result depends on is in its digests: the code, the records, the grader. A run that was
stopped, at whatever moment, goes on where it was, and nothing is graded twice.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from grader import course, files
from grader.errors import UserError
from grader.instruct import assignment, cluster, hand_ins, hidden, pool
from grader.instruct.assignment import Assignment
from grader.instruct.hand_ins import Class
from grader.instruct.hidden import RecordSet
from grader.instruct.pool import Answer, Task
from grader.instruct.store import Result, Store
from grader.judge import records
from grader.judge.records import Manifest

JUDGING = ("grader/judge", "grader/enclose", "course", "solutions")
LIBRARIES = ("numpy", "torch")


@dataclass(frozen=True)
class Step:
    """How far a batch is.

    Attributes:
        done: texts that were graded.
        total: texts that are to be graded.
        lost: why the last one could not be graded, where the grader failed.
        missing: protections that did not hold, a sentence each.
    """

    done: int
    total: int
    lost: str = ""
    missing: Sequence[str] = ()


def digests(given: Assignment, known: RecordSet) -> dict[str, str]:
    """For each exercise of an assignment, the digest of the records that its mark comes from: its
    own, and those of what it builds on.

    Raises:
        UserError: an exercise does not exist, or the set has no record of it.
    """
    found = {}
    for exercise in records.select([*given.exercises]):
        if exercise.id not in known.records:
            raise UserError(
                f"The records {known.name} do not have {exercise.id}, which is assigned. Record "
                f"it: grade hidden {exercise.id} --to FOLDER"
            )
        needs = sorted(builds_on(exercise))
        own = [known.records[exercise.id], *(known.records.get(name, "") for name in needs)]
        told = json.dumps([given.core, *own])
        found[exercise.id] = hashlib.sha256(told.encode()).hexdigest()
    return found


def builds_on(exercise: Manifest) -> set[str]:
    """The exercises whose records its mark depends on, too."""
    return {f"{exercise.slug}.{name}" for name in exercise.needs} - {exercise.id}


def grader_digest() -> str:
    """Of all that judges: its code, the course's solutions, and the libraries' versions."""
    whole = hashlib.sha256()
    places = [(course.ROOT, name) for name in JUDGING]
    places += [(one.folder.parent, f"{one.package}/solutions") for one in course.projects()]
    for root, name in places:
        for path in sorted((root / name).rglob("*.py")):
            told = f"{path.relative_to(root).as_posix()}\0"
            whole.update(told.encode() + hashlib.sha256(path.read_bytes()).digest())
    for name in LIBRARIES:
        whole.update(f"{name} {version(name)}\0".encode())
    return whole.hexdigest()


def collect(store: Store, found: Class, given: Assignment) -> int:
    """Store who handed in what; how many attempts there are.

    Raises:
        ReaderError: reading itself failed, whatever was handed in.
    """
    store.enter_students(found.students.values())
    for hand_in in found.hand_ins:
        store.enter(hand_in, hand_ins.code(hand_in.piece, given))
    return len(found.hand_ins)


def grade(
    store: Store, given: Assignment, references: Path, jobs: int, *, scheduler: str = ""
) -> Iterator[Step]:
    """Grade what is not graded yet, and store each result as it comes.

    Args:
        store: open to be written.
        given: what is assigned.
        references: folder of the records.
        jobs: how many processes.
        scheduler: of a Dask cluster that grades instead of them.

    Yields:
        How far it is, at the beginning and after each text.

    Raises:
        UserError: the records do not fit the assignment, or the cluster cannot grade.
    """
    known = hidden.read(references)
    wanted, grader = digests(given, known), grader_digest()
    store.begin_run(given.name, known.digest, grader)
    files.write(store.folder / assignment.NAME, assignment.text(given))
    store.rescore(given)
    store.share()
    _missing(store, given, wanted, grader)
    todo = pending(store, wanted, grader)
    tasks = (Task(text, store.source(text), names) for text, names in todo.items())
    yield Step(0, len(todo))
    if scheduler:
        both = (grader, known.digest)
        answers = cluster.grade(tasks, references, scheduler, core=given.core, digests=both)
    else:
        answers = pool.grade(tasks, references, jobs, core=given.core)
    for done, (task, answer) in enumerate(answers if todo else (), 1):
        found = results(task, answer, wanted, grader)
        store.put(task.digest, found, given)
        if done == 1:
            store.note_sandbox(answer.tier)
        lost = next((one.report["detail"] for one in found if one.state == "ungraded"), "")
        yield Step(done, len(todo), lost, answer.missing)


def pending(store: Store, wanted: Mapping[str, str], grader: str) -> dict[str, list[str]]:
    """The exercises that are still to be graded in each text, in the order of the attempts."""
    known, todo = store.known(wanted, grader), {}
    for text in dict.fromkeys(row["digest"] for row in store.attempts() if row["digest"]):
        there = hand_ins.submissions(store.source(text)).keys()
        done = known.get(text, set())
        names = [name for name in wanted if name.partition(".")[0] in there and name not in done]
        if names:
            todo[text] = names
    return todo


def results(task: Task, answer: Answer, wanted: Mapping[str, str], grader: str) -> Sequence[Result]:
    """Results to store of an answer. What the grader failed on is ungraded, and never a score."""
    found = []
    for name in task.exercises:
        lost = {"id": name, "status": "ungraded", "detail": answer.failed or "No answer."}
        report: Mapping[str, Any] = answer.reports.get(name, lost)
        state = "ungraded" if report["status"] == "ungraded" else "graded"
        seconds = float(report.get("seconds", 0.0))
        found.append(Result(name, state, report, wanted[name], grader, seconds))
    return found


def _missing(store: Store, given: Assignment, wanted: Mapping[str, str], grader: str) -> None:
    """Store what was not handed in, so that each attempt has a row for each exercise."""
    for row in store.attempts():
        there = hand_ins.submissions(store.source(row["digest"])) if row["digest"] else {}
        gone = [name for name in given.exercises if name.partition(".")[0] not in there]
        why = row["problem"] or "The file of this chapter was not handed in."
        found = [
            Result(name, "missing", {"id": name, "status": "missing", "detail": why}, "", "")
            for name in gone
        ]
        if found:
            store.put_missing(row["id"], found, given)
