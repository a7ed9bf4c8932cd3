"""Gradescope's ``results.json``, and the program that writes it inside of Gradescope.

An autograder's zip holds this file beside a student's copy, so it imports nothing of the grader.
The format is that of gradescope/autograder_samples, docs/specs.md.
"""

from __future__ import annotations

import builtins
import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

SHOWN, KEPT = "visible", "after_published"  # with a hidden test, students would see no total
COPY, HIDDEN, TARGETS = "course", "hidden", "targets.txt"
RAISED = frozenset(
    name
    for name, one in vars(builtins).items()
    if isinstance(one, type) and issubclass(one, BaseException)
)
KINDS = frozenset(
    ("blank", "needs", "missing", "import", "signature", "parameters", "type", "cost", "memory")
)
# What is said of a hidden case, by the kind of its difference. Names, shapes, places and counts
# in the judge's own sentence may be a submission's words, and spell the inputs.
SAID = {
    "type": "What it returned is of another type or number of values than expected.",
    "shape": "A shape is wrong.",
    "dtype": "A dtype is wrong.",
    "finite": "A number is infinite or NaN, where a finite one is expected.",
    "parameters": "The module's parameters and buffers are not those of the docstring.",
    "changed": "The call changed its input in place.",
    "repeatable": "Two calls on the same inputs gave different results.",
    "layout": "The same numbers in another memory layout gave another result.",
    "attached": "Other values are attached to the graph than should be.",
    "replaced": "New tensors took the place of the parameters: change them in place.",
    "raises": "An expected error was not raised, or an error was raised where none is expected.",
    "trivial": "It is right here; that counts once a result that has to be computed is right.",
    "fresh": "The initial values are not drawn as they should be.",
    "score": "It is right on too few of the held-out examples.",
    "cost": "It computes more than is allowed.",
}
NONE = "It returned None; is a `return` missing?"
WRONG = re.compile(r".+? (?:is|are) wrong\b|No gradient reaches `[^`]*`")


def results(
    exercises: Sequence[Mapping],
    *,
    score: float | None = None,
    remarks: Sequence[str] = (),
    leaderboard: bool = False,
) -> dict:
    """One submission as ``results.json`` has it.

    Args:
        exercises: as `grade check --json` tells of them.
        score: takes the place of the sum, after a late policy for example.
        remarks: for whoever handed in.
        leaderboard: whether to show the points and the core's points there.
    """
    tests = [
        _test(exercise, case, f"{place}.{number}")
        for place, exercise in enumerate(exercises, 1)
        for number, case in enumerate(exercise["cases"], 1)
    ]
    document = {
        "output": "\n".join([*remarks, *map(overall, exercises)]),
        "output_format": "text",
        "stdout_visibility": "hidden",
        "visibility": SHOWN,
        "execution_time": round(sum(one["seconds"] for one in exercises), 4),
        "tests": tests,
    }
    if score is not None or not tests:  # one of the two has to be there
        document["score"] = score or 0
    if leaderboard:
        document["leaderboard"] = [
            {"name": "Points", "value": sum(one["earned"] for one in exercises), "order": "desc"},
            {"name": "Core", "value": sum(one["core_earned"] for one in exercises)},
        ]
    return document


def overall(exercise: Mapping) -> str:
    """An exercise in a few lines, without a word of a hidden case."""
    lines = [f"{exercise['id']}: {exercise['earned']} of {exercise['points']} points"]
    secret = any(case["secret"] for case in exercise["cases"])
    if exercise["detail"] and not secret:
        lines.append(f"  {exercise['detail']}")
    lines += [f"  Known mistake: {mistake['why']}" for mistake in exercise["mistakes"]]
    if exercise["hint"] and exercise["status"] == "failed" and not exercise["mistakes"]:
        lines.append(f"  Hint: {exercise['hint']}")
    return "\n".join(lines)


def _test(exercise: Mapping, case: Mapping, number: str) -> dict:
    right = case["earned"] == case["points"]
    return {
        "name": f"{exercise['id']}: {case['name']}",
        "number": number,
        "score": case["earned"],
        "max_score": case["points"],
        "status": "passed" if right else "failed",
        "output": said(case),
        "output_format": "text",
        "tags": [exercise["id"], "corner" if case["corner"] else "core"],
        "visibility": KEPT if case["secret"] else SHOWN,
    }


def said(case: Mapping, *, private: bool = False) -> str:
    """Why a case is wrong.

    Of a hidden one nothing that a submission can choose: it could quote the inputs.

    Args:
        case: as `grade check --json` tells of it.
        private: whether only the instructor reads it, who sees all of a hidden case too.
    """
    hidden = case["secret"] and not private
    if difference := case["difference"]:
        if hidden:
            return _of_hidden(difference)
        numbers = difference["numbers"]
        return f"{difference['message']} {numbers[:1].upper()}{numbers[1:]}".strip()
    if error := case["error"]:
        name, kind = error.get("type"), error.get("kind")
        if hidden:
            return name if name in RAISED else kind if kind in KINDS else "exception"
        line = f", line {error['line']}" if error.get("line") else ""
        return f"{name or kind}{line}: {error.get('message') or ''}".rstrip(": ")
    return "" if case["earned"] == case["points"] else "It did not finish."


def _of_hidden(difference: Mapping) -> str:
    """A difference in words that only the record and its kind decide."""
    kind, message = difference["kind"], difference["message"]
    if kind == "type" and message.startswith("It returned None,"):
        return NONE
    if kind == "value" and (found := WRONG.match(message)):  # it opens with the record's name
        return f"{found[0]}."
    return SAID.get(kind, "The result is wrong.")


class Ungraded(Exception):
    """There is no score, and why: for the instructor."""


def graded(source: Path, submission: Path) -> dict:
    """Report of `grade check --json` on a submission.

    Args:
        source: folder with the student's copy, the names of what is graded, and hidden records;
            where these are, nothing runs that could read them.
        submission: a file, folder or zip.

    Raises:
        Ungraded: the grader failed.
    """
    words = (source / TARGETS).read_text(encoding="utf-8").split()
    begin = "from grader.cli import main; main()"
    command = [sys.executable, "-c", begin, "check", *words, "--json", "--file", str(submission)]
    if (source / HIDDEN).is_dir():
        command += ["--references", str(source / HIDDEN), "--strict"]
    done = subprocess.run(command, cwd=source / COPY, capture_output=True, text=True)
    try:
        told = json.loads(done.stdout)
    except ValueError:  # nothing was graded, and that is no score
        raise Ungraded(done.stdout + done.stderr) from None
    if any(one["status"] == "ungraded" for one in told["exercises"]):
        raise Ungraded(done.stderr)
    return told


def main(root: Path) -> int:
    """Grade what lies in ``submission`` and write ``results/results.json``; root is /autograder."""
    try:
        told = graded(root / "source", root / "submission")
    except Ungraded as error:
        sys.stderr.write(str(error))
        return 1
    document = results(told["exercises"], remarks=told["errors"])
    for sentence in told["missing_protections"]:
        print(f"Not protected: {sentence}")  # to the instructor, as all that this prints
    folder = root / "results"
    folder.mkdir(exist_ok=True)
    (folder / "results.json").write_text(json.dumps(document, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path.cwd()))
