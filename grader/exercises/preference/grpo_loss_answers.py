"""Right and wrong answers to `preference.grpo_loss`."""

import torch

from grader.author.answers import right, wrong
from solutions.preference import clipped_loss, group_advantages, kl_estimates


@right
def written_out(log_probs, old, reference, rewards, mask, *, clip=0.2, beta=0.0):
    rewards = rewards.detach()
    gain = rewards - rewards.mean(dim=1, keepdim=True)
    spread = rewards.std(dim=1, keepdim=True, correction=0)
    gain = torch.where(rewards.amax(1, True) > rewards.amin(1, True), gain / spread, 0.0)
    gain = gain.reshape(-1, 1).expand_as(mask)[mask]
    ahead = log_probs[mask] - old[mask].detach()
    gap = reference[mask].detach() - log_probs[mask]
    ratio = ahead.exp()
    best = torch.minimum(ratio * gain, ratio.clamp(1 - clip, 1 + clip) * gain)
    return (beta * (gap.exp() - 1 - gap) - best).sum() / len(mask)


@right
def group_by_group(log_probs, old, reference, rewards, mask, *, clip=0.2, beta=0.0):
    size, loss = rewards.shape[1], log_probs.new_zeros(())
    with torch.no_grad():
        fixed = reference.clone()
    for number, group in enumerate(rewards):
        part = slice(number * size, (number + 1) * size)
        gain = group_advantages(group[None])[0]
        own = mask[part]
        far = log_probs[part].masked_fill(~own, 0.0), fixed[part].masked_fill(~own, 0.0)
        price = kl_estimates(*far)[2]
        loss = loss + clipped_loss(log_probs[part], old[part], gain, own, clip=clip)
        loss = loss + beta * price.sum() / size
    return loss / len(rewards)


wrong(
    "groups_across",
    why=(
        "The rewards were laid out the other way: a group is a row, G answers to one prompt, which "
        "stand side by side in the batch."
    ),
    change={"group_advantages(rewards).flatten()": "group_advantages(rewards).T.flatten()"},
)


wrong(
    "one_group",
    why="All answers were taken as one group: hard prompts look like bad answers.",
    change={
        "group_advantages(rewards).flatten()": "group_advantages(rewards.reshape(1, -1)).flatten()"
    },
)


wrong(
    "rewards_as_they_are",
    why="Rewards took the place of advantages: where none is negative, everything is encouraged.",
    change={"group_advantages(rewards).flatten()": "rewards.flatten()"},
)


wrong(
    "price_as_reward",
    why="The divergence was taken away from the loss: going far from the reference is rewarded.",
    change={"loss + beta *": "loss - beta *"},
)


wrong(
    "k1_for_k3",
    why=(
        "k1 is in the loss: its mean is the divergence, but its gradient is 0 on average, so "
        "it holds nothing back. k3's gradient leads back to the reference."
    ),
    change={"*_, k3 =": "k3, *_ ="},
)


wrong(
    "to_the_old_model",
    why=(
        "The price is on the distance from the old model, which moves in training; the "
        "reference stays fixed."
    ),
    change={"reference.detach()": "old.detach()"},
)


wrong(
    "reference_as_old",
    why="The ratio is to the reference; the answers were drawn by the old model.",
    change={"clipped_loss(log_probs, old,": "clipped_loss(log_probs, reference,"},
)


wrong(
    "direction",
    why=(
        "Model and reference are swapped in the price: k3 takes the model's log-probabilities "
        "first."
    ),
    change={
        "kl_estimates(log_probs[mask], reference.detach()[mask])": (
            "kl_estimates(reference.detach()[mask], log_probs[mask])"
        )
    },
)


wrong(
    "reference_learns",
    why="A gradient reaches the reference, which has to stay fixed.",
    change={"reference.detach()": "reference"},
)


wrong(
    "padding_has_a_price",
    why="The price counts prompt and padding too.",
    change={"log_probs[mask], reference.detach()[mask]": "log_probs, reference.detach()"},
)


wrong(
    "mean_over_tokens",
    why=(
        "The price was averaged over the tokens of all answers, and the reward is not: β then "
        "depends on how long answers are."
    ),
    change={"k3.sum() / len(mask)": "k3.mean()"},
)


wrong(
    "no_price",
    why="The price is missing.",
    change={"return loss + beta": "return loss + 0 * beta"},
)


wrong(
    "not_scaled",
    why="The advantages were not divided by the group's standard deviation.",
    change={"group_advantages(rewards)": "group_advantages(rewards, scale=False)"},
)


wrong(
    "band_forgotten",
    why="`clip` was not handed on.",
    change={", mask, clip=clip)": ", mask)"},
)


@wrong(
    why=(
        "A gradient reaches the rewards, through the advantages: rewards are constants that "
        "weight the answers."
    )
)
def rewards_learn(log_probs, old, reference, rewards, mask, *, clip=0.2, beta=0.0):
    gain = group_advantages(rewards).flatten()[:, None]
    ratio = torch.exp(torch.where(mask, log_probs - old.detach(), 0.0))
    least = torch.minimum(ratio * gain, ratio.clamp(1 - clip, 1 + clip) * gain)
    price = kl_estimates(log_probs[mask], reference.detach()[mask])[2]
    return (beta * price.sum() - torch.where(mask, least, 0.0).sum()) / len(mask)
