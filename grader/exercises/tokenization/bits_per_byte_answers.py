"""Right and wrong answers to `tokenization.bits_per_byte`."""

import math

import torch

from grader.author.answers import right, wrong


@right
def bits_first(losses, text):
    bits = losses * math.log2(math.e)
    return bits.sum() / len(bytes(text, "utf-8"))


@right
def from_the_mean(losses, text):
    per_token = losses.mean() / torch.log(torch.tensor(2.0, dtype=torch.float64)).item()
    return per_token * (len(losses) / sum(1 for _ in text.encode("utf-8")))


wrong(
    "per_token",
    why="This is the mean over tokens: cutting the text into more tokens would lower it.",
    change={"losses.sum()": "losses.mean()", " * len(text.encode())": ""},
)


wrong(
    "per_character",
    why="This counts characters; one of them may have up to four bytes.",
    change={"len(text.encode())": "len(text)"},
)


wrong(
    "nats",
    why="These are nats: divide by ln 2 for bits.",
    change={"math.log(2) * ": ""},
)


wrong(
    "times_ln_2",
    why=(
        "Multiplied by ln 2; a bit is ln 2 nats, so the number of bits is larger than that of nats."
    ),
    change={"losses.sum() / (math.log(2) * ": "losses.sum() * math.log(2) / ("},
)


wrong(
    "mean_over_bytes",
    why="The mean over tokens was divided by the number of bytes as well.",
    change={"losses.sum()": "losses.mean()"},
)


wrong(
    "ends_cut_off",
    why="The text was stripped; spaces at its ends are bytes too, and the model had to guess them.",
    change={"text.encode()": "text.strip().encode()"},
)
