"""The engine that trains networks on pages: its losses are those of PyTorch, step by step."""

import itertools
import json
import shutil
import subprocess

import pytest
import torch
from driver import BROWSER
from torch import nn
from torch.nn import functional as F

from book.pages import BOOK
from solutions.training import SGD, Adam, RMSprop

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
