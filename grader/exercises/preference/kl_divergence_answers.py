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
        "KL(π₀ ‖ π), weighted by the reference, makes π cover all that the reference says. "
        "KL(π ‖ π₀) makes π avoid what the reference would not say."
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
    why="The difference is weighted by the reference's probabilities; the samples come from π.",
    change={"log_p.exp() *": "log_q.exp() *"},
)


wrong(
    "without_weights",
    why="The differences of all tokens were added, without the probability of each.",
    change={"log_p.exp() * (log_p - log_q)": "(log_p - log_q)"},
)


wrong(
    "mask_not_shifted",
    why=("The mask marks tokens where they are read; each is predicted one position earlier."),
    change={"mask[:, 1:]": "mask[:, :-1]"},
)


wrong(
    "logits_not_shifted",
    why="The logits at the answer's tokens are about what comes *after* each of them.",
    change={"z[:, :-1]": "z[:, 1:]"},
)


wrong(
    "everywhere",
    why="Prompt and padding count: only along the answer the model has chosen anything.",
    change={"torch.where(mask[:, 1:], each, 0.0)": "each"},
)


wrong(
    "reference_learns",
    why="A gradient reaches the reference, which has to stay fixed.",
    change={"reference.detach()": "reference"},
)


wrong(
    "mean_over_tokens",
    why="The mean over an answer's tokens: divergences add up along a text.",
    change={".sum(dim=1)": ".sum(dim=1) / mask.sum(dim=1).clamp(min=1)"},
)


wrong(
    "mean_over_the_vocabulary",
    why="The mean over the vocabulary; an expectation is a sum with weights.",
    change={"(log_p - log_q)).sum(dim=-1)": "(log_p - log_q)).mean(dim=-1)"},
)


wrong(
    "entropy_forgotten",
    why="This is the cross-entropy with the reference: the entropy of π has to be taken away.",
    change={"(log_p - log_q)": "(-log_q)"},
)


@wrong(
    why=(
        "The probabilities were divided before the logarithm was taken: where one of them is too "
        "small for a number, this is ∞ or NaN. Subtract log-probabilities."
    ),
    corner=True,
)
def logarithm_of_the_quotient(logits, reference, mask):
    p, q = logits[:, :-1].softmax(-1), reference[:, :-1].detach().softmax(-1)
    return torch.where(mask[:, 1:], (p * (p / q).log()).sum(-1), 0.0).sum(1)
