"""The book on paper: every page of the site as a tagged PDF, and all of them as one.

Chromium prints each page once, with the number that its first sheet has in the book. Joining keeps
what makes a PDF readable for machines: the tree of tags, the places that links lead to, the
outline. A link to another chapter leads there, in the book as between the files.
"""

from __future__ import annotations

import html
import io
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pikepdf
from pikepdf import Array, Dictionary, Name, OutlineItem, Pdf

from book._ext.published import version
from book.printed.site import HERE, Page, Prepared, prepare, settings
from book.translation import language, word
from grader.instruct.browser import Browser

NAME = "neural-networks-in-code"
FRONT = "contents"


@dataclass(frozen=True)
class Sheets:
    """A printed page of the site.

    Args:
        page: of the site.
        about: its title and sections.
        first: number of its first sheet in the book.
        data: the PDF.
    """

    page: Page
    about: Prepared
    first: int
    data: bytes


def write(browser: Browser, site: Path, folder: Path, pages: list[Page]) -> list[Path]:
    """Print pages of a site; return the files, the whole book first.

    Args:
        browser: that prints.
        site: folder of the finished site.
        folder: for the files, one per page and the book.
        pages: in the order of the book.
    """
    folder.mkdir(parents=True, exist_ok=True)
    done: list[Sheets] = []
    first = 1
    for page in pages:
        about = prepare(browser, site, page, "pdf", among=pages, first=first)
        done.append(Sheets(page, about, first, browser.print()))
        first += _count(done[-1].data)
    front = _print_front(browser, site, done)
    paths = [folder / f"{NAME}.pdf"]
    with join(front, done) as book:
        _save(book, paths[0], settings()["title"])
    for sheets in done:
        paths.append(folder / f"{sheets.page.slug}.pdf")
        with Pdf.open(io.BytesIO(sheets.data)) as alone:
            _name_headings(alone, sheets.about.headings)
            _lead_to_files(alone, [one.page.slug for one in done])
            _save(alone, paths[-1], f"{sheets.about.title}, {settings()['title']}")
    return paths


def _count(data: bytes) -> int:
    with Pdf.open(io.BytesIO(data)) as pdf:
        return len(pdf.pages)


def _save(pdf: Pdf, path: Path, title: str) -> None:
    with pdf.open_metadata() as metadata:
        metadata["dc:title"] = title
        metadata["dc:language"] = [language()]
        metadata["dc:creator"] = [settings()["author"]]
    pdf.Root.Lang = pikepdf.String(language())
    pdf.Root.PageMode = Name.UseOutlines
    pdf.Root.ViewerPreferences = Dictionary(DisplayDocTitle=True)
    pdf.Root.MarkInfo = Dictionary(Marked=True)
    pdf.save(path, object_stream_mode=pikepdf.ObjectStreamMode.generate)


# The title and the contents


def _print_front(browser: Browser, site: Path, done: list[Sheets]) -> bytes:
    path = site / "book" / f"{FRONT}.html"  # beside the pages, for links to them
    path.write_text(_front(done), "utf-8")
    try:
        browser.open(path)
        return browser.print()
    finally:
        path.unlink()


def _front(done: list[Sheets]) -> str:
    """The title and the contents as a page, with the numbers of the sheets."""
    known = settings()
    built = datetime.fromtimestamp(time.time(), tz=UTC).strftime("%Y-%m-%d")
    items, part = "", ""
    for sheets in done:
        if sheets.page.part != part:
            items += f"{'</ol></li>' if part else ''}<li>{html.escape(sheets.page.part)}<ol>"
            part = sheets.page.part
        places = _places(sheets)
        inner = "".join(
            f"<li>{_entry(f'{sheets.page.slug}.html#{name}', title, places[name])}</li>"
            for name, title in sheets.about.sections.items()
            if name in places and "chapter" in _kind(sheets)
        )
        line = _entry(f"{sheets.page.slug}.html", sheets.about.title, sheets.first)
        items += f"<li>{line}<ol>{inner}</ol></li>" if inner else f"<li>{line}</li>"
    items += "</ol></li>" if part else ""
    where = f': <a href="{known["address"]}">{known["address"]}</a>' * bool(known["address"])
    lead = word("Learn how neural networks work by building them in PyTorch.")
    printed = word(
        "Version {version}, printed from the website on {day}.", version=version(), day=built
    )
    licenses = word("Text and figures are under CC BY 4.0, code is under the MIT License.")
    online = word(
        "Interactive figures, the code that draws the figures, and the API reference are on the "
        "website{where}.",
        where=where,
    )
    style = (HERE / "print.css").read_text("utf-8")
    roman = "@page { @bottom-right { content: counter(page, lower-roman); } }"
    return f"""<!DOCTYPE html>
<html lang="{language()}" data-theme="light"><head><meta charset="utf-8">
<title>{known["title"]}</title>
<link rel="stylesheet" href="../_static/book.css"><style>{style}{roman}</style></head>
<body><main class="bd-main bd-content"><article class="bd-article course-front">
<h1>{known["title"]}</h1>
<p class="course-lead">{lead}</p>
<p class="course-imprint">{printed}<br>
{licenses}<br>
{online}</p>
<nav><h2>{word("Contents")}</h2><ol>{items}</ol></nav></article></main></body></html>"""


