"""Release a course that checks some exercises and holds no answer to them."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from grader import course, files
from grader.author import catalog
from grader.author.recording import require_current
from grader.enclose.sandbox import Sandbox
from grader.errors import UserError
from grader.instruct import assignment, plan
from grader.instruct.assignment import Assignment
from grader.judge import given as building
from grader.judge import records, source, syntax
from grader.judge.records import Manifest
from grader.student import assigned, workspace

NOT_HANDED_OUT = (
    "author", "exercises", "instruct", "questions", "references", "serve", "__pycache__",
)  # fmt: skip
SHARED = ("data", "device", "download", "fit")  # modules of no chapter, in the order of imports
STAND_INS = {  # for answers that later assignments ask for, and for what is made of them
    "training.Adam": {
        "Adam": "Adam = torch.optim.Adam  # until an assignment asks for it",
        "AdamW": "AdamW = torch.optim.AdamW  # the course's own is made of its Adam",
    },
}
TUTOR = Path(__file__).with_name("tutor.md")  # what coding assistants read in the students' copy
ROOT_FILES = ("pyproject.toml", "setup.py", "constraints.txt", "LICENSE", "LICENSE-TEXT")
README = """# {title}

`assignment.toml` says when it is due and what being late costs; `grade list` puts it into words.

Assigned: {points} in {count}. Main exercises, marked with ✓, are enough to reach a chapter's goals.

| Exercise | | Main | Points |
|---|---|:---:|---:|
{rows}

```sh
python3 -m venv .venv && source .venv/bin/activate
pip install -c constraints.txt -e .
cd work
grade list                 # the exercises
grade check                # what you have
grade check --watch        # again at every save
```

Write in `work/{first}.py` or in the notebook beside it; exercises that are not in the table are
voluntary. Nothing is uploaded: checking compares recorded numbers on your machine. `AGENTS.md` asks
coding assistants to explain instead of writing the answers; if you use one, open this folder in it.
On Linux plain `torch` may bring CUDA libraries of several gigabytes; PyTorch's page on installation
names an index with the small CPU build.
"""


def release(given: Assignment, folder: Path, later: Collection[str] = ()) -> Iterator[Path]:
    """Write a student's copy: the grader with the records of some chapters, skeletons of these in
    ``work``, and the solutions of the other chapters that they build on.

    Args:
        given: its exercises, what each is worth, and when it is due.
        folder: made anew.
        later: exercises of later assignments, whose answers are left out.

    Yields:
        Each file or folder, when it is written.

    Raises:
        UserError: no such exercise, the folder holds something already, or what is assigned builds
            on an exercise of a later assignment.
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
    modules = solutions(chosen, later)
    for name in ROOT_FILES:
        yield files.write(folder / name, (course.ROOT / name).read_bytes())
    ignore = shutil.ignore_patterns(*NOT_HANDED_OUT)
    for name in ("course", "grader"):
        yield Path(shutil.copytree(course.ROOT / name, folder / name, ignore=ignore))
    for name, text in modules.items():
        yield files.write(folder / "solutions" / f"{name}.py", text)
    yield from _records(slugs, folder / "grader" / "references")
    yield from workspace.start(folder / "work", slugs, given)[0]
    yield files.write(folder / "README.md", _readme(given, chosen))
    yield files.write(folder / "AGENTS.md", TUTOR.read_text(encoding="utf-8"))
    yield assignment.write(given, folder)


def _readme(given: Assignment, chosen: Sequence[Manifest]) -> str:
    main = {one.id for slug in given.slugs for one in plan.main_exercises(slug)}
    rows = [
        f"| `{one.id}` | {one.title} | {'✓' * (one.id in main)} | {given.exercises[one.id]:g} |"
        for one in chosen
    ]
    return README.format(
        title=given.title,
        count=assigned.counted(len(chosen)),
        points=assigned.points(sum(given.exercises.values())),
        rows="\n".join(rows),
        first=given.slugs[0],
    )


