"""Commands of `grade` for instructors: copies to hand out, hidden cases, grades of a class."""

from __future__ import annotations

from pathlib import Path

import click

from grader import course
from grader.enclose.sandbox import Sandbox
from grader.errors import UserError
from grader.instruct import class_commands, report_commands


@click.command()
@click.argument("target", nargs=-1)
@click.option("--again", is_flag=True, help="Record the next set, in a folder beside this one.")
@click.option(
    "--to",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="A folder of yours; whoever has it has the answers.",
)
@click.option(
    "--assignment",
    "given",
    type=click.Path(path_type=Path),
    help="An assignment.toml or its folder, instead of names.",
)
def hidden(target: tuple[str, ...], again: bool, folder: Path, given: Path | None) -> None:
    """Record fresh cases, and the hidden ones, to grade with: batch --references FOLDER.

    TARGET names chapters and exercises; without it and --assignment, all are recorded. What the
    exercises build on is recorded with them. Records are never overwritten: with --again
    the next set goes into FOLDER-2, then FOLDER-3.
    """
    from grader.author import catalog
    from grader.author.commands import progress
    from grader.author.recording import require_current
    from grader.instruct import assignment
    from grader.instruct.hidden import following, record_hidden, there, with_needs
    from grader.judge.records import FOLDER

    if given and target:
        raise UserError("Name chapters or exercises, or give --assignment FILE: one of the two.")
    if given:
        target = tuple(assignment.read(given).exercises)
    outside = [one.references for one in course.projects()]
    if folder.resolve() in (FOLDER, *FOLDER.parents[:2], *outside):
        raise UserError("Hidden records must not lie beside the public ones: name another folder.")
    chosen, name, number = with_needs(catalog.select(target)), folder.resolve().name, 1
    known = there(chosen, folder)
    if known and not again:
        raise UserError(
            f"{folder} holds hidden records already, of {known[0].id} for one. Marks that were "
            "given with them could not be computed again: name another folder, or say --again."
        )
    with Sandbox() as sandbox:
        require_current(chosen, sandbox)
        if known:
            folder, number = following(folder.resolve())
        recorded = record_hidden(chosen, folder, sandbox, name=name, number=number)
        paths = list(progress(recorded, len(chosen), "exercises"))
    count = f"{len(paths)} exercise{'s' * (len(paths) != 1)}"
    click.echo(f"{folder}: {count}, recorded with a seed of their own")


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
    from grader import files
    from grader.judge import records, source

    records.select(slug)  # unknown names are told before anything is written
    if folder.resolve() == course.ROOT / "solutions":
        raise UserError("The solutions themselves are there: name the folder of a copy.")
    for one in slug:
        text = source.blank(course.original(one), records.symbols(one))
        click.echo(f"wrote {files.write(folder / f'{one}.py', text)}")


@click.command()
@click.argument("target", nargs=-1)
@click.option(
    "--to",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="A new folder.",
)
@click.option(
    "--assignment",
    "given",
    type=click.Path(path_type=Path),
    help="An assignment.toml or its folder, as written by grade plan, instead of names.",
)
@click.option("--name", default="", help="Name of the assignment; by default, its chapters.")
@click.option("--due", default="", help="Due date, such as 2026-12-01T23:59:00+01:00.")
@click.option(
    "--later",
    multiple=True,
    metavar="NAME",
    help="A chapter or exercise of a later assignment: leave its answers out, too.",
)
def release(
    target: tuple[str, ...],
    folder: Path,
    given: Path | None,
    name: str,
    due: str,
    later: tuple[str, ...],
) -> None:
    """Write a student's copy: skeletons of chapters and their checks, without the answers.

    Assign whole chapters (SLUG) or single exercises (SLUG.SYMBOL). The assignment.toml in the copy
    lists the exercises and the points of each. With --assignment, the assignments in the folders
    beside it that come later are read as well, and no answer to their exercises is handed out.
    """
    from grader.instruct import assignment
    from grader.instruct.release import release
    from grader.judge import records
    from grader.student.assigned import counted

    if bool(target) == bool(given):
        raise UserError("Name chapters or exercises, or give --assignment FILE: one of the two.")
    if given and (name or due):
        raise UserError("The assignment has a name and a due date: change them in its file.")
    asked_later = {one.id for one in records.select(later)} if later else set()
    if given:
        wanted = assignment.read(given)
        asked_later |= assignment.later(wanted, given if given.is_dir() else given.parent)
    else:
        wanted = assignment.released(records.select(target), name=name, due=due)
    written = sum(1 for _ in release(wanted, folder, asked_later))
    click.echo(f"{folder}: a course of its own, {written} files and folders; README.md begins it")
    if asked_later:
        click.echo(f"Left out: the answers to {counted(len(asked_later))} of later assignments.")