def _kind(sheets: Sheets) -> str:
    return "chapter" if sheets.about.title[:1].isdigit() else "page"


def _entry(href: str, title: str, number: int) -> str:
    return f'<a href="{href}"><span>{html.escape(title)}</span><span>{number}</span></a>'


def _places(sheets: Sheets) -> dict[str, int]:
    """The number of the sheet on which each named place stands."""
    with Pdf.open(io.BytesIO(sheets.data)) as pdf:
        numbers = {page.obj.objgen: sheets.first + k for k, page in enumerate(pdf.pages)}
        return {name: numbers[to[0].objgen] for name, to in _named(pdf).items()}


def _named(pdf: Pdf) -> dict[str, Array]:
    return {name[1:]: to for name, to in pdf.Root.get("/Dests", Dictionary()).items()}


# Joining


def join(front: bytes, done: list[Sheets]) -> Pdf:
    """One PDF of the front and of printed pages: tags, places, links and outline of all of them."""
    book = Pdf.new()
    tags = Tags(book)
    places = Dictionary()
    items: list[OutlineItem] = []
    parts = [(sheets.page.slug, sheets.data, sheets.about.headings) for sheets in done]
    for name, data, headings in [(FRONT, front, []), *parts]:
        with Pdf.open(io.BytesIO(data)) as pdf:
            start = len(book.pages)
            tags.rename(pdf, name)
            for page in pdf.pages:
                book.pages.append(page)
            tags.add(pdf)
            at = {page.obj.objgen: start + k for k, page in enumerate(pdf.pages)}
            places[f"/{name}"] = Array([book.pages[start].obj, Name.Fit])
            for place, to in _named(pdf).items():
                places[f"/{name}#{place}"] = _moved(book, at, to)
            with pdf.open_outline() as outline:
                titles = _squeezed(headings)
                found = [_item(book, at, item, titles) for item in outline.root]
            if name == FRONT:
                found = found[0].children
                length = len(book.pages)
            items += found
    book.Root.Dests = book.make_indirect(places)
    tags.finish()
    _lead_inside(book)
    _outline(book, items, done)
    roman, arabic = Dictionary(S=Name.r), Dictionary(S=Name.D)
    book.Root.PageLabels = Dictionary(Nums=Array([0, roman, length, arabic]))
    return book


def _moved(book: Pdf, at: dict, to: Array) -> Array:
    """A place in the book that was one in a part of it."""
    return Array([book.pages[at[to[0].objgen]].obj, *list(to)[1:]])


def _squeezed(headings: list[str]) -> dict[str, str]:
    """Headings by their letters: where a heading breaks, the printer's outline lacks a space."""
    return {"".join(heading.split()): heading for heading in headings}


def _name_headings(pdf: Pdf, headings: list[str]) -> None:
    """Give a chapter's own outline the headings as they are on the page."""
    titles = _squeezed(headings)
    with pdf.open_outline() as outline:
        todo = list(outline.root)
        while todo:
            item = todo.pop()
            item.title = titles.get("".join(item.title.split()), item.title)
            todo.extend(item.children)


def _item(book: Pdf, at: dict, item: OutlineItem, titles: dict[str, str]) -> OutlineItem:
    title = titles.get("".join(item.title.split()), item.title)
    made = OutlineItem(title, _moved(book, at, item.destination))
    made.children.extend(_item(book, at, child, titles) for child in item.children)
    made.is_closed = True
    return made


def _outline(book: Pdf, items: list[OutlineItem], done: list[Sheets]) -> None:
    """Chapters below the captions of their parts."""
    chapters, others = items[-len(done) :], items[: -len(done)]
    with book.open_outline() as outline:
        outline.root.extend(others)
        for item, sheets in zip(chapters, done, strict=True):
            if not sheets.page.part:
                outline.root.append(item)
                continue
            if outline.root[-1].title != sheets.page.part:
                outline.root.append(OutlineItem(sheets.page.part, item.destination))
            outline.root[-1].children.append(item)


