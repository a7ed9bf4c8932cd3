"""Questions on convolution."""

from __future__ import annotations

from random import Random

import torch

from grader.questions import Drawn, apart, question
from grader.questions.curves import curves
from grader.questions.kinds import prints, tensor, which_mistake
from grader.questions.shown import num, table
from solutions import convolution


def _picture(rng: Random, size: int, low: int = 0, high: int = 4) -> list[list[int]]:
    return [[rng.randint(low, high) for _ in range(size)] for _ in range(size)]


@question("short", "sliding", 4, public=True)
def slide(rng: Random) -> Drawn:
    x, w = _picture(rng, 3), _picture(rng, 2, -1, 2)
    y = convolution.correlate2d(torch.tensor(x), torch.tensor(w))
    terms = " + ".join(f"({w[u][v]}) \\cdot {x[u][v]}" for u in range(2) for v in range(2))
    flipped = convolution.correlate2d(torch.tensor(x), torch.tensor(w).flip(0, 1))
    apart(y.tolist(), flipped.tolist())
    return Drawn(
        text=f"Slide the kernel ${table(w)}$ over the picture ${table(x)}$, without padding and without flipping "
        "the kernel. Compute the output.",
        answer=f"${table(y)}$",
        steps=(
            ("The kernel fits at $2 \\times 2$ places.", 1),
            (f"At the first one: ${terms} = {num(y[0, 0].item())}$", 1),
            (f"All places: ${table(y)}$", 2),
        ),
    )


@question("mistake", "sliding", 5)
def slide_mistake(rng: Random) -> Drawn:
    x, w = _picture(rng, 3), _picture(rng, 2, -1, 3)
    return which_mistake(
        rng,
        "convolution.correlate2d",
        {
            "input": [[float(one) for one in row] for row in x],
            "kernel": [[float(one) for one in row] for row in w],
        },
        ["flipped", "mean_of_the_products", "kernel_transposed"],
        text=f"A student's `correlate2d` was called with the picture ${table(x)}$ and the kernel ${table(w)}$.",
    )


@question("short", "arithmetic", 3, public=True)
def size_of_the_output(rng: Random) -> Drawn:
    size, kernel = rng.choice([28, 32, 33, 64]), rng.choice([3, 5, 7])
    stride, padding = rng.choice([1, 2, 3]), rng.choice([0, 1, 2])
    found = convolution.output_size(size, kernel, stride=stride, padding=padding)
    room = size + 2 * padding - kernel
    return Drawn(
        text=f"A kernel of {kernel} × {kernel} moves over a picture of {size} × {size} with stride {stride} and "
        f"padding {padding}. How large is the output along each side?",
        answer=f"{found}",
        wrong=[
            one
            for one in dict.fromkeys(
                [f"{room // stride}", f"{(size + padding - kernel) // stride + 1}", f"{found + 1}"]
            )
            if one != f"{found}"
        ],
        steps=(
            (f"The kernel can move by {size} + 2 · {padding} − {kernel} = {room} pixels.", 1),
            (f"That is {room // stride} whole strides, and the first place: {found}.", 1),
        ),
    )


@question("mistake", "arithmetic", 4)
def size_mistake(rng: Random) -> Drawn:
    size, kernel = rng.choice(range(34, 45)), rng.choice([3, 4])
    stride, padding, dilation = 2, 4, 8
    return which_mistake(
        rng,
        "convolution.output_size",
        {
            "size": size,
            "kernel_size": kernel,
            "stride": stride,
            "padding": padding,
            "dilation": dilation,
        },
        ["first_place_forgotten", "padding_at_one_end", "dilation_times_kernel"],
        text=f"A student's `output_size` was called with size={size}, kernel_size={kernel}, stride={stride}, "
        f"padding={padding} and dilation={dilation}.",
    )


