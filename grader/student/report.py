"""Reports that a student reads, in the terminal and in a notebook."""

from __future__ import annotations

import html as escape
import io
import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.style import Style
from rich.text import Text

from grader import course
from grader.judge.grading import CaseResult, ExerciseResult
from grader.judge.picture import Picture
from grader.student import assigned, heatmap
from grader.student.progress import Earned, following

SAID = {
    "blank": "not written yet",
    "timeout": "ran too long",
    "memory": "out of memory",
    "died": "stopped",
    "invalid": "unreadable result",
    "refused": "shortcut",
    "unread": "cannot be read",
    "ungraded": "not graded",
}
LEADS = {
    "missing": "It is not there: ",
    "import": "The file does not run: ",
    "signature": "It cannot be called: ",
    "parameters": "The given parameters do not fit: ",
    "type": "It is of the wrong type: ",
    "cost": "It costs too much: ",
}
UPSTREAM = {"blank": "{} not written yet", "timeout": "ran out of time"}
COUNTED = "Costs were counted in the process that ran the code, which could have changed them"
NOT_RUN = ("missing", "import", "needs")  # kinds of error: then nothing is wrong with it yet
STYLES = {  # on dark and light
    "wrong": "red",
    "corner": "#b8860b",
    "idea": "bold green",
    "note": "dim",
    "known": "bold magenta",
    "": "",
}
CORNER = "#b8860b"  # between right and wrong
HTML = {"idea": "green", "corner": CORNER}  # what stands out in a notebook
IDEA = "The idea is right."
DETAILED = 3  # failed cases that are shown with their numbers; the others by name
BAR = 24  # characters of a progress bar
EMPHASIS = re.compile(r"(?<![\w*])\*(?=\S)([^*`]+)(?<=\S)\*(?![\w*])")  # *this*
SHOWN = 8  # lines of what the code printed

SEEN = {  # mistakes that a widget of the chapter shows
    "self_attention.scaled_dot_product_attention": (
        "not_scaled",
        "softmax_over_queries",
        "mask_ignored",
        "mask_after_softmax",
    ),
    "transformer.multi_head_attention": ("heads_cut_by_view",),
    "training.BatchNorm1d": ("batch_values_in_evaluation",),
    "vit.patches": ("reshaped_without_moving_axes",),
    "mlp.MLP": ("dropout_in_training_mode",),
}
LATER = {"mlp.MLP": "training"}  # where the widget is of another chapter


@dataclass(frozen=True)
class Line:
    """One line of feedback: an emphasized lead and the text, in a role that decides the color.
    Or a picture, where one can be shown. With the section of a chapter, the text leads there.
    An author's sentence may emphasize a word.
    """

    text: str
    lead: str = ""
    role: str = ""
    indent: int = 0
    picture: Picture | None = None
    section: tuple[str, str] | None = None
    authored: bool = False


def feedback(result: ExerciseResult) -> Iterator[Line]:
    """Why points are missing, in this order: whether the idea is right, what ended the run, each
    failed case with its shape or size of error, core cases before corners, the mistake by name,
    where to read, a hint, what the code printed.
    """
    if result.passed:
        yield from _upstream(result)
        return
    if result.idea_right:
        yield Line("Every core case passes; what is left is in the corners.", IDEA, "idea")
    if result.detail:
        yield Line(result.detail, role="wrong")
    failed = [case for case in result.cases if case.difference or case.error]
    yield from _failures(result, failed)
    yield from _upstream(result)
    if result.upstream and not result.stood_in:
        return
    yield from _known(result, failed)
    ran = not all((case.error or {}).get("kind") in NOT_RUN for case in result.cases)
    if failed and ran and (place := result.exercise.place):
        section = result.exercise.slug, result.exercise.section
        yield Line(place, "Read:", "note", section=section)
    if result.status not in ("refused", "timeout", "blank") and not result.complete and ran:
        yield Line(result.exercise.hint, "Hint:", "note", authored=True)
    yield from _printed(result.log.strip().splitlines())


