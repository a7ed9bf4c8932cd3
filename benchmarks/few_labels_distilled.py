"""Digits with few labels: an encoder pretrained by self-distillation, as in DINO.

    python benchmarks/few_labels_distilled.py

One more method beside those of `few_labels.py`, with its encoder, pictures, views and judges, for
about the time of SimCLR. The development part chooses the rate and the temperature of the teacher,
on a seed that is not used again: each lies between two that are worse. The head has batch
normalization. At each setting that was tried, two heads without it are trained, too, to see whether
they collapse: the same one, and one like that of the paper. SimCLR and self-distillation are also
given four times the steps, each with a rate between two that are worse, and there, the other heads
are trained once more. Writes `few_labels_distilled.json`.
"""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import torch
from few_labels import (
    COUNTS,
    DATA,
    DEV,
    PENALTIES,
    SEEDS,
    TEST,
    TRAIN,
    TUNING,
    TUNING_RATES,
    WIDTH,
    encoder,
    features,
    measure,
    pretrained,
    probe,
    train,
)
from few_labels import STEPS as PRETRAINING_STEPS
from machine import record
from torch import Tensor, nn
from torch.nn import functional as F
from tuning import next_rate

from solutions.contrastive import random_views, self_distillation_loss, update_teacher
from solutions.vit import VisionTransformer

CLASSES, DECAY, STEPS = 32, 0.9, 360
TIMES = 4  # as many steps in the longer runs
FIRST = (0.003, 0.04)  # rate, temperature of the teacher; that of the student is 0.1
NAME = "self-distillation"
OTHER_HEADS = "without normalization", "of the paper"


class Distilled(NamedTuple):
    """A teacher without its head, the loss of its student, and whether it collapsed.

    `varying` is the share of the features' mean square that differs between test pictures. The
    entropies, in nats, are those of the teacher's classes for views of the training pictures.
    """

    model: VisionTransformer
    curve: list[float]
    varying: float
    entropy_of_mean: float
    mean_entropy: float


class Cosines(nn.Module):
    """Cosine of the input and a learned vector of each class: the last layer of DINO's head."""

    def __init__(self) -> None:
        super().__init__()
        self.vectors = nn.Parameter(torch.randn(CLASSES, WIDTH))

    def forward(self, x: Tensor) -> Tensor:
        return F.normalize(x, dim=1) @ F.normalize(self.vectors, dim=1).T


def make_head(kind: str) -> nn.Module:
    if kind == "of the paper":  # three layers, then cosines (Caron et al. 2021, section 3.1)
        sizes = (WIDTH, 2 * WIDTH, 2 * WIDTH, WIDTH)
        first, second, third = (nn.Linear(a, b) for a, b in pairwise(sizes))
        return nn.Sequential(first, nn.GELU(), second, nn.GELU(), third, Cosines())
    norm = nn.BatchNorm1d(WIDTH) if kind == "normalized" else nn.Identity()
    return nn.Sequential(nn.Linear(WIDTH, WIDTH), norm, nn.GELU(), nn.Linear(WIDTH, CLASSES))


def entropy(p: Tensor) -> Tensor:
    return -(p * p.clamp(min=1e-12).log()).sum(dim=-1)


@torch.no_grad()
def varying(model: VisionTransformer, images: Tensor) -> float:
    found = features(model, images)
    return ((found - found.mean(dim=0)).square().sum() / found.square().sum()).item()


def distilled(
    seed: int, rate: float, temperature: float, *, kind: str = "normalized", steps: int = STEPS
) -> Distilled:
    """Train a student on its teacher, both ways round with two views."""
    student = encoder(seed)
    # the head is no part of the encoder
    head, student.classifier = student.classifier, make_head(kind)
    teacher, center = copy.deepcopy(student), torch.zeros(CLASSES)

    def loss(chosen: Tensor, chance: torch.Generator) -> Tensor:
        first, second = (random_views(TRAIN[chosen], chance) for _ in range(2))
        with torch.no_grad():
            teacher.load_state_dict(
                update_teacher(teacher.state_dict(), student.state_dict(), DECAY)
            )
            answers = teacher(torch.cat([second, first]))
            center.lerp_(answers.mean(dim=0), 0.1)
        return self_distillation_loss(
            student(torch.cat([first, second])), answers, center, teacher_temperature=temperature
        )

    curve = train(
        list(student.parameters()),
        loss,
        examples=len(TRAIN),
        steps=steps,
        rate=rate,
        batch=128,
        seed=seed,
    )
    with torch.no_grad():  # normalized over the batch, as in training
        answers = teacher(random_views(TRAIN, torch.Generator().manual_seed(seed)))
        p = ((answers - center) / temperature).softmax(dim=1)
    teacher.classifier = head
    entropies = entropy(p.mean(dim=0)).item(), entropy(p).mean().item()
    return Distilled(teacher, curve, varying(teacher, TEST), *entropies)


def error(model: VisionTransformer) -> float:
    """Percent of the development part that the best probe of 50 labels gets wrong."""
    found = (probe(model, 50, TUNING, one, DEV, DATA.dev.labels) for one in PENALTIES)
    return 100 - max(found)


