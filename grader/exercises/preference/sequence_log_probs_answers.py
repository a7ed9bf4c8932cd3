"""Right and wrong answers to `preference.sequence_log_probs`."""

import torch
from torch.nn import functional as F

from grader.author.answers import equivalent, right, wrong
from solutions.preference import token_log_probs


@right
def row_by_row(logits, tokens, mask):
    found = []
    for row in range(len(tokens)):
        places = mask[row].nonzero()[:, 0]
        losses = F.cross_entropy(logits[row, places - 1], tokens[row, places], reduction="sum")
        found.append(-losses)
    return torch.stack(found)


@right
def selected_and_added(logits, tokens, mask):
    asked = mask[:, 1:]
    losses = F.cross_entropy(logits[:, :-1][asked], tokens[:, 1:][asked], reduction="none")
    return torch.zeros_like(logits[:, 0, 0]).index_add(0, asked.nonzero()[:, 0], -losses)


wrong(
    "mean_over_tokens",
    why=(
        "This is the mean per token. A probability is a product over all tokens, so its logarithm "
        "is a sum: a long answer is less likely than its first half."
    ),
    change={".sum(dim=1)": ".sum(dim=1) / mask.sum(dim=1).clamp(min=1)"},
)


wrong(
    "mean_over_the_row",
    why="You divided the sum by the length of the row, padding included; return the sum.",
    change={".sum(dim=1)": ".mean(dim=1)"},
)


wrong(
    "mask_not_shifted",
    why=(
        "You cut off the last entry of the mask instead of the first. Then the first token of "
        "the answer does not count, and the token after its end does."
    ),
    change={
        "logits.masked_fill(~asked, 0.0)": "logits",
        "torch.where(mask[:, 1:]": "torch.where(mask[:, :-1]",
    },
)


wrong(
    "prompt_and_padding_too",
    why="You count the prompt and the padding; return the log-probability of the *answer* alone.",
    change={
        "logits.masked_fill(~asked, 0.0)": "logits",
        "torch.where(mask[:, 1:], found, 0.0)": "found",
    },
)


wrong(
    "multiplied_by_the_mask",
    why="NaN · 0 is NaN: select the tokens that count instead of multiplying by the mask.",
    change={
        "logits.masked_fill(~asked, 0.0)": "logits",
        "torch.where(mask[:, 1:], found, 0.0)": "(found * mask[:, 1:])",
    },
    corner=True,
)


wrong(
    "selected_after_the_softmax",
    why=(
        "The sums are right. But if the model returns NaN outside the answer, the gradient of "
        "every parameter is NaN: the softmax ran over those positions, and the backward pass "
        "computes 0 · NaN. Fill in these logits, or leave them out, before the softmax."
    ),
    change={"logits.masked_fill(~asked, 0.0)": "logits"},
    corner=True,
)


wrong(
    "all_rows_together",
    why="You returned one number for the batch: each answer has its own log-probability.",
    change={".sum(dim=1)": ".sum()"},
)


wrong(
    "sign",
    why="This is the loss, minus the log-probability.",
    change={"return torch": "return -torch"},
)


@wrong(why="You added probabilities; along a text they multiply, so their logarithms add.")
def sum_of_probabilities(logits, tokens, mask):
    found = token_log_probs(logits, tokens).exp()
    return torch.where(mask[:, 1:], found, 0.0).sum(dim=1)


@wrong(why="You looked up each token in the logits at its own position: the shift is missing.")
def not_shifted(logits, tokens, mask):
    log_p = logits.log_softmax(dim=-1).gather(-1, tokens[..., None])[..., 0]
    return torch.where(mask, log_p, 0.0).sum(dim=1)


wrong(
    "impossible_tokens_left_out",
    why=(
        "You left tokens of probability 0 out of the sum. An answer that contains one is "
        "impossible: its log-probability is −∞."
    ),
    change={
        "torch.where(mask[:, 1:], found": "torch.where(mask[:, 1:] & torch.isfinite(found), found"
    },
    corner=True,
)


equivalent(
    "found = token_log_probs(logits.masked_fill(~asked, 1.0), tokens)",
    why="any number will do: what is filled in is selected by nobody",
)
