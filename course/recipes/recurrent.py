"""An LSTM learns which character comes next in the Python language reference."""

import torch
from torch.nn.functional import cross_entropy

from course.data import text
from course.recurrent import CharacterModel

STEPS, RATE = 100, 0.01
SPAN = 16  # characters
written = text()[:20_000]
symbols = sorted(set(written))
tokens = torch.tensor([symbols.index(sign) for sign in written])


def model():
    return CharacterModel(len(symbols), embed_dim=24, hidden_size=48)


def loss(net):
    starts = torch.randint(len(tokens) - SPAN, (16,))
    given = tokens[starts[:, None] + torch.arange(SPAN)]
    logits, _ = net(given)
    return cross_entropy(logits[:, :-1].flatten(0, 1), given[:, 1:].flatten())
