"""An encoder-decoder that restores what was cut out of a text: in T5's way and in BART's.

    python benchmarks/infilling.py [--steps 1000] [--seeds 0 1 2] [--ways T5 BART]

The text says each date twice: "3 May 1987 is 1987 - 05 - 03", nine tokens; two spans with three
tokens in all are cut out. T5's model reads two sentinels and writes the spans, BART's reads two
masks and writes the whole row. They see the same rows with the same spans in as many steps. Rates
are a factor of two apart, chosen by the loss on development rows with a seed that is not reported;
the search ends when the best lies between two that are worse. A tenth of the dates is kept back,
and spans of these are restored by greedy decoding. There are three baselines: the most frequent
token; a table of the spans that stood between the same neighbors in as many rows as a model is
given, two on each side if these were seen, else one, else after the left one; and a rule that knows
dates, and fails only if a part is missing in both halves. Takes about six minutes on one core.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter

import torch
from machine import record
from torch import Tensor, nn
from torch.nn import functional as F
from tuning import next_rate

from solutions.transfer import (
    Rewriter,
    draw_spans,
    restore_spans,
    span_corruption,
    text_infilling,
)
from solutions.transformer import Config

MONTHS = "January February March April May June July August September October November December"
DAYS, YEARS = range(1, 32), range(1950, 2050)
WORDS = [
    *map(str, DAYS),
    *MONTHS.split(),
    *map(str, YEARS),
    *(f"{number:02}." for number in range(1, 13)),  # the month in figures; the point is not shown
    *(f"{number:02}" for number in DAYS),
    "is",
    "-",
]
NUMBER = {word: k for k, word in enumerate(WORDS)}
MASK, SENTINEL, BEGIN, END = (len(WORDS) + k for k in (0, 4, 1, 2))
TWINS = {0: 8, 8: 0, 1: 6, 6: 1, 2: 4, 4: 2}  # places that say the same
MISSING, SPANS, BATCH, POOL = 3, 2, 32, 6_400
TUNING, FIRST_RATE, EVERY, ROWS = 99, 5e-3, 200, 1_000
Spans = list[tuple[list[int], list[int]]]


def rows_of(count: int, generator: torch.Generator, *, kept_back: bool) -> tuple[Tensor, Spans]:
    """Dates said twice, (count, 9), and what is cut out of each."""
    rows: list[list[int]] = []
    while len(rows) < count:
        day, month, year = (
            int(torch.randint(size, (), generator=generator)) for size in (31, 12, len(YEARS))
        )
        if ((day + month + year) % 10 == 0) == kept_back:
            words = f"{day + 1} {MONTHS.split()[month]} {YEARS[year]} is {YEARS[year]} - "
            words += f"{month + 1:02}. - {day + 1:02}"
            rows.append([NUMBER[word] for word in words.split()])
    tokens = torch.tensor(rows)
    return tokens, [draw_spans(tokens.shape[1], MISSING, SPANS, generator) for _ in rows]


def posed(way: str, rows: Tensor, spans: Spans) -> tuple[Tensor, Tensor]:
    """Source to read, and target to write, its first token given."""
    both = list(zip(rows, spans, strict=True))
    if way == "T5":
        pairs = [span_corruption(row, *of, sentinel=SENTINEL) for row, of in both]
        source, target = map(torch.stack, zip(*pairs, strict=True))
        return source, target
    begin, end = (torch.full((len(rows), 1), mark) for mark in (BEGIN, END))
    source = torch.stack([text_infilling(row, *of, mask=MASK) for row, of in both])
    return source, torch.cat([begin, rows, end], dim=1)


def loss_of(model: Rewriter, source: Tensor, target: Tensor) -> Tensor:
    return F.cross_entropy(model(source, target[:, :-1]).flatten(0, 1), target[:, 1:].flatten())


@torch.no_grad()
def restored(way: str, model: Rewriter, rows: Tensor, spans: Spans) -> list[list[int]]:
    """The rows that greedy decoding gives."""
    source, target = posed(way, rows, spans)
    out = target[:, :1]
    for _ in range(target.shape[1] + 2):
        out = torch.cat([out, model(source, out)[:, -1].argmax(dim=-1, keepdim=True)], dim=1)
    last, found = SENTINEL + SPANS if way == "T5" else END, []
    for read, written in zip(source, out, strict=True):
        stop = (written == last).nonzero()[:, 0]
        written = written[: stop[0]] if len(stop) else written
        found.append(
            restore_spans(read, written, sentinel=SENTINEL) if way == "T5" else written[1:]
        )
    return [row.tolist() for row in found]


def whole(found: list[list[int]], rows: Tensor) -> float:
    """Rows that are restored to the last token, in percent."""
    right = [row == true for row, true in zip(found, rows.tolist(), strict=True)]
    return round(100 * sum(right) / len(right), 2)


def train(way: str, rate: float, seed: int, steps: int, look) -> Rewriter:
    config = Config(
        embed_dim=32,
        hidden=64,
        vocabulary=SENTINEL + SPANS + 1,
        positions="rotary",
        norm_first=True,
        activation="gelu",
    )
    torch.manual_seed(seed)
    model, generator = Rewriter(config), torch.Generator().manual_seed(seed)
    source, target = posed(way, *rows_of(POOL, generator, kept_back=False))
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=rate, betas=(0.9, 0.99), weight_decay=0, foreach=True
    )
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = rate * min((step + 1) / 50, 1) * (1 - step / steps)
        chosen = torch.randint(POOL, (BATCH,), generator=generator)
        loss = loss_of(model, source[chosen], target[chosen])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if (step + 1) % EVERY == 0:
            look(step + 1, model)
    return model


def by_counting(read: Tensor, rows: Tensor, spans: Spans) -> dict[str, float]:
    """Rows that are restored without a model, in percent."""
    tables: list[dict] = [{}, {}, {}]
    common = [read.flatten().bincount().argmax().item()]
    for row in read.tolist():
        row = [-1, -1, *row, -1, -1]
        for a in range(2, len(row) - 2):
            for n in range(1, min(MISSING, len(row) - 2 - a + 1)):
                around = (*row[a - 2 : a], *row[a + n : a + n + 2])
                for table, key in zip(tables, (around, around[1:3], around[1]), strict=True):
                    table.setdefault(key, Counter())[tuple(row[a : a + n])] += 1
    found: dict[str, list] = {"the most frequent token": [], "a table of neighbors": []}
    known = []
    for row, (starts, lengths) in zip(rows.tolist(), spans, strict=True):
        hidden = {a + j for a, n in zip(starts, lengths, strict=True) for j in range(n)}
        known.append(not any(TWINS.get(place) in hidden for place in hidden))
        seen = [-1, -1, *(MASK if k in hidden else x for k, x in enumerate(row)), -1, -1]
        guesses: dict[str, list] = {name: [] for name in found}
        for a, n in zip(starts, lengths, strict=True):
            around = (*seen[a : a + 2], *seen[a + n + 2 : a + n + 4])
            keys = zip(tables, (around, around[1:3], around[1]), strict=True)
            best = next((table[key] for table, key in keys if key in table), None)
            guesses["the most frequent token"].append(common)
            guesses["a table of neighbors"].append(
                list(best.most_common(1)[0][0]) if best else common
            )
        for name, spans_of in guesses.items():
            source, _ = span_corruption(torch.tensor(row), starts, lengths, sentinel=SENTINEL)
            answer = [x for k, span in enumerate(spans_of) for x in (SENTINEL + k, *span)]
            restored_row = restore_spans(source, torch.tensor(answer), sentinel=SENTINEL)
            found[name].append(restored_row.tolist())
    shares = {name: whole(of, rows) for name, of in found.items()}
    return shares | {"somebody who knows dates": round(100 * sum(known) / len(known), 2)}


def in_words(tokens: list[int]) -> str:
    marks = {MASK: "<mask>", BEGIN: "<begin>", END: "<end>"}
    marks |= {SENTINEL + k: f"<{k}>" for k in range(SPANS + 1)}
    return " ".join(marks.get(x) or WORDS[x].rstrip(".") for x in tokens if x in marks or x < MASK)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=1_000)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--ways", nargs="+", choices=["T5", "BART"], default=["T5", "BART"])
    given = parser.parse_args()
    torch.set_num_threads(1)
    test = rows_of(ROWS, torch.Generator().manual_seed(7), kept_back=True)
    dev = rows_of(ROWS, torch.Generator().manual_seed(8), kept_back=False)
    read, _ = rows_of(POOL, torch.Generator().manual_seed(9), kept_back=False)
    counted = by_counting(read, *test)
    print(counted, flush=True)
    ways: dict = {}
    for way in given.ways:
        losses: dict[str, float] = {}
        while f"{(rate := next_rate(losses, FIRST_RATE)):g}" not in losses:
            model = train(way, rate, TUNING, given.steps, lambda step, model: None)
            with torch.no_grad():
                losses[f"{rate:g}"] = round(loss_of(model, *posed(way, *dev)).item(), 4)
            print(way, losses, flush=True)
        curves, seconds, samples = [], [], []
        for seed in given.seeds:
            curve: list[list[float]] = []

            def look(step: int, model: Rewriter, curve=curve, way=way) -> None:
                curve.append([step, whole(restored(way, model, *test), test[0])])
                print(way, curve[-1], flush=True)

            begun = time.process_time()
            model = train(way, rate, seed, given.steps, look)
            seconds.append(round(time.process_time() - begun, 1))
            curves.append(curve)
            few = test[0][:6], test[1][:6]
            samples = samples or [
                [in_words(x) for x in (a.tolist(), b, c.tolist())]
                for a, b, c in zip(
                    posed(way, *few)[0], restored(way, model, *few), few[0], strict=True
                )
            ]
        ways[way] = {"rate": rate, "losses": losses, "curves": curves, "samples": samples}
        ways[way] |= {"seconds_of_processor": seconds}
        parameters = sum(p.numel() for p in model.parameters())
        record(
            __file__,
            given.seeds,
            steps=given.steps,
            batch=BATCH,
            pool=POOL,
            rows=ROWS,
            parameters=parameters,
            counted=counted,
            ways=ways,
        )


if __name__ == "__main__":
    main()
