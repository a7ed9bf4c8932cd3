"""Relate a wrong value to the right one: a factor, another order, another shape.

Each look compares the two and yields what it sees, as the end of a sentence: "is the transpose of
what it should be". It sees, and guesses no cause that the numbers do not show.
"""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from grader.enclose.worker.entry import Kind, only
from grader.judge.compare import agree, differ, wrong
from grader.judge.words import agreeing, kind, ordinal, places

NEARLY = 1e-5, 1e-4  # relative; float32 alone leaves about a hundredth of the first in one step
LONGEST = 12  # values that are looked for in another order
LARGEST = 2**20  # numbers, or characters, in a value that is looked at
MANY = 100  # slices, each of which is looked for among all others
AXES = 8  # of one; a tensor may have 64, and there are billions of ways to choose among them
SEVERAL = 3  # numbers; fewer are in another order, or equal to others, by chance
EXACT = 1e-9  # relative; of a factor that is a number of its own
FACTORS = {
    -1.0: "has the wrong sign",
    2.0: "is twice what it should be",
    0.5: "is half of what it should be",
    1 / math.log(2): "is 1.4427 times what it should be, as a logarithm to base 2 is",
    1 / math.log(10): "is 0.4343 times what it should be, as a logarithm to base 10 is",
}
FUNCTIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "the square of what it should be": np.square,
    "the square root of what it should be": np.sqrt,
    "the exponential of what it should be": np.exp,
    "the logarithm of what it should be": np.log,
    "1 minus what it should be": lambda x: 1 - x,
    "1 divided by what it should be": lambda x: 1 / x,
    "the absolute value of what it should be": np.abs,
    "what it should be with its negative numbers set to 0": lambda x: np.maximum(x, 0),
}


def looks(
    want: object, got: object, call: Mapping, tolerance: float, alone: bool = False
) -> Iterator[str]:
    """All that is seen of one wrong value, the most telling first.

    Args:
        want: expected.
        got: what came instead.
        call: what the worker was asked.
        tolerance: relative.
        alone: there is no other evidence: then a single number is compared with nothing.

    Yields:
        Ends of sentences. None holds a number that is not in the student's own hands.
    """
    due, shown = _numeric(want), _numeric(got)
    if due is None or shown is None or (due.dtype.kind == "U") != (shown.dtype.kind == "U"):
        return
    if kind(want) != kind(got):
        if due.shape == shown.shape and _close(due, _cast(shown, due.dtype), tolerance):
            yield "has the right numbers in the wrong type"
    elif due.shape != shown.shape:
        yield from _shaped(due, shown, tolerance)
    elif due.dtype != shown.dtype and isinstance(want, np.ndarray):
        yield from _typed(due, shown, call)
    elif due.dtype.kind == shown.dtype.kind and not (alone and due.size == 1):
        yield from _same_shape(due, shown, call, tolerance)
    elif due.dtype.kind == shown.dtype.kind == "f":  # hardly by chance as near as that
        yield from nearly(due, shown, tolerance)


def returned(
    expected: Mapping, got: Mapping, tolerance: float, label: Callable[[str], str]
) -> Iterator[str]:
    """Describe all values together: another order, a part of them, more than asked for.

    Args:
        expected: named values.
        got: named values.
        tolerance: relative.
        label: how a named value is called before a student.

    Yields:
        Sentences, the most telling first.
    """
    want = only(expected, Kind.OUTPUT)
    have = only(got, Kind.OUTPUT)

    def alike(one: object, other: object) -> bool:
        return not differ({"output": one}, {"output": other}, tolerance)

    truths = any(isinstance(value, bool) for value in want.values())  # alike by chance
    if want.keys() == have.keys():
        order = _matching([*want.values()], [*have.values()], alike)
        if order and order != sorted(order) and not truths:
            yield _reordered([*want], order, label)
    elif want.keys() == {"output"}:
        with contextlib.suppress(ValueError, TypeError):
            if alike(want["output"], np.stack([*have.values()])):
                yield "Its parts are right: make one tensor of them (torch.stack)."
    elif have.keys() == {"output"}:
        for name, value in want.items():
            if len(places(name)) == 1 and alike(value, have["output"]):
                yield f"It returned the {ordinal(places(name)[0])} of {len(want)} values alone."
    elif _matching([*want.values()], [*have.values()], alike):
        yield "It returned the right values, put together in another way."
    elif (both := want.keys() & have.keys()) and all(alike(want[n], have[n]) for n in both):
        if both == want.keys():
            yield "All that is asked for is there and right; what else it returned is too much."
        elif both == have.keys():
            yield "What it returned is right, and some is missing."


