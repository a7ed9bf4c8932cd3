"""A class made of solutions, other right answers and known mistakes, whose marks are known.

Among its hand-ins are those that real downloads have: modules, notebooks, folders and archives,
several attempts, late ones, groups, copies, files under another name or in another encoding, and
some that would cheat.
"""

from __future__ import annotations

import io
import json
import random
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from grader import course
from grader.author import catalog
from grader.author.bench import Bench
from grader.enclose.sandbox import Sandbox
from grader.instruct.assignment import Assignment, Late, released
from grader.judge import records, source, syntax
from grader.judge.grading import check
from grader.judge.submission import Submission

EXERCISES = (
    *("linear.linear", "linear.softmax", "linear.logistic_loss"),
    *("mlp.relu", "mlp.sigmoid", "mlp.gelu"),
)
DUE = datetime(2026, 12, 1, 23, 59, tzinfo=UTC)
BLANK = "blank"


@dataclass(frozen=True)
class Answer:
    """One answer to an exercise, and what it is worth.

    Attributes:
        text: the module with it.
        earned: points on the instructor's records.
        mistake: the known one that it is.
    """

    text: str
    earned: int
    mistake: str | None = None


@dataclass
class Truth:
    """Results that must come out.

    Attributes:
        answers: for each attempt (student, number), the answer to each exercise that was handed in.
        problems: a part of the reason why an attempt cannot be read.
        submitted: when, of each attempt.
        members: of each group.
    """

    answers: dict[tuple[str, int], dict[str, Answer]] = field(default_factory=dict)
    problems: dict[tuple[str, int], str] = field(default_factory=dict)
    submitted: dict[tuple[str, int], datetime] = field(default_factory=dict)
    members: dict[str, list[str]] = field(default_factory=dict)


def assignment(late: Late | None = None) -> Assignment:
    """Six exercises of two chapters."""
    given = released(records.select(EXERCISES), name="week-1", due=DUE.isoformat())
    return Assignment(**{**vars(given), "late": late or Late()})


def answers(references: Path, sandbox: Sandbox) -> dict[str, list[Answer]]:
    """Answers to each exercise: right ones, known mistakes, and a blank. What a mistake earns is
    computed for it alone, by the function that judges one exercise.
    """
    found = {}
    for exercise in catalog.select(EXERCISES):
        record = records.load(exercise.slug, exercise.symbol, references)
        whole = sum(case.points for case in record.cases)
        bench = Bench(exercise, sandbox)
        known = [Answer(bench.solution, whole)]
        known += [Answer(text, whole) for text in bench.variants.values()]
        for text in bench.mistakes.values():
            told = check(record, Submission(text, f"{exercise.slug}.py"), sandbox=sandbox)
            known.append(Answer(text, told.earned, told.named[0].name if told.named else None))
        blank = source.blank(bench.solution, {exercise.symbol})
        found[exercise.id] = [*known, Answer(blank, 0, BLANK)]
    return found


def make(
    folder: Path, known: Mapping[str, Sequence[Answer]], students: int, seed: int = 0
) -> Truth:
    """Write the hand-ins of a class, a file or folder for each student, and ``roster.csv`` beside
    them.
    """
    chance, truth = random.Random(seed), Truth()
    for number in range(students):
        name = f"s{number:03}"
        for attempt in range(1, 3 if number % 5 == 0 else 2):
            chosen = {one: chance.choice(known[one]) for one in EXERCISES}
            when = DUE + timedelta(hours=chance.randrange(-100, 60))
            if attempt > 1:
                when = max(when, truth.submitted[name, 1] + timedelta(hours=1))
            truth.submitted[name, attempt] = when
            place = folder / name / str(attempt)
            _write(place, number, chosen, chance)
            (place / "timestamp.txt").write_text(f"{when:%Y-%m-%d %H:%M:%S} UTC")
            truth.answers[name, attempt] = chosen
    _oddities(folder, known, truth)
    _groups(folder, truth, students)
    return truth


def text(slug: str, chosen: Mapping[str, Answer]) -> str:
    """A chapter's module with the chosen answers in it."""
    module = course.solution(slug)
    others = {one.partition(".")[2] for one in EXERCISES}
    for exercise, answer in chosen.items():
        chapter, _, symbol = exercise.partition(".")
        if chapter == slug:
            own = syntax.portion(answer.text, symbol, others)
            module = source.replace(module, symbol, own)
    return module


