"""Right and wrong answers to `test_time_compute.weighted_vote`."""

import torch

from grader.author.answers import right, wrong


@right
def with_a_dict(answers, weights):
    chosen = []
    for said, weight in zip(answers.tolist(), weights.tolist(), strict=True):
        totals = {}
        for one, more in zip(said, weight, strict=True):
            totals[one] = totals.get(one, 0.0) + more
        chosen.append(max(totals, key=totals.__getitem__))
    return torch.tensor(chosen, dtype=answers.dtype)


@right
def with_a_product(answers, weights):
    same = (answers.unsqueeze(2) == answers.unsqueeze(1)).to(weights.dtype)
    totals = torch.bmm(same, weights.unsqueeze(2)).squeeze(2)
    first = totals.max(dim=1).indices
    return answers[torch.arange(len(answers)), first]


@wrong(why="The weights are ignored: this is the most frequent answer.")
def most_frequent(answers, weights):
    counts = (answers[:, :, None] == answers[:, None]).sum(dim=2)
    return answers.gather(1, counts.argmax(dim=1, keepdim=True))[:, 0]


@wrong(why="This is the answer of the one heaviest vote; weights of equal answers must be added.")
def heaviest_vote(answers, weights):
    return answers.gather(1, weights.argmax(dim=1, keepdim=True))[:, 0]


@wrong(why="The weights are averaged, so an answer that is given often has no advantage; add them.")
def mean_weight(answers, weights):
    same = answers[:, :, None] == answers[:, None]
    totals = torch.where(same, weights[:, None], 0.0).sum(dim=2) / same.sum(dim=2)
    return answers.gather(1, totals.argmax(dim=1, keepdim=True))[:, 0]


@wrong(why="The weights are multiplied, so a further vote with a weight below 1 hurts; add them.")
def product_of_weights(answers, weights):
    same = answers[:, :, None] == answers[:, None]
    totals = torch.where(same, weights[:, None], 1.0).prod(dim=2)
    return answers.gather(1, totals.argmax(dim=1, keepdim=True))[:, 0]


wrong(
    "place_of_the_vote",
    why="You returned the place of the winning sample; return its answer.",
    change={"answers.gather(1, totals.argmax(dim=1, keepdim=True))[:, 0]": "totals.argmax(dim=1)"},
)


wrong(
    "lightest_answer",
    why="The answer with the smallest total wins; take the largest.",
    change={"totals.argmax(": "totals.argmin("},
)


@wrong(
    why="Of several answers with the same total, the last wins; take the one sampled first.",
    corner=True,
)
def last_of_equals(answers, weights):
    same = answers[:, :, None] == answers[:, None]
    totals = torch.where(same, weights[:, None], 0.0).sum(dim=2)
    place = totals.shape[1] - 1 - totals.flip(1).argmax(dim=1)
    return answers[torch.arange(len(answers)), place]


@wrong(
    why="Of several answers with the same total, the smallest number wins; take the first.",
    corner=True,
)
def smallest_of_equals(answers, weights):
    same = answers[:, :, None] == answers[:, None]
    totals = torch.where(same, weights[:, None], 0.0).sum(dim=2)
    best = totals == totals.amax(dim=1, keepdim=True)
    return torch.where(best, answers, answers.max() + 1).amin(dim=1)


@wrong(why="The votes of all rows are counted together; each row has its own vote.")
def one_vote_for_all(answers, weights):
    same = answers[:, :, None] == answers.flatten()
    totals = torch.where(same, weights.flatten(), 0.0).sum(dim=2)
    return answers.gather(1, totals.argmax(dim=1, keepdim=True))[:, 0]
