"""Run a student's code in a process that can do nothing but compute, and bring back what it says.

The trusted side. It starts the fork server (grader/worker/server.py), hands it one submission
at a time, and reads the results only after every process of the submission is dead.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unicodedata
from dataclasses import asdict, dataclass, field
from pathlib import Path

from grader.worker import codec

ROOT = Path(__file__).resolve().parents[1]
WORKER = Path(__file__).resolve().parent / "worker"
LONGEST = 2000  # characters of any one string that a submission says about itself
STRUCTURE_BYTES = 4 * 2**20  # JSON of one result; arrays travel beside it
START_SECONDS, GRACE_SECONDS = 120, 150


class SandboxError(Exception):
    """The sandbox itself failed. Says nothing about the submission, and is never a score."""


class _ServerDied(Exception):
    pass


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What one run may use.

    Attributes:
        seconds: wall time.
        memory_mb: memory beyond what torch and the inputs take.
        log_bytes: printed text that is kept.
        result_bytes: all results together.
        processes: threads.
        files: open files.
    """

    seconds: float = 10.0
    memory_mb: int = 1024
    log_bytes: int = 65_536
    result_bytes: int = 64 * 2**20
    processes: int = 32
    files: int = 64


@dataclass
class Outcome:
    """What came back from one run. Everything but ``status`` is the submission's own word.

    Attributes:
        status: "ok", "timeout", "memory", "died", or "invalid" (results not readable).
        detail: one sentence for the student when the status is not "ok".
        cases: in order, possibly fewer than asked: ``{"values": ..., "called": [names]}`` or
            ``{"error": {"kind", "type", "message", "line", "text"}}``.
        log: what the code printed, without control characters, cut to the limit.
        seconds: wall time of the run.
    """

    status: str
    detail: str = ""
    cases: list[dict] = field(default_factory=list)
    log: str = ""
    seconds: float = 0.0


class Sandbox:
    """A fork server and the runs it is asked for, one at a time. Use it in a ``with`` block."""

    def __init__(self, *, tier: str | None = None, limits: Limits | None = None):
        self.limits = limits or Limits()
        self._wanted = tier
        self._lock = threading.Lock()
        self._owner = os.getpid()
        self._hello: dict | None = None
        self._start()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    @property
    def tier(self) -> str:
        """What holds: "bwrap", "static", "plain" or "rlimits". Waits for the server."""
        return self._greeted()["tier"]

    @property
    def missing(self) -> list[str]:
        """Protections that do not hold on this system, one sentence each."""
        return self._greeted()["missing"]

    def _start(self) -> None:
        self._sock, theirs = socket.socketpair()
        config = {
            "socket": theirs.fileno(),
            "tier": self._wanted or "rlimits",
            "imports": [str(path) for path in import_paths()],
        }
        self._stderr = tempfile.TemporaryFile()
        command = [os.path.realpath(sys.executable), "-s", "-S", str(WORKER / "server.py")]
        self._server = subprocess.Popen(
            [*command, json.dumps(config)],
            env=ENVIRONMENT,
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=self._stderr,
            stderr=self._stderr,
            start_new_session=True,
            cwd="/",
        )
        theirs.close()

    def _greeted(self) -> dict:
        if self._hello is None:
            self._sock.settimeout(START_SECONDS)
            self._hello = self._hear()
        return self._hello

    def _hear(self) -> dict:
        line = b""
        while not line.endswith(b"\n"):
            part = self._sock.recv(4096)
            if not part:
                self._stderr.seek(0)
                raise SandboxError(self._stderr.read().decode()[-2000:])
            line += part
        return json.loads(line)

    def run(
        self,
        source: str,
        symbol: str,
        calls: list[dict],
        *,
        filename: str,
        limits: Limits | None = None,
    ) -> Outcome:
        """Run ``symbol`` of ``source`` on every call.

        Raises:
            SandboxError: the sandbox failed, whatever the submission is worth.
        """
        limits = limits or self.limits
        with self._lock:
            self._greeted()
            task = {
                "source": source.encode("utf-8", "replace").decode(),
                "symbol": symbol,
                "calls": calls,
                "filename": filename,
                "memory_mb": limits.memory_mb,
            }
            return self._run(codec.dumps(task), len(calls), limits)

    def _run(self, task: bytes, asked: int, limits: Limits) -> Outcome:
        with scratch() as task_file, scratch() as region:
            task_file.write(task)
            task_file.flush()
            read_log, write_log = os.pipe()
            os.set_blocking(read_log, False)
            with open(read_log, "rb", buffering=0) as log:
                request = json.dumps(asdict(limits)).encode()
                fds = [task_file.fileno(), region.fileno(), write_log]
                socket.send_fds(self._sock, [request], fds)
                os.close(write_log)
                reply, text, size = self._wait(log, limits)
            cases, error = read_cases(region.fileno(), asked, limits.result_bytes)
        if "failed" in reply:
            raise SandboxError(f"the worker could not be set up: {reply['failed']}")
        status, detail = "ok", ""
        if error:
            status, detail = "invalid", error
        elif len(cases) < asked:
            status, detail = judge(reply, limits)
        return Outcome(status, detail, cases, printed(text, size), reply["seconds"])

    def _wait(self, log, limits: Limits) -> tuple[dict, bytes, int]:
        text, size, reply = b"", 0, b""
        self._sock.settimeout(limits.seconds + GRACE_SECONDS)
        with selectors.DefaultSelector() as selector:
            selector.register(log, selectors.EVENT_READ)
            selector.register(self._sock, selectors.EVENT_READ)
            while not reply.endswith(b"\n"):
                for key, _ in selector.select():
                    if key.fileobj is log:
                        part = log.read(65536)
                        if not part:
                            selector.unregister(log)
                            continue
                        size += len(part)
                        text += part[: limits.log_bytes - len(text)]
                    else:
                        part = self._sock.recv(4096)
                        if not part:
                            raise _ServerDied
                        reply += part
        while part := log.read(65536):
            size += len(part)
            text += part[: limits.log_bytes - len(text)]
        return json.loads(reply), text, size

    def close(self) -> None:
        """End the server and everything it started."""
        self._sock.close()
        self._server.kill()
        self._server.wait()
        self._stderr.close()


ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "HOME": "/nonexistent",
    "USER": "nobody",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",
    "CUDA_VISIBLE_DEVICES": "",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
}


