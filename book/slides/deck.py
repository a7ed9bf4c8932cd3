"""Slides of a chapter, collected from its page in the order of the page."""

from __future__ import annotations

import re
from copy import copy
from dataclasses import dataclass, field

from bs4 import BeautifulSoup, Tag

from book.slides.listing import LINES, height, listings
from book.slides.sentences import lead, letters, opening

ITEMS = 4  # of a summary on one slide
HIGH = 548  # pixels below a heading of one line
LINE = 31  # pixels of a line of code
HEADING = 52  # letters of one line
ROW = "\\\\"  # where a formula begins a line
TOWERS = re.compile(r"frac|sum|prod|int|matrix|cases|brace|lim")  # what makes a formula tall
FORMULAS = 3  # of a run of formulas that share a slide
TALL = 1.55  # width of a figure whose height is 1, at most, for a caption at its side
ASKED = 420  # letters of the statements of exercises on a slide
SAID = 320  # letters of a result in words
EXERCISES = 4  # on one slide
ROWS = 10  # of a table on one slide
SKIPPED = ".tag_no-slide, .course-exercises, script, style"
CHROME = {"headerlink", "course-fold", "copybtn", "course-asked", "course-more"}


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
        continues: whether the slide before it has the same heading.
    """

    kind: str
    heading: str
    body: str
    notes: list[str] = field(default_factory=list)
    anchor: str = ""
    continues: bool = False


@dataclass
class Exercise:
    """An exercise of the page.

    Attributes:
        name: its title and its id, as HTML.
        asked: the first paragraph of its statement.
        code: listings of its solution.
        central: whether the chapter's ideas need it: a main exercise, or a module.
        notes: its statement.
    """

    name: str
    asked: str
    code: list[str]
    central: bool
    notes: list[str]


class Collector:
    """Walks through a page and collects its slides; prose waits for the slide that it explains.

    Args:
        exercised: whether the page has exercises, whose solutions are its code.
    """

    def __init__(self, *, exercised: bool = True) -> None:
        self.slides: list[Slide] = []
        self._waiting: list[str] = []
        self._heading, self._anchor = "", ""
        self._exercises: list[Exercise] = []
        self._styled = False
        self._exercised = exercised

    def add(self, kind: str, body: str) -> None:
        """Begin a slide, with the prose since the last one as its notes."""
        notes, self._waiting = self._waiting, []
        again = bool(self.slides) and self.slides[-1].heading == self._heading
        self.slides.append(Slide(kind, self._heading, body, notes, self._anchor, again))

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
        """Show the exercises that are left; the prose that is left goes to the last slide."""
        self._show_exercises()
        if self._waiting and self.slides and self.slides[-1].anchor == self._anchor:
            self.slides[-1].notes += self._waiting
        self._waiting = []

    def _part(self, part: Tag) -> None:
        classes = part.get("class") or []
        if "exercise" in classes:
            self._exercises.append(_exercise(part))
            return
        self._show_exercises()
        if "math" in classes:
            self._formula(part)
        elif "course-ask" in classes:
            self.add("question", _inner(part))
        elif "cell" in classes:
            self._cell(part)
        elif part.name == "table" or part.find("table"):
            self.add("table", str(part))
        elif part.name in ("ul", "ol") and self._anchor == "summary":
            self._summary(part)
        elif part.name in ("p", "ul", "ol", "div") and (text := _inner(part).strip()):
            self._waiting.append(text)

    def _summary(self, part: Tag) -> None:
        """A list, under what announces it: of common mistakes, or of what to remember."""
        before = self.slides[-1] if self.slides else None
        announced = part.find_previous_sibling()
        bold = announced.find("strong") if announced and announced.name == "p" else None
        if bold and before and before.kind == "summary":
            self._heading = _inner(bold).rstrip(".:")
        items = part.find_all("li", recursive=False)
        slides = -(-len(items) // ITEMS)
        many = -(-len(items) // slides)  # of six three and three, not four and two
        for first in range(0, len(items), many):
            self.add("summary", f"<ul>{''.join(map(str, items[first : first + many]))}</ul>")

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
            last.body.count('<div class="math') >= FORMULAS or 'class="highlight' in last.body
        )
        said = lead(self._waiting[-1]) if self._waiting else ""
        shown = f'<p class="deck-lead">{said}</p>{part}' if said else str(part)
        if last and near and not full and _taken(last.heading, last.body + shown) <= HIGH:
            self._join(last, shown)
        else:
            self.add("formula", shown)

    def _cell(self, cell: Tag) -> None:
        """Collect a cell's output: a solution's code, an explorer, figures, tables, a sentence."""
        output = cell.select_one(".cell_output")
        if output is None:
            self._defined(cell)
            return
        kind = "result" if "course-answer" in (output.get("class") or []) else ""
        folds = _solutions(output)
        for fold in folds:
            for listing in _listings(fold):
                self._code(listing)
        shown = [one for one in output.find_all(_is_shown) if not one.find_parent(_is_shown)]
        for one in shown:
            if "course-widget" in (one.get("class") or []):
                self.add(kind or "widget", self._alive(one))
            else:
                for part in _shares(one):
                    self.add(kind or ("table" if one.name == "table" else "figure"), _drawn(part))
        texts = [_inner(one) for one in output.find_all("p") if not one.find_parent(_is_shown)]
        prose = [text for text in texts if text.strip() and "course-source" not in text]
        if kind and not shown and prose:
            self.add(kind, f"<p>{opening(' '.join(prose), SAID)}</p>")
            self.slides[-1].notes += prose
        elif not folds:
            self._waiting += prose

    def _defined(self, cell: Tag) -> None:
        """A function that a page without exercises defines for everybody to read."""
        block = None if self._exercised else cell.select_one(".cell_input pre")
        if block and block.get_text().startswith(("def ", "class ")):
            for listing in listings(_inner(block)):
                self._code(listing)

    def _alive(self, widget: Tag) -> str:
        """An explorer; with the first of a deck the styles and scripts that its page has once."""
        page = next(reversed([*widget.parents]))
        shared = [] if self._styled else page.select("[data-shared]")
        self._styled = True
        styles, scripts = (
            [one for one in shared if one.name == tag] for tag in ("style", "script")
        )
        return "".join(map(str, [*styles, widget, *scripts]))

    def _code(self, listing: str, name: str = "") -> None:
        """A listing below the name of its exercise; on the last slide if both can be read there."""
        last = self.slides[-1]
        kind = last.kind if last.anchor == self._anchor else ""
        beside = kind == "code" and height(last.body) + height(listing) + 2 <= LINES
        if beside or (kind == "formula" and _fits(last, [listing])):
            self._join(last, name + listing)
        else:
            self.add("code", name + listing)

    def _show_exercises(self) -> None:
        """Name the exercises since the last slide, and show the code that solves them."""
        found, self._exercises = self._exercises, []
        last = self.slides[-1] if self.slides else None
        formula = last and last.kind == "formula" and last.anchor == self._anchor
        if last and formula and len(found) == 1:
            one = found[0]
            if _fits(last, one.code):
                self._join(last, one.name + one.code[0])
                found = []
            elif not (one.central and one.code):
                self._join(last, one.name)
                found = []
        plain = [one for one in found if not (one.central and one.code)]
        if len(plain) == 1 and len(plain[0].code) == 1:  # more than its name alone
            plain[0].central, plain = True, []
        for first in range(0, len(plain), EXERCISES):
            part = plain[first : first + EXERCISES]
            room = ASKED // len(part)
            asked = (f"{one.name}<p>{opening(one.asked, room)}</p>" for one in part)
            self.add("exercise", "".join(asked))
            self.slides[-1].notes += [note for one in part for note in one.notes]
        for one in found:
            for listing in one.code if one.central else []:
                self._code(listing, one.name)


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
    for part in article.find_all(lambda tag: not CHROME.isdisjoint(tag.get("class") or ())):
        part.decompose()
    _detach(article, slug)
    title = _first(article, "h1").get_text(" ", strip=True)
    found = Collector(exercised=bool(article.select_one(".exercise")))
    opening = article.find_all("p", recursive=False)
    asked = next((bold for one in opening for bold in one.find_all("strong") if _asks(bold)), None)
    text = _inner(asked) if asked else ""
    question = f'<p class="deck-question">{text[:1].upper()}{text[1:]}</p>' if asked else ""
    found.slides.append(Slide("title", title, question, [_inner(one) for one in opening], slug))
    goals = article.select_one(".course-head ul")
    if goals:
        found.slides.append(Slide("goals", "At the end you can", str(goals)))
    found.opening(article, title, slug)
    for section in article.find_all("section", recursive=False):
        found.section(section)
    return title, found.slides


def _shares(shown: Tag) -> list[Tag]:
    """A table of many rows as several, each with its head and caption; all else as it is."""
    count = len(shown.select("tbody tr")) if shown.name == "table" else 0
    if count <= ROWS:
        return [shown]
    many = -(-count // -(-count // ROWS))  # of 16 eight and eight
    shares = []
    for first in range(0, count, many):
        share = copy(shown)
        for place, row in enumerate(share.select("tbody tr")):
            if not first <= place < first + many:
                row.decompose()
        shares.append(share)
    return shares


def _drawn(shown: Tag) -> str:
    """A figure or a table; what is rather tall gets its caption at its side."""
    drawing = shown.select_one(".course-figure > svg")
    box = str(drawing.get("viewbox", "")).split() if drawing else []  # lower case: the parser's
    if box and float(box[2]) < TALL * float(box[3]) and shown.select_one("figcaption"):
        shown["class"] = " ".join([*(shown.get("class") or ()), "deck-tall"])
    return str(shown)


def _exercise(card: Tag) -> Exercise:
    """An exercise of the page, from its card."""
    title = _first(card, ".admonition-title").get_text(" ", strip=True)
    points = _first(card, ".course-points")
    name = _first(points, "code").get_text(strip=True)
    stated = [_inner(one) for one in card.select("section > p:not(.course-refused)")]
    folds = _solutions(card)
    solved = [code for fold in folds for code in _listings(fold)]
    module = any("nn.Module)" in fold.get_text() for fold in folds)
    central = module or "main exercise" in points.get_text()
    return Exercise(
        f'<p class="deck-exercise"><strong>{title}</strong> <code>{name}</code></p>',
        stated[0] if stated else "",
        solved,
        central,
        stated,
    )


def _solutions(part: Tag) -> list[Tag]:
    """Folded code of the module, which names its file."""
    return [fold for fold in part.find_all("details") if fold.find(class_="course-source")]


def _listings(fold: Tag) -> list[str]:
    """Listings of a solution."""
    block = fold.find("pre")
    return listings(_inner(block)) if block else []


def _fits(slide: Slide, code: list[str]) -> bool:
    """Whether code can be read below the formulas of a slide."""
    if len(code) != 1 or 'class="highlight' in slide.body:
        return False
    return _taken(slide.heading, slide.body) + LINE * height(code[0]) <= HIGH


def _taken(heading: str, formulas: str) -> int:
    """About how high formulas are with what leads to them, in pixels."""
    shown = BeautifulSoup(formulas, "html.parser")
    taken = 46 * (letters(heading) > HEADING) + 100  # and the exercise's name
    for said in shown.select(".deck-lead"):
        taken += 16 + 39 * -(-letters(str(said)) // 70)
    for formula in shown.select("div.math"):
        written = formula.get_text()
        taken += 16 + (1 + written.count(ROW)) * (105 if TOWERS.search(written) else 62)
    return taken


def _asks(text: Tag) -> bool:
    return text.get_text().strip().endswith("?")


def _is_shown(tag: Tag) -> bool:
    return tag.name in ("figure", "table") or _widget(tag)


def _inner(part: Tag) -> str:
    return part.decode_contents()


def _first(part: Tag, wanted: str) -> Tag:
    """The first element of a part that a selector finds.

    Raises:
        ValueError: there is none.
    """
    found = part.select_one(wanted)
    if found is None:
        raise ValueError(f"{part.name} has no {wanted}")
    return found


def _detach(article: Tag, slug: str) -> None:
    """Take ids away, which stay the page's own, and let links lead to the page."""
    for one in article.find_all(True):
        kept = one.name in ("section", "svg") or "id" not in one.attrs
        if not kept and not one.find_parent(["svg", _widget]):
            del one.attrs["id"]
        address = str(one.attrs.get("href", ""))
        one.attrs.pop("title", None)
        if one.name == "a" and not re.match(r"[a-z]+:|\.\./", address):
            page = f"{slug}.html" if address.startswith("#") else ""
            one.attrs["href"] = f"../book/{page}{address}"


def _widget(tag: Tag) -> bool:
    return "course-widget" in (tag.get("class") or [])
