"""The widgets: each has its parts in one place, and says something without its script."""

import base64
import io
import itertools
import json
import re
from html import unescape
from xml.etree import ElementTree

import numpy as np
import pytest
import torch
from matplotlib.image import imread

from book.mistakes import known_mistakes, told
from book.pages import BOOK, cells, chapters
from book.reach import imports
from book.widgets import board, devices
from book.widgets.attention import attention_map
from book.widgets.backprop import backprop_steps
from book.widgets.bayes import bayes_square
from book.widgets.beam import beam_tree, best_end, grow, path
from book.widgets.bleu import bleu_board, sentence_bleu
from book.widgets.board import asset, widget
from book.widgets.broadcast import broadcast_board
from book.widgets.budget import BOX, BUDGETS, Surface, best_of, budget_plane
from book.widgets.convolution import convolution_steps
from book.widgets.denoise import FAR, START, STEPS, denoise
from book.widgets.denoise import walk as denoising_path
from book.widgets.dials import rotary_dials
from book.widgets.disagree import disagreement
from book.widgets.draw import draw_digit
from book.widgets.filled import hole_board
from book.widgets.filters import filter_board
from book.widgets.fit import fit_line
from book.widgets.gates import gate_board, half_from_last, rounded, terms_left, unrolled
from book.widgets.guess import guess_board, percent
from book.widgets.histograms import layer_histograms
from book.widgets.lookup import lookup_plane
from book.widgets.machine import BEGIN, BLOCK, END, LAYER, SHADES, forward_pass, small_gpt, trace
from book.widgets.margin import margin_plane
from book.widgets.matrix import UNIT, matrix_map
from book.widgets.negatives import negatives_board
from book.widgets.neighbors import neighbor_table
from book.widgets.outlier import outlier_board
from book.widgets.patches import patch_attention
from book.widgets.patching import cut_digit
from book.widgets.pull import push_and_pull
from book.widgets.race import decoding_race, passes_of
from book.widgets.rank import held, rank_board
from book.widgets.reader import in_bytes, read_digit, scored
from book.widgets.secant import secant
from book.widgets.shift import shift_digit
from book.widgets.sketch import sketch
from book.widgets.spirals import _png, train_spirals
from book.widgets.stages import stage_samples
from book.widgets.superposition import superposition_board
from book.widgets.temperature import temperature_row
from book.widgets.tilewalk import tile_walk, walk
from book.widgets.tilt import tilt
from book.widgets.tokens import readable, token_board
from book.widgets.valley import RATES, descend, race, valley
from book.widgets.verdict import verdict_board
from book.widgets.votes import CHECK, FIRST, VOTE, Samples, pick_answers
from book.widgets.weigh import weigh_pixels
from book.widgets.wordmap import word_map
from grader.enclose.worker.fixtures import Stepwise
from grader.judge import records
from grader.student.report import LATER, SEEN
from solutions.contrastive import clip_loss
from solutions.convolution import LeNet
from solutions.diffusion import flow_table
from solutions.distributed import idle_share, memory_per_device, timetable
from solutions.gpt import compute_optimal, speculate
from solutions.interpretability import superposition_loss
from solutions.mlp import MLP
from solutions.model_compression import absmax_scale, decibels, dequantize, quantize
from solutions.recurrent import CharacterModel
from solutions.refresher import posterior
from solutions.self_attention import soft_lookup
from solutions.seq2seq import beam_search
from solutions.tokenization import BytePairTokenizer
from solutions.transformer import rotary
from solutions.vit import patches

FOLDER = BOOK / "widgets"
SHARED = {"board"}
PARTS = (
    "player",
    "engine",
    "digit",
    "network",
    "plane",
)  # what several widgets name among their parts
WIDGETS = sorted({file.stem for file in FOLDER.glob("[a-z]*.py")} - SHARED)


@pytest.fixture
def shown(monkeypatch):
    """The outputs of the cell, as Jupyter would get them."""
    bundles = []
    monkeypatch.setattr(board, "display", lambda bundle, raw: bundles.append(bundle))
    return bundles


def model(bundle):
    """The data that a widget's script is given."""
    return json.loads(unescape(re.search(r'data-model="(.*?)"', bundle["text/html"])[1]))


@pytest.mark.parametrize("name", WIDGETS)
def test_the_parts_of_a_widget_have_its_name(name):
    module, style = ((FOLDER / f"{name}.{kind}").read_text() for kind in ("py", "css"))
    assert f'widget(\n        "{name}"' in module or f'widget("{name}"' in module
    assert f".course-{name}" in style
    script = FOLDER / f"{name}.js"
    assert not script.exists() or f'\nwidgets("{name}", ' in script.read_text()
    for part, calls in (
        ("player", ("player(root", "stepwise(root")),
        ("engine", ("Engine.", "chart(")),
        ("digit", ("myDigit(", "digitBoard(")),
        ("network", ("].run(pixels)",)),
        ("plane", ("dragOver(", "= onAxes(axes)")),
    ):
        used = script.exists() and any(call in script.read_text() for call in calls)
        used |= f'class="course-{part}"' in module  # its style alone
        assert used == (f'"{part}"' in module)


def test_every_style_and_script_belongs_to_a_widget():
    assert {file.stem for file in FOLDER.glob("*.*s")} == {*WIDGETS, *SHARED, *PARTS}


def test_every_widget_is_on_a_page():
    found = {name for page in chapters() for cell in cells(page) for name in imports(cell)}
    assert {f"book.widgets.{name}" for name in WIDGETS} <= found


def test_a_widget_carries_its_style_its_data_and_the_script_of_the_board(shown):
    widget("draw", "<p>nothing yet</p>", "a board", model={"a": '"<&>"'}, attributes="data-x")
    content = shown[0]["text/html"]
    assert shown[0]["text/plain"] == "a board"
    assert model(shown[0]) == {"a": '"<&>"'}
    for part in ("board", "draw"):
        assert f'<style data-shared="{part}">{asset(part, "css")}</style>' in content
        assert asset(part, "js") in content
        assert content.count(f'<script data-shared="{part}">') == 1
    assert content.count("<script") == content.count("</script>") == 2
    assert '<div class="course-widget course-draw" data-x data-model=' in content


def test_pages_carry_no_comments_of_styles_and_scripts():
    style, script = asset("board", "css"), asset("board", "js")
    assert "/*" not in style
    assert style.startswith(".course-widget {")
    assert not re.search("^ | //", script, re.MULTILINE)
    assert script.startswith("const widgets = (name, start) => {\nconst begin")
    for file in FOLDER.glob("*.js"):  # a string over several lines would change
        assert all(line.count("`") % 2 == 0 for line in file.read_text().splitlines())


def test_a_widget_without_a_script_gets_none(shown):
    widget("backprop", "<p></p>", "steps")
    assert "<script" not in shown[0]["text/html"]


def test_a_widget_carries_the_parts_that_it_names(shown):
    widget("beam", "<p></p>", "a tree", parts=("player",))
    widget("beam", "<p></p>", "a tree")
    scripts = [bundle["text/html"].partition("<script")[2] for bundle in shown]
    assert [asset("player", "js") in script for script in scripts] == [True, False]
    order = ["courseParts ??= {}).board ??=", "courseParts ??= {}).player ??=", 'widgets("beam"']
    assert [*map(scripts[0].index, order)] == sorted(map(scripts[0].index, order))
    assert "const { player, stepwise } = courseParts.player;" in scripts[0]


# --- attention maps ----------------------------------------------------------------------------


def test_attention_map_is_a_table_without_its_script(shown):
    weights = torch.tensor([[1.0, 0.0, 0.0], [0.25, 0.75, 0.0]], requires_grad=True)
    attention_map(["the", "<pad>", "cat"], weights, queries=["die", "Katze"], alt="a map")
    content = shown[0]["text/html"]
    table = ElementTree.fromstring(re.search(r"<table>.*</table>", content, re.DOTALL)[0])
    assert table.findtext("caption") == shown[0]["text/plain"] == "a map"
    assert ["".join(cell.itertext()) for cell in table.findall("thead//th")] == [
        "the",
        "<pad>",
        "cat",
    ]
    assert [cell.text for cell in table.findall("tbody//th")] == ["die", "Katze"]
    assert [cell.text for cell in table.findall("tbody//td")] == [
        "1.00", "0.00", "0.00", "0.25", "0.75", "0.00",
    ]  # fmt: skip
    assert "http" not in content


def test_attention_map_carries_every_head(shown):
    weights = np.random.default_rng(0).dirichlet(np.ones(3), size=(2, 3))
    attention_map(["a", "b", "c"], weights, alt="two heads")
    heads = json.loads(re.search(r'data-model="(.*?)"', shown[0]["text/html"])[1])
    assert np.abs(np.array(heads) / 1000 - weights).max() <= 0.0005
    attention_map(["a", "b", "c"], weights, alt="two heads", names=["one", "two & more"])
    assert ' data-names="one|two &amp; more"' in shown[1]["text/html"]
    with pytest.raises(ValueError, match="1 names for 2 heads"):
        attention_map(["a", "b", "c"], weights, alt="two heads", names=["one"])


def test_a_mistake_stands_under_its_map_in_the_words_of_the_grader(shown):
    notes = [("see-a", "`view` cuts *here*, a < b")]
    given = {"alt": "a map", "names": ["right", "wrong"], "notes": notes, "verb": "is made of"}
    attention_map(["a", "b"], np.full((2, 2, 2), 0.5), **given)
    content = shown[0]["text/html"]
    said = "<b>wrong:</b> <code>view</code> cuts <em>here</em>, a &lt; b"
    assert f'<p class="course-note" id="see-a">{said}</p>' in content
    assert 'data-verb="is made of"' in content
    assert " data-written " not in content
    attention_map(["a", "b"], np.full((2, 2), 0.5), alt="a map", written=True)
    assert " data-written " in shown[1]["text/html"]
    assert all("course-film" in one["text/html"] for one in shown)  # a page keeps the first script
    with pytest.raises(ValueError, match="2 notes for 2 named heads"):
        attention_map(["a", "b"], np.full((2, 2, 2), 0.5), **given | {"notes": 2 * notes})


def test_reports_lead_to_mistakes_that_a_page_shows():
    for exercise, names in SEEN.items():
        slug, _, symbol = exercise.partition(".")
        page = (BOOK / f"{LATER.get(exercise, slug)}.md").read_text()
        assert f'known_mistakes("{exercise}"' in page
        assert all(f'"{name}"' in page for name in names)
        whys = {one.name: one.why for one in records.load(slug, symbol).manifest.mistakes}
        assert known_mistakes(exercise, names) == [(f"see-{name}", whys[name]) for name in names]
        assert whys in told(page)


@pytest.mark.parametrize("shape", [(3, 2), (2, 3, 2), (3,), (2, 2, 3, 3)])
def test_attention_map_of_another_shape_is_refused(shape):
    with pytest.raises(ValueError, match=r"\(heads, 3, 3\)"):
        attention_map(["a", "b", "c"], np.zeros(shape), alt="a map")


def test_attention_map_opens_on_the_query_that_is_asked_for(shown):
    weights = np.full((2, 2), 0.5)
    attention_map(["it", "is"], weights, alt="a map", opens="is")
    assert ' data-opens="1"' in shown[0]["text/html"]
    attention_map(["it", "is"], weights, alt="a map")
    assert ' data-opens="' not in shown[1]["text/html"]
    with pytest.raises(ValueError, match="one of its queries"):
        attention_map(["it", "is"], weights, alt="a map", opens="was")


def test_attention_map_needs_words_and_weights():
    with pytest.raises(ValueError, match="what the map shows"):
        attention_map(["a"], [[1.0]])
    for weight in (float("nan"), 1.5, -0.1):
        with pytest.raises(ValueError, match="from 0 to 1"):
            attention_map(["a"], [[weight]], alt="a map")


# --- a kernel to step through ------------------------------------------------------------------


