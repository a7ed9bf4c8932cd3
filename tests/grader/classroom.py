"""A made class: answers in many hands, copies in disguise, the gradebook that they end in, and
hand-ins whose marks are known.

Every student writes down, for each exercise, the solution, a right variant or a known mistake,
in a hand of their own: small rewrites that keep what the code computes. A copy is another's text
with its names, order and layout changed, comments and dead code added.

Among the hand-ins are those that real downloads have: modules, notebooks, folders and archives,
several attempts, late ones, groups, copies, files under another name or in another encoding, and
some that would cheat.
"""

from __future__ import annotations

import ast
import io
import json
import random
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

from grader import course
from grader.author import catalog
from grader.author.bench import Bench
from grader.enclose.sandbox import Sandbox
from grader.instruct.assignment import Assignment, Late, released
from grader.instruct.hand_ins import Code, HandIn, Student
from grader.instruct.layouts import Piece
from grader.instruct.store import Result, Store
from grader.judge import records, source, syntax
from grader.judge.grading import Grader, check
from grader.judge.submission import Submission
from grader.student import export

EXERCISES = ("log_sum_exp", "softmax", "squared_loss", "cross_entropy", "LinearModel", "train")
SLUG = "linear"
ASSIGNED = (
    *("linear.linear", "linear.softmax", "linear.logistic_loss"),
    *("mlp.relu", "mlp.sigmoid", "mlp.gelu"),
)
DUE = datetime(2026, 12, 1, 23, 59, tzinfo=UTC)
BLANK = "blank"


NAMES = """Ada Lovelace
Alan Turing
Grace Hopper
Emmy Noether
Carl Gauss
Sofia Kovalevskaya
Srinivasa Ramanujan
Maryam Mirzakhani
Leonhard Euler
Katherine Johnson
Kurt Gödel
Évariste Galois
Sophie Germain
John von Neumann
Barbara Liskov
Edsger Dijkstra
Radia Perlman
Tony Hoare
Frances Allen
Claude Shannon
Mary Cartwright
Andrey Kolmogorov
Olga Ladyzhenskaya
Blaise Pascal
Émilie du Châtelet
Maria Agnesi
Georg Cantor
David Hilbert
Hermann Weyl
Paul Erdős
Niels Abel
Augustin Cauchy
Bernhard Riemann
Henri Poincaré
Felix Klein
Julia Robinson""".splitlines()


# What students write


@cache
def answers(symbol: str, *, wrong: bool = True) -> list[str]:
    """The texts of an exercise's answers: the solution, right ones, and known mistakes."""
    (exercise,) = catalog.select([f"{SLUG}.{symbol}"])
    solution = course.solution(SLUG)
    own = syntax.portion(solution, symbol, records.symbols(SLUG))
    found = [own, *(one.source for one in exercise.answers.variants if one.source)]
    for one in exercise.answers.mistakes if wrong else ():
        found.append(one.source or _changed(own, one.change))
    return found


def _changed(text: str, change: Mapping[str, str]) -> str:
    for old, new in change.items():
        text = text.replace(old, new)
    return text


def written(chance: random.Random, mistakes: float = 0.25) -> str:
    """Code that one student hands in: for each exercise one of its answers, in their own hand. The
    rest of the chapter is the published one.
    """
    text = course.solution(SLUG)
    for symbol in EXERCISES:
        wrong = chance.random() < mistakes
        text = source.replace(text, symbol, chance.choice(answers(symbol, wrong=wrong)))
    return by_hand(text, chance)


class Hand(ast.NodeTransformer):
    """Small choices that keep what the code computes, each made anew wherever there is one."""

    def __init__(self, chance: random.Random, often: float = 0.5):
        self.chance, self.often, self.count = chance, often, 0

    def now(self) -> bool:
        return self.chance.random() < self.often

    def visit_FunctionDef(self, node):
        self.generic_visit(node)
        node.body = [one for part in node.body for one in self.steps(part)]
        return node

    def steps(self, node):
        """A result, or one operand of it, on a line before."""
        value = getattr(node, "value", None)
        if not isinstance(node, ast.Return | ast.Assign) or not self.now():
            return [node]
        self.count += 1
        name = f"part_{self.count}"
        if isinstance(value, ast.BinOp):
            side = self.chance.choice(["left", "right"])
            taken = getattr(value, side)
            if side == "right" and not isinstance(value.left, ast.Name | ast.Constant):
                return [node]  # keeps the order in which they are computed
            setattr(value, side, ast.Name(name, ast.Load()))
        elif isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
            taken = value.func.value
            if isinstance(taken, ast.Name):
                return [node]
            value.func.value = ast.Name(name, ast.Load())
        else:
            return [node]
        return [ast.Assign([ast.Name(name, ast.Store())], taken), node]

    def visit_Call(self, node):
        self.generic_visit(node)
        function = node.func
        if isinstance(function, ast.Attribute) and not node.args and not node.keywords:
            known = function.attr in ("exp", "log", "abs", "sqrt", "square")
            if known and self.now():
                head = ast.Attribute(ast.Name("torch", ast.Load()), function.attr, ast.Load())
                return ast.Call(head, [function.value], [])
        return node

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if isinstance(node.op, ast.Mult | ast.Add) and self.now():
            simple = ast.Name | ast.Constant | ast.Attribute
            if isinstance(node.left, simple) and isinstance(node.right, simple):
                return ast.BinOp(node.right, node.op, node.left)
        return node


def by_hand(text: str, chance: random.Random) -> str:
    return ast.unparse(ast.fix_missing_locations(Hand(chance).visit(ast.parse(text)))) + "\n"


# Copies in disguise


