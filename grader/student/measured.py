"""Output of `grade measure`: runs of a measured assignment, and scores of recorded answers."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from grader.enclose.outcome import one_line
from grader.judge.measure import METRICS, Challenge, Run, summary

SHOWN = 8  # lines of what a run printed


def listed(challenges: Sequence[Challenge]) -> Iterator[str]:
    """One line for each assignment."""
    width = max((len(one.id) for one in challenges), default=0)
    for one in challenges:
        yield f"{one.id:<{width}}  {one.points:>2g} points  {one.title}"


def lines(challenge: Challenge, run: Run) -> Iterator[str]:
    """Lines on a run: its output, then score, cost and points, or why it was stopped."""
    printed = run.log.splitlines()
    yield from (f"  {one_line(line)}" for line in printed[:SHOWN])
    if len(printed) > SHOWN:
        yield f"  ({len(printed) - SHOWN:,} more lines)"
    used = f"{run.seconds:.1f} of {challenge.seconds:g} s, {run.numbers:,} weights"
    if run.score is None:
        yield f"seed {run.seed}: stopped. {run.stopped}. {used}, 0 points"
        return
    metric = METRICS[challenge.metric]
    score = f"{metric.unit} {metric.text(run.score)}"
    yield f"seed {run.seed}: {score}, {used}, {run.points:.1f} points"


def known(challenge: Challenge) -> Iterator[str]:
    """Scores of recorded answers, for comparison."""
    metric = METRICS[challenge.metric]
    for name, one in challenge.known.items():
        mean = statistics.mean(one["scores"])
        points = statistics.mean(map(challenge.earned, one["scores"]))
        seconds = statistics.mean(one["seconds"])
        yield f"{name}: {metric.text(mean)} in {seconds:.1f} s, {points:.1f} points"


def as_json(challenge: Challenge, runs: Sequence[Run], missing: Sequence[str]) -> str:
    """Return the same as JSON: the assignment's id, all runs, the points, and the protections of
    the sandbox that are missing here.
    """
    document: Mapping = {
        "assignment": challenge.id,
        "metric": challenge.metric,
        "points": round(statistics.mean(run.points for run in runs), 3),
        "of": challenge.points,
        "runs": [asdict(run) for run in runs],
        "summary": summary(challenge, runs),
        "missing": [*missing],
    }
    return json.dumps(document, indent=2, ensure_ascii=False)
