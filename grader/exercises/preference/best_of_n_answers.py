"""Right and wrong answers to `preference.best_of_n`."""

import torch

from grader.author.answers import right, wrong


@right
def group_by_group(probabilities, rewards, n):
    found = torch.zeros_like(probabilities)
    below = probabilities.new_zeros(())
    for reward in sorted(set(rewards.tolist())):
        group = rewards == reward
        mass = probabilities[group].sum()
        if mass > 0:
            gained = (below + mass) ** n - below**n
            found[group] = gained * probabilities[group] / mass
        below = below + mass
    return found


@right
def by_unique_rewards(probabilities, rewards, n):
    levels, place = torch.unique(rewards, return_inverse=True)
    mass = torch.zeros(len(levels), dtype=probabilities.dtype).index_add(0, place, probabilities)
    up_to = mass.cumsum(0)
    before = torch.cat([up_to.new_zeros(1), up_to[:-1]])
    share = torch.where(mass > 0, (up_to**n - before**n) / torch.where(mass > 0, mass, 1), 0)
    return probabilities * share[place]


@right
def normalised(probabilities, rewards, n):
    chances = probabilities / probabilities.sum()
    worse = torch.stack([chances[rewards < reward].sum() for reward in rewards])
    alike = torch.stack([chances[rewards == reward].sum() for reward in rewards])
    found = ((worse + alike) ** n - worse**n) * chances / torch.where(alike > 0, alike, 1)
    return found / found.sum()


@wrong(
    why=(
        "You ordered equal rewards: the later of two equally good answers counts as better than "
        "the earlier one."
    )
)
def ties_in_order(probabilities, rewards, n):
    order = rewards.argsort(stable=True)
    up_to = probabilities[order].cumsum(0) ** n
    gained = up_to - torch.cat([up_to.new_zeros(1), up_to[:-1]])
    return torch.zeros_like(gained).scatter(0, order, gained)


wrong(
    "worst_of_n",
    why="This is the worst of n: the best answer wins against *less* good ones.",
    change={"rewards[:, None] > rewards": "rewards[:, None] < rewards"},
)


wrong(
    "shared_evenly",
    why=(
        "You share a group's probability evenly; share it in proportion to the answers' own "
        "probabilities."
    ),
    change={"found * probabilities / alike": "found / equal.sum(dim=1)"},
)


wrong(
    "not_shared",
    why=(
        "You gave each of several equally good answers the probability of the whole group: the sum "
        "exceeds 1."
    ),
    change={"found * probabilities / alike": "found"},
)


@wrong(
    why=("p(y) · n is roughly the probability that y is sampled at all, whatever the others are.")
)
def n_times_as_likely(probabilities, rewards, n):
    found = probabilities * n
    return found / found.sum()


@wrong(
    why=(
        "You raised each probability to a power: that lowers the temperature, and ignores the "
        "rewards."
    )
)
def sharpened(probabilities, rewards, n):
    found = probabilities**n
    return found / found.sum()


@wrong(
    why=(
        "You let exactly one sample be y and the n − 1 others be worse: several may be equally "
        "good."
    )
)
def one_and_all_others_worse(probabilities, rewards, n):
    worse = ((rewards[:, None] > rewards) * probabilities).sum(dim=1)
    return n * probabilities * worse ** (n - 1)


wrong(
    "zero_by_zero",
    why="A group with probability 0 gives 0 / 0 here; it must get 0.",
    change={
        "torch.where(alike > 0, found * probabilities / alike, 0.0)": (
            "found * probabilities / alike"
        )
    },
    corner=True,
)
