"""Formulas are set while the book is built: how they break, and what stays beside them."""

from __future__ import annotations

import html
import re
from types import SimpleNamespace

import pytest
import yaml
from docutils import nodes

from book._ext import formulas
from book.pages import ROOT
from grader.instruct.formulas import SCRIPT


def sources(made: str) -> list[str]:
    """TeX of each formula, which KaTeX notes in its MathML."""
    return [html.unescape(tex) for tex in re.findall(r"<annotation[^>]*>(.*?)</annotation>", made)]


def test_a_formula_is_there_for_the_eye_and_for_screen_readers():
    made = formulas.katex(r"x_t < 1")
    assert sources(made) == ["x_t < 1"]
    assert "<msub><mi>x</mi><mi>t</mi></msub>" in made
    assert made.count('class="katex-html" aria-hidden="true"') == 1
    assert "katex-display" not in made
    assert 'display="block"' in formulas.katex("x", display=True)


def test_a_long_formula_is_read_from_the_engine_whole():
    long = " + ".join(f"x_{{{k}}}" for k in range(2000))
    assert formulas.katex(long).count("<msub>") == 2000


@pytest.mark.parametrize(
    ("tex", "parts"),
    [
        ("a = b", ["a = b"]),
        (r"a, \qquad b, \qquad c", ["a,", "b,", "c"]),
        (r"\frac{a \qquad b}{c}", [r"\frac{a \qquad b}{c}"]),
        (r"\left( a \qquad b \right) \qquad c", [r"\left( a \qquad b \right)", "c"]),
        (
            r"\begin{aligned} a &= b \\ c &= d \end{aligned} \qquad e",
            [r"\begin{aligned} a &= b \\ c &= d \end{aligned}", "e"],
        ),
        (r"a &= b \qquad c \\ d &= e", [r"\begin{split}a &= b \qquad c \\ d &= e\end{split}"]),
        (r"\begin{align} a \end{align}", [r"\begin{align*} a \end{align*}"]),
        (r"\qquad a", ["a"]),
    ],
)
def test_a_formula_is_parted_where_no_brace_or_environment_is_open(tex, parts):
    made = formulas.display(tex)
    assert [part.strip() for part in sources(made)] == parts
    assert made.startswith('<div class="course-parts">') == (len(parts) > 1)


def test_a_formula_that_katex_does_not_understand_is_told_with_its_page(monkeypatch):
    with pytest.raises(
        ValueError, match=r"Undefined control sequence: \\fra at .*, in: \\fra\{1\}"
    ):
        formulas.katex(r"\fra{1}")
    told = []
    monkeypatch.setattr(
        formulas.logger, "warning", lambda text, location: told.append((text, location))
    )
    made = formulas.inside(r">a \(\fra{1} &lt; x\) b", "book/one")
    assert made == r">a \fra{1} &lt; x b"
    ((text, page),) = told
    assert page == "book/one"
    assert r"\fra{1} < x" in text


def kept(*children: nodes.Node) -> list[str]:
    """The text of each part of a paragraph; one that breaks nowhere stands between bars."""
    document = nodes.document(None, None)
    document += nodes.paragraph("", "", *children)
    formulas.keep(None, document, "")
    texts = (
        f"|{part.astext()}|" if isinstance(part, nodes.inline) else part.astext()
        for part in document[0]
    )
    return [text for text in texts if text]


def test_punctuation_stays_on_the_line_of_its_formula():
    x, y = nodes.math("", "x"), nodes.math("", "y")
    texts = [nodes.Text(text) for text in ("see (", "), or the ", "th.")]
    assert kept(texts[0], x, texts[1], y, texts[2]) == ["see ", "|(x),|", " or the ", "|yth|", "."]
    assert kept(nodes.Text("so "), nodes.math("", "x"), nodes.Text(" is")) == ["so ", "x", " is"]
    assert kept(nodes.math("", "x")) == ["x"]
    pair = [nodes.math("", "x"), nodes.Text(","), nodes.math("", "y")]
    assert kept(*pair) == ["|x,|", "y"]


def test_formulas_of_tables_and_captions_are_set_and_no_others():
    cell = '<table class="table tex2jax_process"><tr><td data-x="\\(a\\)">(\\(b &lt; c\\))</td>'
    body = rf"<p>\(d\)</p>{cell}<td>\(e\) and \(f\)th</td></tr></table><p>\(g\)</p>"
    context = {"body": body}
    formulas.outputs(SimpleNamespace(), "book/one", "page.html", context, None)
    made = context["body"]
    assert sources(made) == ["b < c", "e", "f"]
    assert made.count('<span class="course-kept">') == 2
    assert r'data-x="\(a\)"' in made
    assert made.startswith(r"<p>\(d\)</p>")
    assert made.endswith(r"<p>\(g\)</p>")
    formulas.outputs(SimpleNamespace(), "search", "search.html", {}, None)  # it has no body


def test_no_page_is_given_the_script():
    config = yaml.safe_load((ROOT / "_config.yml").read_text())
    name = SCRIPT.relative_to(ROOT / "book" / "_vendor").as_posix()
    assert SCRIPT.is_file()
    assert name in config["exclude_patterns"]
