"""One text, every model: bits per character against the time that training took.

    python benchmarks/text_ladder.py [--seeds 0 1 2] [--folder _build/text_ladder]

On the characters of Tiny Shakespeare: n-grams with Kneser-Ney smoothing, four networks with the
same number of parameters, and GPT with two of eight experts in place of each feed-forward network,
which multiplies and adds as much for a token. Each is trained for the same processor seconds on one
thread; they take turns. Rates and the n of the n-grams are chosen on the development text; the
results are for the test text. Runs that the folder holds are not repeated. Rates are a factor of
two apart; the search ends when the best lies between two that are worse. Takes about twenty minutes
on one core. Writes `text_ladder.json`.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from pathlib import Path

import torch
from machine import record
from torch import Tensor, nn
from torch.nn import functional as F
from tuning import next_rate

from solutions.data import tiny_shakespeare
from solutions.gpt import GPT, MixtureOfExperts, windows
from solutions.recurrent import CharacterModel, KneserNey, bits_per_character, detach

SPAN, BATCH, V = 64, 16, 65
WIDTH, LAYERS, STD = 48, 2, 0.07
BUDGETS = [4.0, 12.0, 36.0]  # seconds of the processor
FIRST_RATE = 1e-2
ORDERS = [3, 4, 5, 6, 7, 8]
KINDS = {"RNN": "rnn", "LSTM": "lstm", "GRU": "gru", "GPT": "", "experts": ""}
EXPERTS, ACTIVE, ALPHA = 8, 2, 0.01  # alpha: of the term that balances the load


def make(name: str) -> nn.Module:
    """A network; the recurrent ones are as wide as GPT's number of parameters allows."""
    made = {"embed_dim": WIDTH, "num_heads": 4, "num_layers": LAYERS, "longest": SPAN}
    gpt = GPT(V, **made, positions="rotary", std=STD)
    if name == "experts":
        return with_experts(gpt)
    if name == "GPT":
        return gpt
    kind = KINDS[name]

    def size(hidden: int) -> int:
        return count(CharacterModel(V, embed_dim=32, hidden_size=hidden, kind=kind, device="meta"))

    hidden = min(range(32, 400), key=lambda hidden: abs(size(hidden) - count(gpt)))
    return CharacterModel(V, embed_dim=32, hidden_size=hidden, kind=kind)


