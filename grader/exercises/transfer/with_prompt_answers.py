"""Right and wrong answers to `transfer.with_prompt`."""

import torch

from grader.author.answers import right, wrong


@right
def row_by_row(prompt, embedded, positions=None):
    rows = []
    for row in embedded:
        whole = torch.vstack([prompt, row])
        if positions is not None:
            whole = whole + positions.narrow(0, 0, len(whole))
        rows.append(whole)
    return torch.stack(rows)


@right
def parts_first(prompt, embedded, positions=None):
    count, (rows, length, _) = len(prompt), embedded.shape
    first = prompt.unsqueeze(0).repeat(rows, 1, 1)
    if positions is not None:
        first = first + positions[:count]
        embedded = embedded + positions[count : count + length]
    return torch.concatenate((first, embedded), 1)


wrong(
    "prompt_behind",
    why=(
        "The prompt comes after the text: a causal model has read everything when it comes to "
        "it, and not one token of the text has seen it."
    ),
    change={
        "[prompt.expand(len(embedded), -1, -1), embedded]": (
            "[embedded, prompt.expand(len(embedded), -1, -1)]"
        )
    },
)


wrong(
    "positions_not_moved",
    why=(
        "The text still begins at position 0, and the prompt has the same positions once more: the "
        "model takes both for one place."
    ),
    change={
        "return whole if positions is None else whole + positions[: whole.shape[1]]": (
            "if positions is None:\n"
            "        return whole\n"
            "    places = [*range(len(prompt)), *range(embedded.shape[1])]\n"
            "    return whole + positions[places]"
        )
    },
)


wrong(
    "prompt_without_positions",
    why="The prompt got no positions; it has 0 to P − 1, like the words whose place it takes.",
    change={
        "return whole if positions is None else whole + positions[: whole.shape[1]]": (
            "if positions is None:\n"
            "        return whole\n"
            "    count = len(prompt)\n"
            "    moved = positions[: whole.shape[1]].clone()\n"
            "    moved[:count] = 0\n"
            "    return whole + moved"
        )
    },
)


wrong(
    "positions_twice",
    why="The positions were added twice.",
    change={"whole + positions[: whole.shape[1]]": "whole + 2 * positions[: whole.shape[1]]"},
)


wrong(
    "last_positions",
    why="The last rows of the table were used; use the first P + T.",
    change={"positions[: whole.shape[1]]": "positions[len(positions) - whole.shape[1] :]"},
)


wrong(
    "added_to_the_text",
    why="The prompt was averaged and added to each token; it is put before the text.",
    change={
        "whole = torch.cat([prompt.expand(len(embedded), -1, -1), embedded], dim=1)": (
            "whole = embedded + prompt.mean(dim=0)"
        )
    },
)


wrong(
    "words_replaced",
    why="The prompt took the place of the first tokens, which are lost; it comes before them.",
    change={"-1, -1), embedded]": "-1, -1), embedded[:, len(prompt) :]]"},
)


wrong(
    "detached",
    why="The prompt was detached: it gets no gradient, and is all that should be learned.",
    change={"prompt.expand(": "prompt.detach().expand("},
)
