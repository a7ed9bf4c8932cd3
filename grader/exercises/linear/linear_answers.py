"""Right and wrong answers to `linear.linear`."""

import torch

from grader.author.answers import right, wrong


@right
def einsum_over_features(input, weight, bias=None):
    out = torch.einsum("...d,cd->...c", input, weight)
    if bias is not None:
        out = out + bias
    return out


@right
def products_summed_by_hand(input, weight, bias=None):
    scores = (input.unsqueeze(-2) * weight).sum(dim=-1)
    return scores + (0 if bias is None else bias)


wrong(
    "weight_not_transposed",
    why=(
        "`weight` has one row per output, (C, D), so inputs (B, D) meet its "
        "transpose; with as many outputs as features the wrong product has the "
        "right shape and no error warns you."
    ),
    change={"weight.T": "weight"},
)


wrong(
    "bias_forgotten",
    why=(
        "The bias is never added; all scores are then 0 for an input of zeros, "
        "whatever was learned."
    ),
    change={"scores if bias is None else scores + bias": "scores"},
)


wrong(
    "bias_as_truth_value",
    why=(
        "`if bias:` asks whether a tensor of several numbers is true, which "
        "has no answer (and would drop a single bias of 0); ask `bias is None`."
    ),
    change={"scores if bias is None else scores + bias": "scores + bias if bias else scores"},
)


wrong(
    "leading_axes_flattened",
    why=(
        "The input was reshaped to (examples, D) and the result left in that shape; an input (2, "
        "3, D) must give (2, 3, C), and a single input (D,) must give (C,)."
    ),
    change={"input @": "input.reshape(-1, input.shape[-1]) @"},
)


wrong(
    "weight_detached",
    why=(
        "`.data` (like `.detach()`) cuts the weight out of the graph: the "
        "scores are right, but no gradient reaches it, so it would never learn."
    ),
    change={"weight.T": "weight.data.T"},
)
