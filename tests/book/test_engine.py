"""The engine that trains networks on pages: its losses are those of PyTorch, step by step."""

import html
import itertools
import json
import math
import re
import shutil
import subprocess

import numpy as np
import pytest
import torch
from driver import BROWSER, lacking
from torch import nn
from torch.nn import functional as F

from book.pages import BOOK
from book.svg import shade
from book.widgets import board, devices
from book.widgets.bayes import bayes_square
from book.widgets.bleu import bleu_board, sentence_bleu, words
from book.widgets.broadcast import broadcast_board
from book.widgets.budget import Surface, budget_plane
from book.widgets.denoise import FAR, SIDE, denoise
from book.widgets.denoise import STEPS as CALLS
from book.widgets.denoise import walk as denoising_path
from book.widgets.fit import fit_line
from book.widgets.histograms import layer_histograms
from book.widgets.lookup import lookup_plane
from book.widgets.margin import margin_plane
from book.widgets.matrix import UNIT, matrix_map
from book.widgets.negatives import negatives_board
from book.widgets.outlier import outlier_board
from book.widgets.patching import cut_digit
from book.widgets.pull import push_and_pull
from book.widgets.reader import in_bytes, read_digit, scored
from book.widgets.secant import secant
from book.widgets.shift import shift_digit
from book.widgets.spirals import train_spirals
from book.widgets.superposition import superposition_board
from book.widgets.tilt import tilt
from book.widgets.valley import race
from book.widgets.votes import Samples, pick_answers
from grader.instruct.browser import chromium
from solutions.convolution import LeNet
from solutions.data import digits
from solutions.distributed import bubble_fraction, memory_per_device, timetable
from solutions.embeddings import sgns_gradients
from solutions.gpt import compute_optimal
from solutions.interpretability import superposition_loss
from solutions.linear import squared_loss, train
from solutions.mlp import MLP
from solutions.model_compression import absmax_scale, decibels, dequantize, quantize
from solutions.preference import best_of_n, dpo_loss, implicit_reward
from solutions.refresher import (
    broadcast_shape,
    finite_difference,
    polynomial_derivative,
    posterior,
)
from solutions.self_attention import soft_lookup
from solutions.seq2seq import brevity_penalty, clipped_counts
from solutions.test_time_compute import expected_best, weighted_vote
from solutions.training import SGD, Adam, RMSprop
from solutions.vit import patches

ENGINE = BOOK / "widgets" / "engine.js"
ACTIVATIONS = {"relu": nn.ReLU, "tanh": nn.Tanh, "sigmoid": nn.Sigmoid, "identity": nn.Identity}
LOSSES = {"cross-entropy": F.cross_entropy, "squared error": F.mse_loss}
OPTIMIZERS = {
    "SGD": (lambda p: SGD(p, lr=0.1), 0.1, {}),
    "momentum": (lambda p: SGD(p, lr=0.05, momentum=0.8), 0.05, {"momentum": 0.8}),
    "RMSProp": (lambda p: RMSprop(p, lr=0.01, alpha=0.95), 0.01, {"alpha": 0.95}),
    "Adam": (lambda p: Adam(p, lr=0.02, betas=(0.8, 0.99)), 0.02, {"betas": [0.8, 0.99]}),
}
RUNS = [
    ("relu", False, "cross-entropy", "SGD"),
    ("tanh", False, "squared error", "momentum"),
    ("sigmoid", False, "cross-entropy", "RMSProp"),
    ("identity", False, "squared error", "Adam"),
    ("relu", True, "cross-entropy", "momentum"),
    ("tanh", True, "squared error", "Adam"),
]
TURN = [[0.0, -1.0], [1.0, 0.0]]
SURFACES = {  # E, a, alpha, b, beta
    "flat": Surface(0.9, 5.0, 0.2, 20.0, 0.25),
    "steep": Surface(1.7, 25.0, 0.5, 3000.0, 0.75),
}
FEW = 0.2 * torch.randn(2, 8, generator=torch.Generator().manual_seed(1)).double()
TOYS = {  # p: W, b
    0.5: (torch.tensor([[1.0, 0.0, 0.2], [0.0, 0.9, 0.1]]), torch.tensor([0.1, 0.0, 0.4])),
    0.1: (torch.tensor([[1.1, -0.5, -0.5], [0.0, 0.9, -0.9]]), torch.tensor([-0.2, -0.1, -0.2])),
}
BATCHES = [
    (name, 2 * torch.rand(4, 4, generator=torch.Generator().manual_seed(seed)).double() - 1)
    for seed, name in enumerate(("one", "two"))
]
TARGETS = torch.tensor([[sum(row[:2]) - row[2], *row] for row in ([3, 5, 2], [8, 1, 4])] * 7)
SIGNS = torch.randint(0, 2, (14, 8, 3), generator=torch.Generator().manual_seed(3)) * 2 - 1
JUDGED, NOISE = (
    torch.randint(-300, 300, (2, 14, 8), generator=torch.Generator().manual_seed(4)) / 50
)
SIZES, STEPS = (3, 7, 5, 2), 50


