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
        "You laid out the rewards across groups: a group is a row, the G answers to one prompt, "
        "which are neighbors in the batch."
    ),
    change={"group_advantages(rewards).flatten()": "group_advantages(rewards).T.flatten()"},
)


wrong(
    "one_group",
    why="You took all answers as one group: answers to hard prompts then look bad.",
    change={
        "group_advantages(rewards).flatten()": "group_advantages(rewards.reshape(1, -1)).flatten()"
    },
)


wrong(
    "rewards_as_they_are",
    why="You used rewards instead of advantages: if none is negative, every answer is encouraged.",
    change={"group_advantages(rewards).flatten()": "rewards.flatten()"},
)


wrong(
    "price_as_reward",
    why="You subtracted the divergence from the loss: this rewards going far from the reference.",
    change={"loss + beta *": "loss - beta *"},
)


wrong(
    "k1_for_k3",
    why=(
        "You used k1: its mean is the divergence, but its gradient is 0 on average, so it holds "
        "nothing back. k3's gradient leads back to the reference."
    ),
    change={"*_, k3 =": "k3, *_ ="},
)


wrong(
    "to_the_old_model",
    why=(
        "You penalize the distance from the old model, which changes in training; the reference "
        "stays fixed."
    ),
    change={"reference.detach()": "old.detach()"},
)


wrong(
    "reference_as_old",
    why="You used the reference in the ratio; the old model sampled the answers.",
    change={"clipped_loss(log_probs, old,": "clipped_loss(log_probs, reference,"},
)


wrong(
    "direction",
    why=(
        "You swapped model and reference in the penalty: `kl_estimates` takes the model's "
        "log-probabilities first."
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
    why="Your penalty counts prompt and padding, too.",
    change={"log_probs[mask], reference.detach()[mask]": "log_probs, reference.detach()"},
)


wrong(
    "mean_over_tokens",
    why=(
        "You averaged the penalty over the tokens of all answers, but not the reward: β then "
        "depends on the length of answers."
    ),
    change={"k3.sum() / len(mask)": "k3.mean()"},
)


wrong(
    "no_price",
    why="The penalty is missing.",
    change={"return loss + beta": "return loss + 0 * beta"},
)


wrong(
    "not_scaled",
    why="You did not divide the advantages by the group's standard deviation.",
    change={"group_advantages(rewards)": "group_advantages(rewards, scale=False)"},
)


wrong(
    "band_forgotten",
    why="You did not pass on `clip`.",
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
