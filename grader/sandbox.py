"""Run a student's code where it can do nothing but compute, and bring back what it returns.

This is the trusted side. It starts the fork server (grader/worker/server.py), hands it one
submission at a time, and reads the results when every process of the submission is dead. What
it reads is checked for its form here; whether it is right is judged elsewhere.

Tiers, by what the system allows (`Sandbox.missing` says what does not hold):

- ``bwrap``: bubblewrap around the server (own files, no network), namespaces, Landlock and
  seccomp around each submission.
- ``static``: the same without namespaces for each submission.
- ``plain``: Landlock and seccomp.
- ``rlimits``: resource limits in a cold process, as on macOS. Not a security boundary.
"""

from __future__ import annotations

import contextlib
import fcntl
import importlib.util
import json
import os
import re
import selectors
import shutil
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

WORKER = Path(__file__).resolve().parent / "worker"
ROOT = WORKER.parents[1]
TIERS = ("bwrap", "static", "plain", "rlimits")
LONGEST = 2000  # characters of any one thing that a submission says about itself
STRUCTURE_BYTES = 4 * 2**20  # JSON in all results together; the arrays travel beside it
PATIENCE = 180  # seconds beyond a run's own limit until the server counts as hanging


class SandboxError(Exception):
    """The sandbox itself failed. Says nothing about the submission, and is never a score."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What one run may use.

    Attributes:
        seconds: wall time.
        memory_mb: memory beyond what torch and the inputs take.
        log_bytes: printed text that is kept.
        result_bytes: all results together.
        threads: threads at a time.
        files: open files.
    """

    seconds: float = 10.0
    memory_mb: int = 1024
    log_bytes: int = 65_536
    result_bytes: int = 64 * 2**20
    threads: int = 32
    files: int = 64


@dataclass
class Outcome:
    """What came back from a run. The cases and the log are the submission's own word.

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
    """Runs submissions one at a time. Use it in a ``with`` block; make several to run several.

    Args:
        tier: the only tier to accept; by default the best that works here.
        limits: what a run may use unless it is given limits of its own.
    """

    def __init__(self, *, tier: str | None = None, limits: Limits | None = None):
        if not hasattr(os, "fork"):
            raise SandboxError("running submissions needs Linux, macOS, or WSL on Windows")
        if tier not in (None, *TIERS):
            raise ValueError(f"tier is {tier!r}, expected one of {', '.join(TIERS)}")
        self.limits = limits or Limits()
        self._wanted = tier
        self._tiers = [tier] if tier else _ladder()
        self._failures: list[str] = []
        self._lock = threading.Lock()
        self._owner = os.getpid()
        self._server: _Server | None = _Server(self._tiers[0])  # imports while we go on

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    @property
    def tier(self) -> str:
        """What holds: "bwrap", "static", "plain" or "rlimits". Waits for the server."""
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
        limits: Limits | None = None,
    ) -> Outcome:
        """Run ``symbol`` of the module ``source`` on every call (see grader/worker/probes.py).

        Args:
            source: Python text.
            symbol: name of the function or class.
            calls: plain values and arrays, one dict per case.
            filename: what tracebacks call the source; the module is named after it.
            limits: in place of the sandbox's own.

        Raises:
            SandboxError: the sandbox failed, whatever the submission is worth.
        """
        limits = limits or self.limits
        task = codec.dumps(
            {
                "source": source.encode("utf-8", "replace").decode(),  # lone surrogates
                "symbol": symbol,
                "calls": calls,
                "filename": filename,
                "memory_mb": limits.memory_mb,
            }
        )
        with self._lock:
            for _ in range(2):  # a server that died is replaced once
                try:
                    return _run(self._ready(), task, len(calls), limits)
                except _Gone:
                    self._stop()
                except SandboxError:
                    raise
                except BaseException:  # Ctrl-C: an answer is still on its way
                    self._stop()
                    raise
        raise SandboxError("the sandbox's server died twice in a row")

    def close(self) -> None:
        """End the server and everything that it started."""
        self._stop()
        self._tiers = []

    def _stop(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None

    def _ready(self) -> _Server:
        """The server, started and greeted; the next tier's where this one does not work."""
        if os.getpid() != self._owner:
            raise SandboxError("a Sandbox belongs to the process that made it; make one there")
        while self._tiers:
            self._server = self._server or _Server(self._tiers[0])
            try:
                tier = self._server.greet()
                if self._wanted not in (None, tier):
                    raise SandboxError(f"{tier} is all that holds here")
                self._tiers = [tier]  # a server that died is replaced by its like
                return self._server
            except SandboxError as error:
                self._stop()
                self._failures.append(f"The tier {self._tiers.pop(0)} does not work: {error}.")
            except BaseException:
                self._stop()
                raise
        raise SandboxError(" ".join(self._failures) or "the sandbox is closed")


# ------------------------------------------------------------------------------------ one server


class _Gone(Exception):
    """The server died or does not answer."""


