"""Two encoders learn to match drawings of digits with their captions."""

import torch

from course.contrastive import WORDS, DualEncoder, captioned_digits, clip_loss
from course.data import digits

STEPS, RATE = 200, 0.003
pairs = captioned_digits(digits().train, seed=0)


def model():
    return DualEncoder(100, len(WORDS), hidden=64, embed_dim=32)


def loss(net):
    chosen = torch.randint(len(pairs.images), (64,))
    images, texts, scale = net(pairs.images[chosen].double(), pairs.tokens[chosen])
    return clip_loss(images, texts, scale)
