"""What the student reads, in the terminal and in a notebook; and the audit's table."""

from __future__ import annotations

import html as escape
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grader import picture
from grader.audit import Audit
from grader.check import CaseResult, ExerciseResult
from grader.exercise import Exercise
from grader.picture import Picture, colorful

SAID = {
    "blank": "not written yet",
    "timeout": "ran too long",
    "memory": "out of memory",
    "died": "stopped",
    "invalid": "unreadable result",
    "refused": "shortcut",
}
LEADS = {
    "missing": "It is not there: ",
    "import": "The file does not run: ",
    "signature": "It cannot be called: ",
    "parameters": "The given parameters do not fit: ",
    "type": "It is of the wrong type: ",
}
STYLES = {"wrong": "red", "right": "green", "note": "dim", "known": "bold yellow", "": ""}
DETAILED = 3  # failed cases that are shown with their numbers; the others by name
BAR = 24  # characters of a progress bar
SHOWN = 8  # lines of what the code printed


@dataclass(frozen=True)
class Line:
    """One line of feedback: an emphasized lead and the text, in a role that decides the color.
    Or a picture, where one can be shown.
    """

    text: str
    lead: str = ""
    role: str = ""
    indent: int = 0
    picture: Picture | None = None


def feedback(result: ExerciseResult) -> Iterator[Line]:
    """Why points are missing, in this order: what ended the run, each failed case with its shape
    or size of error, the mistake by name, where to read, a hint, what the code printed.
    """
    if result.detail:
        yield Line(result.detail, role="wrong")
    failed = [case for case in result.cases if case.difference or case.error]
    said = {tuple(_problem(case)) for case in failed}
    drawn = next((case for case in failed if case.picture), None)  # one picture says enough
    if len(failed) > 1 and len(said) == 1 and len(failed) == len(result.cases):
        yield Line("the same in every case", "✗", "wrong")
        yield from _problem(failed[0])
        if drawn:
            yield Line("", picture=drawn.picture)
    else:
        detailed = 1 if result.upstream else DETAILED
        for case in failed[:detailed]:
            yield Line(f"{case.name} ({_points(case.points)})", "✗", "wrong")
            yield from _problem(case)
            if case is drawn:
                yield Line("", picture=case.picture)
        if rest := failed[detailed:]:
            names = " · ".join(case.name for case in rest)
            yield Line(f"{names} ({_points(sum(case.points for case in rest))})", "✗", "wrong")
    if result.upstream:
        names = " and ".join(result.upstream)
        yield Line(f"It builds on {names}: put that right first.", "→", "known")
        return
    for mistake in result.named:
        lead = "This is" if result.complete else "Part of it may be"
        yield Line(mistake.why, f"{lead} a known mistake.", "known")
    for sentence in result.observed:
        yield Line(sentence, "→", "known")
    ran = not all((case.error or {}).get("kind") in ("missing", "import") for case in result.cases)
    if failed and ran:
        yield Line(f"{result.exercise.slug}.html#{result.exercise.section}", "Read:", "note")
    if result.status != "refused" and not result.complete and ran:
        yield Line(result.exercise.hint, "Hint:", "note")
    printed = result.log.strip().splitlines()
    if printed:
        yield Line("", "It printed:", "note")
        yield from (Line(text[:200], role="note", indent=1) for text in printed[:SHOWN])
        if len(printed) > SHOWN:
            yield Line(f"… and {len(printed) - SHOWN} more lines", role="note", indent=1)


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
            (SAID.get(result.status, ""), "dim"),
        )
        console.print(line)
        for item in feedback(result) if result.status not in ("passed", "blank") else ():
            if item.picture:
                if colorful(console):
                    console.print(Padding(picture.terminal(item.picture), (0, 0, 0, 6)))
                continue
            text = Text.assemble((item.lead + " " * bool(item.lead), STYLES[item.role]))
            text.append(item.text, "dim" if item.role == "note" else "")
            console.print(Padding(text, (0, 0, 0, 4 + 2 * item.indent), expand=False))
    earned, points = _sum(results)
    console.print(
        Text(f"\n{earned} of {points} points", "bold green" if earned == points else "bold")
    )
    blank = [result.exercise.id for result in results if result.status == "blank"]
    if blank:
        console.print(Text(f"Next to write: {blank[0]}", "dim"))
    for sentence in missing:
        console.print(Text.assemble(("Not protected: ", "yellow"), sentence))


