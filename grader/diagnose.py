"""From wrong numbers to words: which known mistake gives them, or what can be said at least.

Every size in the cases is a different prime, so a factor of 7 points at one axis alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from grader.compare import BEHAVIOR, compare
from grader.exercise import Mistake
from grader.reference import Reference

NEARLY = 1e-5  # relative; float32 alone leaves about a hundredth of it in one operation

Answers = Sequence[Mapping]  # what the worker sent for each case


def known(
    mistakes: Sequence[Mistake], references: Sequence[Reference], answers: Answers, tolerance: float
) -> tuple[list[Mistake], bool]:
    """Name the known mistakes that give these numbers.

    One mistake explains a submission when it gives the same numbers, or the same error, on every
    case that fails and is right on every case that passes. Where none does, at most two are named
    that together explain the most: two mistakes at once, where each shows alone in some case.

    Args:
        mistakes: of the exercise.
        references: one per case.
        answers: what the worker sent, one per reference.
        tolerance: of the exercise.

    Returns:
        The mistakes, and whether each of them explains every case.
    """
    fits: dict[str, set[int]] = {}  # the failed cases that each mistake explains
    open_cases = set()
    for number, (entry, answer) in enumerate(zip(references, answers, strict=True)):
        if "values" in answer and entry.judge(answer["values"], tolerance) is None:
            for name in entry.mistakes:  # it would have failed here
                fits[name] = {-1}
            continue
        open_cases.add(number)
        for name, wrong in entry.mistakes.items():
            if -1 not in fits.get(name, ()) and same(wrong, answer, tolerance):
                fits.setdefault(name, set()).add(number)
    for mistake in mistakes:
        fits.setdefault(mistake.name, set())
    whole = [mistake for mistake in mistakes if fits[mistake.name] == open_cases]
    if whole:
        return whole, True
    partly = []
    while open_cases and len(partly) < 2:
        best = max(mistakes, key=lambda mistake: len(fits[mistake.name] & open_cases))
        if not fits[best.name] & open_cases:
            break
        partly.append(best)
        open_cases -= fits[best.name]
    return partly, False


def observe(references: Sequence[Reference], answers: Answers, tolerance: float) -> Iterator[str]:
    """What can be said of wrong numbers when no known mistake gives them.

    Args:
        references: one per case.
        answers: what the worker sent, one per reference.
        tolerance: of the exercise.

    Yields:
        Sentences for the student; none holds an expected number of a hidden case.
    """
    passed, failed, wrong = [], [], []
    for entry, answer in zip(references, answers, strict=True):
        values = answer.get("values")
        difference = entry.judge(values, tolerance) if values is not None else None
        right = values is not None and difference is None
        (passed if right else failed).append((entry, values))
        if difference and difference.kind not in (*BEHAVIOR, "parameters"):  # these say it all
            wrong.append((entry, values))
    yield from _only_with(passed, failed)
    if wrong and all(_forward_is_right(entry, values, tolerance) for entry, values in wrong):
        if all(_gradient_is_not_finite(values) for _, values in wrong):
            yield (
                "Every output is right and a gradient is not finite: somewhere 0 meets ∞, as in "
                "the branch that torch.where does not take, in a square root of 0, or in 0 · log 0."
            )
        else:
            yield (
                "Every output is right and a gradient is not: look for a detach, .data, .item(), "
                "torch.no_grad() or a change in place on the way from the input to the output."
            )
        return
    wrong = [pair for pair in wrong if not _is_empty(pair[0].expected.get("output"))]
    for look in (_factor, _nearly, _transposed, _shuffled, _unnormalized):
        said = {look(entry, values, tolerance) for entry, values in wrong}
        if len(said) == 1 and (sentence := said.pop()):
            yield sentence
            return


def same(wrong: Mapping, answer: Mapping, tolerance: float) -> bool:
    """Did an answer go wrong exactly as a recorded mistake did?"""
    if "error" in wrong:
        error = answer.get("error") or {}
        return all(error.get(key) == wrong["error"].get(key) for key in ("kind", "type", "message"))
    values = answer.get("values")
    return values is not None and compare(wrong["values"], values, tolerance) is None


def _only_with(passed: list, failed: list) -> Iterator[str]:
    """Is there an optional argument that is given in exactly the cases that fail?"""
    if not passed or not failed:
        return
    for name in failed[0][0].call["args"]:
        without = all(entry.call["args"].get(name) is None for entry, _ in passed)
        if without and all(entry.call["args"].get(name) is not None for entry, _ in failed):
            yield f"It is right without {name} and wrong with it."


def _forward_is_right(entry: Reference, values: Mapping, tolerance: float) -> bool:
    """Do the two differ in gradients alone?"""

    def forward(result: Mapping) -> dict:
        return {name: value for name, value in result.items() if not name.startswith("grad.")}

    return compare(forward(entry.expected), forward(values), tolerance) is None


def _gradient_is_not_finite(values: Mapping) -> bool:
    gradients = (value for name, value in values.items() if name.startswith("grad."))
    return any(
        isinstance(value, np.ndarray) and value.dtype.kind == "f" and not np.isfinite(value).all()
        for value in gradients
    )


def _arrays(
    entry: Reference, values: Mapping, kinds: str = "f"
) -> tuple[np.ndarray, np.ndarray] | None:
    """Expected and given output, where both are real arrays with something in them."""
    want, got = entry.expected.get("output"), values.get("output")
    for array in (want, got):
        if not isinstance(array, np.ndarray) or array.dtype.kind not in kinds or array.size == 0:
            return None
    return want, got


def _is_empty(value: object) -> bool:
    return isinstance(value, np.ndarray) and value.size == 0


def _close(want: np.ndarray, got: np.ndarray, tolerance: float) -> bool:
    return compare({"output": want}, {"output": got}, tolerance) is None


def _factor(entry: Reference, values: Mapping, tolerance: float) -> str | None:
    """The same factor everywhere, and whose size it is."""
    pair = _arrays(entry, values)
    if not pair or pair[0].shape != pair[1].shape:
        return None
    want, got = pair
    with np.errstate(all="ignore"):
        at = np.unravel_index(np.nanargmax(np.abs(want)), want.shape) if np.any(want) else None
        if at is None or not np.isfinite(got[at]) or got[at] == 0:
            return None
        factor = float(got[at] / want[at])
        if not _close(want * factor, got, tolerance):
            return None
    if abs(factor + 1) < 1e-9:
        return "It has the wrong sign everywhere."
    sizes = _sizes(entry.call)
    for what, power in (("", 1), ("the square root of ", 0.5)):
        for lead, value in (("times", factor), ("divided by", 1 / factor)):
            for name, size in sizes.items():
                if size > 1 and abs(value - size**power) < 1e-9 * size:
                    return f"It is what it should be {lead} {what}{name}."
    return "It is off by a constant factor within each case."


def _sizes(call: Mapping) -> dict[str, int]:
    """Every size in a call, in words: ``the size of query along axis -1``."""
    found: dict[str, int] = {}
    for name, value in call["args"].items():
        if isinstance(value, np.ndarray) and value.dtype.kind in "fi":
            for axis, size in enumerate(value.shape):
                found.setdefault(f"the size of {name} along axis {axis - value.ndim}", size)
    return found


def _nearly(entry: Reference, values: Mapping, tolerance: float) -> str | None:
    """Wrong by so little that the formula is most likely right."""
    pair = _arrays(entry, values)
    if not pair or tolerance >= NEARLY or not _close(*pair, NEARLY):
        return None
    return (
        f"It is right to within {NEARLY:g}: numbers went through float32 on the way (.float(), "
        "a new tensor without a dtype), or a small constant such as eps stands in another place."
    )


def _transposed(entry: Reference, values: Mapping, tolerance: float) -> str | None:
    pair = _arrays(entry, values, "fib")
    if not pair or pair[0].ndim < 2:
        return None
    want, got = pair
    swapped = np.swapaxes(got, -1, -2)
    if swapped.shape == want.shape and _close(want, swapped, tolerance):
        return "It is the transpose of what it should be."
    return None


def _shuffled(entry: Reference, values: Mapping, tolerance: float) -> str | None:
    """The right numbers, in another shape or order."""
    pair = _arrays(entry, values)
    if not pair or pair[0].size != pair[1].size or pair[0].size < 2:
        return None
    want, got = pair
    if want.shape == got.shape:
        for axis in range(want.ndim):
            if _close(np.sort(want, axis), np.sort(got, axis), tolerance):
                order = _order(np.moveaxis(want, axis, 0), np.moveaxis(got, axis, 0), tolerance)
                return (
                    f"It holds the right numbers in another order along axis {axis - want.ndim}"
                    + (f": {_pattern(order)}." if order and _pattern(order) else ".")
                )
    if _close(np.sort(want, None), np.sort(got, None), tolerance):
        return "It holds the right numbers in another order: look at reshape, view and transpose."
    return None


def _order(want: np.ndarray, got: np.ndarray, tolerance: float) -> list[int] | None:
    """Which slice of ``want`` each slice of ``got`` is, along the first axis."""
    order = [
        next((i for i, right in enumerate(want) if _close(right, slice_, tolerance)), None)
        for slice_ in got
    ]
    return order if sorted(order, key=str) == sorted(range(len(want)), key=str) else None


def _pattern(order: list[int]) -> str:
    """A permutation in words, where there are any for it."""
    length = len(order)
    if order == list(range(length))[::-1]:
        return "it is reversed"
    for block in (size for size in range(length - 1, 1, -1) if length % size == 0):
        rows = np.reshape(order, (-1, block))  # as heads lie side by side
        if order == np.arange(length).reshape(block, -1).T.ravel().tolist():
            return (
                f"blocks of {block} are interleaved, as when heads and their features change "
                "places: look for a view where a transpose was meant"
            )
        if (rows == rows[:, :1] + np.arange(block)).all() and not (rows[:, 0] % block).any():
            return f"its blocks of {block} (heads?) are right inside, and permuted"
    for shift in range(1, length):
        if order == [(i + shift) % length for i in range(length)]:
            return f"it is shifted by {min(shift, length - shift)}"
    return ""


def _unnormalized(entry: Reference, values: Mapping, tolerance: float) -> str | None:
    """Rows that should be distributions and are not."""
    pair = _arrays(entry, values)
    if not pair or pair[0].shape != pair[1].shape or pair[0].ndim == 0:
        return None
    want, got = pair
    ones = np.ones(want.shape[:-1])
    if _close(ones, want.sum(-1), tolerance) and not _close(ones, got.sum(-1), tolerance):
        return "Each row should sum to 1, and does not."
    return None
