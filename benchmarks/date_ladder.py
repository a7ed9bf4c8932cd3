"""Lines of dates to digits: five models, one budget, one amount of tuning, some seeds.

    python benchmarks/date_ladder.py [--seeds 0 1 2] [--seconds 1000]

Each model has about as many parameters, reads the same lines for as many steps, and has the best of
`RATES` by its loss on the development part, after half as many steps, tried once each with a seed
of its own. Steps are Muon's, and for the Transformer AdamW's as well. One thread; seconds are of
the processor. Writes `date_ladder.json` after each training, and goes on from there when it was
stopped, or when `--seconds` of the processor were up.
"""

from __future__ import annotations

import argparse
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
RATES, TRIAL_SEED = {True: (0.01, 0.02), False: (0.0025, 0.005, 0.01)}, 999
ADAM = ("transformer",)  # with AdamW alone, too


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
    for kind, muon in [*((kind, True) for kind in SMALL), *((kind, False) for kind in ADAM)]:
        count = sum(parameter.numel() for parameter in small(kind, len(words)).parameters())
        of = models.setdefault(kind if muon else f"{kind}, AdamW", {"parameters": count})
        tried, runs = of.setdefault("tried", {}), of.setdefault("runs", {})
        for rate, seed in [*((rate, None) for rate in RATES[muon]), *((0, s) for s in given.seeds)]:
            if f"{rate:g}" in tried or str(seed) in runs:
                continue
            if time.process_time() > given.seconds:
                return
            if seed is None:
                model, _ = trained(kind, muon, rate, TRIAL_SEED, EPOCHS // 2)
                tried[f"{rate:g}"] = loss_on(model, pairs["dev"])
                of["rate"] = float(min(tried, key=tried.get))
            else:
                model, run = trained(kind, muon, of["rate"], seed)
                found = {part: exact(model, part) for part in PARTS if part != "train"}
                runs[str(seed)] = run | {"exact": found}
            print(kind, muon, rate, seed, tried, runs.get(str(seed), {}).get("exact"), flush=True)
            command = "python benchmarks/date_ladder.py"
            record(__file__, given.seeds, command=command, budget=size, models=models)


def loss_on(model: EncoderDecoder, some: list) -> float:
    """In nats per token."""
    batch = padded(some)
    with torch.no_grad():
        logits = model(batch.source, batch.lengths, shift_right(batch.target))
    return sequence_loss(logits, batch.target).item()


def shortened(losses: list[float]) -> list[float]:
    """Means of runs of as many steps."""
    width = len(losses) // SHORT
    return [round(statistics.fmean(losses[at * width :][:width]), 4) for at in range(SHORT)]


if __name__ == "__main__":
    main()
