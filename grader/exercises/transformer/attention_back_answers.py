"""Right and wrong answers to `transformer.attention_back`."""

import torch

from grader.author.answers import right, wrong


@right
def by_index(weights, back, *, start=0):
    queries = torch.arange(max(start, back), weights.shape[-1])
    if not len(queries):
        raise ValueError("no query counts")
    return weights[..., queries, queries - back].mean(-1)


@right
def with_a_mask(weights, back, *, start=0):
    at = torch.arange(weights.shape[-2])
    chosen = (at[:, None] - at == back) & (at[:, None] >= start)
    if not chosen.any():
        raise ValueError("no query counts")
    return torch.where(chosen, weights, 0.0).sum((-2, -1)) / chosen.sum()


wrong(
    "looking_ahead",
    why=(
        "You took a diagonal above the main one, where the key comes after the query. Rows are "
        "queries, so past keys lie below the main diagonal."
    ),
    change={"offset=-back": "offset=back"},
)


wrong(
    "averaged_over_all_queries",
    why=(
        "You divided by all T queries. The first `back` of them have no such key, and make the "
        "mean too small."
    ),
    change={
        "return along[..., start - back :].mean(dim=-1)": (
            "return along[..., start - back :].sum(dim=-1) / weights.shape[-2]"
        )
    },
)


wrong(
    "start_not_shifted",
    why=(
        "Entry 0 of the diagonal belongs to query number `back`, so query `start` is entry "
        "start − back; you left out too many."
    ),
    change={
        "return along[..., start - back :].mean(dim=-1)": (
            "return along[..., min(start, along.shape[-1] - 1) if start > back else 0 "
            ":].mean(dim=-1)"
        )
    },
)


wrong(
    "start_ignored",
    why="You counted all queries; leave out those before `start`.",
    change={"return along[..., start - back :]": "return along"},
)


wrong(
    "heads_averaged",
    why="You averaged over the heads, too. Return one number per head.",
    change={".mean(dim=-1)": ".mean()"},
)


wrong(
    "batch_for_queries",
    why="By default, `diagonal` takes the first two axes, here batch and heads. Name the last two.",
    change={", dim1=-2, dim2=-1": ""},
)
