"""The finished website: no request leaves it, everyone can read it, on every screen.

Looks at `_build/html`, which `make book` builds. The browser is any Chromium; the two packages
that drive it are pinned in tests/book/browser/package.json and installed on first use.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections import Counter
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from book.pages import ROOT

SITE = ROOT / "_build" / "html"
BROWSER = Path(__file__).with_name("browser")
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PAGES = sorted(SITE.glob("book/*.html")) + [
    SITE / name for name in ("search.html", "genindex.html")
]


class Page(HTMLParser):
    """Ids, links and sources of one page."""

    def __init__(self, path: Path):
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.sources: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if found.get("id"):
            self.ids.append(found["id"])
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        if tag == "link" and found.get("rel") not in ("canonical", "search"):
            self.sources.append(found.get("href") or "")
        if found.get("src"):
            self.sources.append(found["src"])


@cache
def parsed(path: Path) -> Page:
    return Page(path)


def test_the_site_is_built():
    assert (SITE / "book" / "index.html").is_file(), f"{SITE} is not there; say: make book"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_no_id_stands_twice(path):
    twice = {name for name, times in Counter(parsed(path).ids).items() if times > 1}
    # sphinx-exercise and sphinx-proof: nothing refers to these, and a11y.js takes them away
    assert twice - {"exercise-content", "proof-content"} == set()


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_links_inside_the_site_lead_somewhere(path):
    broken = []
    for link in [*parsed(path).links, *parsed(path).sources]:
        parts = urlsplit(link)
        if parts.scheme or link == "#":
            continue
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if not target.is_file():
            broken.append(link)
        elif target.suffix == ".html" and parts.fragment:
            ids = parsed(target).ids
            if unquote(parts.fragment) not in ids:
                broken.append(link)
    assert broken == []


# What needs a browser


def browser() -> str:
    """Path of a browser, its driver installed; without one, what follows is skipped and said."""
    path = os.environ.get("COURSE_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip(
            "there is no Chromium here (COURSE_BROWSER names one): the site was not looked at"
        )
    if not shutil.which("npm"):
        pytest.skip("there is no npm here to drive the browser with: the site was not looked at")
    wanted = json.loads((BROWSER / "package.json").read_text())["dependencies"]
    for name, version in wanted.items():
        package = BROWSER / "node_modules" / name / "package.json"
        if not package.is_file() or json.loads(package.read_text())["version"] != version:
            done = subprocess.run(["npm", "install"], cwd=BROWSER, capture_output=True, text=True)
            if done.returncode:
                pytest.skip(
                    f"npm install failed, so the site was not looked at: {done.stderr.strip()}"
                )
    return path


@pytest.fixture(scope="module")
def seen() -> dict:
    urls = [path.as_uri() for path in PAGES]
    done = subprocess.run(
        ["node", BROWSER / "look.mjs", browser(), *urls],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def on(seen: dict, path: Path) -> dict:
    return seen["pages"][path.as_uri()]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_no_request_leaves_the_site(seen, path):
    assert on(seen, path)["outside"] == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_nothing_fails_on_the_page(seen, path):
    assert on(seen, path)["errors"] == []


@pytest.mark.parametrize("view", ["light", "dark", "phone"])
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_axe_finds_nothing(seen, path, view):
    assert on(seen, path)["views"][view]["violations"] == []


@pytest.mark.parametrize("view", ["light", "dark", "tablet", "phone"])
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_no_page_scrolls_sideways(seen, path, view):
    assert on(seen, path)["views"][view]["sideways"] <= 0


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_every_formula_is_set(seen, path):
    formulas, rendered, errors, stops = on(seen, path)["formulas"]
    assert rendered >= formulas
    assert errors == 0
    assert stops == 0, "the Tab key stops at formulas inside of lines"


def test_attention_maps_can_be_explored_with_keys_and_pointer(seen):
    maps = [found for page in seen["pages"].values() for found in page["maps"]]
    assert maps, "no page has an attention map"
    for found in maps:
        queries = found["queries"]
        first, home, down, right, held, elsewhere, released = found["told"]
        assert " attends to " in first
        assert home.startswith(f"{queries[0]} attends to ")
        assert down.startswith(f"{queries[1]} attends to ")
        assert right.startswith(f"{queries[1]} attends to ")
        assert right != down
        assert held.endswith("(held)")
        assert elsewhere == held
        assert released.startswith(f"{queries[-1]} attends to ")


def test_kernels_can_be_stepped_with_keys_and_pointer(seen):
    kernels = [found for page in seen["pages"].values() for found in page["kernels"]]
    assert kernels, "no page has a kernel to step through"
    for found in kernels:
        first, after_next, down, end, clicked = found["told"]
        assert first.startswith("Row 1 of 6, column 1 of 6: ")
        assert after_next.startswith("Row 1 of 6, column 2 of 6: ")
        assert down.startswith("Row 2 of 6, column 2 of 6: ")
        assert end.startswith("Row 6 of 6, column 6 of 6: ")
        assert clicked == first
        for told in found["told"]:  # what it says is right
            terms, _, result = told.partition(": ")[2].replace("−", "-").partition(" = ")
            pairs = [term.split("·") for term in terms.split(" + ")]
            assert sum(int(x) * int(w.strip("()")) for x, w in pairs) == int(result)
        assert found["marked"] == 9
        assert found["sizes"] == [36, 100, 16, 9]  # 8×8 and 3×3: 6², 10², 4², 3²


def test_widgets_answer(seen):
    used = [found for page in seen["pages"].values() for found in page["widgets"]]
    said = {found["name"]: (found["before"], found["after"]) for found in used}
    for before, after in said.values():
        assert before != after
    assert "64 pixels unknown" in said[".course-draw"][1]
    assert "It reads a 5 (" in said[".course-weigh"][0]
    assert "It reads a 3 (" in said[".course-weigh"][1]
    assert "instance" in said[".course-neighbors"][1]  # a neighbor of "class"
    assert "at the minimum after" in said["[data-valley]"][0]
    assert "It flies off." in said["[data-valley]"][1]
    assert ".course-bp" in said


def test_search_works_without_a_server(seen):
    assert seen["search"]["outside"] == []
    assert any("/book/" in link for link in seen["search"]["links"])
    assert "softmax" in seen["search"]["text"].lower()
