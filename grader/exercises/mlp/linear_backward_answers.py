"""Right and wrong answers to `mlp.linear_backward`."""

import torch

from grader.author.answers import right, wrong


@right
def einsum_throughout(grad, input, weight):
    by_input = torch.einsum("bo,oi->bi", grad, weight)
    by_weight = torch.einsum("bo,bi->oi", grad, input)
    return by_input, by_weight, torch.einsum("bo->o", grad)


@right
def example_by_example(grad, input, weight):
    by_weight, by_bias = torch.zeros_like(weight), torch.zeros_like(weight[:, 0])
    for delta, o in zip(grad, input):
        by_weight = by_weight + torch.outer(delta, o)
        by_bias = by_bias + delta
    return (weight.T @ grad.T).T, by_weight, by_bias


wrong(
    "weight_transposed",
    why=(
        "For one example the formula is Wᵀ δ; for a batch δ is a row, and the "
        "same product is δ W, without the transpose."
    ),
    change={"grad @ weight": "grad @ weight.T"},
)


wrong(
    "weight_gradient_transposed",
    why=("o δᵀ has one row per input; the gradient has the shape of W, one row per output: δ oᵀ."),
    change={"grad.T @ input": "input.T @ grad"},
)


wrong(
    "bias_averaged",
    why=(
        "The bias's gradient was averaged over the batch. The loss has divided "
        "by B already, if it is a mean; dividing again makes the bias learn B "
        "times too slowly."
    ),
    change={"grad.sum(dim=0)": "grad.mean(dim=0)"},
)


wrong(
    "weight_averaged",
    why=("The weight's gradient was divided by B. Only the loss averages over the examples."),
    change={"grad.T @ input": "grad.T @ input / len(input)"},
)


wrong(
    "everything_averaged",
    why=(
        "The gradients of weight and bias were averaged over the batch. A loss "
        "that is a mean has divided δ by B already; dividing again makes both "
        "learn B times too slowly."
    ),
    change={"grad.T @ input": "grad.T @ input / len(input)", "grad.sum(dim=0)": "grad.mean(dim=0)"},
)


wrong(
    "columns_for_rows",
    why=(
        "These are the formulas for one example, where δ and o are columns; in a batch every "
        "example is a row, so the three formulas become δ W, δᵀ o and a sum over rows."
    ),
    change={
        "grad @ weight": "weight.T @ grad",
        "grad.T @ input": "grad @ input.T",
        "grad.sum(dim=0)": "grad.clone()",
    },
)


wrong(
    "bias_not_summed",
    why=(
        "One bias serves all examples, so its gradient is the sum of theirs; the result still "
        "has a row for each."
    ),
    change={"grad.sum(dim=0)": "grad.clone()"},
)


wrong(
    "bias_summed_over_outputs",
    why=(
        "Summed over the outputs instead of the batch: this gives one number per example, "
        "and the bias needs one per output."
    ),
    change={"grad.sum(dim=0)": "grad.sum(dim=1)"},
)
