"""The two built editions: answers where they belong, and no link to the placeholder address."""

import html
import re
from functools import cache
from itertools import chain

import pytest

from book.pages import ROOT
from grader.judge import records, source, syntax

SITES = {"public": ROOT / "_build/html", "student": ROOT / "_build/student/_build/html"}
EXERCISES = {exercise.id: exercise for exercise in records.select()}


def site(edition):
    folder = SITES[edition]
    assert (folder / "index.html").is_file(), f"not built yet: make book EDITION={edition}"
    return folder


@pytest.mark.parametrize("edition", SITES)
def test_no_link_holds_the_placeholder(edition):
    pages = (path for path in site(edition).rglob("*.html"))
    found = [path for path in pages if not {"_static", "slides"} & {*path.parts}]
    assert len(found) > 5
    for path in found:
        assert not re.findall(r'(?:href|src)="[^"]*/OWNER/[^"]*"', path.read_text()), path.name


@cache
def answer(id_):
    """Lines of code that the solution has and its skeleton does not, long enough to be told.

    A keyword passed on under its own name (``steps=steps,``) says nothing, nor does the head of a
    loop that counts steps, nor a line of what no exercise asks for; pages have them too.
    """
    exercise = EXERCISES[id_]
    text = (ROOT / "solutions" / f"{exercise.slug}.py").read_text()
    blank = source.blank(text, {exercise.symbol})
    lines = syntax.text_of(text, exercise.symbol).splitlines()
    kept = {line.strip() for line in blank.splitlines()}
    found = {line.strip() for line in lines if len(line.strip()) >= 25} - kept
    plain = r"(\w+)=\1,|for step in range\(steps\):"
    return {line for line in found - given() if not re.fullmatch(plain, line)}


@cache
def given():
    """Lines of the solutions that no exercise asks for."""
    lines = set()
    for path in (ROOT / "solutions").glob("*.py"):
        asked = {one.symbol for one in EXERCISES.values() if one.slug == path.stem}
        lines |= {line.strip() for line in source.blank(path.read_text(), asked).splitlines()}
    return lines


def stands(line, text):
    """Does a text have it as the end of a line, in a page or in a notebook's JSON?"""
    return line in text and re.search(re.escape(line) + r"\s*(\n|\\n|\"|<|$)", text) is not None


def texts(edition):
    """Everything a reader of the site can get at: pages, their sources, notebooks, the index."""
    for path in site(edition).rglob("*"):
        if path.suffix in (".html", ".md", ".txt", ".ipynb", ".js") and "_static" not in path.parts:
            text = path.read_text()
            if path.suffix == ".html":
                text = html.unescape(re.sub(r"<[^>]*>", "", text))
            elif path.suffix == ".ipynb":
                text = text.replace('\\"', '"')
            yield text


@pytest.fixture(scope="module")
def everything():
    """Each line once: pages, sources and notebooks have most of them in common."""
    lines = {edition: (text.split("\n") for text in texts(edition)) for edition in SITES}
    return {one: "\n".join(dict.fromkeys(chain.from_iterable(lines[one]))) for one in SITES}


@pytest.mark.parametrize("id_", EXERCISES)
def test_student_edition_holds_no_answer(everything, id_):
    lines = answer(id_)
    assert lines, "no line of this answer is long enough to be looked for"
    assert {line for line in lines if stands(line, everything["student"])} == set()


@pytest.mark.parametrize("id_", EXERCISES)
def test_public_edition_holds_every_answer(everything, id_):
    lines = answer(id_)
    assert {line for line in lines if line not in everything["public"]} == set()
