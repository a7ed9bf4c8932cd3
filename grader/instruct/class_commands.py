"""Commands of `grade` on a class: batch, marks, regrade, verify."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Collection
from pathlib import Path

import click

from grader.errors import UserError

FOLDER = click.Path(path_type=Path, file_okay=False)
PERIOD = 30  # seconds between two lines of progress where there is no terminal
REFERENCES = click.option(
    "--references", type=FOLDER, required=True, help="Folder that grade hidden wrote."
)
JOBS = click.option(
    "--jobs", type=click.IntRange(1), help="Processes at a time; by default one a processor."
)


@click.command()
@click.argument("submissions", type=FOLDER)
@click.option(
    "--assignment",
    "given",
    type=click.Path(path_type=Path),
    required=True,
    help="Folder that grade release wrote, or its assignment.toml.",
)
@REFERENCES
@click.option("-o", "--output", "grades", type=FOLDER, required=True, help="Folder of the grades.")
@click.option(
    "--roster",
    type=click.Path(path_type=Path, dir_okay=False),
    help="CSV file with the columns id, name, email, group.",
)
@click.option(
    "--attempts", is_flag=True, help="Folders in a student's folder are attempts: you wrote them."
)
@click.option(
    "--layout",
    type=click.Choice(["canvas", "moodle", "blackboard", "nbgrader", "gradescope", "plain"]),
    help="Platform that named the files; plain: you did. By default the names decide.",
)
@JOBS
@click.option(
    "--scheduler",
    default="",
    metavar="ADDRESS",
    help="Grade on a Dask cluster: the scheduler's address, or the file that it writes.",
)
def batch(
    submissions: Path,
    given: Path,
    references: Path,
    grades: Path,
    roster: Path | None,
    attempts: bool,
    layout: str | None,
    jobs: int | None,
    scheduler: str,
) -> None:
    """Grade a class: a file, folder or zip for each student, or a download of your platform.

    Canvas, Moodle, Gradescope, Blackboard and nbgrader are recognized by the names that they give.
    Stopped at any moment and started again, it goes on where it was. Exit code 2 means that
    something is not graded yet.
    """
    from grader.instruct import assignment, hand_ins, hidden
    from grader.instruct import batch as batches
    from grader.instruct.names import shown
    from grader.instruct.store import Store

    wanted = assignment.read(given)
    known = hidden.read(references)
    digests = batches.digests(wanted, known)
    _outside(grades, submissions)
    found = hand_ins.find(submissions, wanted, roster, attempts=attempts, layout=layout or "")
    with Store(grades, write=True) as store:
        count = batches.collect(store, found, wanted)
        click.echo(f"{submissions}: {found.layout}; {count} attempts")
        for said in found.notes:
            click.echo(said)
        if found.strangers:
            click.echo(f"Not on the roster: {', '.join(map(shown, found.strangers))}")
        if gone := len(store.attempts()) - count:
            click.echo(f"Earlier attempts that are no longer there: {gone}. Their results stay.")
        if stale := store.stale(digests, batches.grader_digest()):
            click.echo(f"Results from other records or another grader, graded again: {stale}")
        show, lost, missing = _Progress("texts"), "", {}
        for step in batches.grade(store, wanted, references, _jobs(jobs), scheduler=scheduler):
            show(step.done, step.total)
            lost = lost or step.lost
            missing |= dict.fromkeys(step.missing)
        show.end()
        _summary(store, wanted)
        for said in missing:
            click.echo(f"Not protected: {said}")
        if lost:
            raise UserError(f"Not everything is graded: {lost} Run this again.")


@click.command()
@click.argument("grades", nargs=-1, required=True, type=FOLDER)
@click.option("--json", "as_json", is_flag=True, help="Write gradebook.json instead.")
@click.option("--only", is_flag=True, help="No other folder nearby shares free days with these.")
def marks(grades: tuple[Path, ...], as_json: bool, only: bool) -> None:
    """Compute the marks of a class into GRADES/gradebook.csv.

    The policy is in GRADES/assignment.toml, extensions in GRADES/extensions.csv, and marks by hand
    in GRADES/marks.csv. Several folders are several assignments that share free days: name them
    once, and every later command on one of them counts the free days of all.
    """
    from grader import files
    from grader.instruct import marks as made
    from grader.instruct import term
    from grader.instruct.store import assigned

    for folder in grades:
        assigned(folder)
    whole = term.join(grades, only=only)
    called = {one.resolve(): one for one in grades}
    with term.opened([called.get(one, _near(one)) for one in whole.folders], write=True) as stores:
        for store, given in stores:
            store.rescore(given)
            by_hand = store.folder / made.MARKS
            store.set_marks(made.hand_marks(by_hand, given, store.students()))
        tables, states = term.tables(stores), []
        found = {
            store.folder.resolve(): one for (store, _), one in zip(stores, tables, strict=True)
        }
        term.require(grades, stores, found, whole.apart)
        term.write(whole)
        for (store, given), rows in zip(stores, tables, strict=True):
            told = made.rows(rows, given)
            name, text = ("gradebook.csv", made.as_csv(told))
            if as_json:
                name, text = ("gradebook.json", made.as_json(told))
            path = files.write(store.folder / name, text)
            own = [row.mark.state for row in rows]
            counts = ", ".join(f"{own.count(one)} {one}" for one in dict.fromkeys(own))
            click.echo(f"wrote {path}: {counts}")
            states += own
    for line in _legend(states):
        click.echo(line)
    if len(stores) > 1 and any(given.late.free_days for _, given in stores):
        click.echo(f"They share free days: {term.NAME} in each folder names the others.")


@click.command()
@click.argument("grades", type=FOLDER)
@click.option("--exercise", metavar="SLUG.SYMBOL", help="Grade it again, after a correction.")
@click.option("--void", metavar="CASE", help="Let a case count for nobody: 'SLUG.SYMBOL: name'.")
@click.option("--undo", is_flag=True, help="Take the last change back.")
@click.option("--references", type=FOLDER, help="Folder of the records to grade with.")
@click.option("--yes", is_flag=True, help="Write without being asked.")
@JOBS
def regrade(
    grades: Path,
    exercise: str | None,
    void: str | None,
    undo: bool,
    references: Path | None,
    yes: bool,
    jobs: int | None,
) -> None:
    """Show whose mark a correction changes, and write it after a yes. Exit code 1: not written."""
    from grader.instruct import regrade as again
    from grader.instruct.store import Store, assigned

    if (exercise is not None) + (void is not None) + undo != 1:
        raise UserError("Say one of --exercise, --void and --undo.")
    if exercise and references is None:
        raise UserError("Say which records to grade with: --references FOLDER")
    given = assigned(grades)
    with Store(grades, write=True) as store:
        agreed = _asked(yes)
        if exercise and references:
            show, found = _Progress("texts"), []
            names = again.concerned(given, exercise)
            graded = again.again(store, given, names, references, _jobs(jobs))
            for total, text, results in graded:
                found.append((text, results))
                show(len(found), total)
            show.end()
            lost = [one for _, results in found for one in results if one.state != "graded"]
            for one in lost[:3]:
                click.secho(f"Not graded: {one.report.get('detail')}", fg="red", err=True)
            written = again.exercise(store, given, names, found, agreed)
        elif void:
            written = again.void(store, given, void, agreed)
        else:
            written = again.undo(store, given, agreed)
    click.echo("written" if written else "nothing is written")
    sys.exit(0 if written else 1)


@click.command()
@click.argument("grades", type=FOLDER)
@REFERENCES
@JOBS
def verify(grades: Path, references: Path, jobs: int | None) -> None:
    """Grade everything again, and say what is not as stored. Exit code 1: something is not."""
    from grader.instruct import regrade as again
    from grader.instruct.store import Store, assigned

    given = assigned(grades)
    show, wrong, done = _Progress("texts"), [], 0
    with Store(grades) as store:
        for total, differing in again.verify(store, given, references, _jobs(jobs)):
            wrong += differing
            done += bool(total)
            show(done, total)
    show.end()
    for line in wrong:
        click.echo(line)
    click.echo(f"{done} texts graded again: {len(wrong) or 'no'} differences")
    sys.exit(1 if wrong else 0)


def _asked(yes: bool) -> Callable[[list[str]], bool]:
    """Shows what changes, and asks whether to write it."""

    def agreed(lines: list[str]) -> bool:
        for line in lines:
            click.echo(line)
        return yes or (sys.stdin.isatty() and click.confirm("Write this?"))

    return agreed


def _jobs(jobs: int | None) -> int:
    there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return jobs or there or 1


def _near(folder: Path) -> Path:
    """A folder as it is called from here, where that is shorter."""
    return min(folder, Path(os.path.relpath(folder)), key=lambda one: len(str(one)))


def _legend(states: Collection[str]) -> list[str]:
    """How each state counts that needs a word."""
    from grader.instruct.policy import STATES

    return [f"  {name}: {said}" for name, said in STATES.items() if said and name in states]


def _outside(grades: Path, submissions: Path) -> None:
    """Grades among submissions would be taken for one."""
    if submissions.resolve() in (grades.resolve(), *grades.resolve().parents):
        raise UserError(f"{grades} lies in {submissions}: name a folder beside it.")


def _summary(store, given) -> None:
    from grader.instruct import marks
    from grader.instruct.names import shown

    states: dict[str, int] = {}
    for state, count in store.base.execute("SELECT state, count(*) FROM result GROUP BY state"):
        states[state] = count
    told = ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
    handed = marks.attempts(store, given)
    count = sum(map(len, handed.values()))
    click.echo(f"{store.folder}: {count} attempts; results: {told or 'none'}")
    for student, attempts in handed.items():
        for one in attempts:
            if said := one.problem or one.note:
                click.echo(f"  {shown(student)}, attempt {one.number}: {shown(said)}")


class _Progress:
    """How many are done, how fast, and how long it will take: in one line of a terminal, or else
    in a line now and then.
    """

    def __init__(self, unit: str):
        self.unit, self.begun, self.told = unit, time.monotonic(), time.monotonic()
        self.live = sys.stderr.isatty()

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if not done or (not self.live and now - self.told < PERIOD):
            return
        self.told = now
        rate = done / max(now - self.begun, 1e-3)
        left = (total - done) / rate
        spell = f"{left / 60:.0f} min" if left > 90 else f"{left:.0f} s"
        line = f"{done} of {total} {self.unit}, {rate:.2g} a second, {spell} left"
        click.echo(f"\r{line:<60}" if self.live else line, err=True, nl=not self.live)

    def end(self) -> None:
        if self.live:
            click.echo(f"\r{'':<60}\r", err=True, nl=False)


COMMANDS = (batch, marks, regrade, verify)
