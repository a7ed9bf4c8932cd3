"""Which exercises there are: every ``grader/exercises/<slug>/<symbol>.py``, found, not registered.

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


def slugs() -> list[str]:
    """Chapters that have exercises, in the order of the book."""
    there = sorted(path.name for path in FOLDER.iterdir() if symbols(path.name))
    return sorted(there, key=[*course.chapters(), *there].index)


def symbols(slug: str) -> list[str]:
    """The exercises of a chapter, in the order in which its page states them."""
    there = sorted(files(slug))
    return sorted(there, key=[*course.stated(slug), *there].index)


def files(slug: str) -> dict[str, Path]:
    """The file of each exercise of a chapter."""
    return {
        course.symbol(path.stem): path
        for path in (FOLDER / slug).glob("*.py")
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
    """The exercises that slugs and ids name, each once; without a name all there are.

    Raises:
        UserError: no such chapter or exercise; the message suggests near names.
    """
    return choose(targets, slugs(), exercises)


def _exercise(slug: str, symbol: str) -> Exercise:
    path = files(slug)[symbol]
    module = importlib.import_module(f"grader.exercises.{slug}.{path.stem}")
    found = getattr(module, "EXERCISE", None)
    if not isinstance(found, Exercise):
        raise UserError(f"{path} holds no EXERCISE = Exercise(...).")
    given = answers.read(answers_of(path), symbol)
    return replace(found, slug=slug, symbol=symbol, answers=given)
