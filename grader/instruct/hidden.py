"""Cases that only an instructor holds: every public case drawn afresh, and the hidden ones."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path

from grader.author.bench import Bench
from grader.author.exercise import Exercise
from grader.author.record import record, save, save_index
from grader.enclose.sandbox import Sandbox

BITS = 128  # of a seed; nobody finds it from the inputs that it draws


def record_hidden(chosen: Sequence[Exercise], folder: Path, sandbox: Sandbox) -> Iterator[Path]:
    """Record exercises with a seed that is made here, used for this, and told to nobody.

    Args:
        chosen: the exercises.
        folder: where the records go; keep it from students.
        sandbox: runs the solutions.

    Yields:
        Each file, when it is written.
    """
    seed = secrets.randbits(BITS)
    save_index(folder)
    for exercise in chosen:
        yield save(record(Bench(exercise, sandbox), seed=seed), folder)
