"""Safe forms of what a student or a platform calls somebody: one to store and show, and one for
paths.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata

JOINERS = "\u200c\u200d"  # some scripts spell names with them
LONGEST = 100  # bytes of a part of a path; some file systems allow 143, and endings are added
KEPT = re.compile(r"[^\w @+,=().-]|^\.|[. ]$")


def shown(text: str) -> str:
    """A name in one line and in one Unicode form, its control characters escaped.

    Two names that looked different still do. Bytes that are not UTF-8, which Python reads as lone
    surrogates, are escaped too, so that the result can be stored.
    """
    text = unicodedata.normalize("NFC", text)
    if text.isprintable():
        return text
    return "".join(_visible(one) for one in text)


def path_part(student: str) -> str:
    """One part of a path for a student's id, never ``..`` and never several parts; ids that
    differ get paths that differ.
    """
    part = KEPT.sub(lambda found: "".join(f"%{one:02X}" for one in _bytes(found[0])), student)
    whole = part.encode()
    if 0 < len(whole) <= LONGEST:
        return whole.decode()
    digest = hashlib.sha256(_bytes(student)).hexdigest()[:16]
    return f"{whole[: LONGEST - 17].decode('utf-8', 'ignore')}~{digest}"


def _visible(one: str) -> str:
    if one.isprintable() or one in JOINERS:
        return one
    if unicodedata.category(one) == "Zs":
        return " "
    return one.encode("unicode_escape").decode()


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