def test_convolution_steps_are_three_tables_without_their_script(shown):
    picture = np.arange(20).reshape(4, 5)
    convolution_steps(picture, [[1, 0], [0, -1]], alt="a kernel <slides>")
    content = shown[0]["text/html"]
    assert shown[0]["text/plain"] == "a kernel <slides>"
    assert 'aria-label="a kernel &lt;slides&gt;"' in content
    tables = re.findall(r"<table.*?</table>", content, re.DOTALL)
    cells = [re.findall(r'data-n="(-?\d+)".*?>(.*?)</td>', found) for found in tables]
    assert [int(n) for n, _ in cells[0]] == [*range(20)]
    assert [text for _, text in cells[1]] == ["1", "0", "0", "−1"]
    assert [text for _, text in cells[2]] == ["−6"] * 12  # x[i, j] − x[i + 1, j + 1]
    assert [found.count(" data-on") for found in tables] == [4, 0, 1]
    assert "http" not in content


@pytest.mark.parametrize(
    ("picture", "kernel", "alt", "said"),
    [
        (np.ones((4, 4)), np.ones((2, 2)), " ", "what is to be seen"),
        (np.ones(4), np.ones((2, 2)), "x", r"got shapes \(4,\) and \(2, 2\)"),
        (np.ones((4, 4)), np.ones((3, 2)), "x", "with dilation 2 does not fit"),
        (np.full((4, 4), 0.5), np.ones((2, 2)), "x", "whole numbers"),
    ],
)
def test_convolution_steps_that_cannot_be_shown_are_refused(picture, kernel, alt, said):
    with pytest.raises(ValueError, match=said):
        convolution_steps(picture, kernel, alt=alt)


# --- the board of pixels, neighbors, a network --------------------------------------------------


def test_pixels_and_weights_reach_the_script_as_they_are(shown):
    weight, bias = torch.arange(640.0).reshape(10, 64) / 7, torch.arange(10.0)
    examples = torch.arange(128).reshape(2, 64).remainder(17) / 16
    weigh_pixels(weight, bias, examples, "a digit", labels=torch.tensor([8, 3]))
    found = model(shown[0])
    assert found["labels"] == [8, 3]
    assert np.abs(np.array(found["weight"]) - weight.numpy()).max() <= 0.0005
    assert found["bias"] == bias.tolist()
    levels = [[int(level, 17) / 16 for level in text] for text in found["examples"]]
    assert levels == examples.tolist()
    content = shown[0]["text/html"]
    assert "<p>a digit</p>" in content
    assert "This is an 8. The model predicts a 9 (100.0%)." in content
    assert content.count('<i style="--ink:') == 64
    bars = re.findall(r"--share:([\d.]+)", content)
    assert [float(bar) for bar in bars] == [0] * 9 + [1]
    weigh_pixels(weight, bias, examples, "a digit")
    assert "<p>The model predicts a 9 (100.0%).</p>" in shown[1]["text/html"]


def test_coins_and_drawings_reach_the_script_as_they_are(shown):
    coins = torch.linspace(0.01, 0.99, 640).reshape(10, 64)
    examples = torch.arange(64).remainder(2)[None]
    draw_digit(coins, torch.full((10,), 0.1).log(), examples, (-31.26, -12.04), "a board")
    found = model(shown[0])
    assert np.abs(np.array(found["coins"]) - coins.numpy()).max() <= 0.00005
    assert found["prior"] == [-2.3026] * 10
    assert found["examples"] == ["01" * 32]
    assert found["usual"] == [-31.3, -12.0]


def test_the_valley_shows_its_first_path_without_the_script(shown):
    valley("a valley")
    content = shown[0]["text/html"]
    line = re.search(r'class="course-path" d="M(.*?)"', content)[1]
    points = [tuple(map(float, pair.split())) for pair in line.split("L")]
    path, arrived = descend(-9.0, 2.0, 0.07, 0.0)
    assert np.allclose(points, [(x, -1.6 * y) for x, y in path[:61]], atol=6e-4)
    assert path[1] == (-9.0 * (1 - 0.07), 2.0 * (1 - 25 * 0.07))
    assert all(abs(x) < 9.1 and abs(y) < 2.75 for x, y in path)  # inside of the frame
    assert f"at the minimum after {arrived} steps." in content
    assert descend(-9.0, 2.0, 0.09, 0.0)[1] is None


def test_a_race_in_the_valley_stands_without_the_script(shown):
    paths = {
        "plain": torch.tensor([[-9.0, 2.0], [-1.0, 0.5], [0.3, -0.39]]),
        "Adam": torch.tensor([[-9.0, 2.0], [-3.0, 4.0], [3.0, -4.0]]),
    }
    rates = {"plain": 0.07, "Adam": 0.5}
    race(paths, rates, "a race")
    content = shown[0]["text/html"]
    says = (
        "Step 2. In the circle around the minimum: plain after 2 steps. Not there: Adam 5.0 away."
    )
    assert f'<p role="status">{says}</p>' in content
    lines = re.findall(r'class="course-path" d="M(.*?)"', content)
    assert lines == [
        "-9.000 -2.000L-1.000 -0.500L0.300 0.390",
        "-9.000 -2.000L-3.000 -4.000L3.000 4.000",
    ]
    found = model(shown[0])["racers"]
    assert [(one["kind"], one["rate"]) for one in found] == [("SGD", 0.07), ("Adam", 0.5)]
    assert all(rate == sorted(rate) for rate in RATES.values())
    with pytest.raises(ValueError, match="these optimizers and rates"):
        race(paths, rates | {"Adam": 0.123}, "a race")


def test_the_path_of_a_sampler_stands_without_the_script(shown):
    weights, variances = torch.tensor([0.7, 0.3]), torch.tensor([0.02, 0.05])
    means = torch.tensor([[-1.0, 0.5], [1.5, -0.5]])
    denoise(weights, means, variances, "a <path>")
    content = shown[0]["text/html"]
    path = denoising_path(weights.double(), means.double(), variances.double(), START, STEPS)
    line = re.search(r'class="course-way" d="M(.*?)"', content)[1]
    points = torch.tensor([[float(part) for part in pair.split()] for pair in line.split("L")])
    scale = 420 / (2 * FAR)
    expected = torch.stack([scale * (path[:, 0] + FAR), scale * (FAR - path[:, 1])], dim=1)
    # a drawing gives places to a tenth, so they are off by half of that at most
    assert torch.allclose(points.double(), expected, atol=0.06)
    assert (path[-1] - torch.tensor([-1.0, 0.5])).norm() < 0.5
    assert "nearest to the cluster of 70%. Calls of the denoiser: 10." in content
    assert 'aria-label="a &lt;path&gt;"' in content
    drawn = re.findall(r'<circle cx="([-.\d]+)" cy="([-.\d]+)" r="([.\d]+)" fill=', content)
    circles = torch.tensor([[float(part) for part in one] for one in drawn]).double()
    # to a tenth, too
    assert torch.allclose(circles[:, 2], scale * 2 * variances.double().sqrt(), atol=0.06)
    assert torch.allclose(circles[:, 0], scale * (means[:, 0].double() + FAR), atol=0.06)
    with pytest.raises(ValueError, match="a mean lies outside"):
        denoise(weights, 3 * means, variances, "a path")


def test_a_sampler_for_one_cluster_goes_straight_on_the_straight_table():
    weights, means = torch.ones(1).double(), torch.tensor([[0.5, 1.0]]).double()
    point = torch.full((1,), 1e-12).double()  # of no width: the denoiser says its mean
    path = denoising_path(weights, means, point, (2.0, -1.0), 4, straight=True)
    levels = flow_table(4).flip(0).double()
    line = levels[:, :1] * means + levels[:, 1:] * torch.tensor([[2.0, -1.0]]).double()
    assert torch.allclose(path, line, atol=1e-6)


def test_vectors_after_the_last_step_stand_without_the_script(shown):
    center, context = (
        torch.tensor([[1.0, 0.0], [0.0, -0.5]]),
        torch.tensor([[2.0, 0.0], [0.0, 1.0]]),
    )
    draws = torch.tensor([[1, 1, 0, 0], [0, 0, 1, 0]])
    start = torch.ones(2, 2), torch.zeros(2, 2)
    push_and_pull(["<a>", "b"], ["c", "d"], draws, start, (center, context), "a plane", rate=0.5)
    content = shown[0]["text/html"]
    assert "Step 2. The last pair: “&lt;a&gt;” and “c”; noise: “d”, “c”." in content
    assert re.findall(r'"--share:[\d.]+">([\d.]+)<', content) == ["0.88", "0.50", "0.50", "0.38"]
    lines = re.findall(r'<path d="M0 0L([-\d. ]+)" class="course-center"', content)
    assert lines == ["85.0 -0.0", "0.0 42.5"]
    found = model(shown[0])
    assert found["draws"] == draws.tolist()
    assert found["center"] == start[0].tolist()
    with pytest.raises(ValueError, match="for each of 1 words"):
        push_and_pull(["a"], ["c", "d"], draws, start, (center, context), "a plane", rate=0.5)


def test_neighbors_of_one_word_stand_without_the_script(shown):
    angles = torch.tensor([0.0, 0.1, 0.3, 0.6, 1.0, 1.5, 2.1, 2.8])
    vectors = 3 * torch.stack([angles.cos(), angles.sin()], dim=1)
    words = [*"abcdefg", "<h>"]
    neighbor_table(words, {"by angle": vectors, "reversed": vectors.flip(0)}, "near", word="a")
    content = shown[0]["text/html"]
    assert re.findall(r"<td>(.*?)</td>", content) == [
        "b, c, d, e, f, g",
        "b, c, d, e, f, g",
    ]
    assert "The six nearest of 8 words." in content
    found = model(shown[0])
    assert found["words"] == words
    assert found["lists"][0][7] == [6, 5, 4, 3, 2, 1]


def network():
    sizes = {"x": 2, "a": 3, "o": 3, "z": 2, "p": 2, "y": 2, "by_o": 3, "delta": 2}
    layers = {
        name: [torch.ones(3, 2), torch.ones(2, 3)] for name in ("weights", "by_weight", "moved")
    }
    biases = {"by_bias": [torch.ones(3), torch.ones(2)]}
    units = {name: -torch.ones(1, size) for name, size in sizes.items()}
    return {**units, **layers, **biases, "loss": 0.5, "after": -0.001}


def test_a_step_of_the_network_hides_what_comes_later(shown):
    backprop_steps([f"step {k}" for k in range(1, 12)], "a network", **network())
    content = shown[0]["text/html"]
    said = re.findall(r'<p class="c(\d+)">step (\d+) <span>(.*?)</span></p>', content)
    assert [(k, step) for k, step, _ in said] == [(str(k), str(k)) for k in range(1, 12)]
    goes = [re.findall(r'<label for="backprop-(\d+)">(.*?)</label>', links) for *_, links in said]
    assert goes[0] == [("2", "Next ›")]
    assert goes[5] == [("5", "‹ Back"), ("7", "Next ›")]
    assert goes[10] == [("10", "‹ Back"), ("1", "Again")]
    on = ".course-backprop input:nth-of-type(9):checked~div"
    assert f"{on} .f10,{on} .f11{{visibility:hidden}}" in content
    for found in re.findall(r"<svg.*?</svg>", content):  # wide and tall
        drawing = ElementTree.fromstring(found)
        texts = [(text.get("class"), text.text) for text in drawing.findall("text")]
        assert {("f5 a5 u0", "loss 0.50"), ("f11 a11", "next loss 0.00"), ("f2 a2", "−1.00")} <= {
            *texts
        }
        names = [text for _, text in texts if text in ("x", "a₁", "o₁", "a₂")]
        assert names == ["x", "a₁", "o₁", "a₂"]  # once each: a subscript is the layer
        width, height = map(float, drawing.get("viewBox").split()[2:])
        for box in drawing.findall("rect"):
            left, top = float(box.get("x")), float(box.get("y"))
            assert 0 < left < left + 66 < width
            assert 0 < top < top + 54 < height
    assert content.count("<svg") == 2


def test_a_network_with_other_steps_is_refused():
    with pytest.raises(ValueError, match="expects 11 captions, one per step; got 1"):
        backprop_steps(["step"], "a network", **network())


# --- networks to choose among, rows of a softmax, words on a map, a digit to move ---------------


