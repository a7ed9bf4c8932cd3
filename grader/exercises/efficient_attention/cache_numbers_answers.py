"""Right and wrong answers to `efficient_attention.cache_numbers`."""

from grader.author.answers import right, wrong


@right
def keys_and_values_apart(length, *, layers, key_heads, d_k, d_v):
    keys = layers * key_heads * d_k * length
    values = layers * key_heads * d_v * length
    return keys + values


@right
def layer_by_layer(length, *, layers, key_heads, d_k, d_v):
    return sum(length * (d_k + d_v) for _ in range(layers) for _ in range(key_heads))


wrong(
    "keys_alone",
    why="You counted keys but no values; the next query needs both.",
    change={"(d_k + d_v)": "d_k"},
)


wrong(
    "twice_the_keys",
    why=(
        "A value may have a different size from a key: 2 · d_k counts the values as if they were "
        "keys."
    ),
    change={"(d_k + d_v)": "2 * d_k"},
)


wrong(
    "queries_too",
    why="You counted queries. A query is used once, at its position, and not kept.",
    change={"(d_k + d_v)": "(2 * d_k + d_v)"},
)


wrong(
    "one_layer",
    why=(
        "You counted one layer. Every layer has its own keys and values, and the next token needs "
        "all of them."
    ),
    change={"length * layers *": "length *"},
)


wrong(
    "a_table_of_scores",
    why="You counted T² numbers, the scores. A cache holds keys and values; scores are not kept.",
    change={"length * layers": "length**2 * layers"},
)
