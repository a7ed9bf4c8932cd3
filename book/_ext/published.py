"""Sphinx extension: what a published page says of itself to browsers, search engines and readers.

Every page has a description and the title that a link to it shows. The footer says which version
it is and when it was built; ``{citation}`` prints how to cite it. With the site's address
(``html.baseurl`` in ``_config.yml``) come what cannot be had without one: the picture that a link
shows, a sitemap, a feed of the changelog, and a page for addresses that lead nowhere.
"""

from __future__ import annotations

import html
import re
import time
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from xml.sax.saxutils import escape

import matplotlib.pyplot as plt
import yaml
from docutils import nodes
from markdown_it import MarkdownIt
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util.docutils import SphinxDirective

from book import pages
from book._ext.front import asks
from book._ext.weight import code_block
from book.pages import BOOK, ROOT
from book.translation import digest, word

LONGEST = 200  # letters of a description: search engines show no more
VIEWPORT = re.compile(r'<meta name="viewport"[^>]*>\s*')
VERSION = re.compile(r"^## \[([\d.]+)\] - (\d{4}-\d\d-\d\d)$", re.MULTILINE)
LOST = "404"  # the name that hosts look for
CARD = (1200, 630)  # pixels of a picture that a link shows


def version() -> str:
    """The version that `pyproject.toml` states."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]


def bibtex(cited: dict) -> str:
    """Return `CITATION.cff` as an entry for BibTeX."""
    fields = {
        "title": f"{{{cited['title']}}}",  # in braces of its own: its capitals stay
        "author": " and ".join(_author(author) for author in cited["authors"]),
        "version": cited["version"],
        "year": str(cited["date-released"])[:4] if "date-released" in cited else None,
        "url": None if "/OWNER/" in cited["repository-code"] else cited["repository-code"],
    }
    lines = [f"  {name} = {{{text}}}," for name, text in fields.items() if text]
    return "\n".join(["@software{neural_networks_in_code,", *lines, "}"])


def _author(author: dict) -> str:
    """A person as "Family, Given"; a group's name whole, which braces keep together."""
    if "family-names" in author:
        return f"{author['family-names']}, {author.get('given-names', '')}".rstrip(", ")
    return f"{{{author['name']}}}"


class Citation(SphinxDirective):
    """How to cite the course, from `CITATION.cff`."""

    def run(self) -> list[nodes.Node]:
        path = ROOT / "CITATION.cff"
        self.env.note_dependency(str(path))
        return [code_block(bibtex(yaml.safe_load(path.read_text("utf-8"))), "bibtex")]


def describe(page: str, doctree: nodes.document | None) -> str:
    """One or two sentences on a page: what the front page tells of a chapter, else its opening.

    Of a translated page it is the opening.
    """
    slug = page.removeprefix("book/")
    about = pages.abouts((BOOK / "index.md").read_text("utf-8")).get(slug)
    if about and not digest(slug):
        return _shortened(" ".join(about.removeprefix(": ").replace("$", "").split()))
    for paragraph in doctree.findall(nodes.paragraph) if doctree else ():
        text = " ".join(paragraph.astext().split())
        if len(text) > 40:
            return _shortened(text)
    return ""


def _shortened(text: str) -> str:
    """As many whole sentences as a description holds; of a long first one, as many words."""
    if len(text) <= LONGEST:
        return text
    start = text[: LONGEST - 1]
    end = max(start.rfind(mark) for mark in (". ", "? ", "! "))
    return start[: end + 1] if end > 40 else start.rpartition(" ")[0].rstrip(",;:") + "…"


def head(app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document) -> None:
    """Write what a link to the page shows: its title, its description and a picture."""
    context["metatags"] = VIEWPORT.sub("", context.get("metatags", ""))  # the theme has its own
    if page == LOST:
        return
    title = re.sub(r"<[^>]*>", "", context.get("title", ""))
    about = describe(page, doctree)
    facts = {
        "og:title": html.unescape(title),
        "og:site_name": app.config.html_title,
        "og:type": "website" if page == "book/index" else "article",
        "og:description": about,
        "og:url": context.get("pageurl") or "",
    }
    if address := app.config.html_baseurl:
        source = BOOK / f"{page.removeprefix('book/')}.md"
        question = asks(source.read_text("utf-8")) if source.exists() else ""
        name = _picture(app, page, html.unescape(title), question or about)
        facts |= {
            "og:image": f"{address.rstrip('/')}/{name}",
            "twitter:card": "summary_large_image",
        }
    tags = [("name", "description", about)] if about else []
    tags += [("property", name, text) for name, text in facts.items() if text]
    for kind, name, text in tags:
        context["metatags"] += f'\n<meta {kind}="{name}" content="{html.escape(text)}" />'
    if address:
        kind, link = "application/atom+xml", f"{address.rstrip('/')}/feed.xml"
        context["metatags"] += f'\n<link rel="alternate" type="{kind}" href="{link}" />'


