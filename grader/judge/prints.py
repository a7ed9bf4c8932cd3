"""Fingerprints of wrong results: enough to recognize a known mistake, and not to compute with.

Of what a mistake returns, a record keeps what is not right. Plain values are kept as they are. Of
an array of floats, which agrees up to a tolerance, four sums are kept; of other arrays, a digest.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from grader.enclose.worker.entry import Kind, kind_of
from grader.judge.compare import allowed, compare, wrong

COUNT = 4  # sums of an array; one that holds no more numbers is kept whole
SINGLE = 1e-6  # from this tolerance on, float32 holds the sums well enough
CLOSE = 0.1  # of the tolerance; what is nearer to the right value counts as right


@dataclass(frozen=True, eq=False)
class Print:
    """Summary that is kept of an array.

    Attributes:
        dtype: of the array.
        shape: of the array.
        exact: digest of what has to be equal: of floats, where which of them are not finite, and
            empty if all are; of other arrays, everything.
        sums: float64, at most `COUNT`; empty unless the array holds floats. Rounded to float32
            where the tolerance is no smaller than `SINGLE`.
    """

    dtype: str
    shape: tuple[int, ...]
    exact: str
    sums: np.ndarray

    def fits(self, got: object, tolerance: float) -> bool:
        """Is this the array that was printed, up to rounding?

        Whatever differs by less than a hundredth of the tolerance is, which is what the audit asks
        of right answers. Where every entry is off by as much as the tolerance allows, all in the
        direction that moves a sum most, it may not be.

        Args:
            got: what the worker sent; nothing about it is trusted.
            tolerance: relative, as in `compare`.
        """
        if not isinstance(got, np.ndarray):
            return False
        if (str(got.dtype), got.shape) != (self.dtype, self.shape) or _exact(got) != self.exact:
            return False
        if got.dtype.kind != "f":
            return True
        sums, bound = _held(_sums(_finite(got)), tolerance), _finite(allowed(got, tolerance))
        largest = bound.max(initial=0.0) or 1.0  # whose square may be too large for a float
        with np.errstate(all="ignore"):
            bounds = largest * np.sqrt(_sums((bound / largest) ** 2, 2))
            if tolerance >= SINGLE:
                bounds += np.finfo(np.float32).eps * np.abs(sums)
            return bool(np.all((sums == self.sums) | (np.abs(sums - self.sums) <= bounds)))


def count(dtype: str, shape: Sequence[int]) -> int:
    """How many sums are kept of an array."""
    return min(COUNT, math.prod(shape)) if dtype.startswith("float") else 0


def taken(array: np.ndarray, tolerance: float) -> Print:
    """The print of an array of floats, whole numbers or truths; the tolerance is the case's."""
    sums = _held(_sums(_finite(array)), tolerance) if array.dtype.kind == "f" else np.zeros(0)
    return Print(str(array.dtype), array.shape, _exact(array), sums)


def trace(values: Mapping, expected: Mapping, tolerance: float) -> dict:
    """Differences of a mistake's result from the right one.

    Args:
        values: what the mistake returned, by name.
        expected: what is right, by name.
        tolerance: of the case.

    Returns:
        ``values``, those that are wrong, arrays among them as `Print`; and ``absent``, if anything
        is, the names of what is due and did not come.
    """
    left = {
        name: _kept(name, value, tolerance)
        for name, value in values.items()
        if name not in expected or not _agrees(name, expected[name], value, tolerance)
    }
    absent = [name for name in expected if name not in values]
    return {"values": left} | ({"absent": absent} if absent else {})


def whole(found: Mapping, expected: Mapping) -> dict:
    """The inverse of `trace`, but for arrays that were printed."""
    absent = found.get("absent", ())
    left = {name: value for name, value in expected.items() if name not in absent}
    return left | found["values"]


def _agrees(name: str, want: Any, got: Any, tolerance: float) -> bool:
    if kind_of(name) is Kind.COST:
        return want == got
    numbers = isinstance(want, np.ndarray) and isinstance(got, np.ndarray)
    if not numbers or kind_of(name) is Kind.FRESH:
        return compare({name: want}, {name: got}, CLOSE * tolerance) is None
    alike = (want.dtype, want.shape) == (got.dtype, got.shape)
    return alike and not wrong(want, got, CLOSE * tolerance).any()  # `compare` puts it into words


def _kept(name: str, value: object, tolerance: float) -> object:
    """A value, or its print; what a constructor drew differs every time, and is kept."""
    if (
        isinstance(value, np.ndarray)
        and value.dtype.kind in "fiub"
        and kind_of(name) is not Kind.FRESH
    ):
        return taken(value, tolerance)
    return value


def _exact(array: np.ndarray) -> str:
    if array.dtype.kind != "f":
        return _digest(array)
    strange = np.isnan(array) + 2 * np.isposinf(array) + 3 * np.isneginf(array)
    return _digest(strange.astype(np.int8)) if strange.any() else ""


def _digest(array: np.ndarray) -> str:
    return hashlib.blake2b(array.tobytes(), digest_size=8).hexdigest()


def _finite(array: np.ndarray) -> np.ndarray:
    """Its entries in a row, as float64, 0 for those that are not finite."""
    row = array.astype(float).reshape(-1)
    return np.where(np.isfinite(row), row, 0.0)


def _sums(row: np.ndarray, power: int = 1) -> np.ndarray:
    """Each entry counts toward one of the sums, with a weight of its own to this power."""
    if row.size <= COUNT:
        return row
    places, weights = _lots(row.size)
    with np.errstate(over="ignore"):
        return np.bincount(places, weights**power * row, COUNT)


def _held(sums: np.ndarray, tolerance: float) -> np.ndarray:
    """Rounded to float32, where that is enough and can hold them."""
    with np.errstate(over="ignore"):
        single = sums.astype(np.float32)
    return single.astype(float) if tolerance >= SINGLE and np.isfinite(single).all() else sums


@lru_cache(maxsize=64)
def _lots(size: int) -> tuple[np.ndarray, np.ndarray]:
    """For each entry, which sum it counts toward, and its weight: from ½ to 1, of either sign.

    SplitMix64 (Steele et al. 2014) of its index: the same numbers on every machine, for ever.
    """
    bits = np.arange(1, size + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
    bits ^= bits >> np.uint64(31)
    places, signs = bits & np.uint64(COUNT - 1), bits >> np.uint64(2) & np.uint64(1)
    weights = (1 + (bits >> np.uint64(12)) / 2.0**52) / 2
    return places.astype(np.intp), np.where(signs == 1, -weights, weights)
