"""The tables of concepts and the glossary: everything that they name is there."""

import importlib
import re

import pytest

from book._ext.concepts import rows
from book._ext.front import planned
from book.pages import BOOK, chapters, exercises
from grader.judge import records

CONTENT = re.search(r"```\{concepts\}\n(.*?)```", (BOOK / "concepts.md").read_text(), re.DOTALL)[1]
ROWS = rows(CONTENT.splitlines())
THERE = {page.stem: page.read_text() for page in chapters()}
NAMES = [name for row in ROWS for name in row.names if name.partition(".")[0] in THERE]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.concept[:40])
def test_a_concept_leads_to_sections_that_are_there_or_planned(row):
    assert re.fullmatch("-|A?B?C?D?E?", row.lectures)
    assert row.sections
    for target in row.sections:
        slug, _, anchor = target.partition("#")
        if slug in THERE:
            assert anchor, f"{slug} is there: say in which section it teaches this"
            assert re.search(rf"^\({anchor}\)=\n+#", THERE[slug], re.MULTILINE), target
        else:
            assert slug in planned(), target


@pytest.mark.parametrize("name", NAMES)
def test_what_one_builds_of_it_is_public_and_its_exercise_is_recorded(name):
    slug, _, symbol = name.partition(".")
    module = importlib.import_module(f"solutions.{slug}")
    assert not symbol.startswith("_")
    assert hasattr(module, symbol)
    if symbol in exercises(slug):
        assert records.select([name])[0].id == name


def test_every_lecture_and_every_planned_chapter_has_rows():
    assert {letter for row in ROWS for letter in row.lectures} == set("ABCDE-")
    chapters = {*THERE, *planned()}
    named = {target.partition("#")[0] for row in ROWS for target in row.sections}
    assert not chapters - named, (
        "book/concepts.md has no row for these chapters: add their concepts"
    )
    assert not named - chapters, "book/concepts.md names these, which are no chapters"


SMALL = {"with", "from", "that", "this", "what", "which", "model", "models", "after", "against"}


def stems(text: str) -> set[str]:
    """The first letters of its words, without formulas and short or empty words."""
    words = re.findall(r"[a-z]+", re.sub(r"\$[^$]*\$", " ", text.lower().replace("-", " ")))
    return {word[:6] for word in words if len(word) > 2 and word not in SMALL}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.concept[:40])
def test_a_concept_stands_in_a_heading_of_its_sections(row):
    """Whoever looks a term up in the table of contents finds it there."""
    headings = []
    for target in row.sections:
        slug, _, anchor = target.partition("#")
        headings.append(re.search(rf"^\({anchor}\)=\n+#+ (.*)", THERE[slug], re.MULTILINE)[1])
    assert stems(row.concept) & stems(" ".join(headings)), headings


def test_lines_that_are_indented_go_on():
    (row,) = rows(["A | one | linear#a", "", "  linear#b |", "  linear.x linear.y"])
    assert (row.sections, row.names) == (["linear#a", "linear#b"], ["linear.x", "linear.y"])
    assert row.chapter == "linear"


WORDS = (BOOK / "glossary.md").read_text() + "\n"
GLOSSARY = re.findall(r"^(\S.*)\n: ((?:.+\n)+)", WORDS, re.MULTILINE)


def test_the_glossary_is_in_order_and_says_one_sentence_each():
    terms = [term for term, _ in GLOSSARY]
    assert len(terms) > 50
    assert len(terms) == len(re.findall(r"^: ", WORDS, re.MULTILINE)), "a sentence without its word"
    assert terms == sorted(terms, key=lambda term: re.sub(r"\W", "", term).lower())


@pytest.mark.parametrize(("term", "says"), GLOSSARY, ids=[term for term, _ in GLOSSARY])
def test_a_word_is_said_in_a_sentence_and_leads_to_its_section(term, says):
    sentence, anchor = re.fullmatch(r"(.*\.)\s+→\s+\{ref\}`([\w-]+)`\n", says, re.DOTALL).groups()
    assert not re.search(r"[.!?]\s+[A-Z]", sentence), "more than one sentence"
    assert any(f"({anchor})=\n" in text for text in THERE.values())
