"""The teaching notes name every chapter once, and mistakes that the grader knows."""

import re

import pytest

from book._ext.teaching import KEYS, found
from book.pages import BOOK, chapters, heading
from grader.instruct import plan

TEXT = (BOOK / "teaching.md").read_text()
BOXES = {
    slug: dict(line.split(": ", 1) for line in body.splitlines())
    for slug, body in re.findall(
        r"^```\{teaching\} (\w+)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL
    )
}


def test_every_chapter_is_there_once_in_order_under_its_title():
    assert list(BOXES) == [page.stem for page in chapters()]
    assert re.findall(r"^## (.+)$", TEXT, re.MULTILINE) == [heading(page) for page in chapters()]


@pytest.mark.parametrize("slug", BOXES)
def test_a_chapter_has_three_mistakes_of_main_exercises_an_activity_and_a_demonstration(slug):
    box = BOXES[slug]
    assert set(box) <= set(KEYS)
    assert {"activity", "demonstration", "leave out"} <= set(box)
    core = {exercise.id for exercise in plan.main_exercises(slug)}
    names = box.get("mistakes", "").split()
    assert len(names) == (3 if core else 0)
    for name in names:
        at, mistake = found(slug, name)
        assert at in core
        assert not mistake.corner
    for key in ("activity", "demonstration", "leave out"):
        assert box[key][-1] in ".?", key


@pytest.mark.parametrize("name", ["softmax.nothing_like_it", "nothing.axis_ignored", "softmax"])
def test_a_mistake_that_is_not_known_is_an_error(name):
    with pytest.raises(KeyError, match="no known mistake"):
        found("linear", name)
