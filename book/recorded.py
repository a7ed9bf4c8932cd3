"""Results of runs that are too long for a page: made by `benchmarks/<name>.py`, kept beside it."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

from torch import Tensor

ROOT = Path(__file__).parents[1]
CALL = re.compile(r"""\b(?:recorded|told)\(\s*["'](\w+)["']\s*[,)]""")


def recorded(name: str, *data: object) -> dict:
    """Contents of `benchmarks/<name>.json`: results, and of what they were taken.

    Besides its results a file holds ``command`` (what repeats the run), ``seeds`` and ``machine``;
    and ``data``, a `fingerprint`, if a page compares the results with some of its own.

    Args:
        name: of the run. A page gives it as a string, so that it runs again when the file changes.
        data: of the page, which must be those of the run.

    Raises:
        ValueError: the run was made on other data.
    """
    run = json.loads(_file(name, ROOT).read_text())
    if data and run.get("data") != (found := fingerprint(*data)):
        raise ValueError(
            f"benchmarks/{name}.json was recorded on other data ({run.get('data')}) than those of "
            f"this page ({found}). Run `{run['command']}`, then the page."
        )
    return run


def fingerprint(*data: object) -> str:
    """Sixteen hex digits that change with every number, dtype, shape and order.

    Equal on all machines only for data that no rounded arithmetic has made.

    Args:
        data: tensors, and tuples and lists of them, to any depth.
    """
    found = hashlib.sha256()

    def add(part: object) -> None:
        if isinstance(part, Tensor):
            found.update(f"{part.dtype} {tuple(part.shape)}".encode())
            found.update(part.cpu().numpy().tobytes())
        elif isinstance(part, tuple | list):
            found.update(f"{len(part)}".encode())
            for each in part:
                add(each)
        else:
            raise TypeError(f"Expected tensors, tuples and lists, got {type(part).__name__}.")

    add(data)
    return found.hexdigest()[:16]


def told(name: str) -> str:
    """One sentence for the page: where the numbers come from, and how to make them again."""
    run = recorded(name)
    where = run["machine"]
    device = where.get("device", "the processor")
    cores = "CPU cores" if "device" in where else "cores"
    seeds = ("seed " if len(run["seeds"]) == 1 else "seeds ") + ", ".join(map(str, run["seeds"]))
    return (
        f"Recorded, not run by this page: `{run['command']}`, {seeds}, on {device} "
        f"({where['cores']} {cores}, {where['processor']}, Python {where['python']}, torch "
        f"{where['torch']})."
    )


def files(source: str, root: Path) -> list[Path]:
    """The files below root that a page's code reads with `recorded`."""
    return sorted(_file(name, root) for name in set(CALL.findall(source)))


def _file(name: str, root: Path) -> Path:
    return root / "benchmarks" / f"{name}.json"
