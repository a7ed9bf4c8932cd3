"""German to English on Multi30k: four models, two optimizers, the same steps on the same batches.

    python benchmarks/translation.py [--seeds 0 1 2] [--only MODEL ...] [--parts]

The models are `lstm`, `gru`, `attention` (a GRU that attends) and `transformer`. All have about the
same number of parameters, read and write the same subwords, and take `STEPS` steps on the same
batches: once through the training part. Each is trained with AdamW for all parameters, and with
Muon for the matrices inside and AdamW, at a quarter of the rate, for the rest. The same for all:
gradients clipped at 1, labels smoothed by 0.1, no weight decay, no dropout, a rate that rises over
a tenth of the steps and falls to 0 along a line.

The rate is chosen by the loss on the development part after half the steps, with a seed that no
report uses: three rates, each twice the one before, and further ones while the best is the first or
the last. (After a quarter of the steps, the best rate of the attending GRU with Muon was one that
ends far behind its neighbor.) `--parts` undoes parts of the Transformer's recipe, with Muon, and
chooses the rate of each in the same way. One thread, float32; times are processor seconds. Writes
`translation.json` after each trial and each run, and continues from there if it was stopped.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import sacrebleu
import torch
import torch.nn.functional as F
from machine import record
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode
from tuning import next_rate

from solutions.attention import AttendingDecoder
from solutions.data import multi30k
from solutions.recurrent import Recurrent
from solutions.seq2seq import (
    BOS,
    EOS,
    PAD,
    Batch,
    EncoderDecoder,
    corpus_bleu,
    greedy,
    shift_right,
)
from solutions.tokenization import BytePairTokenizer
from solutions.training import COEFFICIENTS
from solutions.translation import (
    SMALL,
    cross_attention,
    padded,
    pair_batches,
    recurrent,
    transformer,
)

SUBWORDS, BATCH, STEPS, TRIAL, TRIAL_SEED, POINTS, LONGEST = 3_000, 64, 454, 227, 999, 5, 60
LOOKED = 400  # development pairs whose loss is taken
MODELS, OPTIMIZERS = ("transformer", "attention", "gru", "lstm"), ("AdamW", "Muon")
FIRST = {  # the rate that is tried first, with half and twice of it
    "AdamW": {"lstm": 0.032, "gru": 0.032, "attention": 0.032, "transformer": 0.016},
    "Muon": {"lstm": 0.16, "gru": 0.08, "attention": 0.08, "transformer": 0.08},
}
CONFIG = replace(
    SMALL["transformer"], embed_dim=96, num_heads=4, num_layers=2, hidden=384, activation="relu"
)
SIZES = {
    "lstm": {"embed_dim": 96, "hidden_size": 102},
    "gru": {"embed_dim": 96, "hidden_size": 112},
    "attention": {"embed_dim": 64, "hidden_size": 38, "decoder_size": 90},
}
PARTS = {  # of the Transformer's recipe, and what stands there without it
    "rotary": {"positions": "sinusoidal"},
    "qk_norm": {"qk_norm": False},
    "relu2": {"activation": "relu2"},
    "zero": {},
    "smoothing": {},
}
SHOWN = range(0, 1000, 40)  # test sentences whose translations are kept


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--only", nargs="+", choices=MODELS, default=MODELS, metavar="MODEL")
    parser.add_argument("--parts", action="store_true", help="take parts of the recipe back")
    given = parser.parse_args()
    torch.set_num_threads(1)
    data = prepared()
    path = Path(__file__).with_suffix(".json")
    before = json.loads(path.read_text()) if path.exists() else {}
    size = {"steps": STEPS, "batch": BATCH, "trial": TRIAL, "subwords": SUBWORDS}
    size["pairs"] = len(data[1][0])
    if before.get("budget") != size:
        before = {}
    models = before.get("models", {})
    parts = {part: of for part, of in before.get("parts", {}).items() if "tried" in of}

    def write() -> None:
        command = "python benchmarks/translation.py"
        seeds = sorted({int(s) for m in models.values() for o in m.values() for s in o["runs"]})
        record(__file__, seeds, command=command, budget=size, models=models, parts=parts)

    every = list(itertools.product(given.only, OPTIMIZERS))
    for seed, (kind, optimizer) in itertools.product(given.seeds, every):
        of = models.setdefault(kind, {}).setdefault(optimizer, {"tried": {}, "runs": {}})
        stepped_by = optimizers(model := made(kind), "Muon", 0.0)[0].blocks
        of["parameters"] = sum(p.numel() for p in model.parameters())
        of["inside"] = sum(p.numel() for p, _ in stepped_by)  # what Muon steps, where it does
        of["multiply_adds"] = of.get("multiply_adds") or counted(kind, optimizer, data[1])
        choose(of, data[1], write, kind, optimizer, FIRST[optimizer][kind])
        if str(seed) not in of["runs"]:
            model, run = trained(kind, optimizer, of["rate"], seed, data[1])
            run |= judged(model, data) | {"samples": samples(model, data)}
            if kind in ("attention", "transformer") and seed == 0:
                run["alignment"] = alignment(model, data)
            of["runs"][str(seed)] = run
            print(kind, optimizer, of["rate"], seed, run["seconds"], run["test"], flush=True)
            write()
    for seed, part in itertools.product(given.seeds, PARTS if given.parts else ()):
        of = parts.setdefault(part, {"tried": {}, "runs": {}})
        whole = models["transformer"]["Muon"]["rate"]
        choose(of, data[1], write, "transformer", "Muon", whole, without=part)
        if str(seed) not in of["runs"]:
            model, run = trained("transformer", "Muon", of["rate"], seed, data[1], without=part)
            of["runs"][str(seed)] = run | judged(model, data)
            print(part, of["rate"], seed, run["seconds"], of["runs"][str(seed)]["test"], flush=True)
            write()
    write()


def choose(of, sets, write, kind, optimizer, first, *, without=None) -> None:
    """Try rates until the best lies between two that are worse; runs at another rate are void."""
    tried = of["tried"]
    while f"{(rate := next_rate(tried, first)):g}" not in tried:
        budget = {"steps": TRIAL, "without": without}
        _, run = trained(kind, optimizer, rate, TRIAL_SEED, sets, **budget)
        tried[f"{rate:g}"] = run["curve"][-1]["dev_loss"]
        print(without or kind, optimizer, tried, run["seconds"], flush=True)
        write()
    if of.get("rate") != rate:
        of["rate"], of["runs"] = rate, {}


# data


def prepared(subwords: int = SUBWORDS) -> tuple:
    """The sets in small letters, their token numbers, and the tokenizer, of the training part."""
    sets = multi30k()
    sets = type(sets)(
        *([type(p)(p.source.lower(), p.target.lower()) for p in part] for part in sets)
    )
    tokenizer = BytePairTokenizer()
    tokenizer.train("\n".join(" " + line for pair in sets.train for line in pair), subwords)

    def numbers(line: str) -> list[int]:  # 0 to 3 are padding, begin, end and unknown
        return [number + 4 for number in tokenizer.encode(" " + line)]

    parts = [[(numbers(p.source), numbers(p.target)) for p in part] for part in sets]
    return sets, parts, tokenizer


def text(row: list[int], tokenizer: BytePairTokenizer) -> str:
    """Text of a row of numbers, up to its end token."""
    row = itertools.takewhile(lambda number: number != EOS, row)
    return tokenizer.decode([number - 4 for number in row if number > 3]).strip()


# models


def made(kind: str, without: str | None = None) -> EncoderDecoder:
    """A model with about 0.8 million parameters; source and target share a table of embeddings."""
    symbols = SUBWORDS + 4
    if kind == "transformer":
        config = replace(CONFIG, **PARTS.get(without, {}))
        return transformer(symbols, config, zero=without != "zero")
    model = recurrent(kind, symbols, **SIZES[kind])
    model.decoder.embedding = model.encoder.embedding
    return model


class Muon(torch.optim.Optimizer):
    """The steps of `solutions.training.Muon`, all blocks of one shape at once.

    The matrices of a recurrent layer hold those of its gates one below the other; each of them is a
    separate block.
    """

    def __init__(self, blocks: list[tuple[nn.Parameter, int]], lr: float) -> None:
        super().__init__([parameter for parameter, _ in blocks], {"lr": lr})
        self.blocks = blocks

    @torch.no_grad()
    def step(self) -> None:
        shapes: dict[tuple, list] = {}
        for parameter, count in self.blocks:
            state = self.state[parameter]
            buffer = state.setdefault("momentum_buffer", torch.zeros_like(parameter))
            buffer.lerp_(parameter.grad, 0.05)
            direction = parameter.grad.lerp(buffer, 0.95)
            pieces = zip(parameter.chunk(count), direction.chunk(count), strict=True)
            for piece, towards in pieces:
                shapes.setdefault(piece.shape, []).append((piece, towards))
        for (rows, columns), pieces in shapes.items():
            moves = orthogonalized(torch.stack([towards for _, towards in pieces]))
            length = self.param_groups[0]["lr"] * math.sqrt(max(1, rows / columns))
            for (piece, _), move in zip(pieces, moves, strict=True):
                piece.sub_(move, alpha=length)


def orthogonalized(x: Tensor) -> Tensor:
    """`solutions.training.newton_schulz` for each of a stack of matrices."""
    a, b, c = COEFFICIENTS
    tall = x.shape[-2] > x.shape[-1]
    x = x.mT if tall else x
    x = x / (torch.linalg.matrix_norm(x, keepdim=True) + 1e-7)
    for _ in range(5):
        square = x @ x.mT
        x = a * x + (b * square + c * square @ square) @ x
    return x.mT if tall else x


def optimizers(model: EncoderDecoder, optimizer: str, rate: float) -> list[torch.optim.Optimizer]:
    """AdamW for all; or Muon for the matrices inside, and AdamW for the rest.

    The rest: tables with a row per symbol, and parameters that are not matrices.
    """
    gates, symbols = {"rnn": 1, "gru": 3, "lstm": 4}, model.decoder.embedding.num_embeddings
    blocks = {
        parameter: gates[layer.kind]
        for layer in model.modules()
        if isinstance(layer, Recurrent)
        for parameter in layer.parameters()
    }
    inside = [p for p in model.parameters() if p.ndim == 2 and p.shape[0] != symbols]
    rest = [p for p in model.parameters() if not any(p is one for one in inside)]
    own = {"betas": (0.9, 0.98), "weight_decay": 0.0, "fused": True}
    if optimizer == "AdamW":
        return [torch.optim.AdamW(model.parameters(), lr=rate, **own)]
    return [
        Muon([(p, blocks.get(p, 1)) for p in inside], lr=rate),
        torch.optim.AdamW(rest, lr=rate / 4, **own),
    ]


# training


def loss_of(model: nn.Module, batch: Batch, smoothing: float = 0.0) -> Tensor:
    """Cross-entropy per token in nats."""
    with sdpa_kernel(SDPBackend.MATH):  # for lines this short it is the faster one
        logits = model(batch.source, batch.lengths, shift_right(batch.target))
    kind = {"ignore_index": PAD, "label_smoothing": smoothing}
    return F.cross_entropy(logits.float().flatten(0, 1), batch.target.flatten(), **kind)


def endless(pairs: list, seed: int, size: int = BATCH) -> Iterator[Batch]:
    """Batches of one epoch after another."""
    for epoch in itertools.count():
        yield from pair_batches(pairs, size, seed=1_000 * seed + epoch)


def stepped(model: nn.Module, steppers: list, batch: Batch, smoothing: float) -> None:
    """One step."""
    loss = loss_of(model, batch, smoothing)
    model.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    for stepper in steppers:
        stepper.step()


def counted(kind: str, optimizer: str, parts: list) -> int:
    """Multiply-adds of the matrix products of a step: the mean over ten batches."""
    model, batches = made(kind), itertools.islice(endless(parts[0], 0), 10)
    steppers = optimizers(model, optimizer, 0.0)
    with FlopCounterMode(display=False) as counter:
        for batch in batches:
            stepped(model, steppers, batch, 0.1)
    return counter.get_total_flops() // 20


def trained(kind, optimizer, rate, seed, parts, *, steps=STEPS, without=None) -> tuple:
    """A model after so many steps, and its loss on the development part on the way.

    Looking at the development part does not count as time.
    """
    torch.manual_seed(seed)
    model = made(kind, without)
    steppers = optimizers(model, optimizer, rate)
    groups = [group for stepper in steppers for group in stepper.param_groups]
    highest = [group["lr"] for group in groups]
    smoothing = 0.0 if without == "smoothing" else 0.1
    points = {round((k + 1) * steps / POINTS) for k in range(POINTS)}
    if steps == TRIAL:
        points = {steps}
    curve, spent = [], 0.0
    for step, batch in zip(range(1, steps + 1), endless(parts[0], seed), strict=False):
        start = time.process_time()
        factor = min(10 * step / steps, 1 - (step - 1) / steps)
        for group, most in zip(groups, highest, strict=True):
            group["lr"] = factor * most
        stepped(model, steppers, batch, smoothing)
        spent += time.process_time() - start
        if step in points:
            curve.append({"step": step, "dev_loss": dev_loss(model, parts[1][:LOOKED])})
            print(kind, optimizer, rate, seed, curve[-1], round(spent), flush=True)
    model.eval()
    return model, {"seconds": spent, "curve": curve}


# judging


@torch.no_grad()
def dev_loss(model: nn.Module, pairs: list) -> float:
    """Cross-entropy per token in nats, without smoothing."""
    total, count = 0.0, 0
    for at in range(0, len(pairs), 100):
        batch = padded(pairs[at : at + 100])
        real = int((batch.target != PAD).sum())
        total, count = total + loss_of(model, batch).item() * real, count + real
    return total / count


@torch.no_grad()
def translated(model: nn.Module, pairs: list) -> list[list[int]]:
    """Greedy translations, in the order of the pairs."""
    order = sorted(range(len(pairs)), key=lambda at: len(pairs[at][0]))
    rows: dict[int, list[int]] = {}
    for at in range(0, len(order), 100):
        some = order[at : at + 100]
        batch = padded([pairs[k] for k in some])
        first = torch.full((len(some),), BOS)
        state = model.begin(batch.source, batch.lengths)
        written = greedy(model.step, state, first, max_length=LONGEST)
        rows |= dict(zip(some, written.tolist(), strict=True))
    return [rows[at] for at in range(len(pairs))]


def bleu(written: list[str], references: list[str]) -> dict[str, float]:
    """BLEU by sacrebleu, and by the course on the words that sacrebleu makes."""
    words = Tokenizer13a()
    theirs = sacrebleu.corpus_bleu(written, [references]).score
    ours = corpus_bleu(
        [words(line).split() for line in written],
        [[words(line).split()] for line in references],
        smooth=True,
    )
    return {"sacrebleu": theirs, "corpus_bleu": ours}


def judged(model: nn.Module, data: tuple) -> dict[str, dict]:
    """BLEU of greedy translations of the test part."""
    sets, parts, tokenizer = data
    written = [text(row, tokenizer) for row in translated(model, parts[2])]
    return {"test": bleu(written, [pair.target for pair in sets.test])}


def samples(model: nn.Module, data: tuple) -> list:
    """Some of the test part, and what the model makes of it."""
    sets, parts, tokenizer = data
    rows = translated(model, [parts[2][at] for at in SHOWN])
    return [
        {"source": pair.source, "target": pair.target, "written": text(row, tokenizer)}
        for row, pair in zip(rows, (sets.test[at] for at in SHOWN), strict=True)
    ]


@torch.no_grad()
def alignment(model: nn.Module, data: tuple) -> list:
    """Where the model looks while it reads the reference, for some of the sentences kept."""
    _, parts, tokenizer = data
    kept = []
    for source, target in (parts[2][at] for at in SHOWN[:3]):
        batch = padded([(source, target)])
        memory, mask, summary = model.encoder(batch.source, batch.lengths)
        read = shift_right(batch.target)
        if isinstance(model.decoder, AttendingDecoder):
            state = model.decoder.begin(summary)
            weights = model.decoder.align(read, memory, mask, state)[1][:, None, None]
        else:
            weights = cross_attention(model, batch.source, batch.lengths, read)
        kept.append(
            {
                "source": [tokenizer.decode([n - 4]) for n in source],
                "target": [tokenizer.decode([n - 4]) for n in target] + ["end"],
                "weights": [  # layers, heads, target, source
                    [[[round(w, 3) for w in row] for row in head] for head in layer]
                    for layer in weights[0].tolist()
                ],
            }
        )
    return kept


if __name__ == "__main__":
    main()
