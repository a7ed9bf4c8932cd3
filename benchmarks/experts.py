"""Mixtures of experts beside dense layers, at equal active multiply-adds and at equal parameters.

    python benchmarks/experts.py [--fresh] [--minutes 9]

GPTs with rotary positions on the characters of Tiny Shakespeare; only the feed-forward networks
differ. For each kind, learning rates a factor of two apart are tried, until the best has a worse
one on either side; they are judged on the last tenth of the training text, with a seed that no
result uses. Writes `experts.json` after each training, and reuses what it holds.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from pathlib import Path
from typing import Any

import torch
from machine import record
from speedrun import tokens
from torch import Tensor, nn
from torch.nn import functional as F

from solutions.data import tiny_shakespeare
from solutions.gpt import GPT, MixtureOfExperts, capacity, route, windows, within_capacity
from solutions.transformer import FeedForward

SPAN, BATCH, STEPS, SEEDS = 32, 16, 400, (0, 1, 2, 3, 4)
WIDTH, LAYERS, EXPERTS, ALPHA, STD = 32, 2, 8, 0.01, 0.1
FACTORS = (1.0, 1.25, 1.5, 2.0)
KINDS: dict[str, dict[str, Any]] = {  # all but "wide" use 4 hidden units per feature for a token
    "dense": {"hidden": 4 * WIDTH},
    "wide": {"hidden": 16 * WIDTH},
    "top-2": {"hidden": 2 * WIDTH, "k": 2, "alpha": ALPHA},
    "no balance": {"hidden": 2 * WIDTH, "k": 2},
    "random": {"hidden": 2 * WIDTH, "k": 2, "router": "random"},
    "by character": {"hidden": 2 * WIDTH, "k": 2, "router": "character"},
    "top-1": {"hidden": 4 * WIDTH, "k": 1, "alpha": ALPHA, "experts": 4},
    "top-1 whole": {"hidden": 4 * WIDTH, "k": 1, "alpha": ALPHA, "experts": 4, "whole": True},
    "top-1 by character": {"hidden": 4 * WIDTH, "k": 1, "router": "character", "experts": 4},
}


class Given(nn.Module):
    """A router that learns nothing: it gives k experts equal probabilities, and the others none."""

    def __init__(self, experts: int, k: int, table: Tensor | None) -> None:
        super().__init__()
        self.experts, self.k, self.table = experts, k, table
        self.read = torch.empty(0, dtype=torch.int64)  # characters that the model is reading

    def forward(self, rows: Tensor) -> Tensor:
        """Logits by the table of characters; without one, by lot, with equal shares."""
        if self.table is None:
            first = torch.randperm(len(rows)) % self.experts
            other = first + 1 + torch.randint(self.experts - 1, first.shape)
            own = torch.stack([first, other % self.experts], dim=1)[:, : self.k]
        else:
            own = self.table[self.read.flatten()]
        return torch.full((len(rows), self.experts), -1e4).scatter(1, own, 0.0)


class Whole(MixtureOfExperts):
    """A mixture whose single expert counts in full; the gradient still reaches the router."""

    def forward(self, x: Tensor) -> Tensor:
        scores = F.linear(x, self.router.weight)
        weight = scores.softmax(dim=-1).amax(dim=-1, keepdim=True)
        return super().forward(x) / weight.detach()


def shared_out(text: Tensor, experts: int, k: int) -> Tensor:
    """K experts for every character, the most frequent first: those with the least to do."""
    counts, load = torch.bincount(text), torch.zeros(experts)
    table = torch.zeros(len(counts), k, dtype=torch.int64)
    for character in counts.argsort(descending=True, stable=True).tolist():
        table[character] = load.argsort(stable=True)[:k]
        load[table[character]] += counts[character]
    return table


def make(kind: str, seed: int, seen: Tensor) -> GPT:
    """A model with its initial weights; what is shared is the same in all kinds."""
    given = KINDS[kind]
    torch.manual_seed(seed)
    model = GPT(
        int(seen.max()) + 1,
        embed_dim=WIDTH,
        num_heads=4,
        num_layers=LAYERS,
        longest=SPAN,
        positions="rotary",
        std=STD,
    )
    for layer in model.layers:
        if "k" not in given:
            part: nn.Module = FeedForward(WIDTH, given["hidden"], activation="gelu")
        else:
            sizes = {"num_experts": given.get("experts", EXPERTS), "k": given["k"]}
            kind_of = Whole if "whole" in given else MixtureOfExperts
            part = kind_of(WIDTH, given["hidden"], **sizes, activation="gelu")
        for name, parameter in part.named_parameters():
            if name.endswith("bias"):
                nn.init.zeros_(parameter)
            else:
                down = name.endswith("down.weight")
                nn.init.normal_(parameter, std=STD / (math.sqrt(2 * LAYERS) if down else 1))
        if "router" in given:
            own = len(part.experts), part.k
            table = shared_out(seen, *own) if given["router"] == "character" else None
            part.router = Given(*own, table)
        layer.feed_forward = part
    return model


def mixtures(model: GPT) -> list[MixtureOfExperts]:
    return [part for part in model.modules() if isinstance(part, MixtureOfExperts)]


def logits_of(model: GPT, read: Tensor) -> Tensor:
    """Logits, after routers that need them have been told the characters."""
    for part in model.modules():
        if isinstance(part, Given):
            part.read = read
    return model(read)


def train(kind: str, seed: int, rate: float, seen: Tensor) -> tuple[GPT, float]:
    """AdamW on random pieces; the rate rises over 20 steps, and falls to 0."""
    model, alpha = make(kind, seed, seen), KINDS[kind].get("alpha", 0.0)
    generator = torch.Generator().manual_seed(seed)
    options = {"betas": (0.9, 0.99), "weight_decay": 0, "fused": True}
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, **options)
    begun = time.process_time()
    for step in range(STEPS):
        optimizer.param_groups[0]["lr"] = rate * min((step + 1) / 20, 1) * (1 - step / STEPS)
        starts = torch.randint(len(seen) - SPAN, (BATCH,), generator=generator)
        read, asked = windows(seen, starts, SPAN)
        loss = F.cross_entropy(logits_of(model, read).flatten(0, 1), asked.flatten())
        if alpha:
            loss = loss + alpha * torch.stack([part.balance for part in mixtures(model)]).sum()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    return model, time.process_time() - begun


@torch.no_grad()
def measure(model: GPT, held: Tensor) -> float:
    """Nats per character in consecutive windows, in batches of the size of those in training."""
    losses, starts = [], torch.arange(0, len(held) - BATCH * SPAN, SPAN)
    for some in starts.split(BATCH):
        read, asked = windows(held, some, SPAN)
        logits = logits_of(model, read).flatten(0, 1)
        losses.append(F.cross_entropy(logits, asked.flatten(), reduction="sum"))
    return torch.stack(losses).sum().item() / (len(starts) * SPAN)


def information(one: Tensor, other: Tensor) -> float:
    """Mutual information of two sequences of numbers, in bits, from their counts."""
    joint = torch.zeros(int(one.max()) + 1, int(other.max()) + 1, dtype=torch.float64)
    joint.index_put_((one, other), torch.ones(len(one), dtype=torch.float64), accumulate=True)
    joint /= joint.sum()
    apart = joint.sum(dim=1, keepdim=True) * joint.sum(dim=0, keepdim=True)
    there = joint > 0
    return (joint[there] * (joint[there] / apart[there]).log2()).sum().item()


@torch.no_grad()
def shares(model: GPT, held: Tensor, part: MixtureOfExperts) -> dict[str, Any]:
    """Load of a layer's experts, information in their choices, and what a limit would drop."""
    asked: list[Tensor] = []
    hook = part.router.register_forward_hook(lambda *given: asked.append(given[2]))
    starts = torch.arange(0, len(held) - BATCH * SPAN, SPAN).split(BATCH)[:-1]
    for some in starts:
        logits_of(model, windows(held, some, SPAN)[0])
    hook.remove()
    experts = len(part.experts)
    chosen = [route(logits, part.k)[1] for logits in asked]
    load = torch.bincount(torch.cat(chosen).flatten(), minlength=experts).double()
    read, after = windows(held, torch.cat(starts), SPAN)
    inner = (slice(None), slice(1, None))  # each has a character before it
    first = torch.cat(chosen)[:, 0].view(read.shape)
    one = first[inner].flatten()
    dropped = {}
    for factor in FACTORS:
        limit = capacity(BATCH * SPAN, experts, k=part.k, factor=factor)
        kept = torch.cat([within_capacity(each, experts, limit) for each in chosen])
        dropped[str(factor)] = 1 - kept.double().mean().item()
    counts = torch.zeros(int(held.max()) + 1, experts, dtype=torch.int64)
    counts.index_put_((read.flatten(), first.flatten()), torch.tensor(1), accumulate=True)
    return {
        "load": (load / load.sum()).tolist(),
        "before": information(one, read[:, :-1].flatten()),
        "here": information(one, read[inner].flatten()),
        "after": information(one, after[inner].flatten()),
        "dropped": dropped,
        "counts": counts.tolist(),
    }


