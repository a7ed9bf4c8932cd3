"""What Gradescope reads: ``results.json``. Also the program that writes it inside of Gradescope.

An autograder's zip holds this file beside a student's copy, so it imports nothing of the grader.
The format is that of gradescope/autograder_samples, docs/specs.md.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

SHOWN, KEPT = "visible", "after_published"  # with a hidden test, students would see no total
COPY, HIDDEN, TARGETS = "course", "hidden", "targets.txt"


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


def said(case: Mapping) -> str:
    """Why a case is wrong. Of a hidden one not what the code raised: it may quote the inputs."""
    if difference := case["difference"]:
        numbers = difference["numbers"]
        return f"{difference['message']} {numbers[:1].upper()}{numbers[1:]}".strip()
    if error := case["error"]:
        name = error.get("type") or error.get("kind")
        line = f", line {error['line']}" if error.get("line") else ""
        message = "" if case["secret"] else f": {error.get('message') or ''}"
        return f"{name}{line}{message}".rstrip(": ")
    return "" if case["earned"] == case["points"] else "It did not come to its end."


class Ungraded(Exception):
    """There is no score, and why: for the instructor."""


def graded(source: Path, submission: Path) -> dict:
    """What `grade check --json` tells of a submission.

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
