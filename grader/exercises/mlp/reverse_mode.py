"""`mlp.reverse_mode`: reverse mode, on any graph."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.mlp import _chain, _counted, _detour, _doublings, _graph

EXERCISE = Exercise(
    title="Reverse-mode differentiation of any graph",
    section="any-architecture",
    cases=(
        Case("a diamond", lambda rng: _slopes(rng, parents=[[], [0], [0], [1, 2]], output=3)),
        Case("a number times itself", lambda rng: _slopes(rng, parents=[[1, 1], []], output=0)),
        Case("a long way and a short one", lambda rng: _slopes(rng, **_detour()), 2),
        Case("a large graph", lambda rng: _slopes(rng, **_graph(rng, 23)), 2),
        Case("a part of the graph", lambda rng: _slopes(rng, **_graph(rng, 23, output=13))),
        Case("no parents", lambda rng: _slopes(rng, parents=[[], [0]], output=0), corner=True),
        Case(
            "20 doublings", lambda rng: _slopes(rng, **_doublings(20)), budget=100_000, corner=False
        ),
        Case(
            "a chain of 1,500 nodes",
            lambda rng: _long(rng),
            budget=120_000,
            most={"largest": 3_000},
        ),
        Case("another graph", lambda rng: _slopes(rng, **_graph(rng, 29)), hidden=True),
        Case("a single node", lambda rng: _slopes(rng, parents=[[]], output=0), corner=True),
        Case("slopes beyond float32", lambda rng: _steep(rng), corner=True),
    ),
    hint=(
        "The derivative of z with respect to itself is 1. Go through the topological order "
        "backward; by the time a node is reached, every node that uses it has passed its share "
        "to it."
    ),
    needs=("topological_order",),
)


def _slopes(rng, *, parents, output):
    sizes = [len(found) for found in parents]
    slopes = [(rng.choice([-1, 1], size) * rng.uniform(0.5, 1.5, size)).tolist() for size in sizes]
    return {"parents": parents, "slopes": slopes, "output": output}


def _long(rng):
    """A chain whose derivatives neither vanish nor explode."""
    graph = _chain(1500)
    sizes = [len(found) for found in graph["parents"]]
    slopes = [rng.choice([-1.0, 1.0], size).tolist() for size in sizes]
    return _counted(graph) | {"slopes": slopes}


def _steep(rng):
    drawn = _slopes(rng, parents=[[], [0], [0], [1, 2]], output=3)
    return {**drawn, "slopes": [[1e30 * slope for slope in found] for found in drawn["slopes"]]}
