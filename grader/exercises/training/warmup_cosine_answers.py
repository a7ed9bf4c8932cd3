"""Right and wrong answers to `training.warmup_cosine`."""

import math

from grader.author.answers import right, wrong


@right
def squared_cosine(step, *, warmup, total, floor=0.0):
    if warmup not in range(total):
        raise ValueError(f"a ramp of {warmup} steps does not fit into {total}")
    if step < warmup:
        return float(step + 1) / float(warmup)
    left = max(0, total - step) / (total - warmup)
    return 1.0 - (1.0 - floor) * math.cos(math.pi / 2 * left) ** 2


@right
def end_first(step, *, warmup, total, floor=0.0):
    if warmup < 0:
        raise ValueError("warmup is negative")
    if warmup >= total:
        raise ValueError("warmup leaves no step")
    if step >= total:
        return float(floor)
    if warmup > step:
        return (1 + step) * (1 / warmup)
    angle = (step - warmup) * math.pi / (total - warmup)
    return (1 + floor) / 2 + (1 - floor) / 2 * math.cos(angle)


wrong(
    "ramp_from_zero",
    why=(
        "t / warmup is 0 in the first step, which then changes nothing; (t + "
        "1) / warmup arrives at 1 in the last step of the ramp."
    ),
    change={"(step + 1) / warmup": "step / warmup"},
)


wrong(
    "ramp_from_the_floor",
    why=(
        "The ramp was lifted to begin at the floor; the floor is where the way "
        "down ends, and the ramp is (t + 1) / warmup whatever it is."
    ),
    change={"(step + 1) / warmup": "floor + (1 - floor) * (step + 1) / warmup"},
)


wrong(
    "straight_down",
    why=(
        "The way down was made a straight line; half a cosine wave leaves the "
        "top and reaches the floor slowly, and is steepest halfway."
    ),
    change={"(1 + math.cos(math.pi * part)) / 2": "(1 - part)"},
)


wrong(
    "ramp_not_subtracted",
    why=(
        "The cosine was counted from the start of training, so at the end of "
        "the ramp the rate drops at once."
    ),
    change={"(step - warmup) / (total - warmup)": "step / total"},
)


wrong(
    "ends_late",
    why=(
        "The way down was divided by all steps, not by those that remain after "
        "the ramp: at the end the rate is still above its floor."
    ),
    change={"(total - warmup)": "total"},
)


wrong(
    "whole_wave",
    why=("A whole wave, 2π, goes down and up again; the schedule ends after half of it, at π."),
    change={"math.pi * part": "2 * math.pi * part"},
)


wrong(
    "up_again",
    why=(
        "After `total` steps the cosine was followed on, and the rate rises "
        "again; it stays at the floor."
    ),
    change={"min(1.0, (step - warmup) / (total - warmup))": "(step - warmup) / (total - warmup)"},
)


wrong(
    "floor_added",
    why=(
        "The floor was added on top, so the factor begins at 1 + floor; the "
        "wave goes from 1 down to the floor and has the height 1 − floor."
    ),
    change={"floor + (1 - floor) *": "floor +"},
)


wrong(
    "floor_by_max",
    why=("The wave was cut off at the floor; it is meant to arrive there at its end, slowly."),
    change={
        "floor + (1 - floor) * (1 + math.cos(math.pi * part)) / 2": (
            "max(floor, (1 + math.cos(math.pi * part)) / 2)"
        )
    },
)


wrong(
    "nothing_refused",
    why="The docstring promises a ValueError for a ramp that is negative or leaves no step.",
    change={"if not 0 <= warmup < total:": "if False:"},
    corner=True,
)


wrong(
    "only_too_long_refused",
    why="A negative ramp was let through; the docstring promises a ValueError for it too.",
    change={"if not 0 <= warmup < total:": "if warmup >= total:"},
    corner=True,
)


wrong(
    "full_ramp_let_through",
    why="A ramp of all steps leaves none for the rest, and has to be refused as well.",
    change={"0 <= warmup < total": "0 <= warmup <= total"},
    corner=True,
)


wrong(
    "no_ramp_refused",
    why="A ramp of 0 steps is no mistake: training then begins at the top of the wave.",
    change={"0 <= warmup": "0 < warmup"},
    corner=True,
)


wrong(
    "refused_by_assert",
    why=(
        "`assert` raises an AssertionError, and nothing at all under `python -O`; the docstring "
        "promises a ValueError."
    ),
    change={
        "if not 0 <= warmup < total:": "assert 0 <= warmup < total\n    if False:",
    },
    corner=True,
)


wrong(
    "top_one_step_late",
    why="Step `warmup` is the first of the wave and no longer one of the ramp.",
    change={"step < warmup": "step <= warmup"},
)


wrong(
    "end_one_step_early",
    why="p reaches 1 at step `total`; the way down takes total − warmup steps, not one less.",
    change={"(step - warmup) / (total - warmup)": "(step - warmup) / max(1, total - warmup - 1)"},
)


wrong(
    "floor_ignored",
    why="The factor goes down to 0 whatever `floor` is.",
    change={"return floor + (1 - floor) *": "return"},
)


wrong(
    "ramp_cut_at_the_floor",
    why="The ramp was kept from going below the floor; it starts at 1 / warmup whatever that is.",
    change={"return (step + 1) / warmup": "return max(floor, (step + 1) / warmup)"},
)


wrong(
    "checked_after_the_ramp",
    why=(
        "Steps of the ramp are answered before anything is checked, so that a ramp that is too "
        "long is noticed at its end, if at all; check first."
    ),
    change={
        "if not 0 <= warmup < total:": "if step >= warmup and not 0 <= warmup < total:",
    },
    corner=True,
)
