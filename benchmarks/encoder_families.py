"""BERT, RoBERTa and ELECTRA of one size, on one text, with the labels of `pretraining.py`.

    python benchmarks/encoder_families.py [--steps 400] [--seeds 0 1 2]

All pretrain the encoder of `pretraining.py` at half its width on as many rows of up to 48 tokens,
with 30% holes, AdamW, clipping and schedule alike: BERT on pairs of sentences with both its tasks;
RoBERTa on full rows of text without pairs, with new holes each time a row is read; the same with
the holes made once; ELECTRA on the same rows, where a generator of one layer fills the holes and
the encoder says of every token whether it was replaced (the generator's table is the encoder's, and
the second loss counts 50 times, as in the paper). Rates are a factor of two apart. A rate is
chosen, with a seed that is not reported, by how often the fine-tuned encoder scores a code word
above a prose word in sentences of the seen text whose labels it was not given; the search ends when
the best lies between two that are worse. The comparison is at equal steps and rows, not at equal
compute: the multiply-adds of a step are counted. "From scratch" is the same encoder, not
pretrained.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import pretraining as base
import torch
from machine import record
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.flop_counter import FlopCounterMode
from tuning import next_rate

from solutions.bert import (
    BERT,
    NOT_ASKED,
    Sentences,
    Specials,
    choose_positions,
    draw_pairs,
    mask_tokens,
    mlm_loss,
)
from solutions.transformer import sinusoidal

BATCH, SHARE, WEIGHT, TUNING, FIRST_RATE = 16, 0.3, 50.0, 99, 3e-3
SHAPE = base.SHAPE | {"embed_dim": 32, "hidden": 128}
LABELS, HELD = [32, 128], 500
MODELS = {  # what a step asks
    "BERT": "pairs",
    "RoBERTa": "new holes",
    "ELECTRA": "replaced",
    "RoBERTa, holes made once": "old holes",
}


def fresh(seed: int, special: Specials) -> BERT:
    """A new encoder whose position embeddings start as sinusoids, and are trained."""
    torch.manual_seed(seed)
    model = BERT(base.SIZE, **SHAPE, pad=special.pad, std=0.07)
    waves = 0.2 * sinusoidal(base.LONGEST, SHAPE["embed_dim"])
    model.embeddings.positions.weight.data.copy_(waves)
    return model


def full_rows(sentences: Sentences, special: Specials) -> Tensor:
    """The whole text in rows without padding, each between [CLS] and [SEP]."""
    tokens = torch.tensor([token for row in sentences.tokens for token in row])
    room = base.LONGEST - 2
    rows = tokens[: len(tokens) // room * room].view(-1, room)
    ends = [torch.full((len(rows), 1), mark) for mark in (special.cls, special.sep)]
    return torch.cat([ends[0], rows, ends[1]], dim=1)


class Electra(nn.Module):
    """An encoder that detects replaced tokens, and the generator that replaces them."""

    def __init__(self, bert: BERT, special: Specials) -> None:
        super().__init__()
        width = SHAPE["embed_dim"]
        shape = SHAPE | {"num_layers": 1, "hidden": width}
        self.bert, self.special = bert, special
        self.generator = BERT(base.SIZE, **shape, pad=special.pad, std=0.05)
        self.generator.embeddings = bert.embeddings  # one table for both
        self.head = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, 1))

    def forward(self, rows: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """Both losses: of the words at the holes, and of every token's "replaced?"."""
        special = self.special
        chance = torch.rand(rows.shape, generator=generator)
        chosen = choose_positions(rows, chance, ordinary=special.pad, share=SHARE)
        hidden = self.generator.states(rows.masked_fill(chosen, special.mask))[-1][chosen]
        logits = self.generator.masked(hidden, self.generator.embeddings.words.weight)
        with torch.no_grad():
            chances = logits[:, : special.pad].softmax(dim=-1)
            drawn = torch.multinomial(chances, 1, generator=generator)[:, 0]
        read = rows.masked_scatter(chosen, drawn)
        ordinary = rows < special.pad
        score = self.head(self.bert.states(read)[-1])[..., 0][ordinary]
        replaced = (read != rows)[ordinary].float()
        return (
            F.cross_entropy(logits, rows[chosen]),
            F.binary_cross_entropy_with_logits(score, replaced),
        )


def batches(
    asked: str, whole: nn.Module, seen: Sentences, special: Specials, generator: torch.Generator
) -> Callable[[], list[Tensor]]:
    """A function that draws the next batch, and returns its losses."""
    rows = full_rows(seen, special)
    holes = {"ordinary": special.pad, "mask": special.mask, "share": SHARE, "generator": generator}
    fixed = mask_tokens(rows, **holes)

    def losses() -> list[Tensor]:
        segments = label = None
        if asked == "pairs":
            tokens, segments, label = draw_pairs(
                seen, BATCH, special, longest=base.LONGEST, generator=generator
            )
            read, wanted = mask_tokens(tokens, **holes)
        else:
            chosen = torch.randint(len(rows), (BATCH,), generator=generator)
            if asked == "replaced":
                return list(whole(rows[chosen], generator))
            old = [part[chosen] for part in fixed]
            read, wanted = old if asked == "old holes" else mask_tokens(rows[chosen], **holes)
        hidden, at = whole.states(read, segments)[-1], wanted != NOT_ASKED
        logits = whole.masked(hidden[at], whole.embeddings.words.weight)
        found = [mlm_loss(logits, wanted[at])]
        if label is not None:
            found.append(F.cross_entropy(whole.next(whole.pooler(hidden)), label))
        return found

    return losses


