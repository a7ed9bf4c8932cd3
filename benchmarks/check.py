"""Cost of a check: cold against `import torch`, and per submission once warm.

    python benchmarks/check.py [--repeats 9]

Prints a table and writes `benchmarks/check.json`. All times are medians of interleaved repeats of
one run on one machine; only the ratios can be compared between machines.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from machine import machine

from grader import course
from grader.enclose.sandbox import Sandbox
from grader.judge import grading, records
from grader.judge.submission import Submission

HERE = Path(__file__).parent
EXERCISE = "self_attention.scaled_dot_product_attention"


def seconds(command: list[str], folder: str) -> float:
    """Wall time of one command."""
    begin = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, cwd=folder)
    return time.perf_counter() - begin


def cold(repeats: int) -> dict[str, float]:
    """Median seconds of each command, the commands taking turns."""
    slug = EXERCISE.partition(".")[0]
    grade = str(Path(sys.executable).with_name("grade"))
    commands = {
        "python -c 'import torch'": [sys.executable, "-c", "import torch"],
        f"grade check {EXERCISE}": [grade, "check", EXERCISE],
        "grade list": [grade, "list"],
        "python -c pass": [sys.executable, "-c", "pass"],
    }
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, f"{slug}.py").write_text(course.solution(slug))
        times = {name: [] for name in commands}
        for _ in range(repeats):
            for name, command in commands.items():
                times[name].append(seconds(command, folder))
    return {name: statistics.median(found) for name, found in times.items()}


def warm(repeats: int) -> dict[str, float]:
    """Milliseconds per submission on a running server: the exercise above, and each chapter."""
    found = {}
    with Sandbox() as sandbox:
        for name, chosen in {
            EXERCISE: [EXERCISE],
            **{f"all of {slug}": [slug] for slug in ("linear", "self_attention")},
        }.items():
            known = [records.load(told.slug, told.symbol) for told in records.select(chosen)]
            slug = known[0].manifest.slug
            submission = Submission(course.solution(slug), f"{slug}.py")
            times = []
            for _ in range(repeats):
                begin = time.perf_counter()
                for record in known:
                    result = grading.check(record, submission, sandbox=sandbox)
                    assert result.passed, record.manifest.id
                times.append(time.perf_counter() - begin)
            found[name] = 1000 * statistics.median(times)
        found["tier"] = sandbox.tier
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=9)
    repeats = parser.parse_args().repeats
    found = machine()
    commands = cold(repeats)
    base = commands["python -c 'import torch'"]
    print(f"{'cold':<62} {'seconds':>8} {'ratio':>6}")
    for name, took in commands.items():
        print(f"{name:<62} {took:8.3f} {took / base:6.2f}")
    running = warm(5 * repeats)
    tier = running.pop("tier")
    print(f"\n{'warm, tier ' + tier:<62} {'ms':>8}")
    for name, took in running.items():
        print(f"{name:<62} {took:8.1f}")
    document = {
        "machine": found,
        "repeats": repeats,
        "cold_seconds": commands,
        "warm_ms": running,
    }
    (HERE / "check.json").write_text(json.dumps(document, indent=2) + "\n")


if __name__ == "__main__":
    main()
