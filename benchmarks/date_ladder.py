"""Lines of dates to digits: five models, one budget, one amount of tuning, some seeds.

    python benchmarks/date_ladder.py [--seeds 0 1 2]

Each model has about as many parameters, reads the same lines for as many steps, and has the best of
`RATES` by exact match on the development part, tried once each with a seed of its own. Steps are
Muon's, and for two of the models AdamW's as well. One thread; seconds are of the processor. Writes
`date_ladder.json`.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")

import torch
from machine import record
from torch.nn.attention import SDPBackend, sdpa_kernel

from solutions.seq2seq import Vocabulary
from solutions.translation import (
    PARTS,
    SMALL,
    date_lines,
    exactly_right,
    numbered,
    small,
    teach,
)

LINES, TRIED, EPOCHS, BATCH, SHORT = 9_600, 900, 2, 32, 40
RATES, TRIAL_SEED = {True: (0.01, 0.02, 0.04), False: (0.005, 0.01, 0.02)}, 999
ADAM = ("attention", "transformer")  # with AdamW alone, too


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    given = parser.parse_args()
    torch.set_num_threads(1)
    lines = {part: date_lines(part, LINES if part == "train" else TRIED) for part in PARTS}
    words = Vocabulary(line.source for line in lines["train"])
    pairs = {part: numbered(some, words) for part, some in lines.items()}

    def trained(kind: str, muon: bool, rate: float, seed: int) -> tuple:
        torch.manual_seed(seed)
        model = small(kind, len(words))
        start = time.process_time()
        budget = {"epochs": EPOCHS, "batch": BATCH, "seed": seed}
        with sdpa_kernel(SDPBackend.MATH):  # for lines this short it is the faster one
            losses = teach(model, pairs["train"], rate=rate, muon=muon, **budget)
        taken = time.process_time() - start
        return model, {"seconds": taken, "losses": shortened(losses)}

    def exact(model, part: str) -> dict[int, float]:
        """Percent of the lines that are right, by the number of their dates."""
        right = exactly_right(model, pairs[part])
        dates = torch.tensor([line.dates for line in lines[part]])
        return {n: 100 * right[dates == n].double().mean().item() for n in dates.unique().tolist()}

    models = {}
    size = {"lines": LINES, "epochs": EPOCHS, "batch": BATCH, "symbols": len(words)}
    for kind, muon in [*((kind, True) for kind in SMALL), *((kind, False) for kind in ADAM)]:
        tried = {}
        for rate in RATES[muon]:
            model, _ = trained(kind, muon, rate, TRIAL_SEED)
            tried[rate] = statistics.fmean(exact(model, "dev").values())
            print(kind, muon, rate, tried[rate], flush=True)
        rate = max(tried, key=tried.get)
        runs = []
        for seed in given.seeds:
            model, run = trained(kind, muon, rate, seed)
            parts = [part for part in PARTS if part != "train"]
            runs.append(run | {"exact": {part: exact(model, part) for part in parts}})
            print(kind, muon, seed, run["seconds"], runs[-1]["exact"], flush=True)
        count = sum(parameter.numel() for parameter in model.parameters())
        found = {"parameters": count, "rate": rate, "tried": tried, "runs": runs}
        models[kind if muon else f"{kind}, AdamW"] = found
        record(__file__, given.seeds, budget=size, models=models)


def shortened(losses: list[float]) -> list[float]:
    """Means of runs of as many steps."""
    width = len(losses) // SHORT
    return [round(statistics.fmean(losses[at * width :][:width]), 4) for at in range(SHORT)]


if __name__ == "__main__":
    main()
