"""Right and wrong answers to `seq2seq.length_score`."""

import torch

from grader.author.answers import right, wrong


@right
def divided_twice(log_prob, length, *, penalty=0.0):
    grown = (length + 5) ** penalty
    return torch.div(log_prob, grown) * 6**penalty


@right
def multiplied(log_prob, length, *, penalty=0.0):
    return log_prob * (6 / (length + 5)) ** penalty


wrong(
    "multiplied_by_the_penalty",
    why=(
        "You multiplied: the log-probability is negative, so long sequences get an even lower "
        "score than without a penalty."
    ),
    change={"log_prob / ((": "log_prob * (("},
)


wrong(
    "per_token",
    why=(
        "Divided by the length itself: a mean per token. It favors long sequences more than "
        "((5 + n) / 6)^ζ does, whose 5 softens the first few tokens."
    ),
    change={"((5 + length) / 6)": "length"},
)


wrong(
    "exponent_forgotten",
    why="ζ is not used: the penalty is always that of ζ = 1.",
    change={" ** penalty": ""},
)


wrong(
    "penalty_times",
    why="ζ is an exponent, and you multiplied by it; with ζ = 0 you divide by zero.",
    change={" ** penalty": " * penalty"},
)


wrong(
    "six_forgotten",
    why="The 6 makes the divisor 1 for a sequence of one token; without it all scores shrink.",
    change={"((5 + length) / 6)": "(5 + length)"},
)


wrong(
    "root_of_the_sum",
    why="The power is that of the whole quotient; you took it of the numerator alone.",
    change={"((5 + length) / 6) ** penalty": "((5 + length) ** penalty / 6)"},
)


wrong(
    "added",
    why=(
        "You added a bonus per token; this score is a quotient, so its effect grows with the "
        "log-probability."
    ),
    change={"log_prob / ((5 + length) / 6) ** penalty": "log_prob + penalty * length"},
)


wrong(
    "clamped",
    why=(
        "Very low log-probabilities were raised to a bound: below it all sequences score alike, "
        "however unlikely they are."
    ),
    change={"return log_prob /": "return log_prob.clamp(min=-1e4) /"},
    corner=True,
)
