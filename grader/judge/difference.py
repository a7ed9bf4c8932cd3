"""Differences of a result from the right one, in the words of a report."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Difference:
    """The first thing that differs between two results.

    Attributes:
        kind: ``type``, ``shape``, ``dtype``, ``finite``, ``value``, ``parameters``,
            ``changed``, ``repeatable``, ``layout``, ``attached``, ``replaced``, ``raises``,
            ``trivial``, ``fresh``, ``score`` or ``cost``.
        where: which of the returned values: ``output``, ``output[1]``, ``grad.weight``.
        message: a sentence for the student. No number in it is an expected one, or tells how far
            from it the answer is. Names, shapes and counts in it may be a submission's own words,
            which could quote the inputs: of a hidden case it is for the instructor alone.
        numbers: got and expected at the first index that differs, and the size of the error;
            shown for public cases alone.
    """

    kind: str
    where: str
    message: str
    numbers: str = ""