def _matching(want: Sequence, have: Sequence, alike: Callable) -> list[int] | None:
    """Which of the expected values each one is, in the order in which they came."""
    left = dict(enumerate(want)) if len(want) == len(have) <= LONGEST else {}
    order = []
    for value in have:
        index = next((index for index, right in left.items() if alike(right, value)), None)
        if index is None:
            return None
        del left[index]
        order.append(index)
    return order


def _reordered(names: Sequence[str], order: Sequence[int], label: Callable[[str], str]) -> str:
    """The right values in another order, in a sentence."""
    moved = [name for name, index in zip(names, order, strict=True) if names[index] != name]
    inside = {name[: name.rindex("[")] for name in moved}
    if inside == {"output"}:
        came = [f"the {ordinal(places(names[index])[0])}" for index in order]
        return f"It returned the right values in this order: {', '.join(came)}."
    if len(inside) == 1:
        return agreeing(label(inside.pop()), "has the right items in another order.")
    return "It returned the right values in another order."


def _same_shape(
    want: np.ndarray, got: np.ndarray, call: Mapping, tolerance: float
) -> Iterator[str]:
    if want.dtype.kind == "b" and want.size >= SEVERAL and np.array_equal(want, ~got):
        yield "has True and False the wrong way round"
    if want.dtype.kind in "fib":
        yield from _given(got, call)
    if want.dtype.kind == "f":
        yield from nearly(want, got, tolerance)
    if want.dtype.kind in "fi":
        yield from _factor(want, got, call, tolerance)
        yield from _shifted(want, got, call, tolerance)
    if want.dtype.kind == "f":
        yield from _function(want, got, tolerance)
    for axes in _orders(want.ndim):
        if want.transpose(axes).shape == want.shape:
            yield from _transposed(want, got, axes, tolerance)
    if want.ndim and want.dtype.kind == "f":
        yield from _unnormalized(want, got, tolerance)
    if want.dtype.kind != "b" and _distinct(want) >= SEVERAL:
        yield from _shuffled(want, got, tolerance)
    if want.dtype.kind in "fib":
        yield from where(want, got, call, tolerance)


def where(want: np.ndarray, got: np.ndarray, call: Mapping, tolerance: float) -> Iterator[str]:
    """Are the wrong entries exactly those where an argument is 0, or negative, or masked?"""
    bad = wrong(want, got, tolerance)
    if bad.ndim == 0 or bad.all() or not bad.any():
        return
    said = "wrong"
    if got.dtype.kind == "f" and np.array_equal(~np.isfinite(got), bad):
        said = "not finite"
        if not np.isfinite(want[bad]).all():
            said = "NaN" if np.isnan(got[bad]).all() else "wrong"
    for place, here in _conditions(call["args"], want.shape):
        if np.array_equal(here, bad):
            yield f"is {said} exactly where {place}"
    for axis in range(bad.ndim):
        at = sorted(set(np.nonzero(bad)[axis].tolist()))
        ends = {0: "first", bad.shape[axis] - 1: "last"}
        if bad.shape[axis] > 2 and len(at) == 1 and at[0] in ends:
            yield f"is {said} only in the {ends[at[0]]} place along {_axis(axis, bad.ndim)}"


def _numeric(value: object) -> np.ndarray | None:
    """As an array of numbers, truths or words, where it is one, with something in it, and not too
    large: as an array, each of a list's words takes as much room as the longest.
    """
    if isinstance(value, Mapping) or value is None:
        return None
    if isinstance(value, list | tuple):
        count, longest = _extent(value)
        if count * longest > LARGEST:
            return None
    try:
        array = np.asarray(value)
    except ValueError:  # lists of different lengths
        return None
    small = 0 < array.size <= LARGEST and array.ndim <= AXES
    return array if small and array.dtype.kind in "fibU" else None


def _extent(value: Sequence) -> tuple[int, int]:
    """How many things a nested list holds, and how many characters the longest of them has."""
    count, longest, todo = 0, 1, [*value]
    while todo:
        item = todo.pop()
        if isinstance(item, list | tuple):
            todo += item
        else:
            count += 1
            longest = max(longest, len(item)) if isinstance(item, str) else longest
    return count, longest


def _close(want: np.ndarray, got: np.ndarray, tolerance: float) -> bool:
    """Are they equal but for rounding, whatever floats they are made of?"""
    want, got = np.asarray(want), np.asarray(got)
    if want.dtype.kind == "f" and got.dtype.kind in "fi":
        want, got = want.astype(float), got.astype(float)
    return agree(want, got, tolerance)


