"""Right and wrong answers to `generative.draw_labels`."""

import torch

from grader.author.answers import right, wrong


@right
def counting_the_edges_passed(uniform, log_prior):
    edges = torch.cumsum(torch.exp(log_prior), dim=0)
    passed = (uniform.unsqueeze(-1) >= edges[:-1]).sum(dim=-1)
    return passed.clamp(max=int(log_prior.isfinite().nonzero().max()))


@right
def class_after_class(uniform, log_prior):
    found = torch.zeros_like(uniform, dtype=torch.int64)
    start = 0.0
    for c, share in enumerate(log_prior.exp().tolist()):
        if share > 0:
            found[uniform >= start] = c
        start = start + share
    return found


wrong(
    "wrong_side_of_the_edge",
    why=(
        "A draw that lies on an edge went to the piece before it. Uniform "
        "draws can be exactly 0, and then a first class of probability 0 would "
        "be drawn."
    ),
    change={", right=True": ""},
)


wrong(
    "all_classes_alike",
    why="The unit interval was cut into equal pieces; the prior plays no part.",
    change={"torch.searchsorted(edges, uniform, right=True)": "(uniform * len(log_prior)).long()"},
)


wrong(
    "most_probable_class",
    why=(
        "The most probable class came back every time; that is a decision and "
        "no sample, the random number went unused."
    ),
    change={
        "torch.searchsorted(edges, uniform, right=True)": (
            "log_prior.argmax() + torch.zeros_like(uniform, dtype=torch.int64)"
        )
    },
)


wrong(
    "no_cumulative_sum",
    why=(
        "The draws were compared with the probabilities themselves; the pieces "
        "lie end to end, so each begins where those before it sum to."
    ),
    change={".cumsum(dim=0)": ""},
)


wrong(
    "what_is_left_to_the_last",
    why=(
        "Whatever lies above the last edge went to the last class. Where rounding has left the sum "
        "of the others below 1, that draws a class of probability 0."
    ),
    change={"edges = edges / edges[-1]": "edges = edges[:-1]"},
    corner=True,
)


wrong(
    "other_end_first",
    why=(
        "The pieces were laid out from the other end. It is a right way to "
        "draw, but here the order is stated, so that the same random numbers "
        "give the same classes."
    ),
    change={"edges, uniform, right": "edges, 1 - uniform, right"},
)


@wrong(
    why=(
        "Where the last class is impossible you stepped back by one; the class before it may be "
        "impossible too. The last possible class is meant."
    ),
    corner=True,
)
def one_step_back(uniform, log_prior):
    edges = log_prior.exp().cumsum(dim=0)
    found = (uniform.unsqueeze(-1) >= edges).sum(dim=-1)
    last = len(edges) - 1 if log_prior[-1].isfinite() else len(edges) - 2
    return found.clamp(max=last)


wrong(
    "through_float32",
    why="The sums were taken in float32, which cannot tell where among 10⁸ parts a draw lies.",
    change={"log_prior.exp().cumsum(dim=0)": "log_prior.float().exp().cumsum(dim=0).to(log_prior)"},
    corner=True,
)
