"""Tokenization: text to numbers and back, exactly.

Builds byte-pair encoding (BPE) on bytes, as GPT-2 has it: text is cut into pieces, pieces into
bytes, and pairs of tokens are merged in the order in which training found them. Then special
tokens, the tokenizer that holds all of it, WordPiece, and the loss per byte, in which models with
different tokens can be compared.

Token i < 256 is one byte. The bytes are numbered as in GPT-2: those that can be printed first
(`BYTES`). Token 256 + k is what merge k makes.

Sources: Gage 1994, "A New Algorithm for Data Compression"; Sennrich, Haddow and Birch 2016,
"Neural Machine Translation of Rare Words with Subword Units"; Radford et al. 2019, "Language Models
are Unsupervised Multitask Learners", sec. 2.2; Wu et al. 2016, "Google's Neural Machine Translation
System", sec. 4.1.
"""

from __future__ import annotations

import heapq
import json
import math
import os
import re
import unicodedata
import warnings
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import torch

PRINTED = (*range(33, 127), *range(161, 173), *range(174, 256))  # bytes that show as they are
BYTES = bytes([*PRINTED, *sorted({*range(256)} - {*PRINTED})])
NUMBER = {byte: token for token, byte in enumerate(BYTES)}
UNKNOWN = "[UNK]"
_SPACES = "\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))

Pair = tuple[int, int]


def pieces(text: str) -> list[str]:
    """Cut a text where no token may reach across: GPT-2's pattern.

    A piece is an English contraction's ending, or a run of letters, of digits or of other marks,
    each with one space before it, or a run of spaces (Radford et al. 2019, their code).

    Letters and numbers are those of Python's `unicodedata`, whose ``unidata_version`` is 14 in
    Python 3.11 and later in later ones. What a version does not know yet is a mark to it, so text
    in a script that is new to one of two versions may be cut in two ways. What all of them know
    hardly ever changes: of the 234,737 characters of version 3.2, 19 had by version 14.

    Args:
        text: any string.

    Returns:
        Pieces which joined give the text.
    """
    alike = text.translate(_KINDS)  # as long as the text
    return [text[found.start() : found.end()] for found in _PIECE.finditer(alike)]


class _Kinds(dict):
    """Stand-ins for characters beyond ASCII: a letter, a digit, a space or a mark.

    A pattern over all of Unicode would take longer to make than most texts to cut.
    """

    def __missing__(self, code: int) -> str:
        character = chr(code)
        kind = " " if character in _SPACES else unicodedata.category(character)[0]
        self[code] = {"L": "A", "N": "0", " ": "\t"}.get(kind, "!")
        return self[code]


_KINDS = _Kinds({code: code for code in range(128)})
_PIECE = re.compile(
    r"'(?:s|t|re|ve|m|ll|d)| ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+", re.ASCII
)


def byte_tokens(text: str) -> list[int]:
    """The UTF-8 bytes of a text, as tokens.

    Args:
        text: any string.

    Returns:
        One number below 256 per byte.

    Raises:
        ValueError: the text holds half of a surrogate pair, as a broken decoder leaves it; UTF-8
            has no bytes for it.
    """
    try:
        return [NUMBER[byte] for byte in text.encode()]
    except UnicodeEncodeError as error:
        raise ValueError(
            f"U+{ord(text[error.start]):X} is half of a surrogate pair, which UTF-8 cannot write; "
            "decode the text again, or replace it"
        ) from None


def count_words(text: str) -> tuple[list[list[int]], list[int]]:
    """The different pieces of a text.

    Args:
        text: any string.

    Returns:
        The pieces as lists of byte tokens, in the order in which each first occurs, and how often
        each does.
    """
    found = Counter(pieces(text))
    return [byte_tokens(piece) for piece in found], [*found.values()]


def count_pairs(words: Sequence[Sequence[int]], counts: Sequence[int]) -> dict[Pair, int]:
    """Count how often each pair of tokens stands side by side.

    Args:
        words: each a list of tokens; no pair reaches from one to the next.
        counts: how often each word occurs.

    Returns:
        The count of each pair that occurs. In 7, 7, 7 the pair (7, 7) occurs twice.
    """
    found: Counter[Pair] = Counter()
    for word, count in zip(words, counts, strict=True):
        for pair in pairwise(word):
            found[pair] += count
    return found


def best_pair(words: Sequence[Sequence[int]], counts: Sequence[int]) -> Pair | None:
    """The pair to merge next: the most frequent one.

    Args:
        words: each a list of tokens.
        counts: how often each word occurs, 1 or more.

    Returns:
        Of pairs that are equally frequent the smallest, as Python orders tuples; None where there
        is no pair at all.
    """
    found = count_pairs(words, counts)
    return min(found, key=lambda pair: (-found[pair], pair), default=None)


