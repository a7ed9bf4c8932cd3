"""A network with one hidden layer learns handwritten digits."""

import torch
from torch.nn.functional import cross_entropy

from course.data import digits
from course.mlp import MLP

STEPS, RATE = 100, 0.01
train = digits().train


def model():
    return MLP([64, 32, 10])


def loss(net):
    chosen = torch.randint(len(train.labels), (64,))
    return cross_entropy(net(train.features[chosen].double()), train.labels[chosen])
