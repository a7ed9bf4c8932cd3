"""Does a page run on the text and on the device that it was written for?

Chapters on text train on the language reference that Python ships, and each version has another
one. Chapters draw weights and noise on the device on which they train, and each kind of device
draws other ones from a seed. A sentence that is false there is no mistake of the page.
"""

from __future__ import annotations

import hashlib
import platform
import sys
from functools import cache

VERSION = "3.11.7"
DIGEST = "61fe7fa45f3c9dc4"  # of the text that this version ships


def other_run() -> str:
    """Say what differs from the run for which the pages were written; empty where nothing does."""
    return other_text() or other_device()


def other_device() -> str:
    """Name the device if it is no CPU, else return an empty string."""
    from solutions.device import pick_device

    kind = pick_device().type
    return "" if kind == "cpu" else f"the page was written for a run on a CPU, and this is on {kind}"


def other_text() -> str:
    """Name both versions where the page has read another text; empty where it has not."""
    if "pydoc_data.topics" not in sys.modules or _digest() == DIGEST:
        return ""
    return (
        f"the page was written for the text that Python {VERSION} ships, and this is that of "
        f"Python {platform.python_version()}"
    )


@cache
def _digest() -> str:
    from solutions.data import text

    return hashlib.sha256(text().encode()).hexdigest()[:16]
