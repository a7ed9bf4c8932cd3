"""Questions are computed and can be told apart; an exam is the same one every time."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from grader import course, questions
from grader.commands import main
from grader.instruct import browser, exam, paper
from grader.instruct.hand_ins import Student
from grader.questions import KINDS, Alike, Drawn, Question, curves, kinds, on_paper

SEEDS = range(8)
UNFILLED = re.compile(  # what was to be computed and stands there as it was written
    r"\{\{|\{[a-z_]+[(\[.]|\bNone\b|\bnan\b|<function|<built-in|\b(num|table|logs)\("
)
BANK = [one for slug in questions.slugs() for one in questions.of(slug)]
SLUG = questions.slugs()[0]
each = pytest.mark.parametrize("question", BANK, ids=lambda one: one.id)


# The bank


@pytest.mark.parametrize("slug", questions.slugs())
def test_a_chapter_has_twelve_questions_of_three_kinds_half_of_them_public(slug):
    of = questions.of(slug)
    assert len(of) >= 12
    assert len({one.kind for one in of}) >= 3
    assert 5 <= sum(one.public for one in of) <= len(of) - 6
    assert len({one.id for one in of}) == len(of)


@each
def test_a_question_has_an_answer_that_differs_from_its_options_for_every_seed(question):
    drawn = [question.draw(str(seed)) for seed in SEEDS]
    for one in drawn:
        texts = [one.text, one.answer, *one.wrong, *(step for step, _ in one.steps)]
        assert all(text.strip() for text in texts)
        for text in texts:
            assert not UNFILLED.search(text), text
            assert text.count("$") % 2 == 0, text
            assert text.count("{") == text.count("}"), text
        assert one.answer not in one.wrong
        assert len(set(one.options)) == len(one.options) == (len(one.wrong) + 1 if one.wrong else 0)
        if one.options:
            assert one.options["abcdefgh".index(one.letter)] == one.answer
        assert all(points > 0 for _, points in one.steps)
        assert 2 <= one.points <= 8
    assert len({one.points for one in drawn}) == 1  # all students are asked for as much
    more = [*drawn, *(question.draw(str(seed)) for seed in range(SEEDS.stop, 20))]
    assert len({(one.text, one.code, one.figure) for one in more}) >= 3  # numbers are drawn
    assert question.draw("0") == drawn[0]
    assert 2 <= question.minutes <= 8
    assert question.kind in KINDS


@each
def test_no_numbers_make_an_answer_degenerate(question):
    if question.kind == "mistake":  # its answer is a sentence
        return
    for seed in range(60):
        one = question.draw(str(seed))
        assert not re.search(r"NaN|\\infty", one.answer), one.text
        assert one.options or one.answer.strip("$`") != "0" or question.kind == "prints", one.text
        tables = re.findall(r"begin\{pmatrix\}(.*?)\\end", one.answer)
        for entries in tables:
            assert {*re.split(r"[&\\\s]+", entries.strip())} != {"0"}, one.text
        assert len({*tables}) == len(tables), one.text


def test_numbers_with_which_a_wrong_method_is_right_are_drawn_again():
    questions.apart("1", "2")
    questions.apart([1, 2], [2, 1])
    with pytest.raises(Alike, match="same"):
        questions.apart([1, 2], [2, 1], [1, 2])


@each
def test_a_question_belongs_to_a_section_and_a_concept(question):
    page = (course.ROOT / "book" / f"{question.slug}.md").read_text()
    assert re.search(rf"^\({re.escape(question.section)}\)=\n#", page, re.MULTILINE)
    assert exam.concept(question)


@pytest.mark.parametrize(
    "question", [one for one in BANK if one.kind == "prints"], ids=lambda one: one.id
)
def test_the_printed_code_prints_the_key(question):
    for seed in SEEDS:
        one = question.draw(str(seed))
        said = kinds.printed(one.code)
        assert one.answer == "`" + said.replace("\n", "` then `") + "`"
        assert said
        assert len(one.code.splitlines()) <= 20


@pytest.mark.parametrize(
    "question", [one for one in BANK if one.kind == "curve"], ids=lambda one: one.id
)
def test_letters_of_curves_are_inside_of_the_figure_apart_and_in_order(question):
    for seed in SEEDS:
        figure = question.draw(str(seed)).figure
        feet = [float(y) for y in re.findall(r'y="([-\d.]+)" font-weight="bold"', figure)]
        assert feet, figure
        assert min(feet) >= 10  # a letter is so high
        assert max(feet) <= curves.HEIGHT
        assert all(abs(a - b) > 12 for a, b in itertools.combinations(feet, 2))
        drawn = re.findall(r'<polyline points="([^"]+)"', figure)
        lines = [[float(point.partition(",")[2]) for point in line.split()] for line in drawn]
        for (a, foot), (b, other) in itertools.combinations(zip(lines, feet, strict=True), 2):
            above = next((x < y for x, y in zip(a[::-1], b[::-1], strict=True) if x != y), None)
            assert above in (None, foot < other), figure  # letters are in the order of curves


def test_of_the_known_mistakes_one_alone_made_the_numbers():
    z, y = [[1.0, 2.0, 3.0]], [[2.0, 2.0, 2.0]]
    names = ["mean_over_outputs", "half", "root_taken"]
    seen = []

    class First:
        def choice(self, of):
            return of[len(seen)]

    for name in names:
        one = kinds.which_mistake(
            First(), "linear.squared_loss", {"input": z, "target": y}, names, text="It."
        )
        seen.append(one)
        assert one.answer == kinds.why("linear.squared_loss", name)
        assert set(one.wrong) == {kinds.why("linear.squared_loss", other) for other in names} - {
            one.answer
        }
    numbers = {re.search(r"returned \$(.*?)\$", one.text)[1] for one in seen}
    assert numbers == {"0.667", "1", "1.414"}
    with pytest.raises(Alike, match="look the same"):  # one example: its sum is its mean
        kinds.which_mistake(
            First(),
            "linear.squared_loss",
            {"input": z, "target": y},
            ["sum_over_examples", "half"],
            text="It.",
        )


OFF_PAPER = re.compile(
    r"\b[Ee]q\. ?\d|this book|the statement|next function|`input_gradient`|Vaswani"
)
FRAGMENT = re.compile(r"(?:Divided|Multiplied|Added|Taken|Averaged|Summed) ")


def test_feedback_on_paper_is_a_sentence_about_what_is_on_the_paper():
    used = set()
    for one in BANK:
        if one.kind != "mistake":
            continue
        for said in one.draw("0").options:
            used.add(said)
            assert not OFF_PAPER.search(said), said
            assert not FRAGMENT.match(said), said
            assert said.endswith("."), said
    for name, said in on_paper.SENTENCES.items():
        exercise, _, mistake = name.rpartition(".")
        assert kinds._known(exercise)[mistake].why != said  # else it need not be stated twice
        assert said in used, name


def test_numbers_with_which_two_options_are_the_same_are_drawn_again():
    def make(rng):
        a = rng.randint(0, 1)
        return Drawn(text="t", answer=f"{a}", wrong=["1"], steps=(("s", 2),))

    one = Question(
        slug="linear", name="n", kind="short", section="s", minutes=2, public=False, make=make
    )
    assert {one.draw(str(seed)).answer for seed in SEEDS} == {"0"}
    always = replace(one, make=lambda rng: Drawn(text="t", answer="1", wrong=["1"], steps=()))
    with pytest.raises(Alike):
        always.draw("0")


# The exam


def test_a_formula_that_cannot_be_set_stops_the_exam():
    assert "<math" in paper.markup("$x^2$")
    with pytest.raises(ValueError, match=r"in: \\nowhere"):
        paper.markup(r"$\nowhere$")


def test_questions_are_of_all_chapters_and_kinds_in_turn_and_fit():
    slugs = questions.slugs()[:2]
    chosen = exam.choose(slugs, "s", minutes=30)
    assert 22 <= sum(one.minutes for one in chosen) <= 30
    counts = [sum(one.slug == slug for one in chosen) for slug in slugs]
    assert max(counts) - min(counts) <= 1
    assert len({one.kind for one in chosen}) >= 3
    assert not [one for one in chosen if one.public]
    assert chosen == exam.choose(slugs, "s", minutes=30)
    assert {tuple(exam.choose(slugs, str(seed), minutes=30)) for seed in range(5)} != {
        tuple(chosen)
    }
    assert [one.slug for one in chosen] == sorted((one.slug for one in chosen), key=slugs.index)
    few = exam.choose(slugs, "s", points=10)
    assert 6 <= sum(one.draw("x").points for one in few) <= 10
    assert len(exam.choose(slugs, "s", minutes=10_000, public=True)) == sum(
        len(questions.of(slug)) for slug in slugs
    )


def write(folder: Path, *words: str):
    roster = folder / "roster.csv"
    roster.write_text("id,name\nlovelace,Ada <Lovelace>\n../turing,\n")
    said = [SLUG, "--seed", "s", "--students", str(roster), "--to", str(folder / "exam"), *words]
    return CliRunner().invoke(main, ["exam", *said])


@pytest.fixture
def no_browser(monkeypatch):
    monkeypatch.setattr(browser, "NAMES", ())
    monkeypatch.delenv("COURSE_BROWSER", raising=False)


def test_without_a_browser_papers_and_key_are_pages_that_print(tmp_path, no_browser):
    done = write(tmp_path, "--minutes", "20")
    assert done.exit_code == 0, done.output
    assert "2 papers, and the key" in done.output
    assert "No Chromium" in done.output
    papers = sorted((tmp_path / "exam" / "papers").iterdir())
    assert len(papers) == 2
    key = (tmp_path / "exam" / "key.html").read_text()
    texts = [path.read_text() for path in papers]
    assert (tmp_path / "exam" / "katex" / "katex.min.css").is_file()
    assert not [*(tmp_path / "exam").rglob("*.js")]
    for text in texts:
        assert "../katex/katex.min.css" in text
        assert 'class="katex"' in text
        assert "<script" not in text
        assert "Answer:" not in text
    assert "Ada &lt;Lovelace&gt;" in key
    assert "<Lovelace>" not in key
    assert texts[0].count("<h2>") == texts[1].count("<h2>")
    asked = [re.sub(r".*?<h2>", "", text, count=1, flags=re.S) for text in texts]
    assert asked[0] != asked[1]  # each has numbers of their own
    chosen = exam.choose([SLUG], "s", minutes=20)
    for one in chosen:
        assert paper.markup(one.draw("s", "lovelace").text) in key


def test_an_exam_is_the_same_for_a_seed_and_another_one_for_another(tmp_path, no_browser):
    chosen, people = exam.choose([SLUG], "s", minutes=20), [Student("a"), Student("b")]

    def texts(name: str, seed: str) -> list[str]:
        paths = exam.write(chosen, people, tmp_path / name, seed=seed, title="Exam")
        return [path.read_text() for path in paths]

    assert texts("1", "s") == texts("2", "s")
    assert texts("3", "t")[0] != texts("1b", "s")[0]


def test_one_browser_prints_all_pages(tmp_path, monkeypatch):
    started = []

    class Counted:
        def __init__(self, path):
            started.append(path)

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def open(self, path):
            self.text = path.read_text()

        def print(self, scale):
            assert scale == 1
            return b"%PDF-" + self.text.encode()

    monkeypatch.setattr(browser, "chromium", lambda: "a browser")
    monkeypatch.setattr(browser, "Browser", Counted)
    done = write(tmp_path, "--minutes", "10")
    assert done.exit_code == 0, done.output
    assert started == ["a browser"]
    made = {path.stem: path.read_bytes() for path in (tmp_path / "exam").rglob("*.pdf")}
    assert len(made) == 3
    assert b"Ada &lt;Lovelace&gt;" in made["lovelace"]


@pytest.mark.skipif(
    not browser.chromium(),
    reason="there is no Chromium (package chromium; COURSE_BROWSER names another one)",
)
def test_with_a_browser_they_are_pdf(tmp_path):
    done = write(tmp_path, "--minutes", "10", "--title", "Midterm")
    assert done.exit_code == 0, done.output
    paths = [path for path in (tmp_path / "exam").rglob("*") if path.is_file()]
    assert len(paths) == 3
    for path in paths:
        assert path.suffix == ".pdf"
        assert path.read_bytes().startswith(b"%PDF-")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--minutes", "1"], "No question fits: the smallest has"),
        (["--points", "1"], "No question fits: the smallest has"),
        (["--minutes", "9", "--points", "9"], "one of the two"),
        (["linaer"], "Did you mean 'linear'?"),
    ],
)
def test_what_is_wrong_is_told_in_a_sentence_before_anything_is_written(tmp_path, words, said):
    done = write(tmp_path, *words)
    assert done.exit_code == 2
    assert said in done.output
    assert not (tmp_path / "exam").exists()


def test_nothing_is_overwritten_and_a_broken_browser_is_told(tmp_path, monkeypatch):
    (tmp_path / "exam").mkdir()
    (tmp_path / "exam" / "key.pdf").write_text("mine")
    done = write(tmp_path)
    assert done.exit_code == 2
    assert "is not empty" in done.output
    assert (tmp_path / "exam" / "key.pdf").read_text() == "mine"
    broken = tmp_path / "browser"
    broken.write_text('#!/bin/sh\n[ "$1" = --version ] && exit 0\necho no screen >&2\nexit 1\n')
    broken.chmod(0o755)
    monkeypatch.setenv("COURSE_BROWSER", str(broken))
    (tmp_path / "exam" / "key.pdf").unlink()
    done = write(tmp_path, "--minutes", "10")
    assert done.exit_code == 2
    assert "did not print: The browser ended." in done.output


def test_an_empty_roster_is_told(tmp_path):
    (tmp_path / "none.csv").write_text("id,name\n")
    words = [SLUG, "--seed", "s", "--to", str(tmp_path / "x"), "--students"]
    for name, said in (("none.csv", "lists no students"), ("gone.csv", "cannot be read")):
        done = CliRunner().invoke(main, ["exam", *words, str(tmp_path / name)])
        assert done.exit_code == 2
        assert said in done.output


# What students get


def test_a_release_holds_no_question(tmp_path):
    done = CliRunner().invoke(main, ["release", "linear.softmax", "--to", str(tmp_path / "c")])
    assert done.exit_code == 0, done.output
    texts = [path.read_text() for path in (tmp_path / "c").rglob("*.py")]
    assert not [text for text in texts if "@question(" in text]
    assert not (tmp_path / "c" / "grader" / "questions").exists()


def test_the_site_shows_every_chapter_and_the_public_half_alone():
    page = (course.ROOT / "book" / "questions.md").read_text()
    assert re.findall(r"^```\{questions\} (\w+)$", page, re.MULTILINE) == questions.slugs()
    hidden = [one for one in BANK if not one.public]
    assert len(hidden) >= len(BANK) // 2
