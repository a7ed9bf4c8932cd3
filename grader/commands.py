"""What `grade` can do. Exit codes: 0 all points, 1 a check failed, 2 misuse, 130 Ctrl-C."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import click

from grader.exercise import UserError, select, select_all, slugs
from grader.sandbox import Sandbox, SandboxError


class Command(click.Group):
    """A group that turns every foreseeable error into one message and exit code 2."""

    def invoke(self, context: click.Context) -> object:
        try:
            return super().invoke(context)
        except (UserError, SandboxError) as error:
            click.secho(f"grade: {error}", fg="red", err=True)
            context.exit(2)
        except BrokenPipeError:  # whoever read the output has enough; click ends it quietly
            raise
        except OSError as error:  # a full disk under the output, for one
            where = error.filename or "The output"
            click.secho(f"grade: {where} cannot be written: {error.strerror}.", fg="red", err=True)
            context.exit(2)


@click.group(cls=Command, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="neural-networks-in-code", prog_name="grade")
def main() -> None:
    """Check your solutions to the exercises of Neural Networks in Code."""


@main.command("list")
@click.argument("target", required=False)
def list_(target: str | None) -> None:
    """List the exercises: all, of one chapter, or one."""
    chosen = select(target)
    width = max(len(exercise.id) for exercise in chosen)
    for exercise in chosen:
        public = exercise.public_points
        more = f" +{exercise.points - public} hidden" if exercise.points > public else ""
        click.echo(f"{exercise.id:<{width}}  {public:>2} points{more:<11}  {exercise.title}")


@main.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.argument("slug", nargs=-1)
def start(folder: Path, slug: tuple[str, ...]) -> None:
    """Write a workspace: a module and a notebook to fill in for each chapter."""
    from grader.workspace import start

    for name in slug:
        select(name)  # unknown names are told before anything is written
    written, kept = start(folder, list(slug) or slugs())
    for path in written:
        click.echo(f"wrote {path}")
    for path in kept:
        click.echo(f"kept  {path} (it was there already)")
    here = "" if folder.resolve() == Path().resolve() else f"cd {shlex.quote(str(folder))} && "
    click.echo(f"\nNow write the first exercise, then:  {here}grade check")


@main.command()
@click.argument("target", nargs=-1)
@click.option("--file", type=click.Path(path_type=Path), help="A module, notebook, folder or zip.")
@click.option(
    "--references",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of references recorded with your own seed.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, as in: grade schema.")
@click.option(
    "--junit",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write JUnit XML as well.",
)
@click.option("--watch", is_flag=True, help="Check again at every save, until Ctrl-C.")
def check(
    target: tuple[str, ...],
    file: Path | None,
    references: Path | None,
    as_json: bool,
    junit: Path | None,
    watch: bool,
) -> None:
    """Check your code: everything here, or chapters (SLUG) and exercises (SLUG.SYMBOL).

    Without --file it reads SLUG.py (or else SLUG.ipynb) in the current folder.
    """
    select_all(target)  # a misspelled name is told before anything is started
    with Sandbox() as sandbox:  # torch loads in the background from here on
        from grader import check, export, files, progress, report

        chosen, sources = _sources(target, file)
        desk = check.Desk(sandbox, references)

        def grade() -> bool:
            results = desk.grade(chosen, sources)
            if as_json:
                document = export.as_json(results, sandbox.missing)
                click.echo(json.dumps(document, indent=None if watch else 2))
            else:
                report.terminal(results, _console(), sandbox.missing)
            if junit:  # after the report, which a file that cannot be written must not cost
                files.write(junit, export.junit(results))
            if references is None:
                for source in sources.values():
                    mine = [result for result in results if sources[result.exercise.slug] == source]
                    try:
                        progress.keep(source.path.parent, mine)
                    except UserError as error:  # the result stands all the same
                        click.secho(f"Not noted for grade status: {error}", dim=True, err=True)
            return all(result.passed for result in results)

        passed = grade()
        for _ in _saves({source.path for source in sources.values()}) if watch else ():
            if sys.stdout.isatty():
                click.clear()
            try:
                chosen, sources = _sources(target, file)
                passed = grade()
            except UserError as error:  # a save that cannot be read; the next one may
                click.secho(f"grade: {error}", fg="red", err=True)
    sys.exit(0 if passed else 1)


@main.command()
@click.argument("folder", default=".", type=click.Path(path_type=Path, file_okay=False))
def status(folder: Path) -> None:
    """Show how far you are: points of each chapter, and what comes next."""
    from grader import progress, report

    report.status(progress.earned(folder), _console())


@main.command()
def schema() -> None:
    """Print the JSON Schema of what check --json prints."""
    from grader import export

    click.echo(export.SCHEMA.read_text(encoding="utf-8"), nl=False)


@main.command()
def doctor() -> None:
    """Say what this machine has, and which protections hold on it."""
    from grader import doctor

    for name, value in doctor.findings():
        click.echo(f"{name + ':':<15} {value}")


@main.command()
@click.argument("slug", nargs=-1)
@click.option("--seed", type=click.IntRange(min=0), help="Your own, for hidden cases; needs --to.")
@click.option(
    "--to", "folder", type=click.Path(path_type=Path, file_okay=False), help="Where to write."
)
def record(slug: tuple[str, ...], seed: int | None, folder: Path | None) -> None:
    """Record references: what the solutions and the known mistakes return on every case."""
    from grader import reference

    if seed is not None and folder is None:
        raise UserError("Hidden references must not lie beside the public ones: add --to FOLDER.")
    for name in slug:
        select(name)
    chosen = slug or slugs()
    with Sandbox() as sandbox:
        for name in _progress(chosen, len(chosen), "chapters"):
            document = reference.record(name, sandbox, seed=seed)
            path = reference.save(document, folder or reference.FOLDER)
            cases = sum(len(entries) for entries in document["exercises"].values())
            click.echo(f"{path}: {cases} cases, {path.stat().st_size / 1024:.0f} KB")


@main.command()
@click.argument("target", nargs=-1)
@click.option("--mistakes", is_flag=True, help="Also show what each mistake is told apart by.")
def audit(target: tuple[str, ...], mistakes: bool) -> None:
    """Prove exercises: right answers pass, blanks and known mistakes fail and are named."""
    from grader import report
    from grader.audit import audit

    chosen = select_all(target)
    found = list(_progress(audit(chosen), len(chosen), "exercises"))
    report.audit(found, _console(piped=160), mistakes=mistakes)
    sys.exit(1 if any(entry.gaps for entry in found) else 0)


def _sources(target: tuple[str, ...], file: Path | None):
    """The exercises to check, and the submission of each chapter that they belong to."""
    from grader import submission

    named = sorted({name.partition(".")[0] for name in target})
    if file is not None and not file.is_dir():
        named = named or [file.stem]
        if named[0] not in slugs():
            name = shlex.quote(str(file))
            raise UserError(f"Which exercises is {file} for? Say: grade check SLUG --file {name}")
        if len(named) > 1:
            raise UserError(
                f"{file} is one file; check it for one of {', '.join(named)} at a time."
            )
        return select_all(target or named), {named[0]: submission.read(file, named[0])}
    folder = file or Path()
    here = {slug for slug in slugs() if submission.find(folder, slug)}
    missing = [slug for slug in named if slug not in here]
    if missing or not here:
        name = f"{missing[0]}.py" if missing else "chapter's module or notebook"
        raise UserError(
            f"There is no {name} in {folder.resolve()}. "
            "Name a file with --file, or write a workspace with: grade start FOLDER"
        )
    chosen = [exercise for exercise in select_all(target) if exercise.slug in here]
    return chosen, {slug: submission.read(folder, slug) for slug in named or here}


def _saves(paths: set[Path]):
    """What changed, at each save of one of these files."""
    from watchfiles import watch

    wanted = {path.resolve() for path in paths}
    folders = {path.parent for path in wanted}  # editors replace files: watch where they lie
    click.secho("Checked again at every save. Ctrl-C ends this.", dim=True, err=True)
    yield from watch(
        *folders,
        watch_filter=lambda _, path: Path(path) in wanted,
        step=10,
        debounce=30,
        recursive=False,
        raise_interrupt=False,
    )


def _progress(items, total: int, unit: str):
    """Each item, with a bar and the time left on a terminal and nothing elsewhere."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = BarColumn(), MofNCompleteColumn(), TextColumn(unit), TimeRemainingColumn()
    console = Console(stderr=True)
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        yield from bar.track(items, total=total)


def _console(*, piped: int = 120):
    """Colors and the terminal's width; plain and wide when piped."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else piped
    return Console(highlight=False, width=width)
