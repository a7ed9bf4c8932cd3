"""Grade again: an exercise with other records, without a case, or everything, to verify it.

A change is shown before it is written: it is made inside of a transaction, the marks are computed,
and without a yes nothing of it stays.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from grader.errors import UserError, unknown
from grader.instruct import batch, hand_ins, hidden, pool, term
from grader.instruct.assignment import Assignment
from grader.instruct.marks import Row
from grader.instruct.names import shown
from grader.instruct.policy import rounded
from grader.instruct.pool import Task
from grader.instruct.store import Result, Store, counted
from grader.judge import records


class Unwanted(Exception):
    """Nothing is to be written after all."""


def concerned(given: Assignment, name: str) -> list[str]:
    """An exercise, and those of the assignment that build on it: their marks come from its records
    as well.
    """
    assigned = records.select([*given.exercises])
    return [name, *(one.id for one in assigned if name in batch.builds_on(one))]


def again(
    store: Store, given: Assignment, exercises: Sequence[str], references: Path, jobs: int
) -> Iterator[tuple[int, str, Sequence[Result]]]:
    """Grade exercises in all texts that have them, and store nothing.

    Yields:
        How many texts there are, the digest of one, and its results.

    Raises:
        UserError: no such exercise, or no record of it.
    """
    for name in exercises:
        if name not in given.exercises:
            raise unknown("assigned exercise", name, [*given.exercises])
    part = {name: given.exercises[name] for name in exercises}
    wanted = batch.digests(_only(given, part), hidden.read(references))
    grader = batch.grader_digest()
    todo = {}
    for text in dict.fromkeys(row["digest"] for row in store.attempts() if row["digest"]):
        there = hand_ins.submissions(store.source(text)).keys()
        if names := [name for name in wanted if name.partition(".")[0] in there]:
            todo[text] = names
    tasks = (Task(text, store.source(text), names) for text, names in todo.items())
    for task, answer in pool.grade(tasks, references, jobs, core=given.core):
        yield len(todo), task.digest, batch.results(task, answer, wanted, grader)


def exercise(
    store: Store,
    given: Assignment,
    names: Sequence[str],
    found: Sequence[tuple[str, Sequence[Result]]],
    agreed: Callable[[list[str]], bool],
) -> bool:
    """Put new results of exercises in the place of those that are stored.

    What could not be graded now keeps the result that it has.

    Args:
        store: open to be written.
        given: what is assigned.
        names: of the exercise, and of those that build on it.
        found: results by the text's digest.
        agreed: is told whose mark changes, a line each, and says whether to write it.

    Returns:
        Whether it was written.
    """

    def put() -> None:
        for text, results in found:
            store.put(text, [one for one in results if one.state == "graded"], given)

    first, *others = names
    said = f"{first} graded again" + (f", with {', '.join(others)}, built on it" if others else "")
    return _changed(store, given, said, names, put, agreed)


def void(store: Store, given: Assignment, name: str, agreed: Callable[[list[str]], bool]) -> bool:
    """Let a case count for nobody: the exercise is worth as much, and its other cases more.

    Args:
        store: open to be written.
        given: what is assigned.
        name: ``slug.symbol: the case``, or a part of the case's name that no other case has.
        agreed: as in `exercise`.

    Raises:
        UserError: no such case.
    """
    target, _, case = (part.strip() for part in name.partition(":"))
    if target not in given.exercises:
        raise unknown("assigned exercise", target, [*given.exercises])
    cases = _cases(store, target)
    near = [one for one in cases if one == case] or [one for one in cases if case in one]
    if len(near) != 1 or not case:
        raise unknown(f"case of {target}", case, cases)
    if near[0] in store.voids().get(target, ()):
        raise UserError(f"The case {near[0]!r} of {target} is void already.")

    def put() -> None:
        store.base.execute("INSERT INTO void VALUES (?, ?)", (target, near[0]))
        store.rescore(given)

    return _changed(store, given, f"{target}: {near[0]} is void", [target], put, agreed)


def undo(store: Store, given: Assignment, agreed: Callable[[list[str]], bool]) -> bool:
    """Take the last change back.

    Raises:
        UserError: there is none.
    """
    last = store.last_change()
    if last is None:
        raise UserError("No change is noted that could be undone.")

    def put() -> None:
        store.undo(last)
        store.rescore(given)

    return _transaction(store, given, put, agreed, [f"Undone: {last['said']}."])


def verify(
    store: Store, given: Assignment, references: Path, jobs: int
) -> Iterator[tuple[int, list[str]]]:
    """Grade everything again and compare with what is stored.

    Yields:
        How many texts there are, and what of one of them is not as it was, a line each.
    """
    for row in store.attempts():
        if (
            row["digest"]
            and hashlib.sha256(store.source(row["digest"])).hexdigest() != (row["digest"])
        ):
            yield 0, [f"The code of {shown(row['student'])}, attempt {row['number']}, was changed."]
    known = hidden.read(references)
    wanted, grader = batch.digests(given, known), batch.grader_digest()
    for total, text, results in again(store, given, [*given.exercises], references, jobs):
        differing = []
        for one in results:
            query = (
                "SELECT r.*, a.student, a.number FROM attempt a"
                " LEFT JOIN result r ON r.attempt = a.id AND r.exercise = ? WHERE a.digest = ?"
            )
            for row in store.base.execute(query, (one.exercise, text)).fetchall():
                differing += _differing(store, given, row, one, wanted[one.exercise], grader)
        yield total, differing


def _differing(
    store: Store, given: Assignment, row, found: Result, record: str, grader: str
) -> list[str]:
    where = f"{shown(row['student'])}, attempt {row['number']}, {found.exercise}"
    if found.state != "graded":
        return [f"{where}: not graded now: {found.report.get('detail', '')}"]
    if row["state"] != "graded":
        return [f"{where}: is {row['state'] or 'not there'}; grade batch grades it."]
    told = []
    if row["record_digest"] != record:
        told.append(f"{where}: was graded with other records.")
    if row["grader_digest"] != grader:
        told.append(f"{where}: was graded by another version of the grader.")
    voids = store.voids().get(found.exercise, ())
    points = counted(found.report, found.state, given.exercises[found.exercise], voids)
    if points != row["points"]:
        told.append(f"{where}: has {row['points']:g} points, and {points:g} now.")
    elif _earned(json.loads(row["report"])) != _earned(found.report):
        told.append(f"{where}: earned its points in other cases.")
    return told


def _earned(report: Mapping) -> dict[str, float]:
    return {case["name"]: case["earned"] for case in report.get("cases", ())}


def _changed(
    store: Store,
    given: Assignment,
    said: str,
    names: Sequence[str],
    put: Callable[[], None],
    agreed: Callable[[list[str]], bool],
) -> bool:
    def noted() -> None:
        store.change(said, [row for name in names for row in store.results(name)])
        put()

    return _transaction(store, given, noted, agreed, [f"{said}."])


def _transaction(
    store: Store,
    given: Assignment,
    put: Callable[[], None],
    agreed: Callable[[list[str]], bool],
    head: list[str],
) -> bool:
    before = term.marked(store, given)
    try:
        with store.writing():
            put()
            if not agreed([*head, *changes(before, term.marked(store, given))]):
                raise Unwanted
    except Unwanted:
        return False
    return True


def changes(before: Sequence[Row], after: Sequence[Row]) -> list[str]:
    """Whose mark changes, a line each, also where parts of it are still to come; and how many do
    not.
    """
    lines = []
    for old, new in zip(before, after, strict=True):
        if _total(old) != _total(new) or old.mark.state != new.mark.state:
            who = shown(new.student.name or new.student.id)
            lines.append(f"{who}: {_total(old)} -> {_total(new)}")
    rest = len(after) - len(lines)
    return [*lines, f"{len(lines)} marks change, {rest} stay."]


def _total(row: Row) -> str:
    """The points that count, and what is not marked yet."""
    lacking = ", ".join(name for name, points in row.mark.points.items() if points is None)
    points = f"{rounded(row.mark.so_far):g}"
    return f"{points} without {lacking} ({row.mark.state})" if lacking else points


def _only(given: Assignment, exercises: dict) -> Assignment:
    return replace(given, exercises=exercises)


def _cases(store: Store, name: str) -> list[str]:
    """Names of an exercise's cases, as the first report has them."""
    for row in store.results(name):
        if row["state"] == "graded":
            return [case["name"] for case in json.loads(row["report"])["cases"]]
    raise UserError(f"Nothing is graded of {name} yet.")
