"""Sphinx extension: the front page, from what the chapters are and what the build has measured.

- ``{from-chapter} SLUG NAME`` puts a widget there that a chapter shows.
- ``{wrong-answer} SLUG.SYMBOL MISTAKE`` is what the grader says of a known mistake.
- ``{course-map}`` draws all chapters, what needs what: a line for each, its column and row, what
  it needs, and the title of one that is planned, or too long. A phone gets them below one another.
- ``{drawing} WIDTH HEIGHT`` draws on a page that runs no code: its lines call ``box``, ``arrow``
  and ``text`` of a `book.drawing.Drawing`.
- The lists of chapters that `make sync` writes become cards. Their picture is the one whose cell
  has the tag ``cover``, or the first of the page.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from jupyter_cache import get_cache
from myst_nb.core.read import create_nb_reader
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

from book import pages
from book.drawing import GAP, Box, Drawing
from book.pages import BOOK
from book.translation import word, words
from grader import course
from grader.author import catalog
from grader.enclose.sandbox import Sandbox
from grader.judge import records, source
from grader.judge.grading import Grader
from grader.judge.submission import Submission
from grader.student import report

WORDS = 220  # that one reads in a minute


class FromChapter(SphinxDirective):
    """A widget as a chapter shows it."""

    required_arguments = 2

    def run(self) -> list[nodes.Node]:
        slug, name = self.arguments
        mark = f'class="course-widget course-{name}"'
        for html in _outputs(self.env, BOOK / f"{slug}.md"):
            if mark in html:
                return [nodes.raw("", html, format="html")]
        raise self.error(f"{slug} shows no widget {name}")


class WrongAnswer(SphinxDirective):
    """The grader's report on a known mistake, as a notebook shows it."""

    required_arguments = 2

    def run(self) -> list[nodes.Node]:
        target, name = self.arguments
        (exercise,) = catalog.select([target])
        found = [mistake for mistake in exercise.mistakes if mistake.name == name]
        if not found or found[0].change is None:
            raise self.error(f"{target} has no mistake {name} that changes the solution")
        text = course.solution(exercise.slug)
        text = source.change(text, exercise.symbol, found[0].change)
        html = _report(exercise.slug, target, text)
        section = f"{exercise.slug}.html#{exercise.section}"
        html = re.sub(r'<a href="[^"]*"[^>]*>', f'<a href="{section}">', html)
        html = html.replace(f"{section}</div>", f'<a href="{section}">{section}</a></div>')
        html = re.sub(r"\*(\w+)\*", r"<em>\1</em>", html)
        html = f'<div class="course-report">{html}</div>'
        return [nodes.raw("", html, format="html")]


@cache
def _report(slug: str, target: str, text: str) -> str:
    with Sandbox() as sandbox:
        submission = Submission(text=text, filename=f"{slug}.py")
        results = Grader(sandbox).grade(records.select([target]), {slug: submission})
    return report.html(results, [])


