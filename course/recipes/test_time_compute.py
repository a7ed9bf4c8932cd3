"""A small model learns to call a calculator."""

import random

import torch

from course.preference import answer_mask
from course.test_time_compute import CLOSE, END, RESULT, encode_text, tool_mask, write_sum
from course.transformer import Config, DecoderOnly

STEPS, RATE = 300, 0.01
chance = random.Random(0)


def model():
    config = Config(
        embed_dim=32, num_heads=4, hidden=128, vocabulary=16, positions="rotary", norm_first=True
    )
    return DecoderOnly(config)


def loss(net):
    pairs = [[chance.randrange(10 ** chance.randint(1, 3)) for _ in range(2)] for _ in range(32)]
    texts = [write_sum(*pair) for pair in pairs]
    tokens = encode_text(texts, length=max(map(len, texts)))
    own = answer_mask(tokens, torch.tensor([text.index("?") + 1 for text in texts]), end=END)
    own = (own & tool_mask(tokens, result=RESULT, close=CLOSE))[:, 1:]
    return torch.nn.functional.cross_entropy(net(tokens)[:, :-1][own], tokens[:, 1:][own])
