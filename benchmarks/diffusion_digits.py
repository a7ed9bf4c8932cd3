"""Flow matching on digits of 8 × 8 pixels: training length, guidance, steps, and copies.

    python benchmarks/diffusion_digits.py

Each seed is a split of the digits. A network with labels learns velocities from the training part;
the learning rate is chosen on the development part of another split. At each look, with an average
of its weights, it draws one image for each label of the test part. They are judged by a classifier
that has learned from the training images, by the Fréchet distance to the test images in the
features of that classifier, by the mean distance of two images of a class, and by whether the
nearest real image is one of the training images, when as many held-out images are offered. Four
baselines go through the same: training images, a Gaussian of each class with correlated pixels,
one with independent pixels, and uniform noise. Writes `diffusion_digits.json`.
"""

from __future__ import annotations

import copy

import torch
from machine import record
from torch import Tensor, nn
from torch.nn import functional as F

from solutions.data import Split, Splits, digits
from solutions.diffusion import (
    Denoiser,
    drop_labels,
    flow_loss,
    flow_table,
    frechet_distance,
    from_velocity,
    guided,
    sample,
)
from solutions.generative import fit_covariance, fit_gaussian, sample_gaussian

SEEDS, TUNING = (0, 1, 2), 10
HIDDEN, LAYERS, BATCH, NULL = 160, 3, 128, 10
RATES = (0.0003, 0.001, 0.003, 0.01)
LOOKS = (500, 2_000, 8_000)
WEIGHTS = (0.0, 1.0, 1.5, 2.0, 3.0, 5.0)
STEPS = (1, 2, 3, 5, 10, 25, 50, 100)


def centered(images: Tensor) -> Tensor:
    """Gray values from -1 to 1."""
    return 2 * images - 1