class _Server:
    """A server process and the socket to it."""

    def __init__(self, tier: str):
        self.hello: dict | None = None
        self.sock, theirs = socket.socketpair()
        self.stderr = tempfile.TemporaryFile()  # noqa: SIM115 - closed in `close`
        # Neither -I nor -P: the environment is ours, and the first entry of sys.path is the
        # folder of server.py. -S keeps .pth files out, which make `solutions` importable.
        python = [os.path.realpath(sys.executable), "-s", "-S", str(WORKER / "server.py")]
        readable = readable_paths()
        config = {
            "socket": theirs.fileno(),
            "owner": os.getpid(),
            "tier": tier,
            "imports": [*map(str, import_paths())],
            "readable": [*map(str, readable), *DEVICES],
        }
        wrapper = _bubblewrap(readable) if tier in ("bwrap", "static") else []
        try:
            self.process = subprocess.Popen(
                [*wrapper, *python, json.dumps(config)],
                env=ENVIRONMENT,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=self.stderr,
                stderr=self.stderr,
                cwd="/",
                start_new_session=True,  # a Ctrl-C in the terminal reaches the grader alone
            )
        finally:
            theirs.close()

    def greet(self) -> str:
        """Wait until the server is ready; its tier."""
        try:
            self.sock.settimeout(PATIENCE)
            self.hello = self.hello or json.loads(self.hear())
        except (_Gone, TimeoutError):
            self.stderr.seek(0)
            said = self.stderr.read().decode(errors="replace").strip().splitlines()
            raise SandboxError(said[-1] if said else "its server did not start") from None
        if "refused" in self.hello:
            raise SandboxError(self.hello["refused"])
        return self.hello["tier"]

    def hear(self) -> bytes:
        """The next line."""
        line = b""
        while not line.endswith(b"\n"):
            try:
                part = self.sock.recv(65536)
            except ConnectionResetError:
                part = b""
            if not part:
                raise _Gone
            line += part
        return line

    def close(self) -> None:
        """The server ends when its socket closes; it is killed if it is busy starting."""
        self.sock.close()
        if self.hello is None:
            self.process.kill()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.stderr.close()


ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "HOME": "/nonexistent",
    "USER": "nobody",
    "OMP_NUM_THREADS": "1",  # more would start threads, and a fork loses them
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",  # else each thread reserves memory that counts
    "CUDA_VISIBLE_DEVICES": "",
    "MPLBACKEND": "Agg",
    "MPLCONFIGDIR": "/tmp",  # not writable; it must look so for matplotlib to be importable
    "TORCHINDUCTOR_CACHE_DIR": "/tmp",
    "PYTHONHASHSEED": "0",  # a set has the same order in every run
    "PYTHONDONTWRITEBYTECODE": "1",
}


def _ladder() -> list[str]:
    if sys.platform != "linux":
        return ["rlimits"]
    return ["bwrap", "plain", "rlimits"] if shutil.which("bwrap") else ["plain", "rlimits"]


# ------------------------------------------------------------------------- what can be read there

