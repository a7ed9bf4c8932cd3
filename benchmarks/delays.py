"""Remembering one symbol over many steps of noise: six layers, eleven learning rates, curves.

    python benchmarks/delays.py

The task is that of the chapter on recurrent networks: the first of 19 or 37 symbols is one of four,
the others are noise, and at the end a network says which one it was. Every layer has 32 units, the
same Adam, clipping and batches; each is trained with every one of `RATES`, from every seed. One
thread. Records the right answers along the way. Continues `delays.json` with the rates that it
lacks; delete that file to begin anew.
"""

from __future__ import annotations

import json
import time
from functools import partial
from pathlib import Path

import torch
import torch.nn.functional as F
from machine import record
from together import Together
from torch import Tensor, nn

from solutions.recurrent import Recurrent, orthogonal

ASKED, NOISE, BATCH, FEATURES, HIDDEN = 4, 4, 16, 8, 32
DELAYS, EVERY = (18, 36), 25
RATES = [6.25e-4 * 2**doubled for doubled in range(11)]
NAMES = ("Elman", "Elman, orthogonal", "LSTM", "LSTM, open", "GRU", "GRU, open")
SEEDS, STEPS = [0, 1, 2, 3, 4], 600
KINDS = {"Elman": "rnn", "LSTM": "lstm", "GRU": "gru"}


class Rememberer(nn.Module):
    """Embed the symbols, run one layer, and answer from its last state."""

    def __init__(self, name: str) -> None:
        super().__init__()
        kind = KINDS[name.partition(",")[0]]
        self.embedding = nn.Embedding(ASKED + NOISE, FEATURES)
        self.layer = Recurrent(FEATURES, HIDDEN, kind=kind)
        self.output = nn.Linear(HIDDEN, ASKED)
        with torch.no_grad():
            if name.endswith("orthogonal"):
                self.layer.weight_hh_l0.copy_(orthogonal(torch.randn(HIDDEN, HIDDEN)))
            if name.endswith("open"):  # the second block: the forget gate, the update gate
                self.layer.bias_ih_l0[HIDDEN : 2 * HIDDEN] = 3.0
                self.layer.bias_hh_l0[HIDDEN : 2 * HIDDEN] = 0.0

    def forward(self, tokens: Tensor) -> Tensor:
        return self.output(self.layer(self.embedding(tokens))[0][:, -1])


def sequences(delay: int, count: int, generator: torch.Generator) -> Tensor:
    """The first symbol is one of four, the others are noise; (count, delay + 1)."""
    tokens = torch.randint(ASKED, ASKED + NOISE, (count, delay + 1), generator=generator)
    tokens[:, 0] = torch.randint(ASKED, (count,), generator=generator)
    return tokens


def loss_of(scores: Tensor, tokens: Tensor) -> Tensor:
    """The loss of each network, (M,)."""
    losses = F.cross_entropy(scores.transpose(1, 2), tokens[..., 0], reduction="none")
    return losses.mean(dim=1)


def right(models: Together, tokens: Tensor) -> Tensor:
    """The share each network gets right, in percent, (M,)."""
    with torch.no_grad():
        said = models(tokens.expand(len(models.rates), *tokens.shape)).argmax(dim=-1)
    return 100 * (said == tokens[:, 0]).double().mean(dim=1)


def curves_at(name: str, delay: int, rates: list[float]) -> dict[str, list]:
    """Right answers in percent of a layer by rate: seeds, every so many steps."""
    members = []
    for _ in rates:
        for seed in SEEDS:
            torch.manual_seed(seed)
            members.append(Rememberer(name))
    models = Together(members, [rate for rate in rates for _ in SEEDS])
    generators = [torch.Generator().manual_seed(seed) for seed in SEEDS]
    asked = sequences(delay, 200, torch.Generator().manual_seed(1_000))
    found = [right(models, asked)]
    for step in range(1, STEPS + 1):
        tokens = torch.stack([sequences(delay, BATCH, own) for own in generators])
        tokens = tokens.repeat(len(rates), 1, 1)
        models.step(partial(loss_of, tokens=tokens), tokens)
        if step % EVERY == 0:
            found.append(right(models, asked))
    shares = torch.stack(found, dim=1).view(len(rates), len(SEEDS), -1)
    shares = shares.round(decimals=1)
    return {f"{rate:g}": of.tolist() for rate, of in zip(rates, shares, strict=True)}


def main() -> None:
    path = Path(__file__).with_suffix(".json")
    known = json.loads(path.read_text()) if path.exists() else {}
    torch.set_num_threads(1)
    begun, curves = time.process_time(), known.get("curves", {})
    for delay in DELAYS:
        for name in NAMES:
            found = curves.setdefault(str(delay), {}).setdefault(name, {})
            if rates := [rate for rate in RATES if f"{rate:g}" not in found]:
                found |= curves_at(name, delay, rates)
                seconds = known.get("processor_seconds", 0) + time.process_time() - begun
                record(__file__, SEEDS, every=EVERY, curves=curves, processor_seconds=seconds)
                print(delay, name, rates, round(seconds), flush=True)


if __name__ == "__main__":
    main()
