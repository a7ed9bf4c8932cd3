"""Sums with a calculator, and without one.

    python benchmarks/tool_calls.py

A small GPT answers sums of numbers of one to four digits. With the tool, it writes a call, the tool
writes the result, which the loss leaves out, and the model answers. Without the tool it writes the
answer alone and takes more steps, so that both train with about the same number of tokens. The
development sums choose each rate. Both are tested on sums of one to six digits. Writes
`tool_calls.json`.
"""

from __future__ import annotations

import random

import torch
from machine import record
from torch import Tensor

from solutions.gpt import cached
from solutions.preference import answer_mask
from solutions.test_time_compute import (
    CLOSE,
    END,
    RESULT,
    Calculator,
    decode_text,
    encode_text,
    generate_with_tool,
    tool_mask,
    write_sum,
)
from solutions.transformer import Config, DecoderOnly

WIDTH, DIGITS, LONGEST, BATCH = 32, 4, 6, 64
STEPS = {"tool": 300, "plain": 600}
RATES = {"tool": (0.003, 0.01, 0.03), "plain": (0.001, 0.003, 0.01, 0.03)}
SEEDS, TUNING, TESTED = range(3), 10, 200


def draw(rng: random.Random, digits: int) -> int:
    return rng.randint(10 ** (digits - 1) if digits > 1 else 0, 10**digits - 1)


def batch(rng: random.Random, style: str) -> tuple[Tensor, Tensor]:
    """Texts and the tokens that count in the loss."""
    pairs = [[draw(rng, rng.randint(1, DIGITS)) for _ in range(2)] for _ in range(BATCH)]
    texts = [write_sum(*pair, style=style) for pair in pairs]
    tokens = encode_text(texts, length=max(map(len, texts)))
    mask = answer_mask(tokens, torch.tensor([text.index("?") + 1 for text in texts]), end=END)
    return tokens, mask & tool_mask(tokens, result=RESULT, close=CLOSE)


def train(style: str, rate: float, seed: int) -> tuple[DecoderOnly, list[float], int]:
    """One cycle of AdamW; returns ten points of the loss and the number of tokens read, too."""
    torch.manual_seed(seed)
    config = Config(
        embed_dim=WIDTH,
        num_heads=4,
        num_layers=2,
        hidden=4 * WIDTH,
        vocabulary=16,
        positions="rotary",
        norm_first=True,
        activation="gelu",
    )
    model, rng, losses, read = DecoderOnly(config), random.Random(1_000 + seed), [], 0
    optimizer = torch.optim.AdamW(
        model.parameters(), rate, betas=(0.9, 0.98), weight_decay=0.01, fused=True
    )
    cycle = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, rate, total_steps=STEPS[style], pct_start=0.1
    )
    for _ in range(STEPS[style]):
        tokens, mask = batch(rng, style)
        logits = model(tokens)[:, :-1]
        loss = (
            -logits[mask[:, 1:]].log_softmax(dim=1).gather(1, tokens[:, 1:][mask[:, 1:]][:, None])
        )
        optimizer.zero_grad()
        loss.mean().backward()
        optimizer.step()
        cycle.step()
        losses.append(loss.detach().mean())
        read += tokens.numel()
    return (
        model.requires_grad_(False),
        [part.mean().item() for part in torch.stack(losses).chunk(10)],
        read,
    )


def answers(model: DecoderOnly, digits: int, seed: int) -> list[tuple[int, int, str]]:
    """Sums of two numbers of this many digits, and the texts that answer them."""
    rng = random.Random(seed)
    pairs = [(draw(rng, digits), draw(rng, digits)) for _ in range(TESTED)]
    prompt = encode_text([f"{a}+{b}?" for a, b in pairs], length=2 * digits + 2)
    cold = torch.zeros(TESTED, 4 * digits + 7)
    written = generate_with_tool(cached(model), prompt, cold, Calculator(), temperature=0.0)
    texts = [decode_text(row).partition(".")[0] for row in written]
    return [(*pair, text) for pair, text in zip(pairs, texts, strict=True)]


def shares(style: str, model: DecoderOnly, digits: int, seed: int) -> dict[str, float]:
    """Shares of right answers and of right calls."""
    told = answers(model, digits, seed)
    found = {"right": sum(t.rpartition("]")[2] == str(a + b) for a, b, t in told) / TESTED}
    if style == "tool":
        found["called"] = sum(t.startswith(f"[{a}+{b}=") for a, b, t in told) / TESTED
    return found


def main() -> None:
    torch.set_num_threads(1)
    runs = []
    for style in STEPS:
        on_dev = {}
        for rate in RATES[style]:
            model = train(style, rate, TUNING)[0]
            on_dev[rate] = sum(shares(style, model, d, 7)["right"] for d in range(1, DIGITS + 1))
        best = max(on_dev, key=on_dev.__getitem__)
        run = {"style": style, "steps": STEPS[style], "rate": best}
        run["development"] = [each / DIGITS for each in on_dev.values()]
        results, curves = [], []
        for seed in SEEDS:
            model, curve, read = train(style, best, seed)
            results.append([shares(style, model, digits, 8) for digits in range(1, LONGEST + 1)])
            curves.append(curve)
        runs.append(run | {"tokens": read, "curves": curves, "results": results})
        print(runs[-1], flush=True)
    record(
        __file__,
        list(SEEDS),
        rates={style: list(tried) for style, tried in RATES.items()},
        digits=DIGITS,
        tested=TESTED,
        runs=runs,
    )


if __name__ == "__main__":
    main()
