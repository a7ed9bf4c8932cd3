"""A convolutional network on letters, tested on other fonts; changed: dropout on its pixels.

    python benchmarks/baselines/unseen_fonts.py

Prints the test error in percent for three seeds. A seed draws fonts, letters and first weights.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from solutions import convolution
from solutions.convolution import LeNet
from solutions.data import Split, glyphs
from solutions.fit import Batches, fit
from solutions.linear import accuracy

# Written to be read; PyTorch's, of the same names, compute the same in less time.
convolution.conv2d, convolution.max_pool2d = F.conv2d, F.max_pool2d

SEEDS = range(3)
PICTURES, EPOCHS, BATCH = 3_000, 8, 64


def score(seed: int, *, changed: bool = False) -> float:
    """Percent of the letters in unseen fonts that are classified wrongly.

    Args:
        seed: of fonts, letters, weights and batches.
        changed: set a fifth of the pixels to zero at random while training.
    """
    data = glyphs(PICTURES, seed=seed)
    torch.manual_seed(seed)
    parts = [nn.Dropout(0.2 if changed else 0.0), nn.Unflatten(1, (1, 28, 28))]
    model = nn.Sequential(*parts, LeNet(classes=26, size=28))

    def loss(model: nn.Module, batch: Split) -> torch.Tensor:
        return F.cross_entropy(model(batch.features), batch.labels)

    optimizer = torch.optim.AdamW(model.parameters(), lr=0.003)
    batches = Batches(data.train, BATCH, seed=seed)
    fit(model, batches, loss=loss, optimizer=optimizer, epochs=EPOCHS, seed=seed)
    with torch.no_grad():
        return 100 * (1 - accuracy(model(data.test.features), data.test.labels))


if __name__ == "__main__":
    for seed in SEEDS:
        print(f"seed {seed}: {score(seed):.1f} % wrong, changed {score(seed, changed=True):.1f} %")
