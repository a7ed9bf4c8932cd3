"""Right and wrong answers to `embeddings.info_nce`."""

import torch

from grader.author.answers import right, wrong


@right
def log_softmax_of_all(first, second, *, temperature=0.1):
    if first.shape != second.shape:
        raise ValueError("as many partners as vectors, please")
    lengths = first.norm(dim=1)[:, None] * second.norm(dim=1)
    scores = first @ second.mT / lengths / temperature
    return -torch.log_softmax(scores, dim=-1).diagonal().mean()


@right
def row_by_row(first, second, *, temperature=0.1):
    if first.shape != second.shape:
        raise ValueError("a partner is missing, or of another size")
    second = second / second.square().sum(1, keepdim=True).sqrt()
    total = 0.0
    for i, row in enumerate(first):
        scores = second @ (row / row.square().sum().sqrt()) / temperature
        top = scores.max().detach()
        total = total + top + (scores - top).exp().sum().log() - scores[i]
    return total / len(first)


wrong(
    "products_for_cosines",
    why="The vectors were not scaled to length 1: longer vectors would then lower the loss.",
    change={"(rows / rows.norm(dim=1, keepdim=True) for rows in (first, second))": "first, second"},
)


wrong(
    "one_side_scaled",
    why="Only one of the two was scaled to length 1; a cosine divides by both lengths.",
    change={
        "one, other = (rows / rows.norm(dim=1, keepdim=True) for rows in (first, second))": (
            "one, other = first / first.norm(dim=1, keepdim=True), second"
        )
    },
)


wrong(
    "scaled_over_the_batch",
    why="The lengths were computed over the batch, column by column; each row is a vector.",
    change={"rows.norm(dim=1, keepdim=True)": "rows.norm(dim=0, keepdim=True)"},
)


wrong(
    "multiplied_by_the_temperature",
    why=(
        "The cosines were multiplied by τ, which makes them nearly equal if τ is small; divide "
        "by τ."
    ),
    change={"/ temperature": "* temperature"},
)


wrong(
    "temperature_ignored",
    why="`temperature` is not used; divide the cosines by it.",
    change={" / temperature": ""},
)


wrong(
    "fixed_temperature",
    why="`temperature` is not used: τ is always 0.1 here; use the argument.",
    change={"/ temperature": "/ 0.1"},
)


wrong(
    "asked_the_other_way",
    why=(
        "Here each row of `second` looks for its partner in `first`; the softmax must run over "
        "the rows of `second`."
    ),
    change={"one @ other.T": "other @ one.T"},
)


wrong(
    "both_directions",
    why=(
        "Both directions were averaged, as CLIP does; here only the rows of `first` look for a "
        "partner."
    ),
    change={
        "return (scores.logsumexp(dim=1) - scores.diagonal()).mean()": (
            "forth = (scores.logsumexp(dim=1) - scores.diagonal()).mean()\n"
            "    return (forth + (scores.logsumexp(dim=0) - scores.diagonal()).mean()) / 2"
        )
    },
)


wrong(
    "partner_not_among_the_choices",
    why=(
        "The partner is missing in the sum over the batch; it is one of the choices, and without "
        "it the loss can fall below 0."
    ),
    change={
        "scores.logsumexp(dim=1)": (
            "scores.masked_fill(torch.eye(len(scores)) > 0, float('-inf')).logsumexp(dim=1)"
        )
    },
)


wrong(
    "sum_over_the_batch",
    why="The loss was summed; it is a mean over the batch.",
    change={").mean()": ").sum()"},
)


wrong(
    "distances_of_the_pairs_alone",
    why=(
        "Partners are only pulled together; without rivals the loss is smallest if all vectors "
        "are the same."
    ),
    change={"(scores.logsumexp(dim=1) - scores.diagonal())": "(-scores.diagonal())"},
)


wrong(
    "exponentials_first",
    why=(
        "The logarithm was taken last, after the exponentials: for a small τ these are ∞, or "
        "their softmax is rounded to 0. `logsumexp` and `log_softmax` avoid both."
    ),
    change={"scores.logsumexp(dim=1)": "scores.exp().sum(dim=1).log()"},
    corner=True,
)


wrong(
    "shapes_not_checked",
    why="The shapes differ and no error was raised; the docstring promises a ValueError.",
    change={"if first.shape != second.shape:": "if False:"},
    corner=True,
)


wrong(
    "eps_beside_the_length",
    why=(
        "A small number was added to the length, so tiny vectors no longer have length 1; no row "
        "is zero, so nothing has to be added."
    ),
    change={"rows.norm(dim=1, keepdim=True)": "(rows.norm(dim=1, keepdim=True) + 1e-6)"},
)
