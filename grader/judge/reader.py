"""Where untrusted text is read: a process of its own, with little time and memory.

Parsers crash, hang and fill memory on texts that are made for it. What they do to that process
is a refusal with a sentence, and the next text is read by another one.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import subprocess
import sys
import threading
import time
from pathlib import Path

from grader.enclose.outcome import one_line

PATIENCE = 120  # seconds until an answer counts as lost, however busy the machine is
ROOT = Path(__file__).resolve().parents[2]
CODE = f"""
import sys
sys.path.append({str(ROOT)!r})
from grader.judge import study
study.serve()
"""


class Unreadable(Exception):
    """A file that was handed in cannot be read: one sentence on why."""


class ReaderError(Exception):
    """Reading itself failed. Says nothing about what was handed in."""


class _Gone(Exception):
    """The process ended or does not answer."""


def ask(task: str, name: str, **given) -> dict:
    """Have a task of `grader.judge.study` done.

    Args:
        task: its name.
        name: of the file that it is about.
        **given: what else it takes.

    Raises:
        Unreadable: with the sentence for whoever handed it in.
        ReaderError: this is nobody's fault but ours.
    """
    global _process
    line = json.dumps({"task": task, "given": {"name": name, **given}}).encode() + b"\n"
    with _lock:
        if _process is None or not _process.serves():
            _process = _Process()
        try:
            answer = _process.ask(line)
        except _Gone:
            _process.close()
            _process = None
            said = f"{name} takes too long to read, or too much memory."
            raise Unreadable(one_line(said)) from None
    if "refused" in answer:
        raise Unreadable(one_line(answer["refused"]))
    if "failed" in answer:
        raise ReaderError(f"reading {one_line(name)} failed: {one_line(answer['failed'])}")
    return answer["done"]


def cancel() -> None:
    """End the reading that goes on, if one does; any thread may call this. The text is refused."""
    process = _process
    if process and _lock.locked():  # an idle one is left alone
        process.process.kill()


class _Process:
    """One that reads texts, until it dies of one."""

    def __init__(self):
        self.owner = os.getpid()
        try:
            self.process = subprocess.Popen(
                [os.path.realpath(sys.executable), "-s", "-S", "-E", "-c", CODE],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd="/",
                start_new_session=True,  # a Ctrl-C in the terminal reaches the grader alone
            )
            self._hear()
        except (OSError, _Gone) as error:
            raise ReaderError(f"the process that reads did not start: {error}") from error
        atexit.register(self.close)

    def serves(self) -> bool:
        """Is it ours, and alive?"""
        return self.owner == os.getpid() and self.process.poll() is None

    def ask(self, line: bytes) -> dict:
        try:
            self.process.stdin.write(line)
            self.process.stdin.flush()
        except OSError:
            raise _Gone from None
        return json.loads(self._hear())

    def _hear(self) -> bytes:
        """The next line."""
        parts, deadline = [], time.monotonic() + PATIENCE
        fd = self.process.stdout.fileno()
        while not (parts and parts[-1].endswith(b"\n")):
            left = max(0.0, deadline - time.monotonic())
            part = os.read(fd, 2**20) if select.select([fd], [], [], left)[0] else b""
            if not part:
                raise _Gone
            parts.append(part)
        return b"".join(parts)

    def close(self) -> None:
        if self.owner == os.getpid():
            atexit.unregister(self.close)
            self.process.kill()
            self.process.wait()
            for pipe in (self.process.stdin, self.process.stdout):
                with contextlib.suppress(OSError):
                    pipe.close()


_lock = threading.Lock()
_process: _Process | None = None
