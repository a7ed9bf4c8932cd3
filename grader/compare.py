"""The trusted comparison: type, shape, dtype, finiteness, values, gradients, in that order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

BEHAVIOR = ("changed", "repeatable", "attached")
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
FLOOR = 1e-14  # what rounding leaves where the true value is 0 and everything is of order 1


@dataclass(frozen=True)
class Difference:
    """The first thing that differs between two results.

    Attributes:
        kind: ``type``, ``shape``, ``dtype``, ``finite``, ``value``, ``parameters``,
            ``changed``, ``repeatable``, ``attached`` or ``score``.
        where: which of the returned values: ``output``, ``output[1]``, ``grad.weight``.
        message: a sentence for the student, without the expected values.
        numbers: got and expected at the first index that differs; shown for public cases alone.
    """

    kind: str
    where: str
    message: str
    numbers: str = ""


def compare(expected: Mapping, got: Mapping, tolerance: float) -> Difference | None:
    """Find the first difference between two results of a probe.

    Two numbers agree when they differ by at most ``tolerance`` times the expected number, plus
    a thousandth of ``tolerance`` times the largest expected number of the same array.

    Args:
        expected: named values, as recorded.
        got: named values, as the worker sent them; nothing about them is trusted.
        tolerance: relative.

    Returns:
        The first difference, or None when everything agrees.
    """
    if "parameters" in expected and expected["parameters"] != got.get("parameters"):
        return _parameters(expected["parameters"], got.get("parameters"))
    for name in BEHAVIOR:  # what explains most comes first
        if name in expected and expected[name] != got.get(name):
            return _behavior(name, expected[name], got.get(name))
    shape = _structure(expected, got)
    if shape:
        return shape
    for name, want in expected.items():
        if name == "parameters" or name in BEHAVIOR:
            continue
        found = _value(name, want, got[name], tolerance)
        if found:
            return found
    return None


def wrong(want: np.ndarray, got: np.ndarray, tolerance: float) -> np.ndarray:
    """Which entries of two arrays of one shape do not agree: bool, of that shape."""
    return _relative(want, got) > tolerance if _is_float(want) else want != got


def error_between(expected: Mapping, got: Mapping) -> float:
    """Largest relative difference over all arrays, in units of `compare`'s tolerance."""
    worst = 0.0
    for name, want in expected.items():
        have = got.get(name)
        if _is_float(want) and isinstance(have, np.ndarray | float):
            have = np.asarray(have)
            if have.shape == np.shape(want):
                worst = max(worst, float(_relative(np.asarray(want), have).max(initial=0.0)))
    return worst


def score(at_least: float, labels: np.ndarray, got: Mapping) -> Difference | None:
    """Judge predictions on labels that the worker never saw."""
    output = got.get("output")
    if not isinstance(output, np.ndarray):
        return Difference("type", "output", f"It returned {_kind(output)}, expected a tensor.")
    if output.ndim == labels.ndim + 1:
        output = output.argmax(-1)
    if output.shape != labels.shape:
        return _shape("output", labels, output)
    share = float((output == labels).mean())
    if share >= at_least:
        return None
    said = f"It is right on {share:.1%} of the held-out examples; {at_least:.1%} are needed."
    return Difference("score", "output", said)


def _structure(expected: Mapping, got: Mapping) -> Difference | None:
    """Do both return the same number of values, by the same names?"""
    want = [name for name in expected if name.startswith("output")]
    have = [name for name in got if name.startswith("output")]
    if sorted(want) != sorted(have):  # a dictionary's order says nothing
        said = f"It returned {_several(have)}, expected {_several(want)}."
        return Difference("type", "output", said)
    missing = [name for name in expected if name not in got]
    if missing:
        return Difference("type", missing[0], f"The result holds no {missing[0]}.")
    return None


def _several(names: list[str]) -> str:
    if names == ["output"]:
        return "one value"
    paths = [name.removeprefix("output") for name in names]
    plain = paths == [f"[{index}]" for index in range(len(paths))]
    return f"{len(names)} values" + ("" if plain else f" ({', '.join(paths)})")


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


def _behavior(name: str, want: object, got: object) -> Difference:
    if name == "repeatable":
        return Difference(name, name, "Two calls on the same inputs gave different results.")
    if name == "attached":
        if want and not got:
            said = (
                "What it returned is cut off from its parameters, so they get no gradient: look "
                "for detach(), .data, .item(), torch.no_grad() and torch.tensor(...)."
            )
        elif got and not want:
            said = (
                "What it returned still hangs on a graph, though no input asks for a gradient: "
                "compute it under torch.no_grad(), or detach() it."
            )
        else:
            said = "Of what it returned, other values hang on a graph than should."
        return Difference(name, name, said)
    listed = ", ".join(map(str, got)) if isinstance(got, list) else "something"
    said = f"The call changed its input ({listed}) in place; x += y and x.add_(y) write into x."
    return Difference(name, name, said)


