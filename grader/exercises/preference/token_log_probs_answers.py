"""Right and wrong answers to `preference.token_log_probs`."""

import torch
from torch.nn import functional as F

from grader.author.answers import right, wrong


@right
def by_cross_entropy(logits, tokens):
    return -F.cross_entropy(logits[:, :-1].movedim(-1, 1), tokens[:, 1:], reduction="none")


@right
def by_log_sum_exp(logits, tokens):
    z, asked = logits[:, :-1], tokens[:, 1:]
    rows = torch.arange(len(z)).unsqueeze(1)
    picked = z[rows, torch.arange(z.shape[1]), asked]
    return picked - torch.logsumexp(z, dim=-1)


wrong(
    "not_shifted",
    why=(
        "You looked up each token in the logits at its own position, computed after reading it: a "
        "model that copies its input then looks certain of everything."
    ),
    change={"logits[:, :-1]": "logits[:, 1:]"},
)


wrong(
    "token_before",
    why="At each position you looked up the token just read; look up the next one.",
    change={"tokens[:, 1:, None]": "tokens[:, :-1, None]"},
)


wrong(
    "sign",
    why="These are losses: a log-probability is negative.",
    change={"return log_p": "return -log_p"},
)


wrong(
    "logits_taken_as_they_are",
    why="You looked up the logits themselves: they are log-probabilities only after a log-softmax.",
    change={".log_softmax(dim=-1)": ""},
)


wrong(
    "log_of_softmax",
    why="log(softmax(z)) is −∞ if a probability is too small to represent; log_softmax is not.",
    change={"log_softmax(dim=-1)": "softmax(dim=-1).log()"},
    corner=True,
)


wrong(
    "probabilities",
    why="These are probabilities; return their logarithms, which can be added.",
    change={"log_softmax(dim=-1)": "softmax(dim=-1)"},
)


wrong(
    "over_positions",
    why="You took the softmax over positions; take it over the vocabulary at each position.",
    change={"log_softmax(dim=-1)": "log_softmax(dim=1)"},
)
