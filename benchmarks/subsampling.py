"""Counting and skip-gram on artificial synonyms, with frequent words subsampled and without.

    python benchmarks/subsampling.py

The text, the splits and the vectors of 50 numbers are those of the page on word vectors: sixty
words are split in two at random, and a half finds its twin if that is its nearest neighbor.
Skip-gram is trained on the text as it is, and on one whose frequent words are thinned out, each at
three rates on three other splits; the best of them is taken. Writes `subsampling.json`.
"""

from __future__ import annotations

import torch
from machine import record
from torch import Tensor

from solutions.data import sentences
from solutions.embeddings import (
    build_vocabulary,
    cooccurrence,
    encode,
    partner_ranks,
    ppmi,
    skip_gram_pairs,
    svd_vectors,
    train_skip_gram,
)

SPLITS, TUNING = (0, 1, 2, 3, 4), (10, 11, 12)
RATES = (0.003, 0.01, 0.03)
THRESHOLDS = {"subsampled": 1e-3, "whole text": 1.0}


def with_twins(numbers: list[Tensor], counts: Tensor, seed: int) -> tuple[list[Tensor], Tensor]:
    """Return the text with sixty words split in two at random, and the pairs of halves."""
    draw = torch.Generator().manual_seed(seed)
    candidates = 1 + (counts[1:] >= 20).nonzero().flatten()
    words = candidates[torch.randperm(len(candidates), generator=draw)[:60]]
    twin, new = torch.arange(len(counts)), len(counts) + torch.arange(60)
    twin[words] = new
    tails = [torch.rand(len(s), generator=draw) < 0.5 for s in numbers]
    halves = [torch.where(t, twin[s], s) for t, s in zip(tails, numbers, strict=True)]
    return halves, torch.stack([words, new], dim=1)


def found(vectors: Tensor, twins: Tensor) -> float:
    """Return how many halves have their twin as the nearest neighbor, in percent."""
    return 100 * (partner_ranks(vectors + 1e-12, twins) == 1).double().mean().item()


def main() -> None:
    torch.set_num_threads(1)
    text = [list(words) for words in dict.fromkeys(map(tuple, sentences()))]
    vocabulary, counts = build_vocabulary(text, minimum=5)
    index = {word: number for number, word in enumerate(vocabulary)}
    numbers = [encode(sentence, index) for sentence in text]

    def skip_gram(seed: int, threshold: float, rate: float) -> float:
        halves, twins = with_twins(numbers, counts, seed)
        occurrences = torch.bincount(torch.cat(halves), minlength=len(counts) + 60)
        how = {"window": 2, "epochs": 10, "threshold": threshold, "learning_rate": rate}
        model, _ = train_skip_gram(halves, occurrences, seed=seed, **how)
        return found(model.center.weight.detach().double(), twins)

    tried: dict[str, dict[str, list[float]]] = {}
    scores: dict[str, list[float]] = {"PPMI and SVD": []}
    for name, threshold in THRESHOLDS.items():
        tried[name] = {
            f"{rate:g}": [skip_gram(seed, threshold, rate) for seed in TUNING] for rate in RATES
        }
        print(name, tried[name], flush=True)
        best = max(tried[name], key=lambda rate: sum(tried[name][rate]))
        scores[name] = [skip_gram(seed, threshold, float(best)) for seed in SPLITS]
        print(scores[name], flush=True)
    for seed in SPLITS:
        halves, twins = with_twins(numbers, counts, seed)
        near = torch.cat([skip_gram_pairs(sentence, 2) for sentence in halves])
        table = ppmi(cooccurrence(near, len(counts) + 60), power=0.75)
        scores["PPMI and SVD"].append(found(svd_vectors(table, 50), twins))
    print(scores, flush=True)
    record(__file__, SPLITS, tuning=TUNING, tried=tried, found=scores)


if __name__ == "__main__":
    main()
