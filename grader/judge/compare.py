"""The trusted comparison: type, shape, dtype, finiteness, values, gradients, in that order."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from grader.enclose.worker import wire
from grader.enclose.worker.entry import (
    BFLOAT16,
    BYTES,
    EARLIER,
    Kind,
    item,
    kind_of,
    only,
    path_of,
    paths,
)
from grader.judge import fresh, words
from grader.judge.difference import Difference
from grader.judge.words import SHOWN, agreeing, at, kind, several

BEHAVIOR = ("changed", "repeatable", "attached", "replaced")
LONGEST = 400  # characters of a list
AROUND = 20, 5  # characters of a text, items of a list that are shown on both sides of a difference
COSTS = {
    "largest": "made a tensor of {:,} numbers",
    "written": "wrote {:,} numbers into new tensors",
    "multiply_adds": "took {:,} multiply-adds",
    "calls": "called what it was given {:,} times",
    "positions": "fed {:,} positions to what it was given",
}
OF_TORCH = {"largest", "written", "multiply_adds"}  # what NumPy would do is in none of these
DIGITS = (6, 9, 12, 17)  # as many are shown as tell two numbers apart
# What rounding leaves where the true value is 0 and everything is of order 1: say, the gradient of
# the bias of keys, which moves all scores of a query alike.
FLOOR = 1e-14
FLOAT32_FLOOR = 1e-6


def compare(
    expected: Mapping,
    got: Mapping,
    tolerance: float,
    *,
    label: Callable[[str], str] = words.label,
    exact: bool = False,
) -> Difference | None:
    """Find the first difference between two results of a probe.

    Two numbers agree when they differ by at most ``tolerance`` times the expected number, plus
    a thousandth of ``tolerance`` times the largest expected number of the same array; a tenth
    where that is float32 or narrower, whose rounding is that much nearer to its tolerance. Where
    0 is expected, what rounding leaves of numbers of order 1 is allowed.

    Args:
        expected: named values, as recorded.
        got: named values, as the worker sent them; nothing about them is trusted.
        tolerance: relative.
        label: how a named value is called before a student.
        exact: a tuple is no list, as in attributes, which others change.

    Returns:
        The first difference, or None when everything agrees.
    """
    if expected.get("raised") is not None or "raised" in got:
        return _raised(expected.get("raised"), got.get("raised"))
    got = got if exact else _aligned(expected, got)
    return next(_differences(expected, got, tolerance, label), None)


def differ(expected: Mapping, got: Mapping, tolerance: float) -> bool:
    """Is there a difference for `compare` to find? No words are put together for it."""
    told = (name for name in expected if name in got and kind_of(name) is not Kind.FRESH)
    pairs = ((expected[name], got[name]) for name in told if _alike(expected[name], got[name]))
    if any(not agree(want, have, tolerance) for want, have in pairs):
        return True
    return compare(expected, got, tolerance) is not None


def _differences(
    expected: Mapping, got: Mapping, tolerance: float, label: Callable[[str], str]
) -> Iterator[Difference]:
    """All that differs, what explains most first; behind the first, nothing may hold any more."""
    if "parameters" in expected and expected["parameters"] != got.get("parameters"):
        yield _parameters(expected["parameters"], got.get("parameters"))
    yield from _structure(expected, got, label)
    values = [
        name
        for name in expected
        if name != "parameters" and name not in BEHAVIOR and kind_of(name) is not Kind.COST
    ]
    values = [name for name in fresh.UNRECORDED if name in got.keys() - expected.keys()] + values
    values.sort(key=fresh.late)
    for name in values:
        if kind_of(name) is Kind.OUTPUT and not _alike(expected[name], got[name]):
            yield from _form(label(name), name, expected[name], got[name])
    layout = "layout" in got and expected.get("repeatable")
    for name in BEHAVIOR:
        if name == "repeatable" and layout:
            continue  # what is wrong with its numbers says more
        if name in expected and expected[name] != got.get(name):
            yield _behavior(name, expected[name], got)
    for name in values:
        if kind_of(name) is Kind.FRESH:
            found = fresh.compare(name, expected.get(name, []), got[name], tolerance)
            yield from [found] if found else []
        elif not agree(expected[name], got[name], tolerance):
            yield from _value(label(name), name, expected[name], got[name], tolerance)
    if layout:
        said = (
            "The same numbers in another memory layout, as after a transpose, gave another result."
            " Either a part is computed with fewer digits than the inputs have (float32), where"
            " rounding depends on the order of a sum, or the code reads memory by its layout"
            " (as_strided, storage)."
        )
        yield Difference("layout", "output", said)


def _alike(want: Any, got: Any) -> bool:
    """Are both arrays, of one dtype and shape?"""
    arrays = isinstance(want, np.ndarray) and isinstance(got, np.ndarray)
    return arrays and (want.dtype, want.shape) == (got.dtype, got.shape)


def agree(want: Any, got: Any, tolerance: float) -> bool:
    """Do two arrays agree? Nearly all do, and need no words; all else is looked at one by one."""
    if not _alike(want, got):
        return False
    return np.array_equal(want, got) or not bool(wrong(want, got, tolerance).any())


def wrong(want: np.ndarray, got: np.ndarray, tolerance: float) -> np.ndarray:
    """Which entries of two arrays of one shape do not agree: bool, of that shape."""
    return _relative(want, got) > tolerance if _is_float(want) else want != got


def error_between(expected: Mapping, got: Mapping) -> float:
    """Largest relative difference over all arrays, in units of `compare`'s tolerance.

    What a constructor drew is left out: it agrees by its spread alone.
    """
    worst = 0.0
    for name, want in expected.items():
        have = None if kind_of(name) is Kind.FRESH else got.get(name)
        if _is_float(want) and isinstance(have, np.ndarray | float):
            have = np.asarray(have)
            if have.shape == np.shape(want):
                worst = max(worst, float(_relative(np.asarray(want), have).max(initial=0.0)))
    return worst


def score(at_least: float, labels: np.ndarray, got: Mapping) -> Difference | None:
    """Judge predictions on labels that the worker never saw."""
    output = got.get("output")
    if not isinstance(output, np.ndarray):
        if output is None:
            return _none("a tensor")
        return Difference("type", "output", f"It returned {kind(output)}, expected a tensor.")
    if output.ndim == labels.ndim + 1:
        output = output.argmax(-1)
    if output.shape != labels.shape:
        return _shape(words.label("output"), "output", labels, output)
    share = float((output == labels).mean())
    if share >= at_least:
        return None
    said = f"It is right on too few of the held-out examples; {at_least:.1%} are needed."
    return Difference("score", "output", said, f"it is right on {share:.1%}")


def costs(most: Mapping[str, int], got: Mapping) -> list[Difference]:
    """List the counts that are more than a case allows."""
    found, counts = [], paths(got, Kind.COST)
    for name, limit in most.items():
        count = counts.get(name)
        if type(count) is not int:
            found.append(Difference("type", "cost", "The result is not complete."))
        elif count > limit:
            said = f"It {COSTS[name].format(count)}; {limit:,} are allowed here."
            found.append(Difference("cost", name, said))
    if OF_TORCH & most.keys() and counts.get("departed"):
        said = "It hands numbers to NumPy or lists, whose cost is not counted here: use torch."
        found.append(Difference("cost", "departed", said))
    return found


def _raised(want: object, got: object) -> Difference | None:
    """Was the error raised that is expected?"""
    if want is not None and want == got:
        return None
    if want is None:
        return Difference("raises", "raised", f"It raised a {got}, but no error is expected.")
    said = f"It returned a result, but a {want} is expected: the docstring says when."
    return Difference("raises", "raised", said)


def _aligned(expected: Mapping, got: Mapping) -> Mapping:
    """The same result with a list for each tuple of plain values where a list is expected; of the
    whole result also the other way round.
    """
    for name, want in expected.items():
        if isinstance(want, list) and name not in got and kind_of(name) is Kind.OUTPUT:
            got = _as_list(name, got)
    if "output" not in expected and isinstance(got.get("output"), list):
        parts = {item("output", index): value for index, value in enumerate(got["output"])}
        if parts and parts.keys() <= expected.keys():
            return parts | {name: value for name, value in got.items() if name != "output"}
    return got


def _as_list(name: str, got: Mapping) -> Mapping:
    """The same result with one tuple as a list, if all in it is plain."""
    parts = [one for one in only(got, Kind.OUTPUT) if one.startswith(f"{name}[")]
    values = [got[one] for one in parts]
    plain = all(value is None or isinstance(value, str | int | float) for value in values)
    if not (plain and parts and parts == [item(name, place) for place in range(len(parts))]):
        return got
    return {name: values} | {one: value for one, value in got.items() if one not in parts}


def _structure(
    expected: Mapping, got: Mapping, label: Callable[[str], str]
) -> Iterator[Difference]:
    """Do both return the same number of values, by the same names?"""
    want, have = [*only(expected, Kind.OUTPUT)], [*only(got, Kind.OUTPUT)]
    for name in have:
        if isinstance(got[name], list) and item(name, 0) in expected:
            said = agreeing(label(name), "is a list, expected a tuple.")
            yield Difference("type", name, said)
    if have == ["output"] != want and got["output"] is None:
        yield _none(several(want))
    if sorted(want) != sorted(have):  # a dictionary's order says nothing
        counted, due = several(have), several(want)
        if counted == due:  # what differs is where they are
            counted += f" ({', '.join(have[:SHOWN])})"
            due += f" ({', '.join(want[:SHOWN])})"
        said = f"It returned {counted}, expected {due}."
        yield Difference("type", "output", said)
    for name in expected:
        if name not in got and kind_of(name) is not Kind.COST:
            path, said = path_of(name), "The result is not complete."
            if kind_of(name) is Kind.GRAD:
                said = f"`{path}` is not a parameter of the module, so it gets no gradient."
            elif kind_of(name) is Kind.BUFFER:
                said = f"`{path}` is no buffer of the module."
            yield Difference("type", name, said)


def _parameters(want: Mapping, got: object) -> Difference:
    said = "The module's parameters and buffers are not those of the docstring"
    if isinstance(got, Mapping):
        extra, missing = sorted(set(got) - set(want)), sorted(set(want) - set(got))
        parts = [f"extra: {', '.join(extra)}"] * bool(extra)
        parts += [f"missing: {', '.join(missing)}"] * bool(missing)
        parts += [
            f"{name} has shape {tuple(got[name])}, expected {tuple(want[name])}"
            for name in want
            if name in got and got[name] != want[name]
        ]
        said += f" ({'; '.join(parts)})"
    return Difference("parameters", "parameters", said + ".")


def _behavior(name: str, want: object, got: Mapping) -> Difference:
    have = got.get(name)
    if name == "replaced":
        said = "A step put new tensors in place of the parameters' own: change them in place."
        return Difference(name, name, said)
    if name == "repeatable":
        return Difference(name, name, "Two calls on the same inputs gave different results.")
    if name == "attached":
        frozen = [path for path, value in paths(got, Kind.GRAD).items() if value is False]
        buffers = [kept for kept in have if isinstance(kept, str)] if have else []
        if buffers and not want:
            said = (
                f"{', '.join(buffers)} are still attached to a graph, which grows with every "
                "call: move them under torch.no_grad()."
            )
        elif want and not have and frozen:
            said = _frozen(", ".join(frozen))
        elif want and not have:
            said = (
                "No parameter gets a gradient from what it returned: none is used, or all are "
                "frozen, or cut off (detach(), .data, .item(), torch.no_grad(), torch.tensor(...))."
            )
        elif have and not want:
            said = (
                "Its result is still attached to a graph, though no input asks for a gradient: "
                "compute it under torch.no_grad(), or detach() it."
            )
        else:
            said = "Of what it returned, other values are attached to a graph than should be."
        return Difference(name, name, said)
    if isinstance(have, list) and EARLIER in have:
        said = (
            "A later call wrote into the result of an earlier one: both are the same memory. "
            "Make a new tensor in each call, and keep none in a global or a default argument."
        )
        return Difference(name, name, said)
    listed = ", ".join(f"`{one}`" for one in have) if isinstance(have, list) else "something"
    said = f"The call changed its input ({listed}) in place; x += y and x.add_(y) write into x."
    return Difference(name, name, said)


def _form(said: str, name: str, want: Any, got: Any) -> Iterator[Difference]:
    """Is it of the right kind and shape?"""
    want, got = _comparable(want, got)
    if isinstance(want, np.ndarray) and isinstance(got, np.ndarray):
        if got.shape != want.shape:
            yield _shape(said, name, want, got)
    elif isinstance(want, np.ndarray) or type(want) is not type(got):
        if got is None and name == "output":
            yield _none(kind(want))
        have, due = kind(got), kind(want)
        if "bfloat16" in have + due:  # of two tensors the dtype is what differs
            have, due = kind(got, dtype=True), kind(want, dtype=True)
        yield Difference("type", name, agreeing(said, f"is {have}, expected {due}."))
    elif isinstance(want, list) and len(got) != len(want):
        items = "1 item" if len(got) == 1 else f"{len(got)} items"
        *_, numbers = _parting(want, got)
        yield Difference(
            "value", name, agreeing(said, f"has {items}, expected {len(want)}."), numbers
        )


def _value(subject: str, name: str, want: Any, got: Any, tolerance: float) -> Iterator[Difference]:
    if kind_of(name) is Kind.GRAD and got is not want and (got is None or got is False):
        taken = path_of(name)
        sentence = f"No gradient reaches `{taken}`." if got is None else _frozen(taken)
        yield Difference("value", name, sentence)
    yield from _form(subject, name, want, got)
    want, got = _comparable(want, got)
    if isinstance(want, np.ndarray):
        yield from _array(subject, name, want, got, tolerance)
    elif isinstance(want, float):
        yield from _numbers(subject, name, np.asarray(want), np.asarray(got), tolerance)
    elif not _equal(want, got, tolerance):
        sentence = agreeing(subject, "is wrong")
        place, numbers = _parting(want, got, tolerance)
        if isinstance(want, list):
            pairs = zip(want, got, strict=True)
            bad = sum(not _equal(due, given, tolerance) for due, given in pairs)
            sentence += f" in {bad} of {len(want)} items, the first at {place}"
        elif place:
            sentence += f" from {place} on"
        yield Difference("value", name, f"{sentence}.", numbers)


def _parting(want: object, got: object, tolerance: float = 1e-6) -> tuple[str, str]:
    """Where two nested plain values, or texts, first differ, and what stands there."""
    place = ""
    while isinstance(want, list) and isinstance(got, list):
        pairs = enumerate(zip(want, got, strict=False))
        index = next((at for at, (due, had) in pairs if not _equal(due, had, tolerance)), None)
        if index is None or (_is_flat(want) and _is_flat(got) and len(want) != len(got)):
            break
        place, want, got = f"{place}[{index}]", want[index], got[index]
    kinds = (str, bytes, list)
    if type(want) is type(got) and isinstance(want, kinds) and isinstance(got, kinds):
        shorter = min(len(want), len(got))
        index = next((i for i in range(shorter) if want[i] != got[i]), shorter)
        if isinstance(want, str | bytes):
            place += f"[{index}]"
        want, got = _around(want, index), _around(got, index)
    else:
        want, got = repr(want), repr(got)
    return place, f"got {got}, expected {want}"[:LONGEST]


def _around(value: str | bytes | list, index: int) -> str:
    """Text or list around a place, a little on both sides."""
    wide = AROUND[isinstance(value, list)]
    first, last = max(0, index - wide), index + wide + 1
    if isinstance(value, list):
        shown = [*map(repr, value[first:last])]
        return f"[{', '.join(['…'] * (first > 0) + shown + ['…'] * (last < len(value)))}]"
    return "…" * (first > 0) + repr(value[first:last]) + "…" * (last < len(value))


def _is_flat(value: list) -> bool:
    return not any(isinstance(item, list) for item in value)


def _equal(want: object, got: object, tolerance: float) -> bool:
    """Nested plain values, their floats up to the tolerance."""
    if isinstance(want, list) and isinstance(got, list):
        pairs = zip(want, got, strict=False)
        return len(want) == len(got) and all(_equal(due, had, tolerance) for due, had in pairs)
    number = isinstance(got, int | float) and not isinstance(got, bool)
    if isinstance(want, float) and isinstance(got, int | float) and number:
        return not wrong(np.asarray(want), np.asarray(float(got)), tolerance).any()
    return type(want) is type(got) and want == got


def _bfloat16(value: object) -> np.ndarray | None:
    """The numbers of a tensor of bfloat16, which NumPy has not: they travel as float32."""
    found = value.get(BFLOAT16) if isinstance(value, Mapping) else None
    return found if isinstance(found, np.ndarray) else None


def _comparable(want: object, got: object) -> tuple[Any, Any]:
    """Both out of their wrapping; a whole number as a float where one is due."""
    want, got = _unwrapped(want), _unwrapped(got)
    if _bfloat16(want) is not None and _bfloat16(got) is not None:
        return _bfloat16(want), _bfloat16(got)
    if isinstance(want, float) and isinstance(got, int) and not isinstance(got, bool):
        return want, float(got)
    return want, got


def _unwrapped(value: object) -> object:
    """The bytes in a plain value, which travel as text."""
    if isinstance(value, list):
        return value if wire.is_plain(value) else [_unwrapped(item) for item in value]
    if isinstance(value, Mapping) and set(value) == {BYTES}:
        with contextlib.suppress(ValueError, TypeError):
            return bytes.fromhex(value[BYTES])
    return value


def _array(
    said: str, name: str, want: np.ndarray, got: np.ndarray, tolerance: float
) -> Iterator[Difference]:
    if got.dtype != want.dtype:
        yield Difference("dtype", name, agreeing(said, f"is {got.dtype}, expected {want.dtype}."))
    strange = ~np.isfinite(got) & np.isfinite(want) if _is_float(want) else np.zeros(())
    if strange.any():
        index = _first(strange)
        what = f"holds {got[index]} at {at(index)}" if index else f"is {got[index]}"
        said_of = agreeing(said, f"{what}, but a finite number is expected.")
        yield Difference("finite", name, said_of)
    yield from _numbers(said, name, want, got, tolerance)


def _numbers(
    said: str, name: str, want: np.ndarray, got: np.ndarray, tolerance: float
) -> Iterator[Difference]:
    bad = wrong(want, got, tolerance)
    if not bad.any():
        return
    index = _first(bad)
    said = agreeing(said, "is wrong")
    if bad.all() and bad.size > 1:
        said += f" in all {bad.size} entries"
    elif bad.ndim:
        said += f" in {int(bad.sum())} of {bad.size} entries, the first at {at(index)}"
    for digits in DIGITS:
        shown = [_show(value[index], digits) for value in (got, want)]
        if shown[0] != shown[1]:
            break
    numbers = "got {}, expected {}".format(*shown)
    if _is_float(want):
        with np.errstate(all="ignore"):
            errors = np.abs(got[bad] - want[bad])
        if (errors := errors[np.isfinite(errors)]).size > 1:
            numbers += f"; the largest error is {errors.max():.3g}"
    yield Difference("value", name, f"{said}.", numbers)


def allowed(want: np.ndarray, tolerance: float) -> np.ndarray:
    """By how much each entry of a float array may be off and still agree, as `compare` has it."""
    scale, floor = _scale(want)
    return tolerance * scale + floor


def _relative(want: np.ndarray, got: np.ndarray) -> np.ndarray:
    """|got − want| in units such that ``tolerance`` is the largest allowed; 0 for equal NaN, ∞."""
    scale, floor = _scale(want)
    with np.errstate(all="ignore"):
        error = np.maximum(np.abs(got - want) - floor, 0) / np.maximum(scale, np.finfo(float).tiny)
    equal = (want == got) | (np.isnan(want) & np.isnan(got))
    return np.where(equal, 0.0, np.where(np.isnan(error), np.inf, error))


def _scale(want: np.ndarray) -> tuple[np.ndarray, float]:
    """Return what errors are relative to, and what is allowed whatever that is."""
    single = want.dtype == np.float32
    with np.errstate(all="ignore"):
        largest = np.abs(want[np.isfinite(want)]).max(initial=0.0)
        scale = np.abs(want) + largest / (10 if single else 1000)
    return scale, FLOAT32_FLOOR if single else FLOOR


def _is_float(value: object) -> bool:
    return isinstance(value, float) or (isinstance(value, np.ndarray) and value.dtype.kind in "fc")


def _first(wrong: np.ndarray) -> tuple[int, ...]:
    return tuple(int(i) for i in np.argwhere(wrong)[0])


def _shape(said: str, name: str, want: np.ndarray, got: np.ndarray) -> Difference:
    said = agreeing(said, f"has shape {tuple(got.shape)}, expected {tuple(want.shape)}.")
    return Difference("shape", name, said)


def _none(expected: str) -> Difference:
    said = f"It returned None, expected {expected}; is a `return` missing?"
    return Difference("type", "output", said)


def _frozen(names: str) -> str:
    return f"No gradient reaches `{names}`: `requires_grad` is False."


def _show(value: object, digits: int) -> str:
    return f"{value:.{digits}g}" if isinstance(value, float | np.floating) else str(value)
