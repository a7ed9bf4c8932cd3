"""The same 200 training steps of a GPT on the processor and on CUDA, in several precisions.

    python benchmarks/gpu_curves.py [--device cuda]

`solutions.pretrain` from the same weights, on the same batches. How far the loss curves are apart
is compared with how far another seed moves one. Writes `gpu_curves.json`.
"""

from __future__ import annotations

import argparse
import time

import torch
from machine import record

from solutions.data import text
from solutions.gpt import GPT
from solutions.pretrain import pretrain

STEPS, SIZES = 200, {"embed_dim": 128, "num_heads": 4, "num_layers": 4, "longest": 64}
ARMS = {  # device, TF32, autocast, compiled, seed
    "processor": ("cpu", False, None, False, 0),
    "another seed": ("cpu", False, None, False, 1),
    "float32": ("cuda", False, None, False, 0),
    "TF32": ("cuda", True, None, False, 0),
    "bfloat16": ("cuda", False, torch.bfloat16, False, 0),
    "float32, compiled": ("cuda", False, None, True, 0),
    "bfloat16, compiled": ("cuda", False, torch.bfloat16, True, 0),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda", help="of the arms on CUDA; cpu to try it")
    given = parser.parse_args()
    whole = text()
    alphabet = sorted(set(whole))
    ids = {character: token for token, character in enumerate(alphabet)}
    tokens = torch.tensor([ids[character] for character in whole[: len(whole) * 9 // 10]])
    losses: dict[str, torch.Tensor] = {}
    runs = {}
    for name, (place, tf32, dtype, compiled, seed) in ARMS.items():
        torch.backends.cuda.matmul.allow_tf32 = tf32
        torch.manual_seed(seed)
        model = GPT(len(alphabet), **SIZES).to(given.device if place == "cuda" else "cpu")
        options = {"mixed_precision": dtype, "compiled": compiled, "seed": seed}
        begun = time.perf_counter()
        history = pretrain(tokens, model, steps=STEPS, **options)
        losses[name] = torch.tensor(history.train_loss, dtype=torch.float64)
        apart = (losses[name] - losses["processor"]).abs()
        runs[name] = {
            "seconds": time.perf_counter() - begun,
            "first": losses[name][0].item(),
            "last": losses[name][-1].item(),
            "apart": apart.max().item(),
            "apart at the end": apart[-1].item(),
        }
        print(name, runs[name], flush=True)
    if given.device == "cuda":
        record(__file__, [0, 1], steps=STEPS, sizes=SIZES, batch=[12, 64], runs=runs)


if __name__ == "__main__":
    main()