SYSTEM = ("/usr", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache")
DEVICES = ("/dev/null", "/dev/random", "/dev/urandom", "/dev/zero")
OURS = ("book", "grader", "solutions")


def import_paths() -> list[Path]:
    """The folders that hold what a submission may import."""
    found: dict[Path, None] = {}
    for name in ("torch", "numpy", "safetensors"):
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            raise SandboxError(f"{name} is not installed for {sys.executable}")
        found[Path(spec.origin).resolve().parents[1]] = None
    return list(found)


def readable_paths() -> list[Path]:
    """Everything a submission may read: the system, the interpreter, and packages but ours.

    A folder that holds something to hide is replaced by what else is in it, because both
    bubblewrap and Landlock are told what to show.
    """
    imports = import_paths()
    ours = [folder / name for folder in imports for name in OURS]
    secrets = {path for path in [*ours, Path("~").expanduser(), ROOT] if path.exists()} - set(
        imports
    )
    found: dict[Path, None] = {}

    def show(path: Path, hidden: set[Path]) -> None:
        if any(path in secret.parents for secret in hidden):
            for inner in sorted(path.iterdir()):
                inner = inner.resolve()  # a link must not lead around what is hidden
                if not hidden.intersection([inner, *inner.parents]):
                    show(inner, hidden)
        elif not found.keys() & {path, *path.parents}:
            found[path] = None

    executable = os.path.realpath(sys.executable)
    for root in map(Path, [*SYSTEM, sys.base_prefix, executable, *imports, WORKER]):
        if root.exists():
            root = root.resolve()
            show(root, secrets - {root, *root.parents})
    return list(found)


def _bubblewrap(readable: list[Path]) -> list[str]:
    """The command that starts another one in a file system of its own, without a network."""
    command = [
        shutil.which("bwrap") or "bwrap",
        "--die-with-parent",
        "--as-pid-1",
        "--cap-drop",
        "ALL",
    ]
    if os.getuid() == 0:  # to become nobody inside
        command += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    command += [f"--unshare-{what}" for what in ("pid", "net", "ipc", "uts", "cgroup-try")]
    command += ["--dir", "/dev", "--perms", "1777", "--size", "65536", "--tmpfs", "/tmp"]
    for path in readable:
        for parent in reversed(path.parents):  # made on the way, they would be root's alone
            command += ["--dir", str(parent)]
        command += ["--ro-bind", str(path), str(path)]
    for path in SYSTEM:
        if os.path.islink(path):
            command += ["--symlink", os.readlink(path), path]
    for device in DEVICES:
        command += ["--dev-bind", device, device]
    return [*command, "--proc", "/proc", "--remount-ro", "/", "--chdir", "/", "--"]


# ---------------------------------------------------------------------------------------- one run


def _run(server: _Server, task: bytes, asked: int, limits: Limits) -> Outcome:
    with _unnamed_file() as given, _unnamed_file() as region, contextlib.ExitStack() as stack:
        given.write(task)
        given.seek(0)
        region.truncate(limits.result_bytes)
        if hasattr(fcntl, "F_ADD_SEALS"):
            seals = fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL
            fcntl.fcntl(region, fcntl.F_ADD_SEALS, seals)
        log_fd, their_log = os.pipe()
        log = stack.enter_context(open(log_fd, "rb", buffering=0))
        try:
            request = json.dumps({**asdict(limits), "task_bytes": 3 * len(task)}).encode()
            fds = [given.fileno(), region.fileno(), their_log]
            socket.send_fds(server.sock, [request], fds)
        except OSError:
            raise _Gone from None
        finally:
            os.close(their_log)
        reply, text, size = _listen(server, log, limits)
        cases, unreadable = read_cases(region.fileno(), asked, limits.result_bytes)
    if "failed" in reply:
        raise SandboxError(f"a submission's process could not be set up: {reply['failed']}")
    if unreadable:
        status, detail = "invalid", unreadable
    elif len(cases) == asked:
        status, detail = "ok", ""
    else:
        status, detail = judge(reply, limits, text)
    log_text = clean(text.decode(errors="replace"))
    if size > len(text):
        log_text += f"\n[cut: {size:,} bytes were printed, the first {len(text):,} are shown]\n"
    return Outcome(status, detail, cases, log_text, reply["seconds"])


def _unnamed_file():
    if hasattr(os, "memfd_create"):
        return open(os.memfd_create("grade", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING), "w+b", 0)
    return tempfile.TemporaryFile(buffering=0)


def _listen(server: _Server, log, limits: Limits) -> tuple[dict, bytes, int]:
    """The server's answer, and meanwhile the log: its beginning, and its whole size."""
    os.set_blocking(log.fileno(), False)
    text, size = b"", 0

    def drain() -> bool:  # is there more to come?
        nonlocal text, size
        while part := log.read(65536):
            size += len(part)
            text += part[: limits.log_bytes - len(text)]
        return part is None

    deadline = time.monotonic() + limits.seconds + PATIENCE
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
    reply = json.loads(server.hear())
    drain()
    return reply, text, size


def judge(reply: dict, limits: Limits, log: bytes) -> tuple[str, str]:
    """Why a run ended before its last case."""
    number = reply["signal"]
    if reply["timeout"] or number == signal.SIGXCPU:
        return "timeout", f"it ran longer than {limits.seconds:g} s"
    if number == signal.SIGABRT and b"bad_alloc" in log:
        return "memory", f"it needed more than {limits.memory_mb} MB of memory"
    if number == signal.SIGKILL:
        return "memory", "it was killed by the system, most likely because memory ran out"
    if number is not None:
        name = signal.strsignal(number) or "unknown"
        return "died", f"it was killed by signal {number} ({name.lower()})"
    return "died", "the process ended itself (os._exit) before the check was over"


# ------------------------------------------------------------------- what comes back, not trusted

UNREADABLE = "its results are not readable: something else was written in their place"


def read_cases(fd: int, asked: int, size: int) -> tuple[list[dict], str]:
    """The documents in the region up to the first that is not one, and what is wrong if so."""
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
            cases.append(_case(codec.loads(data)))
        except ValueError:
            return cases, UNREADABLE
    return cases, ""


def _case(document: object) -> dict:
    """A case as in `Outcome`, with its words cleaned; ValueError when it is anything else."""
    match document:
        case {"values": dict() as values, "called": list() as called}:
            if all(isinstance(name, str) for name in called):
                return {"values": values, "called": [clean(name[:LONGEST]) for name in called]}
        case {"error": {"kind": str(), "type": str(), "message": str(), **rest} as error}:
            line, text = rest.get("line"), rest.get("text")
            if isinstance(line, int | None) and isinstance(text, str | None):
                words = {key: clean(error[key][:LONGEST]) for key in ("kind", "type", "message")}
                return {"error": {**words, "line": line, "text": text and clean(text[:LONGEST])}}
    raise ValueError("not a case")


def clean(text: str) -> str:
    """Without escape sequences and control characters, which could rewrite a terminal."""
    text = re.sub(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[@-Z\\-_])", "", text)
    return "".join(c for c in text if c in "\n\t" or unicodedata.category(c)[0] != "C")
