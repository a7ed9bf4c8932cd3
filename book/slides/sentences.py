"""Sentences of a page that can stand on a slide without those before them."""

from __future__ import annotations

import re

from bs4 import BeautifulSoup

LETTERS = 230  # of what leads to a formula
AHEAD = re.compile(  # begins with something that an earlier sentence names
    r"(it|its|they|their|them|this|these|those|then|there|that|both|so|but|and|or|here|such"
    r"|again|thus|hence|neither|now|instead|otherwise|also|another|he|she|all (two|three|four|of)"
    r"|the (first|second|third|fourth|last|other|others|same|latter|former|two|three|rest|result)"
    r"|(one|two|three|most|many|some|none|either) of (them|these|those)|with (it|them|this|that)"
    r"|in (it|this|that|these)|for (it|this|that)|from (it|this|these)|of (it|this|these)"
    r"|.{,25}\b(it|them|these|this|then|both))\b",
    re.IGNORECASE | re.DOTALL,
)


def lead(paragraph: str) -> str:
    """The sentence that leads to a formula, with the one before it if it refers to that; or none.

    Args:
        paragraph: HTML inside the paragraph before the formula.
    """
    sentences = _sentences(paragraph)
    for first in range(len(sentences) - 1, max(-1, len(sentences) - 3), -1):
        said = " ".join(sentences[first:])
        if _whole(said) and len(_text(said)) <= LETTERS and not AHEAD.match(_text(said)):
            return said
    return ""


def first_sentence(paragraph: str) -> str:
    """The first sentence of a paragraph, as HTML; the paragraph if it cannot be cut there."""
    first = _sentences(paragraph)[0]
    return first if _whole(first) else paragraph


def _sentences(paragraph: str) -> list[str]:
    return re.split(r"(?<=[.?!])\s+(?=[A-Z])", paragraph.strip())


def _whole(sentence: str) -> bool:
    """Whether it begins as a sentence does, and closes every element that it opens."""
    parsed = BeautifulSoup(sentence, "html.parser")
    return sentence.count("<") == str(parsed).count("<") and sentence[:1].isupper()


def _text(sentence: str) -> str:
    """Its letters, each formula once."""
    parsed = BeautifulSoup(sentence, "html.parser")
    for again in parsed.select(".katex-html, annotation"):  # a formula is there as MathML
        again.decompose()
    return parsed.get_text()
