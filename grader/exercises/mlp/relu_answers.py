"""Right and wrong answers to `mlp.relu`."""

from torch.nn import functional as F

from grader.author.answers import right, wrong


@right
def masked_fill(input):
    return input.masked_fill(input <= 0, 0.0)


@right
def threshold(input):
    return F.threshold(input, 0.0, 0.0)


@right
def indices_of_what_is_off(input):
    output = input.clone()
    output[input <= 0] = 0
    return output


wrong(
    "slope_one_at_zero",
    why=(
        "The values are right, but at exactly 0 the gradient passes with slope 1, as it does "
        "with `clamp(min=0)` or if only `input < 0` is set to 0; the unit would be trained there "
        "as if it were on."
    ),
    change={"torch.where(input <= 0, 0.0, input)": "input.clamp(min=0.0)"},
)


wrong(
    "slope_one_half_at_zero",
    why=(
        "`torch.maximum` splits the gradient of a tie: at exactly 0 it gives the slope ½, but "
        "the docstring asks for 0."
    ),
    change={
        "torch.where(input <= 0, 0.0, input)": ("torch.maximum(input, torch.zeros_like(input))")
    },
)


wrong(
    "mask_times_input",
    why=(
        "The input is multiplied by a mask of 0 and 1; where it is −∞ the "
        "product 0 · ∞ is not a number: choose with `torch.where` instead of "
        "multiplying."
    ),
    change={"torch.where(input <= 0, 0.0, input)": "input * (input > 0)"},
    corner=True,
)


wrong(
    "sign_dropped",
    why=("This is the absolute value: negative numbers become positive instead of 0."),
    change={"torch.where(input <= 0, 0.0, input)": "input.abs()"},
)


wrong(
    "half_of_the_sum",
    why=(
        "(a + |a|) / 2 has the right values for finite numbers, but at exactly "
        "0 the slope ½, as |a| has slope 0 there, and at −∞ it is −∞ + ∞, "
        "which is not a number."
    ),
    change={"torch.where(input <= 0, 0.0, input)": "(input + input.abs()) / 2"},
)


wrong(
    "max_of_python",
    why=(
        "Python's `max` asks whether one whole tensor is larger than 0, which has no single "
        "answer; ReLU decides for every entry separately."
    ),
    change={"torch.where(input <= 0, 0.0, input)": "max(input, torch.tensor(0.0).double())"},
)


@wrong(
    why=(
        "The zeros are written into the caller's tensor: an a_l that was kept for the backward "
        "pass has changed."
    )
)
def input_overwritten(input):
    input[input <= 0] = 0.0
    return input
