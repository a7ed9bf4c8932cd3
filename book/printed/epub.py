"""The book for e-readers: every page of the site in one EPUB 3, with MathML and inline SVG."""

from __future__ import annotations

import html
import json
import time
import uuid
import zipfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from book._ext.published import version
from book.printed.site import HERE, Page, Prepared, prepare, settings
from book.translation import language, word
from grader.instruct.browser import Browser

NAME = "neural-networks-in-code.epub"
WIDTH = 760  # pixels of the window in which widgets are pictured
XHTML = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"
 lang="{language}" xml:lang="{language}"><head><title>{title}</title>
<link rel="stylesheet" href="style.css" type="text/css"/></head>{body}</html>
"""
CONTAINER = """<?xml version="1.0" encoding="utf-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="book/content.opf" media-type="application/oebps-package+xml"/>
</rootfiles></container>
"""


@dataclass(frozen=True)
class Chapter:
    """A page of the site as e-readers get it.

    Args:
        page: of the site.
        about: its title and sections.
        text: XHTML.
        pictures: of its widgets, by their names.
    """

    page: Page
    about: Prepared
    text: str
    pictures: dict[str, bytes]


def write(browser: Browser, site: Path, folder: Path, pages: list[Page]) -> list[Path]:
    """Write pages of a site as one EPUB; return its path in a list.

    Args:
        browser: that renders the pages.
        site: folder of the finished site.
        folder: for the file.
        pages: in the order of the book.
    """
    folder.mkdir(parents=True, exist_ok=True)
    screen = {"width": WIDTH, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
    browser.call("Emulation.setDeviceMetricsOverride", **screen)
    chapters = [_chapter(browser, site, page, pages) for page in pages]
    path = folder / NAME
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)  # the first one
        archive.writestr("META-INF/container.xml", CONTAINER)
        for name, content in _files(chapters).items():
            archive.writestr(f"book/{name}", content)
    return [path]


def _chapter(browser: Browser, site: Path, page: Page, pages: list[Page]) -> Chapter:
    about = prepare(browser, site, page, "epub", among=pages)
    boxes = browser.evaluate(
        "[...document.querySelectorAll('.bd-article .course-widget')].map((widget) => {"
        " const { x, y, width, height } = widget.getBoundingClientRect();"
        " const told = widget.querySelector('caption, [role=img][aria-label]');"
        " const alt = widget.ariaLabel || told?.ariaLabel || told?.textContent || '';"
        " return { x: x + scrollX, y: y + scrollY, width, height, alt: alt.trim() }; })"
    )
    pictures, known = {}, []
    for number, box in enumerate(boxes, start=1):
        alt = box.pop("alt") or "A figure that is interactive on the website."
        name = f"{page.slug}-{number}.png"
        pictures[name] = browser.picture(**box)
        known.append({"name": name, "alt": alt, "width": round(box["width"])})
    script = (HERE / "serialize.js").read_text("utf-8")
    body = browser.evaluate(f"{script}({json.dumps(known)})")
    return Chapter(page, about, _xhtml(html.escape(about.title), body), pictures)


def _files(chapters: list[Chapter]) -> dict[str, str | bytes]:
    """Files in the package's folder, by name."""
    files: dict[str, str | bytes] = {
        "content.opf": _package(chapters),
        "nav.xhtml": _contents(chapters),
        "title.xhtml": _title(),
        "style.css": (HERE / "epub.css").read_text("utf-8"),
    }
    for chapter in chapters:
        files[f"{chapter.page.slug}.xhtml"] = chapter.text
        files |= {f"images/{name}": data for name, data in chapter.pictures.items()}
    return files


def _xhtml(title: str, body: str) -> str:
    return XHTML.format(language=language(), title=title, body=body)


def _title() -> str:
    known = settings()
    where = f': <a href="{known["address"]}">{known["address"]}</a>' * bool(known["address"])
    licenses = word("Text and figures are under CC BY 4.0, code is under the MIT License.")
    online = word(
        "Interactive figures, the code that draws the figures, and the API reference are on the "
        "website{where}.",
        where=where,
    )
    body = (
        f"<body><h1>{html.escape(known['title'])}</h1>"
        f"<p>{word('Learn how neural networks work by building them in PyTorch.')}</p>"
        f"<p>{word('Version {version}.', version=version())} {licenses} {online}</p></body>"
    )
    return _xhtml(html.escape(known["title"]), body)


def _contents(chapters: list[Chapter]) -> str:
    """The table of contents: parts, chapters, and the sections of those that have numbers."""
    items, part = "", ""
    for chapter in chapters:
        if chapter.page.part != part:
            items += "</ol></li>" * bool(part)
            items += f"<li><span>{html.escape(chapter.page.part)}</span><ol>"
            part = chapter.page.part
        file, title = f"{chapter.page.slug}.xhtml", chapter.about.title
        inner = "".join(
            f'<li><a href="{file}#{name}">{html.escape(section)}</a></li>'
            for name, section in chapter.about.sections.items()
            if title[:1].isdigit()
        )
        inner = f"<ol>{inner}</ol>" * bool(inner)
        items += f'<li><a href="{file}">{html.escape(title)}</a>{inner}</li>'
    items += "</ol></li>" * bool(part)
    name = word("Contents")
    body = f'<body><nav epub:type="toc" id="toc"><h1>{name}</h1><ol>{items}</ol></nav></body>'
    return _xhtml(name, body)


def _package(chapters: list[Chapter]) -> str:
    known = settings()
    now = datetime.fromtimestamp(time.time(), tz=UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    name = uuid.uuid5(uuid.NAMESPACE_URL, f"{known['title']} {version()}")
    items = [
        '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>',
        '<item id="title" href="title.xhtml" media-type="application/xhtml+xml"/>',
        '<item id="style" href="style.css" media-type="text/css"/>',
    ]
    for chapter in chapters:
        has = [
            name for name, mark in (("mathml", "<math"), ("svg", "<svg")) if mark in chapter.text
        ]
        more = f' properties="{" ".join(has)}"' * bool(has)
        file = f'href="{chapter.page.slug}.xhtml" media-type="application/xhtml+xml"'
        items.append(f'<item id="page-{chapter.page.slug}" {file}{more}/>')
        for picture in chapter.pictures:
            file = f'href="images/{picture}" media-type="image/png"'
            items.append(f'<item id="picture-{picture.removesuffix(".png")}" {file}/>')
    order = ["title", "nav", *(f"page-{chapter.page.slug}" for chapter in chapters)]
    spine = "".join(f'<itemref idref="{name}"/>' for name in order)
    facts = {
        "accessMode": ("textual", "visual"),
        "accessModeSufficient": ("textual,visual",),
        "accessibilityFeature": ("tableOfContents", "MathML", "alternativeText"),
        "accessibilityHazard": ("none",),
    }
    told = "".join(
        f'<meta property="schema:{fact}">{value}</meta>'
        for fact, values in facts.items()
        for value in values
    )
    return f"""<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id"
 xml:lang="{language()}">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">urn:uuid:{name}</dc:identifier>
<dc:title>{html.escape(known["title"])}</dc:title>
<dc:creator>{html.escape(known["author"])}</dc:creator>
<dc:language>{language()}</dc:language>
<dc:rights>Text and figures: CC BY 4.0; code: MIT License</dc:rights>
<meta property="dcterms:modified">{now}</meta>{told}
</metadata>
<manifest>{"".join(items)}</manifest>
<spine>{spine}</spine>
</package>
"""
