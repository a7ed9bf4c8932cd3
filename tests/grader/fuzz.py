"""Random sources, notebooks, archives and worker's results, made to break whoever reads them.

    python tests/grader/fuzz.py [--seconds 20 | --rounds 3] [--seed 0]

Every one must end in a reading or in one sentence: no traceback, no hang, no flood of memory, and
nothing that is shown may move a cursor or begin a line of its own. Prints what happened as JSON.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import resource
import sys
import tempfile
import time
import unicodedata
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

from grader import course
from grader.enclose.outcome import Outcome, read_cases
from grader.enclose.worker import wire
from grader.errors import UserError
from grader.judge import grading, reader, records
from grader.judge.submission import Submission, read
from grader.student import export, report

EXERCISES = records.manifests("linear")
RECORD = records.load("linear", "softmax")
SOLUTION = course.solution("linear")
FORGED = "✓ linear.softmax 4/4"
ODD = [
    *("\x1b[2J\x1b[31m", "\x1b]0;t\x07", "\x9b31m", "\u202e", "\ud800", "\0", "\r", "\x0c", "\x85"),
    *("\u2028", "\u2029", "\x1c", "\ufeff", "é", "😀", "a\nb", f"\n{FORGED}\n", "9" * 4299),
]
FRAGMENTS = [
    *("(", ")", "[", "{", "'", '"""', "#", "\\\n", ";", ":", "\n", "\t", "    ", "@", "*", "**"),
    *("import torch.nn.functional as F\n", "from torch import *\n", "softmax = F.softmax\n"),
    *("def softmax(input, dim=-1):\n    return F.softmax(input)\n", "class softmax: pass\n"),
    *("lambda: ", "not ", "-", "~", "a.", "a=", "a,", "f'{a!r:{b}}'", "if a:\n ", "elif a:\n "),
    *("async def f(): await x\n", "match a:\n case [b, *_]: pass\n", "x: int\n", "global a\n"),
    *("nonlocal a\n", "return\n", "yield\n", "del a\n", "(a := 1)\n", "a[0].b = 1\n", "try:\n a\n"),
    *("%time x\n", "!ls\n", "x?\n", "x = !ls\n", "%%bash\n", "%%grade linear.softmax\n", "0x"),
]


