"""The training recipe of Vaswani et al. 2017, part by part, on dates.

    python benchmarks/original_recipe.py [--seeds 0 1 2 3 4] [--steps 1000]

An encoder-decoder with norms after each part, sinusoidal positions and one table for source, target
and output reads a date in words and writes its eight digits. The recipe has three parts: embeddings
times √D, a rate ∝ min(step^-0.5, step · warmup^-1.5), and labels smoothed by 0.1. Each variant
changes one of them; one changes all three; one keeps the warm-up and leaves out the decay. The same
for all: Adam with betas (0.9, 0.98), gradients clipped at 1, the same batches. Warm-up takes 4% of
the steps, as in the paper; dropout and averaged weights are left out.

The rate of a variant is the highest of its schedule, and is chosen for each variant: three rates,
each twice the one before, and further ones while the best is the first or the last, by the loss
after all steps on development lines, without smoothing, over two seeds that no report uses.
Networks are trained side by side on one thread. Records, for the best rates, loss without smoothing
(nats per token) and whole dates (%) on unseen days at ten points, and whole dates of unseen years
at the end, by seed.
"""

from __future__ import annotations

import argparse
import itertools
import os
import time
from collections.abc import Iterator

os.environ.setdefault("OMP_NUM_THREADS", "1")

import torch
from machine import record
from together import Together
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from tuning import next_rate

from solutions.seq2seq import Batch, Vocabulary, shift_right
from solutions.transformer import Config
from solutions.translation import date_lines, numbered, padded, transformer

LINES, TESTED, BATCH, POINTS, FIRST, TRIAL_SEEDS = 9_600, 600, 32, 10, 0.004, (998, 999)
# sizes of the ladder on dates; all else is as in 2017
CONFIG = Config(embed_dim=32, num_heads=4, num_layers=2, hidden=96, final_norm=False)
RECIPE = {"scaled": True, "schedule": "paper", "smoothing": 0.1}
VARIANTS = {
    "all three": RECIPE,
    "without √D": RECIPE | {"scaled": False},
    "constant rate": RECIPE | {"schedule": "constant"},
    "warm-up, then constant": RECIPE | {"schedule": "warm-up"},
    "without smoothing": RECIPE | {"smoothing": 0.0},
    "none of the three": {"scaled": False, "schedule": "constant", "smoothing": 0.0},
}


class Table(nn.Embedding):
    """Embeddings that come out as they are, or √D times as long, from a model that multiplies."""

    def __init__(self, weight: Tensor, scaled: bool) -> None:
        super().__init__(*weight.shape, _weight=weight)
        self.register_buffer("factor", torch.tensor(1.0 if scaled else weight.shape[1] ** -0.5))

    def forward(self, tokens: Tensor) -> Tensor:
        return super().forward(tokens) * self.factor


def made(variant: str, seed: int, symbols: int) -> nn.Module:
    """A new model, whose table is drawn with variance 1/D."""
    torch.manual_seed(seed)
    model = transformer(symbols, CONFIG)
    table = Table(model.encoder.embedding.weight.data, VARIANTS[variant]["scaled"])
    model.encoder.embedding = model.decoder.embedding = table
    return model


def rate_at(schedule: str, step: int, warmup: int) -> float:
    """The rate at a step, from 1 on, as a part of the highest."""
    if schedule == "constant":
        return 1.0
    decay = (warmup / step) ** 0.5 if schedule == "paper" else 1.0
    return min(step / warmup, decay)


