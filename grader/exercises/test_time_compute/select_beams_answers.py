"""Right and wrong answers to `test_time_compute.select_beams`."""

import torch

from grader.author.answers import equivalent, right, wrong


@right
def with_a_set(candidates, scores, width):
    scores = scores.clone()
    for row, texts in enumerate(candidates.tolist()):
        seen = set()
        for place, text in enumerate(texts):
            if tuple(text) in seen:
                scores[row, place] = -torch.inf
            seen.add(tuple(text))
    ordered, places = scores.sort(dim=1, descending=True, stable=True)
    rows = torch.arange(len(candidates))[:, None]
    return candidates[rows, places[:, :width]], ordered[:, :width]


@right
def first_of_each(candidates, scores, width):
    same = (candidates.unsqueeze(2) == candidates.unsqueeze(1)).all(-1).int()
    first = same.argmax(dim=2)
    own = torch.arange(candidates.shape[1])
    scores = torch.where(first == own, scores, -torch.inf)
    order = torch.argsort(-scores, dim=1, stable=True)[:, :width]
    picked = torch.take_along_dim(candidates, order.unsqueeze(2), dim=1)
    return picked, torch.take_along_dim(scores, order, dim=1)


wrong(
    "repeats_kept",
    why="Equal candidates are kept several times, so the beams are fewer than they seem.",
    change={"scores = scores.masked_fill(repeated, -torch.inf)": "scores = scores + 0 * repeated"},
)


wrong(
    "lowest_scores",
    why="The candidates with the lowest scores are kept; the highest must be.",
    change={"descending=True": "descending=False"},
)


wrong(
    "all_copies_dropped",
    why="A candidate that is repeated disappears altogether; the first copy counts.",
    change={"same.tril(diagonal=-1).any(dim=2)": "same.sum(dim=2) > 1"},
)


wrong(
    "last_copy_kept",
    why="Of equal candidates, the last one is kept, with its score; the first one counts.",
    change={"same.tril(diagonal=-1)": "same.triu(diagonal=1)"},
)


wrong(
    "compared_by_any_token",
    why="Candidates count as equal if one token agrees; all tokens must agree.",
    change={".all(dim=3)": ".any(dim=3)"},
)


wrong(
    "order_of_the_input",
    why="The beams are in the order in which they came; return the best first.",
    change={
        "order = scores.argsort(dim=1, descending=True, stable=True)[:, :width]": (
            "order = scores.argsort(dim=1, descending=True, stable=True)[:, :width].sort(dim=1)[0]"
        )
    },
)


wrong(
    "scores_not_reordered",
    why="The scores are not in the order of the beams.",
    change={"scores.gather(1, order)": "scores[:, :width]"},
)


@wrong(why="Of equal scores, the later candidate comes first; the earlier one must.", corner=True)
def later_of_equals(candidates, scores, width):
    same = (candidates[:, :, None] == candidates[:, None]).all(dim=3)
    scores = scores.masked_fill(same.tril(diagonal=-1).any(dim=2), -torch.inf)
    order = scores.flip(1).argsort(dim=1, descending=True, stable=True)[:, :width]
    order = scores.shape[1] - 1 - order
    places = order[..., None].expand(-1, -1, candidates.shape[2])
    return candidates.gather(1, places), scores.gather(1, order)


@wrong(why="The last token alone is compared; candidates that differ earlier are different.")
def last_token_compared(candidates, scores, width):
    last = candidates[..., -1]
    repeated = (last[:, :, None] == last[:, None]).tril(diagonal=-1).any(dim=2)
    scores = scores.masked_fill(repeated, -torch.inf)
    order = scores.argsort(dim=1, descending=True, stable=True)[:, :width]
    places = order[..., None].expand(-1, -1, candidates.shape[2])
    return candidates.gather(1, places), scores.gather(1, order)


equivalent(
    "order = scores.argsort(descending=True, stable=True)[:, :width]",
    why="the last axis is axis 1",
)


equivalent(
    "order = scores.argsort(dim=1, descending=True)[:, :width]", why="torch sorts short rows stably"
)


equivalent(
    "order = scores.argsort(dim=1, descending=True, stable=False)[:, :width]",
    why="torch sorts short rows stably",
)
