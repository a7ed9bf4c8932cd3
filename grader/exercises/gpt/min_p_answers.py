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
        "Every probability was compared with p itself; where the model is unsure, nothing at all "
        "may be left. p is a fraction of the largest."
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
        "The largest logit was multiplied by p. p is a ratio of probabilities, and that is a "
        "difference of logits."
    ),
    change={"keepdim=True) + math.log(p)": "keepdim=True) * p"},
)


wrong(
    "p_subtracted",
    why="p itself was taken from the largest logit: a ratio of p is a difference of ln p.",
    change={"+ math.log(p)": "- p"},
)


wrong(
    "zeros_for_never",
    why="You put 0 where a token is ruled out, and a logit of 0 has a share; −∞ has none.",
    change={"NEVER": "0.0"},
)


wrong(
    "best_dropped_too",
    why="The likeliest token was dropped where p is 1: it is as probable as itself, and stays.",
    change={"logits < floor": "logits <= floor"},
)


wrong(
    "one_best_for_all",
    why="The largest logit of all rows was taken for each: every row has its own.",
    change={"logits.amax(dim=-1, keepdim=True)": "logits.amax()"},
)


wrong(
    "base_two",
    why="log₂ p was added; logits are natural logarithms, as softmax takes powers of e.",
    change={"math.log(p)": "math.log2(p)"},
)


@wrong(
    why=(
        "Probabilities came back, of which the small ones were set to 0: they no longer sum to 1. "
        "Filter the logits, and let the softmax share out again."
    )
)
def after_the_softmax(logits, p):
    if p <= 0:
        raise ValueError("nothing would be left")
    chances = logits.softmax(dim=-1)
    return chances.masked_fill(chances < p * chances.amax(dim=-1, keepdim=True), 0.0)
