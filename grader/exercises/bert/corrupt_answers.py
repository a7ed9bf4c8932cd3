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
        "All chosen tokens become [MASK]: the model learns to predict at [MASK] alone, and its "
        "later tasks have none."
    ),
    change={"action < 0.8, mask,": "action < 1.0, mask,"},
)


wrong(
    "special_ones_drawn",
    why=(
        "Replacements are drawn from the whole vocabulary, special tokens included: the model will "
        "never see a [SEP] in the middle of a text."
    ),
    change={"draw * ordinary": "draw * (mask + 1)"},
)


wrong(
    "all_positions_are_labels",
    why=(
        "Labels were kept at positions that were not chosen: there the input shows the answer, and "
        "copying it makes the loss look low."
    ),
    change={"torch.where(chosen, tokens, NOT_ASKED)": "tokens.clone()"},
)


wrong(
    "masked_ones_are_labels",
    why=(
        "Only tokens that became [MASK] have a label; all chosen tokens need one, or the model can "
        "trust every token that it reads."
    ),
    change={
        "torch.where(chosen, tokens, NOT_ASKED)": (
            "torch.where(chosen & (action < 0.8), tokens, NOT_ASKED)"
        )
    },
)


wrong(
    "labels_after_the_holes",
    why="The labels were taken after the tokens were replaced; they are the original tokens.",
    change={
        "return torch.where(chosen, hidden, tokens), torch.where(chosen, tokens, NOT_ASKED)": (
            "return torch.where(chosen, hidden, tokens), torch.where(chosen, hidden, NOT_ASKED)"
        )
    },
)


@wrong(why="You wrote into the given tokens: the originals are lost for the next epoch.")
def in_place(tokens, chosen, action, draw, *, ordinary, mask):
    labels = torch.where(chosen, tokens, -100)
    tokens[chosen & (action < 0.8)] = mask
    swapped = chosen & (action >= 0.8) & (action < 0.9)
    tokens[swapped] = (draw[swapped] * ordinary).long()
    return tokens, labels


wrong(
    "unchosen_ones_hidden",
    why="Tokens that were not chosen are hidden as well: most of the text is gone.",
    change={"torch.where(chosen, hidden, tokens), ": "hidden, "},
)


wrong(
    "shares_swapped",
    why="10 % are hidden and 80 % are kept: the first limit is 0.8.",
    change={"0.8, mask, torch.where(action < 0.9": "0.1, mask, torch.where(action < 0.2"},
)


wrong(
    "kept_and_replaced_swapped",
    why="You keep tokens from 0.8 to 0.9 and replace them from 0.9 on; it is the other way round.",
    change={
        "torch.where(action < 0.9, random, tokens)": "torch.where(action < 0.9, tokens, random)"
    },
)


wrong(
    "labels_zero",
    why="Positions without a prediction have label 0, which is a token; −100 means no label.",
    change={"torch.where(chosen, tokens, NOT_ASKED)": "torch.where(chosen, tokens, 0)"},
)


wrong(
    "rounded_up",
    why=(
        "You did not round down: the number `ordinary` comes, too, which no ordinary token has, "
        "and token 0 comes too seldom."
    ),
    change={"(draw * ordinary).long()": "(draw * ordinary).round().long()"},
)


wrong(
    "drawn_in_half_precision",
    why=(
        "You cast the draws to half precision, which has only some thousand numbers between 0 and "
        "1; a vocabulary has more tokens than that."
    ),
    change={"(draw * ordinary)": "(draw.half().double() * ordinary)"},
)


wrong(
    "drawn_in_float32",
    why=(
        "`draw` was cast to float32: a number just below 1 becomes 1, and the token is not an "
        "ordinary one."
    ),
    change={"(draw * ordinary).long()": "(draw.float() * ordinary).long()"},
    corner=True,
)
