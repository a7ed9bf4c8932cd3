"""Code on the pages, exercises as cards, predictions: the rules, and what they make of a page."""

import ast
import os
from types import SimpleNamespace
from xml.etree import ElementTree

import jupytext
import pytest
from docutils import nodes
from sphinx_exercise.nodes import exercise_enumerable_node

from book import listing
from book._ext import cards, reading, weight
from book.listing import COMPUTES, DRAWS, IMPORTS, SAYS, Piece
from book.pages import chapters, tags
from book.svg import captioned

IMPORT = """import matplotlib.pyplot as plt
import torch

from book.drawing import Drawing
from book.figures import COLORS, figure, picture, say, spread, table
from solutions.linear import train"""


def kinds(*cells):
    """The kinds of the pieces of the cells after one that imports."""
    return [[piece.kind for piece in cut] for cut in listing.pieces([IMPORT, *cells])[1:]]


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("loss = train(1)", COMPUTES),
        ("import math", IMPORTS),
        ("say('Yes.', when=1 > 0)", SAYS),
        ("table([[1]], header=['x'])", SAYS),
        ("say(f'{train(1)}')", DRAWS),  # it computes; so it can be read
        ("fig, axes = plt.subplots()", DRAWS),
        ("def panel(axes):\n    axes.plot([1])", DRAWS),
        ("def panel(axes):\n    axes.plot(train(1))", COMPUTES),
        ("def learn(optimizer):\n    optimizer.step()", COMPUTES),
        ("def mean(x):\n    return sum(x) / len(x)", COMPUTES),
        ("x = torch.ones(3)", COMPUTES),
        ("x[0] = y @ z", COMPUTES),
        ("while True:\n    pass", COMPUTES),
        ("no python", COMPUTES),
        ("for x in plt.subplots()[1]:\n    x.plot(train(x))", COMPUTES),  # both: it is shown
    ],
)
def test_the_kind_of_a_statement(code, kind):
    assert kinds(code) == [[kind]]


def test_axes_are_followed_through_names():
    assert kinds(
        "fig, axes = plt.subplots()\nfor row in axes:\n    row.spines['top'].color = 1"
    ) == [[DRAWS]]


def test_a_machine_is_drawn_until_its_names_mean_numbers_again():
    drawing = """drawing = Drawing(9, 9, alt="x")
x = drawing.box(1, 1, "x")
drawing.text(1, 1, "here")
drawing.arrow(x, x)
drawing.show("A box.")"""
    assert kinds(drawing, "x = torch.ones(3)\nx[0] = 2") == [[DRAWS], [COMPUTES]]


def test_what_only_a_drawing_or_a_sentence_reads_goes_with_it():
    assert kinds("share = 1 / 3\nsay(f'{share}')") == [[DRAWS, SAYS]]
    assert kinds("share = 1 / 3\nsay(f'{share}')", "train(share)") == [
        [COMPUTES, SAYS],
        [COMPUTES],
    ]
    assert kinds("share = train(1)\nsay(f'{share}')") == [[COMPUTES, SAYS]]
    assert kinds("product = x @ y\nsay(f'{product}')") == [[COMPUTES, SAYS]]


def test_what_brings_numbers_into_form_does_not_make_a_drawing_an_experiment():
    loop = "for run in plt.subplots()[1]:\n    run.plot(torch.stack([1, 2]).mean())"
    assert kinds(loop) == [[DRAWS]]
    assert kinds(loop.replace("torch.stack", "train")) == [[COMPUTES]]


def test_what_is_drawn_on_stays_a_canvas():
    code = "fig, axes = plt.subplots()\naxes.plot(train(1))\naxes.set(xlabel='step')"
    assert kinds(code) == [[DRAWS, COMPUTES, DRAWS]]


def test_a_name_is_followed_until_it_means_something_else():
    drawing = "memory = []\nfor x in plt.subplots()[1]:\n    x.plot(memory)"
    later = "memory = train(1)\nfirst = memory[0]\ntrain(first)"
    assert kinds(drawing, later) == [[DRAWS], [COMPUTES]]
    within = "def cut(x):\n    memory = train(x)\n    return memory"
    assert kinds(drawing, within) == [[DRAWS], [COMPUTES]]


def test_a_model_that_is_run_computes():
    assert kinds("model = train(1)", "y = model(2)\nsay(f'{y}')") == [[COMPUTES], [COMPUTES, SAYS]]


def test_device_threads_and_seeds_stand_with_the_imports():
    begin = """device = pick_device()
torch.set_num_threads(1)
torch.manual_seed(0)
SEEDS = range(5)"""
    assert kinds(begin) == [[IMPORTS]]
    assert kinds(f"{begin}\nx = train(1)\ntorch.manual_seed(1)") == [[IMPORTS, COMPUTES]]
    assert kinds("torch.manual_seed(0)\nx = train(1)") == [[COMPUTES]]


