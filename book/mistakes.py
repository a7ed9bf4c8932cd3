"""Known mistakes of an exercise on a page: an anchor for each, and what the grader says of it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.judge import records

CALL = re.compile(r"""\bknown_mistakes\(\s*"(\w+\.\w+)""")


def known_mistakes(exercise: str, names: Sequence[str]) -> list[tuple[str, str]]:
    """Return an anchor and the grader's sentence for each of these mistakes.

    Args:
        exercise: its id, ``"self_attention.scaled_dot_product_attention"``.
        names: of mistakes that the grader links to the page (`grader.student.report.SEEN`).

    Raises:
        KeyError: the exercise has no such mistake.
    """
    whys = _whys(exercise)
    return [(f"see-{name}", whys[name]) for name in names]


def told(source: str) -> list[dict[str, str]]:
    """Sentences that a page may show, from its code: with them its outputs change."""
    return [_whys(exercise) for exercise in CALL.findall(source)]


def _whys(exercise: str) -> dict[str, str]:
    record = records.load(*exercise.split("."))
    return {mistake.name: mistake.why for mistake in record.manifest.mistakes}
