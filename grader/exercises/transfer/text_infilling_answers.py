"""Right and wrong answers to `transfer.text_infilling`."""

import torch

from grader.author.answers import right, wrong


@right
def from_the_end(tokens, starts, lengths, *, mask):
    text = tokens.tolist()
    for start, length in reversed(list(zip(starts, lengths))):
        text[start : start + length] = [mask]
    return torch.tensor(text, dtype=torch.int64)


@right
def token_by_token(tokens, starts, lengths, *, mask):
    gone = {start + k for start, length in zip(starts, lengths) for k in range(length)}
    found = []
    for place in range(len(tokens) + 1):
        found += [mask] * list(starts).count(place)
        if place < len(tokens) and place not in gone:
            found.append(int(tokens[place]))
    return torch.tensor(found, dtype=tokens.dtype)


wrong(
    "a_mask_for_each_token",
    why=(
        "A span of n tokens left n masks, as with BERT: then how much is missing can be counted, "
        "and that is what the model should find out."
    ),
    change={"tokens.new_tensor([mask])]": "tokens.new_tensor([mask] * length)]"},
)


wrong(
    "empty_spans_skipped",
    why=(
        "Empty spans were passed over; they put in a mask where nothing is missing, so that the "
        "model learns that a mask may stand for nothing."
    ),
    change={
        "        parts += [tokens[end:start]": (
            "        if not length:\n            continue\n        parts += [tokens[end:start]"
        )
    },
)


wrong(
    "touching_spans_joined",
    why="Spans that touch left one mask; here each has its own.",
    change={
        "        parts += [tokens[end:start], tokens.new_tensor([mask])]": (
            "        joined = parts and length and start == end\n"
            "        parts += [tokens[end:start], tokens.new_tensor([] if joined else [mask])]"
        )
    },
)


wrong(
    "numbered_masks",
    why="Each mask has a number of its own, as T5's sentinels do; BART's are all the same.",
    change={
        "        end = start + length\n": "        end, mask = start + length, mask + 1\n",
    },
)


wrong(
    "places_in_what_is_left",
    why="Once a span is cut, all places after it move; the starts are places in the whole text.",
    change={
        "    parts, end = [], 0\n": (
            "    for start, length in zip(starts, lengths, strict=True):\n"
            "        tokens = torch.cat(\n"
            "            [tokens[:start], tokens.new_tensor([mask]), tokens[start + length :]]\n"
            "        )\n"
            "    return tokens\n"
            "    parts, end = [], 0\n"
        )
    },
)


wrong(
    "mask_before_the_token_before",
    why="An empty span put its mask after token `start`; it comes before it.",
    change={
        "tokens[end:start], tokens": "tokens[end : start + (not length)], tokens",
        "end = start + length": "end = start + length + (not length)",
    },
)


wrong(
    "spans_left_in",
    why="A mask was put before each span, and the span left in: there is nothing to find out.",
    change={"end = start + length": "end = start"},
)


wrong(
    "rest_missing",
    why="What follows the last span is missing.",
    change={"[*parts, tokens[end:]]": "[*parts, tokens[:0]]"},
)


wrong(
    "float_without_tokens",
    why=(
        "You made the tensor from a list without a dtype; from an empty list that is float32. "
        "Tokens are int64, even if there are none."
    ),
    change={
        "torch.cat([*parts, tokens[end:]])": (
            "torch.tensor(torch.cat([*parts, tokens[end:]]).tolist())"
        )
    },
    corner=True,
)
