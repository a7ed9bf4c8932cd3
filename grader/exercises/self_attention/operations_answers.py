"""Right and wrong answers to `self_attention.operations`."""

from grader.author.answers import right, wrong


@right
def shapes_of_the_products(layer, *, length, features, width=3):
    if layer not in ("attention", "recurrent", "convolution"):
        raise ValueError(f"no layer {layer!r}")

    def product(a, b, c):
        return a * b * c

    if layer == "attention":
        shapes = [(length, features, features)] * 3
        shapes += [(length, features, length), (length, length, features)]
    elif layer == "recurrent":
        shapes = [(1, features, features)] * (2 * length)
    else:
        shapes = [(length, width * features, features)]
    return sum(product(*shape) for shape in shapes)


@right
def factored_out(layer, *, length, features, width=3):
    if layer not in ("attention", "recurrent", "convolution"):
        raise ValueError(f"no layer {layer!r}")
    if layer == "attention":
        return length * features * (3 * features + 2 * length)
    return length * features * features * {"recurrent": 2, "convolution": width}[layer]


wrong(
    "no_projections",
    why=(
        "The queries, keys and values are computed too: three products of (T, "
        "D) with (D, D), which the table of Vaswani et al. leaves out."
    ),
    change={"3 * length * features**2 + 2 *": "2 *"},
)


wrong(
    "output_projection",
    why=(
        "A fourth D × D product mixes the heads of a Transformer's attention; "
        "this layer has one head and three projections."
    ),
    change={"3 * length * features**2": "4 * length * features**2"},
)


wrong(
    "no_weighted_sum",
    why="There are two products with T² in them: Q Kᵀ, and the weights times V.",
    change={"2 * length**2 * features": "length**2 * features"},
)


wrong(
    "recurrence_without_input",
    why=(
        "Each step of a recurrence has two products: one for the hidden state "
        "and one for the input."
    ),
    change={'"recurrent": 2 * length': '"recurrent": length'},
)


wrong(
    "convolution_without_channels",
    why=(
        "At each of its positions the kernel mixes all D input features into "
        "each of D output features: D² for every position it covers, not D."
    ),
    change={"width * length * features**2": "width * length * features"},
)


wrong(
    "width_forgotten",
    why=(
        "A convolution has one D × D matrix for each of the `width` positions "
        "that its kernel covers."
    ),
    change={"width * length * features**2": "length * features**2"},
)


wrong(
    "twice",
    why=(
        "You counted a multiply-add as two operations, as FLOP counters do; here it counts as one."
    ),
    change={"return count[layer]": "return 2 * count[layer]"},
)


wrong(
    "only_where_the_kernel_fits",
    why="The convolution is padded: it returns T positions, and does its work at each.",
    change={"width * length * features**2": "width * (length - width + 1) * features**2"},
)


wrong(
    "half_of_the_keys",
    why="All queries are compared with all keys, T² times; no mask is applied here.",
    change={"2 * length**2 * features": "length * (length + 1) * features"},
)