def with_experts(gpt: GPT) -> GPT:
    """Experts in each layer, of which a token uses two, each half as wide as the layer's FFN."""
    for layer in gpt.layers:
        sizes = {"num_experts": EXPERTS, "k": ACTIVE, "activation": "gelu"}
        layer.feed_forward = MixtureOfExperts(WIDTH, 4 * WIDTH // ACTIVE, **sizes)
        for name, parameter in layer.feed_forward.named_parameters():
            if name.endswith("bias"):
                nn.init.zeros_(parameter)
            else:  # as GPT initializes what it has
                down = name.endswith("down.weight")
                nn.init.normal_(parameter, std=STD / (math.sqrt(2 * LAYERS) if down else 1))
    return gpt


def balance(model: nn.Module) -> Tensor | float:
    """The term that balances the load of the experts, averaged over the layers; 0 without them."""
    terms = [part.balance for part in model.modules() if isinstance(part, MixtureOfExperts)]
    return ALPHA * sum(terms) / len(terms) if terms else 0.0


def count(model: nn.Module) -> int:
    return sum(parameter.numel() for parameter in model.parameters())


def train(name: str, rate: float, seconds: float, seed: int, seen: Tensor) -> tuple[nn.Module, int]:
    """Adam until the seconds are used up; the rate falls to 0 along them.

    GPT reads pieces from anywhere, and the recurrent networks read continuing streams.
    """
    torch.manual_seed(seed)
    model = make(name)
    optimizer = torch.optim.Adam(model.parameters(), rate, (0.9, 0.99), fused=True)
    generator = torch.Generator().manual_seed(seed)
    length = (len(seen) - 1) // BATCH
    begin = int(torch.randint(length, (), generator=generator))
    steps, used, state = 0, 0.0, None
    while used < seconds:
        start = time.process_time()
        optimizer.param_groups[0]["lr"] = rate * min((steps + 1) / 20, 1) * (1 - used / seconds)
        if isinstance(model, GPT):
            starts = torch.randint(len(seen) - SPAN, (BATCH,), generator=generator)
            read, asked = windows(seen, starts, SPAN)
            logits = model(read)
        else:
            if begin + SPAN > length:
                begin, state = 0, None
            read, asked = windows(seen, torch.arange(BATCH) * length + begin, SPAN)
            logits, state = model(read, state)
            state, begin = detach(state), begin + SPAN
        loss = F.cross_entropy(logits.flatten(0, 1), asked.flatten())
        optimizer.zero_grad()
        (loss + balance(model)).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        steps, used = steps + 1, used + time.process_time() - start
    return model, steps


@torch.no_grad()
def cost(model: nn.Module, text: Tensor, *, size: int = 30_000) -> float:
    """Bits per character. GPT is asked for the last 16 of each window, the others for all."""
    if isinstance(model, GPT):
        read, asked = windows(text, torch.arange(0, size - SPAN, 16), SPAN)
        return bits_per_character(model(read)[:, -16:], asked[:, -16:]).item()
    read, asked = windows(text, torch.arange(0, size, 500), 500)
    found = model(read)
    return bits_per_character(found if isinstance(found, Tensor) else found[0], asked).item()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--folder", type=Path, default=Path("_build/text_ladder"))
    given = parser.parse_args()
    torch.set_num_threads(1)
    given.folder.mkdir(parents=True, exist_ok=True)
    text = tiny_shakespeare()
    ids = {character: token for token, character in enumerate(sorted(set(text)))}
    tokens = torch.tensor([ids[character] for character in text])
    seen, dev, test = tokens.tensor_split([len(text) * 8 // 10, len(text) * 9 // 10])

    def run(name: str, rate: float, seconds: float, seed: int, part: str) -> dict:
        file = given.folder / f"{name}-{rate}-{seconds}-{seed}-{part}.json"
        if not file.exists():
            model, steps = train(name, rate, seconds, seed, seen)
            found = {"bits": cost(model, dev if part == "dev" else test), "steps": steps}
            file.write_text(json.dumps({"seconds": seconds, "seed": seed, "rate": rate, **found}))
        found = json.loads(file.read_text())
        print(f"{file.stem:32} {found['bits']:.3f} {found['steps']:6}", flush=True)
        return found

    grams = []
    for order in ORDERS:
        start = time.process_time()
        model = KneserNey(seen, V, order=order)
        taken = time.process_time() - start
        room = sum(len(kinds) for kinds, _ in model.counts)
        found = {"dev": cost(model, dev), "test": cost(model, test)}
        grams.append({"order": order, "seconds": taken, "counts": room, **found})
        print(grams[-1], flush=True)
    networks = {}
    for name in KINDS:  # tried with a seed that no report uses
        tried: dict[str, float] = {}
        while f"{(rate := next_rate(tried, FIRST_RATE)):g}" not in tried:
            bits = run(name, rate, BUDGETS[1], 99, "dev")["bits"]
            tried[f"{rate:g}"] = bits if math.isfinite(bits) else math.inf
        networks[name] = {"parameters": count(make(name)), "tried": tried, "rate": rate, "runs": []}
    for seconds in BUDGETS:  # networks take turns, so that none has a slow hour of the machine
        for seed in given.seeds:
            for name, network in networks.items():
                found = run(name, network["rate"], seconds, seed, "test")
                network["runs"].append(found)
    record(
        __file__,
        given.seeds,
        budgets=BUDGETS,
        grams=grams,
        networks=networks,
        experts=EXPERTS,
        active=ACTIVE,
    )


if __name__ == "__main__":
    main()
