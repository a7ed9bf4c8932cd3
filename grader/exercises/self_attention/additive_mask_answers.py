"""Right and wrong answers to `self_attention.additive_mask`."""

import torch

from grader.author.answers import right, wrong


@right
def logarithm_of_the_mask(mask):
    return mask.to(torch.get_default_dtype()).log()


@right
def chosen_by_where(mask):
    blocked = torch.tensor(float("-inf"), device=mask.device)
    return torch.where(mask, torch.zeros_like(blocked), blocked)


wrong(
    "zero_times_infinity",
    why=(
        "(1 − mask) · (−∞) is NaN wherever the mask allows, because 0 · ∞ is NaN: fill the blocked "
        "entries instead of multiplying."
    ),
    change={"zeros.masked_fill(~mask, -math.inf)": "(~mask).to(zeros.dtype) * -math.inf"},
)


wrong(
    "inverted",
    why=(
        "The −∞ stands where the mask is True; True means *may attend*, so it "
        "belongs where the mask is False."
    ),
    change={"masked_fill(~mask": "masked_fill(mask"},
)


wrong(
    "only_very_negative",
    why=(
        "−10⁹ is not −∞: where every key is blocked, it cancels in the "
        "softmax, and the query attends to everything evenly."
    ),
    change={"-math.inf": "-1e9"},
)


wrong(
    "ones_and_zeros",
    why=(
        "Adding 1 to the allowed scores and 0 to the others blocks nothing; "
        "the blocked ones must become −∞."
    ),
    change={"zeros.masked_fill(~mask, -math.inf)": "zeros + mask"},
)
