"""Right and wrong answers to `preference.pass_at_k`."""

import math

import torch

from grader.author.answers import right, wrong


@right
def by_counting(right, samples, k):
    if k < 1 or k > samples:
        raise ValueError("k samples are to be chosen")
    ways = math.comb(samples, k)
    found = [1 - math.comb(samples - c, k) / ways for c in right.flatten().tolist()]
    return torch.tensor(found, dtype=torch.float64).reshape(right.shape)


@right
def over_the_right_ones(right, samples, k):
    if not 0 < k < samples + 1:
        raise ValueError("choose between one and all samples")
    last = torch.arange(1, samples + 1, dtype=torch.float64)
    missed = torch.where(last > (samples - right)[..., None], (1 - k / last).clamp(min=0), 1.0)
    return 1 - missed.prod(dim=-1)


@wrong(
    why=(
        "You inserted the share of right samples into 1 − (1 − p)ᵏ: this curve is concave in p, so "
        "the estimate is too low on average."
    )
)
def plug_in(right, samples, k):
    _check(samples, k)
    return 1 - (1 - right.double() / samples) ** k


@wrong(why="This is the probability that all k samples are right; one is enough.")
def all_right(right, samples, k):
    _check(samples, k)
    taken = torch.arange(k, dtype=torch.float64)
    return ((right[..., None] - taken).clamp(min=0) / (samples - taken)).prod(dim=-1)


wrong(
    "none_right",
    why="This is the probability that all k samples are wrong: subtract it from 1.",
    change={"1 - (wrong": "(wrong"},
)


wrong(
    "put_back_in_the_divisor",
    why=(
        "Each sample that is taken leaves fewer samples to choose from: the divisor must fall from "
        "n, too."
    ),
    change={"(samples - taken)).prod": "samples).prod"},
)


wrong(
    "one_too_few",
    why="You took k − 1 samples; with k = 1 nothing is sampled, and the result is always 0.",
    change={"torch.arange(k,": "torch.arange(k - 1,"},
)


@wrong(
    why="k · c/n is the expected number of right samples, not the probability that there is one."
)
def expected_number(right, samples, k):
    _check(samples, k)
    return (k * right.double() / samples).clamp(max=1)


@wrong(
    why=(
        "You estimated one number from the samples of all prompts together: each prompt has a "
        "probability of its own, and pass@k is not linear in it."
    )
)
def pooled(right, samples, k):
    _check(samples, k)
    taken = torch.arange(k, dtype=torch.float64)
    wrong_ones = samples - right.double().mean()
    value = 1 - ((wrong_ones - taken).clamp(min=0) / (samples - taken)).prod()
    return value.expand(right.shape)


@wrong(
    why=(
        "The number of ways to choose k samples overflows in floating point; divide factor by "
        "factor instead."
    ),
    corner=True,
)
def factorials(right, samples, k):
    _check(samples, k)

    def ways(n):
        left = n.double()[..., None] - torch.arange(k, dtype=torch.float64)
        return left.clamp(min=0).prod(dim=-1)

    return 1 - ways(samples - right) / ways(torch.tensor(samples))


def _check(samples, k):
    if not 1 <= k <= samples:
        raise ValueError("k is not among the samples")
