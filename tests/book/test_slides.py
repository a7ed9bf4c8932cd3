"""Decks hold what their page holds, in its order, and every slide fits on its screen."""

from __future__ import annotations

import json
import re

import pytest
from bs4 import BeautifulSoup
from click.testing import CliRunner
from pikepdf import Pdf, parse_content_stream

from book.pages import ROOT, chapters
from book.slides.__main__ import main
from book.slides.deck import ITEMS, slides
from book.slides.listing import LINES, WIDTH, height, listings
from book.slides.page import page
from book.slides.sentences import lead, opening
from grader.instruct.browser import Browser, chromium

SITE = ROOT / "_build" / "html"
LOOKED_AT = ("linear", "transformer", "machine")
CODE_LETTERS = 21  # and of code
ALIVE_LETTERS = 12  # and of explorers
LETTERS = 16  # pixels of 720, of what is neither an explorer nor raised or lowered
CODE = '<div class="highlight"><pre>def mean(x):\n    return x.mean()</pre></div>'
LONG = f'<div class="highlight"><pre>{chr(10).join(["x = 1"] * (2 * LINES + 1))}</pre></div>'


def cell(inside, tag="", answer=""):
    return (
        f'<div class="cell {tag}"><div class="cell_input">typed()</div>'
        f'<div class="cell_output {answer}">{inside}</div>'
        '<details class="course-fold"><summary>Code of this figure</summary>plot()</details></div>'
    )


