"""Right and wrong answers to `preference.clipped_loss`."""

import torch

from grader.author.answers import equivalent, right, wrong


@right
def by_the_sign_of_the_advantage(log_probs, old, advantages, mask, *, clip=0.2):
    gain = advantages.detach()
    loss = log_probs.new_zeros(())
    for row in range(len(gain)):
        ratio = (log_probs[row][mask[row]] - old[row][mask[row]].detach()).exp()
        ratio = ratio.clamp(max=1 + clip) if gain[row] >= 0 else ratio.clamp(min=1 - clip)
        loss = loss - gain[row] * ratio.sum()
    return loss / len(gain)


@right
def as_the_larger_loss(log_probs, old, advantages, mask, *, clip=0.2):
    with torch.no_grad():
        weights = advantages.unsqueeze(1).expand_as(mask)[mask]
        before = old[mask].clone()
    ratio = (log_probs[mask] - before).exp()
    plain, cut = -weights * ratio, -weights * ratio.clip(1 - clip, 1 + clip)
    return torch.maximum(plain, cut).sum() / len(mask)


wrong(
    "larger_of_the_two",
    why=(
        "You took the larger of the two products: nothing is clipped if the model has gone too "
        "far, and the gradient that leads back is clipped."
    ),
    change={"torch.minimum(": "torch.maximum("},
)


wrong(
    "advantage_outside",
    why=(
        "You took the minimum of the ratios, and then multiplied by the advantage: for a negative "
        "advantage, the minimum must favor the larger ratio. Yours pushes bad answers down without "
        "limit."
    ),
    change={
        "torch.minimum(ratio * gain, ratio.clamp(1 - clip, 1 + clip) * gain)": (
            "torch.minimum(ratio, ratio.clamp(1 - clip, 1 + clip)) * gain"
        )
    },
)


wrong(
    "clipped_alone",
    why=(
        "You used only the clipped product: a token that has moved out of the band in the wrong "
        "direction then has no gradient to bring it back."
    ),
    change={
        "torch.minimum(ratio * gain, ratio.clamp(1 - clip, 1 + clip) * gain)": (
            "ratio.clamp(1 - clip, 1 + clip) * gain"
        )
    },
)


wrong(
    "never_clipped",
    why="You clip nothing: the same answers push further with every step that reuses them.",
    change={"torch.minimum(ratio * gain, ratio.clamp(1 - clip, 1 + clip) * gain)": "ratio * gain"},
)


wrong(
    "ratio_upside_down",
    why="The ratio is the new probability divided by the old one; you inverted it.",
    change={"log_probs - old.detach()": "old.detach() - log_probs"},
)


wrong(
    "logarithms_divided",
    why="You divided logarithms; the ratio of the probabilities is e raised to their difference.",
    change={
        "torch.exp(torch.where(mask, log_probs - old.detach(), 0.0))": (
            "torch.where(mask, log_probs / old.detach(), 1.0)"
        )
    },
)


wrong(
    "old_learns",
    why="A gradient reaches the old model; its log-probabilities are constants.",
    change={"old.detach()": "old"},
)


wrong(
    "advantage_learns",
    why="A gradient flows into the advantages; they are constants.",
    change={"advantages.detach()": "advantages"},
)


wrong(
    "sign",
    why="The sign is missing: minimizing this makes good answers less likely.",
    change={"return -torch": "return torch"},
)


wrong(
    "padding_counts",
    why="You count padding: with a ratio of 1 it adds its advantage to the loss, or NaN.",
    change={"torch.where(mask, least, 0.0)": "least"},
)


wrong(
    "mean_over_tokens",
    why=(
        "You averaged over an answer's tokens: a long wrong answer then costs less per token, so "
        "wrong answers grow longer."
    ),
    change={".sum(dim=1).mean()": ".sum(dim=1).div(mask.sum(dim=1).clamp(min=1)).mean()"},
)


@wrong(why="You clipped one ratio for the whole answer; here each token has its own.")
def ratio_of_the_answer(log_probs, old, advantages, mask, *, clip=0.2):
    ratio = torch.where(mask, log_probs - old.detach(), 0.0).sum(dim=1).exp()
    gain = advantages.detach()
    least = torch.minimum(ratio * gain, ratio.clamp(1 - clip, 1 + clip) * gain)
    return -(least * mask.sum(dim=1)).mean()


wrong(
    "band_from_zero",
    why=(
        "Your band is not around 1, the ratio at which both models agree: it goes from 1 − c to 1 "
        "+ c."
    ),
    change={"clamp(1 - clip, 1 + clip)": "clamp(-clip, clip)"},
)


wrong(
    "band_above_alone",
    why="Your band has no lower end: bad answers are pushed down without limit.",
    change={"clamp(1 - clip, 1 + clip)": "clamp(max=1 + clip)"},
)


wrong(
    "always_a_fifth",
    why="You ignored `clip`.",
    change={"clamp(1 - clip, 1 + clip)": "clamp(0.8, 1.2)"},
)


equivalent(
    "ratio = torch.exp(torch.where(mask, log_probs - old.detach(), 1.0))",
    why="What is not the answer is left out of the sum, whatever its ratio is.",
)
