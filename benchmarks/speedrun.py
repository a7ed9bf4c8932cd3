"""nanoGPT's CPU setting on Tiny Shakespeare, and changes that reach its loss sooner.

    python benchmarks/speedrun.py [--seeds 0 1 2] [--others 3] [--folder _build/speedrun]

The plain setting (characters, 4 layers of 128 features, 2,000 steps), the fast one, and the fast
one with one change undone at a time; all but the fast one on the first `--others` of the seeds.
Settings were chosen on the last tenth of the training text; `speedrun_rates.py` tries other rates
of AdamW in Muon's place. Times are processor seconds on one thread, of the training steps alone.
Runs that the folder holds are not repeated. Writes `speedrun.json`.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import torch
from machine import record
from torch import Tensor, nn
from torch.nn import functional as F

from solutions.data import tiny_shakespeare
from solutions.gpt import windows
from solutions.training import warmup_cosine
from solutions.transformer import Config, DecoderOnly

SPAN, WIDTH, HEADS, LAYERS = 64, 128, 4, 4
GOAL = 1.88  # nats per character


@dataclass(frozen=True)
class Setting:
    """One way to train. The defaults are nanoGPT's."""

    steps: int = 2_000
    batch: int = 12
    muon: float = 0.0  # rate of Muon for the matrices of the layers; 0 leaves them to AdamW
    rate: float = 1e-3  # of AdamW
    inner: float | None = None  # AdamW's rate for the matrices of the layers, if it is another
    warmup: int = 100
    to_zero: bool = False  # the rate falls in a line to 0; or along a cosine to a tenth
    decay: float = 0.1  # of weights
    std: float = 0.02  # of the tables at the start
    positions: str = "learned"
    qk_norm: bool = False
    activation: str = "gelu"
    norm: str = "layer"
    zero: bool = False  # what ends a branch, and the last layer, start at 0
    tied: bool = True
    before: int = 0  # tables for letters before, each added to that of the letter


PLAIN = Setting()
FAST = Setting(
    steps=320,
    batch=8,
    muon=0.02,
    rate=5e-3,
    warmup=10,
    to_zero=True,
    decay=0.0,
    std=0.5,
    positions="rotary",
    qk_norm=True,
    activation="relu2",
    norm="rms",
    zero=True,
    tied=False,
    before=2,
)
LINES = {
    "plain": PLAIN,
    "fast": FAST,
    "Muon": replace(FAST, muon=0.0),
    "rotary positions": replace(FAST, positions="learned"),
    "normed queries and keys": replace(FAST, qk_norm=False),
    "squared ReLU": replace(FAST, activation="gelu"),
    "branches from zero": replace(FAST, zero=False),
    "down to zero": replace(FAST, to_zero=False),
    "the letters before": replace(FAST, before=0),
}


class Before(nn.Module):
    """The table of tokens, and one more for each place before, read there; zeros initially."""

    def __init__(self, here: nn.Embedding, places: int) -> None:
        super().__init__()
        self.here = here
        self.before = nn.ModuleList(nn.Embedding(*here.weight.shape) for _ in range(places))
        for table in self.before:
            nn.init.zeros_(table.weight)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.here(tokens)
        for back, table in enumerate(self.before, start=1):
            x = x + F.pad(table(tokens[:, :-back]), (0, 0, back, 0))
        return x


class Plain(nn.Module):
    """The plain setting's model in torch's own layers, to compare the time of a step with."""

    def __init__(self, vocabulary: int) -> None:
        super().__init__()
        self.embed, self.table = nn.Embedding(vocabulary, WIDTH), nn.Embedding(SPAN, WIDTH)
        parts = {"norm_1": (WIDTH,), "norm_2": (WIDTH,)}
        linear = {"stacked": 3 * WIDTH, "output": WIDTH, "up": 4 * WIDTH}
        self.layers = nn.ModuleList()
        for _ in range(LAYERS):
            layer = {name: nn.LayerNorm(size) for name, size in parts.items()}
            layer |= {name: nn.Linear(WIDTH, size, bias=False) for name, size in linear.items()}
            layer["down"] = nn.Linear(4 * WIDTH, WIDTH, bias=False)
            self.layers.append(nn.ModuleDict(layer))
        self.norm = nn.LayerNorm(WIDTH)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embed(tokens) + self.table.weight[: tokens.shape[1]]
        for layer in self.layers:
            parts = layer["stacked"](layer["norm_1"](x)).chunk(3, dim=-1)
            q, k, v = (part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in parts)
            found = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + layer["output"](found.transpose(1, 2).flatten(2))
            x = x + layer["down"](F.gelu(layer["up"](layer["norm_2"](x))))
        return F.linear(self.norm(x), self.embed.weight)


def make(setting: Setting, vocabulary: int, seed: int) -> DecoderOnly:
    """A model with its initial weights."""
    torch.manual_seed(seed)
    config = Config(
        vocabulary=vocabulary,
        embed_dim=WIDTH,
        num_heads=HEADS,
        num_layers=LAYERS,
        hidden=4 * WIDTH,
        longest=SPAN,
        positions=setting.positions,
        qk_norm=setting.qk_norm,
        activation=setting.activation,
        norm=setting.norm,
        norm_first=True,
        bias=False,
        tied=setting.tied,
    )
    model = DecoderOnly(config)
    for name, parameter in model.named_parameters():
        last = name.endswith(("attention.output.weight", "feed_forward.down.weight"))
        if "norm" in name:
            continue
        if setting.zero and (last or name == "head.weight"):
            nn.init.zeros_(parameter)
        elif setting is not PLAIN and ("layers" in name or name == "head.weight"):
            nn.init.normal_(parameter, std=0.5 * WIDTH**-0.5)
        else:
            nn.init.normal_(parameter, std=setting.std / (math.sqrt(2 * LAYERS) if last else 1))
    if setting.before:
        model.embed = Before(model.embed, setting.before)
    return model