@question("short", "sharing", 5, public=True)
def cost_of_a_convolution(rng: Random) -> Drawn:
    inner, outer, size = rng.choice([3, 8]), rng.choice([10, 16]), rng.choice([10, 20])
    parameters, adds = convolution.conv2d_cost(inner, outer, 3, size=size, padding=1)
    dense = (inner * size * size) * (outer * size * size)
    return Drawn(
        text=f"A convolution with 3 × 3 kernels and padding 1 maps {inner} channels of {size} × {size} pixels to "
        f"{outer} channels. How many parameters does it have with biases, and how many multiply-adds does "
        "it take on one picture? How many weights would a linear layer between the same sizes have?",
        answer=f"{parameters:,}, {adds:,}, and {dense:,}",
        steps=(
            (f"${outer} \\cdot ({inner} \\cdot 9 + 1) = {parameters}$ parameters", 1),
            (f"Each of the {size * size} places uses all {outer * inner * 9} weights: {adds:,}", 2),
            (f"A linear layer has a weight for each pair of numbers: {dense:,}", 1),
        ),
    )


@question("short", "linear-map", 5)
def as_a_matrix(rng: Random) -> Drawn:
    a, b = rng.choice([1, 2]), rng.choice([-1, 3, 4])
    M = convolution.conv2d_matrix(torch.tensor([[[[float(a), float(b)]]]]), (1, 4))
    return Drawn(
        text=f"A kernel $({a}, {b})$ slides over a row of four pixels. Write this convolution as a matrix. How many "
        "of its entries are free, and how many would those of a linear layer of the same shape be?",
        answer=f"${table(M)}$; 2 of 12",
        steps=(
            ("The row of each place holds the kernel, shifted by one, and zeros.", 2),
            ("All rows share the same two weights; the other entries are 0 and stay 0.", 1),
        ),
    )


@question("derive", "gradients", 6)
def gradient_of_a_kernel(rng: Random) -> Drawn:
    x, g = [rng.randint(0, 4) for _ in range(4)], [rng.choice([-1, 1, 2]) for _ in range(3)]
    gradient = convolution.conv2d_weight_gradient(
        tensor([[[[float(one) for one in g]]]]), tensor([[[[float(one) for one in x]]]]), (1, 2)
    )[0, 0, 0]
    apart(*gradient.tolist(), 0.0)
    return Drawn(
        text=f"A kernel $(w_0, w_1)$ slides over $x = {table(x)}$ and gives three outputs $y_i = w_0 x_i + w_1 "
        f"x_{{i+1}}$. From above comes $\\partial L/\\partial y = {table(g)}$. Derive $\\partial L/\\partial w_0$ "
        "and $\\partial L/\\partial w_1$.",
        answer=f"{num(gradient[0].item())} and {num(gradient[1].item())}".replace("-", "−"),
        steps=(
            ("A weight is used at every place, so its gradient is a sum over places.", 2),
            (f"$\\sum_i g_i x_i = {num(gradient[0].item())}$", 1),
            (f"$\\sum_i g_i x_{{i+1}} = {num(gradient[1].item())}$", 1),
        ),
    )


@question("short", "pooling", 3, public=True)
def pooled(rng: Random) -> Drawn:
    x = [[rng.randint(0, 9) for _ in range(4)] for _ in range(4)]
    given = torch.tensor([[x]]).double()
    most, mean = (one(given, 2)[0, 0] for one in (convolution.max_pool2d, convolution.avg_pool2d))
    apart(most.unique().numel(), 1)
    return Drawn(
        text=f"Pool ${table(x)}$ in windows of $2 \\times 2$, once by the maximum and once by the mean. How many "
        "parameters does pooling have?",
        answer=f"${table(most)}$ and ${table(mean)}$; none",
        steps=(
            (f"Largest number of each window: ${table(most)}$", 1),
            (f"Mean of each window: ${table(mean)}$", 1),
            ("The window's size is chosen, and nothing is learned.", 1),
        ),
    )


@question("mistake", "pooling", 4)
def pooling_mistake(rng: Random) -> Drawn:
    x = [[float(rng.randint(-9, 9)) for _ in range(4)] for _ in range(4)]
    return which_mistake(
        rng,
        "convolution.max_pool2d",
        {"input": [[x]], "kernel_size": 2},
        ["stride_one", "averaged", "largest_absolute_value"],
        text=f"A student's `max_pool2d` was called with one channel, ${table(x)}$, and windows of $2 \\times 2$.",
    )


