"""One warm sandbox for the tests that grade, and a way to be an ordinary user."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grader.sandbox import Sandbox


@pytest.fixture(scope="session")
def sandbox():
    with Sandbox() as warm:
        yield warm


@pytest.fixture
def nobody() -> list[str]:
    """A command's prefix that makes it an ordinary user who can read the interpreter."""
    if os.getuid() != 0:
        pytest.skip("these tests run as an ordinary user already")
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    nobody += ["--inh-caps=-all", "--bounding-set=-all"]
    if not subprocess.run([*nobody, "test", "-r", sys.base_prefix]).returncode:
        return nobody
    if not shutil.which("bwrap"):  # an interpreter in /root: show that, and no more of it
        pytest.skip("other users cannot read this interpreter")
    view = ["bwrap", "--bind", "/", "/", "--dev-bind", "/dev", "/dev"]
    view += ["--perms", "0755", "--tmpfs", "/root"]
    for parent in reversed(Path(sys.base_prefix).parents):
        view += ["--dir", str(parent)]
    return [*view, "--ro-bind", sys.base_prefix, sys.base_prefix, *nobody]
