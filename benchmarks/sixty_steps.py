"""Runs that the page on transfer compares with but does not train itself, with its functions.

    python benchmarks/sixty_steps.py

A network without pretraining, for 60 steps on 32 and on 2,048 labels and for 240 on 2,048; and LoRA
of further ranks for 60 steps on 2,048 labels, from the page's decoder and at the rate of rank 4.
Seeds, labels and batches are those of the page. Records right answers on unseen holes, in percent,
by seed.
"""

from __future__ import annotations

import torch
from machine import record
from reading_rates import page

RANKS, LONGER = (1, 64), 240


def main() -> None:
    torch.set_num_threads(1)
    on = page()
    test = on.test[0][:, : on.BEFORE]

    def rights(way: str, count: int, rate: float, rank: int = 4, steps: int = 60) -> list[float]:
        found = []
        for seed in on.SEEDS:
            rows, labels = on.labeled(count, seed)
            model, _ = on.prepare(way, seed=seed, rank=rank)
            how = {"rate": rate, "seed": seed, "steps": steps}
            trained.append(on.tune(model, rows[:, : on.BEFORE], labels, **how))
            found.append(round(100 * on.accuracy(model, test), 2))
        print(way, count, rank, steps, found, flush=True)
        return found

    trained: list[int] = []
    rate = on.WAYS["from scratch"]
    short = {f"{count}": rights("from scratch", count, rate) for count in on.LABELS}
    found = {
        "from scratch": short,
        "from scratch, longer": rights("from scratch", max(on.LABELS), rate, steps=LONGER),
        "parameters": trained[0],
        "ranks": {
            f"{rank}": rights("LoRA", max(on.LABELS), on.WAYS["LoRA, rank 4"], rank=rank)
            for rank in RANKS
        },
    }
    record(__file__, list(on.SEEDS), longer=LONGER, **found)


if __name__ == "__main__":
    main()
