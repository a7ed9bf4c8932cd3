"""How the values that a probe sends are called before a student, who knows no probe."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from grader.enclose.worker.entry import BFLOAT16, TYPE, Kind, kind_of, path_of

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
DROPPED = "What dropout multiplies by", "Whether entries of one position drop out one by one"
NUMBER = re.compile(r"\{(\d)\}")
HEAD = re.compile(r"(?:the )?([^`]*?\w\w)(?: (?:of|to|after|in|that)\b.*|)", re.IGNORECASE)
MANY = {"is": "are", "was": "were", "has": "have", "holds": "hold"}
MANY |= {"lacks": "lack", "says": "say", "sums": "sum"}
SHOWN = 3  # of the keys or of the inner lists of what was returned


def label(name: str, probe: str = "function", returns: Sequence[str] = ()) -> str:
    """One of the values: ``output[1]`` is "The second value that it returned".

    Args:
        name: as in `grader.enclose.worker.probes`.
        probe: how the code was called.
        returns: how each returned value is called; ``{1}`` in it stands for the number of an item
            of that value, counted from 1, and what is in it for all is called without.
    """
    kind, path = kind_of(name), path_of(name)
    if kind is Kind.GRAD:
        return f"The gradient with respect to `{path}`"
    if kind is Kind.BUFFER:
        return f"The buffer `{path}`"
    if kind is Kind.STATE:
        parameter, _, key = path.partition(".")
        return f"What it keeps as `{key}` of the {ordinal(*places(parameter))} parameter"
    inner = places(name)
    if probe == "dropped" and inner:
        return DROPPED[inner[0] == "1"]
    if kind is Kind.CLOSURE:
        return f"What the {ordinal(*inner)} step returned"
    if probe == "steps" and inner and inner[0].isdecimal() and int(inner[0]) < len(returns):
        called = returns[int(inner[0])]
        inside = "".join(f"the {ordinal(place)} item of " for place in reversed(inner[1:]))
        called = inside + called
        return called[:1].upper() + called[1:]
    if inner and all(map(str.isdecimal, inner)) and int(inner[0]) < len(returns):
        called = returns[int(inner[0])]
        if len(inner) == 2 and NUMBER.search(called):
            called = NUMBER.sub(lambda first: str(int(first[1]) + int(inner[1])), called)
            return called[:1].upper() + called[1:]
        if len(inner) == 1 and not NUMBER.search(called):
            return called[:1].upper() + called[1:]
    match [*map(ordinal, inner)]:
        case [step, parameter] if probe == "optimizer":
            return f"The {parameter} parameter after the {step} step"
        case [value] if probe == "calls":
            return f"The output of the {value} call"
        case [value]:
            return f"The {value} value that it returned"
        case [value, *inner]:
            inside = " of the ".join(reversed(inner))
            return f"The {inside} item of the {value} value that it returned"
    return "The output"


def steps(used: Sequence) -> tuple[str, ...]:
    """How what each step of a case returned is called."""
    counts: dict[str, int] = {}
    said = []
    for name, given in used:
        counts[name] = counts.get(name, 0) + 1
        often = sum(other == name for other, _ in used)
        which = f"{ordinal(str(counts[name] - 1))} " if often > 1 else ""
        said.append(f"`{name}`" if given is None else f"what the {which}call{_of(name)} returned")
    return tuple(said)


def agreeing(subject: str, said: str) -> str:
    """A sentence of one value, which begins with its verb, for a subject that may be several:
    "The labels are the transpose of what they should be".
    """
    if not is_several(subject):
        return f"{subject} {said}"
    verb, _, rest = said.partition(" ")
    rest = re.sub(r"\bit (should|was|is)\b", lambda it: f"they {MANY.get(it[1], it[1])}", rest)
    rest = re.sub(r"\band does\b", "and do", re.sub(r"\bits\b", "their", rest))
    return f"{subject} {MANY.get(verb, verb)} {rest}"


def is_several(subject: str) -> bool:
    """Is it in the plural? "The labels", and not "the loss" or "what is in rows"."""
    head = HEAD.fullmatch(subject)
    last = head[1].rpartition(" ")[2] if head else ""
    one = last.endswith(("ss", "bias", "axis")) or re.match("wh(at|ether) ", subject, re.IGNORECASE)
    return last.endswith("s") and not one


def _of(name: str) -> str:
    return f" of `{name}`" if name else ""


def places(name: str) -> list[str]:
    """Contents of the brackets: ``2`` and ``'key'`` in ``output[2]['key']``."""
    return re.findall(r"\[(\d+|'[^']*'|\"[^\"]*\"|\([^\[\]]*\))\]", name)


def ordinal(place: str) -> str:
    """``0`` is the first; the key of a dictionary stays as it is."""
    if not place.isdecimal():
        return place
    number = int(place) + 1
    return ORDINALS[number - 1] if number <= len(ORDINALS) else f"{number}th"


def several(names: Sequence[str]) -> str:
    """How many values these are, and how many are inside of which: ``2 values``."""
    inside: dict[str, int] = {}
    for first, *deeper in filter(None, map(places, names)):
        inside[first] = inside.get(first, 0) + bool(deeper)
    if not inside:
        return "one value" if names else "no value"
    said = f"{len(inside)} values" if len(inside) > 1 else "1 value in a tuple or list"
    if not all(map(str.isdecimal, inside)):
        said = f"a dictionary with {', '.join(list(inside)[:SHOWN])}"
    held = [f"the {ordinal(place)} holds {count}" for place, count in inside.items() if count]
    return said + (f" ({', '.join(held[:SHOWN])})" if held else "")


def kind(value: object, *, dtype: bool = False) -> str:
    """Name the kind of a value, with its article; of a tensor, if asked, the dtype as well."""
    if isinstance(value, np.ndarray):
        return f"a tensor of torch.{value.dtype}" if dtype else "a tensor"
    if value is None:
        return "None"
    if isinstance(value, Mapping) and BFLOAT16 in value:
        return "a tensor of torch.bfloat16"
    if isinstance(value, bytes):
        return "bytes"
    name = value[TYPE] if isinstance(value, Mapping) and TYPE in value else None
    name = str(name or type(value).__name__)
    if name == "ndarray":
        return "a NumPy array"
    return f"{'an' if name[:1] in 'aeiou' else 'a'} {name}"


def at(index: Sequence[int]) -> str:
    """An index as it is written in code."""
    return "[" + ", ".join(map(str, index)) + "]"
