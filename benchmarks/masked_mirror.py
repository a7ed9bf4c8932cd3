"""Masked diffusion and a left-to-right model on a language in which every mistake can be seen.

    python benchmarks/masked_mirror.py

A text has eight digits, and its second half mirrors the first: 4 7 1 9 9 1 7 4. Two Transformers
of the same size get the same batches and the same number of steps, at one rate: the one of three
whose worst loss is lowest, over both models and three other seeds. One predicts hidden digits from
those on both sides, at random levels; the other one predicts the next digit. Measured on new
texts: the bound on the loss of masked diffusion and the loss of the other, in nats per digit; the
percentage of mirrored texts among samples, by the number of calls; and how often the first half is
filled in correctly if the second is given. Writes `masked_mirror.json`.
"""

from __future__ import annotations

from itertools import pairwise

import torch
from machine import record
from torch import Tensor, nn
from torch.nn import functional as F

from solutions.diffusion import mask_tokens, masked_diffusion_loss, unmask
from solutions.transformer import Config, Encoder

SEEDS, TUNING = (0, 1, 2), (10, 11, 12)
RATES, STEPS, BATCH = (0.001, 0.01, 0.1), 600, 64
LOOKS = (150, 300, 600)
DIGITS, LENGTH, MASK, BEGIN = 10, 8, 10, 11
CALLS = (1, 2, 4, 8, 16, 32)
SAMPLES = 1_000


class Reader(nn.Module):
    """Tokens and learned positions, an encoder, and scores for ten digits."""

    def __init__(self, width: int = 48) -> None:
        super().__init__()
        self.tokens = nn.Embedding(12, width)
        self.positions = nn.Parameter(torch.randn(LENGTH, width))
        self.encoder = Encoder(
            Config(embed_dim=width, num_heads=2, num_layers=1, hidden=96, norm_first=True)
        )
        self.scores = nn.Linear(width, DIGITS)

    def forward(self, tokens: Tensor, *, is_causal: bool = False) -> Tensor:
        return self.scores(self.encoder(self.tokens(tokens) + self.positions, is_causal=is_causal))


def texts(count: int, chance: torch.Generator) -> Tensor:
    """Mirrored texts, (count, 8) int64."""
    half = torch.randint(DIGITS, (count, LENGTH // 2), generator=chance)
    return torch.cat([half, half.flip(1)], dim=1)


def mirrored(tokens: Tensor) -> float:
    """Percentage of texts that read the same from both ends."""
    return 100 * (tokens == tokens.flip(1)).all(dim=1).float().mean().item()


def masked_loss(model: Reader, tokens: Tensor, chance: torch.Generator) -> Tensor:
    levels = (torch.rand(1, generator=chance) + torch.arange(len(tokens)) / len(tokens)) % 1
    levels = levels.clamp(min=1e-3)  # spread evenly: less variance than independent levels
    noisy = mask_tokens(tokens, torch.rand(tokens.shape, generator=chance), levels, mask=MASK)
    return masked_diffusion_loss(model(noisy), tokens, noisy == MASK, levels)


def shifted(tokens: Tensor) -> Tensor:
    return torch.cat([torch.full((len(tokens), 1), BEGIN), tokens[:, :-1]], dim=1)


def next_loss(model: Reader, tokens: Tensor, chance: torch.Generator) -> Tensor:
    return F.cross_entropy(model(shifted(tokens), is_causal=True).flatten(0, 1), tokens.flatten())


LOSSES = {"masked": masked_loss, "left to right": next_loss}


@torch.no_grad()
def held_loss(model: Reader, name: str) -> float:
    chance = torch.Generator().manual_seed(1_000)
    return LOSSES[name](model, texts(8_000, chance), chance).item()


def train(name: str, seed: int, rate: float) -> tuple[Reader, list[float]]:
    """One cycle of AdamW; the losses on new texts at the looks."""
    torch.manual_seed(seed)
    model, curve = Reader(), []
    optimizer = torch.optim.AdamW(model.parameters(), rate, weight_decay=0.01, fused=True)
    cycle = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=STEPS, pct_start=0.2)
    chance, noise = (torch.Generator().manual_seed(seed + shift) for shift in (0, 500))
    for step in range(1, STEPS + 1):
        loss = LOSSES[name](model, texts(BATCH, chance), noise)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        cycle.step()
        if step in LOOKS:
            curve.append(held_loss(model, name))
    return model.eval(), curve


def proposals(logits: Tensor, chance: torch.Generator) -> Tensor:
    drawn = torch.multinomial(logits.softmax(-1).flatten(0, 1), 1, generator=chance)
    return drawn.reshape(logits.shape[:2])


@torch.no_grad()
def unmasked(model: Reader, tokens: Tensor, calls: int, chance: torch.Generator) -> Tensor:
    """Fill in all hidden digits in so many steps."""
    levels = torch.linspace(1, 0, calls + 1).tolist()
    for now, then in pairwise(levels):
        proposed = proposals(model(tokens), chance)
        uniform = torch.rand(tokens.shape, generator=chance)
        tokens = unmask(tokens, proposed, uniform, now, then, mask=MASK)
    return tokens


@torch.no_grad()
def written(model: Reader, given: Tensor, chance: torch.Generator) -> Tensor:
    """Write hidden digits from left to right; each sees those before it alone."""
    tokens = given.clone()
    for place in range(LENGTH):
        drawn = proposals(model(shifted(tokens.clamp(max=9)), is_causal=True), chance)[:, place]
        tokens[:, place] = torch.where(given[:, place] == MASK, drawn, given[:, place])
    return tokens


def measure(name: str, model: Reader) -> dict[str, object]:
    chance = torch.Generator().manual_seed(2_000)
    hidden = torch.full((SAMPLES, LENGTH), MASK)
    halves = texts(SAMPLES, chance)
    halves[:, : LENGTH // 2] = MASK
    if name == "masked":
        valid = {calls: mirrored(unmasked(model, hidden, calls, chance)) for calls in CALLS}
        return {"valid": valid, "filled": mirrored(unmasked(model, halves, 1, chance))}
    written_texts = written(model, hidden, chance)
    return {
        "valid": {LENGTH: mirrored(written_texts)},
        "filled": mirrored(written(model, halves, chance)),
    }


def main() -> None:
    torch.set_num_threads(1)
    runs, search = (
        [],
        [
            {
                "model": name,
                "rate": rate,
                "losses": [train(name, seed, rate)[1][-1] for seed in TUNING],
            }
            for name in LOSSES
            for rate in RATES
        ],
    )
    worst = {
        rate: max(max(one["losses"]) for one in search if one["rate"] == rate) for rate in RATES
    }
    rate = min(worst, key=worst.get)
    for name in LOSSES:
        for seed in SEEDS:
            model, curve = train(name, seed, rate)
            one = {"model": name, "seed": seed, "rate": rate, "curve": curve}
            runs.append(one | measure(name, model))
            print(runs[-1], flush=True)
    size = sum(part.numel() for part in Reader().parameters())
    record(
        __file__,
        list(SEEDS),
        search=search,
        steps=STEPS,
        looks=list(LOOKS),
        parameters=size,
        runs=runs,
    )


if __name__ == "__main__":
    main()
