"""Run a student's code where it can do nothing but compute, and bring back what it returns.

This is the trusted side. It starts the fork server (grader/enclose/worker/server.py), hands it one
submission at a time, and reads the results when every process of the submission is dead.

Tiers, by what the system allows; `Sandbox.missing` says what does not hold:

- ``bwrap``: bubblewrap around the server (own files, no network); namespaces, Landlock and
  seccomp around each submission.
- ``static``: the same without namespaces for each submission.
- ``plain``: Landlock and seccomp around each submission.
- ``rlimits``: resource limits and a process without a preloaded torch, as on macOS. Not a
  security boundary.
"""

from __future__ import annotations

import contextlib
import json
import marshal
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import cycle

import numpy as np

from grader import interrupt
from grader.enclose import walls, witness
from grader.enclose.outcome import Outcome, printed, read_cases, reason
from grader.enclose.worker import wire

__all__ = ["Cancelled", "Limits", "Outcome", "Sandbox", "SandboxError"]

TIERS = ("bwrap", "static", "plain", "rlimits")
CANCEL = b"\n"  # between a request and its answer; where it comes late, JSON begins with a blank
PATIENCE = 180  # seconds beyond a run's own limit until the server counts as hanging


class SandboxError(Exception):
    """The sandbox itself failed. Says nothing about the submission, and is never a score."""


class Cancelled(SandboxError):
    """The run was ended by `Sandbox.cancel`."""


class _Gone(Exception):
    """The server died or does not answer."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits of one run.

    Attributes:
        seconds: of processor, all threads together, so that a busy machine costs nobody a point.
        memory_mb: memory beyond what torch and the inputs take.
        log_bytes: printed text that is kept.
        result_bytes: all results together.
        threads: threads at a time.
        files: open files.
        patience: seconds of processor that one case takes without being stopped. Where one is, it
            and those behind it fail with an error of the kind "timeout", and the next module
            begins: no protection, for the code can catch that. None: cases are not stopped.
        patient: seconds on the wall for each of processor, for what waits and does not compute.
    """

    seconds: float = 10.0
    memory_mb: int = 1024
    log_bytes: int = 65_536
    result_bytes: int = 64 * 2**20
    threads: int = 32
    files: int = 64
    patience: float | None = None
    patient: float = 6

    @property
    def wall(self) -> float:
        """Seconds on the wall, for what waits and does not compute: far more than `seconds`."""
        return self.patient * self.seconds


