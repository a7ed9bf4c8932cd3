"""Bits per weight against bits per character: a small GPT, rounded, and smaller ones in full.

    python benchmarks/compression_bits.py [--seeds 0 1 2]

GPTs of four widths read the language reference, all for the same steps, each at the best of the
learning rates that were tried with another seed. The widest one is then rounded to 2 to 8 bits:
with one scale per tensor, per row or per group of 16 weights, to the nearest code or by GPTQ; and
it is trained on with rounded weights, beside a control that is trained on without rounding. Its
table of embeddings always has 8 bits and a scale per row; scales, biases and norms have 16 bits.
Dense models have 16 bits per parameter. Measured on unseen text, in bits per character. Takes about
four processor minutes. Writes `compression_bits.json`.
"""

from __future__ import annotations

import argparse
import copy
import time
from collections.abc import Callable, Iterator

import torch
from machine import record
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils import parametrize
from tuning import next_rate

from solutions.data import text
from solutions.gpt import GPT, windows
from solutions.model_compression import absmax_scale, dequantize, gptq, quantize, straight_through
from solutions.recurrent import bits_per_character
from solutions.training import warmup_cosine

WIDTHS = (48, 32, 24, 16)
SPAN, BATCH, STEPS, MORE = 64, 16, 600, 150
BITS, GROUP, TRAINED_BITS = (8, 6, 5, 4, 3, 2), 16, (3, 2)
FIRST_RATE = 1e-2


