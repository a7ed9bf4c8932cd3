"""The teacher's kit has all its parts, and each of them can be used."""

import re
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from book import kit, projects
from book._ext import teaching
from book.pages import chapters, heading
from grader.instruct import assignment, browser, plan
from grader.instruct.release import TUTOR


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """Written without a browser, for a site with two decks, over an old kit."""
    folder = tmp_path_factory.mktemp("kit")
    (folder / "site" / "slides").mkdir(parents=True)
    for name in ("linear.pdf", "mlp.pdf", "mlp.html"):
        (folder / "site" / "slides" / name).write_bytes(b"%PDF-made")
    (folder / "kit").mkdir()
    (folder / "kit" / "old.txt").write_text("of last year")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(browser, "NAMES", ())
        patch.delenv("COURSE_BROWSER", raising=False)
        done = CliRunner().invoke(kit.main, [str(folder / "site"), str(folder / "kit")])
    assert done.exit_code == 0, done.output
    assert not (folder / "kit" / "old.txt").exists()
    return folder / "kit"


def test_each_plan_has_an_assignment_for_each_week_with_exercises(made):
    for weeks, rows in plan.plans().items():
        there = sorted((made / "plans" / f"{weeks}-weeks").iterdir())
        assert [path.name for path in there] == [row.name for row in rows if row.exercises()]
        for path in there:
            assert assignment.read(path).exercises


def test_the_notes_have_every_chapter_and_no_mark_of_the_book(made):
    text = (made / "teaching.html").read_text()
    for page in chapters():
        assert f"<h2>{heading(page)}" in text
    assert "Mistakes to expect" in text
    assert not re.search(r"\{\w+\}`|\]\(|\*\*", text.partition("<h1>")[2].partition("<script")[0])


def test_decks_are_copied_as_pdf(made):
    assert sorted(path.name for path in (made / "slides").iterdir()) == ["linear.pdf", "mlp.pdf"]


def test_sample_exams_have_a_paper_and_a_key(made):
    for name in ("first-half", "second-half"):
        home = made / "exams" / name
        assert "Answer:" in (home / "key.html").read_text()
        (paper,) = (home / "papers").iterdir()
        assert "Answer:" not in paper.read_text()


def test_a_project_has_its_task_its_baseline_its_rubric_and_examples(made):
    criteria = projects.rubric()
    for one in projects.projects():
        home = made / "projects" / one.name
        task = (home / "student.html").read_text()
        assert "Level 4" in task
        assert "at most level 1" in task
        for step in ("Proposal", "Baseline", "Experiment", "Report"):
            assert f"<strong>{step}</strong>" in task
        assert "baseline.py" in task
        assert "benchmarks/baselines" not in task
        assert not re.search(r"Good work|Poor work", task)  # students have to find it themselves
        examples = (home / "examples.html").read_text()
        for work in one.works:
            assert f"{work.quality.capitalize()} work, " in examples
        compile((home / "baseline.py").read_text(), "baseline", "exec")
        assert "python baseline.py" in (home / "baseline.py").read_text()
        parts = (home / "by_hand.toml").read_text()
        said = f'name = "p"\n[exercises]\n"linear.softmax" = 9\n{parts}'
        given = assignment.parse(said)
        assert sum(given.by_hand.values()) == projects.full(criteria)
        assert tomllib.loads(parts)["by_hand"] == {each.key: each.points for each in criteria}


def test_the_index_leads_to_every_part(made):
    links = re.findall(r'href="([^"]+)"', (made / "index.html").read_text())
    linked = {(made / link).resolve() for link in links}
    assert all(path.is_file() for path in linked)
    there = {
        path for path in made.rglob("*") if path.is_file() and kit.paper.KATEX not in path.parts
    }
    assert there - linked == {made / "index.html", made / "README.md"}
    assert (made / "AGENTS.md").read_bytes() == TUTOR.read_bytes()


def test_a_kit_without_slides_says_so(tmp_path, monkeypatch):
    for name in ("_exams", "_projects", "_notes", "_plans"):
        monkeypatch.setattr(kit, name, lambda *_: iter(()))
    [*kit.write(tmp_path / "site", tmp_path / "kit")]
    assert "`make slides`, then `make kit`" in (tmp_path / "kit" / "README.md").read_text()


def test_references_to_the_book_become_text():
    text = "See {ref}`the section <a-b>`, {doc}`this`, [a guide](guide.md) and [a](https://b.c)."
    assert kit.plain(text) == "See the section, this, a guide and [a](https://b.c)."


def test_a_key_that_is_unknown_is_an_error():
    with pytest.raises(ValueError, match="'activitty' is none of"):
        teaching.lines("linear", ["activitty: x"])