def plain(results: Sequence[ExerciseResult], missing: Sequence[str]) -> str:
    """What `terminal` prints, as text without colors."""
    # in a notebook's kernel rich would display what it is told to print into a file
    # or, where FORCE_COLOR is set as in a kernel, color it
    console = Console(
        file=io.StringIO(), width=100, highlight=False, force_jupyter=False, force_terminal=False
    )
    terminal(results, console, missing)
    return console.file.getvalue()


def html(results: Sequence[ExerciseResult], missing: Sequence[str]) -> str:
    """The same as one self-contained panel for notebooks, readable on light and dark."""
    parts = []
    for result in results:
        mark, color = _mark(result)
        said = SAID.get(result.status, "")
        parts.append(
            f'<div><span style="color:{color}">{mark}</span> <b>{result.exercise.id}</b> '
            f"{result.earned}/{result.points} <i>{said}</i></div>"
        )
        for item in feedback(result) if result.status != "passed" else ():
            if item.picture:
                parts.append(picture.html(item.picture))
                continue
            lead = f"<b>{escape.escape(item.lead)}</b> " if item.lead else ""
            faint = "opacity:.75;" if item.role == "note" else ""
            text = re.sub("`(.+?)`", r"<code>\1</code>", escape.escape(item.text))
            parts.append(
                f'<div style="{faint}margin-left:{1.5 + item.indent}em">{lead}{text}</div>'
            )
    parts += [f"<div><i>Not protected:</i> {escape.escape(text)}</div>" for text in missing]
    color = "green" if all(result.passed for result in results) else "darkorange"
    style = f"border-left:4px solid {color};padding:.4em .8em;line-height:1.5"
    return f'<div style="{style}">{"".join(parts)}</div>'


def status(earned: Sequence[tuple[Exercise, int | None]], console: Console) -> None:
    """Print a bar for each chapter and the first exercise that still lacks points.

    Args:
        earned: every exercise and its points so far; None where it was never checked.
        console: where to.
    """
    chapters = list(dict.fromkeys(exercise.slug for exercise, _ in earned))
    width = max(map(len, chapters))
    todo = None
    for slug in chapters:
        mine = [  # a record is plain text, and may hold anything
            (exercise, min(max(points or 0, 0), exercise.public_points))
            for exercise, points in earned
            if exercise.slug == slug
        ]
        points = sum(exercise.public_points for exercise, _ in mine)
        got = sum(points for _, points in mine)
        full = round(BAR * got / points)
        bar = Text.assemble(("█" * full, "green"), ("░" * (BAR - full), "dim"))
        console.print(Text.assemble(f"{slug:<{width}}  ", bar, f"  {got}/{points}"))
        open_ = [exercise for exercise, points in mine if points < exercise.public_points]
        todo = todo or (open_[0] if open_ else None)
    if todo:
        console.print(f"\nNext: {todo.id}, {todo.title[0].lower()}{todo.title[1:]}")
    else:
        console.print("\nEverything is done.")