def train_judge(data: Split, seed: int) -> nn.Sequential:
    """A small convolutional network; its features are what its last layer reads."""
    torch.manual_seed(seed)
    judge = nn.Sequential(
        nn.Unflatten(1, (1, 8, 8)), nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(),
        nn.Conv2d(16, 32, 3, stride=2, padding=1), nn.ReLU(),
        nn.Flatten(), nn.Linear(512, 32), nn.ReLU(), nn.Linear(32, 10),
    )  # fmt: skip
    optimizer = torch.optim.AdamW(judge.parameters(), 0.003, fused=True)
    chance = torch.Generator().manual_seed(seed)
    for _ in range(500):
        rows = torch.randint(len(data.labels), (64,), generator=chance)
        loss = F.cross_entropy(judge(centered(data.features[rows])), data.labels[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return judge.eval().requires_grad_(False)


def held_loss(model: Denoiser, data: Split) -> float:
    """The flow matching loss with labels, on fixed noise and times, several of each image."""
    chance = torch.Generator().manual_seed(0)
    images, labels = centered(data.features).repeat(8, 1), data.labels.repeat(8)
    times = torch.rand(len(images), generator=chance)
    draws = torch.randn(images.shape, generator=chance)
    with torch.no_grad():
        return flow_loss(lambda x: model(x, times, labels), images, draws, times).item()


def train(data: Split, seed: int, rate: float, looks: tuple[int, ...]):
    """Train at a constant rate; give the running average of the weights at each look."""
    torch.manual_seed(seed)
    model = Denoiser(64, HIDDEN, layers=LAYERS, classes=10)
    average = copy.deepcopy(model)
    optimizer = torch.optim.AdamW(model.parameters(), rate, weight_decay=0, fused=True)
    chance = torch.Generator().manual_seed(seed)
    images = centered(data.features)
    for step in range(1, max(looks) + 1):
        rows = torch.randint(len(images), (BATCH,), generator=chance)
        times, uniform = torch.rand(2, BATCH, generator=chance)
        draws = torch.randn(BATCH, 64, generator=chance)
        labels = drop_labels(data.labels[rows], uniform, share=0.1, null=NULL)
        loss = flow_loss(lambda x: model(x, times, labels), images[rows], draws, times)  # noqa: B023
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        kept = min(0.998, step / (step + 9))
        with torch.no_grad():
            torch._foreach_lerp_(list(average.parameters()), list(model.parameters()), 1 - kept)
        if step in looks:
            yield step, average


def draw(model: Denoiser, labels: Tensor, start: Tensor, steps: int, weight: float) -> Tensor:
    """Images for labels, by Euler steps with classifier-free guidance."""
    table = flow_table(steps)
    rates = torch.tensor([-1.0, 1.0])

    def denoiser(level: Tensor):
        def clean(x: Tensor) -> Tensor:
            velocity = model(x, level[1], labels)
            if weight != 1:
                velocity = guided(velocity, model(x, level[1]), weight)
            return from_velocity(x, velocity, level, rates)[0]

        return clean

    with torch.no_grad():
        return sample([denoiser(level) for level in table], start, table).clamp(-1, 1)


def apart(images: Tensor, labels: Tensor) -> float:
    """Mean distance of two images of a class, averaged over classes."""
    return sum(torch.pdist(images[labels == c]).mean().item() for c in range(10)) / 10


def measure(images: Tensor, data: Splits[Split], judge: nn.Sequential) -> dict[str, float]:
    """Four judgments of images that were drawn for the labels of the test part."""
    held = centered(torch.cat([data.dev.features, data.test.features]))
    known = centered(data.train.features[: len(held)])
    labels, real = data.test.labels, centered(data.test.features)
    nearest = [torch.cdist(images, some).amin(dim=1) for some in (known, held)]
    right = (judge(images).argmax(dim=1) == labels).float().mean().item()
    return {
        "accuracy": 100 * right,
        "frechet": frechet_distance(judge[:7](images), judge[:7](real)).item(),
        "diversity": apart(images, labels) / apart(real, labels),
        "nearer": 100 * (nearest[0] < nearest[1]).float().mean().item(),
        "copies": 100 * (nearest[0] < 0.1).float().mean().item(),
    }


def by_label(data: Split, labels: Tensor) -> Tensor:
    """Images with the given labels, in order; those of a label start again when all are used."""
    turns, rows = [0] * 10, []
    of = [(data.labels == label).nonzero()[:, 0] for label in range(10)]
    for label in labels.tolist():
        rows.append(of[label][turns[label] % len(of[label])])
        turns[label] += 1
    return centered(data.features[torch.stack(rows)])


def baselines(data: Splits[Split], chance: torch.Generator) -> dict[str, Tensor]:
    """One image for each label of the test part, without a network."""
    x, y = centered(data.train.features), data.train.labels
    labels = data.test.labels
    noise = torch.randn(len(labels), 64, generator=chance)
    mean, covariance = fit_covariance(x, y, classes=10, floor=0.01)
    roots = torch.linalg.cholesky(covariance)
    offered = len(data.dev.labels) + len(labels)  # as in `measure`
    return {
        "held-out images": by_label(data.dev, labels),
        "training images": by_label(Split(data.train.features[:offered], y[:offered]), labels),
        "Gaussian of each class": mean[labels] + (roots[labels] @ noise[..., None])[..., 0],
        "naive Bayes": sample_gaussian(labels, noise, *fit_gaussian(x, y, classes=10)),
        "noise": 2 * torch.rand(noise.shape, generator=chance) - 1,
    }


def search_rate() -> list[dict[str, float]]:
    """The loss on development images of the split for tuning, by rate and step."""
    data = digits(seed=TUNING)
    return [
        {"rate": rate, "steps": step, "loss": held_loss(model, data.dev)}
        for rate in RATES
        for step, model in train(data.train, TUNING, rate, (1_000, 4_000))
    ]


def main() -> None:
    torch.set_num_threads(1)
    search = search_rate()
    longest = [one for one in search if one["steps"] == max(one["steps"] for one in search)]
    rate = min(longest, key=lambda one: one["loss"])["rate"]
    runs, others = [], []
    for seed in SEEDS:
        data = digits(seed=seed)
        judge = train_judge(data.train, seed)
        chance = torch.Generator().manual_seed(seed)
        labels = data.test.labels
        start = torch.randn(len(labels), 64, generator=chance)
        reads = (judge(centered(data.test.features)).argmax(dim=1) == labels).float().mean().item()
        found = baselines(data, chance)
        named = {name: measure(of.clamp(-1, 1), data, judge) for name, of in found.items()}
        others.append({"seed": seed, "judge": 100 * reads} | named)
        for step, model in train(data.train, seed, rate, LOOKS):
            losses = {part: held_loss(model, getattr(data, part)) for part in ("train", "dev")}
            one = {"seed": seed, "step": step} | losses
            for name, values in (("weights", WEIGHTS), ("steps", STEPS)):
                one[name] = {}
                for value in values:
                    steps, weight = (25, value) if name == "weights" else (value, 1.0)
                    images = draw(model, labels, start, steps, weight)
                    one[name][value] = measure(images, data, judge)
            runs.append(one)
            print(one["seed"], one["step"], losses, one["weights"][1.0], flush=True)
    record(__file__, list(SEEDS), search=search, rate=rate, others=others, runs=runs)


if __name__ == "__main__":
    main()
