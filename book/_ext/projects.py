"""Sphinx extension: projects with their baselines, rubric and examples of work.

``{criteria}`` holds the criteria, ``key | points | title | full | half | none``, and shows them
with their sum. ``{project} NAME`` holds a project's facts, what each criterion means in it, and
three examples of work (`book.projects`); it shows the recorded baseline, this rubric, and the
examples with their points. ``{baselines}`` says where the recorded numbers come from.
"""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from book import projects
from book.pages import ROOT
from book.recorded import told


class Rubric(SphinxDirective):
    """The criteria of all projects, with the points of each."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        return self.parse_text_to_nodes("\n".join(projects.scale(projects.rubric())))


class Project(SphinxDirective):
    """A project's beginning, its rubric, and three examples."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        for path in (f"benchmarks/{projects.RUN}.json", f"benchmarks/baselines/{name}.py"):
            self.env.note_dependency(str(ROOT / path))
        (found,) = (one for one in projects.projects() if one.name == name)
        criteria = projects.rubric()
        return self.parse_text_to_nodes(
            "\n".join(
                [
                    *projects.begins(found),
                    *projects.marking(found, criteria),
                    *projects.examples(found, criteria),
                ]
            )
        )


class Baselines(SphinxDirective):
    """The command that repeats the recorded runs, and the machine that they were made on."""

    def run(self) -> list[nodes.Node]:
        return self.parse_text_to_nodes(told(projects.RUN))


def setup(app: Sphinx) -> dict[str, bool]:
    for name, directive in (("criteria", Rubric), ("project", Project), ("baselines", Baselines)):
        app.add_directive(name, directive)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
