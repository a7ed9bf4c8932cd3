"""`transfer.lora_size`: what is trained, counted."""

from __future__ import annotations

from grader.author.afresh import larger
from grader.author.exercise import Case, Exercise
from grader.exercises.transfer import tuples

LAYER = {
    "attention.query.weight": [64, 64],
    "attention.query.bias": [64],
    "attention.key.weight": [16, 64],
    "attention.value.weight": [16, 64],
    "attention.query_norm.weight": [16],
    "feed_forward.up.weight": [256, 64],
    "feed_forward.up.bias": [256],
    "feed_forward.down.weight": [64, 256],
}

EXERCISE = Exercise(
    title="The number of parameters that LoRA trains",
    section="low-rank-updates",
    cases=(
        Case("queries and values", lambda rng: _given(2, ["query", "value"], 4), 2),
        Case("no square", lambda rng: tuples(_given(3, ["up", "down"], 1))),
        Case("one part", lambda rng: _given(1, ["key"], 7)),
        Case("a part that is not there", lambda rng: _given(2, ["gate", "up"], 3)),
        Case("a part named twice", lambda rng: _given(2, ["query", "query", "up"], 3)),
        Case("a rank above the sizes", lambda rng: _given(1, ["key", "down"], 100)),
        Case("nothing", lambda rng: _given(2, [], 3)),
        Case("names that look alike", lambda rng: _alike()),
        Case("a kernel of three axes", lambda rng: _kernel(), corner=True),
        Case("a layer at the top", lambda rng: _top()),
        Case(
            "GPT-3's",
            lambda rng: {"shapes": {"x.q.weight": [12288, 12288]}, "parts": ["q"], "rank": 8},
        ),
        Case("twelve layers", lambda rng: _given(12, ["query", "key", "down"], 16), hidden=True),
    ),
    hint="A has a row of D for each rank, B a column of C.",
    afresh=larger("shapes"),
)


def _given(layers, parts, rank):
    shapes = {"embed.weight": [101, 64], "norm.weight": [64]}
    for k in range(layers):
        shapes |= {f"layers.{k}.{name}": shape for name, shape in LAYER.items()}
    return {"shapes": shapes, "parts": parts, "rank": rank}


def _alike():
    shapes = {
        "a.query.weight": [5, 7],
        "a.subquery.weight": [11, 13],
        "a.que.weight": [47, 53],
        "a.query_key.weight": [17, 19],
        "query.inner.weight": [23, 29],
        "a.query.bias": [31],
        "b.query.kernel": [37, 41],
        "b.query.weight": [43],
        "query.filters.weight": [3, 3],
        "a.query.preweight": [59, 61],
        "weight": [67, 71],
    }
    return {"shapes": shapes, "parts": ["query"], "rank": 3}


def _kernel():
    shapes = {"a.query.weight": [1, 7], "b.query.weight": [11, 13, 3], "query.weight": [2, 3, 5, 7]}
    return {"shapes": shapes, "parts": ["query"], "rank": 2}


def _top():
    return {
        "shapes": {"query.weight": [5, 7], "value.weight": [11, 2]},
        "parts": ["query"],
        "rank": 2,
    }