class Sandbox:
    """Runs submissions, one at a time; make several to run several. Close it, or use ``with``.

    The server starts in the background. It ends with the thread that started it, and a new
    one is started when it is gone.

    Args:
        tier: the only tier to accept; by default the best that works here.
        limits: what a run may use when it is given no limits of its own.
        strict: whether to refuse the tier ``rlimits``, which hides no files from a submission.
        without: installed packages that submissions may neither import nor read.

    Raises:
        SandboxError: this system has no ``fork``, or no tier that is not refused.
        ValueError: no such tier.
    """

    def __init__(
        self,
        *,
        tier: str | None = None,
        limits: Limits | None = None,
        strict: bool = False,
        without: Sequence[str] = (),
    ):
        if not hasattr(os, "fork"):
            raise SandboxError("running submissions needs Linux, macOS, or WSL on Windows")
        if tier not in (None, *TIERS):
            raise ValueError(f"tier is {tier!r}, expected one of {', '.join(TIERS)}")
        self.limits = limits or Limits()
        self._wanted, self._without = tier, tuple(without)
        self._ladder = [tier] if tier else _ladder()
        if strict:
            self._ladder = [one for one in self._ladder if one != "rlimits"]
        if not self._ladder:
            raise SandboxError("no tier here keeps files from a submission")
        self._failures: list[str] = []
        self._lock = threading.Lock()
        self._owner = os.getpid()
        self._server: _Server | None = _Server(self._ladder[0], self._without)

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    @property
    def tier(self) -> str:
        """Tier that holds: "bwrap", "static", "plain" or "rlimits". Waits for the server."""
        with self._lock:
            return self._ready().hello["tier"]

    @property
    def missing(self) -> list[str]:
        """Protections that do not hold here, one sentence each."""
        with self._lock:
            return self._failures + self._ready().hello["missing"]

    def run(
        self,
        source: str,
        symbol: str,
        calls: list[dict],
        *,
        filename: str,
        forbidden: Sequence[str] = (),
        modules: Mapping[str, str] | None = None,
        limits: Limits | None = None,
        code: bytes = b"",
    ) -> Outcome:
        """Run ``symbol`` of the module ``source`` on every call (see `probes.py` of the worker).

        Args:
            source: Python text.
            symbol: name of the function or class.
            calls: plain values and arrays, one dict per case.
            filename: what tracebacks call the source; the module is named after it.
            forbidden: functions of torch whose operators are gone.
            modules: what the source may import beside what is installed: texts by name, each
                after those that it imports.
            limits: in place of the sandbox's own.
            code: the source as this Python compiles it under the same file name, marshaled, if
                that has been done already; it runs in the place of the source.

        Raises:
            SandboxError: the sandbox failed, whatever the submission is worth.
        """
        return self.run_all(
            [source],
            symbol,
            calls,
            filename=filename,
            forbidden=forbidden,
            modules=modules,
            limits=limits,
            code=code,
        )

    def run_all(
        self,
        sources: list[str],
        symbol: str,
        calls: list[dict],
        *,
        filename: str,
        forbidden: Sequence[str] = (),
        modules: Mapping[str, str] | None = None,
        limits: Limits | None = None,
        code: bytes = b"",
    ) -> Outcome:
        """Run several modules one after the other in one process, within the limits of one run.

        What one of them leaves behind the next one sees: this is for an author's own answers,
        where thousands are run (`grader.author.bench`), and never for submissions.

        Returns:
            One outcome, whose cases are those of the first module, then of the second, and so on.
        """
        limits = limits or self.limits
        task = wire.dumps(
            {
                "sources": [_utf8(source) for source in sources],
                "code": np.frombuffer(code, np.uint8) if code else None,
                "symbol": symbol,
                # whether an error is due is nothing that the code may find out
                "calls": [{key: one for key, one in c.items() if key != "raises"} for c in calls],
                "filename": _utf8(filename),
                "forbidden": [*forbidden],
                "modules": {n: _compiled(n, t) for n, t in self.provided(modules or {}).items()},
                "memory_mb": limits.memory_mb,
            }
        )
        ahead = {
            "forbidden": [*forbidden],
            "dynamo": any(map(_needs_dynamo, calls)),
            "elsewhere": any(call["probe"] == "elsewhere" for call in calls),
        }
        asked = len(sources) * len(calls)
        with self._lock:
            for _ in range(2):  # a server that died is replaced once
                try:
                    outcome = _run(self._ready(), task, asked, limits, ahead)
                    break
                except _Gone:
                    self._stop()
                except SandboxError:
                    raise
                except BaseException:  # Ctrl-C: an answer is still on its way
                    self._stop()
                    raise
            else:
                raise SandboxError("the sandbox's server died twice in a row")
        outcome.cases = [*map(witness.seen, cycle(calls), outcome.cases)]
        return outcome

    def provided(self, modules: Mapping[str, str]) -> Mapping[str, str]:
        """The modules that the code finds, where these are asked for; here all of them as given."""
        return modules

    def cancel(self) -> None:
        """End the run that goes on, if one does; any thread may call this.

        That run raises `Cancelled`. The server stays, and runs the next one.
        """
        if server := self._server:
            with server.turn:
                if server.asked:
                    with contextlib.suppress(OSError):
                        server.sock.send(CANCEL)

    def close(self) -> None:
        """End the server and everything that it started."""
        self._stop()
        self._ladder = []

    def _stop(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None

    def _ready(self) -> _Server:
        """The server, started and greeted; that of the next tier where one does not work."""
        if os.getpid() != self._owner:
            raise SandboxError("a Sandbox belongs to the process that made it; make one there")
        while self._ladder:
            try:
                self._server = self._server or _Server(self._ladder[0], self._without)
                tier = self._server.greet()
                if self._wanted not in (None, tier):
                    raise SandboxError(f"{tier} is what holds here")
                self._ladder = [tier]  # a server that dies is replaced by its like
                return self._server
            except SandboxError as error:
                self._stop()
                self._failures.append(f"The tier {self._ladder.pop(0)} does not work: {error}.")
            except BaseException:
                self._stop()
                raise
        raise SandboxError(" ".join(self._failures) or "the sandbox is closed")


@lru_cache(maxsize=256)  # a class asks for the same ones again and again
def _compiled(name: str, text: str) -> np.ndarray:
    """A module that the code may import, marshaled: the server runs the same Python."""
    return np.frombuffer(marshal.dumps(compile(text, f"<{name}>", "exec")), np.uint8)


def _utf8(text: str) -> str:
    """Without lone surrogates, which sources can hold, and names of files."""
    return text.encode("utf-8", "replace").decode()


def _ladder() -> list[str]:
    if sys.platform != "linux":
        return ["rlimits"]
    return ["bwrap", "plain", "rlimits"] if shutil.which("bwrap") else ["plain", "rlimits"]


class _Server:
    """A server process and the socket to it."""

    def __init__(self, tier: str, without: Sequence[str]):
        self.hello: dict = {}  # until it has said so
        self.turn, self.asked = threading.Lock(), False  # whether it owes an answer
        self.sock, theirs = socket.socketpair()
        self.sock.settimeout(PATIENCE)
        self.stderr = tempfile.TemporaryFile()  # noqa: SIM115 - closed in `close`
        hidden, wrapped = walls.places(without), tier in ("bwrap", "static")
        readable = walls.readable_paths(() if wrapped else hidden)  # bubblewrap empties them
        config = {
            "socket": theirs.fileno(),
            "owner": os.getpid(),
            "tier": tier,
            "imports": [*map(str, walls.import_paths())],
            "readable": [*map(str, readable), *walls.DEVICES],
        }
        command = walls.bubblewrap_command(hidden) if wrapped else []
        try:
            self.process = subprocess.Popen(
                [*command, *walls.python_command(), json.dumps(config)],
                env=walls.environment(),
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=self.stderr,
                stderr=self.stderr,
                cwd="/",
                start_new_session=True,  # a Ctrl-C in the terminal reaches the grader alone
            )
        except OSError as error:
            raise SandboxError(f"its server did not start ({error})") from None
        finally:
            theirs.close()
        interrupt.tidying.add(self.abandon)

    def greet(self) -> str:
        """Wait until the server is ready; its tier."""
        try:
            self.hello = self.hello or self.hear()
        except _Gone:
            self.stderr.seek(0)
            said = self.stderr.read().decode(errors="replace").strip().splitlines()
            raise SandboxError(said[-1] if said else "its server did not start") from None
        interrupt.tidying.discard(self.abandon)
        if "refused" in self.hello:
            raise SandboxError(self.hello["refused"])
        return self.hello["tier"]

    def hear(self) -> dict:
        """The next line."""
        line = b""
        while not line.endswith(b"\n"):
            try:
                part = self.sock.recv(65536)
            except OSError:  # reset, or too long in coming
                part = b""
            if not part:
                raise _Gone
            line += part
        return json.loads(line)

    def close(self) -> None:
        """The server ends when its socket closes; it is killed while it is still starting."""
        self.sock.close()
        self.abandon()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self._kill()
            self.process.wait()
        interrupt.tidying.discard(self.abandon)
        self.stderr.close()

    def abandon(self) -> None:
        """Do not let it go on starting. One that has started ends when its socket closes."""
        if not self.hello:
            self._kill()

    def _kill(self) -> None:
        """Its whole group: a child that bubblewrap has only just forked would wait for ever."""
        if self.process.returncode is None:  # not waited for: the group's number is still its own
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)


