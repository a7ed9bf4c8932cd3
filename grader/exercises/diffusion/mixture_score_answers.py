"""Right and wrong answers to `diffusion.mixture_score`."""

import torch

from grader.author.answers import right, wrong


@right
def component_by_component(points, weights, means, variances):
    width = points.shape[-1]
    scores, logs = [], []
    for weight, mean, variance in zip(weights, means, variances, strict=True):
        gap = mean - points
        scores.append(gap / variance)
        log = -0.5 * (gap * gap).sum(-1) / variance
        logs.append(log - width / 2 * torch.log(2 * torch.pi * variance) + torch.log(weight))
    logs = torch.stack(logs)
    share = (logs - logs.logsumexp(dim=0)).exp()
    return (share[..., None] * torch.stack(scores)).sum(dim=0)


@right
def precisions_first(points, weights, means, variances):
    squares = (points[..., None, :] - means).pow(2).sum(-1)
    log = weights.log() - points.shape[-1] * variances.sqrt().log() - squares / (2 * variances)
    share = torch.softmax(log, -1) / variances  # (..., K)
    return share @ means - share.sum(-1, keepdim=True) * points


wrong(
    "prior_weights",
    why=(
        "The components' scores are averaged with their weights in the mixture. A point near one "
        "component came from that one: weigh by the probability of each, given the point."
    ),
    change={"torch.softmax(weights.log() + log_density, dim=-1)": "weights + 0 * log_density"},
)


wrong(
    "not_normalized",
    why=(
        "The densities are not divided by their sum: this is the gradient of p, up to a constant; "
        "return the gradient of ln p."
    ),
    change={
        "torch.softmax(weights.log() + log_density, dim=-1)": (
            "torch.exp(weights.log() + log_density)"
        )
    },
)


wrong(
    "softmax_over_the_points",
    why="The softmax runs over the points of the batch; it is the components that compete.",
    change={"log_density, dim=-1)": "log_density, dim=0)"},
)


wrong(
    "normalizers_left_out",
    why=(
        "The factor v^(−D/2) of each density is left out. It is the same for all components only "
        "if their variances are equal."
    ),
    change={" + width * variances.log()": ""},
)


wrong(
    "normalizers_of_one_feature",
    why="A density in D dimensions has the factor v^(−D/2); this one has v^(−1/2).",
    change={"width * variances.log()": "(width > 0) * variances.log()"},
)


wrong(
    "nearest_alone",
    why=(
        "Only the most probable component counts. Between components, all that are probable pull."
    ),
    change={
        "share = torch.softmax(weights.log() + log_density, dim=-1)": (
            "share = weights.log() + log_density\n"
            "    share = (share == share.amax(dim=-1, keepdim=True)).to(share.dtype)"
        )
    },
)


wrong(
    "points_away",
    why=(
        "The sign is reversed: the vectors point away from the components, where the density falls."
    ),
    change={"(share.unsqueeze(-1) * gaps": "-(share.unsqueeze(-1) * gaps"},
)


wrong(
    "weights_for_their_logarithms",
    why="The weights are added to log densities; their logarithms belong there.",
    change={"weights.log() + log": "weights + log"},
)


wrong(
    "without_the_weights",
    why="The weights of the mixture are left out: all components count as equally frequent.",
    change={"weights.log() + log": "0 * weights + log"},
)


wrong(
    "divided_by_the_deviation",
    why="A component's score is (m − x) / v, with the variance, not its root.",
    change={"gaps / variances[:, None]": "gaps / variances[:, None].sqrt()"},
)


wrong(
    "densities_underflow",
    why=(
        "The densities are computed and then divided by their sum. Far from all components, all of "
        "them round to 0, and 0 / 0 is NaN; a softmax of the logarithms has no such limit."
    ),
    change={
        "share = torch.softmax(weights.log() + log_density, dim=-1)": (
            "share = weights * log_density.exp()\n"
            "    share = share / share.sum(dim=-1, keepdim=True)"
        )
    },
    corner=True,
)