def judged(one: Distilled) -> dict[str, object]:
    """Fields to record."""
    return {key: value for key, value in one._asdict().items() if key != "model"}


def search() -> tuple[tuple[float, float], list[dict]]:
    """Move rate and temperature by turns, until each lies between two that are worse."""
    tried: dict[tuple[float, float], dict] = {}

    def along(place: int, at: tuple[float, float]) -> tuple[float, float]:
        first = at[place]
        while True:
            line = {
                f"{key[place]:g}": tried[key]["error"]
                for key in tried
                if key[1 - place] == at[1 - place]
            }
            value = next_rate(line, first)
            at = (at[0], value) if place else (value, at[1])
            if at in tried:
                return at
            run = distilled(TUNING, *at)
            tried[at] = {"rate": at[0], "temperature": at[1], "error": error(run.model)}
            tried[at] |= judged(run)
            print(tried[at], flush=True)

    best, before = along(1, along(0, FIRST)), FIRST
    while best != before:
        best, before = along(1, along(0, best)), best
    return best, list(tried.values())


def others(rate: float, temperature: float, steps: int = STEPS) -> dict[str, dict]:
    """Error and collapse of the heads without batch normalization."""
    found = {}
    for kind in OTHER_HEADS:
        run = distilled(TUNING, rate, temperature, kind=kind, steps=steps)
        found[kind] = {"error": error(run.model), **judged(run)}
        print(kind, found[kind], flush=True)
    return found


def longer_runs(rates: dict[str, float], temperature: float) -> dict[str, object]:
    """Probes after more steps, at a rate for each method, and what becomes of the other heads."""

    def simclr(seed: int, rate: float) -> VisionTransformer:
        return pretrained("SimCLR", seed, rate, TIMES * PRETRAINING_STEPS["SimCLR"])[0]

    own: dict[tuple[int, float], Distilled] = {}

    def teacher(seed: int, rate: float) -> VisionTransformer:
        own[seed, rate] = distilled(seed, rate, temperature, steps=TIMES * STEPS)
        return own[seed, rate].model

    makers: dict[str, Callable[[int, float], VisionTransformer]] = {NAME: teacher, "SimCLR": simclr}
    tried: dict[str, dict[str, float]] = {name: {} for name in makers}
    best, runs, vary = {}, [], {}
    for name, make in makers.items():
        models: dict[float, VisionTransformer] = {}
        while (rate := next_rate(tried[name], rates[name])) not in models:
            models[rate] = make(TUNING, rate)
            tried[name][f"{rate:g}"] = error(models[rate])
            print(name, tried[name], flush=True)
        best[name] = rate
        made = {TUNING: models[rate]} | {seed: make(seed, rate) for seed in SEEDS}
        runs += measure("probe", name, made.__getitem__, PENALTIES)
        vary[name] = [varying(made[seed], TEST) for seed in SEEDS]
    return {
        "tried": tried,
        "rates": best,
        "teachers": [judged(own[seed, best[NAME]]) for seed in SEEDS],
        "varying": vary,
        "others": others(best[NAME], temperature, TIMES * STEPS),
        "runs": runs,
    }


def main() -> None:
    torch.set_num_threads(1)
    begun = time.process_time()
    chosen = json.loads(Path(__file__).with_name("few_labels.json").read_text())["search"][0]
    scores = dict(zip(chosen["accuracy"], chosen["rates"], strict=True))
    simclr_rate = scores[max(scores)]
    start = time.process_time()
    simclr = {seed: pretrained("SimCLR", seed, simclr_rate)[0] for seed in (*SEEDS, TUNING)}
    seconds = {"SimCLR": (time.process_time() - start) / len(simclr)}
    best, tried = search()
    other_heads = [others(one["rate"], one["temperature"]) for one in tried]
    start = time.process_time()
    made = {seed: distilled(seed, *best) for seed in (*SEEDS, TUNING)}
    seconds[NAME] = (time.process_time() - start) / len(made)
    models = {seed: one.model for seed, one in made.items()}
    runs = measure("probe", NAME, models.__getitem__, PENALTIES)
    runs += measure("fine-tuning", NAME, models.__getitem__, TUNING_RATES)
    untrained = {seed: encoder(seed) for seed in (*SEEDS, TUNING)}
    record(
        __file__,
        list(SEEDS),
        counts=list(COUNTS),
        classes=CLASSES,
        decay=DECAY,
        steps=STEPS,
        rate=best[0],
        temperature=best[1],
        tried=tried,
        others=other_heads,
        teachers=[judged(made[seed]) for seed in SEEDS],
        varying={
            "untrained": [varying(untrained[seed], TEST) for seed in SEEDS],
            "SimCLR": [varying(simclr[seed], TEST) for seed in SEEDS],
        },
        untrained_error=error(untrained[TUNING]),
        runs=runs,
        times=TIMES,
        longer=longer_runs({NAME: best[0], "SimCLR": simclr_rate}, best[1]),
        seconds_of_pretraining=seconds,
        processor_seconds=round(time.process_time() - begun),
    )


if __name__ == "__main__":
    main()
