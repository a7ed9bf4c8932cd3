"""How far one recipe goes on Multi30k: the Transformer of `translation.py`, larger and for longer.

    python benchmarks/translation_long.py [--dropout 0.2] [--epochs 10] [--threads 1]

The recipe is that of `translation.py`, with dropout. Besides the last weights, it keeps a moving
mean of the weights of every step (those of `MEMORY` steps before count e times less). Products are
in bfloat16 if that is faster on the machine. The development part chooses: the weights by BLEU of
greedy translations, then the length penalty of a beam of five. The test part is translated after
that, and its scores are used for no choice. Writes `translation_long.json`.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time
from dataclasses import replace
from pathlib import Path

import torch
from machine import machine, record
from torch import nn
from torch.optim.lr_scheduler import LambdaLR
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from torch.utils.flop_counter import FlopCounterMode
from translation import (
    CONFIG,
    LONGEST,
    bleu,
    dev_loss,
    endless,
    optimizers,
    prepared,
    stepped,
    text,
    translated,
)

from solutions.seq2seq import BOS
from solutions.translation import beam_searches, padded, transformer

SUBWORDS, BATCH, EPOCHS, RATE, MEMORY, BEAM, POINTS = 6_000, 128, 10, 0.03, 500, 5, 10
PENALTIES = (0.5, 1.0, 1.5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--dropout", type=float, default=0.2)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    sets, parts, tokenizer = prepared(SUBWORDS)
    dtype = quicker()
    command = " ".join(["python", "benchmarks/translation_long.py", *sys.argv[1:]])
    run = {"command": command, "load_before": machine()["load_before"], "dropout": given.dropout}
    run |= {"dtype": str(dtype).partition(".")[2], "threads": given.threads, "batch": BATCH}
    last, mean, found = trained(given, parts, dtype)
    run |= found | judged({"last": last, "mean": mean}, sets, parts, tokenizer)
    path = Path(__file__).with_suffix(".json")
    runs = json.loads(path.read_text())["runs"] if path.exists() else {}
    runs[f"dropout {given.dropout:g}, {given.epochs} epochs"] = run
    record(__file__, [0], command="python benchmarks/translation_long.py", runs=runs)


def quicker() -> torch.dtype:
    """In which of two types a product of matrices like those of the model takes less time."""
    best = {}
    for dtype in (torch.float32, torch.bfloat16):
        x, weight = torch.randn(2048, 192, dtype=dtype), torch.randn(192, 768, dtype=dtype)
        taken = []
        for _ in range(20):
            start = time.perf_counter()
            x @ weight
            taken.append(time.perf_counter() - start)
        best[dtype] = min(taken)
    return min(best, key=best.get)


def made(dropout: float = 0.0) -> nn.Module:
    """A model of 4.3 million parameters."""
    sizes = {"embed_dim": 192, "num_heads": 6, "num_layers": 3, "hidden": 768}
    return transformer(SUBWORDS + 4, replace(CONFIG, dropout=dropout, **sizes), zero=True)


def trained(given: argparse.Namespace, parts: list, dtype: torch.dtype) -> tuple:
    """The model at the end, the mean of its weights on the way, and how it learned."""
    with FlopCounterMode(display=False) as counter:
        model = made()
        steppers = optimizers(model, "Muon", 0.0)
        for batch in itertools.islice(endless(parts[0], 0, BATCH), 5):
            stepped(model, steppers, batch, 0.1)
    steps = given.epochs * -(-len(parts[0]) // BATCH)
    torch.manual_seed(0)
    model = made(given.dropout)
    steppers = optimizers(model, "Muon", RATE)
    schedules = [
        LambdaLR(stepper, lambda done: min(10 * (done + 1) / steps, 1 - done / steps))
        for stepper in steppers
    ]
    mean = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(1 - 1 / MEMORY))
    points = {round((k + 1) * steps / POINTS) for k in range(POINTS)}
    for one in (model, mean.module):  # a context per call: what it casts, it keeps to its end
        one.forward = torch.autocast("cpu", dtype, enabled=dtype is not torch.float32)(one.forward)
    curve, spent, taken = [], 0.0, 0.0
    batches = itertools.islice(endless(parts[0], 0, BATCH), steps)
    for step, batch in enumerate(batches, start=1):
        start, clock = time.process_time(), time.perf_counter()
        stepped(model, steppers, batch, 0.1)
        mean.update_parameters(model)
        for schedule in schedules:
            schedule.step()
        spent, taken = spent + time.process_time() - start, taken + time.perf_counter() - clock
        if step in points:
            losses = [dev_loss(one.eval(), parts[1]) for one in (model, mean.module)]
            model.train()
            curve.append({"step": step, "dev_loss": losses[0], "mean_dev_loss": losses[1]})
            print(curve[-1], round(spent), round(taken), flush=True)
    return (
        model.eval(),
        mean.module.eval(),
        {
            "parameters": sum(p.numel() for p in model.parameters()),
            "multiply_adds": counter.get_total_flops() // 10,
            "steps": steps,
            "processor_seconds": spent,
            "seconds": taken,
            "curve": curve,
        },
    )


@torch.no_grad()
def searched(model: nn.Module, pairs: list, penalty: float) -> list[list[int]]:
    """Translations by beam search, in the order of the pairs."""
    order = sorted(range(len(pairs)), key=lambda at: len(pairs[at][0]))
    rows: dict[int, list[int]] = {}
    for at in range(0, len(order), 50):
        some = order[at : at + 50]
        batch = padded([pairs[k] for k in some])
        state, first = model.begin(batch.source, batch.lengths), torch.full((len(some),), BOS)
        limits = {"beam": BEAM, "max_length": LONGEST, "penalty": penalty}
        found = beam_searches(model.step, state, first, **limits)
        rows |= {k: best.tokens for k, (best, *_) in zip(some, found, strict=True)}
    return [rows[at] for at in range(len(pairs))]


def judged(models: dict[str, nn.Module], sets: tuple, parts: list, tokenizer) -> dict:
    """Choose on the development part, and score that choice with BLEU on the test part."""

    def score(rows: list, part: list) -> float:
        written = [text(row, tokenizer) for row in rows]
        return bleu(written, [pair.target for pair in part])["sacrebleu"]

    dev = {name: score(translated(model, parts[1]), sets.dev) for name, model in models.items()}
    weights = max(dev, key=dev.get)
    model = models[weights]
    beams = {f"{p:g}": score(searched(model, parts[1], p), sets.dev) for p in PENALTIES}
    penalty = max(beams, key=beams.get)
    print(dev, beams, flush=True)
    start = time.process_time()
    rows = searched(model, parts[2], float(penalty))
    seconds = time.process_time() - start
    greedy = {name: score(translated(one, parts[2]), sets.test) for name, one in models.items()}
    found = {"dev": {"greedy": dev, "beam": beams}, "weights": weights, "penalty": float(penalty)}
    found["test"] = {"greedy": greedy[weights], "beam": score(rows, sets.test)}
    print(found, flush=True)
    return found | {"test_greedy": greedy, "beam_seconds": seconds}


if __name__ == "__main__":
    main()