def order(seed: int, steps: int) -> Tensor:
    """Which lines each step reads, (steps, BATCH): epoch after epoch, all lines once in each."""
    generator = torch.Generator().manual_seed(seed)
    epochs = -(-steps * BATCH // LINES)
    lines = torch.cat([torch.randperm(LINES, generator=generator) for _ in range(epochs)])
    return lines[: steps * BATCH].view(steps, BATCH)


def losses_of(logits: Tensor, targets: Tensor, smoothing: Tensor) -> Tensor:
    """Cross-entropy of each network in nats per token, (M,), with labels smoothed by (M,)."""
    log_probs = logits.log_softmax(dim=-1)  # (M, B, T, V)
    right = log_probs.gather(-1, targets[..., None])[..., 0].mean(dim=(1, 2))
    return -(1 - smoothing) * right - smoothing * log_probs.mean(dim=(1, 2, 3))


@torch.no_grad()
def judged(models: Together, batch: Batch) -> tuple[list[float], list[float]]:
    """Loss without smoothing (nats per token), and whole dates (%), of each network.

    A greedy translation is right where every token is the likeliest after the right ones.
    """
    count = len(models.rates)
    given = (batch.source, batch.lengths, shift_right(batch.target))
    logits = models(*(part.expand(count, *part.shape) for part in given))
    targets = batch.target.expand(count, *batch.target.shape)
    whole = (logits.argmax(dim=-1) == targets).all(dim=-1)
    losses = losses_of(logits, targets, torch.zeros(count))
    return losses.tolist(), (100 * whole.double().mean(dim=1)).tolist()


def trained(
    cases: list[tuple[str, float, int]], train: Batch, symbols: int, steps: int
) -> Iterator[Together]:
    """Train networks side by side, each of a variant, a rate and a seed; yield them ten times."""
    models = Together(
        [made(variant, seed, symbols) for variant, _, seed in cases],
        [rate for _, rate, _ in cases],
        betas=(0.9, 0.98),
    )
    highest = models.rates
    smoothing = torch.tensor([VARIANTS[variant]["smoothing"] for variant, *_ in cases])
    orders = {seed: order(seed, steps) for *_, seed in cases}
    for step in range(1, steps + 1):
        parts_of = [
            rate_at(VARIANTS[variant]["schedule"], step, steps // 25) for variant, *_ in cases
        ]
        models.rates = highest * torch.tensor(parts_of)
        rows = torch.stack([orders[seed][step - 1] for *_, seed in cases])  # (M, B)
        targets = train.target[rows]
        read = shift_right(targets.flatten(0, 1)).view_as(targets)
        models.step(
            lambda logits, targets=targets: losses_of(logits, targets, smoothing),
            train.source[rows],
            train.lengths[rows],
            read,
        )
        if step % (steps // POINTS) == 0:
            yield models


def tuned(parts: dict[str, Batch], symbols: int, steps: int) -> dict[str, dict[str, float]]:
    """For each variant, the rates that were tried and their loss on the development part."""
    tried: dict[str, dict[str, float]] = {variant: {} for variant in VARIANTS}
    while True:
        wanted = {variant: next_rate(of, FIRST) for variant, of in tried.items()}
        missing = [(v, rate) for v, rate in wanted.items() if f"{rate:g}" not in tried[v]]
        if not missing:
            return tried
        cases = [(*case, seed) for case, seed in itertools.product(missing, TRIAL_SEEDS)]
        *_, models = trained(cases, parts["train"], symbols, steps)
        found = torch.tensor(judged(models, parts["dev"])[0]).view(-1, len(TRIAL_SEEDS))
        for (variant, rate), loss in zip(missing, found.mean(dim=1).tolist(), strict=True):
            tried[variant][f"{rate:g}"] = loss
        print(missing, found.tolist(), round(time.process_time()), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=list(range(5)))
    parser.add_argument("--steps", type=int, default=1_000)
    given = parser.parse_args()
    torch.set_num_threads(1)
    counts = {"train": LINES, "dev": TESTED, "test": TESTED, "years": TESTED}
    lines = {part: date_lines(part, count, most=1) for part, count in counts.items()}
    words = Vocabulary(line.source for line in lines["train"])
    parts = {part: padded(numbered(some, words)) for part, some in lines.items()}
    with sdpa_kernel(SDPBackend.MATH):  # for lines this short it is the faster one
        tried = tuned(parts, len(words), given.steps)
        best = {variant: next_rate(of, FIRST) for variant, of in tried.items()}
        cases = [(variant, best[variant], seed) for variant in VARIANTS for seed in given.seeds]
        curve = []
        for models in trained(cases, parts["train"], len(words), given.steps):
            curve.append(judged(models, parts["test"]))
        years = judged(models, parts["years"])[1]
    # (points, 2, M) -> (variants, seeds, points) for each of the two measures
    shape = (len(curve), 2, len(VARIANTS), len(given.seeds))
    loss, exact = torch.tensor(curve).view(shape).permute(1, 2, 3, 0).double().round(decimals=4)
    of_years = torch.tensor(years).view(len(VARIANTS), -1).double().round(decimals=2).tolist()
    variants = {
        variant: {
            "rate": best[variant],
            "tried": tried[variant],
            "loss": loss[i].tolist(),
            "exact": exact[i].tolist(),
            "years": of_years[i],
        }
        for i, variant in enumerate(VARIANTS)
    }
    record(
        __file__,
        given.seeds,
        steps=given.steps,
        points=[given.steps // POINTS * (i + 1) for i in range(POINTS)],
        warmup=given.steps // 25,
        embed_dim=CONFIG.embed_dim,
        symbols=len(words),
        lines=LINES,
        batch=BATCH,
        variants=variants,
        processor_seconds=time.process_time(),
    )


if __name__ == "__main__":
    main()
