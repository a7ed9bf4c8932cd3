"""Real data that needs no download: handwritten digits and English text.

Sources: the digits are the test part of Alpaydin and Kaynak (1998), as scikit-learn ships them;
the text is the Python language reference, as the interpreter ships it (`pydoc_data.topics`).
"""

from __future__ import annotations

import re
from typing import NamedTuple

import torch


class Split(NamedTuple):
    """Examples and their labels.

    Attributes:
        features: (examples, 64) float32 in [0, 1]; reshape to (examples, 8, 8) for pictures.
        labels: (examples,) int64, the digit shown.
    """

    features: torch.Tensor
    labels: torch.Tensor


class Digits(NamedTuple):
    """Three disjoint parts: fit on `train`, choose on `dev`, report on `test` once."""

    train: Split
    dev: Split
    test: Split


def digits(*, seed: int = 0, device: torch.device | str | None = None) -> Digits:
    """1,797 handwritten digits of 8×8 pixels, shuffled and split 60/20/20.

    Args:
        seed: of the shuffle; one seed is one split, on every machine.
        device: where the tensors go.

    Returns:
        Training, development and test parts.
    """
    from sklearn.datasets import load_digits

    raw = load_digits()
    features = torch.tensor(raw.data / 16, dtype=torch.float32)
    labels = torch.tensor(raw.target, dtype=torch.int64)
    order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(seed))
    features, labels = features[order].to(device), labels[order].to(device)
    first, second = (len(labels) * 6) // 10, (len(labels) * 8) // 10
    parts = [slice(None, first), slice(first, second), slice(second, None)]
    return Digits(*(Split(features[part], labels[part]) for part in parts))


def sentences(*, longest: int = 40) -> list[list[str]]:
    """Sentences of the Python language reference, as lower-case words.

    Args:
        longest: sentences with more words are left out.

    Returns:
        One list of words per sentence, in the order of the text; markup and code are dropped.
    """
    from pydoc_data.topics import topics

    found = []
    for topic in sorted(topics):
        for block in re.split(r"\n\s*\n", topics[topic]):
            if block.startswith(("   ", "\t")) or "::=" in block:
                continue  # indented examples and grammar
            for sentence in re.split(r"(?<=[.;:?!])\s+", " ".join(block.split())):
                words = re.findall(r"[a-z]+(?:'[a-z]+)?", sentence.lower())
                if 3 <= len(words) <= longest and sentence.endswith("."):
                    found.append(words)
    return found
