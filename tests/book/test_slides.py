"""Decks hold what their page holds, in its order, and every slide fits on its screen."""

from __future__ import annotations

import json
import re

import pytest
from bs4 import BeautifulSoup
from click.testing import CliRunner

from book.pages import ROOT, chapters
from book.slides.__main__ import main
from book.slides.deck import LINES, slides
from book.slides.page import page
from grader.instruct.browser import Browser, chromium

SITE = ROOT / "_build" / "html"
LOOKED_AT = ("linear", "attention", "transformer")
CODE = '<div class="highlight"><pre>def mean(x):\n    return x.mean()</pre></div>'
LONG = (
    f'<div class="highlight"><pre>{"x = 1<br>".replace("<br>", chr(10)) * (LINES + 1)}</pre></div>'
)


def cell(inside, tag="", answer=""):
    return (
        f'<div class="cell {tag}"><div class="cell_input">typed()</div>'
        f'<div class="cell_output {answer}">{inside}</div>'
        '<details class="course-fold"><summary>Code of this figure</summary>plot()</details></div>'
    )


def solution(code):
    return (
        "<details><summary>Solution: <code>mean</code></summary>"
        f'<p class="course-source"><code>solutions/near.py</code></p>{code}</details>'
    )


FIGURE = """<figure><div class="course-figure"><svg id="drawn"></svg></div>
<figcaption>A bar</figcaption></figure>"""
WIDGET = """<style data-shared="weigh">.course-weigh {}</style>
<div class="course-widget course-weigh"><p>7</p></div><script data-shared="weigh">go()</script>"""
ARTICLE = f"""<article class="bd-article"><section id="near">
<h1>3. Means<a class="headerlink" href="#near">#</a></h1>
<p>A list of numbers. <strong>What is its middle?</strong></p>
<div class="course-head"><ul><li><a href="#mean">compute a mean</a></li></ul></div>
{cell("<table><tr><td>9</td></tr></table>")}
<section id="mean"><h2>3.1. The mean</h2>
<p>Many numbers, one result. Their mean is</p>
<div class="math" id="equation-mean"><span class="eqno">(3.1)</span>\\[m\\]</div>
<p>It takes one line.</p>{cell(solution(CODE))}
<div class="exercise admonition" id="near.mean"><p class="admonition-title">Exercise 3.1 (Mean)</p>
<p class="course-points"><code>near.mean</code> · 4 points</p>
<section><p>Write it.</p></section></div>
<p>See <a href="far.html#there">there</a> and <a href="#mean">here</a>.</p>
{cell(FIGURE)}
<div class="course-ask"><p class="course-ask-title">Before you run it</p><p>How many?</p></div>
{cell("<table><tr><td>7</td></tr></table>", answer="course-answer")}
{cell("<table><tr><td>8</td></tr></table>", tag="tag_no-slide")}
<section id="inner"><h3>3.1.1. By hand</h3>{cell(solution(LONG))}
{cell(WIDGET)}
</section></section>
<section id="summary"><h2>3.2. Summary</h2><ul><li>One line.</li></ul><p>The end.</p></section>
</section></article>"""


def test_a_deck_follows_its_page():
    title, made = slides(ARTICLE, "near")
    assert title == "3. Means"
    kinds = ["title", "goals", "table", "formula", "figure", "question", "result"]
    kinds += ["widget", "summary"]
    assert [slide.kind for slide in made] == kinds
    opening, goals, first, formula, figure, question, result, widget, summary = made
    assert "What is its middle?" in opening.body
    assert "compute a mean" in goals.body
    assert ("9" in first.body, first.heading) == (True, "3. Means")
    assert "Their mean is" in formula.body
    assert "def mean" in formula.body, "short code stands beside its formula"
    assert "near.mean" in formula.body
    assert "Write it" not in formula.body
    assert (figure.heading, figure.anchor) == ("3.1. The mean", "mean")
    assert "A bar" in figure.body
    assert "How many?" in question.body
    assert "7" in result.body
    assert "go()" in widget.body
    assert widget.heading == "3.1.1. By hand"
    assert "One line." in summary.body
    everything = "".join(slide.body for slide in made)
    for absent in ("plot()", "typed()", "headerlink", ">8<", "x = 1"):
        assert absent not in everything


