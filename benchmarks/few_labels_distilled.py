"""Digits with few labels: an encoder pretrained by self-distillation, as in DINO.

    python benchmarks/few_labels_distilled.py

One more method beside those of `few_labels.py`, with its encoder, pictures, views and judges, for
about the time of SimCLR. The development part chooses the rate and the temperature of the teacher,
on a seed that is not used again: each lies between two that are worse. The head has batch
normalization; at each setting that was tried, a head without it is trained, too, to see whether it
collapses. SimCLR and self-distillation are also given four times the steps, at the settings of the
shorter runs. Writes `few_labels_distilled.json`.
"""

from __future__ import annotations

import copy
import time
from typing import NamedTuple

import torch
from few_labels import STEPS as PRETRAINING_STEPS
from few_labels import (
    COUNTS,
    DATA,
    DEV,
    PENALTIES,
    PRETRAINING_RATES,
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
from machine import record
from torch import Tensor, nn
from tuning import next_rate

from solutions.contrastive import random_views, self_distillation_loss, update_teacher
from solutions.vit import VisionTransformer

CLASSES, DECAY, STEPS = 32, 0.9, 320
TIMES = 4  # as many steps in the longer runs
FIRST = (0.003, 0.04)  # rate, temperature of the teacher; that of the student is 0.1
NAME = "self-distillation"


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


def entropy(p: Tensor) -> Tensor:
    return -(p * p.clamp(min=1e-12).log()).sum(dim=-1)


@torch.no_grad()
def varying(model: VisionTransformer, images: Tensor) -> float:
    found = features(model, images)
    return ((found - found.mean(dim=0)).square().sum() / found.square().sum()).item()


def distilled(
    seed: int, rate: float, temperature: float, *, normalized: bool = True, steps: int = STEPS
) -> Distilled:
    """Train a student on its teacher, both ways round with two views."""
    student = encoder(seed)
    norm = nn.BatchNorm1d(WIDTH) if normalized else nn.Identity()
    head = nn.Sequential(nn.Linear(WIDTH, WIDTH), norm, nn.GELU(), nn.Linear(WIDTH, CLASSES))
    head, student.classifier = student.classifier, head  # not an encoder's part
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


def longer_runs(settings: tuple[float, float], simclr_rate: float) -> dict[str, list[dict]]:
    """Probes after more steps, and how much the features of self-distillation vary."""
    own = {seed: distilled(seed, *settings, steps=TIMES * STEPS) for seed in (*SEEDS, TUNING)}
    runs = measure("probe", NAME, lambda seed: own[seed].model, PENALTIES)
    others = {
        seed: pretrained("SimCLR", seed, simclr_rate, TIMES * PRETRAINING_STEPS["SimCLR"])[0]
        for seed in (*SEEDS, TUNING)
    }
    runs += measure("probe", "SimCLR", others.__getitem__, PENALTIES)
    return {"teachers": [judged(own[seed]) for seed in SEEDS], "runs": runs}


def main() -> None:
    torch.set_num_threads(1)
    begun = time.process_time()
    rates = PRETRAINING_RATES["SimCLR"]
    simclr = pretrained("SimCLR", TUNING, rates[1])[0]  # its best
    seconds = {"SimCLR": time.process_time() - begun}
    best, tried = search()
    plain = []
    for one in tried:
        run = distilled(TUNING, one["rate"], one["temperature"], normalized=False)
        plain.append({"error": error(run.model), **judged(run)})
        print(plain[-1], flush=True)
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
        plain=plain,
        teachers=[judged(made[seed]) for seed in SEEDS],
        varying={
            "untrained": [varying(untrained[seed], TEST) for seed in SEEDS],
            "SimCLR": varying(simclr, TEST),
        },
        untrained_error=error(untrained[TUNING]),
        runs=runs,
        times=TIMES,
        longer=longer_runs(best, rates[1]),
        seconds_of_pretraining=seconds,
        processor_seconds=round(time.process_time() - begun),
    )


if __name__ == "__main__":
    main()
