"""Right and wrong answers to `gpt.top_k`."""

import torch

from grader.author.answers import equivalent, right, wrong


@right
def by_counting_who_comes_first(logits, k):
    if k <= 0:
        raise ValueError("nothing would be left")
    one, other = logits[..., :, None], logits[..., None, :]
    places = torch.arange(logits.shape[-1])
    earlier = (other > one) | ((other == one) & (places < places[:, None]))
    return torch.where(earlier.sum(-1) < k, logits, -torch.inf)


@right
def scattered_back(logits, k):
    if k < 1:
        raise ValueError(f"k is {k}")
    order = torch.sort(logits, dim=-1, descending=True, stable=True).indices[..., :k]
    kept = torch.zeros(logits.shape, dtype=torch.bool)
    kept.scatter_(-1, order, torch.ones_like(order, dtype=torch.bool))
    return logits.masked_fill(~kept, float("-inf"))


@right
def one_after_the_other(logits, k):
    if not k > 0:
        raise ValueError("k counts tokens, from 1")
    left, kept = logits.detach().clone(), torch.zeros_like(logits, dtype=torch.bool)
    for _ in range(min(k, logits.shape[-1])):
        best = left.argmax(dim=-1, keepdim=True)
        kept = kept.scatter(-1, best, True)
        left = left.scatter(-1, best, -torch.inf)
        if not left.isfinite().any():
            break
    return torch.where(kept, logits, torch.full_like(logits, -torch.inf))


@right
def minus_infinity_added(logits, k):
    if k < 1:
        raise ValueError("no token is left")
    best = logits.argsort(dim=-1, descending=True, stable=True)[..., :k]
    return logits + torch.full_like(logits, -torch.inf).scatter(-1, best, 0.0)


@wrong(
    why=(
        "You kept every token that equals the k-th logit, so more than k are left if some are "
        "equal."
    ),
    corner=True,
)
def all_that_equal_the_kth(logits, k):
    if k < 1:
        raise ValueError("nothing would be left")
    kth = logits.topk(min(k, logits.shape[-1]), dim=-1).values[..., -1:]
    return logits.masked_fill(logits < kth, -torch.inf)


wrong(
    "zeros_for_never",
    why=(
        "You set excluded tokens to 0; the softmax gives a logit of 0 a share, here often more "
        "than that of the kept tokens. Use −∞."
    ),
    change={"NEVER": "0.0"},
)


wrong(
    "k_smallest",
    why="These are the k smallest logits: sort in descending order.",
    change={"descending=True, ": ""},
)


@wrong(
    why=(
        "You returned probabilities and set small ones to 0, so the rest no longer sums to 1. "
        "Filter the logits, and let the softmax normalize again."
    )
)
def after_the_softmax(logits, k):
    if k < 1:
        raise ValueError("nothing would be left")
    order = logits.argsort(dim=-1, descending=True, stable=True)
    rank = order.argsort(dim=-1)
    return logits.softmax(dim=-1).masked_fill(rank >= k, 0.0)


wrong(
    "more_than_there_are",
    why="A k larger than the vocabulary raises an error here; it must change nothing.",
    change={
        "order = logits.argsort(": "logits.topk(k, dim=-1)\n    order = logits.argsort(",
    },
)


wrong(
    "order_for_rank",
    why=(
        "`argsort` gives the token at each rank, and you read it as the rank of each token: the "
        "mask is in sorted order. Sort the order once more, or scatter."
    ),
    change={"rank = order.argsort()": "rank = order"},
)


wrong(
    "sorted_order_returned",
    why=(
        "You returned the logits in sorted order: each logit has to stay at the place of its token."
    ),
    change={
        "return logits.masked_fill(rank >= k, NEVER)": (
            "return logits.sort(dim=-1, descending=True).values.masked_fill("
            "torch.arange(logits.shape[-1]) >= k, NEVER)"
        )
    },
)


wrong(
    "one_more",
    why="You kept k + 1 tokens: ranks are counted from 0.",
    change={"rank >= k": "rank > k"},
)


wrong(
    "cut_off",
    why=(
        "The values are right, but no gradient flows: kept logits keep their gradient (no "
        "detach(), .data or torch.tensor(...))."
    ),
    change={"return logits.masked_fill": "return logits.detach().masked_fill"},
)


@wrong(why="You kept the k largest logits of all rows together: each row has its own k.")
def one_threshold_for_all(logits, k):
    if k < 1:
        raise ValueError("nothing would be left")
    flat = logits.flatten()
    rank = flat.argsort(descending=True, stable=True).argsort()
    return logits.masked_fill(rank.reshape(logits.shape) >= k, -torch.inf)


equivalent(
    "order = logits.argsort(descending=True)",
    why="On the processor torch sorts stably, whether it is asked to or not.",
)


equivalent(
    "order = logits.argsort(descending=True, stable=False)",
    why="On the processor torch sorts stably, whether it is asked to or not.",
)


wrong(
    "no_token_left",
    why=(
        "With k = 0 you excluded every token, and a softmax of −∞ alone is NaN: raise a ValueError."
    ),
    change={"if k < 1:": "if k < 0:"},
    corner=True,
)


wrong(
    "ties_broken_by_a_slope",
    why=(
        "You lowered each logit by its place to break ties, which puts logits that nearly tie in "
        "another order; a stable sort leaves them as they are."
    ),
    change={
        "logits.argsort(descending=True, stable=True)": (
            "(logits - 1e-4 * torch.arange(logits.shape[-1])).argsort(descending=True)"
        )
    },
)
