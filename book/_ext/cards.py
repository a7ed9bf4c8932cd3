"""Sphinx extension: an exercise is one card, from its statement to its solution.

A page's ``{exercise}`` box holds what its author writes. Here it gets what the record and the
module know: its points, the signature with its docstring, the command that checks it, what is
refused, the hint, and a public case that is small enough to be read. What `book.figures.show` puts
out for the same symbol moves to its end in the public edition, and goes in the student edition.
"""

from __future__ import annotations

import contextlib
import os
import re
from html import escape

from docutils import nodes
from sphinx.application import Sphinx
from sphinx_exercise.nodes import exercise_enumerable_node

from book._ext import heads
from book._ext.weight import code_block
from book.translation import said, word, words
from grader import course
from grader.errors import UserError
from grader.judge import records, source, syntax
from grader.judge.records import Manifest
from grader.student import case as cases

CHECK = "grade check "
LONG = 24  # lines; of a longer statement the beginning is shown until it is asked for


def make_cards(app: Sphinx, doctree: nodes.document) -> None:
    """Complete every exercise of a page; runs before the editions part."""
    solutions = _solutions(doctree)
    for box in list(doctree.findall(exercise_enumerable_node)):
        if known := _recorded(box["label"]):
            for record in (records.FOLDER / known.slug).glob(f"*{records.SUFFIX}"):
                app.env.note_dependency(str(record))
            app.env.note_dependency(str(course.ROOT / "solutions" / f"{known.slug}.py"))
            _complete(box, known, course.solution(known.slug), solutions.get(known.id, []))


def _recorded(label: str) -> Manifest | None:
    """The exercise that a box is about; None before it is recorded."""
    with contextlib.suppress(UserError):
        return records.select([course.symbol(label)])[0]
    return None


def _solutions(doctree: nodes.document) -> dict[str, list[nodes.container]]:
    """By exercise: the containers of the two editions that `show` puts out for it."""
    found: dict[str, list[nodes.container]] = {}
    for blank in doctree.findall(nodes.container):
        if "course-student" not in blank["classes"]:
            continue
        for literal in blank.findall(nodes.literal):
            if literal.astext().startswith(CHECK):
                pair = [one for one in blank.parent.children if isinstance(one, nodes.container)]
                found.setdefault(literal.astext().removeprefix(CHECK), []).extend(pair)
    return found


def _complete(
    box: nodes.Element, exercise: Manifest, module: str, shown: list[nodes.container]
) -> None:
    body = box.children[-1]
    points = nodes.paragraph(classes=["course-points"])
    points += nodes.literal(text=exercise.id)
    points += nodes.Text(f" · {worth(exercise)}")
    box.insert(1, points)
    text = source.blank(syntax.text_of(module, exercise.symbol), {exercise.symbol})
    text = re.sub(r"\n+ *raise NotImplementedError\b.*", "", text).rstrip()
    body += code_block(text, "python", "course-statement")
    if (lines := text.count("\n") + 1) > LONG:
        every, fewer = word("All {count} lines", count=lines), word("Fewer lines")
        more = f"<span>{every}</span><span>{fewer}</span>"
        summary = f'<details class="course-more"><summary>{more}</summary></details>'
        body += nodes.raw("", summary, format="html")
    if exercise.forbidden:
        names = ", ".join(f"`{name}`" for name in exercise.forbidden)
        body += _line(word("Do it without {names}.", names=names), "course-refused")
    body += code_block(CHECK + exercise.id, "text", "course-command")
    hint = word("Hint")
    body += [
        nodes.raw("", f'<details class="course-hint"><summary>{hint}</summary>', format="html"),
        _line(said(exercise.slug, exercise.hint)),
        nodes.raw("", "</details>", format="html"),
    ]
    if example := cases.example(records.load(exercise.slug, exercise.symbol)):
        name, lines = example
        example = word("An example: {name}", name=said(exercise.slug, name))
        summary = f"<summary>{escape(example)}</summary>"
        body += [
            nodes.raw("", f'<details class="course-hint">{summary}', format="html"),
            code_block(lines, "text"),
            nodes.raw("", "</details>", format="html"),
        ]
    for container in shown:
        if "course-public" in container["classes"] and _edition() == "public":
            body += container.children
    for container in shown:
        _remove(container)


def worth(exercise: Manifest) -> str:
    """Points of an exercise, and whether it is a main exercise of its chapter."""
    public, core = exercise.public_points, exercise.core_points
    text = words("{count} point", "{count} points", public)
    if core < public:
        text = word("{points}, {count} of them core", points=text, count=core)
    if hidden := max(0, exercise.points - public):
        text = word("{points} and {count} in hidden cases", points=text, count=hidden)
    return f"{word('main exercise')} · {text}" if heads.is_main(exercise) else text


def _edition() -> str:
    return os.environ.get("COURSE_EDITION", "public")


def _line(text: str, name: str = "") -> nodes.paragraph:
    """A paragraph; what stands in backquotes is code."""
    line = nodes.paragraph(classes=[name] if name else [])
    for number, part in enumerate(text.split("`")):
        line += nodes.literal(text=part) if number % 2 else nodes.Text(part)
    return line


def _remove(node: nodes.Element) -> None:
    """Remove it, and the output and the cell that it leaves empty."""
    parent = node.parent
    parent.remove(node)
    if parent.get("mime_type") == "text/markdown" and not parent.children:
        _remove(parent.parent)  # with what would stand there instead
    elif isinstance(parent, nodes.container) and not parent.children:
        _remove(parent)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("doctree-read", make_cards, priority=90)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
