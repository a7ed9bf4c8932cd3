"""Right and wrong answers to `preference.policy_gradient_loss`."""

import torch

from grader.author.answers import right, wrong


@right
def answer_by_answer(log_probs, advantages, mask):
    loss = log_probs.new_zeros(())
    for row, which, gain in zip(log_probs, mask, advantages.detach(), strict=True):
        loss = loss - gain * row[which].sum()
    return loss / len(log_probs)


@right
def token_by_token(log_probs, advantages, mask):
    with torch.no_grad():
        weights = advantages[:, None].expand_as(log_probs) / -len(advantages)
    return (weights[mask] * log_probs[mask]).sum()


wrong(
    "sign",
    why="The sign is missing: what was good becomes less likely when this is minimized.",
    change={"return -(": "return ("},
)


wrong(
    "advantage_learns",
    why=(
        "A gradient flows into the advantages. Rewards are facts: a baseline that learned from "
        "this would learn to be wrong."
    ),
    change={"advantages.detach()": "advantages"},
)


wrong(
    "mean_over_tokens",
    why=(
        "The mean over an answer's tokens: the same mistake costs each token less in a long "
        "answer, and wrong answers grow longer."
    ),
    change={".sum(dim=1)": ".sum(dim=1) / mask.sum(dim=1).clamp(min=1)"},
)


@wrong(
    why=(
        "The mean over all tokens of the batch: the gradient of the expected reward sums over "
        "tokens and averages over answers."
    )
)
def mean_over_all_tokens(log_probs, advantages, mask):
    weighed = torch.where(mask, advantages.detach()[:, None] * log_probs, 0.0)
    return -weighed.sum() / mask.sum()


wrong(
    "padding_counts",
    why=(
        "The mask was ignored: prompt and padding are no choices of the model, and are not "
        "its merit."
    ),
    change={"torch.where(mask, log_probs, 0.0)": "log_probs"},
)


wrong(
    "multiplied_by_the_mask",
    why="NaN · 0 is NaN: select what counts, and do not multiply by the mask.",
    change={"torch.where(mask, log_probs, 0.0)": "(log_probs * mask)"},
    corner=True,
)


wrong(
    "summed_over_answers",
    why="This is the sum over answers, so the step grows with the batch; return the mean.",
    change={"answers).mean()": "answers).sum()"},
)


wrong(
    "probabilities",
    why=(
        "The gradient of the expected reward is that of ln π, weighted: with π itself in its place "
        "likely answers count twice, for they are drawn more often already."
    ),
    change={
        "torch.where(mask, log_probs, 0.0).sum(dim=1)": (
            "torch.where(mask, log_probs, 0.0).sum(dim=1).exp()"
        )
    },
)


wrong(
    "good_ones_alone",
    why="Only good answers were counted: what was worse than expected says as much.",
    change={"advantages.detach()": "advantages.detach().clamp(min=0)"},
)
