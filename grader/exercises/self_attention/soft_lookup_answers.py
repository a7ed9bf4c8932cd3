"""Right and wrong answers to `self_attention.soft_lookup`."""

import torch

from grader.author.answers import right, wrong


@right
def exponentials_by_hand(query, key, value, *, score="dot", temperature=1.0):
    if score not in ("dot", "cosine", "distance") or not temperature > 0:
        raise ValueError("no such score, or no such temperature")
    if score == "dot":
        scores = torch.einsum("d,kd->k", query, key)
    elif score == "cosine":
        unit = torch.nn.functional.normalize
        scores = unit(key, dim=1) @ unit(query, dim=0)
    else:
        scores = -0.5 * torch.einsum("kd,kd->k", key - query, key - query)
    scores = scores / temperature
    weights = torch.exp(scores - scores.max())
    return (weights[:, None] * value).sum(0) / weights.sum()


@right
def key_after_key(query, key, value, *, score="dot", temperature=1.0):
    if score not in ("dot", "cosine", "distance") or not temperature > 0:
        raise ValueError("no such score, or no such temperature")
    scores = []
    for k in key:
        if score == "dot":
            found = (k * query).sum()
        elif score == "cosine":
            found = (k * query).sum() / ((k * k).sum() * (query * query).sum()) ** 0.5
        else:
            found = -((query - k) ** 2).sum() / 2
        scores.append(found / temperature)
    scores = torch.stack(scores)
    weights = (scores - torch.logsumexp(scores, 0)).exp()
    return value.T @ weights


wrong(
    "times_temperature",
    why=(
        "You multiplied the scores by the temperature; dividing by it is what "
        "makes a small temperature sharp and a large one even."
    ),
    change={"scores / temperature": "scores * temperature"},
)


wrong(
    "temperature_after_softmax",
    why=(
        "You divided the weights by the temperature, after the softmax, so "
        "they no longer sum to 1; it belongs inside, under the scores."
    ),
    change={
        "torch.softmax(scores / temperature, dim=0)": ("torch.softmax(scores, dim=0) / temperature")
    },
)


wrong(
    "norm_of_all_keys",
    why=(
        "`key.norm()` without `dim=-1` is one number for the whole matrix; the "
        "cosine divides each score by the length of its own key."
    ),
    change={"key.norm(dim=-1)": "key.norm()"},
)


wrong(
    "cosine_without_the_keys",
    why=(
        "You divided by the length of the query alone, so a long key still "
        "wins by being long; the cosine divides by both lengths."
    ),
    change={"(key.norm(dim=-1) * query.norm())": "query.norm()"},
)


wrong(
    "distance_as_score",
    why=(
        "The squared distance is used as the score, without its minus sign: "
        "the worst match gets the largest weight."
    ),
    change={"-(key - query)": "(key - query)"},
)


wrong(
    "distance_not_squared",
    why=("The score is minus half the *squared* distance; you took the distance itself."),
    change={"-(key - query).square().sum(dim=-1) / 2": "-(key - query).norm(dim=-1)"},
)


wrong(
    "distance_not_halved",
    why=(
        "The half is missing in −‖q − k‖² / 2. Without it the distance is "
        "twice as sharp as the dot product on keys of one length; with it they "
        "agree."
    ),
    change={".sum(dim=-1) / 2": ".sum(dim=-1)"},
)


wrong(
    "divided_by_root_d",
    why=(
        "You divided the dot product by √d_k; that belongs to scaled "
        "dot-product attention. Here the temperature is the only scale."
    ),
    change={"key @ query  # (K": "key @ query / math.sqrt(len(query))  # (K"},
)


wrong(
    "hard_lookup",
    why=(
        "You returned the value of the best key alone. That is an ordinary "
        "dictionary: the query and the keys get no gradient, so nothing can "
        "learn where to look."
    ),
    change={"torch.softmax(scores / temperature, dim=0) @ value": "value[scores.argmax()]"},
)


wrong(
    "exp_overflows",
    why=(
        "exp of a score in the thousands is infinite, and ∞/∞ is NaN; subtract "
        "the largest score first, as `torch.softmax` does."
    ),
    change={
        "torch.softmax(scores / temperature, dim=0)": (
            "torch.exp(scores / temperature) / torch.exp(scores / temperature).sum(dim=0)"
        )
    },
)


wrong(
    "eps_beside_the_lengths",
    why=(
        "A small number was added to the lengths, or set as their minimum; beside short vectors "
        "it is not small, and no row is zero here."
    ),
    change={"(key.norm(dim=-1) * query.norm())": "(key.norm(dim=-1) * query.norm() + 1e-8)"},
    corner=True,
)


wrong(
    "negative_temperature_taken",
    why="A temperature below zero reverses the lookup: the worst match wins. Raise an error.",
    change={"if temperature <= 0:": "if temperature == 0:"},
    corner=True,
)


wrong(
    "root_of_the_distance",
    why=(
        "You took the root of the squared distance and squared it again. The number is right, but "
        "at distance 0 the root has no slope, and the gradient becomes NaN."
    ),
    change={
        "-(key - query).square().sum(dim=-1) / 2": (
            "-(key - query).square().sum(dim=-1).sqrt().square() / 2"
        )
    },
    corner=True,
)


wrong(
    "squares_multiplied_out",
    why=(
        "The distance was computed as q·k − ‖q‖²/2 − ‖k‖²/2. Far from 0 these are large numbers of "
        "which rounding leaves little: square the difference."
    ),
    change={
        "-(key - query).square().sum(dim=-1) / 2": (
            "key @ query - key.square().sum(dim=-1) / 2 - query.square().sum() / 2"
        )
    },
    corner=True,
)


wrong(
    "power_of_the_weights",
    why=(
        "You raised the weights to the power 1/τ. On paper this is the same, but a weight that "
        "was rounded to 0 stays 0, however hot the lookup: divide the scores."
    ),
    change={
        "return torch.softmax(scores / temperature, dim=0) @ value": (
            "weights = torch.softmax(scores, dim=0) ** (1 / temperature)\n"
            "    return weights / weights.sum() @ value"
        )
    },
    corner=True,
)
