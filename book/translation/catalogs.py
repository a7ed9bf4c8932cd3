"""Catalogs, and what a build looks up in them."""

from __future__ import annotations

import gettext
import hashlib
import io
import os
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from book.pages import BOOK

LOCALE = BOOK / "locale"
INTERFACE = "interface"
ENGLISH = "en"


def language() -> str:
    """The language that is built: ``COURSE_LANGUAGE``, or English."""
    return os.environ.get("COURSE_LANGUAGE") or ENGLISH


def path_of(name: str, spoken: str) -> Path:
    """The catalog of a page, or of the `INTERFACE`, in a language."""
    return LOCALE / spoken / "LC_MESSAGES" / f"{name}.po"


class Words:
    """A catalog to look things up in."""

    def __init__(self, path: Path, spoken: str):
        from babel.messages.mofile import write_mo

        catalog, compiled = read(path, spoken), io.BytesIO()
        write_mo(compiled, catalog)
        compiled.seek(0)
        self._found = gettext.GNUTranslations(compiled)
        self.known = {_one(message.id) for message in translated(catalog)}

    def get(self, one: str, many: str = "", count: int = 1) -> str | None:
        """The translation, in the form that the language has for so many; None: there is none."""
        if one not in self.known:
            return None
        return self._found.ngettext(one, many, count) if many else self._found.gettext(one)


def read(path: Path, spoken: str | None = None):
    """A catalog as it stands in a file: a `babel.messages.Catalog`, empty if there is no file.

    Its plural forms are those of the language, unless the file has its own.
    """
    from babel.messages.catalog import Catalog
    from babel.messages.pofile import read_po

    if not path.exists():
        return Catalog()
    with path.open("rb") as file:
        return read_po(file, locale=spoken)


def translated(catalog) -> Iterator:
    """The messages of a catalog that are translated whole, and not fuzzy."""
    for message in catalog:
        strings = [message.string] if isinstance(message.string, str) else message.string
        if message.id and not message.fuzzy and all(strings):
            yield message


def _one(ids: str | Sequence[str]) -> str:
    return ids if isinstance(ids, str) else ids[0]


@cache
def words_of(name: str, spoken: str) -> Words | None:
    """A catalog of a language; None where there is none, as in English."""
    path = path_of(name, spoken)
    return Words(path, spoken) if path.exists() else None


def word(text: str, **values: object) -> str:
    """Words of the site itself in the language that is built.

    Args:
        text: English, as a literal: the catalog is made of these.
        **values: what stands for its ``{name}``.
    """
    found = words_of(INTERFACE, language())
    return _filled(found and found.get(text), text, values)


def words(one: str, many: str, count: int, **values: object) -> str:
    """The same for words that depend on a number, which ``{count}`` stands for."""
    found = words_of(INTERFACE, language())
    text = one if count == 1 else many
    return _filled(found and found.get(one, many, count), text, values | {"count": count})


def _filled(new: str | None, text: str, values: dict[str, object]) -> str:
    try:
        return (new or text).format(**values)
    except (IndexError, KeyError, ValueError):  # a placeholder that the English has not
        return text.format(**values)


def digest(name: str) -> str:
    """A hash of what a page is translated by; empty in English, and for a page without catalog."""
    if not (path := path_of(name, language())).exists():
        return ""
    parts = (path, path_of(INTERFACE, language()), *sorted(Path(__file__).parent.glob("*.py")))
    content = b"\0".join(part.read_bytes() for part in parts if part.exists())
    return hashlib.sha256(content).hexdigest()


def said(slug: str, text: str) -> str:
    """A text that a page takes from its exercises: a hint, say."""
    found = words_of(slug, language())
    return (found and found.get(text)) or text
