"""Does this Python come with the text that the pages were written for?

Chapters on text train on the language reference that Python ships, and each version has another
one. A sentence of a page that is false on another text is no mistake of the page.
"""

from __future__ import annotations

import hashlib
import platform
import sys
from functools import cache

VERSION = "3.11.7"
DIGEST = "61fe7fa45f3c9dc4"  # of the text that this version ships


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
