"""How long a student waits after saving a file: `grade check --watch`, from save to verdict.

    python benchmarks/watch.py [--saves 30]

A workspace in a temporary folder, the command in a separate terminal, and saves in the three ways
in which editors save. Right answers and known mistakes take turns, so every save changes the
verdict and nothing can be answered from before. The clock runs from before the file is opened to
the arrival of the line "N of M points". Prints a table and writes `benchmarks/watch.json`.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import pty
import random
import re
import select
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from machine import machine

from grader import course
from grader.author import catalog
from grader.author.bench import mistaken

HERE = Path(__file__).parent
TARGETS = {  # what is checked, and the exercise in it that is edited
    "linear.linear": "linear.linear",
    "self_attention.scaled_dot_product_attention": "self_attention.scaled_dot_product_attention",
    "linear.train": "linear.train",
    "self_attention": "self_attention.entropy",
    "linear": "linear.softmax",
}
VERDICT = re.compile(rb"(\d+) of (\d+) points")


def in_place(path: Path, text: str) -> None:
    """As nano and IDLE do."""
    path.write_text(text)


def renamed(path: Path, text: str) -> None:
    """Written beside it, then put in its place, as VS Code's atomic save and PyCharm do."""
    beside = path.with_name(f".{path.name}.tmp")
    beside.write_text(text)
    os.replace(beside, path)


def with_backup(path: Path, text: str) -> None:
    """The old file moved away, a new one written, the old one deleted, as Vim does."""
    backup = path.with_name(f"{path.name}~")
    os.replace(path, backup)
    path.write_text(text)
    backup.unlink()


WAYS = {"in place": in_place, "renamed": renamed, "with a backup": with_backup}


class Terminal:
    """A command in a pseudo-terminal, and the verdicts that it prints."""

    def __init__(self, command: list[str], folder: str):
        self.screen, theirs = pty.openpty()
        self.process = subprocess.Popen(
            command, cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
        )
        os.close(theirs)

    def verdict(self, patience: float = 120.0) -> int:
        """The points of the next verdict."""
        text, end = b"", time.monotonic() + patience
        while not (found := VERDICT.search(text)):
            if not select.select([self.screen], [], [], end - time.monotonic())[0]:
                raise TimeoutError(f"no verdict in {patience:g} s: {text.decode()[-300:]}")
            text += os.read(self.screen, 65536)
        return int(found[1])

    def quiet(self, seconds: float) -> bytes:
        """Read what else it prints until it has been silent for so long."""
        text = b""
        while select.select([self.screen], [], [], seconds)[0]:
            text += os.read(self.screen, 65536)
        return text

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.screen)


@contextlib.contextmanager
def watched(target: str) -> Iterator[tuple[Terminal, Path]]:
    """`grade check TARGET --watch`, past its first verdict, and the file that it watches."""
    slug = target.partition(".")[0]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"{slug}.py")
        path.write_text(course.solution(slug))
        grade = str(Path(sys.executable).with_name("grade"))
        terminal = Terminal([grade, "check", target, "--watch"], folder)
        try:
            terminal.verdict()
            terminal.quiet(1.0)
            yield terminal, path
        finally:
            terminal.close()


def measure(target: str, saves: int) -> dict[str, list[float]]:
    """Seconds from each save to its verdict, by way of saving; the ways take turns."""
    (exercise,) = catalog.select([TARGETS.get(target, target)])
    slug, full = exercise.slug, sum(one.public_points for one in catalog.select([target]))
    right = course.solution(slug)
    wrong = [mistaken(exercise, known) for known in exercise.mistakes]
    found: dict[str, list[float]] = {name: [] for name in WAYS}
    pause = random.Random(0)
    with watched(target) as (terminal, path):
        for number in range(saves):
            for place, (name, save) in enumerate(WAYS.items()):
                turn = number * len(WAYS) + place
                text = right if turn % 2 else wrong[turn // 2 % len(wrong)]
                begin = time.perf_counter()
                save(path, text)
                points = terminal.verdict()
                found[name].append(time.perf_counter() - begin)
                assert (points == full) == (text is right), (target, name, points)
                more = terminal.quiet(pause.uniform(0.2, 0.4))
                assert not VERDICT.search(more), f"{name}: two verdicts for one save"
    return found


def summary(times: list[float]) -> dict[str, float]:
    """Milliseconds: the median and the 90th percentile."""
    tenths = statistics.quantiles([1000 * one for one in times], n=10, method="inclusive")
    return {"saves": len(times), "median_ms": tenths[4], "p90_ms": tenths[8]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--saves", type=int, default=30, help="of each kind, per target")
    parser.add_argument("targets", nargs="*", default=TARGETS)
    options = parser.parse_args()
    document: dict = {"machine": machine(), "targets": {}}
    print(f"{'from save to verdict':<46} {'way of saving':<14} {'median':>8} {'p90':>8}")
    for target in options.targets:
        found = measure(target, options.saves)
        document["targets"][target] = {name: summary(times) for name, times in found.items()}
        for name, row in document["targets"][target].items():
            print(f"{target:<46} {name:<14} {row['median_ms']:5.0f} ms {row['p90_ms']:5.0f} ms")
    document["machine"]["load_after"] = os.getloadavg()[0]
    if list(options.targets) == list(TARGETS):
        (HERE / "watch.json").write_text(json.dumps(document, indent=2) + "\n")


if __name__ == "__main__":
    main()
