"""Right and wrong answers to `contrastive.recall_at_k`."""

import torch

from grader.author.answers import right, wrong


@right
def by_loops(scores, k):
    total = 0.0
    for place, row in enumerate(scores):
        higher = int((row > row[place]).sum())
        equal = int((row == row[place]).sum())
        total += min(max((k - higher) / equal, 0.0), 1.0)
    return torch.tensor(total / len(scores), dtype=scores.dtype)


@right
def by_sorting(scores, k):
    own = scores.diagonal().unsqueeze(1)
    ordered = scores.sort(dim=1, descending=True).values
    tied = ordered == own
    inside = tied[:, :k].sum(dim=1)
    return (inside / tied.sum(dim=1)).to(scores.dtype).mean()


wrong(
    "ties_count_as_found",
    why=(
        "A partner with the same score as others counts as found, so a model that gives all "
        "candidates the same score would find everything."
    ),
    change={"((k - higher).to(scores.dtype) / equal).clamp(0, 1)": "(higher < k).to(scores.dtype)"},
)


wrong(
    "ties_count_as_missed",
    why="All candidates with the same score are put before the partner; their order is random.",
    change={
        "((k - higher).to(scores.dtype) / equal).clamp(0, 1)": (
            "(higher + equal <= k).to(scores.dtype)"
        )
    },
)


wrong(
    "below_zero",
    why="The probability is not kept above 0: partners far down the list make it negative.",
    change={".clamp(0, 1)": ".clamp(max=1)"},
)


wrong(
    "above_one",
    why="The probability is not kept below 1: a partner at the top counts more than once.",
    change={".clamp(0, 1)": ".clamp(min=0)"},
)


wrong(
    "one_too_few",
    why="The list is one candidate too short: with k = 1 the best candidate counts.",
    change={"(k - higher)": "(k - 1 - higher)"},
)


wrong(
    "lowest_scores",
    why="Candidates with lower scores were counted: the highest score comes first.",
    change={"scores > own": "scores < own"},
)


@wrong(why="You asked whether the partner is the k-th candidate; it may be any of the first k.")
def exactly_at_k(scores, k):
    order = scores.argsort(dim=1, descending=True, stable=True)[:, k - 1]
    return (order == torch.arange(len(scores))).to(scores.dtype).mean()


@wrong(why="These are columns: each candidate looks for its query. Rows are the queries.")
def columns_for_rows(scores, k):
    scores = scores[:, : len(scores)].T
    own = scores.diagonal()[:, None]
    higher, equal = (scores > own).sum(dim=1), (scores == own).sum(dim=1)
    return ((k - higher) / equal).clamp(0, 1).to(scores.dtype).mean()


@wrong(why="The hits were divided by k: that is precision. Each query has one partner.")
def precision_at_k(scores, k):
    own = scores.diagonal()[:, None]
    higher, equal = (scores > own).sum(dim=1), (scores == own).sum(dim=1)
    return ((k - higher) / equal).clamp(0, 1).to(scores.dtype).mean() / k
