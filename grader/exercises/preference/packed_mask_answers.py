"""Right and wrong answers to `preference.packed_mask`."""

import torch

from grader.author.answers import right, wrong


@right
def token_by_token(documents):
    rows, length = documents.shape
    mask = documents.new_zeros(rows, length, length, dtype=torch.bool)
    for row in range(rows):
        for query in range(length):
            for key in range(query + 1):
                mask[row, query, key] = documents[row, query] == documents[row, key]
    return mask


@right
def by_distance(documents):
    places = torch.arange(documents.shape[1], device=documents.device)
    behind = places.unsqueeze(1) - places >= 0
    return (documents.unsqueeze(2) - documents.unsqueeze(1)).eq(0).logical_and(behind)


wrong(
    "not_causal",
    why=(
        "A token may attend to later tokens of its text: it sees the token that it must predict, "
        "so the loss falls to nearly 0 and nothing is learned."
    ),
    change={"past & (": "("},
)


wrong(
    "causal_alone",
    why=(
        "Every text attends to all texts before it in its row: an answer may then depend on text "
        "that will not be there when the model is used."
    ),
    change={
        " & (documents[:, :, None] == documents[:, None, :])": ".expand(len(documents), -1, -1)"
    },
)


wrong(
    "the_future",
    why=(
        "`triu` keeps the future: rows are queries and columns keys, so the past is the lower "
        "triangle."
    ),
    change={".tril()": ".triu()"},
)


wrong(
    "not_itself",
    why="A token may not attend to itself: the first token of each text then has no key.",
    change={".tril()": ".tril(-1)"},
)


wrong(
    "blocked_is_true",
    why="True means *blocked* in your mask. In this book, True may attend.",
    change={
        "return past & (documents[:, :, None] == documents[:, None, :])": (
            "return ~(past & (documents[:, :, None] == documents[:, None, :]))"
        )
    },
)


wrong(
    "earlier_texts_too",
    why=(
        "Tokens may attend to texts with smaller numbers, too: the numbers are names and have no "
        "order."
    ),
    change={"documents[:, :, None] == documents": "documents[:, :, None] >= documents"},
)


wrong(
    "other_texts",
    why="Tokens attend to the other texts and not to their own.",
    change={"documents[:, :, None] == documents": "documents[:, :, None] != documents"},
)


@wrong(why="You used the texts of the first row for all rows; each row has its own texts.")
def first_row_for_all(documents):
    past = torch.ones(2 * documents.shape[1:], dtype=torch.bool).tril()
    same = documents[0][:, None] == documents[0]
    return (past & same).expand(len(documents), -1, -1)