def _failures(result: ExerciseResult, failed: Sequence[CaseResult]) -> Iterator[Line]:
    """The failed cases, alike ones together: the first with their numbers, the others by name."""
    alike: dict[tuple[Line, ...], list[CaseResult]] = {}
    for case in failed:
        alike.setdefault(tuple(_problem(case)), []).append(case)
    pictures = [case.picture for case in failed if case.picture][:1]  # one picture says enough
    groups = sorted(alike.items(), key=lambda group: all(case.corner for case in group[1]))
    detailed = 1 if result.upstream or result.complete else DETAILED
    for problem, cases in groups[:detailed]:
        everywhere = 1 < len(cases) == len(result.cases)
        yield _failed(cases, "the same in every case" if everywhere else "")
        yield from problem
        if any(case.picture in pictures for case in cases):
            yield Line("", picture=pictures.pop())
    rest = [case for _, cases in groups[detailed:] for case in cases]
    for corner in (False, True):
        if some := [case for case in rest if case.corner == corner]:
            yield _failed(some)


def _known(result: ExerciseResult, failed: Sequence[CaseResult]) -> Iterator[Line]:
    """The mistakes by name, and what else is seen in the numbers."""
    raised = all((case.error or {}).get("kind") == "exception" for case in failed)
    for number, mistake in enumerate(result.named):
        lead = f"{'This looks like' if raised else 'This is'} a known mistake."
        if not result.complete:
            lead = "The other:" if number else "These may be two known mistakes at once. One:"
        yield Line(mistake.why, lead, "known", authored=True)
        if mistake.name in SEEN.get(result.exercise.id, ()):
            place = _seen_on(result.exercise.id), f"see-{mistake.name}"
            yield Line("{}.html#{}".format(*place), "See it:", "note", section=place)
    for sentence in result.observed:
        yield Line(sentence, "→", "known")


def _seen_on(exercise: str) -> str:
    """The page with the widget that shows an exercise's mistakes."""
    return LATER.get(exercise, exercise.partition(".")[0])


def _printed(lines: Sequence[str]) -> Iterator[Line]:
    """The first lines of what the code printed."""
    if lines:
        yield Line("", "It printed:", "note")
        yield from (Line(text[:200], role="note", indent=1) for text in lines[:SHOWN])
        if len(lines) > SHOWN:
            yield Line(f"… and {len(lines) - SHOWN} more lines", role="note", indent=1)


def terminal(results: Sequence[ExerciseResult], console: Console, missing: Sequence[str]) -> None:
    """Print results in the order of the book, feedback for what is wrong, and the sum.

    Args:
        results: to print.
        console: where to; colors are dropped when it is not a terminal.
        missing: protections that do not hold on this machine, one sentence each.
    """
    width = max(len(result.exercise.id) for result in results)
    for result in results:
        mark, color = _mark(result)
        line = Text.assemble(
            (f"{mark} ", color),
            (f"{result.exercise.id:<{width}}", "dim" if result.status == "blank" else "bold"),
            f"  {result.earned:>2}/{result.points}  ",
            (_said(result), "green" if result.idea_right else "dim"),
        )
        console.print(line)
        for item in feedback(result) if result.status != "blank" else ():
            if item.picture:
                if heatmap.colorful(console):
                    drawn = heatmap.terminal(item.picture, console.width - 6)
                    console.print(Padding(drawn, (0, 0, 0, 6)))
                continue
            text = Text.assemble((item.lead + " " * bool(item.lead), STYLES[item.role]))
            link = course.address(*item.section) if item.section else None
            words = EMPHASIS.sub(r"\1", item.text) if item.authored else item.text
            text.append(words, Style(dim=item.role == "note", link=link))
            console.print(Padding(text, (0, 0, 0, 4 + 2 * item.indent), expand=False))
    earned, points = _sum(results)
    total = Text(f"\n{earned} of {points} points", "bold green" if earned == points else "bold")
    core = sum(result.core_points for result in results)
    if earned < points and core < points:
        got = sum(result.core_earned for result in results)
        total.append(f", {got} of {core} in the core", "green" if got == core else "")
    elif any(result.points < result.exercise.public_points for result in results):
        total.append(" in the core")
    console.print(total)
    blank = [result.exercise.id for result in results if result.status == "blank"]
    if blank:
        asked = assigned.asked()
        blank.sort(key=lambda name: name not in asked)
        console.print(Text(f"Next to write: {blank[0]}", "dim"))
    for sentence in _left_out(results):
        console.print(Text(f"Left out: {sentence}.", "dim"))
    if counted := _counted(results):
        console.print(Text(f"{COUNTED}: {counted}", "dim"))
    for sentence in missing:
        console.print(Text.assemble(("Not protected: ", "yellow"), sentence))