def test_an_untagged_cell_is_shown_but_for_its_imports():
    code = "import math\nfig = plt.figure()\nsay('Yes.')"
    (cut,) = listing.pieces([code], [True])
    assert [piece.kind for piece in cut] == [IMPORTS, COMPUTES]


def test_comments_stay_with_what_follows():
    (cut,) = listing.pieces(["x = 1  # one\n# two\nimport math\n\n# three\ny = 2\n# four"])
    assert [piece.text for piece in cut] == [
        "x = 1  # one",
        "# two\nimport math",
        "# three\ny = 2\n# four",
    ]


def test_statements_on_one_line_stay_together():
    (cut,) = listing.pieces(["x = 1; y = 2"])
    assert cut == [Piece("x = 1; y = 2", COMPUTES)]


def test_tags_say_how_much_is_shown():
    code = "x = train(1)\nfig = plt.figure()\nsay('Yes.')"
    cells = [
        {"source": f"{IMPORT}\n{code}", "metadata": {"tags": names}}
        for names in (["remove-input"], ["hide-input"], [])
    ]
    found = [[piece.kind for piece in made] for made in listing.cut(cells)]
    assert found == [
        [IMPORTS, COMPUTES, DRAWS, SAYS],
        [DRAWS, DRAWS, DRAWS, SAYS],
        [IMPORTS, COMPUTES],
    ]


@pytest.mark.parametrize("page", chapters(), ids=lambda page: page.stem)
def test_no_cell_that_computes_is_removed(page):
    """Every statement is on the page, but those that only say, show or tabulate."""
    found = [cell for cell in jupytext.read(page).cells if cell.cell_type == "code"]
    for cell, cut in zip(found, listing.cut(found), strict=True):
        if "remove-cell" in tags(cell):
            assert "find_spec" in cell.source  # what installs the course; nothing else goes whole
            continue
        assert [line for piece in cut for line in piece.text.splitlines() if line.strip()] == [
            line for line in cell.source.splitlines() if line.strip()
        ]
        for piece in cut:
            for node in ast.parse(piece.text).body if piece.kind == SAYS else ():
                assert isinstance(node, ast.Expr), piece.text
                assert isinstance(node.value, ast.Call), piece.text


# What becomes of a page


def cell(*cut, output=""):
    found = nodes.container(classes=["cell"])
    found += nodes.container(nb_element="cell_code_output")
    found[0] += nodes.raw("", output, format="html")
    reading._put(found, [Piece(text, kind) for text, kind in cut])
    return found


def test_what_computes_stands_above_the_output_and_drawing_is_folded_below():
    found = cell(
        ("import torch", IMPORTS),
        ("x = 1", COMPUTES),
        ("fig = 2", DRAWS),
        ("y = 3", COMPUTES),
        ("say(4)", SAYS),
        output='<div class="course-figure">',
    )
    texts = [part.astext() for part in found.children]
    assert texts == [
        '<details class="course-fold"><summary>Imports</summary>',
        "import torch",
        "</details>",
        "x = 1\ny = 3",
        '<div class="course-figure">',
        '<details class="course-fold"><summary>Code of this figure</summary>',
        "fig = 2",
        "</details>",
    ]


def test_a_cell_that_only_speaks_has_no_code():
    assert [part.astext() for part in cell(("say(4)", SAYS), output="4").children] == ["4"]


def test_code_without_output_is_just_code():
    found = nodes.container(classes=["cell"])
    reading._put(found, [Piece("fig = 2", DRAWS)])
    assert found[0].astext() == '<details class="course-fold"><summary>Code</summary>'


def section(*parts):
    document = nodes.section()
    document += parts
    reading.ask_first(None, document)
    return document


def output():
    found = nodes.container(classes=["cell"])
    found += nodes.container(nb_element="cell_code_output")
    return found


def test_a_question_becomes_a_strip_and_marks_the_output_after_it():
    said = nodes.paragraph("", "", nodes.Text("One. Before you run it: how "), nodes.math("x", "x"))
    first, second = output(), output()
    before, strip, *_ = section(said, first, second).children
    assert before.astext() == "One."
    assert [part.astext() for part in strip.children] == ["Before you run it", "How x"]
    assert "course-answer" in first[0]["classes"]
    assert "course-answer" not in second[0]["classes"]


def test_looking_is_asked_like_running():
    strip, *_ = section(nodes.paragraph("", "Before you look: how many?"), output()).children
    assert [part.astext() for part in strip.children] == ["Before you look", "How many?"]
    ends = nodes.paragraph("", "", *map(nodes.Text, ("Before you look:", "\n", "how many?")))
    strip, *_ = section(ends, output()).children
    assert [part.astext() for part in strip.children] == ["Before you look", "How many?"]
    strip, *_ = section(nodes.paragraph("", "Before you\nlook: how many?"), output()).children
    assert [part.astext() for part in strip.children] == ["Before you look", "How many?"]


