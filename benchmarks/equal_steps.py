"""Fine-tuning a pretrained decoder, and training the same network from scratch, over steps.

    python benchmarks/equal_steps.py

Task and decoder are those of the page on transfer, and so are the 2,048 labels that a seed draws:
after pretraining, all parameters and a new head are trained; from scratch, too. Pretraining took
400 steps, so 60 steps after it are compared with 460 from scratch. For each number of steps, the
rate is the one with the fewest errors on the rows that three seeds leave over, and the next lower
and higher rates are worse. Three more seeds give the results. Takes about four minutes on one core.
"""

from __future__ import annotations

import torch
from machine import record
from transfer_ways import PRETRAINING, Rows, Setting, judged, setting, tuned
from tuning import next_rate

from solutions.transfer import Reader
from solutions.transformer import Config

LABELS, SEEDS, CHOOSING = 2_048, [0, 1, 2, 3, 4, 5], 3  # the first three choose the rate
STEPS = {"pretrained": [60, 240], "from scratch": [60, 240, 460]}
FIRST = {"pretrained": 1e-3, "from scratch": 2e-3}


def drawn(pool: Rows, seed: int) -> tuple[Rows, Rows]:
    """The rows with labels that a seed draws, as on the page, and those that it leaves over."""
    order = torch.randperm(len(pool[1]), generator=torch.Generator().manual_seed(1_000 + seed))
    some, left = order[:LABELS], order[LABELS:]
    return (pool[0][some], pool[1][some]), (pool[0][left], pool[1][left])


def trial(on: Setting, start: str, steps: int, rate: float, seed: int) -> tuple[float, float]:
    """Errors on the rows left over, and right answers on the test; in percent."""
    base = on.base
    if start == "from scratch":
        rows = base.embed.num_embeddings
        torch.manual_seed(seed)
        config = Config(vocabulary=rows, positions="rotary", norm_first=True, activation="gelu")
        base = Reader(config, is_causal=True)
    labeled, left = drawn(on.pool, seed)
    model, _ = tuned(base, "all parameters", labeled, rate=rate, seed=seed, steps=steps)
    dev, right = (100 * judged(model, rows)[1].double().mean().item() for rows in (left, on.test))
    return 100 - dev, round(right, 2)


def measured(on: Setting, start: str, steps: int) -> dict:
    """The rate, the errors that chose it, and the right answers of each seed (%)."""
    errors: dict[str, float] = {}
    rights: dict[str, list[float]] = {}
    while f"{(rate := next_rate(errors, FIRST[start])):g}" not in errors:
        runs = [trial(on, start, steps, rate, seed) for seed in SEEDS[:CHOOSING]]
        errors[f"{rate:g}"] = round(sum(wrong for wrong, _ in runs) / CHOOSING, 2)
        rights[f"{rate:g}"] = [right for _, right in runs]
    more = [trial(on, start, steps, rate, seed)[1] for seed in SEEDS[CHOOSING:]]
    return {"rate": rate, "errors": errors, "right": rights[f"{rate:g}"] + more}


def main() -> None:
    torch.set_num_threads(1)
    on = setting()
    found: dict = {start: {} for start in STEPS}
    for start, counts in STEPS.items():
        for steps in counts:
            found[start][str(steps)] = measured(on, start, steps)
            print(start, steps, found[start][str(steps)], flush=True)
    parts = {"labels": LABELS, "test": len(on.test[1]), "pretraining_steps": PRETRAINING}
    record(__file__, SEEDS, **parts, found=found)


if __name__ == "__main__":
    main()
