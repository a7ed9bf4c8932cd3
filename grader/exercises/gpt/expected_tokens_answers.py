"""Right and wrong answers to `gpt.expected_tokens`."""

import torch

from grader.author.answers import right, wrong


@right
def step_by_step(share, ahead):
    found = torch.ones_like(share)
    for _ in range(ahead):
        found = 1 + share * found
    return found


@right
def all_powers_at_once(share, ahead):
    return (share[..., None] ** torch.arange(ahead + 1)).sum(dim=-1)


wrong(
    "no_token_more",
    why="The extra token after the proposals is missing: a pass yields at least one.",
    change={"torch.ones_like(share)": "torch.zeros_like(share)"},
)


wrong(
    "all_stay",
    why="If all proposals are accepted, a pass yields n + 1 tokens: the sum goes up to aⁿ.",
    change={"range(1, ahead + 1)": "range(1, ahead)"},
)


wrong(
    "each_by_itself",
    why=(
        "This is 1 + n · a, as if each proposal were accepted separately; after the first "
        "rejection all others are dropped."
    ),
    change={
        "sum((share**t for t in range(1, ahead + 1)), torch.ones_like(share))": (
            "1 + ahead * share"
        )
    },
)


wrong(
    "closed_form",
    why="The closed form divides by 1 − a: 0 / 0 if every proposal is accepted.",
    change={
        "sum((share**t for t in range(1, ahead + 1)), torch.ones_like(share))": (
            "(1 - share ** (ahead + 1)) / (1 - share)"
        )
    },
)


wrong(
    "chance_of_all",
    why="This is the probability that all are accepted; return the mean number of tokens.",
    change={
        "sum((share**t for t in range(1, ahead + 1)), torch.ones_like(share))": ("share**ahead")
    },
)


wrong(
    "without_a_refusal",
    why="This is 1 / (1 − a), the limit for endlessly many proposals.",
    change={
        "sum((share**t for t in range(1, ahead + 1)), torch.ones_like(share))": ("1 / (1 - share)")
    },
)
