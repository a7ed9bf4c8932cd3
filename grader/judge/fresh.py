"""A module as its constructor leaves it: what was drawn is compared by its spread alone."""

from __future__ import annotations

import numpy as np

from grader.enclose.worker.entry import Kind, kind_of, path_of
from grader.judge.difference import Difference

SURE = 5.0  # standard errors that a right spread stays within
SYSTEMATIC = 0.03  # relative; two right ways to start a layer may differ by this

SAID = {
    "training": "A fresh module is in training mode.",
    "absent": "The module that was given is not the one that is used: it was copied.",
    "seeded": "Every instance starts from the same numbers: a seed is fixed inside.",
    "copied": "Numbers are copied that should be drawn one by one.",
    "shared": "Two parameters are one and the same tensor.",
    "frozen": "A parameter does not ask for a gradient, so it never learns.",
    "device": "The device that was asked for is not where the parameters are.",
    "dtype": "The parameters are not of the dtype that was asked for.",
}
UNRECORDED = (
    "fresh.copied",
    "fresh.absent",
)  # names of findings that are right where there is none


def late(name: str) -> bool:
    """Is it judged after the others? Zeros are the same under every seed, and no seed is fixed;
    numbers that were copied have the wrong spread, and that is not what is wrong with them.
    """
    return kind_of(name) is Kind.FRESH and path_of(name) in SAID and name != UNRECORDED[0]


def compare(name: str, want: object, got: object, tolerance: float) -> Difference | None:
    """Compare one finding of the probe ``fresh``.

    Args:
        name: ``fresh.seeded`` and the like, or ``fresh.<parameter>`` with an array of how many
            numbers it holds, their mean, standard deviation and largest size.
        want: as recorded.
        got: as the worker sent it.
        tolerance: not used: what is drawn agrees by its spread.
    """
    if not isinstance(want, np.ndarray):
        sentence = SAID.get(path_of(name), f"A fresh module differs in {path_of(name)}.")
        if isinstance(got, list) and isinstance(want, list):
            differing = sorted({str(item) for item in got} ^ {str(item) for item in want})
            sentence += f" ({', '.join(differing)})" * bool(differing)
        return None if want == got else Difference("fresh", name, sentence)
    label = f"`{path_of(name)}`"
    if not isinstance(got, np.ndarray) or got.shape != want.shape or got.dtype != want.dtype:
        return Difference("fresh", name, f"The initial values of {label} cannot be read.")
    count, mean, spread, largest = map(float, want)
    _, got_mean, got_spread, got_largest = map(float, got)
    error = SURE / np.sqrt(2 * max(count, 1))
    if spread == 0:
        if got_spread > 0 or got_mean != mean:
            sentence = f"{label} should start with every number at {mean:g}"
            return Difference("fresh", name, f"{sentence}.", _numbers(want, got))
    elif got_spread == 0 and count > 1:
        sentence = f"Every number of {label} starts at {got_mean:g}, where they are to be drawn"
        return Difference("fresh", name, f"{sentence}.", _numbers(want, got))
    elif not abs(got_spread / spread - 1) <= SYSTEMATIC + error:
        sentence = f"The initial values of {label} are spread wrongly"
        return Difference("fresh", name, f"{sentence}.", _numbers(want, got))
    elif not abs(got_mean - mean) <= (SYSTEMATIC + SURE / np.sqrt(count)) * spread:
        sentence = f"The initial values of {label} have the wrong mean"
        return Difference("fresh", name, f"{sentence}.", _numbers(want, got))
    elif not abs(got_largest / largest - 1) <= 0.2 + 2 / np.sqrt(count):
        sentence = f"The initial values of {label} come from another distribution"
        return Difference(
            "fresh", name, f"{sentence}: the largest do not fit.", _numbers(want, got)
        )
    return None


def _numbers(want: np.ndarray, got: np.ndarray) -> str:
    return (
        f"got mean {got[1]:.3g} and standard deviation {got[2]:.3g}, "
        f"expected {want[1]:.3g} and {want[2]:.3g}"
    )
