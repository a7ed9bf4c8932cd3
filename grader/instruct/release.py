"""Release a course that checks some exercises and holds no answer to them."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from grader import course, files
from grader.author import catalog
from grader.author.recording import require_current
from grader.enclose.sandbox import Sandbox
from grader.errors import UserError
from grader.instruct import assignment
from grader.instruct.assignment import Assignment
from grader.judge import records, source
from grader.student import workspace

NOT_HANDED_OUT = (
    "author", "exercises", "instruct", "questions", "references", "serve", "__pycache__",
)  # fmt: skip
SHARED = ("data", "device", "download", "fit")
TUTOR = Path(__file__).with_name("tutor.md")  # what coding assistants read in the students' copy
ROOT_FILES = ("pyproject.toml", "setup.py", "constraints.txt", "LICENSE", "LICENSE-TEXT")
README = """# {names}

{count} exercises, {points} points.

```sh
python3 -m venv .venv && source .venv/bin/activate
pip install -c constraints.txt -e .
cd work
grade list                 # the exercises
grade check                # what you have
grade check --watch        # again at every save
```

Write in `work/{first}.py` or in the notebook beside it. Nothing is uploaded: checking compares
recorded numbers on your machine. `AGENTS.md` asks coding assistants to explain instead of writing
the answers; if you use one, open this folder in it. On Linux plain `torch` may bring CUDA libraries
of several gigabytes; PyTorch's page on installation names an index with the small CPU build.
"""


def release(given: Assignment, folder: Path) -> Iterator[Path]:
    """Write a student's copy: the grader with the records of some chapters, skeletons of these in
    ``work``, and the solutions of the other chapters that they build on.

    Args:
        given: its exercises, what each is worth, and when it is due.
        folder: made anew.

    Yields:
        Each file or folder, when it is written.

    Raises:
        UserError: no such exercise, or the folder holds something already.
    """
    chosen = records.select(list(given.exercises))
    given = assignment.stamped(given, chosen)
    slugs = list(dict.fromkeys(one.slug for one in chosen))
    if folder.exists() and any(folder.iterdir()):
        raise UserError(f"{folder} is not empty: name a new folder.")
    if outside := [slug for slug in slugs if course.project(slug)]:
        with Sandbox() as sandbox:
            recorded = [one.id for slug in outside for one in records.manifests(slug)]
            require_current(catalog.select(recorded), sandbox)
    for name in ROOT_FILES:
        yield files.write(folder / name, (course.ROOT / name).read_bytes())
    ignore = shutil.ignore_patterns(*NOT_HANDED_OUT)
    for name in ("course", "grader"):
        yield Path(shutil.copytree(course.ROOT / name, folder / name, ignore=ignore))
    yield from _solutions(slugs, folder / "solutions")
    yield from _records(slugs, folder / "grader" / "references")
    yield from workspace.start(folder / "work", slugs)[0]
    points = sum(one.public_points for one in chosen)
    text = README.format(names=", ".join(slugs), count=len(chosen), points=points, first=slugs[0])
    yield files.write(folder / "README.md", text)
    yield files.write(folder / "AGENTS.md", TUTOR.read_text(encoding="utf-8"))
    yield assignment.write(given, folder)


def _solutions(slugs: Sequence[str], folder: Path) -> Iterator[Path]:
    """Write what the chapters build on, whole; their own modules without the answers."""
    yield files.write(folder / "__init__.py", (course.ROOT / "solutions/__init__.py").read_bytes())
    for name in sorted(needed(slugs)):
        text = course.original(name)
        if name in slugs:
            text = source.blank(text, records.symbols(name))
        yield files.write(folder / f"{name}.py", text)


def needed(slugs: Sequence[str]) -> set[str]:
    """Modules of ``solutions`` that chapters import, directly or through one another, and those
    that belong to none.
    """
    found: set[str] = set()
    todo = [*slugs, *SHARED]
    while todo:
        if (name := todo.pop()) not in found:
            found.add(name)
            todo += re.findall(r"^from solutions\.(\w+) ", course.original(name), re.MULTILINE)
    return found


def _records(slugs: Sequence[str], folder: Path) -> Iterator[Path]:
    kept = {}
    for home in dict.fromkeys(map(records.home, slugs)):
        index = json.loads((home / records.INDEX).read_text(encoding="utf-8"))
        kept |= {slug: index[slug] for slug in index if slug in slugs}
    yield files.write(folder / records.INDEX, json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
    for slug in kept:
        yield Path(shutil.copytree(records.home(slug) / slug, folder / slug))
