"""A submission's process, from the fork to its end."""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import math
import os
import signal
import sys
import time

import confine

LINUX = sys.platform == "linux"


def become_student(limits: dict, fds: list[int], ready: int, config: dict) -> None:
    """Give everything up, say so, run the task, and end. Never returns.

    Only what is written to ``ready`` can make a run the sandbox's own failure, and it is closed
    before the first line of student code.
    """
    try:
        execution, *prepared = set_up(limits, fds, ready, config)
        os.write(ready, b"ready %d" % time.process_time_ns())  # what all this has taken
    except BaseException as error:
        os.write(ready, f"{type(error).__name__}: {error}".encode()[:1000])
        os._exit(1)
    os.close(ready)
    out = sys.stdout
    with contextlib.suppress(BaseException):  # a closed region, for one
        execution.check(*prepared)
        out.flush()
    os._exit(0)


def set_up(limits: dict, fds: list[int], ready: int, config: dict):
    gc.disable()
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if LINUX and config["tier"] != "bwrap":
        confine.prctl(confine.PR_SET_PDEATHSIG, signal.SIGKILL)
    os.setsid()
    task_fd, region_fd, log = fds
    os.dup2(log, 1)
    os.dup2(log, 2)
    close_all_but(task_fd, region_fd, ready)
    sys.stdout, sys.stderr = text_stream(1), text_stream(2)
    faulthandler.enable()  # a crash says in which line

    import execution  # a fork of a server that holds torch has it already

    execution.torch.set_num_threads(1)
    set_limits(limits, config)
    if limits["patience"] is not None:
        execution.CLOCK.start(limits["patience"])  # later calls can set no timer
    if config["tier"] != "rlimits":
        confine.drop_capabilities()  # a new user namespace comes with all of them
        confine.seccomp()
    with open(task_fd, "rb") as file:
        task = execution.wire.loads(file.read())
    execution.prepare(task)
    gc.freeze()  # what is there before the student's code never has to be looked at again
    gc.enable()
    return execution, task, execution.Region(region_fd, limits["result_bytes"])


def set_limits(limits: dict, config: dict) -> None:
    """Resource limits; memory counts from what the process has now plus the task."""
    confine.limit("CORE", 0)
    confine.limit("NOFILE", limits["files"])
    confine.limit("FSIZE", limits["result_bytes"] + 1)
    confine.limit("CPU", math.ceil(time.process_time() + limits["seconds"] + 5))
    if not LINUX:
        return
    if "size" not in limits:
        with open("/proc/self/statm") as statm:
            limits["size"] = size(statm)
    confine.limit("AS", limits["size"] + limits["task_bytes"] + limits["memory_mb"] * 2**20)
    others = 0 if config["tier"] == "bwrap" else config["tasks"] + 256  # room for what comes
    confine.limit("NPROC", limits["threads"] + others)


def size(statm) -> int:
    """Bytes of address space of the process that opened this file."""
    statm.seek(0)
    return int(statm.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def close_all_but(*fds: int) -> None:
    kept = sorted({0, 1, 2, *fds})
    for low, high in zip(kept, [*kept[1:], 65536], strict=True):
        os.closerange(low + 1, high)


def text_stream(fd: int):
    return open(fd, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)