def test_a_trained_network_stands_without_the_script(shown):
    points = torch.tensor([[0.0, 0.0], [1.0, -0.504]]), torch.tensor([0, 1])
    fresh = torch.tensor([[0.5, 0.25]]), torch.tensor([1])
    grid = torch.full((4, 4), 0.3)
    train_spirals(points, fresh, grid, "A <network>.", "regions", most=1.0)
    assert model(shown[0]) == {
        "most": 1,
        "points": [0, 0, 100, -50],
        "labels": [0, 1],
        "fresh": [50, 25],
        "freshLabels": [1],
    }
    page = shown[0]["text/html"]
    drawing = ElementTree.fromstring(re.search(r'<svg [^>]*label="regions">.*</svg>', page)[0])
    assert drawing.find("image").get("href") == _png(grid)
    places = [(dot.get("cx"), dot.get("cy")) for dot in drawing.findall("circle")]
    assert places == [("160.0", "160.0"), ("320.0", "240.6")]
    assert "A &lt;network&gt;." in shown[0]["text/html"]
    with pytest.raises(ValueError, match="0 or 1 for each point"):
        train_spirals(points, (fresh[0], fresh[1] + 1), grid, "", "regions", most=1.0)


def test_the_picture_of_a_network_has_the_color_of_the_class_and_its_first_row_below():
    chances = torch.tensor([[0.0, 0.0], [1.0, 0.5]])
    png = base64.b64decode(_png(chances).partition(",")[2])
    pixels = imread(io.BytesIO(png))
    assert pixels.shape == (2, 2, 4)
    # a channel has eight bits
    assert np.allclose(pixels[0, 0], [0xC2 / 255, 0x41 / 255, 0x0C / 255, 0.4], atol=0.01)
    assert np.allclose(pixels[1, 0, :3], [0x2B / 255, 0x5F / 255, 0xC7 / 255], atol=0.01)
    assert pixels[0, 1, 3] == 0  # unsure: clear
    assert _png(chances) == _png(chances)


