"""Warm sandboxes for the tests that grade, and a way to be an ordinary user."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tiers import lacking

from grader.enclose.sandbox import Limits, Sandbox
from tests import lent

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session", autouse=True)
def lent_servers(servers):
    """To all of these tests."""


@pytest.fixture(scope="module")
def cold_servers():
    """For tests of the server itself: none is lent."""
    with lent.none():
        yield


@pytest.fixture(scope="session")
def sandbox(servers):
    with Sandbox(limits=Limits(seconds=60)) as warm:  # on a busy machine too
        yield warm


@pytest.fixture
def nobody() -> list[str]:
    """A command's prefix that makes it an ordinary user who can read what it needs."""
    if not shutil.which("setpriv"):
        pytest.skip("there is no setpriv to be another user with (package util-linux)")
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    nobody += ["--inh-caps=-all", "--bounding-set=-all"]
    needed = [sys.base_prefix, sys.prefix, str(ROOT)]
    readable = " && ".join(f"test -r {shlex.quote(path)}" for path in needed)
    if subprocess.run([*nobody, "sh", "-c", readable]).returncode == 0:
        return nobody
    view = ["bwrap", "--bind", "/", "/", "--dev-bind", "/dev", "/dev"]
    view += ["--perms", "0755", "--tmpfs", "/root"]  # show what is needed, and no more of it
    for path in needed:
        for parent in reversed(Path(path).parents):
            view += ["--dir", str(parent)]
        view += ["--ro-bind", path, path]
    if lacking("static") or subprocess.run([*view, *nobody, "sh", "-c", readable]).returncode:
        pytest.skip("other users cannot read this Python (one outside of /root, or bubblewrap)")
    return [*view, *nobody]


@pytest.fixture
def in_any_order():
    """Run code in two processes whose sets differ in order; return what both print alike."""

    def run(code: str) -> str:
        (said,) = {
            subprocess.run(
                [sys.executable, "-c", code],
                env={**os.environ, "PYTHONHASHSEED": seed},
                cwd=ROOT,
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            for seed in ("1", "2")
        }
        return said

    return run
