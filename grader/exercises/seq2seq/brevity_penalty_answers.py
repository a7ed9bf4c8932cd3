"""Right and wrong answers to `seq2seq.brevity_penalty`."""

import math

from grader.author.answers import right, wrong


@right
def smaller_of_two(length, reference_length):
    if length == 0:
        return float(reference_length == 0)
    return math.exp(min(0.0, 1 - reference_length / length))


@right
def with_e(length, reference_length):
    try:
        missing = max(0.0, (reference_length - length) / length)
    except ZeroDivisionError:
        missing = math.inf if reference_length else 0.0
    return math.e**-missing


wrong(
    "bonus_for_length",
    why=(
        "Longer translations got more than 1; a long translation already loses precision, and gets "
        "no bonus."
    ),
    change={
        "    if length >= reference_length:\n        return 1.0\n": (
            "    if length == reference_length:\n        return 1.0\n"
        ),
    },
)


wrong(
    "plain_ratio",
    why="You took the ratio of the lengths itself; the penalty is exp(1 − reference / length).",
    change={"math.exp(1 - reference_length / length)": "length / reference_length"},
)


wrong(
    "upside_down",
    why="You swapped the two lengths: exp(length / reference − 1) never falls below 1/e.",
    change={"math.exp(1 - reference_length / length)": "math.exp(length / reference_length - 1)"},
)


wrong(
    "one_forgotten",
    why="Without the 1 even a translation that is one word short loses two thirds.",
    change={"exp(1 - reference_length": "exp(-reference_length"},
)


wrong(
    "long_ones_punished",
    why="The comparison is reversed: short translations must lose.",
    change={"length >= reference_length": "length <= reference_length"},
)


wrong(
    "nothing_is_perfect",
    why="A translation without words got 1; it has translated nothing.",
    change={" if length else 0.0": " if length else 1.0"},
    corner=True,
)


wrong(
    "sign",
    why="The sign is reversed: a short translation gets more than 1.",
    change={"exp(1 - reference_length / length)": "exp(reference_length / length - 1)"},
)
