"""Right and wrong answers to `embeddings.sgns_loss`."""

import torch

from grader.author.answers import right, wrong


@right
def log_sigmoid_of_products(center, context, noise):
    if center.shape != context.shape or noise.shape[:1] + noise.shape[2:] != center.shape:
        raise ValueError("shapes do not fit")
    found = torch.einsum("bd,bd->b", center, context)
    drawn = torch.einsum("bd,bkd->bk", center, noise)
    score = torch.nn.functional.logsigmoid
    return -score(found).mean() - score(-drawn).sum() / len(center)


@right
def signed_rows(center, context, noise):
    if center.shape != context.shape or noise.shape[:1] + noise.shape[2:] != center.shape:
        raise ValueError("shapes do not fit")
    rows = torch.cat([context.unsqueeze(1), -noise], dim=1)
    margins = (rows * center.unsqueeze(1)).sum(dim=2)
    return torch.nn.functional.softplus(-margins, threshold=50).sum() / len(center)


wrong(
    "noise_not_negated",
    why=(
        "The sign of the noise's products is missing: noise is treated like context, and the "
        "loss is smallest when all vectors point in the same direction."
    ),
    change={"_softplus(drawn)": "_softplus(-drawn)"},
)


wrong(
    "mean_over_noise",
    why=(
        "The noise terms were averaged; eq. 4 sums them, and their number k is "
        "what shifts the solution by ln k."
    ),
    change={".sum(dim=1)).mean()": ".mean(dim=1)).mean()"},
)


wrong(
    "mean_over_all_questions",
    why=(
        "The mean was taken over all (1 + k) · B terms, as `binary_cross_entropy_with_logits` "
        "does by default; eq. 4 sums the 1 + k terms of a pair."
    ),
    change={
        "(_softplus(-found) + _softplus(drawn).sum(dim=1)).mean()": (
            "torch.cat([_softplus(-found)[:, None], _softplus(drawn)], dim=1).mean()"
        )
    },
)


wrong(
    "sum_over_pairs",
    why=(
        "The loss was summed over the pairs; a mean does not depend on the size of the batch, "
        "and neither does the right learning rate."
    ),
    change={".sum(dim=1)).mean()": ".sum(dim=1)).sum()"},
)


wrong(
    "sign",
    why=("Eq. 4 is maximized, but a loss is minimized, so the sign must be reversed."),
    change={
        "(_softplus(-found) + _softplus(drawn).sum(dim=1)).mean()": (
            "-(_softplus(-found) + _softplus(drawn).sum(dim=1)).mean()"
        )
    },
)


@wrong(
    why=(
        "`sigmoid` rounds to 0 for large negative numbers, and the logarithm of 0 is −∞; a "
        "stable ln(1 + eˣ), such as `logaddexp`, does not overflow."
    )
)
def log_of_sigmoid(center, context, noise):
    found = torch.sigmoid((context * center).sum(dim=1))
    drawn = torch.sigmoid(-(noise @ center.unsqueeze(2)).squeeze(2))
    return -(found.log() + drawn.log().sum(dim=1)).mean()


@wrong(
    why=(
        "This is a softmax over the true context and the noise, a different loss: here every "
        "word is classified separately, as context or noise."
    )
)
def softmax_instead(center, context, noise):
    rows = torch.cat([context.unsqueeze(1), noise], dim=1)
    scores = (rows @ center.unsqueeze(2)).squeeze(2)
    return -torch.log_softmax(scores, dim=1)[:, 0].mean()


@wrong(
    why=(
        "1 + eˣ is rounded to 1 where eˣ is small, and its logarithm is 0: a small loss is lost. "
        "`log1p` takes the logarithm of 1 + x without adding the 1."
    )
)
def one_added_first(center, context, noise):
    if center.shape != context.shape or noise.shape[:1] + noise.shape[2:] != center.shape:
        raise ValueError("shapes do not fit")
    found = (context * center).sum(dim=1, keepdim=True)
    wrong_by = torch.cat([-found, (noise @ center.unsqueeze(2)).squeeze(2)], dim=1)
    terms = wrong_by.relu() + torch.log(1 + torch.exp(-wrong_by.abs()))
    return terms.sum(dim=1).mean()