def test_histograms_of_every_layer_stand_without_the_script(shown):
    pictures = torch.arange(640).reshape(64, 10).remainder(17) / 16
    labels = torch.arange(64) % 10
    edge = torch.tensor([[-9.0, -3.9, -0.1], [0.0, 0.1, 99.0]])
    layer_histograms(pictures, labels, [edge, edge / 1e6], [edge / 10, edge], "histograms <of>")
    content = shown[0]["text/html"]
    assert 'aria-label="histograms &lt;of&gt;"' in content
    found = re.findall(r'<path d="(.*?)"/><path d="(.*?)"/>', content)
    assert len(found) == 4
    bins = [[int(x) // 2 for x in re.findall(r"M(\d+) ", part)] for part in found[0]]
    assert bins == [[0, 19], [20, 39]]  # what is farther out is in the outermost
    assert re.findall(r"v-([\d.]+)", found[0][0]) == ["19.0", "9.5"]
    wide = f"{edge.std(correction=0):.2f}"
    assert f"layer 2 is &lt;0.001 without batch normalization, and {wide} with it." in content
    assert model(shown[0])["hidden"] == [3, 3]
    assert model(shown[0])["pictures"][:12] == "0123456789ab"
    assert model(shown[0])["labels"][8:12] == "8901"
    with pytest.raises(ValueError, match="same layers in both"):
        layer_histograms(pictures, labels, [edge], [edge, edge], "histograms")


def test_the_weights_of_a_row_stand_without_the_script(shown):
    scores = torch.tensor([0.5, 0.0, -0.25])
    temperature_row(["a", "<b>", "c"], scores, "a row")
    content = shown[0]["text/html"]
    bars = [float(bar) for bar in re.findall(r"--share:([\d.]+)", content)]
    assert np.allclose(bars, (8 * scores).softmax(dim=0), atol=1e-4)  # d_k = 64, not divided
    assert "<b>&lt;b&gt;</b>" in content
    assert "a gets 0.98 of the weight." in content
    assert model(shown[0])["scores"] == [0.5, 0, -0.25]
    with pytest.raises(ValueError, match="2 words and 3 scores"):
        temperature_row(["a", "b"], scores, "a row")


def test_the_likeliest_tokens_stand_without_the_script(shown):
    tokens, logits = [chr(65 + place) for place in range(13)] + ["<"], torch.arange(14.0)
    filter_board(["a & b", "c"], tokens, torch.stack([logits, -logits]), "a board")
    content = shown[0]["text/html"]
    assert re.findall("<b>(.*?)</b><span>", content) == ["&lt;", *"MLKJIHGFEDC"]
    bars = [float(bar) for bar in re.findall(r"--share:([\d.]+)", content)]
    assert np.allclose(bars, logits.softmax(dim=0).flip(0)[:12], atol=1e-4)
    assert "a &amp; b<b>" in content
    assert "14 of 14 tokens are left." in content
    assert model(shown[0])["logits"] == [logits.tolist(), (-logits).tolist()]
    with pytest.raises(ValueError, match="2 texts and 14 tokens"):
        filter_board(["a", "b"], tokens, logits, "a board")


def test_answers_after_each_stage_stand_without_the_script(shown):
    answers = [
        [[("1<", "no form"), ("12.", "right")], [("3.", "form")]],
        [[("12.", "right")] * 2] * 2,
    ]
    stage_samples(["before", "after"], ["21?", "3?"], answers, "samples")
    content = shown[0]["text/html"]
    rows = re.findall(r'<th scope="row">(.*?)</th><td>(.*?)</td>', content)
    assert [stage for stage, _ in rows] == ["before", "after"]
    assert re.findall(r'class="course-([\w-]+)">(.)&nbsp;(.*?)</code>', rows[0][1]) == [
        ("no-form", "?", "1&lt;"),
        ("right", "✓", "12."),
    ]
    assert "Right answers to 21?, out of 2: before 1, after 2." in content
    assert model(shown[0])["prompts"] == ["21?", "3?"]
    with pytest.raises(ValueError, match="every stage"):
        stage_samples(["before"], ["21?", "3?"], answers, "samples")


def test_a_word_and_its_neighbors_are_named_without_the_script(shown):
    places = torch.tensor([[0.0, 0.0], [1.0, 1.0], [1.0, 0.0]])
    nearest = torch.tensor([[2], [2], [0]])
    word_map(["a", "b", "<c>"], places, nearest, "a map", word="b")
    drawing = ElementTree.fromstring(re.search(r"<svg.*</svg>", shown[0]["text/html"], re.S)[0])
    dots = [(dot.get("cx"), dot.get("cy")) for dot in drawing.findall("circle")]
    assert dots == [("24", "416"), ("576", "24"), ("576", "416")]
    assert [text.text for text in drawing.iter("text")] == ["<c>", "b"]
    assert "Nearest to b: &lt;c&gt;." in shown[0]["text/html"]
    assert model(shown[0]) == {"words": ["a", "b", "<c>"], "nearest": [[2], [2], [0]]}
    with pytest.raises(ValueError, match="begins with 'd'"):
        word_map(["a", "b", "c"], places, nearest, "a map", word="d")


def test_what_networks_read_at_every_place_reaches_the_script(shown):
    chances = torch.zeros(2, 3, 3, 10)
    chances[..., 4], chances[1, 0, 2, 4], chances[1, 0, 2, 7] = 0.9, 0.3, 0.6
    pictures = torch.arange(128).reshape(2, 8, 8).remainder(17) / 16
    torch.manual_seed(0)
    options = {"alt": "a digit", "reach": 1, "networks": {"net": layers_of(MLP([64, 7, 10]))}}
    shift_digit(pictures, torch.tensor([4, 5]), {"net": chances}, **options)
    found = model(shown[0])
    assert found["reads"] == {"net": ["444444444", "447444444"]}  # row by row: up and right
    assert found["sure"]["net"][1][:3] == [90, 90, 60]
    levels = [[int(level, 17) / 16 for level in text] for text in found["pictures"]]
    assert levels == pictures.flatten(1).tolist()
    assert "<td>4</td><td>90%</td>" in shown[0]["text/html"]
    assert "A 4, not moved." in shown[0]["text/html"]
    shift_digit(pictures, torch.tensor([5, 5]), {"net": chances}, **options)
    assert "<td data-wrong>4</td>" in shown[1]["text/html"]
    with pytest.raises(ValueError, match="net has"):
        shift_digit(pictures, torch.tensor([5, 5]), {"net": chances}, **options | {"reach": 2})
    with pytest.raises(ValueError, match="no chances of net"):
        shift_digit(pictures, torch.tensor([5, 5]), {}, **options)


def test_what_patches_look_at_reaches_the_script(shown):
    pictures = torch.arange(128).reshape(2, 8, 8) / 127
    weights = torch.arange(50.0).reshape(2, 5, 5) + 1
    weights = weights / weights.sum(dim=-1, keepdim=True)
    options = {"alt": "letters in patches"}
    patch_attention(["A", "<"], pictures, {"layer 1": weights}, **options)
    found = model(shown[0])
    assert (found["titles"], found["side"]) == (["A", "<"], 2)
    assert found["views"]["layer 1"][1][:5] == [186, 193, 200, 207, 214]  # 26 to 30 of 140
    drawn = imread(io.BytesIO(base64.b64decode(found["pictures"][1].partition(",")[2])))
    assert drawn.shape[:2] == (8, 8)
    assert drawn[-1, -1, 0] == 0  # ink is black
    page = shown[0]["text/html"]
    shares = [float(share) for share in re.findall(r'<i style="--w:([\d.]+)"', page)]
    assert shares == [0.4, 0.6, 0.8, 1.0]
    assert "The class token of A, layer 1: itself 7%, patches 93%." in page
    patch_attention(["<", "A"], pictures, {"layer 1": weights}, **options)
    assert "The class token of &lt;," in shown[1]["text/html"]
    with pytest.raises(ValueError, match="one has"):
        patch_attention(["A", "B"], pictures, {"one": weights[:1]}, **options)
    with pytest.raises(ValueError, match="1 titles"):
        patch_attention(["A"], pictures, {"one": weights}, **options)
    with pytest.raises(ValueError, match="alt"):
        patch_attention(["A", "B"], pictures, {"one": weights}, alt=" ")


# --- two models that disagree -------------------------------------------------------------------


def layers_of(model):
    parameters = [part.detach() for part in model.parameters()]
    return [*zip(parameters[::2], parameters[1::2], strict=True)]


@pytest.mark.parametrize("make", [lambda: MLP([64, 7, 10]), LeNet])
def test_layers_make_the_scores_of_their_network_and_survive_rounding(make):
    torch.manual_seed(0)
    model, x = make(), torch.rand(5, 64)
    wanted = model(x.reshape(5, 1, 8, 8) if isinstance(model, LeNet) else x)
    layers = layers_of(model)
    assert torch.allclose(scored(layers, x), wanted, atol=1e-5)
    coarse = in_bytes(layers)
    assert coarse[0][0].shape == layers[0][0].shape
    for (weight, _), (near, _) in zip(layers, coarse, strict=True):
        most = weight.flatten(1).abs().amax(dim=1, keepdim=True)
        assert ((weight - near).flatten(1).abs() <= most / 250).all()
        assert not torch.equal(weight, near)


def test_what_a_network_reads_stands_without_the_script(shown):
    torch.manual_seed(0)
    layers = layers_of(MLP([64, 7, 10]))
    pictures = torch.arange(3 * 64).reshape(3, 64).remainder(17) / 16
    read_digit({"an MLP": layers, "another": layers}, pictures, "A digit to <draw>.")
    content, found = shown[0]["text/html"], model(shown[0])
    chances = scored(in_bytes(layers), pictures[:1])[0].softmax(dim=0)
    digit, share = chances.argmax().item(), 100 * chances.max().item()
    one = f"reads {'an' if digit == 8 else 'a'} {digit} ({share:.1f}%)"
    assert f'<p role="status">An MLP {one}; another {one}.</p>' in content
    assert "<p>A digit to &lt;draw&gt;.</p>" in content
    assert content.count('<i style="--ink:') == 64
    assert found["examples"][1][:5] == "defg0"
    packed = found["networks"]["another"][0]
    levels = np.frombuffer(base64.b64decode(packed["levels"]), np.int8).reshape(packed["shape"])
    weights = levels * np.array(packed["scales"])[:, None]
    assert np.allclose(weights, in_bytes(layers)[0][0], atol=1e-6)
    with pytest.raises(ValueError, match="expects ten scores, small has 7"):
        read_digit({"small": layers[:1]}, pictures, "a digit")


def test_patches_of_a_digit_stand_without_the_script(shown):
    pictures = torch.arange(2 * 64).reshape(2, 8, 8).remainder(17) / 16
    cut = patches(pictures[:1, None], 2)[0]
    cut_digit(pictures, cut, "patches", note=("see-a", "`reshape` alone"))
    content = shown[0]["text/html"]
    assert content.count("<span>") == 16
    inks = [float(ink) for ink in re.findall(r'<i style="--ink:([\d.]+)"', content)]
    wanted = torch.cat([pictures[0].flatten(), cut.flatten()]).tolist()
    assert inks == pytest.approx(wanted, abs=6e-4)
    assert "16 patches of 2 × 2 pixels, each a vector of 4 numbers." in content
    assert '<p class="course-note" id="see-a"><b>one reshape:</b> <code>reshape</code>' in content
    assert model(shown[0])["examples"][1][:3] == "def"
    with pytest.raises(ValueError, match="expects the patches of the first picture"):
        cut_digit(pictures, cut / 2, "patches", note=("see-a", ""))


def test_two_models_are_compared_picture_by_picture_without_the_script(shown):
    pictures = torch.zeros(6, 2, 2)
    pictures[3, 1, 1] = 1
    labels = torch.tensor([9, 0, 1, 2, 3, 4])
    answers = torch.tensor(
        [
            [8, 0, 1, 5, 3, 6],  # both wrong alike; right; right; only two; only one; neither
            [8, 0, 1, 2, 7, 8],
            [8, 0, 0, 2, 3, 4],
        ]
    )
    ends = {"first": "one", "second": "two"}
    disagreement(["one", "two", "<3>"], pictures, labels, answers, "two models", **ends)
    page = shown[0]["text/html"]
    assert "one and two both classify 2 of 6 pictures correctly." in page
    for said in (
        'Only one is right: 1</b></p><ul><li aria-label="a 3, read as 3 and 7">',
        'Only two is right: 1</b></p><ul><li aria-label="a 2, read as 5 and 2">',
        'with different answers: 1</b></p><ul><li aria-label="a 4, read as 6 and 8">',
    ):
        assert said in page
    found = model(shown[0])
    assert found["truth"] == [1, 2, 3, 4]  # those on which any two differ, in order
    assert found["answers"] == [[1, 5, 3, 6], [1, 2, 7, 8], [0, 2, 3, 4]]
    assert (found["right"], found["total"], found["begin"]) == (1, 6, [0, 1])
    sheet = re.search(r"--sheet:url\(data:image/png;base64,(.*?)\)", page)[1]
    drawn = imread(io.BytesIO(base64.b64decode(sheet)))
    assert drawn.shape[:2] == (8, 2)
    assert (drawn[3, 1, 0], drawn[2, 1, 0]) == (0, 1)  # the second of them, and its ink
    with pytest.raises(ValueError, match="2 models"):
        disagreement(["one", "two"], pictures, labels, answers, "two models", **ends)
    with pytest.raises(ValueError, match="alt"):
        disagreement(["one", "two", "3"], pictures, labels, answers, " ", **ends)
    with pytest.raises(ValueError, match="begins with"):
        disagreement(["one", "too", "3"], pictures, labels, answers, "two models", **ends)


# --- one picture and what every model says to it ------------------------------------------------


def test_what_each_model_says_to_a_picture_stands_without_the_script(shown):
    pictures = torch.zeros(3, 2, 2)
    pictures[1, 1, 1] = 1
    labels = torch.tensor([8, 3, 1])
    chances = torch.zeros(3, 10)
    chances[:, 4], chances[:, 8], chances[1, 3] = 0.996, 0.004, 0.254
    sure = (torch.tensor([4, 3, 1]), chances)
    right = (torch.tensor([8, 0, 1]), chances.roll(4, dims=1))
    answers = {"<sure>": sure, "right": right, "mute": (torch.tensor([4, 3, 1]), None)}
    verdict_board(pictures, labels, answers, "pictures <to choose>")
    page = shown[0]["text/html"]
    assert (
        "This is an 8: 1 of 3 models recognize it. The most confident mistake is &lt;sure&gt;’s: "
        "100% for 4." in page
    )
    assert re.findall(r"<th scope=\"col\" data-true>(\d)</th>", page) == ["8"]
    rows = re.findall(r'<tr><th scope="row">(.*?)</th>(.*?)</tr>', page)
    assert [name for name, _ in rows] == ["&lt;sure&gt;", "right", "mute"]
    framed = [re.findall(r"data-(said|wrong)>(.*?)</td>", row) for _, row in rows]
    assert framed == [[("wrong", "100")], [("said", "100")], [("wrong", "·")]]
    assert [row.count("<td") for _, row in rows] == [10, 10, 10]
    found = model(shown[0])
    assert found["labels"] == [8, 3, 1]
    assert [one["said"] for one in found["models"]] == [[4, 3, 1], [8, 0, 1], [4, 3, 1]]
    assert found["models"][0]["chances"][10:20] == [0, 0, 0, 25, 100, 0, 0, 0, 0, 0]
    assert found["models"][2]["chances"] is None
    verdict_board(pictures[1:], labels[1:], {"mute": (torch.tensor([4, 1]), None)}, "pictures")
    assert ">This is a 3: 0 of 1 models recognize it.</p>" in shown[1]["text/html"]
    with pytest.raises(ValueError, match="of right 3 answers and chances for 2"):
        verdict_board(pictures, labels, {"right": (right[0], chances[:2])}, "pictures")
    with pytest.raises(ValueError, match="alt"):
        verdict_board(pictures, labels, answers, " ")


def test_what_fills_a_hole_reaches_the_script(shown):
    sentence = {
        "tokens": ["▁it", "▁<", "s"],
        "best": [[["▁a", "▁it"]] * 3, [["▁<", "b"]] * 3, [["s", "▁a"]] * 3],
        "share": [[[0.5, 0.25]] * 3, [[0.75, 0.125]] * 3, [[0.5, 0.5]] * 3],
        "true": [[0.25] * 3, [0.75] * 3, [0.5] * 3],
    }
    hole_board([sentence], "a hole", start=1)
    assert model(shown[0])["sentences"] == [sentence]
    page = shown[0]["text/html"]
    assert " it<b> ____</b>s</p>" in page
    assert re.findall(r'<i style="--share:([\d.]+)"', page) == ["0.7500", "0.1250"]
    assert "<b> &lt;</b>" in page
    assert (
        "The original token is “&lt;”. Reading both sides, the model gives it the probability "
        "0.750." in page
    )
    with pytest.raises(ValueError, match="3 tokens"):
        hole_board([sentence | {"true": [[0.5] * 3]}], "a hole")


# --- a curve to draw ----------------------------------------------------------------------------


def test_the_true_curve_stands_without_the_script_and_is_told_at_every_point(shown):
    x = [0.01, 0.1, 1.0, 10.0]
    labels = {"xlabel": "rate η", "ylabel": "loss <nats>"}
    sketch(x, torch.tensor([3.0, 1.0, 0.5, 4.0]), "falls, then rises", log_x=True, **labels)
    drawing = ElementTree.fromstring(re.search(r"<svg.*</svg>", shown[0]["text/html"])[0])
    assert drawing.get("aria-label") == shown[0]["text/plain"] == "falls, then rises"
    (path,) = [one for one in drawing.iter("path") if one.get("class") == "course-truth"]
    ends = [tuple(map(float, pair.split())) for pair in path.get("d")[1:].split("L")]
    assert [round(across) for across, _ in ends] == [58, 221, 385, 548]
    heights = [252 - up for _, up in ends]  # from 0 to a little above the highest
    # places in a drawing are rounded
    assert np.allclose(np.array(heights) / heights[0] * 3, [3, 1, 0.5, 4], atol=0.01)
    assert {"0.01", "0.1", "1", "10", "rate η", "loss <nats>"} <= set(drawing.itertext())
    found = model(shown[0])
    assert (found["x"][0], found["x"][-1]) == (0.01, 10)
    assert found["truth"][::4] == [3, 1, 0.5, 4]


def test_numbers_on_the_axes_are_round(shown):
    sketch([0, 60], [-0.4, 0.21], "rises", xlabel="step", ylabel="y", high=0.21)
    drawing = ElementTree.fromstring(re.search(r"<svg.*</svg>", shown[0]["text/html"])[0])
    assert [text for text in drawing.itertext() if re.match(r"[−\d]", text)] == [
        *("−0.4", "−0.2", "0", "0.2"),
        *("0", "20", "40", "60"),
    ]


@pytest.mark.parametrize(
    ("x", "y", "options", "said"),
    [
        ([0, 1], [0, 1], {"alt": " "}, "alt text"),
        ([0, 1], [0, 1, 2], {}, "as many x as y"),
        ([1, 1], [0, 1], {}, "x increasing"),
        ([0, 1], [0, 1], {"log_x": True}, "positive"),
        ([0, 1], [0, float("nan")], {}, "finite"),
    ],
)
def test_a_curve_that_cannot_be_drawn_is_refused(x, y, options, said):
    options = {"alt": "a curve", "xlabel": "x", "ylabel": "y"} | options
    with pytest.raises(ValueError, match=said):
        sketch(x, y, **options)


def test_tokens_of_a_text_stand_without_the_script(shown):
    merges = [(83, 64), (256, 71)]  # "ta", "tah" in GPT-2's order of bytes, were that their text
    token_board(merges, "tokens", text="the é 🙂")
    content = shown[0]["text/html"]
    tokenizer = BytePairTokenizer(merges)
    tokens = tokenizer.encode("the é 🙂")
    parts = [readable(tokenizer.vocabulary[token]) for token in tokens]
    assert re.findall(r'<span class="t\d" title="token \d+">(.*?)</span>', content) == parts
    assert parts[-1] == "⟨82⟩"
    assert f"{len(tokens)} tokens for 11 bytes" in content
    assert model(shown[0]) == {"merges": [[83, 64], [256, 71]]}


def test_the_tree_of_a_beam_search_ends_where_the_search_does(shown):
    generator = torch.Generator().manual_seed(4)
    step = Stepwise((2 * torch.randn(37, 5, generator=generator)).log_softmax(dim=-1))
    first, symbols = torch.tensor([1]), ["a", "<", "end", "d", "e"]
    trees = {}
    for beam in (1, 3):
        tree = trees[beam] = grow(step, None, first, beam=beam, eos=2, rounds=9)
        best = beam_search(step, None, first, beam=beam, eos=2, max_length=9)[0]
        at, place = best_end(tree)
        places = path(tree, at, place)
        assert [tree[r][p][1] for r, p in enumerate(places)] == best.tokens
        assert tree[at][place][2] == pytest.approx(best.score, abs=1e-3)
        assert all(sum(node[3] > 0 for node in nodes) <= beam for nodes in tree)
        for before, nodes in itertools.pairwise(tree):
            assert all(before[parent][3] == 1 for parent, *_ in nodes)
    beam_tree({"<b>": trees}, symbols, "a tree", opens=3)
    content = shown[0]["text/html"]
    assert content.count("<circle") == 1 + sum(len(nodes) for nodes in trees[3])
    assert "&lt;b&gt; → " in content
    assert "<b>" not in content
    assert model(shown[0])["sources"] == [["<b>", {"1": trees[1], "3": trees[3]}]]


# --- what an LSTM keeps, and a walk over tiles --------------------------------------------------


@pytest.fixture
def lstm():
    """A model of five symbols, and texts."""
    torch.manual_seed(0)
    model = CharacterModel(5, embed_dim=3, hidden_size=7)
    return model, torch.randint(5, (3, 11))


def test_rounding_sorts_the_units_and_changes_little(lstm):
    model, tokens = lstm
    tables = rounded(model, tokens)
    assert all(whole.abs().max() == 127 for whole, _ in tables.values())
    gates, cells, logits = unrolled(tables, tokens)
    with torch.no_grad():
        expected, (_, c) = model(tokens)
    assert (logits - expected).abs().max() < 0.02
    assert (cells[:, -1].sort(dim=1)[0] - c[0].sort(dim=1)[0]).abs().max() < 0.02
    assert gates[:, :, 1].log().mean(dim=(0, 1)).diff().min() > -0.005
    with pytest.raises(ValueError, match="one LSTM layer"):
        rounded(CharacterModel(5, embed_dim=3, hidden_size=7, kind="gru"), tokens)


def test_a_cell_state_is_the_sum_of_what_is_left(lstm):
    model, tokens = lstm
    tables = rounded(model, tokens)
    for shift in (0.0, -3.0):
        gates, cells, _ = unrolled(tables, tokens, shift=shift)
        assert (terms_left(gates).sum(dim=1) - cells[:, -1]).abs().max() < 1e-12
    gates, *_ = unrolled(tables, tokens, shift=60.0)  # all forget gates open
    assert torch.allclose(terms_left(gates), gates[:, :, 0] * gates[:, :, 2])
    sizes = torch.tensor([4.0, 1.0, 1.0, 2.0])
    assert [half_from_last(sizes), half_from_last(sizes[:1])] == [3, 1]


def test_what_an_lstm_keeps_stands_without_the_script(lstm, shown):
    model, tokens = lstm
    tables = rounded(model, tokens)
    gate_board(tables, "ab<c ", ["a<b c", "ab"], "an LSTM that <reads>")
    page = shown[0]["text/html"]
    assert "<p>an LSTM that &lt;reads&gt;</p>" in page
    shades = re.findall(r'<span style="--w:([\d.]+)">(.*?)</span>', page)
    assert [symbol for _, symbol in shades] == ["a", "&lt;", "b", " ", "c"]
    assert max(float(shade) for shade, _ in shades) == 1
    assert page.count('<i style="--w:') == 7
    gates, _, logits = unrolled(tables, torch.tensor([[0, 2, 1, 4, 3]]))
    bars = [float(bar) for bar in re.findall(r"--share:([\d.]+)", page)]
    assert np.allclose(bars, gates[0, -1, [0, 1, 3]].mean(dim=1), atol=1e-4)
    told = logits[0].log_softmax(dim=1)[range(4), [2, 1, 4, 3]].mean() / -np.log(2)
    assert f"The whole text costs {told:.2f} bits per character" in page
    found = model_tables(shown[0])
    for name, (whole, step) in tables.items():
        assert found[name][1] == step
        assert found[name][0].tolist() == whole.flatten().tolist()
    with pytest.raises(ValueError, match="'d'"):
        gate_board(tables, "ab<c ", ["add"], "an LSTM")


def model_tables(bundle):
    """The numbers that a script takes out of bytes."""
    return {
        name: (np.frombuffer(base64.b64decode(text), dtype=np.int8), step)
        for name, (text, step) in model(bundle)["tables"].items()
    }


def tile_numbers():
    rng = torch.Generator().manual_seed(0)
    return [(3 * torch.randn(6, n, generator=rng).double()).round(decimals=1) for n in (6, 2)]


@pytest.mark.parametrize("block", [1, 2, 3, 6])
def test_a_walk_over_tiles_ends_at_the_softmax(block):
    scores, value = tile_numbers()
    steps = [*walk(scores, value, block)]
    assert len(steps) == 6 // block
    for before, factor, added, after in steps:
        assert after[0] == max(before[0], added[0])
        for k in (1, 2, 3):
            assert after[k] == pytest.approx(factor[k] * before[k] + added[k])
    _, total, *output = steps[-1][3]
    assert np.allclose(np.array(output) / total, scores[-1].softmax(dim=0) @ value)


def test_the_last_tile_stands_without_the_script(shown):
    scores, value = tile_numbers()
    tile_walk(scores, value, "tiles <walked>", blocks=(1, 2, 3, 6), block=2)
    page = shown[0]["text/html"]
    assert "<p>tiles &lt;walked&gt;</p>" in page
    assert page.count('<i class="course-now') == 4
    assert page.count('<i class="course-done"></i>') == 21 - 3
    numbers = re.findall(r'class="course-now" style=[^>]*>(.*?)</i>', page)
    wanted = [scores[4, 4], scores[5, 4], scores[5, 5]]
    assert numbers == [f"{number + 0:.1f}".replace("-", "−") for number in wanted]
    exact = scores[-1].softmax(dim=0) @ value
    x, y = (f"{number:.2f}".replace("-", "−") for number in exact.tolist())
    assert f"ṽ/ℓ is ({x}, {y}), the softmax of the whole row. Scores in memory: 4;" in page
    found = model(shown[0])
    assert [len(found["cuts"][str(block)]) for block in (1, 2, 3, 6)] == [21, 6, 3, 1]
    assert np.allclose(found["exact"][-1], exact)
    assert np.allclose(found["exact"][0], value[0])  # the first query sees itself alone


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"value": torch.zeros(6, 3)}, r"values \(T, 2\)"),
        ({"blocks": (2, 4)}, "divide 6"),
        ({"block": 1}, "divide 6"),
        ({"scores": torch.full((6, 6), 0.25)}, "one decimal"),
    ],
)
def test_tiles_that_cannot_be_walked_are_refused(change, said):
    scores, value = tile_numbers()
    given = {"scores": scores, "value": value, "alt": "tiles", "blocks": (2, 3), "block": 2}
    with pytest.raises(ValueError, match=said):
        tile_walk(**given | change)


