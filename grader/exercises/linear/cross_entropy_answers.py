"""Right and wrong answers to `linear.cross_entropy`."""

import math

import torch

from grader.author.answers import equivalent, right, wrong
from solutions.linear import log_sum_exp


@right
def logarithms_of_shifted_scores(input, target):
    if input.ndim != 2 or target.shape != input.shape[:1]:
        raise ValueError("one label for each row")
    shifted = input - input.max(dim=1, keepdim=True).values
    logs = shifted - shifted.exp().sum(dim=1, keepdim=True).log()
    return -logs[torch.arange(len(target)), target].mean()


@right
def differences_to_the_right_score(input, target):
    if input.ndim != 2 or target.shape != input.shape[:1]:
        raise ValueError("one label for each row")
    chosen = torch.nn.functional.one_hot(target, input.shape[1]).bool()
    right = input.masked_select(chosen)
    return torch.stack([log_sum_exp(row - score) for row, score in zip(input, right)]).mean()


wrong(
    "softmax_twice",
    why=(
        "The softmax was applied before a loss that contains one: probabilities between 0 and 1 "
        "are treated as scores, so the model can never be confident and the gradient fades."
    ),
    change={"scores = input -": "input = torch.softmax(input, dim=1); scores = input -"},
)


wrong(
    "sum_over_examples",
    why=(
        "The losses are summed over the batch instead of averaged, so the "
        "right learning rate depends on the batch size."
    ),
    change={".mean()": ".sum()"},
)


wrong(
    "sign_missing",
    why=(
        "This is the mean of ln p_y, the logarithm of a probability and never "
        "above 0; the loss is its negative, or the step downhill would make "
        "the right class less probable."
    ),
    change={"(log_sum_exp(scores) - right)": "(right - log_sum_exp(scores))"},
)


wrong(
    "mean_over_classes",
    why=(
        "The one-hot target has C entries per example, C − 1 of them zero; a mean over all "
        "entries also divides by C."
    ),
    change={".mean()": ".mean() / input.shape[1]"},
)


wrong(
    "gathered_by_column",
    why=(
        "`input[target, arange]` reads row `target` of each column; the example is the row and "
        "the class the column. With as many examples as classes, no error warns you."
    ),
    change={
        "scores.gather(1, target[:, None]).squeeze(1)": (
            "scores[target, torch.arange(len(target))]"
        )
    },
)


@wrong(
    why=(
        "The softmax was computed first and its logarithm after: where a "
        "probability is rounded to 0 the loss is infinite. The logarithm of "
        "the softmax needs no softmax."
    )
)
def log_of_a_rounded_probability(input, target):
    p = torch.softmax(input, dim=1)
    return -p[torch.arange(len(target)), target].log().mean()


wrong(
    "bits",
    why=(
        "A logarithm to base 2 measures in bits; losses here are in nats, and "
        "their gradient is p − y without a factor."
    ),
    change={").mean()": ").mean() / math.log(2)"},
)


@wrong(
    why=(
        "The probabilities were averaged before the logarithm. Independent "
        "examples multiply their probabilities, so it is the logarithms that "
        "are averaged."
    )
)
def log_of_the_mean(input, target):
    logs = input.gather(1, target[:, None]).squeeze(1) - log_sum_exp(input)
    return math.log(len(target)) - log_sum_exp(logs)


equivalent(
    "right = (scores.gather(1, target[:, None]))",
    why=(
        "the difference is then broadcast to all pairs of examples, whose mean "
        "is the same: the mean of a difference is the difference of the means"
    ),
)


equivalent(
    "scores = input - (input).amax(dim=1, keepdim=True)",
    why="what flows back through the largest score cancels; leaving it out saves the work",
)
