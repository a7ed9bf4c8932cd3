"""Nested values with arrays in them, as bytes: JSON for the structure, safetensors for the data.

Never pickle: both sides of the sandbox speak this, and the records are written in it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np
import safetensors.numpy

ARRAY = "$array"
PLAIN = frozenset((str, int, float, bool, type(None)))  # as JSON has them


def is_plain(items: list | tuple) -> bool:
    """Whether no item holds another, nor an array: most of all values are in such lists."""
    return PLAIN.issuperset(map(type, items))


def pack(document: object) -> tuple[str, dict[str, np.ndarray]]:
    """Split a nested value into JSON text and the arrays it holds.

    Args:
        document: dicts with string keys, lists, tuples (become lists), str, int, float, bool,
            None and NumPy arrays.

    Returns:
        The text, with each array replaced by its number, and the arrays by that number.

    Raises:
        TypeError: a value of any other type.
    """
    arrays: dict[str, np.ndarray] = {}

    def walk(value):
        if type(value) in PLAIN or (type(value) in (list, tuple) and is_plain(value)):
            return value
        if isinstance(value, np.ndarray):
            name = str(len(arrays))
            arrays[name] = np.array(value, order="C")  # not ascontiguousarray: () must stay ()
            return {ARRAY: name}
        if isinstance(value, np.generic):
            return value.item()
        if isinstance(value, Mapping):
            return {str(key): walk(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [walk(item) for item in value]
        if value is None or isinstance(value, str | int | float):
            return value
        raise TypeError(f"cannot send a {type(value).__name__}")

    return json.dumps(walk(document), ensure_ascii=False), arrays


def unpack(text: str, arrays: Mapping[str, np.ndarray]) -> object:
    """Put the arrays back where `pack` took them from."""

    def walk(value):
        if isinstance(value, dict):
            if set(value) == {ARRAY}:
                return arrays[value[ARRAY]]
            return {key: walk(item) for key, item in value.items()}
        if isinstance(value, list) and not is_plain(value):
            return [walk(item) for item in value]
        return value

    return walk(json.loads(text))


def dumps(document: object) -> bytes:
    """`pack` into one safetensors file, the structure in its metadata."""
    text, arrays = pack(document)
    return safetensors.numpy.save(arrays, metadata={"document": text})


def header(file: BinaryIO) -> object:
    """Read what a document holds beside its arrays, which are neither read nor put in place.

    Raises:
        ValueError: this file does not hold a document.
    """
    try:
        length = int.from_bytes(file.read(8), "little")
        return json.loads(json.loads(file.read(length))["__metadata__"]["document"])
    except Exception as error:
        raise ValueError(f"not a document: {error}") from error


def loads(data: bytes) -> Any:
    """The inverse of `dumps`.

    Raises:
        ValueError: these bytes do not hold a document.
    """
    try:
        arrays = safetensors.numpy.load(data)
        length = int.from_bytes(data[:8], "little")
        text = json.loads(data[8 : 8 + length])["__metadata__"]["document"]
        return unpack(text, arrays)
    except Exception as error:  # the bytes may come from a student's process
        raise ValueError(f"not a document: {error}") from error