# --- rotary dials, a race ----------------------------------------------------------------------


def test_dials_show_the_product_of_rotated_vectors(shown):
    query, key = torch.randn(2, 6, generator=torch.Generator().manual_seed(0)).double()
    rotary_dials(query, key, "dials <turn>", longest=9, at=7, distance=3)
    content = shown[0]["text/html"]
    assert "<p>dials &lt;turn&gt;</p>" in content
    turned = rotary(query.expand(10, -1))[7], rotary(key.expand(10, -1))[4]
    product = f"{turned[0] @ turned[1]:.2f}".replace("-", "−")
    assert f"Query at 7, key at 4. Distance 3: the product is {product}." in content
    found = model(shown[0])
    assert np.allclose(found["rates"], [10_000 ** (-i / 3) for i in range(3)], rtol=1e-6)
    hands = re.findall(r'course-query" x2="([-\d.]+)" y2="([-\d.]+)"', content)
    points = np.array(hands, dtype=float) * [1, -1] * found["long"] / 34  # the page rounds them
    assert np.allclose(points, turned[0].reshape(2, 3).T, atol=0.02)
    ElementTree.fromstring(re.search(r'<svg class="course-chart".*?</svg>', content, re.DOTALL)[0])


def test_dials_refuse_a_key_outside_the_text():
    with pytest.raises(ValueError, match="0 <= distance <= at <= longest"):
        rotary_dials(torch.ones(4), torch.ones(4), "dials", longest=9, at=2, distance=3)


def test_passes_of_speculative_decoding_add_up_to_its_text(shown):
    logits = torch.randn(7, 7, generator=torch.Generator().manual_seed(1))
    target, draft = (lambda x: logits[x]), (lambda x: (logits * 0.5)[x])

    def random():
        return torch.Generator().manual_seed(2)

    prompt = torch.tensor([1, 2])
    given = {"count": 90, "ahead": 3}
    whole, needed = speculate(target, draft, prompt, **given, generator=random())
    text, passes = passes_of(target, draft, prompt, **given, generator=random())
    assert len(passes) == needed - 1  # but the last
    assert torch.equal(text, whole[: len(text)])
    assert sum(kept + 1 for _, kept in passes) == len(text)
    assert {kept for _, kept in passes} == {0, 1, 2, 3}
    letters = "".join(chr(97 + token) for token in text.tolist())
    named = [("".join(chr(97 + t) for t in some.tolist()), kept) for some, kept in passes]
    decoding_race("<b", letters, named, "a race")
    content = shown[0]["text/html"]
    marked = re.findall(r"&lt;b<i>(.*?)</i>", content)
    assert [re.sub("<.*?>", "", lane) for lane in marked] == [letters] * 2
    assert marked[1].count("<u>") == len(passes)
    assert f"{len(text)} characters: {len(passes)} passes of the target" in content
    with pytest.raises(ValueError, match="the passes write"):
        decoding_race("", letters + "x", named, "a race")
    with pytest.raises(ValueError, match="pass at 0 keeps"):
        decoding_race("", letters, [("zzz", 1), *named[1:]], "a race")


# --- a text that several models read -----------------------------------------------------------


def guesses():
    """Six symbols, a text of nine, and what three models expected."""
    rng = torch.Generator().manual_seed(0)
    came = torch.tensor([0, 5, 2, 4, 4, 1, 3, 0, 2])
    expected = {
        name: (3 * torch.randn(9, 6, generator=rng)).log_softmax(dim=1)
        for name in ("4-grams", "LSTM", "<GPT>")
    }
    colors = {"4-grams": "n-gram", "LSTM": "LSTM", "<GPT>": "Transformer"}
    return ["a", "<", " ", "\n", '"', "é"], came, expected, colors


def test_what_models_guessed_stands_without_the_script(shown):
    alphabet, came, expected, colors = guesses()
    guess_board(
        *(alphabet, came, expected, colors),
        alt="models that <read>",
        first="LSTM",
        second="<GPT>",
        before="b" * 30 + "\n",
    )
    content = shown[0]["text/html"]
    assert 'role="group" aria-label="models that &lt;read&gt;"' in content
    cost = {
        name: -log_p[range(9), came].double().numpy() / np.log(2)
        for name, log_p in expected.items()
    }
    better = cost["<GPT>"] - cost["LSTM"]
    at = int(better.argmax())
    marks = re.findall(
        r'<span style="--w:([\d.]+)" data-side="(\d)"( data-here)?>(.*?)</span>', content, re.DOTALL
    )
    assert [unescape(symbol) for *_, symbol in marks] == [*'aé ""<', "⏎\n", *"a "]
    assert np.allclose([float(w) for w, *_ in marks], np.abs(better).clip(max=5) / 5, atol=0.01)
    assert [side == "1" for _, side, *_ in marks] == (better < 0).tolist()
    assert [here != "" for *_, here, _ in marks] == [place == at for place in range(9)]
    says = unescape(re.search(r'<p role="status">(.*?)</p>', content)[1])
    means = f"LSTM {cost['LSTM'].mean():.2f}, <GPT> {cost['<GPT>'].mean():.2f}"
    assert says.startswith(f"Bits per character in these 9: {means}. Predicted better by LSTM: ")
    assert f": {(better > 0).sum()}, by <GPT>: {(better < 0).sum()}. “" in says
    assert says.endswith(
        f"”: {cost['LSTM'][at]:.2f} bits for LSTM, {cost['<GPT>'][at]:.2f} for <GPT>."
    )
    before = re.search(r'class="course-before">(.*?)<b>', content)[1]
    text = "b" * 30 + "\n" + "".join(alphabet[token] for token in came)
    assert unescape(before) == "…" + text[at + 7 : at + 31].replace("\n", "⏎")