def model(activation, norm):
    layers = []
    for inputs, outputs in itertools.pairwise(SIZES):
        layers += [nn.Linear(inputs, outputs), nn.BatchNorm1d(outputs), ACTIVATIONS[activation]()]
    layers = [layer for layer in layers[:-2] if norm or not isinstance(layer, nn.BatchNorm1d)]
    made = nn.Sequential(*layers).double()
    with torch.no_grad():
        for parameter in made.parameters():
            parameter += 0.3 * torch.randn_like(parameter)
    return made


@pytest.fixture(scope="module")
def runs():
    """Of each run: the engine's losses and weights, and PyTorch's."""
    if not shutil.which("node"):
        pytest.skip("there is no Node.js to run the pages' script with")
    torch.manual_seed(0)
    given, wanted = [], []
    for activation, norm, loss, kind in RUNS:
        net, (make, rate, settings) = model(activation, norm), OPTIMIZERS[kind]
        flat = torch.cat([parameter.detach().flatten() for parameter in net.parameters()])
        optimizer, batches, losses = make(net.parameters()), [], []
        for _ in range(STEPS):
            x, y = torch.randn(11, 3).double(), torch.randint(2, (11,))
            y = torch.randn(11, 2).double() if loss == "squared error" else y
            batches.append([x.flatten().tolist(), y.flatten().tolist()])
            optimizer.zero_grad()
            value = LOSSES[loss](net(x), y)
            value.backward()
            optimizer.step()
            losses.append(value.item())
        keys = {"sizes": SIZES, "activation": activation, "norm": norm, "loss": loss}
        more = {"optimizer": kind, "settings": settings, "rate": rate, "batches": batches}
        given.append({**keys, **more, "weights": flat.tolist()})
        end = torch.cat([parameter.detach().flatten() for parameter in net.parameters()])
        wanted.append((losses, end.tolist()))
    command = ["node", BROWSER / "engine.cjs", ENGINE]
    done = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    return found["done"], wanted, found["normal"]


@pytest.mark.parametrize("place", range(len(RUNS)), ids=["-".join(map(str, run)) for run in RUNS])
def test_losses_and_weights_are_those_of_pytorch(runs, place):
    found, (losses, weights) = runs[0][place], runs[1][place]
    assert found["losses"] == pytest.approx(losses, abs=1e-8)
    assert found["weights"] == pytest.approx(weights, abs=1e-8)
    assert abs(losses[0] - losses[-1]) > 1e-2  # the batches differ, and so do the steps


def test_a_step_after_going_back_is_the_same_step(runs):
    assert [run["same"] for run in runs[0]] == [True] * len(RUNS)


def test_random_numbers_are_normal(runs):
    values = torch.tensor(runs[2])
    assert abs(values.mean()) < 4 / 20000**0.5
    assert abs(values.square().mean() - 1) < 4 * (2 / 20000) ** 0.5
    assert abs((values.abs() < 1).double().mean() - 0.6827) < 0.014


# The widgets that train, in a browser


def two_spirals(count, generator):
    labels = torch.arange(count) % 2
    radius = torch.rand(count, generator=generator).sqrt()
    angle = 3 * torch.pi * radius + torch.pi * labels
    return 1.9 * radius[:, None] * torch.stack([angle.cos(), angle.sin()], dim=1), labels


def descended(name, rate, angle=0.0, start=(-9.0, 2.0), steps=100):
    """The path of a racer, the axes of the weights turned by an angle."""
    makers = {
        "plain": lambda p: SGD(p, lr=rate),
        "momentum": lambda p: SGD(p, lr=rate, momentum=0.9),
        "RMSProp": lambda p: RMSprop(p, lr=rate),
        "Adam": lambda p: Adam(p, lr=rate),
    }
    turn = torch.tensor(math.radians(angle)).double()
    axes = torch.stack([turn.cos(), turn.sin(), -turn.sin(), turn.cos()]).reshape(2, 2)
    weights = nn.Parameter(axes @ torch.tensor(start).double())
    optimizer, path = makers[name]([weights]), [axes.T @ weights.detach()]
    for _ in range(steps):
        weights.grad = axes @ (torch.tensor([1.0, 25.0]).double() * path[-1])
        optimizer.step()
        path.append(axes.T @ weights.detach())
    return torch.stack(path)


def pulled(draws, center, context, rate=0.2):
    """Word vectors after the steps of skip-gram with these draws."""
    for word, found, *noise in draws.tolist():
        given = center[None, word], context[None, found], context[None, noise]
        slope, by_found, by_noise = sgns_gradients(*given)
        center[word] -= rate * slope[0]
        context[found] -= rate * by_found[0]
        context.index_add_(0, torch.tensor(noise), -rate * by_noise[0])
    return center, context


CUBIC, SHAPES = [0.5, -3, 0.25, 1], [(4, 3), (4, 1), (1, 3), (3,), (4,)]
REFERENCE = torch.tensor([0.4, 0.3, 0.2, 0.1]).double()
PATH = [(0.0, 0.0), (0.4, -1.3), (-0.6, -3.0)]
POINTS = [(0.3, 0.9), (1.1, 1.3), (1.6, 2.2), (2.4, 3.1)]
CLUSTERS = (
    torch.tensor([0.7, 0.3]),
    torch.tensor([[-1.0, 0.5], [1.5, -0.5]]),
    torch.tensor([0.02, 0.05]),
)
KEYS = [(0.9, 0.3), (0.0, 1.6), (-1.0, 0.7)]
TARGET = "the small dog runs over the lawn."
RATES = {"plain": 0.07, "momentum": 0.03, "RMSProp": 0.2, "Adam": 0.5}


