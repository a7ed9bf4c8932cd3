"""A record as bytes: every case compressed by itself, so that one that changes changes its own.

The file is a `wire` document. Beside the manifest it holds each case's name and points, and as
compressed bytes what is asked and due, and what mistakes are recognized by: two `wire` documents,
the second with the sums of all prints in one array. A case that stays keeps its bytes, and one more
mistake leaves those of inputs and right results, so that version control stores what is new.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping

import numpy as np

from grader.enclose.worker import wire
from grader.judge import prints
from grader.judge.prints import Print

PRINT = "$print"
OUTSIDE = ("name", "points")  # of a case, what can be read without the rest of it
PARTS = ("right", "wrong")  # the rest
BROKEN = (KeyError, TypeError, AttributeError, zlib.error)
# What most cases hold, for the compressor to refer to. Part of the format: every byte of it counts.
DOCUMENT = (
    b'{"call": {"probe": "module", "function", "args": {"$array": "0"}, "init": null, '
    b'"state": null, "training": false, "grad": ["raises": "ValueError", "fresh"]}, '
    b'"held_out": {}, "expected": {"output": {"$array": "10"}, "changed": [], '
    b'"repeatable": true, "attached": true, "replaced": [], "parameters": {"weight": ["bias": ['
    b'"grad.weight": {"$array": "11"}, "grad.bias": {"$array": "12"}, "grad.input": '
    b'"cost.largest": "cost.written": "at_least": null, "tolerance": 1e-06, '
    b'"mistakes": {"values": {"output": {"$print": ["float64", [2, 3, 5], ""]}}, "absent": []}, '
    b'"error": {"kind": "exception", "type": "ValueError", "message": "'
)
ARRAYS = (
    b'"0":{"dtype":"F64","shape":[2,3,5],"data_offsets":[0,240]},'
    b'"1":{"dtype":"I64","shape":[7],"data_offsets":[240,296]},'
    b'"2":{"dtype":"F64","shape":[3],"data_offsets":[296,320]},'
    b'"13":{"dtype":"F64","shape":[11,5],"data_offsets":['
)
COMMON = b'{"__metadata__":{"document":"' + DOCUMENT.replace(b'"', rb"\"") + b'"}},' + ARRAYS


def dumps(document: Mapping, earlier: bytes = b"") -> bytes:
    """A record's document as bytes.

    Args:
        document: as `grader.author.recording.record` makes it.
        earlier: an earlier record: a case that is as it was there keeps its bytes.
    """
    known = {_text(inner): part for part, inner in _parts(earlier)}

    def packed(inner: Mapping) -> np.ndarray:
        part = known.get(_text(inner))
        return _packed(inner) if part is None else part

    cases = [
        {name: case[name] for name in OUTSIDE}
        | {name: packed(inner) for name, inner in zip(PARTS, _split(case), strict=True)}
        for case in document["cases"]
    ]
    return wire.dumps({**document, "cases": cases})


def loads(data: bytes) -> dict:
    """The inverse of `dumps`.

    Raises:
        ValueError: these bytes hold no record.
    """
    document = wire.loads(data)
    try:
        cases = [
            {name: case[name] for name in OUTSIDE} | _joined(*(_opened(case[n]) for n in PARTS))
            for case in document["cases"]
        ]
    except BROKEN as error:
        raise ValueError("another version wrote it") from error
    return document | {"cases": cases}


def identity(document: Mapping) -> str:
    """All but who recorded it, as text that can be compared."""
    told = {name: value for name, value in document.items() if name != "versions"}
    cases = [({name: case[name] for name in OUTSIDE}, *_split(case)) for case in document["cases"]]
    return _text(told | {"cases": cases})


def _text(document: Mapping) -> str:
    text, arrays = wire.pack(document)
    return text + repr([(str(a.dtype), a.shape, a.tobytes()) for a in arrays.values()])


def _parts(data: bytes) -> list[tuple[np.ndarray, dict]]:
    """The parts of a record's cases, compressed and opened; none of a file that holds no record of
    this version.
    """
    try:
        parts = [case[name] for case in wire.loads(data)["cases"] for name in PARTS]
        return [(part, _opened(part)) for part in parts]
    except (*BROKEN, ValueError):
        return []


def _packed(inner: Mapping) -> np.ndarray:
    packer = zlib.compressobj(9, zdict=COMMON)
    return np.frombuffer(packer.compress(wire.dumps(inner)) + packer.flush(), np.uint8)


def _opened(part: np.ndarray) -> dict:
    return wire.loads(zlib.decompressobj(zdict=COMMON).decompress(part.tobytes()))


def _split(case: Mapping) -> tuple[dict, dict]:
    """Split a case into right results and mistakes; the sums of their prints are one array."""
    sums = []

    def flat(value: object) -> object:
        if not isinstance(value, Print):
            return value
        sums.append(value.sums)
        return {PRINT: [value.dtype, list(value.shape), value.exact]}

    right = {name: value for name, value in case.items() if name not in (*OUTSIDE, "mistakes")}
    wrong = {"mistakes": _each(case["mistakes"], flat)}
    return right, wrong | {"sums": _narrow(np.concatenate([np.zeros(0), *sums]))}


def _joined(right: Mapping, wrong: Mapping) -> dict:
    """The inverse of `_split`."""
    sums, at = wrong["sums"].astype(float), 0

    def deep(value: object) -> object:
        nonlocal at
        if not isinstance(value, Mapping) or set(value) != {PRINT}:
            return value
        dtype, shape, exact = value[PRINT]
        start, at = at, at + prints.count(dtype, shape)
        return Print(dtype, tuple(shape), exact, sums[start:at])

    mistakes = _each(wrong["mistakes"], deep)
    if at != len(sums):
        raise ValueError("another version wrote it")
    return {**right, "mistakes": mistakes}


def _narrow(array: np.ndarray) -> np.ndarray:
    """As float32, where that holds the same numbers."""
    with np.errstate(over="ignore"):
        single = array.astype(np.float32)
    return single if np.array_equal(single, array) else array


def _each(mistakes: Mapping, change: Callable) -> dict:
    """The same traces with every value changed."""
    return {
        name: {**found, "values": {key: change(value) for key, value in found["values"].items()}}
        if "values" in found
        else found
        for name, found in mistakes.items()
    }
