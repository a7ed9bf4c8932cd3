"""Right and wrong answers to `self_attention.iterated_self_attention`."""

import torch

from grader.author.answers import right, wrong


@right
def written_into_place(x, levels):
    if levels < 1:
        raise ValueError("at least one level")
    out = x.new_empty(levels, *x.shape)
    out[0] = x
    for k in range(1, levels):
        scores = torch.einsum("...id,...jd->...ij", x, x)
        scores = (scores - scores.amax(-1, keepdim=True)).exp()
        x = torch.einsum("...ij,...jd->...id", scores / scores.sum(-1, keepdim=True), x)
        out[k] = x
    return out


@right
def level_by_recursion(x, levels):
    if levels < 1:
        raise ValueError("at least one level")
    if levels == 1:
        return x[None]
    mixed = []
    for i in range(x.shape[-2]):
        scores = (x * x[..., i : i + 1, :]).sum(-1, keepdim=True)
        mixed.append((scores.softmax(-2) * x).sum(-2))
    rest = level_by_recursion(torch.stack(mixed, dim=-2), levels - 1)
    return torch.cat([x[None], rest])


wrong(
    "input_not_counted",
    why=(
        "You returned one level too many: the input is level 1, so `levels` "
        "levels take `levels - 1` rounds of attention."
    ),
    change={"range(levels - 1)": "range(levels)"},
)


wrong(
    "input_left_out",
    why="The input is level 1 and belongs in the result, as its first entry.",
    change={"torch.stack(found)": "torch.stack(found[1:])"},
)


wrong(
    "scores_from_the_input",
    why=(
        "Every level used the scores of the input; the words have changed "
        "since, and each level compares the vectors of the level before it."
    ),
    change={
        "weights = torch.softmax(x @ x.transpose(-2, -1), dim=-1)": (
            "weights = torch.softmax(found[0] @ found[0].transpose(-2, -1), dim=-1)"
        )
    },
)


wrong(
    "values_from_the_input",
    why=(
        "Each level averages the vectors of the level before it; you averaged "
        "the input again and again."
    ),
    change={"weights @ x": "weights @ found[0]"},
)


wrong(
    "softmax_over_queries",
    why=(
        "The softmax runs over the wrong axis: each row of weights must sum to "
        "1, so that each word receives a weighted *mean* of the others."
    ),
    change={"dim=-1": "dim=-2"},
)


wrong(
    "scaled",
    why=(
        "You divided the scores by √D. It is a good idea, and the chapter "
        "comes to it, but this form has plain dot products."
    ),
    change={"x @ x.transpose(-2, -1)": "x @ x.transpose(-2, -1) / x.shape[-1] ** 0.5"},
)


wrong(
    "residual_added",
    why=(
        "You added the old vector to the mean. That is the residual connection "
        "of a later chapter; here the new vector replaces the old one."
    ),
    change={"x = weights @ x": "x = x + weights @ x"},
)


wrong(
    "last_level_alone",
    why=(
        "Only the last level was returned; return the levels in between too, stacked "
        "along a new first axis."
    ),
    change={"torch.stack(found)": "x"},
)


wrong(
    "levels_after_the_batch",
    why="The axis of the levels comes first, before the batch axes.",
    change={"torch.stack(found)": "torch.stack(found, dim=-3)"},
)


wrong(
    "exp_overflows",
    why=(
        "exp of a large score is infinite, and ∞/∞ is NaN; subtract the largest score of each row "
        "first, as `torch.softmax` does."
    ),
    change={
        "torch.softmax(x @ x.transpose(-2, -1), dim=-1)": (
            "(x @ x.transpose(-2, -1)).exp() "
            "/ (x @ x.transpose(-2, -1)).exp().sum(-1, keepdim=True)"
        )
    },
    corner=True,
)


@wrong(
    why=(
        "Your code knows no batch axis, or one; with two it fails. `transpose(-2, -1)` and `@` "
        "take any number."
    ),
    corner=True,
)
def one_batch_axis_at_most(x, levels):
    if levels < 1:
        raise ValueError("at least one level")
    found = [x]
    for _ in range(levels - 1):
        scores = torch.bmm(x, x.transpose(1, 2)) if x.dim() == 3 else x.mm(x.t())
        weights = torch.softmax(scores, dim=-1)
        x = torch.bmm(weights, x) if x.dim() == 3 else weights.mm(x)
        found.append(x)
    return torch.stack(found)
