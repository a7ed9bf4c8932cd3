"""Train the small GPT that a page runs in the browser, and write its weights beside the page.

    python benchmarks/small_gpt.py [--steps 3000]

A byte-pair tokenizer and a GPT on the first nine tenths of the language reference; the rest is
unseen. Times are processor seconds on one thread. Writes `book/_static/small_gpt/weights.js`, int8,
and `small_gpt.json` with its hash and its loss before and after rounding.
"""

from __future__ import annotations

import argparse
import hashlib
import time

import torch
from machine import record
from torch import Tensor
from torch.nn import functional as F

from book.packed import FILE, pack, unpack
from solutions.data import text
from solutions.gpt import GPT, text_losses, windows
from solutions.tokenization import BytePairTokenizer
from solutions.training import warmup_cosine

SIZES = {"vocabulary": 1024, "embed_dim": 64, "num_heads": 4, "num_layers": 4, "longest": 48}
BATCH, RATE, WARMUP, DECAY, DROPOUT, STD = 24, 4e-3, 100, 0.1, 0.1, 0.08


def parts() -> tuple[str, str]:
    """The text to train on, and the last tenth, which begins with a new line."""
    found = text()
    cut = found.index("\n", len(found) * 9 // 10) + 1
    return found[:cut], found[cut:]


def unseen_loss(model: GPT, tokens: Tensor) -> float:
    """Nats per token of a text, each token with at least half a window before it."""
    span = SIZES["longest"]
    with torch.no_grad():
        return text_losses(model.eval(), tokens, span=span, stride=span // 2).mean().item()


def train(tokens: Tensor, steps: int) -> tuple[GPT, float]:
    """A model after so many steps of AdamW, and the mean loss of the last hundred."""
    torch.manual_seed(0)
    model = GPT(**SIZES, dropout=DROPOUT, std=STD)
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=RATE, betas=(0.9, 0.99), weight_decay=DECAY
    )
    generator, losses = torch.Generator().manual_seed(0), []
    for step in range(steps):
        share = warmup_cosine(step, warmup=WARMUP, total=steps)
        optimizer.param_groups[0]["lr"] = RATE * share
        starts = torch.randint(len(tokens) - SIZES["longest"], (BATCH,), generator=generator)
        read, asked = windows(tokens, starts, SIZES["longest"])
        loss = F.cross_entropy(model(read).transpose(1, 2), asked)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
        if step % 250 == 249:
            print(step + 1, sum(losses[-100:]) / 100, flush=True)
    return model, sum(losses[-100:]) / 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=3000)
    given = parser.parse_args()
    torch.set_num_threads(1)
    seen, unseen = parts()
    tokenizer = BytePairTokenizer()
    tokenizer.train(seen, SIZES["vocabulary"])
    read, asked = (torch.tensor(tokenizer.encode(part)) for part in (seen, unseen))
    start = time.process_time()
    model, trained = train(read, given.steps)
    seconds = time.process_time() - start
    script = pack(model, tokenizer.merges)
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(script)
    rounded, _ = unpack(script)
    record(
        __file__,
        [0],
        sizes=SIZES,
        steps=given.steps,
        batch=BATCH,
        tokens={"seen": len(read), "unseen": len(asked)},
        parameters=sum(parameter.numel() for parameter in model.parameters()),
        seconds=seconds,
        loss={
            "training": trained,
            "unseen": unseen_loss(model, asked),
            "unseen, int8": unseen_loss(rounded, asked),
        },
        sha256=hashlib.sha256(script.encode()).hexdigest(),
    )


if __name__ == "__main__":
    main()
