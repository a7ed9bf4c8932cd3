"""A GPT learns which character comes next in the Python language reference."""

import torch

from course.data import text
from course.gpt import GPT, causal_loss

STEPS, RATE = 100, 0.003
SPAN = 32  # characters
written = text()[:20_000]
symbols = sorted(set(written))
tokens = torch.tensor([symbols.index(sign) for sign in written])


def model():
    return GPT(len(symbols), embed_dim=48, num_heads=4, num_layers=2, longest=SPAN)


def loss(net):
    starts = torch.randint(len(tokens) - SPAN, (16,))
    given = tokens[starts[:, None] + torch.arange(SPAN)]
    return causal_loss(net(given), given)
