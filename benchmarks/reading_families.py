"""An encoder, a decoder and a decoder asked less, pretrained on the same rows, from three seeds.

The functions are those of the page on transfer. Takes some minutes on one core.

    python benchmarks/reading_families.py
"""

from __future__ import annotations

import torch
from machine import record
from reading_rates import page

SEEDS = [0, 1, 2]
FAMILIES = ["decoder", "encoder", "decoder, asked less"]


def main() -> None:
    torch.set_num_threads(1)
    on = page("QUESTIONS = {")
    # asked as on the page: of all tokens only the five words' scores are compared
    right: dict[str, list[float]] = {family: [] for family in FAMILIES}
    for seed in SEEDS:
        for family in FAMILIES:
            model, asked = on.pretrain(family, seed=seed), family.partition(",")[0]
            with torch.no_grad():
                scores = on.into_the_hole(asked, model, on.test[0])[:, on.words]
            hits = scores.argmax(dim=1) == on.test[1]
            right[family].append(round(hits.double().mean().item(), 4))
            print(seed, family, right[family][-1], flush=True)
    record(__file__, SEEDS, right=right)


if __name__ == "__main__":
    main()
