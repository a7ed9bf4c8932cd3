"""Sphinx extension: what a teacher needs of a chapter, on one page.

``{teaching} SLUG`` takes lines ``key: text``. ``mistakes`` names known mistakes of the chapter's
exercises, ``softmax.axis_ignored``, and their explanations are the grader's own; ``activity``,
``demonstration`` and ``leave out`` are sentences. The goals are those of the chapter.
"""

from __future__ import annotations

from collections.abc import Iterable

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from book.pages import BOOK
from grader import course
from grader.author import catalog
from grader.author.exercise import Mistake

KEYS = ("mistakes", "activity", "demonstration", "leave out")


class Teaching(SphinxDirective):
    """Goals, mistakes to expect, an activity, a demonstration, and what to leave out."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        slug = self.arguments[0]
        self.env.note_dependency(str(BOOK / f"{slug}.md"))
        try:
            told = lines(slug, self.content)
        except ValueError as error:
            raise self.error(str(error)) from error
        box = nodes.container(classes=["course-teaching"])
        box += self.parse_text_to_nodes("\n".join(told))
        return [box]


def lines(slug: str, content: Iterable[str]) -> list[str]:
    """A chapter's notes as Markdown.

    Args:
        slug: of the chapter.
        content: of the directive, line by line.

    Raises:
        ValueError: a line has an unknown key.
        KeyError: there is no such mistake.
    """
    given = dict(line.split(": ", 1) for line in content if line.strip())
    if wrong := sorted(set(given) - set(KEYS)):
        raise ValueError(f"{slug}: {wrong[0]!r} is none of {', '.join(KEYS)}")
    goals = [f"- {{ref}}`{text} <{at}>`" for at, text in course.goals(slug).items()]
    told = ["**Goals**", "", *goals, ""]
    if names := given.get("mistakes", "").split():
        told += ["**Mistakes to expect**", ""]
        for name in names:
            at, mistake = found(slug, name)
            told.append(f"- {{ref}}`{name.partition('.')[0]} <{at}>`: {mistake.why}")
        told.append("")
    for key in KEYS[1:]:
        if text := given.get(key):
            told += [f"**{key.capitalize()}**: {text}", ""]
    return told


def found(slug: str, name: str) -> tuple[str, Mistake]:
    """The label of an exercise, and the mistake in it that ``symbol.mistake`` names.

    Raises:
        KeyError: there is no such exercise or mistake.
    """
    symbol, _, wanted = name.partition(".")
    for exercise in catalog.exercises(slug):
        for mistake in exercise.mistakes:
            if (exercise.symbol, mistake.name) == (symbol, wanted):
                return exercise.id, mistake
    raise KeyError(f"{slug} has no known mistake {name}")


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("teaching", Teaching)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
