"""Questions in person are about what a student handed in and earned."""

from __future__ import annotations

import json
import re

import pytest
from click.testing import CliRunner

from grader import course, questions
from grader.author import catalog
from grader.commands import main
from grader.errors import UserError
from grader.instruct import browser, gradebook, viva
from grader.judge import syntax

pytestmark = pytest.mark.usefixtures("workers")

WRONG = "\n\ndef cross_entropy(scores, labels, **options):\n    return scores.sum()\n"


@pytest.fixture(scope="module")
def grades(tmp_path_factory):
    """Two students' submissions, one that is blank, and one who handed in nothing."""
    folder = tmp_path_factory.mktemp("class")
    right = course.solution("linear")
    texts = {"lovelace": right, "turing": right + WRONG, "hopper": "x = 1\n"}
    for name, text in texts.items():
        (folder / "submissions" / name).mkdir(parents=True)
        (folder / "submissions" / name / "linear.py").write_text(text)
    own = syntax.portion(right, "softmax", ["softmax"])
    codes = ["%matplotlib inline\nimport torch", f"%%grade linear.softmax\n{own}"]
    cells = [{"cell_type": "code", "source": code, "metadata": {}, "outputs": []} for code in codes]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (folder / "submissions" / "gauss").mkdir()
    (folder / "submissions" / "gauss" / "linear.ipynb").write_text(json.dumps(notebook))
    roster = "id,name\nlovelace,Ada\nturing,Alan <T>\nhopper,\nnoether,\ngauss,Carl\n"
    (folder / "roster.csv").write_text(roster)
    tasks = ["linear.softmax", "linear.cross_entropy"]
    given = ["--assignment", "week-1", "--references", "hidden", "--roster", "roster.csv"]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for words in (
            ["release", *tasks, "--to", "week-1"],
            ["hidden", *tasks, "--to", "hidden"],
            ["batch", "submissions", *given, "-o", "grades"],
        ):
            done = CliRunner().invoke(main, words)
            assert done.exit_code == 0, done.output
    return folder / "grades"


@pytest.fixture(scope="module")
def book(grades):
    return gradebook.read(grades)


def test_students_are_asked_about_what_they_earned(book):
    assert viva.earned(book, "lovelace") == ["linear.cross_entropy", "linear.softmax"]
    assert viva.earned(book, "turing") == ["linear.softmax"]
    for name in ("hopper", "noether"):
        with pytest.raises(UserError, match="nothing to ask about"):
            viva.earned(book, name)
    with pytest.raises(UserError, match="Did you mean 'turing'"):
        viva.earned(book, "turin")
    assert [one.id for one in viva.people(book, [])] == ["lovelace", "turing", "gauss"]
    assert [one.id for one in viva.people(book, ["turing"])] == ["turing"]
    with pytest.raises(UserError, match="nothing to ask about"):
        viva.people(book, ["hopper"])


def test_questions_about_code_show_it_with_a_known_mistake_of_its_exercise(book):
    for seed in ("a", "b", "c"):
        for one in viva.own(book, "lovelace", seed, 2):
            (exercise,) = catalog.select([one.exercise])
            assert one.mistake in [each.why for each in exercise.mistakes if not each.corner]
            assert one.code.startswith(f"def {exercise.symbol}(")
            assert '"""' not in one.code
            assert "return" in one.code
    about = viva.own(book, "turing", "a", 2)
    assert [one.exercise for one in about] == ["linear.softmax"]


def test_code_in_a_notebook_is_asked_about(book):
    (about,) = viva.own(book, "gauss", "a", 2)
    assert about.exercise == "linear.softmax"
    assert about.code.startswith("def softmax(")


def test_the_last_definition_counts_and_a_broken_file_has_none():
    first = 'def f():\n    """One."""\n    return 1\n\n\n'
    text = first + 'def f():\n    "Two."\n    x = 2\n    return x\n'
    assert viva._definition([text], "f") == "def f():\n    x = 2\n    return x"
    assert viva._definition(["def f(:", "class f:\n    a = 1\n"], "f") == "class f:\n    a = 1"
    assert viva._definition([text], "g") == ""


def test_questions_of_the_bank_are_hidden_ones_of_these_sections_first(book):
    sections = {one.section for one in catalog.select(["linear.softmax"])}
    fitting = [q for q in questions.of("linear") if not q.public and q.section in sections]
    chosen = viva.asked(book, "turing", "a", len(fitting) + 2)
    assert {*chosen[: len(fitting)]} == {*fitting}
    assert not [one for one in chosen if one.public]
    assert {one.slug for one in chosen} == {"linear"}
    assert chosen == viva.asked(book, "turing", "a", len(fitting) + 2)
    orders = {tuple(viva.asked(book, "turing", str(seed), 9)) for seed in range(6)}
    assert len(orders) > 1


def test_the_command_writes_a_page_for_everybody_who_can_be_asked(grades, tmp_path, monkeypatch):
    monkeypatch.setattr(browser, "NAMES", ())
    monkeypatch.delenv("COURSE_BROWSER", raising=False)

    def write(to: str, *words: str):
        said = ["viva", str(grades), *words, "--seed", "s", "--to", str(tmp_path / to)]
        return CliRunner().invoke(main, said)

    done = write("all")
    assert done.exit_code == 0, done.output
    assert "pages for 3 students" in done.output
    assert "Without a question about" not in done.output
    assert "2 have no exercise" in done.output
    pages = {path.stem: path.read_text() for path in (tmp_path / "all" / "students").iterdir()}
    assert set(pages) == {"lovelace", "turing", "gauss"}
    for text in pages.values():  # a long function must not leave the first sheet blank
        assert '<section class="own"><h2>1. Explain your code' in text
        assert not re.search(r"\.own[^{]*{[^}]*break-inside", text)
    assert pages["lovelace"].count("Explain your code") == 2
    assert pages["turing"].count("Explain your code") == 1
    for text in pages.values():
        assert text.count("Answer:") == 3
        numbers = re.findall(r"<h2>(\d+)\.", text)
        assert numbers == [str(place) for place in range(1, len(numbers) + 1)]
    assert "Alan &lt;T&gt;" in pages["turing"]
    assert "<T>" not in pages["turing"]
    with monkeypatch.context() as patch:
        patch.setattr(viva, "_own_code", lambda *_: "")
        silent = write("silent", "turing")
        assert "Without a question about a function of their own: Alan <T>" in silent.output
    again = write("one", "turing", "--functions", "0", "--more", "1")
    assert again.exit_code == 0, again.output
    (page,) = (tmp_path / "one" / "students").iterdir()
    assert "Explain your code" not in page.read_text()
    assert page.read_text().count("Answer:") == 1
    for words, said in ((["gone"], "no student"), (["hopper"], "nothing to ask about")):
        wrong = write("wrong", *words)
        assert wrong.exit_code == 2
        assert said in wrong.output
        assert not (tmp_path / "wrong").exists()
    assert write("all").exit_code == 2  # nothing is overwritten
