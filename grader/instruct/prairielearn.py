"""PrairieLearn's ``results.json``, and the program that writes it in its container.

An external grader finds this file in ``/grade/tests`` beside a student's copy, so it imports
nothing of the grader. The format is that of PrairieLearn's documentation, External grading.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

if __package__:
    from grader.instruct import gradescope
else:  # in the container, where gradescope.py lies beside this file
    import gradescope  # type: ignore[no-redef]

WORTH = "worth.json"


def results(told: Mapping, worth: Mapping[str, float]) -> dict:
    """One submission as ``results.json`` has it.

    Args:
        told: what `grade check --json` tells.
        worth: points of each exercise in the assignment.
    """
    if not told["exercises"]:
        return {"gradable": False, "format_errors": list(told["errors"])}
    tests = [test for one in told["exercises"] for test in _tests(one, worth[one["id"]])]
    whole = sum(worth[one["id"]] for one in told["exercises"])
    earned = sum(worth[one["id"]] * _share(one) for one in told["exercises"])
    return {
        "gradable": True,
        "score": earned / whole if whole else 0.0,
        "message": "\n".join([*told["errors"], *map(gradescope.overall, told["exercises"])]),
        "tests": tests,
    }


def _share(part: Mapping) -> float:
    return part["earned"] / part["points"] if part["points"] else 0.0


def _tests(exercise: Mapping, worth: float) -> Iterator[dict]:
    """The cases, with what each counts. Hidden ones are one test, for PrairieLearn shows students
    all that is in the file.
    """
    scale = worth / exercise["points"] if exercise["points"] else 0.0
    for case in exercise["cases"]:
        if not case["secret"]:
            yield _test(f"{exercise['id']}: {case['name']}", [case], scale, gradescope.said(case))
    if hidden := [case for case in exercise["cases"] if case["secret"]]:
        yield _test(f"{exercise['id']}: hidden cases", hidden, scale, "")


def _test(name: str, cases: Sequence[Mapping], scale: float, message: str) -> dict:
    return {
        "name": name,
        "points": round(sum(case["earned"] for case in cases) * scale, 4),
        "max_points": round(sum(case["points"] for case in cases) * scale, 4),
        "message": message,
    }


def main(root: Path) -> int:
    """Grade what lies in ``student`` and write ``results/results.json``; root is /grade."""
    source = root / "tests"
    worth = json.loads((source / WORTH).read_text(encoding="utf-8"))
    try:
        told = gradescope.graded(source, root / "student")
    except gradescope.Ungraded as error:  # without a file, PrairieLearn reports a failed grader
        sys.stderr.write(str(error))
        return 1
    folder = root / "results"
    folder.mkdir(exist_ok=True)
    text = json.dumps(results(told, worth), indent=1)
    (folder / "results.json").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(__file__).resolve().parents[1]))
