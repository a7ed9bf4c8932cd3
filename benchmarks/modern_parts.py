"""Changes to the Transformer since 2017, one at a time and all at once.

    python benchmarks/modern_parts.py [--seeds 0 1 2 3 4]

The network, the training and the changes of the page on the Transformer. Records, for each change,
the parameters and, by seed, the bits per letter of unseen text after 100 steps, and those of the
training batches around step 50; and the bits of unseen text at half, two and four times the rate.
"""

from __future__ import annotations

import argparse
import time

import torch
from defined import definitions
from machine import record

OTHER_RATES = (3e-3, 1.2e-2, 2.4e-2)  # the page has 6e-3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=list(range(5)))
    given = parser.parse_args()
    torch.set_num_threads(1)
    begun = time.process_time()
    data = {"device", "reference", "alphabet", "number", "stream", "cut", "seen", "unseen"}
    code = {"train_letters", "BASE", "CHANGES", "all_of_them", "unseen_bits"}
    on = definitions("transformer", data | code)
    changes = {"no change": {}, **on["CHANGES"], "all of them": on["all_of_them"]}
    found = {}
    for name, change in changes.items():
        runs = [on["unseen_bits"](change, seed) for seed in given.seeds]
        found[name] = {
            "parameters": runs[0][1],
            "bits": [round(bits, 4) for bits, *_ in runs],
            "around_50": [round(halfway, 4) for _, _, halfway, _ in runs],
        }
        print(name, found[name], round(time.process_time() - begun), flush=True)
    by_rate: dict[str, dict[str, list[float]]] = {}
    for rate in OTHER_RATES:
        by_rate[f"{rate:g}"] = {
            name: [round(on["unseen_bits"](change, seed, rate)[0], 4) for seed in given.seeds]
            for name, change in changes.items()
        }
        print(rate, by_rate[f"{rate:g}"], round(time.process_time() - begun), flush=True)
    taken = round(time.process_time() - begun)
    record(__file__, given.seeds, changes=found, by_rate=by_rate, processor_seconds=taken)


if __name__ == "__main__":
    main()
