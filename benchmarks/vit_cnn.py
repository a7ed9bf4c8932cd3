"""A Vision Transformer and a CNN of one size, as training data grow: is there a crossing?

    python benchmarks/vit_cnn.py [--fresh] [--minutes 4]

On letters (`glyphs`, whole fonts held out), digits and, where its images can be had, Fashion-MNIST.
Both models get the same pictures in the same order, the same steps, and the same search for the
peak of the learning rate, on development pictures of seed 0. With the most letters both are trained
for 900, 2,700 and 8,100 steps, to see whether more steps still help. Two more ViTs, with patches of
7 and of 4 pixels, are looked at on the way: how similar the positions of neighbors are, and how far
each head looks. Writes `vit_cnn.json` after each training, and takes from it what is there already;
`--fresh` begins anew.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import torch
import torch.nn.functional as F
from machine import record
from torch import Tensor, nn

from solutions.data import Split, Splits, digits, fashion_mnist, glyphs
from solutions.download import DataError
from solutions.vit import VisionTransformer, attention_distance

RATES = (0.0008, 0.002, 0.005, 0.0125, 0.03)
BATCH, SEEDS = 32, (0, 1, 2)
STEPS = {50: (300,), 200: (300,), 1_000: (600,), 5_000: (900,), 20_000: (900, 2_700, 8_100)}
TUNED_AT = {1_000: 500, 20_000: 1_000}  # pictures -> steps of a search; fewer take the first
PATCHES, LOOKS = (7, 4), (250, 500, 1_000, 2_000, 4_000)  # pixels; steps of one training
CLASSES = {"glyphs": 26, "digits": 10, "fashion_mnist": 10}


def vit(size: int, classes: int, patch: int | None = None) -> nn.Module:
    """D = 32, two layers, four heads; sixteen patches, unless their size is given."""
    return VisionTransformer(
        image_size=size,
        patch_size=patch or size // 4,
        channels=1,
        classes=classes,
        embed_dim=32,
        num_heads=4,
        num_layers=2,
        hidden=64,
    )


def cnn(size: int, classes: int) -> nn.Module:
    """Three convolutions and a dense layer on maps of 4 × 4, with nearly as many parameters."""
    first, strides, widths = (
        (5, (2, 2, 2), (16, 24, 28)) if size > 8 else (3, (1, 2, 1), (16, 24, 36))
    )
    layers: list[nn.Module] = []
    for before, width, stride in zip((1, *widths), widths, strides, strict=False):
        kernel = 3 if layers else first
        layers += [nn.Conv2d(before, width, kernel, stride, kernel // 2), nn.ReLU()]
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(widths[-1] * 16, classes))


MAKE = {"ViT": vit, "CNN": cnn}


def pictures(part: Split) -> tuple[Tensor, Tensor]:
    size = round(part.features.shape[1] ** 0.5)
    return part.features.unflatten(1, (1, size, size)), part.labels


def trained(
    name: str,
    part: tuple[Tensor, Tensor],
    *,
    classes: int,
    rate: float,
    seed: int,
    steps: int,
) -> nn.Module:
    """One cycle of AdamW on batches of one shuffle after the other."""
    torch.manual_seed(seed)
    model = MAKE[name](part[0].shape[-1], classes)
    for _ in steps_of(model, part, rate=rate, seed=seed, steps=steps):
        pass
    return model.eval()


def steps_of(
    model: nn.Module, part: tuple[Tensor, Tensor], *, rate: float, seed: int, steps: int
) -> Iterator[int]:
    """Train, and say after each step how many there were."""
    images, labels = part
    chance = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.AdamW(model.parameters(), rate, weight_decay=0.05, fused=True)
    cycle = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps, pct_start=0.2)
    batch, order = min(BATCH, len(labels)), torch.empty(0, dtype=torch.int64)
    for step in range(1, steps + 1):
        if len(order) < batch:
            order = torch.randperm(len(labels), generator=chance)
        rows, order = order[:batch], order[batch:]
        loss = F.cross_entropy(model(images[rows]), labels[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        cycle.step()
        yield step


def positions_of(model: VisionTransformer) -> Tensor:
    """Cosines between the positions of patches, their mean taken off: (patches, patches)."""
    table = model.positions[1:].detach()
    table = F.normalize(table - table.mean(dim=0), dim=1)
    return table @ table.T


def watched(patch: int, seed: int, rate: float) -> list[dict[str, object]]:
    """One training of a ViT on the most letters; what its positions and heads do on the way."""
    data = split_of("glyphs", seed)
    torch.manual_seed(seed)
    model, looks = vit(28, 26, patch), []
    for step in steps_of(model, pictures(data.train), rate=rate, seed=seed, steps=LOOKS[-1]):
        if step not in LOOKS:
            continue
        model.eval()
        test = pictures(data.test)
        far = attention_distance(model.weights(test[0][:200]), 28 // patch).mean(dim=1)
        cosines = positions_of(model).tolist()
        looks.append(
            {
                "step": step,
                "accuracy": accuracy(model, test),
                "cosines": [[round(one, 3) for one in row] for row in cosines],
                "distances": [[round(one, 3) for one in row] for row in far.tolist()],
            }
        )
        model.train()
    return looks


@torch.no_grad()
def accuracy(model: nn.Module, part: tuple[Tensor, Tensor]) -> float:
    """In percent."""
    images, labels = part
    guesses = torch.cat([model(some).argmax(dim=1) for some in images.split(500)])
    return 100 * (guesses == labels).double().mean().item()


@functools.lru_cache(maxsize=1)
def split_of(kind: str, seed: int) -> Splits[Split]:
    """The pictures of a seed, in its order: other fonts, another shuffle."""
    if kind == "glyphs":
        return glyphs(20_000, seed=seed)
    if kind == "digits":
        return digits(seed=seed)
    train, dev, test = fashion_mnist()
    order = torch.randperm(len(train.labels), generator=torch.Generator().manual_seed(seed))
    return Splits(Split(train.features[order], train.labels[order]), dev, test)


def parameters_of(size: int, classes: int) -> dict[str, int]:
    """How many parameters each model has."""
    made = {name: make(size, classes) for name, make in MAKE.items()}
    return {name: sum(p.numel() for p in model.parameters()) for name, model in made.items()}


def at_best(
    runs: list[dict[str, object]], kind: str, best: dict[tuple[str, int], float]
) -> list[dict[str, object]]:
    """Without the runs of a kind at another rate than the one that is now chosen."""
    return [
        done
        for done in runs
        if done["search"]
        or done["kind"] != kind
        or done["rate"] == best[done["model"], done["pictures"]]
    ]


def look(
    looks: list[dict[str, object]], rate: float, deadline: float, save: Callable[[], None]
) -> None:
    """Watch a ViT of each patch size and seed, unless that is recorded."""
    for seed, patch in itertools.product(SEEDS, PATCHES):
        if any(one["seed"] == seed and one["patch"] == patch for one in looks):
            continue
        if time.monotonic() > deadline:
            raise SystemExit("out of time: the same command goes on from here")
        found = watched(patch, seed, rate)
        looks.append({"patch": patch, "seed": seed, "rate": rate, "looks": found})
        print(patch, seed, [one["accuracy"] for one in found], flush=True)
        save()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--fresh", action="store_true", help="forget what is recorded")
    parser.add_argument("--minutes", type=float, default=1e9, help="stop after so many")
    given = parser.parse_args()
    torch.set_num_threads(1)
    file, deadline = Path(__file__).with_suffix(".json"), time.monotonic() + 60 * given.minutes
    known = json.loads(file.read_text()) if file.exists() and not given.fresh else {}
    runs: list[dict[str, object]] = known.get("runs", [])
    sizes: dict[str, dict[str, int]] = {}
    missing: list[str] = []
    looks: list[dict[str, object]] = known.get("looks", [])

    def save() -> None:
        results = {"sizes": sizes, "missing": missing, "runs": runs, "looks": looks}
        record(__file__, SEEDS, batch=BATCH, rates=RATES, **results)

    def run(search: bool, kind: str, name: str, amount: int, **how: object) -> float:
        """Train and test once, unless that is recorded."""
        if time.monotonic() > deadline:
            raise SystemExit("out of time: the same command goes on from here")
        job = {"search": search, "kind": kind, "model": name, "pictures": amount, **how}
        for done in runs:
            if job.items() <= done.items():
                return done["accuracy"]
        data = split_of(kind, 0 if search else how["seed"])
        images, labels = pictures(data.train)
        begun = time.process_time()
        model = trained(name, (images[:amount], labels[:amount]), classes=CLASSES[kind], **how)
        seconds = time.process_time() - begun
        right = accuracy(model, pictures(data.dev if search else data.test))
        runs.append({**job, "accuracy": right, "seconds": seconds})
        print(*runs[-1].values(), flush=True)
        save()
        return right

    for kind in CLASSES:
        try:
            images, _ = pictures(split_of(kind, 0).train)
        except DataError:
            missing.append(kind)
            continue
        sizes[kind] = parameters_of(images.shape[-1], CLASSES[kind])
        amounts = [amount for amount in STEPS if amount <= len(images)]
        best: dict[tuple[str, int], float] = {}
        for name in MAKE:
            for amount in amounts:
                at = min(at for at in TUNED_AT if at >= amount)
                tried = {
                    rate: run(True, kind, name, at, rate=rate, seed=9, steps=TUNED_AT[at])
                    for rate in RATES
                }
                best[name, amount] = max(RATES, key=tried.__getitem__)
        for turn in range(3):  # the longest last
            for seed, name, amount in itertools.product(SEEDS, MAKE, amounts):
                for steps in STEPS[amount][turn : turn + 1]:
                    rate = best[name, amount]
                    run(False, kind, name, amount, rate=rate, seed=seed, steps=steps)
        runs[:] = at_best(runs, kind, best)
        if kind == "glyphs":
            look(looks, best["ViT", amounts[-1]], deadline, save)
    save()


if __name__ == "__main__":
    main()
