"""German to English on Multi30k: one model, one seed, one budget of processor time.

    python benchmarks/translation.py MODEL [--seed 0] [--seconds 600] [--without PART] [--dropout 0]
        [--adam 0.003]

MODEL is `lstm`, `gru`, `attention` (a GRU that attends) or `transformer`. All have about as many
parameters, read and write the same subwords, and train on one thread. The rate of a recurrent model
is the best of `RATES` by its loss on the development part after `TRIAL` seconds each, once, with a
seed of its own; those of the Transformer come from a trial before. `--without` takes one part of
the Transformer's recipe back, `--adam` is the rate of its AdamW. Multiplies in bfloat16. Adds the
run to `translation.json`.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import sacrebleu
import torch
import torch.nn.functional as F
from machine import machine, record
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from solutions.attention import AttendingDecoder
from solutions.data import multi30k
from solutions.seq2seq import (
    BOS,
    EOS,
    PAD,
    Batch,
    EncoderDecoder,
    beam_search,
    corpus_bleu,
    greedy,
    shift_right,
)
from solutions.tokenization import BytePairTokenizer
from solutions.translation import (
    SMALL,
    cross_attention,
    padded,
    pair_batches,
    recurrent,
    transformer,
)

SUBWORDS, BATCH, WARM, POINTS, LONGEST = 6_000, 128, 50, 6, 60
RATES, TRIAL, TRIAL_SEED = (1e-3, 3e-3), 40, 999  # of the recurrent models
MUON, ADAM = 0.02, 3e-3  # of the Transformer
PARTS = ("muon", "rotary", "qk_norm", "relu2", "zero", "smoothing")
CONFIG = replace(SMALL["transformer"], embed_dim=192, num_heads=6, num_layers=3, hidden=768)
WITHOUT = {
    "rotary": {"positions": "sinusoidal"},
    "qk_norm": {"qk_norm": False},
    "relu2": {"activation": "relu"},
}
SHOWN = range(0, 1000, 40)  # test sentences whose translations are kept


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("model", choices=("lstm", "gru", "attention", "transformer"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=600, help="of the processor")
    parser.add_argument("--without", choices=PARTS)
    parser.add_argument("--dropout", type=float, default=0.0)
    parser.add_argument("--adam", type=float, default=ADAM, help="the Transformer's rate of AdamW")
    parser.add_argument("--checkpoint", type=Path, help="written now and then, and gone on from")
    given = parser.parse_args()
    if given.model != "transformer" and (given.without or given.dropout or given.adam != ADAM):
        parser.error("--without, --dropout and --adam are for the Transformer")
    torch.set_num_threads(1)
    sets, parts, tokenizer = prepared()
    rates = tuned(given, parts) if given.model != "transformer" else {}
    rate = min(rates, key=rates.get) if rates else None
    model, found = trained(given, parts, given.seed, given.seconds, rate, sets, tokenizer)
    name = given.model
    name += f" without {given.without}" if given.without else ""
    name += f", AdamW at {given.adam:g}" if given.adam != ADAM else ""
    name += f", {given.seconds:g} s" if given.seconds != 600 else ""
    run = {
        "command": " ".join(["python", "benchmarks/translation.py", *asked()]),
        "load_before": machine()["load_before"],
        "parameters": sum(p.numel() for p in model.parameters()),
        "rate": rate,
        "tried": {f"{tried:g}": loss for tried, loss in rates.items()},
        **found,
        "samples": samples(model, parts[2], sets.test, tokenizer),
    }
    if given.model in ("attention", "transformer") and given.seconds >= 600:
        run["alignment"] = alignment(model, parts[2], tokenizer)
    ways = {"greedy": translated, "beam 5": searched}  # the second takes a while
    if given.seconds < 600:
        del ways["beam 5"]
    for how, write in ways.items():
        run[how] = judged(write, model, parts[2], sets.test, tokenizer)
        merge(name, given.seed, run)
        print(name, given.seed, run["steps"], how, run[how], flush=True)


def asked() -> list[str]:
    """The arguments, without the file that a cut-off run goes on from."""
    at = sys.argv.index("--checkpoint") if "--checkpoint" in sys.argv else len(sys.argv)
    return [*sys.argv[1:at], *sys.argv[at + 2 :]]


def merge(name: str, seed: int, run: dict) -> None:
    """Add a run to those that are recorded."""
    path = Path(__file__).with_suffix(".json")
    runs = json.loads(path.read_text())["runs"] if path.exists() else {}
    runs.setdefault(name, {})[str(seed)] = run
    seeds = sorted({int(seed) for some in runs.values() for seed in some})
    command = "python benchmarks/translation.py MODEL --seed SEED"
    record(__file__, seeds, command=command, runs=runs)


# data


def prepared() -> tuple:
    """The sets in small letters, their token numbers, and the tokenizer, of the training part."""
    sets = multi30k()
    sets = type(sets)(
        *([type(p)(p.source.lower(), p.target.lower()) for p in part] for part in sets)
    )
    tokenizer = BytePairTokenizer()
    tokenizer.train("\n".join(" " + line for pair in sets.train for line in pair), SUBWORDS)

    def numbers(line: str) -> list[int]:  # 0 to 3 are padding, begin, end and unknown
        return [number + 4 for number in tokenizer.encode(" " + line)]

    parts = [[(numbers(p.source), numbers(p.target)) for p in part] for part in sets]
    return sets, parts, tokenizer


def text(row: list[int], tokenizer: BytePairTokenizer) -> str:
    """What a row of numbers says, up to its end token."""
    row = itertools.takewhile(lambda number: number != EOS, row)
    return tokenizer.decode([number - 4 for number in row if number > 3]).strip()


# models


def made(given: argparse.Namespace) -> EncoderDecoder:
    """A model with about 4.3 million parameters."""
    symbols = SUBWORDS + 4
    if given.model == "transformer":
        config = replace(CONFIG, dropout=given.dropout, **WITHOUT.get(given.without, {}))
        return transformer(symbols, config, zero=given.without != "zero")
    sizes = {
        "lstm": {"embed_dim": 128, "hidden_size": 256},
        "gru": {"embed_dim": 128, "hidden_size": 280},
        "attention": {"embed_dim": 96, "hidden_size": 128, "decoder_size": 184},
    }
    return recurrent(given.model, symbols, **sizes[given.model])


def optimizers(
    model: nn.Module, given: argparse.Namespace, rate: float | None
) -> list[torch.optim.Optimizer]:
    """AdamW for all; for the Transformer Muon for its matrices, except the table of embeddings.

    `torch.optim.Muon` takes the steps of `solutions.training.Muon`, multiplied in bfloat16.
    """
    adam = {"betas": (0.9, 0.98), "weight_decay": 0.0, "fused": True}
    if rate is not None or given.without == "muon":
        return [torch.optim.AdamW(model.parameters(), lr=rate or given.adam, **adam)]
    matrices = [p for n, p in model.named_parameters() if p.ndim == 2 and "embedding" not in n]
    others = [p for n, p in model.named_parameters() if p.ndim != 2 or "embedding" in n]
    muon = torch.optim.Muon(matrices, lr=MUON, weight_decay=0.0)
    return [muon, torch.optim.AdamW(others, lr=given.adam, **adam)]


# training


def loss_of(model: nn.Module, batch: Batch, smoothing: float = 0.0) -> torch.Tensor:
    """Cross-entropy per token in nats; the products in bfloat16, the softmax in float32."""
    with torch.autocast("cpu", torch.bfloat16), sdpa_kernel(SDPBackend.MATH):
        logits = model(batch.source, batch.lengths, shift_right(batch.target))
    return F.cross_entropy(
        logits.float().flatten(0, 1),
        batch.target.flatten(),
        ignore_index=PAD,
        label_smoothing=smoothing,
    )


def endless(pairs: list, seed: int) -> Iterator[Batch]:
    """Batches of one epoch after another."""
    for epoch in itertools.count():
        yield from pair_batches(pairs, BATCH, seed=1_000 * seed + epoch)


def tuned(given: argparse.Namespace, parts: list) -> dict[float, float]:
    """The loss on the development part for each rate, after a short training."""
    found = {}
    for rate in RATES:
        model, _ = trained(given, parts, TRIAL_SEED, TRIAL, rate)
        found[rate] = dev_loss(model, parts[1])
        print("rate", rate, found[rate], flush=True)
    return found


def trained(given, parts, seed, seconds, rate, sets=None, tokenizer=None) -> tuple:
    """A model after so many seconds of processor, and how it learned.

    The rates rise over `WARM` steps and fall along a line that reaches 0 when the time is up. The
    time of looking at the development part does not count.
    """
    torch.manual_seed(seed)
    model = made(given)
    steppers = optimizers(model, given, rate)
    highest = [group["lr"] for stepper in steppers for group in stepper.param_groups]
    smoothing = 0.0 if given.without == "smoothing" else 0.1
    batches, curve, spent, steps = endless(parts[0], seed), [], 0.0, 0
    kept = given.checkpoint if sets else None
    if kept and kept.exists():
        state = torch.load(kept)
        model.load_state_dict(state["model"])
        for stepper, one in zip(steppers, state["steppers"], strict=True):
            stepper.load_state_dict(one)
        spent, steps, curve = state["spent"], state["steps"], state["curve"]
        batches = endless(parts[0], seed + 500)
    while spent < seconds:
        start = time.process_time()
        factor = min((steps + 1) / WARM, 1 - spent / seconds)
        groups = [group for stepper in steppers for group in stepper.param_groups]
        for group, rate_of in zip(groups, highest, strict=True):
            group["lr"] = factor * rate_of
        loss = loss_of(model, next(batches), smoothing)
        for stepper in steppers:
            stepper.zero_grad()
        loss.backward()
        if rate is not None:
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for stepper in steppers:
            stepper.step()
        steps, spent = steps + 1, spent + time.process_time() - start
        if sets and (spent >= seconds or spent >= (len(curve) + 1) * seconds / POINTS):
            model.eval()
            written = [text(row, tokenizer) for row in translated(model, parts[1])]
            point = {
                "seconds": spent,
                "steps": steps,
                "dev_loss": dev_loss(model, parts[1]),
                "dev_bleu": bleu(written, [pair.target for pair in sets.dev])["sacrebleu"],
            }
            model.train()
            curve.append(point)
            print(given.model, given.seed, point, flush=True)
            if kept:
                kept.parent.mkdir(parents=True, exist_ok=True)
                state = {"model": model.state_dict(), "spent": spent, "steps": steps}
                state |= {"steppers": [one.state_dict() for one in steppers], "curve": curve}
                torch.save(state, kept)
    model.eval()
    return model, {
        "seconds": spent,
        "steps": steps,
        "epochs": steps / math.ceil(len(parts[0]) / BATCH),
        "curve": curve,
    }


# judging


@torch.no_grad()
def dev_loss(model: nn.Module, pairs: list) -> float:
    """Cross-entropy per token in nats, without smoothing."""
    was, total, count = model.training, 0.0, 0
    model.eval()
    for at in range(0, len(pairs), 200):
        batch = padded(pairs[at : at + 200])
        real = int((batch.target != PAD).sum())
        total, count = total + loss_of(model, batch).item() * real, count + real
    model.train(was)
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


@torch.no_grad()
def searched(model: nn.Module, pairs: list, beam: int = 5) -> list[list[int]]:
    """Translations by beam search, with the length penalty of Wu et al."""
    rows = []
    for pair in pairs:
        batch = padded([pair])
        state = model.begin(batch.source, batch.lengths)
        limits = {"beam": beam, "max_length": LONGEST, "penalty": 1.0}
        rows.append(beam_search(model.step, state, torch.tensor([BOS]), **limits)[0].tokens)
    return rows


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


def judged(write, model: nn.Module, pairs: list, test: list, tokenizer) -> dict[str, float]:
    """BLEU on the test part, and the seconds of processor that writing took."""
    start = time.process_time()
    written = [text(row, tokenizer) for row in write(model, pairs)]
    taken = time.process_time() - start
    return bleu(written, [pair.target for pair in test]) | {"seconds": taken}


def samples(model: nn.Module, pairs: list, test: list, tokenizer: BytePairTokenizer) -> list:
    """Some of the test part, and what the model makes of it."""
    rows = translated(model, [pairs[at] for at in SHOWN])
    written = [text(row, tokenizer) for row in rows]
    return [
        {"source": test[at].source, "target": test[at].target, "written": line}
        for at, line in zip(SHOWN, written, strict=True)
    ]


@torch.no_grad()
def alignment(model: nn.Module, pairs: list, tokenizer: BytePairTokenizer) -> list:
    """Where the model looks while it reads the reference, for some of the sentences kept."""
    kept = []
    for at in SHOWN[:3]:
        batch = padded([pairs[at]])
        memory, mask, summary = model.encoder(batch.source, batch.lengths)
        read = shift_right(batch.target)
        if isinstance(model.decoder, AttendingDecoder):
            state = model.decoder.begin(summary)
            weights = model.decoder.align(read, memory, mask, state)[1][:, None, None]
        else:
            weights = cross_attention(model, batch.source, batch.lengths, read)
        kept.append(
            {
                "source": [tokenizer.decode([n - 4]) for n in pairs[at][0]],
                "target": [tokenizer.decode([n - 4]) for n in pairs[at][1]] + ["end"],
                "weights": [  # layers, heads, target, source
                    [[[round(w, 3) for w in row] for row in head] for head in layer]
                    for layer in weights[0].tolist()
                ],
            }
        )
    return kept


if __name__ == "__main__":
    main()
