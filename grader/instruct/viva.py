"""Questions in person about a student's own submission: one page for the examiner.

An assistant can write code that earns all points. The student who hands it in can be asked to
explain it: the functions that earned points, and the sections of the book that they belong to.
"""

from __future__ import annotations

import ast
import contextlib
import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from grader import questions
from grader.author import catalog
from grader.errors import UserError, unknown
from grader.instruct import hand_ins, paper
from grader.instruct.gradebook import Gradebook, Student
from grader.judge import records
from grader.judge.syntax import Definition
from grader.questions import Question

EARNED = 0.5  # share of an exercise's points from which on a student is asked about it


@dataclass(frozen=True)
class Own:
    """A question about a function that the student handed in.

    Attributes:
        exercise: its id.
        code: the definition as it was handed in.
        mistake: what a known wrong answer does, in the grader's words; the student has to show
            where it would stand in this code, and what it would change.
    """

    exercise: str
    code: str
    mistake: str


def earned(book: Gradebook, student: str) -> list[str]:
    """Exercises of a student's counted attempt that earned at least half of their points.

    Raises:
        UserError: there is no such student, or nothing was earned.
    """
    names = [one.id for one in book.students]
    if student not in names:
        raise unknown("student", student, names)
    attempt = book.counted(student)
    found = [
        name
        for name, result in (sorted(attempt.results.items()) if attempt else ())
        if result.points and result.points >= EARNED * result.possible
    ]
    if not found:
        raise UserError(f"{student} has no exercise with half of its points: nothing to ask about.")
    return found


def own(book: Gradebook, student: str, seed: str, count: int) -> list[Own]:
    """Questions about a student's own functions, chosen by the seed and the student.

    Args:
        book: the gradebook of an assignment.
        student: an id in it.
        seed: decides which functions and which mistakes.
        count: at most so many, each about another exercise.
    """
    rng = random.Random(f"{seed}\0{student}\0own")
    names = earned(book, student)
    attempt = book.counted(student)
    texts = book.texts([attempt]).get(attempt.id, {}) if attempt else {}
    found = []
    for name in rng.sample(names, len(names)):
        code = _own_code(texts, name)
        (exercise,) = catalog.select([name])
        mistakes = [one.why for one in exercise.mistakes if not one.corner]
        if code and mistakes and len(found) < count:
            found.append(Own(name, code, rng.choice(mistakes)))
    return found


def asked(book: Gradebook, student: str, seed: str, count: int) -> list[Question]:
    """Questions of the bank on the sections of a student's exercises, chosen in the same way.

    Those of the website are left out. If the sections have fewer than ``count``, the rest is from
    other sections of the same chapters.
    """
    rng = random.Random(f"{seed}\0{student}\0asked")
    exercises = catalog.select(earned(book, student))
    sections = {(one.slug, one.section) for one in exercises}
    slugs = [slug for slug in questions.slugs() if slug in {one.slug for one in exercises}]
    bank = [one for slug in slugs for one in questions.of(slug) if not one.public]
    rng.shuffle(bank)
    bank.sort(key=lambda one: (one.slug, one.section) not in sections)  # stable: shuffled within
    return bank[:count]


def page(book: Gradebook, student: Student, seed: str, about: Sequence[Own], *, more: int) -> str:
    """The examiner's page for a student: questions with their answers, and room for notes.

    Args:
        book: the gradebook of an assignment.
        student: one of its students.
        seed: decides on questions and numbers.
        about: questions about the student's own functions.
        more: questions of the bank.
    """
    title = f"{book.assignment}: questions in person"
    name = f"{student.name} ({student.id})" if student.name else student.id
    parts = [f"<h1>{escape(title)}</h1>", f'<div class="facts"><p><b>{escape(name)}</b></p></div>']
    parts += [_about(number, one) for number, one in enumerate(about, 1)]
    for number, one in enumerate(asked(book, student.id, seed, more), len(about) + 1):
        drawn = one.draw(seed, student.id)
        parts.append(paper.solved(number, one, drawn))
    return paper.document(title, f"{title}, {student.id}", parts, up="../")


def people(book: Gradebook, wanted: Sequence[str]) -> list[Student]:
    """Students by their ids; everybody who can be asked, if none is named.

    Raises:
        UserError: there is no such student, or one who is named cannot be asked about anything.
    """
    if wanted:
        for one in wanted:
            earned(book, one)
        return [one for one in book.students if one.id in wanted]
    found = []
    for one in book.students:
        with contextlib.suppress(UserError):
            earned(book, one.id)
            found.append(one)
    return found


def _about(number: int, one: Own) -> str:
    asked = (
        f"Others have made this mistake:\n\n> {one.mistake}\n\nWhich line would be different in "
        "your code? Give a small input for which the result changes, and one for which it does not."
    )
    return (
        f'<section class="own"><h2>{number}. Explain your code</h2>'
        f"<p><code>{escape(one.exercise)}</code>. What does each line do, and which shape does "
        f"its result have?</p><pre>{escape(one.code)}</pre>{paper.markup(asked)}"
        '<div class="room" style="height: 30mm"></div></section>'
    )


def _own_code(files: Mapping[str, str], name: str) -> str:
    """The definition that was graded for an exercise; "" if there is none.

    Args:
        files: of a hand-in, as they are stored.
        name: id of the exercise.
    """
    slug, _, symbol = name.partition(".")
    handed_in = hand_ins.submissions(json.dumps(dict(files)).encode()).get(slug)
    if handed_in is None:
        return ""
    (exercise,) = records.select([name])
    return _definition([handed_in.reading(exercise).text], symbol)  # of a notebook, its cells


def _definition(texts: Iterable[str], symbol: str) -> str:
    """The last definition of a name in some files, without its docstring; "" if there is none."""
    found = ""
    for text in texts:
        with contextlib.suppress(SyntaxError, ValueError):
            for node in ast.parse(text).body:
                if isinstance(node, Definition) and node.name == symbol:
                    found = _without_docstring(text, node)
    return found


def _without_docstring(text: str, node: Definition) -> str:
    lines = text.splitlines()
    first, last = node.lineno - 1, node.end_lineno or node.lineno
    kept = lines[first:last]
    body = node.body
    if len(body) > 1 and ast.get_docstring(node) is not None:
        start, end = body[0].lineno - 1 - first, (body[0].end_lineno or body[0].lineno) - first
        kept = kept[:start] + kept[end:]
    return "\n".join(kept)
