"""Classroom 50's ``result.json``, and the autograder that writes it.

Its runner fetches this file, and what lies beside it, from a site that everybody can read, and runs
it in the student's repository, which the student can change. So public cases alone are graded, and
what comes out is feedback; marks come from `grade batch`. The format is classroom50/result/v1.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

if __package__:
    from grader.instruct import gradescope
else:  # in the runner, where gradescope.py lies beside this file
    import gradescope  # type: ignore[no-redef]

SCHEMA = "classroom50/result/v1"


def result(told: Mapping, known: Mapping[str, str], submitted: datetime) -> dict:
    """One submission as ``result.json`` has it.

    Args:
        told: what `grade check --json` tells.
        known: the environment that the runner provides.
        submitted: when the commit was made, however late it is graded.
    """
    tests = [
        {
            "test-name": f"{one['id']}: {case['name']}",
            "passed": case["earned"] == case["points"],
            "score": case["earned"],
            "max-score": case["points"],
            "output": gradescope.said(case),
        }
        for one in told["exercises"]
        for case in one["cases"]
    ]
    commit = known["COMMIT_URL"]
    return {
        "schema": SCHEMA,
        "classroom": known["CLASSROOM"],
        "assignment": known["ASSIGNMENT"],
        "assignment_type": known.get("ASSIGNMENT_TYPE") or "individual",
        "owner": known.get("OWNER") or known["USERNAME"],
        "submission": known["SUBMISSION_TAG"],
        "commit": commit,
        "release": known["RELEASE_URL"],
        "review": known.get("REVIEW_URL") or commit,
        "datetime": submitted.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "score": sum(one["score"] for one in tests),
        "max-score": sum(one["max-score"] for one in tests),
        "tests": tests,
    }


def body(told: Mapping) -> str:
    """The text of the release: each exercise in a few lines."""
    lines = [*told["errors"], *map(gradescope.overall, told["exercises"])]
    return "```text\n" + "\n".join(lines).replace("```", "'''") + "\n```\n"


def install(copy: Path) -> None:
    """Into the runner's Python, what the copy's constraints.txt pins."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "-c", "constraints.txt", "-e", "."]
    subprocess.run(pip, cwd=copy, check=True)


def committed(repository: Path) -> datetime:
    """When the commit that is graded was made; now, where git does not tell."""
    command = ["git", "-c", "safe.directory=*", "log", "-1", "--format=%cI"]
    done = subprocess.run(command, cwd=repository, capture_output=True, text=True)
    try:
        return datetime.fromisoformat(done.stdout.strip())
    except ValueError:
        return datetime.now(UTC)


def main(repository: Path) -> int:
    """Grade a student's repository and write ``result.json`` into it."""
    here = Path(__file__).resolve().parent
    install(here / gradescope.COPY)
    try:
        told = gradescope.graded(here, repository)
    except gradescope.Ungraded as error:  # the runner tells of an error of the autograder
        sys.stderr.write(str(error))
        return 1
    document = result(told, os.environ, committed(repository))
    (repository / "result.json").write_text(json.dumps(document, indent=1), encoding="utf-8")
    (repository / "release-body.md").write_text(body(told), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path.cwd()))
