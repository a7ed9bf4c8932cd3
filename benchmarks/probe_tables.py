"""Linear probes of vectors without an encoder: controls for the probes of the page on BERT.

    python benchmarks/probe_tables.py

The same words, labels and probe as in benchmarks/pretraining.py. The vectors are one-hot, which
only distinguish the tokens, or come from counting on the same text: PPMI and SVD of the chapter on
word vectors, with as many numbers as BERT has, for three windows. Records how often the probe
scores a code word above a prose word, a number per seed.
"""

from __future__ import annotations

import pretraining
import torch
from machine import record
from pretraining import SEEDS, SHAPE, SIZE, probed, read, tagged
from torch import Tensor, nn

from solutions.embeddings import cooccurrence, ppmi, skip_gram_pairs, svd_vectors

LABELED, WINDOWS = 512, (1, 2, 5)


class Table(nn.Module):
    """A row for each token, in place of an encoder."""

    def __init__(self, rows: Tensor) -> None:
        super().__init__()
        self.rows = rows

    def states(self, tokens: Tensor) -> list[Tensor]:
        return [self.rows[tokens]]


def main() -> None:
    torch.set_num_threads(1)
    pretraining.SHAPE = SHAPE | {"num_layers": 0}  # only the table is asked
    _, special, seen, unseen = read()
    able = [i for i, code in enumerate(seen.code) if len(code) >= 5]
    test_on = [i for i, code in enumerate(unseen.code) if len(code) >= 5]
    parts, test = tagged(seen, able, special), tagged(unseen, test_on, special)
    tables = {"one-hot": torch.eye(SIZE)}
    for window in WINDOWS:
        rows = [torch.tensor(row) for row in seen.tokens if len(row) > 1]
        pairs = torch.cat([skip_gram_pairs(row, window) for row in rows])
        vectors = svd_vectors(ppmi(cooccurrence(pairs, SIZE), power=0.75), SHAPE["embed_dim"])
        length = vectors.norm(dim=1, keepdim=True).clamp(min=1e-9)
        tables[f"counts, window {window}"] = vectors.float() / length.float()
    found: dict[str, list[float]] = {}
    for seed in SEEDS:
        order = torch.randperm(len(able), generator=torch.Generator().manual_seed(seed))
        for name, rows in tables.items():
            (above,) = probed(Table(rows), parts, order[:LABELED], test)
            found.setdefault(name, []).append(above)
    print(found)
    record(__file__, SEEDS, labeled=LABELED, features=SHAPE["embed_dim"], above=found)


if __name__ == "__main__":
    main()
