"""Right and wrong answers to `attention.attend_backward`."""

import torch

from grader.author.answers import right, wrong


@right
def through_the_jacobian(grad, weights, value):
    jacobian = torch.diag_embed(weights) - weights.unsqueeze(-1) * weights.unsqueeze(-2)
    of_weights = torch.einsum("...qd,...kd->...qk", grad, value)
    of_scores = torch.einsum("...qij,...qj->...qi", jacobian, of_weights)
    return of_scores, torch.einsum("...qk,...qd->...kd", weights, grad)


@right
def against_the_context(grad, weights, value):
    context = weights @ value
    better = value.unsqueeze(-3) - context.unsqueeze(-2)  # (..., Q, K, d_v)
    of_scores = weights * (better * grad.unsqueeze(-2)).sum(-1)
    total = weights.sum(-1, keepdim=True)
    of_scores = torch.where(total > 0, of_scores, torch.zeros_like(of_scores))
    return of_scores, weights.mT @ grad


wrong(
    "mean_forgotten",
    why=(
        "You left out the mean g·c. A score's gradient says how much better its value is "
        "than the average that was returned; without the mean all scores are pushed the "
        "same way."
    ),
    change={"(of_weights - mean)": "of_weights"},
)


wrong(
    "diagonal_only",
    why=(
        "You took α(1 − α) g·v, the diagonal of the Jacobian: a score also takes weight away from "
        "all other keys."
    ),
    change={"weights * (of_weights - mean)": "weights * (1 - weights) * of_weights"},
)


wrong(
    "mean_unweighted",
    why="The mean over the keys is weighted by α, because c is; yours counts all keys alike.",
    change={
        "(weights * of_weights).sum(dim=-1, keepdim=True)": "of_weights.mean(dim=-1, keepdim=True)"
    },
)


wrong(
    "gradient_of_the_weights",
    why="g·v is the gradient of the weights; to get to the scores, go back through the softmax.",
    change={"return weights * (of_weights - mean)": "return of_weights"},
)


wrong(
    "mean_over_queries",
    why="The mean is taken over the keys, separately for each query; you took it over the queries.",
    change={"(weights * of_weights).sum(dim=-1": "(weights * of_weights).sum(dim=-2"},
)


wrong(
    "values_without_weights",
    why="A value gets the gradient of each query times the weight that this query gave it.",
    change={
        "weights.transpose(-2, -1) @ grad": ("torch.ones_like(weights).transpose(-2, -1) @ grad")
    },
)


wrong(
    "not_times_the_weight",
    why="A score moves its own weight by α times the difference; the factor α is missing.",
    change={"return weights * (of_weights - mean)": "return (of_weights - mean)"},
)


wrong(
    "sign",
    why="The sign is reversed: a value that is better than the mean should get more weight.",
    change={"of_weights - mean": "mean - of_weights"},
)
