"""Four attention scores after training: additive, general, dot and scaled, each at its own rate.

    python benchmarks/scores.py [--seeds 0 1 2] [--steps 200]

The task, the model and the training of the chapter on attention: dates in four languages, one or
two to a line, as eight digits each. Only the score differs. Each uses the learning rate with the
lowest loss on the development part, found with an extra seed: four rates a factor of two apart, and
more while the best one is the lowest or the highest. The test part is read once, after training.
One thread. Records exact matches in percent and the loss in nats per token.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from functools import partial

import torch
from machine import record
from torch import Tensor, nn

from solutions.attention import AttendingDecoder, date_tokens
from solutions.data import dates
from solutions.seq2seq import (
    BOS,
    EncoderDecoder,
    RecurrentEncoder,
    Vocabulary,
    greedy,
    sequence_loss,
    shift_right,
)

SCORES, FIRST_RATES = ("dot", "scaled", "general", "additive"), (5e-3, 1e-2, 2e-2, 4e-2)
BATCH, TRIAL_SEED = 32, 999
Line = tuple[list[str], list[str], int]


def lines(pairs: list, count: int, seed: int) -> list[Line]:
    """Source tokens, the digits of the target, and how many dates: one and two in turn."""
    chance, made = random.Random(seed), []
    for i in range(count):
        some = chance.sample(pairs, 1 + i % 2)
        source = [token for pair in some for token in [";", *date_tokens(pair.source)]][1:]
        target = [digit for pair in some for digit in pair.target if digit != "-"]
        made.append((source, target, len(some)))
    return made


class Dates:
    """The lines of the chapter, and what training and measuring on them takes."""

    def __init__(self) -> None:
        parts = dates(6000, languages=("de", "en", "es", "fr"))
        counts = ((parts.train, 8000), (parts.test, 1000), (parts.dev, 400))
        learn, self.test, self.dev = (
            lines(pairs, count, seed) for seed, (pairs, count) in enumerate(counts)
        )
        self.words = Vocabulary(source for source, _, _ in learn)
        self.digits = Vocabulary(target for _, target, _ in learn)
        self.groups = [[line for line in learn if line[2] == count] for count in (1, 2)]

    def make(self, score: str) -> EncoderDecoder:
        """The chapter's model with this score."""
        encoder = RecurrentEncoder(
            len(self.words), embed_dim=32, hidden_size=32, bidirectional=True
        )
        sizes = {"summary_size": 64, "memory_size": 64, "embed_dim": 32, "hidden_size": 64}
        decoder = AttendingDecoder(len(self.digits), score=score, **sizes)
        return EncoderDecoder(encoder, decoder)

    def encode(self, some: list[Line]) -> tuple[Tensor, Tensor, Tensor]:
        """Tokens and lengths of the sources, and tokens of the targets."""
        source, lengths = self.words.encode([source for source, _, _ in some])
        return source, lengths, self.digits.encode([target for _, target, _ in some])[0]

    def loss_on(self, model: EncoderDecoder, some: list[Line]) -> Tensor:
        source, lengths, target = self.encode(some)
        return sequence_loss(model(source, lengths, shift_right(target)), target)

    def train(
        self, make: Callable[[], EncoderDecoder], rate: float, seed: int, steps: int
    ) -> EncoderDecoder:
        """Adam with warm-up and decay; batches of one date and of two dates in turn."""
        torch.manual_seed(seed)
        model, chance = make(), random.Random(seed)
        optimizer = torch.optim.Adam(model.parameters(), lr=rate)
        schedule = torch.optim.lr_scheduler.OneCycleLR(
            optimizer, rate, total_steps=steps, pct_start=0.1
        )
        for step in range(steps):
            loss = self.loss_on(model, chance.sample(self.groups[step % 2], BATCH))
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
        return model

    @torch.no_grad()
    def exact(self, model: EncoderDecoder, count: int) -> float:
        """Test lines of so many dates that are right to the last digit, in percent."""
        source, lengths, target = self.encode([line for line in self.test if line[2] == count])
        first = torch.full_like(lengths, BOS)
        written = greedy(model.step, model.begin(source, lengths), first, max_length=18)
        pairs = zip(self.digits.decode(written), self.digits.decode(target), strict=True)
        return 100 * sum(a == b for a, b in pairs) / len(target)

    def trial(self, make: Callable[[], EncoderDecoder], rate: float, steps: int) -> float:
        """The loss on the development part, with the extra seed."""
        model = self.train(make, rate, TRIAL_SEED, steps)
        with torch.no_grad():
            return self.loss_on(model, self.dev).item()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--steps", type=int, default=200)
    given = parser.parse_args()
    torch.set_num_threads(1)
    begun, on, results = time.process_time(), Dates(), {}
    for score in SCORES:
        make = partial(on.make, score)
        tried = {rate: on.trial(make, rate, given.steps) for rate in FIRST_RATES}
        while (best := min(tried, key=tried.__getitem__)) in (min(tried), max(tried)):
            rate = best / 2 if best == min(tried) else best * 2
            tried[rate] = on.trial(make, rate, given.steps)
        models = [on.train(make, best, seed, given.steps) for seed in given.seeds]
        with torch.no_grad():
            losses = [on.loss_on(model, on.test).item() for model in models]
        results[score] = {
            "rate": best,
            "tried": {f"{rate:g}": tried[rate] for rate in sorted(tried)},
            "parameters": sum(part.numel() for part in models[0].decoder.attention.parameters()),
            "one_date": [on.exact(model, 1) for model in models],
            "two_dates": [on.exact(model, 2) for model in models],
            "test_loss": losses,
        }
        taken = time.process_time() - begun
        print(score, results[score], round(taken), flush=True)
        record(__file__, given.seeds, steps=given.steps, scores=results, processor_seconds=taken)


if __name__ == "__main__":
    main()