def test_bars_of_a_guess_are_the_five_likeliest_and_the_right_one(shown):
    alphabet, _, expected, colors = guesses()
    worst = expected["LSTM"].argmin(dim=1)
    guess_board(
        alphabet, worst, expected, colors, "a board", first="4-grams", second="LSTM"
    )  # so that the right one is never among the LSTM's five
    found = model(shown[0])
    panels = shown[0]["text/html"].split('<div class="course-panel"')[1:]
    assert [" data-chosen " in panel.partition(">")[0] + " " for panel in panels] == [
        *(True, True, False)
    ]
    at = found["begin"][2]
    for panel, (name, log_p), data in zip(panels, expected.items(), found["models"], strict=True):
        chances, places = log_p.exp().topk(5, dim=1)
        tops = ["".join(alphabet[k] for k in row) for row in places.tolist()]
        assert data["name"] == name
        assert data["tops"] == "".join(tops)
        rounded = {"rtol": 0, "atol": 0.501}  # to whole numbers: by a half, and what float32 adds
        assert np.allclose(data["chances"], 1000 * chances.flatten(), **rounded)
        right = log_p[range(9), worst]
        assert np.allclose(data["bits"], -100 * right / np.log(2), **rounded)
        rows = re.findall(r"<b>(.)</b><span><i style=\"--share:([\d.]+)\"", unescape(panel))
        assert len(rows) == 5 + (alphabet[worst[at]] not in tops[at])
        marked = [unescape(row) for row in re.findall(r"data-right><b>(.*?)</b>", panel)]
        assert marked == [{" ": "␣", "\n": "⏎"}.get(alphabet[worst[at]], alphabet[worst[at]])]
        assert "✓ " in panel
    assert [percent(chance) for chance in (0, 9.9, 10, 125, 1000)] == [
        *("<1%", "<1%", "1%", "13%", "100%")
    ]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"alt": " "}, "alt text"),
        ({"first": "GRU"}, "begins with 'GRU'"),
        ({"first": "LSTM"}, "begins with 'LSTM' and 'LSTM'"),
        ({"came": torch.zeros(8, dtype=torch.int64)}, "for 8 characters of 6 symbols"),
    ],
)
def test_guesses_that_cannot_be_shown_are_refused(change, said):
    alphabet, came, expected, colors = guesses()
    given = {"alphabet": alphabet, "came": came, "expected": expected, "colors": colors}
    given |= {"alt": "a board", "first": "4-grams", "second": "LSTM"}
    with pytest.raises(ValueError, match=said):
        guess_board(**given | change)


# --- the rank of an update ---------------------------------------------------------------------


def updates(**other):
    """Two matrices with singular values 4, 2, 1 and 3, 3, 3, and what came of three ranks."""
    rng = torch.Generator().manual_seed(0)
    left, right = (torch.linalg.qr(torch.randn(n, n, generator=rng))[0] for n in (3, 5))
    given = {
        "changes": {
            name: left @ torch.diag(torch.tensor(values)) @ right[:3]
            for name, values in (("up <1>", (4.0, 2.0, 1.0)), ("down", (3.0, 3.0, 3.0)))
        },
        "ranks": [0, 1, 3],
        "trained": [(40.0, 42.0), (43.0, 46.0), (45.0, 48.5)],
        "cut": [(30.0, 32.0), (44.0, 45.0), (47.0, 47.0)],
        "alt": "what a rank <is>",
        "parameters": 200,
        "rank": 1,
    }
    return given | other


def test_what_a_rank_holds_stands_without_the_script(shown):
    rank_board(**updates())
    content = shown[0]["text/html"]
    assert 'role="group" aria-label="what a rank &lt;is&gt;"' in content
    assert unescape(re.search(r'<p role="status">(.*?)</p>', content)[1]) == (
        "Rank 1. For up <1>, A and B have 8 parameters, and W has 15; for all 2 matrices, A and B "
        "have 16, 8.0% of the model's. 1 of 3 singular values hold 76% of the squared change of "
        "up <1>. Accuracy: 44.5% with LoRA (43.0 to 46.0), 44.5% with the truncated change "
        "(44.0 to 45.0)."
    )
    found = model(shown[0])
    assert [one["values"] for one in found["matrices"]] == [[1000, 500, 250], [1000] * 3]
    assert [one["shape"] for one in found["matrices"]] == [[3, 5]] * 2
    assert [held([1000, 500, 250], rank) for rank in range(4)] == [0, 76, 95, 100]
    drawings = [ElementTree.fromstring(one) for one in re.findall(r"<svg.*?</svg>", content)]
    sizes, values, chart = drawings
    w, a, b = ({key: float(part.get(key, 0)) for key in ("width", "height")} for part in sizes)
    assert [w, a, b] == [
        {"width": width, "height": height} for width, height in ((5, 3), (5, 1), (1, 3))
    ]
    assert ["data-held" in part.attrib for part in values] == [True, False, False]
    groups = [group for group in chart if group.tag == "g"]
    assert [group.get("class") for group in groups] == ["course-trained", "course-cut"]
    for group, name in zip(groups, ("trained", "cut"), strict=True):
        marks = [part for part in group if part.tag in ("circle", "rect")]
        heights = [float(mark.get("cy") or float(mark.get("y")) + 3.5) for mark in marks]
        means = [three[0] for three in found[name]]
        slope, start = np.polyfit(means, heights, 1)
        line = slope * np.array(means) + start
        assert np.allclose(heights, line, rtol=0, atol=0.1)  # written to a tenth, as is the line
        assert slope < 0  # more is higher


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"alt": " "}, "alt text"),
        ({"ranks": [0, 3, 1]}, "rising ranks"),
        ({"rank": 2}, "rising ranks, 2 among them"),
        ({"cut": [(1.0, 2.0)]}, "3 and 1 lists of shares for 3 ranks"),
    ],
)
def test_ranks_that_cannot_be_shown_are_refused(change, said):
    with pytest.raises(ValueError, match=said):
        rank_board(**updates(**change))


# --- a line that is fitted -----------------------------------------------------------------------


def test_points_and_their_best_line_stand_without_the_script(shown):
    points = [(0.3, 0.9), (1.1, 1.3), (2.4, 3.1), (2.8, 2.8)]
    fit_line(points, "a <line>")
    content = shown[0]["text/html"]
    for drawing in re.findall(r"<svg.*?</svg>", content, re.DOTALL):
        ElementTree.fromstring(drawing)
    x, y = np.array(points).T
    slope, start = np.polyfit(x, y, 1)
    least = np.mean((slope * x + start - y) ** 2)
    told = re.search(r'<p role="status">(.*?)</p>', content)[1]
    assert told == (
        f"Step 0: the line is 0.00 x + 0.00. Its loss is {np.mean(y**2):.3f}; "
        f"the smallest possible is {least:.3f}."
    )
    (best,) = re.findall(r'class="course-best" d="M(.*?) (.*?)L(.*?) (.*?)"', content)
    marks = re.findall(r'<circle cx="(.*?)" cy="(.*?)"', content)
    assert len(marks) == len(points)
    across, up = np.array(marks, dtype=float).T
    unit = np.polyfit(y, up, 1)  # pixels of a length of 1, downward, and the place of 0
    ends = [slope * one + start for one in (0, 3)]
    assert np.allclose([float(best[1]), float(best[3])], np.polyval(unit, ends), atol=0.2)
    assert np.allclose(np.polyval(np.polyfit(x, across, 1), x), across, atol=0.1)


@pytest.mark.parametrize(
    ("points", "rate", "said"),
    [([(1.0, 0.0), (1.0, 2.0)], 0.1, "of different x"), ([(0.0, 0.0), (1.0, 2.0)], 0.12, "rate")],
)
def test_lines_that_cannot_be_fitted_are_refused(points, rate, said):
    with pytest.raises(ValueError, match=said):
        fit_line(points, "a line", rate=rate)


# --- a matrix that moves a grid -----------------------------------------------------------------


def test_a_matrix_moves_columns_grid_and_vector_without_the_script(shown):
    matrix, x = np.array([[1.0, -0.8], [0.3, 2.0]]), np.array([-1.0, 1.5])
    matrix_map({"one": matrix, "other": np.eye(2)}, x, "a <grid>")
    content = shown[0]["text/html"]
    ElementTree.fromstring(re.search(r"<svg.*?</svg>", content, re.DOTALL)[0])
    ends = re.findall(r'<circle cx="(.*?)" cy="(.*?)"', content)
    found = (np.array(ends, dtype=float) - [220, 170]) / [UNIT, -UNIT]
    assert np.allclose(found, [matrix[:, 0], matrix[:, 1], x, matrix @ x], atol=0.01)
    corner = re.search(r'class="course-lines" d="M(.*?) (.*?)L', content).groups()
    lowest = (np.array(corner, dtype=float) - [220, 170]) / [UNIT, -UNIT]
    assert np.allclose(lowest, matrix @ [-3, -3], atol=0.01)
    told = unescape(re.search(r'<p role="status">(.*?)</p>', content)[1])
    assert told == (
        "Row 1: 1.0 · (−1.0) + (−0.8) · 1.5 = −2.20. Row 2: 0.3 · (−1.0) + 2.0 · 1.5 = 2.70."
    )


@pytest.mark.parametrize(
    ("matrices", "said"),
    [({}, "matrices of 2"), ({"a": np.eye(3)}, "of 2"), ({"a": 4 * np.eye(2)}, "at most")],
)
def test_matrices_that_cannot_be_shown_are_refused(matrices, said):
    with pytest.raises(ValueError, match=said):
        matrix_map(matrices, (1.0, 1.0), "a grid")


# --- a budget that is shared ---------------------------------------------------------------------

SURFACE = Surface(1.5, 6.6, 0.35, 99.0, 0.425)


@pytest.mark.parametrize("spent", [1e10, 1e12])
def test_a_budget_is_best_shared_as_the_solution_does(spent):
    prices = SURFACE._asdict()
    del prices["e"]
    best = compute_optimal(torch.tensor(spent).double(), **prices)
    assert best_of(SURFACE, spent) == pytest.approx([part.item() for part in best])


def test_the_curve_of_a_budget_stands_without_the_script(shown):
    runs = [(6e3, 1e5, 2.5), (1.5e5, 4e5, 2.0)]
    budget_plane({"fitted": SURFACE}, runs, "a <plane>", later=[(3e5, 8e5, 1.8)], size=1e4)
    content = shown[0]["text/html"]
    plane, curve = re.findall(r"<svg.*?</svg>", content, re.DOTALL)
    for drawing in (plane, curve):
        ElementTree.fromstring(drawing)
    n, d = 1e4, 1e11 / 6e4
    loss = SURFACE.e + SURFACE.a * n**-SURFACE.alpha + SURFACE.b * d**-SURFACE.beta
    told = unescape(re.search(r'<p role="status">(.*?)</p>', content)[1])
    assert told.startswith(
        f"10.0 thousand parameters read 1.67 million tokens: a loss of {loss:.2f}"
    )
    assert told.endswith(": outside the runs.")
    assert plane.count('class="course-run"') == len(runs)
    assert plane.count('class="course-later"') == 1
    # the lowest point of the curve lies below the best number of parameters
    points = np.array(
        re.search(r'class="course-now" d="M(.*?)"', curve)[1].replace("L", " ").split()
    )
    across, up = points.astype(float).reshape(-1, 2).T
    left, right, *_ = BOX
    lowest = 10 ** (2.5 + 4 * (across[up.argmax()] - left) / (right - left))
    assert lowest == pytest.approx(best_of(SURFACE, 1e11)[0], rel=0.13)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"surfaces": {}}, "expects surfaces"),
        ({"budget": 3e11}, "a budget of"),
        ({"runs": [(10, 1e5, 3.0)]}, "draws from"),
    ],
)
def test_budgets_that_cannot_be_shown_are_refused(change, said):
    assert 3e11 not in BUDGETS
    given = {"surfaces": {"one": SURFACE}, "runs": [(1e4, 1e5, 2.4)], "alt": "a plane"}
    with pytest.raises(ValueError, match=said):
        budget_plane(**(given | change))


# --- a query among vectors ----------------------------------------------------------------------


@pytest.mark.parametrize("score", ["dot", "cosine", "distance"])
def test_weights_of_vectors_in_a_plane_are_those_of_the_soft_lookup(shown, score):
    keys, query = [(1.4, 0.2), (0.3, 1.1), (-0.5, -1.9)], (0.9, 0.9)
    lookup_plane(keys, query, "a <plane>", scores=(score,))
    content = shown[0]["text/html"]
    ElementTree.fromstring(re.search(r"<svg.*?</svg>", content, re.DOTALL)[0])
    key, asked = torch.tensor(keys).double(), torch.tensor(query).double()
    weights = soft_lookup(asked, key, torch.eye(3).double(), score=score)
    told = [float(share) for share in re.findall(r"--share:(.*?)\"", content)]
    assert told == pytest.approx(weights.tolist(), abs=1e-4)
    said = unescape(re.search(r'<p role="status">(.*?)</p>', content)[1]).replace("−", "-")
    best, most, *mean = re.match(
        r"x(.) has the largest weight, (.*?)\. c is \((.*), (.*?)\)", said
    ).groups()
    assert "₁₂₃".index(best) == weights.argmax()
    assert float(most) == pytest.approx(weights.max().item(), abs=0.006)
    at = soft_lookup(asked, key, key, score=score).tolist()
    assert [float(part) for part in mean] == pytest.approx(at, abs=0.006)
    assert ("In direction x₂ is closer to h." in said) == (best != "₂")


