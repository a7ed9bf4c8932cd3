"""A convolutional network on pictures that are moved anew in every step, its weights averaged."""

import time

import torch
import torch.nn.functional as F
from torch import nn

PART = 0.5  # of the budget goes into training


def model():
    return nn.Sequential(
        nn.Conv2d(1, 24, 3, padding=1),
        nn.BatchNorm2d(24),
        nn.ReLU(),
        nn.Conv2d(24, 48, 3, padding=1),
        nn.BatchNorm2d(48),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(48, 64, 3, padding=1),
        nn.BatchNorm2d(64),
        nn.ReLU(),
        nn.Flatten(),
        nn.Dropout(0.3),
        nn.Linear(64 * 16, 10),
    )


def moved(images):
    """Turn, scale and shift each picture by chance."""
    count = len(images)
    turn, zoom = 0.2 * torch.randn(count), 1 + 0.08 * torch.randn(count)
    cos, sin = turn.cos() * zoom, turn.sin() * zoom
    shift = 0.12 * torch.randn(2, count)
    maps = torch.stack([cos, -sin, shift[0], sin, cos, shift[1]], dim=1).view(count, 2, 3)
    grid = F.affine_grid(maps, [count, 1, 8, 8], align_corners=False)
    seen = F.grid_sample(images[:, None], grid, align_corners=False)[:, 0]
    return seen + 0.05 * torch.randn_like(seen)


def train(images, labels, seed, seconds):
    torch.manual_seed(seed)
    net, end = model(), PART * seconds
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.003, weight_decay=0.02)
    averaged = torch.optim.swa_utils.AveragedModel(
        net, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.99), use_buffers=True
    )
    while (used := time.process_time()) < end:
        for group in optimizer.param_groups:
            group["lr"] = 0.005 * min(1, 10 * used / end) * (1 - used / end)
        chosen = torch.randint(len(labels), (64,))
        scores = net(moved(images[chosen])[:, None])
        loss = F.cross_entropy(scores, labels[chosen], label_smoothing=0.05)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        averaged.update_parameters(net)
    return averaged.module.state_dict()


def predict(weights, images):
    net = model().eval()
    net.load_state_dict(weights)
    with torch.no_grad():
        return net(images[:, None]).softmax(dim=1)