def _value(name: str, want: object, got: object, tolerance: float) -> Difference | None:
    if isinstance(want, np.ndarray):
        return _array(name, want, got, tolerance)
    if _is_float(want) and isinstance(got, float):
        return _numbers(name, np.asarray(want), np.asarray(got), tolerance)
    if type(want) is not type(got):
        return Difference("type", name, f"{_label(name)} is {_kind(got)}, expected {_kind(want)}.")
    if want != got:
        said = f"{_label(name)} is wrong."
        if isinstance(want, list):
            said, want, got = _lists(name, want, got)
        numbers = f"got {got!r}, expected {want!r}"
        return Difference("value", name, said, numbers[:400])
    return None


def _lists(name: str, want: list, got: list) -> tuple[str, object, object]:
    """What is wrong with a list, and the two items or lists to show."""
    if len(want) != len(got):
        items = "1 item" if len(got) == 1 else f"{len(got)} items"
        said = f"{_label(name)} has {items}, expected {len(want)}."
        return said, want, got
    bad = [index for index, pair in enumerate(zip(want, got, strict=True)) if pair[0] != pair[1]]
    said = f"{_label(name)} is wrong in {len(bad)} of {len(want)} items; the first at [{bad[0]}]."
    return said, want[bad[0]], got[bad[0]]


def _array(name: str, want: np.ndarray, got: object, tolerance: float) -> Difference | None:
    if got is None and name.startswith("grad."):
        said = f"No gradient reaches {name.removeprefix('grad.')}: it is unused, or detached."
        return Difference("value", name, said)
    if not isinstance(got, np.ndarray):
        return Difference("type", name, f"{_label(name)} is {_kind(got)}, expected a tensor.")
    if got.shape != want.shape:
        return _shape(name, want, got)
    if got.dtype != want.dtype:
        said = f"{_label(name)} is {got.dtype}, expected {want.dtype}."
        if want.dtype.kind == got.dtype.kind == "f":
            said += " It should keep the dtype of its input; a new tensor must be given one."
        return Difference("dtype", name, said)
    if not _is_float(want):
        return _numbers(name, want, got, 0.0)
    strange = ~np.isfinite(got) & np.isfinite(want)
    if strange.any():
        index = _first(strange)
        what = f"holds {got[index]} at {_at(index)}" if index else f"is {got[index]}"
        said = f"{_label(name)} {what}, where a finite number is due."
        return Difference("finite", name, said)
    return _numbers(name, want, got, tolerance)


def _numbers(name: str, want: np.ndarray, got: np.ndarray, tolerance: float) -> Difference | None:
    bad = wrong(want, got, tolerance)
    if not bad.any():
        return None
    index = _first(bad)
    said = f"{_label(name)} is wrong"
    if bad.ndim:
        said += f" in {int(bad.sum())} of {bad.size} entries"
    if _is_float(want):
        with np.errstate(all="ignore"):
            worst = np.abs(np.where(bad, got - want, 0)).max()
        said += f", by up to {worst:.3g}"
    said += f"; the first at {_at(index)}." if bad.ndim else "."
    shown = [_show(value[index], 6) for value in (got, want)]
    if shown[0] == shown[1]:
        shown = [_show(value[index], 17) for value in (got, want)]
    return Difference("value", name, said, f"got {shown[0]}, expected {shown[1]}")


def _relative(want: np.ndarray, got: np.ndarray) -> np.ndarray:
    """|got − want| in units such that ``tolerance`` is the largest allowed; 0 for equal NaN, ∞."""
    with np.errstate(all="ignore"):
        finite = np.abs(want[np.isfinite(want)])
        scale = np.abs(want) + finite.max(initial=0.0) / 1000
        error = np.maximum(np.abs(got - want) - FLOOR, 0) / np.maximum(scale, np.finfo(float).tiny)
    equal = (want == got) | (np.isnan(want) & np.isnan(got))
    return np.where(equal, 0.0, np.where(np.isnan(error), np.inf, error))


def _is_float(value: object) -> bool:
    return isinstance(value, float) or (isinstance(value, np.ndarray) and value.dtype.kind in "fc")


def _first(wrong: np.ndarray) -> tuple[int, ...]:
    return tuple(int(i) for i in np.argwhere(wrong)[0])


def _at(index: tuple[int, ...]) -> str:
    return "[" + ", ".join(map(str, index)) + "]"


def _shape(name: str, want: np.ndarray, got: np.ndarray) -> Difference:
    said = f"{_label(name)} has shape {tuple(got.shape)}, expected {tuple(want.shape)}."
    return Difference("shape", name, said)


def _label(name: str) -> str:
    if name.startswith("grad."):
        return f"The gradient with respect to {name.removeprefix('grad.')}"
    kind, _, rest = name.partition(".")
    if kind == "buffer":
        return f"The buffer {rest}"
    index = name.removeprefix("output[").removesuffix("]")
    if index.isdecimal() and int(index) < len(ORDINALS):
        return f"The {ORDINALS[int(index)]} value that it returned"
    return "The output" if name == "output" else f"The {name}"


def _kind(value: object) -> str:
    if isinstance(value, Mapping) and "$type" in value:
        return f"a {value['$type']}"
    if isinstance(value, np.ndarray):
        return "a tensor"
    if value is None:
        return "None"
    return f"a {type(value).__name__}"


def _show(value: object, digits: int) -> str:
    return f"{value:.{digits}g}" if isinstance(value, float | np.floating) else str(value)
