"""Evidence that a process shows without saying it: inputs written to, results that change.

The process sends its inputs as a call leaves them and what two calls return. They are compared
here, where no code of a submission runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from grader.enclose.worker import wire
from grader.enclose.worker.entry import (
    BFLOAT16,
    EARLIER,
    EVIDENCE,
    MADE,
    RETURNED,
    Kind,
    kind_of,
    named,
    only,
    path_of,
    paths,
)

LARGEST = 2**22  # numbers in a parameter, of which a few copies are made
FOUND = ("raised", "changed", "repeatable", "layout")  # made here, as is all of `Kind.FRESH` but
FRESH = ("training", "absent", "frozen", "shared", "device", "dtype")
NOTHING = "it must accept ():"
PLAIN_FIXTURES: dict[str, Callable] = {  # those that make no object: the rest cannot be compared
    "tuple": lambda items: items,
    "places": lambda pairs, numbers: {
        str(tuple(map(int, pair))): number for pair, number in zip(pairs, numbers, strict=True)
    },
    "nodes": lambda parents: parents,
    "words": lambda words: words,
}
ROUNDING = {
    None: 1e-9,
    "float32": 1e-5,
    "float16": 4e-3,
    "bfloat16": 3e-2,
}  # between two calls, by dtype


def seen(call: Mapping, case: dict) -> dict:
    """A case with what it shows.

    Args:
        call: what the worker was asked to run.
        case: as in `grader.enclose.outcome.Outcome`; among its values are ``after.<argument>``,
            ``again.<output>``, ``third.<output>``, ``counted.<output>``, ``earlier.then`` and
            ``earlier.now`` or, of parameters as two constructors leave them, ``one`` and ``other``;
            beside an error ``kinds``, the classes that it is of.

    Returns:
        The same without these, and with ``changed`` and ``repeatable``, where that is false with
        ``layout`` if what changes the result is how its inputs lie in memory; or ``fresh.seeded``,
        ``fresh.copied`` where some are, and ``fresh.<parameter>``: how many numbers it holds, their
        mean, standard deviation and largest size; ``raised`` for an error that is due, which the
        worker is not told of. What cannot be read has no values, which no record expects.

    Raises:
        KeyError: nothing is known of this probe; the grader's own fault, and nobody's mark.
    """
    kinds = case.get("kinds", ())
    case = {name: value for name, value in case.items() if name != "kinds"}
    if call.get("raises") in kinds and case["error"]["kind"] == "exception":
        return {"values": {"raised": call["raises"]}, "called": case["called"]}
    values = case.get("values")
    if values is None:
        return {"values": {}, "called": case["called"]} if _is_made(call, case["error"]) else case
    sent = only(values, *EVIDENCE)
    values = {n: value for n, value in values.items() if n not in sent and not _is_ours(n)}
    compared = COMPARED[call["probe"]]
    try:
        values |= compared(call, values, sent)
    except Exception:  # values that no probe sends: somebody wrote them by hand
        values = {}
    return {**case, "values": values}


def _is_made(call: Mapping, error: Mapping) -> bool:
    """Did a constructor that is to raise make a module? It is not to be called, with nothing."""
    made = bool(call.get("raises") and call.get("init")) and not call["args"]
    return made and error["kind"] == "signature" and error["message"].startswith(NOTHING)


def _is_ours(name: str) -> bool:
    """Is it a finding that is made here, and never sent?"""
    return name in FOUND or (kind_of(name) is Kind.FRESH and path_of(name) not in FRESH)


def _function(call: Mapping, values: Mapping, sent: Mapping) -> dict:
    changed = _changed(call["args"], call, sent) + [EARLIER] * _overwritten(sent)
    return {"changed": changed} | _repeated(call, values, sent)


def _steps(call: Mapping, values: Mapping, sent: Mapping) -> dict:
    given = {
        f"{index}.{name}": value
        for index, (_, args) in enumerate(call["steps"])
        for name, value in (args or {}).items()
    }
    changed = _changed(given, call, sent)
    return {"changed": changed} | _repeated(call, values, sent)


def _changed(given: Mapping, call: Mapping, sent: Mapping) -> list[str]:
    """Arguments that were written to, of those that are values and stay what they are."""
    after = paths(sent, Kind.AFTER)
    known = {place: opened(value) if _made(value) else value for place, value in given.items()}
    changed = [
        place.rpartition(".")[2]
        for place, value in known.items()
        if not _made(value) and not equal(after[place], cast_arrays(value, call.get("dtype")))
    ]
    return list(dict.fromkeys(changed))


def _overwritten(sent: Mapping) -> bool:
    """Is what an earlier call returned another after the later ones?"""
    found = paths(sent, Kind.EARLIER)
    return bool(found) and not equal(found["then"], found["now"])


def opened(value: object) -> object:
    """A nested value with what the worker makes of `PLAIN_FIXTURES`, as it sends that back."""
    if isinstance(value, list | tuple):
        return [*value] if wire.is_plain(value) else [opened(item) for item in value]
    if type(value) not in wire.PLAIN and isinstance(value, Mapping):
        if set(value) == {MADE} and value[MADE][0] in PLAIN_FIXTURES:
            name, given = value[MADE]
            return opened(PLAIN_FIXTURES[name](**given))
        return {key: opened(item) for key, item in value.items()}
    return value


def _made(value: object) -> bool:
    """Is something in it made by the worker, or returned to it?"""
    if isinstance(value, list | tuple):
        return not wire.is_plain(value) and any(map(_made, value))
    if type(value) in wire.PLAIN or not isinstance(value, Mapping):
        return False
    return bool({MADE, RETURNED} & set(value)) or any(map(_made, value.values()))


def _repeated(call: Mapping, values: Mapping, sent: Mapping) -> dict:
    """Does every call on the same inputs return the same? The second has them in another layout:
    with a third, as the first has them, the result may be the same again.
    """
    outputs = only(values, Kind.OUTPUT)

    def alike(run: Kind) -> bool:
        return equal(outputs, paths(sent, run), rounding=ROUNDING[call.get("dtype")])

    counted = not call.get("counted") or alike(Kind.COUNTED)
    if counted and alike(Kind.AGAIN):
        return {"repeatable": True}
    return {"repeatable": False} | ({"layout": True} if counted and alike(Kind.THIRD) else {})


def _optimizer(call: Mapping, values: Mapping, sent: Mapping) -> dict:
    given = cast_arrays(call["args"]["gradients"], call.get("dtype"))
    after = paths(sent, Kind.AFTER)["gradients"]
    changed = any(
        before is not None and not equal(now, before)
        for step, left in zip(given, after, strict=True)
        for before, now in zip(step, left, strict=True)
    )
    return {"changed": ["grad"] * changed}


def _fresh(call: Mapping, values: Mapping, sent: Mapping) -> dict:
    after = paths(sent, Kind.AFTER)
    if "one" not in after:  # on a device that holds no numbers
        return {}
    one, other = after["one"], after["other"]
    if any(value.size > LARGEST for value in one.values()):
        raise ValueError("no layer is that large")
    found: dict = {"seeded": sorted(n for n in one if n in other and equal(one[n], other[n]))}
    shared = paths(values, Kind.FRESH).get("shared", ())
    if copied := [name for name in _copied(one) if name not in shared]:
        found["copied"] = copied
    for name, value in one.items():
        with np.errstate(invalid="ignore"):  # memory that was never set holds anything
            numbers = value.astype(np.float64)
        numbers = numbers if numbers.size else np.zeros(1)
        size, largest = numbers.size, np.abs(numbers).max()
        found[name] = np.array([size, numbers.mean(), numbers.std(), largest])
    return named(Kind.FRESH, found)


def _copied(drawn: Mapping[str, np.ndarray]) -> list[str]:
    """Parameters that were not drawn number by number: their rows are alike, or they begin as
    another parameter does.
    """
    found, starts = [], set()
    for name, value in sorted(drawn.items()):
        numbers = value.ravel()
        if (numbers != numbers[:1]).any():
            start = tuple(numbers[:2].tolist())
            if len(np.unique(numbers)) < len(numbers) / 2 or start in starts:
                found.append(name)
            starts.add(start)
    return found


def _nothing(call: Mapping, values: Mapping, sent: Mapping) -> dict:
    return {}


COMPARED = {
    "function": _function,
    "module": _function,
    "steps": _steps,
    "optimizer": _optimizer,
    "fresh": _fresh,
    "calls": _nothing,
    "inside": _nothing,
    "defaults": _nothing,
    "elsewhere": _nothing,
    "dropped": _nothing,
    "once": _nothing,
}


def cast_arrays(value: object, dtype: str | None) -> object:
    """Floats of another dtype, everywhere inside a nested value, as the worker makes them."""
    if dtype is None:
        return value
    if isinstance(value, Mapping):
        return {key: cast_arrays(item, dtype) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [cast_arrays(item, dtype) for item in value]
    if not isinstance(value, np.ndarray) or value.dtype.kind != "f":
        return value
    with np.errstate(over="ignore"):
        value = value.astype(np.float32)
    return {BFLOAT16: rounded(value)} if dtype == "bfloat16" else value


def rounded(value: np.ndarray) -> np.ndarray:
    """float32 with the 16 bits that bfloat16 keeps, to nearest, ties to even."""
    bits = np.array(value, order="C").reshape(-1).view(np.uint32)
    kept = (bits + np.uint32(0x7FFF) + (bits >> np.uint32(16) & np.uint32(1))) >> np.uint32(16)
    short = (kept << np.uint32(16)).view(np.float32).reshape(value.shape)
    return np.where(np.isfinite(value), short, value)


def equal(left: object, right: object, *, rounding: float = 0.0) -> bool:
    """Equal values, NaN equal to NaN; arrays by their content, up to rounding."""
    if type(left) is type(right) in wire.PLAIN and left == right:
        return True
    left, right = (side.item() if isinstance(side, np.generic) else side for side in (left, right))
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        alike = wire.is_plain(left) and [*map(type, left)] == [*map(type, right)]
        if alike and [*left] == [*right]:  # the usual case, where lists are long
            return True
        return len(left) == len(right) and all(
            equal(*pair, rounding=rounding) for pair in zip(left, right, strict=True)
        )
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        left, right = ({str(key): item for key, item in side.items()} for side in (left, right))
        return left.keys() == right.keys() and all(
            equal(left[key], right[key], rounding=rounding) for key in left
        )
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        if left.dtype != right.dtype or left.shape != right.shape:
            return False
        if np.array_equal(left, right):  # the usual case, and the one that takes least memory
            return True
        if left.dtype.kind not in "fc":
            return False
        scale = rounding * np.abs(left[np.isfinite(left)]).max(initial=0.0)
        with np.errstate(all="ignore"):
            return np.allclose(left, right, rtol=rounding, atol=scale, equal_nan=True)
    return type(left) is type(right) and (left == right or (left != left and right != right))
