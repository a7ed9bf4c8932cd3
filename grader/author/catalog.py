"""Which exercises there are: every ``grader/exercises/<slug>/<symbol>.py``, found, not registered,
and those of projects.

Chapters stand in the order of ``_toc.yml``, exercises in the order in which the chapter's page
states them. What has no place there yet is last.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from grader import course
from grader.author import answers
from grader.author.exercise import Exercise
from grader.errors import UserError
from grader.judge.records import choose

FOLDER = Path(__file__).resolve().parents[1] / "exercises"
ANSWERS = "_answers"


def folder(slug: str) -> Path:
    """The folder of a chapter's exercises."""
    outside = course.project(slug)
    return (outside.exercises if outside else FOLDER) / slug


def slugs() -> list[str]:
    """Chapters that have exercises, in the order of the book; those of projects last."""
    there = sorted(path.name for path in FOLDER.iterdir() if symbols(path.name))
    outside = [slug for one in course.projects() for slug in one.slugs if symbols(slug)]
    return [*sorted(there, key=[*course.chapters(), *there].index), *outside]


def symbols(slug: str) -> list[str]:
    """The exercises of a chapter, in the order in which its page states them."""
    there = sorted(files(slug))
    return sorted(there, key=[*course.stated(slug), *there].index)


def files(slug: str) -> dict[str, Path]:
    """The file of each exercise of a chapter."""
    return {
        course.symbol(path.stem): path
        for path in folder(slug).glob("*.py")
        if path.stem != "__init__" and not path.stem.endswith(ANSWERS)
    }


def answers_of(path: Path) -> Path:
    """The file of answers beside that of an exercise."""
    return path.with_name(f"{path.stem}{ANSWERS}.py")


@cache
def exercises(slug: str) -> tuple[Exercise, ...]:
    """All exercises of a chapter with their answers.

    Raises:
        UserError: a file of them is not as it should be.
    """
    return tuple(_exercise(slug, symbol) for symbol in symbols(slug))


def select(targets: Sequence[str] = ()) -> list[Exercise]:
    """The exercises that slugs and ids name, each once; without a name those of the folders that
    ``--exercises`` names, or else all of the course.

    Raises:
        UserError: no such chapter or exercise; the message suggests near names.
    """
    there = slugs()
    mine = course.named() or [slug for slug in there if not course.project(slug)]
    return choose(targets or [slug for slug in mine if slug in there], there, exercises)


def _exercise(slug: str, symbol: str) -> Exercise:
    path = files(slug)[symbol]
    if outside := course.project(slug):
        package = importlib.import_module("grader.exercises")
        if str(outside.exercises) not in package.__path__:
            package.__path__.append(str(outside.exercises))
    module = importlib.import_module(f"grader.exercises.{slug}.{path.stem}")
    found = getattr(module, "EXERCISE", None)
    if not isinstance(found, Exercise):
        raise UserError(f"{path} holds no EXERCISE = Exercise(...).")
    given = answers.read(answers_of(path), symbol)
    return replace(found, slug=slug, symbol=symbol, answers=given)
