"""Exercises: their cases, their points, and the mistakes people make in them.

An exercise names a symbol of ``solutions/<slug>.py``; its signature and docstring are the
statement. Cases and prose lie in ``grader/exercises/<slug>/<symbol>.py``, answers in
``<symbol>_answers.py`` beside it (`grader.author.answers`). Nothing here imports torch or
``solutions``.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from grader.errors import UserError

PUBLIC_SEED = 20170612
AUTOGRAD = (  # what gradient exercises refuse
    "torch.autograd.grad",
    "Tensor.backward",
    "torch.autograd.backward",
    "torch.autograd.functional.vjp",
    "torch.autograd.functional.jacobian",
    "torch.func.grad",
    "torch.func.vjp",
    "torch.func.jacrev",
    "torch.func.jacfwd",
    "torch.func.linearize",
)


@dataclass(frozen=True)
class Returned:
    """Among the arguments of a step: what an earlier step returned, or one item of it."""

    step: int
    item: int | str | None = None


@dataclass(frozen=True)
class Made:
    """Among the arguments: a function or module that the worker makes for this call.

    Attributes:
        name: one of ``grader/enclose/worker/fixtures.py``.
        given: arrays by name, from which it is made.
    """

    name: str
    given: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Call:
    """One call of the student's code. Arrays become float64, int64 or bool tensors.

    Attributes:
        args: keyword arguments of the function, or of the module's ``forward``: numbers, texts,
            bytes, arrays, `Made`, and lists and dicts of them.
        init: keyword arguments of the constructor; makes the symbol a module.
        steps: methods that are called in turn on one object, each with its keyword arguments,
            `Returned` among them: ``("encode", {"text": "ab"})``. ``""`` calls the object itself;
            None in place of arguments reads an attribute. Every step's result is compared.
        state: parameters loaded into the module by name, replacing its own.
        training: train mode for the module, evaluation mode otherwise; None leaves it in the mode
            that its constructor leaves it in.
        held_out: arrays that the worker never sees, such as the labels of a test set.
    """

    args: Mapping[str, object] = field(default_factory=dict)
    init: Mapping[str, object] | None = None
    state: Mapping[str, np.ndarray] | None = None
    training: bool | None = False
    steps: Sequence[tuple[str, Mapping[str, object] | None]] = ()
    held_out: Mapping[str, np.ndarray] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """One check. ``make`` draws its inputs from a generator, public and hidden alike.

    Attributes:
        name: what this case looks at, as the student reads it ("every key masked").
        make: draws the arguments (a dict, for a function) or the whole ``Call``.
        points: credit for this case; the exercise's points are their sum.
        grad: arguments whose gradients are compared as well, items of a list as ``"first[0]"``,
            of steps those of the first that has such an argument. For a module with ``state`` the
            gradients of all its parameters are compared too.
        hidden: recorded only with the instructor's seed. Public cases are recorded twice:
            with the public seed for students, and afresh for the instructor.
        at_least: instead of comparing numbers, the returned predictions (integers, or
            scores whose largest entry is the prediction) must agree with
            ``held_out["labels"]`` on this fraction. Here ``make`` is given a second generator,
            of which no input but those of the held-out examples may tell.
        raises: name of the exception that this call must raise, as the docstring promises
            (``"ValueError"``); nothing else is compared.
        dtype: ``"float32"``, ``"float16"`` or ``"bfloat16"``: every floating-point input is of it,
            and results are compared as exactly as it allows. float64 otherwise.
        budget: most lines of Python that the call may run, but for those of torch: what counts the
            cost of an algorithm.
        most: what the call may cost at most, counted and not timed, gradients included where they
            are asked for: ``largest``, the numbers in the largest tensor that torch makes, and
            ``written``, those in all of them together; ``multiply_adds`` of products of matrices
            and convolutions; ``calls`` of what is `Made`, and ``positions``, the entries that these
            are given.
        probe: how the worker calls the code here, in place of the exercise's own way: ``"fresh"``
            looks at a module as its constructor leaves it; ``"inside"`` looks at the module
            ``model`` that a function changes in place; ``"calls"`` calls it on several inputs in
            turn; ``"defaults"`` does so where torch's default float is float64, and
            ``"elsewhere"`` on inputs that lie on a device of their own, where a module is made as
            well; ``"dropped"`` looks at what dropout multiplies by.
        corner: an answer that has the idea right, as the page teaches it, may be wrong here. Unless
            said, what `grader.author.core` makes of the rest.
    """

    name: str
    make: Callable[..., Mapping[str, object] | Call]
    points: int = 1
    grad: tuple[str, ...] = field(default=(), kw_only=True)
    hidden: bool = field(default=False, kw_only=True)
    at_least: float | None = field(default=None, kw_only=True)
    raises: str | None = field(default=None, kw_only=True)
    dtype: str | None = field(default=None, kw_only=True)
    budget: int | None = field(default=None, kw_only=True)
    most: Mapping[str, int] | None = field(default=None, kw_only=True)
    probe: str | None = field(default=None, kw_only=True)
    corner: bool | None = field(default=None, kw_only=True)

    def call(self, rng: np.random.Generator, held_out: np.random.Generator) -> Call:
        """Draw the inputs of this case.

        Raises:
            UserError: its function fails; the message names the case and the line.
        """
        try:
            made = self.make(rng) if self.at_least is None else self.make(rng, held_out)
        except Exception as error:
            at = traceback.extract_tb(error.__traceback__)[-1]
            raise UserError(
                f"The case {self.name!r} cannot draw its inputs: {type(error).__name__}: {error}"
                f" ({at.filename}, line {at.lineno})."
            ) from error
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
        corner: who makes it has the idea right: corner cases alone refuse it.
    """

    name: str
    why: str
    change: Mapping[str, str] | None = None
    source: str | None = None
    corner: bool = False


