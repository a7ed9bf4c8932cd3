"""Questions on tokenization."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random

import torch

from grader.questions import Drawn, question
from grader.questions.curves import curves
from grader.questions.kinds import prints, which_mistake
from grader.questions.shown import num
from solutions import tokenization

WORDS = ("low", "lower", "lowest", "new", "newer", "wide", "wider", "slow")


def _bytes(word: str) -> list[int]:
    return list(word.encode())


def _pair(pair: tuple[int, int], merges: Sequence[tuple[int, int]] = ()) -> str:
    return "+".join(_text(one, list(merges)) for one in pair)


def _text(token: int, merges: list[tuple[int, int]]) -> str:
    if token < 256:
        return chr(token)
    return "".join(_text(one, merges) for one in merges[token - 256])


@question("short", "words-and-bytes", 3, public=True)
def lengths(rng: Random) -> Drawn:
    text = rng.choice(["naïve", "café", "über", "señor", "fiancé"])
    count, size = len(text), len(text.encode())
    tokens = tokenization.BytePairTokenizer().encode(text)
    return Drawn(
        text=f"A tokenizer without merges makes each byte of UTF-8 a token. How many tokens and how many characters "
        f"does *{text}* have? How large is the tokenizer's vocabulary, and are there texts that it cannot encode?",
        answer=f"{len(tokens)} tokens, {count} characters; 256; no",
        steps=(
            (f"One of {count} characters is not in ASCII and takes two bytes: {size}.", 1),
            ("A byte has 256 values, and every text consists of bytes.", 1),
        ),
    )


@question("short", "merging-pairs", 5, public=True)
def best_pair(rng: Random) -> Drawn:
    words, counts = rng.sample(WORDS, 3), [rng.randint(1, 6) for _ in range(3)]
    found = tokenization.count_pairs([_bytes(one) for one in words], counts)
    best = tokenization.best_pair([_bytes(one) for one in words], counts) or (0, 0)
    top = sorted(found.values(), reverse=True)
    said = ", ".join(f"{word} ({count})" for word, count in zip(words, counts, strict=True))
    ties = [_pair(one) for one in sorted(found) if found[one] == top[0]]
    return Drawn(
        text=f"The words of a text, with their counts: {said}. Which pair of letters does byte-pair encoding merge first, and how "
        "often does it occur? Among equally frequent pairs, the first in alphabetical order is merged.",
        answer=f"{_pair(best)}, {top[0]} times",
        steps=(
            ("A pair occurs as often as the words that contain it, together.", 1),
            (f"The most frequent: {', '.join(ties)}, {top[0]} times.", 2),
        ),
    )


@question("mistake", "merging-pairs", 5)
def best_mistake(rng: Random) -> Drawn:
    words, counts = rng.sample(WORDS, 4), [rng.randint(1, 6) for _ in range(4)]
    said = ", ".join(f"{word} ({count})" for word, count in zip(words, counts, strict=True))
    return which_mistake(
        rng,
        "tokenization.best_pair",
        {"words": tuple(_bytes(one) for one in words), "counts": tuple(counts)},
        ["smallest_pair", "least_frequent", "counts_ignored"],
        text=f"A student's `best_pair` was called for the words {said}, with their counts in parentheses.",
        view=lambda found: _Shown(_pair(found)),
    )


class _Shown(str):
    def __repr__(self) -> str:
        return str(self)


@question("mistake", "merging-pairs", 4)
def merge_mistake(rng: Random) -> Drawn:
    a, b, c = rng.sample(range(1, 9), 3)
    tokens = [*rng.choice([[c, a, b], [a, b, c], [b, a, a, b]]), b, a, a, b, c]
    return which_mistake(
        rng,
        "tokenization.merge",
        {"tokens": tuple(tokens), "pair": (a, b), "new": 99},
        ["first_alone", "last_token_lost", "either_order"],
        text=f"A student's `merge` was called with the tokens {tokens}, the pair ({a}, {b}) and the new token 99.",
        view=list,
    )


@question("short", "word-pieces", 6)
def learned_merges(rng: Random) -> Drawn:
    words, counts = rng.sample(WORDS[:6], 3), rng.sample([2, 3, 5, 7], 3)
    merges = tokenization.learn_merges([_bytes(one) for one in words], counts, 2)
    said = ", ".join(f"{word} ({count})" for word, count in zip(words, counts, strict=True))
    told = [_pair(one, merges) for one in merges]
    return Drawn(
        text=f"Train byte-pair encoding on the words {said}, with their counts, for two merges. Which two are learned? Among equally "
        "frequent pairs, the smaller one is merged: letters are in alphabetical order, and come before merged tokens.",
        answer=f"first {told[0]}, then {told[1]}",
        steps=(
            (f"The most frequent pair of letters is {told[0]}.", 2),
            (
                f"This pair is one token now. In a new count, the most frequent pair is {told[1]}.",
                2,
            ),
        ),
    )


@question("short", "encoding", 5, public=True)
def encoded(rng: Random) -> Drawn:
    first, second = rng.choice([(("l", "o"), "w"), (("n", "e"), "w"), (("e", "r"), "s")])
    merges = [(ord(first[0]), ord(first[1])), (256, ord(second))]
    word = rng.choice(
        [
            f"s{''.join(first)}{second}er",
            f"{''.join(first)}{second}{''.join(first)}",
            f"b{''.join(first)}t",
        ]
    )
    found = [_text(one, merges) for one in tokenization.encode_word(_bytes(word), merges)]
    return Drawn(
        text=f"The merges are, in order, {first[0]}+{first[1]} and {''.join(first)}+{second}. Which tokens does the new word *{word}* get? "
        "Why must merges be applied in the order in which they were learned?",
        answer=" | ".join(found),
        steps=(
            (f"First {first[0]}+{first[1]} wherever it occurs, then {''.join(first)}+{second}.", 1),
            (f"Letters that no merge applies to stay single: {' | '.join(found)}", 1),
            ("Later merges join tokens that earlier ones have made.", 1),
        ),
    )


@question("prints", "encoding", 4, public=True)
def spread_bytes(rng: Random) -> Drawn:
    text = rng.choice(["é", "ü", "ñ", "ß", "ø"])
    return prints(
        f"""data = "{text}".encode()
