"""Right and wrong answers to `gpt.capacity`."""

from grader.author.answers import right, wrong


@right
def one_more_if_something_is_left(tokens, num_experts, *, k=1, factor=1.0):
    share = tokens * k / num_experts * factor
    return int(share) + (share > int(share))


@right
def floor_of_the_negative(tokens, num_experts, *, k=1, factor=1.0):
    return int(-((-factor * k * tokens) // num_experts))


wrong(
    "rounded_down",
    why="You rounded down: with a factor of 1, even perfectly even choices would not all fit.",
    change={"math.ceil": "math.floor"},
)


wrong(
    "rounded_to_nearest",
    why="You rounded to the nearest whole number, so some choices no longer fit: round up.",
    change={"math.ceil": "round"},
)


wrong(
    "k_forgotten",
    why="Each token makes k choices, so there are k times as many choices as tokens.",
    change={"factor * k * tokens": "factor * tokens"},
)


wrong(
    "factor_forgotten",
    why="You left out the capacity factor.",
    change={"factor * k * tokens": "k * tokens"},
)


wrong(
    "rounded_before_the_factor",
    why="You rounded the share up before you multiplied it by the factor: round once, at the end.",
    change={
        "math.ceil(factor * k * tokens / num_experts)": (
            "math.ceil(factor * math.ceil(k * tokens / num_experts))"
        )
    },
)


wrong(
    "at_least_one",
    why="You gave each expert room for one choice even if the batch is empty.",
    change={
        "return math.ceil(factor * k * tokens / num_experts)": (
            "return max(1, math.ceil(factor * k * tokens / num_experts))"
        )
    },
    corner=True,
)


wrong(
    "not_a_whole_number",
    why="A capacity counts choices: return a whole number, rounded up.",
    change={"math.ceil(factor * k * tokens / num_experts)": "factor * k * tokens / num_experts"},
)
