"""`interpretability.mean_ablate`: heads that say what they say on average."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise, Made
from grader.exercises.interpretability import few

EXERCISE = Exercise(
    title="Mean ablation",
    section="circuit-ablation",
    tolerance=1e-10,
    cases=(
        Case("one head of three", lambda rng: _heads(rng, [1], 3), 3, grad=("merged",)),
        Case("two heads of four", lambda rng: _heads(rng, [3, 0], 4), 2),
        Case("no head", lambda rng: _heads(rng, [], 2)),
        Case(
            "one example", lambda rng: _heads(rng, Made("tuple", {"items": [0]}), 2, 1), corner=True
        ),
        Case("no batch", lambda rng: _alone(rng), corner=True),
        Case("one head that is all", lambda rng: _heads(rng, [0], 1, 1), corner=True),
        Case("in float16", lambda rng: _heads(rng, [1], 2), dtype="float16"),
        Case("three heads of five", lambda rng: _heads(rng, [4, 1, 2], 5, 3), hidden=True),
    ),
    hint="The mean of the reference over its first axis is (T, D); pass it to `replace_heads`.",
)


def _heads(rng, heads, num_heads, count=2):
    width = 2 * num_heads
    return {
        "merged": few(rng, count, 3, width),
        "reference": few(rng, 5, 3, width) + 1,
        "heads": heads,
        "num_heads": num_heads,
    }


def _alone(rng):
    given = _heads(rng, [1], 2)
    return given | {"merged": given["merged"][0]}
