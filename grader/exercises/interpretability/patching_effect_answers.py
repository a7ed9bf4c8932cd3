"""Right and wrong answers to `interpretability.patching_effect`."""

import torch

from grader.author.answers import right, wrong


def _gaps(logits, right, wrong):
    shape = (*logits.shape[:-1], 1)
    first = logits.gather(-1, right[:, None].expand(shape))
    second = logits.gather(-1, wrong[:, None].expand(shape))
    return (first - second).squeeze(-1)  # (..., B)


@right
def with_gather(clean, corrupted, patched, right, wrong):
    high, low, now = (
        _gaps(logits, right, wrong).mean(-1) for logits in (clean, corrupted, patched)
    )
    return (now - low) / (high - low)


@right
def with_masks(clean, corrupted, patched, right, wrong):
    classes = clean.shape[-1]
    signs = torch.nn.functional.one_hot(right, classes) - torch.nn.functional.one_hot(
        wrong, classes
    )
    moved = ((patched - corrupted) * signs).sum(dim=(-2, -1))
    return moved / ((clean - corrupted) * signs).sum()


@wrong(
    why=(
        "A ratio was taken for each example and then averaged; an example whose runs "
        "hardly differ then outweighs all others."
    )
)
def mean_of_ratios(clean, corrupted, patched, right, wrong):
    high, low, now = (_gaps(logits, right, wrong) for logits in (clean, corrupted, patched))
    return ((now - low) / (high - low)).mean(-1)


wrong(
    "runs_swapped",
    why=(
        "The scale runs from the clean run to the corrupted one; a patch that restores "
        "the answer has the effect 1."
    ),
    change={
        "before = difference(corrupted)": "before = difference(clean)",
        "(difference(clean) - before)": "(difference(corrupted) - before)",
    },
)


wrong(
    "right_token_alone",
    why="Only the logit of the right token was compared; it also moves if all logits do.",
    change={"logits[..., examples, wrong]": "0 * logits[..., examples, wrong]"},
)


wrong(
    "probabilities",
    why=(
        "Probabilities were compared; they hardly move where the model is confident. The "
        "measure uses logits."
    ),
    change={
        "def difference(logits: Tensor) -> Tensor:": (
            "def difference(logits: Tensor) -> Tensor:\n        logits = logits.softmax(dim=-1)"
        )
    },
)


wrong(
    "share_of_the_clean_run",
    why=(
        "The corrupted run was not subtracted, so a patch that changes nothing has an "
        "effect other than 0."
    ),
    change={
        (
            "(difference(patched) - before) / (difference(clean) - before)"
        ): "difference(patched) / difference(clean) + 0 * before"
    },
)


wrong(
    "not_normalized",
    why=(
        "The change was not divided by the distance between the runs, so effects of two "
        "pairs of runs cannot be compared."
    ),
    change={"/ (difference(clean) - before)": "+ 0 * difference(clean)"},
)


wrong(
    "tokens_swapped",
    why=(
        "The denominator has the sign of wrong minus right: the effect of a good patch is negative."
    ),
    change={"(difference(clean) - before)": "(before - difference(clean))"},
)


@wrong(why="The mean runs over the patches, too; each patch has its own effect.")
def one_effect_for_all(clean, corrupted, patched, right, wrong):
    high, low, now = (_gaps(logits, right, wrong).mean() for logits in (clean, corrupted, patched))
    return (now - low) / (high - low)
