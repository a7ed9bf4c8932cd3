"""How many digits fit through a narrow summary: copying numbers, with only one part narrow.

    python benchmarks/bottleneck.py [--fresh]

A GRU reads a number of 1 to 8 digits and a GRU writes it again. Between them, one matrix reduces
the summary to a given number of values, and another one restores its full size. So the sizes and
the parameters of both networks do not depend on how much passes between them. Each width uses the
rate of `RATES` with the lowest loss after a third of the steps, found with an extra seed. One
thread. Records right digits during training, and by length at the end, under teacher forcing. A
whole number is right under teacher forcing exactly if greedy decoding gets it right. Reuses from
`bottleneck.json` the rates that have been tried, and the widths whose rate has not changed;
`--fresh` starts over.
"""

from __future__ import annotations

import argparse
import json
import time
from functools import partial
from pathlib import Path

import torch
import torch.nn.functional as F
from machine import record
from together import Together
from torch import Tensor, nn

from solutions.seq2seq import (
    PAD,
    RecurrentDecoder,
    RecurrentEncoder,
    Vocabulary,
    shift_right,
    start_remembering,
)

LONGEST, HIDDEN, BATCH, EVERY, TRIAL_SEED = 8, 48, 32, 100, 999
WIDTHS, RATES = (2, 8, 48), (2.5e-3, 5e-3, 1e-2, 2e-2, 4e-2, 8e-2)
SEEDS, STEPS = [0, 1, 2], 2_400
DIGITS = Vocabulary(["0123456789"])


class Copier(nn.Module):
    """An encoder and a decoder with ``width`` numbers between them."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.encoder = RecurrentEncoder(len(DIGITS), embed_dim=32, hidden_size=HIDDEN)
        self.decoder = RecurrentDecoder(
            len(DIGITS), summary_size=HIDDEN, embed_dim=16, hidden_size=HIDDEN
        )
        self.down, self.up = nn.Linear(HIDDEN, HIDDEN), nn.Linear(HIDDEN, HIDDEN)
        self.register_buffer("open", (torch.arange(HIDDEN) < width).float())
        start_remembering(self)

    def forward(self, source: Tensor, lengths: Tensor) -> Tensor:
        memory, mask, summary = self.encoder(source, lengths)
        summary = self.up(self.down(summary) * self.open)
        return self.decoder(shift_right(source), memory, mask, self.decoder.begin(summary))[0]


def numbers(count: int, generator: torch.Generator, length: int | None = None) -> tuple:
    """Random digits with the end token, (count, 9), and how many of each row are real."""
    if length is None:
        lengths = torch.randint(1, LONGEST + 1, (count,), generator=generator)
    else:
        lengths = torch.full((count,), length)
    tokens = torch.randint(4, 14, (count, LONGEST + 1), generator=generator)
    place = torch.arange(LONGEST + 1)
    tokens = torch.where(place < lengths[:, None], tokens, PAD)
    tokens[torch.arange(count), lengths] = 2  # the end token
    return tokens, lengths + 1


def loss_of(scores: Tensor, target: Tensor) -> Tensor:
    """The loss per token of each network, (M,)."""
    parts = F.cross_entropy(scores.flatten(0, 2), target.flatten(), reduction="none")
    real = target != PAD
    return (parts.view(target.shape) * real).sum(dim=(1, 2)) / real.sum(dim=(1, 2))


def measure(models: Together, tokens: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Loss per token, right digits in percent, right numbers in percent; each (M,)."""
    count = len(models.rates)
    with torch.no_grad():
        scores = models(tokens.expand(count, -1, -1), lengths.expand(count, -1))
    target = tokens.expand(count, -1, -1)
    hits = scores.argmax(dim=-1) == target
    digit, real = target >= 4, target != PAD
    digits = 100 * (hits & digit).sum(dim=(1, 2)) / digit.sum(dim=(1, 2))
    return loss_of(scores, target), digits, 100 * (hits | ~real).all(dim=2).double().mean(dim=1)


