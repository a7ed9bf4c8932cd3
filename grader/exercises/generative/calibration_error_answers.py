"""Right and wrong answers to `generative.calibration_error`."""

import torch

from grader.author.answers import right, wrong


@right
def bin_by_bin(log_posterior, target, *, bins=10):
    probability = log_posterior.exp()
    confidence = probability.amax(dim=1)
    correct = (probability.argmax(dim=1) == target).to(probability.dtype)
    total = torch.zeros((), dtype=probability.dtype)
    for j in range(1, bins + 1):
        inside = confidence > (j - 1) / bins
        if j < bins:
            inside &= confidence <= j / bins
        if inside.any():
            gap = correct[inside].mean() - confidence[inside].mean()
            total += inside.to(probability.dtype).mean() * gap.abs()
    return total


@right
def members_of_bins_as_a_matrix(log_posterior, target, *, bins=10):
    confidence, guess = torch.exp(log_posterior).max(1)
    edges = torch.arange(1, bins, dtype=confidence.dtype) / bins
    place = torch.bucketize(confidence, edges)
    member = torch.nn.functional.one_hot(place, bins).to(confidence.dtype)  # (B, bins)
    hits = (guess == target).to(confidence.dtype)
    return (member.T @ hits - member.T @ confidence).abs().sum() / len(target)


wrong(
    "every_bin_alike",
    why=(
        "The gaps of the bins were averaged with equal weight; a bin counts as often as it has "
        "examples, or a single stray one decides."
    ),
    change={
        "return gap.new_zeros(bins).index_add(0, bin, gap).abs().sum() / len(gap)": (
            "sums = gap.new_zeros(bins).index_add(0, bin, gap)\n"
            "    counts = gap.new_zeros(bins).index_add(0, bin, torch.ones_like(gap))\n"
            "    return (sums / counts.clamp(min=1)).abs().sum() / (counts > 0).sum()"
        )
    },
)


wrong(
    "one_gap_for_all",
    why=(
        "Accuracy minus mean confidence over everything: too sure in one place and too modest in "
        "another cancel. That is what the bins are for."
    ),
    change={
        "gap.new_zeros(bins).index_add(0, bin, gap).abs().sum() / len(gap)": "gap.mean().abs()"
    },
)


wrong(
    "absolute_value_of_each_example",
    why=(
        "The absolute value was taken example by example. A single answer is right or wrong and "
        "never as probable as it should be; take it of a bin's sum."
    ),
    change={
        "gap.new_zeros(bins).index_add(0, bin, gap).abs().sum() / len(gap)": "gap.abs().mean()"
    },
)


wrong(
    "probability_of_the_right_class",
    why=(
        "The probability of the right class was taken for the confidence. The model does not know "
        "that class; confidence is its largest probability."
    ),
    change={
        "confidence, guess = log_posterior.exp().max(dim=1)": (
            "guess = log_posterior.argmax(dim=1)\n"
            "    confidence = log_posterior.exp().gather(1, target[:, None]).squeeze(1)"
        )
    },
)


wrong(
    "logarithms_as_confidence",
    why="The logarithm was taken for the probability; exp(ln p) comes first.",
    change={"log_posterior.exp().max": "log_posterior.max"},
)


wrong(
    "softmax_again",
    why=(
        "A softmax of probabilities: they are normalized already, and a second time makes them "
        "flat. exp of ln p is all that is needed."
    ),
    change={"log_posterior.exp().max": "log_posterior.exp().softmax(dim=1).max"},
)


wrong(
    "always_ten_bins",
    why="`bins` does nothing; the number of bins is the caller's.",
    change={"confidence, guess = log": "bins = 10\n    confidence, guess = log"},
)


wrong(
    "edge_in_the_upper_bin",
    why="A confidence of exactly j / M belongs to bin j, the lower of the two.",
    change={".ceil().long().clamp(max=bins) - 1": ".long().clamp(0, bins - 1)"},
    corner=True,
)


wrong(
    "a_sum_and_no_mean",
    why="The gaps were summed over the examples; divided by n, the result lies between 0 and 1.",
    change={".abs().sum() / len(gap)": ".abs().sum()"},
)


wrong(
    "divided_by_the_bins",
    why="Divided by the number of bins; the weights n_j / n sum to 1 already.",
    change={"/ len(gap)": "/ bins"},
)


wrong(
    "squared_gaps",
    why="The gaps were squared and the root taken of their mean; absolute values are asked for.",
    change={
        "return gap.new_zeros(bins).index_add(0, bin, gap).abs().sum() / len(gap)": (
            "sums = gap.new_zeros(bins).index_add(0, bin, gap)\n"
            "    counts = gap.new_zeros(bins).index_add(0, bin, torch.ones_like(gap))\n"
            "    return ((sums**2 / counts.clamp(min=1)).sum() / len(gap)).sqrt()"
        )
    },
)
