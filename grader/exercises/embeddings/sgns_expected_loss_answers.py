"""Right and wrong answers to `embeddings.sgns_expected_loss`."""

import torch

from grader.author.answers import right, wrong
from solutions.embeddings import _softplus


@right
def outer_product_of_chances(products, counts, noise, *, negatives):
    score = torch.nn.functional.logsigmoid
    pairs = counts / counts.sum()
    drawn = negatives * torch.outer(pairs.sum(dim=1), noise)
    return -torch.sum(pairs * score(products)) - torch.sum(drawn * score(-products))


@right
def row_by_row(products, counts, noise, *, negatives):
    total = 0.0
    for row, products_of_row in zip(counts, products, strict=True):
        softplus = torch.logaddexp(products_of_row, torch.zeros_like(products_of_row))
        chance = negatives * row.sum() * noise
        total = total + (row * (softplus - products_of_row)).sum()
        total = total + (chance * softplus).sum()
    return total / counts.sum()


wrong(
    "k_forgotten",
    why=(
        "k noise words are drawn for every pair, so a cell is met as noise k "
        "times as often; without the k the best products are PMI and not PMI − "
        "ln k."
    ),
    change={"negatives * counts.sum(dim=1, keepdim=True)": "counts.sum(dim=1, keepdim=True)"},
)


wrong(
    "noise_where_pairs_were_seen",
    why=(
        "Noise was counted only in cells where a pair was seen; most of what "
        "keeps vectors apart are words that never met."
    ),
    change={"expected * _softplus(products)": "expected * (counts > 0) * _softplus(products)"},
)


wrong(
    "noise_not_negated",
    why=(
        "The noise term has the sign of the true pairs: every product is "
        "pushed up, and nothing holds it back."
    ),
    change={"expected * _softplus(products)": "expected * _softplus(-products)"},
)


wrong(
    "noise_per_cell",
    why=(
        "The noise was drawn in proportion to #(w, c); which noise word comes "
        "does not depend on the true context, only how often w asks: k · #(w) "
        "· q(c)."
    ),
    change={"counts.sum(dim=1, keepdim=True) * noise": "counts * noise"},
)


wrong(
    "centers_alike",
    why=(
        "Noise was spread evenly over the centers; it is drawn once for every "
        "pair, so often for centers that occur often."
    ),
    change={
        "counts.sum(dim=1, keepdim=True) * noise": (
            "counts.sum() / len(counts) * torch.ones_like(products) * noise"
        )
    },
)


@wrong(
    why=(
        "The counts were summed down the columns; what is needed is how often "
        "each center occurs, the sum along its row."
    )
)
def columns_summed(products, counts, noise, *, negatives):
    expected = negatives * counts.sum(dim=0) * noise
    loss = counts * _softplus(-products) + expected * _softplus(products)
    return loss.sum() / counts.sum()


wrong(
    "not_averaged",
    why="This is the sum over all pairs of the text; the loss is their mean.",
    change={".sum() / counts.sum()": ".sum()"},
)


wrong(
    "mean_over_cells",
    why=(
        "The mean was taken over the cells of the table; the loss is a mean "
        "over the pairs of the text."
    ),
    change={".sum() / counts.sum()": ".mean()"},
)


wrong(
    "counts_made_whole",
    why=(
        "`.long()` cuts counts off below the point; where a distant neighbor counts for less, they "
        "are fractions, and the small ones became 0."
    ),
    change={"    expected = negatives": "    counts = counts.long()\n    expected = negatives"},
    corner=True,
)
