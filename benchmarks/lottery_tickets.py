"""Lottery tickets on small images of digits: is it the mask, or the weights that it keeps?

    python benchmarks/lottery_tickets.py [--seeds 0 1 2 3 4 5 6 7]

A network with one hidden layer is trained; the smallest of its weights are removed, over both
layers, in one step. Then networks are trained from scratch with as many weights: those of the mask
rewound to their first values; the same mask with these values in another order, within each layer,
or with other first values; and random masks, which keep as many weights in each layer, with the
first values. Beside them, dense networks with fewer hidden units and about as many weights and
biases. All get the same batches and steps; the learning rate of each kind, sparsity and number of
steps is chosen on development data, over all seeds. At one sparsity, all are trained for fewer and
for more steps, too. Measured: accuracy on test images, in percent. All networks of one shape run
side by side. Writes `lottery_tickets.json`.
"""

from __future__ import annotations

import argparse
import functools
import time

import torch
from machine import record
from torch import Tensor
from torch.nn import functional as F

from solutions.data import Split, digits
from solutions.model_compression import magnitude_masks

HIDDEN, STEPS, BATCH = 64, 800, 32
OTHER_STEPS, LOOKED_AT = (200, 400, 1_600), 0.95
RATES = (0.003, 0.01, 0.03, 0.1)
SPARSITIES = (0.5, 0.8, 0.9, 0.95, 0.98)
split_of = functools.cache(lambda seed: digits(seed=seed))
Net = list[Tensor]  # weights (D, H) and biases (1, H) of one layer after the other


def start(seed: int, hidden: int = HIDDEN) -> Net:
    """Weights as He and others draw them, biases of 0."""
    chance = torch.Generator().manual_seed(seed)
    first = torch.randn(64, hidden, generator=chance) * (2 / 64) ** 0.5
    second = torch.randn(hidden, 10, generator=chance) * (2 / hidden) ** 0.5
    return [first, torch.zeros(1, hidden), second, torch.zeros(1, 10)]


def run(
    nets: list[Net], masks: list[Net], rates: list[float], seeds: list[int], steps: int = STEPS
) -> Net:
    """Train many networks at once with Adam, each on the batches of its seed; stacked results."""
    data = {seed: split_of(seed).train for seed in set(seeds)}
    weights = [torch.stack(part).requires_grad_() for part in zip(*nets, strict=True)]
    kept = [torch.stack(part) for part in zip(*masks, strict=True)]
    pace = torch.tensor(rates)[:, None, None]
    means, squares = ([torch.zeros_like(part) for part in weights] for _ in range(2))
    chances = {seed: torch.Generator().manual_seed(seed) for seed in data}
    for step in range(1, steps + 1):
        chosen = {
            seed: torch.randint(len(of.labels), (BATCH,), generator=chances[seed])
            for seed, of in data.items()
        }
        x = torch.stack([data[seed].features[chosen[seed]] for seed in seeds])
        y = torch.stack([data[seed].labels[chosen[seed]] for seed in seeds])
        scores = forward(weights, kept, x)
        loss = F.cross_entropy(scores.flatten(0, 1), y.flatten(), reduction="sum") / BATCH
        for part, slope, mean, square in zip(
            weights, torch.autograd.grad(loss, weights), means, squares, strict=True
        ):
            mean.lerp_(slope, 0.1)
            square.lerp_(slope.square(), 0.001)
            move = (mean / (1 - 0.9**step)) / ((square / (1 - 0.999**step)).sqrt() + 1e-8)
            part.data -= pace * (1 - (step - 1) / steps) * move
    return [(part * mask).detach() for part, mask in zip(weights, kept, strict=True)]


def forward(weights: Net, kept: Net, x: Tensor) -> Tensor:
    first, first_bias, second, second_bias = (
        part * mask for part, mask in zip(weights, kept, strict=True)
    )
    return (x @ first + first_bias).relu() @ second + second_bias


def correct(net: Net, part: Split) -> float:
    scores = forward(net, [torch.ones(())] * 4, part.features)
    return 100 * (scores.argmax(dim=-1) == part.labels).float().mean().item()


def mask_of(net: Net, sparsity: float) -> Net:
    first, second = magnitude_masks([net[0], net[2]], sparsity)
    return [first.float(), torch.ones_like(net[1]), second.float(), torch.ones_like(net[3])]


