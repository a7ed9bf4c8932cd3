"""Questions for paper: what a chapter teaches, with numbers drawn for each student.

The questions of a chapter are the functions of ``grader/questions/<slug>.py`` that `question` marks.
Each takes a generator, draws its numbers from it, and returns a `Drawn`, in which everything that
depends on the numbers is computed from ``solutions``: the answer, the steps to it, the options that are
wrong. Texts are Markdown with formulas between dollar signs.

Questions marked ``public`` stand on the website for self-checks; the others are for instructors alone.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path

from grader import course
from grader.errors import unknown

KINDS = ("short", "derive", "prints", "mistake", "curve")
TRIES = 100  # draws of a question until its options and results differ


class Alike(ValueError):
    """With the numbers that were drawn, two options or results are the same: others are needed."""


def apart(*results: object) -> None:
    """Let other numbers be drawn unless these results differ: of two methods of which one is
    wrong, of parts of an answer, or of a part and zero.

    Raises:
        Alike: two of them are the same.
    """
    shown = [str(one) for one in results]
    if len(set(shown)) < len(shown):
        raise Alike(f"two results are the same: {shown}")


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """A question with its numbers.

    Attributes:
        text: what is asked.
        answer: the right one.
        steps: the worked answer, as (step, points); all points together are the question's.
        wrong: other answers to choose from; without them the question is open.
        code: Python that stands below the text.
        figure: SVG that stands below the text.
        options: the right answer among the wrong ones, in the order on the paper; shuffled by
            `Question.draw`.
    """

    text: str
    answer: str
    steps: Sequence[tuple[str, int]]
    wrong: Sequence[str] = ()
    code: str = ""
    figure: str = ""
    options: tuple[str, ...] = ()

    @property
    def points(self) -> int:
        return sum(points for _, points in self.steps)

    @property
    def letter(self) -> str:
        """Letter of the right option; "" for an open question."""
        return letter(self.options.index(self.answer)) if self.options else ""


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question without numbers.

    Attributes:
        slug: its chapter.
        name: short, in snake_case.
        kind: one of ``KINDS``.
        section: anchor of the chapter's section that answers it.
        minutes: that a prepared student takes.
        public: whether it stands on the website.
        make: draws it.
    """

    slug: str
    name: str
    kind: str
    section: str
    minutes: int
    public: bool
    make: Callable[[random.Random], Drawn]

    @property
    def id(self) -> str:
        return f"{self.slug}.{self.name}"

    def draw(self, seed: str, student: str = "") -> Drawn:
        """The question with the numbers of a seed and a student: the same ones every time.

        Raises:
            Alike: whatever is drawn, two options are the same.
        """
        rng = random.Random(f"{seed}\0{student}\0{self.id}")
        for _ in range(TRIES):
            with suppress(Alike):
                drawn = self.make(rng)
                options = [drawn.answer, *drawn.wrong] if drawn.wrong else []
                if len(set(options)) < len(options):
                    raise Alike(f"{self.id}: two options are the same: {options}")
                rng.shuffle(options)
                return replace(drawn, options=tuple(options))
        raise Alike(f"{self.id}: {TRIES} draws, and each has two options that are the same")


def question(kind: str, section: str, minutes: int, *, public: bool = False) -> Callable:
    """Make a question of a function that draws it.

    Args:
        kind: one of ``KINDS``.
        section: anchor of the chapter's section that answers it.
        minutes: that a prepared student takes.
        public: whether it stands on the website.

    Raises:
        ValueError: there is no such kind.
    """
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")

    def made(make: Callable[[random.Random], Drawn]) -> Question:
        slug = make.__module__.rpartition(".")[2]
        return Question(
            slug=slug,
            name=make.__name__,
            kind=kind,
            section=section,
            minutes=minutes,
            public=public,
            make=make,
        )

    return made


def slugs() -> list[str]:
    """Chapters that have questions, in the order of the book."""
    there = {path.stem for path in Path(__file__).parent.glob("*.py")}
    return [slug for slug in course.chapters() if slug in there]


def of(slug: str) -> tuple[Question, ...]:
    """The questions of a chapter, in the order of its file.

    Raises:
        UserError: it has none; the message suggests a near name.
    """
    if slug not in slugs():
        raise unknown("chapter with questions", slug, slugs())
    module = import_module(f"grader.questions.{slug}")
    return tuple(one for one in vars(module).values() if isinstance(one, Question))


def letter(place: int) -> str:
    """Letter of an option: a, b, c."""
    return "abcdefgh"[place]
