"""Right and wrong answers to `transfer.layer_rates`."""

import re

from grader.author.answers import right, wrong


@right
def by_a_pattern(names, *, layers, rate, decay):
    rates = {}
    for name in names:
        layer = re.search(r"(?:^|\.)layers\.(\d+)\.", name)
        if layer:
            steps = layers - int(layer[1])
        elif re.search(r"(?:^|\.)embed\.", name):
            steps = layers + 1
        else:
            steps = 0
        rates[name] = rate * decay ** (-steps)
    return rates


@right
def from_a_ladder(names, *, layers, rate, decay):
    ladder = [rate]
    for _ in range(layers + 1):
        ladder.append(ladder[-1] / decay)

    def place(name):
        whole = "." + name
        for k in range(layers):
            if f".layers.{k}." in whole:
                return layers - k
        return layers + 1 if ".embed." in whole else 0

    return {name: ladder[place(name)] for name in names}


wrong(
    "upside_down",
    why=(
        "The lowest layers learn fastest. What they know, letters and words, is what all tasks "
        "share; it is the top that has to change."
    ),
    change={
        'depth = layers - int(parts[parts.index("layers") + 1])': (
            'depth = int(parts[parts.index("layers") + 1]) + 1'
        ),
        "depth = layers + 1": "depth = 0",
    },
)


wrong(
    "top_layer_like_the_head",
    why="The top layer learns at the head's rate; it is one step below it.",
    change={
        "depth = layers - int(": "depth = layers - 1 - int(",
        "depth = layers + 1": "depth = layers",
    },
)


wrong(
    "embedding_like_the_head",
    why=(
        "The embedding learns at the full rate: it belongs to no layer by its name, and lies below "
        "all of them."
    ),
    change={"            depth = layers + 1\n": "            depth = 0\n"},
)


wrong(
    "embedding_like_the_lowest_layer",
    why="The embedding learns like layer 0; it is one step below it.",
    change={"depth = layers + 1": "depth = layers"},
)


wrong(
    "multiplied",
    why="The rates grow downward: a step divides by the decay, which is 1 or more.",
    change={"rate / decay**depth": "rate * decay**depth"},
)


wrong(
    "linear",
    why="The rate was divided by the number of steps times the decay; each step divides once more.",
    change={"rate / decay**depth": "rate / max(1, decay * depth)"},
)


wrong(
    "first_digit_alone",
    why="Of the layer's number the first digit was read: layers 1, 10 and 11 learn alike.",
    change={'int(parts[parts.index("layers") + 1])': 'int(parts[parts.index("layers") + 1][0])'},
)


@wrong(
    why=(
        "A name was searched for `layers.` or `embed.` anywhere inside: `sublayers.1.` and "
        "`unembed.` are names of something else."
    )
)
def anywhere_inside(names, *, layers, rate, decay):
    rates = {}
    for name in names:
        layer = re.search(r"layers\.(\d+)\.", name)
        steps = layers - int(layer[1]) if layer else (layers + 1) * ("embed." in name)
        rates[name] = rate / decay**steps
    return rates


wrong(
    "rounded",
    why="The rates were rounded; the lowest layers' are small, and rounding leaves them 0.",
    change={"rate / decay**depth": "round(rate / decay**depth, 12)"},
    corner=True,
)
