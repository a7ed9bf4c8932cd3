"""Right and wrong answers to `preference.kl_divergence`."""

import torch
from torch.nn import functional as F

from grader.author.answers import right, wrong


@right
def by_torch(logits, reference, mask):
    p, q = logits[:, :-1], reference[:, :-1].detach()
    each = F.kl_div(q.log_softmax(-1), p.log_softmax(-1), log_target=True, reduction="none").sum(-1)
    return (each * mask[:, 1:]).sum(1)


@right
def place_by_place(logits, reference, mask):
    found = []
    for z, z_0, which in zip(logits, reference.detach(), mask, strict=True):
        total = logits.new_zeros(())
        for place in which.nonzero()[:, 0].tolist():
            gap = z[place - 1].log_softmax(0) - z_0[place - 1].log_softmax(0)
            total = total + torch.dot(z[place - 1].softmax(0), gap)
        found.append(total)
    return torch.stack(found)


wrong(
    "other_direction",
    why=(
        "You computed KL(π₀ ‖ π), weighted by the reference: it makes π cover all that the "
        "reference gives. KL(π ‖ π₀) makes π avoid what the reference would not give."
    ),
    change={"(log_p.exp() * (log_p - log_q))": "(log_q.exp() * (log_q - log_p))"},
)


wrong(
    "sign",
    why="The sign is wrong: a divergence is never negative.",
    change={"(log_p - log_q)": "(log_q - log_p)"},
)


wrong(
    "weights_of_the_reference",
    why=(
        "You weighted the difference by the reference's probabilities; use those of π, from which "
        "the samples come."
    ),
    change={"log_p.exp() *": "log_q.exp() *"},
)


wrong(
    "without_weights",
    why="You added the differences for all tokens, without weighting each by its probability.",
    change={"log_p.exp() * (log_p - log_q)": "(log_p - log_q)"},
)


wrong(
    "mask_not_shifted",
    why=(
        "The mask marks tokens at the positions where they are read; each is predicted one "
        "position earlier."
    ),
    change={"mask[:, 1:]": "mask[:, :-1]"},
)


wrong(
    "logits_not_shifted",
    why="The logits at an answer's token predict the token *after* it.",
    change={"z[:, :-1]": "z[:, 1:]"},
)


wrong(
    "everywhere",
    why="You count prompt and padding: only the tokens of the answer are the model's own choice.",
    change={"torch.where(mask[:, 1:], each, 0.0)": "each"},
)


wrong(
    "reference_learns",
    why="A gradient reaches the reference, which has to stay fixed.",
    change={"reference.detach()": "reference"},
)


wrong(
    "mean_over_tokens",
    why="You averaged over an answer's tokens: divergences add up along a text.",
    change={".sum(dim=1)": ".sum(dim=1) / mask.sum(dim=1).clamp(min=1)"},
)


wrong(
    "mean_over_the_vocabulary",
    why="You averaged over the vocabulary; an expectation is a weighted sum.",
    change={"(log_p - log_q)).sum(dim=-1)": "(log_p - log_q)).mean(dim=-1)"},
)


wrong(
    "entropy_forgotten",
    why="This is the cross-entropy with the reference: subtract the entropy of π.",
    change={"(log_p - log_q)": "(-log_q)"},
)


@wrong(
    why=(
        "You took logarithms of probabilities, or of their quotient: if a probability is too small "
        "to represent, this is ∞ or NaN. Subtract log-probabilities, which `log_softmax` gives."
    ),
    corner=True,
)
def logarithms_of_probabilities(logits, reference, mask):
    p, q = logits[:, :-1].softmax(-1), reference[:, :-1].detach().softmax(-1)
    return torch.where(mask[:, 1:], (p * (p / q).log()).sum(-1), 0.0).sum(1)