def _cast(array: np.ndarray, dtype: np.dtype | type) -> np.ndarray:
    """In another dtype, without a warning where that cannot hold a number: NaN is no integer."""
    with np.errstate(all="ignore"):
        return array.astype(dtype)


def _axis(axis: int, ndim: int) -> str:
    return "the last axis" if axis == ndim - 1 else f"axis {axis - ndim}"


def _distinct(want: np.ndarray) -> int:
    """How many numbers, or words, take part, but for 0, which is everything times something."""
    if want.dtype.kind == "U":
        return len(np.unique(want))
    return len(np.unique(want[np.isfinite(want) & (want != 0)]))


def _given(got: np.ndarray, call: Mapping) -> Iterator[str]:
    """Is it an argument, or what a module began with, as it was?"""
    if not np.any(got):
        nothing = "False" if got.dtype.kind == "b" else "0"
        if got.size > 1:  # of one number the case shows as much
            yield f"is {nothing} everywhere"
        return
    if len(np.unique(got)) == 1:
        return
    for name, value in {**(call.get("state") or {}), **call["args"]}.items():
        alike = isinstance(value, np.ndarray) and value.dtype.kind == got.dtype.kind
        if alike and np.array_equal(value, got):
            yield f"is `{name}` as it was given"


def nearly(want: np.ndarray, got: np.ndarray, tolerance: float) -> Iterator[str]:
    """Wrong by so little that the formula is most likely right."""
    single, half = (np.array_equal(got, _cast(got, kind)) for kind in (np.float32, np.float16))
    single &= got.dtype == np.float64 and not half  # a float16 is any short number
    for bound in NEARLY:
        if tolerance < bound and _close(want, got, bound):
            if single and bound == NEARLY[0]:
                yield (
                    f"is right to within {bound:g}, and holds numbers of float32: look for "
                    ".float(), or a new tensor without a dtype, as torch.tensor of a list makes"
                )
            yield (
                f"is right to within {bound:g}: look for a small constant (eps) in another place, "
                "a constant that was rounded, or numbers that went through float32"
            )


def _factor(want: np.ndarray, got: np.ndarray, call: Mapping, tolerance: float) -> Iterator[str]:
    """The same factor everywhere, and whose size it is."""
    finite = np.where(np.isfinite(want), np.abs(want), 0)
    at = np.unravel_index(finite.argmax(), want.shape)
    if not finite[at] or not np.isfinite(got[at]) or not got[at]:
        return
    factor = float(got[at] / want[at])
    if abs(factor - 1) < NEARLY[0] or not _close(want * factor, got, tolerance):
        return
    near = EXACT if want.dtype.kind == "i" else tolerance
    for value, said in FACTORS.items():
        if abs(factor / value - 1) < near:
            yield said
    for what, power in (("", 1), ("the square root of ", 0.5)):
        for name, size in [*_sizes(call), *_rates(call)]:
            for value, lead in ((size**power, "times"), (size**-power, "divided by")):
                if abs(factor / value - 1) < near:
                    yield f"is what it should be {lead} {what}{name}"
    for name, size in _sizes(call) if want.dtype.kind == "f" else ():
        if size > 2 and abs(factor / (size / (size - 1)) - 1) < near:
            yield f"is n / (n − 1) times what it should be, with n {name}"
        elif size > 2 and abs(factor / ((size - 1) / size) - 1) < near:
            yield f"is (n − 1) / n times what it should be, with n {name}"
    if _distinct(want) > 1:
        yield "is off by one factor within each case"


def _sizes(call: Mapping) -> Iterator[tuple[str, int]]:
    """Every size in a call, in words: ``the size of `query` along axis -1``."""
    for name, value in call["args"].items():
        if isinstance(value, np.ndarray) and value.ndim and min(value.shape) > 0:
            for axis, size in enumerate(value.shape):
                if size > 1:
                    yield f"the size of `{name}` along axis {axis - value.ndim}", size
            yield f"the size of `{name}` along axis 0", value.shape[0]


def _rates(call: Mapping) -> Iterator[tuple[str, float]]:
    """Every number in a call, and what it leaves of 1."""
    for name, value in {**(call.get("init") or {}), **call["args"]}.items():
        if isinstance(value, int | float) and value > 0 and value != 1:
            yield f"`{name}`", value
            if value < 1:
                yield f"(1 − `{name}`)", 1 - value


