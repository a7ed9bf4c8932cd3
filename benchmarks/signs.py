"""Models that choose signs: what the runs of the chapter on test-time compute share."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.utils.flop_counter import FlopCounterMode

from solutions.gpt import cached, generate
from solutions.test_time_compute import (
    ASKED,
    COUNT,
    REACH,
    SYMBOLS,
    Problems,
    read_signs,
    sign_problems,
    write_problems,
)
from solutions.transformer import Config, DecoderOnly

BATCH = 128


def new_model(width: int, seed: int) -> DecoderOnly:
    """A GPT of two layers."""
    torch.manual_seed(seed)
    return DecoderOnly(
        Config(
            embed_dim=width,
            num_heads=4,
            num_layers=2,
            hidden=4 * width,
            vocabulary=SYMBOLS,
            longest=ASKED + 2 * COUNT,
            positions="learned",
            norm_first=True,
            activation="gelu",
        )
    )


def train(
    width: int,
    steps: int,
    rate: float,
    seed: int,
    *,
    calculator: bool = False,
) -> tuple[DecoderOnly, list[float]]:
    """One cycle of AdamW on problems that never come again; ten points of the loss per answer.

    With ``calculator``, the loss leaves out the sums: a calculator writes them.
    """
    model = new_model(width, seed)
    optimizer = torch.optim.AdamW(
        model.parameters(), rate, betas=(0.9, 0.98), weight_decay=0.01, fused=True
    )
    cycle = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps, pct_start=0.1)
    chance = torch.Generator().manual_seed(1_000 + seed)
    every = 2 if calculator else 1
    losses = []
    for _ in range(steps):
        tokens = write_problems(sign_problems(BATCH, chance))
        logits = model(tokens)[:, ASKED - 1 : -1 : every]
        wanted = tokens[:, ASKED::every]
        loss = F.cross_entropy(logits.flatten(0, 1), wanted.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        cycle.step()
        losses.append(loss.detach() * wanted.shape[1])
    return model.requires_grad_(False), [
        part.mean().item() for part in torch.stack(losses).chunk(10)
    ]


def take_step(model: DecoderOnly, texts: Tensor, uniform: Tensor) -> Tensor:
    """Texts (M, n) with one more sign, which the model samples, and the sum, which is computed."""
    sign = generate(cached(model), texts, uniform[:, None])
    number = texts[:, 1 + (texts.shape[1] - ASKED) // 2] - REACH
    before = texts[:, -1] - REACH if texts.shape[1] > ASKED else torch.zeros_like(number)
    after = before + number * read_signs(sign)[:, 0] + REACH
    return torch.cat([texts, sign, after[:, None]], dim=1)


def sample_calculated(model: DecoderOnly, problems: Problems, count: int, seed: int) -> Tensor:
    """As `sample`, but a calculator writes the sums."""
    rows = prompts(problems).repeat_interleave(count, dim=0)
    uniform = torch.rand(len(rows), COUNT, generator=torch.Generator().manual_seed(seed))
    found = []
    for texts, chance in zip(rows.split(4096), uniform.split(4096), strict=True):
        for column in chance.unbind(dim=1):
            texts = take_step(model, texts, column)
        found.append(texts)
    return torch.cat(found).unflatten(0, (-1, count))


def prompts(problems: Problems) -> Tensor:
    return write_problems(problems)[:, :ASKED]


def sample(model: DecoderOnly, problems: Problems, count: int, seed: int) -> Tensor:
    """Samples of each problem at a temperature of 1, with the prompt, (B, count, T)."""
    rows = prompts(problems).repeat_interleave(count, dim=0)
    uniform = torch.rand(len(rows), 2 * COUNT, generator=torch.Generator().manual_seed(seed))
    said = [
        generate(cached(model), *part)
        for part in zip(rows.split(4096), uniform.split(4096), strict=True)
    ]
    return torch.cat([rows, torch.cat(said)], dim=1).unflatten(0, (-1, count))


def check(problems: Problems, texts: Tensor) -> Tensor:
    """Do the signs of (B, N, T) texts reach the target? The sums written do not matter."""
    signs = read_signs(texts[..., ASKED:])
    return (signs == problems.signs[:, None]).all(dim=2)


def multiply_adds(model: DecoderOnly, length: int) -> float:
    """Of one sequence forward, counted by torch."""
    with FlopCounterMode(display=False) as counter:
        model(torch.zeros(1, length, dtype=torch.int64))
    return counter.get_total_flops() / 2
