"""The `grade` command: from its first moment on, Ctrl-C ends it as it should."""

from __future__ import annotations

import codecs
import io
import sys

from grader import interrupt

PLAINER = {
    "✓": "+",
    "✗": "x",
    "·": "-",
    "→": ">",
    "█": "#",
    "░": ".",
    "…": "...",
    "≈": "~",
    "—": "-",
}


def main() -> None:
    interrupt.ends_the_command()
    codecs.register_error("plainer", _plainer)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a closed one is none
            stream.reconfigure(errors="plainer")
    from grader import commands  # what it imports takes a while, and Ctrl-C may come meanwhile

    commands.main(prog_name="grade")


def _plainer(error: UnicodeError) -> tuple[str, int]:
    """Replace the signs that a terminal or a file which is not UTF-8 lacks."""
    assert isinstance(error, UnicodeEncodeError)
    lacking = error.object[error.start : error.end]
    return "".join(PLAINER.get(sign, "?") for sign in lacking), error.end


if __name__ == "__main__":  # python -m grader.cli
    main()