def _shifted(want: np.ndarray, got: np.ndarray, call: Mapping, tolerance: float) -> Iterator[str]:
    """The same number added everywhere."""
    finite = np.isfinite(want)
    if not finite.any() or not np.isfinite(got[finite]).all():
        return
    added = float(got[finite][0]) - float(want[finite][0])
    if not added or not _close(want + added, got, tolerance):
        return
    if want.dtype.kind == "i" and abs(added) == 1:
        yield f"is 1 too {'large' if added > 0 else 'small'}"
    for name, value in _rates(call):
        if abs(abs(added) / value - 1) < tolerance:
            yield f"is {name} too {'large' if added > 0 else 'small'}"
    if _distinct(want) > 1:
        yield "is off by the same number within each case"


def _function(want: np.ndarray, got: np.ndarray, tolerance: float) -> Iterator[str]:
    """A step too many, or one too few; 0 and ∞ alone tell nothing of it."""
    if not _distinct(want) or np.isneginf(want).any():  # −∞ is a number that is negative to NumPy
        return
    with np.errstate(all="ignore"):
        for said, function in FUNCTIONS.items():
            due = function(want)
            # relative to far larger numbers beside them, any small ones are as good as 0
            if _close(due, got, tolerance) and not got[due == 0].any():
                yield f"is {said}"


def _typed(want: np.ndarray, got: np.ndarray, call: Mapping) -> Iterator[str]:
    """The right numbers in another dtype."""
    right = _close(want, _cast(got, want.dtype), NEARLY[0] if want.dtype.kind == "f" else 0.0)
    if not right:
        return
    given = {a.dtype for a in call["args"].values() if isinstance(a, np.ndarray)}
    said = "has the right numbers in the wrong dtype"
    if got.dtype == np.float32 and want.dtype in given:
        said += (
            ": look for .float(), or for a new tensor that is not told the input's dtype "
            "(`new_zeros` takes it)"
        )
    yield said


def _orders(ndim: int) -> list[tuple[int, ...]]:
    """Ways to order axes, but for the right one; the transpose of the last two is first."""
    if ndim < 2:
        return []
    right = tuple(range(ndim))
    last = (*right[:-2], *right[-1:-3:-1])
    others = itertools.permutations(right) if ndim <= 4 else ()
    return list(dict.fromkeys([last, *(order for order in others if order != right)]))


def _transposed(
    want: np.ndarray, got: np.ndarray, axes: tuple[int, ...], tolerance: float
) -> Iterator[str]:
    if want.transpose(axes).shape == got.shape and _close(want.transpose(axes), got, tolerance):
        if axes == _orders(want.ndim)[0]:
            yield "is the transpose of what it should be"
        else:
            yield "is what it should be with its axes in another order"


def _shaped(want: np.ndarray, got: np.ndarray, tolerance: float) -> Iterator[str]:
    """The right numbers in another shape, or a sum that is missing."""
    largest = want.dtype.kind == "f" and got.dtype.kind == "i"
    largest &= len(np.unique(got)) > 1
    if largest and any(np.array_equal(want.argmax(axis), got) for axis in range(want.ndim)):
        yield "says where the largest numbers are (argmax); the numbers are due"
    if want.dtype.kind != got.dtype.kind:
        return
    if want.ndim == got.ndim > 1:
        for axes in _orders(want.ndim):
            yield from _transposed(want, got, axes, tolerance)
    if want.size == got.size:
        thin = want.squeeze().shape == got.squeeze().shape
        if thin and _close(want.squeeze(), got.squeeze(), tolerance):
            more = got.ndim - want.ndim
            axes = f"{abs(more)} axes" if abs(more) > 1 else "an axis"
            much = "too many" if more > 0 else "too few" if more else "elsewhere"
            yield f"has the right numbers and {axes} of size 1 {much}"
        if _close(want.ravel(), got.ravel(), tolerance):
            yield "has the right numbers in their order: only a reshape is missing"
        elif want.dtype.kind != "U" and _close(np.sort(want, None), np.sort(got, None), tolerance):
            yield "has the right numbers in another order: look at reshape, view and transpose"
    elif want.ndim == got.ndim:
        yield from _longer(want, got, tolerance)
    elif want.dtype.kind == "f":
        for axes in itertools.combinations(range(got.ndim), max(0, got.ndim - want.ndim)):
            along = " and ".join(_axis(axis, got.ndim) for axis in axes)
            along = f" over {along}" if len(axes) < got.ndim else ""
            for step, reduce in (("mean", np.mean), ("sum", np.sum)):
                reduced = np.asarray(reduce(got, axis=axes))
                if reduced.shape == want.shape and _close(want, reduced, tolerance):
                    yield f"has too many axes: its {step}{along} is what it should be"


