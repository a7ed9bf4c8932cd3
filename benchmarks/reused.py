"""GRPO with one step and with eight steps per draw, each at several rates.

Ten draws of 128 answers. The rate is chosen by the mean probability of a right answer on 200
prompts of a development part; the results are for 400 other prompts. Takes about two minutes on one
core.

    python benchmarks/reused.py
"""

from __future__ import annotations

import math
import random

import torch
from machine import record
from sorting import chance_right, page, truths

SEEDS = [0, 1, 2]
ROUNDS = 10
WAYS = {
    "1": (1, 0.2, [1e-3, 2e-3, 4e-3, 8e-3]),
    "8, clip": (8, 0.2, [2.5e-4, 5e-4, 1e-3, 2e-3]),
    "8, no clip": (8, math.inf, [1.25e-4, 2.5e-4, 5e-4, 1e-3, 2e-3]),
}


def main() -> None:
    torch.set_num_threads(1)
    on = page()
    held, told = truths(on, on.questions(random.Random(5_000), 200)), truths(on, on.asked)
    found = {way: {f"{rate:g}": [] for rate in rates} for way, (*_, rates) in WAYS.items()}
    for seed in SEEDS:
        model, _ = on.fine_tune(on.pretrain(seed), seed)
        for way, (steps, clip, rates) in WAYS.items():
            for rate in rates:
                trained, _ = on.reinforce(
                    model, seed, on.is_right, rounds=ROUNDS, steps=steps, clip=clip, rate=rate
                )
                one = {
                    "dev": round(chance_right(on, trained, held), 4),
                    "right": round(chance_right(on, trained, told), 4),
                    "kl": round(on.measure(trained, model)["kl"], 3),
                }
                found[way][f"{rate:g}"].append(one)
                print(seed, way, rate, one, flush=True)
    record(__file__, SEEDS, rounds=ROUNDS, ways=found)


if __name__ == "__main__":
    main()