def import_paths() -> list[Path]:
    """The folders that hold what a submission may import."""
    found = {}
    for name in ("torch", "numpy", "safetensors"):
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            raise SandboxError(f"{name} is not installed for {sys.executable}")
        found[Path(spec.origin).parents[1]] = None
    return list(found)


def scratch():
    """A file without a name."""
    if hasattr(os, "memfd_create"):
        return open(os.memfd_create("grade", os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC), "w+b")
    return tempfile.TemporaryFile()


def read_cases(fd: int, asked: int, size: int) -> tuple[list[dict], str]:
    """The documents in the region, as far as they can be read, and what is wrong with the rest."""
    cases, at = [], 0
    while at + 8 <= size:
        length = int.from_bytes(os.pread(fd, 8, at), "little")
        if length == 0:
            break
        if len(cases) == asked or length > size - at - 8:
            return cases, "its results are not readable: something else wrote to them"
        data = os.pread(fd, length, at + 8)
        at += 8 + length
        try:
            if int.from_bytes(data[:8], "little") > STRUCTURE_BYTES:
                raise ValueError("too large")
            cases.append(valid(codec.loads(data)))
        except ValueError:
            return cases, "its results are not readable: something else wrote to them"
    return cases, ""


def valid(case: object) -> dict:
    """A case as documented in `Outcome`, its strings cleaned; ValueError for anything else."""
    match case:
        case {"values": dict() as values, "called": list() as called}:
            if all(isinstance(name, str) for name in called):
                return {"values": values, "called": [clean(name) for name in called]}
        case {"error": {"kind": str(), "type": str(), "message": str(), **rest} as error}:
            line, text = rest.get("line"), rest.get("text")
            if isinstance(line, int | None) and isinstance(text, str | None):
                said = {key: clean(error[key]) for key in ("kind", "type", "message")}
                return {"error": {**said, "line": line, "text": clean(text) if text else None}}
    raise ValueError("not a case")


def judge(reply: dict, limits: Limits) -> tuple[str, str]:
    """Why a run ended before its last case."""
    number = reply["signal"]
    if reply["timeout"] or number == signal.SIGXCPU:
        return "timeout", f"it ran longer than {limits.seconds:g} s"
    if number == signal.SIGKILL:
        return "memory", "it was killed from outside, most likely because memory ran out"
    if number is not None:
        return "died", f"it was killed by signal {number}"
    return "died", "the process ended itself (os._exit) before the check was over"


def clean(text: str) -> str:
    """Without escape sequences and control characters, and not too long."""
    text = re.sub(r"\x1b(\[[0-?]*[ -/]*[@-~]|[@-Z\\-_])", "", text[:LONGEST])
    return "".join(c for c in text if c in "\n\t" or unicodedata.category(c)[0] != "C")


def printed(text: bytes, size: int) -> str:
    """The log as shown: cleaned, and with a note where it was cut."""
    shown = text.decode(errors="replace")
    shown = re.sub(r"\x1b(\[[0-?]*[ -/]*[@-~]|[@-Z\\-_])", "", shown)
    shown = "".join(c for c in shown if c in "\n\t" or unicodedata.category(c)[0] != "C")
    if size > len(text):
        shown += f"\n[{size} bytes were printed; the first {len(text)} are shown]\n"
    return shown