def train(widths: list[int], rates: list[float], seeds: list[int], steps: int) -> tuple:
    """Train a network for each width, rate and seed; return right digits of 8 at regular steps."""
    members = []
    for width, seed in zip(widths, seeds, strict=True):
        torch.manual_seed(seed)
        members.append(Copier(width))
    models = Together(members, rates, betas=(0.9, 0.99))
    generators = {seed: torch.Generator().manual_seed(seed) for seed in set(seeds)}
    asked = numbers(200, torch.Generator().manual_seed(100), LONGEST)
    curve = []
    for step in range(1, steps + 1):
        batch = {seed: numbers(BATCH, own) for seed, own in generators.items()}
        tokens, lengths = (torch.stack([batch[seed][i] for seed in seeds]) for i in (0, 1))
        down = min(1, 3 * (1 - (step - 1) / steps))  # even for two thirds, then a straight line
        models.step(
            partial(loss_of, target=tokens), tokens, lengths, scale=min(1, step / 30) * down
        )
        if step % EVERY == 0:
            curve.append(measure(models, *asked)[1])
    return models, torch.stack(curve, dim=1)


def trial_losses(rates: list[float]) -> list[list[float]]:
    """The loss on other numbers after a third of the steps, by width and rate."""
    if not rates:
        return [[] for _ in WIDTHS]
    tried = [(width, rate) for width in WIDTHS for rate in rates]
    widths, each = map(list, zip(*tried, strict=True))
    models, _ = train(widths, each, [TRIAL_SEED] * len(tried), STEPS // 3)
    numbers_asked = numbers(500, torch.Generator().manual_seed(101))
    return measure(models, *numbers_asked)[0].view(len(WIDTHS), -1).tolist()


def finished(width: int, rate: float) -> dict:
    """Right digits of 8 along the way, and right digits and numbers by length, for each seed."""
    count = len(SEEDS)
    models, curve = train([width] * count, [rate] * count, SEEDS, STEPS)
    ends = []
    for length in range(1, LONGEST + 1):
        asked = numbers(500, torch.Generator().manual_seed(102), length)
        ends.append(torch.stack(measure(models, *asked)[1:]))
    digits, whole = torch.stack(ends, dim=-1)  # (seeds, lengths) each
    parts = {"digits_of_8": curve, "digits_by_length": digits, "numbers_by_length": whole}
    found = {name: part.double().round(decimals=1).tolist() for name, part in parts.items()}
    return found | {"parameters": sum(part[0].numel() for part in models.parameters.values())}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--fresh", action="store_true")
    path = Path(__file__).with_suffix(".json")
    anew = parser.parse_args().fresh or not path.exists()
    known = {} if anew else json.loads(path.read_text())
    torch.set_num_threads(1)
    begun, tried = time.process_time(), known.get("rates", [])
    new = trial_losses([rate for rate in RATES if rate not in tried])
    losses = [old + more for old, more in zip(known.get("trial_loss", [[]] * 3), new, strict=True)]
    rates = [*tried, *(rate for rate in RATES if rate not in tried)]
    chosen = [rates[row.index(min(row))] for row in losses]
    print(losses, chosen, round(time.process_time() - begun), flush=True)
    found: dict = {"digits_of_8": [], "digits_by_length": [], "numbers_by_length": []}
    for place, (width, rate) in enumerate(zip(WIDTHS, chosen, strict=True)):
        if known and known["chosen"][place] == rate:
            one = {name: known[name][place] for name in found} | {"parameters": known["parameters"]}
        else:
            one = finished(width, rate)
        print(width, rate, one, round(time.process_time() - begun), flush=True)
        for name, rows in found.items():
            rows.append(one[name])
    record(
        __file__,
        SEEDS,
        steps=STEPS,
        every=EVERY,
        widths=WIDTHS,
        rates=rates,
        trial_loss=losses,
        chosen=chosen,
        **found,
        parameters=one["parameters"],
        processor_seconds=known.get("processor_seconds", 0) + time.process_time() - begun,
    )


if __name__ == "__main__":
    main()
