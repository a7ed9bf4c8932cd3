"""Right and wrong answers to `preference.sequence_log_probs`."""

import torch
from torch.nn import functional as F

from grader.author.answers import right, wrong
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
    values = token_log_probs(logits, tokens).masked_fill(~asked, 0)
    return torch.einsum("bt->b", values)


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
    why="The sum was divided by the length of the row, padding and all: the sum is due.",
    change={".sum(dim=1)": ".mean(dim=1)"},
)


wrong(
    "mask_not_shifted",
    why=(
        "The mask was cut at its end: it is that of the tokens that are read, so the end of the "
        "answer is lost and the token after it counts in its place."
    ),
    change={"mask[:, 1:]": "mask[:, :-1]"},
)


wrong(
    "prompt_and_padding_too",
    why="The prompt and the padding count: what is asked is how likely the *answer* is.",
    change={
        "torch.where(mask[:, 1:], token_log_probs(logits, tokens), 0.0)": (
            "token_log_probs(logits, tokens)"
        )
    },
)


wrong(
    "multiplied_by_the_mask",
    why="NaN · 0 is NaN: select what counts, and do not multiply by the mask.",
    change={
        "torch.where(mask[:, 1:], token_log_probs(logits, tokens), 0.0)": (
            "(token_log_probs(logits, tokens) * mask[:, 1:])"
        )
    },
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
    change={"mask[:, 1:]": "mask[:, 1:] & torch.isfinite(token_log_probs(logits, tokens))"},
)
