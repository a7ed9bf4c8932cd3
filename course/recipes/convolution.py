"""LeNet learns handwritten digits."""

import torch
from torch.nn.functional import cross_entropy

from course.convolution import LeNet
from course.data import digits

STEPS, RATE = 100, 0.003
train = digits().train


def model():
    return LeNet()


def loss(net):
    chosen = torch.randint(len(train.labels), (32,))
    images = train.features[chosen].double().reshape(-1, 1, 8, 8)
    return cross_entropy(net(images), train.labels[chosen])
