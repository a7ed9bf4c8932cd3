"""Three ways to read, as reading goes on: what the page of `transfer` cannot wait for.

Each family reads the same rows, on one thread; after so many steps it is asked which of five words
stood in a hole of a text that it has not read, without one label.
"""

from __future__ import annotations

from time import process_time

import machine
import torch

from solutions.data import text
from solutions.tokenization import BytePairTokenizer
from solutions.transfer import (
    Reader,
    Rewriter,
    holes,
    masked_loss,
    next_token_loss,
    span_loss,
)
from solutions.transformer import Config

SEEDS, STOPS = [0, 1], [500, 1000, 2000, 4000]
BEFORE, AFTER, BATCH, RATE = 16, 7, 32, 3e-3
MASK = "<mask>"


def main() -> None:
    torch.set_num_threads(1)
    lines = text().splitlines()
    seen = [line for place, line in enumerate(lines) if place % 4 != 3]
    unseen = [line for place, line in enumerate(lines) if place % 4 == 3]
    tokenizer = BytePairTokenizer(specials=[MASK, *(f"<{k}>" for k in range(8))])
    tokenizer.train("\n".join(seen), 765)
    seen, unseen = (torch.tensor(tokenizer.encode("\n".join(part))) for part in (seen, unseen))
    mask = tokenizer.encode(MASK)[0]
    words = torch.tensor([tokenizer.encode(w)[0] for w in (" of", " to", " in", " and", " for")])
    rows, labels = holes(unseen, words, before=BEFORE, after=AFTER, hole=mask)
    config = Config(
        vocabulary=len(tokenizer),
        positions="rotary",
        norm_first=True,
        activation="gelu",
    )
    spans = {"sentinel": mask + 1, "missing": 4, "number": 2}
    losses = {
        "decoder": lambda model, rows, generator: next_token_loss(model, rows),
        "encoder": lambda model, rows, generator: masked_loss(model, rows, generator, mask=mask),
        "both": lambda model, rows, generator: span_loss(model, rows, generator, **spans),
    }
    found = {family: [] for family in losses}
    for seed in SEEDS:
        for family, loss in losses.items():
            torch.manual_seed(seed)
            model = (
                Rewriter(config)
                if family == "both"
                else Reader(config, is_causal=family == "decoder")
            )
            optimizer = torch.optim.AdamW(model.parameters(), betas=(0.9, 0.99), weight_decay=0)
            generator = torch.Generator().manual_seed(seed)
            curve, spent, mean = [], 0.0, 0.0
            for step in range(STOPS[-1]):
                begun = process_time()
                optimizer.param_groups[0]["lr"] = RATE * min((step + 1) / 30, 1)
                starts = torch.randint(len(seen) - 24, (BATCH, 1), generator=generator)
                value = loss(model, seen[starts + torch.arange(24)], generator)
                optimizer.zero_grad()
                value.backward()
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                spent += process_time() - begun
                mean = 0.98 * mean + 0.02 * value.item()
                if step + 1 in STOPS:
                    with torch.no_grad():
                        right = (
                            (guess(model, family, rows, mask)[:, words].argmax(1) == labels)
                            .double()
                            .mean()
                        )
                    curve.append([step + 1, right.item(), mean, spent])
                    print(seed, family, curve[-1], flush=True)
            found[family].append(curve)
    machine.record(__file__, SEEDS, curves=found, columns=["steps", "right", "loss", "seconds"])


def guess(model, family, rows, mask):
    """Logits of what stood in the hole, (m, V)."""
    if family == "decoder":
        return model.score(model(rows[:, :BEFORE])[:, -1])
    if family == "encoder":
        return model.score(model(rows)[:, BEFORE])
    marked = torch.where(rows == mask, mask + 1, rows)
    return model(marked, torch.full((len(rows), 1), mask + 1))[:, 0]


if __name__ == "__main__":
    main()
