"""Uses of a student's code beside the one that is looked at: what they leave behind must not show.

Settings that are kept on the class or in a global, results that are kept by the shape of the
inputs, a default argument that fills up: all of these do no harm while one object is made, and one
input of each shape is used. So another object is made of other settings before the first one is
used, and other numbers of the same shapes are handed over before those of the case.
"""

from __future__ import annotations

import contextlib
import io
import random
import sys
import warnings
from collections.abc import Callable

import numpy as np
import torch
import wire
from entry import MADE

SOME = 2  # calls of a function that other numbers go before, and half as many of a module
TRIED = 3  # settings, until an object can be made of one
PROBES = ("function", "module", "steps", "calls", "optimizer")
SMALLER = 0.75  # times a float; what is positive, or a probability, stays so
QUIET = ("ignore", None, Warning, None, 0)


class Silence(io.TextIOBase):
    """Takes what is printed, and keeps nothing."""

    def write(self, text: str) -> int:
        return len(text)


def arrange(calls: list[dict]) -> None:
    """Tell some calls what goes before them: ``others``, settings of other calls, those that differ
    most first, in the first call of the same settings; ``before``, whether the same call does, with
    other numbers; and ``instead``, the arguments of another call where there are no such numbers.
    """
    found = [call for call in calls if call["probe"] in PROBES and _is_free(call)]
    texts, seen = [_texts(call) for call in found], []
    for index, call in enumerate(found):
        call["before"] = index < (SOME if texts[index] is None else SOME // 2)
        if call["before"] and not _can_turn(call["args"], lists=not _has_arrays(call["args"])):
            call["instead"] = _alike(call, [one for one in found if _texts(one) == texts[index]])
            call["before"] = call["instead"] is not None
        if texts[index] is None or (one := (texts[index], call.get("training"))) in seen:
            continue
        seen.append(one)
        order = [*range(index + 1, len(found)), *range(index)]
        differing = {at: _differing(texts[at], texts[index]) for at in order if texts[at]}
        most = sorted(filter(differing.get, differing), key=lambda at: -differing[at])
        call["others"] = [found[at] for at in most[:TRIED]]


def _is_free(call: dict) -> bool:
    """Is nothing counted that something kept would lower?"""
    return not call.get("counted") and call.get("budget") is None


def _texts(call: dict) -> dict[str, bytes] | None:
    """The settings of an object, as they can be compared."""
    init = call.get("init")
    return None if init is None else {name: wire.dumps({"": init[name]}) for name in init}


def _differing(left: dict, right: dict) -> int:
    return sum(left.get(name) != right.get(name) for name in left.keys() | right.keys())


def _can_turn(value, *, lists: bool) -> bool:
    """Does `turned` find anything to change?"""
    if isinstance(value, dict):
        return MADE not in value and any(_can_turn(one, lists=lists) for one in value.values())
    if isinstance(value, list):
        return any(
            (lists and isinstance(one, float)) or _can_turn(one, lists=lists) for one in value
        )
    return isinstance(value, np.ndarray) and value.ndim > 0 and value.size > 0


def _has_arrays(value) -> bool:
    """Does it hold tensors, once it is handed over?"""
    if isinstance(value, dict):
        return MADE not in value and any(map(_has_arrays, value.values()))
    return isinstance(value, np.ndarray) or (
        isinstance(value, list) and any(map(_has_arrays, value))
    )


def _alike(call: dict, others: list[dict]) -> dict | None:
    """The arguments of the call whose lists and texts are as long in most places, and not the same:
    what is kept by length alone is found by it.
    """
    given = call["args"]
    known = [
        one["args"]
        for one in others
        if one["probe"] == call["probe"] and one["args"].keys() == given.keys()
    ]
    own = wire.dumps(given)
    told = [one for one in known if wire.dumps(one) != own]
    return max(
        told,
        key=lambda one: sum(_length(one[name]) == _length(given[name]) for name in given),
        default=None,
    )


def _length(value) -> object:
    if isinstance(value, np.ndarray):
        return value.shape
    return len(value) if isinstance(value, list | dict | str) else value


def turned(value, *, lists: bool, moved: bool):
    """Other numbers of the same shapes, everywhere inside a nested value: the last comes first, and
    floats are smaller. Settings stay as they are.

    Args:
        value: arguments of a call.
        lists: whether floats in lists are smaller, too: else these are settings.
        moved: whether whole numbers only change places; else one of them is another, too, which
            not every call can take.
    """
    if isinstance(value, dict):
        return {key: turned(item, lists=lists, moved=moved) for key, item in value.items()}
    if isinstance(value, list):
        return [
            SMALLER * item
            if lists and isinstance(item, float)
            else turned(item, lists=lists, moved=moved)
            for item in value
        ]
    if not isinstance(value, torch.Tensor) or not value.ndim:
        return value
    value = value.flip(0 if len(value) > 1 else -1)
    if value.is_floating_point():
        return value * SMALLER
    if not moved:
        value[:1] = value[-1:]
    return value


def aside(use: Callable[[], object]) -> bool:
    """Run something of which nothing is to be seen: no result, error, output or random number.

    Returns:
        Whether it came to its end.

    Raises:
        MemoryError: it needs more than there is, as the call that counts would.
    """
    drawn = torch.default_generator.get_state(), np.random.get_state(), random.getstate()
    modes = torch.is_grad_enabled(), torch.get_default_dtype()
    printed = sys.stdout, sys.stderr
    sys.stdout = sys.stderr = Silence()
    warnings.filters.insert(0, QUIET)  # what was warned of stays known
    done = True
    try:
        use()
    except MemoryError:  # what fills it may be kept, and torch's generator would crash of it
        sys.stdout, sys.stderr = printed
        raise
    except BaseException:  # the student's, which the call that counts may show
        done = False
        # It was to be set back behind the place of the error, which the call that counts gets to.
        torch.set_grad_enabled(modes[0])
        torch.set_default_dtype(modes[1])
    with contextlib.suppress(ValueError):
        warnings.filters.remove(QUIET)
    sys.stdout, sys.stderr = printed
    torch.default_generator.set_state(drawn[0])
    np.random.set_state(drawn[1])
    random.setstate(drawn[2])
    return done
