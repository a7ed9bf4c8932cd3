"""Right and wrong answers to `model_compression.straight_through`."""

import torch

from grader.author.answers import right, wrong


class _Round(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale, limit):
        ctx.save_for_backward(x.abs() <= limit * scale)
        return (x / scale).round().clamp(-limit, limit) * scale

    @staticmethod
    def backward(ctx, slope):
        (inside,) = ctx.saved_tensors
        return slope * inside, None, None


@right
def with_a_function(x, scale, bits):
    return _Round.apply(x, scale.detach(), 2 ** (bits - 1) - 1)


@right
def a_clamp_and_its_error(x, scale, bits):
    step = scale.detach()
    edge = step * (2 ** (bits - 1) - 1)
    clamped = torch.where(x > edge, edge, torch.where(x < -edge, -edge, x))
    with torch.no_grad():
        codes = (clamped / step).round()
    return codes * step + (clamped - clamped.detach())


wrong(
    "no_gradient",
    why="Rounded values alone have no gradient, so nothing would be learned.",
    change={"torch.where(inside, x - x.detach(), 0.0)": "0.0 * x"},
)


wrong(
    "gradient_everywhere",
    why="Beyond the range the code no longer depends on x, so the gradient there is 0.",
    change={"torch.where(inside, x - x.detach(), 0.0)": "(x - x.detach())"},
)


wrong(
    "difference_added_to_x",
    why=(
        "You added the difference to x. Beyond the range, this has the gradient 1, where it has to "
        "be 0, and if x is large, the sum is not exactly the rounded number."
    ),
    change={
        "rounded + torch.where(inside, x - x.detach(), 0.0)": "x + (rounded - x).detach()",
    },
)


wrong(
    "not_rounded",
    why="You returned x itself: the forward pass has to use the rounded values.",
    change={"return rounded + torch.where(inside, x - x.detach(), 0.0)": "return x + 0 * rounded"},
)


wrong(
    "twice_the_gradient",
    why="x enters twice, so the gradient is doubled.",
    change={"x - x.detach(), 0.0": "2 * (x - x.detach()), 0.0"},
)


wrong(
    "scale_has_a_gradient",
    why="The scale gets a gradient; here it is a constant.",
    change={"scale = scale.detach()": "pass"},
    corner=True,
)


wrong(
    "edge_outside",
    why="A number exactly at the end of the range is inside: the condition is |x| ≤ scale · L.",
    change={"<= scale": "< scale"},
    corner=True,
)


wrong(
    "range_of_one_code",
    why="The range ends at scale · L, and not at scale.",
    change={"scale * largest_code(bits)": "scale"},
)
