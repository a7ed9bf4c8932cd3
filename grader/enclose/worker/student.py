"""Runs a student's code on the cases of an exercise and writes down what it returns.

This is the confined process. Nothing that it says of itself is believed: the grader compares
the numbers, and that happens elsewhere.
"""

from __future__ import annotations

import collections
import difflib
import errno
import linecache
import logging
import mmap
import os
import random
import sys
import tempfile
import traceback
import types
from collections.abc import Iterator

import absent
import numpy as np
import probes
import torch
import wire

LONGEST = 2000  # characters of an error message
SPARE = 32 * 2**20  # bytes kept free, to report with when memory has run out
WORKER = ("absent", "child", "confine", "cost", "fixtures", "probes", "server", "student", "wire")
OWN: set[str] = set()  # names of modules that were loaded from sources
tempfile.tempdir = "/tmp"  # libraries ask for its name on import; nothing is writable
logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)  # it warns of just that


def prepare(task: dict) -> Iterator[None]:
    """What is done before a student's code is read: what takes away what it may not use is made,
    and nothing of this folder is left to be found under its name.
    """
    absent.prepare()
    for name in WORKER:
        sys.modules.pop(name, None)
    sys.modules["__main__"] = types.ModuleType("__main__")
    return absent.taking_away(task["forbidden"])


def check(task: dict, taking_away: Iterator[None], emit) -> None:
    """Run every call on every source; ``emit`` gets one document per call, in order."""
    for source in task["sources"]:
        run(source, task, taking_away, emit)


def run(source: str, task: dict, taking_away: Iterator[None], emit) -> None:
    """Load the code, take away what it may not use, and run every call."""
    try:
        symbol = load(source, task)
        collections.deque(taking_away, 0)
    except BaseException as error:
        failure = {"error": explain(error, task, "import"), "called": []}
        for _ in task["calls"]:
            emit(failure)
        return
    for call in task["calls"]:
        spare = None
        try:
            spare = mmap.mmap(-1, SPARE)
            reseed()
            probes.WATCH.names.clear()
            values = probes.PROBES[call["probe"]](symbol, call)
            document = {"values": values}
        except BaseException as error:  # SystemExit and KeyboardInterrupt are the student's too
            if spare is not None:  # else memory was short before the call
                spare.close()
            document = {"error": explain(error, task, "exception")}
            kinds = [kind.__name__ for kind in type(error).__mro__]
            if call.get("raises") in kinds and document["error"]["kind"] == "exception":
                document = {"values": {"raised": call["raises"]}}
        else:
            spare.close()
        emit({"called": sorted(probes.WATCH.names), **document})


def load(source: str, task: dict):
    """Run the source as a module; the symbol in it."""
    filename = task["filename"]
    linecache.cache[filename] = (len(source), None, source.split("\n"), filename)
    module = types.ModuleType(os.path.splitext(os.path.basename(filename))[0])
    module.__file__ = filename
    if module.__name__ not in sys.modules or module.__name__ in OWN:
        sys.modules[module.__name__] = module  # dataclasses look their module up
        OWN.add(module.__name__)
    sys.argv = [filename]  # ours would be no command line that a student's parser knows
    reseed()
    exec(compile(source, filename, "exec"), module.__dict__)
    if task["symbol"] not in module.__dict__:
        near = difflib.get_close_matches(task["symbol"], list(module.__dict__), n=1)
        guess = f", but {near[0]}" if near else ""
        raise probes.Refusal("missing", f"the file does not define {task['symbol']}{guess}")
    return module.__dict__[task["symbol"]]


def reseed() -> None:
    """Every case sees the same random numbers, whatever ran before it."""
    torch.manual_seed(0)
    np.random.seed(0)
    random.seed(0)


def explain(error: BaseException, task: dict, kind: str) -> dict:
    """An exception as plain values: what it is, and the last line of the student's file in it."""
    try:
        message = str(error)[:LONGEST]
    except BaseException:
        message = ""
    frames = [(frame.f_code, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    inside = [place for place in frames if place[0].co_filename == task["filename"]]
    code, line = inside[-1] if inside else (None, None)
    if isinstance(error, SyntaxError) and error.filename == task["filename"]:
        line, message = error.lineno, error.msg
    if message == absent.NO_ENGINE:
        kind, message = "refused", "it ran torch's automatic differentiation"
    elif isinstance(error, probes.Refusal):
        kind, line = error.kind, None
    elif isinstance(error, NotImplementedError) and code in [last for last, _ in frames[-1:]]:
        if not message and kind == "exception":
            kind, message = _blank(code.co_qualname, task["symbol"])
    elif (
        isinstance(error, MemoryError)
        or "can't allocate memory" in message
        or getattr(error, "errno", None) == errno.ENOMEM
    ):
        message = f"it needed more than {task['memory_mb']} MB of memory"
    return {
        "kind": kind,
        "type": type(error).__name__,
        "message": message,
        "line": line,
        "text": linecache.getline(task["filename"], line).strip()[:LONGEST] if line else None,
    }


def _blank(function: str, symbol: str) -> tuple[str, str]:
    """Is it this exercise that is not written yet, or another that it calls?"""
    if function.partition(".")[0] == symbol:
        return "blank", f"{function} is not written yet"
    return "needs", f"it calls {function}, which is not written yet"


class Region:
    """Memory shared with the grader. Each document follows its length in 8 bytes."""

    def __init__(self, fd: int, size: int):
        self.fd, self.size, self.at = fd, size, 0

    def emit(self, document: dict) -> None:
        """Append a document, or in its place the reason why it cannot be sent."""
        try:
            data = wire.dumps(document)
        except Exception as error:
            data = _refusal("type", f"what it returned cannot be compared: {error}")
        if self.at + 8 + len(data) > self.size:
            data = _refusal("exception", f"what it returned is larger than {self.size} bytes")
        os.pwrite(self.fd, data, self.at + 8)
        os.pwrite(self.fd, len(data).to_bytes(8, "little"), self.at)  # last: now it counts
        self.at += 8 + len(data)


def _refusal(kind: str, message: str) -> bytes:
    message = message.encode("utf-8", "replace").decode()[:LONGEST]
    error = {"kind": kind, "type": "", "message": message, "line": None, "text": None}
    return wire.dumps({"error": error, "called": []})
