"""`distributed.timetable`: each job as early as possible."""

from __future__ import annotations

from grader.author.exercise import Case, Exercise
from grader.exercises.distributed import fixed

EXERCISE = Exercise(
    title="The timetable of a pipeline",
    section="pipeline",
    cases=(
        Case("all forward, all backward", lambda rng: {"orders": _gpipe(rng, 3)}, 2),
        Case("alternating", lambda rng: {"orders": _alternating(rng, 3)}, 2),
        Case("two stages, any order", lambda rng: {"orders": _mixed(rng)}, 2),
        Case("forward passes alone", lambda rng: {"orders": _forward(rng)}),
        Case("one microbatch after another", lambda rng: {"orders": _in_turn(rng)}),
        Case("one stage", lambda rng: {"orders": _gpipe(rng, 1)}, corner=True),
        Case(
            "a stage without jobs",
            lambda rng: {"orders": [fixed(["F0"]), fixed(["F0"]), fixed([])]},
            corner=True,
        ),
        Case("no jobs", lambda rng: {"orders": [[], []]}, corner=True),
        Case(
            "stages that wait for each other",
            lambda rng: {"orders": [["F0", "B0"], ["B0", "F0"]]},
            raises="ValueError",
        ),
        Case(
            "a job that the stage before has not",
            lambda rng: {"orders": [["F0"], ["F0", "F1"]]},
            raises="ValueError",
        ),
        Case("four stages", lambda rng: {"orders": _alternating(rng, 4)}, hidden=True),
    ),
    hint=(
        "At each time, decide for all stages what starts, looking only at what had ended before; "
        "note it as done afterwards."
    ),
)


def _gpipe(rng, stages):
    order = rng.permutation(int(rng.integers(2, 6)))
    jobs = [f"F{k}" for k in order] + [f"B{k}" for k in rng.permutation(order)]
    return [jobs for _ in range(stages)]


def _alternating(rng, stages):
    parts, orders = int(rng.integers(3, 6)), []
    for stage in range(stages):
        ahead = stages - 1 - stage
        jobs = [f"F{k}" for k in range(parts)]
        for k in range(parts):
            jobs.insert(min(ahead + 1 + 2 * k, len(jobs)), f"B{k}")
        orders.append(jobs)
    return orders


def _in_turn(rng):
    return [[f"{kind}{k}" for k in range(int(rng.integers(2, 4))) for kind in "FB"]] * 4


def _mixed(rng):
    """The first stage goes forward and backward in orders that the second one has not."""
    first, second = (list(map(int, rng.permutation([1, 10, 12, 21]))) for _ in range(2))
    return [
        [f"F{k}" for k in first] + [f"B{k}" for k in second],
        [job for k in (*first[1:], first[0]) for job in (f"F{k}", f"B{k}")],
    ]


def _forward(rng):
    return [[f"F{k}" for k in range(int(rng.integers(2, 5)))]] * 3