@pytest.fixture(scope="module")
def used(tmp_path_factory):
    """Answers of the widgets to what a reader does: browser/engine.mjs."""
    if why := lacking():
        pytest.skip(why)
    bundles, draw = [], torch.Generator().manual_seed(0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(board, "display", lambda bundle, raw: bundles.append(bundle["text/html"]))
        pages = two_spirals(300, draw), two_spirals(200, draw)
        train_spirals(*pages, torch.rand(4, 4, generator=draw), "A still.", "spirals", most=2.2)
        race({name: descended(name, rate) for name, rate in RATES.items()}, RATES, "a race")
        data = digits().train
        sums = [torch.randn(64, 16, generator=draw) for _ in range(4)]
        given = torch.randint(4, (100, 4), generator=draw)
        start = torch.randn(2, 4, 2, generator=draw).double()
        end = pulled(given, *start.clone())
        push_and_pull([*"abcd"], [*"efgh"], given, tuple(start), end, "vectors", rate=0.2)
        layer_histograms(data.features[:128], data.labels[:128], sums, sums, "layers")
        torch.manual_seed(0)
        nets = {"an MLP": layers_of(MLP([64, 7, 10])), "LeNet": layers_of(LeNet())}
        read_digit({"an MLP": nets["an MLP"]}, data.features[:3], "one network")
        read_digit(nets, data.features[:3], "two networks")
        pictures = data.features[:3].reshape(3, 8, 8)
        cut_digit(pictures, patches(pictures[:1, None], 2)[0], "patches", note=("see-a", "A note."))
        chances = torch.rand(3, 5, 5, 10, generator=draw)
        given = {"an MLP": chances, "another": chances}, "a digit to move"
        net = {"an MLP": nets["an MLP"]}
        shift_digit(pictures, data.labels[:3], *given, reach=2, networks=net)
        secant(CUBIC, 0.5, "a curve", x=(-2, 2), y=(-3, 3), central=True)
        broadcast_board(SHAPES, (4, 1), (3,), "shapes")
        likelihood = torch.tensor([0.9, 0.2]).double()
        bayes_square(["ill", "well"], ["positive", "negative"], 0.1, likelihood, "areas")
        tilt([*"abcd"], REFERENCE, torch.tensor([1.0, 0, 0, 0]), "a reward", beta=0.5)
        margin_plane({"β = 1": (1.0, PATH), "β = 0.5": (0.5, PATH)}, 10, "a plane")
        fit_line(POINTS, "a line")
        matrix_map({"shear": [[1, 0.8], [0, 1]], "turn": TURN}, (-1.0, 1.5), "a grid")
        budget_plane(SURFACES, [(1e4, 1e5, 2.4), (1e5, 4e5, 2.0)], "a budget")
        named = {"names": ("q", "k", "a(q)"), "scores": ("dot", "cosine"), "temperature": True}
        lookup_plane(KEYS, (1.0, 0.0), "a plane", **named)
        denoise(*CLUSTERS, "a crowd")
        outlier_board(FEW, "weights", group=4)
        superposition_board(TOYS, torch.tensor([1.0, 0.5, 2.0]), "features", chance=0.5)
        batches = {name: (of, data.features[:4].view(4, 8, 8), [*"abcd"]) for name, of in BATCHES}
        negatives_board(batches, "a batch", scale=5.0)
        pick_answers(Samples(TARGETS, SIGNS, {"judge": JUDGED}, NOISE), "samples", n=7)
        bleu_board([("ein Hund", TARGET)], {"A": ["the dog runs over a lawn."]}, "translations")
        given = {"kept": (3.5, 11.0), "tokens": 1000, "capacity": 40e9}
        devices.training_plan(TRANSFORMERS, "a plan", model="large", **given)
    page = tmp_path_factory.mktemp("site") / "page.html"
    head = '<!doctype html><html lang="en" data-theme="light"><title>A page</title>'
    colors = "html{--course-0:#2b5fc7;--course-1:#c2410c}"
    colors += "html[data-theme=dark]{--course-0:#6a8df0;--course-1:#ef7440}"
    gap = '<div style="height:3000px"></div>'
    body = f"<main>{gap.join(bundles)}</main>{gap}<footer>The end.</footer>"
    page.write_text(f"{head}<meta charset=utf-8><style>{colors}</style>{body}", encoding="utf-8")
    command = ["node", BROWSER / "engine.mjs", chromium(), page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    told = [re.findall(r'<p role="status">(.*?)</p>', text) for text in bundles]
    more = {"told": told[1][0], "vectors": told[2][0], "cells": (end[0] @ end[1].T).sigmoid()}
    more |= {"reads": [html.unescape(told[k][0]) for k in (4, 5)], "layers": nets["an MLP"]}
    return json.loads(done.stdout) | {"url": page.as_uri(), "html": bundles} | more


def layers_of(model):
    parameters = [part.detach() for part in model.parameters()]
    return [*zip(parameters[::2], parameters[1::2], strict=True)]


def loss_of(says):
    return float(re.search(r"loss ([\d.]+) on the training", says)[1])


def right_of(says):
    return float(re.search(r"([\d.]+)% of new points", says)[1])


def test_nothing_is_loaded_and_nothing_starts_by_itself(used):
    assert used["errors"] == []
    assert used["asked"] == [used["url"]]
    assert used["opened"].startswith("Step 0, 1 hidden layer of 8, ReLU: loss 0.")
    assert not used["stills"]
    assert all(len(text.encode()) < 60_000 for text in used["html"])


def test_a_network_trains_by_steps_and_goes_back(used):
    assert used["one"].startswith("Step 1, ")
    assert used["back"] == used["start"] == used["opened"]
    assert used["thousand"].startswith("Step 1,000, ")
    assert used["again"] == used["thousand"] != used["earlier"]
    assert used["earlier"].startswith("Step 990, ")
    assert loss_of(used["thousand"]) <= loss_of(used["earlier"]) < loss_of(used["opened"]) - 0.2
    assert right_of(used["thousand"]) > right_of(used["opened"]) + 10
    assert used["wild"].startswith("Step ")
    assert "training diverged" in used["wild"]
    assert used["rate"] == "0.5"


def test_regions_and_curves_are_drawn_in_the_colors_of_the_theme(used):
    light, dark = used["light"], used["dark"]
    assert min(light["blue"], light["orange"]) > 300  # of 56 × 56
    assert light["colors"]["blue"] == pytest.approx([0x2B, 0x5F, 0xC7], abs=3)
    assert dark["colors"]["blue"] == pytest.approx([0x6A, 0x8D, 0xF0], abs=3)
    assert min(used["curves"]) > 50


def test_training_waits_while_nobody_sees_it(used):
    assert used["away"][0] == used["away"][1]
    assert used["paused"][0] == used["paused"][1] > used["away"][1]
    assert used["steady"] == 1  # it goes on while the rate changes
    assert used["calm"] == 0  # of the buttons that start a run, where less motion is wanted
    assert used["calmly"].startswith("Step 51. ")


def test_a_group_has_one_tab_stop(used):
    assert set(used["stops"]) == {1}
    assert len(used["stops"]) == 31  # players have a slider among their buttons
    assert used["focused"] == "tanh"
    assert used["keyed"] == 1


def near(path):
    return int((path.norm(dim=1) < 0.5).nonzero()[0])


def test_the_race_is_that_of_the_solutions(used):
    assert used["race"] == used["told"]
    after = [
        f"{name} after {near(descended(name, rate, 45))} steps" for name, rate in RATES.items()
    ]
    assert used["askew"] == f"Step 100. In the circle around the minimum: {', '.join(after)}."
    away = [f"{n} {descended(n, r, 45)[10].norm():.1f} away" for n, r in RATES.items()]
    assert used["ten"] == f"Step 10. Not there: {', '.join(away)}."
    x, y = (float(part) for part in used["tapped"].replace("−", "-").strip("()").split(","))
    assert (x, y) == pytest.approx((-7.6, -2.2), abs=0.2)
    assert used["arrived"].startswith("Step 100. In the circle")
    assert used["arrived"] != used["askew"]
    assert "Not there: plain diverges." in used["flies"]


def test_batch_normalization_cancels_the_scale_of_the_weights(used):
    small, large = used["small"], used["large"]
    assert len(small) == 4
    for k, (a, b) in enumerate(zip(small, large, strict=True)):
        assert a[3] == b[3] == "1.00"
        assert float(b[1]) / float(a[1].lstrip("<")) > 4 * (k + 1)
    without, normed = map(float, re.findall(r"(\d\.\d\d) with", used["losses"]))
    assert without > 2.2 > 1 > normed


def test_vectors_are_those_of_the_solutions(used):
    says, cells = used["pulled"]
    assert says == html.unescape(used["vectors"])
    assert cells == [f"{share:.2f}" for share in used["cells"].flatten().tolist()]
    assert used["replayed"] == used["pulled"]
    assert used["forces"] == 3


def test_networks_read_a_digit_as_pytorch_does(used):
    assert used["read"] == used["reads"]  # what stood there before, of the same rounded weights
    says, kept = used["mine"]
    assert [place for place, ink in enumerate(kept) if ink != "0"] == [27]
    drawn = torch.zeros(1, 64)
    drawn[0, 27] = 1
    share, digit = scored(in_bytes(used["layers"]), drawn)[0].softmax(dim=0).max(dim=0)
    assert re.fullmatch(rf"An MLP reads an? {digit} \({100 * share:.1f}%\)\.", says)
    weights = used["layers"][0][0][0]
    seen = torch.tensor(used["weights"]) / 255 * weights.abs().max()
    strong = weights.abs() > 0.1 * weights.abs().max()
    # weights come as int8 and are drawn in 256 shades: each rounds by up to half a step
    assert torch.allclose(seen[strong], weights[strong], atol=0.02 * weights.abs().max())


def test_a_drawn_digit_is_moved_and_read(used):
    says, rows = used["moved"]
    drawn = torch.zeros(2, 8, 8)
    drawn[0, 3, 3] = drawn[1, 2, 5] = 1  # two to the right, one up
    read = scored(in_bytes(used["layers"]), drawn.flatten(1)).softmax(dim=1)
    shares, (before, after) = read.max(dim=1)
    other = ", as before" if before == after else f", and {before} before"
    assert says == f"Your digit, moved by 1 up, 2 right: an MLP reads {after}{other}."
    assert [row.split() for row in rows] == [["an", "MLP", f"{after}", f"{100 * shares[1]:.0f}%"]]


def test_patches_hold_the_pixels_that_they_should_or_pieces_of_rows(used):
    right, wrong, noted, marked = used["patch"]
    assert right.endswith("Patch 5: 0, 0, 0, 1.")  # rows 2 and 3, columns 2 and 3
    assert wrong.endswith("Patch 5: 0, 0, 0, 0.")  # the end of row 2
    assert noted
    assert marked == 4


def numbers(text):
    return [float(one) for one in re.findall(r"-?\d+\.\d+", text.replace("−", "-"))]


def amounts(text):
    """The numbers of a sentence, in which there are thousands and millions."""
    text = text.replace(" thousand", "e3").replace(" million", "e6")
    return [float(one) for one in re.findall(r"\d[\d.]*(?:e\d)?", text)]


def test_quotients_and_their_errors_are_those_of_the_solutions(used):
    x, slope, one, one_off, central, central_off, *shrunk = numbers(used["slope"])
    assert x == pytest.approx(-0.6, abs=0.1)  # to where it was dragged
    assert "With h = 1/8 the one-sided" in used["slope"]

    def f(x):
        return sum(c * x[0] ** k for k, c in enumerate(CUBIC))

    at = torch.tensor([x]).double()
    exact = evaluate(polynomial_derivative(torch.tensor(CUBIC)), x)
    errors = []
    for h in (0.25, 0.125):
        pair = ((f(at + h) - f(at)) / h).item(), finite_difference(f, at, step=h).item()
        errors.append([abs(quotient - exact) for quotient in pair])
    assert slope == pytest.approx(exact, abs=6e-4)
    assert [one, central] == pytest.approx([*pair], abs=6e-4)
    assert [one_off, central_off] == pytest.approx(errors[1], abs=6e-5)
    assert shrunk == pytest.approx([a / b for a, b in zip(*errors, strict=True)], abs=6e-3)


def evaluate(coefficients, x):
    return sum(c * x**k for k, c in enumerate(coefficients.tolist()))


def test_shapes_are_broadcast_as_by_the_solution(used):
    for first, row in zip(SHAPES, used["shapes"], strict=True):
        for second, said in zip(SHAPES, row, strict=True):
            pair = " and ".join(" × ".join(map(str, shape)) for shape in (first, second))
            try:
                made = " × ".join(map(str, broadcast_shape(first, second)))
                assert said == f"{pair} fit: the sum has the shape {made}."
            except ValueError:
                assert said.startswith(f"{pair} do not fit: on the last axis")


def test_areas_are_posteriors(used):
    prior, ill, well = (float(text.rstrip("%")) / 100 for text in used["areas"][2])
    assert (prior, ill, well) == (0.19, 0.9, 0.29)
    likelihood = torch.tensor([[ill, well], [1 - ill, 1 - well]]).double()
    after = posterior(torch.tensor([prior, 1 - prior]).double(), likelihood)[:, 0]
    for said, share in zip(used["areas"], after.tolist(), strict=False):
        assert f" {100 * share:.1f}% are ill; before the test it was 19.0%." in said


def test_the_optimum_and_the_best_of_n_are_those_of_the_solutions(used):
    found, rewards = used["optimum"], torch.tensor([1, 1, 0.25, 0]).double()
    beta = 2**-2.5
    best = (REFERENCE.log() + rewards / beta).softmax(dim=0)
    nats, reward = (best * (best / REFERENCE).log()).sum().item(), (best @ rewards).item()
    assert numbers(found["said"])[1:] == pytest.approx(
        [reward, nats, reward - beta * nats, 0.5], abs=6e-3
    )
    assert [*map(float, found["shares"])] == pytest.approx(best.tolist(), abs=6e-4)
    own = implicit_reward(best.log(), REFERENCE.log(), beta=beta)
    assert [n for text in found["own"] for n in numbers(text)] == pytest.approx(
        own.tolist(), abs=6e-3
    )
    places = []
    for n in (1, 2, 4, 8, 16):
        policy = best_of_n(REFERENCE, rewards, n)
        divergence = torch.special.xlogy(policy, policy / REFERENCE).sum().item()
        places.append([58 + 490 * divergence / 2.5, 252 - 240 * (policy @ rewards).item()])
    assert found["drawn"] == [pytest.approx(place, abs=0.06) for place in places]


def test_the_loss_of_two_answers_is_that_of_dpo(used):
    chosen, rejected, margin, _, loss, weight = numbers(used["margin"])
    assert (chosen, rejected) == (0.4, -0.9)  # one step of the path, and four of the slider
    gains = torch.tensor([[chosen], [rejected]], dtype=torch.float64, requires_grad=True)
    exact = dpo_loss(*gains, *torch.zeros(2, 1).double(), beta=0.5)
    exact.backward()
    assert margin == pytest.approx(chosen - rejected)
    assert loss == pytest.approx(exact.item(), abs=6e-4)
    assert weight == pytest.approx(gains.grad[1].item() / 0.5, abs=6e-3)


def test_an_edited_translation_is_scored_as_by_the_solution(used):
    for text, said, cells in used["bleu"]:
        assert said == f"Edited: BLEU {sentence_bleu(text, TARGET):.1f}."
        counts = [tuple(map(int, cell.split(" of "))) for cell in cells[:4]]
        assert counts == [clipped_counts(words(text), [words(TARGET)], n) for n in range(1, 5)]
        penalty = brevity_penalty(len(words(text)), len(words(TARGET)))
        assert cells[4].startswith(f"{penalty:.3f} ")
    assert used["marked"] == ["dog", "runs", "over", "lawn", "."]


def test_a_line_is_fitted_by_the_loop_of_the_solutions(used):
    points = torch.tensor([*POINTS[:-1], (POINTS[-1][0], 0.0)]).double()  # the last one moved
    x, y = points[:, :1], points[:, 1:]
    start = {"weight": torch.zeros(1, 1).double(), "bias": torch.zeros(1).double()}
    weight, bias, _ = train(x, y, **start, loss="squared", learning_rate=0.05, steps=10)
    loss = squared_loss(x @ weight.T + bias, y).item()
    slope, intercept, now, least = numbers(used["fitted"][0].replace("+ ", "").replace("− ", "−"))
    assert used["fitted"][0].startswith("Step 10: ")
    assert (slope, intercept) == pytest.approx((weight.item(), bias.item()), abs=6e-3)
    assert now == pytest.approx(loss, abs=6e-4)
    design = torch.cat([x, torch.ones_like(x)], dim=1)
    best = design @ torch.linalg.lstsq(design, y).solution
    assert least == pytest.approx(squared_loss(best, y).item(), abs=6e-4)
    assert used["fitted"][1].endswith("The learning rate is too large.")
    assert used["fitted"][1].startswith("Step 30: ")


def test_a_budget_is_shared_as_by_the_solution(used):
    first, best, least, middle, edge = map(amounts, used["shared"])
    for (size, tokens, loss, above, n, d), name in (
        *((found, "flat") for found in (first, best)),
        *((found, "steep") for found in (least, middle, edge)),
    ):
        e, a, alpha, b, beta = SURFACES[name]
        work = torch.tensor(6 * size * tokens).double()
        optimum = compute_optimal(work, a=a, alpha=alpha, b=b, beta=beta)
        assert (n, d) == pytest.approx([one.item() for one in optimum], rel=0.02)
        mine, lowest = (e + a * n**-alpha + b * d**-beta for n, d in ((size, tokens), (n, d)))
        assert (loss, above) == pytest.approx((mine, mine - lowest), abs=0.02)
    assert first[:2] == pytest.approx((1e5, 1e11 / 6e5), rel=0.01)
    assert best[3] == 0
    assert least[:2] == pytest.approx((10**2.5, 2e11 / 6 / 10**2.5), rel=0.01)
    assert middle[0] == edge[0] * 100  # dragged to the middle of the left drawing, then along
    assert used["budgets"] == ["2 · 10¹¹", "5 · 10¹¹"]


def test_a_matrix_is_applied_again_and_again(used):
    matrix, x = torch.tensor(TURN).double(), torch.tensor([-0.8, 1.5]).double()
    matrix[1, 0] = 0.7  # three steps down
    once, often = used["moved_by"]
    assert [numbers(row)[-1] for row in once.split(" Row ")] == pytest.approx(
        (matrix @ x).tolist(), abs=6e-3
    )
    reached = [torch.linalg.matrix_power(matrix, k) @ x for k in range(4)]
    assert often == (
        f"Applied 3 times: the vector is {reached[3].norm() / x.norm():.2} times as long as x."
    )
    drawn = [[float(part) for part in point.split()] for point in used["way"][1:].split("L")]
    steps = torch.tensor(drawn).diff(dim=0) / torch.tensor([UNIT, -UNIT])
    # places in a drawing are rounded
    assert torch.allclose(steps.double(), torch.stack(reached).diff(dim=0), atol=0.01)


def test_a_query_that_turns_gets_the_answer_of_the_solution(used):
    key = torch.tensor(KEYS).double()
    turned = torch.tensor([math.cos(math.radians(30)), math.sin(math.radians(30))]).double()
    longer = key.clone()
    longer[1] = 2.2 * torch.tensor([math.cos(math.radians(-175)), math.sin(math.radians(-175))])
    for said, keys, score in zip(used["asked_for"], (key, longer), ("cosine", "dot"), strict=True):
        given = {"score": score, "temperature": 0.5}
        weights = soft_lookup(turned, keys, torch.eye(3).double(), **given)
        answer = soft_lookup(turned, keys, keys, **given)
        assert said.startswith(f"k{'₁₂₃'[weights.argmax()]} has the largest weight, ")
        assert numbers(said) == pytest.approx([weights.max().item(), *answer.tolist()], abs=6e-3)


def test_names_in_a_plane_do_not_cover_each_other(used):
    assert used["covered"] == 0


def test_a_crowd_of_starts_goes_where_the_sampler_leads_each(used):
    weights, means, variances = (part.double() for part in CLUSTERS)
    end, start, one, alike, noisy = used["crowd"]
    places = [torch.tensor(of["dots"]).double() for of in used["crowd"]]
    points = [(at / SIDE - 0.5) * torch.tensor([2 * FAR, -2 * FAR]) for at in places]
    assert points[1].shape == (40, 2)
    assert points[1].mean().abs() < 4 / 80**0.5
    assert points[1].square().mean().item() == pytest.approx(1, abs=4 * (2 / 80) ** 0.5)
    for begin, then, last in zip(*(points[k].tolist() for k in (1, 2, 0)), strict=True):
        path = denoising_path(weights, means, variances, tuple(begin), CALLS, straight=True)
        assert path[1].tolist() == pytest.approx(then, abs=5e-3)
        assert path[-1].tolist() == pytest.approx(last, abs=5e-3)
    nearest = torch.cdist(points[0], means).argmin(dim=1)
    assert start["fills"] == end["fills"] == [shade(int(k)) for k in nearest]
    first, second = nearest.bincount(minlength=2).tolist()
    ends = f"40 starts from noise, by the nearest cluster: {first} (70%), {second} (30%)."
    assert end["says"].endswith(ends)
    assert min(first, second) > 1
    assert start["says"].startswith(f"Step 0 of {CALLS}: signal 0.00, noise 1.00.")
    assert one["says"].startswith(f"Step 1 of {CALLS}: signal 0.10, noise 0.90.")
    assert len(set(map(tuple, alike["dots"]))) == 1  # without fresh noise: one start, one end
    assert alike["says"].endswith(
        "40 starts from the ring, by the nearest cluster: 40 (70%), 0 (30%)."
    )
    assert len(set(map(tuple, noisy["dots"]))) > 30


@pytest.mark.parametrize("kind", ["row", "group"])
def test_levels_follow_an_outlier_as_the_solution_rounds(used, kind):
    said, drawn = used["rounded"][kind]
    values = torch.tensor([[round(w, 4) for w in row] for row in FEW.tolist()]).double()
    moved = int(FEW[0, :4].abs().argmax())
    rest = torch.ones(2, 8).bool()
    rest[0, moved] = False
    unit = values[rest].abs().max()
    values[0, moved] = 3.9 * unit
    parts = values if kind == "row" else values.unflatten(1, (2, 4))
    scale = absmax_scale(parts, 3, dim=-1)
    near = dequantize(quantize(parts, scale, 3), scale).view(2, 8)
    noise, zeros = decibels(values[rest], near[rest]).item(), int((near[rest] == 0).sum())
    told = f"{noise:.1f} dB; {zeros} of them become 0. Stored: {3 + scale.numel()} bits per weight."
    assert said.endswith(f"signal-to-noise ratio of {told}")
    ends = torch.tensor([[*map(float, end)] for end in re.findall(r"M(.*?) .*?H([-.\d]+)", drawn)])
    # places in a drawing are rounded to a tenth, and a length is the difference of two
    assert torch.allclose(
        ends.diff()[:, 0], (near - values).flatten().float() * 548 / (6.2 * unit), atol=0.11
    )


def test_what_is_returned_in_superposition_is_that_of_the_solution(used):
    weight, bias = TOYS[0.1]
    importance = torch.tensor([1.0, 0.5, 2.0])
    for x, (said, shown) in zip(([0.0, 1, 1], [0.0, 0, 1]), used["returned"], strict=True):
        x = torch.tensor([x])
        returned = (x @ weight.T @ weight + bias).relu()[0]
        assert [numbers(text)[0] for text in shown] == pytest.approx(returned.tolist(), abs=6e-3)
        count = int(x.sum())
        inputs = 100 * 3 * 0.1**count * 0.9 ** (3 - count)
        assert said.startswith(f"p = 0.1: {inputs:.1f}% of all inputs have {count} of 3 features ")
        assert f"The loss is {superposition_loss(x, weight, bias, importance):.2f}." in said


def test_the_gradient_of_a_batch_is_that_of_autograd(used):
    said, shown = used["pushed"]
    cosines = BATCHES[1][1].mul(1e4).round().div(1e4).requires_grad_()
    loss = sum(F.cross_entropy(100 * of, torch.arange(4)) for of in (cosines, cosines.T)) / 2
    (slope,) = torch.autograd.grad(loss, cosines)
    for text, due in zip(shown, slope.flatten().tolist(), strict=True):
        assert numbers(text)[0] == pytest.approx(due, abs=6e-3 if abs(due) < 10 else 6e-2)
    assert said.startswith(f"Scale 100: the loss is {loss:.2f}.")
    assert said.endswith(f"All pushes add up to {slope[~torch.eye(4).bool()].sum():.2f}.")


TRANSFORMERS = {
    "large": devices.Model(41_000_000_003, 900_000_007, 48, 8192),
    "small": devices.Model(2_000_000_011, 80_000_003, 24, 2048),
}
CHOSEN = [
    ("large", devices.Plan(microbatches=1)),
    ("large", devices.Plan(stages=8, microbatches=64, schedule="1F1B")),
    ("large", devices.Plan(1024, 3, 2, 8, 32, "1F1B", checkpoint=True)),
    ("small", devices.Plan(64, 2, 8, 8, 16, checkpoint=True)),
    ("small", devices.Plan(64, 2, 1, 1, 1)),
]


@pytest.mark.parametrize("number", range(len(CHOSEN)))
def test_a_plan_is_computed_as_the_solution_does(used, number):
    (name, plan), found = CHOSEN[number], used["plans"][number]
    model = TRANSFORMERS[name]
    copies = plan.devices // (plan.tensor * plan.stages)
    state = memory_per_device(
        model.parameters // (plan.tensor * plan.stages), copies, stage=plan.stage
    )
    gathered = 2 * (model.layer // plan.tensor) if plan.stage == 3 else 0
    sizes = devices.bytes_held(model, plan, kept=(3.5, 11.0), tokens=1000)
    assert sum(sizes[:3]) == state + gathered
    assert found["cells"] == [devices.gigabytes(size) for size in (*sizes, sum(sizes))]
    parts = f"{plan.microbatches} microbatch{'es' * (plan.microbatches > 1)}"
    assert found["chosen"] == (
        f"{name} on {plan.devices:,} devices: tensor {plan.tensor}, pipeline {plan.stages} "
        f"({plan.schedule}, {parts}), ZeRO {plan.stage}{', checkpointing' * plan.checkpoint}"
    )
    whose = f"{copies:,} copies" if copies > 1 else "One copy"
    assert found["said"].startswith(whose)
    assert f" {copies * plan.microbatches:,} sequences per step." in found["said"]
    over = (sum(sizes) - 40e9) / 1e9
    assert (f" {over:,.1f} GB too much." if over > 0 else " which fits.") in found["said"]
    idle = 100 * bubble_fraction(plan.stages, plan.microbatches)
    assert found["said"].endswith(f" waits for {idle:.1f}% of the time.")
    rows = timetable(plan.orders())
    unit = (devices.WIDTH - devices.LEFT) / len(rows[0])
    for kind, path in zip("FB", found["paths"], strict=True):
        drawn = [tuple(map(float, at)) for at in re.findall(r"M([\d.]+) (\d+)", path)]
        jobs = [
            (devices.LEFT + unit * time, devices.ROW * stage + 1)
            for stage, row in enumerate(rows)
            for time, job in enumerate(row)
            if job.startswith(kind)
        ]
        # places in a drawing are rounded to a tenth
        assert np.allclose(drawn, jobs, atol=0.051)
    legible = [job[1:] for row in rows for job in row if job] if len(rows[0]) <= 24 else []
    assert found["numbers"] == legible


def test_rules_choose_as_the_solutions_do(used):
    right = (SIGNS * TARGETS[:, None, 1:]).sum(dim=2) == TARGETS[:, :1]
    numbers = (SIGNS * 2 ** torch.arange(3)).sum(dim=2)
    winner = weighted_vote(numbers[:, :7], torch.ones(14, 7))[:, None]
    solved = {
        "first sample": right[:, 0],
        "majority vote": (right & (numbers == winner))[:, :7].any(dim=1),
        "judge": expected_best(JUDGED[:, :7], right[:, :7].double(), 7) == 1,
        "the check (pass@n)": right[:, :7].any(dim=1),
        "noisy": expected_best((JUDGED + 2 * NOISE)[:, :5], right[:, :5].double(), 5) == 1,
    }
    for name, good in solved.items():
        said, states, *_ = used["picked"][name]
        n = 5 if name == "noisy" else 7
        assert [state == "solved" for state in states] == good.tolist()
        there = right[:, :n].any(dim=1)
        assert [state == "none" for state in states] == (~there).tolist()
        assert f", n = {n}: {good.sum()} of 14 problems are solved." in said
        left = f"{(there & ~good).sum()} with a right answer among the samples"
        assert said.endswith(f"Not solved: {left}, and {(~there).sum()} without.")
    assert len({tuple(states) for _, states, *_ in used["picked"].values() if states}) > 3


def test_the_answers_of_a_problem_are_listed_by_the_rule(used):
    said, _, rows, caption = used["picked"]["noisy"]
    assert said.startswith("Judge with noise of 2, n = 5: ")
    target, *numbers = TARGETS[10].tolist()  # ten problems stand in a row
    assert caption.startswith(
        f"Problem 11: target {target}, numbers {', '.join(map(str, numbers))}."
    )
    scores = (JUDGED + 2 * NOISE)[10, :5]
    best = SIGNS[10, scores.argmax()]
    total = str((best * TARGETS[10, 1:]).sum().item()).replace("-", "−")
    answer = " ".join(f"{'−+'[s > 0]}{x}" for s, x in zip(best.tolist(), numbers, strict=True))
    assert rows[0].replace(" ✓", "").split("\t")[:2] == [answer, total]
    assert rows[0].endswith(f"{scores.max().sigmoid():.2f}")
    assert sum(int(row.split("\t")[2]) for row in rows) == 5
    assert used["picked"]["dragged"].startswith("Judge with noise of 2, n = 1: ")


def test_axe_finds_nothing_in_them(used):
    assert used["violations"] == []
    assert used["sideways"] <= 0
