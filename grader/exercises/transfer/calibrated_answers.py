"""Right and wrong answers to `transfer.calibrated`."""

import torch

from grader.author.answers import right, wrong


@right
def one_by_one(scores, blank):
    usual = None
    for row in blank.reshape(-1, blank.shape[-1]):
        shared = row - row.logsumexp(dim=-1)
        usual = shared if usual is None else torch.logaddexp(usual, shared)
    moved = scores - usual
    return (moved - moved.logsumexp(dim=-1, keepdim=True)).exp()


@right
def relative_to_the_largest(scores, blank):
    rows = blank[None] if blank.ndim == 1 else blank
    rows = rows - rows.logsumexp(dim=-1, keepdim=True)
    top = rows.amax(dim=0)
    moved = scores - top - (rows - top).exp().mean(dim=0).log()
    odds = (moved - moved.amax(dim=-1, keepdim=True)).exp()
    return odds / odds.sum(dim=-1, keepdim=True)


wrong(
    "vanished",
    why=(
        "Probabilities that are far apart were made to numbers first: small ones are 0, and what "
        "is divided by them is lost. Subtract logarithms, and average with logsumexp."
    ),
    change={
        "p = blank.log_softmax(dim=-1)": "p = blank.softmax(dim=-1)",
        "p.logsumexp(dim=0)": "p.mean(dim=0)",
        "(scores - usual)": "(scores - usual.log())",
    },
    corner=True,
)


wrong(
    "multiplied",
    why="The blank's probabilities were multiplied in: what the model likes anyway counts twice.",
    change={"(scores - usual)": "(scores + usual)"},
)


wrong(
    "nothing_taken_out",
    why="The blank's probabilities were not used at all.",
    change={"(scores - usual)": "(scores - 0 * usual)"},
)


wrong(
    "probabilities_subtracted",
    why="Probabilities were subtracted from logarithms; subtracting logarithms is what divides.",
    change={"(scores - usual)": "(scores - usual.softmax(dim=-1))"},
)


wrong(
    "mean_of_logarithms",
    why=(
        "The logarithms of several blanks were averaged: that is the geometric mean; probabilities "
        "are averaged, and then the logarithm is taken."
    ),
    change={"p.logsumexp(dim=0)": "p.mean(dim=0)"},
)


wrong(
    "blanks_not_shared_out",
    why=(
        "The blanks were averaged before each was shared out to sum to 1: the one whose answers "
        "are all likelier decides alone."
    ),
    change={"p = blank.log_softmax(dim=-1)": "p = blank"},
)


wrong(
    "logarithms_come_back",
    why="Logarithms came back; probabilities are asked for.",
    change={
        "return (scores - usual).softmax(dim=-1)": "return (scores - usual).log_softmax(dim=-1)"
    },
)


wrong(
    "not_shared_out",
    why="The quotients do not sum to 1; they are shared out again.",
    change={
        "return (scores - usual).softmax(dim=-1)": (
            "return (scores.log_softmax(dim=-1) - usual + usual.logsumexp(dim=-1)).exp()"
        )
    },
)


wrong(
    "first_blank_only",
    why="Only the first of several blanks was used; their probabilities are averaged.",
    change={"p.logsumexp(dim=0)": "p[0]"},
)
