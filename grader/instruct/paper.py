"""Exam papers and their key, as pages of HTML that print: no script runs in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from markdown_it import MarkdownIt

from grader.instruct.formulas import katex
from grader.instruct.hand_ins import Student
from grader.questions import Drawn, Question, letter

KATEX = "katex"  # folder beside the pages: fonts of formulas and their style
FORMULA = re.compile(r"\$([^$]+)\$")
MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
KINDS = {
    "short": "Short answer",
    "derive": "Derivation",
    "prints": "What does it print?",
    "mistake": "Which mistake?",
    "curve": "Reading curves",
}
RULES = (
    "Show the steps to each answer: points are given for steps. Positions and classes count from 0."
)
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<link rel="stylesheet" href="{up}{katex}/katex.min.css">
<style>
@page {{ size: A4; margin: 18mm 18mm 20mm;
  @bottom-left {{ content: "{foot}"; font: 9pt sans-serif; }}
  @bottom-right {{ content: counter(page) " of " counter(pages); font: 9pt sans-serif; }} }}
body {{ font: 11pt/1.45 "Liberation Sans", Arial, sans-serif; max-width: 174mm; margin: auto; }}
h1 {{ font-size: 17pt; margin: 0 0 2mm; }} h2 {{ font-size: 12pt; margin: 7mm 0 2mm; }}
h2 small {{ font-weight: normal; float: right; }} p {{ margin: 0 0 2mm; }}
.facts {{ border-bottom: 0.5pt solid; padding-bottom: 3mm; }}
.question {{ break-inside: avoid; }} h2 {{ break-after: avoid; }} .student {{ break-before: page; }}
pre {{ border: 0.5pt solid #999; padding: 2mm 3mm; font: 10pt/1.4 "Liberation Mono", monospace;
  white-space: pre-wrap; }}
blockquote {{ margin: 0 0 2mm 5mm; font-style: italic; }}
code {{ font: 0.92em "Liberation Mono", monospace; }} svg {{ display: block; }}
table {{ border-collapse: collapse; margin: 0 0 2mm; }}
td, th {{ border: 0.5pt solid #999; padding: 0.6mm 2.5mm; vertical-align: top; text-align: left; }}
ol.options {{ list-style: none; padding: 0; }} ol.options li {{ margin: 0 0 1.5mm; }}
ol.options p, .steps p {{ display: inline; }} .room {{ border: 0.5pt dotted #999; }}
.chosen {{ font-size: 9pt; width: 100%; }}
</style></head><body>
{body}
</body></html>
"""


def paper(title: str, student: Student, drawn: Iterable[tuple[Question, Drawn]]) -> str:
    """A student's paper, with room for the answers."""
    drawn = list(drawn)
    points = sum(one.points for _, one in drawn)
    minutes = sum(question.minutes for question, _ in drawn)
    head = (
        f"<h1>{escape(title)}</h1>"
        f'<div class="facts"><p><b>{escape(student.name or student.id)}</b>'
        f"{escape(f' ({student.id})') if student.name else ''}: {len(drawn)} questions, {points} "
        f"points, {minutes} minutes.</p><p>{RULES}</p></div>"
    )
    parts = [_asked(number, *one) + _room(*one) for number, one in enumerate(drawn, 1)]
    body = [head, *(f'<section class="question">{part}</section>' for part in parts)]
    return document(title, f"{title}: {student.name or student.id}", body, up="../")


def key(
    title: str,
    about: str,
    chosen: Sequence[Question],
    concepts: Mapping[str, str],
    papers: Iterable[tuple[Student, Sequence[Drawn]]],
) -> str:
    """The key: what each question is about, then every student's answers with the points of steps.

    Args:
        title: of the exam.
        about: how it was made.
        chosen: its questions.
        concepts: the concept of each question, by id.
        papers: each student's questions with their numbers, in the order of ``chosen``.
    """
    papers = list(papers)
    rows = "".join(
        f"<tr><td>{number}</td><td>{question.id.replace('_', ' ')}</td>"
        f"<td>{_inline(concepts[question.id])}</td><td>{question.section.replace('-', ' ')}</td>"
        f"<td>{drawn.points}</td><td>{question.minutes}</td></tr>"
        for number, (question, drawn) in enumerate(zip(chosen, papers[0][1], strict=True), 1)
    )
    names = ("", "Question", "Concept", "Section", "Points", "Minutes")
    head = "".join(f"<th>{name}</th>" for name in names)
    body = [
        f"<h1>{escape(title)}: key</h1><p>{escape(about)}</p><table><tr>{head}</tr>{rows}</table>"
    ]
    for student, drawn in papers:
        told = escape(f"{student.name} ({student.id})" if student.name else student.id)
        body.append(f'<h1 class="student">{told}</h1>')
        for number, (question, one) in enumerate(zip(chosen, drawn, strict=True), 1):
            body.append(solved(number, question, one))
    return document(f"{title}: key", f"{title}: key", body, up="")


def solved(number: int, question: Question, drawn: Drawn) -> str:
    """A question with its answer, as a section."""
    asked = _asked(number, question, drawn)
    return f'<section class="question">{asked}{_solved(drawn)}</section>'


def document(title: str, foot: str, body: Iterable[str], *, up: str) -> str:
    """A page that prints.

    Args:
        title: of the page.
        foot: stands below each sheet.
        body: HTML, part by part.
        up: path from the page to the folder that holds KaTeX's.
    """
    safe = "".join(one if one.isalnum() or one in " -" else f"\\{ord(one):x} " for one in foot)
    whole = "\n".join(body)
    return PAGE.format(title=escape(title), foot=safe, body=whole, up=up, katex=KATEX)


def markup(text: str) -> str:
    """Markdown as HTML, with formulas between dollar signs."""
    formulas: list[str] = []

    def keep(found: re.Match) -> str:
        formulas.append(katex(found[1]))
        return f"\ue000{len(formulas) - 1}\ue001"

    made = MARKDOWN.render(FORMULA.sub(keep, text))
    return re.sub("\ue000(\\d+)\ue001", lambda found: formulas[int(found[1])], made)


def _inline(text: str) -> str:
    return re.sub(r"^<p>|</p>\s*$", "", markup(text))


def _asked(number: int, question: Question, drawn: Drawn) -> str:
    parts = [
        f"<h2>{number}. {KINDS[question.kind]} <small>{drawn.points} points, {question.minutes} "
        "minutes</small></h2>",
        markup(drawn.text),
    ]
    if drawn.code:
        parts.append(f"<pre>{escape(drawn.code)}</pre>")
    if drawn.options:
        items = "".join(
            f"<li><b>({letter(place)})</b> {markup(one)}</li>"
            for place, one in enumerate(drawn.options)
        )
        parts.append(f'{drawn.figure}<ol class="options">{items}</ol>')
    else:
        parts.append(drawn.figure)
    return "".join(parts)


def _room(question: Question, drawn: Drawn) -> str:
    """An empty place for the answer: more for what takes longer."""
    return f'<div class="room" style="height: {10 + 7 * question.minutes}mm"></div>'


def _solved(drawn: Drawn) -> str:
    """The answer, and the points of each step."""
    chosen = f"<b>({drawn.letter})</b> " if drawn.letter else ""
    rows = "".join(
        f'<tr><td>{points}</td><td class="steps">{markup(step)}</td></tr>'
        for step, points in drawn.steps
    )
    return f"<p><b>Answer:</b> {chosen}{_inline(drawn.answer)}</p><table>{rows}</table>"
