"""Seven ways to fine-tune one pretrained decoder, each at its own learning rate.

    python benchmarks/transfer_ways.py [--fresh]

The decoder and the task are those of the page on transfer: 400 steps on the Python language
reference, then which of five words stands in a hole. Every way trains a new head of zeros: alone,
with all parameters, at one rate or at rates that fall by 2.6 from layer to layer, or with about
7,168 more parameters: LoRA of rank 4, adapters, prefixes, or, as a control, entries at random
places of the matrices that LoRA updates. Rates are a factor of two apart, chosen by the loss on
1,000 development holes of the text that may be read, with a seed that is not reported; the search
ends when the best rate lies between two that are worse. Then three seeds draw batches, the same for
every way, from all other rows that may be read. Writes `transfer_ways.json`, with how many seeds
are right on each hole of the test, and reuses the losses of its searches; `--fresh` starts over.
"""

from __future__ import annotations

import argparse
import copy
import json
from dataclasses import dataclass
from pathlib import Path

import torch
from machine import by_turns, record
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils import parametrize
from tuning import next_rate

from solutions.data import text
from solutions.tokenization import BytePairTokenizer
from solutions.transfer import (
    Adapter,
    At,
    Classifier,
    Prefix,
    Reader,
    add_lora,
    holes,
    layer_rates,
    next_token_loss,
)
from solutions.transformer import Config

LENGTH, BEFORE, AFTER = 24, 16, 7  # tokens of a row; on both sides of a hole
PRETRAINING, STEPS, BATCH = 400, 240, 32
DEVELOPMENT = 1_000
SEEDS, TUNING = [0, 1, 2], 3
WORDS = [" of", " to", " in", " and", " for"]
PARTS, RANK, WIDTH, PREFIX, DECAY = ["query", "value", "up", "down"], 4, 13, 28, 2.6
FIRST = {  # the rate that a search begins with
    "head alone": 1e-2,
    "all parameters": 2e-3,
    "all, rates by layer": 4e-3,
    "LoRA": 1e-2,
    "adapters": 5e-3,
    "prefixes": 1e-2,
    "random entries": 5e-3,
}
Rows = tuple[Tensor, Tensor]


def pretrained(seen: Tensor, vocabulary: int) -> Reader:
    """The page's decoder: the same steps, rate and seed."""
    config = Config(vocabulary=vocabulary, positions="rotary", norm_first=True, activation="gelu")
    torch.manual_seed(0)
    model, generator = Reader(config, is_causal=True), torch.Generator().manual_seed(0)
    rate = 5e-3
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=rate, betas=(0.9, 0.99), weight_decay=0, foreach=True
    )
    for step in range(PRETRAINING):
        optimizer.param_groups[0]["lr"] = rate * min((step + 1) / 30, 1) * (1 - step / PRETRAINING)
        starts = torch.randint(len(seen) - LENGTH, (BATCH, 1), generator=generator)
        loss = next_token_loss(model, seen[starts + torch.arange(LENGTH)])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    return model


class Prefixed(nn.Module):
    """A frozen reader with learned keys and values in every layer."""

    def __init__(self, reader: Reader, length: int) -> None:
        super().__init__()
        self.reader = reader
        self.prefixes = nn.ModuleList()
        for layer in reader.encoder.layers:
            heads = layer.attention.num_heads
            d_k = layer.attention.query.out_features // heads
            self.prefixes.append(Prefix(heads, length, d_k, d_k))

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.reader.embed(tokens)
        for layer, prefix in zip(self.reader.encoder.layers, self.prefixes, strict=True):
            x = layer(x, is_causal=True, cache=prefix)
        return self.reader.encoder.norm(x)


class Entries(nn.Module):
    """Updates of some entries of a weight, 0 at the start."""

    def __init__(self, places: Tensor) -> None:
        super().__init__()
        self.register_buffer("places", places)
        self.values = nn.Parameter(torch.zeros(len(places)))

    def forward(self, weight: Tensor) -> Tensor:
        return weight.flatten().scatter_add(0, self.places, self.values).view_as(weight)


def lora_matrices(reader: Reader) -> list[nn.Linear]:
    return [
        layer
        for name, layer in reader.named_modules()
        if isinstance(layer, nn.Linear) and name.split(".")[-1] in PARTS
    ]


def add_entries(reader: Reader) -> None:
    """Train as many entries as LoRA has, at random places of all the matrices that it updates."""
    layers = lora_matrices(reader)
    sizes = [layer.weight.numel() for layer in layers]
    count = sum(RANK * sum(layer.weight.shape) for layer in layers)
    chosen = torch.randperm(sum(sizes))[:count]
    start = 0
    for layer, size in zip(layers, sizes, strict=True):
        inside = chosen[(chosen >= start) & (chosen < start + size)] - start
        parametrize.register_parametrization(layer, "weight", Entries(inside))
        start += size


def prepared(base: Reader, way: str, seed: int) -> Classifier:
    """A classifier in which only the parameters that this way trains need gradients."""
    torch.manual_seed(seed)
    reader = copy.deepcopy(base).requires_grad_(way.startswith("all"))
    trunk: nn.Module = reader
    if way == "LoRA":
        add_lora(reader, PARTS, rank=RANK, alpha=RANK)
    elif way == "adapters":  # after the attention and after the feed-forward network
        for layer in reader.encoder.layers:
            for owner, name in ((layer.attention, "output"), (layer.feed_forward, "down")):
                part = getattr(owner, name)
                setattr(owner, name, nn.Sequential(part, Adapter(part.out_features, WIDTH)))
    elif way == "prefixes":
        trunk = Prefixed(reader, PREFIX)
    elif way == "random entries":
        add_entries(reader)
    asks = {name: p.requires_grad for name, p in trunk.named_parameters()}
    model = Classifier(At(trunk, -1), 64, len(WORDS), frozen=way == "head alone")
    for name, parameter in trunk.named_parameters():  # a classifier sets all of them alike
        parameter.requires_grad_(asks[name])
    nn.init.zeros_(model.head.weight)
    nn.init.zeros_(model.head.bias)
    return model


