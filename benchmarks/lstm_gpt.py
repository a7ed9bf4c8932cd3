"""An LSTM and two GPTs of one size, trained alike; the rate of each is bracketed.

    python benchmarks/lstm_gpt.py [--fresh] [--minutes 4]

On the characters of the language reference. All read the same pieces, cut anywhere, with AdamW of
the same betas, the same warm-up, decay and clipping. For each model and number of steps, rates a
factor of two apart are tried, beginning with the best one for fewer steps, until the best has a
worse one on either side; they are judged on the last tenth of the training text, with a seed that
no result uses. Writes `lstm_gpt.json` after each training, and reuses what it holds.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from pathlib import Path

import torch
from machine import record
from torch import Tensor, nn
from torch.nn import functional as F

from solutions.data import text
from solutions.gpt import GPT, windows
from solutions.recurrent import CharacterModel, bits_per_character

SPAN, BATCH, SEEDS = 32, 16, (0, 1, 2)
STEPS = (300, 1_200)
KINDS = ("lstm", "learned", "rotary")


def make(kind: str, symbols: int, seed: int) -> nn.Module:
    """A network of about 27,000 parameters."""
    torch.manual_seed(seed)
    if kind == "lstm":
        return CharacterModel(symbols, embed_dim=24, hidden_size=64)
    sizes = {"embed_dim": 32, "num_heads": 4, "num_layers": 2, "longest": 2 * SPAN, "std": 0.1}
    return GPT(symbols, **sizes, positions=kind)


def guess(model: nn.Module, read: Tensor) -> Tensor:
    """Logits; an LSTM begins each piece with zeros."""
    found = model(read)
    return found if torch.is_tensor(found) else found[0]


def train(model: nn.Module, part: Tensor, *, steps: int, seed: int, rate: float) -> nn.Module:
    """AdamW on random pieces; the rate rises over 20 steps, and falls to 0."""
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, betas=(0.9, 0.99), weight_decay=0)
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = rate * min((step + 1) / 20, 1) * (1 - step / steps)
        starts = torch.randint(len(part) - SPAN, (BATCH,), generator=generator)
        read, asked = windows(part, starts, SPAN)
        loss = F.cross_entropy(guess(model, read).transpose(1, 2), asked)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    return model


@torch.no_grad()
def cost(model: nn.Module, part: Tensor, *, new: int = 8, count: int = 10_000) -> float:
    """Bits per character; each has at least SPAN − new characters before it."""
    read, asked = windows(part, torch.arange(0, count - SPAN + 1, new), SPAN)
    return bits_per_character(guess(model, read)[:, -new:], asked[:, -new:]).item()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--fresh", action="store_true", help="forget what is recorded")
    parser.add_argument("--minutes", type=float, default=1e9, help="stop after so many")
    given = parser.parse_args()
    torch.set_num_threads(1)
    file, deadline = Path(__file__).with_suffix(".json"), time.monotonic() + 60 * given.minutes
    known = json.loads(file.read_text()) if file.exists() and not given.fresh else {}
    runs: list[dict[str, object]] = known.get("runs", [])
    whole = text()
    ids = {character: token for token, character in enumerate(sorted(set(whole)))}
    tokens = torch.tensor([ids[character] for character in whole])
    cut = whole.index("\n", len(whole) * 9 // 10) + 1
    seen, unseen = tokens[:cut], tokens[cut:]
    learn, dev = seen.tensor_split([len(seen) * 9 // 10])

    def run(search: bool, **job: object) -> float:
        if time.monotonic() > deadline:
            raise SystemExit("out of time: the same command goes on from here")
        for done in runs:
            if {"search": search, **job}.items() <= done.items():
                return done["bits"]
        kind, how = job["kind"], {name: job[name] for name in ("steps", "seed", "rate")}
        begun = time.process_time()
        model = train(make(kind, len(ids), job["seed"]), learn if search else seen, **how)
        seconds = time.process_time() - begun
        found = cost(model, dev if search else unseen)
        runs.append({"search": search, **job, "bits": found, "seconds": round(seconds, 2)})
        print(*runs[-1].values(), flush=True)
        record(__file__, list(SEEDS), chosen=chosen, runs=runs)
        return found

    chosen: dict[str, dict[str, float]] = {kind: {} for kind in KINDS}
    for kind in KINDS:
        rate = 0.02
        for steps in STEPS:

            def tried(rate: float, kind: str = kind, steps: int = steps) -> float:
                found = run(True, kind=kind, steps=steps, rate=rate, seed=9)
                return found if math.isfinite(found) else math.inf

            while True:
                better = min((rate / 2, rate, 2 * rate), key=tried)
                if better == rate:
                    break
                rate = better
            chosen[kind][str(steps)] = rate
    for seed in SEEDS:
        for kind in KINDS:
            rate = chosen[kind][str(STEPS[-1])]  # the page itself trains for fewer steps
            run(False, kind=kind, steps=STEPS[-1], rate=rate, seed=seed)
    record(__file__, list(SEEDS), chosen=chosen, runs=runs)


if __name__ == "__main__":
    main()