def _needs_dynamo(call: dict) -> bool:
    """Will torch load its compiler: for an optimizer, to count, and to compute on "meta"?"""
    given = [*call["args"].values(), *(call.get("init") or {}).values()]
    if call["probe"] in ("optimizer", "elsewhere", "once") or call.get("counted"):
        return True
    return "meta" in [one for one in given if isinstance(one, str)]


def _run(server: _Server, task: bytes, asked: int, limits: Limits, ahead: dict) -> Outcome:
    """Hand the task over with a region for results and a pipe for the log, and wait.

    Args:
        server: that runs it.
        task: for the submission's process alone.
        asked: how many results are due.
        limits: of the run.
        ahead: what the server gets ready before it forks.
    """
    with _unnamed_file() as given, _unnamed_file(limits.result_bytes + 1) as region:
        given.write(task)
        given.seek(0)
        log_fd, their_log = os.pipe()
        with open(log_fd, "rb", buffering=0) as log:
            # The bytes, the arrays in them, and the copies that the probes make are not its own.
            more = {"task_bytes": 10 * len(task), "wall": limits.wall, "ahead": ahead}
            request = json.dumps({**asdict(limits), **more}).encode()
            try:
                socket.send_fds(
                    server.sock, [request], [given.fileno(), region.fileno(), their_log]
                )
            except OSError:
                raise _Gone from None
            finally:
                os.close(their_log)
            server.asked = True
            reply, text, size = _listen(server, log, limits)
        cases, unreadable = read_cases(region.fileno(), asked=asked, size=limits.result_bytes)
        loaded = os.pread(region.fileno(), 1, limits.result_bytes) == b"\1"
    if reply.get("timeout") == "cancelled":
        raise Cancelled("the run was cancelled")
    if "failed" in reply:
        raise SandboxError(f"a submission's process could not be set up: {reply['failed']}")
    if unreadable:
        status, detail = "invalid", unreadable
    elif len(cases) == asked:
        status, detail = "ok", ""
    else:
        status, detail = reason(
            reply,
            seconds=limits.seconds,
            wall=limits.wall,
            memory_mb=limits.memory_mb,
            log=text,
        )
    said = printed(text, size)
    return Outcome(status, detail, cases, said, reply["seconds"], loaded, reply["processor"])


