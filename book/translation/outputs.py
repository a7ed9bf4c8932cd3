"""Outputs of cells in another language: their parts put into translated messages."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from pathlib import Path

from book.svg import inline
from book.translation.catalogs import INTERFACE, word, words_of
from book.translation.texts import (
    HOLE,
    LETTERS,
    Message,
    bare,
    cells_of,
    messages,
    of_interface,
)

NUMBER = re.compile(r"(?<![\w.,])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?!\w|[.,]\d)")


class Translator:
    """Writes the outputs of a page again, in another language."""

    def __init__(self, page: Path, spoken: str):
        self.found = words_of(page.stem, spoken)
        self.fixed = words_of(INTERFACE, spoken)
        self.spoken = spoken
        self.all = _ordered(
            one for line, source in cells_of(page) for one in messages(source, line)
        )
        self.own: list[Message] = []
        self.pieces = self._pieces()

    def rewrite(self, notebook) -> None:
        """Translate a notebook's outputs where they stand: Markdown, and the texts in HTML."""
        for cell in notebook.cells:
            if cell.cell_type != "code":
                continue
            self.own = _ordered(messages(cell.source))
            for output in cell.get("outputs", []):
                data = output.get("data", {})
                if "text/markdown" in data:
                    data["text/markdown"] = self.markdown(data["text/markdown"])
                if "text/html" in data:
                    data["text/html"] = self.html(data["text/html"])

    def markdown(self, text: str) -> str:
        """Match the text of a cell to its messages; what `show` puts out has fixed words only."""
        if text.startswith(("<", "::::")):
            fixed = {"Solution": word("Solution"), "Code": word("Code")}
            text = re.sub(r"(?<=<summary>)(Solution|Code)(?=: )", lambda m: fixed[m[1]], text)
            return text.replace("You write this one: ", word("You write this one: "))
        return self.sentence(text, True) or text

    def html(self, text: str) -> str:
        """A table, a figure, a drawing or a widget: its texts, none of its code and data."""
        return TEXTS.sub(self._element, text)

    def _element(self, found: re.Match) -> str:
        if found["code"]:
            return found[0]
        if found["attribute"]:
            new = self.label(html.unescape(found["value"]))
            return found[0] if new is None else f'{found["attribute"]}="{html.escape(new)}"'
        if found["tag"]:
            inner = found["inner"]
            if re.search(r"<(?!/?code\b|wbr)", inner):  # more than `inline` makes: piece by piece
                inner = TEXTS.sub(self._element, f">{inner}<")[1:-1]
            elif (new := self.label(_plain(inner))) is not None:
                inner = inline(new)
            return found["tag"] + inner + found["end"]
        text = found["text"]
        plain = html.unescape(text.strip())
        new = self.label(plain) or self.pieces.get(plain)
        if new is None:
            return found[0]
        return ">" + text.replace(text.strip(), html.escape(new, quote=False))

    def label(self, text: str) -> str | None:
        """A text of a figure or a table; None: it stays as it is."""
        if text and not LETTERS.search(bare(text)):
            return None if "`" in text else self.number(text)
        return self.sentence(text, False)

    def _pieces(self) -> dict[str, str]:
        """Texts beside the formulas of labels, which a figure draws piece by piece."""
        found = {}
        for message in self.all:
            new = None if message.sentence or message.holes else self.label(message.text)
            old, new = (re.split(r"\$[^$]*\$", text or "") for text in (message.text, new))
            if len(old) == len(new) > 1:
                pairs = zip(old, new, strict=True)
                found |= {a.strip(): b.strip() for a, b in pairs if LETTERS.search(a)}
        return found

    def sentence(self, text: str, is_said: bool) -> str | None:
        """A text in the other language; None where no translated message is like it."""
        for some in (self.own, self.all, of_interface()):
            for message in sorted(some, key=lambda one: one.sentence != is_said):
                found = message.pattern.fullmatch(text)
                if found and (new := self._filled(message, found)) is not None:
                    return new
        return None

    def _filled(self, message: Message, found: re.Match) -> str | None:
        parts = [part for part in found.groups() if part is not None]
        catalogs = [one for one in (self.found, self.fixed) if one]
        count = _whole(parts[message.counts]) if message.many else 1
        new = (one.get(message.text, message.many, count) for one in catalogs)
        text = next(filter(None, new), None)
        if text is None or not {*HOLE.findall(text)} <= {*HOLE.findall(message.text)}:
            return None

        def part(hole: re.Match) -> str:
            value = self._part(parts[int(hole[0][2:-1]) - 1], message)
            return value.replace(",", "{,}") if _in_math(text, hole.start()) else value

        return HOLE.sub(part, text)

    def _part(self, text: str, message: Message) -> str:
        """Fill a placeholder: known words and sentences translated, numbers written anew."""
        for inner in message.inner:
            if (found := inner.pattern.fullmatch(text)) and (
                new := self._filled(inner, found)
            ) is not None:
                return new
        if LETTERS.search(text) and (new := self.sentence(text, True)) is not None:
            return new
        names = [one for one in self.own if not one.holes and not one.sentence]
        for name in sorted(names, key=lambda one: -len(one.text)):
            if name.text in text and (new := self.sentence(name.text, False)):
                edges = rf"(?<![^\W_]){re.escape(name.text)}(?![^\W_])"
                text = re.sub(edges, lambda _, new=new: new, text)
        return self.number(text)

    def number(self, text: str) -> str:
        """A text with its numbers as the language writes them; what stands in backquotes stays."""
        from babel import Locale

        locale = Locale.parse(self.spoken)
        symbols = locale.number_symbols["latn"]
        signs = {",": symbols["group"], ".": symbols["decimal"]}
        percent = locale.percent_formats[None].pattern.rpartition("0")[2]
        pieces = re.split(r"(`[^`]*`|\]\([^)]*\))", text)
        for place in range(0, len(pieces), 2):
            new = NUMBER.sub(
                lambda n: re.sub("[.,]", lambda sign: signs[sign[0]], n[0]), pieces[place]
            )
            pieces[place] = re.sub(r"(?<=\d)%", percent, new)
        return "".join(pieces)


TEXTS = re.compile(
    r"(?P<code><(?P<raw>script|style|code|pre)\b.*?</(?P=raw)>)"
    r"|(?P<tag><(?P<name>figcaption|caption|t[dh])\b[^>]*>)(?P<inner>.*?)(?P<end></(?P=name)>)"
    r'|(?P<attribute>\b(?:aria-label|alt|title))="(?P<value>[^"]*)"'
    r"|>(?P<text>[^<>]*[^<>\s][^<>]*)(?=<)",
    re.DOTALL,
)


def _ordered(found: Iterable[Message]) -> list[Message]:
    """Messages from the one that leaves the least open to the one that leaves the most."""
    return sorted(found, key=lambda one: -len(bare(one.text)))


def _plain(text: str) -> str:
    """The text that `book.svg.inline` has made that HTML of."""
    text = re.sub(r"<code>(.*?)</code>", r"`\1`", text.replace("<wbr/>", ""))
    return html.unescape(re.sub(r"\\\((.*?)\\\)", r"$\1$", text))


def _whole(text: str) -> int:
    """The number that a placeholder shows, for what depends on it."""
    digits = re.sub(r"[^\d.]", "", text)
    return int(digits) if digits.isdigit() else 2


def _in_math(text: str, place: int) -> bool:
    return text.count("$", 0, place) % 2 == 1
