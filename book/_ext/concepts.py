"""Sphinx extension: `{concepts}` makes a table for each chapter of what is taught and where.

Its lines: the lectures that name a concept ("-": none does), the concept, the sections that explain
it (``chapter#anchor``; a planned chapter may stand alone), and what of ``solutions`` one builds,
with "|" between these. A line that is indented goes on with the one before.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from book import pages
from book._ext.front import planned
from book.translation import said, word


@dataclass(frozen=True)
class Row:
    """A concept and where it is taught."""

    lectures: str
    concept: str
    sections: list[str]
    names: list[str]

    @property
    def chapter(self) -> str:
        return self.sections[0].partition("#")[0]


def rows(lines: Iterable[str]) -> list[Row]:
    """The rows that lines of the directive hold."""
    joined: list[str] = []
    for line in filter(str.strip, lines):
        if line[0] == " ":
            joined[-1] += f" {line.strip()}"
        else:
            joined.append(line)
    found = []
    for line in joined:
        lectures, concept, sections, *names = (part.strip() for part in line.split(" | "))
        found.append(Row(lectures, concept, sections.split(), " ".join(names).split()))
    return found


class Concepts(SphinxDirective):
    """A section with a table for each chapter, in the order of the lines."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        there = {page.stem: page for page in pages.chapters()}
        titles = planned() | {slug: said(slug, pages.heading(page)) for slug, page in there.items()}
        for page in [*there.values(), pages.BOOK / "index.md"]:
            self.env.note_dependency(str(page))
        grouped: dict[str, list[Row]] = {}
        for row in rows(self.content):
            grouped.setdefault(row.chapter, []).append(row)
        found = []
        for slug, group in grouped.items():
            section = nodes.section(ids=[f"concepts-{slug.replace('_', '-')}"])
            name = titles[slug] if slug in there else _planned(titles[slug])
            section += nodes.title("", name)
            header = (word("Concept"), word("Lectures"), word("Sections"), word("In code"))
            lines = ["| " + " | ".join(header) + " |", "|:--|:--|:--|:--|"]
            for row in group:
                where = dict.fromkeys(self._section(one, titles, there) for one in row.sections)
                names = [self._name(one) for one in row.names if one.partition(".")[0] in there]
                lectures = ", ".join(row.lectures.replace("-", "·"))
                cells = [row.concept, lectures, ", ".join(where), ", ".join(names)]
                lines.append("| " + " | ".join(cells) + " |")
            section += self.parse_text_to_nodes("\n".join(lines))
            found.append(section)
        return found

    def _section(self, target: str, titles: dict[str, str], there: Container[str]) -> str:
        slug, _, anchor = target.partition("#")
        return f"{{ref}}`{anchor}`" if slug in there else _planned(titles[slug])

    def _name(self, name: str) -> str:
        slug, _, symbol = name.partition(".")
        link = f"{{py:obj}}`{symbol} <solutions.{name}>`"
        exercise = f" {{ref}}`✎ <{name}>`" if symbol in pages.exercises(slug) else ""
        return link + exercise


def _planned(title: str) -> str:
    return word("{title} (planned)", title=title)


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("concepts", Concepts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
