"""Right and wrong answers to `bert.corrupt`."""

import torch

from grader.author.answers import right, wrong


@right
def written_into_a_copy(tokens, chosen, action, draw, *, ordinary, mask):
    read = tokens.clone()
    read[chosen & (action < 0.8)] = mask
    swapped = chosen & (action >= 0.8) & (action < 0.9)
    read[swapped] = torch.floor(draw[swapped] * ordinary).to(tokens.dtype)
    labels = torch.full_like(tokens, -100)
    labels[chosen] = tokens[chosen]
    return read, labels


@right
def place_by_place(tokens, chosen, action, draw, *, ordinary, mask):
    read, labels = [], []
    flat = (part.flatten().tolist() for part in (tokens, chosen, action, draw))
    # a number of float32 becomes the Python float next to it, so the limits are rounded likewise
    low, high = torch.tensor([0.8, 0.9], dtype=action.dtype).tolist()
    for token, asked, what, number in zip(*flat):
        now = token
        if asked and what < low:
            now = mask
        elif asked and what < high:
            now = int(number * ordinary)
        read.append(now)
        labels.append(token if asked else -100)
    return torch.tensor(read).reshape(tokens.shape), torch.tensor(labels).reshape(tokens.shape)


wrong(
    "always_masked",
    why=(
        "All chosen tokens are hidden behind [MASK]: the model learns to answer at [MASK] alone, "
        "and in its later tasks there is none."
    ),
    change={"action < 0.8, mask,": "action < 1.0, mask,"},
)


wrong(
    "special_ones_drawn",
    why=(
        "Replacements are drawn from the whole vocabulary, special tokens too: a [SEP] in the "
        "middle of a text is nothing that the model will ever meet."
    ),
    change={"draw * ordinary": "draw * (mask + 1)"},
)


wrong(
    "all_positions_are_labels",
    why=(
        "Labels were kept where nothing was chosen: the loss then asks for tokens that stand there "
        "to be read, and copying earns most of it."
    ),
    change={"torch.where(chosen, tokens, NOT_ASKED)": "tokens.clone()"},
)


wrong(
    "masked_ones_are_labels",
    why=(
        "Only what is hidden has a label; all that is chosen is asked for, or the model need not "
        "doubt what it reads."
    ),
    change={
        "torch.where(chosen, tokens, NOT_ASKED)": (
            "torch.where(chosen & (action < 0.8), tokens, NOT_ASKED)"
        )
    },
)


wrong(
    "labels_after_the_holes",
    why="The labels are what is read, after the holes were made; they are what stood there before.",
    change={
        "return torch.where(chosen, hidden, tokens), torch.where(chosen, tokens, NOT_ASKED)": (
            "return torch.where(chosen, hidden, tokens), torch.where(chosen, hidden, NOT_ASKED)"
        )
    },
)


@wrong(why="Holes were made in the tokens that were given: they are gone for the next epoch.")
def in_place(tokens, chosen, action, draw, *, ordinary, mask):
    labels = torch.where(chosen, tokens, -100)
    tokens[chosen & (action < 0.8)] = mask
    swapped = chosen & (action >= 0.8) & (action < 0.9)
    tokens[swapped] = (draw[swapped] * ordinary).long()
    return tokens, labels


wrong(
    "unchosen_ones_hidden",
    why="What was not chosen is hidden as well: most of the text is gone.",
    change={"torch.where(chosen, hidden, tokens), ": "hidden, "},
)


wrong(
    "shares_swapped",
    why="10 % are hidden and 80 % stay: the first limit is 0.8.",
    change={"0.8, mask, torch.where(action < 0.9": "0.1, mask, torch.where(action < 0.2"},
)


wrong(
    "kept_and_replaced_swapped",
    why="From 0.8 to 0.9 tokens stay here, and from 0.9 on they are replaced; it is the other way.",
    change={
        "torch.where(action < 0.9, random, tokens)": "torch.where(action < 0.9, tokens, random)"
    },
)


wrong(
    "labels_zero",
    why="What is not asked for has label 0, which is a token; −100 says that there is no question.",
    change={"torch.where(chosen, tokens, NOT_ASKED)": "torch.where(chosen, tokens, 0)"},
)


wrong(
    "rounded_up",
    why="Draws are rounded to the next number: the last token comes too often, and `ordinary` too.",
    change={"(draw * ordinary).long()": "(draw * ordinary).round().long()"},
)


wrong(
    "drawn_in_half_precision",
    why=(
        "The draws were made less exact: half precision tells some thousand numbers between 0 and "
        "1 apart, and a vocabulary has more tokens than that."
    ),
    change={"(draw * ordinary)": "(draw.half().double() * ordinary)"},
)


wrong(
    "drawn_in_float32",
    why=(
        "`draw` was cast to float32: what is just below 1 becomes 1, and the token is no ordinary "
        "one."
    ),
    change={"(draw * ordinary).long()": "(draw.float() * ordinary).long()"},
    corner=True,
)
