"""Which heads of ten small Transformers continue a repeated sequence, and along which paths?

    python benchmarks/copier_heads.py

Each model has two layers of four heads and no feed-forward network, and learns to continue
sequences that repeat. Heads are ranked on separate sequences: those of the first layer by their
attention to the previous symbol, those of the second by their attention to the symbol that followed
the previous occurrence. Measured for each model, with heads in the order of their ranks: the share
of clean and of corrupted sequences that it continues correctly, and the effect of patching one
head, in both directions; the loss added if a head of the first layer is replaced by its mean,
everywhere or only in the queries, keys or values of the second layer; the loss without 0 to 4 heads
of a layer, in the order of ranks, in the opposite order, and as a mean over all sets of heads; and
the accuracy of a linear probe for the previous symbol between the layers, in the intact model,
without its first-ranked head, and in a model with random weights. Writes `copier_heads.json`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations

import torch
from machine import record
from torch import Tensor, nn
from torch.nn import functional as F

from solutions.interpretability import (
    edited,
    inputs_of,
    mean_ablate,
    patching_effect,
    replace_heads,
)
from solutions.transformer import Config, DecoderOnly, attention_back

SEEDS = tuple(range(10))
KINDS, HEADS, PERIOD = 24, 4, 12
STEPS, BATCH, RATE = 600, 32, 0.01
OUTPUTS = [f"layers.{layer}.attention.output" for layer in range(2)]
PATHS = [f"layers.1.attention.{path}" for path in ("query", "key", "value")]
CONFIG = Config(
    embed_dim=48,
    num_heads=HEADS,
    num_layers=2,
    hidden=0,
    vocabulary=KINDS,
    positions="rotary",
    norm_first=True,
)
Edits = dict[str, Callable[[Tensor], Tensor]]


def repeating(count: int, length: int, generator: torch.Generator) -> Tensor:
    """Sequences that repeat after 6 to 15 symbols, (count, length)."""
    period = torch.randint(6, length // 2, (count, 1), generator=generator)
    symbols = torch.randint(KINDS, (count, length), generator=generator)
    return symbols.gather(1, torch.arange(length) % period)


def periods(count: int, seed: int) -> Tensor:
    """Two periods of random symbols, (count, 24)."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(KINDS, (count, PERIOD), generator=generator).repeat(1, 2)


TESTED, OTHERS = periods(100, 11), periods(200, 12)


def copied_loss(model: nn.Module) -> float:
    """Loss on the second period, in nats per symbol."""
    return F.cross_entropy(model(TESTED)[:, PERIOD - 1 : -1].mT, TESTED[:, PERIOD:]).item()


