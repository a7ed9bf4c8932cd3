"""Right and wrong answers to `preference.final_scores`."""

import torch

from grader.author.answers import equivalent, right, wrong


@right
def row_by_row(scores, mask):
    return torch.stack(
        [row[places.nonzero()[-1, 0]] for row, places in zip(scores, mask, strict=True)]
    )


@right
def by_counting_from_behind(scores, mask):
    behind = mask.flip(1).cumsum(1).flip(1)  # true ones from here on
    last = mask & (behind == 1)
    return scores[last]


wrong(
    "last_of_the_row",
    why=(
        "You read the score at the end of the row, which is padding for all but the longest "
        "answer: the score then depends on the other answers in the batch."
    ),
    change={"last[:, None]": "torch.full_like(last, -1 % scores.shape[1])[:, None]"},
)


wrong(
    "first_of_the_answer",
    why="You read the score at the answer's first token, before the model has read the rest.",
    change={
        "torch.where(mask, places, -1).amax(dim=1)": (
            "torch.where(mask, places, mask.shape[1]).amin(dim=1)"
        )
    },
)


@wrong(
    why=(
        "You used the number of the answer's tokens as a position: it gives the answer's end only "
        "if there is no prompt."
    )
)
def by_its_length(scores, mask):
    return scores.gather(1, mask.sum(dim=1)[:, None] - 1)[:, 0]


@wrong(
    why=("You averaged over the answer: at its first tokens the model has not read the answer yet.")
)
def mean_over_the_answer(scores, mask):
    return torch.where(mask, scores, 0.0).sum(dim=1) / mask.sum(dim=1)


@wrong(
    why=(
        "You added the scores of all tokens: a long answer then has a score far from 0 because of "
        "its length."
    )
)
def summed(scores, mask):
    return torch.where(mask, scores, 0.0).sum(dim=1)


@wrong(
    why=(
        "You took the highest score within the answer: read the score at its end, where the model "
        "has read all of it."
    )
)
def highest(scores, mask):
    return torch.where(mask, scores, -torch.inf).amax(dim=1)


@wrong(why="You read the score one token too late, after the answer.")
def one_behind(scores, mask):
    places = torch.arange(mask.shape[1], device=mask.device)
    last = torch.where(mask, places, -1).amax(dim=1) + 1
    return scores.gather(1, last.clamp(max=mask.shape[1] - 1)[:, None])[:, 0]


equivalent(
    "last = torch.where(mask, places, -2).amax(dim=1)",
    why="An answer has one token at least, and its place is larger.",
)


equivalent(
    "last = torch.where(mask, places, 0).amax(dim=1)",
    why="An answer has one token at least: place 0 wins only if it is that one.",
)
