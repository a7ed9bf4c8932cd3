"""AdamW in Muon's place in the speedrun, at other rates for the matrices of the layers.

    python benchmarks/speedrun_rates.py [--seeds 0 1 2]

The row "Muon" of `speedrun.py`, with its text, initial weights and batches, so that every loss can
be paired by seed with that row's, where AdamW has the rate of the tables (0.005), and with those of
the fast setting. Three rates that differ by factors of two, and further ones while the best, by the
mean over the seeds, is the lowest or the highest. They are compared on the validation text itself,
which favors AdamW. A step without Muon is shorter, so the best rate also gets as many steps as fit
into Muon's time, by the seconds in `speedrun.json`; no rate is chosen again for them. Records, for
each rate, the loss by seed, nats per character; and the steps and losses of the longer runs.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path
from statistics import mean

import torch
from machine import record
from speedrun import LINES, tokens, train
from tuning import next_rate

FIRST = 1.25e-3


def steps_in_the_same_time() -> int:
    """Steps without Muon that take as long as the recorded runs with it."""
    lines = json.loads(Path(__file__).with_name("speedrun.json").read_text())["lines"]
    seconds = {name: mean(run["seconds"] for run in lines[name]["runs"]) for name in LINES}
    return round(LINES["Muon"].steps * seconds["fast"] / seconds["Muon"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    given = parser.parse_args()
    torch.set_num_threads(1)
    begun, (seen, held) = time.process_time(), tokens()
    losses: dict[str, list[float]] = {}
    while True:
        rate = next_rate({tried: sum(of) for tried, of in losses.items()}, FIRST)
        if f"{rate:g}" in losses:
            break
        setting = replace(LINES["Muon"], inner=rate)
        runs = [train(setting, seed, seen, held, looks=0) for seed in given.seeds]
        losses[f"{rate:g}"] = [run["loss"] for run in runs]
        print(rate, losses[f"{rate:g}"], round(time.process_time() - begun), flush=True)
    losses = {rate: losses[rate] for rate in sorted(losses, key=float)}
    longer = replace(LINES["Muon"], inner=rate, steps=steps_in_the_same_time())
    same_time = {
        "steps": longer.steps,
        "losses": [train(longer, seed, seen, held, looks=0)["loss"] for seed in given.seeds],
    }
    taken = round(time.process_time() - begun)
    record(__file__, given.seeds, losses=losses, same_time=same_time, processor_seconds=taken)


if __name__ == "__main__":
    main()
