"""Right and wrong answers to `generative.sample_gaussian`."""

import torch

from grader.author.answers import right, wrong


@right
def shared_variance_expanded(labels, noise, mean, variance):
    variance = variance.expand(len(mean), -1)
    return torch.addcmul(mean[labels], noise, variance[labels] ** 0.5)


wrong(
    "one_axis_of_labels",
    why=(
        "A row was taken for each of the labels' first axis: a single label, of shape (), has no "
        "axis at all, and is the number of one row."
    ),
    change={"return mean[labels]": "len(labels)\n    return mean[labels]"},
    corner=True,
)


@right
def one_hot_products(labels, noise, mean, variance):
    one_hot = torch.nn.functional.one_hot(labels, len(mean)).to(mean.dtype)
    spread = (one_hot @ variance.expand_as(mean)).sqrt()
    return one_hot @ mean + spread * noise


wrong(
    "scaled_by_the_variance",
    why=(
        "The noise was scaled by the variance; noise of deviation 1 times a "
        "number has that number as its *deviation*, the root of the variance."
    ),
    change={"variance.sqrt()": "variance"},
)


wrong(
    "noise_not_scaled",
    why=(
        "The noise was added as it is, with a variance of 1 in every pixel, "
        "even in those that never vary."
    ),
    change={"deviation[labels] * noise": "noise + 0 * deviation[labels]"},
)


wrong(
    "mean_scaled_too",
    why=("The sum of mean and noise was scaled, so the samples lie around √s · m instead of m."),
    change={
        "mean[labels] + deviation[labels] * noise": ("deviation[labels] * (mean[labels] + noise)")
    },
)


wrong(
    "first_class_for_all",
    why=(
        "Every sample uses the first row of the variances; only where the "
        "classes share one row is that right."
    ),
    change={"deviation[labels]": "deviation[0]"},
)


wrong(
    "means_alone",
    why=("The class mean came back: it is the densest point, but a sample varies."),
    change={"deviation[labels] * noise": "0 * deviation[labels] * noise"},
)
