"""The fork server: holds torch, and gives each submission a process of its own.

Started by grader/sandbox.py with its settings as JSON in the first argument. It runs no student
code and knows no expected value. A request is a line of JSON with three file descriptors (the
task, the region for results, the log); the answer is a line of JSON on how the process ended.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import importlib
import json
import math
import os
import select
import signal
import socket
import sys
import time

import confine

LINUX = sys.platform == "linux"
SETUP_SECONDS = 120  # from the fork to the first line of student code
USED_DYNAMO = 3  # exit status of a child that imported torch._dynamo
MISSING = {
    "static": "Submissions have no namespaces of their own beside those of their server.",
    "plain": "Submissions run without bubblewrap: Landlock alone hides files from them.",
    "rlimits": "This is not a security boundary: submissions can read and write files, use the "
    "network and start processes.",
}


class Refused(Exception):
    """This server must not serve. The message goes to the grader."""


class GraderGone(Exception):
    """Nobody waits for the answer any more."""


def main() -> None:
    config = json.loads(sys.argv[1])
    sock = socket.socket(fileno=config["socket"])
    sock.set_inheritable(False)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the grader, which then ends us
    try:
        missing = prepare(config)
        say(sock, {"tier": config["tier"], "missing": missing})
    except Refused as refusal:
        say(sock, {"refused": str(refusal)})
    else:
        with contextlib.suppress(GraderGone):
            serve(sock, config)


def say(sock: socket.socket, document: dict) -> None:
    sock.sendall(json.dumps(document).encode() + b"\n")


# ------------------------------------------------------------------------------- before serving


def prepare(config: dict) -> list[str]:
    """Import what students need, then give up the rest. Returns what could not be given up."""
    missing = [MISSING[config["tier"]]] if config["tier"] in MISSING else []
    sys.path += config["imports"]
    if LINUX:
        needed = [os.path.dirname(os.__file__), *config["imports"]]
        if os.getuid() == 0 and not confine.drop_root(needed):
            missing.append("Submissions run as root: others cannot read this Python interpreter.")
        config["tasks"] = tasks_of_user()
        confine.drop_capabilities()
        confine.prctl(confine.PR_SET_NO_NEW_PRIVS, 1)
        confine.prctl(confine.PR_SET_DUMPABLE, 0)  # nobody looks into our memory
        confine.prctl(confine.PR_SET_PDEATHSIG, signal.SIGKILL)
        confine.prctl(confine.PR_SET_CHILD_SUBREAPER, 1)  # orphans come to us, see `sweep`
    else:
        missing.append("Memory, processes and leftover daemons are not limited on this system.")
    if config["tier"] == "rlimits":
        return missing

    config["size"] = open("/proc/self/statm")  # noqa: SIM115 - out of reach after Landlock
    preload()
    if len(os.listdir("/proc/self/task")) > 1:
        raise Refused("importing torch started threads, which a fork would lose")
    try:
        confine.landlock(config["readable"])
    except OSError as error:
        if config["tier"] == "plain":
            raise Refused(f"Landlock does not work here ({error})") from None
        missing.append(f"Landlock does not work here ({error}); bubblewrap alone hides files.")
    if importable("solutions"):
        raise Refused("submissions could import the solutions")
    if config["tier"] == "bwrap" and not namespaces_work():
        config["tier"] = "static"
        missing.append(MISSING["static"])
    return missing


def preload() -> None:
    """Import torch and the student's side of this folder, so that every fork has them."""
    import student

    student.torch.set_num_threads(1)
    student.reseed()
    double = {"args": {"x": student.np.ones(2)}, "grad": ["x"]}
    student.probes.PROBES["function"](lambda x: x + x, double)  # what a first backward loads
    if student.torch.cuda.is_initialized():
        raise Refused("CUDA is initialized; a fork cannot use it")
    gc.collect()
    gc.freeze()  # else a student's gc.collect() would copy every page of the server


def importable(name: str) -> bool:
    try:
        importlib.import_module(name)
    except (ImportError, OSError):
        return False
    return True


def namespaces_work() -> bool:
    """Try it in a child that ends at once."""
    child = os.fork()
    if child == 0:
        try:
            confine.own_namespaces()
            _, status = os.waitpid(os.fork() or os._exit(0), 0)
            os._exit(status)
        except BaseException:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0


def tasks_of_user() -> int:
    """Processes and threads of this user: RLIMIT_NPROC counts them all."""
    count = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if os.stat(f"/proc/{pid}").st_uid == os.getuid():
                count += len(os.listdir(f"/proc/{pid}/task"))
    return count


# ------------------------------------------------------------------------------------- serving


def serve(sock: socket.socket, config: dict) -> None:
    """Answer requests until the grader closes its end."""
    wake, bell = os.pipe()
    os.set_blocking(bell, False)
    signal.set_wakeup_fd(bell, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)  # rings the bell
    while True:
        request, fds, _, _ = socket.recv_fds(sock, 4096, 3)
        if not request:
            return
        answer = run(json.loads(request), fds, config, [wake, sock])
        for fd in fds:
            os.close(fd)
        say(sock, answer)
        if answer.get("exit") == USED_DYNAMO and "torch._dynamo" not in sys.modules:
            importlib.import_module("torch._dynamo")  # optimizers load it, in one second
            gc.freeze()


