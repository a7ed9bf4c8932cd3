"""Digits with few labels: encoders pretrained by SimCLR or as masked autoencoders, or not at all.

    python benchmarks/few_labels.py

All encoders are the same small Vision Transformer. The unlabeled pictures are those of the training
part. The development part chooses every rate and penalty, on a seed that is not used again, and the
test part only measures. An encoder is judged frozen, by a linear probe, and by fine-tuning. Beside
them: a probe of the pixels, an encoder as it was drawn, and training from scratch, also with the
augmentations that SimCLR sees. Writes `few_labels.json`.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from machine import record
from sklearn.linear_model import LogisticRegression
from torch import Tensor, nn
from torch.nn import functional as F

from solutions.contrastive import MaskedAutoencoder, nt_xent, random_views
from solutions.data import digits
from solutions.transformer import sinusoidal
from solutions.vit import VisionTransformer

WIDTH, PATCHES, KEPT, TEMPERATURE = 32, 16, 4, 0.2
SEEDS, TUNING = range(3), 10
COUNTS = (10, 50, 200)
STEPS = {"SimCLR": 400, "masked autoencoder": 700}  # similar amounts of time
PRETRAINING_RATES = {"SimCLR": (0.001, 0.003, 0.01), "masked autoencoder": (0.003, 0.01, 0.03)}
TUNING_STEPS, SCRATCH_STEPS, TUNING_RATES = 100, 400, (1e-3, 3e-3, 1e-2, 3e-2)
PENALTIES = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0)
DATA = digits(seed=0)
TRAIN, DEV, TEST = (part.features.view(-1, 1, 8, 8) for part in DATA)


def encoder(seed: int) -> VisionTransformer:
    """The model of all methods; positions start as waves of the row and of the column."""
    torch.manual_seed(seed)
    model = VisionTransformer(
        image_size=8,
        patch_size=2,
        channels=1,
        classes=10,
        embed_dim=WIDTH,
        num_heads=4,
        num_layers=2,
        hidden=64,
        pool="mean",
    )
    waves, place = sinusoidal(4, WIDTH // 2), torch.arange(PATCHES)
    with torch.no_grad():
        model.positions.copy_(torch.cat([waves[place // 4], waves[place % 4]], dim=1))
        nn.init.zeros_(model.classifier.weight)
    return model


def train(
    parameters: list[nn.Parameter],
    loss: Callable[[Tensor, torch.Generator], Tensor],
    *,
    examples: int,
    steps: int,
    rate: float,
    batch: int,
    seed: int,
) -> list[float]:
    """One cycle of AdamW; the loss gets the numbers of its examples. Ten points of the curve."""
    optimizer = torch.optim.AdamW(parameters, rate, weight_decay=0, fused=True)
    cycle = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps, pct_start=0.2)
    chance = torch.Generator().manual_seed(seed)
    seen = []
    for _ in range(steps):
        value = loss(torch.randperm(examples, generator=chance)[:batch], chance)
        optimizer.zero_grad()
        value.backward()
        optimizer.step()
        cycle.step()
        seen.append(value.detach())
    return [part.mean().item() for part in torch.stack(seen).chunk(10)]


def pretrained(
    name: str, seed: int, rate: float, steps: int | None = None
) -> tuple[VisionTransformer, list[float]]:
    model = encoder(seed)
    if name == "SimCLR":
        head = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH))
        head, model.classifier = model.classifier, head

        def loss(chosen: Tensor, chance: torch.Generator) -> Tensor:
            views = (random_views(TRAIN[chosen], chance) for _ in range(2))
            first, second = map(model, views)
            return nt_xent(first, second, TEMPERATURE)

        parameters = list(model.parameters())
    else:
        whole = MaskedAutoencoder(model, 4, num_heads=4, hidden=64)
        with torch.no_grad():
            whole.positions.copy_(model.positions)

        def loss(chosen: Tensor, chance: torch.Generator) -> Tensor:
            draws = torch.rand(len(chosen), PATCHES, generator=chance)
            return whole.loss(TRAIN[chosen], draws, KEPT)

        parameters, head = list(whole.parameters()), model.classifier
    curve = train(
        parameters,
        loss,
        examples=len(TRAIN),
        steps=steps or STEPS[name],
        rate=rate,
        batch=128,
        seed=seed,
    )
    model.classifier = head
    return model, curve


@torch.no_grad()
def features(model: VisionTransformer | None, images: Tensor) -> Tensor:
    """Mean over the patches; the pixels without a model."""
    if model is None:
        return images.flatten(1)
    return model.encoder(model.embed(images)).mean(dim=1)


def labeled(count: int, seed: int) -> Tensor:
    """Numbers of training pictures, the same number of each digit."""
    labels = DATA.train.labels
    order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(1_000 + seed))
    return torch.cat([order[labels[order] == digit][: count // 10] for digit in range(10)])


def share_right(predicted: Tensor, labels: Tensor) -> float:
    return 100 * (predicted == labels).float().mean().item()


def probe(
    model: VisionTransformer | None,
    count: int,
    seed: int,
    penalty: float,
    images: Tensor,
    to: Tensor,
) -> float:
    """Accuracy of softmax regression on frozen, standardized features."""
    train_features, chosen = features(model, TRAIN), labeled(count, seed)
    mean, deviation = train_features.mean(dim=0), train_features.std(dim=0) + 1e-6
    given, new = ((part - mean) / deviation for part in (train_features, features(model, images)))
    fitted = LogisticRegression(C=1 / penalty, max_iter=3_000)
    fitted.fit(given[chosen].numpy(), DATA.train.labels[chosen].numpy())
    return share_right(torch.as_tensor(fitted.predict(new.numpy())), to)


def fine_tuned(
    start: VisionTransformer,
    count: int,
    seed: int,
    rate: float,
    images: Tensor,
    to: Tensor,
    *,
    steps: int,
    moving: bool,
) -> float:
    """Accuracy after all weights were trained, with the classifier at zero before."""
    model = encoder(seed)
    model.load_state_dict(start.state_dict())
    chosen = labeled(count, seed)

    def loss(some: Tensor, chance: torch.Generator) -> Tensor:
        shown = TRAIN[chosen[some]]
        shown = random_views(shown, chance) if moving else shown
        return F.cross_entropy(model(shown), DATA.train.labels[chosen[some]])

    train(
        list(model.parameters()),
        loss,
        examples=count,
        steps=steps,
        rate=rate,
        batch=50,
        seed=seed,
    )
    with torch.no_grad():
        return share_right(model(images).argmax(dim=1), to)


def measure(kind: str, name: str, make: Callable, candidates: tuple[float, ...]) -> list[dict]:
    """Tune on the development part with one seed, then measure on the test part with others."""
    judge: Callable[..., float] = probe if kind == "probe" else fine_tuned
    options = {}
    if kind == "fine-tuning":
        scratch = name.startswith("from scratch")
        options["steps"] = SCRATCH_STEPS if scratch else TUNING_STEPS
        options["moving"] = name.endswith("augmented")
    runs = []
    for count in COUNTS:
        on_dev = {
            one: judge(make(TUNING), count, TUNING, one, DEV, DATA.dev.labels, **options)
            for one in candidates
        }
        best = max(on_dev, key=on_dev.__getitem__)
        found = [
            judge(make(seed), count, seed, best, TEST, DATA.test.labels, **options)
            for seed in SEEDS
        ]
        runs.append(
            {
                "kind": kind,
                "model": name,
                "labels": count,
                "setting": best,
                "development": list(on_dev.values()),
                "accuracy": found,
            }
        )
        print(runs[-1], flush=True)
    return runs


def main() -> None:
    torch.set_num_threads(1)
    encoders: dict[str, dict[int, VisionTransformer]] = {
        "random encoder": {seed: encoder(seed) for seed in (*SEEDS, TUNING)}
    }
    search, curves = [], {}
    for name, rates in PRETRAINING_RATES.items():
        tried = {rate: pretrained(name, TUNING, rate)[0] for rate in rates}
        on_dev = {
            rate: max(probe(model, 50, TUNING, one, DEV, DATA.dev.labels) for one in PENALTIES)
            for rate, model in tried.items()
        }
        best = max(on_dev, key=on_dev.__getitem__)
        search.append({"model": name, "rates": list(rates), "accuracy": list(on_dev.values())})
        print(search[-1], flush=True)
        made = {seed: pretrained(name, seed, best) for seed in SEEDS}
        curves[name] = [made[seed][1] for seed in SEEDS]
        encoders[name] = {seed: made[seed][0] for seed in SEEDS} | {TUNING: tried[best]}
    runs = measure("probe", "pixels", lambda seed: None, PENALTIES)
    for name, of in encoders.items():
        runs += measure("probe", name, of.__getitem__, PENALTIES)
    for name in ("SimCLR", "masked autoencoder"):
        runs += measure("fine-tuning", name, encoders[name].__getitem__, TUNING_RATES)
    for name in ("from scratch", "from scratch, augmented"):
        runs += measure("fine-tuning", name, encoders["random encoder"].__getitem__, TUNING_RATES)
    record(
        __file__,
        list(SEEDS),
        counts=list(COUNTS),
        steps=STEPS | {"fine-tuning": TUNING_STEPS, "from scratch": SCRATCH_STEPS},
        tuning_rates=list(TUNING_RATES),
        penalties=list(PENALTIES),
        search=search,
        curves=curves,
        runs=runs,
        unlabeled=len(TRAIN),
        tested=len(TEST),
    )


if __name__ == "__main__":
    main()
