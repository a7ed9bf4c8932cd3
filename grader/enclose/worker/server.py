"""The fork server: holds torch, and gives each submission a process of its own.

Started by grader/enclose/sandbox.py with its settings as JSON in the first argument. It runs no
student code and knows no expected value. A request is a line of JSON with three file descriptors
(the task, the region for results, the log); the answer is a line of JSON on how the process ended.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import itertools
import json
import os
import re
import select
import signal
import socket
import sys
import time

import confine
from child import LINUX, become_student, size

SETUP_SECONDS = 120  # from the fork to the first line of student code
IDLE = 0.005  # share of a core; what takes less waits for something
MANY = 30  # submissions, after which it pays to make the next forks cheaper
GLANCE = 0.01  # seconds between two looks at a submission's clock, at least
READY = re.compile(r"ready (\d+)")  # nanoseconds of processor that its set-up took

MISSING = {
    "static": "Submissions have no namespaces of their own beside those of their server.",
    "plain": "Submissions run without bubblewrap: Landlock alone hides files from them.",
    "rlimits": "This is not a security boundary: submissions can read and write files, use the "
    "network and start processes.",
}


class CannotServe(Exception):
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
    except CannotServe as refusal:
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
        # A closed socket ends us; this is for when a forked copy of the grader holds it open.
        confine.prctl(confine.PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() not in (0, config["owner"]):  # 0: bubblewrap, which looks after itself
            raise CannotServe("the grader is gone")
        confine.prctl(confine.PR_SET_CHILD_SUBREAPER, 1)  # orphans come to us, see `sweep`
    else:
        missing.append("Memory, processes and leftover daemons are not limited on this system.")
    if config["tier"] == "rlimits":
        return missing

    config["size"] = open("/proc/self/statm")  # noqa: SIM115 - out of reach after Landlock
    config["maps"] = open("/proc/self/maps")  # noqa: SIM115
    preload()
    confine.filters()  # every fork has what is made here
    if len(os.listdir("/proc/self/task")) > 1:
        raise CannotServe("importing torch started threads, which a fork would lose")
    try:
        confine.landlock(config["readable"])
    except OSError as error:
        if config["tier"] == "plain":
            raise CannotServe(f"Landlock does not work here ({error})") from None
        missing.append(f"Landlock does not work here ({error}); bubblewrap alone hides files.")
    if importable("solutions"):
        raise CannotServe("submissions could import the solutions")
    if config["tier"] == "bwrap" and not namespaces_work():
        config["tier"] = "static"
        missing.append(MISSING["static"])
    return missing


def preload() -> None:
    """Import torch and the student's side of this folder, so that every fork has them."""
    gc.disable()  # what an import makes stays; looking at it again and again takes an eighth of it
    import execution

    execution.torch.set_num_threads(1)
    execution.absent.prepare()
    execution.reseed()
    execution.torch.ones(1).half()  # on older processors this reads /proc/cpuinfo, once
    add = {"args": {"x": execution.np.ones(2)}, "grad": [], "before": True}
    execution.probes.PROBES["function"](lambda x: x + x, add)  # loads what comes lazily
    execution.probes.WATCH.names()  # torch makes a table of all its functions
    # No backward: after one, reentrant backward (checkpointing) crashes in a fork.
    if execution.torch.cuda.is_initialized():
        raise CannotServe("CUDA is initialized; a fork cannot use it")
    gc.collect()
    execution.probes.note_codes()
    gc.freeze()  # else a student's gc.collect() would copy every page of the server
    gc.enable()


def importable(name: str) -> bool:
    try:
        importlib.import_module(name)
    except (ImportError, OSError):
        return False
    return True


def namespaces_work() -> bool:
    """Try it in a child that ends at once."""
    try:
        child = confine.fork_apart()
    except OSError:
        return False
    if child == 0:
        os._exit(0)
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
    for count in itertools.count():
        if count == MANY and "maps" in config:
            confine.collapse(config["maps"])
        request, fds, _, _ = socket.recv_fds(sock, 32768, 3)
        if not request:
            return
        if not request.strip():  # a run was cancelled that had just ended
            continue
        limits = json.loads(request)
        get_ready(**limits.pop("ahead"))
        answer = run(limits, fds, config, [wake, sock])
        for fd in fds:
            os.close(fd)
        say(sock, answer)
        del answer  # the next submission has all that we hold, and how another ended is not its own


