"""Attention after 200 steps, and one vector after 200 and after ten times as many.

    python benchmarks/one_vector.py

The task, the two models and the training of the chapter on attention. Each uses the learning rate
with the lowest loss on the development part after its own number of steps, found with an extra
seed: rates are a factor of two apart, and more are tried while the best one is the lowest or the
highest. The test part is read once, after training. One thread. Records exact matches in percent.
"""

from __future__ import annotations

import time
from functools import partial

import torch
from defined import definitions
from machine import record
from scores import Dates
from tuning import next_rate

from solutions.seq2seq import EncoderDecoder

SEEDS = [0, 1, 2]
RUNS = {"attention": 200, "one vector": 200, "one vector, longer": 2_000}
OneVector = definitions("attention", {"OneVector"})["OneVector"]


def make(on: Dates, attends: bool) -> EncoderDecoder:
    """The chapter's model, with or without attention."""
    model = on.make("dot")
    if not attends:
        model.decoder.attention = OneVector()
    return model


def main() -> None:
    torch.set_num_threads(1)
    begun, on, results = time.process_time(), Dates(), {}
    for name, steps in RUNS.items():
        build, tried = partial(make, on, name == "attention"), {}
        while f"{(rate := next_rate(tried, 1e-2)):g}" not in tried:
            tried[f"{rate:g}"] = on.trial(build, rate, steps)
            print(name, rate, tried[f"{rate:g}"], round(time.process_time() - begun), flush=True)
        models = [on.train(build, rate, seed, steps) for seed in SEEDS]
        results[name] = {
            "steps": steps,
            "rate": rate,
            "tried": {rate: tried[rate] for rate in sorted(tried, key=float)},
            "one_date": [on.exact(model, 1) for model in models],
            "two_dates": [on.exact(model, 2) for model in models],
        }
        taken = time.process_time() - begun
        print(name, results[name], round(taken), flush=True)
        record(__file__, SEEDS, runs=results, processor_seconds=taken)


if __name__ == "__main__":
    main()