def _write(place: Path, number: int, chosen: Mapping[str, Answer], chance) -> None:
    """In one of the forms that people hand in."""
    place.mkdir(parents=True, exist_ok=True)
    files = {slug: text(slug, chosen) for slug in ("linear", "mlp")}
    form = number % 4
    if form == 0:
        for slug, module in files.items():
            ends = module.replace("\n", "\r\n") if chance.random() < 0.5 else module
            (place / f"{slug}.py").write_bytes(ends.encode())
    elif form == 1:
        for slug, module in files.items():
            (place / f"{slug}.ipynb").write_text(notebook(module))
    elif form == 2:
        (place / "homework.zip").write_bytes(archive({f"w/{k}.py": v for k, v in files.items()}))
    else:  # the whole workspace: the notebook is written, the module is still a skeleton
        for slug, module in files.items():
            symbols = {one.partition(".")[2] for one in EXERCISES if one.startswith(slug)}
            (place / f"{slug}.ipynb").write_text(notebook(module))
            (place / f"{slug}.py").write_text(source.blank(module, symbols))
    (place / "notes.txt").write_text("")


def notebook(module: str) -> str:
    """A module as a notebook, a cell for each piece of it."""
    pieces = [piece for piece in module.split("\n\n\n") if piece.strip()]
    cells = [{"cell_type": "code", "source": piece.splitlines(keepends=True)} for piece in pieces]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def archive(files: Mapping[str, str | bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in files.items():
            file.writestr(name, content)
    return buffer.getvalue()


def _oddities(folder: Path, known: Mapping[str, Sequence[Answer]], truth: Truth) -> None:
    """Hand-ins with something odd in them, each by a student of that name."""
    right = {one: known[one][0] for one in EXERCISES}
    linear, mlp = text("linear", right), text("mlp", right)
    half = {one: answer for one, answer in right.items() if one.startswith("linear")}
    beaten = {one: Answer("", 0) for one in half}
    unread = {
        "latin1": ({"linear.py": b"# \xe9\n" + linear.encode()}, "is not UTF-8 text"),
        "txt": ({"linear.py.txt": linear, "mlp.py.txt": mlp}, "take the last ending"),
        "named": ({"my homework.py": linear}, "There is no linear.py"),
        "empty": ({"linear.ipynb": notebook(""), "mlp.py": "\n"}, "holds no code"),
        "heavy": ({"all.zip": b"\0" * 60_000_000}, "larger than 16 MB"),
        "bomb": ({"all.zip": archive({"linear.py": b"#" * 60_000_000})}, "larger than"),
    }
    for name, (files, reason) in unread.items():
        _files(folder / name, files)
        truth.problems[name, 1] = reason
    graded = {
        "traversal": ({"z.zip": archive({"../../linear.py": linear, "/mlp.py": mlp})}, right),
        "half": ({"linear.py": linear}, half),
        "copy": ({"linear.py": linear, "mlp.py": mlp}, right),
        "exits": ({"linear.py": f"{linear}\nimport os\nos._exit(0)\n"}, beaten),
        "looks": ({"linear.py": f"{linear}\nimport sys\nsys.modules['torch']\n"}, beaten),
        "no_python": ({"linear.py": "def linear(:\n"}, beaten),
    }
    for name, (files, answer) in graded.items():
        _files(folder / name, files)
        truth.answers[name, 1] = answer


def _groups(folder: Path, truth: Truth, students: int) -> None:
    """Two of a group, of whom one handed in; and a student who handed in nothing."""
    names = [*{name for name, _ in (*truth.answers, *truth.problems)}]
    truth.answers["partner", 1] = truth.answers["s001", 1]
    truth.members["team"] = ["s001", "partner"]
    lines = [f"{name},Student {name},,{'team' if name == 's001' else ''}" for name in sorted(names)]
    lines += ["partner,The Partner,,team", "nobody,Handed Nothing In,,"]
    (folder.parent / "roster.csv").write_text("\n".join(["id,name,email,group", *lines]) + "\n")


def _files(folder: Path, files: Mapping[str, str | bytes]) -> None:
    folder.mkdir(parents=True)
    for name, content in files.items():
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