def audit(found: Sequence[Audit], console: Console, *, mistakes: bool = False) -> None:
    """Print the audit's table, then every gap.

    Args:
        found: audits.
        console: where to.
        mistakes: whether to print a line for each known mistake as well.
    """
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("exercise", no_wrap=True)
    for name in (
        "points",
        "cases",
        "mistakes",
        "variants",
        "mutants",
        "right ±",
        "tolerance",
        "wrong ±",
    ):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("mistakes shown by", no_wrap=True)
    for entry in found:
        exercise = entry.exercise
        table.add_row(
            Text("✗ " if entry.gaps else "✓ ", "red" if entry.gaps else "green") + exercise.id,
            str(exercise.points),
            f"{entry.public}+{entry.hidden}",
            f"{entry.named}/{len(exercise.mistakes)}",
            f"{entry.accepted}/{len(exercise.variants)}",
            f"{entry.killed}/{entry.mutants}",
            f"{entry.right:.0e}",
            f"{exercise.tolerance:.0e}",
            "—" if entry.wrong == float("inf") else f"{entry.wrong:.0e}",
            ", ".join(f"{kind} {n}" for kind, n in _kinds(entry).most_common()),
        )
    console.print(table)
    for entry in found if mistakes else ():
        console.print(_mistakes(entry))
    for entry in found:
        for gap in entry.gaps:
            console.print(Text.assemble(("✗ ", "red"), f"{entry.exercise.id}: {gap}"))
    console.print(
        f"\n{len(found)} exercises, "
        f"{sum(entry.public + entry.hidden for entry in found)} cases, "
        f"{sum(entry.named for entry in found)} known mistakes caught and named, "
        f"{sum(entry.accepted for entry in found)} right variants accepted, "
        f"{sum(entry.killed for entry in found)} of {sum(entry.mutants for entry in found)} "
        f"mutants killed, "
        f"{sum(len(entry.gaps) for entry in found)} gaps"
    )


def _kinds(entry: Audit) -> Counter[str]:
    """What gives the known mistakes away, and how many of them."""
    return Counter(evidence.kind for evidence in entry.evidence.values() if evidence.kind)


def _mistakes(entry: Audit) -> Table:
    """How each known mistake shows, and what tells it from its nearest neighbor."""
    table = Table(box=None, pad_edge=False, header_style="bold", title_justify="left")
    table.title = Text(f"\n{entry.exercise.id}", "bold not italic")
    for name in ("mistake", "wrong in", "shown by", "nearest other", "apart in", "first in case"):
        table.add_column(name, no_wrap=True, overflow="ellipsis")
    cases = entry.public + entry.hidden
    for name, evidence in entry.evidence.items():
        apart = f"{evidence.apart} of {cases}" if evidence.nearest else ""
        wrong = f"{evidence.cases} of {cases}"
        table.add_row(name, wrong, evidence.kind, evidence.nearest, apart, evidence.where)
    return table


def _problem(case: CaseResult) -> Iterator[Line]:
    """What is wrong with one case; numbers for public cases alone."""
    if case.difference:
        yield Line(case.difference.message, indent=1)
        if case.difference.numbers and not case.secret:
            yield Line(case.difference.numbers, role="note", indent=1)
        return
    error = case.error or {}
    kind, said = error.get("kind"), str(error.get("message", ""))
    if kind == "blank":
        yield Line("This part is not written yet.", indent=1)
        return
    if kind in ("exception", "import") and error.get("type"):
        said = f"{error['type']}: {said}"
    yield Line(LEADS.get(kind, "") + said, indent=1)
    if error.get("line"):
        text = str(error.get("text") or "").strip()
        cell = f"cell {error['cell']}, " if error.get("cell") else ""
        yield Line(text, f"{cell}line {error['line']}:", "note", indent=1)


def _points(number: int) -> str:
    return "1 point" if number == 1 else f"{number} points"


def _mark(result: ExerciseResult) -> tuple[str, str]:
    """A sign and a color; both are known to terminals and to HTML."""
    return {"passed": ("✓", "green"), "blank": ("·", "")}.get(result.status, ("✗", "red"))


def _sum(results: Sequence[ExerciseResult]) -> tuple[int, int]:
    return sum(result.earned for result in results), sum(result.points for result in results)
