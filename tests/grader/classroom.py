"""A made class: answers in many hands, copies in disguise, and the gradebook that they end in.

Every student writes down, for each exercise, the solution, a right variant or a known mistake,
in a hand of their own: small rewrites that keep what the code computes. A copy is another's text
with its names, order and layout changed, comments and dead code added.
"""

from __future__ import annotations

import ast
import hashlib
import json
import random
import re
import sqlite3
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from grader import course
from grader.author import catalog
from grader.judge import records, source, syntax
from grader.judge.grading import Grader
from grader.judge.submission import Submission
from grader.student import export

EXERCISES = ("log_sum_exp", "softmax", "squared_loss", "cross_entropy", "LinearModel", "train")
SLUG = "linear"
SCHEMA = """
CREATE TABLE run(id INTEGER PRIMARY KEY, started TEXT, assignment TEXT, references_digest TEXT,
                 grader_digest TEXT, sandbox TEXT);
CREATE TABLE student(id TEXT PRIMARY KEY, name TEXT, email TEXT, grp TEXT);
CREATE TABLE attempt(id INTEGER PRIMARY KEY, student TEXT, number INTEGER, submitted TEXT,
                     path TEXT, digest TEXT, problem TEXT NULL);
CREATE TABLE source(digest PRIMARY KEY, text BLOB);
CREATE TABLE result(attempt INTEGER, exercise TEXT, state TEXT, points REAL, possible REAL,
                    mistake TEXT NULL, report JSON, record_digest TEXT, grader_digest TEXT,
                    seconds REAL, PRIMARY KEY(attempt, exercise));
CREATE TABLE mark(student TEXT, part TEXT, points REAL, comment TEXT);
"""
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
    folder.mkdir(parents=True)
    base = sqlite3.connect(folder / "grades.sqlite")
    base.executescript(SCHEMA)
    base.execute("INSERT INTO run VALUES (1, '2026-11-20T10:00:00+00:00', 'week-1', 'r', 'g', 's')")
    number = 0
    for place, (name, texts) in enumerate(class_.items()):
        who = re.sub(r"\W+", ".", name.casefold())
        group = more.get("groups", {}).get(name, "")
        base.execute(
            "INSERT INTO student VALUES (?, ?, ?, ?)", (who, name, f"{who}@example.org", group)
        )
        for attempt, text in enumerate(texts, 1):
            number += 1
            digest = hashlib.sha256(text.encode()).hexdigest()
            day, hour = 14 + (place * 7 + attempt * 3) % 6, (place * 5 + attempt * 11) % 24
            when = f"2026-11-{day:02}T{hour:02}:15:00+00:00"
            problem = more.get("problems", {}).get(name) if attempt == len(texts) else None
            base.execute(
                "INSERT INTO attempt VALUES (?, ?, ?, ?, ?, ?, ?)",
                (number, who, attempt, when, f"{who}/{SLUG}.py", digest, problem),
            )
            base.execute("INSERT OR IGNORE INTO source VALUES (?, ?)", (digest, text.encode()))
            if sandbox and not problem:
                rows = _graded(text, sandbox)
                base.executemany(
                    f"INSERT INTO result VALUES ({number}, ?, ?, ?, ?, ?, ?, 'r', 'g', ?)", rows
                )
        for part, points, comment in more.get("marks", {}).get(name, ()):
            base.execute("INSERT INTO mark VALUES (?, ?, ?, ?)", (who, part, points, comment))
    base.commit()
    base.close()
    return folder


def _graded(text: str, sandbox) -> list[tuple]:
    chosen = records.select([f"{SLUG}.{symbol}" for symbol in EXERCISES])
    found = Grader(sandbox).grade(chosen, {SLUG: Submission(text, f"{SLUG}.py")})
    rows = []
    for result, report in zip(found, export.as_json(found, [])["exercises"], strict=True):
        state = {"ungraded": "ungraded", "blank": "missing"}.get(result.status, "graded")
        mistake = result.named[0].name if result.named else None
        told = json.dumps(report)
        rows.append(
            (result.exercise.id, state, result.earned, result.points, mistake, told, result.seconds)
        )
    return rows
