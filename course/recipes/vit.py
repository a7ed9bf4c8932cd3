"""A Vision Transformer with patches of 2×2 pixels learns handwritten digits."""

import torch
from torch.nn.functional import cross_entropy

from course.data import digits
from course.vit import VisionTransformer

STEPS, RATE = 100, 0.003
train = digits().train


def model():
    return VisionTransformer(
        image_size=8,
        patch_size=2,
        channels=1,
        classes=10,
        embed_dim=32,
        num_heads=4,
        num_layers=2,
        hidden=64,
    )


def loss(net):
    chosen = torch.randint(len(train.labels), (32,))
    images = train.features[chosen].double().reshape(-1, 1, 8, 8)
    return cross_entropy(net(images), train.labels[chosen])
