"""A Chromium without a window, driven over a pipe by its DevTools protocol.

Printing and rendering need a browser and a handful of its calls: these are made here, with nothing
but the standard library. The browser gets a profile of its own, which goes with it.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser")  # the first starts soonest
NAMES += ("google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",  # it opens only pages that were built here
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--allow-file-access-from-files",
    "--no-first-run",
    "--remote-debugging-pipe",
)
SCALE = 0.82  # of the site on paper: a line of 100 letters of code has room
PATIENCE = 300  # seconds for one answer: a long chapter prints for many of them


class BrowserError(RuntimeError):
    """The browser did not do what it was asked for."""


def chromium() -> str:
    """Path of a browser that starts, or nothing; Ubuntu has one that only says how to get it."""
    for name in filter(None, [os.environ.get("COURSE_BROWSER"), *NAMES]):
        path = shutil.which(name)
        if path and not subprocess.run([path, "--version"], capture_output=True).returncode:
            return path
    return ""


class Browser:
    """A running browser with one page open.

    Args:
        path: of the executable.

    Raises:
        BrowserError: it does not start.
    """

    def __init__(self, path: str) -> None:
        import fcntl  # here, so that this module can be imported on Windows

        self._profile = tempfile.mkdtemp(prefix="course-browser-")
        asks, self._out = os.pipe()
        self._in, answers = os.pipe()
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (asks, answers)]

        def connect() -> None:  # the protocol wants these two numbers
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        self._process = subprocess.Popen(
            [path, *FLAGS, f"--user-data-dir={self._profile}", "about:blank"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=connect,
            pass_fds=(3, 4),
        )
        for end in (asks, answers, *ends):
            os.close(end)
        self._buffer, self._count, self._session = b"", 0, ""
        try:
            target = self.call("Target.createTarget", url="about:blank")["targetId"]
            attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        except BaseException:
            self.close()
            raise
        self._session = attached["sessionId"]

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self, kind: type | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the browser and remove its profile."""
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._in)
        os.close(self._out)
        shutil.rmtree(self._profile, ignore_errors=True)

    def call(self, method: str, **params: object) -> dict:
        """Call a method of the protocol and return its result.

        Raises:
            BrowserError: the browser refuses, ends, or does not answer in time.
        """
        self._count += 1
        asked = {"id": self._count, "method": method, "params": params}
        if self._session:
            asked["sessionId"] = self._session
        message = json.dumps(asked).encode() + b"\0"
        try:
            while message:
                message = message[os.write(self._out, message) :]
        except BrokenPipeError:
            raise BrowserError("The browser ended.") from None
        while True:
            answer = self._receive(method)
            if answer.get("id") != self._count:
                continue  # an event
            if "error" in answer:
                raise BrowserError(f"{method}: {answer['error']['message']}")
            return answer["result"]

    def _receive(self, method: str) -> dict:
        end = time.monotonic() + PATIENCE
        parts = [self._buffer]
        while b"\0" not in parts[-1]:
            ready, _, _ = select.select([self._in], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise BrowserError(f"The browser did not answer {method} in {PATIENCE} s.")
            parts.append(os.read(self._in, 1 << 20))
            if not parts[-1]:
                raise BrowserError("The browser ended.")
        message, _, self._buffer = b"".join(parts).partition(b"\0")
        return json.loads(message)

    def open(self, path: Path, ready: str = "true", *, query: str = "") -> None:
        """Open a file and wait until it is loaded and an expression of it is true."""
        address = path.resolve().as_uri() + query
        self.call("Page.navigate", url=address)
        end = time.monotonic() + PATIENCE
        here = json.dumps(address)
        test = f"location.href === {here} && document.readyState === 'complete' && ({ready})"
        while not self.evaluate(test):
            if time.monotonic() > end:
                raise BrowserError(f"{path} was not ready in {PATIENCE} s.")
            time.sleep(0.1)

    def evaluate(self, script: str) -> object:
        """Run an expression on the page, wait for it if it is a promise, and return its value.

        Raises:
            BrowserError: it throws.
        """
        found = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        if problem := found.get("exceptionDetails"):
            thrown = problem.get("exception", {}).get("description") or problem["text"]
            raise BrowserError(f"A script failed on the page: {thrown}")
        return found["result"].get("value")

    def print(self, scale: float = SCALE) -> bytes:
        """The page as a tagged PDF with an outline, on the paper that its styles ask for."""
        found = self.call(
            "Page.printToPDF",
            preferCSSPageSize=True,
            printBackground=True,
            scale=scale,
            generateTaggedPDF=True,
            generateDocumentOutline=True,
        )
        return base64.b64decode(found["data"])

    def picture(self, x: float, y: float, width: float, height: float) -> bytes:
        """A part of the page, in pixels from the page's corner, as PNG in twice the detail."""
        clip = {"x": x, "y": y, "width": width, "height": height, "scale": 2}
        found = self.call(
            "Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True
        )
        return base64.b64decode(found["data"])