def looked_at(model: GPT, held: Tensor) -> dict[str, Any]:
    """Loss, and for mixtures what the routers do and the loss with each capacity factor."""
    found: dict[str, Any] = {"loss": measure(model, held)}
    if parts := mixtures(model):
        found["layers"] = [shares(model, held, part) for part in parts]
        limited = {}
        for factor in FACTORS:
            for part in parts:
                part.factor = factor
            limited[str(factor)] = measure(model, held)
        found["limited"] = limited
    return found


def rounded(value: Any) -> Any:
    """Floats with four digits after the point, everywhere inside a nested value."""
    if isinstance(value, dict):
        return {name: rounded(part) for name, part in value.items()}
    if isinstance(value, list):
        return [rounded(part) for part in value]
    return round(value, 4) if isinstance(value, float) else value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--fresh", action="store_true", help="forget what is recorded")
    parser.add_argument("--minutes", type=float, default=1e9, help="stop after so many")
    given = parser.parse_args()
    torch.set_num_threads(1)
    file, deadline = Path(__file__).with_suffix(".json"), time.monotonic() + 60 * given.minutes
    known = json.loads(file.read_text()) if file.exists() and not given.fresh else {}
    runs: list[dict[str, Any]] = known.get("runs", [])
    seen, held = tokens()
    learn, dev = seen.tensor_split([len(seen) * 9 // 10])
    chosen: dict[str, float] = {}

    def run(search: bool, kind: str, rate: float, seed: int) -> float:
        job = {"search": search, "kind": kind, "rate": rate, "seed": seed}
        for done in runs:
            if job.items() <= done.items():
                return done["loss"]
        if time.monotonic() > deadline:
            raise SystemExit("out of time: the same command goes on from here")
        model, seconds = train(kind, seed, rate, learn if search else seen)
        if search:
            found: dict[str, Any] = {"loss": measure(model, dev[:50_000])}
        else:
            found = looked_at(model, held[:50_000])
            for layer in found.get("layers", []):
                if seed != SEEDS[0] or kind != "top-2":
                    del layer["counts"]  # the page shows those of one model
        count = sum(parameter.numel() for parameter in model.parameters())
        runs.append(rounded({**job, "parameters": count, "seconds": seconds, **found}))
        print(*list(runs[-1].values())[:7], flush=True)
        save()
        return runs[-1]["loss"]

    def save() -> None:
        sizes = {"width": WIDTH, "layers": LAYERS, "experts": EXPERTS, "span": SPAN}
        setting = {**sizes, "batch": BATCH, "steps": STEPS, "alpha": ALPHA, "kinds": KINDS}
        letters = "".join(sorted(set(tiny_shakespeare())))
        of = {"setting": setting, "letters": letters, "chosen": chosen, "runs": runs}
        record(__file__, list(SEEDS), **of)

    for kind in KINDS:
        rate = 0.02
        while True:
            better = min((rate / 2, rate, 2 * rate), key=lambda each: run(True, kind, each, 9))
            if better == rate:
                break
            rate = better
        chosen[kind] = rate
    for seed in SEEDS:
        for kind in KINDS:
            run(False, kind, chosen[kind], seed)
    save()


if __name__ == "__main__":
    main()