def exercise(number, name, said, points="4 points", code=""):
    return (
        f'<div class="exercise admonition" id="{name}">'
        f'<p class="admonition-title">Exercise 3.{number} (Mean)</p>'
        f'<p class="course-points"><code>{name}</code> · {points}</p>'
        f"<section><p>{said}</p>{solution(code) if code else ''}</section></div>"
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
{exercise(1, "near.mean", "Write it.")}
<p>See <a href="far.html#there">there</a> and <a href="#mean">here</a>.</p>
{cell(FIGURE)}
<div class="course-ask"><p class="course-ask-title">Before you run it</p><p>How many?</p></div>
{cell("<table><tr><td>7</td></tr></table>", answer="course-answer")}
{cell("<table><tr><td>8</td></tr></table>", tag="tag_no-slide")}
<section id="inner"><h3>3.1.1. By hand</h3>{cell(solution(LONG))}
{cell(WIDGET)}
</section></section>
<section id="summary"><h2>3.2. Summary</h2><ul><li>One line.</li></ul>
<p><strong>Common mistakes</strong>:</p><ul>{"<li>A sum.</li>" * (ITEMS + 2)}</ul>
<p>The end.</p></section>
</section></article>"""


def test_a_deck_follows_its_page():
    title, made = slides(ARTICLE, "near")
    assert title == "3. Means"
    kinds = ["title", "goals", "table", "formula", "figure", "question", "result"]
    kinds += ["widget", "summary", "summary", "summary"]
    assert [slide.kind for slide in made] == kinds
    opening, goals, first, formula, figure, question, result, widget, summary, *mistakes = made
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
    assert [slide.heading for slide in mistakes] == ["Common mistakes"] * 2
    assert [slide.body.count("A sum.") for slide in mistakes] == [3, 3], "as many on each"
    everything = "".join(slide.body for slide in made)
    for absent in ("plot()", "typed()", "headerlink", ">8<", "x = 1"):
        assert absent not in everything


def section(inside):
    return slides(
        f"""<article class="bd-article"><section id="near"><h1>Means</h1>
        <section id="mean"><h2>The mean</h2>{inside}</section></section></article>""",
        "near",
    )[1][1:]


def test_exercises_without_code_share_a_slide_and_say_what_they_ask_for():
    asked = [
        exercise(n, f"near.e{n}", f"Write number {n}. {'It is long. ' * 60}") for n in range(3)
    ]
    one, *more = section("".join(asked))
    assert (one.kind, more) == ("exercise", [])
    assert all(f"Write number {n}." in one.body for n in range(3))
    assert one.body.count("It is long.") < 60


def test_main_exercises_show_their_code_and_short_listings_share_a_slide():
    main_one = "main exercise · 4 points"
    asked = [exercise(n, f"near.e{n}", "Write it.", main_one, CODE) for n in range(2)]
    (one,) = section(f"{cell(FIGURE)}{''.join(asked)}")[1:]
    assert one.kind == "code"
    assert one.body.count("def mean") == 2
    assert one.continues, "its heading is that of the figure before it"


def test_only_a_page_without_exercises_shows_the_functions_that_it_defines():
    defined = f'<div class="cell"><div class="cell_input">{CODE}</div></div>'
    assert [slide.kind for slide in section(defined)] == ["code"]
    assert [slide.kind for slide in section(defined + exercise(1, "near.e", "Write it."))] == [
        "exercise"
    ]


@pytest.mark.parametrize(("rows", "shares"), [(10, [10]), (11, [6, 5]), (29, [10, 10, 9])])
def test_a_table_of_many_rows_takes_several_slides(rows, shares):
    body = "".join(f"<tr><td>row {k}</td></tr>" for k in range(rows))
    head = "<caption>All</caption><thead><tr><th>Row</th></tr></thead>"
    made = section(cell(f"<table>{head}<tbody>{body}</tbody></table>"))
    tables = [one.body for one in made if one.kind == "table"]
    assert [one.count("<td>") for one in tables] == shares
    assert re.findall(r"row \d+", "".join(tables)) == [f"row {k}" for k in range(rows)]
    assert all("<caption>All" in one and "<th>Row" in one for one in tables)


def test_a_result_in_words_is_as_long_as_a_slide_has_room_for():
    (one,) = section(cell(f"<p>Seven. {'It is one more. ' * 60}</p>", answer="course-answer"))
    assert one.body.startswith("<p>Seven. It is one more.")
    assert one.body.count("one more") < 30
    assert "".join(one.notes).count("one more") == 60


def test_the_prose_is_in_the_notes_of_the_slide_that_it_leads_to():
    made = slides(ARTICLE, "near")[1]
    notes = {slide.kind: " ".join(slide.notes) for slide in made}
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


def shown(code):
    return [re.sub(r"<[^>]*>", "", one) for one in listings(code)]


def test_long_code_is_cut_where_a_reader_would_cut_it():
    types = ", ".join(f"{name}: Sequence[Tensor]" for name in ("weights", "biases", "targets"))
    (wide,) = shown(f"def loss(\n    {types},\n) -> Tensor:\n    return 0")
    assert wide.startswith("def loss(weights, biases, targets):\n    return 0")
    lines = "        x = x + 1\n" * 12
    guard = "        if x is None:\n            raise ValueError\n" * 2
    start = f"    def __init__(self):\n{lines}"
    (main,) = shown(f"class Far(nn.Module):\n{start}\n    def forward(self, x):\n{guard}{lines}")
    assert "__init__" not in main
    assert "raise" not in main
    assert main.count("...") == 2, "one for the methods, one for both guards"
    assert main.count("x + 1") == 12
    two = shown("def far(x):\n" + "    x = x + 1\n" * (LINES + 3))
    assert [one.count("x + 1") for one in two] in ([9, 11], [10, 10])
    assert shown("def far(x):\n" + "    x = x + 1\n" * (2 * LINES)) == []


def test_a_long_loop_is_cut_between_its_statements():
    step = "        y = (\n            y + x\n        )\n        # again\n        y = 2 * y\n"
    first, second = shown("def far(x):\n    for y in x:\n" + step * 5 + "    return y")
    assert first.startswith("def far(x):\n    for y in x:\n        y = (")
    assert second.lstrip().startswith(("y = (", "# again")), "no statement and no comment is torn"
    assert second.startswith(" " * 8)
    assert second.rstrip().endswith("\n    return y")


def test_options_give_way_where_nothing_else_does():
    option = "        if mask is not None:\n            x = x + mask\n"
    other = "        if x is None:\n            x = 0\n"
    lines = "        x = x + 1\n" * (2 * LINES - 6)
    body = f"    def forward(self, x, mask=None):\n{option}{other}{lines}"
    made = shown(f"class Far(nn.Module):\n{body}")
    assert len(made) == 2
    assert "mask is not None" not in "".join(made)
    assert "x is None" in "".join(made)
    assert "mask is not None" in shown(f"def far(x, mask=None):\n{option}{other}"[:-1])[0]


def test_a_class_is_shown_by_the_first_of_its_main_methods():
    lines = "        x = x + 1\n" * 12
    body = f"    def encode(self, x):\n{lines}\n    def forward(self, x):\n{lines}"
    assert "def forward" in shown(f"class Far:\n{body}")[0]
    assert "def encode" in shown(f"class Far:\n{body}".replace("forward", "decode"))[0]


def test_the_comment_of_a_line_that_is_too_long_goes_above_it():
    code = "    y = " + "x + " * (WIDTH // 4) + "x"
    (one,) = listings(f'def far(x):\n{code}  <span class="c1"># (B, D)</span>\n    return y')
    text = re.sub(r"<[^>]*>", "", one).split("\n")
    assert text[1] == "    # (B, D)"
    assert height(one) == 5, "the line itself goes on in a second one"


@pytest.mark.parametrize(
    ("paragraph", "said"),
    [
        ("It is said. It is its mean:", ""),
        ("Take one example. It has a label. Then", ""),
        ("A score has no scale. Then divide by it:", "A score has no scale. Then divide by it:"),
        ("Two models differ. The mean of a loss is", "The mean of a loss is"),
        (
            "Begin <em>here. The mean</em> of a loss is",
            "Begin <em>here. The mean</em> of a loss is",
        ),
        ("The mean of a loss is " + "long " * 60, ""),
    ],
)
def test_a_sentence_before_a_formula_stands_alone_or_is_left_out(paragraph, said):
    assert lead(paragraph) == said


def test_of_a_paragraph_its_first_sentences_are_kept():
    assert opening("One. Two. Three.", 9) == "One. Two."
    assert opening("A first one. Two.", 3) == "A first one."
    assert opening("<em>One. Two.</em> Three.", 3) == "<em>One. Two.</em> Three."


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


LOOK = """JSON.stringify(deck.getSlides().map((slide, number) => {
  deck.slide(number);
  const body = slide.querySelector(".deck-body");
  const over = (side) => body[`scroll${side}`] - body[`client${side}`];
  const size = (one) => {
    const scale = one.closest("svg") && one.getScreenCTM?.();
    return parseFloat(getComputedStyle(one).fontSize)
      * (scale ? Math.hypot(scale.a, scale.b) : Number(body.style.zoom || 1));
  };
  const lettered = (but) => [...body.querySelectorAll("*")].filter((one) =>
    [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim())
      && one.getClientRects().length && !one.closest(but));
  const explorers = lettered(".katex, tspan, sub, sup").filter((one) =>
    one.closest(".course-widget"));
  const read = lettered(".katex, .course-widget, tspan, sub, sup");
  const math = [...slide.querySelectorAll(".math")];
  return {
    high: body.matches(".deck-scrolls") ? 0 : over("Height"), wide: over("Width"),
    alive: Math.min(99, ...explorers.map(size).filter((seen) => seen > 1)),
    set: math.every((one) => one.querySelector(".katex-html")),
    letters: Math.min(99, ...read.map(size)),
    code: Math.min(99, ...read.filter((one) => one.closest("pre")).map(size)),
  };
}))"""


@pytest.mark.skipif(not chromium(), reason="needs Chromium")
def test_every_slide_fits_on_its_screen_and_can_be_read(decks):
    with Browser(chromium()) as browser:
        size = {"width": 1280, "height": 720, "deviceScaleFactor": 1, "mobile": False}
        browser.call("Emulation.setDeviceMetricsOverride", **size)
        for name in LOOKED_AT:
            path = SITE / "slides" / f"{name}.html"
            browser.open(path, "document.documentElement.dataset.deck === 'set'")
            for number, found in enumerate(json.loads(browser.evaluate(LOOK)), 1):
                where = f"slide {number} of {name}: {found}"
                assert found["high"] <= 4, where
                assert found["wide"] <= 4, where
                assert found["set"], where
                assert found["letters"] >= LETTERS, where
                assert found["code"] >= CODE_LETTERS, where
                assert found["alive"] >= ALIVE_LETTERS, where


@pytest.mark.skipif(not chromium(), reason="needs Chromium")
def test_printed_slides_fill_their_sheets(decks):
    done = CliRunner().invoke(main, [str(SITE), "--pdf", "--only", "machine"])
    assert done.exit_code == 0, done.output
    with Pdf.open(SITE / "slides" / "machine.pdf") as pdf:
        assert len(pdf.pages) == decks["machine"].count('<section class="deck-')
        for sheet in pdf.pages:
            steps = parse_content_stream(sheet, "cm")
            paper, scale = (float(step.operands[0]) for step in steps[:2])
            assert 1280 * paper * scale == pytest.approx(float(sheet.mediabox[2]), rel=1e-3)
