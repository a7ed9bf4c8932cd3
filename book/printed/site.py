"""The pages of the finished site that are printed, opened and prepared in a browser."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import yaml

from book.pages import ROOT
from grader.instruct.browser import Browser

HERE = Path(__file__).parent
PREFACE = "index"  # the front page, without its list of chapters


@dataclass(frozen=True)
class Page:
    """A page of the site that belongs to the book."""

    slug: str
    part: str


@dataclass(frozen=True)
class Prepared:
    """Facts of a page when it is ready: its title, its sections by id, all its headings."""

    title: str
    sections: dict[str, str]
    headings: list[str]


class NotBuilt(RuntimeError):
    """There is no site to print."""


def pages() -> list[Page]:
    """The front page and every page of `_toc.yml`, without the reference of the API."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    found = [Page(PREFACE, "")]
    for part in toc["parts"]:
        listed = [entry for entry in part["chapters"] if "sections" not in entry]
        found += [Page(Path(entry["file"]).name, part["caption"]) for entry in listed]
    return found


def settings() -> dict[str, str]:
    """The title, the authors and the website's address (it ends in "/", or is empty)."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))
    address = config["html"]["baseurl"]
    return {
        "title": config["title"],
        "author": config["author"],
        "address": f"{address.rstrip('/')}/" if address else "",
    }


def need(site: Path) -> None:
    """Refuse a site that lacks a page.

    Raises:
        NotBuilt: it does; the message names it.
    """
    for page in pages():
        if not (site / "book" / f"{page.slug}.html").is_file():
            raise NotBuilt(f"{site / 'book' / page.slug}.html is not there; say: make book")


def prepare(
    browser: Browser, site: Path, page: Page, kind: str, *, among: list[Page], first: int = 1
) -> Prepared:
    """Open a page and leave of it what is printed.

    Args:
        browser: with which it is opened.
        site: folder of the site.
        page: one of `pages`.
        kind: "pdf" or "epub".
        among: the pages that links may lead to.
        first: number of its first sheet.
    """
    light = [{"name": "prefers-color-scheme", "value": "light"}]
    browser.call("Emulation.setEmulatedMedia", media="print", features=light)
    browser.open(site / "book" / f"{page.slug}.html")
    given = {
        "kind": kind,
        "pages": [one.slug for one in among],
        "address": settings()["address"],
        "first": first,
        "preface": "About this course" if page.slug == PREFACE else "",
        "style": (HERE / "print.css").read_text("utf-8"),
        "stills": json.loads((HERE / "stills.json").read_text("utf-8")),
    }
    script = (HERE / "prepare.js").read_text("utf-8")
    found = browser.evaluate(f"{script}({json.dumps(given)})")
    sections = {section["id"]: section["title"] for section in found["sections"]}
    return Prepared(found["title"], sections, found["headings"])
