"""Dates in words to digits: five models, two optimizers, the same steps on the same batches.

    python benchmarks/date_ladder.py [--seeds 0 1 2] [--seconds 1000]

Each model has about the same number of parameters and is trained twice: with AdamW for all
parameters, and with Muon for the matrices inside and AdamW for the rest. Gradients are clipped
alike, by `teach`. The rate is chosen by the loss on the development part after half the steps, with
a seed that no report uses: three rates, each twice the one before, and further ones while the best
is the first or the last. One thread; times are processor seconds. Writes `date_ladder.json` after
each training, and continues from there if it was stopped, or if its `--seconds` of processor time
were used up.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import statistics
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import torch
from machine import record
from torch.nn.attention import SDPBackend, sdpa_kernel
from tuning import next_rate

from solutions.seq2seq import EncoderDecoder, Vocabulary, sequence_loss, shift_right
from solutions.translation import (
    PARTS,
    SMALL,
    date_lines,
    exactly_right,
    numbered,
    padded,
    small,
    teach,
)

LINES, TRIED, EPOCHS, BATCH, SHORT = 9_600, 450, 2, 32, 40
FIRST, TRIAL_SEED = {"AdamW": 0.005, "Muon": 0.02}, 999


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--seconds", type=float, default=math.inf)
    given = parser.parse_args()
    torch.set_num_threads(1)
    lines = {part: date_lines(part, LINES if part == "train" else TRIED) for part in PARTS}
    words = Vocabulary(line.source for line in lines["train"])
    pairs = {part: numbered(some, words) for part, some in lines.items()}

    def trained(kind: str, muon: bool, rate: float, seed: int, epochs: int = EPOCHS) -> tuple:
        torch.manual_seed(seed)
        model = small(kind, len(words))
        start = time.process_time()
        budget = {"epochs": epochs, "batch": BATCH, "seed": seed}
        with sdpa_kernel(SDPBackend.MATH):  # for lines this short it is the faster one
            losses = teach(model, pairs["train"], rate=rate, muon=muon, **budget)
        taken = time.process_time() - start
        return model, {"seconds": taken, "losses": shortened(losses)}

    def exact(model, part: str) -> dict[int, float]:
        """Percent of the lines that are right, by the number of their dates."""
        right = exactly_right(model, pairs[part])
        dates = torch.tensor([line.dates for line in lines[part]])
        return {n: 100 * right[dates == n].double().mean().item() for n in dates.unique().tolist()}

    size = {"lines": LINES, "epochs": EPOCHS, "batch": BATCH, "symbols": len(words)}
    path, models = Path(__file__).with_suffix(".json"), {}
    if path.exists() and (before := json.loads(path.read_text()))["budget"] == size:
        models = before["models"]

    def write() -> None:
        command = "python benchmarks/date_ladder.py"
        record(__file__, given.seeds, command=command, budget=size, models=models)

    for seed, kind, optimizer in itertools.product(given.seeds, reversed(SMALL), FIRST):
        of = models.setdefault(kind, {}).setdefault(optimizer, {"tried": {}, "runs": {}})
        of["parameters"] = sum(p.numel() for p in small(kind, len(words)).parameters())
        tried, muon = of["tried"], optimizer == "Muon"
        while f"{(rate := next_rate(tried, FIRST[optimizer])):g}" not in tried:
            if time.process_time() > given.seconds:
                return
            model, _ = trained(kind, muon, rate, TRIAL_SEED, EPOCHS // 2)
            tried[f"{rate:g}"] = loss_on(model, pairs["dev"])
            write()
        if of.get("rate") != rate:
            of["rate"], of["runs"] = rate, {}
        if str(seed) not in of["runs"]:
            if time.process_time() > given.seconds:
                return
            model, run = trained(kind, muon, rate, seed)
            found = {part: exact(model, part) for part in PARTS if part != "train"}
            of["runs"][str(seed)] = run | {"exact": found}
            print(kind, optimizer, rate, seed, tried, found["test"], flush=True)
            write()


def loss_on(model: EncoderDecoder, some: list) -> float:
    """Loss in nats per token."""
    batch = padded(some)
    with torch.no_grad():
        logits = model(batch.source, batch.lengths, shift_right(batch.target))
    return sequence_loss(logits, batch.target).item()


def shortened(losses: list[float]) -> list[float]:
    """Means of consecutive parts of equal length."""
    width = len(losses) // SHORT
    return [round(statistics.fmean(losses[at * width :][:width]), 4) for at in range(SHORT)]


if __name__ == "__main__":
    main()
