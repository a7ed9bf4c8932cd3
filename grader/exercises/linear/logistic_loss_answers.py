"""Right and wrong answers to `linear.logistic_loss`."""

import torch

from grader.author.answers import right, wrong


@right
def two_log_sigmoids(input, target):
    if input.shape != target.shape:
        raise ValueError("shapes differ")
    from torch.nn.functional import logsigmoid

    loss = -target * logsigmoid(input) - (1 - target) * logsigmoid(-input)
    return loss.reshape(len(input), -1).sum(dim=1).mean()


@right
def softplus_of_both_signs(input, target):
    if input.shape != target.shape:
        raise ValueError("shapes differ")
    yes, no = (torch.nn.functional.softplus(z, threshold=50) for z in (-input, input))
    return torch.lerp(no, yes, target).sum() / input.shape[0]


wrong(
    "exponential_overflows",
    why=(
        "eᶻ is infinite from z ≈ 710 on (in float32 from 89), and then so is "
        "the loss; pull the larger of 0 and z out of the logarithm first."
    ),
    change={"torch.logaddexp(zero, input)": "torch.log(1 + torch.exp(input))"},
)


wrong(
    "score_taken_off",
    why=(
        "ln(1 + eᶻ) − y z is the same in exact arithmetic. For a confident yes, two large "
        "numbers nearly cancel, and rounding destroys the small loss and its gradient: use ln(1 "
        "+ e⁻ᶻ) for a yes."
    ),
    change={"target * yes + (1 - target) * no": "no - target * input"},
    corner=True,
)


@wrong(
    why=(
        "σ(z) is rounded to exactly 0 or 1 for large scores, and the logarithm "
        "of 0 is −∞: a logarithm of a probability has to be computed from the "
        "score."
    )
)
def log_of_a_rounded_probability(input, target):
    p = torch.sigmoid(input)
    return -(target * p.log() + (1 - target) * (1 - p).log()).sum() / len(input)


@wrong(
    why=(
        "Clamping σ(z) away from 0 and 1 hides the overflow, but it caps the "
        "loss and sets its gradient to zero just where the model is most wrong."
    )
)
def probability_clamped(input, target):
    p = torch.sigmoid(input).clamp(1e-7, 1 - 1e-7)
    return -(target * p.log() + (1 - target) * (1 - p).log()).sum() / len(input)


@wrong(
    why=(
        "ln(1 + exp(−y z)) is the same loss for labels −1 and +1; with 0 for "
        "no, every no costs ln 2, whatever the score."
    )
)
def labels_of_plus_and_minus_one(input, target):
    return torch.logaddexp(-target * input, torch.zeros_like(input)).sum() / len(input)


wrong(
    "yes_and_no_swapped",
    why=(
        "This is the loss of the opposite answers: a yes costs −ln σ(z), which "
        "is small when the score z is large."
    ),
    change={"target * yes + (1 - target) * no": "target * no + (1 - target) * yes"},
)


wrong(
    "mean_over_outputs",
    why=("Averaged over the questions as well; within an example the losses add up."),
    change={").sum() / len(input)": ").mean()"},
)


wrong(
    "sum_over_examples",
    why=(
        "Summed over the examples as well; the loss is their mean, or twice "
        "the data would need half the learning rate."
    ),
    change={").sum() / len(input)": ").sum()"},
)


wrong(
    "slope_wrong_at_zero",
    why=(
        "max(z, 0) + ln(1 + exp(−|z|)) has the right value, but at z = 0 autograd combines "
        "inconsistent slopes of max and |z|: it finds 1 or 0 where σ(0) = ½ is correct, and a "
        "model with zero weights starts there."
    ),
    change={
        "torch.logaddexp(zero, input)": "input.clamp(min=0) + torch.log1p(torch.exp(-input.abs()))",
        "torch.logaddexp(zero, -input)": (
            "(-input).clamp(min=0) + torch.log1p(torch.exp(-input.abs()))"
        ),
    },
)


wrong(
    "axes_counted",
    why=(
        "The number of axes was compared, and (B, C) against (B, 1) passes: every score of an "
        "example then meets the same target. Compare the shapes."
    ),
    change={"input.shape != target.shape": "input.dim() != target.dim()"},
    corner=True,
)


@wrong(
    why=(
        "`squeeze` removed the axis of a single example, and its questions were then averaged as "
        "if they were examples."
    ),
    corner=True,
)
def single_example_squeezed(input, target):
    if input.shape != target.shape:
        raise ValueError("input and target must have the same shape")
    zero = torch.zeros_like(input)
    yes, no = torch.logaddexp(zero, -input), torch.logaddexp(zero, input)
    losses = (target * yes + (1 - target) * no).squeeze()
    return losses.sum(dim=-1).mean() if losses.dim() == 2 else losses.mean()


@wrong(
    why=(
        "1 + e⁻ᶻ is rounded to 1 where e⁻ᶻ is small, and its logarithm is 0: a small loss is "
        "lost. `log1p` takes the logarithm of 1 + x without adding the 1."
    ),
    corner=True,
)
def one_added_first(input, target):
    if input.shape != target.shape:
        raise ValueError("input and target must have the same shape")

    def softplus(z):
        over, under = z.clamp(min=0), z.clamp(max=0)
        return torch.where(
            z > 0, over + torch.log(1 + torch.exp(-over)), torch.log(1 + torch.exp(under))
        )

    return (target * softplus(-input) + (1 - target) * softplus(input)).sum() / len(input)
