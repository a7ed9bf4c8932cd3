"""`python -m book.kit SITE FOLDER`: everything that a teacher takes from the course, in one folder.

It holds the term plans as assignments, sample exams with their keys, the teaching notes, the
projects with baseline and rubric, the file for coding assistants, and the decks of slides if `make
slides` has made them. No chapter runs for it: all is made from the pages, the bank of questions and
recorded runs.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click

from book import projects
from book._ext import teaching
from book.pages import BOOK, ROOT, heading
from grader import files, questions
from grader.instruct import exam, paper, plan
from grader.instruct.hand_ins import Student
from grader.instruct.release import TUTOR

SEED = "sample"
TOLD = {
    "Term plans": "They assign main exercises and have no due dates. Edit a copy, or write your "
    "own: `grade plan 14 --to FOLDER --start TIME`. Then `grade release --assignment "
    "FOLDER/week-01 --to week-01` writes what students get for a week.",
    "Teaching notes": "Goals, mistakes to expect, an activity, a demonstration and what to leave "
    "out, for each chapter.",
    "Slides": "One deck for each chapter. The decks for the browser are on the website.",
    "Sample exams": "They show the form. Their seed is known: write your own with `grade exam`.",
    "Projects": "`student.html` and `baseline.py` are for students; `examples.html`, which the "
    "website shows, too, has three works and their marks; the parts in `by_hand.toml` belong in "
    "the table `[by_hand]` of an `assignment.toml`.",
    "Coding assistants": "The file that `grade release` gives to coding assistants.",
}
REFERENCE = re.compile(r"\{(?:ref|doc)\}`(.*?)(?: <[^>]*>)?`", re.DOTALL)
LINK = re.compile(r"\[([^\]]*)\]\((?!https?:)[^)]*\)")
NOTES = re.compile(r"^```\{teaching\} (\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def write(site: Path, folder: Path) -> Iterator[Path]:
    """Write the kit.

    Args:
        site: the website; its ``slides`` are copied as PDF if they are there.
        folder: made anew.

    Yields:
        Each file, when it is written; ``index.html`` is the last.
    """
    shutil.rmtree(folder, ignore_errors=True)
    parts = {
        "Term plans": _plans(folder),
        "Teaching notes": _notes(folder),
        "Slides": _slides(site, folder),
        "Sample exams": _exams(folder),
        "Projects": _projects(folder),
        "Coding assistants": _assistants(folder),
    }
    listed: dict[str, list[Path]] = {}
    for name, made in parts.items():
        listed[name] = []
        for path in made:
            listed[name].append(path)
            yield path
    shutil.copytree(BOOK / "_vendor" / "katex", folder / paper.KATEX)
    text = "\n".join(_index(listed, folder))
    yield files.write(folder / "README.md", text + "\n")
    yield _page(folder / "index.html", "The teacher's kit", text, folder)


def plain(text: str) -> str:
    """Markdown of a page without references to other pages, which the kit lacks."""
    return LINK.sub(r"\1", REFERENCE.sub(r"\1", text))


def _plans(folder: Path) -> Iterator[Path]:
    for weeks, rows in plan.plans().items():
        yield from plan.write(rows, folder / "plans" / f"{weeks}-weeks")


def _notes(folder: Path) -> Iterator[Path]:
    page = (BOOK / "teaching.md").read_text("utf-8")
    lines = []
    for slug, body in NOTES.findall(page):
        lines += [
            f"## {heading(BOOK / f'{slug}.md')}",
            "",
            *teaching.lines(slug, body.splitlines()),
        ]
    yield _page(folder / "teaching.html", "Teaching notes", plain("\n".join(lines)), folder)


def _slides(site: Path, folder: Path) -> Iterator[Path]:
    for path in sorted((site / "slides").glob("*.pdf")):
        yield files.write(folder / "slides" / path.name, path.read_bytes())


def _exams(folder: Path) -> Iterator[Path]:
    """One exam on the first half of the longest plan, one on the second, for a sample student."""
    rows = plan.plan(max(plan.plans()))
    half = len(rows) // 2
    known = questions.slugs()
    for name, weeks in (("first-half", rows[:half]), ("second-half", rows[half:])):
        slugs = [slug for row in weeks for slug in row.slugs if slug in known]
        chosen = exam.choose(slugs, SEED)
        people = [Student("sample", "Sample Student")]
        title = f"Weeks {weeks[0].number} to {weeks[-1].number}"
        yield from exam.write(chosen, people, folder / "exams" / name, seed=SEED, title=title)


def _projects(folder: Path) -> Iterator[Path]:
    criteria = projects.rubric()
    for one in projects.projects():
        home = folder / "projects" / one.name
        program = f"benchmarks/baselines/{one.name}.py"
        asked = "\n".join(
            [
                *re.sub(r"\s*\(project-[\w-]+\)=\s*$", "", one.task).splitlines(),
                "",
                *projects.begins(one),
                "## Steps",
                "",
                projects.passage(projects.STEPS),
                "",
                "## Rubric",
                "",
                projects.passage(projects.LEVELED),
                "",
                *projects.marking(one, criteria),
                *projects.scale(criteria),
            ]
        ).replace(program, "baseline.py")
        yield _page(home / "student.html", one.title, plain(asked), folder)
        source = (ROOT / program).read_text("utf-8")
        yield files.write(home / "baseline.py", source.replace(program, "baseline.py"))
        marks = [f'"{each.key}" = {each.points}' for each in criteria]
        yield files.write(home / "by_hand.toml", "\n".join(["[by_hand]", *marks, ""]))
        works = "\n".join(projects.examples(one, criteria))
        yield _page(home / "examples.html", f"{one.title}: examples", plain(works), folder)


def _assistants(folder: Path) -> Iterator[Path]:
    yield files.write(folder / "AGENTS.md", TUTOR.read_bytes())


def _index(listed: Mapping[str, Sequence[Path]], folder: Path) -> Iterator[str]:
    yield "# The teacher's kit"
    yield ""
    yield "For instructors: the folder `exams` holds answers. Copy files out before you edit them: "
    yield "the next `make kit` deletes this folder and writes it again."
    for name, paths in listed.items():
        yield f"\n## {name}\n\n{TOLD[name]}\n"
        if not paths:
            yield "None have been made yet: `make slides`, then `make kit`."
        for path in paths:
            inside = path.relative_to(folder).as_posix()
            yield f"- [{inside}]({inside})"


def _page(path: Path, title: str, text: str, folder: Path) -> Path:
    """Markdown as a page that prints."""
    up = "../" * (len(path.relative_to(folder).parts) - 1)
    body = paper.markup(text)
    if not text.startswith("# "):
        body = f"<h1>{title}</h1>{body}"
    return files.write(path, paper.document(title, title, [body], up=up))


@click.command()
@click.argument("site", type=click.Path(path_type=Path, file_okay=False))
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
def main(site: Path, folder: Path) -> None:
    """Write the teacher's kit into FOLDER, with the slides of the website in SITE."""
    count = sum(1 for _ in write(site, folder))
    click.echo(f"{folder}: {count} files; open {folder / 'index.html'}")


if __name__ == "__main__":
    main()