def train(seed: int) -> tuple[DecoderOnly, list[float]]:
    """A model, and its loss on predictable symbols after each sixth of the steps."""
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    model, curve = DecoderOnly(CONFIG), []
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE, betas=(0.9, 0.98), fused=True)
    cycle = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=STEPS, pct_start=0.1)
    for step in range(1, STEPS + 1):
        tokens = repeating(BATCH, 32, generator)
        optimizer.zero_grad()
        F.cross_entropy(model(tokens)[:, :-1].mT, tokens[:, 1:]).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        cycle.step()
        if step % (STEPS // 6) == 0:
            with torch.no_grad():
                curve.append(copied_loss(model))
    return model.eval().requires_grad_(False), curve


def ranked(model: DecoderOnly) -> tuple[list[list[int]], list[list[float]]]:
    """Heads of both layers from most to least attention, and this attention."""
    _, weights = model(periods(64, 1), need_weights=True)
    previous = attention_back(weights[0], 1).mean(dim=0)
    follows = attention_back(weights[1], PERIOD - 1, start=PERIOD).mean(dim=0)
    score, order = torch.stack([previous, follows]).sort(dim=1, descending=True)
    return order.tolist(), score.tolist()


def swapped_pairs(count: int, seed: int, a: int = 4, c: int = 8) -> tuple[Tensor, ...]:
    """Clean sequences that end with A, corrupted ones in which A and C, each with the symbol before
    it, have changed places in the first period, and their answers.
    """
    generator = torch.Generator().manual_seed(seed)
    once = torch.stack([torch.randperm(KINDS, generator=generator)[:PERIOD] for _ in range(count)])
    exchanged = once.clone()
    for back in (0, 1):  # were only A moved, the symbol before it would still announce B
        exchanged[:, a - back], exchanged[:, c - back] = once[:, c - back], once[:, a - back]
    clean, corrupted = (torch.cat([of, once[:, : a + 1]], dim=1) for of in (once, exchanged))
    return clean, corrupted, once[:, a + 1], once[:, c + 1]


def patched(model: nn.Module, tokens: Tensor, other: Tensor, layer: int, heads: Iterable) -> Tensor:
    """Logits of the last position, with the outputs of some heads from another run."""
    name = OUTPUTS[layer]
    saved = inputs_of(model, [name], other)[name]
    with edited(model, {name: lambda x: replace_heads(x, saved, heads, num_heads=HEADS)}):
        return model(tokens)[:, -1]


def effects(model: nn.Module, order: list[list[int]]) -> dict[str, object]:
    """Of one patched head, in both directions, and of all heads of a layer."""
    clean, corrupted, right, wrong = swapped_pairs(200, 3)
    ends = model(clean)[:, -1], model(corrupted)[:, -1]
    single = [(layer, [head]) for layer in range(2) for head in order[layer]]
    restored = torch.stack([patched(model, corrupted, clean, *one) for one in single])
    noised = torch.stack([patched(model, clean, corrupted, *one) for one in single])
    layers = [patched(model, corrupted, clean, layer, range(HEADS)) for layer in range(2)]
    return {
        "correct": [
            (end.argmax(dim=1) == answer).float().mean().item()
            for end, answer in zip(ends, (right, wrong), strict=True)
        ],
        "restored": patching_effect(*ends, restored, right, wrong).tolist(),
        "lost": (1 - patching_effect(*ends, noised, right, wrong)).tolist(),
        "layers": patching_effect(*ends, torch.stack(layers), right, wrong).tolist(),
    }


def ablated(model: nn.Module, layer: int, heads: Sequence[int]) -> Edits:
    """An edit that replaces some heads of a layer by their means over other sequences."""
    name = OUTPUTS[layer]
    reference = inputs_of(model, [name], OTHERS)[name]
    return {name: lambda x: mean_ablate(x, reference, heads, num_heads=HEADS)}


def rises(model: nn.Module, head: int) -> list[float]:
    """Loss added without a head of layer 1: everywhere, or in one input of layer 2 alone."""
    whole = copied_loss(model)
    with edited(model, ablated(model, 0, [head])):
        found = [copied_loss(model) - whole]
        without = inputs_of(model, PATHS, TESTED)
    for name in PATHS:
        with edited(model, {name: lambda _, name=name: without[name]}):
            found.append(copied_loss(model) - whole)
    return found


def losses_without(model: nn.Module, layer: int, order: list[int]) -> list[list[float]]:
    """Loss without 0 to 4 heads: the first ones of the order, the last ones, and all sets."""
    loss = {}
    for count in range(HEADS + 1):
        for heads in combinations(range(HEADS), count):
            with edited(model, ablated(model, layer, heads)):
                loss[heads] = copied_loss(model)
    counts = range(HEADS + 1)
    picked = [[loss[tuple(sorted(way[:n]))] for n in counts] for way in (order, order[::-1])]
    sets = [[value for heads, value in loss.items() if len(heads) == n] for n in counts]
    return [*picked, [sum(values) / len(values) for values in sets]]


def previous_read(model: nn.Module, edits: Edits) -> float:
    """Accuracy of a linear probe for the previous symbol, between the layers, on new sequences."""
    sets = []
    for count, seed in ((300, 21), (100, 22)):
        generator = torch.Generator().manual_seed(seed)
        tokens = torch.randint(KINDS, (count, 2 * PERIOD), generator=generator)
        with edited(model, edits):
            stream = inputs_of(model, ["layers.1"], tokens)["layers.1"][:, 1:].flatten(0, 1)
        sets.append((F.pad(stream, (0, 1), value=1.0), tokens[:, :-1].flatten()))
    (fit, labels), (new, answers) = sets
    weight = torch.linalg.lstsq(fit, F.one_hot(labels, KINDS).float()).solution
    return ((new @ weight).argmax(dim=1) == answers).float().mean().item()


def main() -> None:
    torch.set_num_threads(1)
    runs = []
    for seed in SEEDS:
        model, curve = train(seed)
        order, score = ranked(model)
        torch.manual_seed(seed)
        fresh = DecoderOnly(CONFIG).requires_grad_(False)
        first = ablated(model, 0, order[0][:1])
        runs.append(
            {
                "seed": seed,
                "curve": curve,
                "attention": score,
                **effects(model, order),
                "rises": [rises(model, head) for head in order[0]],
                "removed": [losses_without(model, layer, order[layer]) for layer in range(2)],
                "probe": [
                    previous_read(model, {}),
                    previous_read(model, first),
                    previous_read(fresh, {}),
                ],
            }
        )
        print(seed, curve[-1], score, flush=True)
    record(__file__, list(SEEDS), steps=STEPS, guess=math.log(KINDS), runs=runs)


if __name__ == "__main__":
    main()
