"""A decoder that attends to its encoder learns to write six digits backwards."""

import torch

from course.attention import AttendingDecoder
from course.seq2seq import EncoderDecoder, RecurrentEncoder, sequence_loss, shift_right

STEPS, RATE = 100, 0.01
SYMBOLS = 14  # ten digits behind the four tokens of every vocabulary


def model():
    sizes = {"embed_dim": 16, "hidden_size": 32}
    encoder = RecurrentEncoder(SYMBOLS, **sizes)
    decoder = AttendingDecoder(SYMBOLS, summary_size=32, memory_size=32, **sizes)
    return EncoderDecoder(encoder, decoder)


def loss(net):
    source = torch.randint(4, SYMBOLS, (32, 6))
    target = source.flip(1)
    logits = net(source, torch.full((32,), 6), shift_right(target))
    return sequence_loss(logits, target)
