"""Right and wrong answers to `seq2seq.perplexity`."""

import torch

from grader.author.answers import right, wrong


@right
def two_sums(log_probs):
    total = sum(one.sum() for one in log_probs)
    count = sum(one.numel() for one in log_probs)
    return torch.exp(-total / count)


@right
def geometric_mean(log_probs):
    logs = torch.stack([value for one in log_probs for value in one])
    return 1 / torch.exp(logs.mean())


@wrong(
    why=(
        "You averaged the sequences' perplexities: a single sequence that the model finds unlikely "
        "outweighs all others, and short ones count as much as long ones."
    )
)
def mean_of_perplexities(log_probs):
    return torch.stack([one.mean().neg().exp() for one in log_probs if len(one)]).mean()


@wrong(
    why=(
        "You averaged the losses of the sequences, each with the same weight: tokens of short "
        "sequences count more than those of long ones."
    )
)
def mean_of_losses(log_probs):
    return torch.stack([one.mean() for one in log_probs if len(one)]).mean().neg().exp()


@wrong(
    why=(
        "You divided by the number of sequences: that is the perplexity of a whole sequence, not "
        "of a token."
    )
)
def per_sequence(log_probs):
    return (-torch.cat(list(log_probs)).sum() / len(log_probs)).exp()


wrong(
    "sign",
    why="exp of the mean log-probability is below 1; perplexity is its inverse.",
    change={".mean().neg().exp()": ".mean().exp()"},
)


wrong(
    "loss_returned",
    why="This is the loss in nats per token; perplexity is exp of it.",
    change={".neg().exp()": ".neg()"},
)


wrong(
    "base_two",
    why="The log-probabilities are natural ones: 2 to the power of nats is not a perplexity.",
    change={".neg().exp()": ".neg().exp2()"},
)


wrong(
    "mean_probability",
    why=(
        "You averaged the inverse probabilities; perplexity averages the logarithms and takes exp "
        "at the end, the geometric mean."
    ),
    change={".mean().neg().exp()": ".neg().exp().mean()"},
)


@wrong(
    why=(
        "Tokens of log-probability −∞ were left out: a model that gives probability 0 to a token "
        "that occurs has an infinite perplexity."
    ),
    corner=True,
)
def impossible_left_out(log_probs):
    every = torch.cat(list(log_probs))
    return every[every.isfinite()].mean().neg().exp()
