"""Sums modulo three by a GRU, on sequences longer than in training; changed: short ones first.

    python benchmarks/baselines/longer_sequences.py

Prints for five seeds what percent of the longer sequences is classified correctly; guessing gives
a third. A seed draws weights and sequences.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
import torch.nn.functional as F
from torch import nn

from solutions.fit import fit
from solutions.recurrent import SequenceClassifier

SEEDS = range(5)
MODULUS = 3  # digits from 0 to 2
TRAINED, TESTED = 10, 40  # the longest sequence of each
STEPS, BATCH, WIDTH = 800, 64, 32

Batch = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


def draw(shortest: int, longest: int, count: int, generator: torch.Generator) -> Batch:
    """Digits (count, longest), the length of each sequence, and its sum modulo three."""
    digits = torch.randint(MODULUS, (count, longest), generator=generator)
    lengths = torch.randint(shortest, longest + 1, (count,), generator=generator)
    inside = torch.arange(longest) < lengths[:, None]
    return digits, lengths, (digits * inside).sum(dim=1) % MODULUS


def loss(model: nn.Module, batch: Batch) -> torch.Tensor:
    """Cross-entropy of the remainder."""
    digits, lengths, remainder = batch
    return F.cross_entropy(model(digits, lengths), remainder)


def score(seed: int, *, changed: bool = False) -> float:
    """Percent of the sequences of 11 to 40 digits whose sum modulo three is right.

    Args:
        seed: of weights and sequences.
        changed: the longest sequence grows during the first half of training, from 2 to 10 digits.
    """
    torch.manual_seed(seed)
    model = SequenceClassifier(MODULUS, MODULUS, embed_dim=8, hidden_size=WIDTH)

    def batches(epoch: int) -> Iterator[Batch]:
        generator = torch.Generator().manual_seed(1_000_003 * seed + epoch)
        for step in range(STEPS):
            grown = 2 + (TRAINED - 2) * min(1.0, step / (STEPS / 2))
            yield draw(1, int(grown) if changed else TRAINED, BATCH, generator)

    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    fit(model, batches, loss=loss, optimizer=optimizer, epochs=1, clip_norm=1.0, seed=seed)
    generator = torch.Generator().manual_seed(1_000_003 * seed - 1)
    digits, lengths, remainder = draw(TRAINED + 1, TESTED, 2_000, generator)
    with torch.no_grad():
        found = model(digits, lengths).argmax(dim=1)
    return 100 * (found == remainder).double().mean().item()


if __name__ == "__main__":
    for seed in SEEDS:
        print(f"seed {seed}: {score(seed):.1f} %, changed {score(seed, changed=True):.1f} %")
