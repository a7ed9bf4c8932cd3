"""Right and wrong answers to `gpt.causal_loss`."""

import torch
from torch.nn import functional as F

from grader.author.answers import right, wrong


@right
def with_cross_entropy(logits, tokens, mask=None):
    if mask is None:
        return F.cross_entropy(logits[:, :-1].transpose(1, 2), tokens[:, 1:])
    asked = mask[:, 1:]
    return F.cross_entropy(logits[:, :-1][asked], tokens[:, 1:][asked])


@right
def row_by_row(logits, tokens, mask=None):
    losses = []
    for row in range(len(tokens)):
        for t in range(tokens.shape[1] - 1):
            if mask is None or mask[row, t + 1]:
                z = logits[row, t]
                losses.append(torch.logsumexp(z, 0) - z[tokens[row, t + 1]])
    return torch.stack(losses).sum() / len(losses)


@right
def with_one_hot(logits, tokens, mask=None):
    real = torch.ones_like(tokens, dtype=torch.bool) if mask is None else mask
    asked = F.one_hot(tokens[:, 1:], logits.shape[-1]).bool() & real[:, 1:, None]
    scores = logits[:, :-1].masked_fill(~real[:, 1:, None], 0)
    return -F.log_softmax(scores, dim=-1)[asked].sum() / real[:, 1:].sum()


wrong(
    "not_shifted",
    why=(
        "The target at each position is the token that stands there: a model that looks at its "
        "input gets this right, and has not learned what comes next."
    ),
    change={"logits[:, :-1]": "logits[:, 1:]"},
)


@wrong(
    why=(
        "The target at every position, the last one included, is its own token: nothing was "
        "shifted, so the model only learns to copy."
    )
)
def all_positions_unshifted(logits, tokens, mask=None):
    losses = -logits.log_softmax(dim=-1).gather(-1, tokens[..., None])[..., 0]
    return losses.mean() if mask is None else losses[mask].mean()


@wrong(
    why=(
        "You rolled the tokens, so the target of the last position is the first token of its row. "
        "No token follows the last one: leave that position out."
    )
)
def rolled(logits, tokens, mask=None):
    asked = tokens.roll(-1, dims=1)
    losses = -logits.log_softmax(dim=-1).gather(-1, asked[..., None])[..., 0]
    if mask is None:
        return losses.mean()
    return losses[mask].mean()


wrong(
    "shifted_twice",
    why="You shifted the targets twice: the target at each position is the second token after it.",
    change={
        "    logits, tokens = logits[:, :-1], tokens[:, 1:]": (
            "    left = max(logits.shape[1] - 2, 1)\n"
            "    logits, tokens = logits[:, :left], tokens[:, -left:]"
        ),
        "logits[mask[:, 1:]], tokens[mask[:, 1:]]": (
            "logits[mask[:, -left:]], tokens[mask[:, -left:]]"
        ),
    },
)


wrong(
    "looking_back",
    why="The target at each position is the token before it; it should be the next one.",
    change={"logits[:, :-1], tokens[:, 1:]": "logits[:, 1:], tokens[:, :-1]"},
)


wrong(
    "mask_of_what_is_read",
    why=(
        "You cut the mask like the logits, so it marks the tokens that are read: the last real "
        "token of each row then has padding as its target."
    ),
    change={
        "logits[mask[:, 1:]], tokens[mask[:, 1:]]": "logits[mask[:, :-1]], tokens[mask[:, :-1]]"
    },
)


wrong(
    "padding_asked",
    why="You ignored the mask: the padding, which nobody wrote, counts in the loss.",
    change={"logits, tokens = logits[mask[:, 1:]], tokens[mask[:, 1:]]": "pass"},
)


@wrong(
    why=(
        "You set the loss of padding to 0, but divided by the number of all positions. The more "
        "padding a batch has, the better the model seems."
    )
)
def padding_in_the_mean(logits, tokens, mask=None):
    log_p = logits[:, :-1].log_softmax(dim=-1)
    losses = -log_p.gather(-1, tokens[:, 1:, None])[..., 0]
    if mask is not None:
        losses = losses.masked_fill(~mask[:, 1:], 0)
    return losses.mean()


@wrong(
    why=(
        "You took the mean of each row, and then the mean over rows: a token of a short row counts "
        "for more than one of a long row."
    )
)
def mean_of_means(logits, tokens, mask=None):
    log_p = logits[:, :-1].log_softmax(dim=-1)
    losses = -log_p.gather(-1, tokens[:, 1:, None])[..., 0]
    if mask is None:
        return losses.mean()
    losses = torch.where(mask[:, 1:], losses, 0)
    return (losses.sum(dim=1) / mask[:, 1:].sum(dim=1).clamp(min=1)).mean()


@wrong(
    why=(
        "You multiplied the losses by the mask. If the model returns NaN in the padding, NaN · 0 "
        "is NaN: select the positions that count instead."
    ),
    corner=True,
)
def multiplied_by_the_mask(logits, tokens, mask=None):
    log_p = logits[:, :-1].log_softmax(dim=-1)
    losses = -log_p.gather(-1, tokens[:, 1:, None])[..., 0]
    if mask is None:
        return losses.mean()
    return (losses * mask[:, 1:]).sum() / mask[:, 1:].sum()


@wrong(
    why=(
        "The loss is right. But if the model returns NaN in the padding, the gradient of every "
        "parameter is NaN: the softmax ran over the padding, and the backward pass computes 0 · "
        "NaN. Select the positions first (ignore_index does not)."
    ),
    corner=True,
)
def selected_after_the_softmax(logits, tokens, mask=None):
    asked = tokens[:, 1:]
    if mask is not None:
        asked = asked.masked_fill(~mask[:, 1:], -100)
    return F.cross_entropy(logits[:, :-1].transpose(1, 2), asked, ignore_index=-100)


wrong(
    "summed",
    why="This is the sum over all tokens; return the mean.",
    change={".mean()": ".sum()"},
)


wrong(
    "bits",
    why="These are bits: the loss is in nats, with the natural logarithm.",
    change={".mean()": ".mean() / torch.log(logits.new_tensor(2.0))"},
)


wrong(
    "log_of_softmax",
    why="log(softmax(z)) is −∞ if the probability is too small to represent; log_softmax is not.",
    change={"log_softmax(dim=-1)": "softmax(dim=-1).log()"},
    corner=True,
)
