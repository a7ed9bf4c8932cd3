"""Ctrl-C ends the `grade` command at once, at whatever moment it comes.

A KeyboardInterrupt may be raised between any two instructions: while modules are imported, in a
`finally`, or in a callback that swallows it with a traceback. The command therefore raises none.
It tidies up in the signal handler and ends there. Servers that serve notice that the grader is
gone, and end what they run.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable

STATUS = 130  # as a shell counts it: 128 + SIGINT
SHOW_CURSOR = b"\x1b[?25h"  # a progress bar hides it

tidying: set[Callable[[], object]] = set()  # what is not to be left behind, each at its moment


def ends_the_command() -> None:
    """From here on, unless whoever started this command wants it to ignore Ctrl-C."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def _end(*_) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # once is enough
    for tidy in list(tidying):
        with contextlib.suppress(Exception):
            tidy()
    with contextlib.suppress(OSError):
        os.write(2, (SHOW_CURSOR if os.isatty(2) else b"") + b"\nInterrupted.\n")
    os._exit(STATUS)
