"""Commands and sandboxes of this process, whose servers stay warm from one to the next.

Starting a server imports torch, and so does starting `grade`: each takes longer than most tests.
What a command prints and returns is the same in a process of its own, which `test_cli.py` tries.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
from collections import defaultdict
from pathlib import Path

from click.testing import CliRunner

from grader.commands import main
from grader.enclose import sandbox
from grader.instruct import pool

START = sandbox._Server
FREE: dict[tuple, list[Server]] = defaultdict(list)


class Server(START):
    """A server that waits for the next sandbox of its kind when one is closed."""

    def __init__(self, tier: str, without: tuple[str, ...]):
        # Only its own process talks to it, and it ends with the thread that started it.
        self.kind = os.getpid(), tier, without
        self.lasting = threading.current_thread() is threading.main_thread()
        super().__init__(tier, without)

    def close(self) -> None:
        alive = self.hello and not self.asked and self.process.poll() is None
        if alive and self.lasting and self.kind[0] == os.getpid() and "refused" not in self.hello:
            FREE[self.kind].append(self)
        else:
            super().close()


def server(tier: str, without: tuple[str, ...]) -> Server:
    """One that waits, or a new one."""
    while waiting := FREE[os.getpid(), tier, without]:
        one = waiting.pop()
        if one.process.poll() is None:
            return one
        START.close(one)
    return Server(tier, without)


@contextlib.contextmanager
def servers():
    """Lend servers to all sandboxes of this process; end those that wait when it is over."""
    sandbox._Server = server
    try:
        yield
    finally:
        sandbox._Server = START
        for waiting in FREE.values():
            while waiting:
                START.close(waiting.pop())


@contextlib.contextmanager
def none():
    """Each sandbox starts a server of its own, as it does for users."""
    before = sandbox._Server
    sandbox._Server = START
    try:
        yield
    finally:
        sandbox._Server = before


class Worker(pool.Process):
    """A process of `grade batch` as a thread of this one, whose sandbox has a lent server."""

    def __init__(self, references: Path, core: bool):
        told = {"references": str(references.resolve()), "core": core}
        tasks, asked = os.pipe()
        given, answers = os.pipe()
        self.tasks, self.answers = open(asked, "wb"), open(given, "rb")  # noqa: SIM115
        self.heard, self.lives, self.busy = b"", True, False
        box = sandbox.Sandbox()  # here, for its server ends with the thread that starts it

        def serve() -> None:
            with box, open(tasks, "rb") as lines, open(answers, "wb") as out:
                pool.answer_lines(lines, out, box, told)

        pool._selected.cache_clear()  # a new process would have found nothing yet
        self.thread = threading.Thread(target=serve)
        self.thread.start()

    def close(self) -> None:
        self.tasks.close()
        self.answers.close()
        self.thread.join()


def grade(*arguments: object, cwd: object, **environment: str) -> subprocess.CompletedProcess:
    """Run `grade` with these arguments in a folder; errors that it does not foresee are raised."""
    words = [str(argument) for argument in arguments]
    runner = CliRunner(env={"COLUMNS": "120", **environment})
    with contextlib.chdir(cwd):
        done = runner.invoke(main, words, prog_name="grade")
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return subprocess.CompletedProcess(words, done.exit_code, done.stdout, done.stderr)
