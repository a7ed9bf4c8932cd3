"""Constructions of WRITING.md that have come back more than once: none is in the prose again."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.author import catalog

ROOT = Path(__file__).resolve().parents[2]
BANNED = {  # what it looks like: what to write
    r"\b(go|goes|going|went) on with\b": "continue with",
    r"\bhangs? on\b": "depend on, be attached to",
    r"\bby heart\b": "memorized",
    r"\bthe blame\b": "the gradient",
    r"\bis dear\b|\bare dear\b|\bdearer\b": "expensive",
    r"\b(surer|oftener|rightly)\b": "more confident, more often, correctly",
    r"\bthousand millions?\b": "billion",
    r"\bforet(ell|ells|old)\b": "predict",
    r"\b(thereof|wherein|whereof)\b": "its, in which",
    r"\bone's\b": "your, its",
    r"\bshall\b": "must, will",
    r"(?:^|[.:;] )Who [^?]{1,200}?[.;]": "whoever, a model that, those who",
    r"\bnobody's business\b": "ignored",
    r"\b(at|with) half the (scores|rate)\b": "with the … halved",
    r"\bas each other\b": "the same number of",
    r"\bwaver(s|ing)?\b": "be undecided, how many choices are left",
    r"\b(normalise|initialise|optimise|colour|behaviour|grey)\w*\b": "American spelling",
    r"\b[Ss]imply\b": "nothing",
}
PAGES = [*sorted(ROOT.glob("book/*.md")), *sorted(ROOT.glob("*.md"))]
CODE = re.compile(
    r"^(`{3,}|~{3,})(?!\{(?:exercise|note|admonition|margin)).*?^\1[ ]*$", re.M | re.S
)


def prose(text: str) -> str:
    """A page without its code, math and marks of its own, one paragraph per line."""
    text = CODE.sub("", re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S))
    text = re.sub(r"`[^`]*`|\$[^$]*\$|\{[a-z:]+\}", "", text)
    return re.sub(r"(?<!\n)\n(?![\n|-])", " ", text)


def strings(source: str) -> Iterator[str]:
    """Texts of ten words and more in Python source."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(text := node.value, str):
            yield " ".join(text.split() if len(text.split()) > 9 else [])


def spoken(page: str) -> Iterator[str]:
    """Texts in the code of a page: what it says, captions and alternative texts."""
    for code in re.findall(r"^```\{code-cell\}[^\n]*\n(.*?)^```", page, re.M | re.S):
        lines = [line for line in code.split("\n") if not re.match(r":|[!%]", line)]
        try:
            yield from strings("\n".join(lines))
        except SyntaxError:  # a cell that is for a shell, or shows a mistake
            continue


def found(texts: Iterator[str]) -> list[str]:
    return [
        f"{hit[0]!r}: {instead}"
        for text in texts
        for pattern, instead in BANNED.items()
        for hit in re.finditer(pattern, text, re.M)
    ]


def everything(page: Path) -> Iterator[str]:
    text = page.read_text()
    yield from prose(text).splitlines()
    yield from spoken(text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages_use_no_banned_construction(page):
    if page.name == "WRITING.md":  # its table quotes them
        return
    assert not found(everything(page))


def test_exercises_use_no_banned_construction():
    texts = [
        text
        for exercise in catalog.select([])
        for text in (exercise.title, exercise.hint, *(each.why for each in exercise.mistakes))
    ]
    assert len(texts) > 1_000
    assert not found(texts)


def test_docstrings_do_not_open_with_what():
    packages = ("benchmarks", "book", "course", "grader", "solutions", "tests")
    files = [path for package in packages for path in (ROOT / package).rglob("*.py")]
    assert len(files) > 900
    opened = [
        f"{path.name}: {doc.splitlines()[0]}"
        for path in files
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module)
        and (doc := ast.get_docstring(node))
        and doc.startswith("What ")
    ]
    assert not opened


def test_what_is_banned_is_found():
    said = "The loop goes on with it. Who pads must mask. Labels are dear; it knows them by heart."
    assert len(found([said])) == 4
    page = "```{code-cell} ipython3\nsay('It is right more often, or oftener, than a coin is, " + (
        "and that is all there is to it')\n```\nA line of code, `it goes on with`, is not prose.\n"
    )
    assert len(found(spoken(page))) == 1
    assert not found(prose(page).splitlines())


@pytest.mark.parametrize("page", sorted((ROOT / "book").glob("*.md")), ids=lambda page: page.stem)
def test_a_fence_says_what_it_holds_and_is_closed(page):
    """A fence too many turns the rest of a page into code, and no warning says so."""
    opened = ""
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if found := re.match(r"(`{3,})(.*)", line):
            if not opened:
                assert found[2], f"line {number} opens a fence that holds nothing in particular"
                opened = found[1]
            elif not found[2] and len(found[1]) >= len(opened):
                opened = ""
    assert not opened