@click.command()
@click.argument("weeks", type=int, required=False)
@click.option(
    "--to",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="A new folder, for one assignment per week.",
)
@click.option(
    "--all", "everything", is_flag=True, help="Assign all exercises, not only the main ones."
)
@click.option(
    "--start", default="", help="Start of the first week, such as 2027-01-11T10:00+01:00."
)
@click.option(
    "--zone",
    default="",
    help="Time zone of the start, such as Europe/Berlin, instead of an offset.",
)
def plan(weeks: int | None, folder: Path | None, everything: bool, start: str, zone: str) -> None:
    """Print the plan for a term of WEEKS weeks or, with --to, write an assignment for each week.

    Without WEEKS, list the plans. With --start, assignments are due a week after their week begins.
    """
    from grader.instruct import plan as plans

    if weeks is None:
        if folder or start or zone or everything:
            raise UserError("Say how many weeks the plan has: grade plan 14 --to FOLDER")
        for count, rows in sorted(plans.plans().items()):
            slugs = sum(len(row.slugs) for row in rows)
            click.echo(f"{count:>2} weeks: {slugs} chapters, {plans.told(rows)}")
        return
    rows = plans.plan(weeks)
    if zone and not start:
        raise UserError("A time zone belongs to the start of the term: add --start.")
    if start and not folder:
        raise UserError("Due dates belong to assignments: say where they go with --to FOLDER.")
    if not folder:
        for row in rows:
            chapters = ", ".join(row.slugs)
            click.echo(
                f"week {row.number:>2}: {plans.told([row], core=not everything)}: {chapters}"
            )
        click.echo(f"in all: {plans.told(rows, core=not everything)}")
        return
    written = list(plans.write(rows, folder, core=not everything, start=start, zone=zone))
    click.echo(f"{folder}: {len(written)} assignments; grade release --assignment takes each")


@click.command()
@click.argument("slug", nargs=-1, required=True)
@click.option("--seed", required=True, help="Any text, which you keep secret and can use again.")
@click.option(
    "--students",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="CSV file with the columns id and name, as grade batch --roster reads it.",
)
@click.option(
    "--to",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="A new folder.",
)
@click.option("--minutes", type=click.IntRange(1), help="Length of the exam; by default 60.")
@click.option("--points", type=click.IntRange(1), help="Points of the exam, instead of minutes.")
@click.option("--public", is_flag=True, help="Use the questions of the website, too.")
@click.option("--title", default="Exam", show_default=True, help="Heading of the papers.")
def exam(
    slug: tuple[str, ...],
    seed: str,
    students: Path,
    folder: Path,
    minutes: int | None,
    points: int | None,
    public: bool,
    title: str,
) -> None:
    """Write an exam on paper about chapters: a paper for each student, and the key.

    All students get the same questions, each with numbers of their own.
    """
    from grader import questions
    from grader.author.commands import progress
    from grader.instruct import exam as exams
    from grader.instruct.hand_ins import read_roster

    if minutes and points:
        raise UserError("Say --minutes or --points: one of the two decides how long the exam is.")
    class_ = list(read_roster(students).values())
    if not class_:
        raise UserError(f"{students} lists no students.")
    chosen = exams.choose(slug, seed, minutes=minutes, points=points, public=public)
    drawn = [one.draw(seed, class_[0].id) for one in chosen]
    made = exams.write(chosen, class_, folder, seed=seed, title=title)
    written = list(progress(made, len(class_) + 1, "papers"))
    time, worth = sum(one.minutes for one in chosen), sum(one.points for one in drawn)
    click.echo(f"{folder}: {len(chosen)} questions, {worth} points, {time} minutes")
    papers = f"{len(class_)} paper{'s' * (len(class_) != 1)}"
    click.echo(f"{papers}, and the key: {written[-1]}")
    known = sum(len(questions.of(one)) for one in dict.fromkeys(slug))
    if len(chosen) == sum(public or not q.public for s in set(slug) for q in questions.of(s)):
        more = "" if public or len(chosen) == known else ", or add --public"
        click.echo(f"These are all questions of these chapters: name more chapters{more}.")
    if written[-1].suffix == ".html":
        click.echo("No Chromium was found: print the pages with any browser.")


@click.command()
@click.argument("grades", type=click.Path(path_type=Path))
@click.argument("student", nargs=-1)
@click.option("--seed", required=True, help="Any text; the same seed gives the same questions.")
@click.option(
    "--to",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="A new folder.",
)
@click.option(
    "--functions",
    type=click.IntRange(0),
    default=2,
    show_default=True,
    help="Questions about functions that the student wrote.",
)
@click.option(
    "--more",
    type=click.IntRange(0),
    default=3,
    show_default=True,
    help="Questions from the bank about the same sections.",
)
def viva(
    grades: Path, student: tuple[str, ...], seed: str, folder: Path, functions: int, more: int
) -> None:
    """Write questions in person about what each STUDENT handed in: a page for the examiner.

    Without STUDENT, for everybody in GRADES. Questions are about exercises with at least half of
    their points.
    """
    from grader.author.commands import progress
    from grader.instruct import exam as exams
    from grader.instruct import gradebook, viva
    from grader.instruct.names import path_part, shown

    book = gradebook.read(grades, settled=False)
    people = viva.people(book, student)
    about = {one.id: viva.own(book, one.id, seed, functions) for one in people}
    pages = {
        f"students/{path_part(one.id)}": viva.page(book, one, seed, about[one.id], more=more)
        for one in people
    }
    written = list(progress(exams.printed(pages, folder), len(pages), "pages"))
    click.echo(f"{folder}: pages for {len(written)} students, with answers: for you alone")
    if silent := [shown(one.title) for one in people if functions and not about[one.id]]:
        click.echo(f"Without a question about a function of their own: {', '.join(silent)}")
    if len(people) < len(book.students) and not student:
        left = len(book.students) - len(people)
        click.echo(f"{left} have no exercise with half of its points, and no page")
    if written and written[0].suffix == ".html":
        click.echo("No Chromium was found: print the pages with any browser.")


COMMANDS = (
    plan,
    release,
    hidden,
    *class_commands.COMMANDS,
    *report_commands.COMMANDS,
    exam,
    viva,
    blank,
)