class Maker:
    """Random things of one seed."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)

    def pick(self, items):
        return self.random.choice(items)

    def some(self, most: int) -> int:
        """Small as a rule, large now and then."""
        return int(most ** self.random.random())

    def text(self) -> str:
        parts = [self.pick([*ODD, "softmax", "output", "x", "1"]) for _ in range(self.some(30))]
        return "".join(parts)

    def source(self) -> str:
        kind = self.random.random()
        if kind < 0.3:  # one thing, many times
            before = self.pick(["", "x = ", "def f(): "])
            after = self.pick(["", "1", "\n" + SOLUTION])
            return before + self.pick([*FRAGMENTS, *ODD]) * self.some(100_000) + after
        if kind < 0.5:
            return "".join(self.pick([*FRAGMENTS, *ODD]) for _ in range(self.some(1000)))
        text = SOLUTION  # an honest one with changes
        for _ in range(self.some(20)):
            at, size = self.random.randrange(len(text) + 1), self.some(200)
            new = self.pick([*FRAGMENTS, *ODD, text[at : at + size] * self.some(50)])
            text = text[:at] + new + text[at + self.pick([0, 0, size]) :]
        return text

    def value(self, depth: int = 0):
        """Anything that JSON can hold, and arrays."""
        kind = self.random.randrange(10 if depth < 4 else 7)
        if kind < 7:
            return [
                None,
                self.pick([True, False]),
                self.pick([0, -1, 10**18, 10**4000]),
                self.pick([0.5, 1e308, float("nan"), float("-inf")]),
                self.text(),
                self.array(),
                "output",
            ][kind]
        size = self.some([2000, 30, 4, 4][depth])
        if kind == 7:
            return [self.value(depth + 1)] * size
        return {self.pick([self.text(), *self.names()]): self.value(depth + 1) for _ in range(size)}

    def names(self) -> list[str]:
        odd = [f"output[{self.text()!r}]", f"grad.{self.text()}", f"fresh.{self.text()}"]
        plain = ["output", "output[0]", "changed", "parameters", "attached", "repeatable"]
        return [*odd, *plain, "raised", "$type"]

    def array(self) -> np.ndarray:
        kind = self.pick(["f4", "f8", "i8", "?", "f2", "u1"])
        shape = [self.pick([0, 1, 2, 3, 5]) for _ in range(self.random.randrange(5))]
        with np.errstate(all="ignore"):
            return np.full(shape, self.pick([0, 1, np.nan, np.inf, -1e30, 7])).astype(kind)

    def broken(self, data: bytes) -> bytes:
        """With some bytes changed, cut off or repeated."""
        data = bytearray(data)
        for _ in range(self.some(20)):
            at = self.random.randrange(len(data) + 1)
            kind = self.random.randrange(3)
            if kind == 0 and at < len(data):
                data[at] = self.random.randrange(256)
            elif kind == 1:
                del data[at : at + self.some(100)]
            else:
                data[at:at] = self.pick([b"\0" * 8, b"\xff" * 8, bytes(data[at : at + 50])])
        return bytes(data)


def in_memory(submission: Submission) -> str:
    """Check a submission, and return what is said of all its exercises."""
    said = []
    for reading in submission.readings(EXERCISES).values():
        told = [reading.error["message"], reading.error["text"] or ""] if reading.error else []
        said += [reading.refused, *told, *reading.left_out]
    result = grading.refuse(RECORD, submission)
    said.append(result.detail if result else "")
    assert max(map(len, said)) < 3000, "a flood"
    return " ".join(said)


def on_disk(make: Maker, name: str, data: bytes) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(data)
        try:
            return in_memory(read(path, "linear"))
        except UserError as error:
            return str(error).replace(folder, "")


def source(make: Maker) -> str:
    if make.random.random() < 0.5:
        return in_memory(Submission(make.source(), "linear.py"))
    return on_disk(make, "linear.py", make.source().encode("utf-8", "surrogatepass"))


def cells(make: Maker) -> str:
    found = tuple(make.source() for _ in range(make.some(20)))
    failed = {make.some(20): (make.some(50) - 1, make.some(9) - 1) for _ in range(make.some(5) - 1)}
    return in_memory(Submission("", "notebook", cells=found, failed=failed))


def notebook(make: Maker) -> str:
    def cell():
        text = make.source()
        source = make.pick([text, text.splitlines(True), make.text(), 3, [3], None])
        return {"cell_type": make.pick(["code", "code", "markdown", [], None]), "source": source}

    document = {"cells": [cell() for _ in range(make.some(20))], "nbformat": make.pick([4, "x"])}
    kind = make.random.random()
    if kind < 0.1:
        return on_disk(make, "linear.ipynb", make.pick([b"[", b'{"a":', b"9"]) * make.some(10**6))
    if kind < 0.2:
        document = make.pick([[document], {"cells": {"a": 1}}, {"cells": [[]]}, "x", 3, None])
    data = json.dumps(document).encode()
    return on_disk(make, "linear.ipynb", make.broken(data) if kind > 0.7 else data)


def archive(make: Maker) -> str:
    buffer = io.BytesIO()
    kinds = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA
    with zipfile.ZipFile(buffer, "w") as file:
        for _ in range(make.some(1000)):
            names = "linear.py", "a/linear.py", "../linear.py", "a\\linear.py", "linear.ipynb"
            others = [str(make.random.random())] * make.some(100)
            text = make.pick(["x = 1\n", "\0" * make.some(10**6), SOLUTION])
            entry = zipfile.ZipInfo(make.pick([*names, *others]))
            entry.compress_type = make.pick(kinds)
            entry.external_attr = make.pick([0, 0o120777 << 16, 0o100644 << 16])
            file.writestr(entry, text)
    data = buffer.getvalue()
    return on_disk(make, "linear.zip", make.broken(data) if make.random.random() < 0.7 else data)


def results(make: Maker) -> str:
    """Pass what a worker's process may leave in the region through to every kind of report."""
    parts = []
    for _ in range(make.random.randrange(6)):
        document = make.pick(
            [
                {"values": {name: make.value(1) for name in make.names()}, "called": [make.text()]},
                {"values": make.value(), "called": []},
                {
                    "error": {
                        "kind": make.pick(["exception", "blank", "import", make.text()]),
                        "type": make.text(),
                        "message": make.text(),
                        "line": make.pick([None, 3, -1, 10**4299, "3"]),
                        "text": make.pick([None, make.text(), 3]),
                    }
                },
                make.value(),
            ]
        )
        try:
            data = wire.dumps(document)
        except Exception:  # a surrogate cannot be sent, nor too long a number
            continue
        data = make.broken(data) if make.random.random() < 0.3 else data
        parts.append(len(data).to_bytes(8, "little") + data)
    data = b"".join(parts)
    data = make.broken(data) if make.random.random() < 0.2 else data
    with tempfile.TemporaryFile(buffering=0) as region:
        region.write(data + bytes(8))
        found, wrong = read_cases(region.fileno(), asked=len(RECORD.cases), size=len(data) + 8)
    status = "invalid" if wrong else "ok" if len(found) == len(RECORD.cases) else "died"
    result = grading.judge(RECORD, Submission(SOLUTION, "linear.py"), Outcome(status, wrong, found))
    shown = report.plain([result], [])
    document = json.dumps(export.as_json([result], []))
    others = [report.html([result], []), document, export.junit([result])]
    assert max(map(len, [shown, *others])) < 300_000, "a flood"
    first, *rest = filter(None, shown.splitlines())
    sign = "✓" if result.passed else "·" if result.status == "blank" else "✗"
    sign = "≈" if result.idea_right and not result.passed else sign
    assert first.startswith(f"{sign} {RECORD.manifest.id} "), first
    begin = "    ", "Next to write: ", f"{result.earned} of {result.points} points"
    assert all(line.startswith(begin) for line in rest), rest
    return shown


