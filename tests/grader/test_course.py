"""A module that builds on other chapters' is handed over with what it needs of them."""

import pytest

from grader import course
from grader.errors import UserError

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


@pytest.fixture
def modules(tmp_path, monkeypatch):
    (tmp_path / "earlier.py").write_text(EARLIER)

    class Package:
        submodule_search_locations = (str(tmp_path),)

    monkeypatch.setattr(course, "find_spec", lambda name: Package)
    return tmp_path


def run(text):
    names = {}
    exec(text, names)
    return names


def test_what_is_imported_stands_in_its_place(modules):
    (modules / "later.py").write_text(
        "from solutions.earlier import _twice, root as found\n\n\n"
        "def more(x):\n    return found(x) + _twice(x)\n"
    )
    (modules / "last.py").write_text("from solutions.later import more\n\nVALUE = more(2)\n")
    whole = course.solution("later")
    assert "solutions" not in whole
    assert "UNUSED" not in whole
    assert whole.count("def _twice") == 1
    assert run(whole)["more"](2) == 6
    assert run(course.solution("last"))["VALUE"] == 6
    assert course.solution("earlier") == EARLIER


def test_two_of_one_name_are_refused(modules):
    (modules / "later.py").write_text(
        "from solutions.earlier import root\n\n\ndef _twice(x):\n    return x\n"
    )
    with pytest.raises(UserError, match="imports another _twice"):
        course.solution("later")