print(len(data))
print(repr(data[:1].decode(errors="replace")))
print(data.decode())""",
        (f"*{text}* has two bytes in UTF-8.", 1),
        (
            "The first byte alone is not valid UTF-8, and is decoded as the replacement character.",
            1,
        ),
        ("So the bytes of all tokens must be joined before they are decoded.", 1),
    )


@question("short", "special-tokens", 3, public=True)
def special(rng: Random) -> Drawn:
    mark = rng.choice(["<|end|>", "<|user|>"])
    words = rng.sample(["yes", "no", "go", "stop"], 2)
    text = f"{words[0]}{mark}{words[1]}"
    found = tokenization.split_special(text, [mark])
    return Drawn(
        text=f"`{mark}` is a special token. Into which pieces is `{text}` split before the merges are applied? A user types `{mark}` into a "
        "chat: what can go wrong if the user's text is encoded with special tokens?",
        answer=" ".join(f"`{one}`" for one in found)
        + "; the model reads it as a real special token",
        steps=(
            (f"The text is split at the special token, which stays whole: {len(found)} pieces.", 1),
            (
                "The user's text could then end a message, or begin one in the name of another speaker.",
                1,
            ),
        ),
    )


@question("short", "vocabulary-size", 4)
def size_of_a_vocabulary(rng: Random) -> Drawn:
    small, large, D = rng.choice([1000, 2000]), rng.choice([32_000, 50_000]), rng.choice([100, 500])
    first, second = rng.choice([(400, 250), (300, 200), (500, 400)])
    saved = 1 - (second / first) ** 2
    return Drawn(
        text=f"A text has {first} tokens with a vocabulary of {small:,}, and {second} tokens with one of {large:,}. How many numbers do the two "
        f"embedding tables hold with {D} features? By what percentage do the $T^2$ attention scores shrink with the larger vocabulary?",
        answer=f"{small * D:,} and {large * D:,}; by {num(100 * saved, 1)}%",
        steps=(
            (f"${small} \\cdot {D} = {small * D}$ and ${large} \\cdot {D} = {large * D}$", 1),
            (f"$({second}/{first})^2 = {num(1 - saved)}$ of the scores are left", 2),
        ),
    )


@question("short", "bits-per-byte", 4, public=True)
def across_vocabularies(rng: Random) -> Drawn:
    size = rng.choice([8, 16, 32])
    tokens = [size // 2, size // 4]
    per = [rng.choice([2, 3]), rng.choice([4, 5, 7])]
    text = "a" * size
    found = [
        tokenization.bits_per_byte(torch.full((n,), b * math.log(2)).double(), text).item()
        for n, b in zip(tokens, per, strict=True)
    ]
    better = "first" if found[0] < found[1] else "second" if found[1] < found[0] else "neither"
    return Drawn(
        text=f"A text of {size} bytes has {tokens[0]} tokens for a first model and {tokens[1]} for a second. Their losses are {per[0]} and "
        f"{per[1]} bits per token. Convert both to bits per byte. Which model is better?",
        answer=f"{num(found[0])} and {num(found[1])}; {better}",
        steps=(
            (f"${tokens[0]} \\cdot {per[0]} / {size} = {num(found[0])}$", 1),
            (f"${tokens[1]} \\cdot {per[1]} / {size} = {num(found[1])}$", 1),
            (
                "Losses per token of two vocabularies cannot be compared, because a token of one vocabulary may cover more bytes.",
                1,
            ),
        ),
    )


@question("mistake", "bits-per-byte", 5)
def bits_mistake(rng: Random) -> Drawn:
    bits = [rng.choice([2, 3, 4]), rng.choice([1, 5, 6])]
    text = rng.choice(["né", "sü", "añ"])
    return which_mistake(
        rng,
        "tokenization.bits_per_byte",
        {"losses": [one * math.log(2) for one in bits], "text": text},
        ["per_character", "nats", "times_ln_2"],
        text=f"A student's `bits_per_byte` was called for *{text}*, two characters in three bytes, encoded as two tokens "
        f"with the losses ${bits[0]} \\ln 2$ and ${bits[1]} \\ln 2$ nats. ($\\ln 2 = 0.693$)",
    )


@question("short", "wordpiece", 4)
def longest_first(rng: Random) -> Drawn:
    vocabulary = ["un", "unw", "##want", "##wanted", "##ed", "##a", "##n", "##t", "want", "##s"]
    word = rng.choice(["unwanted", "wants", "wanted", "unwants", "unwant"])
    found = tokenization.wordpiece(word, vocabulary)
    return Drawn(
        text=f"WordPiece has the vocabulary {', '.join(vocabulary)}. Which pieces does it make of *{word}*? What does it return for a word that it cannot split "
        "into known pieces?",
        answer=f"{' '.join(found)}; [UNK] for the whole word",
        steps=(
            (
                "At each position WordPiece takes the longest known piece; pieces inside a word begin with ##.",
                1,
            ),
            (f"{' '.join(found)}", 1),
            ("It never goes back to try a shorter piece, and gives up on the whole word.", 1),
        ),
    )


@question("curve", "vocabulary-size", 3)
def tokens_by_merges(rng: Random) -> Drawn:
    text = rng.choice(
        [
            "the cat and the hat and the bat",
            "low lower lowest slow slower slowest",
            "new newer newest knew anew",
        ]
    )
    words = text.split()
    merges = tokenization.learn_merges([_bytes(one) for one in words], [1] * len(words), 12)
    counts = [
        sum(len(tokenization.encode_word(_bytes(one), merges[:n])) for one in words)
        for n in range(len(merges) + 1)
    ]
    vocabulary = [32 + n for n in range(len(merges) + 1)]
    named = dict(zip(rng.sample("AB", 2), (counts, vocabulary), strict=True))
    right = next(letter for letter, one in named.items() if one is counts)
    return Drawn(
        text=f"Byte-pair encoding is trained on *{text}*. Against the number of merges, the figure shows the number of tokens in this text and "
        "the size of the vocabulary, less 224 so that both fit. Which curve is the number of tokens? "
        "Why does it fall more and more slowly?",
        figure=curves(
            {one: named[one] for one in sorted(named)}, x="merges", y="count",
            alt="One curve falls and flattens, one line rises by one with each merge.",
        ),
        answer=f"{right}; frequent pairs are merged first",
        steps=(
            ("Each merge adds one token to the vocabulary: a rising line.", 1),
            (f"Each merge removes as many tokens as its pair has occurrences: {right}.", 1),
            ("Later pairs are rarer.", 1),
        ),
    )  # fmt: skip