def pretrained(
    name: str, seed: int, rate: float, steps: int, seen: Sentences, special: Specials
) -> tuple[BERT, dict]:
    """The encoder after its steps, its mean losses in ten parts of them, and a step's cost."""
    asked, bert = MODELS[name], fresh(seed, special)
    whole = Electra(bert, special) if asked == "replaced" else bert
    losses = batches(asked, whole, seen, special, torch.Generator().manual_seed(seed))
    weights = torch.tensor([1.0, WEIGHT if asked == "replaced" else 1.0])
    optimizer = torch.optim.AdamW(whole.parameters(), lr=rate, betas=(0.9, 0.99))
    begun, told = time.process_time(), []
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = rate * min((step + 1) / 50, 1) * (1 - step / steps)
        found = torch.stack(losses())
        optimizer.zero_grad()
        (found @ weights[: len(found)]).backward()
        nn.utils.clip_grad_norm_(whole.parameters(), 1.0)
        optimizer.step()
        told.append(found.detach())
    seconds = round(time.process_time() - begun, 1)
    with FlopCounterMode(display=False) as counter:  # the mean of ten batches
        for _ in range(10):
            (torch.stack(losses()) @ weights[: len(found)]).backward()
    tenths = torch.stack(told).unflatten(0, (10, -1)).mean(dim=1).tolist()
    curve = [[round(x, 3) for x in part] for part in tenths]
    cost = round(counter.get_total_flops() / 2e7, 1)  # a multiply-add is two operations
    return bert, {"curve": curve, "million_multiply_adds": cost, "seconds_of_processor": seconds}


@torch.no_grad()
def filled(bert: BERT, unseen: Sentences, special: Specials) -> tuple[float, float]:
    """Loss and right answers in percent at 15% holes in full rows of unseen text."""
    rows = full_rows(unseen, special)
    read, wanted = mask_tokens(
        rows,
        ordinary=special.pad,
        mask=special.mask,
        generator=torch.Generator().manual_seed(100),
    )
    at = wanted != NOT_ASKED
    logits = bert.masked(bert.states(read)[-1][at], bert.embeddings.words.weight)
    right = (logits.argmax(dim=-1) == wanted[at]).double().mean().item()
    return round(mlm_loss(logits, wanted[at]).item(), 4), round(100 * right, 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=400, help="a multiple of ten")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    given = parser.parse_args()
    torch.set_num_threads(1)
    _, special, seen, unseen = base.read()
    able, test_on = (
        [i for i, words in enumerate(part.code) if len(words) >= 5] for part in (seen, unseen)
    )
    if len(able) < max(LABELS) + HELD:
        raise ValueError(f"{len(able)} sentences: labels and development part would overlap")
    parts, test = base.tagged(seen, able, special), base.tagged(unseen, test_on, special)

    def order(seed: int) -> Tensor:  # as in pretraining.py: the same labels for the same seed
        return torch.randperm(len(able), generator=torch.Generator().manual_seed(seed))

    development = tuple(part[order(TUNING)[-HELD:]] for part in parts)

    def ranked(bert: BERT, seed: int, to: tuple) -> list[float]:
        """How often the encoder scores a code word above a prose word, by number of labels."""
        found = []
        for count in LABELS:
            model = fresh(10 + seed, special)
            model.load_state_dict(bert.state_dict())
            tagger = base.fine_tuned(model, parts, order(seed)[:count], seed)
            found.append(base.judged(tagger, to)[1])
        return found

    scratch = [ranked(fresh(seed, special), seed, test) for seed in given.seeds]
    models: dict = {}
    for name in MODELS:
        tried: dict[str, float] = {}  # wrongly ordered pairs, so that less is better
        while f"{(rate := next_rate(tried, FIRST_RATE)):g}" not in tried:
            bert, _ = pretrained(name, TUNING, rate, given.steps, seen, special)
            rights = ranked(bert, TUNING, development)
            tried[f"{rate:g}"] = round(1 - sum(rights) / len(rights), 4)
            print(name, tried, flush=True)
        models[name] = {"rate": rate, "tried": tried, "ranked": [], "runs": []}
        for seed in given.seeds:
            bert, run = pretrained(name, seed, rate, given.steps, seen, special)
            if name != "ELECTRA":
                run["loss"], run["right"] = filled(bert, unseen, special)
            models[name]["runs"].append(run)
            models[name]["ranked"].append(ranked(bert, seed, test))
            print(name, seed, run, models[name]["ranked"][-1], flush=True)
    fixed = {"batch": BATCH, "share": SHARE, "weight": WEIGHT, "shape": SHAPE, "labels": LABELS}
    rows = len(full_rows(seen, special))
    found = {"rows": rows, "held": HELD, "scratch": scratch, "models": models}
    record(__file__, given.seeds, steps=given.steps, **fixed, **found)


if __name__ == "__main__":
    main()
