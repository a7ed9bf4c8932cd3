"""A network learns, by flow matching, to turn noise into handwritten digits of a given class."""

import torch

from course.data import digits
from course.diffusion import Denoiser, drop_labels, flow_loss

STEPS, RATE = 200, 0.003
train = digits().train


def model():
    return Denoiser(64, 64, layers=2, classes=10)


def loss(net):
    chosen = torch.randint(len(train.labels), (64,))
    clean = 2 * train.features[chosen].double() - 1
    labels = drop_labels(train.labels[chosen], torch.rand(64), share=0.1, null=10)
    draws, times = torch.randn_like(clean), torch.rand(64).double()
    return flow_loss(lambda noisy: net(noisy, times, labels), clean, draws, times)
