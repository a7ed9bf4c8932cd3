"""Results of runs that are too long for a page: made by `benchmarks/<name>.py`, kept beside it."""

from __future__ import annotations

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
CALL = re.compile(r"""\b(?:recorded|told)\(\s*["'](\w+)["']\s*\)""")


def recorded(name: str) -> dict:
    """Contents of `benchmarks/<name>.json`: results, and of what they were taken.

    Besides its results a file holds ``command`` (what repeats the run), ``seeds`` and ``machine``.

    Args:
        name: of the run. A page gives it as a string, so that it runs again when the file changes.
    """
    return json.loads(_file(name, ROOT).read_text())


def told(name: str) -> str:
    """One sentence for the page: where the numbers come from, and how to make them again."""
    run = recorded(name)
    where = run["machine"]
    device = where.get("device", "the processor")
    seeds = ", ".join(map(str, run["seeds"]))
    return (
        f"Recorded, not run by this page: `{run['command']}`, seeds {seeds}, on {device} "
        f"({where['cores']} cores, {where['processor']}, torch {where['torch']})."
    )


def files(source: str, root: Path) -> list[Path]:
    """The files below root that a page's code reads with `recorded`."""
    return sorted(_file(name, root) for name in set(CALL.findall(source)))


def _file(name: str, root: Path) -> Path:
    return root / "benchmarks" / f"{name}.json"
