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
    why="Keys were counted and values were not; the next query needs both.",
    change={"(d_k + d_v)": "d_k"},
)


wrong(
    "twice_the_keys",
    why=(
        "A value may have another size than a key: two times d_k counts the values as if "
        "they were keys."
    ),
    change={"(d_k + d_v)": "2 * d_k"},
)


wrong(
    "queries_too",
    why=(
        "Queries were counted as kept. A query is asked once, at its own position, and "
        "never needed again."
    ),
    change={"(d_k + d_v)": "(2 * d_k + d_v)"},
)


wrong(
    "one_layer",
    why="Every layer has keys and values of its own, and all layers are needed for the next token.",
    change={"length * layers *": "length *"},
)


wrong(
    "a_table_of_scores",
    why="You counted T² numbers, the scores. A cache holds keys and values; scores are not kept.",
    change={"length * layers": "length**2 * layers"},
)