def solutions(chosen: Sequence[Manifest], later: Collection[str] = ()) -> dict[str, str]:
    """Modules of ``solutions`` that are handed out with some exercises, by name.

    What the chapters build on is whole, but for the answers to exercises of later assignments.
    Their own modules lack the answers to all exercises but those that are not assigned and that an
    assigned one, or another of the chapters, builds on: what is assigned must not need what is not.

    Raises:
        UserError: an exercise builds on one of a later assignment.
    """
    slugs, asked = dict.fromkeys(one.slug for one in chosen), {one.id for one in chosen}
    needs = builds_on(chosen)
    if early := {name: needs[name] for name in sorted(needs) if name in {*later} - asked}:
        name, by = next(iter(early.items()))
        raise UserError(
            f"{by} builds on {name}, which a later assignment asks for. Assign {name} first."
        )
    whole = (needs.keys() | _needed_inside(chosen) - {*later}) - asked
    found = {"__init__": (course.ROOT / "solutions/__init__.py").read_text(encoding="utf-8")}
    for name in sorted(needed(slugs, later)):
        symbols = records.symbols(name) if name in records.slugs() else ()
        if name in slugs:
            gone = {one for one in symbols if f"{name}.{one}" not in whole}
        else:
            gone = {one for one in symbols if f"{name}.{one}" in later}
        text = course.original(name)
        lacking = bool(gone)
        for symbol in sorted(gone) if name not in slugs else ():
            for one, stand_in in STAND_INS.get(f"{name}.{symbol}", {}).items():
                text, gone = source.replace(text, one, stand_in), gone - {one}
        found[name] = source.blank(text, gone) if lacking else text
    return found


def builds_on(chosen: Sequence[Manifest]) -> dict[str, str]:
    """Exercises of other chapters that the course's answers call, each with one that does."""
    found: dict[str, str] = {}
    for one in chosen:
        text = course.solution(one.slug)
        used = syntax.names_in(syntax.Module(text).reachable(one.symbol))
        imported = {home: names & used for home, names in building.imports(text).items()}
        parts = building.collected({home: names for home, names in imported.items() if names})
        for name, part in parts.items():
            home = name.partition(".")[2]
            asked = records.symbols(home) if home in records.slugs() and home != one.slug else ()
            for symbol in syntax.Module(part).binding.keys() & {*asked}:
                found.setdefault(f"{home}.{symbol}", one.id)
    return found


def _needed_inside(chosen: Sequence[Manifest]) -> set[str]:
    """Exercises of their own chapters that they build on, directly or through one another."""
    known = {
        one.id: one for slug in {one.slug for one in chosen} for one in records.manifests(slug)
    }
    todo, found = [*chosen], set[str]()
    while todo:
        one = todo.pop()
        new = {f"{one.slug}.{name}" for name in one.needs} & known.keys() - found
        found |= new
        todo += [known[name] for name in new]
    return found


def needed(slugs: Collection[str], later: Collection[str] = ()) -> set[str]:
    """Modules of ``solutions`` that chapters and their runs import, directly or through one
    another, and those that belong to none, unless they are made of what comes later.
    """
    runs = course.ROOT / "course" / "recipes"
    recipes = [path for slug in slugs if (path := runs / f"{slug}.py").is_file()]
    if recipes:
        recipes.append(runs / "__init__.py")
    todo, found = [*slugs], set[str]()
    for path in recipes:
        todo += building.imports(path.read_text(encoding="utf-8"))
    todo += [name for name in SHARED if not _made_of(name, later)]
    while todo:
        if (name := todo.pop()) not in found:
            found.add(name)
            todo += re.findall(r"^from solutions\.(\w+) ", course.original(name), re.MULTILINE)
    return found


def _made_of(name: str, later: Collection[str]) -> bool:
    """Does a module import one of these exercises?"""
    imported = building.imports(course.solution(name))
    return any(f"{home}.{one}" in later for home, names in imported.items() for one in names)


def _records(slugs: Sequence[str], folder: Path) -> Iterator[Path]:
    kept = {}
    for home in dict.fromkeys(map(records.home, slugs)):
        index = json.loads((home / records.INDEX).read_text(encoding="utf-8"))
        kept |= {slug: index[slug] for slug in index if slug in slugs}
    yield files.write(folder / records.INDEX, json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
    for slug in kept:
        yield Path(shutil.copytree(records.home(slug) / slug, folder / slug))
