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
        "The larger of the two products: nothing is clipped where the model has gone too far, "
        "and the gradient that leads back is clipped."
    ),
    change={"torch.minimum(": "torch.maximum("},
)


wrong(
    "advantage_outside",
    why=(
        "The minimum was taken of the ratios, and then multiplied by the advantage: for a negative "
        "one the smaller ratio is the better one, and bad answers are pushed down without end."
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
        "Only the clipped product counts: a token that has moved out of the band in the wrong "
        "direction has no gradient to bring it back."
    ),
    change={
        "torch.minimum(ratio * gain, ratio.clamp(1 - clip, 1 + clip) * gain)": (
            "ratio.clamp(1 - clip, 1 + clip) * gain"
        )
    },
)


wrong(
    "never_clipped",
    why="Nothing is clipped: the same answers push further with every step that reuses them.",
    change={"torch.minimum(ratio * gain, ratio.clamp(1 - clip, 1 + clip) * gain)": "ratio * gain"},
)


wrong(
    "ratio_upside_down",
    why="The ratio is that of the new probability to the old one; this is the other way round.",
    change={"log_probs - old.detach()": "old.detach() - log_probs"},
)


wrong(
    "logarithms_divided",
    why="The logarithms were divided: the ratio of the probabilities is e to their difference.",
    change={
        "torch.exp(torch.where(mask, log_probs - old.detach(), 0.0))": (
            "torch.where(mask, log_probs / old.detach(), 1.0)"
        )
    },
)


wrong(
    "old_learns",
    why="A gradient reaches the old model; it is a record of what was drawn.",
    change={"old.detach()": "old"},
)


wrong(
    "advantage_learns",
    why="A gradient flows into the advantages: they are facts.",
    change={"advantages.detach()": "advantages"},
)


wrong(
    "sign",
    why="The sign is missing: minimized, this makes good answers less likely.",
    change={"return -torch": "return torch"},
)


wrong(
    "padding_counts",
    why="Padding counts: with a ratio of 1 it adds its advantage to the loss, or NaN.",
    change={"torch.where(mask, least, 0.0)": "least"},
)


wrong(
    "mean_over_tokens",
    why=(
        "The mean over an answer's tokens: a long wrong answer then costs less per token, and "
        "wrong answers grow."
    ),
    change={".sum(dim=1).mean()": ".sum(dim=1).div(mask.sum(dim=1).clamp(min=1)).mean()"},
)


@wrong(why="One ratio for the whole answer was clipped; here each token has its own.")
def ratio_of_the_answer(log_probs, old, advantages, mask, *, clip=0.2):
    ratio = torch.where(mask, log_probs - old.detach(), 0.0).sum(dim=1).exp()
    gain = advantages.detach()
    least = torch.minimum(ratio * gain, ratio.clamp(1 - clip, 1 + clip) * gain)
    return -(least * mask.sum(dim=1)).mean()


wrong(
    "band_from_zero",
    why="The band is around 1, where the new model is the old one: from 1 − c to 1 + c.",
    change={"clamp(1 - clip, 1 + clip)": "clamp(-clip, clip)"},
)


wrong(
    "band_above_alone",
    why="The band has no lower end: bad answers are pushed down without end.",
    change={"clamp(1 - clip, 1 + clip)": "clamp(max=1 + clip)"},
)


wrong(
    "always_a_fifth",
    why="`clip` was ignored.",
    change={"clamp(1 - clip, 1 + clip)": "clamp(0.8, 1.2)"},
)


equivalent(
    "ratio = torch.exp(torch.where(mask, log_probs - old.detach(), 1.0))",
    why="What is not the answer is left out of the sum, whatever its ratio is.",
)
