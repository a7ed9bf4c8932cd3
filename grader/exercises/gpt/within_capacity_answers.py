"""Right and wrong answers to `gpt.within_capacity`."""

import torch

from grader.author.answers import right, wrong


@right
def counted_one_by_one(chosen, num_experts, limit):
    accepted = [0] * num_experts
    kept = torch.zeros(chosen.shape, dtype=torch.bool)
    for rank in range(chosen.shape[1]):
        for token in range(chosen.shape[0]):
            expert = int(chosen[token, rank])
            kept[token, rank] = accepted[expert] < limit
            accepted[expert] += 1
    return kept


@right
def sorted_by_expert(chosen, num_experts, limit):
    flat = chosen.T.reshape(-1)
    ordered, order = flat.sort(stable=True)
    first = torch.searchsorted(ordered, ordered)
    place = torch.empty_like(flat).scatter(0, order, torch.arange(len(flat)) - first)
    return (place < limit).reshape(chosen.shape[1], chosen.shape[0]).T


wrong(
    "token_by_token",
    why=(
        "You let each token make all its choices before the next token: all first choices come "
        "before any second choice."
    ),
    change={
        "chosen.T.flatten()": "chosen.flatten()",
        "unflatten(0, chosen.T.shape).T": "unflatten(0, chosen.shape)",
    },
)


wrong(
    "one_too_many",
    why="You accepted one choice too many: the first choice of an expert has the place 1 here.",
    change={"place <= limit": "place <= limit + 1"},
)


wrong(
    "one_too_few",
    why="You accepted one choice too few: an expert accepts as many as its capacity.",
    change={"place <= limit": "place < limit"},
)


wrong(
    "ranks_apart",
    why=(
        "You counted first choices and second choices separately: an expert's capacity is for all "
        "choices together."
    ),
    change={
        "hits = F.one_hot(chosen.T.flatten(), num_experts)": (
            "hits = F.one_hot(chosen.T, num_experts)"
        ),
        "hits.cumsum(dim=0)": "hits.cumsum(dim=1)",
        "(place <= limit).unflatten(0, chosen.T.shape).T": "(place <= limit).T",
    },
)


wrong(
    "dropped_returned",
    why="You returned which choices are dropped; True stands for those that are accepted.",
    change={"place <= limit": "place > limit"},
)


wrong(
    "limit_for_all",
    why="You let all experts share one capacity: each expert has its own.",
    change={"(hits.cumsum(dim=0) * hits).sum(dim=-1)": "hits.sum(dim=-1).cumsum(dim=0)"},
)


@wrong(why="You accepted the last choices of an expert, and dropped the earlier ones.")
def last_served_first(chosen, num_experts, limit):
    kept = torch.zeros(chosen.shape, dtype=torch.bool)
    accepted = [0] * num_experts
    for rank in reversed(range(chosen.shape[1])):
        for token in reversed(range(chosen.shape[0])):
            expert = int(chosen[token, rank])
            kept[token, rank] = accepted[expert] < limit
            accepted[expert] += 1
    return kept


@wrong(
    why=(
        "You dropped a token with all its choices as soon as one of them did not fit: each choice "
        "is accepted or dropped for itself."
    )
)
def whole_tokens(chosen, num_experts, limit):
    hits = torch.nn.functional.one_hot(chosen.T.flatten(), num_experts)
    place = (hits.cumsum(dim=0) * hits).sum(dim=-1)
    kept = (place <= limit).unflatten(0, chosen.T.shape).T
    return kept.all(dim=1, keepdim=True).expand_as(kept)


@wrong(
    why="An empty batch has no largest expert, so this raises an error; E is `num_experts`.",
    corner=True,
)
def experts_counted_from_choices(chosen, num_experts, limit):
    experts = int(chosen.max()) + 1
    hits = torch.nn.functional.one_hot(chosen.T.flatten(), experts)
    place = (hits.cumsum(dim=0) * hits).sum(dim=-1)
    return (place <= limit).unflatten(0, chosen.T.shape).T