def copied(text: str, chance: random.Random) -> str:
    """The same program with other names, another order and layout, comments and dead code."""
    tree = ast.parse(text)
    _rename(tree)
    imports = [node for node in tree.body if isinstance(node, syntax.IMPORTS)]
    rest = [node for node in tree.body if not isinstance(node, syntax.IMPORTS)]
    definitions = [node for node in rest if isinstance(node, syntax.Definition)]
    others = [node for node in rest if not isinstance(node, syntax.Definition)]
    chance.shuffle(definitions)
    for node in definitions:
        for inner in ast.walk(node):
            if isinstance(inner, ast.FunctionDef):
                _pad(inner, chance)
    unused = ast.parse("def unused(a):\n    return a").body
    tree.body = [*imports, *unused, *definitions, *others]
    lines = ast.unparse(ast.fix_missing_locations(tree)).splitlines()
    out = []
    for line in lines:
        if line.strip() and chance.random() < 0.3:
            out.append(re.match(r"\s*", line)[0] + f"# step {len(out)}")
        out.append(line)
        if chance.random() < 0.15:
            out.append("")
    return "\n".join(out) + "\n"


def _rename(tree: ast.Module) -> None:
    """Gives every local name another; arguments keep theirs, which callers use."""
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        given = {part.arg for part in ast.walk(function) if isinstance(part, ast.arg)}
        stored = {
            part.id
            for part in ast.walk(function)
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
        }
        others = {name: f"q_{number}" for number, name in enumerate(sorted(stored - given))}
        for part in ast.walk(function):
            if isinstance(part, ast.Name) and part.id in others:
                part.id = others[part.id]


def _pad(function: ast.FunctionDef, chance: random.Random) -> None:
    """Dead code of four kinds somewhere in a body."""
    dead = ("idle = 3\nidle = idle + 1", "if False:\n    return None", "pass", "spare = [1, 2, 3]")
    for text in chance.sample(dead, 2):
        at = chance.randrange(len(function.body))
        function.body[at:at] = ast.parse(text).body


# Where they end


def gradebook(folder: Path, class_: Mapping[str, Sequence[str]], sandbox=None, **more) -> Path:
    """A folder of grades.

    Args:
        folder: made.
        class_: of each student the texts that were handed in, one after another.
        sandbox: grades them; without one there are no results.
        more: ``problems``, by student, of their last attempt; ``marks``; ``groups``.
    """
    ids = {name: re.sub(r"\W+", ".", name.casefold()) for name in class_}
    marks = {ids[name]: found for name, found in more.get("marks", {}).items()}
    with Store(folder, write=True) as store:
        store.begin_run("week-1", "r", "g")
        store.note_sandbox("s")
        store.enter_students(
            Student(who, name, f"{who}@example.org", more.get("groups", {}).get(name, ""))
            for name, who in ids.items()
        )
        for place, (name, texts) in enumerate(class_.items()):
            for attempt, text in enumerate(texts, 1):
                day, hour = 14 + (place * 7 + attempt * 3) % 6, (place * 5 + attempt * 11) % 24
                when, file = f"2026-11-{day:02}T{hour:02}:15:00+00:00", f"{SLUG}.py"
                piece = Piece([ids[name]], [name], [], Path(ids[name], file))
                problem = more.get("problems", {}).get(name, "") if attempt == len(texts) else ""
                code = Code({file: text}, {}, problem)
                store.enter(HandIn(ids[name], attempt, when, piece), code)
                if sandbox and not problem:
                    store.put(code.digest, *_graded(text, sandbox))
        store.set_marks((who, *one) for who, found in marks.items() for one in found)
    return folder


def _graded(text: str, sandbox) -> tuple[list[Result], Assignment]:
    """Results, and an assignment in which each exercise is worth what was recorded."""
    chosen = records.select([f"{SLUG}.{symbol}" for symbol in EXERCISES])
    found = Grader(sandbox).grade(chosen, {SLUG: Submission(text, f"{SLUG}.py")})
    reports = export.as_json(found, [])["exercises"]
    states = {"blank": "missing", "ungraded": "ungraded"}
    results = [
        Result(one["id"], states.get(one["status"], "graded"), one, "r", "g", one["seconds"])
        for one in reports
    ]
    worth = {one["id"]: one["points"] for one in reports}
    return results, Assignment(name="week-1", title="", exercises=worth)


# A class whose marks are known


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
    given = released(records.select(ASSIGNED), name="week-1", due=DUE.isoformat())
    return Assignment(**{**vars(given), "late": late or Late()})


def judged(references: Path, sandbox: Sandbox) -> dict[str, list[Answer]]:
    """Answers to each exercise: right ones, known mistakes, and a blank. What a mistake earns is
    computed for it alone, by the function that judges one exercise.
    """
    found = {}
    for exercise in catalog.select(ASSIGNED):
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
            chosen = {one: chance.choice(known[one]) for one in ASSIGNED}
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


def chapter(slug: str, chosen: Mapping[str, Answer]) -> str:
    """A chapter's module with the chosen answers in it."""
    module = course.solution(slug)
    others = {one.partition(".")[2] for one in ASSIGNED}
    for exercise, answer in chosen.items():
        chapter, _, symbol = exercise.partition(".")
        if chapter == slug:
            own = syntax.portion(answer.text, symbol, others)
            module = source.replace(module, symbol, own)
    return module


def _write(place: Path, number: int, chosen: Mapping[str, Answer], chance) -> None:
    """In one of the forms that people hand in."""
    place.mkdir(parents=True, exist_ok=True)
    files = {slug: chapter(slug, chosen) for slug in ("linear", "mlp")}
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
            symbols = {one.partition(".")[2] for one in ASSIGNED if one.startswith(slug)}
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
    right = {one: known[one][0] for one in ASSIGNED}
    linear, mlp = chapter("linear", right), chapter("mlp", right)
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
