"""Descriptions of a page for those that link to it, list it or cite it."""

import re
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
import yaml
from docutils import nodes

from book import pages
from book._ext import published
from book.pages import BOOK, ROOT

ATOM = "{http://www.w3.org/2005/Atom}"
HOME = "https://example.org/course"
CHANGES = """# Changelog

## [Unreleased]

- not out yet

## [1.1.0] - 2026-03-04

- a *second* <version>

## [1.0.0] - 2026-01-02

- the first
"""


@pytest.fixture
def app(tmp_path):
    config = SimpleNamespace(html_title="The Course", html_baseurl="")
    builder = SimpleNamespace(format="html", get_target_uri=lambda name: f"{name}.html")
    env = SimpleNamespace(found_docs={"book/linear", "book/index"})
    return SimpleNamespace(config=config, builder=builder, env=env, outdir=tmp_path)


def paragraphs(*texts):
    return nodes.section("", *(nodes.paragraph("", text) for text in texts))


def metatags(app, page, doctree=None, **context):
    context = {
        "title": "A &amp; <em>B</em>",
        "metatags": '<meta name="viewport" content="x" />',
    } | context
    published.head(app, page, "page.html", context, doctree)
    return context["metatags"]


@pytest.mark.parametrize("page", pages.chapters(), ids=lambda page: page.stem)
def test_a_chapter_is_described_by_the_words_of_the_front_page(page):
    about = published.describe(f"book/{page.stem}", None)
    assert 40 < len(about) <= published.LONGEST
    front = " ".join((BOOK / "index.md").read_text().replace("$", "").split())
    assert about.removesuffix("…") in front


def test_another_page_is_described_by_its_opening():
    assert (
        published.describe("book/guide", paragraphs("Short.", "word " * 20))
        == ("word " * 20).strip()
    )
    assert published.describe("book/guide", paragraphs("Short.")) == ""
    assert published.describe("genindex", None) == ""


def test_a_description_ends_with_a_sentence_or_a_word():
    assert published._shortened("One two. " * 40).endswith("One two.")
    cut = published._shortened("word, " * 60)
    assert cut.endswith("word…")
    assert len(cut) <= published.LONGEST


def test_a_page_says_what_a_link_to_it_shows_without_an_address(app):
    tags = metatags(app, "book/linear")
    assert "viewport" not in tags
    assert '<meta property="og:title" content="A &amp; B" />' in tags
    assert '<meta name="description" content="Linear, logistic' in tags
    assert "og:image" not in tags
    assert "og:url" not in tags
    assert "atom" not in tags
    assert not list(app.outdir.iterdir())


def test_with_an_address_come_a_picture_and_the_feed(app):
    app.config.html_baseurl = f"{HOME}/"
    tags = metatags(app, "book/linear", pageurl=f"{HOME}/book/linear.html")
    (image,) = re.findall('og:image" content="(.*?)"', tags)
    picture = app.outdir / image.removeprefix(f"{HOME}/")
    assert picture.read_bytes()[16:24] == b"".join(n.to_bytes(4, "big") for n in published.CARD)
    assert f'og:url" content="{HOME}/book/linear.html"' in tags
    assert f'type="application/atom+xml" href="{HOME}/feed.xml"' in tags


def test_the_sitemap_and_the_feed_need_an_address(app):
    published.list_pages(app, None)
    assert not list(app.outdir.iterdir())
    assert not list(published.lost(app))
    app.config.html_baseurl = f"{HOME}/"
    published.list_pages(app, None)
    sitemap = ElementTree.parse(app.outdir / "sitemap.xml").getroot()
    places = [place.text for place in sitemap.iter() if place.tag.endswith("loc")]
    assert places == [f"{HOME}/book/index.html", f"{HOME}/book/linear.html"]
    ((name, context, template),) = published.lost(app)
    assert (name, template) == ("404", "page.html")
    assert context["metatags"] == f'<base href="{HOME}/" />'
    published.head(app, name, template, context, None)
    assert context["metatags"] == f'<base href="{HOME}/" />'


def test_the_feed_has_the_dated_versions_alone():
    feed = ElementTree.fromstring(published.feed(CHANGES, "The Course", HOME))
    assert feed.findtext(f"{ATOM}updated") == "2026-03-04T00:00:00Z"
    entries = feed.findall(f"{ATOM}entry")
    titles = [entry.findtext(f"{ATOM}title") for entry in entries]
    assert titles == ["Version 1.1.0", "Version 1.0.0"]
    assert "<em>second</em> &lt;version&gt;" in entries[0].findtext(f"{ATOM}content")
    assert "first" not in entries[0].findtext(f"{ATOM}content")
    assert (
        ElementTree.fromstring(published.feed("# Changelog", "T", HOME)).find(f"{ATOM}entry")
        is None
    )


def test_the_footer_says_the_version(app):
    app.config.html_theme_options = {}
    published.footer(app, app.config)
    said = app.config.html_theme_options["extra_footer"]
    assert re.fullmatch(r"<p>Version [\d.]+, built on 20\d\d-\d\d-\d\d\.</p>", said)
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"] in said


def test_the_citation_is_an_entry_for_bibtex():
    cited = {
        "title": "The Course",
        "authors": [{"name": "The authors"}, {"family-names": "Doe", "given-names": "Jo"}],
        "version": "1.2.3",
        "date-released": "2026-01-02",
        "repository-code": "https://example.org/course",
    }
    assert published.bibtex(cited) == (
        "@software{neural_networks_in_code,\n"
        "  title = {{The Course}},\n"
        "  author = {{The authors} and Doe, Jo},\n"
        "  version = {1.2.3},\n"
        "  year = {2026},\n"
        "  url = {https://example.org/course},\n"
        "}"
    )
    unset = cited | {"repository-code": "https://github.com/OWNER/course"}
    del unset["date-released"]
    assert "url" not in published.bibtex(unset)
    assert "year" not in published.bibtex(unset)
