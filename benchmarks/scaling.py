"""Loss against parameters and text at small scale; a larger run is predicted, and then run.

    python benchmarks/scaling.py [--seeds 0] [--again 1 2] [--folder _build/scaling]

GPTs with rotary positions on the characters of Tiny Shakespeare. A surface E + a N⁻ᵅ + b D⁻ᵝ is
fitted to a grid of sizes and lengths; its prediction for the larger run, with the middle 90% of a
bootstrap of the residuals, is written to the folder before that run begins. Other seeds repeat the
larger run, to show its noise. N does not count the tables of tokens. Runs that the folder holds are
not repeated. Writes `scaling.json`.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from pathlib import Path

import torch
from machine import record
from speedrun import measure, tokens
from torch import Tensor
from torch.nn import functional as F

from solutions.gpt import GPT, windows

SPAN, BATCH = 64, 16
SIZES = [(16, 2), (24, 2), (32, 2), (48, 2), (64, 3)]  # width, layers
STEPS = [100, 200, 400]
LARGER = (96, 3, 800)
EXPONENTS = torch.arange(0.05, 1.5, 0.025, dtype=torch.float64)


def train(width: int, layers: int, steps: int, seed: int, seen: Tensor, held: Tensor) -> dict:
    """One run; its length is known to the schedule from the start."""
    torch.manual_seed(seed)
    made = {"embed_dim": width, "num_layers": layers, "num_heads": max(1, width // 16)}
    model = GPT(
        int(seen.max()) + 1, **made, longest=SPAN, positions="rotary", std=0.5 * width**-0.5
    )
    rate = 1e-2 * math.sqrt(32 / width)
    optimizer = torch.optim.AdamW(model.parameters(), rate, (0.9, 0.99), weight_decay=0, fused=True)
    generator = torch.Generator().manual_seed(seed)
    start = time.process_time()
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = rate * min((step + 1) / 20, 1) * (1 - step / steps)
        starts = torch.randint(len(seen) - SPAN, (BATCH,), generator=generator)
        read, asked = windows(seen, starts, SPAN)
        loss = F.cross_entropy(model(read).flatten(0, 1), asked.flatten())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    taken = time.process_time() - start
    return {
        "width": width,
        "layers": layers,
        "parameters": 12 * layers * width**2,
        "table": model.embed.weight.numel(),
        "tokens": steps * BATCH * SPAN,
        "seed": seed,
        "loss": measure(model, held),
        "seconds": taken,
    }


def surface(n: Tensor, d: Tensor, losses: Tensor) -> Tensor:
    """E, a, α, b, β by least squares of relative errors, for each row of losses.

    Given the exponents, the others are a linear fit; so the exponents are tried on a grid.
    """
    pairs = torch.cartesian_prod(EXPONENTS, EXPONENTS)
    basis = torch.stack(
        [n.new_ones(len(pairs), len(n)), n ** -pairs[:, :1], d ** -pairs[:, 1:]], dim=-1
    )  # (pairs, runs, 3)
    best = []
    for row in losses:
        weighted = basis / row[:, None]
        scale = weighted.norm(dim=1, keepdim=True)  # the columns differ by powers of ten
        found = torch.linalg.lstsq(weighted / scale, torch.ones_like(row).expand(len(pairs), -1))
        solution = found.solution / scale[:, 0]
        error = ((weighted * solution[:, None]).sum(-1) - 1).square().sum(-1)
        error[(solution < 0).any(dim=-1)] = math.inf  # no price is negative
        place = error.argmin()
        (e, a, b), (alpha, beta) = solution[place], pairs[place]
        best.append(torch.stack([e, a, alpha, b, beta]))
    return torch.stack(best)


def at(fitted: Tensor, n: Tensor | float, d: Tensor | float) -> Tensor:
    """Fitted loss for n parameters and d tokens; one row per fit."""
    e, a, alpha, b, beta = fitted.T[..., None]
    return e + a * n**-alpha + b * d**-beta


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--again", type=int, nargs="*", default=[1, 2], help="larger runs")
    parser.add_argument("--folder", type=Path, default=Path("_build/scaling"))
    given = parser.parse_args()
    torch.set_num_threads(1)
    seen, held = tokens()
    given.folder.mkdir(parents=True, exist_ok=True)

    def run(width: int, layers: int, steps: int, seed: int) -> dict:
        file = given.folder / f"{width}-{layers}-{steps}-{seed}.json"
        if not file.exists():
            file.write_text(json.dumps(train(width, layers, steps, seed, seen, held)))
        found = json.loads(file.read_text())
        print(f"{file.stem:16} {found['loss']:.4f} {found['seconds']:6.1f} s", flush=True)
        return found

    runs = [run(*size, steps, seed) for seed in given.seeds for size in SIZES for steps in STEPS]
    n, d, losses = (
        torch.tensor([found[name] for found in runs], dtype=torch.float64)
        for name in ("parameters", "tokens", "loss")
    )
    fitted = surface(n, d, losses[None])
    smooth = at(fitted, n, d)[0]
    relative = (losses / smooth).log()
    generator = torch.Generator().manual_seed(0)
    drawn = torch.randint(len(n), (200, len(n)), generator=generator)
    spread = math.sqrt(len(n) / (len(n) - 5))  # five numbers were fitted
    many = surface(n, d, smooth * (spread * relative[drawn]).exp())
    width, layers, steps = LARGER
    larger = 12 * layers * width**2, steps * BATCH * SPAN
    noise = spread * relative[torch.randint(len(n), (200,), generator=generator)]
    expected = at(many, *larger)[:, 0] * noise.exp()
    range_ = torch.tensor([0.05, 0.95], dtype=torch.float64)
    prediction = {
        "fitted": dict(zip(("e", "a", "alpha", "b", "beta"), fitted[0].tolist(), strict=True)),
        "deviations": many.std(dim=0).tolist(),
        "bootstrap": many[:, [2, 4]].quantile(range_, dim=0).T.tolist(),
        "residual": relative.std().item(),
        "loss": at(fitted, *larger)[0, 0].item(),
        "range": expected.quantile(range_).tolist(),
    }
    file = given.folder / "prediction.json"
    file.write_text(json.dumps(prediction, indent=1))  # before the run that it is about
    print("predicted", prediction, flush=True)
    found = run(*LARGER, given.seeds[0])
    again = [run(*LARGER, seed) for seed in given.again]
    record(__file__, given.seeds, runs=runs, prediction=prediction, larger=found, again=again)


if __name__ == "__main__":
    main()
