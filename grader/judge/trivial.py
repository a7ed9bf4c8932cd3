"""Trivial cases: a function that computes nothing passes them (errors, zeros, the input itself).

They earn points only once a result that has to be computed is right.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from grader.enclose.witness import cast_arrays
from grader.enclose.worker.entry import BYTES, TYPE, Kind, item, kind_of, only
from grader.judge.compare import differ
from grader.judge.difference import Difference
from grader.judge.records import RecordedCase

FILLED = (0, 1, np.inf, -np.inf, np.nan)  # what a function returns everywhere that computes nothing


def is_trivial(case: RecordedCase) -> bool:
    """Is an error expected, or does a function pass that returns its first argument, or zeros,
    ones, NaN, ∞ or nothing, of the expected type and shape?
    """
    if "raised" in case.expected:
        return True
    if case.at_least is not None:
        return False
    due = only(case.expected, Kind.OUTPUT)
    if due:
        return _is_filled(case, due) or _is_given(case, due)
    kept = only(case.expected, Kind.BUFFER)
    return _is_filled(case, kept) and not any(is_drawn(*item) for item in case.expected.items())


def missing(cases: Sequence[RecordedCase], right: Sequence[bool]) -> RecordedCase | None:
    """Return the case that has to be right before any case counts, if only trivial cases are right:
    the first that is not trivial, core cases before corners. Return None if all right cases count.

    Args:
        cases: of an exercise.
        right: whether each of them is right.
    """
    if all(right) or not all(is_trivial(c) for c, good in zip(cases, right, strict=True) if good):
        return None
    others = sorted(cases, key=lambda case: case.corner)
    return next((case for case in others if not is_trivial(case)), None)


def withheld(case: RecordedCase, other: RecordedCase) -> Difference:
    """Message on a trivial case that is right, where no other is.

    Args:
        case: the trivial one.
        other: one that is not trivial.
    """
    said = "The result is right here, but a function that computes nothing also returns it."
    if "raised" in case.expected:
        said = "It raises an error here, as it should."
    elif not only(case.expected, Kind.OUTPUT):
        said = "The object is constructed here as it should be."
    return Difference(
        "trivial",
        "output",
        f"{said} That counts once a result that has to be computed is right, as in case"
        f" {other.name!r}.",
    )


def blank(value: object, filled: float) -> object:
    """A value of the same type and shape that holds nothing but one number: 0 for NaN and ∞ where
    there are none; no letters for a text; what says only where a tensor is stays as it is.
    """
    whole = filled if np.isfinite(filled) else 0
    if isinstance(value, np.ndarray):
        return np.full_like(value, filled if value.dtype.kind in "fc" else whole)
    if isinstance(value, list):
        return [blank(inner, filled) for inner in value]
    if isinstance(value, Mapping):
        if BYTES in value:
            return {BYTES: ""}
        inner = {name: blank(item, filled) for name, item in value.items()}
        return dict(value) if TYPE in value else inner
    if isinstance(value, float):
        return float(filled)
    if isinstance(value, str):
        return ""
    return type(value)(whole) if isinstance(value, bool | int) else value


def given(case: RecordedCase) -> Iterator[tuple[str, Mapping]]:
    """The arguments of each call or step of a case, after the name of what it returns."""
    call, dtype = case.call, case.call.get("dtype")
    parts = {"output": call["args"]}
    if call.get("steps"):
        parts = {item("output", n): args or {} for n, (_, args) in enumerate(call["steps"])}
    elif call["probe"] == "calls" and isinstance(call["args"]["calls"], list):  # else made there
        parts = {item("output", n): args for n, args in enumerate(call["args"]["calls"])}
    for name, args in parts.items():
        yield name, {argument: cast_arrays(value, dtype) for argument, value in args.items()}


def flat(name: str, value: object) -> dict[str, object]:
    """The leaves of an argument, by the names that they have where it is returned."""
    items: Sequence[tuple[str, object]] = ()
    if isinstance(value, Mapping) and not any(str(key).startswith("$") for key in value):
        items = [(item(name, key), inner) for key, inner in value.items()]
    elif isinstance(value, list) and any(isinstance(item, np.ndarray) for item in value):
        items = [(item(name, index), inner) for index, inner in enumerate(value)]
    if not items:
        return {name: value}
    return {place: leaf for part, inner in items for place, leaf in flat(part, inner).items()}


def is_drawn(name: str, value: object) -> bool:
    """Is it found of a fresh parameter that its numbers are drawn?"""
    return kind_of(name) is Kind.FRESH and isinstance(value, np.ndarray) and value[2] > 0


def _is_filled(case: RecordedCase, due: Mapping) -> bool:
    """Is it one number everywhere, with gradients of 0?"""
    slopes = only(case.expected, Kind.GRAD)
    return _is(slopes, {name: blank(value, 0) for name, value in slopes.items()}, case) and any(
        _is(due, {name: blank(value, filled) for name, value in due.items()}, case)
        for filled in FILLED
    )


def _is_given(case: RecordedCase, due: Mapping) -> bool:
    """Is what each call returns its first argument?"""
    returned: dict[str, object] = {}
    for name, args in given(case):
        returned |= flat(name, next(iter(args.values()), None))
    return _is(due, returned, case)


def _is(want: Mapping, got: Mapping, case: RecordedCase) -> bool:
    return not differ(want, got, case.tolerance)
