"""A warm-up for eight layers with post-norm, against none and a lower rate: bits per letter.

    python benchmarks/warmup.py [--seeds 0 1 2 3 4]

The network, the training and the three ways of the page on the Transformer. Records, for each way,
the mean over the last ten batches, by seed.
"""

from __future__ import annotations

import argparse

import torch
from defined import definitions
from machine import record


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=list(range(5)))
    given = parser.parse_args()
    torch.set_num_threads(1)
    text = {"device", "reference", "alphabet", "number", "stream", "cut", "seen"}
    on = definitions("transformer", text | {"narrow", "after", "train_letters", "WARM"})
    found = {}
    for name, (rate, warmup) in on["WARM"].items():
        how = {"steps": 80, "rate": rate, "warmup": warmup}
        curves = [on["train_letters"](on["after"], seed, **how)[1] for seed in given.seeds]
        found[name] = [round(sum(curve[-10:]) / 10, 4) for curve in curves]
        print(name, found[name], flush=True)
    record(__file__, given.seeds, bits=found)


if __name__ == "__main__":
    main()
