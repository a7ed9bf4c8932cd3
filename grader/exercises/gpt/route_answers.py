"""Right and wrong answers to `gpt.route`."""

import torch

from grader.author.answers import equivalent, right, wrong


@right
def gathered(logits, k, *, renormalize=True):
    if k < 1 or k > logits.shape[-1]:
        raise ValueError(f"cannot choose {k} experts")
    experts = logits.argsort(dim=-1, descending=True, stable=True)[..., :k]
    if renormalize:
        return logits.gather(-1, experts).softmax(dim=-1), experts
    return logits.softmax(dim=-1).gather(-1, experts), experts


@right
def one_after_the_other(logits, k, *, renormalize=True):
    if k not in range(1, logits.shape[-1] + 1):
        raise ValueError("k experts cannot be chosen")
    left, experts = logits.detach().clone(), []
    for _ in range(k):
        experts.append(left.argmax(dim=-1, keepdim=True))
        left = left.scatter(-1, experts[-1], -torch.inf)
    experts = torch.cat(experts, dim=-1)
    best = logits.gather(-1, experts)
    total = (best if renormalize else logits).logsumexp(dim=-1, keepdim=True)
    return (best - total).exp(), experts


wrong(
    "never_renormalized",
    why="With `renormalize` the k weights must sum to 1: use a softmax over the k logits alone.",
    change={"if renormalize:": "if False:"},
)


wrong(
    "always_renormalized",
    why=(
        "Without `renormalize` the weights are probabilities among all experts. If they always sum "
        "to 1, a single expert has the weight 1, and the router learns nothing from it."
    ),
    change={"if renormalize:": "if True:"},
)


wrong(
    "smallest_chosen",
    why="You chose the experts with the smallest logits: sort in descending order.",
    change={"descending=True, ": ""},
)


wrong(
    "logits_for_weights",
    why="You returned the chosen logits; the weights are what a softmax makes of them.",
    change={
        "ordered[..., :k].softmax(dim=-1)": "ordered[..., :k]",
        "ordered.softmax(dim=-1)[..., :k]": "ordered[..., :k]",
    },
)


@wrong(why="You took the softmax over the tokens: each token shares out its own weights.")
def over_the_tokens(logits, k, *, renormalize=True):
    if not 1 <= k <= logits.shape[-1]:
        raise ValueError("k")
    ordered, order = logits.sort(dim=-1, descending=True, stable=True)
    if renormalize:
        return ordered[..., :k].softmax(dim=0), order[..., :k]
    return logits.softmax(dim=0).gather(-1, order[..., :k]), order[..., :k]


wrong(
    "detached",
    why=(
        "The values are right, but no gradient flows: the weights are the only way by which the "
        "router learns (no detach(), .data or torch.tensor(...))."
    ),
    change={"ordered, order = logits.sort(": "ordered, order = logits.detach().sort("},
)


@wrong(
    why="You divided large powers of e: they overflow. Use `softmax`, which subtracts the largest.",
    corner=True,
)
def exponentials(logits, k, *, renormalize=True):
    if not 1 <= k <= logits.shape[-1]:
        raise ValueError("k")
    ordered, order = logits.sort(descending=True, stable=True)
    powers = ordered.exp()
    kept = powers[..., :k]
    return kept / (kept if renormalize else powers).sum(dim=-1, keepdim=True), order[..., :k]


wrong(
    "too_many_accepted",
    why="There are fewer experts than k, or k is below 1: raise a ValueError.",
    change={"if not 1 <= k <= logits.shape[-1]:": "if False:"},
    corner=True,
)


@wrong(
    why="`topk` promises no order among equal logits: the first expert comes first. Sort stably.",
    corner=True,
)
def last_of_equals(logits, k, *, renormalize=True):
    if not 1 <= k <= logits.shape[-1]:
        raise ValueError("k")
    ordered, order = logits.flip(-1).sort(dim=-1, descending=True, stable=True)
    order = logits.shape[-1] - 1 - order
    p = (ordered[..., :k] if renormalize else ordered).softmax(dim=-1)
    return p[..., :k], order[..., :k]


equivalent(
    "ordered, order = logits.sort(descending=True)",
    why="On the processor torch sorts stably, whether it is asked to or not.",
)


equivalent(
    "ordered, order = logits.sort(descending=True, stable=False)",
    why="On the processor torch sorts stably, whether it is asked to or not.",
)