def merge(tokens: Sequence[int], pair: Pair, new: int) -> list[int]:
    """Put one token in place of a pair, wherever it stands.

    Args:
        tokens: a list of any number of them; left as it is.
        pair: two tokens, which may be the same, as a tuple or list.
        new: what stands for both.

    Returns:
        A list, read from left to right: 7, 7, 7 with the pair (7, 7) becomes new, 7. Where the pair
        does not occur, it may be ``tokens`` itself.
    """
    merged, at = [], 0
    while at < len(tokens):
        here = tuple(tokens[at : at + 2]) == tuple(pair)
        merged.append(new if here else tokens[at])
        at += 2 if here else 1
    return merged


def learn_merges(words: Sequence[Sequence[int]], counts: Sequence[int], number: int) -> list[Pair]:
    """Train byte-pair encoding: merge the most frequent pair, count again, and so on.

    Algorithm 1 of Sennrich et al. 2016, as plainly as it is written there.

    Args:
        words: each a list of tokens below 256; left as they are.
        counts: how often each word occurs.
        number: how many merges are wanted, from 0.

    Returns:
        The pair of each merge in order; merge k makes the token 256 + k. Fewer than ``number``
        where no pair is left.
    """
    merges: list[Pair] = []
    while len(merges) < number and (pair := best_pair(words, counts)):
        words = [merge(word, pair, 256 + len(merges)) for word in words]
        merges.append(pair)
    return merges


def learn_merges_fast(
    words: Sequence[Sequence[int]], counts: Sequence[int], number: int
) -> list[Pair]:
    """`learn_merges` that counts once, and then changes the counts of what a merge touches.

    A merge changes few words, and looks at no other: one pass over all words counts the pairs, and
    a second one at any merge costs too much, however it is written. So each pair remembers in which
    words it stands, and a heap holds the pairs by count; an entry whose count is no longer true is
    passed over. (A pass over the different pairs at each merge is cheap enough.)

    Args:
        words: each a list of tokens below 256; left as they are.
        counts: how often each word occurs.
        number: how many merges are wanted, from 0.

    Returns:
        The same as `learn_merges`.
    """
    words = list(words)
    found: Counter[Pair] = Counter(count_pairs(words, counts))
    where = defaultdict(set)
    for index, word in enumerate(words):
        for pair in pairwise(word):
            where[pair].add(index)
    heap = [(-count, pair) for pair, count in found.items()]
    heapq.heapify(heap)
    merges: list[Pair] = []
    while heap and len(merges) < number:
        count, pair = heapq.heappop(heap)
        if -count != found[pair]:
            continue
        changed: Counter[Pair] = Counter()
        for index in where.pop(pair):
            before = words[index]
            words[index] = after = merge(before, pair, 256 + len(merges))
            for old in pairwise(before):
                changed[old] -= counts[index]
            for now in pairwise(after):
                changed[now] += counts[index]
                where[now].add(index)
        for touched, change in changed.items():
            if change:
                found[touched] += change
                if found[touched]:
                    heapq.heappush(heap, (-found[touched], touched))
        merges.append(pair)
    return merges


def encode_word(tokens: Sequence[int], merges: Sequence[Pair] | Mapping[Pair, int]) -> list[int]:
    """Apply the merges to a new word, in the order in which training made them.

    Args:
        tokens: a list of one word's, each below 256; left as it is.
        merges: as `learn_merges` returns them, or with lists for the pairs. Or a dict from each
            pair, a tuple, to its place among the merges; the dict itself may have any order.
            Whoever encodes many words makes it once.

    Returns:
        The tokens that are left when no merge fits any more.
    """
    rank = merges
    if not isinstance(merges, Mapping):
        rank = {tuple(pair): place for place, pair in enumerate(merges)}
    tokens = list(tokens)
    while pairs := [pair for pair in pairwise(tokens) if pair in rank]:
        first = min(pairs, key=rank.__getitem__)
        tokens = merge(tokens, first, 256 + rank[first])
    return tokens


def encode_word_fast(tokens: Sequence[int], rank: Mapping[Pair, int]) -> list[int]:
    """`encode_word` that looks only at what a merge has changed.

    The tokens are a linked list, and a heap holds the places where a pair begins that can be
    merged, the earliest merge first and of one merge the leftmost. n tokens take O(n log n) steps,
    where `encode_word` takes up to n² / 2; an entry whose pair is gone is passed over.

    Args:
        tokens: a list of one word's, each below 256; left as it is.
        rank: the place of each pair among the merges, as `learn_merges` returns them.

    Returns:
        The same as `encode_word`.
    """
    tokens: list[int | None] = list(tokens)
    end = len(tokens)
    before, after = [*range(-1, end - 1)], [*range(1, end + 1)]
    heap = [(rank[pair], at) for at, pair in enumerate(pairwise(tokens)) if pair in rank]
    heapq.heapify(heap)
    while heap:
        place, left = heapq.heappop(heap)
        right = after[left]
        if right == end or rank.get((tokens[left], tokens[right])) != place:
            continue
        tokens[left], tokens[right] = 256 + place, None
        after[left] = after[right]
        if after[left] < end:
            before[after[left]] = left
        for at in (before[left], left):
            if at >= 0 and after[at] < end:
                pair = tokens[at], tokens[after[at]]
                if pair in rank:
                    heapq.heappush(heap, (rank[pair], at))
    return [token for token in tokens if token is not None]