@dataclass(frozen=True, kw_only=True)
class Variant:
    """A right answer by another road.

    Attributes:
        name: the road, in snake_case.
        source: the whole definition, and what it needs beside it.
    """

    name: str
    source: str


@dataclass(frozen=True, kw_only=True)
class Answers:
    """Answers to an exercise, right and wrong.

    Attributes:
        mistakes: known wrong answers; ``grade audit`` proves that each fails and is named.
        variants: right answers written differently; each must pass.
        equivalent: mutants of the solution (`grader.author.mutate`) that are right answers too:
            the changed line, and why it computes the same.
    """

    mistakes: tuple[Mistake, ...] = ()
    variants: tuple[Variant, ...] = ()
    equivalent: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """A symbol to write, with everything needed to check it and to explain a wrong answer.

    Attributes:
        slug: chapter; filled in on loading from the name of the folder.
        symbol: function or class in ``solutions/<slug>.py``; from the name of the file.
        title: what is built, in a few words.
        section: anchor of the chapter's section that explains it.
        cases: the checks, in the order in which they are run and reported.
        hint: one or two sentences that help without giving the answer.
        tolerance: largest relative difference that still counts as the same number. The audit
            requires a factor of 100 between it and what right answers differ by.
        forbidden: names that may not be used (``"F.softmax"``, ``"nn.Linear"``), whether the source
            shows them or the worker sees them called.
        needs: other symbols of the same file that the right answer may call.
        probe: how the worker calls the code (``grader/enclose/worker/probes.py``); by default
            ``steps`` for calls that have some, ``module`` for those that have ``init``, else
            ``function``.
        returns: how a student calls each returned value, where there are several: ``"the gradient
            of W{1}"`` for a list of them, the first of which is that of W1.
        afresh: other inputs of the same kind for an instructor, where cases have some that are not
            drawn (`grader.author.afresh`); where an error is due, they stay. May make several calls
            of one, for the probe of that name.
        answers: from the file beside it.
    """

    slug: str = ""
    symbol: str = ""
    title: str
    section: str
    cases: tuple[Case, ...]
    hint: str
    tolerance: float = 1e-6
    forbidden: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    probe: str | None = None
    returns: tuple[str, ...] = ()
    afresh: Callable[[Call, np.random.Generator], Call] | None = None
    answers: Answers = Answers()

    @property
    def id(self) -> str:
        return f"{self.slug}.{self.symbol}"

    @property
    def mistakes(self) -> tuple[Mistake, ...]:
        return self.answers.mistakes

    @property
    def points(self) -> int:
        return sum(case.points for case in self.cases)

    @property
    def public_points(self) -> int:
        return sum(case.points for case in self.cases if not case.hidden)

    def calls(
        self, seed: int, *, hidden: bool, second: int | None = None
    ) -> list[tuple[Case, Call]]:
        """Draw every case. A case's inputs depend on the seeds and its own name alone.

        Args:
            seed: of the inputs.
            hidden: with the cases that are recorded with an instructor's seed alone.
            second: of what is held out; the first one unless said.
        """
        second, drawn = seed if second is None else second, []
        for case in self.cases:
            if case.hidden and not hidden:
                continue
            rng = _generator(seed, self.id, case.name)
            call = case.call(rng, _generator(second, self.id, case.name, "held out"))
            if hidden and self.afresh and not case.raises:
                alike = getattr(self.afresh, "alike", False)
                call = self.afresh(call, _generator(seed, self.id) if alike else rng)
                if set(call.args) == {"calls"}:
                    case = replace(case, probe="calls")
            drawn.append((case, call))
        return drawn


def _generator(seed: int, *names: str) -> np.random.Generator:
    key = [byte for name in names for byte in (*name.encode(), 0)]
    return np.random.default_rng([seed, *key])
