"""Computation in training against computation in answering.

    python benchmarks/training_answering.py

Three widths of a small GPT, trained for three numbers of steps, answer the same problems with up to
64 samples each. Multiply-adds are counted by torch: forward for answers, three times as many for
training. Problems are sorted by how many of their five signs differ from the others, which no
model decides. The development problems choose the rate of each width. Writes
`training_answering.json`.
"""

from __future__ import annotations

import torch
from machine import record
from signs import BATCH, check, multiply_adds, sample, train

from solutions.preference import pass_at_k
from solutions.test_time_compute import ASKED, COUNT, sign_problems

WIDTHS, STEPS = (16, 32, 64), (150, 300, 600)
RATES = {16: (0.01, 0.03, 0.1), 32: (0.01, 0.03, 0.1), 64: (0.003, 0.01, 0.03)}
SEEDS, TUNING, SAMPLES = range(2), 10, 64
NS = (1, 2, 4, 8, 16, 32, 64)
DEV, TEST = (sign_problems(400, torch.Generator().manual_seed(seed)) for seed in (1, 2))
LENGTH = ASKED + 2 * COUNT


def main() -> None:
    torch.set_num_threads(1)
    rarer = torch.minimum((TEST.signs > 0).sum(dim=1), (TEST.signs < 0).sum(dim=1))
    development, rates, runs = {}, {}, []
    for width in WIDTHS:
        found = []
        for rate in RATES[width]:
            model = train(width, STEPS[1], rate, TUNING)[0]
            found.append(check(DEV, sample(model, DEV, 8, 100)).float().mean().item())
        development[str(width)] = found
        rates[width] = RATES[width][found.index(max(found))]
        print(width, found, flush=True)
    for width in WIDTHS:
        for steps in STEPS:
            kept: dict[str, list] = {"all": [], "by difficulty": [], "curves": []}
            for seed in SEEDS:
                model, curve = train(width, steps, rates[width], seed)
                right = check(TEST, sample(model, TEST, SAMPLES, 200 + seed)).sum(dim=1)
                passed = torch.stack([pass_at_k(right, SAMPLES, n) for n in NS])  # (K, B)
                kept["all"].append(passed.mean(dim=1).tolist())
                kept["by difficulty"].append(
                    [passed[:, rarer == level].mean(dim=1).tolist() for level in range(3)]
                )
                kept["curves"].append(curve)
            once = multiply_adds(model, LENGTH)
            runs.append(
                {"width": width, "steps": steps, "training": 3 * once * BATCH * steps}
                | {"answer": once}
                | kept
            )
            print(runs[-1], flush=True)
    record(
        __file__,
        list(SEEDS),
        ns=list(NS),
        rates={str(width): list(tried) for width, tried in RATES.items()},
        chosen={str(width): rate for width, rate in rates.items()},
        development=development,
        difficulty=rarer.bincount().tolist(),
        runs=runs,
    )


if __name__ == "__main__":
    main()
