"""The audit's table: what was proven of each exercise, and what was not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from grader.author.audit import Audit, difference_kind, nearest


def audit(audits: Sequence[Audit], console: Console, *, mistakes: bool = False) -> None:
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
    table.add_column("mistakes shown by")  # wraps, so that the figures are not cut off
    for proof in audits:
        exercise = proof.exercise
        table.add_row(
            Text("✗ " if proof.gaps else "✓ ", "red" if proof.gaps else "green") + exercise.id,
            str(exercise.points),
            f"{proof.public}+{proof.hidden}",
            str(sum(not case.corner for case in proof.cases)),
            f"{proof.named}/{len(exercise.mistakes)}",
            f"{proof.accepted}/{len(exercise.answers.variants)}",
            f"{proof.killed}/{proof.mutants}",
            f"{proof.right:.0e}",
            f"{exercise.tolerance:.0e}",
            "—" if proof.wrong == float("inf") else f"{proof.wrong:.0e}",
            ", ".join(f"{kind} {n}" for kind, n in _kinds(proof).most_common()),
        )
    console.print(table)
    for proof in audits if mistakes else ():
        console.print(_mistakes(proof))
    for proof in audits:
        for gap in proof.gaps:
            console.print(Text.assemble(("✗ ", "red"), f"{proof.exercise.id}: {gap}"))
    console.print(
        f"\n{len(audits)} exercises, "
        f"{sum(proof.public + proof.hidden for proof in audits)} cases "
        f"({sum(not case.corner for proof in audits for case in proof.cases)} core), "
        f"{sum(proof.named for proof in audits)} known mistakes caught and named "
        f"({sum(not mistake.corner for proof in audits for mistake in proof.exercise.mistakes)} "
        f"of the idea), "
        f"{sum(proof.accepted for proof in audits)} right variants accepted, "
        f"{sum(proof.killed for proof in audits)} of {sum(proof.mutants for proof in audits)} "
        f"mutants killed, "
        f"{sum(len(proof.gaps) for proof in audits)} gaps"
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
