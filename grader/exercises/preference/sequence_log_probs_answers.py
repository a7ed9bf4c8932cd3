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
    why="The sum was divided by the length of the row, padding included; return the sum.",
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
    why="The prompt and the padding count: what is asked is how likely the *answer* is.",
    change={
        "logits.masked_fill(~asked, 0.0)": "logits",
        "torch.where(mask[:, 1:], found, 0.0)": "found",
    },
)


wrong(
    "multiplied_by_the_mask",
    why="NaN · 0 is NaN: select what counts, and do not multiply by the mask.",
    change={
        "logits.masked_fill(~asked, 0.0)": "logits",
        "torch.where(mask[:, 1:], found, 0.0)": "(found * mask[:, 1:])",
    },
    corner=True,
)


wrong(
    "selected_after_the_softmax",
    why=(
        "The sums are right. Where the model says NaN beside the answer, the gradient is NaN too, "
        "and with it that of every parameter: the softmax ran over what was left out afterward, "
        "and 0 · NaN comes back. Fill in those logits, or leave them out, before it."
    ),
    change={"logits.masked_fill(~asked, 0.0)": "logits"},
    corner=True,
)


wrong(
    "all_rows_together",
    why="One number for the batch: each answer has its own log-probability.",
    change={".sum(dim=1)": ".sum()"},
)


wrong(
    "sign",
    why="This is the loss, minus the log-probability.",
    change={"return torch": "return -torch"},
)


@wrong(why="Probabilities were added; they are multiplied along a text, so their logarithms add.")
def sum_of_probabilities(logits, tokens, mask):
    found = token_log_probs(logits, tokens).exp()
    return torch.where(mask[:, 1:], found, 0.0).sum(dim=1)


@wrong(why="Each token was looked up in the logits at its own place: the shift is missing.")
def not_shifted(logits, tokens, mask):
    log_p = logits.log_softmax(dim=-1).gather(-1, tokens[..., None])[..., 0]
    return torch.where(mask, log_p, 0.0).sum(dim=1)


wrong(
    "impossible_tokens_left_out",
    why=(
        "Tokens of probability 0 were left out of the sum. An answer that holds one is impossible "
        "as a whole: the logarithm is −∞."
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
