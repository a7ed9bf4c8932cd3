"""A BERT learns to fill in characters of the Python language reference."""

import torch

from course.bert import BERT, mask_tokens, mlm_loss
from course.data import text

STEPS, RATE = 100, 0.003
SPAN = 32  # characters
written = text()[:20_000]
symbols = sorted(set(written))
tokens = torch.tensor([symbols.index(sign) for sign in written])
PAD, MASK = len(symbols), len(symbols) + 1


def model():
    sizes = {"embed_dim": 32, "num_heads": 4, "num_layers": 2, "hidden": 64}
    return BERT(len(symbols) + 2, longest=SPAN, pad=PAD, **sizes)


def loss(net):
    starts = torch.randint(len(tokens) - SPAN, (16,))
    whole = tokens[starts[:, None] + torch.arange(SPAN)]
    given, labels = mask_tokens(whole, ordinary=len(symbols), mask=MASK)
    return mlm_loss(net(given)[0], labels)
