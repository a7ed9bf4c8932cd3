"""Written exams: questions are chosen by a seed, their numbers by the seed and the student."""

from __future__ import annotations

import random
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from grader import course, files, questions
from grader.errors import UserError
from grader.instruct import browser, paper
from grader.instruct.formulas import FOLDER
from grader.instruct.hand_ins import Student
from grader.instruct.names import path_part
from grader.questions import Question

MINUTES = 60  # of an exam, unless it is said how long it is


def choose(
    slugs: Sequence[str],
    seed: str,
    *,
    minutes: int | None = None,
    points: int | None = None,
    public: bool = False,
) -> list[Question]:
    """Questions for an exam: from all chapters and of all kinds in turn, as many as fit.

    Args:
        slugs: chapters, each named once.
        seed: decides which questions are taken.
        minutes: that all take together, at most.
        points: that all give together, at most; instead of minutes.
        public: whether those of the website are among them.

    Returns:
        The questions in the order of the book.

    Raises:
        UserError: a chapter has no questions, or none fits.
    """
    order = questions.slugs()
    groups = {
        slug: [one for one in questions.of(slug) if public or not one.public]
        for slug in dict.fromkeys(slugs)
    }
    if points is None:
        left, costs = minutes or MINUTES, {q: q.minutes for group in groups.values() for q in group}
    else:
        left, costs = points, {q: q.draw(seed).points for group in groups.values() for q in group}
    rng = random.Random(f"{seed}\0chosen")
    for group in groups.values():
        rng.shuffle(group)
    chosen: list[Question] = []
    while fitting := {
        slug: open_
        for slug, group in groups.items()
        if (open_ := [one for one in group if one not in chosen and costs[one] <= left])
    }:
        taken = [one.slug for one in chosen]
        slug = min(fitting, key=taken.count)
        kinds = [one.kind for one in chosen]
        best = min(fitting[slug], key=lambda one: kinds.count(one.kind))
        chosen.append(best)
        left -= costs[best]
    if not chosen:
        unit = "minutes" if points is None else "points"
        raise UserError(f"No question fits: the smallest has {min(costs.values())} {unit}.")
    places = {one.id: place for slug in order for place, one in enumerate(questions.of(slug))}
    return sorted(chosen, key=lambda one: (order.index(one.slug), places[one.id]))


def concept(question: Question) -> str:
    """The concept that a question is about: the row of the book's table with its section; the name
    of the section if no row has it.
    """
    text = (course.ROOT / "book" / "concepts.md").read_text(encoding="utf-8")
    found = re.search(r"^```\{concepts\}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    rows = re.sub(r"\n +", " ", found[1] if found else "").splitlines()
    for row in filter(None, rows):
        _, name, sections, *_ = row.split(" | ")
        if f"{question.slug}#{question.section}" in sections.split():
            return name
    return question.section.replace("-", " ")


def write(
    chosen: Sequence[Question],
    students: Sequence[Student],
    folder: Path,
    *,
    seed: str,
    title: str,
) -> Iterator[Path]:
    """Write a paper for each student, and the key: PDF, or HTML where there is no browser.

    Args:
        chosen: the exam's questions.
        students: each gets numbers of their own.
        folder: made anew.
        seed: with a student's id, it decides the numbers.
        title: of the exam.

    Yields:
        Each file, when it is written.

    Raises:
        UserError: the folder holds something already, or the browser fails.
    """
    _empty(folder)
    drawn = [(student, [one.draw(seed, student.id) for one in chosen]) for student in students]
    pages = {
        f"papers/{path_part(student.id)}": paper.paper(
            title, student, zip(chosen, one, strict=True)
        )
        for student, one in drawn
    }
    slugs = " ".join(dict.fromkeys(one.slug for one in chosen))
    about = f"Seed {seed}, chapters {slugs}. Whoever has the seed has the answers."
    concepts = {one.id: concept(one) for one in chosen}
    pages["key"] = paper.key(title, about, chosen, concepts, drawn)
    yield from printed(pages, folder)


def printed(pages: Mapping[str, str], folder: Path) -> Iterator[Path]:
    """Write pages as PDF or, where there is no browser, as HTML with KaTeX beside it.

    Args:
        pages: HTML by name, a path in the folder without its suffix.
        folder: made anew.

    Yields:
        Each file, when it is written.

    Raises:
        UserError: the folder holds something already, or the browser fails.
    """
    _empty(folder)
    if not (path := browser.chromium()):
        for file in sorted(one for one in FOLDER.rglob("*") if one.is_file()):
            if file.suffix != ".js":  # pages have their formulas already
                files.write(folder / paper.KATEX / file.relative_to(FOLDER), file.read_bytes())
        for name, text in pages.items():
            yield files.write(folder / f"{name}.html", text)
        return
    with tempfile.TemporaryDirectory(prefix="course-exam-") as scratch:
        shutil.copytree(FOLDER, Path(scratch, paper.KATEX), ignore=shutil.ignore_patterns("*.js"))
        try:
            with browser.Browser(
                path
            ) as one:  # for all pages: to start it takes longer than to print
                for name, text in pages.items():
                    one.open(files.write(Path(scratch, f"{name}.html"), text))
                    yield files.write(folder / f"{name}.pdf", one.print(scale=1))
        except browser.BrowserError as error:
            raise UserError(f"The browser {path} did not print: {error}") from error


def _empty(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder} is not empty: name a new folder.")
