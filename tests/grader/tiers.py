"""Say what this machine lacks for each tier of the sandbox, without the sandbox itself.

Where a tier could work and does not, its tests fail; where the machine lacks something for it,
they are skipped and say what.
"""

from __future__ import annotations

import ctypes
import platform
import shutil
import subprocess
import sys
from functools import cache

import pytest

from grader.enclose.sandbox import Sandbox
from grader.enclose.worker import confine

WALLED = ("bwrap", "static", "plain")  # those that are a security boundary
BWRAP = ["bwrap", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--cap-drop", "ALL"]
BWRAP += ["--ro-bind", "/", "/", "--proc", "/proc", "--"]
NESTED = ["unshare", "--user", "--pid", "--ipc", "--fork"]


@cache
def lacking(tier: str) -> str:
    """Say what a tier needs and this machine lacks, with the remedy; empty where it has all."""
    if tier == "rlimits":
        return ""
    if tier == "plain":
        return no_seccomp() or no_landlock()
    return no_seccomp() or no_bubblewrap() or (no_namespaces() if tier == "bwrap" else "")


def no_seccomp() -> str:
    if sys.platform == "linux" and platform.machine() in confine.MACHINES:
        return ""
    return f"the sandbox has no walls on this system (Linux on {' or '.join(confine.MACHINES)})"


def landlock() -> int:
    """The kernel's version of it; 1 came with Linux 5.13, 6 with 6.12."""
    return ctypes.CDLL(None).syscall(confine.SYS_LANDLOCK, None, 0, 1)


def no_landlock() -> str:
    if landlock() > 0:
        return ""
    return "Landlock does not work here (Linux 5.13 or later with landlock in its lsm= list)"


def no_bubblewrap() -> str:
    if not shutil.which("bwrap"):
        return "bubblewrap is not installed (Debian, Ubuntu, Fedora: package bubblewrap)"
    done = subprocess.run([*BWRAP, "true"], capture_output=True, text=True)
    if done.returncode == 0:
        return ""
    return f"bubblewrap fails: {done.stderr.strip()} (a system that allows user namespaces)"


def no_namespaces() -> str:
    if subprocess.run([*BWRAP, *NESTED, "true"], capture_output=True).returncode == 0:
        return ""
    return "no namespaces inside bubblewrap (a system that allows user namespaces to everybody)"


def require(missing: str) -> None:
    if missing:
        pytest.skip(missing)


def opened(tier: str, **options) -> Sandbox:
    """A sandbox that serves, for the caller to close; where its tier cannot work, the test ends."""
    require(lacking(tier))
    box = Sandbox(tier=tier, **options)
    assert box.tier == tier  # waits for the server
    return box