def shuffled(mask: Net, seed: int) -> Net:
    """As many weights in each layer, anywhere."""
    chance = torch.Generator().manual_seed(seed)
    return [
        part.flatten()[torch.randperm(part.numel(), generator=chance)].reshape(part.shape)
        for part in mask
    ]


def permuted(net: Net, mask: Net, seed: int) -> Net:
    """The same values at the places of the mask, in another order within each layer."""
    chance, moved = torch.Generator().manual_seed(2_000 + seed), []
    for part, kept in zip(net, mask, strict=True):
        values, places = part.clone(), kept.bool()
        if part.shape[0] > 1:  # biases keep their first value, which is 0
            order = torch.randperm(int(places.sum()), generator=chance)
            values[places] = part[places][order]
        moved.append(values)
    return moved


def units_for(mask: Net) -> int:
    """Hidden units of a dense network with about as many weights and biases."""
    kept = sum(int(part.sum()) for part in mask)
    return max(1, round((kept - 10) / (64 + 1 + 10)))


def best(
    name: str, nets: list[Net], masks: list[Net], seeds: list[int], steps: int = STEPS
) -> dict[str, object]:
    """Every network at every rate; the rate with the highest accuracy on development data."""
    many = [net for net in nets for _ in RATES]
    rates = [rate for _ in nets for rate in RATES]
    of = [seed for seed in seeds for _ in RATES]
    done = run(many, [mask for mask in masks for _ in RATES], rates, of, steps)
    found = {rate: ([], []) for rate in RATES}
    for number, (rate, seed) in enumerate(zip(rates, of, strict=True)):
        net = [part[number] for part in done]
        split = split_of(seed)
        found[rate][0].append(correct(net, split.dev))
        found[rate][1].append(correct(net, split.test))
    dev = {f"{rate:g}": round(sum(found[rate][0]) / len(seeds), 3) for rate in RATES}
    rate = max(RATES, key=lambda one: dev[f"{one:g}"])
    places = range(RATES.index(rate), len(rates), len(RATES))
    return {
        "kind": name,
        "rate": rate,
        "dev": dev,
        "test": [round(value, 3) for value in found[rate][1]],
        "nets": [[part[place] for part in done] for place in places],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=list(range(8)))
    given = parser.parse_args()
    torch.set_num_threads(1)
    begun, seeds = time.process_time(), given.seeds
    first = [start(seed) for seed in seeds]
    ones = [[torch.ones_like(part) for part in net] for net in first]
    dense = best("dense", first, ones, seeds)
    trained, runs = dense.pop("nets"), []
    for sparsity in SPARSITIES:
        masks = [mask_of(net, sparsity) for net in trained]
        others = [start(seed + 1_000) for seed in seeds]
        moved = [
            permuted(net, mask, seed) for net, mask, seed in zip(first, masks, seeds, strict=True)
        ]
        random = [shuffled(mask, seed) for mask, seed in zip(masks, seeds, strict=True)]
        units = units_for(masks[0])
        small = [start(seed, units) for seed in seeds]
        whole = [[torch.ones_like(part) for part in net] for net in small]
        at_once = [
            correct([p * m for p, m in zip(net, mask, strict=True)], split_of(seed).test)
            for net, mask, seed in zip(trained, masks, seeds, strict=True)
        ]
        for steps in (STEPS, *(OTHER_STEPS if sparsity == LOOKED_AT else ())):
            for name, nets, kept in (
                ("rewound", first, masks),
                ("permuted values", moved, masks),
                ("other values", others, masks),
                ("random mask", first, random),
                ("fewer units", small, whole),
            ):
                found = best(name, nets, kept, seeds, steps)
                del found["nets"]
                runs.append({"sparsity": sparsity, "steps": steps, **found})
                print(runs[-1], round(time.process_time() - begun), flush=True)
        at = [round(value, 3) for value in at_once]
        runs.append({"sparsity": sparsity, "kind": "at once", "units": units, "test": at})
    taken = round(time.process_time() - begun)
    record(
        __file__, seeds, hidden=HIDDEN, weights=64 * HIDDEN + 10 * HIDDEN, steps=STEPS,
        rates=list(RATES), dense=dense, runs=runs, processor_seconds=taken,
    )  # fmt: skip


if __name__ == "__main__":
    main()
