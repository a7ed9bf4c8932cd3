"""Projects: points sum, examples are in order, and every number is of the recorded run."""

import re
import runpy
from collections.abc import Mapping

import pytest

from book import projects
from book.pages import ROOT
from grader.judge import measure
from solutions.linear import paired_difference

CRITERIA = projects.rubric()
PROJECTS = projects.projects()
each = pytest.mark.parametrize("project", PROJECTS, ids=lambda one: one.name)


def test_the_rubric_has_a_hundred_points_in_quarters():
    assert projects.full(CRITERIA) == 100
    assert len({one.key for one in CRITERIA}) == len(CRITERIA)
    for one in CRITERIA:
        assert one.points % projects.LEVELS == 0
        assert one.earned(projects.LEVELS) == one.points
        assert one.earned(0) == 0
        assert all(one.levels)
    assert projects.scale(CRITERIA)[-1] == "In all, 100 points."


def test_there_are_six_and_each_has_a_baseline_and_a_recorded_run():
    programs = {path.stem for path in (ROOT / "benchmarks/baselines").glob("[a-z]*.py")}
    assert len(PROJECTS) == 6
    assert {one.name for one in PROJECTS} == programs
    assert len({one.title for one in PROJECTS}) == 6


@each
def test_examples_are_marked_in_order_and_their_points_are_the_sum_of_the_criteria(project):
    points = [projects.total(CRITERIA, work) for work in project.works]
    good, middling, poor = points
    assert 100 >= good > 75 > middling > 40 > poor >= 0
    text = "\n".join(projects.examples(project, CRITERIA))
    for work, total in zip(project.works, points, strict=True):
        assert total == sum(one.points * work.levels[one.key] / projects.LEVELS for one in CRITERIA)
        assert f"{work.quality.capitalize()} work, {total:g} of 100 points" in text
    marks = re.findall(r"^- \*Marks\*: (.*?)\.", text.replace("2.5", "2"), re.MULTILINE)
    assert len(marks) == 3


@each
def test_texts_have_no_number_but_those_of_the_run(project):
    texts = [text for work in project.works for text in (work.claims, work.evidence, work.why)]
    assert not [text for text in texts if re.search(r"\d", text)]
    assert any("{baseline}" in text and "{changed}" in text for text in texts)
    found = project.results()
    for text in texts:
        assert "{" not in project.filled(text)
    mean, error, _ = paired_difference(project.run["changed"], project.run["baseline"])
    assert float(found["difference"].replace("−", "-")) == pytest.approx(mean, abs=0.05)
    assert found["error"] == project.number(error)
    clear = "higher" if mean > 0 else "lower"
    assert project.facts["result"] == (clear if abs(mean) > 2 * error else "unclear")


def test_a_change_that_goes_the_other_way_stops_the_page():
    right = PROJECTS[0].facts["result"]
    for wrong in {"higher", "lower", "unclear"} - {right}:
        facts = {**PROJECTS[0].facts, "result": wrong}
        made = projects.Project(PROJECTS[0].name, "t", facts, {}, (), "")
        with pytest.raises(ValueError, match=f"the result is {right}, not {wrong}"):
            made.results()


def test_two_lucky_draws_support_the_opposite_of_all_draws():
    """As the poor example of the first project says."""
    (project,) = (one for one in PROJECTS if one.name == "few_labels")
    found = project.results()
    assert "lower the error from {unluckiest} to {luckiest}" in project.works[2].claims
    assert float(found["luckiest"]) < float(found["unluckiest"])
    assert float(found["changed"]) > float(found["baseline"])


def test_chosen_seeds_show_a_gain_where_all_seeds_are_unclear():
    """As the poor examples of two projects say."""
    for one in PROJECTS:
        if one.facts["result"] == "unclear":
            found = one.results()
            better = float(found["luckiest"]) - float(found["unluckiest"])
            assert (better > 0) == (one.facts["better"] == "higher")
            assert re.search(r"from \{unluckiest\}\s+to \{luckiest\}", one.works[2].claims)
    (dutch,) = (one for one in PROJECTS if one.name == "new_language")
    pairs = zip(dutch.run["baseline"], dutch.run["changed"], strict=True)
    assert any(after < before for before, after in pairs)


@each
def test_measured_assignments_and_chapters_exist(project):
    if name := project.facts.get("measured"):
        assert [one for one in measure.names() if one.endswith(f".{name}")]
    for page in re.findall(r"\]\((\w+\.md)\)", project.facts["chapters"]):
        assert (ROOT / "book" / page).is_file()


@each
def test_a_baseline_is_a_program_whose_seeds_are_those_of_the_record(project):
    module: Mapping = runpy.run_path(str(ROOT / f"benchmarks/baselines/{project.name}.py"))
    assert [*module["SEEDS"]] == project.run["seeds"]
    assert len(project.run["seeds"]) >= 3
    assert len(project.run["baseline"]) == len(project.run["changed"]) == len(project.run["seeds"])


@pytest.mark.parametrize("name", ["few_labels", "one_vocabulary"])
def test_the_recorded_scores_come_out_again(name):
    """The two that take a second; Python's own text differs between versions, a little."""
    (project,) = (one for one in PROJECTS if one.name == name)
    score = runpy.run_path(str(ROOT / f"benchmarks/baselines/{name}.py"))["score"]
    for key, changed in (("baseline", False), ("changed", True)):
        assert score(0, changed=changed) == pytest.approx(project.run[key][0], rel=0.05)


PAGE = """```{criteria}
q | 4 | Question | a | b | c
```

## One

Do it.

```{project} few_labels
metric: error
format: .1f
better: lower
change: x
result: higher
hours: 1
data: d
chapters: c
q: here
good claims: c
good evidence: e
good marks: 4: w
middling claims: c
middling evidence: e
middling marks: 2: w
poor claims: c
poor evidence: e
poor marks: 0: w
```
"""


def test_a_page_is_read():
    (one,) = projects.projects(PAGE)
    assert (one.title, one.task, one.criteria) == ("One", "Do it.", {"q": "here"})
    assert [projects.total(projects.rubric(PAGE), work) for work in one.works] == [4, 2, 0]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("hours: 1\n", "", "'hours' is missing"),
        ("hours: 1", "hour: 1", "is missing or unknown"),
        ("good marks: 4: w", "good marks: 5: w", "levels from 0 to 4"),
        ("good marks: 4: w", "good marks: 4 4: w", "need 1 levels"),
        ("```{criteria}\n", "```{other}\n", "no {criteria}"),
    ],
)
def test_a_line_that_cannot_be_is_an_error(old, new, said):
    with pytest.raises(ValueError, match=said):
        projects.projects(PAGE.replace(old, new))


def test_the_page_has_the_steps_and_how_a_level_is_given():
    assert projects.passage(projects.STEPS).startswith("A student, or a group of two")
    assert "at most level 1" in projects.passage(projects.LEVELED)
    with pytest.raises(ValueError, match="nothing like"):
        projects.passage(projects.STEPS, "no steps")
