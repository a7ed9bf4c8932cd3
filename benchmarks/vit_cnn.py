"""A Vision Transformer and a CNN of one size, as training data grow: is there a crossing?

    python benchmarks/vit_cnn.py [--fresh] [--minutes 4]

On letters (`glyphs`, whole fonts held out). Two baselines of the same size join them: softmax
regression and an MLP. All models get the same pictures in the same order, the same steps, and the
same search for the peak of the learning rate, on development pictures of seed 0; it goes on until
the best rate lies between two that are worse. With the most letters all are trained for 900, 2,700
and 8,100 steps, to see whether more steps still help. As a control, the same is done with pictures
whose pixels are shuffled, all in the same way, so that neighbors are no longer neighbors.

Two more ViTs, with patches of 7 and of 4 pixels, are examined during training: how similar the
positions of neighbors are, and how far each head looks. Writes `vit_cnn.json` after each training,
and reuses what it holds; `--fresh` starts over.
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

from solutions.data import Split, Splits, glyphs
from solutions.vit import VisionTransformer, attention_distance

RATES, FACTOR = (0.0008, 0.002, 0.005, 0.0125, 0.03), 2.5  # and so on, beyond the first and last
BATCH, SEEDS, SIZE, CLASSES = 32, (0, 1, 2), 28, 26
STEPS = {  # of one training, by the number of pictures
    "glyphs": {
        50: (300,),
        200: (300,),
        1_000: (600,),
        5_000: (900,),
        20_000: (900, 2_700, 8_100),
    },
    "shuffled": {20_000: (900,)},
}
# Pictures and steps of each search for a rate.
SEARCHES = ((200, 300), (1_000, 500), (20_000, 1_000), (20_000, 2_700))
PATCHES, LOOKS = (7, 4), (250, 500, 1_000, 2_000, 4_000)  # pixels; steps of one training


def vit(patch: int = SIZE // 4) -> nn.Module:
    """D = 32, two layers, four heads; sixteen patches, unless their size is given."""
    return VisionTransformer(
        image_size=SIZE,
        patch_size=patch,
        channels=1,
        classes=CLASSES,
        embed_dim=32,
        num_heads=4,
        num_layers=2,
        hidden=64,
    )


def cnn() -> nn.Module:
    """Three convolutions and a dense layer on maps of 4 × 4, with nearly as many parameters."""
    layers: list[nn.Module] = []
    for before, width, kernel in ((1, 16, 5), (16, 24, 3), (24, 28, 3)):
        layers += [nn.Conv2d(before, width, kernel, 2, kernel // 2), nn.ReLU()]
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(28 * 16, CLASSES))


def mlp() -> nn.Module:
    """As many hidden units as the parameters allow."""
    layers = nn.Linear(SIZE**2, 25), nn.ReLU(), nn.Linear(25, CLASSES)
    return nn.Sequential(nn.Flatten(), *layers)


def softmax() -> nn.Module:
    """A weight for each pixel and letter."""
    return nn.Sequential(nn.Flatten(), nn.Linear(SIZE**2, CLASSES))


MAKE = {"ViT": vit, "CNN": cnn, "MLP": mlp, "softmax": softmax}


def pictures(part: Split) -> tuple[Tensor, Tensor]:
    return part.features.unflatten(1, (1, SIZE, SIZE)), part.labels


def trained(
    name: str,
    part: tuple[Tensor, Tensor],
    *,
    rate: float,
    seed: int,
    steps: int,
) -> nn.Module:
    """One cycle of AdamW on batches of one shuffle after the other."""
    torch.manual_seed(seed)
    model = MAKE[name]()
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
    """One training of a ViT on the most letters; its positions and heads during training."""
    data = split_of("glyphs", seed)
    torch.manual_seed(seed)
    model, looks = vit(patch), []
    for step in steps_of(model, pictures(data.train), rate=rate, seed=seed, steps=LOOKS[-1]):
        if step not in LOOKS:
            continue
        model.eval()
        test = pictures(data.test)
        far = attention_distance(model.weights(test[0][:200]), SIZE // patch).mean(dim=1)
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
    """Accuracy in percent."""
    images, labels = part
    guesses = torch.cat([model(some).argmax(dim=1) for some in images.split(500)])
    return 100 * (guesses == labels).double().mean().item()


@functools.lru_cache(maxsize=1)
def split_of(kind: str, seed: int) -> Splits[Split]:
    """The letters of a seed, in its order: other fonts, another shuffle."""
    found = glyphs(20_000, seed=seed)
    if kind == "glyphs":
        return found
    pixels = torch.randperm(SIZE**2, generator=torch.Generator().manual_seed(0))
    return Splits(*(Split(part.features[:, pixels], part.labels) for part in found))


def bracketed(measure: Callable[..., float]) -> float:
    """Try all rates, and go on beyond the last one while that is the best; return the best."""
    tried = {rate: measure(rate=rate) for rate in RATES}
    while (best := max(tried, key=tried.__getitem__)) in (min(tried), max(tried)):
        beyond = best / FACTOR if best == min(tried) else best * FACTOR
        tried[beyond] = measure(rate=beyond)
    return best


def jobs(kind: str) -> list[tuple[int, int]]:
    """Pictures and steps of all trainings."""
    return [(amount, steps) for amount, lengths in STEPS[kind].items() for steps in lengths]


def search_for(amount: int, steps: int) -> tuple[int, int]:
    """The search whose rate a training takes: of as many pictures or more, and long enough."""
    enough = [at for at in SEARCHES if at[0] >= amount]
    return next((at for at in enough if 2 * at[1] >= steps), enough[-1])


def look(
    looks: list[dict[str, object]], rate: float, deadline: float, save: Callable[[], None]
) -> None:
    """Watch a ViT of each patch size and seed, unless that is recorded."""
    for seed, patch in itertools.product(SEEDS, PATCHES):
        job = {"patch": patch, "seed": seed, "rate": rate}
        if any(job.items() <= one.items() for one in looks):
            continue
        if time.monotonic() > deadline:
            raise SystemExit("out of time: the same command goes on from here")
        found = watched(patch, seed, rate)
        looks.append({**job, "looks": found})
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
    before: list[dict[str, object]] = known.get("runs", [])
    looks: list[dict[str, object]] = known.get("looks", [])
    runs: list[dict[str, object]] = []
    sizes = {name: sum(p.numel() for p in make().parameters()) for name, make in MAKE.items()}

    def save(*others: dict[str, object]) -> None:
        kept = [*runs, *(one for one in others if one not in runs)]
        record(__file__, SEEDS, batch=BATCH, rates=RATES, sizes=sizes, runs=kept, looks=looks)

    def run(search: bool, kind: str, name: str, amount: int, **how: object) -> float:
        """Train and test once, unless that is recorded."""
        if time.monotonic() > deadline:
            raise SystemExit("out of time: the same command goes on from here")
        job = {"search": search, "kind": kind, "model": name, "pictures": amount, **how}
        for done in before:
            if job.items() <= done.items():
                runs.append(done)
                return done["accuracy"]
        data = split_of(kind, 0 if search else how["seed"])
        images, labels = pictures(data.train)
        begun = time.process_time()
        model = trained(name, (images[:amount], labels[:amount]), **how)
        seconds = time.process_time() - begun
        right = accuracy(model, pictures(data.dev if search else data.test))
        runs.append({**job, "accuracy": right, "seconds": seconds})
        print(*runs[-1].values(), flush=True)
        save(*before)
        return right

    best: dict[tuple[str, str, int, int], float] = {}
    for kind, name in itertools.product(STEPS, MAKE):
        for amount, steps in {search_for(*job): None for job in jobs(kind)}:
            measure = functools.partial(run, True, kind, name, amount, seed=9, steps=steps)
            best[kind, name, amount, steps] = bracketed(measure)
    for kind, seed, name in itertools.product(STEPS, SEEDS, MAKE):
        for amount, steps in jobs(kind):
            rate = best[kind, name, *search_for(amount, steps)]
            run(False, kind, name, amount, rate=rate, seed=seed, steps=steps)
    look(looks, best["glyphs", "ViT", 20_000, 2_700], deadline, save)
    looks[:] = [one for one in looks if one["rate"] == best["glyphs", "ViT", 20_000, 2_700]]
    save()


if __name__ == "__main__":
    main()
