"""Commands of `grade` for students, from start to schema."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.enclose.sandbox import Sandbox
from grader.errors import UserError
from grader.judge import records
from grader.judge.reader import ReaderError
from grader.judge.records import Manifest
from grader.judge.submission import Submission
from grader.student.own import Workbench

if TYPE_CHECKING:
    from grader.judge.grading import ExerciseResult, Grader


@click.command("list")
@click.argument("target", required=False)
@click.option("--core", is_flag=True, help="Count only the core cases.")
def list_(target: str | None, core: bool) -> None:
    """List the exercises: all, of one chapter, or one. The core of their points is for the idea.

    In a copy that an instructor handed out, * marks those that are assigned.
    """
    from grader.student import assigned

    given = assigned.here()
    chosen = records.select([target] if target else [])
    width = max(len(exercise.id) for exercise in chosen)
    for exercise in chosen:
        public, inside = exercise.public_points, exercise.core_points
        more = f" +{exercise.points - public} hidden" if exercise.points > public else ""
        points = f"{public:>2} points, core {inside:>2}{more:<11}"
        if core:
            points = f"{inside:>2} points"
        mark = "* " if given and exercise.id in given.exercises else "  " * bool(given)
        click.echo(f"{mark}{exercise.id:<{width}}  {points}  {exercise.title}")
    if given:
        worth = assigned.points(sum(given.exercises.values()))
        count = assigned.counted(len(given.exercises))
        click.echo(f"\n{given.title}. * is assigned: {count}, {worth}.")
        click.echo(assigned.terms(given))


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.argument("slug", nargs=-1)
def start(folder: Path, slug: tuple[str, ...]) -> None:
    """Write a workspace: a module and a notebook to fill in for each chapter."""
    from grader.student import assigned, progress
    from grader.student.workspace import start

    records.select(slug)  # unknown names are told before anything is written
    if above := progress.around(folder.resolve().parent):
        raise UserError(
            f"{folder} would lie inside the workspace {above}. To add what is missing there: "
            f"grade start {shlex.quote(str(above))}"
        )
    written, kept = start(folder, list(slug) or records.slugs(), assigned.here())
    for path in written:
        click.echo(f"wrote {path}")
    if kept:
        files = "1 file that was" if len(kept) == 1 else f"{len(kept)} files that were"
        click.echo(f"kept {files} there already")
    here = "" if folder.resolve() == Path().resolve() else f"cd {shlex.quote(str(folder))} && "
    mine = [one for one in progress.earned(folder) if not slug or one.exercise.slug in slug]
    if first := progress.following(mine, asked=assigned.asked()):
        click.echo(f"\nWrite {first.id}, then:  {here}grade check {first.id}")


@click.command()
@click.argument("target", nargs=-1)
@click.option(
    "--file",
    "given",
    type=click.Path(path_type=Path),
    multiple=True,
    help="A module, notebook, folder or zip.",
)
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
@click.option("--core", is_flag=True, help="Run and count only the core cases.")
@click.option("--strict", is_flag=True, help="Grade nothing if the sandbox cannot hide files.")
@click.option("--watch", is_flag=True, help="Check again at every save, until Ctrl-C.")
def check(
    target: tuple[str, ...],
    given: tuple[Path, ...],
    references: Path | None,
    as_json: bool,
    junit: Path | None,
    core: bool,
    strict: bool,
    watch: bool,
) -> None:
    """Check your code: everything here, or chapters (SLUG) and exercises (SLUG.SYMBOL).

    Without --file it reads SLUG.py (or else SLUG.ipynb) in the current folder.
    """
    records.select(target)  # a misspelled name is told before anything is started
    if len(given) > 1:
        raise UserError(
            "--file is given twice: check one file at a time, or the folder they are in."
        )
    file = given[0] if given else None
    with Workbench(file or Path(), strict=strict) as sandbox:  # torch loads from here on
        from grader import files
        from grader.judge.grading import Grader
        from grader.student import export, report

        try:
            found = _sources(target, file)
        except UserError as error:
            if as_json:
                click.echo(json.dumps(export.as_json([], [], [str(error)]), indent=2))
            raise
        grader = Grader(sandbox, references, core=core)

        def grade(chosen: list[Manifest], sources: dict[str, Submission], unread: list[str]) -> int:
            results = _graded(grader, chosen, sources, keep=references is None)
            lost = [*unread, *(f"{one.exercise.id}: {one.detail}" for one in _lost(results))]
            if as_json:
                document = export.as_json(results, sandbox.missing, lost)
                click.echo(json.dumps(document, indent=None if watch else 2))
            else:
                report.terminal(results, report.console(), sandbox.missing)
            if junit:  # after the report, which a file that cannot be written must not cost
                files.write(junit, export.junit(results))
            _add(results, sources, whole=not (target or given or as_json))
            for said in lost:
                click.secho(f"grade: {said}", fg="red", err=True)
            if lost:
                return 2
            return 0 if all(result.passed for result in results) else 1

        code = grade(*found)
        for _ in (
            _saves({source.path for source in found[1].values() if source.path}) if watch else ()
        ):
            if sys.stdout.isatty():
                click.clear()
            try:
                code = grade(*_sources(target, file))
            except UserError as error:  # a save that cannot be read; the next one may
                click.secho(f"grade: {error}", fg="red", err=True)
    sys.exit(code)


@click.command()
@click.argument("exercise", metavar="SLUG.SYMBOL")
@click.argument("name", required=False)
@click.option(
    "--file",
    "given",
    type=click.Path(path_type=Path),
    help="A module, notebook, folder or zip; by default SLUG.py or SLUG.ipynb here.",
)
@click.option(
    "--save",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the case as a Python program that runs without the grader.",
)
def case(exercise: str, name: str | None, given: Path | None, save: Path | None) -> None:
    """Show one case: its inputs, what is expected, and what your code returns.

    NAME is the case's name in the report, or a part of it; without it the cases are listed.
    """
    from grader.judge import submission
    from grader.student import case as cases

    chosen = records.select([exercise])
    if len(chosen) > 1:
        raise UserError(f"Name one exercise of {exercise}, {chosen[0].id} for instance.")
    manifest = chosen[0]
    record = records.load(manifest.slug, manifest.symbol)
    if name is None:
        for one in record.cases:
            place = ", a corner case" if one.corner else ""
            points = "point " if one.points == 1 else "points"
            click.echo(f"{one.points} {points}  {one.name}{place}")
        return
    found = cases.find(record, name)
    if save:
        program = cases.Program(manifest, found, save)
        cases.write(program)
        click.echo(f"wrote {save}: run it beside {manifest.slug}.py")
        return
    source = submission.read(given or Path(), manifest.slug)
    with Sandbox() as sandbox:
        got, error = cases.answered(record, found, source, sandbox)
    for line in cases.lines(manifest, found, got, error):
        click.echo(line)


@click.command()
@click.argument("name", metavar="[SLUG.NAME]", required=False)
@click.option(
    "--file",
    "given",
    type=click.Path(path_type=Path),
    help="A module, or the folder that holds it; by default NAME.py here.",
)
@click.option(
    "--seed", type=click.IntRange(min=1), multiple=True, help="Of one run; by default 1, 2 and 3."
)
@click.option("--start", "begin", is_flag=True, help="Write NAME.py, for you to fill in.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--strict", is_flag=True, help="Measure nothing if the sandbox cannot hide files.")
def measure(
    name: str | None,
    given: Path | None,
    seed: tuple[int, ...],
    begin: bool,
    as_json: bool,
    strict: bool,
) -> None:
    """Train within a budget, and measure the score (without a name: list assignments).

    Seeds and splits are public; for marks, your instructor uses others.
    """
    from grader import files
    from grader.judge import measure
    from grader.student import measured

    if name is None:
        for line in measured.listed([*map(measure.load, measure.names())]):
            click.echo(line)
        return
    challenge = measure.load(name)
    if begin:
        path = (given or Path()) / f"{challenge.name}.py"
        if path.exists():
            raise UserError(f"{path} already exists.")
        click.echo(f"wrote {files.write(path, challenge.skeleton)}")
        return
    text = measure.read(given or Path(), challenge.name)
    runs = []
    with Sandbox(strict=strict, without=measure.SOURCES) as sandbox:
        if not as_json:
            click.echo(f"{challenge.id}: {challenge.title}")
        for found in measure.measure(challenge, text, sandbox, seed or measure.PUBLIC):
            runs.append(found)
            for line in () if as_json else measured.lines(challenge, found):
                click.echo(line)
        if as_json:
            click.echo(measured.as_json(challenge, runs, sandbox.missing))
        else:
            click.secho(measure.summary(challenge, runs), bold=True)
            for line in (*measured.known(challenge), *sandbox.missing):
                click.secho(line, dim=True)
    sys.exit(0 if all(found.points == challenge.points for found in runs) else 1)


@click.command()
@click.argument("slug")
def run(slug: str) -> None:
    """Train a chapter's model on your own versions, and say what differs from the course's run."""
    from grader.student.run import lines, run

    with Sandbox() as sandbox:
        found = run(slug, Path(), sandbox)
    for line in lines(found):
        click.echo(line)
    sys.exit(1 if found.losses is None else 0)


@click.command()
@click.argument("folder", default=".", type=click.Path(path_type=Path, file_okay=False))
@click.option("--core", is_flag=True, help="Count only the core cases.")
def status(folder: Path, core: bool) -> None:
    """Show how far you are: points of each chapter, and what comes next."""
    from grader.student import progress, report

    earned, begun = progress.earned(folder), progress.begun(folder)
    report.status(earned, report.console(), begun=begun, core=core)


@click.command()
def schema() -> None:
    """Print the JSON Schema of what check --json prints."""
    from grader.student import export

    click.echo(export.SCHEMA.read_text(encoding="utf-8"), nl=False)


@click.command()
def doctor() -> None:
    """Say what this machine has, and which protections hold on it."""
    from grader.student import doctor

    for name, value in doctor.findings():
        click.echo(f"{name + ':':<15} {value}")


def _sources(
    target: tuple[str, ...], file: Path | None
) -> tuple[list[Manifest], dict[str, Submission], list[str]]:
    """The exercises to check, the submission of each chapter that they belong to, and what of a
    folder cannot be read.
    """
    from grader.judge import submission

    named = sorted({name.partition(".")[0] for name in target})
    if file is not None and not file.is_dir():
        named = named or [file.stem]
        if named[0] not in records.slugs():
            name = shlex.quote(str(file))
            raise UserError(f"Which exercises is {file} for? Say: grade check SLUG --file {name}")
        if len(named) > 1:
            raise UserError(
                f"{file} is one file; check it for one of {', '.join(named)} at a time."
            )
        return records.select(target or named), {named[0]: submission.read(file, named[0])}, []
    folder = file or Path()
    here = [slug for slug in records.slugs() if submission.find(folder, slug)]
    missing = [slug for slug in named if slug not in here]
    if missing or not here:
        name = f"{missing[0]}.py" if missing else "chapter's module or notebook"
        raise UserError(
            f"There is no {name} in {folder.resolve()}. "
            "Name a file with --file, or write a workspace with: grade start FOLDER"
        )
    sources, unread = {}, []
    for slug in named or here:
        try:
            sources[slug] = submission.read(folder, slug)
        except (UserError, ReaderError) as error:  # the others are checked all the same
            unread.append(str(error))
    if not sources:
        raise UserError("\n".join(unread))
    chosen = [exercise for exercise in records.select(target) if exercise.slug in sources]
    return chosen, sources, unread


def _lost(results: list[ExerciseResult]) -> list[ExerciseResult]:
    return [result for result in results if result.status == "ungraded"]


def _graded(
    grader: Grader, chosen: list[Manifest], sources: dict[str, Submission], *, keep: bool
) -> list[ExerciseResult]:
    """Grade one chapter after the other, and note the results: a later one may build on them."""
    from grader.student import progress

    results = []
    for slug in dict.fromkeys(exercise.slug for exercise in chosen):
        asked = [exercise for exercise in chosen if exercise.slug == slug]
        results += (mine := grader.grade(asked, {slug: sources[slug]}))
        path = sources[slug].path
        assert path is not None  # it was read from a file
        try:
            if keep:
                progress.keep(path.parent, mine)
        except UserError as error:  # the result stands all the same
            click.secho(f"Not noted for grade status: {error}", dim=True, err=True)
    return results


def _add(results: list[ExerciseResult], sources: dict[str, Submission], *, whole: bool) -> None:
    """Say where else an answer is and, after a check of all, how much is done of the assignment."""
    from grader.student import assigned

    for slug, source in sources.items():
        mine = [result for result in results if result.exercise.slug == slug]
        if (other := _filled(source, mine)) and source.path:
            said = f"{source.path.name} is not written yet, but {other.name} is:"
            command = f"grade check {slug} --file {shlex.quote(str(other))}"
            click.secho(f"{said} {command}", dim=True, err=True)
    if whole and (given := assigned.here()):
        click.echo(f"\n{assigned.summary(given, results)}")


def _filled(source: Submission, results: list[ExerciseResult]) -> Path | None:
    """The notebook beside a module of which nothing is written, when something of it is."""
    from grader.judge import reader, submission

    if source.path is None:
        return None
    beside = source.path.with_suffix(".ipynb")
    if source.path.suffix != ".py" or any(result.status != "blank" for result in results):
        return None
    try:
        exercises = [result.exercise for result in results]
        readings = submission.read(beside, beside.stem).readings(exercises)
    except (UserError, reader.ReaderError):
        return None
    return beside if not all(one.unwritten for one in readings.values()) else None


def _saves(paths: set[Path]):
    """Yield what changed, at each save of one of these files."""
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


COMMANDS = (start, list_, check, case, measure, run, status, doctor, schema)
