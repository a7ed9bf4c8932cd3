"""A network with weights of 3 bits learns handwritten digits: quantization-aware training."""

import torch
from torch import nn
from torch.nn.functional import cross_entropy, linear

from course.data import digits
from course.model_compression import absmax_scale, straight_through

STEPS, RATE, BITS = 200, 0.003, 3
train = digits().train


class Rounded(nn.Linear):
    def forward(self, x):
        # a little larger, so that no weight is beyond the range by a rounding error
        scale = absmax_scale(self.weight.detach(), BITS, dim=1) * (1 + 1e-6)
        return linear(x, straight_through(self.weight, scale, BITS), self.bias)


def model():
    return nn.Sequential(Rounded(64, 64), nn.ReLU(), Rounded(64, 10))


def loss(net):
    chosen = torch.randint(len(train.labels), (64,))
    return cross_entropy(net(train.features[chosen].double()), train.labels[chosen])
