"""Kernels for the chapters, forked from one process that has imported what all of them need.

Importing torch, its optimizers and matplotlib takes some seconds, in the shortest chapter too. A
chapter does the same as ever: it finds these modules sooner.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from typing import Any

from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning import LocalProvisioner

IMPORTED = ("matplotlib.pyplot", "torch", "torch._dynamo")  # optimizers import the last
# Elsewhere each starts afresh: macOS aborts such a fork, and CUDA does not survive it.
FORKED = sys.platform == "linux" and os.environ.get("COURSE_DEVICE", "cpu") == "cpu"


class _Server:
    """The process that kernels are forked from. It ends when this process does."""

    def __init__(self) -> None:
        self.process: subprocess.Popen | None = None
        self.lock = threading.Lock()  # chapters run in several threads

    def fork(self, argv: list[str], cwd: str, env: dict[str, str]) -> int:
        """Start a kernel; return the number of its process.

        Args:
            argv: of the kernel.
            cwd: its folder.
            env: its environment.

        Raises:
            RuntimeError: the server has died, say because torch cannot be imported.
        """
        with self.lock:
            if self.process is None or self.process.poll() is not None:
                self.process = subprocess.Popen(
                    [sys.executable, "-P", "-m", __name__],  # a kernel adds its own folder
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    start_new_session=True,  # Ctrl-C is not for the kernels
                    text=True,
                )
            assert self.process.stdin
            assert self.process.stdout
            order = {"argv": argv, "cwd": cwd, "env": env}
            print(json.dumps(order), file=self.process.stdin, flush=True)
            if not (answer := self.process.stdout.readline()):
                raise RuntimeError("the process that kernels are forked from has died")
            return int(answer)


class _Kernel:
    """As much of `subprocess.Popen` as a provisioner needs, for a process that is not a child."""

    stdin = stdout = stderr = None

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def poll(self) -> int | None:
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return 0
        return None

    def wait(self) -> int:
        while self.poll() is None:
            time.sleep(0.05)
        return 0

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class _Provisioner(LocalProvisioner):
    """Forks instead of starting Python."""

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> dict[str, Any]:
        argv = cmd[cmd.index("-f") :]
        pid = SERVER.fork(argv, str(kwargs.get("cwd") or os.getcwd()), dict(kwargs["env"]))
        self.process, self.pid, self.pgid = _Kernel(pid), pid, pid  # it leads its own group
        return self.connection_info


class KernelManager(AsyncKernelManager):
    """Manages a kernel that has been forked, where that is safe."""

    async def _async_pre_start_kernel(self, **kwargs: Any) -> tuple[list[str], dict[str, Any]]:
        if FORKED and self.provisioner is None:
            self.provisioner = _Provisioner(kernel_spec=self.kernel_spec, parent=self)
        return await super()._async_pre_start_kernel(**kwargs)


SERVER = _Server()


def serve() -> None:
    """Import, then fork a kernel for each line of standard input, and say its number."""
    os.environ["JPY_PARENT_PID"] = str(os.getpid())  # ends the kernels when this process has ended
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
    kernel = importlib.import_module("ipykernel.kernelapp")
    for name in IMPORTED:
        importlib.import_module(name)
    gc.freeze()  # kernels share memory that nobody writes to
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for a kernel
    for line in sys.stdin:
        order = json.loads(line)
        if pid := os.fork():
            print(pid, flush=True)
            continue
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
        with open(os.devnull) as nothing:
            os.dup2(nothing.fileno(), 0)
        os.dup2(2, 1)  # the pipe is not for what a kernel prints
        os.chdir(order["cwd"])
        os.environ |= order["env"]
        kernel.launch_new_instance(argv=order["argv"])
        os._exit(0)


if __name__ == "__main__":
    serve()
