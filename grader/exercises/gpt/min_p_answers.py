"""Right and wrong answers to `gpt.min_p`."""

import torch

from grader.author.answers import right, wrong


@right
def with_probabilities(logits, p):
    if p <= 0:
        raise ValueError("a ratio is above 0")
    chances = logits.softmax(dim=-1)
    enough = chances >= p * chances.max(dim=-1, keepdim=True).values
    return torch.where(enough, logits, -torch.inf)


@right
def relative_to_the_best(logits, p):
    if not p > 0:
        raise ValueError(f"p is {p}")
    ratio = torch.exp(logits - torch.amax(logits, -1, keepdim=True))
    dropped = torch.zeros_like(logits).masked_fill(ratio < p, float("-inf"))
    return logits + dropped


wrong(
    "fixed_threshold",
    why=(
        "You compared every probability with p itself; if the model is uncertain, no token may be "
        "left. p is a fraction of the largest probability."
    ),
    change={
        "floor = logits.amax(dim=-1, keepdim=True) + math.log(p)": (
            "floor = logits.logsumexp(dim=-1, keepdim=True) + math.log(p)"
        )
    },
)


wrong(
    "logits_scaled",
    why=(
        "You multiplied the largest logit by p. A ratio p of probabilities is a difference of "
        "logits."
    ),
    change={"keepdim=True) + math.log(p)": "keepdim=True) * p"},
)


wrong(
    "p_subtracted",
    why="You subtracted p itself from the largest logit: a ratio of p is a difference of −ln p.",
    change={"+ math.log(p)": "- p"},
)


wrong(
    "zeros_for_never",
    why="You set excluded tokens to 0, and a logit of 0 gets a share of the softmax; −∞ gets none.",
    change={"NEVER": "0.0"},
)


wrong(
    "best_dropped_too",
    why="With p = 1 you dropped the likeliest token: it is as probable as itself, and stays.",
    change={"logits < floor": "logits <= floor"},
)


wrong(
    "one_best_for_all",
    why="You compared every row with the largest logit of all rows: every row has its own.",
    change={"logits.amax(dim=-1, keepdim=True)": "logits.amax()"},
)


wrong(
    "base_two",
    why="You added log₂ p; logits are natural logarithms, because softmax takes powers of e.",
    change={"math.log(p)": "math.log2(p)"},
)


@wrong(
    why=(
        "You returned probabilities and set small ones to 0, so they no longer sum to 1. Filter "
        "the logits, and let the softmax normalize again."
    )
)
def after_the_softmax(logits, p):
    if p <= 0:
        raise ValueError("nothing would be left")
    chances = logits.softmax(dim=-1)
    return chances.masked_fill(chances < p * chances.amax(dim=-1, keepdim=True), 0.0)