class Tags:
    """The trees of tags of several files, as one of the book."""

    def __init__(self, book: Pdf) -> None:
        self.book = book
        self.parents: list[object] = []  # key, value, key, value, ...
        self.parts: list[pikepdf.Object] = []
        self.ids: dict[str, pikepdf.Object] = {}
        self.next = 0

    def rename(self, pdf: Pdf, name: str) -> None:
        """Make numbers, ids and places of a file ones that no other file has."""
        for page in pdf.pages:
            if "/StructParents" in page.obj:
                page.obj.StructParents += self.next
            for note in page.obj.get("/Annots", []):
                if "/StructParent" in note:
                    note.StructParent += self.next
                if isinstance(note.get("/Dest"), Name):
                    note.Dest = Name(f"/{name}#{str(note.Dest)[1:]}")
        todo = [pdf.Root.StructTreeRoot.K]
        while todo:
            tag = todo.pop()
            if isinstance(tag, Array):
                todo.extend(tag)
            elif isinstance(tag, Dictionary) and "/S" in tag:
                if "/ID" in tag:
                    tag.ID = pikepdf.String(f"{name} {tag.ID}")
                for more in _list(tag.get("/A")):
                    if "/Headers" in more:
                        more.Headers = Array([f"{name} {one}" for one in more.Headers])
                if "/K" in tag:
                    todo.append(tag.K)

    def add(self, pdf: Pdf) -> None:
        """Take over a file's tree; its pages are in the book by then."""
        root = self.book.copy_foreign(pdf.Root.StructTreeRoot)
        numbers = list(root.ParentTree.Nums)
        for key, value in zip(numbers[::2], numbers[1::2], strict=True):
            self.parents += [int(key) + self.next, value]
        self.next += int(root.ParentTreeNextKey)
        self.parts += _list(root.K)
        self.ids |= dict(_names(root.get("/IDTree")))

    def finish(self) -> None:
        """Put the book's own tree together."""
        tree = self.book.make_indirect(Dictionary(Type=Name.StructTreeRoot))
        top = self.book.make_indirect(
            Dictionary(Type=Name.StructElem, S=Name.Document, P=tree, K=Array(self.parts))
        )
        for part in self.parts:
            part.S, part.P = Name.Part, top
        tree.K = top
        tree.ParentTree = self.book.make_indirect(Dictionary(Nums=Array(self.parents)))
        tree.ParentTreeNextKey = self.next
        names = [end for name in sorted(self.ids) for end in (name, self.ids[name])]
        if names:
            limits = Array([names[0], names[-2]])
            leaf = self.book.make_indirect(Dictionary(Limits=limits, Names=Array(names)))
            tree.IDTree = self.book.make_indirect(Dictionary(Kids=Array([leaf])))
        self.book.Root.StructTreeRoot = tree


def _list(found: pikepdf.Object | None) -> list[pikepdf.Object]:
    if found is None:
        return []
    return list(found) if isinstance(found, Array) else [found]


def _names(tree: pikepdf.Object | None) -> list[tuple[str, pikepdf.Object]]:
    """The entries of a tree of names, whose ids are those of the tags themselves."""
    if tree is None:
        return []
    entries = list(tree.get("/Names", []))
    found = [(str(tag.ID), tag) for tag in entries[1::2]]
    return found + [one for kid in tree.get("/Kids", []) for one in _names(kid)]


# Links


def _target(note: pikepdf.Object) -> tuple[str, str] | None:
    """The page of the site and the place on it that a link leads to; None of one to elsewhere."""
    action = note.get("/A")
    parts = urlsplit(str(action.URI)) if action is not None and "/URI" in action else None
    if parts is None or parts.scheme != "file":
        return None
    return Path(unquote(parts.path)).stem, unquote(parts.fragment)


def _links(pdf: Pdf) -> list[pikepdf.Object]:
    return [
        note
        for page in pdf.pages
        for note in page.obj.get("/Annots", [])
        if note.get("/Subtype") == Name.Link
    ]


def _lead_inside(book: Pdf) -> None:
    """Links from page to page of the site become links inside of the book."""
    places = book.Root.Dests
    for note in _links(book):
        if target := _target(note):
            slug, place = target
            name = f"/{slug}#{place}" if f"/{slug}#{place}" in places else f"/{slug}"
            note.Dest = Name(name)
            del note.A


def _lead_to_files(pdf: Pdf, slugs: list[str]) -> None:
    """Links from page to page of the site lead to the files beside this one."""
    for note in _links(pdf):
        target = _target(note)
        if target and target[0] in slugs:
            slug, place = target
            to = Name(f"/{place}") if place else Array([0, Name.Fit])
            file = pikepdf.String(f"{slug}.pdf")
            note.A = Dictionary(Type=Name.Action, S=Name.GoToR, F=file, D=to)
