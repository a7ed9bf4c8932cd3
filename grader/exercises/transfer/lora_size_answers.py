"""Right and wrong answers to `transfer.lora_size`."""

from grader.author.answers import right, wrong


@right
def in_a_loop(shapes, parts, rank):
    total = 0
    for name, shape in shapes.items():
        for part in set(parts):
            if ("." + name).endswith(f".{part}.weight") and len(shape) == 2:
                outputs, inputs = shape
                total += rank * inputs
                total += outputs * rank
    return total


@right
def by_partition(shapes, parts, rank):
    wanted = []
    for name in shapes:
        before, _, kind = name.rpartition(".")
        if kind == "weight" and before.rpartition(".")[2] in parts:
            wanted.append(list(shapes[name]))
    return sum(sum(shape) for shape in wanted if len(shape) == 2) * rank


wrong(
    "the_whole_matrix",
    why="These are all entries of the matrices: what full fine-tuning trains.",
    change={"rank * (shape[0] + shape[1])": "shape[0] * shape[1]"},
)


wrong(
    "squares_only",
    why="Twice the outputs were taken; A has as many columns as the layer has inputs.",
    change={"(shape[0] + shape[1])": "(shape[0] + shape[0])"},
)


wrong(
    "one_factor",
    why="Only one of the two thin matrices was counted.",
    change={"(shape[0] + shape[1])": "shape[0]"},
)


wrong(
    "rank_squared",
    why="The product of both thin matrices' sizes; they are two matrices, and their sizes add up.",
    change={"rank * (shape[0] + shape[1])": "rank * shape[0] * rank * shape[1]"},
)


wrong(
    "biases_counted",
    why="Biases were counted; they stay frozen.",
    change={
        "rank * (shape[0] + shape[1])": "rank * sum(shape) if len(shape) == 2 else shape[0]",
        'len(shape) == 2 and name.endswith(".weight") and ': "len(name.split('.')) > 1 and ",
    },
)


wrong(
    "anywhere_inside",
    why="A part's name was found inside of others: `query` is not `subquery`, nor `query_key`.",
    change={'name.split(".")[-2] in parts': "any(part in name for part in parts)"},
)


wrong(
    "kernels_counted",
    why="The kernel of a convolution has three axes or more: only what has two gets an update.",
    change={"len(shape) == 2": "len(shape) >= 2"},
    corner=True,
)
