"""Demonstrations that share a mistake: what comparisons add to the model's own probability.

The functions are those of the page on preferences; only what is demonstrated differs. Every second
demonstration forgets the largest digit, the others are drawn as on the page. Takes half a minute on
one core.

    python benchmarks/shared_mistake.py
"""

from __future__ import annotations

import random

import torch
from machine import record
from sorting import HELD, page

SEEDS = [0, 1, 2]
SHARE = 0.5  # of the demonstrations with the shared mistake


def main() -> None:
    torch.set_num_threads(1)
    on, runs = page(), []

    def shown(rng: random.Random, digits: str) -> str:
        if rng.random() < SHARE:
            return "".join(sorted(digits))[:-1]
        return on.demonstration(rng, digits)

    for seed in SEEDS:
        model, right = on.fine_tune(on.pretrain(seed), seed, shown=shown)
        chosen, rejected = on.draw_pairs(model, seed)
        judge = on.train_judge(model, chosen[HELD:], rejected[HELD:], seed)
        run = {"shown right": right, "pairs": len(chosen) - HELD}
        run["coldest"] = on.measure(model, model)["coldest"]
        for name, score in (("own", on.own_log_prob(model)), ("judge", judge)):
            with torch.no_grad():
                first, second = (
                    score(part[:HELD], on.mask_of(part[:HELD])) for part in (chosen, rejected)
                )
            run[f"{name} orders"] = (first > second).double().mean().item()
            run[f"{name} best"] = on.best_shares(model, {name: score}, seed)[name][-1]
        runs.append({what: round(value, 4) for what, value in run.items()})
        print(seed, runs[-1], flush=True)
    record(__file__, SEEDS, share=SHARE, runs=runs)


if __name__ == "__main__":
    main()
