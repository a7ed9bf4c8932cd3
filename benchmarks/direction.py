"""Forward or backward? The gain of a second direction, compared with a wider layer.

    python benchmarks/direction.py [--seeds 0 1 2 3 4] [--steps 100]

Sentences of 4 to 16 words, as written and reversed, as in the chapter on recurrent networks. Each
model uses the rate of `RATES` (the bag of pairs: of `OF_PAIRS`) with the most right answers on the
development part, found with an extra seed, and in each run the step with the most right answers
there. The test part is evaluated at that step alone. One thread. Records shares in percent.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from functools import partial

import torch
import torch.nn.functional as F
from machine import record
from together import Together
from torch import Tensor, nn

from solutions.data import sentence_splits
from solutions.recurrent import SequenceClassifier, reverse_padded

RATES, EVERY, BATCH, TRIAL_SEEDS = (3e-3, 1e-2, 3e-2, 1e-1), 20, 64, (999,)
OF_PAIRS = (3e-3, 1e-2, 3e-2, 1e-1, 3e-1)
MODELS = {
    "GRU, 24 units": {"hidden_size": 24},
    "GRU, 48 units": {"hidden_size": 48},
    "GRU, both ways, 24 + 24 units": {"hidden_size": 24, "bidirectional": True},
    "GRU, both ways, 12 + 12 units": {"hidden_size": 12, "bidirectional": True},
}


class Pairs(nn.Module):
    """A table of pairs of neighbors: softmax regression on their counts, as sums of its rows."""

    def __init__(self, known: Tensor, vocabulary: int) -> None:
        super().__init__()
        self.scores = nn.Embedding(len(known) + 1, 2)  # the first is for pairs never seen
        nn.init.zeros_(self.scores.weight)
        self.known, self.vocabulary = known, vocabulary

    def forward(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        code = tokens[:, :-1] * self.vocabulary + tokens[:, 1:]
        place = torch.searchsorted(self.known, code).clamp(max=len(self.known) - 1)
        place = torch.where(self.known[place] == code, place + 1, 0)
        return self.scores(place).sum(dim=1)


def both_ways(sentences: list[list[str]], number: dict[str, int]) -> tuple[Tensor, Tensor, Tensor]:
    """Each sentence in both directions: ids (B, 16), lengths, and 1 for the right one."""
    rows = [words for words in sentences if len(words) > 3]
    lengths = torch.tensor([len(words) for words in rows])
    tokens = torch.zeros(len(rows), 16, dtype=torch.int64)
    for row, words in zip(tokens, rows, strict=True):
        row[: len(words)] = torch.tensor([number.get(word, 0) for word in words])
    both = torch.cat([tokens, reverse_padded(tokens[:, :, None], lengths)[:, :, 0]])
    return both, lengths.repeat(2), torch.arange(2).flip(0).repeat_interleave(len(rows))


def loss_of(scores: Tensor, answers: Tensor) -> Tensor:
    """The loss of each network, (M,)."""
    return F.cross_entropy(scores.transpose(1, 2), answers, reduction="none").mean(dim=1)


def right(models: Together, part: tuple[Tensor, Tensor, Tensor]) -> Tensor:
    """The share each network gets right, in percent, (M,)."""
    tokens, lengths, answers = part
    count = len(models.rates)
    with torch.no_grad():
        scores = models(tokens.expand(count, -1, -1), lengths.expand(count, -1))
    return 100 * (scores.argmax(dim=-1) == answers).double().mean(dim=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=list(range(5)))
    parser.add_argument("--steps", type=int, default=100)
    given = parser.parse_args()
    torch.set_num_threads(1)
    begun = time.process_time()
    parts = sentence_splits(longest=16)
    counts = Counter(word for words in parts.train for word in words)
    number = {w: i for i, (w, count) in enumerate(counts.most_common(), start=1) if count > 2}
    vocabulary = len(number) + 1
    learn, dev, test = (both_ways(part, number) for part in parts)
    pairs = (learn[0][:, :-1] * vocabulary + learn[0][:, 1:]).unique()

    def made(name: str, seed: int) -> nn.Module:
        torch.manual_seed(seed)
        if name == "bag of pairs":
            return Pairs(pairs, vocabulary)
        return SequenceClassifier(vocabulary, 2, embed_dim=32, **MODELS[name])

    def train(name: str, rates: list[float], seeds: list[int]) -> tuple[Tensor, Tensor, int]:
        """Right answers on the development and the test part, every so many steps: (M, points)."""
        models = Together([made(name, seed) for seed in seeds], rates)
        generators = {seed: torch.Generator().manual_seed(seed) for seed in set(seeds)}
        found = []
        for step in range(1, given.steps + 1):
            drawn = {
                seed: torch.randint(len(learn[2]), (BATCH,), generator=own)
                for seed, own in generators.items()
            }
            rows = torch.stack([drawn[seed] for seed in seeds])
            models.step(partial(loss_of, answers=learn[2][rows]), learn[0][rows], learn[1][rows])
            if step % EVERY == 0:
                found.append(torch.stack([right(models, dev), right(models, test)]))
        size = sum(part[0].numel() for part in models.parameters.values())
        return *torch.stack(found, dim=-1), size

    sizes = {"learn": len(learn[2]), "dev": len(dev[2]), "test": len(test[2])}
    results = {}
    for name in ("bag of pairs", *MODELS):
        rates = list(OF_PAIRS if name == "bag of pairs" else RATES)
        trials = [rate for rate in rates for _ in TRIAL_SEEDS]
        tried = train(name, trials, [*TRIAL_SEEDS] * len(rates))[0].amax(dim=1)
        tried = tried.view(len(rates), -1).mean(dim=1)
        rate = rates[int(tried.argmax())]
        on_dev, on_test, size = train(name, [rate] * len(given.seeds), given.seeds)
        best = on_dev.argmax(dim=1)
        results[name] = {
            "rate": rate,
            "tried": dict(zip(map(str, rates), tried.tolist(), strict=True)),
            "parameters": size,
            "recurrent": size - vocabulary * 32 if name in MODELS else 0,
            "steps": ((best + 1) * EVERY).tolist(),
            "test": on_test.gather(1, best[:, None])[:, 0].tolist(),
            "dev_curve": on_dev.mean(dim=0).tolist(),
            "test_curve": on_test.mean(dim=0).tolist(),
        }
        taken = time.process_time() - begun
        print(name, round(sum(results[name]["test"]) / len(given.seeds), 2), results[name]["tried"])
        print([round(x, 1) for x in results[name]["dev_curve"]], round(taken), flush=True)
        record(
            __file__,
            given.seeds,
            every=EVERY,
            batch=BATCH,
            sizes=sizes,
            models=results,
            processor_seconds=taken,
        )


if __name__ == "__main__":
    main()