def optimizers(model: nn.Module, setting: Setting) -> list[torch.optim.Optimizer]:
    """AdamW, and Muon for the matrices of the layers where it has a rate.

    `torch.optim.Muon` takes the steps of `solutions.training.Muon`, multiplied in bfloat16.
    """
    inner, matrices, others = [], [], []
    for name, parameter in model.named_parameters():
        if parameter.ndim != 2:
            others.append(parameter)
        else:
            (inner if "layers" in name else matrices).append(parameter)
    groups = [
        {"params": matrices, "weight_decay": setting.decay},
        {"params": others, "weight_decay": 0.0},
    ]
    if not setting.muon:
        rate = setting.rate if setting.inner is None else setting.inner
        groups.append({"params": inner, "weight_decay": setting.decay, "lr": rate})
    made = [torch.optim.AdamW(groups, lr=setting.rate, betas=(0.9, 0.99), fused=True)]
    if setting.muon:
        made.append(torch.optim.Muon(inner, lr=setting.muon, weight_decay=0.0))
    return made


def factor(step: int, setting: Setting) -> float:
    """Factor of the learning rates in this step."""
    if setting.to_zero:
        return min((step + 1) / setting.warmup, 1.0) * (1 - step / setting.steps)
    return warmup_cosine(step, warmup=setting.warmup, total=setting.steps, floor=0.1)


def train(setting: Setting, seed: int, seen: Tensor, held: Tensor, *, looks: int = 5) -> dict:
    """One run: its curve on a quarter of what was held out, and its loss on all of it."""
    model = make(setting, int(seen.max()) + 1, seed)
    generator = torch.Generator().manual_seed(seed)
    made = optimizers(model, setting)
    groups = [(group, group["lr"]) for optimizer in made for group in optimizer.param_groups]
    taken, curve = 0.0, []
    for step in range(setting.steps):
        start = time.process_time()
        for group, rate in groups:
            group["lr"] = rate * factor(step, setting)
        read, asked = windows(
            seen, torch.randint(len(seen) - SPAN, (setting.batch,), generator=generator), SPAN
        )
        loss = F.cross_entropy(model(read).flatten(0, 1), asked.flatten())
        for optimizer in made:
            optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer in made:
            optimizer.step()
        taken += time.process_time() - start
        if looks and (step + 1) % max(1, setting.steps // looks) == 0:
            curve.append([step + 1, round(taken, 2), round(measure(model, held, part=4), 4)])
    return {"seconds": round(taken, 2), "loss": round(measure(model, held), 4), "curve": curve}


@torch.no_grad()
def measure(model: nn.Module, held: Tensor, part: int = 1) -> float:
    """Nats per letter in consecutive windows, or in every nth of them."""
    total, starts = 0.0, torch.arange(0, len(held) - SPAN, SPAN)[::part]
    for some in starts.split(64):
        read, asked = windows(held, some, SPAN)
        losses = F.cross_entropy(model(read).flatten(0, 1), asked.flatten(), reduction="sum")
        total += losses.item()
    return total / (len(starts) * SPAN)


def tokens() -> tuple[Tensor, Tensor]:
    """The first nine tenths of the text, and the last: nanoGPT's split."""
    text = tiny_shakespeare()
    ids = {character: token for token, character in enumerate(sorted(set(text)))}
    found = torch.tensor([ids[character] for character in text])
    return found[: int(0.9 * len(text))], found[int(0.9 * len(text)) :]


def step_times(vocabulary: int, turns: int = 12, each: int = 4) -> dict[str, float]:
    """Seconds of a plain step, with our layers and with torch's; the best of many turns."""
    models = {"ours": make(PLAIN, vocabulary, 0), "torch.nn": Plain(vocabulary)}
    made = {name: torch.optim.AdamW(m.parameters(), fused=True) for name, m in models.items()}
    best = dict.fromkeys(models, math.inf)
    read = torch.randint(vocabulary, (PLAIN.batch, SPAN + 1))
    for _ in range(turns):
        for name, model in models.items():
            start = time.process_time()
            for _ in range(each):
                logits = model(read[:, :-1]).flatten(0, 1)
                made[name].zero_grad()
                F.cross_entropy(logits, read[:, 1:].flatten()).backward()
                made[name].step()
            best[name] = min(best[name], (time.process_time() - start) / each)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--others", type=int, default=3, help="seeds of all but the fast setting")
    parser.add_argument("--folder", type=Path, default=Path("_build/speedrun"))
    given = parser.parse_args()
    torch.set_num_threads(1)
    seen, held = tokens()
    given.folder.mkdir(parents=True, exist_ok=True)
    lines = {name: {"setting": asdict(setting), "runs": []} for name, setting in LINES.items()}
    for number, (name, setting) in enumerate(LINES.items()):
        for seed in given.seeds if name == "fast" else given.seeds[: given.others]:
            file = given.folder / f"{number}-{seed}.json"
            if not file.exists() or json.loads(file.read_text())["setting"] != asdict(setting):
                found = train(setting, seed, seen, held, looks=20 if setting is PLAIN else 5)
                file.write_text(json.dumps({"setting": asdict(setting), **found}))
            run = json.loads(file.read_text())
            run.pop("setting")
            lines[name]["runs"].append({"seed": seed, **run})
            print(f"{name:32} {seed} {run['loss']:.4f} {run['seconds']:7.1f} s", flush=True)
    times = step_times(int(seen.max()) + 1)
    record(__file__, given.seeds, goal=GOAL, step_seconds=times, lines=lines)


if __name__ == "__main__":
    main()
