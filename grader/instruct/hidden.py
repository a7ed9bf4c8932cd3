"""Cases that only an instructor holds: every public case drawn afresh, and the hidden ones."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path

from grader.author import catalog
from grader.author.bench import Bench
from grader.author.exercise import Exercise
from grader.author.lookup import unseen
from grader.author.record import path, record, save, save_index
from grader.enclose.sandbox import Sandbox
from grader.judge import records

BITS = 128  # of a seed; nobody finds it from the inputs that it draws


def with_needs(chosen: Sequence[Exercise]) -> list[Exercise]:
    """Exercises and all that they build on, each once, in the order of the book."""
    wanted = {one.id for one in chosen} | {f"{one.slug}.{n}" for one in chosen for n in one.needs}
    slugs = dict.fromkeys(one.slug for one in chosen)
    return [one for one in catalog.select([*slugs]) if one.id in wanted]


def there(chosen: Sequence[Exercise], folder: Path) -> list[Exercise]:
    """Those of some exercises that a folder has records of."""
    return [one for one in chosen if path(one.slug, one.symbol, folder).exists()]


def record_hidden(chosen: Sequence[Exercise], folder: Path, sandbox: Sandbox) -> Iterator[Path]:
    """Record exercises with seeds that are made here, used for this, and told to nobody: one for
    the inputs, and one for what predictions are judged by. What public cases answer is left out.

    Args:
        chosen: the exercises.
        folder: where the records go; keep it from students.
        sandbox: runs the solutions.

    Yields:
        Each file, when it is written.
    """
    seed, second = secrets.randbits(BITS), secrets.randbits(BITS)
    save_index(folder, chosen, hidden=True)
    for exercise in chosen:
        document = record(Bench(exercise, sandbox), seed=seed, second=second)
        yield save(unseen(document, records.load(exercise.slug, exercise.symbol)), folder)
