"""Dates in a language that was not trained on; changed: eight more languages, which are related.

    python benchmarks/baselines/new_language.py

Prints for three seeds what percent of the dates is read correctly. A seed draws days and weights.
"""

from __future__ import annotations

import torch

from solutions.attention import AttendingDecoder
from solutions.data import LANGUAGES, dates
from solutions.fit import fit
from solutions.seq2seq import (
    BOS,
    EOS,
    Batch,
    Buckets,
    EncoderDecoder,
    RecurrentEncoder,
    Vocabulary,
    exact_match,
    greedy,
    sequence_loss,
    shift_right,
)

SEEDS = range(3)
UNSEEN = "nl"
RELATED = ("af", "da", "nb", "nn", "lb", "fy", "gsw", "fo")
PAIRS, EPOCHS, BATCH, WIDTH = 4_000, 4, 64, 64


def loss(model: EncoderDecoder, batch: Batch) -> torch.Tensor:
    """Cross-entropy of the ISO date, character by character."""
    return sequence_loss(
        model(batch.source, batch.lengths, shift_right(batch.target)), batch.target
    )


def score(seed: int, *, changed: bool = False) -> float:
    """Percent of the dates in the unseen language that are read correctly.

    Args:
        seed: of the days, the weights and the batches.
        changed: the same number of dates, in related languages as well.
    """
    seen = [one for one in LANGUAGES if one != UNSEEN] + [*RELATED] * changed
    train = dates(PAIRS, languages=seen, seed=seed).train
    test = dates(2_000, languages=[UNSEEN], seed=seed + 1).test
    read, written = (Vocabulary(one) for one in zip(*train, strict=True))
    torch.manual_seed(seed)
    encoder = RecurrentEncoder(len(read), embed_dim=WIDTH, hidden_size=WIDTH, bidirectional=True)
    sizes = {"summary_size": 2 * WIDTH, "memory_size": 2 * WIDTH}
    decoder = AttendingDecoder(len(written), **sizes, embed_dim=WIDTH, hidden_size=WIDTH)
    model = EncoderDecoder(encoder, decoder)

    def numbered(pairs: list) -> Batch:
        source, target = zip(*pairs, strict=True)
        return Batch(*read.encode(source), written.encode(target)[0])

    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    batches = Buckets(numbered(train), BATCH, seed=seed)
    fit(model, batches, loss=loss, optimizer=optimizer, epochs=EPOCHS, clip_norm=1.0, seed=seed)
    asked = numbered(test)
    with torch.no_grad():
        start = model.begin(asked.source, asked.lengths)
        first = torch.full((len(test),), BOS)
        found = greedy(model.step, start, first, max_length=asked.target.shape[1])
    return 100 * exact_match(found, asked.target, eos=EOS).double().mean().item()


if __name__ == "__main__":
    for seed in SEEDS:
        print(f"seed {seed}: {score(seed):.1f} %, changed {score(seed, changed=True):.1f} %")
