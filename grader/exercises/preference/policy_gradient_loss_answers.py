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
    why="The sign is missing: minimizing this makes good answers less likely.",
    change={"return -(": "return ("},
)


wrong(
    "advantage_learns",
    why=(
        "A gradient flows into the advantages. Rewards are constants, and a baseline trained "
        "through this loss would be wrong."
    ),
    change={"advantages.detach()": "advantages"},
)


wrong(
    "mean_over_tokens",
    why=(
        "You averaged over an answer's tokens: in a long answer the same mistake costs each token "
        "less, so wrong answers grow longer."
    ),
    change={".sum(dim=1)": ".sum(dim=1) / mask.sum(dim=1).clamp(min=1)"},
)


@wrong(
    why=(
        "You averaged over all tokens of the batch: the gradient of the expected reward sums over "
        "tokens and averages over answers."
    )
)
def mean_over_all_tokens(log_probs, advantages, mask):
    weighed = torch.where(mask, advantages.detach()[:, None] * log_probs, 0.0)
    return -weighed.sum() / mask.sum()


wrong(
    "padding_counts",
    why="You ignored the mask: the model did not choose prompt and padding.",
    change={"torch.where(mask, log_probs, 0.0)": "log_probs"},
)


wrong(
    "multiplied_by_the_mask",
    why="NaN · 0 is NaN: select the tokens that count instead of multiplying by the mask.",
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
        "The gradient of the expected reward is the weighted gradient of ln π. With π in its "
        "place, likely answers count twice, because they are already sampled more often."
    ),
    change={
        "torch.where(mask, log_probs, 0.0).sum(dim=1)": (
            "torch.where(mask, log_probs, 0.0).sum(dim=1).exp()"
        )
    },
)


wrong(
    "good_ones_alone",
    why=(
        "You left out answers with a negative advantage: the gradient is right on average only if "
        "both signs count."
    ),
    change={"advantages.detach()": "advantages.detach().clamp(min=0)"},
)