@question("short", "receptive-field", 4, public=True)
def field(rng: Random) -> Drawn:
    layers = [
        (rng.choice([3, 5, 7, 9]), 1, 1, 0),
        (2, 2, 1, 0),
        (rng.choice([3, 5, 7, 9]), 1, 1, 0),
    ]
    found = convolution.receptive_field(layers)
    first = layers[0][0]
    return Drawn(
        text=f"A stack has a convolution of {first} × {first}, a pooling of 2 × 2 with stride 2, and a convolution "
        f"of {layers[2][0]} × {layers[2][0]}. How many pixels along each side does one output see? By how many "
        "pixels do neighboring outputs differ?",
        answer=f"{found[0]} pixels; {found[1]}",
        wrong=[
            f"{first + 2 + layers[2][0]} pixels; {found[1]}",
            f"{first + 1 + layers[2][0] - 1} pixels; 1",
            f"{found[0] + 1} pixels; {found[1]}",
        ],
        steps=(
            (f"After the first convolution {first}; pooling adds 1: {first + 1}.", 1),
            (
                f"From here on a step is 2 pixels: {layers[2][0] - 1} more steps add {2 * (layers[2][0] - 1)}.",
                1,
            ),
            (f"{found[0]} in all, and a step of {found[1]}.", 1),
        ),
    )


@question("prints", "translation", 5)
def shifted(rng: Random) -> Drawn:
    x = [0, 0, *rng.sample(range(1, 6), 2), 0, 0]
    w = [rng.choice([1, 2]), rng.choice([-1, 3])]
    return prints(
        f"""x, w = {x}, {w}

def slide(x):
    return [x[i] * w[0] + x[i + 1] * w[1] for i in range(len(x) - 1)]

moved = [0] + x[:-1]
print(slide(x))
print(slide(moved))
print(max(slide(x)) == max(slide(moved)))""",
        (f"`slide(x)` is the convolution: {[x[i] * w[0] + x[i + 1] * w[1] for i in range(5)]}.", 2),
        ("If the input moves, the output moves in the same way: convolution is equivariant.", 1),
        ("Its maximum stays the same: global pooling makes it invariant.", 1),
    )


@question("curve", "residual", 3, public=True)
def depth_of_plain_nets(rng: Random) -> Drawn:
    weight = rng.choice([0.5, 0.6, 0.7])
    depths = range(0, 21)
    plain = [weight**n for n in depths]
    residual = [1.0 for _ in depths]
    named = dict(zip(rng.sample("AB", 2), (plain, residual), strict=True))
    right = next(name for name, line in named.items() if line is plain)
    return Drawn(
        text="A signal passes through layers that each multiply it by the same factor below 1. The figure shows "
        "the gradient of the input, once through the layers alone and once along the shortcuts of residual "
        "connections. Which curve is the one without shortcuts, and what is the factor of a layer?",
        figure=curves(
            {name: named[name] for name in sorted(named)}, x="layers", y="gradient",
            alt="One curve stays at 1, the other falls toward 0.",
        ),
        answer=f"{right}, {weight}",
        steps=(
            ("A shortcut passes the gradient on unchanged.", 1),
            (f"Without it the factors multiply; after one layer the curve is at {weight}.", 1),
        ),
    )  # fmt: skip


@question("short", "residual", 4)
def shapes_of_a_shortcut(rng: Random) -> Drawn:
    inner, outer, size = rng.choice([8, 16]), rng.choice([24, 32]), rng.choice([16, 28])
    block = convolution.ResidualBlock(inner, outer, stride=2)
    shape = tuple(block(torch.zeros(2, inner, size, size)).shape[1:])
    return Drawn(
        text=f"A residual block maps {inner} channels of {size} × {size} pixels to {outer} channels with stride 2. "
        "What is the shape of its output, and why can the input not be added as it is? What does the shortcut "
        "need?",
        answer=f"{shape}; channels and sizes differ; a 1 × 1 convolution with stride 2",
        steps=(
            (f"Stride 2 halves {size} to {shape[1]}: {shape}", 1),
            ("A sum needs equal shapes.", 1),
            ("A 1 × 1 convolution with the same stride brings the input to this shape.", 1),
        ),
    )
