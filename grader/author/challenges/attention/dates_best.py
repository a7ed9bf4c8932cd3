"""A bidirectional GRU, and attention to its states with a learned query for each of the digits."""

import time

import torch
import torch.nn.functional as F
from torch import nn

PART = 0.3  # of the budget goes into training


class Model(nn.Module):
    def __init__(self, symbols, size=96, heads=4):
        super().__init__()
        self.embed = nn.Embedding(symbols, 48, padding_idx=0)
        self.encoder = nn.GRU(48, size // 2, num_layers=2, batch_first=True, bidirectional=True)
        self.query = nn.Parameter(0.3 * torch.randn(8, size))
        self.attention = nn.MultiheadAttention(size, heads, batch_first=True)
        self.head = nn.Sequential(nn.Linear(2 * size, size), nn.ReLU(), nn.Linear(size, 10))

    def forward(self, source):
        source = source[:, : int((source > 0).sum(dim=1).max())]
        memory, _ = self.encoder(self.embed(source))
        query = self.query.expand(len(source), -1, -1)
        read, _ = self.attention(query, memory, memory, key_padding_mask=source == 0)
        return self.head(torch.cat([read, query], dim=2))


def train(source, target, symbols, seed, seconds):
    torch.manual_seed(seed)
    net, end = Model(symbols), PART * seconds
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.004)
    while (used := time.process_time()) < end:
        for group in optimizer.param_groups:
            group["lr"] = 0.004 * min(1, 20 * used / end) * (1 - used / end)
        chosen = torch.randint(len(source), (64,))
        loss = F.cross_entropy(net(source[chosen]).flatten(0, 1), target[chosen].flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
    return net.state_dict()


def predict(weights, source):
    net = Model(len(weights["embed.weight"])).eval()
    net.load_state_dict(weights)
    with torch.no_grad():
        return net(source).argmax(dim=2)