def _picture(app: Sphinx, page: str, title: str, about: str) -> str:
    """Draw what a link to a page shows; return where it lies in the site."""
    name = f"_static/links/{page.replace('/', '-')}.png"
    path = Path(app.outdir, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    with plt.rc_context({"font.family": "DejaVu Sans"}):
        fig = plt.figure(figsize=(CARD[0] / 100, CARD[1] / 100), dpi=100, facecolor="#0f1720")
        fig.text(0.07, 0.80, app.config.html_title, color="#8fb3d9", size=26)
        fig.text(0.07, 0.70, _lines(title, 26), color="white", size=54, weight="bold", va="top")
        fig.text(0.07, 0.10, _lines(about, 62), color="#d6dee8", size=24, va="bottom")
        fig.savefig(path, facecolor=fig.get_facecolor())
        plt.close(fig)
    return name


def _lines(text: str, width: int) -> str:
    """Break a text into lines of at most so many letters; formulas and code stay what they are."""
    lines = [""]
    for part in text.replace("$", r"\$").split():
        if len(lines[-1]) + len(part) >= width and lines[-1]:
            lines.append("")
        lines[-1] += f" {part}" if lines[-1] else part
    return "\n".join(lines)


def lost(app: Sphinx) -> Iterator[tuple[str, dict, str]]:
    """The page for an address that leads nowhere: its links need the site's address."""
    if address := app.config.html_baseurl:
        home = f"{address.rstrip('/')}/"
        title = word("There is no such page")
        moved = word(
            'It may have moved. Begin at the <a href="{home}index.html">front page</a>, or '
            '<a href="{home}search.html">search</a>.',
            home=home,
        )
        base = f'<base href="{home}" />'  # it answers for addresses in any folder
        context = {"title": title, "body": f"<h1>{title}</h1><p>{moved}</p>", "metatags": base}
        yield LOST, context, "page.html"


def list_pages(app: Sphinx, exception: Exception | None) -> None:
    """Write the sitemap and the feed; both need the site's address."""
    address = app.config.html_baseurl
    if exception or not address or app.builder.format != "html":
        return
    home = address.rstrip("/")
    places = [app.builder.get_target_uri(name) for name in sorted(app.env.found_docs)]
    rows = "".join(f"<url><loc>{escape(f'{home}/{place}')}</loc></url>\n" for place in places)
    _write(
        Path(app.outdir, "sitemap.xml"),
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{rows}</urlset>',
    )
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    _write(Path(app.outdir, "feed.xml"), feed(changes, app.config.html_title, home))


def _write(path: Path, text: str) -> None:
    path.write_text(f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n', "utf-8")


def feed(changes: str, title: str, home: str) -> str:
    """The dated versions of a changelog as an Atom feed (RFC 4287), the newest first.

    Args:
        changes: in the form of Keep a Changelog.
        title: of the feed.
        home: address of the site, without a slash at its end.
    """
    found = list(VERSION.finditer(changes))
    ends = [match.start() for match in found[1:]] + [len(changes)]
    entries = ""
    for match, end in zip(found, ends, strict=False):  # without a version there is one end alone
        text = escape(MarkdownIt("commonmark", {"html": False}).render(changes[match.end() : end]))
        entries += (
            f"<entry><id>{home}/#{match[1]}</id><title>Version {match[1]}</title>"
            f'<updated>{match[2]}T00:00:00Z</updated><link href="{home}/index.html" />'
            f'<content type="html">{text}</content></entry>\n'
        )
    last = found[0][2] if found else "1970-01-01"
    return (
        f'<feed xmlns="http://www.w3.org/2005/Atom"><id>{home}/</id><title>{escape(title)}</title>'
        f"<updated>{last}T00:00:00Z</updated><author><name>{escape(title)}</name></author>"
        f'<link rel="self" href="{home}/feed.xml" />\n{entries}</feed>'
    )


def footer(app: Sphinx, config: Config) -> None:
    """Say at the end of each page which version it is of, and when it was built."""
    built = datetime.fromtimestamp(time.time(), tz=UTC).strftime("%Y-%m-%d")
    text = word("Version {version}, built on {day}.", version=version(), day=built)
    config.html_theme_options["extra_footer"] = f"<p>{text}</p>"


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("citation", Citation)
    app.connect("config-inited", footer)
    app.connect("html-page-context", head, priority=900)
    app.connect("html-collect-pages", lost)
    app.connect("build-finished", list_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