def test_the_prose_is_in_the_notes_of_the_slide_that_it_leads_to():
    notes = {slide.kind: " ".join(slide.notes) for slide in slides(ARTICLE, "near")[1]}
    assert "A list of numbers" in notes["title"]
    assert "Many numbers, one result" in notes["formula"]
    assert "It takes one line" in notes["formula"]
    assert "See <a" in notes["figure"]
    assert "The end." in notes["summary"]


def test_a_deck_has_no_id_of_the_page_and_its_links_lead_there():
    title, made = slides(ARTICLE, "near")
    deck = BeautifulSoup(page(title, "near", made), "html.parser")
    assert {one["id"] for one in deck.find_all(id=True)} == {"drawn"}
    links = {one["href"] for one in deck.find_all("a")}
    assert {"../book/far.html#there", "../book/near.html#mean"} <= links
    assert all(re.match(r"\.\./book/\w+\.html", link) for link in links)


def test_a_page_without_an_article_is_refused():
    with pytest.raises(ValueError, match="article"):
        slides("<p>nothing</p>", "near")


def test_misuse_is_told_in_one_line(tmp_path):
    (tmp_path / "book").mkdir()
    for words, said in {
        (str(tmp_path), "--only", "nowhere"): "no chapter nowhere",
        (str(tmp_path), "--only", "linear"): "Build it first: make book",
        (str(tmp_path / "absent"),): "does not exist",
    }.items():
        done = CliRunner().invoke(main, words)
        assert done.exit_code == 2
        assert said in done.output


@pytest.fixture(scope="module")
def decks():
    if not (SITE / "book" / "linear.html").is_file():
        pytest.skip("there is no site to look at (make book)")
    names = [chapter.stem for chapter in chapters()]
    done = CliRunner().invoke(main, [str(SITE)])
    assert done.exit_code == 0, done.output
    return {name: (SITE / "slides" / f"{name}.html").read_text() for name in names}


def test_every_chapter_has_a_deck_with_its_figures_and_questions(decks):
    for name, text in decks.items():
        whole = (SITE / "book" / f"{name}.html").read_text()
        assert text.count('<section class="deck-title"') == 1
        assert text.count("<figcaption") == whole.count("<figcaption"), name
        assert text.count('class="course-ask-title"') == whole.count('class="course-ask-title"')
        assert text.count('<section class="deck-question"') <= text.count("deck-result"), name


@pytest.mark.skipif(not chromium(), reason="needs Chromium")
@pytest.mark.parametrize("name", LOOKED_AT)
def test_every_slide_fits_on_its_screen(decks, name):
    with Browser(chromium()) as browser:
        size = {"width": 1280, "height": 720, "deviceScaleFactor": 1, "mobile": False}
        browser.call("Emulation.setDeviceMetricsOverride", **size)
        ready = "document.documentElement.dataset.deck === 'set'"
        browser.open(SITE / "slides" / f"{name}.html", ready)
        found = browser.evaluate(
            """JSON.stringify(deck.getSlides().map((slide, number) => {
              deck.slide(number);
              fitSlide(slide);
              const body = slide.querySelector(".deck-body");
              const math = [...slide.querySelectorAll(".math")];
              const drawn = math.every((one) => one.querySelector(".katex-html"));
              const over = (side) => body[`scroll${side}`] - body[`client${side}`];
              return [over("Height"), over("Width"), drawn];
            }))"""
        )
    for number, (high, wide, drawn) in enumerate(json.loads(found), 1):
        assert high <= 4, f"slide {number} is {high} pixels too high"
        assert wide <= 4, f"slide {number} is {wide} pixels too wide"
        assert drawn, f"slide {number} has a formula that is not set"
