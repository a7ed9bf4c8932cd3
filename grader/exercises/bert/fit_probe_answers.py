"""Right and wrong answers to `bert.fit_probe`."""

import torch
from torch.nn import functional as F

from grader.author.answers import right, wrong


@right
def rows_for_the_decay(features, labels, *, classes, decay=1e-3):
    x = features.detach()
    count, width = x.shape
    y = torch.zeros(count, classes, dtype=x.dtype)
    y[torch.arange(count), labels] = 1
    x0, y0 = x.mean(0, keepdim=True), y.mean(0, keepdim=True)
    more = (decay * count) ** 0.5 * torch.eye(width, dtype=x.dtype)
    left = torch.cat([x - x0, more])
    right_side = torch.cat([y - y0, torch.zeros(width, classes, dtype=x.dtype)])
    weight = torch.linalg.lstsq(left, right_side).solution
    return weight.mT, (y0 - x0 @ weight)[0]


@right
def with_a_column_of_ones(features, labels, *, classes, decay=1e-3):
    x = torch.cat([features.detach(), torch.ones_like(features[:, :1])], dim=1)
    y = F.one_hot(labels, classes).to(x.dtype)
    cost = torch.full((x.shape[1],), decay * len(x), dtype=x.dtype)
    cost[-1] = 0
    found = torch.linalg.inv(x.mT @ x + torch.diag(cost)) @ (x.mT @ y)
    return found[:-1].mT.detach(), found[-1].detach()


@wrong(why="The bias is penalized as well: this lowers the scores of frequent labels.")
def bias_costs(features, labels, *, classes, decay=1e-3):
    x = torch.cat([features, torch.ones_like(features[:, :1])], dim=1)
    y = F.one_hot(labels, classes).to(x.dtype)
    cost = decay * len(x) * torch.eye(x.shape[1], dtype=x.dtype)
    found = torch.linalg.solve(x.mT @ x + cost, x.mT @ y)
    return found[:-1].mT, found[-1]


wrong(
    "decay_not_times_n",
    why=(
        "The decay is not multiplied by n, though errors are summed: with more examples, the "
        "penalty counts less and less."
    ),
    change={"decay * len(x)": "decay"},
)


wrong(
    "features_not_centered",
    why="The mean was not subtracted from the features: the weights have to make up for the bias.",
    change={"x = features - center": "x = features"},
)


wrong(
    "labels_for_bias",
    why=(
        "Your bias is the share of each label; subtract what the weights give for the mean "
        "features."
    ),
    change={"return weight, share - weight @ center": "return weight, share"},
)


wrong(
    "no_decay",
    why="The weights are not penalized: with more features than examples, anything can be fitted.",
    change={"decay * len(x)": "1e-9"},
)


wrong(
    "features_first",
    why="W is (D, C) here; it is (C, D), a row for each label.",
    change={
        "x.T @ target).T": "x.T @ target)",
        "weight @ center": "weight.T @ center",
    },
)


@wrong(why="The numbers of the labels were fitted: label 2 is not twice label 1.")
def numbers_fitted(features, labels, *, classes, decay=1e-3):
    x = features.detach()
    y = labels.to(x.dtype)[:, None].expand(-1, classes)
    center, share = x.mean(dim=0), y.mean(dim=0)
    x, y = x - center, y - share
    cost = decay * len(x) * torch.eye(x.shape[1], dtype=x.dtype)
    weight = torch.linalg.solve(x.T @ x + cost, x.T @ y).T
    return weight, share - weight @ center


wrong(
    "only_labels_that_occur",
    why="Labels without an example get no row; there are as many rows as `classes` says.",
    change={"F.one_hot(labels, classes)": "F.one_hot(labels)"},
    corner=True,
)
