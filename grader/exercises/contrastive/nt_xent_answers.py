"""Right and wrong answers to `contrastive.nt_xent`."""

import torch
from torch.nn import functional as F

from grader.author.answers import right, wrong
from solutions.contrastive import cosines


@right
def view_by_view(first, second, temperature):
    views = torch.cat([first, second])
    views = views / views.norm(dim=1, keepdim=True)
    half, total = len(first), 0
    for place in range(2 * half):
        others = [j for j in range(2 * half) if j != place]
        scores = views[others] @ views[place] / temperature
        partner = others.index((place + half) % (2 * half))
        total = total - scores.log_softmax(dim=0)[partner]
    return total / (2 * half)


@right
def in_blocks(first, second, temperature):
    across = cosines(first, second) / temperature
    gone = torch.diag(torch.full((len(first),), torch.inf).to(first))
    within, other = (cosines(x, x) / temperature - gone for x in (first, second))
    one = torch.cat([across, within], dim=1).logsumexp(1) - across.diagonal()
    two = torch.cat([across.T, other], dim=1).logsumexp(1) - across.diagonal()
    return torch.cat([one, two]).mean()


wrong(
    "itself_a_candidate",
    why="Each view is a candidate for itself; its cosine with itself is 1, and it always wins.",
    change={"scores.masked_fill(itself, -torch.inf)": "scores"},
)


wrong(
    "itself_as_zero",
    why="The score of a view with itself is set to 0, which is a candidate still; set it to −∞.",
    change={"masked_fill(itself, -torch.inf)": "masked_fill(itself, 0.0)"},
)


@wrong(
    why="Views of the same side are left out, which is InfoNCE both ways; they are candidates, too."
)
def other_side_alone(first, second, temperature):
    scores = cosines(first, second) / temperature
    partners = torch.arange(len(scores), device=scores.device)
    return (F.cross_entropy(scores, partners) + F.cross_entropy(scores.T, partners)) / 2


wrong(
    "next_row_is_the_partner",
    why="The partner of row i is row i + 1; after stacking both groups it is row i + B.",
    change={".roll(len(first))": ".roll(-1)"},
)


wrong(
    "multiplied_by_the_temperature",
    why="The cosines are multiplied by the temperature; divide by it.",
    change={"cosines(views, views) / temperature": "cosines(views, views) * temperature"},
)


@wrong(why="Only the first views look for their partners; all 2B do.")
def first_views_alone(first, second, temperature):
    views = torch.cat([first, second])
    scores = cosines(views, views) / temperature
    scores = scores - torch.diag(torch.full((len(views),), torch.inf).to(scores))
    partners = torch.arange(len(views)).roll(len(first))
    return F.cross_entropy(scores[: len(first)], partners[: len(first)])


@wrong(why="These are inner products; divide each view by its length.")
def lengths_left_in(first, second, temperature):
    views = torch.cat([first, second])
    scores = views @ views.T / temperature
    scores = scores - torch.diag(torch.full((len(views),), torch.inf).to(scores))
    return F.cross_entropy(scores, torch.arange(len(views)).roll(len(first)))


@wrong(why="The sum over all views was taken; the loss is their mean.")
def summed(first, second, temperature):
    views = torch.cat([first, second])
    scores = cosines(views, views) / temperature
    scores = scores - torch.diag(torch.full((len(views),), torch.inf).to(scores))
    partners = torch.arange(len(views)).roll(len(first))
    return F.cross_entropy(scores, partners, reduction="sum") + 0 * len(first)


@wrong(why="Exponentials are summed as they are; at a low temperature they overflow.", corner=True)
def overflows(first, second, temperature):
    views = torch.cat([first, second])
    weights = (cosines(views, views) / temperature).exp()
    weights = weights - torch.diag(weights.diagonal())
    own = weights[torch.arange(len(views)), torch.arange(len(views)).roll(len(first))]
    return -(own / weights.sum(dim=1)).log().mean()