def get_ready(forbidden: list[str], dynamo: bool, elsewhere: bool) -> None:
    """Do what takes long, and is the same for many submissions, once and before the fork."""
    if "execution" not in sys.modules:  # there is no torch here
        return
    from execution import absent, probes

    if dynamo and "torch._dynamo" not in sys.modules:  # one second
        importlib.import_module("torch._dynamo")
        absent.forget()
        probes.note_codes()
    before = absent.kept()
    absent.planned(tuple(forbidden))
    if elsewhere and any(map(absent.AUTOGRAD.match, forbidden)):
        absent.look_up()
    if absent.kept() > before:
        gc.freeze()


def run(limits: dict, fds: list[int], config: dict, watched: list) -> dict:
    """Fork, wait for the end, and let nothing outlive it."""
    ready, says_ready = os.pipe()
    if "size" in config:
        limits["size"] = size(config["size"])
    try:
        child = confine.fork_apart() if config["tier"] == "bwrap" else os.fork()
    except OSError as error:
        os.close(ready)
        os.close(says_ready)
        return {"failed": str(error)}
    if child == 0:
        become_student(limits, fds, says_ready, config)
    os.close(says_ready)
    status, late, took, spent = None, "", None, 0
    try:
        said = read_all(ready, SETUP_SECONDS)
        if ready_at := READY.fullmatch(said):
            said, spent = "ready", int(ready_at[1]) / 1e9
        started = time.monotonic()
        if said == "ready":
            status, late, took = wait(child, processor(child), limits, watched)
    finally:
        sweep(child if status is None else -1)
        os.close(ready)
    if said != "ready":
        return {"failed": said or "it ended during its set-up"}
    seconds = time.monotonic() - started
    return {
        "timeout": late,
        "exit": os.WEXITSTATUS(status) if status is not None and os.WIFEXITED(status) else None,
        "signal": os.WTERMSIG(status) if status is not None and os.WIFSIGNALED(status) else None,
        "seconds": seconds,
        "processor": seconds if took is None else max(0.0, took - spent),
    }


def read_all(fd: int, seconds: float) -> str:
    """Read a pipe until its other end is closed."""
    deadline, said = time.monotonic() + seconds, b""
    while select.select([fd], [], [], max(0, deadline - time.monotonic()))[0]:
        part = os.read(fd, 4096)
        if not part:
            return said.decode(errors="replace")
        said += part
    return "its set-up took too long"


def processor(pid: int):
    """The clock of a process: seconds of processor that all its threads have taken. Of a
    submission that is all there is, for it can start no process.

    Returns:
        A function, which gives None where no such clock is to be had.
    """

    def read() -> float | None:
        try:
            return time.clock_gettime((~pid << 3) | 2)  # as `clock_getcpuclockid` has it
        except (AttributeError, OSError, OverflowError):
            return None

    return read if LINUX else lambda: None


def wait(child: int, clock, limits: dict, watched: list) -> tuple[int | None, str, float | None]:
    """The child's exit status; or None and what ran out, its "processor" time or the "wall" time,
    which is there for those that do not compute, or "cancelled". Last the seconds of processor that
    it has taken since the fork; None where the system does not say.
    """
    wake, sock = watched
    cores = os.cpu_count() or 1
    begun, deadline = clock(), time.monotonic() + limits["wall"]
    seen, looked = begun, time.monotonic()
    if begun is None:  # then the time on the wall has to do
        deadline = time.monotonic() + limits["seconds"]
    while True:
        done, status, used = os.wait4(child, os.WNOHANG)
        if done:
            return status, "", used.ru_utime + used.ru_stime
        left = deadline - time.monotonic()
        if left <= 0:
            return None, "processor" if begun is None else "wall", clock()
        if begun is not None and (now := clock()) is not None:
            own = limits["seconds"] - (now - begun)
            if own <= 0:
                return None, "processor", now
            left = min(left, max(own / cores, GLANCE))
            passed = time.monotonic() - looked
            if passed >= limits["seconds"]:  # a busy machine leaves more than that to everyone
                if now - seen < IDLE * passed:
                    return None, "wall", now
                seen, looked = now, time.monotonic()
            left = min(left, limits["seconds"])
        events, _, _ = select.select(watched, [], [], left)
        if sock in events:
            if not sock.recv(1):
                raise GraderGone  # it closed its end
            return None, "cancelled", clock()  # it asks nothing else before we have answered
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


if __name__ == "__main__":
    main()
    os._exit(0)  # the interpreter's own clean-up would take as long as a submission
