"""Next-sentence prediction alone, tuned: can it be learned from a book of the page's size?

    python benchmarks/next_sentence.py [--steps 300] [--seeds 0 1 2]

The encoder, the text and the pairs are those of `pretraining.py`. The next sentence is the only
task of a new encoder. Dropout is 0 or 0.1, rates are a factor of two apart, chosen with a seed that
is not reported by right pairs on a tenth of the seen text that is held out; the search ends when
the best rate lies between two that are worse. A run is measured on that tenth every 50 steps, and
its best step counts. The baseline is a threshold on shared rare tokens, as on the page. Takes about
three minutes on one core.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter

import pretraining as base
import torch
from machine import record
from torch import Tensor, nn
from torch.nn import functional as F
from tuning import next_rate

from solutions.bert import BERT, SPECIALS, Sentences, Specials, draw_pairs, read_sentences
from solutions.data import text
from solutions.tokenization import BytePairTokenizer
from solutions.transformer import sinusoidal

PAIRS, BATCH, EVERY, TUNING, FIRST_RATE, DROPOUTS = 1_000, 32, 50, 99, 1e-3, [0.0, 0.1]
Pairs = tuple[Tensor, Tensor, Tensor]


def read() -> tuple[Specials, Sentences, dict[str, Sentences]]:
    """All that is seen; what is trained on; a tenth of it for development; the unseen tenth."""
    lines = text().split("\n")[:-1]
    cut = len(lines) * 9 // 10
    tokenizer = BytePairTokenizer(specials=SPECIALS)
    tokenizer.train("\n".join(line.replace('"', "") for line in lines[:cut]), base.SIZE)
    special = Specials(*range(base.SIZE - 4, base.SIZE))
    inner = cut * 9 // 10
    parts = {"train": lines[:inner], "dev": lines[inner:cut], "test": lines[cut:]}
    found = {name: read_sentences(part, tokenizer) for name, part in parts.items()}
    return special, found["train"], found


def drawn(sentences: Sentences, special: Specials, seed: int, count: int = PAIRS) -> Pairs:
    generator = torch.Generator().manual_seed(seed)
    return draw_pairs(sentences, count, special, longest=base.LONGEST, generator=generator)


def by_overlap(train: Sentences, fit: Pairs, test: Pairs, special: Specials) -> float:
    """Right pairs in percent by the rare tokens that are shared; the threshold is from ``fit``."""
    held_by = Counter(token for row in train.tokens for token in set(row))
    rarity = {token: math.log(len(train.tokens) / times) for token, times in held_by.items()}

    def shared(tokens: Tensor) -> Tensor:
        found = []
        for row in tokens.tolist():
            middle = row.index(special.sep)
            common = set(row[1:middle]) & set(row[middle + 1 :])
            found.append(sum(rarity.get(token, 0.0) for token in common if token < special.pad))
        return torch.tensor(found)

    share, true = shared(fit[0]), fit[2] == 0
    limit = max(share.unique(), key=lambda x: ((share >= x) == true).sum().item())
    return 100 * ((shared(test[0]) >= limit) == (test[2] == 0)).double().mean().item()


def fresh(seed: int, special: Specials, dropout: float) -> BERT:
    """A new model, with initial weights large enough for so few features."""
    torch.manual_seed(seed)
    model = BERT(base.SIZE, **base.SHAPE, pad=special.pad, std=0.1, dropout=dropout)
    waves = 0.15 * sinusoidal(base.LONGEST, base.SHAPE["embed_dim"])
    model.embeddings.positions.weight.data.copy_(waves)
    return model


@torch.no_grad()
def right(model: BERT, part: Pairs) -> float:
    model.eval()
    scores = [
        model.next(model.pooler(model.states(tokens, segments)[-1]))
        for tokens, segments in zip(part[0].split(250), part[1].split(250), strict=True)
    ]
    model.train()
    return round(100 * (torch.cat(scores).argmax(dim=1) == part[2]).double().mean().item(), 2)


def train(
    model: BERT,
    train_on: Sentences,
    special: Specials,
    rate: float,
    seed: int,
    steps: int,
    judged: dict[str, Pairs],
) -> dict[str, float]:
    """Right pairs of each part at the step that is best for development, and the last loss."""
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, betas=(0.9, 0.99))
    best: dict[str, float] = {"dev": -1.0}
    losses: list[float] = []
    model.train()
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = rate * min((step + 1) / 50, 1) * (1 - step / steps)
        tokens, segments, label = draw_pairs(
            train_on, BATCH, special, longest=base.LONGEST, generator=generator
        )
        loss = F.cross_entropy(model.next(model.pooler(model.states(tokens, segments)[-1])), label)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
        if (step + 1) % EVERY == 0 and right(model, judged["dev"]) > best["dev"]:
            best = {name: right(model, part) for name, part in judged.items()} | {"step": step + 1}
    return best | {"loss": round(sum(losses[-EVERY:]) / EVERY, 3)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    given = parser.parse_args()
    torch.set_num_threads(1)
    special, train_on, parts = read()
    dev, test = (drawn(parts[name], special, 100) for name in ("dev", "test"))
    overlap = by_overlap(train_on, drawn(train_on, special, 1), test, special)
    print("overlap", overlap, flush=True)

    def run(rate: float, dropout: float, seed: int, **judged: Pairs) -> dict[str, float]:
        model = fresh(seed, special, dropout)
        return train(model, train_on, special, rate, seed, given.steps, judged)

    tried: dict[str, dict[str, float]] = {}
    for dropout in DROPOUTS:
        wrong: dict[str, float] = {}
        while f"{(rate := next_rate(wrong, FIRST_RATE)):g}" not in wrong:
            wrong[f"{rate:g}"] = round(100 - run(rate, dropout, TUNING, dev=dev)["dev"], 2)
        tried[f"{dropout:g}"] = wrong
        print(tried, flush=True)
    _, rate, dropout = min(
        (wrong, float(rate), float(dropout))
        for dropout, rates in tried.items()
        for rate, wrong in rates.items()
    )
    runs = [run(rate, dropout, seed, dev=dev, test=test) for seed in given.seeds]
    print(rate, dropout, runs, flush=True)
    record(
        __file__,
        given.seeds,
        steps=given.steps,
        batch=BATCH,
        pairs=PAIRS,
        overlap=round(overlap, 2),
        sentences=[len(train_on.tokens), len(parts["test"].tokens)],
        tried=tried,
        rate=rate,
        dropout=dropout,
        runs=runs,
    )


if __name__ == "__main__":
    main()
