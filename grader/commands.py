"""The `grade` command. Exit codes: 0 all points, 1 a check failed, 2 misuse, 130 Ctrl-C."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import click

from grader import course
from grader.enclose.sandbox import SandboxError
from grader.errors import UserError
from grader.judge.reader import ReaderError

ROOMS = {  # a student's copy holds the first alone
    "student": "Learn",
    "author": "Write exercises",
    "instruct": "Grade a class",
    "serve": "Serve the website",
}

OUTSIDE = (  # what also works with exercises of your own
    *("start", "list", "check", "case", "status"),
    *("record", "audit"),
    *("release", "hidden", "batch", "marks", "regrade", "verify", "similar", "report", "blank"),
)


class Command(click.Group):
    """A group that turns every foreseeable error into one message and exit code 2, and lists its
    commands by who uses them, in the order in which one does.
    """

    rooms: dict[str, list[str]]

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(len(name) for names in self.rooms.values() for name in names)
        for room, names in self.rooms.items():
            with formatter.section(ROOMS[room]):
                told = [(f"{name:<{width}}", self.commands[name]) for name in names]
                rows = [(name, one.get_short_help_str(200)) for name, one in told]
                formatter.write_dl(rows)

    def invoke(self, context: click.Context) -> object:
        try:
            return super().invoke(context)
        except (UserError, SandboxError, ReaderError) as error:
            click.secho(f"grade: {error}", fg="red", err=True)
            context.exit(2)
        except BrokenPipeError:  # whoever read the output has enough; click ends it quietly
            raise
        except OSError as error:  # a full disk under the output, for one
            where = error.filename or "The output"
            if not error.filename:
                _forget_output()
            click.secho(f"grade: {where} cannot be written: {error.strerror}.", fg="red", err=True)
            context.exit(2)


def _forget_output() -> None:
    """Drop what still waits to be written: Python would fail to write it at its end, and say so."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


@click.group(cls=Command, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="neural-networks-in-code", prog_name="grade")
def main() -> None:
    """Check your solutions to the exercises of Neural Networks in Code."""


def _use(context: click.Context, _: click.Parameter, folders: Sequence[Path]) -> None:
    """Let this command, and the processes that it starts, find exercises outside of the course."""
    if folders:
        context.with_resource(course.using(*folders))


EXERCISES = click.Option(
    ["--exercises"],
    type=click.Path(path_type=Path, file_okay=False),
    multiple=True,
    is_eager=True,
    expose_value=False,
    callback=_use,
    help="Project with exercises of your own, as grade new --to began it.",
)
main.rooms = {}
for room in ROOMS:
    try:
        commands = import_module(f"grader.{room}.commands").COMMANDS
    except ModuleNotFoundError as error:
        if error.name != f"grader.{room}":
            raise
        continue
    for command in commands:
        command.params += [EXERCISES] * (command.name in OUTSIDE)
        main.add_command(command)
    main.rooms[room] = [command.name for command in commands]
