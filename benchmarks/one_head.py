"""Whether one head can answer two questions, given time: right answers by rate and steps.

    python benchmarks/one_head.py [--seeds 0 1 2 3 4]

A layer of one block reads 12 symbols and says at each place what stands in place 3, and what stood
two places before; with one head and with two, of the same number of parameters. All see the same
rows; Adam at each of `RATES`, for `STEPS` steps. One thread. Records, for each head count and rate,
the right answers to the worse of the two questions in percent: after each of `STEPS`, by seed.
"""

from __future__ import annotations

import argparse
import time

import torch
import torch.nn.functional as F
from machine import record
from torch import Tensor, nn

from solutions.transformer import Config, Encoder

SYMBOLS, LENGTH, SIZE, BATCH = 8, 12, 32, 32
RATES, STEPS = (1e-3, 3e-3, 1e-2, 3e-2), (300, 600, 1200, 2400)


class Reader(nn.Module):
    """One block over symbols and learned positions, and scores for both questions."""

    def __init__(self, heads: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(SYMBOLS, SIZE)
        self.table = nn.Parameter(0.5 * torch.randn(LENGTH, SIZE))
        sizes = {"embed_dim": SIZE, "num_heads": heads, "num_layers": 1, "hidden": 64}
        self.encoder = Encoder(Config(**sizes, norm_first=True, positions="none"))
        self.head = nn.Linear(SIZE, 2 * SYMBOLS)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.head(self.encoder(self.embed(tokens) + self.table)).unflatten(-1, (2, SYMBOLS))


def questions(count: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Symbols (B, T), and both answers at each place from the third on, (B, T - 2, 2)."""
    tokens = torch.randint(SYMBOLS, (count, LENGTH), generator=generator)
    answers = [tokens[:, 3:4].expand(-1, LENGTH), tokens.roll(2, dims=1)]
    return tokens, torch.stack(answers, dim=-1)[:, 2:]


def worse(model: Reader) -> float:
    """Right answers to the worse answered question on rows that training never sees, percent."""
    tokens, answers = questions(500, torch.Generator().manual_seed(10_000))
    with torch.no_grad():
        hits = model(tokens)[:, 2:].argmax(dim=-1) == answers
    return 100 * hits.double().mean(dim=(0, 1)).min().item()


def curve(heads: int, rate: float, seed: int) -> list[float]:
    """Train one reader; how it answers the worse question after each of `STEPS`."""
    torch.manual_seed(seed)
    model, generator = Reader(heads), torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=rate, fused=True)
    found = []
    for step in range(1, STEPS[-1] + 1):
        tokens, answers = questions(BATCH, generator)
        loss = F.cross_entropy(model(tokens)[:, 2:].flatten(0, 2), answers.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step in STEPS:
            found.append(round(worse(model), 2))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=list(range(5)))
    given = parser.parse_args()
    torch.set_num_threads(1)
    begun, right = time.process_time(), {}
    for heads in (1, 2):
        for rate in RATES:
            curves = [curve(heads, rate, seed) for seed in given.seeds]
            right.setdefault(str(heads), []).append(curves)
            print(heads, rate, curves, round(time.process_time() - begun), flush=True)
    record(
        __file__,
        given.seeds,
        symbols=SYMBOLS,
        rates=RATES,
        steps=STEPS,
        right=right,
        processor_seconds=time.process_time() - begun,
    )


if __name__ == "__main__":
    main()
