"""Sums with a calculator, and without one.

    python benchmarks/tool_calls.py

A small GPT answers sums of numbers of one to four digits. With the tool, it writes a call, the tool
writes the result, which the loss leaves out, and the model answers. Without the tool it writes the
answer alone and takes more steps, so that both train with about the same number of tokens. The
development sums choose each rate. Both are tested on sums of one to six digits, and the model with
a tool also with one that is wrong. Writes `tool_calls.json`.
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
RATES, SEEDS, TUNING, TESTED = (0.003, 0.01, 0.03), range(3), 10, 200


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


class OneOff(Calculator):
    """A broken calculator: each result is one too large."""

    def __missing__(self, call: str) -> str:
        return str(int(super().__missing__(call)) + 1)


def answers(
    model: DecoderOnly, digits: int, seed: int, *, tool: Calculator
) -> list[tuple[int, int, str]]:
    """Sums of two numbers of this many digits, and the texts that answer them."""
    rng = random.Random(seed)
    pairs = [(draw(rng, digits), draw(rng, digits)) for _ in range(TESTED)]
    prompt = encode_text([f"{a}+{b}?" for a, b in pairs], length=2 * digits + 2)
    cold = torch.zeros(TESTED, 4 * digits + 7)
    written = generate_with_tool(cached(model), prompt, cold, tool, temperature=0.0)
    texts = [decode_text(row).partition(".")[0] for row in written]
    return [(*pair, text) for pair, text in zip(pairs, texts, strict=True)]


def shares(style: str, model: DecoderOnly, digits: int, seed: int) -> dict[str, float]:
    """Shares of right answers, of right calls, and of answers that repeat a wrong tool."""
    found = {}
    told = answers(model, digits, seed, tool=Calculator())
    found["right"] = sum(t.rpartition("]")[2] == str(a + b) for a, b, t in told) / TESTED
    if style == "tool":
        called = [one for one in told if one[2].startswith(f"[{one[0]}+{one[1]}=")]
        found["called"] = len(called) / TESTED
        told = answers(model, digits, seed, tool=OneOff())
        said = [(a, b, t.rpartition("]")[2]) for a, b, t in told]
        found["repeats a wrong result"] = sum(t == str(a + b + 1) for a, b, t in said) / TESTED
        found["right with a wrong tool"] = sum(t == str(a + b) for a, b, t in said) / TESTED
    return found


def main() -> None:
    torch.set_num_threads(1)
    runs = []
    for style in STEPS:
        on_dev = {}
        for rate in RATES:
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
    record(__file__, list(SEEDS), rates=list(RATES), digits=DIGITS, tested=TESTED, runs=runs)


if __name__ == "__main__":
    main()
