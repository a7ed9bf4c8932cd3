"""Right and wrong answers to `test_time_compute.expected_best`."""

import math

import torch

from grader.author.answers import equivalent, right, wrong


def comb(total, n):
    return torch.tensor([math.comb(one, n) for one in total.flatten().tolist()]).view(total.shape)


@right
def by_counting(scores, values, n):
    samples = scores.shape[-1]
    if n < 1 or n > samples:
        raise ValueError("n must be from 1 to N")
    taken = math.comb(samples, n)
    flat, worth, found = scores.reshape(-1, samples), values.reshape(-1, samples), []
    for one, value in zip(flat.tolist(), worth.tolist(), strict=True):
        total = 0.0
        for level in set(one):
            below = sum(score < level for score in one)
            equal = [v for score, v in zip(one, value, strict=True) if score == level]
            ways = math.comb(below + len(equal), n) - math.comb(below, n)
            total += ways / taken * sum(equal) / len(equal)
        found.append(total)
    return torch.tensor(found, dtype=values.dtype).view(scores.shape[:-1])


@right
def by_comparing_pairs(scores, values, n):
    samples = scores.shape[-1]
    if not 0 < n <= samples:
        raise ValueError("n must be from 1 to N")
    below = (scores[..., None, :] < scores[..., None]).sum(-1)
    upto = (scores[..., None, :] <= scores[..., None]).sum(-1)
    share = torch.zeros(scores.shape, dtype=torch.float64)
    for count, sign in ((upto, 1), (below, -1)):
        part = torch.ones(scores.shape, dtype=torch.float64)
        for k in range(n):
            part = part * (count - k).clamp(min=0) / (samples - k)
        share = share + sign * part
    return (share / (upto - below) * values).sum(-1).to(values.dtype)


@wrong(why="The first n samples alone were used; the mean over all ways to choose n varies less.")
def first_n_alone(scores, values, n):
    if not 1 <= n <= scores.shape[-1]:
        raise ValueError("n must be from 1 to N")
    best = scores[..., :n].argmax(dim=-1, keepdim=True)
    return values.gather(-1, best)[..., 0]


@wrong(why="This is the value of the best of all N samples, whatever n is.")
def best_of_all(scores, values, n):
    if not 1 <= n <= scores.shape[-1]:
        raise ValueError("n must be from 1 to N")
    best = scores.argmax(dim=-1, keepdim=True)
    return values.gather(-1, best)[..., 0]


@wrong(
    why=(
        "The n samples are drawn with replacement, so one may be drawn twice: on average, this is "
        "not the best of n."
    )
)
def with_replacement(scores, values, n):
    samples = scores.shape[-1]
    if not 1 <= n <= samples:
        raise ValueError("n must be from 1 to N")
    below = (scores[..., None, :] < scores[..., None]).sum(-1)
    upto = (scores[..., None, :] <= scores[..., None]).sum(-1)
    share = ((upto / samples) ** n - (below / samples) ** n) / (upto - below)
    return (share * values).sum(-1).to(values.dtype)


wrong(
    "ties_counted_for_each",
    why="Each of several equal scores gets the whole probability of their group; they share it.",
    change={" / (upto - below)": ""},
)


@wrong(why="Of equal scores, the later sample always wins; each is as likely as the others.")
def last_of_equals(scores, values, n):
    samples = scores.shape[-1]
    if not 1 <= n <= samples:
        raise ValueError("n must be from 1 to N")
    order = scores.argsort(dim=-1, stable=True)
    ranks = torch.arange(samples)
    share = comb(ranks, n - 1).double() / math.comb(samples, n)
    return (share * values.gather(-1, order)).sum(-1).to(values.dtype)


wrong(
    "ties_always_lose",
    why="Samples with equal scores count as above one another, so the shares do not add up to 1.",
    change={"(all_among(upto) - all_among(below))": "(all_among(below + 1) - all_among(below))"},
)


wrong(
    "lowest_score_wins",
    why="The sample with the lowest score wins; the highest must.",
    change={
        "ordered = scores.sort().values": "scores = -scores\n    ordered = scores.sort().values"
    },
)


@wrong(why="This is the largest value among n samples; the scores choose, not the values.")
def scores_ignored(scores, values, n):
    samples = values.shape[-1]
    if not 1 <= n <= samples:
        raise ValueError("n must be from 1 to N")
    ordered = values.sort(dim=-1).values
    share = torch.tensor([math.comb(k, n - 1) / math.comb(samples, n) for k in range(samples)])
    return (share * ordered).sum(-1).to(values.dtype)


wrong(
    "no_error",
    why="An n outside 1 to N has no answer; the docstring promises a ValueError.",
    change={"if not 1 <= n <= samples:": "if False:"},
    corner=True,
)


wrong(
    "zero_allowed",
    why="The best of no sample does not exist; the docstring promises a ValueError.",
    change={"if not 1 <= n <= samples:": "if n > samples:"},
    corner=True,
)


wrong(
    "in_double",
    why="The result is float64; it must have the dtype of the values.",
    change={".sum(dim=-1).to(values.dtype)": ".sum(dim=-1).double()"},
    corner=True,
)


equivalent("scores = (scores)", why="the same numbers, in another order of memory")
