"""Truncated backpropagation through time: what can be learned with gradients over few steps.

    python benchmarks/truncation.py [--seeds 0 1 2] [--steps 100]

Elman's network reads random bits, 32 a row, and says at each step which bit came so many steps
before. There are 32, 16, 8, 4 or 1 steps between cuts; 32 is the whole row. All see the same rows
in the same number of updates: a cut stops only the gradients, and the state continues. Each cut and
delay uses the rate of `RATES` with the lowest loss on development rows, found with an extra seed;
accuracy is taken on other rows. One thread. Records shares in percent, and how many numbers
autograd keeps for the backward pass of one run between cuts.
"""

from __future__ import annotations

import argparse
import time
from functools import partial

import torch
import torch.nn.functional as F
from machine import record
from together import Together
from torch import Tensor, nn

from solutions.recurrent import rnn_states

SPANS, DELAYS, RATES = (
    (32, 16, 8, 4, 1),
    (4, 8, 12),
    (3.125e-4, 6.25e-4, 1.25e-3, 2.5e-3, 5e-3, 1e-2, 2e-2, 4e-2, 8e-2),
)
LENGTH, BATCH, HIDDEN, TRIAL_SEED = 32, 16, 32, 999


class Recaller(nn.Module):
    """Elman's cell, cut every ``span`` steps, and a score for 0 and 1 after every step."""

    def __init__(self, span: int) -> None:
        super().__init__()
        self.span = span
        bound = HIDDEN**-0.5
        self.weight_ih = nn.Parameter(torch.empty(HIDDEN, 1).uniform_(-bound, bound))
        self.weight_hh = nn.Parameter(torch.empty(HIDDEN, HIDDEN).uniform_(-bound, bound))
        self.output = nn.Linear(HIDDEN, 2)

    def states(self, bits: Tensor) -> Tensor:
        x = 2.0 * bits[..., None] - 1  # (B, T, 1)
        h = x.new_zeros(len(bits), HIDDEN)
        return rnn_states(x, h, self.weight_ih, self.weight_hh, span=self.span)

    def forward(self, bits: Tensor) -> Tensor:
        return self.output(self.states(bits))


def shifted(scores: Tensor, bits: Tensor, delays: list[int]) -> tuple[Tensor, Tensor]:
    """Scores and answers where the longest delay has one; (M, B, 20, 2) and (M, B, 20)."""
    longest = max(DELAYS)
    rows = [
        row[:, longest - delay : LENGTH - delay] for row, delay in zip(bits, delays, strict=True)
    ]
    return scores[:, :, longest:], torch.stack(rows)


def loss_of(scores: Tensor, bits: Tensor, delays: list[int]) -> Tensor:
    """The loss of each network in nats, (M,)."""
    scores, answers = shifted(scores, bits, delays)
    losses = F.cross_entropy(scores.flatten(0, 2), answers.flatten(), reduction="none")
    return losses.view(answers.shape).mean(dim=(1, 2))


def kept(span: int) -> int:
    """How many numbers the backward pass of one run between cuts needs, weights left out."""
    model, sizes = Recaller(span), {}

    def pack(part: Tensor) -> Tensor:
        storage = part.untyped_storage()
        if storage.data_ptr() not in own:
            sizes[storage.data_ptr()] = storage.nbytes() // 4
        return part

    own = {part.untyped_storage().data_ptr() for part in model.parameters()}
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda part: part):
        held = model.states(torch.zeros(BATCH, span, dtype=torch.int64))
    assert held.requires_grad
    return sum(sizes.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--steps", type=int, default=100)
    given = parser.parse_args()
    torch.set_num_threads(1)
    begun, results = time.process_time(), {}
    seeds = [TRIAL_SEED, *given.seeds]
    cases = [(delay, rate, seed) for delay in DELAYS for rate in RATES for seed in seeds]
    delays, rates, own = map(list, zip(*cases, strict=True))
    dev, test = (
        torch.randint(2, (100, LENGTH), generator=torch.Generator().manual_seed(seed))
        for seed in (1_000, 1_001)
    )
    for span in SPANS:
        members = []
        for seed in own:
            torch.manual_seed(seed)
            members.append(Recaller(span))
        models = Together(members, rates)
        generators = {seed: torch.Generator().manual_seed(seed) for seed in seeds}
        for _ in range(given.steps):
            drawn = {
                s: torch.randint(2, (BATCH, LENGTH), generator=g) for s, g in generators.items()
            }
            bits = torch.stack([drawn[seed] for seed in own])
            models.step(partial(loss_of, bits=bits, delays=delays), bits)
        with torch.no_grad():
            on_dev, on_test = (part.expand(len(cases), -1, -1) for part in (dev, test))
            losses = loss_of(models(on_dev), on_dev, delays)
            scores, answers = shifted(models(on_test), on_test, delays)
            right = 100 * (scores.argmax(dim=-1) == answers).double().mean(dim=(1, 2))
            tested = loss_of(models(on_test), on_test, delays)
        shape = (len(DELAYS), len(RATES), len(seeds))
        trial, right, tested = losses.view(shape)[..., 0], right.view(shape), tested.view(shape)
        best = trial.argmin(dim=1).tolist()
        results[str(span)] = {
            "rate": [RATES[i] for i in best],
            "trial_loss": trial.double().round(decimals=4).tolist(),
            "right": [right[d, i, 1:].round(decimals=2).tolist() for d, i in enumerate(best)],
            "loss": [tested[d, i, 1:].tolist() for d, i in enumerate(best)],
            "kept": kept(span),
        }
        taken = time.process_time() - begun
        print(
            span,
            results[str(span)]["rate"],
            results[str(span)]["right"],
            results[str(span)]["kept"],
            round(taken),
            flush=True,
        )
        record(
            __file__,
            given.seeds,
            steps=given.steps,
            length=LENGTH,
            batch=BATCH,
            delays=DELAYS,
            rates=RATES,
            spans=results,
            processor_seconds=taken,
        )


if __name__ == "__main__":
    main()
