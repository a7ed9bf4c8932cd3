"""Other inputs of the same kind, where a case has inputs that no generator draws.

What makes the case (what repeats, what is equal, what comes first) stays; `Exercise.afresh` takes
one of these, or a function of the exercise's own, and an instructor's cases go through it.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from grader.author.exercise import Call, Made

Afresh = Callable[[Call, np.random.Generator], Call]
LOWER, UPPER = string.ascii_lowercase, string.ascii_uppercase
WIDEST = 5  # between two numbers that `larger` makes


def changed(other: Callable[..., Mapping[str, object]]) -> Afresh:
    """With other values of some arguments.

    Args:
        other: takes the generator and the arguments, and returns those that change.
    """
    return lambda call, rng: replace(call, args={**call.args, **other(rng, **call.args)})


def alike(afresh: Afresh) -> Afresh:
    """Drawn once for all cases: texts that they share they share still."""
    afresh.alike = True
    return afresh


def letters(call: Call, rng: np.random.Generator) -> Call:
    """Other letters in all texts and bytes, each by the same one everywhere, capitals likewise;
    other marks stay. Texts in which letters stand for something, as in ``%s``, stay too.
    """
    order = rng.permutation(26)
    return spelled(call, "".join(LOWER[place] for place in order))


def spelled(call: Call, alphabet: str) -> Call:
    """With the letters of this alphabet in place of a to z."""
    table = str.maketrans(LOWER + UPPER, alphabet + alphabet.upper())

    def leaf(value):
        if isinstance(value, bytes):
            return value.translate(bytes(ord(chr(code).translate(table)) for code in range(256)))
        keeps = not isinstance(value, str) or any(mark in value for mark in "{%\\")
        return value if keeps else value.translate(table)

    return replace(
        call,
        args=_each(call.args, leaf),
        init=_each(call.init, leaf),
        steps=tuple((name, _each(given, leaf)) for name, given in call.steps),
    )


def tokens(*names: str, top: int = 256) -> Afresh:
    """Other whole numbers below ``top`` in these arguments, in the same order, and each by the
    same one everywhere.
    """
    return _numbers(names, lambda rng, old: np.sort(rng.choice(top, len(old), False)), top)


def larger(*names: str) -> Afresh:
    """Larger whole numbers in these arguments, in the same order; 0 and 1 stay."""
    return _numbers(
        names,
        lambda rng, old: old + (old > 1) * np.cumsum(rng.integers(1, WIDEST + 1, len(old))),
    )


def digits(*names: str) -> Afresh:
    """Other digits in the whole numbers below 256 in these arguments; 0 stays."""

    def other(rng, old):
        table = str.maketrans("123456789", "".join(map(str, rng.permutation(9) + 1)))
        return [int(str(number).translate(table)) for number in old]

    return _numbers(names, other, 256)


def _numbers(names: tuple[str, ...], other: Callable, top: int | None = None) -> Afresh:
    def afresh(call: Call, rng: np.random.Generator) -> Call:
        found: set[int] = set()

        def note(value):
            if _whole(value) and (top is None or value < top):
                found.add(int(value))
            return value

        _each(call.args, note, names)
        old = np.array(sorted(found), dtype=np.int64)
        new = dict(zip(old.tolist(), map(int, other(rng, old)), strict=True))

        def leaf(value):
            return new.get(int(value), value) if _whole(value) else value

        return replace(call, args=_each(call.args, leaf, names))

    return afresh


def _whole(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _each(
    value: object, leaf: Callable, names: tuple[str, ...] | None = None, inside: bool = False
) -> Any:
    """A nested value with another in place of each leaf, or of those under these names; of what is
    `Made`, under the names of what it is made of.
    """
    if isinstance(value, Made):
        return Made(value.name, _each(value.given, leaf, names))
    if isinstance(value, Mapping):
        return {
            key: _each(item, leaf, names, inside or key in (names or ()))
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return type(value)(_each(item, leaf, names, inside) for item in value)
    if names is not None and not inside:
        return value
    if isinstance(value, np.ndarray) and value.dtype.kind == "i":
        flat = [leaf(item) for item in value.reshape(-1).tolist()]
        return np.array(flat, dtype=value.dtype).reshape(value.shape)
    return leaf(value)
