"""Right and wrong answers to `attention.hard_gradient`."""

import torch
from torch.nn import functional as F

from grader.author.answers import right, wrong


@right
def rows_of_ones(weights, drawn, reward, *, baseline=0.0):
    chosen = F.one_hot(drawn, len(weights)).to(weights.dtype)
    return ((reward - baseline)[:, None] * (chosen - weights)).mean(dim=0)


@right
def draw_by_draw(weights, drawn, reward, *, baseline=0.0):
    total = torch.zeros_like(weights)
    for key, r in zip(drawn.tolist(), reward, strict=True):
        row = -weights.clone()
        row[key] += 1
        total = total + (r - baseline) * row
    return total / len(reward)


wrong(
    "minus_p_forgotten",
    why=(
        "You left out −p. ln p_k depends on all scores, because the softmax divides by their sum: "
        "what one key gains the others lose."
    ),
    change={"won - advantage.sum() * weights": "won"},
)


wrong(
    "baseline_ignored",
    why="The baseline makes no difference to your result.",
    change={"reward - baseline": "reward"},
)


wrong(
    "summed",
    why="You took the sum over the draws; return their mean.",
    change={"/ len(drawn)": ""},
)


wrong(
    "divided_by_keys",
    why="You divided by the number of keys; the mean is over the draws.",
    change={"/ len(drawn)": "/ len(weights)"},
)


wrong(
    "divided_by_the_chance",
    why=(
        "You divided by the probability of the key. That is the gradient with respect to p; with "
        "respect to the scores, p cancels."
    ),
    change={"index_add(0, drawn, advantage)": "index_add(0, drawn, advantage / weights[drawn])"},
)


wrong(
    "baseline_at_one_place",
    why=(
        "You used the baseline in one term only; subtract it from the reward, which is in both "
        "terms."
    ),
    change={"advantage.sum() * weights": "reward.sum() * weights"},
)


wrong(
    "last_draw_wins",
    why=(
        "Where a key is drawn several times you kept one reward; indexing with repeated places "
        "overwrites, and `index_add` adds."
    ),
    change={"index_add(0, drawn, advantage)": "index_copy(0, drawn, advantage)"},
)


wrong(
    "descent",
    why="The sign is reversed: this is the gradient of a reward, which should grow.",
    change={"return (won - advantage.sum() * weights)": "return (advantage.sum() * weights - won)"},
)


wrong(
    "mean_as_baseline",
    why=(
        "You took the mean of these rewards as the baseline, whatever was given: it depends on the "
        "draws, so the estimate is no longer unbiased."
    ),
    change={"reward - baseline": "reward - reward.mean()"},
)
