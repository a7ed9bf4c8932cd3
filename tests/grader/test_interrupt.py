"""Ctrl-C ends a command, and everything that it started."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from grader import course

GRADE = Path(sys.executable).with_name("grade")
ENDLESS = "\n\nwhile True:\n    pass\n"


ARMED = """
import signal, sys
from grader import cli, interrupt
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
def armed(ends=interrupt.ends_the_command):
    ends()
    signal.setitimer(signal.ITIMER_REAL, float(sys.argv.pop(1)))
interrupt.ends_the_command = armed
cli.main()
"""


@pytest.fixture(autouse=True)
def listening():
    """Listen to SIGINT: what a job in the background ignores, its commands ignore too."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def wait_until_gone(processes: list[psutil.Process], seconds: float) -> list[psutil.Process]:
    """Those that run on; one that has ended and that nobody has asked for its status does not."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and any(map(runs, processes)):
        time.sleep(0.05)
    return [process for process in processes if runs(process)]


def runs(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.mark.parametrize("milliseconds", [1, 20, 60, 150, 400, 1000, 2500])
def test_ctrl_c_is_no_traceback_at_any_moment(milliseconds, tmp_path):
    """During imports, while the server starts, while something runs, at the end."""
    (tmp_path / "linear.py").write_text(course.solution("linear") + ENDLESS)
    command = [sys.executable, "-c", ARMED, str(milliseconds / 1000), "check", "linear.linear"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (130, "\nInterrupted.\n")


def test_a_file_half_written_is_not_left(tmp_path):
    code = (
        "import os, signal\nfrom pathlib import Path\nfrom grader import files, interrupt\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "interrupt.ends_the_command()\n"
        "Path.replace = lambda *_: signal.raise_signal(signal.SIGINT)\n"
        "files.write(Path('there'), 'text')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, timeout=60)
    assert done.returncode == 130
    assert list(tmp_path.iterdir()) == []


def test_a_command_told_to_ignore_ctrl_c_does(tmp_path):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    code = (
        "import signal\nfrom grader import interrupt\ninterrupt.ends_the_command()\n"
        "signal.raise_signal(signal.SIGINT)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=tmp_path, timeout=60).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["check", "linear"], ENDLESS),
        (["check", "linear", "--watch"], ""),
        (["audit", "linear"], ""),
        (["hidden", "linear", "--to", "here"], ""),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_ctrl_c_leaves_nothing_running(arguments, text, tmp_path):
    (tmp_path / "linear.py").write_text(course.solution("linear") + text)
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
    time.sleep(1)  # until it is in the middle of something
    started = tree.children(recursive=True)
    assert started, "it started nothing: the test would prove nothing"
    assert command.poll() is None
    os.killpg(command.pid, signal.SIGINT)  # as a terminal does
    out, err = command.communicate(timeout=30)
    assert command.returncode == 130, err
    assert "Traceback" not in out + err
    assert wait_until_gone(started, 10) == []
    assert not list(tmp_path.glob("**/*.part"))
