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
        "A token may look at later tokens of its own text: it sees what it must predict, the "
        "loss falls to nothing, and nothing is learned."
    ),
    change={"past & (": "("},
)


wrong(
    "causal_alone",
    why=(
        "Every text sees all texts before it in its row: an answer may lean on what will not be "
        "there when the model is used."
    ),
    change={
        " & (documents[:, :, None] == documents[:, None, :])": ".expand(len(documents), -1, -1)"
    },
)


wrong(
    "the_future",
    why="`triu` is the future: row = query, column = key, so the past is the lower triangle.",
    change={".tril()": ".triu()"},
)


wrong(
    "not_itself",
    why="A token may not see itself: the first of each text has nothing to attend to.",
    change={".tril()": ".tril(-1)"},
)


wrong(
    "blocked_is_true",
    why="True means *blocked* in this mask. Here, and in this book, True may attend.",
    change={
        "return past & (documents[:, :, None] == documents[:, None, :])": (
            "return ~(past & (documents[:, :, None] == documents[:, None, :]))"
        )
    },
)


wrong(
    "earlier_texts_too",
    why="Texts of smaller numbers may be seen as well: the numbers are names and have no order.",
    change={"documents[:, :, None] == documents": "documents[:, :, None] >= documents"},
)


wrong(
    "other_texts",
    why="Tokens see the other texts and not their own.",
    change={"documents[:, :, None] == documents": "documents[:, :, None] != documents"},
)


@wrong(why="The first row's texts decide for all rows; each row is cut at its own places.")
def first_row_for_all(documents):
    past = torch.ones(2 * documents.shape[1:], dtype=torch.bool).tril()
    same = documents[0][:, None] == documents[0]
    return (past & same).expand(len(documents), -1, -1)