class CourseMap(SphinxDirective):
    """All chapters, those that are planned among them, and what each needs."""

    has_content = True
    option_spec: ClassVar = {"alt": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        there = {page.stem for page in pages.chapters()}
        lines = [_LINE.fullmatch(line).groups() for line in self.content]
        if missing := there - {slug for slug, *_ in lines}:
            raise self.error(f"not on the map: {', '.join(sorted(missing))}")
        drawing, _ = _map(lines, there, self.options["alt"])
        needed = {slug: (needs or "").split() for slug, _, _, needs, _ in lines}
        order = [page.stem for page in pages.chapters()]
        order += [slug for slug in needed if slug not in there]
        titles = {slug: title or pages.heading(BOOK / f"{slug}.md") for slug, *_, title in lines}
        tall = _below_one_another(
            {slug: titles[slug] for slug in order}, needed, there, drawing.alt
        )
        html = f'<div class="course-wide">{drawing.html()}</div>'
        html += f'<div class="course-tall">{tall.html()}</div>'
        return [nodes.raw("", html, format="html")]


def _map(lines: list[tuple[str, ...]], there: set[str], alt: str) -> tuple[Drawing, dict[str, Box]]:
    """The map for a wide page: each chapter in its column and row."""
    rows = 1 + max(int(row) for _, _, row, _, _ in lines)
    width = 170 * (1 + max(float(column) for _, column, *_ in lines))
    drawing = Drawing(width, 74 * rows - 28, alt=alt)
    boxes = {
        slug: drawing.box(
            85 + 170 * float(column),
            20 + 74 * int(row),
            title or pages.heading(BOOK / f"{slug}.md"),
            color=0 if slug in there else 6,
            width=152,
            planned=slug not in there,
            href=f"{slug}.html" if slug in there else "",
        )
        for slug, column, row, _, title in lines
    }
    for slug, _, _, needs, _ in lines:
        for need in (needs or "").split():
            drawing.arrow(boxes[need], boxes[slug])
    return drawing, boxes


def _below_one_another(
    titles: dict[str, str], needed: dict[str, list[str]], there: set[str], alt: str
) -> Drawing:
    """The map for a phone: chapters in a column, and lanes at its left for what is needed later."""
    rows = {slug: row for row, slug in enumerate(titles)}
    drawing = Drawing(340, 44 * len(rows) - 8, alt=alt)
    boxes = {
        slug: drawing.box(
            233,
            18 + 44 * row,
            titles[slug],
            color=0 if slug in there else 6,
            width=210,
            planned=slug not in there,
            href=f"{slug}.html" if slug in there else "",
        )
        for slug, row in rows.items()
    }
    free: list[int] = []  # of each lane, the row from which on nothing is in it
    come = dict.fromkeys(rows, 0)  # to each chapter, so many lanes until now
    for slug, row in rows.items():
        users = sorted((rows[user], user) for user, needs in needed.items() if slug in needs)
        if users and users[0][0] == row + 1:
            drawing.arrow(boxes[slug], boxes[users.pop(0)[1]])
        if not users:
            continue
        lane = next((lane for lane, end in enumerate(free) if end <= row), len(free))
        free[lane : lane + 1] = [users[-1][0]]
        side, x = 128, 112 - 24 * lane
        for _, user in users:
            start, end = boxes[slug].y + 9, boxes[user].y - 9 + 8 * come[user]
            come[user] += 1
            way = [(side, start), (x, start), (x, end), (side - GAP, end)]
            drawing.line(way, color=lane % 5, tip=True)
    return drawing


def planned() -> dict[str, str]:
    """The titles of the chapters that the front page's map shows and that are not there yet."""
    found = (_LINE.fullmatch(line) for line in (BOOK / "index.md").read_text().splitlines())
    there = {page.stem for page in pages.chapters()}
    return {line[1]: line[5] for line in found if line and line[5] and line[1] not in there}


def needs() -> dict[str, list[str]]:
    """The chapters that each chapter builds on, as the arrows of the front page's map say."""
    found = (_LINE.fullmatch(line) for line in (BOOK / "index.md").read_text().splitlines())
    there = {page.stem for page in pages.chapters()}
    return {line[1]: (line[4] or "").split() for line in found if line and line[1] in there}


class DrawingHere(SphinxDirective):
    """A drawing, from lines of Python that fill it."""

    required_arguments = 2
    has_content = True
    option_spec: ClassVar = {
        "alt": directives.unchanged_required,
        "caption": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        drawing = Drawing(*map(float, self.arguments), alt=self.options["alt"])
        names = {"box": drawing.box, "arrow": drawing.arrow, "text": drawing.text}
        exec("\n".join(self.content), names)  # as much the authors' own as any code cell
        html = drawing.html(self.options.get("caption", ""))
        return [nodes.raw("", html, format="html")]


_LINE = re.compile(r"(\w+) ([\d.]+) (\d+)(?: < ([\w ]+?))?(?:: (.+))?")


def make_cards(app: Sphinx, doctree: nodes.document) -> None:
    """Make a card of every chapter in the lists that the front page holds."""
    if app.env.docname != "book/index":
        return
    chapters = {page.stem: page for page in pages.chapters()}
    for entries in list(doctree.findall(nodes.definition_list)):
        cards = nodes.container(classes=["course-cards"])
        for term, about in (entry.children for entry in entries.children):
            slug = Path(next((link["reftarget"] for link in term if "reftarget" in link), "")).stem
            if slug in chapters:
                cards += _card(app.env, chapters[slug], term, about)
        if cards.children:
            entries.replace_self(cards)


def _card(
    env: BuildEnvironment, page: Path, term: nodes.Element, about: nodes.Element
) -> nodes.container:
    card = nodes.container(classes=["course-card"])
    for html in [*_outputs(env, page, tag="cover"), *_outputs(env, page)]:
        if found := re.search(r"<svg.*?</svg>", html, re.DOTALL):
            picture = re.sub(r'role="img" aria-label="[^"]*"', 'aria-hidden="true"', found[0])
            picture = re.sub(r"min-width:\d+px;", "", picture)
            card += nodes.raw("", f'<div class="course-thumb">{picture}</div>', format="html")
            break
    card += nodes.paragraph("", "", *term.children, classes=["course-title"])
    if question := asks(page.read_text()):
        card += nodes.paragraph("", question, classes=["course-question"])
    for paragraph in about.children:
        paragraph["classes"].append("course-about")
        card += paragraph
    card += nodes.paragraph("", facts(env, page), classes=["course-facts"])
    return card


def asks(text: str) -> str:
    """The question that a chapter opens with: what of its opening is bold and ends in "?"."""
    opening = text.partition("\n# ")[2].partition("\n## ")[0]
    bold = re.findall(
        r"\*\*(.+?)\*\*", re.sub(r"```.*?```", "", opening, flags=re.DOTALL), re.DOTALL
    )
    asked = next((" ".join(one.split()) for one in bold if one.endswith("?")), "")
    return asked[:1].upper() + asked[1:]


def facts(env: BuildEnvironment, page: Path) -> str:
    """How many exercises a chapter has, how long it reads, how long it ran when it was built."""
    count = len(pages.exercises(page.stem))
    parts = [words("{count} exercise", "{count} exercises", count)] if count else []
    parts.append(word("{count} min to read", count=minutes(env, page)))
    if record := _record(env, page):
        parts.append(word("{count} s to run", count=f"{record.data['execution_seconds']:.0f}"))
    return "\N{NO-BREAK SPACE}· ".join(part.replace(" ", "\N{NO-BREAK SPACE}") for part in parts)


def minutes(env: BuildEnvironment, page: Path) -> int:
    """How long the prose of a chapter reads, that of its outputs too, and no code."""
    text = "\n\n".join([page.read_text(), *_outputs(env, page, "text/markdown")])
    text = re.sub(r"^---.*?^---|```.*?```|<details>.*?</details>|\$.*?\$", "", text, flags=_MARKED)
    return max(1, round(len(re.findall(r"[^\W\d_]{2,}", text)) / WORDS))


def _record(env: BuildEnvironment, page: Path):
    """Entry of a chapter in the cache; None where it has not run."""
    ran = _ran(env, page)
    return ran and ran[0]


def _ran(env: BuildEnvironment, page: Path) -> tuple | None:
    """The same with the cells that ran. Many places ask; finding them takes a tenth of a second."""
    folder, text = Path(env.mystnb_config.execution_cache_path), page.read_text()
    key = folder, page, text
    if key not in _RAN:
        reader = create_nb_reader(str(page), env.myst_config, env.mystnb_config, text)
        cached = get_cache(folder)
        try:
            record = cached.match_cache_notebook(reader.read(text))
        except KeyError:
            return None
        _RAN[key] = record, cached.get_cache_bundle(record.pk).nb.cells
    return _RAN[key]


_RAN: dict[tuple, tuple] = {}
_MARKED = re.DOTALL | re.MULTILINE


def _outputs(
    env: BuildEnvironment, page: Path, kind: str = "text/html", tag: str = ""
) -> list[str]:
    """Outputs of a chapter, in order; with a tag, those of the cells that carry it."""
    _, ran = _ran(env, page) or (None, [])
    return [
        output["data"][kind]
        for cell in ran
        if not tag or tag in pages.tags(cell)
        for output in cell.get("outputs", [])
        if kind in output.get("data", {})
    ]


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("from-chapter", FromChapter)
    app.add_directive("wrong-answer", WrongAnswer)
    app.add_directive("course-map", CourseMap)
    app.add_directive("drawing", DrawingHere)
    app.connect("doctree-read", make_cards)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