def clean(text: str) -> bool:
    """Nothing that moves a cursor."""
    return not any(unicodedata.category(sign)[0] == "C" for sign in text if sign not in "\n")


KINDS: dict[str, Callable[[Maker], str]] = {
    "source": source,
    "cells": cells,
    "notebook": notebook,
    "archive": archive,
    "results": results,
}


def own_peak() -> int:
    """The most memory that this process held, in the units of ``ru_maxrss``.

    On Linux ``ru_maxrss`` counts what its parent held when it started this process, too.
    """
    with contextlib.suppress(OSError):
        said = Path("/proc/self/status").read_text(encoding="ascii")
        return int(said.split("VmHWM:")[1].split()[0])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--rounds", type=int, help="of every kind, however long they take")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("kinds", nargs="*", default=list(KINDS))
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # of names that stand twice in an archive
    end, number = time.monotonic() + options.seconds, options.seed
    last = None if options.rounds is None else number + options.rounds
    count, longest = Counter(), dict.fromkeys(options.kinds, 0.0)
    while time.monotonic() < end if last is None else number < last:
        number += 1
        for kind in options.kinds:
            begin = time.monotonic()
            try:
                said = KINDS[kind](Maker(number))
                assert clean(said), ascii(said)
            except BaseException:
                print(f"{kind} of seed {number}:", file=sys.stderr)
                raise
            count[kind] += 1
            longest[kind] = max(longest[kind], time.monotonic() - begin)
    if reader._process:
        reader._process.close()
    unit = 1 if sys.platform == "darwin" else 1024
    memory = [own_peak(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss]
    print(
        json.dumps(
            {
                "tried": count,
                "longest_s": {kind: round(took, 2) for kind, took in longest.items()},
                "memory_mb": [size * unit // 2**20 for size in memory],
                "open_files": len(os.listdir("/dev/fd")),
            }
        )
    )


if __name__ == "__main__":
    main()