def token_bytes(merges: Sequence[Pair]) -> list[bytes]:
    """Bytes that each token stands for.

    Args:
        merges: as `learn_merges` returns them.

    Returns:
        The 256 bytes, each alone, and then what each merge makes.
    """
    found = [bytes([byte]) for byte in BYTES]
    for left, right in merges:
        found.append(found[left] + found[right])
    return found


def decode(tokens: Sequence[int], vocabulary: Sequence[bytes]) -> str:
    """Tokens back to text.

    A character of several bytes may be spread over several tokens. Where the bytes of all tokens
    together are no UTF-8, as a model may produce them, � (U+FFFD) stands for what cannot be read.

    Args:
        tokens: numbers of entries of the vocabulary, of whatever size.
        vocabulary: the bytes of each token.

    Returns:
        The text.
    """
    return b"".join(vocabulary[token] for token in tokens).decode(errors="replace")


def split_special(text: str, specials: Sequence[str]) -> list[str]:
    """Cut special tokens out of a text before anything else looks at it.

    Args:
        text: any string.
        specials: such as ``"<|endoftext|>"``, none empty, letters large and small as they are. The
            text is read from left to right; where several begin at one place, the longest is meant.

    Returns:
        What lies between them, and they themselves, in order; no piece is empty.
    """
    if not specials:
        return [text] if text else []
    longest_first = sorted(specials, key=len, reverse=True)
    parts = re.split(f"({'|'.join(map(re.escape, longest_first))})", text)
    return [part for part in parts if part]


class BytePairTokenizer:
    """Any text to tokens and back, without loss.

    The tokens are the 256 bytes, the merges, and the special tokens, numbered in this order;
    ``len`` says how many there are.

    Args:
        merges: as `learn_merges` returns them; none for bytes alone.
        specials: texts that are one token each, and are never cut.

    Attributes:
        merges: a list of pairs.
        specials: a list of texts.
        vocabulary: the bytes of each token, a list.
    """

    def __init__(self, merges: Sequence[Pair] = (), specials: Sequence[str] = ()):
        self.specials = list(specials)
        self._set(merges)

    def _set(self, merges: Sequence[Pair]) -> None:
        self.merges = [(left, right) for left, right in merges]
        self.vocabulary = token_bytes(self.merges) + [text.encode() for text in self.specials]
        self._rank = {pair: k for k, pair in enumerate(self.merges)}
        self._known: dict[str, list[int]] = {}

    def __len__(self) -> int:
        return len(self.vocabulary)

    def train(self, text: str, size: int) -> None:
        """Learn new merges from a text, in which special tokens are passed over.

        What is left and right of a special token are two texts, each cut into `pieces`.

        Args:
            text: any string.
            size: of the vocabulary, all tokens counted; it may stay smaller where no pair is left.

        Raises:
            ValueError: ``size`` is less than 256 and the special tokens.
        """
        least = 256 + len(self.specials)
        if size < least:
            raise ValueError(f"size is {size}; the bytes and special tokens alone are {least}.")
        parts = [part for part in split_special(text, self.specials) if part not in self.specials]
        found = Counter(piece for part in parts for piece in pieces(part))
        words = [byte_tokens(piece) for piece in found]
        self._set(learn_merges_fast(words, [*found.values()], size - least))

    def encode(self, text: str) -> list[int]:
        """Text to tokens: special tokens as they are, the rest piece by piece (`pieces`).

        Args:
            text: any string.

        Returns:
            Numbers below ``len(self)``.

        Raises:
            ValueError: half of a surrogate pair is in the text, see `byte_tokens`.
        """
        first = 256 + len(self.merges)
        tokens: list[int] = []
        for part in split_special(text, self.specials):
            if part in self.specials:
                tokens.append(first + self.specials.index(part))
                continue
            for piece in pieces(part):
                if piece not in self._known:
                    self._known[piece] = encode_word_fast(byte_tokens(piece), self._rank)
                tokens += self._known[piece]
        return tokens

    def decode(self, tokens: Sequence[int]) -> str:
        """Tokens to text; see `decode`."""
        return decode(tokens, self.vocabulary)