def parts() -> tuple[Tensor, Tensor, Tensor, int]:
    """Tokens to train on, for development and for tests, and the number of symbols."""
    found = text()
    symbols = sorted(set(found))
    ids = {symbol: number for number, symbol in enumerate(symbols)}
    tokens = torch.tensor([ids[symbol] for symbol in found])
    seen, dev, test = tokens.tensor_split([len(tokens) * 8 // 10, len(tokens) * 9 // 10])
    return seen, dev, test, len(symbols)


def make(width: int, symbols: int) -> GPT:
    sizes = {"embed_dim": width, "num_heads": 2, "num_layers": 2, "longest": SPAN}
    return GPT(symbols, **sizes, positions="rotary", std=0.07)


def hard_loss(model: nn.Module, read: Tensor, asked: Tensor) -> Tensor:
    return F.cross_entropy(model(read).flatten(0, 1), asked.flatten())


def train(
    model: nn.Module,
    seen: Tensor,
    seed: int,
    rate: float,
    *,
    steps: int = STEPS,
    loss_of: Callable[[nn.Module, Tensor, Tensor], Tensor] = hard_loss,
) -> None:
    """AdamW with a warm-up and a rate that falls to 0, on pieces from anywhere."""
    optimizer = torch.optim.AdamW(
        model.parameters(), rate, (0.9, 0.99), weight_decay=0.01, fused=True
    )
    chance = torch.Generator().manual_seed(seed)
    for step in range(steps):
        share = warmup_cosine(step, warmup=20, total=steps)
        optimizer.param_groups[0]["lr"] = rate * share
        starts = torch.randint(len(seen) - SPAN, (BATCH,), generator=chance)
        loss = loss_of(model, *windows(seen, starts, SPAN))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()


def trained(width: int, seen: Tensor, symbols: int, seed: int, rate: float) -> GPT:
    torch.manual_seed(seed)
    model = make(width, symbols)
    train(model, seen, seed, rate)
    return model


@torch.no_grad()
def cost(model: nn.Module, unseen: Tensor) -> float:
    """Bits per character: of each window, the second half counts."""
    half = SPAN // 2
    read, asked = windows(unseen, torch.arange(0, len(unseen) - SPAN - 1, half), SPAN)
    return round(bits_per_character(model(read)[:, -half:], asked[:, -half:]).item(), 4)


# rounding


def layers(model: GPT) -> Iterator[tuple[str, nn.Linear]]:
    """The linear layers of the blocks, from first to last; not the head, which is the table."""
    for name, layer in model.named_modules():
        if isinstance(layer, nn.Linear) and name != "head":
            yield name, layer


def rounded(weight: Tensor, bits: int, kind: str) -> Tensor:
    """The weights that the nearest codes stand for; scales have 16 bits."""
    if kind == "group":
        weight = weight.unflatten(1, (-1, GROUP))
    scale = absmax_scale(weight, bits, dim=None if kind == "tensor" else -1).half().float()
    found = dequantize(quantize(weight, scale, bits), scale)
    return found.flatten(1) if kind == "group" else found


@torch.no_grad()
def quantized(dense: GPT, bits: int, kind: str, calibration: Tensor) -> GPT:
    """A copy with rounded weights; GPTQ sees what each layer reads after the rounding so far."""
    model = copy.deepcopy(dense)
    table = model.embed.weight
    table.copy_(rounded(table, 8, "row"))
    for _, layer in layers(model):
        if kind != "GPTQ":
            layer.weight.copy_(rounded(layer.weight, bits, kind))
            continue
        caught: list[Tensor] = []
        hook = layer.register_forward_pre_hook(lambda _, args: caught.append(args[0]))  # noqa: B023
        model(calibration)
        hook.remove()
        scale = absmax_scale(layer.weight, bits, dim=1).half().float()
        codes = gptq(layer.weight, caught[0].flatten(0, -2), scale, bits)
        layer.weight.copy_(dequantize(codes, scale))
    return model


def size(model: GPT, bits: int, kind: str) -> int:
    """All bits that have to be stored."""
    small = sum(p.numel() for p in model.parameters() if p.ndim < 2)
    table = model.embed.weight
    total = 16 * small + 8 * table.numel() + 16 * len(table)
    for _, layer in layers(model):
        outputs, inputs = layer.weight.shape
        scales = {"tensor": 1, "group": outputs * inputs // GROUP}.get(kind, outputs)
        total += bits * outputs * inputs + 16 * scales
    return total


class Rounded(nn.Module):
    """A parametrization: the weights are rounded whenever they are read."""

    def __init__(self, bits: int) -> None:
        super().__init__()
        self.bits = bits

    def forward(self, weight: Tensor) -> Tensor:
        scale = (1 + 1e-6) * absmax_scale(weight, self.bits, dim=1)  # no weight is beyond it
        return straight_through(weight, scale, self.bits)


def trained_rounded(dense: GPT, bits: int, seen: Tensor, seed: int, rate: float) -> GPT:
    """Quantization-aware training: more steps, in which weights are rounded."""
    model = copy.deepcopy(dense)
    for _, layer in list(layers(model)):
        parametrize.register_parametrization(layer, "weight", Rounded(bits))
    train(model, seen, seed + 1_000, rate, steps=MORE)
    with torch.no_grad():
        for _, layer in list(layers(model)):
            parametrize.remove_parametrizations(layer, "weight", leave_parametrized=True)
    return quantized(model, bits, "row", seen[:0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    given = parser.parse_args()
    torch.set_num_threads(1)
    begun = time.process_time()
    seen, dev, test, symbols = parts()
    dense, runs = [], []
    for width in WIDTHS:
        tried: dict[str, float] = {}
        while f"{(rate := next_rate(tried, FIRST_RATE)):g}" not in tried:
            tried[f"{rate:g}"] = cost(trained(width, seen, symbols, 99, rate), dev)
        count = sum(p.numel() for p in make(width, symbols).parameters())
        dense.append({"width": width, "parameters": count, "tried": tried, "rate": rate})
        print(dense[-1], round(time.process_time() - begun), flush=True)
    calibration = seen[: 128 * SPAN].reshape(128, SPAN)
    for seed in given.seeds:
        models = [trained(one["width"], seen, symbols, seed, one["rate"]) for one in dense]
        for one, model in zip(dense, models, strict=True):
            bits = cost(model.half().float(), test)
            runs.append({"seed": seed, "kind": "dense", "bits": 16, "cost": bits})
            runs[-1] |= {"width": one["width"], "size": 16 * one["parameters"]}
        model = models[0]
        for kind in ("tensor", "row", "group", "GPTQ"):
            for bits in BITS:
                found = cost(quantized(model, bits, kind, calibration), test)
                runs.append({"seed": seed, "kind": kind, "bits": bits, "cost": found})
                runs[-1]["size"] = size(model, bits, kind)
        rate = dense[0]["rate"] / 4
        more = copy.deepcopy(model)
        train(more, seen, seed + 1_000, rate, steps=MORE)
        runs.append({"seed": seed, "kind": "trained on", "bits": 16, "cost": cost(more, test)})
        for bits in TRAINED_BITS:
            for name, made in (
                ("trained with rounding", trained_rounded(model, bits, seen, seed, rate)),
                ("trained on, then GPTQ", quantized(more, bits, "GPTQ", calibration)),
            ):
                runs.append({"seed": seed, "kind": name, "bits": bits, "cost": cost(made, test)})
                runs[-1]["size"] = size(model, bits, "row")
        print(runs[-6:], round(time.process_time() - begun), flush=True)
    taken = round(time.process_time() - begun)
    record(
        __file__, given.seeds, steps=STEPS, more=MORE, characters=[len(seen), len(test)],
        symbols=symbols, group=GROUP, dense=dense, runs=runs, processor_seconds=taken,
    )  # fmt: skip


if __name__ == "__main__":
    main()
