"""The ways of the page on transfer, each at several learning rates.

Runs the cells of `book/transfer.md` up to the function that trains a way, and trains with it. A
rate is chosen on a development part: the labeled rows that a seed leaves over when it has drawn
2,048. The results are measured on the unseen holes of the page. Takes about four minutes on one
core.

    python benchmarks/reading_rates.py
"""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import torch
from machine import record

PAGE = Path(__file__).parents[1] / "book" / "transfer.md"
SEEDS = [0, 1, 2]
RATES = {
    "frozen features": [2.5e-3, 5e-3, 1e-2, 2e-2],
    "all parameters": [5e-4, 1e-3, 2e-3, 4e-3],
    "LoRA, rank 4": [1e-3, 2.5e-3, 5e-3, 1e-2],
    "8 learned vectors": [2.5e-3, 5e-3, 1e-2, 2e-2],
    "from scratch": [1.5e-3, 3e-3, 6e-3, 1.2e-2],
    "all, head from the words": [1e-4, 2.5e-4, 5e-4, 1e-3],
}


def page(until: str = "def go(way)") -> SimpleNamespace:
    """Names that the page has defined and trained before the text ``until``."""
    scope: dict = {"__name__": "page"}
    text = PAGE.read_text().partition(until)[0] + "```"
    for cell in re.findall(r"```\{code-cell\} ipython3\n(.*?)```", text, re.DOTALL):
        source = re.sub(r"^:tags:.*\n", "", cell)
        if "%pip" not in source and "drawing.show" not in source:
            exec(compile(source, str(PAGE), "exec"), scope)
    return SimpleNamespace(**{name: scope[name] for name in scope if not name.startswith("__")})


def main() -> None:
    torch.set_num_threads(1)
    on = page()
    old = on.pieces(on.unseen, 400, torch.Generator().manual_seed(9))

    @torch.no_grad()
    def old_losses(model: torch.nn.Module) -> torch.Tensor:
        logits = model.score(model(old))[:, :-1].transpose(1, 2)
        return torch.nn.functional.cross_entropy(logits, old[:, 1:], reduction="none").flatten()

    before = old_losses(on.models["decoder"])
    found: dict = {}
    for way, rates in RATES.items():
        for count in on.LABELS:
            for rate in rates:
                run: dict[str, list[float]] = {"dev": [], "right": [], "bits": []}
                for seed in SEEDS:
                    order = torch.randperm(
                        len(on.pool[1]), generator=torch.Generator().manual_seed(1000 + seed)
                    )
                    left = order[max(on.LABELS) :].to(on.device)
                    rows, labels = on.labeled(count, seed)
                    model, reader = on.prepare(way, seed=seed)
                    on.tune(model, rows[:, : on.BEFORE], labels, rate=rate, seed=seed)
                    with torch.no_grad():
                        guess = model.eval()(on.pool[0][left][:, : on.BEFORE]).argmax(dim=1)
                    right = (guess == on.pool[1][left]).double().mean().item()
                    run["dev"].append(round(100 * right, 2))
                    run["right"].append(
                        round(100 * on.accuracy(model, on.test[0][:, : on.BEFORE]), 2)
                    )
                    bits = on.forgotten(before, old_losses(reader)).item()
                    run["bits"].append(round(bits, 3))
                found.setdefault(way, {}).setdefault(f"{count}", {})[f"{rate:g}"] = run
                print(way, count, rate, run, flush=True)
    record(__file__, SEEDS, left_over=len(left), ways=found)


if __name__ == "__main__":
    main()