@pytest.mark.parametrize(
    ("change", "said"),
    [({"scores": ("dots",)}, "knows the scores"), ({"query": (0.0, 3.0)}, "a length from 0.1")],
)
def test_vectors_that_cannot_be_compared_are_refused(change, said):
    with pytest.raises(ValueError, match=said):
        lookup_plane(**({"vectors": [(1.0, 0.0)], "query": (1.0, 1.0), "alt": "a plane"} | change))


# --- an outlier among weights, features in superposition, a batch of pairs ------------------------


def test_weights_and_their_levels_stand_without_the_script(shown):
    weights = 0.2 * torch.randn(2, 8, generator=torch.Generator().manual_seed(0))
    outlier_board(weights, "weights <and levels>", group=4, bits=3, times=2.0)
    content = shown[0]["text/html"]
    ElementTree.fromstring(re.search(r"<svg.*?</svg>", content, re.DOTALL)[0])
    data = model(shown[0])
    values = torch.tensor(data["weights"]).double()
    moved = data["moved"]
    assert moved == weights[0, :4].abs().argmax()
    rest = torch.ones(2, 8).bool()
    rest[0, moved] = False
    assert torch.allclose(values[rest], weights[rest].double(), atol=1e-4)
    assert values[0, moved] == 2 * values[rest].abs().max()
    scale = absmax_scale(values, 3)
    near = dequantize(quantize(values, scale, 3), scale)
    noise, zeros = decibels(values[rest], near[rest]), int((near[rest] == 0).sum())
    told = unescape(re.search(r'<p role="status">(.*?)</p>', content)[1])
    assert f"of {noise:.1f} dB; {zeros} of them become 0. Stored: 4 bits per weight." in told
    (left, right), (low, high) = data["axes"]["box"][:2], data["axes"]["x"]

    def back(x):
        return low + (high - low) * (float(x) - left) / (right - left)

    dots = re.findall(r'<circle[^>]* cx="(.*?)"', content)
    assert np.allclose([back(x) for x in dots], values.flatten(), atol=1e-3)
    errors = re.findall(r"M([^ ]+) [^HM]+H([\d.]+)", content)
    assert len(errors) == 16
    assert np.allclose([back(end) for _, end in errors], near.flatten(), atol=1e-3)


@pytest.mark.parametrize("change", [{"group": 3}, {"bits": 1}, {"times": 5.0}])
def test_weights_that_cannot_be_shown_are_refused(change):
    with pytest.raises(ValueError, match="expects groups that divide a row"):
        outlier_board(**({"weights": torch.ones(2, 8), "alt": "weights", "group": 4} | change))


def test_what_a_model_in_superposition_returns_stands_without_the_script(shown):
    chance = torch.Generator().manual_seed(0)
    made = [(0.5 * torch.randn(2, 4, generator=chance), torch.tensor([0.1, -0.2, 0.3, 0.0]))] * 2
    importance = torch.tensor([1.0, 0.5, 2.0, 1.5])
    superposition_board(
        dict(zip((0.5, 0.1), made, strict=True)), importance, "a <plane>", chance=0.1, active=(1, 2)
    )
    content = shown[0]["text/html"]
    ElementTree.fromstring(re.search(r"<svg.*?</svg>", content, re.DOTALL)[0])
    weight, bias = made[1]
    x = torch.tensor([[0.0, 1.0, 1.0, 0.0]])
    told = unescape(re.search(r'<p role="status">(.*?)</p>', content)[1])
    assert told.endswith(f"The loss is {superposition_loss(x, weight, bias, importance):.2f}.")
    assert told.startswith(f"p = 0.1: {600 * 0.01 * 0.81:.1f}% of all inputs have 2 of 4 features")
    returned = (x[0] @ weight.T @ weight + bias).relu()
    cells = re.findall(r'class="course-sum"[^>]*>(.*?)<', content)
    assert np.allclose([*map(float, cells)], returned, atol=0.006)
    most = int(returned.argmax())
    assert (", which is not active." in told) == (x[0, most] == 0)
    assert content.count("<td") == 4 * 6 + 1


def test_models_that_do_not_fit_in_the_plane_are_refused():
    given = {"importance": torch.ones(3), "alt": "a plane", "chance": 0.5}
    for models in ({}, {0.5: (torch.ones(3, 3), torch.ones(3))}, {0.5: (torch.ones(2, 3), 0)}):
        with pytest.raises(ValueError, match="expects a model for"):
            superposition_board(models, **given)


def test_cosines_and_losses_of_a_batch_stand_without_the_script(shown):
    chance = torch.Generator().manual_seed(0)
    texts, images = torch.randn(2, 4, 3, generator=chance).double()
    found = torch.cosine_similarity(texts[:, None], images[None], dim=2)
    words = ["the <two>", "b", "c", "d"]
    negatives_board({"one": (found, torch.rand(4, 5, 5), words)}, "a <batch>", scale=7.0)
    content = shown[0]["text/html"]
    cells = [
        float(text.replace("−", "-")) for text in re.findall(r"<td[^>]*>([−\d.]+)</td>", content)
    ]
    table = np.array(cells[:20]).reshape(4, 5)
    assert np.allclose(table[:, :4], found, atol=0.006)
    right = torch.arange(4)
    losses = [
        torch.nn.functional.cross_entropy(7 * of, right, reduction="none")
        for of in (found, found.T)
    ]
    assert np.allclose(table[:, 4], losses[0], atol=0.006)
    assert np.allclose(cells[20:], losses[1], atol=0.006)
    told = unescape(re.search(r'<p role="status">(.*?)</p>', content)[1])
    assert told.startswith(f"Scale 7: the loss is {clip_loss(images, texts, 7.0):.2f}. ")
    cosines = found.clone().requires_grad_()
    loss = sum(torch.nn.functional.cross_entropy(7 * of, right) for of in (cosines, cosines.T)) / 2
    (slope,) = torch.autograd.grad(loss, cosines)
    assert told.endswith(f"All pushes add up to {slope[~torch.eye(4).bool()].sum():.2f}.")
    assert 'scope="row">the &lt;two&gt;<' in content
    with pytest.raises(ValueError, match="as many captions as images"):
        negatives_board({"one": (found, torch.rand(4, 5, 5), words[:3])}, "a batch", scale=7.0)


# --- a model divided among devices ----------------------------------------------------------------

SIZED = devices.Model(30_000_000_001, 700_000_003, 16, 4096)
GIVEN = {"model": "<one>", "kept": (4.0, 12.0), "tokens": 500, "capacity": 20e9}


@pytest.mark.parametrize(
    ("plan", "most"),
    [
        (devices.Plan(), 8),
        (devices.Plan(schedule="1F1B"), 4),
        (devices.Plan(1024, 3, 1, 2, 4, "GPipe", checkpoint=True), 4),
        (devices.Plan(64, 2, 8, 8, 2, "1F1B"), 2),
        (devices.Plan(stage=0, tensor=1), 8),
    ],
)
def test_a_plan_stands_without_the_script(plan, most, shown):
    devices.training_plan({"<one>": SIZED}, "a <plan>", plan=plan, **GIVEN)
    content = shown[0]["text/html"]
    ElementTree.fromstring(re.search(r"<svg.*?</svg>", content, re.DOTALL)[0])
    shared = 1024 // (plan.tensor * plan.stages) if plan.devices == 1024 else 1
    own = SIZED.parameters // (plan.tensor * plan.stages)
    layer = 500 * 4096 * (4 + 12 / plan.tensor)
    own_layers = SIZED.layers // plan.stages
    activations = 2 * most * own_layers * layer
    if plan.checkpoint:
        activations = 2 * (most * own_layers * 500 * 4096 + layer)
    whole = memory_per_device(own, shared, stage=plan.stage) + activations
    whole += 2 * SIZED.layer / plan.tensor * (plan.stage == 3)
    cells = re.findall(r"<td>([\d,.]+)</td>", content)
    assert cells[3:] == [f"{activations / 1e9:,.1f}", f"{whole / 1e9:,.1f}"]
    assert sum(float(cell.replace(",", "")) for cell in cells[:4]) == pytest.approx(
        whole / 1e9, abs=0.21
    )
    chosen = unescape(re.search(r"<caption>(.*?)</caption>", content)[1])
    assert chosen.startswith(f"<one> on {plan.devices:,} devices: tensor {plan.tensor}, pipeline ")
    assert chosen.endswith(f"ZeRO {plan.stage}{', checkpointing' * plan.checkpoint}")
    over = re.search(r'class="course-widget course-devices"[^>]* data-over ', content)
    assert bool(over) == (whole > 20e9)
    shares = [float(one) for one in re.findall(r'<i style="--share:([\d.]+)"', content)]
    assert sum(shares) == pytest.approx(min(whole / 40e9, 1), abs=2e-4)
    rows = timetable(plan.orders())
    told = unescape(re.search(r'<p role="status">(.*?)</p>', content)[1])
    assert told.endswith(f"Each stage waits for {100 * idle_share(rows):.1f}% of the time.")
    jobs = [job for row in rows for job in row if job]
    assert content.count("Z") >= len(jobs) == 2 * plan.stages * plan.microbatches
    named = re.findall(r'class="course-job"[^>]*>(\d+)<', content)
    assert named == ([job[1:] for job in jobs] if len(rows[0]) <= 24 else [])


@pytest.mark.parametrize(
    "change",
    [
        {"model": "two"},
        {"plan": devices.Plan(devices=3)},
        {"plan": devices.Plan(tensor=3)},
        {"models": {"<one>": SIZED._replace(layers=12)}},
    ],
)
def test_a_plan_that_cannot_be_chosen_is_refused(change):
    with pytest.raises(ValueError, match="expects a model of"):
        devices.training_plan(**({"models": {"<one>": SIZED}, "alt": "a plan"} | GIVEN | change))


# --- samples, and the rules that choose among them ------------------------------------------------


def few_samples():
    problems = torch.tensor([[6, 3, 5, 2], [-5, 8, 1, 4], [5, 1, 2, 3]])
    signs = [[1, 1, -1], [-1, -1, -1], [-1, -1, -1], [0, 1, 1]]
    answers = torch.tensor(
        [[signs[k] for k in order] for order in ((0, 1, 2, 3), (1, 3, 0, 2), (3, 3, 1, 2))]
    )
    logits = torch.tensor([[2.0, -1.0, 0.0, 3.0], [1.0, 2.0, 0.5, 0.0], [-9.0, 1.0, 4.0, 20.0]])
    return Samples(problems, answers, {"judge": logits}, torch.eye(4)[:3])


def test_a_rule_chooses_among_the_first_samples():
    samples = few_samples()
    right = [[True, False, False, False], [False] * 4, [False] * 4]
    assert samples.right.tolist() == right
    for rule, n, picked in (
        (FIRST, 4, [0, 0, 0]),
        (VOTE, 2, [0, 0, 0]),
        (VOTE, 4, [1, 0, 0]),
        ("judge", 3, [0, 1, 2]),
        ("judge", 4, [3, 1, 3]),
        (CHECK, 4, [0, 0, 0]),
    ):
        assert samples.picked(rule, n).tolist() == picked, (rule, n)
    assert samples.picked("judge", 4, 8).tolist() == [0, 1, 3]  # 2 + 8, 2 + 8, 4 + 8 < 12.94
    assert samples.solved("judge", 3).tolist() == [True, False, False]


