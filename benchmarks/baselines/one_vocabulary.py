"""Byte-pair merges learned from prose, used on code; changed: learned from half of each.

    python benchmarks/baselines/one_vocabulary.py

Prints the bytes per token on code for five seeds. A seed draws the lines that are held out.
"""

from __future__ import annotations

import argparse
import inspect
import json
import random
import statistics
import textwrap
from collections.abc import Iterable

from solutions.data import text
from solutions.tokenization import BytePairTokenizer

SEEDS = range(5)
BYTES = 60_000  # to learn from, and of each kind to test on
SIZE = 512  # tokens of the vocabulary


def cut(lines: Iterable[str], rng: random.Random) -> tuple[str, str]:
    """Lines in random order, as a text to learn from and another to test on."""
    lines = list(lines)
    rng.shuffle(lines)
    whole = "".join(lines)
    return whole[:BYTES], whole[BYTES : 2 * BYTES]


def score(seed: int, *, changed: bool = False) -> float:
    """Bytes per token on code that was not learned from.

    Args:
        seed: of the lines that are held out.
        changed: learn from as many bytes, half of prose and half of code.
    """
    rng = random.Random(seed)
    modules = (argparse, inspect, json, random, statistics, textwrap)
    code = "".join(inspect.getsource(module) for module in modules)
    prose_learned, _ = cut(text().splitlines(keepends=True), rng)
    code_learned, code_tested = cut(code.splitlines(keepends=True), rng)
    tokenizer = BytePairTokenizer()
    half = BYTES // 2
    mixed = prose_learned[:half] + code_learned[:half]
    tokenizer.train(mixed if changed else prose_learned, SIZE)
    return len(code_tested.encode()) / len(tokenizer.encode(code_tested))


if __name__ == "__main__":
    for seed in SEEDS:
        print(f"seed {seed}: {score(seed):.3f}, changed {score(seed, changed=True):.3f}")
