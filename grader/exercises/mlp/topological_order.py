"""`mlp.topological_order`: parents first."""

from __future__ import annotations

from grader.author.afresh import changed
from grader.author.exercise import Case, Exercise, Made
from grader.exercises.mlp import _chain, _counted, _detour, _doublings, _fan, _graph


def _numbered(rng, parents, output):
    """The same graph with other numbers for its nodes."""
    if isinstance(parents, Made):  # nodes that count
        return _counted(_numbered(rng, parents.given["parents"], output))
    number = rng.permutation(len(parents)).tolist()
    other = [[] for _ in parents]
    for node, above in enumerate(parents):
        other[number[node]] = [number[one] for one in above]
    return {"parents": other, "output": number[output]}


def _turned():
    """The diamond's numbers of nodes and of parents, and another order: neither tells the graph."""
    return {"parents": [[], [0], [0], [2, 1]], "output": 3}


EXERCISE = Exercise(
    title="Topological order",
    section="any-architecture",
    cases=(
        Case("a diamond", lambda rng: {"parents": [[], [0], [0], [1, 2]], "output": 3}),
        Case("its parents the other way round", lambda rng: _turned()),
        Case("a number times itself", lambda rng: {"parents": [[1, 1], []], "output": 0}),
        Case("numbers that say nothing", lambda rng: _graph(rng, 23), 2),
        Case("a part of the graph", lambda rng: _graph(rng, 23, output=11)),
        Case(
            "a chain of 1,500 nodes",
            lambda rng: _counted(_chain(1500)),
            budget=75_000,
            corner=False,
        ),
        Case("20 doublings", lambda rng: _doublings(20), budget=20_000),
        Case("a node with 400 parents", lambda rng: _counted(_fan(400)), budget=40_000),
        Case("no parents", lambda rng: {"parents": [[1], []], "output": 1}, corner=True),
        Case("a long way and a short one", lambda rng: _detour()),
        Case("another graph", lambda rng: _graph(rng, 17), hidden=True),
    ),
    hint=(
        "Keep a stack of your own. Each node goes on it twice: once so that its parents are "
        "visited, and once, below them, so that it is listed. Other orders also put all parents "
        "first; yours is compared with that of a depth-first search."
    ),
    afresh=changed(_numbered),
)
