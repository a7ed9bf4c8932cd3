"""Interpolated Kneser-Ney counts of up to seven characters, mixed with a GRU."""

import time

import torch
import torch.nn.functional as F
from torch import nn

ORDER, DISCOUNT, PART, MIX = 7, 0.8, 0.25, 0.5


class Model(nn.Module):
    def __init__(self, characters):
        super().__init__()
        self.embed = nn.Embedding(characters, 96)
        self.gru = nn.GRU(96, 256, batch_first=True)
        self.drop = nn.Dropout(0.2)
        self.head = nn.Linear(256, characters)

    def forward(self, ids):
        return self.head(self.drop(self.gru(self.embed(ids))[0]))


def codes(windows, base):
    """One integer for each row; seven characters of fewer than 512 fit."""
    code = torch.zeros(len(windows), dtype=torch.int64)
    for column in windows.T:
        code = code * base + column
    return code


def counted(text, base):
    """Counts by order: the grams and how often they were seen, each in its contexts below."""
    found = {}
    grams = [codes(text.unfold(0, n + 1, 1), base) for n in range(ORDER + 1)]
    for n in range(ORDER + 1):
        if n == ORDER:
            seen, count = grams[n].unique(return_counts=True)
        else:  # how many characters it has been seen after
            types = grams[n + 1].unique() % base ** (n + 1)
            seen, count = types.unique(return_counts=True)
        found |= {f"gram.{n}": seen, f"count.{n}": count}
    return found


def smoothed(weights, contexts, characters):
    """Probabilities (contexts, characters), interpolated order by order."""
    every = torch.arange(characters)
    found = torch.full((len(contexts), characters), 1 / characters)
    for n in range(ORDER + 1):
        seen, count = weights[f"gram.{n}"], weights[f"count.{n}"].float()
        above, inverse = (seen // characters).unique(return_inverse=True)
        total = torch.zeros(len(above)).index_add(0, inverse, count)
        types = torch.zeros(len(above)).index_add(0, inverse, torch.ones(len(seen)))
        context = codes(contexts[:, contexts.shape[1] - n :], characters)
        at = torch.searchsorted(above, context).clamp(max=len(above) - 1)
        known = (above[at] == context)[:, None]
        wanted = context[:, None] * characters + every
        place = torch.searchsorted(seen, wanted).clamp(max=len(seen) - 1)
        count = torch.where(seen[place] == wanted, count[place], 0.0)
        mine = (count - DISCOUNT).clamp(min=0) + DISCOUNT * types[at][:, None] * found
        found = torch.where(known, mine / total[at][:, None], found)
    return found


def train(text, characters, seed, seconds):
    torch.manual_seed(seed)
    net, end = Model(characters), PART * seconds
    weights = counted(text, characters)
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.004)
    while (used := time.process_time()) < end:
        for group in optimizer.param_groups:
            group["lr"] = 0.005 * min(1, 20 * used / end) * (1 - used / end)
        starts = torch.randint(len(text) - 65, (24, 1))
        window = text[starts + torch.arange(65)]
        scores = net(window[:, :-1])[:, 8:]
        loss = F.cross_entropy(scores.flatten(0, 1), window[:, 9:].flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
    return net.state_dict() | weights


def predict(weights, contexts):
    characters = len(weights["head.bias"])
    net = Model(characters).eval()
    net.load_state_dict({name: weights[name] for name in net.state_dict()})
    with torch.no_grad():
        network = net(contexts)[:, -1].softmax(dim=1)
        counts = smoothed(weights, contexts, characters)
        return (MIX * network + (1 - MIX) * counts).log()
