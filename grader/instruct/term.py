"""Assignments of one term, which share their free days.

``term.toml`` in a folder of grades names the other folders; `grade marks` writes it into each.
Every command that tells a mark takes it from `marked`, so none can count a free day twice.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from grader import files
from grader.errors import UserError
from grader.instruct import assignment, marks
from grader.instruct.assignment import Assignment
from grader.instruct.marks import Row
from grader.instruct.store import DATABASE, Store, assigned

NAME = "term.toml"
TEXT = """# Written by grade marks. Folders of grades, as seen from this one:
folders = {folders}  # share free days with it
apart = {apart}  # do not, though they lie nearby
"""
Graded = tuple[Store, Assignment]


@dataclass(frozen=True)
class Term:
    """Folders that share free days.

    Attributes:
        folders: resolved, in order of their names.
        apart: folders nearby that the instructor said do not belong to it.
    """

    folders: Sequence[Path]
    apart: Sequence[Path] = ()


def read(folder: Path) -> Term:
    """The term of a folder of grades: those that it names, those that these name, and itself.

    Raises:
        UserError: a folder is not there any more, or a file cannot be read.
    """
    found, todo, apart = set(), [folder.resolve()], set()
    while todo:
        if (here := todo.pop()) in found:
            continue
        found.add(here)
        others, not_here = _named(here)
        apart |= {*not_here}
        for one in others:
            if not (one / DATABASE).is_file():
                raise UserError(
                    f"{here / NAME} names {one}, which holds no grades. Free days that were used "
                    "there are unknown: put the folder back, or take it out of this file."
                )
        todo += others
    return Term(sorted(found), sorted(apart - found))


def join(folders: Sequence[Path], *, only: bool = False) -> Term:
    """The term of some folders together, not written yet.

    Args:
        folders: of grades.
        only: whether they are all; otherwise those of their terms belong to it, too.
    """
    own = {one.resolve() for one in folders}
    if only:
        named = (one for folder in own for places in _named(folder) for one in places)
        return Term(sorted(own), sorted({*named, *_nearby([*own])} - own))
    terms = [read(one) for one in own]
    whole = {one for term in terms for one in term.folders}
    apart = {one for term in terms for one in term.apart}
    return Term(sorted(whole), sorted(apart - whole))


def write(term: Term) -> None:
    """Write a term into each of its folders, and take these out of the terms that they were in."""
    for folder in term.folders:
        for other in _named(folder)[0]:
            if other not in term.folders and other.is_dir():
                rest, apart = _named(other)
                _write(other, [one for one in rest if one not in term.folders], apart)
        others = [one for one in term.folders if one != folder]
        if others or term.apart:
            _write(folder, others, term.apart)


def marked(store: Store, given: Assignment) -> list[Row]:
    """The mark of each student of an assignment, after the free days that others of its term use.

    Args:
        store: of the class.
        given: what is assigned.

    Raises:
        UserError: a folder nearby may belong to the term and would change a mark, or one of the
            term is not there.
    """
    term = read(store.folder)
    with opened([one for one in term.folders if one != store.folder.resolve()]) as others:
        known = [*others, (store, given)]
        found = tables(known)[-1]
        require([store.folder], known, {store.folder.resolve(): found}, term.apart)
        return found


def require(
    named: Sequence[Path],
    known: Sequence[Graded],
    found: Mapping[Path, Sequence[Row]],
    apart: Collection[Path] = (),
) -> None:
    """Make sure that no assignment nearby changes a mark, which the term does not know of.

    Args:
        named: folders, as the instructor calls them.
        known: the assignments of the term.
        found: marks of some of their folders.
        apart: folders that the instructor said do not belong to it.

    Raises:
        UserError: one does; the message has the command that settles it.
    """
    if not any(_counts(given) for _, given in known):
        return
    places = _nearby([store.folder.resolve() for store, _ in known])
    with opened([one for one in places if one not in apart]) as near:
        if not near:
            return
        whole = tables([*known, *near])
        changed = [
            store.folder
            for (store, _), rows in zip(known, whole, strict=False)
            if found.get(store.folder.resolve(), rows) != rows
        ]
        if not changed:
            return
        parent, place = named[0].parent, named[0].resolve().parent
        others = [
            os.path.normpath(parent / os.path.relpath(store.folder, place)) for store, _ in near
        ]
        own = [*map(str, named)]
        raise UserError(
            f"Free days of {', '.join(own)} may have been used in {', '.join(others)}. Say once "
            f"which assignments share them: grade marks {' '.join(sorted([*own, *others]))}\n"
            f"If these do not: grade marks {' '.join(own)} --only"
        )


def tables(stores: Sequence[Graded]) -> list[list[Row]]:
    """The marks of several assignments, in the order given. Free days are used in the order of the
    due dates, and what one assignment uses up is not there for the next.
    """
    first = datetime.min.replace(tzinfo=UTC)
    order = sorted(
        range(len(stores)), key=lambda i: (stores[i][1].due or first, stores[i][0].folder.resolve())
    )
    found, used = {}, {}
    for index in order:
        store, given = stores[index]
        left = {name: max(0, given.late.free_days - used.get(name, 0)) for name in store.students()}
        found[index] = marks.table(store, given, left)
        for row in found[index]:
            name = row.student.id
            used[name] = used.get(name, 0) + row.mark.free_days
    return [found[index] for index in range(len(stores))]


@contextlib.contextmanager
def opened(folders: Sequence[Path], *, write: bool = False) -> Iterator[list[Graded]]:
    """Folders of grades, open."""
    with contextlib.ExitStack() as stack:
        yield [(stack.enter_context(Store(one, write=write)), assigned(one)) for one in folders]


def _nearby(known: Sequence[Path]) -> list[Path]:
    """Folders of grades beside these, or of the same name in folders beside theirs, that may share
    free days: those with students of these, which are no copies.
    """
    found: dict[Path, None] = {}
    for folder in known:
        places = [*folder.parent.glob("*"), *folder.parent.parent.glob(f"*/{folder.name}")]
        for place in sorted(one.resolve() for one in places):
            if place not in known and place not in found and _shares(place, known):
                found[place] = None
    return [*found]


def _shares(place: Path, known: Sequence[Path]) -> bool:
    """Whether a folder holds grades of students of these, with free days."""
    with contextlib.suppress(UserError, sqlite3.Error, OSError):  # not all there may be read
        if not (place / DATABASE).is_file() or not (place / assignment.NAME).is_file():
            return False
        given = assigned(place)
        if not _counts(given) or {*known} & {*_named(place)[1]}:
            return False
        with opened([place, *known]) as stores:
            (own, _), *others = ((store.students().keys(), given) for store, given in stores)
            return not any(_same(given, one) for _, one in others) and any(
                own & other for other, _ in others
            )
    return False


def _counts(given: Assignment) -> bool:
    """Whether free days can change a mark."""
    return bool(given.late.free_days and given.late.percent)


def _same(one: Assignment, other: Assignment) -> bool:
    """Whether two folders are of one assignment: one is a copy, or has other students."""
    return (one.name, one.due, [*one.exercises]) == (other.name, other.due, [*other.exercises])


def _named(folder: Path) -> tuple[list[Path], list[Path]]:
    """The other folders that a folder's file names, and those that it says are apart."""
    path = folder / NAME
    if not path.is_file():
        return [], []
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read: {error}.") from error
    found = []
    for key in ("folders", "apart"):
        names = told.get(key, [])
        if not (isinstance(names, list) and all(isinstance(one, str) for one in names)):
            raise UserError(f"{path}: {key} is {names!r}, expected a list of folders.")
        found.append([(folder / one).resolve() for one in names])
    return found[0], found[1]


def _write(folder: Path, others: Sequence[Path], apart: Sequence[Path]) -> None:
    names = [
        [Path(os.path.relpath(one, folder)).as_posix() for one in places]
        for places in (others, apart)
    ]
    shared, not_shared = (json.dumps(one, ensure_ascii=False) for one in names)
    files.write(folder / NAME, TEXT.format(folders=shared, apart=not_shared))
