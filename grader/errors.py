"""Errors that the person at the keyboard can put right."""

from __future__ import annotations

import difflib
from collections.abc import Sequence


class UserError(Exception):
    """Something the person at the keyboard can put right: one message, exit code 2."""


def unknown(what: str, name: str, known: Sequence[str]) -> UserError:
    """The error for a name that does not exist; it suggests the nearest that does."""
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    guess = f" Did you mean {near[0]!r}?" if near else f" There are: {', '.join(known) or 'none'}."
    return UserError(f"There is no {what} {name!r}.{guess}")
