"""Right and wrong answers to `transfer.calibrated`."""

from grader.author.answers import right, wrong


@right
def in_logarithms(scores, blank):
    log_p = blank.reshape(-1, blank.shape[-1]).log_softmax(dim=-1)
    usual = log_p.logsumexp(dim=0)  # the mean, up to a constant
    moved = scores - usual
    return (moved - moved.logsumexp(dim=-1, keepdim=True)).exp()


@right
def quotients(scores, blank):
    rows = blank[None] if blank.ndim == 1 else blank
    rows = (rows - rows.max(dim=-1, keepdim=True).values).exp()
    usual = (rows / rows.sum(-1, keepdim=True)).mean(dim=0)
    p = (scores - scores.max(dim=-1, keepdim=True).values).exp() / usual
    return p / p.sum(dim=-1, keepdim=True)


wrong(
    "multiplied",
    why="The blank's probabilities were multiplied in: what the model likes anyway counts twice.",
    change={"(scores - usual.log())": "(scores + usual.log())"},
)


wrong(
    "nothing_taken_out",
    why="The blank's probabilities were not used at all.",
    change={"(scores - usual.log())": "(scores - 0 * usual.log())"},
)


wrong(
    "probabilities_subtracted",
    why="Probabilities were subtracted from logarithms; subtracting logarithms is what divides.",
    change={"usual.log()": "usual"},
)


wrong(
    "mean_of_logarithms",
    why=(
        "The logarithms of several blanks were averaged: that is the geometric mean; probabilities "
        "are averaged, and then the logarithm is taken."
    ),
    change={"p.mean(dim=0)": "p.log().mean(dim=0).exp()"},
)


wrong(
    "blanks_not_shared_out",
    why=(
        "The blanks were averaged before each was shared out to sum to 1: the one whose answers "
        "are all likelier decides alone."
    ),
    change={
        "p = blank.softmax(dim=-1)": "p = (blank - blank.amax()).exp()",
    },
)


wrong(
    "logarithms_come_back",
    why="Logarithms came back; probabilities are asked for.",
    change={
        "return (scores - usual.log()).softmax(dim=-1)": (
            "return (scores - usual.log()).log_softmax(dim=-1)"
        )
    },
)


wrong(
    "not_shared_out",
    why="The quotients do not sum to 1; they are shared out again.",
    change={
        "return (scores - usual.log()).softmax(dim=-1)": "return scores.softmax(dim=-1) / usual"
    },
)


wrong(
    "first_blank_only",
    why="Only the first of several blanks was used; their probabilities are averaged.",
    change={"p.mean(dim=0)": "p[0]"},
)
