"""A small GPT: pruned, as the teacher of a smaller one, and beside smaller ones that are rounded.

    python benchmarks/compression_students.py [--seeds 0 1 2]

The widest model of `compression_bits.py`, trained as there, loses weights of its blocks: the
smallest of all, the smallest of each matrix, or as many at random; then it is trained on with the
masks. And it teaches the narrowest model, which learns from labels alone, from smoothed labels
whose mean entropy is that of the teacher's targets, or from half labels and half teacher at
temperature 1 or 2; rates are chosen for smoothed labels and for a teacher, with another seed. The
smaller models are trained as there, too, and rounded by GPTQ. Measured on unseen text, in bits per
character. Takes five processor minutes. Writes `compression_students.json`.
"""

from __future__ import annotations

import argparse
import copy
import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch
from compression_bits import (
    MORE,
    SPAN,
    STEPS,
    WIDTHS,
    cost,
    layers,
    make,
    parts,
    quantized,
    size,
    train,
    trained,
)
from machine import record
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils import prune
from tuning import next_rate

from solutions.gpt import GPT, windows
from solutions.model_compression import distillation_loss, magnitude_masks

SPARSITIES, SMALL_BITS = (0.5, 0.8), (8, 4)
TUNING = 99


def masks_of(model: GPT, kind: str, sparsity: float, seed: int) -> list[Tensor]:
    weights = [layer.weight for _, layer in layers(model)]
    if kind == "global":
        return magnitude_masks(weights, sparsity)
    if kind == "random":
        chance = torch.Generator().manual_seed(seed)
        weights = [torch.rand(weight.shape, generator=chance) for weight in weights]
    return [magnitude_masks([weight], sparsity)[0] for weight in weights]


def pruned(dense: GPT, masks: list[Tensor]) -> GPT:
    """A copy whose masked weights are 0 and stay 0 in training."""
    model = copy.deepcopy(dense)
    for (_, layer), mask in zip(list(layers(model)), masks, strict=True):
        prune.custom_from_mask(layer, "weight", mask)
    return model


def targets_entropy(teacher: GPT, seen: Tensor) -> float:
    """Mean entropy, in nats, of targets that are half a label and half the teacher's."""
    starts = torch.arange(0, 200 * SPAN, SPAN)
    read, asked = windows(seen, starts, SPAN)
    with torch.no_grad():
        chance = teacher(read).softmax(dim=-1)
    mixed = 0.5 * chance + 0.5 * F.one_hot(asked, chance.shape[-1])
    return torch.special.entr(mixed).sum(dim=-1).mean().item()


def smoothing_of(entropy: float, symbols: int) -> float:
    """The label smoothing whose targets have this entropy, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        target = torch.full((symbols,), middle / symbols, dtype=torch.float64)
        target[0] += 1 - middle
        if torch.special.entr(target).sum() < entropy:
            low = middle
        else:
            high = middle
    return low


def smoothed_loss(model: nn.Module, read: Tensor, asked: Tensor, *, amount: float) -> Tensor:
    logits = model(read).flatten(0, 1)
    return F.cross_entropy(logits, asked.flatten(), label_smoothing=amount)


def taught_loss(
    model: nn.Module, read: Tensor, asked: Tensor, *, teacher: GPT, temperature: float
) -> Tensor:
    with torch.no_grad():
        goal = teacher(read).flatten(0, 1)
    logits = model(read).flatten(0, 1)
    return distillation_loss(logits, goal, asked.flatten(), temperature=temperature, weight=0.5)


Loss = Callable[[nn.Module, Tensor, Tensor], Tensor]


def losses(teacher: GPT, seen: Tensor, symbols: int) -> tuple[dict[str, Loss], float]:
    """Loss of each kind of student, and the label smoothing of equal entropy."""
    amount = smoothing_of(targets_entropy(teacher, seen), symbols)
    return {
        "smoothed labels": partial(smoothed_loss, amount=amount),
        "teacher, T = 1": partial(taught_loss, teacher=teacher, temperature=1.0),
        "teacher, T = 2": partial(taught_loss, teacher=teacher, temperature=2.0),
    }, amount


def student(seen: Tensor, symbols: int, seed: int, rate: float, loss_of: Loss) -> GPT:
    torch.manual_seed(seed)
    model = make(WIDTHS[-1], symbols)
    train(model, seen, seed, rate, loss_of=loss_of)
    return model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    given = parser.parse_args()
    torch.set_num_threads(1)
    begun = time.process_time()
    seen, dev, test, symbols = parts()
    before = json.loads(Path(__file__).with_name("compression_bits.json").read_text())
    widest, narrowest = before["dense"][0], before["dense"][-1]
    teacher = trained(WIDTHS[0], seen, symbols, TUNING, widest["rate"])
    search = {}
    for name, loss_of in list(losses(teacher, seen, symbols)[0].items())[:2]:
        tried: dict[str, float] = {}
        while f"{(rate := next_rate(tried, narrowest['rate'])):g}" not in tried:
            tried[f"{rate:g}"] = cost(student(seen, symbols, TUNING, rate, loss_of), dev)
        search[name] = {"tried": tried, "rate": rate}
        print(name, search[name], round(time.process_time() - begun), flush=True)
    search["teacher, T = 2"] = search["teacher, T = 1"]
    students, sparse, amounts, small = [], [], [], []
    calibration = seen[: 128 * SPAN].reshape(128, SPAN)
    for seed in given.seeds:
        teacher = trained(WIDTHS[0], seen, symbols, seed, widest["rate"])
        kinds, amount = losses(teacher, seen, symbols)
        amounts.append(round(amount, 4))
        for name, loss_of in kinds.items():
            made = student(seen, symbols, seed, search[name]["rate"], loss_of)
            students.append({"seed": seed, "kind": name, "cost": cost(made, test)})
        for sparsity in SPARSITIES:
            for kind in ("global", "per layer", "random"):
                model = pruned(teacher, masks_of(teacher, kind, sparsity, seed))
                one = {"seed": seed, "kind": kind, "sparsity": sparsity}
                one["at once"] = cost(model, test)
                train(model, seen, seed + 1_000, widest["rate"] / 4, steps=MORE)
                sparse.append(one | {"trained on": cost(model, test)})
        for one in before["dense"][1:]:
            model = trained(one["width"], seen, symbols, seed, one["rate"])
            for bits in SMALL_BITS:
                found = cost(quantized(model, bits, "GPTQ", calibration), test)
                small.append({"seed": seed, "width": one["width"], "bits": bits, "cost": found})
                small[-1]["size"] = size(model, bits, "GPTQ")
        print(
            small[-6:], students[-3:], sparse[-6:], round(time.process_time() - begun), flush=True
        )
    taken = round(time.process_time() - begun)
    weights = sum(layer.weight.numel() for _, layer in layers(teacher))
    record(
        __file__, given.seeds, steps=STEPS, more=MORE, search=search, students=students,
        smoothing=amounts, prunable=weights, sparse=sparse, small=small, processor_seconds=taken,
    )  # fmt: skip


if __name__ == "__main__":
    main()