def save_tokenizer(tokenizer: BytePairTokenizer, path: str | os.PathLike) -> None:
    """Write a tokenizer to a JSON file: an object of its ``merges`` and ``specials``.

    The file also names the version of Unicode by which `pieces` cuts here, ``unicode``.

    Args:
        tokenizer: any.
        path: of the file; one that is there is replaced.

    Raises:
        OSError: it cannot be written.
    """
    parts = {"merges": tokenizer.merges, "specials": tokenizer.specials}
    parts["unicode"] = unicodedata.unidata_version
    Path(path).write_text(json.dumps(parts), encoding="utf-8")


def load_tokenizer(path: str | os.PathLike) -> BytePairTokenizer:
    """Read a tokenizer that `save_tokenizer` has written.

    Args:
        path: of the file.

    Returns:
        A tokenizer that decodes as the saved one does, and encodes as it does where both have the
        same version of Unicode.

    Raises:
        OSError: the file cannot be read.
        ValueError: it holds no tokenizer.

    Warns:
        UserWarning: this Python has another version of Unicode than the one that wrote the file.
    """
    text = Path(path).read_bytes()
    try:
        parts = json.loads(text)
        tokenizer = BytePairTokenizer(parts["merges"], parts["specials"])
        saved = parts.get("unicode", unicodedata.unidata_version)  # older files do not name it
    except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
        raise ValueError(f"{path} holds no tokenizer; save_tokenizer writes one") from error
    if saved != (here := unicodedata.unidata_version):
        warnings.warn(
            f"{path} was saved with Unicode {saved}; this Python has {here}. Text with characters "
            "that only one of them knows may become other tokens.",
            stacklevel=2,
        )
    return tokenizer


def show_token(token: bytes) -> str:
    """A token in characters that can all be seen, one for each byte, as GPT-2's files have it.

    A byte of `PRINTED` is its own character, the others take those from U+0100 on: a space is Ġ.

    Args:
        token: its bytes.

    Returns:
        As many characters.
    """
    known = len(PRINTED)
    return "".join(
        chr(byte) if NUMBER[byte] < known else chr(256 + NUMBER[byte] - known) for byte in token
    )


def write_merges(merges: Sequence[Pair]) -> list[str]:
    """Merges as lines of GPT-2's ``merges.txt``.

    Args:
        merges: as `learn_merges` returns them.

    Returns:
        Per merge two tokens as `show_token` shows them, with a space between.
    """
    shown = [show_token(token) for token in token_bytes(merges)]
    return [f"{shown[left]} {shown[right]}" for left, right in merges]


def read_merges(lines: Iterable[str]) -> list[Pair]:
    """The inverse of `write_merges`.

    Args:
        lines: each two tokens with a space between them; a first line that begins with
            ``#version`` is passed over, as are empty ones.

    Returns:
        Pairs of tokens.

    Raises:
        ValueError: a line merges what no line before it has made.
    """
    number = {show_token(bytes([byte])): token for token, byte in enumerate(BYTES)}
    merges: list[Pair] = []
    for line in lines:
        if not line.strip() or line.startswith("#version"):
            continue
        left, right = line.rstrip("\n").split(" ")
        if left not in number or right not in number:
            raise ValueError(f"{line!r} merges a token that no line before it makes.")
        merges.append((number[left], number[right]))
        number[left + right] = 255 + len(merges)
    return merges


def wordpiece(word: str, vocabulary: Collection[str]) -> list[str]:
    """Cut a word into the longest known parts, from left to right, as BERT does.

    Wu et al. 2016, sec. 4.1; Devlin et al. 2019. There are no merges: the vocabulary alone says
    what is a token.

    Args:
        word: a word without spaces, of up to 500 letters, large and small as they are.
        vocabulary: parts that begin a word as they are, parts that go on with one after ``##``.

    Returns:
        At each place the longest part that fits; where none does, ``["[UNK]"]`` for the whole
        word. An empty word has no parts.
    """
    known, parts, at = set(vocabulary), [], 0
    while at < len(word):
        mark = "##" if at else ""
        ends = range(len(word), at, -1)
        end = next((end for end in ends if mark + word[at:end] in known), None)
        if end is None:
            return [UNKNOWN]
        parts.append(mark + word[at:end])
        at = end
    return parts


def bits_per_byte(losses: torch.Tensor, text: str) -> torch.Tensor:
    """A language model's loss where the tokenizer does not count.

    A loss per token can be had low by cutting the text into more tokens, each of them easier. The
    bytes of the text are the same for everybody.

    Args:
        losses: −log p of each token of the text, natural logarithm, (tokens,) float.
        text: what they are the tokens of; not empty.

    Returns:
        Σ losses / (ln 2 · bytes of the text in UTF-8), ().
    """
    return losses.sum() / (math.log(2) * len(text.encode()))
