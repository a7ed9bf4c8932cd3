"""Sphinx extension: prerequisites, goals and time of a chapter before it begins, hours of a path.

``{goals}`` stands after the question that a page opens with. Each of its lines names a section and
what a reader can do after it: ``cross-entropy: derive the gradient of cross-entropy by hand``. The
rest of the box is computed: prerequisites are those of the front page's map, the main exercises are
those of the sections that the goals name, and `grader.instruct.plan` estimates what they take.

``{hours}`` says how long chapters take: a line for each row, ``Generate text: tokenization gpt``;
with ``:to: SLUG`` a row for each chapter that leads there, with ``:plan: WEEKS`` a row for each
week of a plan. ``{plan} WEEKS`` defines a plan, a line for each week, and shows it as a table.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

from book import pages
from book._ext import front
from book.pages import BOOK
from book.translation import said, word
from grader import course, questions
from grader.instruct import plan
from grader.judge import records
from grader.judge.records import Manifest

REFRESHER = "refresher"  # the chapter for all who build on no other one


def is_main(exercise: Manifest) -> bool:
    """Whether a goal of its chapter names the section of an exercise."""
    return exercise.section in course.goals(exercise.slug)


def prerequisites(slug: str) -> list[str]:
    """The chapters that a chapter builds on directly, in the book's order."""
    order = [page.stem for page in pages.chapters()]
    return sorted(front.needs().get(slug, []), key=order.index)


def leading_to(slug: str) -> list[str]:
    """The chapters on which a chapter builds, directly or through others, and itself, in order."""
    needs, found, todo = front.needs(), set(), [slug]
    while todo:
        found.add(one := todo.pop())
        todo += needs[one]
    return [page.stem for page in pages.chapters() if page.stem in found]


def time(minutes: float) -> str:
    """A duration as exact as an estimate is: "40 min", "2.5 h", "31 h"; a dash for none."""
    if not minutes:
        return "–"
    if minutes < 58:
        return f"{max(5, 5 * round(minutes / 5))} min"
    hours = minutes / 60
    return f"{round(hours)} h" if hours >= 9.75 else f"{round(2 * hours) / 2:g} h"


class Goals(SphinxDirective):
    """The box of a chapter: prerequisites, goals, time and main exercises."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        slug = self.env.docname.rpartition("/")[2]
        self.env.note_dependency(str(BOOK / "index.md"))
        _note_records(self.env, [slug])
        box = nodes.container(classes=["course-head"])
        needed = [_link(self.env, "doc", one) for one in prerequisites(slug)]
        if not needed and slug != REFRESHER:
            needed = [_link(self.env, "doc", REFRESHER, word("the basics in the refresher"))]
        box += _row(word("Prerequisites"), needed or [nodes.Text("Python")])
        box += _row(word("At the end you can"), [])
        box += nodes.bullet_list()
        for section, text in course.goals(slug).items():
            goal = nodes.paragraph("", "", _link(self.env, "ref", section, said(slug, text)))
            box.children[-1] += nodes.list_item("", goal)
        all_of, inside = plan.exercises(slug), plan.main_exercises(slug)
        reading = front.minutes(self.env, BOOK / f"{slug}.md")
        box += _row(word("Time"), [nodes.Text(_takes(reading, inside, all_of))])
        if inside:
            links = [_link(self.env, "ref", one.id, one.symbol, code=True) for one in inside]
            box += _row(word("Main exercises"), links)
        if slug in questions.slugs():
            target = f"questions-{slug.replace('_', '-')}"
            link = _link(self.env, "ref", target, word("questions with answers"))
            box += _row(word("Check yourself"), [link])
        return [box]


def _takes(reading: int, inside: list[Manifest], all_of: list[Manifest]) -> str:
    text = word("{count} min to read", count=reading)
    if not all_of:
        return word("{reading}; there are no exercises", reading=text)
    inner, outer = (sum(map(plan.minutes, some)) for some in (inside, all_of))
    return word(
        "{reading}, about {core} for the main exercises, {all} for all {count}",
        reading=text,
        core=time(inner),
        all=time(outer),
        count=len(all_of),
    )


def _row(title: str, parts: list[nodes.Node]) -> nodes.paragraph:
    """A paragraph that names what it says; commas between its parts."""
    row = nodes.paragraph("", "", nodes.strong(text=title))
    for number, part in enumerate(parts):
        row += [nodes.Text(", " if number else " "), part]
    return row


def _link(
    env: BuildEnvironment, kind: str, target: str, text: str = "", *, code: bool = False
) -> addnodes.pending_xref:
    """A link to a chapter (kind "doc") or to a label (kind "ref")."""
    name = f"/book/{target}" if kind == "doc" else target.lower()  # as labels are kept
    options = {"refdomain": "std", "reftype": kind, "reftarget": name, "refwarn": True}
    words = nodes.literal(text=text) if code else nodes.inline(text=text)
    link = addnodes.pending_xref("", words, refexplicit=bool(text), **options)
    link["refdoc"] = env.docname
    return link


def _note_records(env: BuildEnvironment, slugs: Iterable[str]) -> None:
    for slug in slugs:
        for record in (records.FOLDER / slug).glob(f"*{records.SUFFIX}"):
            env.note_dependency(str(record))


class Hours(SphinxDirective):
    """A fold with the hours that chapters take, their sum in its title."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec: ClassVar = {
        "to": directives.unchanged_required,
        "plan": directives.positive_int,
    }

    def run(self) -> list[nodes.Node]:
        rows = [tuple(line.split(": ")) for line in self.content if line.strip()]
        if goal := self.options.get("to"):
            rows = [("", slug) for slug in leading_to(goal)]
        if weeks := self.options.get("plan"):
            self.env.note_dependency(str(BOOK / f"{plan.PAGE}.md"))
            rows = [(f"Week {one.number}", " ".join(one.slugs)) for one in plan.plan(weeks)]
        named = any(name for name, _ in rows)
        head = ["", "Chapters", "Reading", "Main exercises", "All exercises"]
        lines = [head, [":--"] * 2 + ["--:"] * 3]
        for name, some in rows:
            takes = _minutes(self.env, some.split())
            lines.append([_bound(name), _chapters(some.split()), *map(time, takes)])
        table = _table([cells[not named :] for cells in lines])
        said = f"{self.arguments[0]}: {_sums(self.env, [some.split() for _, some in rows])}"
        opening = f'<details class="course-hours"><summary>{said}</summary>'
        end = nodes.raw("", "</details>", format="html")
        return [nodes.raw("", opening, format="html"), *self.parse_text_to_nodes(table), end]


