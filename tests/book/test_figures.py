"""Output of book/figures.py: stable, accessible, in the theme's colors, true to the edition."""

from __future__ import annotations

import itertools
import platform
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch

from book import drawing, figures, reference, svg
from book.pages import BOOK
from grader.author.catalog import exercises
from solutions import data, self_attention


@pytest.fixture
def shown(monkeypatch):
    """The outputs of the cell, as Jupyter would get them."""
    bundles = []
    monkeypatch.setattr(figures, "display", lambda bundle, raw: bundles.append(bundle))
    return bundles


def draw(offset: float = 0.0) -> plt.Figure:
    fig, axes = plt.subplots(1, 2)
    for index in range(len(figures.COLORS)):
        axes[0].plot([0, 1], [index + offset, 1 - index], marker="o")
    axes[0].set(title="loss & $d_k^2$, step by step", xlabel="step", ylabel="nats < 1")
    axes[1].imshow(np.arange(4).reshape(2, 2))
    return fig


# --- figures -----------------------------------------------------------------------------------


def test_figure_is_the_same_bytes_in_another_process():
    code = """
import sys
sys.path.insert(0, sys.argv[1])
from test_figures import draw, svg
print(svg.svg(draw(), "lines"), end="")
"""
    there = subprocess.run(
        [sys.executable, "-c", code, Path(__file__).parent],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert svg.svg(draw(), "lines") == there == svg.svg(draw(), "lines")


def test_figures_share_no_id_and_refer_to_their_own():
    pictures = [svg.svg(draw(), "one"), svg.svg(draw(0.5), "one"), svg.svg(draw(), "other")]
    ids = [re.findall(r' id="([^"]+)"', picture) for picture in pictures]
    assert all(ids)
    flat = list(itertools.chain.from_iterable(ids))
    assert len(flat) == len(set(flat))
    for own, picture in zip(ids, pictures, strict=True):
        assert set(re.findall(r'(?:url\(|href=")#([^")]+)', picture)) == set(own)


def test_figure_follows_the_theme(shown):
    fig = draw()
    figures.figure(fig, alt='seven lines & a "map"')
    content = shown[0]["text/html"]
    root = ElementTree.fromstring(content).find("svg")
    assert root.get("role") == "img"
    assert root.get("aria-label") == shown[0]["text/plain"] == 'seven lines & a "map"'
    for index, color in enumerate(figures.COLORS):
        assert f"var(--course-{index},{color})" in content
        assert color not in content.replace(f"var(--course-{index},{color})", "")
    for text in ("#000000", "font-family: 'DejaVu", "<style", "<metadata", "http"):
        assert text not in content
    assert "image-rendering" in content
    assert not plt.fignum_exists(fig.number)


def test_a_caption_says_what_to_see_below_the_figure(shown):
    figures.figure(draw(), alt="lines", caption="Loss < 1 at $d_k$; see `fit`.")
    root = ElementTree.fromstring(shown[0]["text/html"])
    assert root.tag == "figure"
    assert root.find("div/svg").get("aria-label") == "lines"
    assert "".join(root.find("figcaption").itertext()) == r"Loss < 1 at \(d_k\); see fit."
    assert shown[0]["text/plain"] == "lines\nLoss < 1 at $d_k$; see `fit`."


def test_a_signed_key_names_both_ends_and_the_middle():
    fig, axes = plt.subplots()
    axes.imshow([[1.0, -1.0]], cmap="course_diverging", vmin=-1.5, vmax=1.5)
    figures.signed_key(axes, 1.5, "weight")
    text = "".join(ElementTree.fromstring(svg.svg(fig, "a")).itertext()).split()
    assert {"+1.5", "−1.5", "0", "weight"} <= set(text)
    plt.close(fig)


def test_formulas_in_figures_run_on_as_text():
    text = "".join(ElementTree.fromstring(svg.svg(draw(), "a")).itertext())
    assert "loss & dk2, step by step" in text.replace("\n", "")


def test_a_figure_scrolls_before_its_letters_get_too_small():
    assert svg.min_width(432, 11.0) == "min-width:354px;"  # 11 points are 9 pixels there
    assert svg.min_width(360, 11.0) == ""
    fig, axes = plt.subplots(figsize=(5, 3))
    axes.set_title("small", fontsize=6)
    assert "min-width:540px;" in svg.svg(fig, "a")
    plt.close(fig)


def test_a_figure_without_words_is_refused():
    with pytest.raises(ValueError, match="what the picture shows"):
        figures.figure(draw(), alt=" ")
    plt.close("all")


# --- the palette ------------------------------------------------------------------------------

# Machado, Oliveira and Fernandes (2009), severity 1: what protanopia, deuteranopia and tritanopia
# leave of linear RGB
VISION = {
    "all cones": np.eye(3),
    "protanopia": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    "deuteranopia": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "tritanopia": [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def linear_rgb(color: str) -> np.ndarray:
    value = np.array([int(color[start : start + 2], 16) for start in (1, 3, 5)]) / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def lab(rgb: np.ndarray) -> np.ndarray:
    x, y, z = np.cbrt(TO_XYZ @ np.clip(rgb, 0.001, 1) / [0.9505, 1, 1.089])
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def theme(name: str) -> dict[str, str]:
    css = (BOOK / "_static" / "custom.css").read_text()
    block = re.search(rf'html\[data-theme="{name}"\] \{{\n  --course-0(.*?)\}}', css, re.DOTALL)[0]
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))


def test_without_scripts_a_page_has_the_light_colors():
    css = (BOOK / "_static" / "custom.css").read_text()
    before = re.findall(r'(.*\n)html\[data-theme="light"\] \{', css)
    assert before == ['html[data-theme="auto"],\n'] * 2  # nobody turns auto into light or dark


@pytest.mark.parametrize("name", ["light", "dark"])
def test_colors_are_told_apart_by_everyone_and_stand_out(name):
    variables = theme(name)
    palette = [variables[f"course-{index}"] for index in range(len(figures.COLORS))]
    if name == "light":
        assert palette == figures.COLORS
    for vision, matrix in VISION.items():
        seen = [lab(np.array(matrix) @ linear_rgb(color)) for color in palette]
        for (i, one), (j, other) in itertools.combinations(enumerate(seen), 2):
            assert np.linalg.norm(one - other) > 12, (vision, palette[i], palette[j])
    ground = linear_rgb(variables["pst-color-background"]) @ TO_XYZ[1]
    for color in palette:
        low, high = sorted([linear_rgb(color) @ TO_XYZ[1], ground])
        assert (high + 0.05) / (low + 0.05) > 3, color


def test_models_of_a_ladder_share_no_look():
    images = ["Bernoulli naive Bayes", "Gaussian naive Bayes", "softmax regression", "linear SVM"]
    images += ["MLP", "LeNet", "residual network", "Transformer"]
    looks = {(figures.COLOR[name], figures.MARKER.get(name)) for name in images}
    assert len(looks) == len(images)
    for names in (
        ["n-gram", "recurrence", "LSTM", "GRU", "Transformer"],
        ["training", "development", "test"],
        ["query", "key", "values"],
        ["convolution", "recurrence", "attention"],
    ):
        assert len({figures.COLOR[name] for name in names}) == len(names)


# --- say ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("when", [True, np.bool_(True), np.array(True), torch.tensor(True)])
def test_say_what_is_true(shown, when):
    figures.say("The loss is **0.1**.", when=when)
    assert shown == [
        {"text/markdown": "The loss is **0.1**.", "text/plain": "The loss is **0.1**."}
    ]


@pytest.mark.parametrize("when", [False, np.bool_(False), torch.tensor(3.0) < 2])
def test_say_what_is_false_fails_the_build(shown, when, monkeypatch):
    monkeypatch.setattr(figures, "other_run", lambda: "")  # whatever Python this is
    with pytest.raises(AssertionError, match=r"its own numbers deny it: Attention wins by 3\."):
        figures.say("Attention wins by 3.", when=when)
    assert not shown


def test_on_another_text_what_does_not_hold_is_shown_as_such(shown, monkeypatch):
    monkeypatch.setattr(reference, "_digest", lambda: "another")
    monkeypatch.setenv("COURSE_DEVICE", "cpu")
    monkeypatch.delitem(sys.modules, "pydoc_data.topics", raising=False)
    with pytest.raises(AssertionError):  # a page that read none
        figures.say("Attention wins by 3.", when=False)
    monkeypatch.setitem(sys.modules, "pydoc_data.topics", None)
    figures.say("Attention wins by 3.", when=False)
    figures.say("Attention wins by 4.", when=True)
    said = [bundle["text/plain"] for bundle in shown]
    assert said[0].startswith("**The following does not hold here**: the page was written for")
    assert said[0].endswith("\n\nAttention wins by 3.")
    assert said[1] == "Attention wins by 4."


def test_on_another_device_what_does_not_hold_is_shown_as_such(shown, monkeypatch):
    monkeypatch.setattr(reference, "other_text", lambda: "")
    monkeypatch.setenv("COURSE_DEVICE", "cpu")
    with pytest.raises(AssertionError):
        figures.say("Attention wins by 3.", when=False)
    monkeypatch.setenv("COURSE_DEVICE", "meta")
    figures.say("Attention wins by 3.", when=False)
    (said,) = [bundle["text/plain"] for bundle in shown]
    assert said.startswith("**The following does not hold here**: the page was written for a run")
    assert said.endswith("on meta.\n\nAttention wins by 3.")


@pytest.mark.skipif(
    platform.python_version() != reference.VERSION,
    reason=f"the text that the pages were written for (Python {reference.VERSION})",
)
def test_the_text_that_the_pages_were_written_for_is_known():
    assert reference._digest() == reference.DIGEST


@pytest.mark.parametrize("when", [0.93, "accuracy > 0.9", None, np.float64(1), torch.tensor(1.0)])
def test_say_takes_conditions_alone(when):
    with pytest.raises(TypeError, match="expects a condition"):
        figures.say("Accurate.", when=when)


# --- shapes and drawings -----------------------------------------------------------------------


def test_shapes_are_told_with_their_letters(shown):
    named = ("$Q$", "T d_k", torch.zeros(17, 7)), ("x", "3 T", torch.zeros(3, 17))
    figures.shapes(*named, ("y", "5", torch.zeros(5)))
    text = r"Shapes: $Q$: $T \times d_k$ = 17 × 7; x: $3 \times T$ = 3 × 17; y: 5."
    assert shown[0]["text/plain"] == text


@pytest.mark.parametrize(
    "named", [("T", (3, 2)), ("T d D", (3, 2)), ("T T", (3, 2)), ("4 T", (3, 2))]
)
def test_shapes_that_are_others_fail_the_build(shown, named):
    letters, shape = named
    with pytest.raises(AssertionError, match="it has the shape"):
        figures.shapes(("x", letters, torch.zeros(shape)))
    assert not shown


def test_parts_of_a_drawing_say_what_they_are():
    made = drawing.Drawing(300, 200, alt="parts")
    grid = made.grid(50, 60, ["ab", "<&"], size=10, colors={(1, 0): 2}, text="W_Q x_i")
    assert (grid.x, grid.y, grid.width, grid.height) == (50, 60, 20, 20)
    stack = made.stack(150, 60, 16, 30, text="maps")
    made.arrow(grid, stack)
    made.line([(0, 0), (50, 0), (50, 50)], tip=True)
    made.bracket(10, 90, 150, "r = 7")
    made.area([(0, 0), (9, 0), (9, 9)])
    made.sign(200, 60, "+")
    made.number(200, 90, "−0.5", color="gradient")
    made.arrow(made.box(250, 30, "x"), made.box(250, 150, "z"), "B × 64", beside=True)
    root = ElementTree.fromstring(made.svg())
    assert len(root.findall("rect")) == 4 + 2 * 6 + 2 * 2
    texts = ["".join(text.itertext()).replace("\u200b", "") for text in root.findall("text")]
    assert {"a", "b", "<", "&", "WQ xi", "maps", "r = 7", "+", "x", "z", "B × 64"} == set(texts)
    assert root.find("g").get("fill").startswith("var(--course-1,")
    assert root.find("g/text").text == "−0.5"
    beside = [text for text in root.findall("text") if text.text == "B × 64"]
    assert [text.get("text-anchor") for text in beside] == ["start"]
    assert [tspan.text for tspan in root.iter("tspan")][::2] == ["Q", "i"]


def test_a_subscript_stands_below_the_line_and_is_read_out_without_its_mark():
    made = drawing.Drawing(200, 60, alt="W_Q and h_{i−1} < x_12, of num_layers")
    wide = made.box(40, 30, "e(y_{i−1}) or zeros").width
    assert wide == made.box(140, 30, "e(yi−1) or zeros", note="num_layers, d_k").width
    root = ElementTree.fromstring(made.svg())
    assert root.get("aria-label") == made.alt == "W Q and h i−1 < x 12, of num_layers"
    texts = [[*text.itertext()] for text in root.findall("text")]
    assert texts[0] == ["e(y", "i−1", "\u200b", ") or zeros"]
    assert texts[2] == ["num_layers, d", "k", "\u200b"]
    lowered = root.findall("text/tspan")
    assert [float(tspan.get("dy")) for tspan in lowered] == [3, -3, 3, -3]


# --- show --------------------------------------------------------------------------------------

ANSWER = "key.transpose(-2, -1)"


def versions(markdown):
    """Output of `show` where the website is built, by edition."""
    parts = re.findall(r"::::\{container\} course-(\w+)\n(.*?)\n::::", markdown, re.DOTALL)
    return dict(parts)


def test_exercises_are_folded_in_the_public_edition(shown, monkeypatch):
    monkeypatch.setenv("COURSE_EDITION", "public")
    figures.show(self_attention.scaled_dot_product_attention)
    markdown = versions(shown[0]["text/markdown"])["public"]
    assert markdown.startswith(
        "<details>\n<summary>Solution: <code>scaled_dot_product_attention</code></summary>\n\n"
    )
    assert markdown.endswith("```\n\n</details>")
    assert 'href="api.html#solutions.self_attention.scaled_dot_product_attention"' in markdown
    assert ANSWER in markdown
    assert ANSWER in shown[0]["text/plain"]
    assert '"""' not in markdown
    figures.show(self_attention.scaled_dot_product_attention, fold=False)
    assert "<details>" not in shown[1]["text/markdown"]


@pytest.mark.parametrize("fold", [None, True, False])
def test_exercises_are_not_given_away_in_the_student_edition(shown, monkeypatch, fold):
    monkeypatch.setenv("COURSE_EDITION", "student")
    figures.show(self_attention.scaled_dot_product_attention, fold=fold)
    text = versions(shown[0]["text/markdown"])["student"]
    assert ANSWER not in text
    assert "softmax(" not in text.partition('"""')[0]
    assert "def scaled_dot_product_attention(" in text
    assert "Vaswani" in text
    assert "`grade check self_attention.scaled_dot_product_attention`" in text


@pytest.mark.parametrize("exercise", exercises("self_attention"), ids=lambda exercise: exercise.id)
def test_no_exercise_leaks_its_body(exercise, shown, monkeypatch):
    monkeypatch.setenv("COURSE_EDITION", "student")
    symbol = getattr(self_attention, exercise.symbol)
    figures.show(symbol)
    if isinstance(symbol, type):
        figures.show(symbol.forward)
    for bundle in shown:
        text = versions(bundle["text/markdown"])["student"]
        code = re.search(r"```python\n(.*?)```", text, re.DOTALL).group(1)
        compile(code, exercise.id, "exec")
        assert "raise NotImplementedError" in code
        assert "return " not in code.rpartition('"""')[2]


def test_other_code_is_shown_as_it_is(shown, monkeypatch):
    monkeypatch.delenv("COURSE_EDITION", raising=False)
    figures.show(data.digits)
    markdown = shown[0]["text/markdown"]
    assert markdown.startswith('<p class="course-source"><code>solutions/data.py</code></p>')
    assert "def digits(" in markdown
    assert "randperm" in markdown
    assert "1,797" not in markdown  # the docstring is on the page of the API
    compile(shown[0]["text/plain"], "digits", "exec")
    figures.show(data.digits, fold=True)
    assert "<summary>Code: <code>digits</code></summary>" in shown[1]["text/markdown"]


# --- tables ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "form", "text"),
    [
        ([1.0, 2.0, 3.0], ".1f", "2.0 ± 1.0"),
        (torch.tensor([-1.0, -3.0]), ".2f", "−2.00 ± 1.41"),
        ([5, 5], ".0f", "5 ± 0"),
        ([-0.03, 0.01], ".1f", "0.0 ± 0.0"),
    ],
)
def test_spread_is_mean_and_standard_deviation(values, form, text):
    assert figures.spread(values, form) == text.replace(" ", "\N{NO-BREAK SPACE}")


