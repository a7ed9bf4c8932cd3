"""Ctrl-C ends a command, and everything that it started."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from grader import reference

GRADE = Path(sys.executable).with_name("grade")
ENDLESS = "\n\nwhile True:\n    pass\n"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["check", "linear"], ENDLESS),
        (["check", "linear", "--watch"], ""),
        (["audit", "linear"], ""),
        (["record", "linear", "--to", "here"], ""),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_ctrl_c_leaves_nothing_running(arguments, text, tmp_path):
    (tmp_path / "linear.py").write_text(reference.solution_source("linear") + text)
    command = subprocess.Popen(
        [GRADE, *arguments],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    tree = psutil.Process(command.pid)
    deadline = time.monotonic() + 60
    while not tree.children() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(2)  # until it is in the middle of something
    started = tree.children(recursive=True)
    assert started, "it started nothing: the test would prove nothing"
    assert command.poll() is None
    os.killpg(command.pid, signal.SIGINT)  # as a terminal does
    out, err = command.communicate(timeout=30)
    # a watch that waits ends with what it saw last; everything else was cut short
    assert command.returncode == 130 or ("--watch" in arguments and command.returncode == 0), err
    assert "Traceback" not in out + err
    _, alive = psutil.wait_procs(started, timeout=10)
    assert alive == []
    assert not list(tmp_path.glob("**/*.part"))
