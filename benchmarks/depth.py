"""One, two and three hidden layers on digits, from He initialization at half the learning rate.

    python benchmarks/depth.py

The shapes, the splits and the training are those of the page on multilayer perceptrons, which uses
other initial weights and the full rate. Records the accuracy (%) on the development pictures of
five splits; the seed of a split is that of the weights as well.
"""

from __future__ import annotations

import time

import torch
from defined import definitions
from machine import record

from book.recorded import fingerprint

SHAPES = ((64, 64, 10), (64, 41, 41, 10), (64, 33, 33, 33, 10))  # nearly equal parameters


def main() -> None:
    torch.set_num_threads(1)
    begun = time.process_time()
    on = definitions("mlp", {"device", "splits", "STEPS", "fit", "scores_of", "calmer"})
    found = {}
    for sizes in SHAPES:
        name = "-".join(map(str, sizes))
        found[name] = [on["calmer"](split, sizes, seed) for seed, split in enumerate(on["splits"])]
        print(name, found[name], flush=True)
    seeds, taken = list(range(len(on["splits"]))), time.process_time() - begun
    results = {"steps": on["STEPS"], "accuracy": found, "processor_seconds": taken}
    record(__file__, seeds, data=fingerprint(on["splits"]), **results)


if __name__ == "__main__":
    main()