@pytest.mark.parametrize(
    ("value", "text"), [(3.2e-7, "3·10⁻⁷"), (1e5, "10⁵"), (9.96e-3, "10⁻²"), (2e12, "2·10¹²")]
)
def test_powers_of_ten_have_one_digit(value, text):
    assert figures.power_of_ten(value) == text


@pytest.mark.parametrize("values", [torch.arange(64.0), np.arange(64.0).reshape(8, 8)])
def test_a_picture_is_a_square_of_its_numbers(values):
    fig, axes = plt.subplots()
    figures.picture(axes, values, title="a 3", vmax=63)
    (image,) = axes.images
    assert image.get_array().tolist() == np.arange(64.0).reshape(8, 8).tolist()
    assert image.get_clim() == (0, 63)
    assert axes.get_title() == "a 3"
    plt.close(fig)


def test_table_aligns_numbers_and_falls_back_to_text(shown):
    figures.table(
        [["`F.softmax`", 0.961, "±0.01"], ["$d_k$ & more", 12, "–"]],
        header=["Model", "Accuracy", "Spread"],
        caption="On <five> seeds.",
    )
    page = ElementTree.fromstring(shown[0]["text/html"])
    assert page.findtext(".//caption") == "On <five> seeds."
    assert [cell.get("style") for cell in page.findall(".//thead//th")] == [
        "text-align:left",
        "text-align:right",
        "text-align:right",
    ]
    assert page.findtext(".//td/code") == "F.softmax"
    assert page.findall(".//tbody//td")[3].text == r"\(d_k\) & more"
    assert "| `F.softmax` | 0.961 | ±0.01 |" in shown[0]["text/markdown"]
    assert shown[0]["text/plain"].splitlines() == [
        "On <five> seeds.",
        "",
        "Model         Accuracy  Spread",
        "`F.softmax`      0.961   ±0.01",
        "$d_k$ & more        12       –",
    ]


def test_words_that_begin_with_a_number_are_no_numbers(shown):
    figures.table([["8 steps from each draw", "30,528 parameters"]], header=["Way", "Room"])
    page = ElementTree.fromstring(shown[0]["text/html"])
    sides = [cell.get("style") for cell in page.findall(".//td")]
    assert sides == ["text-align:left", "text-align:right"]


def test_a_long_name_in_a_table_may_be_broken(shown):
    figures.table([["`encoder.layers.0.attention_norm`", "`fit`"]], header=["Here", "There"])
    names = ElementTree.fromstring(shown[0]["text/html"]).findall(".//td/code")
    assert [len(name.findall("wbr")) for name in names] == [4, 0]
    assert "".join(names[0].itertext()) == "encoder.layers.0.attention_norm"


def test_table_with_a_ragged_row_is_refused():
    with pytest.raises(ValueError, match="2 cells, the header has 3"):
        figures.table([["a", 1]], header=["one", "two", "three"])
