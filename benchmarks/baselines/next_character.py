"""Character counts on the language reference; changed: contexts of six characters instead of four.

    python benchmarks/baselines/next_character.py

Prints bits per character for five seeds. A seed draws the lines that are held out.
"""

from __future__ import annotations

import random

import torch

from solutions.data import text
from solutions.recurrent import KneserNey, bits_per_character

SEEDS = range(5)
HELD_OUT = 0.1
WINDOW = 256


def score(seed: int, *, changed: bool = False) -> float:
    """Bits per character on lines that were not counted.

    Args:
        seed: of the lines that are held out.
        changed: count contexts of up to six characters, not four.
    """
    whole = text()
    lines = whole.splitlines(keepends=True)
    random.Random(seed).shuffle(lines)
    cut = int(HELD_OUT * len(lines))
    symbols = {one: number for number, one in enumerate(sorted(set(whole)))}
    held, counted = (
        torch.tensor([symbols[one] for one in "".join(part)]) for part in (lines[:cut], lines[cut:])
    )
    model = KneserNey(counted, len(symbols), order=7 if changed else 5)
    windows = held[: len(held) // WINDOW * WINDOW].view(-1, WINDOW)
    bits = [
        bits_per_character(model(window[:, :-1]), window[:, 1:]) for window in windows.split(16)
    ]
    sizes = [len(window) for window in windows.split(16)]
    total = sum(float(one) * size for one, size in zip(bits, sizes, strict=True))
    return total / sum(sizes)


if __name__ == "__main__":
    for seed in SEEDS:
        print(f"seed {seed}: {score(seed):.3f} bits, changed {score(seed, changed=True):.3f} bits")
