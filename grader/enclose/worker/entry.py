"""Names of the values that a probe returns, and the marks of values that are not plain.

A name is a kind and a path: ``output[0]`` is the first item of what was returned, ``grad.weight``
the gradient of a parameter. Both sides of the sandbox read and write them here, and records hold
them. Findings on a whole call (``parameters``, ``changed``, ``raised``) are names without a kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple, TypeVar

BYTES = "$bytes"  # key of the only item of a dict: bytes, as hexadecimal digits
MADE = "$made"  # a fixture: its name, and what it is made from
RETURNED = "$returned"  # an earlier step: its number, and the item of what it returned, or None
TYPE = "$type"  # a value that cannot be sent: the name of its type
BFLOAT16 = "$bfloat16"  # an array that holds bfloat16 numbers as float32

EARLIER = "an earlier result"  # among what a call changed, beside its arguments

Value = TypeVar("Value")


class Kind(StrEnum):
    """Part of a call that a value shows. The path follows in brackets, or after a point."""

    OUTPUT = "output"  # returned; the path is empty where that is one value
    CLOSURE = "returned"  # returned by a step of an optimizer that has a closure
    STATE = "state"  # kept by an optimizer of a parameter
    GRAD = "grad"
    BUFFER = "buffer"
    FRESH = "fresh"  # a module as its constructor leaves it
    COST = "cost"
    AFTER = "after"  # an argument as the call leaves it
    AGAIN = "again"  # returned by the second call: the path is an output's name
    THIRD = "third"
    COUNTED = "counted"  # returned by the call whose cost is counted
    EARLIER = "earlier"  # returned by a call before: as it was, and as it is after the others


BRACKETED = (Kind.OUTPUT, Kind.CLOSURE, Kind.STATE)
# By their texts: a look-up is faster there than among members of an enumeration.
BEFORE_BRACKET: dict[str, Kind] = {kind.value: kind for kind in BRACKETED}
BEFORE_POINT: dict[str, Kind] = {kind.value: kind for kind in Kind if kind not in BRACKETED}
EVIDENCE = (
    Kind.AFTER,
    Kind.AGAIN,
    Kind.THIRD,
    Kind.COUNTED,
    Kind.EARLIER,
)  # compared and told to nobody


class Entry(NamedTuple):
    """Name of a value, in its parts: ``output[0]`` has the path ``[0]``, ``grad.bias`` ``bias``."""

    kind: Kind
    path: str

    def __str__(self) -> str:
        return f"{self.kind}{self.path}" if self.kind in BRACKETED else f"{self.kind}.{self.path}"


@lru_cache(maxsize=4096)  # names are short: `grader.enclose.outcome` cuts those that are sent
def parse(name: str) -> Entry | None:
    """The inverse of ``str(entry)``; None for a name that has no kind."""
    head, point, path = name.partition(".")
    if point and (kind := BEFORE_POINT.get(head)):
        return Entry(kind, path)
    head, bracket, path = name.partition("[")
    kind = BEFORE_BRACKET.get(head)
    return Entry(kind, bracket + path) if kind else None


def kind_of(name: str) -> Kind | None:
    """The kind of a name, if it has one."""
    found = parse(name)
    return found.kind if found else None


def path_of(name: str) -> str:
    """The path of a name that has a kind; the whole name of any other."""
    found = parse(name)
    return found.path if found else name


def item(name: str, place: object) -> str:
    """Name of an item of a value: ``output['mean']``."""
    return f"{name}[{place!r}]"


def named(kind: Kind, values: Mapping[str, Value]) -> dict[str, Value]:
    """Values by name, from values by path."""
    return {str(Entry(kind, path)): value for path, value in values.items()}


def only(values: Mapping[str, Value], *kinds: Kind) -> dict[str, Value]:
    """The values of these kinds, by name."""
    return {name: value for name, value in values.items() if kind_of(name) in kinds}


def paths(values: Mapping[str, Value], kind: Kind) -> dict[str, Value]:
    """The values of one kind, by path: the inverse of `named`."""
    entries = {name: parse(name) for name in values}
    return {one.path: values[name] for name, one in entries.items() if one and one.kind is kind}
