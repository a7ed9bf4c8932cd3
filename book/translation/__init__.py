"""The book in other languages: catalogs of messages, and how a build finds its words in them.

`book/locale/<language>/LC_MESSAGES/` holds a catalog for each page, `<page>.po`, and
`interface.po` for the words that the site itself adds. A page's catalog has its prose, as Sphinx
sees it, and what its cells say: sentences, captions, headers and labels, found by syntax tree, with
a placeholder for each computed part (``{#1}``, ``{#2}``). No cell runs for a translation: the
outputs that are there hold the parts, and are written again in the other language. What a catalog
lacks, or holds as fuzzy, stays English.

`make translation` and `make book LANGUAGE=...` call this module.
"""

from book.translation.catalogs import (
    ENGLISH,
    INTERFACE,
    digest,
    language,
    path_of,
    said,
    word,
    words,
)
from book.translation.outputs import Translator

__all__ = [
    "ENGLISH",
    "INTERFACE",
    "Translator",
    "digest",
    "language",
    "path_of",
    "said",
    "word",
    "words",
]
