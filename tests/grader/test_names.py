"""Names that students choose are safe to show and to write files under."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.instruct import names


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("ada", "ada"),
        ("\x1b[2Jada\nbob", r"\x1b[2Jada\nbob"),
        ("caf\udce9", r"caf\udce9"),
        ("a\u202eda", r"a\u202eda"),
        ("Ada\u3000Lovelace", "Ada Lovelace"),
        (unicodedata.normalize("NFD", "rené"), "rené"),
    ],
)
def test_a_name_is_one_line_without_control_characters(name, shown):
    assert names.shown(name) == shown


@pytest.mark.parametrize(
    ("student", "part"),
    [
        ("ada", "ada"),
        ("rené@example.org", "rené@example.org"),
        ("../../ada", "%2E.%2F..%2Fada"),
        ("..", "%2E%2E"),
        ("/tmp/ada", "%2Ftmp%2Fada"),
        ("a%2Fb", "a%252Fb"),
        ("caf\udce9", "caf%ED%B3%A9"),
    ],
)
def test_an_id_is_one_part_of_a_path(student, part):
    assert names.path_part(student) == part


@given(st.lists(st.text(max_size=300), min_size=2, max_size=2, unique=True))
def test_paths_differ_where_ids_do_and_can_be_written(ids):
    parts = [names.path_part(one) for one in ids]
    assert parts[0] != parts[1]
    for part in parts:
        assert 0 < len(part.encode()) <= names.LONGEST
        assert "/" not in part
        assert not part.startswith(".")