class Plan(SphinxDirective):
    """A plan of a term: chapters, hours, main exercises and their points for each week."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        weeks = plan.plan(int(self.arguments[0]))
        head = [
            "Week",
            "Chapters",
            "Reading",
            "Time for main exercises",
            "Points",
            "Main exercises",
        ]
        lines = [head, ["--:", ":--", "--:", "--:", "--:", ":--"]]
        for week in weeks:
            reading, inner, _ = _minutes(self.env, week.slugs)
            chosen = week.exercises()
            links = ", ".join(f"{{ref}}`{one.symbol} <{one.id}>`" for one in chosen)
            points = str(sum(one.public_points for one in chosen) or "–")
            cells = [str(week.number), _chapters(week.slugs), time(reading), time(inner)]
            lines.append([*cells, points, links or "–"])
        total = nodes.paragraph(text=f"{_sums(self.env, [week.slugs for week in weeks])}.")
        table = nodes.container(classes=["course-plan"])
        table += self.parse_text_to_nodes(_table(lines))
        return [total, table]


def _table(lines: Iterable[Iterable[str]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _bound(name: str) -> str:
    return name.replace("Week ", "Week\N{NO-BREAK SPACE}")


def _chapters(slugs: Iterable[str]) -> str:
    return ", ".join(f"[{pages.heading(BOOK / f'{one}.md')}]({one}.md)" for one in slugs)


def _sums(env: BuildEnvironment, rows: Iterable[Iterable[str]]) -> str:
    each_once = dict.fromkeys(slug for row in rows for slug in row)
    read, inner, outer = map(time, _minutes(env, [*each_once]))
    return f"{read} to read, {inner} for main exercises ({outer} for all)"


def _minutes(env: BuildEnvironment, slugs: Collection[str]) -> list[float]:
    """Minutes to read some chapters, for their main exercises, and for all of them."""
    _note_records(env, slugs)
    for slug in slugs:
        env.note_dependency(str(BOOK / f"{slug}.md"))
    reading = sum(front.minutes(env, BOOK / f"{slug}.md") for slug in slugs)
    inner, outer = zip(*map(_writing, slugs), strict=True)
    return [reading, sum(inner), sum(outer)]


@cache  # several tables ask for each chapter, and its records do not change meanwhile
def _writing(slug: str) -> tuple[int, int]:
    """Minutes for the main exercises of a chapter, and for all of them."""
    kinds = plan.main_exercises(slug), plan.exercises(slug)
    inner, outer = (sum(map(plan.minutes, some)) for some in kinds)
    return inner, outer


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("goals", Goals)
    app.add_directive("hours", Hours)
    app.add_directive("plan", Plan)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
