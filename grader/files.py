"""Files are written whole or not at all: an interrupted write leaves what was there."""

from __future__ import annotations

import contextlib
import secrets
from functools import partial
from pathlib import Path

from grader import interrupt
from grader.errors import UserError


def write(path: Path, data: str | bytes) -> Path:
    """Put a file in place of the one that may be there; its folder is made when it is missing.

    Raises:
        UserError: it cannot be written, and why.
    """
    part = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")  # nobody knows it before
    discard = partial(part.unlink, missing_ok=True)
    interrupt.tidying.add(discard)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("xb") as file:  # never one that is there, nor what a link leads to
            file.write(data.encode() if isinstance(data, str) else data)
        part.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            discard()
        raise UserError(f"{path} cannot be written: {error.strerror or error}.") from error
    finally:
        interrupt.tidying.discard(discard)
    return path