def run(limits: dict, fds: list[int], config: dict, watched: list) -> dict:
    """Fork, wait for the end, and let nothing outlive it."""
    ready, says_ready = os.pipe()
    if "size" in config:
        limits["size"] = size(config["size"])
    child = os.fork()
    if child == 0:
        become_student(limits, fds, says_ready, config)
    os.close(says_ready)
    status = None
    try:
        said = read_all(ready, SETUP_SECONDS)
        started = time.monotonic()
        if said == "ready":
            if config["tier"] == "bwrap":  # the child has made one inside its namespaces
                os.waitpid(child, 0)
                child = -1
            status = wait(child, limits["seconds"], watched)
    finally:
        sweep(child if status is None else -1)
        os.close(ready)
    if said != "ready":
        return {"failed": said or "it ended during its set-up"}
    return {
        "timeout": status is None,
        "exit": os.WEXITSTATUS(status) if status is not None and os.WIFEXITED(status) else None,
        "signal": os.WTERMSIG(status) if status is not None and os.WIFSIGNALED(status) else None,
        "seconds": time.monotonic() - started,
    }


def size(statm) -> int:
    """Bytes of address space of the process that opened this file."""
    statm.seek(0)
    return int(statm.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def read_all(fd: int, seconds: float) -> str:
    """What comes through a pipe until its other end is closed."""
    deadline, said = time.monotonic() + seconds, b""
    while select.select([fd], [], [], max(0, deadline - time.monotonic()))[0]:
        part = os.read(fd, 4096)
        if not part:
            return said.decode(errors="replace")
        said += part
    return "its set-up took too long"


def wait(child: int, seconds: float, watched: list) -> int | None:
    """The child's exit status, or None when its time is up. Ends us when the grader is gone."""
    wake, sock = watched
    deadline = time.monotonic() + seconds
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status
        left = deadline - time.monotonic()
        if left <= 0:
            return None
        events, _, _ = select.select(watched, [], [], left)
        if sock in events:
            raise GraderGone  # it asks nothing before we have answered: it closed its end
        if wake in events:
            os.read(wake, 4096)


def sweep(child: int) -> None:
    """Kill the child (-1: it is dead already) and whatever else is left, until we are alone."""
    with contextlib.suppress(ProcessLookupError):
        if os.getpid() == 1:  # of our own namespace: everything in it but us
            os.kill(-1, signal.SIGKILL)
        elif child != -1:
            os.kill(child, signal.SIGKILL)
    while True:
        for orphan in children():
            os.kill(orphan, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def children() -> list[int]:
    """Our children, orphans of the submission among them; none where the system will not say."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children") as file:
            return [int(pid) for pid in file.read().split()]
    except OSError:
        return []


# ------------------------------------------------------------------------------------ the child


def become_student(limits: dict, fds: list[int], ready: int, config: dict) -> None:
    """Give everything up, say so, run the task, and end. Never returns."""
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        if config["tier"] == "bwrap":
            confine.own_namespaces()
            if os.fork():
                os._exit(0)
        elif LINUX and os.getpid() != 1:
            confine.prctl(confine.PR_SET_PDEATHSIG, signal.SIGKILL)
        os.setsid()
        task_fd, region_fd, log = fds
        os.dup2(log, 1)
        os.dup2(log, 2)
        close_all_but(task_fd, region_fd, ready)
        sys.stdout, sys.stderr = text_stream(1), text_stream(2)

        import student  # at hand already, unless this is a tier without a preloaded torch

        student.torch.set_num_threads(1)
        faulthandler.enable()  # a crash says in which line
        set_limits(limits, config)
        if config["tier"] != "rlimits":
            confine.drop_capabilities()  # a new user namespace comes with all of them
            confine.seccomp()
        with open(task_fd, "rb") as file:
            task = student.codec.loads(file.read())
        region = student.Region(region_fd, limits["result_bytes"])
        os.write(ready, b"ready")
    except BaseException as error:
        os.write(ready, f"{type(error).__name__}: {error}".encode()[:1000])
        os._exit(1)
    os.close(ready)
    had_dynamo, out = "torch._dynamo" in sys.modules, sys.stdout
    with contextlib.suppress(BaseException):  # a closed region, for one
        student.check(task, region.emit)
        out.flush()
    os._exit(USED_DYNAMO if "torch._dynamo" in sys.modules and not had_dynamo else 0)


def set_limits(limits: dict, config: dict) -> None:
    """Resource limits; memory counts from what the process has now plus the task."""
    confine.limit("CORE", 0)
    confine.limit("NOFILE", limits["files"])
    confine.limit("FSIZE", limits["result_bytes"])
    confine.limit("CPU", math.ceil(limits["seconds"] + 2) * (os.cpu_count() or 1))
    if not LINUX:
        return
    if "size" not in limits:
        with open("/proc/self/statm") as statm:
            limits["size"] = size(statm)
    confine.limit("AS", limits["size"] + limits["task_bytes"] + limits["memory_mb"] * 2**20)
    alone = config["tier"] == "bwrap"  # the only user of its namespace
    confine.limit("NPROC", limits["threads"] + (0 if alone else config["tasks"] + 256))


def close_all_but(*fds: int) -> None:
    kept = sorted({0, 1, 2, *fds})
    for low, high in zip(kept, [*kept[1:], os.sysconf("SC_OPEN_MAX")], strict=True):
        os.closerange(low + 1, high)


def text_stream(fd: int):
    return open(fd, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)


if __name__ == "__main__":
    main()
    os._exit(0)  # the interpreter's own clean-up would take as long as a submission
