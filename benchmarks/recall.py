"""Associative recall at several learning rates, and with products in a state-space model.

    python benchmarks/recall.py [--fresh]

The task, the models and the training of the page on efficient attention. There all models have one
rate; here the two whose states are compared have several. The last mixer is the page's state-space
model with one change: its kernel is applied to the product of two projections of the input, feature
by feature. So it has as many products as linear attention with one feature, with which it is
compared. And the delta rule (Schlag et al. 2021), with keys and queries as in Yang et al. 2024, is
compared with linear attention of the same state, and with itself without the difference. Records
the shares of right answers, for each number of pairs a number per seed, and
reuses what `recall.json` holds; `--fresh` starts over.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import torch
from defined import definitions
from machine import record
from torch import Tensor, nn
from torch.nn import functional as F

WANTED = {"SYMBOLS", "FEATURES", "SEEDS", "PAIRS", "Recall", "LinearMixer", "StateSpaceMixer"}
RATES = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32)


class Delta(nn.Module):
    """A state that is written by the delta rule: under each key, what it does not yet return.

    A_t = A_{t−1} + β_t k_t (v_t − A_{t−1}ᵀ k_t)ᵀ, read by A_tᵀ q_t. Keys and queries have length 1.
    Without ``difference``, v_t alone is written.
    """

    def __init__(self, features: int, d_k: int, *, difference: bool = True) -> None:
        super().__init__()
        self.query, self.key = (nn.Linear(features, d_k, bias=False) for _ in range(2))
        self.value, self.out = (nn.Linear(features, features, bias=False) for _ in range(2))
        self.strength, self.difference = nn.Linear(features, 1), difference

    def forward(self, x: Tensor) -> tuple[Tensor, None]:
        query, key = (F.normalize(F.silu(part(x)), dim=-1) for part in (self.query, self.key))
        state, read = x.new_zeros(*x.shape[:-2], key.shape[-1], x.shape[-1]), []
        steps = (query, key, self.value(x), self.strength(x).sigmoid())
        for q, k, v, strength in zip(*(part.unbind(dim=-2) for part in steps), strict=True):
            known = (k.unsqueeze(-1) * state).sum(dim=-2) if self.difference else 0
            state = state + k.unsqueeze(-1) * (strength * (v - known)).unsqueeze(-2)
            read.append((q.unsqueeze(-1) * state).sum(dim=-2))
        return self.out(torch.stack(read, dim=-2)), None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--fresh", action="store_true")
    path = Path(__file__).with_suffix(".json")
    anew = parser.parse_args().fresh or not path.exists()
    known = {} if anew else json.loads(path.read_text())
    torch.set_num_threads(1)
    begun = time.process_time()
    page = definitions("efficient_attention", WANTED | {"gated", "recalled"})
    features = page["FEATURES"]

    class Products(page["StateSpaceMixer"]):
        """The state-space model of the page, on products of two projections."""

        def __init__(self) -> None:
            super().__init__(features, 4)
            self.times = nn.Linear(features, features)

        def forward(self, x: Tensor) -> tuple[Tensor, None]:
            parts = self.rate.exp(), self.frequency, self.step.exp(), self.weight
            kernel = page["ssm_kernel"](*parts, length=x.shape[1])
            states = page["causal_convolution"](self.inward(x) * self.times(x), kernel)
            return self.out(torch.sigmoid(self.gate(x)) * states), None

    mixers = {
        "linear, 8": (lambda: page["LinearMixer"](features, 8), RATES),
        "gated": (page["gated"], RATES[:4]),
        "linear, 1": (lambda: page["LinearMixer"](features, 1), RATES[1:3]),
        "state space, products": (Products, RATES[1:3]),
        "linear, 32": (lambda: page["LinearMixer"](features, 32), RATES[:5]),
        "delta, 32": (lambda: Delta(features, 32), RATES[:4]),
        "delta, 32, no difference": (lambda: Delta(features, 32, difference=False), RATES[:4]),
    }
    found: dict[str, dict[str, list]] = known.get("right", {})
    for name, (make, rates) in mixers.items():
        for rate in rates:
            if f"{rate:g}" in found.get(name, {}):
                continue
            right = page["recalled"](lambda make=make: page["Recall"](make()), rate=rate)
            found.setdefault(name, {})[f"{rate:g}"] = right.T.tolist()
            print(name, rate, right.mean(dim=0).tolist(), flush=True)
    record(
        __file__,
        [*page["SEEDS"]],
        pairs=[*page["PAIRS"]],
        right=found,
        processor_seconds=known.get("processor_seconds", 0) + time.process_time() - begun,
    )


if __name__ == "__main__":
    main()
