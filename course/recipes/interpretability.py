"""Five features share two dimensions, and a sparse autoencoder looks for their directions."""

import torch
from torch import nn

from course.interpretability import SparseAutoencoder, superposition_loss

STEPS, RATE, CHANCE = 400, 0.01, 0.1
IMPORTANCE = 0.9 ** torch.arange(5.0).double()


class Toy(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(2, 5))
        self.bias = nn.Parameter(torch.empty(5))
        self.codes = SparseAutoencoder(2, 5, k=1)


def model():
    return Toy()


def loss(net):
    x = torch.rand(128, 5).double() * (torch.rand(128, 5) < CHANCE)
    hidden = (x @ net.weight.T).detach()
    rebuilt, _ = net.codes(hidden)
    error = (hidden - rebuilt).square().sum(dim=1).mean()
    return superposition_loss(x, net.weight, net.bias, IMPORTANCE) + error