def choices(count):
    items = [nodes.list_item("", nodes.paragraph("", str(one))) for one in range(count)]
    return nodes.bullet_list("", *items)


def test_a_list_after_a_question_holds_its_answers():
    said, cell = nodes.paragraph("", "One. Before you run it: how many?"), output()
    before, strip, rest, _ = section(said, choices(3), nodes.paragraph("", "Two."), cell).children
    assert [before.astext(), rest.astext()] == ["One.", "Two."]
    assert strip.children[-1]["classes"] == ["course-choices"]
    assert "course-answer" in cell[0]["classes"]
    only, listed, _ = section(nodes.paragraph("", "Before you look: x?"), choices(1), cell).children
    assert "course-choices" not in listed["classes"]
    assert len(only.children) == 2


def test_a_curve_to_draw_is_no_result():
    drawn, result = output(), output()
    drawn[0] += nodes.raw("", '<div class="course-widget course-sketch" >', format="html")
    section(nodes.paragraph("", "Before you look: draw it."), drawn, result)
    assert "course-answer" not in drawn[0]["classes"]
    assert "course-answer" in result[0]["classes"]


def test_a_question_without_a_result_stays_as_it_is():
    said = nodes.paragraph("", "Before you run it: how many?")
    assert section(said, nodes.paragraph("", "Two.")).astext() == f"{said.astext()}\n\nTwo."


@pytest.mark.parametrize(
    ("numbers", "said"),
    [({"": (5,)}, ["Figure 5.1 one", "Figure 5.2 two"]), ({}, ["one", "two"])],
)
def test_captions_are_numbered_where_chapters_are(numbers, said):
    app = SimpleNamespace(env=SimpleNamespace(toc_secnumbers={"book/x": numbers}))
    pictures = [captioned("<svg></svg>", "one"), captioned("<svg></svg>", "")]
    pictures.append(captioned("<svg></svg>", "two", "course-drawing"))
    document = nodes.section()
    document += [nodes.raw("", html, format="html") for html in pictures]
    reading.number_captions(app, document, "book/x")
    found = [ElementTree.fromstring(raw.astext()) for raw in document.children]
    assert [" ".join("".join(f.itertext()).split()) for f in found] == [said[0], "", said[1]]


@pytest.fixture
def page(monkeypatch):
    """A function that makes a page of an edition: an exercise, and above it its solution."""

    def make(edition):
        monkeypatch.setitem(os.environ, "COURSE_EDITION", edition)
        bundle = nodes.container(nb_element="mime_bundle")
        markdown = nodes.container(mime_type="text/markdown")
        public = nodes.container("", nodes.paragraph("", "Answer"), classes=["course-public"])
        check = nodes.literal(text="grade check linear.softmax")
        student = nodes.container("", nodes.paragraph("", "", check), classes=["course-student"])
        markdown += [public, student]
        bundle += [markdown, nodes.container("", nodes.Text("raw"), mime_type="text/plain")]
        shown = nodes.container("", nodes.container("", bundle), classes=["cell"])
        box = exercise_enumerable_node(label="linear.softmax")
        said = nodes.paragraph("", "Write it.")
        box += [nodes.title("", "Softmax"), nodes.section("", said)]
        document = nodes.section("", shown, box)
        env = SimpleNamespace(note_dependency=lambda path: None)
        cards.make_cards(SimpleNamespace(env=env), document)
        return document

    return make


def test_an_exercise_is_a_card_from_statement_to_solution(page):
    (box,) = page("public").children  # the cell above is empty, and gone
    _, points, body = box.children
    assert points.astext().startswith("linear.softmax · ")
    texts = [part.astext() for part in body.children]
    assert texts[0] == "Write it."
    assert texts[1].startswith("def softmax(")
    assert "Returns:" in texts[1]
    assert "NotImplementedError" not in texts[1]
    assert texts[2].startswith("Do it without torch.softmax, ")
    assert texts[3] == "grade check linear.softmax"
    assert "<summary>Hint</summary>" in texts[4]
    assert texts[-1] == "Answer"


def test_a_long_statement_can_be_unfolded(page, monkeypatch):
    (box,) = page("public").children
    lines = box.children[2].children[1].astext().count("\n") + 1
    assert "course-more" not in box.astext()
    monkeypatch.setattr(cards, "LONG", lines - 1)
    (box,) = page("student").children
    assert f"<span>All {lines} lines</span>" in box.astext()


def test_a_line_of_a_statement_knows_how_far_it_is_indented():
    html = "<div><pre><b>def</b>\n<i>    x</i>\n\n</pre></div>\n"
    lines = ElementTree.fromstring(weight._lines(html)).findall(".//span")
    assert [line.get("style") for line in lines] == [None, "--in:4", None]
    assert ["".join(line.itertext()) for line in lines] == ["def\n", "    x\n", "\n"]


def test_students_get_the_card_without_the_answer(page):
    (box,) = page("student").children
    assert "Answer" not in box.astext()
    assert "def softmax(" in box.astext()
