"""Remembering one symbol over many steps of noise: six layers, five learning rates, curves.

    python benchmarks/delays.py [--seeds 0 1 2 3 4] [--steps 600]

The task is that of the chapter on recurrent networks: the first of 19 or 37 symbols is one of four,
the others are noise, and at the end a network says which one it was. Every layer has 32 units, the
same Adam, clipping and batches; each is trained with every one of `RATES`, from every seed. One
thread. Records the right answers along the way.
"""

from __future__ import annotations

import argparse
import time
from functools import partial

import torch
import torch.nn.functional as F
from machine import record
from together import Together
from torch import Tensor, nn

from solutions.recurrent import Recurrent, orthogonal

ASKED, NOISE, BATCH, FEATURES, HIDDEN = 4, 4, 16, 8, 32
DELAYS, RATES, EVERY = (18, 36), (1.25e-3, 2.5e-3, 5e-3, 1e-2, 2e-2), 25
NAMES = ("Elman", "Elman, orthogonal", "LSTM", "LSTM, open", "GRU", "GRU, open")
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--steps", type=int, default=600)
    given = parser.parse_args()
    torch.set_num_threads(1)
    begun, curves = time.process_time(), {}
    for delay in DELAYS:
        asked = sequences(delay, 200, torch.Generator().manual_seed(1_000))
        for name in NAMES:
            members = []
            for _ in RATES:
                for seed in given.seeds:
                    torch.manual_seed(seed)
                    members.append(Rememberer(name))
            rates = [rate for rate in RATES for _ in given.seeds]
            models = Together(members, rates)
            generators = [torch.Generator().manual_seed(seed) for seed in given.seeds]
            found = [right(models, asked)]
            for step in range(1, given.steps + 1):
                tokens = torch.stack([sequences(delay, BATCH, own) for own in generators])
                tokens = tokens.repeat(len(RATES), 1, 1)
                models.step(partial(loss_of, tokens=tokens), tokens)
                if step % EVERY == 0:
                    found.append(right(models, asked))
            shares = torch.stack(found, dim=1).view(len(RATES), len(given.seeds), -1)
            curves.setdefault(str(delay), {})[name] = shares.round(decimals=1).tolist()
            taken = time.process_time() - begun
            print(delay, name, shares[:, :, -1].mean(dim=1).tolist(), round(taken), flush=True)
    record(__file__, given.seeds, rates=RATES, every=EVERY, curves=curves, processor_seconds=taken)


if __name__ == "__main__":
    main()
