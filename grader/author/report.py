"""The audit's table: what was proven of each exercise, and what was not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from grader.author.audit import Audit, difference_kind, nearest


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
        "core",
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
            str(sum(not case.corner for case in entry.cases)),
            f"{entry.named}/{len(exercise.mistakes)}",
            f"{entry.accepted}/{len(exercise.answers.variants)}",
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
        f"{sum(entry.public + entry.hidden for entry in found)} cases "
        f"({sum(not case.corner for entry in found for case in entry.cases)} core), "
        f"{sum(entry.named for entry in found)} known mistakes caught and named "
        f"({sum(not one.corner for entry in found for one in entry.exercise.mistakes)} "
        f"of the idea), "
        f"{sum(entry.accepted for entry in found)} right variants accepted, "
        f"{sum(entry.killed for entry in found)} of {sum(entry.mutants for entry in found)} "
        f"mutants killed, "
        f"{sum(len(entry.gaps) for entry in found)} gaps"
    )


def _kinds(entry: Audit) -> Counter[str]:
    """Count the kinds of difference that give the known mistakes away."""
    kinds = (difference_kind(known.name, entry) for known in entry.exercise.mistakes)
    return Counter(filter(None, kinds))


def _mistakes(entry: Audit) -> Table:
    """How each known mistake shows, and what tells it from its nearest neighbor."""
    table = Table(box=None, pad_edge=False, header_style="bold", title_justify="left")
    table.title = Text(f"\n{entry.exercise.id}", "bold not italic")
    for name in ("mistake", "wrong in", "shown by", "nearest other", "apart in", "first in case"):
        table.add_column(name, no_wrap=True, overflow="ellipsis")
    count = len(entry.cases)
    for name in (known.name for known in entry.exercise.mistakes):
        other, differ = nearest(name, entry)
        apart = f"{len(differ)} of {count}" if other else ""
        wrong = f"{sum(name in case.mistakes for case in entry.cases)} of {count}"
        table.add_row(name, wrong, difference_kind(name, entry), other, apart, *differ[:1])
    return table
