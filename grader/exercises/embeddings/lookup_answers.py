"""Right and wrong answers to `embeddings.lookup`."""

import torch

from grader.author.answers import right, wrong
from solutions.embeddings import one_hot


@right
def gathered(input, weight):
    flat = input.reshape(-1, 1).expand(-1, weight.shape[1])
    return weight.gather(0, flat).reshape(*input.shape, weight.shape[1])


@wrong(
    why=(
        "The vectors are right, but each was computed by a product with the whole table: with a "
        "hundred thousand words that is a hundred thousand times the work. Fetch the rows."
    ),
    corner=True,
)
def one_hot_product(input, weight):
    return one_hot(input, len(weight)).to(weight.dtype) @ weight


@right
def rows_selected_flat(input, weight):
    found = torch.index_select(weight, 0, input.reshape(-1))
    return found.reshape(*input.shape, -1)


wrong(
    "columns",
    why=(
        "Columns were fetched; the table has one row per word. With as many words as features, "
        "no error warns you."
    ),
    change={"weight[input]": "weight[:, input].movedim(0, -1)"},
)


wrong(
    "detached",
    why=(
        "`.data` (like `.detach()`) detaches the table from the graph: the vectors are right, "
        "but they would never be trained."
    ),
    change={"weight[input]": "weight.data[input]"},
)


wrong(
    "flattened",
    why=(
        "The sentences of a batch were concatenated; a batch (2, 3) of words becomes (2, 3, D), "
        "so that each word keeps its sentence and position."
    ),
    change={"weight[input]": "weight[input.flatten()]"},
)


wrong(
    "unique_words",
    why=(
        "Each word was fetched once; a word that occurs twice in the input has "
        "to occur twice in the output, or positions no longer match."
    ),
    change={"weight[input]": "weight[input.unique()]"},
)
