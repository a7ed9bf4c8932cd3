"""DPO at two prices, each at several rates.

The pairs, the steps and the function are those of the page on preferences. The rate is chosen by
the mean probability of a right answer on 200 prompts of a development part; the results are for 400
other prompts. Takes about two minutes on one core.

    python benchmarks/dpo.py
"""

from __future__ import annotations

import random

import torch
from machine import record
from sorting import chance_right, page, truths

SEEDS = [0, 1, 2]
RATES = {
    1.0: [1e-4, 2e-4, 4e-4, 8e-4, 1.6e-3, 3.2e-3],
    0.02: [2.5e-5, 5e-5, 1e-4, 2e-4, 4e-4],
}


def main() -> None:
    torch.set_num_threads(1)
    on = page()
    held, told = truths(on, on.questions(random.Random(5_000), 200)), truths(on, on.asked)
    found = {f"{beta:g}": {f"{rate:g}": [] for rate in rates} for beta, rates in RATES.items()}
    begun = []
    for seed in SEEDS:
        model, _ = on.fine_tune(on.pretrain(seed), seed)
        begun.append(round(chance_right(on, model, told), 4))
        pairs = on.draw_pairs(model, seed)
        for beta, rates in RATES.items():
            for rate in rates:
                trained, moved = on.prefer(model, *pairs, seed, beta=beta, rate=rate)
                ends = on.measure(trained, model)
                one = {
                    "dev": round(chance_right(on, trained, held), 4),
                    "right": round(chance_right(on, trained, told), 4),
                    "kl": round(ends["kl"], 3),
                    "form": round(ends["form"], 4),
                    "chosen": round(moved[-1][0], 3),
                    "rejected": round(moved[-1][1], 3),
                }
                found[f"{beta:g}"][f"{rate:g}"].append(one)
                print(seed, beta, rate, one, flush=True)
    record(__file__, SEEDS, begun=begun, prices=found)


if __name__ == "__main__":
    main()
