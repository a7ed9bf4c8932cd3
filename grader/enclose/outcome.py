"""Outcome of a submission's process: read with suspicion, put into words.

Whatever is in the shared region or the log may have been written by the submission itself, so
only its form is checked here; whether numbers are right is judged by comparing them.
"""

from __future__ import annotations

import os
import re
import signal
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field

from grader.enclose.worker import wire
from grader.enclose.worker.entry import EVIDENCE, Kind, kind_of

LONGEST = 2000  # characters of any one thing that a submission says about itself
NAME = 200  # of a name
DEEPEST = 30  # classes that an exception derives from, its own among them
LINES = 10**7  # no source has more
STRUCTURE_BYTES = 4 * 2**20  # JSON in all results together; arrays travel beside it
ABORTED = b"Fatal Python error: Aborted"  # the first process of a namespace then ends in a fault
UNREADABLE = "its results are not readable: something else was written in their place"


@dataclass
class Outcome:
    """Everything that came back from a run. The cases and the log are the submission's own word.

    Attributes:
        status: "ok", "timeout", "memory", "died", or "invalid" (results not readable).
        detail: one sentence for the student when the status is not "ok".
        cases: in order, possibly fewer than asked: ``{"values": ..., "called": [names]}`` or
            ``{"error": {"kind", "type", "message", "line", "text"}, "called": [names]}``. Names of
            torch's functions are noted where the task forbids some.
        log: what the code printed, without control characters, cut to the limit.
        seconds: wall time of the run.
        loaded: the code's top level came to its end.
        processor: seconds of processor that all threads of the run took, as its parent measured;
            those on the wall where the system does not say.
    """

    status: str
    detail: str = ""
    cases: list[dict] = field(default_factory=list)
    log: str = ""
    seconds: float = 0.0
    loaded: bool = True
    processor: float = 0.0


def read_cases(fd: int, *, asked: int, size: int) -> tuple[list[dict], str]:
    """The documents in a region, each after its length in 8 bytes, and what is wrong if any is."""
    cases: list[dict] = []
    at, structure = 0, 0
    while at + 8 <= size:
        length = int.from_bytes(os.pread(fd, 8, at), "little")
        if length == 0:
            break
        if len(cases) == asked or length > size - at - 8:
            return cases, UNREADABLE
        data = os.pread(fd, length, at + 8)
        at += 8 + length
        structure += int.from_bytes(data[:8], "little")
        if structure > STRUCTURE_BYTES:
            return cases, "its results hold too much that is not in tensors"
        try:
            cases.append(_case(wire.loads(data)))
        except ValueError:
            return cases, UNREADABLE
    return cases, ""


def _case(document: dict) -> dict:
    """A case as in `Outcome`, its words cleaned; ValueError when it is anything else."""
    names = document.get("called", []) if isinstance(document, dict) else None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError("not a case")
    called = [one_line(name, NAME) for name in names]
    match document:
        case {"values": dict() as values} if "raised" not in map(one_line, values):  # never sent
            return {"values": _values(values), "called": called}
        case {"error": {"kind": str(), "type": str(), "message": str(), **rest} as error}:
            if isinstance(rest.get("line"), int | None) and isinstance(
                rest.get("text"), str | None
            ):
                kinds = document.get("kinds", [])
                kinds = kinds[:DEEPEST] if isinstance(kinds, list) else []
                kinds = [one_line(kind, NAME) for kind in kinds]
                return {"error": cleaned_error(error), "called": called, "kinds": kinds}
    raise ValueError("not a case")


def cleaned_error(error: Mapping) -> dict:
    """An exception as the worker tells of it, its words cleaned."""
    line, text = error.get("line"), error.get("text")
    return {
        **{key: one_line(error[key]) for key in ("kind", "type", "message")},
        "line": line if line and 0 < line < LINES else None,
        "text": one_line(text) if text else None,
    }


def _values(values: dict) -> dict:
    """Named values. Their names are told to people; texts that are values are compared as they
    are, and told in quotes that escape what is not printable.
    """
    found = {}
    for name, value in values.items():
        shown = kind_of(name := one_line(name, NAME))
        returned = shown in (Kind.OUTPUT, *EVIDENCE) and not isinstance(value, dict)
        raw = returned or shown is Kind.AFTER  # told to nobody
        found[name] = value if raw else _cleaned(value)
    return found


def _cleaned(value: object) -> object:
    """A nested value whose texts are told as they are."""
    if isinstance(value, str):
        return one_line(value, NAME)
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    if isinstance(value, dict):
        return {one_line(name, NAME): _cleaned(item) for name, item in value.items()}
    return value


def reason(
    reply: dict, *, seconds: float, wall: float, memory_mb: int, log: bytes
) -> tuple[str, str]:
    """Status and detail of a run that ended before its last case."""
    number = reply["signal"]
    if number == signal.SIGSEGV and ABORTED in log:
        number = signal.SIGABRT
    if reply["timeout"] == "wall":
        return "timeout", f"it waited for {seconds:g} s or longer, or did not end in {wall:g} s"
    if reply["timeout"] or number == signal.SIGXCPU:
        return "timeout", f"it computed for longer than {seconds:g} s"
    if number == signal.SIGABRT and b"bad_alloc" in log:
        return "memory", f"it needed more than {memory_mb} MB of memory"
    if number == signal.SIGKILL:
        return "memory", "it was killed by the system, most likely because memory ran out"
    if number is not None:
        name = signal.strsignal(number) or "unknown"
        return "died", f"it was killed by signal {number} ({name.lower()})"
    return "died", "the process ended itself (os._exit) before the check was over"


def printed(text: bytes, size: int) -> str:
    """The log as it is shown; ``size`` is how much was printed in all."""
    shown = clean(text.decode(errors="replace"))
    if size > len(text):
        shown += f"\n[cut: {size:,} bytes were printed, the first {len(text):,} are shown]\n"
    return shown


def clean(text: str) -> str:
    """Without escape sequences and control characters, which could rewrite a terminal."""
    if text.isprintable():
        return text
    text = re.sub(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[@-Z\\-_])", "", text)
    return "".join(c for c in text if c in "\n\t" or unicodedata.category(c)[0] != "C")


def one_line(text: object, longest: int = LONGEST) -> str:
    """The same in one line, cut to a length that can be read."""
    text = " ".join(clean(str(text)[: 4 * longest]).split())
    return text if len(text) <= longest else text[: longest - 1] + "…"
