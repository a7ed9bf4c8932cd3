"""Slides of a chapter, collected from its page in the order of the page."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from bs4 import BeautifulSoup, Tag

ITEMS = 4  # of a summary on one slide
FORMULAS = 3  # of a run of formulas that share a slide
LINES = 22  # of code that can be read from the last row
LEAD = 160  # letters of the sentence before a formula
SHARED = 12  # of code beside its formula
SKIPPED = ".tag_no-slide, .course-exercises, script, style"
SHOWN = ".course-widget, figure, table"
CHROME = ".headerlink, .course-fold, details.course-fold, .copybtn, .course-asked, .course-more"


@dataclass
class Slide:
    """One slide.

    Attributes:
        kind: what it shows: "title", "goals", "formula", "figure", "widget", "table", "code",
            "question", "result", "exercise" or "summary".
        heading: of the section that it belongs to.
        body: HTML of what is shown.
        notes: paragraphs for the speaker, as HTML.
        anchor: id of the section on the page.
    """

    kind: str
    heading: str
    body: str
    notes: list[str] = field(default_factory=list)
    anchor: str = ""


class Collector:
    """Walks through a page and collects its slides; prose waits for the slide that it explains."""

    def __init__(self) -> None:
        self.slides: list[Slide] = []
        self._waiting: list[str] = []
        self._heading, self._anchor = "", ""
        self._styled = False

    def add(self, kind: str, body: str) -> None:
        """Begin a slide, with the prose since the last one as its notes."""
        notes, self._waiting = self._waiting, []
        self.slides.append(Slide(kind, self._heading, body, notes, self._anchor))

    def opening(self, article: Tag, title: str, slug: str) -> None:
        """Collect the slides of what stands before the first section, its prose aside."""
        self._heading, self._anchor = title, slug
        for part in article.find_all("div", class_="cell", recursive=False):
            if not part.css.match(SKIPPED):
                self._part(part)
        self.close()

    def section(self, section: Tag) -> None:
        """Collect the slides of a section and of those inside it."""
        self.close()
        heading = section.find(["h2", "h3", "h4"], recursive=False)
        self._heading = _inner(heading) if heading else ""
        self._anchor = str(section.get("id", ""))
        for part in section.find_all(recursive=False):
            if part.name == "section":
                self.section(part)
            elif not part.css.match(SKIPPED):
                self._part(part)
        self.close()

    def close(self) -> None:
        """Give the prose that is left to the last slide, or a slide of its own."""
        if self._waiting and self.slides and self.slides[-1].anchor == self._anchor:
            self.slides[-1].notes += self._waiting
        self._waiting = []

    def _part(self, part: Tag) -> None:
        classes = part.get("class") or []
        if "math" in classes:
            self._formula(part)
        elif "course-ask" in classes:
            self.add("question", _inner(part))
        elif "exercise" in classes:
            self._exercise(part)
        elif "cell" in classes:
            self._cell(part)
        elif part.css.match(":has(table)") or part.name == "table":
            self.add("table", str(part))
        elif part.name in ("ul", "ol") and self._anchor == "summary":
            for first in range(0, len(items := part.find_all("li", recursive=False)), ITEMS):
                self.add("summary", f"<ul>{''.join(map(str, items[first : first + ITEMS]))}</ul>")
        elif part.name in ("p", "ul", "ol", "div") and (text := _inner(part).strip()):
            self._waiting.append(text)

    def _join(self, slide: Slide, body: str) -> None:
        """Put more on a slide, with the prose since it began."""
        slide.body += body
        slide.notes += self._waiting
        self._waiting = []

    def _formula(self, part: Tag) -> None:
        """Formulas that follow one another share a slide."""
        last = self.slides[-1] if self.slides else None
        near = last and last.kind == "formula" and last.anchor == self._anchor
        full = last and (
            last.body.count('<div class="math') >= FORMULAS or "highlight" in last.body
        )
        lead = _lead(self._waiting[-1]) if self._waiting else ""
        shown = f'<p class="deck-lead">{lead}</p>{part}' if lead else str(part)
        if last and near and not full:
            self._join(last, shown)
        else:
            self.add("formula", shown)

    def _cell(self, cell: Tag) -> None:
        """Collect a cell's output: a solution's code, an explorer, figures, tables, a sentence."""
        output = cell.select_one(".cell_output")
        if output is None:
            return
        kind = "result" if "course-answer" in (output.get("class") or []) else ""
        for fold in output.select("details:has(.course-source)"):
            self._code(fold)
        shown = [one for one in output.select(SHOWN) if not one.find_parent(_is_shown)]
        for one in shown:
            if "course-widget" in (one.get("class") or []):
                self.add(kind or "widget", self._alive(one))
            else:
                self.add(kind or ("table" if one.name == "table" else "figure"), str(one))
        texts = [_inner(one) for one in output.find_all("p") if not one.find_parent(_is_shown)]
        prose = [text for text in texts if text.strip() and "course-source" not in text]
        if kind and not shown and prose:
            self.add(kind, "".join(f"<p>{text}</p>" for text in prose))
        elif not output.select("details:has(.course-source)"):
            self._waiting += prose

    def _alive(self, widget: Tag) -> str:
        """An explorer; with the first of a deck the styles and scripts that its page has once."""
        page = next(reversed([*widget.parents]))
        shared = [] if self._styled else page.select("[data-shared]")
        self._styled = True
        styles, scripts = (
            [one for one in shared if one.name == tag] for tag in ("style", "script")
        )
        return "".join(map(str, [*styles, widget, *scripts]))

    def _code(self, fold: Tag) -> None:
        """A solution, where it is short enough to be read from the last row."""
        block = fold.select_one("pre")
        if block is None or len(block.get_text().strip().splitlines()) > LINES:
            return
        last = self.slides[-1]
        code = str(block.parent)
        lines = block.get_text().strip().count("\n") + 1
        if last.kind == "formula" and last.anchor == self._anchor and lines <= SHARED:
            self._join(last, code)
        else:
            self.add("code", code)

    def _exercise(self, card: Tag) -> None:
        """Name an exercise below the slide that it follows."""
        title = card.select_one(".admonition-title").get_text(" ", strip=True)
        name = card.select_one(".course-points code").get_text(strip=True)
        line = f'<p class="deck-exercise"><strong>{title}</strong> <code>{name}</code></p>'
        if self.slides[-1].anchor == self._anchor:
            self.slides[-1].body += line
        else:
            self.add("exercise", line)


def slides(html: str, slug: str) -> tuple[str, list[Slide]]:
    """The title of a page, and the slides that it makes.

    Args:
        html: of a chapter of the finished site.
        slug: its name.

    Raises:
        ValueError: the page has no article.
    """
    page = BeautifulSoup(html, "html.parser")
    article = page.select_one("article.bd-article > section") or page.select_one("article section")
    if article is None:
        raise ValueError("the page has no article")
    for part in article.select(CHROME):
        part.decompose()
    _detach(article, slug)
    title = article.find("h1").get_text(" ", strip=True)
    found = Collector()
    opening = article.find_all("p", recursive=False)
    asked = next((bold for one in opening for bold in one.find_all("strong") if _asks(bold)), None)
    question = f'<p class="deck-question">{_inner(asked)}</p>' if asked else ""
    found.slides.append(Slide("title", title, question, [_inner(one) for one in opening], slug))
    goals = article.select_one(".course-head ul")
    if goals:
        found.slides.append(Slide("goals", "At the end you can", str(goals)))
    found.opening(article, title, slug)
    for section in article.find_all("section", recursive=False):
        found.section(section)
    return title, found.slides


def _lead(paragraph: str) -> str:
    """The sentence that leads to a formula; nothing where it is long, or cannot be cut out."""
    sentence = re.split(r"(?<=[.?!])\s+(?=[A-Z])", paragraph.strip())[-1]
    parsed = BeautifulSoup(sentence, "html.parser")
    whole = sentence.count("<") == str(parsed).count("<") and sentence[:1].isupper()
    for again in parsed.select(".katex-html, annotation"):  # a formula is there as MathML
        again.decompose()
    return sentence if whole and len(parsed.get_text()) <= LEAD else ""


def _asks(text: Tag) -> bool:
    return text.get_text().strip().endswith("?")


def _is_shown(tag: Tag) -> bool:
    return bool(tag.css.match(SHOWN))


def _inner(part: Tag) -> str:
    return part.decode_contents()


def _detach(article: Tag, slug: str) -> None:
    """Take ids away, which stay the page's own, and let links lead to the page."""
    for one in article.find_all(True):
        if one.name != "section" and not one.find_parent(["svg", _widget]) and one.name != "svg":
            one.attrs.pop("id", None)
        address = one.attrs.get("href", "")
        if one.name == "a" and not re.match(r"[a-z]+:|\.\./", address):
            page = f"{slug}.html" if address.startswith("#") else ""
            one.attrs["href"] = f"../book/{page}{address}"


def _widget(tag: Tag) -> bool:
    return "course-widget" in (tag.get("class") or [])
