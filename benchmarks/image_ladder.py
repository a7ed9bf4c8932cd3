"""The image ladder on three kinds of pictures: naive Bayes to ViT under the same rules.

    python benchmarks/image_ladder.py [--fresh] [--minutes 4]

The rules are those of the page: one split; twelve epochs of AdamW for every trained model; one
hyperparameter, chosen on the development part from six candidates, and smaller ones while the
smallest is best; five seeds; and test pictures that are used for no choice. Digits, in the page's
split; letters (`glyphs`, whole fonts held out); and Fashion-MNIST if its images are available. Of
the larger sets, the first 3,000 training pictures are used. Writes `image_ladder.json` after each
rung, and reuses what it holds, except for digits of another split; `--fresh` starts over. Times are
processor seconds of one training.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch
import torch.nn.functional as F
from defined import definitions
from machine import record
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode
from vit_cnn import vit

from book.recorded import fingerprint
from solutions import convolution
from solutions.convolution import LeNet, ResNet
from solutions.data import Split, Splits, fashion_mnist, glyphs
from solutions.download import DataError
from solutions.fit import Batches, fit
from solutions.generative import (
    bernoulli_log_likelihood,
    fit_bernoulli,
    fit_gaussian,
    gaussian_log_density,
    log_prior,
)
from solutions.linear import LinearModel, cross_entropy, hinge_loss
from solutions.mlp import MLP
from solutions.training import warmup_cosine

# Written to be read; PyTorch's, of the same names, compute the same in less time.
convolution.conv2d, convolution.max_pool2d = F.conv2d, F.max_pool2d

PICTURES, EPOCHS, BATCH, SEEDS = 3_000, 12, 64, range(5)
RATES = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
SMALLER = (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1)  # for the ViT, which larger ones ruin
COUNTED = {
    "Bernoulli naive Bayes": tuple(gray / 16 for gray in (1, 3, 5, 7, 9, 11)),
    "Gaussian naive Bayes": (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1),
}
PAGE = definitions("image_ladder", {"device", "data"})["data"]
SETS: dict[str, Callable[[], Splits[Split]]] = {
    "digits": lambda: Splits(*(Split(*(tensor.cpu() for tensor in part)) for part in PAGE)),
    "glyphs": lambda: glyphs(PICTURES, seed=0),
    "fashion_mnist": fashion_mnist,
}

Model = Callable[[Tensor], Tensor]


def networks(size: int, classes: int) -> dict[str, tuple[Callable[[], nn.Module], Callable]]:
    """Constructor and loss of each trained model."""

    def of_pictures(make: Callable[[], nn.Module]) -> Callable[[], nn.Module]:
        return lambda: nn.Sequential(nn.Unflatten(1, (1, size, size)), make())

    return {
        "softmax regression": (lambda: LinearModel(size**2, classes), cross_entropy),
        "linear SVM": (lambda: LinearModel(size**2, classes), hinge_loss),
        "MLP": (lambda: MLP([size**2, 64, classes]), cross_entropy),
        "LeNet": (of_pictures(lambda: LeNet(classes=classes, size=size)), cross_entropy),
        "residual network": (of_pictures(lambda: ResNet(classes=classes)), cross_entropy),
        "ViT": (of_pictures(lambda: vit(size, classes)), cross_entropy),
    }


def count(name: str, split: Split, setting: float, classes: int) -> Model:
    """Naive Bayes: no steps, no seed."""
    prior = log_prior(split.labels, classes=classes)
    if name.startswith("Bernoulli"):
        coins = fit_bernoulli((split.features > setting).float(), split.labels, classes=classes)
        return lambda x: bernoulli_log_likelihood((x > setting).float(), coins) + prior
    gaussians = fit_gaussian(split.features, split.labels, classes=classes, floor=setting)
    return lambda x: gaussian_log_density(x, *gaussians) + prior


def train(
    make: Callable[[], nn.Module], loss: Callable, split: Split, rate: float, seed: int
) -> Model:
    torch.manual_seed(seed)
    model, batches = make(), Batches(split, BATCH, seed=seed)
    fit(
        model,
        batches,
        loss=lambda model, batch: loss(model(batch.features), batch.labels),
        optimizer=torch.optim.AdamW(model.parameters(), lr=rate, fused=True),
        schedule=partial(warmup_cosine, warmup=len(batches), total=EPOCHS * len(batches)),
        epochs=EPOCHS,
        seed=seed,
    )
    return model


@torch.no_grad()
def guesses(model: Model, part: Split) -> Tensor:
    return torch.cat([model(some).argmax(dim=1) for some in part.features.split(500)])


def climb(name: str, data: Splits[Split]) -> dict[str, object]:
    """One rung: choose its setting, train it anew from each seed, test."""
    part = Split(*(tensor[:PICTURES] for tensor in data.train))
    pixels, classes = part.features.shape[1], int(part.labels.max()) + 1
    made = networks(math.isqrt(pixels), classes)

    def learn(setting: float, seed: int) -> Model:
        if name in COUNTED:
            return count(name, part, setting, classes)
        return train(*made[name], part, setting, seed)

    def score(model: Model) -> float:
        return 100 * (guesses(model, data.dev) == data.dev.labels).double().mean().item()

    candidates = list(COUNTED.get(name, SMALLER if name == "ViT" else RATES))
    tried = [score(learn(setting, len(SEEDS))) for setting in candidates]
    while tried.index(max(tried)) == 0:  # the best is the smallest
        candidates.insert(0, float(f"{candidates[0] / 10**0.5:.1g}"))
        tried.insert(0, score(learn(candidates[0], len(SEEDS))))
    chosen = candidates[tried.index(max(tried))]
    seconds, right, dev = [], [], []
    for seed in SEEDS:
        begun = time.process_time()
        model = learn(chosen, seed)
        seconds.append(time.process_time() - begun)
        dev.append(score(model))
        right.append(guesses(model, data.test) == data.test.labels)
    return {
        "cost": cost(name, made, pixels, classes),
        "candidates": candidates,
        "tried": tried,
        "chosen": chosen,
        "dev": dev,
        "test": [100 * each.double().mean().item() for each in right],
        "seconds": seconds,
        # of each test picture, the number of seeds that read it rightly
        "right": "".join(str(int(n)) for n in torch.stack(right).sum(dim=0)),
    }


def cost(name: str, made: dict, pixels: int, classes: int) -> tuple[int, int]:
    """Parameters, and multiply-adds for one picture in products and convolutions."""
    if name in COUNTED:  # scores that are linear in the pixels, or in them and their squares
        entries = pixels * (2 if name.startswith("Gaussian") else 1)
        return classes * entries + classes, classes * entries
    model = made[name][0]().eval()
    counter = FlopCounterMode(display=False)
    with counter, torch.no_grad(), sdpa_kernel(SDPBackend.MATH):
        model(torch.zeros(1, pixels))
    return sum(p.numel() for p in model.parameters()), counter.get_total_flops() // 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--fresh", action="store_true", help="forget what is recorded")
    parser.add_argument("--minutes", type=float, default=1e9, help="stop after so many")
    given = parser.parse_args()
    torch.set_num_threads(1)
    file, deadline = Path(__file__).with_suffix(".json"), time.monotonic() + 60 * given.minutes
    known = json.loads(file.read_text()) if file.exists() and not given.fresh else {}
    sets, missing, same = known.get("sets", {}), [], fingerprint(PAGE)
    if known.get("data") != same:
        sets.pop("digits", None)

    def save() -> None:
        results = {"epochs": EPOCHS, "batch": BATCH, "sets": sets, "missing": missing}
        record(__file__, [*SEEDS], data=same, **results)

    for kind, load in SETS.items():
        try:
            data = load()
        except DataError:
            missing.append(kind)
            continue
        counts = [min(PICTURES, len(data.train.labels)), *(len(p.labels) for p in data[1:])]
        found = sets.setdefault(kind, {"pictures": counts, "rungs": {}})["rungs"]
        for name in [*COUNTED, *networks(8, 10)]:
            if name in found:
                continue
            if time.monotonic() > deadline:
                raise SystemExit("out of time: the same command goes on from here")
            found[name] = climb(name, data)
            print(
                kind, name, *(found[name][key] for key in ("chosen", "test", "seconds")), flush=True
            )
            save()
    save()


if __name__ == "__main__":
    main()
