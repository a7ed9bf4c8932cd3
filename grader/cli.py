"""The `grade` command: from its first moment on, Ctrl-C ends it as it should."""

from __future__ import annotations

from grader import interrupt


def main() -> None:
    interrupt.ends_the_command()
    from grader import commands  # what it imports takes a while, and Ctrl-C may come meanwhile

    commands.main(prog_name="grade")
