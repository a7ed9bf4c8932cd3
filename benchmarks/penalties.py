"""Straight and curved borders, each with its own setting chosen: λ of softmax, the floor of a
Gaussian.

    python benchmarks/penalties.py [--fresh]

The models and splits of the page on generative models. One half of the development pictures is used
to choose, and the other half to report; then the halves change places, and the mean of both is
recorded. Candidates for λ and for the floor are powers of ten apart; among equally good ones, the
first in the list is taken. Records accuracy in percent, (splits), and the choices, and reuses from
`penalties.json` the models whose candidates are the same; `--fresh` starts over.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

import torch
from defined import definitions
from machine import record

from book.recorded import fingerprint

SIZES = (32, None)
LAMBDAS = (0.0, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2)
FLOORS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
WANTED = {"device", "splits", "few", "one", "other", "products_too", "softmax_to_the_end"}


def models(on: dict) -> dict[str, tuple[tuple[float, ...], Callable]]:
    """Candidates for each kind of model, and the function that fits it with one of them."""

    def gaussian(shared: bool) -> Callable:
        def make(inputs, truth, floor):
            fit = on["fit_covariance"](inputs, truth, classes=10, shared=shared, floor=floor)
            return lambda x: on["multivariate_log_density"](x, *fit)

        return make

    def softmax(lift: Callable) -> Callable:
        def make(inputs, truth, l2):
            fit = on["softmax_to_the_end"](lift(inputs), truth, l2)
            return lambda x: on["linear"](lift(x), *fit)

        return make

    return {
        "LDA": (FLOORS, gaussian(True)),
        "softmax": (LAMBDAS, softmax(lambda x: x)),
        "QDA": (FLOORS, gaussian(False)),
        "softmax, products": (LAMBDAS, softmax(on["products_too"])),
    }


def halves(right: torch.Tensor) -> tuple[float, list[int]]:
    """Accuracy where one half chooses and the other reports, both ways; (settings, pictures)."""
    sides = right[:, 0::2], right[:, 1::2]
    chosen = [int(side.mean(dim=1).argmax()) for side in sides]
    shares = [sides[1 - k][at].mean().item() for k, at in enumerate(chosen)]
    return 50 * sum(shares), chosen


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--fresh", action="store_true")
    path = Path(__file__).with_suffix(".json")
    anew = parser.parse_args().fresh or not path.exists()
    before = {"accuracy": {}, "processor_seconds": 0} if anew else json.loads(path.read_text())
    torch.set_num_threads(1)
    begun, on = time.process_time(), definitions("generative", WANTED)
    found: dict[str, dict] = {}
    for size in SIZES:
        for name, (settings, make) in models(on).items():
            there = before["accuracy"].get(str(size or "all"), {}).get(name, {})
            if there.get("settings") == [*settings]:
                found.setdefault(str(size or "all"), {})[name] = there
                continue
            accuracy, chosen, table = [], [], []
            for split in on["splits"]:
                inputs, truth = on["few"](split.train, size) if size else split.train
                right = []
                for setting in settings:
                    said = make(inputs, truth, setting)(split.dev.features).argmax(dim=1)
                    right.append((said == split.dev.labels).double())
                share, places = halves(torch.stack(right))
                accuracy.append(round(share, 3))
                chosen.append([settings[at] for at in places])
                table.append((100 * torch.stack(right).mean(dim=1)).round(decimals=2).tolist())
            one = {"settings": settings, "accuracy": accuracy, "chosen": chosen, "dev": table}
            found.setdefault(str(size or "all"), {})[name] = one
            print(size, name, accuracy, chosen, torch.tensor(table).mean(dim=0), flush=True)
    taken = before["processor_seconds"] + time.process_time() - begun
    results = {"accuracy": found, "processor_seconds": taken}
    record(__file__, list(range(5)), data=fingerprint(on["splits"]), **results)


if __name__ == "__main__":
    main()
