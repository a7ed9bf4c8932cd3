"""Right and wrong answers to `vit.prepend`."""

import torch
import torch.nn.functional as F

from grader.author.answers import right, wrong


@right
def padded_and_filled(token, x):
    room = F.pad(x, (0, 0, 1, 0))
    first = torch.zeros(room.shape[1], 1, dtype=x.dtype)
    first[0] = 1
    return room + first * token


@right
def repeated(token, x):
    first = token.reshape(1, 1, -1).repeat(x.shape[0], 1, 1)
    return torch.concatenate((first, x), axis=1)


wrong(
    "at_the_end",
    why="The token comes after the sequence; the first position is where the classifier looks.",
    change={"[token.expand(len(x), 1, -1), x]": "[x, token.expand(len(x), 1, -1)]"},
)


wrong(
    "in_the_place_of_the_first",
    why="The token replaced the first patch; it is added to the patches, and none is lost.",
    change={"-1), x]": "-1), x[:, 1:]]"},
)


wrong(
    "cut_from_the_graph",
    why=(
        "The token is detached from the graph, so it gets no gradient: it would stay for ever what "
        "it was drawn as."
    ),
    change={"token.expand": "token.detach().expand"},
)


wrong(
    "added_to_all",
    why="The token is added to every position; it stands before them as one more position.",
    change={"[token.expand(len(x), 1, -1), x]": "[token.expand(len(x), 1, -1), x + token]"},
)


wrong(
    "before_the_batch_alone",
    why=(
        "Only the first image of the batch has the token, the others have zeros; each sequence "
        "needs it."
    ),
    change={
        "token.expand(len(x), 1, -1)": (
            "token * (torch.arange(len(x)) == 0).to(x.dtype)[:, None, None]"
        )
    },
)