def plain(results: Sequence[ExerciseResult], missing: Sequence[str]) -> str:
    """Return what `terminal` prints, as text without colors."""
    # in a notebook's kernel rich would display what it is told to print into a file
    # or, where FORCE_COLOR is set as in a kernel, color it
    text = io.StringIO()
    console = Console(
        file=text, width=100, highlight=False, force_jupyter=False, force_terminal=False
    )
    terminal(results, console, missing)
    return text.getvalue()


def html(
    results: Sequence[ExerciseResult],
    missing: Sequence[str],
    folds: Mapping[str, str] | None = None,
    *,
    beside: bool = False,
) -> str:
    """The same as one self-contained panel for notebooks, readable on light and dark.

    Args:
        results: to show.
        missing: protections that do not hold on this machine, one sentence each.
        folds: HTML that goes below what is said of an exercise, by its id.
        beside: whether it is shown on a chapter's page, which lies beside those it links to.
    """
    parts = []
    for result in results:
        mark, color = _mark(result)
        said = _said(result)
        parts.append(
            f'<div><span style="color:{color}">{mark}</span> <b>{result.exercise.id}</b> '
            f"{result.earned}/{result.points} <i>{said}</i></div>"
        )
        for item in feedback(result):
            if item.picture:
                parts.append(heatmap.html(item.picture))
                continue
            color = f' style="color:{HTML[item.role]}"' if item.role in HTML else ""
            lead = f"<b{color}>{escape.escape(item.lead)}</b> " if item.lead else ""
            faint = "opacity:.75;" if item.role == "note" else ""
            text = escape.escape(item.text)
            text = EMPHASIS.sub(r"<em>\1</em>", text) if item.authored else text
            text = re.sub("`(.+?)`", r"<code>\1</code>", text)
            if item.section:
                slug, section = item.section
                here = f'<a href="{escape.escape(item.text)}">{text}</a>'
                text = here if beside else _linked(text, slug, section)
            parts.append(
                f'<div style="{faint}margin-left:{1.5 + item.indent}em">{lead}{text}</div>'
            )
        if fold := (folds or {}).get(result.exercise.id):
            parts.append(f'<div style="margin-left:1.5em">{fold}</div>')
    for sentence in _left_out(results):
        parts.append(f'<div style="opacity:.75">Left out: {escape.escape(sentence)}.</div>')
    if counted := _counted(results):
        parts.append(f'<div style="opacity:.75">{COUNTED}: {escape.escape(counted)}</div>')
    parts += [f"<div><i>Not protected:</i> {escape.escape(text)}</div>" for text in missing]
    color = "green" if all(result.passed for result in results) else "darkorange"
    style = f"border-left:4px solid {color};padding:.4em .8em;line-height:1.5"
    return f'<div style="{style}">{"".join(parts)}</div>'


def status(
    earned: Sequence[Earned], console: Console, *, begun: Collection[str] = (), core: bool = False
) -> None:
    """Print a bar for each chapter, and what to write next.

    Args:
        earned: every exercise and its points so far.
        console: where to.
        begun: chapters whose exercises come next before those of others.
        core: whether the core alone counts.
    """
    chapters = list(dict.fromkeys(score.exercise.slug for score in earned))
    width = max(map(len, chapters))
    for slug in chapters:
        mine = [score for score in earned if score.exercise.slug == slug]
        inside = (
            sum(score.core for score in mine),
            sum(score.exercise.core_points for score in mine),
        )
        points = (
            sum(score.points for score in mine),
            sum(score.exercise.public_points for score in mine),
        )
        got, most = inside if core else points
        full = round(BAR * got / most)
        bar = Text.assemble(("█" * full, "green"), ("░" * (BAR - full), "dim"))
        line = Text.assemble(f"{slug:<{width}}  ", bar, f"  {got}/{most}")
        if not core:
            line.append("  core {}/{}".format(*inside), "dim")
        console.print(line)
    todo = following(earned, begun, assigned.asked())
    if todo and not (core and all(score.core == score.exercise.core_points for score in earned)):
        console.print(f"\nNext: {todo.id}, {todo.title[0].lower()}{todo.title[1:]}")
    else:
        console.print("\nEverything is done.")


