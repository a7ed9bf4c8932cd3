"""What the student reads: in the terminal, or as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grader.audit import Audit
from grader.check import CaseResult, ExerciseResult

MARKS = {"passed": "[green]✓[/]", "blank": "[dim]·[/]"}
SAID = {
    "blank": "not written yet",
    "timeout": "ran too long",
    "memory": "out of memory",
    "died": "stopped",
    "invalid": "unreadable result",
    "refused": "shortcut",
}


def terminal(
    results: Sequence[ExerciseResult], console: Console, *, missing: Sequence[str]
) -> None:
    """Print results chapter by chapter, details for what is wrong, and the sum.

    Args:
        results: in the order of the book.
        console: where to; colors are dropped when it is not a terminal.
        missing: protections that do not hold on this machine.
    """
    width = max((len(result.exercise.id) for result in results), default=0)
    for result in results:
        _line(result, console, width)
        if result.status not in ("passed", "blank"):
            _details(result, console)
    earned = sum(result.earned for result in results)
    points = sum(result.points for result in results)
    console.print()
    color = "green" if earned == points else "yellow"
    console.print(f"[bold {color}]{earned} of {points} points[/]")
    blank = [result for result in results if result.status == "blank"]
    if blank and len(results) > 1:
        console.print(f"[dim]Next to write: {blank[0].exercise.id}[/]")
    for sentence in missing:
        console.print(f"[yellow]Not protected:[/] {escape(sentence)}")


def as_json(results: Sequence[ExerciseResult], *, missing: Sequence[str]) -> dict:
    """The same as plain values. Numbers of hidden cases are never in it."""
    return {
        "earned": sum(result.earned for result in results),
        "points": sum(result.points for result in results),
        "missing_protections": list(missing),
        "exercises": [_exercise(result) for result in results],
    }


def _exercise(result: ExerciseResult) -> dict:
    exercise = result.exercise
    return {
        "id": exercise.id,
        "title": exercise.title,
        "status": result.status,
        "earned": result.earned,
        "points": result.points,
        "detail": result.detail,
        "mistakes": [{"name": m.name, "why": m.why} for m in result.named],
        "mistakes_explain_everything": result.complete,
        "hint": "" if result.passed else exercise.hint,
        "flags": result.flags,
        "log": result.log,
        "seconds": round(result.seconds, 4),
        "cases": [_case(case) for case in result.cases],
    }


def _case(case: CaseResult) -> dict:
    difference = asdict(case.difference) if case.difference else None
    if difference and case.hidden:
        difference["numbers"] = ""
    return {
        "name": case.name,
        "hidden": case.hidden,
        "earned": case.earned,
        "points": case.points,
        "difference": difference,
        "error": case.error,
    }


def _line(result: ExerciseResult, console: Console, width: int) -> None:
    mark = MARKS.get(result.status, "[red]✗[/]")
    style = {"passed": "bold", "blank": "dim"}.get(result.status, "bold")
    name = f"[{style}]{result.exercise.id:<{width}}[/]"
    points = f"{result.earned:>2}/{result.points}"
    said = SAID.get(result.status, "")
    console.print(f"{mark} {name}  {points}" + (f"  [dim]{said}[/]" if said else ""))


def _details(result: ExerciseResult, console: Console) -> None:
    """Why points are missing: the case, the error, the mistake by name, the hint, in this order."""

    def say(text: str, indent: int = 4) -> None:
        console.print(Padding(Text.from_markup(text), (0, 0, 0, indent)))

    if result.detail:
        say(f"[red]{escape(result.detail)}[/]")
    ran = [case for case in result.cases if case.difference or case.error]
    errors = {_error(case) for case in ran if case.error}
    if ran and not any(case.difference for case in ran) and len(errors) == 1:
        for text in _error(ran[0]):
            say(text)
        if len(ran) > 1 and len(ran) == len(result.cases):
            say("[dim]in every case[/]", 6)
    else:
        for case in ran:
            lost = f"{case.points} point{'s' * (case.points != 1)}"
            say(f"[red]✗[/] {escape(case.name)} [dim]({lost})[/]")
            for text in _error(case) if case.error else _difference(case):
                say(text, 6)
    for mistake in result.named:
        lead = "This is" if result.complete else "Part of it may be"
        say(f"[bold yellow]{lead} a known mistake.[/] {escape(mistake.why)}")
    if result.named or ran:
        say(f"[dim]Read:[/] {result.exercise.slug}.html#{result.exercise.section}")
    if result.status not in ("refused",) and not result.complete:
        say(f"[dim]Hint:[/] {escape(result.exercise.hint)}")
    for flag in result.flags:
        say(f"[yellow]{escape(flag)}[/]")
    if result.log.strip():
        say("[dim]It printed:[/]")
        lines = result.log.strip().splitlines()
        for line in lines[:8]:
            say(f"[dim]{escape(line[:200])}[/]", 6)
        if len(lines) > 8:
            say(f"[dim]… and {len(lines) - 8} more lines[/]", 6)


def _difference(case: CaseResult) -> tuple[str, ...]:
    difference = case.difference
    if difference.numbers and not case.hidden:
        return escape(difference.message), f"[dim]{escape(difference.numbers)}[/]"
    return (escape(difference.message),)


def _error(case: CaseResult) -> tuple[str, ...]:
    error = case.error or {}
    kind, said = error.get("kind"), str(error.get("message", ""))
    if kind == "blank":
        return ("This part is not written yet.",)
    lead = {
        "missing": "It is not there: ",
        "import": "The file does not run: ",
        "signature": "It cannot be called: ",
        "parameters": "The given parameters do not fit: ",
        "type": "It is of the wrong type: ",
    }.get(kind, "")
    name = f"{error.get('type')}: " if kind in ("exception", "import") and error.get("type") else ""
    lines = [f"{lead}{escape(name + said)}"]
    if error.get("line"):
        text = str(error.get("text") or "").strip()
        lines.append(f"[dim]line {error['line']}:[/] {escape(text)}")
    return tuple(lines)


def audit(found: Sequence[Audit], console: Console) -> None:
    """Print the audit's table, then what is missing."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name, justify in (
        ("exercise", "left"),
        ("points", "right"),
        ("cases", "right"),
        ("mistakes named", "right"),
        ("right ones pass", "right"),
        ("right differ by", "right"),
        ("tolerance", "right"),
        ("wrong differ by", "right"),
    ):
        table.add_column(name, justify=justify, no_wrap=True)
    for entry in found:
        exercise = entry.exercise
        mark = "[red]✗[/]" if entry.gaps else "[green]✓[/]"
        table.add_row(
            f"{mark} {exercise.id}",
            str(exercise.points),
            f"{entry.public}+{entry.hidden}",
            f"{entry.named}/{len(exercise.mistakes)}",
            f"{entry.accepted}/{len(exercise.variants)}",
            f"{entry.right:.0e}",
            f"{exercise.tolerance:.0e}",
            "shape" if entry.wrong == float("inf") else f"{entry.wrong:.0e}",
        )
    console.print(table)
    for entry in found:
        for gap in entry.gaps:
            console.print(f"[red]✗[/] {entry.exercise.id}: {escape(gap)}")
    gaps = sum(len(entry.gaps) for entry in found)
    mistakes = sum(entry.named for entry in found)
    console.print(
        f"\n{len(found)} exercises, {sum(e.public + e.hidden for e in found)} cases, "
        f"{mistakes} known mistakes caught and named, "
        f"{sum(entry.accepted for entry in found)} right variants accepted, {gaps} gaps"
    )
