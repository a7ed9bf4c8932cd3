"""Right and wrong answers to `gpt.tempered`."""

import torch

from grader.author.answers import right, wrong


@right
def with_one_hot(logits, temperature):
    if temperature < 0:
        raise ValueError("no such temperature")
    if temperature > 0:
        return logits * (1 / temperature)
    best = torch.nn.functional.one_hot(logits.argmax(-1), logits.shape[-1]).bool()
    return torch.zeros_like(logits).masked_fill(~best, -torch.inf)


@right
def by_comparing_places(logits, temperature):
    if temperature == 0:
        places = torch.arange(logits.shape[-1])
        first = torch.max(logits, dim=-1, keepdim=True).indices
        zero = torch.zeros((), dtype=logits.dtype)
        return torch.where(places == first, zero, zero - float("inf"))
    if temperature > 0:
        return torch.div(logits, temperature)
    raise ValueError(f"temperature is {temperature}")


wrong(
    "multiplied",
    why=(
        "You multiplied by the temperature: a high one then sharpens the distribution, and a low "
        "one makes all tokens alike."
    ),
    change={"return logits / temperature": "return logits * temperature"},
)


wrong(
    "probabilities_divided",
    why=(
        "You divided probabilities. They no longer sum to 1, and normalizing them restores the "
        "original ones: divide the logits, before the softmax."
    ),
    change={"return logits / temperature": "return logits.softmax(dim=-1) / temperature"},
)


wrong(
    "softmax_too",
    why="These are probabilities; return logits, because other filters and a softmax follow.",
    change={"return logits / temperature": "return (logits / temperature).softmax(dim=-1)"},
)


wrong(
    "divided_by_zero",
    why="With a temperature of 0 you divide by 0: every logit becomes infinite, or NaN.",
    change={"if temperature == 0:": "if False:"},
)


wrong(
    "zero_as_one",
    why="With a temperature of 0 you changed nothing; only the likeliest token must be left.",
    change={
        "best = logits.argmax(dim=-1, keepdim=True)  # (..., V) -> (..., 1)": "return logits",
    },
)


wrong(
    "last_of_equals",
    why="At temperature 0, the last of several equal logits was taken; take the first.",
    change={
        "logits.argmax(dim=-1, keepdim=True)": (
            "logits.shape[-1] - 1 - logits.flip(-1).argmax(dim=-1, keepdim=True)"
        )
    },
    corner=True,
)


@wrong(
    why=(
        "With a temperature of 0 you kept all tokens with the largest logit. If two are equal, the "
        "docstring keeps only the first."
    ),
    corner=True,
)
def all_of_equals(logits, temperature):
    if temperature < 0:
        raise ValueError("no such temperature")
    if temperature == 0:
        best = logits == logits.amax(dim=-1, keepdim=True)
        return torch.zeros_like(logits).masked_fill(~best, -torch.inf)
    return logits / temperature


wrong(
    "zeros_for_never",
    why=(
        "You set excluded tokens to 0; a logit of 0 is like any other, and here every token would "
        "be equally likely. Use −∞."
    ),
    change={"torch.full_like(logits, NEVER)": "torch.zeros_like(logits)"},
)


wrong(
    "negative_allowed",
    why="You accepted a negative temperature, which reverses the order: raise a ValueError.",
    change={"if temperature < 0:": "if False:"},
    corner=True,
)
