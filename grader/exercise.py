"""What an exercise is: its cases, its points, and the mistakes people make in it.

An exercise names a symbol of ``solutions/<slug>.py``; its signature and docstring are the
statement. Nothing here imports torch or ``solutions``: checking works on recorded numbers.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np

PUBLIC_SEED = 20170612


class UserError(Exception):
    """Something the person at the keyboard can put right: one message, exit code 2."""


@dataclass(frozen=True, kw_only=True)
class Call:
    """One call of the student's code. Arrays become float64, int64 or bool tensors.

    Attributes:
        args: keyword arguments of the function, or of the module's ``forward``.
        init: keyword arguments of the constructor; makes the symbol a module.
        state: parameters loaded into the module by name, replacing its own.
        training: train mode for the module, evaluation mode otherwise.
        held_out: arrays that the worker never sees, such as the labels of a test set.
    """

    args: Mapping[str, object]
    init: Mapping[str, object] | None = None
    state: Mapping[str, np.ndarray] | None = None
    training: bool = False
    held_out: Mapping[str, np.ndarray] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """One check. ``make`` draws its inputs from a generator, public and hidden alike.

    Attributes:
        name: what this case looks at, as the student reads it ("every key masked").
        make: draws the arguments (a dict, for a function) or the whole ``Call``.
        points: credit for this case; the exercise's points are their sum.
        grad: arguments whose gradients are compared as well. For a module with ``state``
            the gradients of all its parameters are compared too.
        hidden: recorded only with the instructor's seed. Public cases are recorded twice:
            with the public seed for students, and afresh for the instructor.
        at_least: instead of comparing numbers, the returned predictions (integers, or
            scores whose largest entry is the prediction) must agree with
            ``held_out["labels"]`` on this fraction.
    """

    name: str
    make: Callable[[np.random.Generator], Mapping[str, object] | Call]
    points: int = 1
    grad: tuple[str, ...] = field(default=(), kw_only=True)
    hidden: bool = field(default=False, kw_only=True)
    at_least: float | None = field(default=None, kw_only=True)

    def call(self, rng: np.random.Generator) -> Call:
        """Draw the inputs of this case."""
        made = self.make(rng)
        return made if isinstance(made, Call) else Call(args=made)


@dataclass(frozen=True, kw_only=True)
class Mistake:
    """A wrong answer that people really write, and the sentence that puts it right.

    Attributes:
        name: short, in snake_case; what the audit's table shows.
        why: one sentence for the student: what was done, and why it is wrong.
        change: ``{text: replacement}`` applied inside the symbol in ``solutions/<slug>.py``;
            each text occurs there exactly once.
        source: the whole wrong definition, where a change will not do.
    """

    name: str
    why: str
    change: Mapping[str, str] | None = None
    source: str | None = None


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """A symbol to write, with everything needed to check it and to explain a wrong answer.

    Attributes:
        slug: chapter; filled in on loading from the name of the file.
        symbol: function or class in ``solutions/<slug>.py``.
        title: what is built, in a few words.
        section: anchor of the chapter's section that explains it.
        cases: the checks, in the order in which they are run and reported.
        hint: one or two sentences that help without giving the answer.
        mistakes: known wrong answers; ``grade audit`` proves that each fails and is named.
        variants: right answers written differently, as source; each must pass.
        tolerance: largest relative difference that still counts as the same number. The audit
            requires a factor of 100 between it and what right answers differ by.
        forbidden: names that may not be used (``"F.softmax"``, ``"nn.Linear"``), whether the source
            shows them or the worker sees them called.
        equivalent: mutants of the solution (`grader.mutate`) that are right answers too: the
            changed line, and why it computes the same.
        needs: other symbols of the same file that the right answer may call.
        probe: how the worker calls the code (``grader/worker/probes.py``); by default
            ``module`` when the calls have ``init``, else ``function``.
    """

    slug: str = ""
    symbol: str
    title: str
    section: str
    cases: tuple[Case, ...]
    hint: str
    mistakes: tuple[Mistake, ...]
    variants: tuple[str, ...]
    tolerance: float = 1e-6
    forbidden: tuple[str, ...] = ()
    equivalent: Mapping[str, str] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    probe: str | None = None

    @property
    def id(self) -> str:
        return f"{self.slug}.{self.symbol}"

    @property
    def points(self) -> int:
        return sum(case.points for case in self.cases)

    @property
    def public_points(self) -> int:
        return sum(case.points for case in self.cases if not case.hidden)

    def calls(self, seed: int, *, hidden: bool) -> list[tuple[Case, Call]]:
        """Draw every case. A case's inputs depend on the seed and its own name alone."""
        return [
            (case, case.call(_generator(seed, self.id, case.name)))
            for case in self.cases
            if hidden or not case.hidden
        ]


def _generator(seed: int, *names: str) -> np.random.Generator:
    key = [byte for name in names for byte in (*name.encode(), 0)]
    return np.random.default_rng([seed, *key])


def slugs() -> list[str]:
    """Chapters that have exercises, in the order of the book; one that has no place yet is last."""
    package = importlib.import_module("grader.exercises")
    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
    return sorted(names, key=[*package.ORDER, *names].index)


@cache
def exercises(slug: str) -> tuple[Exercise, ...]:
    """All exercises of a chapter, in the order in which the chapter builds them.

    Raises:
        UserError: no such chapter.
    """
    if slug not in slugs():
        raise UserError(_unknown("chapter", slug, slugs()))
    module = importlib.import_module(f"grader.exercises.{slug}")
    return tuple(replace(exercise, slug=slug) for exercise in module.EXERCISES)


def select(target: str | None) -> list[Exercise]:
    """The exercises that ``slug``, ``slug.symbol`` or nothing (all of them) names.

    Raises:
        UserError: no such chapter or exercise; the message suggests near names.
    """
    if target is None:
        return [exercise for slug in slugs() for exercise in exercises(slug)]
    slug, _, symbol = target.partition(".")
    found = exercises(slug)
    if not symbol:
        return list(found)
    for exercise in found:
        if exercise.symbol == symbol:
            return [exercise]
    if symbol in ("py", "ipynb"):  # as a shell completes it
        raise UserError(f"Name the chapter: {slug}. For another file: {slug} --file FILE")
    known = [exercise.symbol for exercise in found]
    raise UserError(_unknown(f"exercise of {slug}", symbol, known))


def select_all(targets: Sequence[str]) -> list[Exercise]:
    """The same for several names, each exercise once; without a name all there are."""
    found = {exercise.id: exercise for target in targets for exercise in select(target)}
    return list(found.values()) if targets else select(None)


def _unknown(what: str, name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    guess = f" Did you mean {near[0]!r}?" if near else f" There are: {', '.join(known)}."
    return f"There is no {what} {name!r}.{guess}"
