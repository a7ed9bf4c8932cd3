"""Sphinx extension: questions to check oneself with, each with its answer in a fold.

``{questions} SLUG`` shows the public questions of a chapter, with numbers that are drawn once.
Those for instructors alone stay off the site.
"""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from book._ext.weight import code_block
from book.pages import ROOT
from book.translation import word
from grader import questions
from grader.questions import Drawn, Question, letter

SEED = "site"


class Questions(SphinxDirective):
    """The public questions of a chapter."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        slug = self.arguments[0]
        for folder in ("grader/questions", "solutions"):
            self.env.note_dependency(str(ROOT / folder / f"{slug}.py"))
        public = [one for one in questions.of(slug) if one.public]
        found: list[nodes.Node] = []
        for number, question in enumerate(public, 1):
            found += self._asked(number, question, question.draw(SEED))
        return found

    def _asked(self, number: int, question: Question, drawn: Drawn) -> list[nodes.Node]:
        made = self.parse_text_to_nodes(f"**{number}.** {drawn.text}")
        if drawn.code:
            made.append(code_block(drawn.code, "python"))
        if drawn.figure:
            made.append(nodes.raw("", drawn.figure, format="html"))
        options = [f"- ({letter(place)}) {one}" for place, one in enumerate(drawn.options)]
        made += self.parse_text_to_nodes("\n".join(options))
        chosen = f"({drawn.letter}) " if drawn.letter else ""
        steps = [f"- {step}" for step, _ in drawn.steps]
        told = f"{chosen}{drawn.answer}\n\n" + "\n".join(steps)
        where = word("Read: {section}", section=f"{{ref}}`{question.section}`")
        summary = f'<details class="course-fold"><summary>{word("Answer")}</summary>'
        return [
            *made,
            nodes.raw("", summary, format="html"),
            *self.parse_text_to_nodes(f"{told}\n\n{where}"),
            nodes.raw("", "</details>", format="html"),
        ]


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("questions", Questions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
