"""Byte-pair encoding: updated counts against counting again, and the tokenizers package.

    python benchmarks/bytepairs.py [--repeats 3]

Training on the text of the standard library's modules, on one thread: `BytePairTokenizer.train` and
`encode` against those of the tokenizers package (Rust), for texts and vocabularies of several
sizes, and `learn_merges_fast` against `learn_merges`, the plain loop, once. Then a piece of 8,000
letters, which is encoded by `encode_word_fast`, by `encode_word`, the plain loop, and by the
package. They take turns; merges and ids are compared. Writes `bytepairs.json`.
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
    byte_tokens,
    count_words,
    encode_word,
    encode_word_fast,
    learn_merges,
    learn_merges_fast,
    write_merges,
)

SIZES = ((0.1, 1_000), (1.0, 1_000), (1.0, 8_000))  # megabytes, merges
LETTERS = 8_000
PLAIN = 100  # merges by the plain loop


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    document = {"machine": machine(), "rows": []}
    for megabytes, merges in SIZES:
        text = library(int(megabytes * 1e6))
        rounds = [round_of(text, merges) for _ in range(given.repeats)]
        seconds = {name: statistics.median(once[name] for once in rounds) for name in rounds[0]}
        size = {"bytes": len(text.encode()), "merges": merges}
        document["rows"].append(size | {"seconds": seconds})
        print(size, {name: round(value, 3) for name, value in seconds.items()}, flush=True)
    words, counts = count_words(library(1_000_000))
    plain, slow = timed(learn_merges, words, counts, PLAIN)
    fast, quick = timed(learn_merges_fast, words, counts, PLAIN)
    assert plain == fast
    document["plain loop"] = {"plain": slow, "counts kept up": quick, "merges": PLAIN}
    document["one piece"] = piece_of(LETTERS)
    print(document["plain loop"], document["one piece"])
    Path(__file__).with_suffix(".json").write_text(json.dumps(document, indent=1) + "\n")


def timed(function, *args) -> tuple[object, float]:
    """Return its result, and the processor seconds that it took."""
    start = time.process_time()
    made = function(*args)
    return made, time.process_time() - start


def round_of(text: str, merges: int) -> dict[str, float]:
    """Seconds of training and of encoding, ours and the package's."""
    ours, theirs, size = BytePairTokenizer(), other(), 256 + merges
    ours.encode("a")  # makes the pattern, once in a process
    _, mine = timed(ours.train, text, size)
    _, package = timed(learn, theirs, text, size)
    pairs = json.loads(theirs.to_str())["model"]["merges"]
    assert write_merges(ours.merges) == [" ".join(pair) for pair in pairs]
    found, encoding = timed(ours.encode, text)
    expected, quick = timed(theirs.encode, text)
    assert found == expected.ids
    return {
        "train": mine,
        "train, tokenizers": package,
        "encode": encoding,
        "encode, tokenizers": quick,
    }


def piece_of(letters: int) -> dict[str, float]:
    """Seconds of encoding one long piece, in three ways."""
    text = library(1_000_000)
    ours, theirs = BytePairTokenizer(), other()
    ours.train(text, 1_256)
    learn(theirs, text, 1_256)
    piece = "".join(letter for letter in text if letter.isascii() and letter.isalpha())[:letters]
    tokens, rank = byte_tokens(piece), {pair: k for k, pair in enumerate(ours.merges)}
    found, heap = timed(encode_word_fast, tokens, rank)
    again, loop = timed(encode_word, tokens, rank)
    expected, package = timed(theirs.encode, piece)
    assert found == again == expected.ids
    return {"letters": letters, "heap": heap, "plain loop": loop, "tokenizers": package}


def library(size: int) -> str:
    """The first bytes of the standard library's modules, in the order of their names."""
    parts, total = [], 0
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        parts.append(path.read_text(encoding="utf-8", errors="ignore"))
        total += len(parts[-1].encode())
        if total >= size:
            break
    return "".join(parts).encode()[:size].decode(errors="ignore")


def other() -> Tokenizer:
    """Byte-level tokenizer of the tokenizers package."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return made


def learn(tokenizer: Tokenizer, text: str, size: int) -> None:
    """Train the package's tokenizer as ours is trained."""
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=size, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator([text], trainer)


if __name__ == "__main__":
    main()
