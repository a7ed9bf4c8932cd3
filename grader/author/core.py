"""Which cases are the core of an exercise, and which are its corners.

The core asks for the idea: an answer that does what the page teaches passes it. Corners ask for
what one forgets at first. A case says which it is with ``corner=``; one that does not say is a
corner where it

* asks for an error (``raises``), another ``dtype``, or a cost (``budget``, ``most``);
* looks at a module as it is made or at the size of its dropout, calls it several times, on another
  device or with another default float (``probe``);
* is given NaN, ∞, a number of 100 or more, or an argument that is empty.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from grader.author.exercise import PUBLIC_SEED, Call, Case, Exercise, Made

FAR = 100.0
CORNERS = ("fresh", "calls", "defaults", "elsewhere", "dropped")  # probes whose cases are corners


def names(exercise: Exercise, *, hidden: bool = True) -> list[str]:
    """The core cases of an exercise, in their order.

    Args:
        exercise: whose cases they are.
        hidden: with those that are recorded with an instructor's seed alone.
    """
    drawn = replace(exercise, afresh=None).calls(PUBLIC_SEED, hidden=hidden)
    return [case.name for case, call in drawn if not is_corner(case, call)]


def is_corner(case: Case, call: Call) -> bool:
    """Is this case a corner, as it says or by the rule above?"""
    if case.corner is not None:
        return case.corner
    if case.raises or case.dtype or case.budget or case.most or case.probe in CORNERS:
        return True
    parts = [call.args, call.init or {}, call.state or {}, *(args or {} for _, args in call.steps)]
    given = [value for part in parts for value in part.values()]
    return any(_empty(value) or any(map(_unusual, _leaves(value))) for value in given)


def _empty(value: object) -> bool:
    return isinstance(value, str | bytes | list | tuple) and not value


def _unusual(value: object) -> bool:
    if isinstance(value, np.ndarray):
        floats = value.dtype.kind == "f"
        return not value.size or (floats and not bool((np.abs(value) < FAR).all()))
    return isinstance(value, float) and not np.isfinite(value)


def _leaves(value: object) -> Iterator[object]:
    if isinstance(value, Made):
        value = value.given
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for item in value:
            yield from _leaves(item)
    else:
        yield value
