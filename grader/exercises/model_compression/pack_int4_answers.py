"""Right and wrong answers to `model_compression.pack_int4`."""

import torch

from grader.author.answers import right, wrong


@right
def with_remainders(codes):
    if codes.shape[-1] % 2 == 1:
        raise ValueError("an even number of codes is needed")
    wide = codes.long() % 16
    return (wide[..., 0::2] + 16 * wide[..., 1::2]).to(torch.uint8)


@right
def through_signed_bytes(codes):
    if codes.size(-1) & 1:
        raise ValueError("odd")
    narrow = codes.to(torch.int8).view(torch.uint8)
    return (narrow[..., 1::2] << 4) | (narrow[..., ::2] & 0x0F)


wrong(
    "first_on_top",
    why="The first of a pair goes into the low four bits.",
    change={"low | high << 4": "high | low << 4"},
)


wrong(
    "sign_bits_left",
    why="A negative code has ones in all higher bits; without `& 15` they overwrite its neighbor.",
    change={"(codes & 15)": "codes"},
)


wrong(
    "shifted_by_eight",
    why="You stored code + 8. Two's complement keeps 0 to 7 as they are, and −1 is 1111.",
    change={"(codes & 15)": "(codes + 8)"},
)


wrong(
    "halves_of_the_row",
    why="You paired the first half of a row with the second; pairs are neighbors.",
    change={".unflatten(-1, (-1, 2)).unbind(dim=-1)": ".unflatten(-1, (2, -1)).unbind(dim=-2)"},
)


wrong(
    "shifted_by_three",
    why="Four bits make room for four bits: shift by 4.",
    change={"<< 4": "<< 3"},
)


wrong(
    "odd_dropped",
    why=(
        "An odd number of codes was accepted, and one of them is lost or joins another row; "
        "raise a ValueError."
    ),
    change={
        'raise ValueError(f"two codes share a byte, so D must be even, got {codes.shape[-1]}")': (
            "codes = codes[..., :-1]"
        )
    },
    corner=True,
)
