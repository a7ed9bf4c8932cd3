"""Sentences of a page that can stand on a slide without those before them."""

from __future__ import annotations

import re

from bs4 import BeautifulSoup

LETTERS = 230  # of what leads to a formula
AHEAD = re.compile(  # begins with something that an earlier sentence names
    r"((first|second|third|finally),.*|it|its|they|their|them|this|these|those|then|there|that|both|so|but|and|or|here|such"
    r"|again|thus|hence|neither|now|instead|otherwise|also|another|he|she|all (two|three|four|of)"
    r"|the (first|second|third|fourth|last|other|others|same|latter|former|two|three|rest|result)"
    r"|(one|two|three|most|many|some|none|either) of (them|these|those)|with (it|them|this|that)"
    r"|in (it|this|that|these)|for (it|this|that)|from (it|this|these)|of (it|this|these)"
    r"|.{,25}\b(it|them|these|this(?! (chapter|section|page|course|book))|then|both)"
    r"|.{,40}\b(they|the other))\b",
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
        if _whole(said) and letters(said) <= LETTERS and not AHEAD.match(_text(sentences[first])):
            return said
    return ""


def letters(html: str) -> int:
    """How long a text looks on a slide."""
    return len(_text(html))


def opening(paragraph: str, room: int) -> str:
    """The sentences that a paragraph begins with, as many as have room; at least the first.

    Args:
        paragraph: HTML inside the paragraph.
        room: in letters.
    """
    sentences = _sentences(paragraph)
    for last in range(len(sentences), 0, -1):
        said = " ".join(sentences[:last])
        if _whole(said) and letters(said) <= room:
            return said
    begins = (" ".join(sentences[:last]) for last in range(1, len(sentences)))
    return next(filter(_whole, begins), paragraph)


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