def _upstream(result: ExerciseResult) -> Iterator[Line]:
    """Name the exercise it builds on that is not right, and say whether that costs points."""
    if result.upstream:
        groups: dict[str, list[str]] = {}
        for name, status in result.upstream.items():
            groups.setdefault(UPSTREAM.get(status, "{} not right yet"), []).append(name)
        said = "; ".join(
            f"{_listed(names)}, which {why.format('is' if len(names) == 1 else 'are')}"
            for why, names in groups.items()
        )
        said = f"It builds on {said}."
        if result.stood_in:
            versions = "version" if len(result.upstream) == 1 else "versions"
            said += f" It was checked with the course's {versions} in place of yours."
        yield Line(said, "→", "known")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:-1]) + " and " * (len(names) > 1) + names[-1]


def _left_out(results: Sequence[ExerciseResult]) -> list[str]:
    return list(dict.fromkeys(sentence for result in results for sentence in result.left_out))


def _counted(results: Sequence[ExerciseResult]) -> str:
    """Exercises that earned points for what they cost, where an instructor grades."""
    earned = [
        result.exercise.id
        for result in results
        if any(case.counted and case.secret and case.earned for case in result.cases)
    ]
    return ", ".join(earned)


def _problem(case: CaseResult) -> Iterator[Line]:
    """Say what is wrong with one case; numbers for public cases alone."""
    if case.difference:
        yield Line(case.difference.message, indent=1)
        if case.difference.numbers and not case.secret:
            yield Line(case.difference.numbers, role="note", indent=1)
        return
    error = case.error or {}
    kind, said = str(error.get("kind")), str(error.get("message", ""))
    if kind == "blank":
        yield Line("This part is not written yet.", indent=1)
        return
    if kind in ("exception", "import") and error.get("type"):
        said = f"{error['type']}: {said}"
    if kind == "needs":
        yield Line(f"{said[:1].upper()}{said[1:]}.", indent=1)
        return
    yield Line(LEADS.get(kind, "") + said, indent=1)
    if error.get("line"):
        text = str(error.get("text") or "").strip()
        place = error.get("cell") or ""
        place = f"cell {place}, " if isinstance(place, int) else place
        yield Line(text, f"{place}line {error['line']}:", "note", indent=1)


def _linked(text: str, slug: str, section: str) -> str:
    """A section as a notebook can show it: a link to the website, or to the chapter's notebook
    where that lies below the folder that was opened; else the address, to be copied, since from a
    notebook browsers follow no link to a file.
    """
    address, page = course.address(slug, section), course.notebook(slug)
    link = address if address and address.startswith("http") else None
    if page and not link and page.is_relative_to(Path.cwd()):
        link = page.relative_to(Path.cwd()).as_posix()
    if link:
        return f'<a href="{escape.escape(link)}" target="_blank">{text}</a>'
    return f"<code>{escape.escape(address)}</code>" if address else text


def _failed(cases: Sequence[CaseResult], said: str = "") -> Line:
    """Cases that failed alike, corners as such."""
    corners = all(case.corner for case in cases)
    return Line(said or _names(cases), "✗", "corner" if corners else "wrong")


def _said(result: ExerciseResult) -> str:
    """A few words on the whole result."""
    if result.idea_right and result.status == "failed":
        return "the idea is right"
    return SAID.get(result.status, "")


def _names(cases: Sequence[CaseResult]) -> str:
    """Cases and what they are worth, in the order in which they ran, core before corners."""
    core, corners = (
        [case.name for case in cases if case.corner == corner] for corner in (False, True)
    )
    names = [" · ".join(core)] * bool(core)
    if corners:
        names.append(f"corner{'s' * (len(corners) > 1)}: {' · '.join(corners)}")
    return f"{'; '.join(names)} ({_points(sum(case.points for case in cases))})"


def _points(number: int) -> str:
    return "1 point" if number == 1 else f"{number} points"


def _mark(result: ExerciseResult) -> tuple[str, str]:
    """A sign and a color; both are known to terminals and to HTML."""
    if result.idea_right and not result.passed:
        return "≈", CORNER
    return {"passed": ("✓", "green"), "blank": ("·", "")}.get(result.status, ("✗", "red"))


def _sum(results: Sequence[ExerciseResult]) -> tuple[int, int]:
    return sum(result.earned for result in results), sum(result.points for result in results)


def console(*, piped: int = 120) -> Console:
    """Colors and the terminal's width; plain and wide when piped."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else piped)
