"""Digits with captions: batch sizes and the two losses, and captions that name the frame.

    python benchmarks/captions.py [--fresh]

Two encoders are trained on the training part of the digits, with the captions of
`solutions.contrastive`. First, the softmax loss and the sigmoid loss, with batches of three sizes
that see the same number of pairs, and with batches that take the same number of steps. Then three
sizes of the shared space, with captions that name the frame of a picture, say nothing of it, or
name some frame. The rate of every setting is chosen on the development part, on a seed that is not
used again. Measured on the test part: zero-shot accuracy of the digit with one prompt for each
class, and a linear probe on the images' vectors.
Writes `captions.json`; settings that it holds are not trained again, unless `--fresh` is given.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

import torch
from machine import record
from sklearn.linear_model import LogisticRegression
from torch import nn

from solutions.contrastive import (
    NAMES,
    WORDS,
    Captioned,
    DualEncoder,
    captioned_digits,
    clip_loss,
    encode_captions,
    sigmoid_pair_loss,
    zero_shot,
)
from solutions.data import digits

SEEDS, TUNING = (0, 1, 2), 10
RATES = (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3)
PAIRS, EQUAL_STEPS = 25_600, 400
BATCHES, WIDTHS = (16, 64, 256), (4, 8, 32)
DATA = digits(seed=0)
DEV, TEST = captioned_digits(DATA.dev, seed=100), captioned_digits(DATA.test, seed=200)


def train(
    data: Captioned,
    *,
    seed: int,
    rate: float,
    batch: int,
    width: int,
    sigmoid: bool = False,
    steps: int | None = None,
) -> tuple[DualEncoder, float]:
    """One cycle of AdamW, over the same number of pairs unless steps are given; the last loss."""
    torch.manual_seed(seed)
    model = DualEncoder(100, len(WORDS), hidden=64, embed_dim=width)
    bias = nn.Parameter(torch.tensor(-10.0))
    if sigmoid:
        nn.init.constant_(model.log_scale, math.log(10))
    steps = steps or PAIRS // batch
    optimizer = torch.optim.AdamW([*model.parameters(), bias], rate, weight_decay=0, fused=True)
    cycle = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps, pct_start=0.2)
    chance = torch.Generator().manual_seed(seed)
    losses = []
    for _ in range(steps):
        chosen = torch.randperm(len(data.images), generator=chance)[:batch]
        images, texts, scale = model(data.images[chosen], data.tokens[chosen])
        if sigmoid:
            loss = sigmoid_pair_loss(images, texts, scale, bias)
        else:
            loss = clip_loss(images, texts, scale)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        cycle.step()
        losses.append(loss.detach())
    return model.requires_grad_(False), torch.stack(losses[-steps // 10 :]).mean().item()


def accuracy(model: DualEncoder, data: Captioned) -> float:
    prompts = model.encode_texts(encode_captions([f"the {name}" for name in NAMES]))[:, None]
    found = zero_shot(model.encode_images(data.images), prompts).argmax(dim=1)
    return 100 * (found == data.labels).float().mean().item()


def probed(model: DualEncoder, data: Captioned) -> float:
    """Accuracy of softmax regression on the vectors of the images, which sees all labels."""
    fitted = LogisticRegression(C=100, max_iter=3_000)
    fitted.fit(model.encode_images(data.images).numpy(), data.labels.numpy())
    return 100 * fitted.score(model.encode_images(TEST.images).numpy(), TEST.labels.numpy())


MEASURED = ("development", "rate", "accuracy", "probe", "loss")


def measure(known: list[dict], frame: str, **setting: Any) -> dict[str, Any]:
    """The run of a setting: one that is known, or a new one."""
    wanted = {"frame": frame, **setting}
    for old in known:
        if {key: old[key] for key in old if key not in MEASURED} == wanted:
            return old
    data = captioned_digits(DATA.train, seed=TUNING, frame=frame)
    tried = [accuracy(train(data, seed=TUNING, rate=rate, **setting)[0], DEV) for rate in RATES]
    rate = RATES[tried.index(max(tried))]
    run: dict[str, Any] = {"frame": frame, **setting, "development": tried, "rate": rate}
    run |= {"accuracy": [], "probe": [], "loss": []}
    for seed in SEEDS:
        data = captioned_digits(DATA.train, seed=seed, frame=frame)
        model, loss = train(data, seed=seed, rate=rate, **setting)
        run["accuracy"].append(accuracy(model, TEST))
        run["probe"].append(probed(model, data))
        run["loss"].append(loss)
    print(run, flush=True)
    return run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--fresh", action="store_true")
    given, file = parser.parse_args(), Path(__file__).with_suffix(".json")
    torch.set_num_threads(1)
    before = {} if given.fresh or not file.exists() else json.loads(file.read_text())
    known = [run for name in ("batches", "equal_steps", "frames") for run in before.get(name, [])]
    batches = [
        measure(known, "unnamed", batch=batch, width=32, sigmoid=sigmoid)
        for sigmoid in (False, True)
        for batch in BATCHES
    ]
    equal_steps = [
        measure(known, "unnamed", batch=batch, width=32, sigmoid=sigmoid, steps=EQUAL_STEPS)
        for sigmoid in (False, True)
        for batch in BATCHES
        if batch * EQUAL_STEPS != PAIRS
    ]
    frames = [
        measure(known, frame, batch=64, width=width)
        for width in WIDTHS
        for frame in ("unnamed", "named", "random")
    ]
    record(
        __file__,
        list(SEEDS),
        rates=list(RATES),
        pairs=PAIRS,
        steps=EQUAL_STEPS,
        batches=batches,
        equal_steps=equal_steps,
        frames=frames,
    )


if __name__ == "__main__":
    main()
