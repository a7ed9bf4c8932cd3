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
        "k noise words are drawn for every pair, so a cell occurs as noise k times as often; "
        "without the k the best products are PMI instead of PMI − ln k."
    ),
    change={"negatives * counts.sum(dim=1, keepdim=True)": "counts.sum(dim=1, keepdim=True)"},
)


wrong(
    "noise_where_pairs_were_seen",
    why=(
        "Noise was counted only in cells where a pair was seen; vectors are pushed apart mostly "
        "by pairs that were never seen."
    ),
    change={"expected * _softplus(products)": "expected * (counts > 0) * _softplus(products)"},
)


wrong(
    "noise_not_negated",
    why=(
        "The noise term has the sign of the true pairs: every product is pushed up, and nothing "
        "pushes it down."
    ),
    change={"expected * _softplus(products)": "expected * _softplus(-products)"},
)


wrong(
    "noise_per_cell",
    why=(
        "The noise was drawn in proportion to #(w, c); the noise words do not depend on the true "
        "context, only on how often w is a center: k · #(w) · q(c)."
    ),
    change={"counts.sum(dim=1, keepdim=True) * noise": "counts * noise"},
)


wrong(
    "centers_alike",
    why=(
        "Noise was divided evenly among the centers; it is drawn for every pair, so more often "
        "for centers that occur more often."
    ),
    change={
        "counts.sum(dim=1, keepdim=True) * noise": (
            "counts.sum() / len(counts) * torch.ones_like(products) * noise"
        )
    },
)


@wrong(
    why=(
        "The counts were summed along the columns; use the number of times that each center "
        "occurs, the sum along its row."
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
        "`.long()` drops the fractional part of the counts; if distant neighbors count for less, "
        "counts are fractions, and the small ones became 0."
    ),
    change={"    expected = negatives": "    counts = counts.long()\n    expected = negatives"},
    corner=True,
)
