"""Imports of the course in a submission: what its chapter builds on, and no answer to it."""

import pytest

from grader import course
from grader.judge import given, records

EARLIER = """import math

SCALE = 2.0
UNUSED = 3


def _twice(x):
    return SCALE * x


def root(x):
    return math.sqrt(_twice(x))


def other(x):
    return UNUSED * x
"""
LATER = """from __future__ import annotations

from solutions.earlier import (
    root as found,
)


def more(x: int) -> int:
    return found(x) + 1


def beside(x):
    return 5


def around(x):
    return more(x)
"""


@pytest.fixture
def modules(tmp_path, monkeypatch):
    (tmp_path / "earlier.py").write_text(EARLIER)
    (tmp_path / "later.py").write_text(LATER)
    (tmp_path / "last.py").write_text(
        "from solutions.earlier import other\nfrom solutions.later import more\n"
    )

    class Package:
        submodule_search_locations = (str(tmp_path),)

    monkeypatch.setattr(course, "find_spec", lambda name: Package)


def test_a_solution_imports_from_the_course(modules):
    assert course.solution("earlier") == EARLIER
    assert course.solution("later") == LATER.replace("solutions.", "course.")


def test_modules_hold_what_is_imported_and_what_that_needs(modules):
    assert given.imports(course.solution("last")) == {"earlier": {"other"}, "later": {"more"}}
    found = given.collected({"later": {"more"}})
    assert [*found] == ["course.earlier", "course.later"]  # each after what it imports
    assert "def _twice" in found["course.earlier"]
    for gone in ("UNUSED", "def other", "def around"):
        assert not any(gone in text for text in found.values())
    assert found["course.later"].startswith("from __future__ import annotations\n")
    both = given.collected(given.imports(course.solution("last")))
    assert "def root" in both["course.earlier"]
    assert "def other" in both["course.earlier"]


def test_what_calls_an_exercise_is_not_beside_it(modules):
    assert given.beside(course.solution("later"), {"more"}) == {"beside"}


@pytest.mark.parametrize("slug", records.slugs())
def test_no_chapter_is_given_an_answer_of_its_own(slug):
    found = given.modules(slug, "import course")
    assert {f"course.{other}" for other in records.slugs()} <= set(found)
    for symbol in records.symbols(slug):
        assert f"def {symbol}(" not in found[f"course.{slug}"]
        assert f"class {symbol}" not in found[f"course.{slug}"]


def test_a_text_that_imports_nothing_of_the_course_is_given_nothing():
    assert given.modules("gpt", "import torch\n") == {}
