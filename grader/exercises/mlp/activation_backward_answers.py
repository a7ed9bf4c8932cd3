"""Right and wrong answers to `mlp.activation_backward`."""

import torch

from grader.author.answers import right, wrong


@right
def table_of_slopes(grad, output, activation):
    slopes = {
        "relu": lambda o: torch.sign(o),
        "sigmoid": lambda o: o - o**2,
        "tanh": lambda o: (1 - o) * (1 + o),
        "identity": lambda o: 1.0,
    }
    if activation not in slopes:
        raise ValueError(f"no activation {activation!r}")
    return grad * slopes[activation](output)


@right
def one_return_for_each(grad, output, activation):
    if activation == "relu":
        return torch.where(output > 0, grad, 0.0)
    if activation == "sigmoid":
        return grad * output - grad * output * output
    if activation == "tanh":
        return torch.addcmul(grad, grad * output, output, value=-1)
    if activation == "identity":
        return grad + 0.0
    raise ValueError(activation)


wrong(
    "slope_at_the_output",
    why=(
        "σ′ was evaluated at o as if o were a: σ(o)(1 − σ(o)) or 1 − tanh²(o). "
        "The output is σ(a) already, so the slope is o (1 − o) or 1 − o²."
    ),
    change={
        "output * (1 - output)": "torch.sigmoid(output) * (1 - torch.sigmoid(output))",
        "output.square()": "torch.tanh(output).square()",
    },
)


wrong(
    "relu_lets_everything_through",
    why=(
        "An output of a ReLU is never negative, so o ≥ 0 holds everywhere and "
        "no gradient is ever stopped; the unit was on where o > 0."
    ),
    change={"output > 0": "output >= 0"},
)


wrong(
    "sign_of_the_gradient",
    why=(
        "The gradient was cut off where it is itself negative; what counts is "
        "whether the unit was on in the forward pass."
    ),
    change={"output > 0": "grad > 0"},
)


wrong(
    "square_forgotten",
    why="The slope of tanh is 1 − tanh²(a), which is 1 − o²; the square is missing here.",
    change={"output.square()": "output"},
)


wrong(
    "gradient_from_above_dropped",
    why=("This is σ′ alone; the chain rule multiplies it by the gradient that arrives from above."),
    change={"grad * slope": "slope * torch.ones_like(grad)"},
)


wrong(
    "half_of_the_product",
    why=("The slope of the sigmoid is o (1 − o); only one of the two factors is here."),
    change={"output * (1 - output)": "1 - output"},
)


wrong(
    "unknown_name_let_through",
    why=(
        "An unknown name was treated as the identity; the docstring promises a `ValueError`, so "
        "that a misspelled name does not silently train a linear model."
    ),
    change={
        'elif activation == "identity":': "else:",
        """
    else:
        raise _unknown(activation)
    return""": """
    return""",
    },
    corner=True,
)


@wrong(
    why=(
        "A dictionary without the name raises a `KeyError`; the docstring promises a `ValueError`."
    ),
    corner=True,
)
def key_error(grad, output, activation):
    slopes = {
        "relu": (output > 0).to(output.dtype),
        "sigmoid": output * (1 - output),
        "tanh": 1 - output**2,
        "identity": torch.ones_like(output),
    }
    return grad * slopes[activation]


wrong(
    "gradient_overwritten",
    why=(
        "`grad` was multiplied in place, so the caller's ∂L/∂o is lost; the docstring promises "
        "not to change it."
    ),
    change={"grad * slope": "grad.mul_(slope)"},
)
