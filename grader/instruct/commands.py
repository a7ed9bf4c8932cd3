"""What `grade` can do for instructors: record hidden cases, take answers out of solutions."""

from __future__ import annotations

from pathlib import Path

import click

from grader.enclose.sandbox import Sandbox
from grader.errors import UserError


@click.command()
@click.argument("target", nargs=-1)
@click.option("--again", is_flag=True, help="Draw the records that are there anew.")
@click.option(
    "--to",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="A folder of yours; whoever has it has the answers.",
)
def hidden(target: tuple[str, ...], again: bool, folder: Path) -> None:
    """Record fresh cases, and the hidden ones, to grade with: check --references FOLDER.

    What the exercises build on is recorded with them.
    """
    from grader.author import catalog
    from grader.author.commands import progress
    from grader.instruct.hidden import record_hidden, there, with_needs
    from grader.judge.records import FOLDER

    if folder.resolve() in (FOLDER, *FOLDER.parents[:2]):
        raise UserError("Hidden records must not lie beside the public ones: name another folder.")
    chosen = with_needs(catalog.select(target))
    if (known := there(chosen, folder)) and not again:
        raise UserError(
            f"{folder} holds hidden records already, of {known[0].id} for one. Marks that were "
            "given with them could not be computed again: name another folder, or say --again."
        )
    with Sandbox() as sandbox:
        paths = list(progress(record_hidden(chosen, folder, sandbox), len(chosen), "exercises"))
    click.echo(f"{folder}: {len(paths)} exercises, recorded with a seed of their own")


@click.command()
@click.argument("slug", nargs=-1, required=True)
@click.option(
    "--to",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="The folder solutions of the copy that you hand out.",
)
def blank(slug: tuple[str, ...], folder: Path) -> None:
    """Write the solutions of chapters without the answers to their exercises."""
    from grader import course, files
    from grader.judge import records, source

    records.select(slug)  # unknown names are told before anything is written
    if folder.resolve() == course.ROOT / "solutions":
        raise UserError("The solutions themselves are there: name the folder of a copy.")
    for one in slug:
        text = source.blank(course.original(one), records.symbols(one))
        click.echo(f"wrote {files.write(folder / f'{one}.py', text)}")


COMMANDS = (hidden, blank)
