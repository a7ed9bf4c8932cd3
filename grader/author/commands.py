"""Commands of `grade` for authors: begin an exercise, record, audit."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from grader.enclose.sandbox import Sandbox
from grader.errors import UserError


@click.command()
@click.argument("name", metavar="SLUG.SYMBOL")
@click.option(
    "--to",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="A project of your own, outside of the course; a new folder becomes one.",
)
def new(name: str, folder: Path | None) -> None:
    """Begin an exercise on a function or class of solutions/SLUG.py: the files to fill in."""
    from grader.author import project
    from grader.author.scaffold import new

    if folder:
        for path in project.new(name, folder):
            click.echo(f"wrote {path}")
        there = f"{name} --exercises {shlex.quote(str(folder))}"
        click.echo(f"\nFill them in. Then: grade record {there} && grade audit {there}")
        return
    written, box = new(name)
    for path in written:
        click.echo(f"wrote {path}")
    slug, _, symbol = name.partition(".")
    click.echo(
        f"\nFill them in. In book/{slug}.md, a cell imports the name (from solutions.{slug} import"
        f" {symbol}). Where the chapter needs it, the page says:\n"
    )
    click.echo(box)
    click.echo(f"Then: make sync && grade record {name} && grade audit {name}")


@click.command()
@click.argument("target", nargs=-1)
def record(target: tuple[str, ...]) -> None:
    """Record what the solutions and the known mistakes return on every public case.

    All exercises, or those of chapters (SLUG) and exercises (SLUG.SYMBOL). What is recorded
    already and still agrees is kept as it is.
    """
    from grader.author import catalog
    from grader.author.bench import Bench
    from grader.author.recording import save_index, update
    from grader.judge import records

    chosen, broken, written = catalog.select(target), [], 0
    with Sandbox() as sandbox:
        for exercise in progress(chosen, len(chosen), "exercises"):
            try:
                path, new = update(Bench(exercise, sandbox), records.home(exercise.slug))
            except UserError as error:  # the others are recorded all the same
                broken.append(str(error))
                continue
            written += new
            if new:
                click.echo(f"wrote {path}: {path.stat().st_size / 1024:.0f} KB")
    for folder in dict.fromkeys(records.home(exercise.slug) for exercise in chosen):
        save_index(folder, chosen)
    click.echo(f"{written} recorded, {len(chosen) - written - len(broken)} still agree")
    if broken:
        raise UserError("\n".join(broken))


@click.command()
@click.argument("target", nargs=-1)
@click.option("--mistakes", is_flag=True, help="Also show what each mistake is told apart by.")
@click.option("--changed", is_flag=True, help="Leave out what has not changed since it was proven.")
@click.option(
    "--lot",
    type=click.IntRange(min=1),
    metavar="N",
    help="With --changed: of what has not changed, prove one in N again, drawn by lot.",
)
@click.option("--no-mutants", is_flag=True, help="Leave out small changes of the solution.")
@click.option("--fresh", is_flag=True, help="Draw hidden cases anew, and not as the last time.")
def audit(
    target: tuple[str, ...],
    mistakes: bool,
    changed: bool,
    lot: int | None,
    no_mutants: bool,
    fresh: bool,
) -> None:
    """Prove exercises: right answers pass, blanks and known mistakes fail and are named."""
    from grader.author import catalog, report
    from grader.author.audit import audit, unproven
    from grader.student.report import console

    chosen = catalog.select(target)
    if lot and not changed:
        raise UserError("--lot draws from what --changed leaves out: give both.")
    todo = unproven(chosen, lot or 0) if changed else chosen
    if len(todo) < len(chosen):
        click.echo(f"{len(chosen) - len(todo)} exercises are as they were when they were proven.")
    if todo:
        found = list(
            progress(
                audit(todo, keep=not no_mutants, mutate=not no_mutants, fresh=fresh),
                len(todo),
                "exercises",
            )
        )
        report.audit(found, console(piped=160), mistakes=mistakes)
        sys.exit(1 if any(entry.gaps for entry in found) else 0)


@click.group()
def challenge() -> None:
    """Record and prove measured assignments, which train within a budget."""


@challenge.command("record")
@click.argument("name", metavar="[SLUG.NAME]", nargs=-1)
def challenge_record(name: tuple[str, ...]) -> None:
    """Measure the baseline and the best answer with the public seeds. This takes minutes."""
    from grader.author import challenge
    from grader.judge.measure import SOURCES, load
    from grader.student.measured import known

    with Sandbox(strict=True, without=SOURCES) as sandbox:
        for task in challenge.select(name):
            path = challenge.record(task, sandbox)
            click.echo(f"wrote {path}: {path.stat().st_size / 1024:.0f} KB")
            for line in known(load(task.challenge.id)):
                click.echo(f"  {line}")


@challenge.command("audit")
@click.argument("name", metavar="[SLUG.NAME]", nargs=-1)
def challenge_audit(name: tuple[str, ...]) -> None:
    """Check on a new split: answers earn points, cheats earn none. This takes minutes."""
    from grader.author import challenge
    from grader.judge.measure import METRICS, SOURCES

    gaps, cheats = 0, 0
    with Sandbox(strict=True, without=SOURCES) as sandbox:
        for task in challenge.select(name):
            metric = METRICS[task.challenge.metric]
            for found in challenge.audit(task, sandbox):
                run, sign = found.run, "✗" if found.gap else "✓"
                score = "" if run.score is None else f"{metric.unit} {metric.text(run.score)}. "
                why = found.gap or run.stopped
                said = f"{score}{run.seconds:.1f} s, {run.points:.1f} points. {why}".strip()
                click.echo(f"{sign} {task.challenge.id}, {found.name}: {said}")
                gaps += bool(found.gap)
                cheats += found.name not in ("record", *challenge.ANSWERS)
    click.echo(f"{cheats} modules that must earn nothing, {gaps} gaps")
    sys.exit(1 if gaps else 0)


def progress(items: Iterable, total: int, unit: str) -> Iterator:
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


COMMANDS = (new, record, audit, challenge)