def _longer(want: np.ndarray, got: np.ndarray, tolerance: float) -> Iterator[str]:
    """Some too many or too few at an end of one axis, and the others right."""
    differ = [axis for axis in range(want.ndim) if want.shape[axis] != got.shape[axis]]
    if len(differ) != 1:
        return
    (axis,) = differ
    have, due = got.shape[axis], want.shape[axis]
    long, short = (got, want) if have > due else (want, got)
    more = abs(have - due)
    ends = (("end", slice(None, -more)), ("beginning", slice(more, None)))
    for end, part in ends:
        if _close(long[(slice(None),) * axis + (part,)], short, tolerance):
            much = "too many" if have > due else "missing"
            said = f"{more} {much} at the {end}" if more > 1 else f"one {much} at the {end}"
            along = f" of {_axis(axis, want.ndim)}" if want.ndim > 1 else ""
            yield f"is right but for {said}{along}"


def _shuffled(want: np.ndarray, got: np.ndarray, tolerance: float) -> Iterator[str]:
    """The right entries in another order."""
    for axis in range(want.ndim):
        if _close(np.sort(want, axis), np.sort(got, axis), tolerance):
            order = _order(np.moveaxis(want, axis, 0), np.moveaxis(got, axis, 0), tolerance)
            said = "has the right entries in another order"
            said += f" along {_axis(axis, want.ndim)}" if want.ndim > 1 else ""
            if order and (pattern := _pattern(order)):
                yield f"{said}: {pattern}"
            yield said
            return
    if _close(np.sort(want, None), np.sort(got, None), tolerance):
        yield "has the right numbers in another order: look at reshape, view and transpose"


def _order(want: np.ndarray, got: np.ndarray, tolerance: float) -> list[int] | None:
    """Which slice of ``want`` each slice of ``got`` is, along the first axis."""
    if len(want) > MANY:
        return None
    order = [
        next((i for i, right in enumerate(want) if _close(right, slice_, tolerance)), None)
        for slice_ in got
    ]
    found = [place for place in order if place is not None]
    return found if sorted(found) == [*range(len(want))] else None


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


def _unnormalized(want: np.ndarray, got: np.ndarray, tolerance: float) -> Iterator[str]:
    """Rows that should be distributions and are not."""

    if not (want >= 0).all():
        return

    def ones(array: np.ndarray, axis: int) -> bool:
        total = array.sum(axis)
        return array.shape[axis] > 1 and _close(np.ones_like(total), total, tolerance)

    for axis in range(want.ndim):
        if ones(want, axis) and not ones(got, axis):
            due = f"should sum to 1 along {_axis(axis, want.ndim)}"
            if other := [axis for axis in range(got.ndim) if ones(got, axis)]:
                yield f"{due}, and does so along {_axis(other[0], want.ndim)}"
                yield "sums to 1 along another axis than it should"
            yield f"{due}, and does not"


def _conditions(args: Mapping, shape: tuple[int, ...]) -> Iterator[tuple[str, np.ndarray]]:
    """Places in a result of this shape that an argument tells apart, in words."""
    for name, value in args.items():
        if not isinstance(value, np.ndarray) or value.dtype.kind not in "fib" or not value.ndim:
            continue
        tests: dict[str, np.ndarray]
        if value.dtype.kind == "b":
            tests = {"True": value, "False": ~value}
        else:
            inside = np.isfinite(value)
            tests = {"0": value == 0, "negative": (value < 0) & inside}
            tests |= {"positive": (value > 0) & inside, "−∞": np.isneginf(value)}
            tests |= {"∞": np.isposinf(value), "NaN": np.isnan(value)}
        for said, here in tests.items():
            if value.shape == shape:
                yield f"`{name}` is {said}", here
            for along, how in ((np.any, "somewhere"), (np.all, "all")):
                rows = np.asarray(along(here, axis=-1))
                if rows.shape == shape:
                    yield f"`{name}` is {said} {how} along its last axis", rows
                wide = _rows(rows, shape, spread=value.dtype.kind == "b")
                if wide is not None:
                    yield f"`{name}` is {said} {how} along its last axis", wide


def _rows(rows: np.ndarray, shape: tuple[int, ...], *, spread: bool) -> np.ndarray | None:
    """Whole rows of a result; ``spread`` over the axes in front, as a mask is."""
    lead = shape[:-1]
    fits = rows.shape == lead
    if spread and rows.ndim <= len(lead):
        pairs = zip(rows.shape[::-1], lead[::-1], strict=False)
        fits = all(size in (1, whole) for size, whole in pairs)
    return np.broadcast_to(np.broadcast_to(rows, lead)[..., None], shape) if fits else None
