"""Samples of digits before other judges than the one of `diffusion_digits.py`.

    python benchmarks/diffusion_judges.py

The networks of `diffusion_digits.py`, trained again at the rate that it chose, and its baselines.
Two other networks judge their samples: the residual network, which is the best model of the image
ladder; and a small convolutional network that has learned from the development images, so that it
knows nothing of the images that samples may copy. Of each judge: its accuracy on the test images,
and for each set of samples the percentage that it reads as the label, and the Fréchet distance to
the test images in its features. Writes `diffusion_judges.json`.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

import torch
from diffusion_digits import LOOKS, SEEDS, baselines, centered, draw, train, train_judge
from machine import record
from torch import Tensor, nn
from torch.nn import functional as F

from solutions import convolution
from solutions.convolution import ResNet
from solutions.data import Split, digits
from solutions.diffusion import frechet_distance

# Written to be read; PyTorch's, of the same name, computes the same in less time.
convolution.conv2d = F.conv2d

GUIDANCE = (1.0, 1.5, 5.0)
STEPS, RATE = 400, 0.03


class Mean(nn.Module):
    """The mean of each map: what the last layer of a residual network reads."""

    def forward(self, maps: Tensor) -> Tensor:
        return maps.mean(dim=(2, 3))


def residual(data: Split, seed: int) -> nn.Sequential:
    """The residual network of the ladder, with one cycle of AdamW."""
    torch.manual_seed(seed)
    net = ResNet()
    judge = nn.Sequential(
        nn.Unflatten(1, (1, 8, 8)), net.conv, net.norm, nn.ReLU(), net.blocks, Mean(), net.fc
    )
    optimizer = torch.optim.AdamW(judge.parameters(), RATE, fused=True)
    cycle = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=STEPS)
    chance = torch.Generator().manual_seed(seed)
    for _ in range(STEPS):
        rows = torch.randint(len(data.labels), (64,), generator=chance)
        loss = F.cross_entropy(judge(centered(data.features[rows])), data.labels[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        cycle.step()
    return judge.eval().requires_grad_(False)


def judged(judge: nn.Sequential, images: Tensor, real: Split) -> dict[str, float]:
    """Accuracy and distance of images that were drawn for the labels of the test part."""
    images, test = images.clamp(-1, 1), centered(real.features)
    right = (judge(images).argmax(dim=1) == real.labels).float().mean().item()
    return {
        "accuracy": 100 * right,
        "frechet": frechet_distance(judge[:-1](images), judge[:-1](test)).item(),
    }


def main() -> None:
    torch.set_num_threads(1)
    begun = time.process_time()
    before = json.loads(Path(__file__).with_name("diffusion_digits.json").read_text())
    runs = []
    for seed in SEEDS:
        data = digits(seed=seed)
        chance = torch.Generator().manual_seed(seed)
        start = torch.randn(len(data.test.labels), 64, generator=chance)
        samples = baselines(data, chance)
        for step, model in train(data.train, seed, before["rate"], (LOOKS[0], LOOKS[-1])):
            for weight in GUIDANCE:
                name = f"{step} steps, weight {weight}"
                samples[name] = draw(model, data.test.labels, start, 25, weight)
        judges = {
            "residual network": residual(data.train, seed),
            "development images": train_judge(data.dev, seed),
        }
        for name, judge in judges.items():
            real = judged(judge, centered(data.test.features), data.test)["accuracy"]
            found = {of: judged(judge, images, data.test) for of, images in samples.items()}
            runs.append({"seed": seed, "judge": name, "real": real, "samples": found})
            print(runs[-1], round(time.process_time() - begun), flush=True)
    taken = round(time.process_time() - begun)
    record(__file__, list(SEEDS), rate=before["rate"], runs=runs, processor_seconds=taken)


if __name__ == "__main__":
    main()
