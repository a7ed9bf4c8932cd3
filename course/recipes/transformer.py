"""A Transformer learns to write six digits backwards."""

import torch
from torch import nn
from torch.nn.functional import cross_entropy

from course.seq2seq import shift_right
from course.transformer import Config, Transformer, sinusoidal

STEPS, RATE = 100, 0.003
SYMBOLS = 14  # ten digits behind the four tokens of every vocabulary


class Reverser(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(SYMBOLS, 32)
        self.transformer = Transformer(Config(embed_dim=32, num_heads=4, num_layers=1, hidden=64))
        self.output = nn.Linear(32, SYMBOLS)

    def forward(self, source, target):
        places = sinusoidal(source.shape[1], 32).to(self.embedding.weight)
        read, written = (self.embedding(tokens) + places for tokens in (source, target))
        return self.output(self.transformer(read, written))


def model():
    return Reverser()


def loss(net):
    source = torch.randint(4, SYMBOLS, (32, 6))
    target = source.flip(1)
    return cross_entropy(net(source, shift_right(target)).flatten(0, 1), target.flatten())
