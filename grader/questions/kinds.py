"""Kinds of questions that are made alike: what code prints, which mistake made these numbers."""

from __future__ import annotations

import contextlib
import io
import random
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache

import torch

from grader import course
from grader.author import bench, catalog
from grader.author.exercise import Exercise, Mistake
from grader.questions import Alike, Drawn, on_paper
from grader.questions.shown import result


def printed(code: str) -> str:
    """Output of a program, without the last line break."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(code, "question", "exec"), {"__name__": "question"})
    return said.getvalue().rstrip("\n")


def prints(code: str, *steps: tuple[str, int], wrong: Sequence[str] = ()) -> Drawn:
    """Ask for the output of a program.

    Args:
        code: of the program.
        steps: the worked answer, as (step, points).
        wrong: other outputs to choose from; those that are the right one are left out.
    """
    answer = printed(code)
    others = [one for one in dict.fromkeys(wrong) if one != answer]
    many = "\n" in answer
    return Drawn(
        text="What does this program print?",
        code=code,
        answer=f"`{answer}`" if not many else "`" + "` then `".join(answer.split("\n")) + "`",
        steps=steps,
        wrong=[f"`{one}`" for one in others],
    )


def which_mistake(
    rng: random.Random,
    exercise: str,
    arguments: Mapping[str, object],
    names: Sequence[str],
    *,
    text: str,
    places: int = 3,
    part: int | None = None,
    view: Callable = lambda found: found,
    shown: str = "It returned",
) -> Drawn:
    """Which known mistake made these numbers?

    One of the mistakes is drawn and run. All of them, and the solution, must return different
    numbers as printed, so that exactly one explains what the student sees.

    Args:
        rng: draws the mistake.
        exercise: id, such as ``linear.softmax``.
        arguments: of the call; lists become tensors, of float64 unless all are integers or bools.
        names: of the mistakes to choose from.
        text: what was called, and with what.
        places: decimal places that are printed.
        part: which of several results is printed.
        view: of a result, to print it.
        shown: how the sentence on what is printed begins, if it is not the result itself.

    Raises:
        Alike: two of the results look the same.
    """

    def show(function: Callable) -> str:
        given = {name: _argument(value) for name, value in arguments.items()}
        found = function(**given)
        return result(view(found if part is None else found[part]), places)

    slug, _, symbol = exercise.partition(".")
    right = show(getattr(_module(course.original(slug)), symbol))
    whys = {name: why(exercise, name) for name in names}
    found = {name: show(mistaken(exercise, name)) for name in names}
    if len({right, *found.values()}) <= len(found):
        raise Alike(f"{exercise}: two results look the same: {right}, {found}")
    chosen = rng.choice(list(names))
    return Drawn(
        text=f"{text} {shown} {found[chosen]}. Which feedback to the student explains it?",
        answer=whys[chosen],
        wrong=[said for name, said in whys.items() if name != chosen],
        steps=(
            (f"The right result is {right}.", 1),
            (f"With the mistake, the result is {found[chosen]}. {whys[chosen]}", 2),
        ),
    )


def tensor(values: list) -> torch.Tensor:
    """A list as a tensor, of float64 unless all its numbers are integers or bools."""
    made = torch.tensor(values)
    return made.double() if made.is_floating_point() else made


def _argument(value: object) -> object:
    """Arguments of a call: lists become tensors, and numbers in tensors float64."""
    if isinstance(value, torch.Tensor):
        return value.double() if value.is_floating_point() else value
    return tensor(value) if isinstance(value, list) else value


def why(exercise: str, name: str) -> str:
    """The sentence on a known mistake, as a paper states it."""
    return on_paper.SENTENCES.get(f"{exercise}.{name}", _known(exercise)[name].why)


@cache
def mistaken(exercise: str, name: str) -> Callable:
    """The function of an exercise with a known mistake in it."""
    found = _exercise(exercise)
    text = bench.mistaken(found, _known(exercise)[name], course.original(found.slug))
    return getattr(_module(text), found.symbol)


def _exercise(name: str) -> Exercise:
    return next(one for one in catalog.exercises(name.partition(".")[0]) if one.id == name)


def _known(exercise: str) -> dict[str, Mistake]:
    return {one.name: one for one in _exercise(exercise).mistakes}


class _Module:
    """Definitions of a module that was run from its text."""

    def __init__(self, text: str) -> None:
        exec(compile(text, "solutions", "exec"), self.__dict__)


@cache
def _module(text: str) -> _Module:
    # answers import from `course`, as a submission does
    return _Module(re.sub(r"^from course\.", "from solutions.", text, flags=re.MULTILINE))
