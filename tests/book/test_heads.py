"""The box before a chapter, and the hours of the paths on the front page."""

import re
from types import SimpleNamespace

import pytest

from book import pages, reach
from book._ext import cards, front, heads
from book.pages import BOOK, ROOT, chapters
from grader import course
from grader.author import catalog
from grader.instruct import plan

ORDER = [page.stem for page in chapters()]
INDEX = (BOOK / "index.md").read_text()
each_chapter = pytest.mark.parametrize("slug", ORDER)


def text_of(slug):
    return (BOOK / f"{slug}.md").read_text()


def sections(text):
    """The anchors that stand above a heading."""
    return re.findall(r"^\(([\w-]+)\)=\n#{2,3} ", text, re.MULTILINE)


HOMES = {anchor: slug for slug in ORDER for anchor in sections(text_of(slug))}


@each_chapter
def test_a_chapter_names_its_goals_after_its_question_and_before_its_sections(slug):
    text = text_of(slug)
    before, box, _ = text.partition("```{goals}\n")
    assert box
    assert "?**" in before
    assert "\n## " not in before
    found = course.goals(slug)
    assert 3 <= len(found) <= 5
    assert all(HOMES.get(section) == slug for section in found), found
    places = [text.index(f"\n({section})=\n") for section in found]
    assert places == sorted(places), "goals in the order of their sections"
    for goal in found.values():
        assert re.fullmatch(r"[a-z][^.]{15,90}", goal), goal


@each_chapter
def test_main_exercises_are_those_of_the_sections_that_goals_name(slug):
    symbols = [one.symbol for one in plan.main_exercises(slug)]
    assert [one.symbol for one in plan.exercises(slug)] == catalog.symbols(slug)
    assert bool(symbols) == (slug in pages.slugs())
    text = text_of(slug)
    for symbol in symbols:  # the box leads there
        at = text.index(f":label: {slug}.{symbol}\n")
        passed = [one for one in sections(text) if text.index(f"\n({one})=\n") < at]
        assert set(course.goals(slug)) & set(passed), symbol


@each_chapter
def test_prerequisites_come_before_and_are_what_a_chapter_imports_or_links(slug):
    earlier = ORDER[: ORDER.index(slug)]
    direct = heads.prerequisites(slug)
    assert set(direct) <= set(earlier)
    text = text_of(slug)
    module = ROOT / f"solutions/{slug}.py"
    code = [
        "\n".join(pages.cells(BOOK / f"{slug}.md")),
        module.read_text() if module.exists() else "",
    ]
    imported = {name.split(".")[1] for one in code for name in reach.imports(one) if "." in name}
    targets = re.findall(r"\]\(([\w-]+)(?:\.md)?[)#]|\{ref\}`(?:[^`<]*<)?([\w-]+)>?`", text)
    linked = {HOMES.get(name, name) for pair in targets for name in pair if name}
    assert set(direct) <= imported | linked, "why does it need them?"
    known = set(heads.leading_to(slug)) | linked
    assert imported & set(earlier) <= known, "the map has no arrow, and the page no link"


def test_a_chapter_that_needs_the_refresher_alone_has_no_arrow():
    assert heads.prerequisites("linear") == []
    assert heads.prerequisites("transformer") == ["attention", "self_attention"]
    assert ORDER[0] == heads.REFRESHER


def test_a_course_takes_every_chapter_once_and_in_order():
    weeks = plan.plan(14)
    assert [week.number for week in weeks] == list(range(1, 15))
    assert [slug for week in weeks for slug in week.slugs] == ORDER[1:]


@pytest.mark.parametrize("weeks", plan.plans())
def test_each_chapter_of_a_plan_comes_after_what_it_builds_on(weeks):
    taken = [slug for week in plan.plan(weeks) for slug in week.slugs]
    assert len(set(taken)) == len(taken)
    for number, slug in enumerate(taken):
        assert set(heads.leading_to(slug)) <= set(taken[: number + 1]), slug


def test_the_path_to_transformers_misses_nothing_and_takes_nothing_else():
    path = heads.leading_to("transformer")
    assert path[0] == "linear"
    assert path[-1] == "transformer"
    for slug in path[:-1]:
        assert set(heads.prerequisites(slug)) <= set(path)
        assert any(slug in heads.prerequisites(other) for other in path)


def test_a_module_for_practitioners_needs_no_more_than_the_path_and_itself():
    path = heads.leading_to("transformer")
    tasks = INDEX.partition("{hours} Task by task\n")[2].partition("```")[0].splitlines()
    assert len(tasks) >= 4
    for task in tasks:
        slugs = task.partition(": ")[2].split()
        for slug in slugs:
            assert set(heads.leading_to(slug)) <= {*path, *slugs}, task


def test_minutes_of_exercises_are_counted_as_the_guide_says():
    guide = " ".join((BOOK / "guide_student.md").read_text().split())
    base = re.search(r"An exercise counts (\d+) minutes, and one more for each", guide)[1]
    for points in (1, 30):
        assert plan.minutes(SimpleNamespace(public_points=points)) == int(base) + points
    assert f"at {front.WORDS} a minute" in guide


TIMES = {0: "–", 1: "5 min", 48: "50 min", 57: "55 min", 58: "1 h", 140: "2.5 h", 584: "9.5 h"}


@pytest.mark.parametrize(("minutes", "said"), [*TIMES.items(), (585, "10 h"), (3220, "54 h")])
def test_a_time_is_as_exact_as_an_estimate(minutes, said):
    assert heads.time(minutes) == said


def test_what_a_chapter_takes_is_said_in_one_line():
    some = [SimpleNamespace(public_points=10)] * 3
    takes = "30 min to read, about 40 min for the main exercises, 1 h for all 3"
    assert heads._takes(30, some[:2], some) == takes
    assert heads._takes(9, [], []) == "9 min to read; there are no exercises"


def test_a_main_exercise_says_so_on_its_card():
    inside, outside = (
        next(one for one in plan.exercises("linear") if heads.is_main(one) == wanted)
        for wanted in (True, False)
    )
    assert "main exercise · " in cards.worth(inside)
    assert "main exercise" not in cards.worth(outside)


def test_a_published_chapter_has_its_box():
    site = ROOT / "_build/html/book"
    if not site.is_dir():
        pytest.skip("there is no site to look at (make book)")
    for slug in ORDER:
        box = (site / f"{slug}.html").read_text().partition("course-head")[2].partition("</div>")[0]
        assert box.count("<li>") == len(course.goals(slug))
        for needed in heads.prerequisites(slug):
            assert f'href="{needed}.html"' in box
        assert "min to read" in box
    front_page = (site / "index.html").read_text()
    tasks = INDEX.partition("{hours} Task by task\n")[2].partition("```")[0]
    slugs = {slug for task in tasks.splitlines() for slug in task.partition(": ")[2].split()}
    inner = sum(plan.minutes(one) for slug in slugs for one in plan.main_exercises(slug))
    assert f" {heads.time(inner)} for main exercises" in front_page.partition("Task by task: ")[2]
    titles = re.findall(r"h to read, [\d.]+ h for main exercises \(\d+ h for all\)", front_page)
    assert len(titles) == 3