def test_choices_among_samples_stand_without_the_script(shown):
    pick_answers(few_samples(), "which <problems>", rule="judge", n=4)
    content = shown[0]["text/html"]
    ElementTree.fromstring(re.search(r"<svg.*?</svg>", content, re.DOTALL)[0])
    told = unescape(re.search(r'<p role="status">(.*?)</p>', content)[1])
    assert told == (
        "Judge, n = 4: 0 of 3 problems are solved. "
        "Not solved: 1 with a right answer among the samples, and 2 without."
    )
    tiles = content.partition('class="course-problems">')[2].partition("</div>")[0]
    assert re.findall(r'data-is="(\w+)"', tiles) == ["missed", "none", "none"]
    assert "Problem 1: target 6, numbers 3, 5, 2. Right samples: 1 of 4." in content
    rows = [re.findall(r"<td>(.*?)</td>", row) for row in re.findall(r"<tr.*?</tr>", content)]
    assert [row for row in rows if row] == [
        ["?3 +5 +2", "?", "1", "0.95"],
        ["+3 +5 −2", "6 ✓", "1", "0.88"],
        ["−3 −5 −2", "−10", "2", "0.50"],
    ]
    curve = re.search(r'course-chosen"\s+d="M(.*?)"', content)[1]
    heights = [float(point.split()[1]) for point in curve.split("L")]
    assert heights[0] == heights[2] < heights[3]  # further down: 1 of 3 problems, then none


@pytest.mark.parametrize("change", [{"rule": "nobody"}, {"n": 0}, {"n": 5}, {"problem": 3}])
def test_choices_that_are_not_there_are_refused(change):
    with pytest.raises(ValueError, match="expects a rule of"):
        pick_answers(**({"samples": few_samples(), "alt": "samples", "n": 4} | change))


# --- derivatives, shapes and Bayes' rule; rewards, preferences and translations ------------------


def test_a_tangent_and_its_slope_stand_without_the_script(shown):
    given = {"x": (-2, 2), "y": (-3, 3)}
    secant([0, -3, 0, 1], -0.5, "a curve <f>", **given)
    content = shown[0]["text/html"]
    ElementTree.fromstring(re.search(r"<svg.*</svg>", content, re.DOTALL)[0])
    x = torch.tensor(-0.5, dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad(x**3 - 3 * x, x)
    assert f"At x = −0.50 the derivative is {slope:.3f}. ".replace("-", "−") in content
    (tangent,) = re.findall(r'class="course-tangent" d="M(.*?) (.*?)L(.*?) (.*?)"', content)
    x0, y0, x1, y1 = map(float, tangent)
    assert (y0 - y1) / 240 * 6 / ((x1 - x0) / 490 * 4) == pytest.approx(slope.item(), abs=0.01)
    secant([0, -3, 0, 1], -0.5, "a curve", central=True, **given)
    assert "the one-sided quotient is −2.750, off by 0.5000; " in shown[1]["text/html"]
    with pytest.raises(ValueError, match="from -2 to 2, got 3"):
        secant([0, 1], 3, "a curve", **given)


def test_two_shapes_stand_aligned_without_the_script(shown):
    shapes = [(4, 3), (4, 1), (3,)]
    broadcast_board(shapes, (4, 1), (3,), "shapes <to add>")
    rows = re.findall(r"<tr>(.*?)</tr>", shown[0]["text/html"])
    assert [re.findall(r">([^<]+)<", row) for row in rows] == [
        ["A", "4", "1"],
        ["B", "(1)", "3"],
        ["A + B", "4", "3"],
    ]
    assert model(shown[0]) == {"shapes": [[4, 3], [4, 1], [3]], "chosen": [1, 2]}
    for wrong in ({"second": (4,)}, {"shapes": [(2, 4, 1), (4, 1), (3,)]}):
        with pytest.raises(ValueError, match="two of the shapes"):
            broadcast_board(
                **{"shapes": shapes, "first": (4, 1), "second": (3,), "alt": "x"} | wrong
            )


def test_areas_are_the_joint_probabilities_without_the_script(shown):
    prior, likelihood = 0.3, torch.tensor([0.8, 0.25]).double()
    given = {"causes": ["<ill>", "well"], "results": ["positive", "negative"], "alt": "areas"}
    bayes_square(prior=prior, likelihood=likelihood, **given)
    content = shown[0]["text/html"]
    boxes = re.findall(
        r'<rect class="[^"]*" x="[^"]*" y="[^"]*" width="(.*?)" height="(.*?)"', content
    )
    first, second, third, fourth = (float(w) * float(h) for w, h in boxes)
    wanted = posterior(torch.tensor([prior, 1 - prior]).double(), likelihood)[0].item()
    assert first / (first + second) == pytest.approx(wanted, abs=1e-4)
    assert third / (third + fourth) == pytest.approx(wanted, abs=1e-4)
    assert f"{100 * wanted:.1f}% are &lt;ill&gt;; before the test it was 30.0%." in content
    with pytest.raises(ValueError, match="between 0 and 1"):
        bayes_square(prior=1.0, likelihood=likelihood, **given)


def test_the_optimum_for_a_reward_stands_without_the_script(shown):
    reference, rewards = torch.tensor([0.5, 0.3, 0.2]), torch.tensor([1.0, 0.25, 0.0])
    tilt(["a", "<b>", "c"], reference, rewards, "a reward", beta=0.5)
    content = shown[0]["text/html"]
    shares = re.findall(r'class="course-share"[^>]*>([\d.]+)<', content)
    best = (reference * (rewards / 0.5).exp()) / (reference * (rewards / 0.5).exp()).sum()
    assert np.allclose([*map(float, shares[1::2])], best, atol=6e-4)  # written to three places
    own = [float(text.replace("−", "-")) for text in re.findall(r"<td>([^<]+)</td></tr>", content)]
    # up to a constant, as DPO has it; both numbers of a difference are written to two places
    assert np.allclose(np.diff(own), rewards.diff(), atol=0.011)
    assert "<code>&lt;b&gt;</code>" in content
    with pytest.raises(ValueError, match="a β among"):
        tilt(["a", "<b>", "c"], reference, rewards, "a reward", beta=0.3)


def test_paths_of_two_trainings_stand_without_the_script(shown):
    runs = {"one": (1.0, [(0, 0), (0.5, -1.0)]), "two": (0.1, [(0, 0), (-1.2, -4.0)])}
    margin_plane(runs, 10, "a plane")
    content = shown[0]["text/html"]
    ElementTree.fromstring(re.search(r"<svg.*</svg>", content, re.DOTALL)[0])
    ends = re.findall(r'class="course-run-\d" d="M.*?L(.*?) (.*?)"', content)
    (low, high), (bottom, top) = model(shown[0])["axes"]["x"], model(shown[0])["axes"]["y"]
    places = [
        (
            low + (high - low) * (float(x) - 58) / 490,
            bottom + (top - bottom) * (252 - float(y)) / 240,
        )
        for x, y in ends
    ]
    assert np.allclose(places, [(0.5, -1), (-1.2, -4)], atol=0.01)  # drawn to a tenth of a pixel
    assert "with β = 1 the loss 0.693" in content
    with pytest.raises(ValueError, match="begin at"):
        margin_plane({"one": (1.0, [(1, 0)])}, 10, "a plane")


def test_translations_of_one_sentence_are_scored_without_the_script(shown):
    sentences = [("ein <hund>.", "a dog runs fast."), ("x", "y")]
    written = {"<A>": ["a dog runs.", "y"], "B": ["a dog runs fast.", "z"]}
    bleu_board(sentences, written, "translations")
    content = shown[0]["text/html"]
    scores = re.findall(r"<td>([\d.]+)</td></tr>", content)
    assert scores == [f"{sentence_bleu('a dog runs.', 'a dog runs fast.'):.1f}", "100.0"]
    assert 0 < float(scores[0]) < 100
    assert "ein &lt;hund&gt;." in content
    assert model(shown[0])["written"] == written
    with pytest.raises(ValueError, match="2 translations by B, got 1"):
        bleu_board(sentences, written | {"B": ["z"]}, "translations")


# --- a forward pass, tensor by tensor -----------------------------------------------------------

TEXT = "If no <exception> is"


@pytest.fixture(scope="module")
def small():
    return small_gpt()


def test_every_tensor_of_a_pass_stands_without_the_script(shown, small):
    model, tokenizer = small
    forward_pass(model, tokenizer, TEXT, "a <pass>")
    content = shown[0]["text/html"]
    assert "<p>a &lt;pass&gt;</p>" in content
    found = trace(model, torch.tensor(tokenizer.encode(TEXT)))
    names = re.findall(r'data-name="([\w.]+)"', content)
    layers, heads = len(model.layers), model.config.num_heads
    maps = [f"{k}.weights" for k in range(layers)]
    wanted = {*found, *(f"{name}.{head}" for name in maps for head in range(heads))} - {*maps}
    assert sorted(names) == sorted(wanted)
    assert content.count('<li class="course-step">') == len(BEGIN) + layers * len(LAYER) + len(END)
    figures = re.findall(r'data-name="([\w.]+)">(.*?)</div>', content)
    picture = imread(io.BytesIO(base64.b64decode(re.search(r"base64,([^)]*)", content)[1])))
    for name, inside in figures:
        stem, _, head = name.rpartition(".")
        values = found[stem][int(head)] if stem.endswith("weights") else found[name]
        values = values[-1:] if name == "logits" else values
        scale = 1 if stem.endswith("weights") else 2.5 * values.square().mean().sqrt()
        blocks = []
        for at in re.findall(r"--at:(\d+)", inside):
            block = picture[int(at) : int(at) + len(values)]
            blocks.append(np.where(block[..., 2] > block[..., 0], 1, -1) * block[..., 3])
        drawn = np.concatenate(blocks, axis=1)[:, : values.shape[1]]
        exact = (values / scale).clamp(-1, 1).numpy()
        assert np.abs(drawn - exact).max() <= 0.5 / SHADES + 0.003, name  # alpha has 255 levels
        assert len(blocks) == -(-values.shape[1] // BLOCK)


def test_a_pass_says_what_comes_next_after_each_layer_and_at_its_end(shown, small):
    model, tokenizer = small
    forward_pass(model, tokenizer, TEXT, "a pass")
    content = unescape(shown[0]["text/html"])
    tokens = torch.tensor(tokenizer.encode(TEXT))
    found = trace(model, tokens)
    with torch.no_grad():
        chances, likely = model(tokens[None])[0, -1].softmax(dim=-1).topk(3)
        streams = torch.stack([found[f"{layer}.y"][-1] for layer in range(len(model.layers))])
        early = model.head(model.norm(streams)).softmax(dim=-1)
    words = [readable(tokenizer.vocabulary[token]) for token in likely.tolist()]
    three = ", ".join(f"“{w}” {c:.0%}" for w, c in zip(words, chances.tolist(), strict=True))
    assert f'<p role="status">Most likely after “␣is”: {three}.</p>' in content
    lenses = re.findall(r"predicts so far: <span>“(.*?)” (\d+%)</span>", content)
    tops = [readable(tokenizer.vocabulary[token]) for token in early.argmax(dim=1).tolist()]
    assert lenses == [
        (w, f"{c:.0%}") for w, c in zip(tops, early.amax(dim=1).tolist(), strict=True)
    ]
    assert lenses[-1] == (words[0], f"{chances[0]:.0%}")


def test_a_pass_makes_its_page_no_heavier_than_60_kb(shown, small):
    (text,) = re.findall(r'^TEXT = "(.*)"$', (BOOK / "machine.md").read_text(), re.MULTILINE)
    forward_pass(*small, text, "a pass")
    assert len(shown[0]["text/html"].encode()) < 60_000  # the weights come when they are asked for


def test_links_of_a_pass_lead_to_sections_and_exercises_that_are_there():
    for _, _, (section, exercise), _ in [*BEGIN, *LAYER, *END]:
        page, _, anchor = section.partition(".html#")
        assert f"\n({anchor})=\n" in (BOOK / f"{page}.md").read_text()
        slug = exercise.partition(".")[0]
        assert f"\n:label: {exercise}\n" in (BOOK / f"{slug}.md").read_text()


@pytest.mark.parametrize(
    ("text", "alt", "said"),
    [("a", " ", "alt text"), ("", "a pass", "got 0 tokens; 1 to 48"), ("~" * 49, "x", "49 tokens")],
)
def test_passes_that_cannot_be_shown_are_refused(small, text, alt, said):
    with pytest.raises(ValueError, match=said):
        forward_pass(*small, text, alt)