def tuned(
    base: Reader, way: str, part: Rows, *, rate: float, seed: int, steps: int = STEPS
) -> tuple[Classifier, int]:
    """The model after fine-tuning, and how many parameters were trained."""
    model = prepared(base, way, seed)
    named = {name: p for name, p in model.named_parameters() if p.requires_grad}
    rates = dict.fromkeys(named, rate)
    if way == "all, rates by layer":
        layers = len(base.encoder.layers)
        rates = layer_rates(list(named), layers=layers, rate=rate, decay=DECAY)
    groups = [
        {"params": [named[name] for name in named if rates[name] == one], "lr": one}
        for one in sorted(set(rates.values()))
    ]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01, foreach=True)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / steps)
    generator = torch.Generator().manual_seed(seed)
    rows, labels = part
    model.train()
    for _ in range(steps):
        batch = torch.randint(len(rows), (BATCH,), generator=generator)
        loss = F.cross_entropy(model(rows[batch]), labels[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return model.eval(), sum(p.numel() for p in named.values())


@torch.no_grad()
def judged(model: Classifier, part: Rows) -> tuple[float, Tensor]:
    """Loss in nats, and which answers are right."""
    logits = model(part[0])
    return F.cross_entropy(logits, part[1]).item(), logits.argmax(dim=1) == part[1]


@dataclass(frozen=True)
class Setting:
    """Data and model that all runs share.

    Attributes:
        base: the pretrained decoder.
        pool: the holes of the text that may be read, with their labels.
        test: the holes of unseen text, with their labels.
        words: tokens of the five words.
    """

    base: Reader
    pool: Rows
    test: Rows
    words: Tensor


def setting() -> Setting:
    """Read the text, pretrain the decoder, cut holes."""
    lines = text().splitlines()
    tokenizer = BytePairTokenizer(specials=["<mask>", *(f"<{k}>" for k in range(8))])
    tokenizer.train("\n".join(lines), 765)
    encode = tokenizer.encode
    seen, unseen = (
        torch.tensor(
            encode("\n".join(line for k, line in enumerate(lines) if (k % 4 == 3) == kept))
        )
        for kept in (False, True)
    )
    words, hole = torch.tensor([encode(word)[0] for word in WORDS]), encode("<mask>")[0]
    pool, test = (
        holes(part, words, before=BEFORE, after=AFTER, hole=hole) for part in (seen, unseen)
    )
    pool, test = ((rows[:, :BEFORE], labels) for rows, labels in (pool, test))
    base = pretrained(seen, len(tokenizer))
    return Setting(base, pool, test, words)


def split(pool: Rows) -> tuple[Rows, Rows]:
    """Rows for development, and all others, whose labels are trained on."""
    order = torch.randperm(len(pool[1]), generator=torch.Generator().manual_seed(999))
    held, rest = order[:DEVELOPMENT], order[DEVELOPMENT:]
    return (pool[0][held], pool[1][held]), (pool[0][rest], pool[1][rest])


def shuffled(rows: Rows, seed: int) -> Rows:
    """All rows, in an order that a seed draws."""
    generator = torch.Generator().manual_seed(1_000 + seed)
    order = torch.randperm(len(rows[1]), generator=generator)
    return rows[0][order], rows[1][order]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--fresh", action="store_true")
    path = Path(__file__).with_suffix(".json")
    anew = parser.parse_args().fresh or not path.exists()
    known = {} if anew else json.loads(path.read_text())["ways"]
    torch.set_num_threads(1)
    on = setting()
    base, test = on.base, on.test
    development, labeled = split(on.pool)
    with torch.no_grad():
        guess = base.score(base(test[0])[:, -1])[:, on.words].argmax(dim=1)
    zero = 100 * (guess == test[1]).double().mean().item()
    print(f"pretrained: {zero:.1f}%", flush=True)

    ways: dict[str, dict] = {}
    for way, first in FIRST.items():
        losses: dict[str, float] = dict(known.get(way, {}).get("losses", {}))
        while f"{(rate := next_rate(losses, first)):g}" not in losses:
            model, _ = tuned(base, way, shuffled(labeled, TUNING), rate=rate, seed=TUNING)
            losses[f"{rate:g}"] = judged(model, development)[0]
        found = []
        for seed in SEEDS:
            model, count = tuned(base, way, shuffled(labeled, seed), rate=rate, seed=seed)
            found.append(judged(model, test)[1])
        right = [100 * one.double().mean().item() for one in found]
        hits = torch.stack(found).sum(dim=0).tolist()
        ways[way] = {
            "trained": count,
            "rate": rate,
            "losses": losses,
            "right": right,
            "hits": hits,
        }
        print(way, count, rate, right, flush=True)

    timed, some = 20, shuffled(labeled, 0)
    best = by_turns(
        5,
        {
            way: lambda way=way: tuned(base, way, some, rate=ways[way]["rate"], seed=0, steps=timed)
            for way in ways
        },
    )
    for way, seconds in best.items():
        ways[way]["step_seconds"] = seconds / timed
    record(
        __file__,
        SEEDS,
        pretraining_steps=PRETRAINING,
        steps=STEPS,
        labels=len(labeled[1]),
        development=DEVELOPMENT,
        test=len(test[1]),
        zero=zero,
        ways=ways,
    )


if __name__ == "__main__":
    main()
