"""The fine-tuning of `pretraining.py` at several learning rates.

    python benchmarks/fine_tuning_rates.py

The same pretrained encoders, the same encoder from scratch, the same labels and steps, classes
balanced, at each of `RATES`. Records results for unseen sentences, and for `HELD` seen ones without
labels, by which a rate can be chosen. Takes about five minutes on one core.
"""

from __future__ import annotations

import pretraining as base
import torch
from machine import record

from solutions.bert import pretrain

STEPS, RATES, HELD = 2_400, [5e-4, 1e-3, 2e-3, 4e-3], 400
KINDS = ("pretrained", "from scratch")


def main() -> None:
    torch.set_num_threads(1)
    _, special, seen, unseen = base.read()
    able, test_on = (
        [i for i, words in enumerate(of.code) if len(words) >= 5] for of in (seen, unseen)
    )
    parts, test = base.tagged(seen, able, special), base.tagged(unseen, test_on, special)
    runs = []
    how = {"size": base.BATCH, "longest": base.LONGEST, "share": base.SHARE}
    for seed in base.SEEDS:
        model = base.fresh(seed, special)
        pretrain(model, seen, special, steps=STEPS, seed=seed, **how)
        state = {name: value.clone() for name, value in model.state_dict().items()}
        order = torch.randperm(len(able), generator=torch.Generator().manual_seed(seed))
        held = order[max(base.LABELS) :][:HELD]
        dev = tuple(part[held] for part in parts)
        runs.append({kind: {} for kind in KINDS})
        for kind in KINDS:
            for rate in RATES:
                found: dict[str, list] = {"dev": [], "test": []}  # by labels: F1, code above prose
                for count in base.LABELS:
                    bert = base.fresh(10 + seed, special)
                    if kind == "pretrained":
                        bert.load_state_dict(state)
                    chosen = order[:count]
                    tagger = base.fine_tuned(bert, parts, chosen, seed, balance=True, rate=rate)
                    found["dev"].append(base.judged(tagger, dev))
                    found["test"].append(base.judged(tagger, test))
                runs[-1][kind][f"{rate:g}"] = found
                print(seed, kind, rate, found, flush=True)
        seeds = base.SEEDS[: len(runs)]
        record(__file__, seeds, rates=RATES, labels=base.LABELS, held=len(held), runs=runs)


if __name__ == "__main__":
    main()
