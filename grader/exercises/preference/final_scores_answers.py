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
        "The score was read at the end of the row, which is padding for all but the longest "
        "answer: the score then depends on what an answer was batched with."
    ),
    change={"last[:, None]": "torch.full_like(last, -1 % scores.shape[1])[:, None]"},
)


wrong(
    "first_of_the_answer",
    why="The score was read at the answer's first token, when nothing but that has been seen.",
    change={
        "torch.where(mask, places, -1).amax(dim=1)": (
            "torch.where(mask, places, mask.shape[1]).amin(dim=1)"
        )
    },
)


@wrong(
    why=(
        "The number of the answer's tokens was taken as its place: it says where the answer ends "
        "only if there is no prompt."
    )
)
def by_its_length(scores, mask):
    return scores.gather(1, mask.sum(dim=1)[:, None] - 1)[:, 0]


@wrong(why="The mean over the answer: at its first tokens the model has not read the answer yet.")
def mean_over_the_answer(scores, mask):
    return torch.where(mask, scores, 0.0).sum(dim=1) / mask.sum(dim=1)


@wrong(
    why="The scores of all tokens were added up: a long answer is then far from 0 by its length."
)
def summed(scores, mask):
    return torch.where(mask, scores, 0.0).sum(dim=1)


@wrong(why="The highest score within the answer: it is read at the end, when all was seen.")
def highest(scores, mask):
    return torch.where(mask, scores, -torch.inf).amax(dim=1)


@wrong(why="One token too far: the score was read after the answer.")
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