def _unnamed_file(size: int | None = None):
    """A file in memory, or on disk where there is no such thing; of fixed size if one is given."""
    if not hasattr(os, "memfd_create"):
        return tempfile.TemporaryFile(buffering=0)
    import fcntl  # here, so that this module can be imported on Windows

    memory = os.memfd_create("grade", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    file = open(memory, "w+b", buffering=0)  # noqa: SIM115 - the caller closes it
    if size is not None:
        file.truncate(size)
        seals = fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL
        fcntl.fcntl(file, fcntl.F_ADD_SEALS, seals)
    return file


def _listen(server: _Server, log, limits: Limits) -> tuple[dict, bytes, int]:
    """The server's answer, and meanwhile the log: its beginning, and its whole size."""
    os.set_blocking(log.fileno(), False)
    text, size = b"", 0

    def drain() -> bool:
        """Read what is there; is there more to come?"""
        nonlocal text, size
        while part := log.read(65536):
            size += len(part)
            text += part[: limits.log_bytes - len(text)]
        return part is None

    deadline = time.monotonic() + limits.wall + PATIENCE
    with selectors.DefaultSelector() as selector:
        selector.register(log, selectors.EVENT_READ)
        selector.register(server.sock, selectors.EVENT_READ)
        answered = False
        while not answered:
            events = selector.select(max(0, deadline - time.monotonic()))
            if not events:
                raise _Gone
            for key, _ in events:
                if key.fileobj is server.sock:
                    answered = True
                elif not drain():
                    selector.unregister(log)
    reply = server.hear()
    with server.turn:
        server.asked = False
    drain()
    return reply, text, size
