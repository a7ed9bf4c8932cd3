"""Cases that only an instructor holds: every public case drawn afresh, and the hidden ones.

They lie in a folder with ``set.json``, which says what the set is called, its number, and the
digest of each record. Marks name the digests that they were given with, so a set is never
overwritten: the next one has the next number and a folder beside it.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from grader import files
from grader.author import catalog
from grader.author.bench import Bench
from grader.author.exercise import Exercise
from grader.author.lookup import unseen
from grader.author.recording import path, record, save, save_index
from grader.enclose.sandbox import Sandbox
from grader.errors import UserError
from grader.instruct.assignment import digest
from grader.judge import records

BITS = 128  # of a seed; nobody finds it from the inputs that it draws
NAME = "set.json"


@dataclass(frozen=True)
class RecordSet:
    """The identity of a set of records.

    Attributes:
        name: of the folder that the first set was recorded in.
        number: 1 for the first set, and one more for each that followed it.
        records: digest of each by exercise.
    """

    name: str
    number: int
    records: Mapping[str, str]

    @property
    def digest(self) -> str:
        """Of all of them."""
        told = json.dumps(dict(self.records), sort_keys=True)
        return hashlib.sha256(told.encode()).hexdigest()


def with_needs(chosen: Sequence[Exercise]) -> list[Exercise]:
    """Exercises and all that they build on, each once, in the order of the book."""
    wanted = {exercise.id for exercise in chosen} | {
        f"{exercise.slug}.{n}" for exercise in chosen for n in exercise.needs
    }
    slugs = dict.fromkeys(exercise.slug for exercise in chosen)
    return [exercise for exercise in catalog.select([*slugs]) if exercise.id in wanted]


def there(chosen: Sequence[Exercise], folder: Path) -> list[Exercise]:
    """Those of some exercises that a folder has records of."""
    return [one for one in chosen if path(one.slug, one.symbol, folder).exists()]


def following(folder: Path) -> tuple[Path, int]:
    """The folder of the next set, ``hidden-2`` after ``hidden``, and its number. What the last set
    has is copied there, so that drawing one exercise anew changes no other.
    """
    number, last = max([(1, folder), *_siblings(folder)])
    new = folder.with_name(f"{folder.name}-{number + 1}")
    known = read(last)
    shutil.copytree(last, new)
    _write(replace(known, name=folder.name, number=number + 1), new)
    return new, number + 1


def _siblings(folder: Path) -> Iterator[tuple[int, Path]]:
    form = re.compile(rf"{re.escape(folder.name)}-([1-9]\d*)")
    for other in folder.parent.glob(f"{glob_safe(folder.name)}-*"):
        if found := form.fullmatch(other.name):
            yield int(found[1]), other


def glob_safe(name: str) -> str:
    """A name whose signs stand for themselves in a pattern."""
    return re.sub(r"([*?[])", r"[\1]", name)


def record_hidden(
    chosen: Sequence[Exercise],
    folder: Path,
    sandbox: Sandbox,
    *,
    name: str = "",
    number: int = 1,
) -> Iterator[Path]:
    """Record exercises with seeds that are made here, used for this, and told to nobody: one for
    the inputs, and one for what predictions are judged by. What public cases answer is left out.

    Args:
        chosen: the exercises.
        folder: where the records go; keep it from students.
        sandbox: runs the solutions.
        name: of the set; by default that of the folder.
        number: of the set.

    Yields:
        Each file, when it is written.
    """
    seed, second = secrets.randbits(BITS), secrets.randbits(BITS)
    name = name or folder.resolve().name
    known = {}
    if (folder / NAME).is_file():  # others are added to it
        before = read(folder)
        name, number, known = before.name, before.number, dict(before.records)
    save_index(folder, chosen, hidden=True)
    for exercise in chosen:
        document = record(Bench(exercise, sandbox), seed=seed, second=second)
        yield save(unseen(document, records.load(exercise.slug, exercise.symbol)), folder)
        known[exercise.id] = digest(exercise.slug, exercise.symbol, folder)
        _write(RecordSet(name, number, known), folder)


def _write(found: RecordSet, folder: Path) -> Path:
    told = asdict(found) | {"digest": found.digest}
    return files.write(folder / NAME, json.dumps(told, indent=1, ensure_ascii=False) + "\n")


def digests(folder: Path) -> dict[str, str]:
    """Of each record of a folder, by exercise."""
    return {one.id: digest(one.slug, one.symbol, folder) for one in records.select((), folder)}


def read(folder: Path) -> RecordSet:
    """The set that a folder holds; number 0 for the public records, which are no set.

    Raises:
        UserError: it holds none, or a record is not the one that was recorded.
    """
    try:
        found = digests(folder)
    except UserError as error:
        raise UserError(f"{folder} holds no records: {error}") from error
    if not found:
        raise UserError(f"{folder} holds no records. Record some: grade hidden SLUG --to {folder}")
    if not (folder / NAME).is_file():
        return RecordSet(folder.resolve().name, 0, found)
    try:
        told = json.loads((folder / NAME).read_text(encoding="utf-8"))
        known = RecordSet(str(told["name"]), int(told["number"]), dict(told["records"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"{folder / NAME} cannot be read: {error}.") from error
    if known.records != found:
        other = sorted(set(known.records.items()) ^ set(found.items()))[0][0]
        raise UserError(
            f"The record of {other} in {folder} is not the one that {NAME} names: marks would not "
            "be those of this set. Take the folder from a copy, or record the next set: --again"
        )
    return known
