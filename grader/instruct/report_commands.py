"""The commands that show a graded class and hand its marks on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import click

from grader.errors import UserError

GRADES = click.argument("grades", type=click.Path(path_type=Path))


@click.command()
@GRADES
@click.option(
    "--earlier",
    type=click.Path(path_type=Path, file_okay=False),
    help="What an earlier class handed in: grades, or a file or folder for each student.",
)
@click.option(
    "--common",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.2,
    show_default=True,
    help="What more than this share of the class has says nothing.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="A file to write: .html, side by side, or .json.",
)
def similar(grades: Path, earlier: Path | None, common: float, output: Path | None) -> None:
    """Find texts of a class that are alike: evidence to read, never a verdict."""
    import json

    from grader import files
    from grader.instruct import gradebook, side_by_side, similar
    from grader.instruct.sheet import plural

    if output and output.suffix not in (".html", ".json"):
        raise UserError(f"{output.name} names no kind of file: end it in .html or .json.")
    book = gradebook.read(grades, settled=False)
    before = similar.of_earlier(earlier, book.possible) if earlier else []
    texts = similar.of_class(book)
    found = similar.compare(texts, before, exercises=book.possible, common=common)
    if not output:
        for line in similar.summary(found):
            click.echo(line)
        return
    if output.suffix == ".json":
        text = json.dumps(similar.as_json(found), indent=2, ensure_ascii=False) + "\n"
    else:
        text = side_by_side.page(found, book.assignment, common)
    same = f", {plural(len(found.identical), 'identical file')}" if found.identical else ""
    click.echo(f"wrote {files.write(output, text)}: {len(found.pairs)} pairs to read{same}")


@click.command()
@GRADES
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="The page to write.",
)
@click.option(
    "--handouts",
    type=click.Path(path_type=Path, file_okay=False),
    help="A folder for a page for each student, without hidden cases.",
)
def report(grades: Path, output: Path, handouts: Path | None) -> None:
    """Write a report on a class: one page that needs no network."""
    from grader import files
    from grader.instruct import gradebook, page
    from grader.instruct.names import path_part

    book = gradebook.read(grades)
    click.echo(f"wrote {files.write(output, page.report(book))}")
    if handouts:
        for student in book.students:
            files.write(handouts / f"{path_part(student.id)}.html", page.handout(book, student))
        click.echo(f"wrote {handouts}: {len(book.students)} pages to hand out")


Files = Iterable[tuple[str, str | bytes]]
KINDS = (
    *("csv", "json", "junit", "gradescope", "gradescope-autograder"),
    *("canvas", "moodle", "feedback", "lti", "nbgrader", "nbgrader-assignment"),
    *("prairielearn", "classroom50"),
)
OF_A_COPY = ("gradescope-autograder", "nbgrader-assignment", "prairielearn", "classroom50")
FOLDERS = ("gradescope", "feedback", "nbgrader")
SECRET = ("gradescope-autograder", "prairielearn")  # may hold hidden records


@click.command()
@GRADES
@click.option("--to", "kind", type=click.Choice(KINDS), required=True, help="Who reads it.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="A file, or a new folder.")
@click.option(
    "--worksheet",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The platform's own file, for canvas and moodle; it is read, and not written to.",
)
@click.option("--column", help="The assignment in Canvas's file, where there are several.")
@click.option("--leaderboard", is_flag=True, help="Show points on Gradescope's leaderboard.")
@click.option(
    "--references",
    type=click.Path(path_type=Path, file_okay=False),
    help="Hidden records to put into an autograder.",
)
@click.option(
    "--image",
    default="course/grader",
    show_default=True,
    help="Name of the image in which PrairieLearn grades.",
)
def export(
    grades: Path,
    kind: str,
    output: Path | None,
    worksheet: Path | None,
    column: str | None,
    leaderboard: bool,
    references: Path | None,
    image: str,
) -> None:
    """Write marks for another program. Autograders and assignments are made of the copy that
    students get.
    """
    from grader import files
    from grader.instruct import autograder, exports, gradebook, nbgrader, page
    from grader.instruct.names import shown

    if output is None and kind in (*FOLDERS, *OF_A_COPY):
        place = "autograder.zip" if kind == "gradescope-autograder" else "FOLDER"
        raise UserError(f"Say where {kind} goes: -o {place}")
    folder = output or Path()  # unnamed only where a text is printed
    if column and kind != "canvas":
        raise UserError("--column names a column of Canvas's file: it goes with --to canvas.")
    if references and kind not in SECRET:
        raise UserError(f"Students can read what {kind} holds: leave out --references.")
    if kind == "gradescope-autograder":
        data = autograder.build(grades, references)
        click.echo(f"wrote {files.write(folder, data)}: {len(data) / 2**20:.1f} MB")
        return
    if kind in OF_A_COPY:
        assignments: dict[str, Callable[[], Files]] = {
            "nbgrader-assignment": lambda: nbgrader.notebooks(grades, folder),
            "prairielearn": lambda: autograder.for_prairielearn(grades, references, image),
            "classroom50": lambda: autograder.for_classroom50(grades),
        }
        _folder(folder, assignments[kind]())
        return
    book = gradebook.read(grades)
    if kind in FOLDERS:
        marks: dict[str, Callable[[], Files]] = {
            "gradescope": lambda: exports.as_gradescope(book, leaderboard=leaderboard),
            "feedback": lambda: exports.feedback(book, lambda one: page.handout(book, one)),
            "nbgrader": lambda: nbgrader.marks(book, lambda one: page.handout(book, one)),
        }
        _folder(folder, marks[kind]())
        return
    missing = []
    if kind in exports.SHEETS:
        text, missing = exports.SHEETS[kind](book, _worksheet(kind, worksheet), column)
    else:
        text = exports.TEXTS[kind](book)
    if output:
        click.echo(f"wrote {files.write(output, text)}")
    else:
        click.echo(text, nl=False)
    if missing:
        click.echo(f"Not in {worksheet}: {', '.join(map(shown, missing))}", err=True)


def _folder(folder: Path, made: Files) -> None:
    """Write a folder.

    Raises:
        UserError: there is something in it.
    """
    from grader import files

    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder} is not empty: name a new folder.")
    written = [files.write(folder / name, data) for name, data in [*made]]
    click.echo(f"wrote {folder}: {len(written)} files")


def _worksheet(kind: str, path: Path | None):
    """A platform's file.

    Raises:
        UserError: none is named, or it cannot be read.
    """
    from grader.instruct.exports import Sheet

    if path is None:
        raise UserError(f"Name the file that {kind.capitalize()} exports: --worksheet FILE")
    try:
        return Sheet(path.read_bytes().decode("utf-8"), path.name)
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read: {error}.") from error


@click.command()
@click.argument("name", metavar="SLUG.NAME")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--secret",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="Your file from which splits and pseudonyms are drawn; created if it is missing.",
)
@click.option("--names", is_flag=True, help="Show the names of students, for you alone.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="A CSV of students, pseudonyms and points to write.",
)
@click.option(
    "--marks",
    "grades",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder that grade batch wrote: enter the points into its marks.csv.",
)
@click.option("--part", help="Part of the assignment that they count for; by default NAME.")
def leaderboard(
    name: str,
    folder: Path,
    secret: Path,
    names: bool,
    output: Path | None,
    grades: Path | None,
    part: str | None,
) -> None:
    """Measure a class on splits of your own: STUDENT/NAME.py or STUDENT.py in a folder.

    Results are saved beside the secret, so that nothing is measured twice.
    """
    import csv
    import io

    from grader import files
    from grader.enclose.sandbox import Sandbox
    from grader.instruct import entries, leaderboard
    from grader.instruct.marks import cell
    from grader.instruct.names import shown
    from grader.instruct.store import Store, assigned
    from grader.judge import measure

    challenge = measure.load(name)
    part = part or challenge.name
    if grades:  # what is wrong there is told before hours of measuring
        with Store(grades) as store:
            entries.require(store, assigned(grades), part)
    leaderboard.handed_in(folder, challenge.name)  # a wrong folder is told before a secret is made
    key, notes, places = leaderboard.secret_of(secret), secret.with_suffix(".json"), []
    with Sandbox(strict=True, without=measure.SOURCES) as sandbox:
        for place in leaderboard.board(challenge, folder, key, sandbox, notes):
            places.append(place)
            click.echo(f"{place.student}: {place.points:.2f} points", err=True)
        for said in sandbox.missing:
            click.echo(f"Not protected: {said}", err=True)
    for line in leaderboard.lines(challenge, places, names=names):
        click.echo(line)
    for place in (one for one in places if one.error):
        click.secho(f"{place.student}: {place.error}", fg="red", err=True)
    if output:
        text = io.StringIO()
        rows = csv.DictWriter(text, ["student", "pseudonym", "points", "of"], lineterminator="\n")
        rows.writeheader()
        for row in leaderboard.marks(challenge, places):
            rows.writerow({column: cell(value) for column, value in row.items()})
        click.echo(f"wrote {files.write(output, text.getvalue())}")
    if grades:
        with Store(grades, write=True) as store:
            done = entries.enter(
                store, assigned(grades), part, leaderboard.shares(challenge, places)
            )
        click.echo(f"wrote {done.path}: {done.count} marks for {part}")
        for said, who in (
            ("Marked by hand, which stays", done.kept),
            (f"Not among the students of {grades}", done.strangers),
            (f"Without a mark for {part}", done.lacking),
        ):
            if who:
                click.echo(f"{said}: {', '.join(map(shown, who))}", err=True)


COMMANDS = (similar, report, export, leaderboard)
