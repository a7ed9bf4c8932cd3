"""The matrix that holds the first difference, to be drawn.

For public cases alone, whose expected numbers the student holds anyway.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grader.judge.compare import wrong

LARGEST = 16  # rows and columns that are shown; of more, those around the first difference


@dataclass(frozen=True, eq=False)
class Picture:
    """One matrix of a result, as it should be and as it is.

    Attributes:
        where: what it is cut from: ``output[2, :, :]``.
        expected: (rows, columns) float.
        got: the same.
        wrong: (rows, columns) bool, True where the two do not agree.
    """

    where: str
    expected: np.ndarray
    got: np.ndarray
    wrong: np.ndarray


def picture(where: str, want: object, got: object, tolerance: float) -> Picture | None:
    """Cut out the matrix that holds the first difference.

    Args:
        where: name of the value.
        want: expected; float, any number of axes.
        got: of the same shape.
        tolerance: relative.

    Returns:
        The picture; None where there is nothing to draw: no arrays, another shape, a single
        number, no difference, nothing finite.
    """
    if not isinstance(want, np.ndarray) or not isinstance(got, np.ndarray):
        return None
    if want.shape != got.shape or want.size < 2 or (want.dtype.kind, got.dtype.kind) != ("f", "f"):
        return None
    bad = wrong(want, got, tolerance)
    if not bad.any() or not np.isfinite(got).any():
        return None
    first = tuple(int(i) for i in np.argwhere(bad)[0])
    lead = first[:-2]
    cut = [slice(_start(at, size), None) for at, size in zip(first, want.shape, strict=True)][-2:]
    cut = [slice(part.start, part.start + LARGEST) for part in cut]
    parts = [np.atleast_2d(array[lead][tuple(cut)]) for array in (want, got, bad)]
    inside = [*map(str, lead), *(_span(p, n) for p, n in zip(cut, want.shape[-2:], strict=True))]
    whole = set(inside) == {":"}
    return Picture(where if whole else f"{where}[{', '.join(inside)}]", *parts)


def _start(at: int, size: int) -> int:
    """First index shown along an axis, so that ``at`` is inside."""
    return 0 if size <= LARGEST else min(max(0, at - LARGEST // 2), size - LARGEST)


def _span(part: slice, size: int) -> str:
    return ":" if size <= LARGEST else f"{part.start}:{part.stop}"
