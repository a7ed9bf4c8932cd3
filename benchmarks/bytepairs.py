"""Byte-pair encoding: counts that are kept up beside counting again, and the tokenizers package.

    python benchmarks/bytepairs.py [--megabytes 1] [--merges 1000] [--repeats 3]

Training on the text of the standard library's modules, on one thread: `learn_merges_fast` beside
`learn_merges`, the plain loop; `BytePairTokenizer.train` and `encode` beside the same of the
tokenizers package (Rust). They take turns; the merges and ids are compared. Writes `bytepairs.json`.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sysconfig
import time
from pathlib import Path

os.environ["RAYON_NUM_THREADS"] = "1"  # of the other one

from machine import machine
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from solutions.tokenization import (
    BytePairTokenizer,
    count_words,
    learn_merges,
    learn_merges_fast,
    write_merges,
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--megabytes", type=float, default=1.0)
    parser.add_argument("--merges", type=int, default=1_000)
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    text = library(int(given.megabytes * 1e6))
    words, counts = count_words(text)
    taken: dict[str, list[float]] = {}

    def timed(name, function, *args):
        start = time.perf_counter()
        made = function(*args)
        taken.setdefault(name, []).append(time.perf_counter() - start)
        return made

    for _ in range(given.repeats):
        plain = timed("plain loop", learn_merges, words, counts, given.merges)
        fast = timed("counts kept up", learn_merges_fast, words, counts, given.merges)
        assert plain == fast
        ours = BytePairTokenizer()
        timed("train", ours.train, text, 256 + given.merges)
        theirs = other()
        timed("train, tokenizers", learn, theirs, text, 256 + given.merges)
        pairs = json.loads(theirs.to_str())["model"]["merges"]
        assert write_merges(ours.merges) == [" ".join(pair) for pair in pairs]
        found = timed("encode", ours.encode, text)
        assert found == timed("encode, tokenizers", theirs.encode, text).ids
    median = {name: statistics.median(times) for name, times in taken.items()}
    ratios = {
        "plain loop / counts kept up": median["plain loop"] / median["counts kept up"],
        "train / tokenizers": median["train"] / median["train, tokenizers"],
        "encode / tokenizers": median["encode"] / median["encode, tokenizers"],
    }
    size = {"bytes": len(text.encode()), "different pieces": len(words), "merges": given.merges}
    document = {"machine": machine(), "text": size, "seconds": median, "ratios": ratios}
    Path(__file__).with_suffix(".json").write_text(json.dumps(document, indent=1) + "\n")
    for name, value in {**median, **ratios}.items():
        print(f"{name:32} {value:8.3f}")


def library(size: int) -> str:
    """So many bytes of the standard library's modules, in the order of their names."""
    parts, total = [], 0
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        parts.append(path.read_text(encoding="utf-8", errors="ignore"))
        total += len(parts[-1].encode())
        if total >= size:
            break
    return "".join(parts).encode()[:size].decode(errors="ignore")


def other() -> Tokenizer:
    """The tokenizers package's byte-level one."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return made


def learn(tokenizer: Tokenizer, text: str, size: int) -> None:
    """Train it as ours is trained."""
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=size, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator([text], trainer)


if __name__ == "__main__":
    main()
