"""The effect of a GPU on matrix products, attention, training a GPT, and generating with it.

    python benchmarks/gpu.py [--device cpu --small]

Products and training are measured on the processor, on all of its cores, and on CUDA, the rest on
CUDA alone. What is compared runs one after the other, and the median call counts. Times are wall
time, on CUDA between two synchronizations; memory is the most that tensors took, beyond what was
there before. "out of memory" stands as null.
Writes `gpu.json`; with `--small` it only tries the script, and prints.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from machine import record
from torch import Tensor, nn
from torch.nn import functional as F

from solutions.efficient_attention import tiled_attention
from solutions.gpt import GPT, cached, causal_loss
from solutions.self_attention import causal_mask, scaled_dot_product_attention

SIDES = [2**power for power in range(4, 14)]
LENGTHS = [2**power for power in range(9, 16)]
HEADS, WIDTH = 16, 64  # of attention
MODELS = {  # features, layers, heads, tokens of a row, rows
    "chapter": (128, 4, 4, 64, 12),
    "medium": (384, 6, 6, 256, 32),
    "GPT-2": (768, 12, 12, 512, 8),
}
VOCABULARY, PAST, NEW_ROWS = 1_000, 256, [1, 4, 16, 64, 256]
ARMS = {  # precision of products; whether the model is compiled
    "float32": (torch.float32, False),
    "TF32": (torch.float32, False),
    "bfloat16": (torch.bfloat16, False),
    "bfloat16, compiled": (torch.bfloat16, True),
}


def wait(device: str) -> None:
    if device == "cuda":
        torch.cuda.synchronize()


def seconds(function: Callable[[], object], device: str, most: float, turns: int = 15) -> float:
    """Wall time of the median call, after two more; fewer calls where they take long."""
    taken: list[float] = []
    for _ in range(turns + 2):
        wait(device)
        begun = time.perf_counter()
        function()
        wait(device)
        taken.append(time.perf_counter() - begun)
        if sum(taken) > most and len(taken) > 2:
            break
    return statistics.median(taken[2:])


def repeated(function: Callable[[], object], device: str) -> Callable[[], None]:
    """So many calls that they take a few milliseconds, and their number as ``times``."""
    function()
    wait(device)
    begun = time.perf_counter()
    function()
    wait(device)
    times = max(1, min(200, int(0.005 / max(time.perf_counter() - begun, 1e-6))))

    def run() -> None:
        for _ in range(times):
            function()

    run.times = times
    return run


def products(device: str, sides: list[int]) -> list[dict]:
    """Products of two square matrices: seconds, by what holds them."""
    rows = []
    for side in sides:
        row = {"side": side}
        for name, place, dtype, tf32 in (
            ("processor", "cpu", torch.float32, False),
            ("float32", device, torch.float32, False),
            ("TF32", device, torch.float32, True),
            ("bfloat16", device, torch.bfloat16, False),
        ):
            torch.backends.cuda.matmul.allow_tf32 = tf32
            a, b = (torch.randn(side, side, device=place, dtype=dtype) for _ in range(2))
            run = repeated(lambda a=a, b=b: a @ b, place)
            row[name] = seconds(run, place, most=1.0) / run.times
        torch.backends.cuda.matmul.allow_tf32 = False
        rows.append(row)
        print(row, flush=True)
    return rows


def copying(device: str, count: int) -> float:
    """Bytes per second, read and written, of copying within the device's memory."""
    source = torch.randn(count, device=device)
    target = torch.empty_like(source)
    return 8 * count / seconds(lambda: target.copy_(source), device, most=1.0)


@contextmanager
def memory(device: str) -> Iterator[dict]:
    """The most bytes that tensors take within, beyond those before: as ``bytes`` of the result."""
    found: dict = {"bytes": None}
    gc.collect()
    if device != "cuda":
        yield found
        return
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    yield found
    torch.cuda.synchronize()
    found["bytes"] = torch.cuda.max_memory_allocated() - before


def ways(leaves: list[Tensor]) -> dict[str, Callable[[], Tensor]]:
    """Causal attention of queries, keys and values, in three ways."""
    length, device = leaves[0].shape[-2], leaves[0].device
    return {
        "table": lambda: scaled_dot_product_attention(*leaves, causal_mask(length, device=device)),
        "tiles": lambda: tiled_attention(*leaves, block=max(512, length // 8), causal=True),
        "kernel": lambda: F.scaled_dot_product_attention(*leaves, is_causal=True),
    }


def attentions(device: str, lengths: list[int]) -> list[dict]:
    """Causal attention in bfloat16, forward and backward: seconds and bytes."""
    rows = []
    for length in lengths:
        shape = 1, HEADS, length, WIDTH
        given = {"device": device, "dtype": torch.bfloat16, "requires_grad": True}
        leaves = [torch.randn(shape, **given) for _ in range(3)]
        row: dict = {"length": length}
        for name, way in ways(leaves).items():

            def step(way: Callable[[], Tensor] = way, leaves: list[Tensor] = leaves) -> None:
                torch.autograd.grad(way().sum(), leaves)

            try:
                step()
                with memory(device) as most:
                    step()
                row[name] = {"seconds": seconds(step, device, most=1.5), "bytes": most["bytes"]}
            except torch.OutOfMemoryError:
                row[name] = None
        if row["table"] is not None:
            with torch.no_grad():
                found = {name: way().float() for name, way in ways(leaves).items()}
            table = found.pop("table")
            row["apart"] = {name: (o - table).abs().max().item() for name, o in found.items()}
        rows.append(row)
        print(row, flush=True)
    return rows


def flops(model: nn.Module, shape: tuple[int, ...]) -> int:
    """Operations of a training step: six for each parameter and token, and those of attention.

    Products of queries with keys of the future are not counted.
    """
    width, layers, _, span, rows = shape
    parameters = sum(parameter.numel() for parameter in model.parameters())
    parameters -= span * width  # the table of positions is only added
    return rows * span * (6 * parameters + 3 * 4 * layers * width * span // 2)


def network(shape: tuple[int, ...], device: str) -> GPT:
    width, layers, heads, span, _ = shape
    torch.manual_seed(0)
    sizes = {"embed_dim": width, "num_heads": heads, "num_layers": layers, "longest": span}
    return GPT(VOCABULARY, **sizes, device=device)


def training(device: str, shape: tuple[int, ...]) -> dict:
    """Steps of AdamW, by where and in what they are computed."""
    _, _, _, span, rows = shape
    results: dict = {}
    arms = {"processor": ("cpu", torch.float32, False)}
    arms |= {name: (device, *arm) for name, arm in ARMS.items()}
    for name, (place, dtype, compiled) in arms.items():
        gc.collect()
        model = network(shape, place)
        torch.backends.cuda.matmul.allow_tf32 = name == "TF32"
        adamw = torch.optim.AdamW(model.parameters(), lr=1e-4)
        tokens = torch.randint(VOCABULARY, (rows, span), device=place)
        run = torch.compile(model) if compiled else model

        def step(
            run: nn.Module = run,
            tokens: Tensor = tokens,
            adamw: torch.optim.Optimizer = adamw,
            model: nn.Module = model,
            context: tuple = (torch.device(place).type, dtype, dtype != torch.float32),
        ) -> Tensor:
            adamw.zero_grad()
            with torch.autocast(context[0], torch.bfloat16, enabled=context[2]):
                loss = causal_loss(run(tokens), tokens)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            adamw.step()
            return loss

        begun = time.perf_counter()
        first = step().item()
        start = time.perf_counter() - begun
        with memory(place) as most:
            if place != "cpu":
                step()
        taken = seconds(step, place, most=4.0)
        results[name] = {"seconds": taken, "first step": start, "bytes": most["bytes"]}
        results[name] |= {"first loss": first, "loss": step().item()}
        print(name, results[name], flush=True)
    torch.backends.cuda.matmul.allow_tf32 = False
    return {
        "shape": dict(zip(("width", "layers", "heads", "span", "rows"), shape, strict=True)),
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "flops": flops(model, shape),
        "steps": results,
    }


def generating(device: str, shape: tuple[int, ...], batches: list[int]) -> dict:
    """One more token for each of many texts, after about `PAST` that are cached, in bfloat16."""
    model = network((*shape[:3], PAST + 32, 1), device).to(torch.bfloat16).eval()
    results = []
    with torch.no_grad():
        for rows in batches:
            forward = cached(model)
            prompt = torch.randint(VOCABULARY, (rows, PAST), device=device)
            _, kept = forward(prompt, None)
            token = prompt[:, -1:]

            def again(model: nn.Module = model, prompt: Tensor = prompt) -> Tensor:
                return model(prompt)

            def new(forward: Callable = forward, token: Tensor = token, kept: object = kept):
                return forward(token, kept)

            row = {"rows": rows, "cached": seconds(new, device, most=2.0)}
            row["again"] = seconds(again, device, most=2.0)
            results.append(row)
            print(row, flush=True)
    parameters = sum(parameter.numel() for parameter in model.parameters())
    return {"past": PAST, "parameters": parameters, "steps": results}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--small", action="store_true", help="try the script; nothing is written")
    given = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(os.cpu_count() or 1)
    most = 3 if given.small else 99
    models = {name: MODELS[name] for name in [*MODELS][: 1 if given.small else 3]}
    results = {
        "threads": torch.get_num_threads(),
        "copying": copying(given.device, 2 ** (20 if given.small else 30)),
        "products": products(given.device, SIDES[:most]),
        "attention": {
            "heads": HEADS,
            "width": WIDTH,
            "runs": attentions(given.device, LENGTHS[: min(most, 2) if given.small else most]),
        },
        "training": {name: training(given.device, shape) for name, shape in models.items()},
        "generation": generating(
            given.device, MODELS["chapter" if given.small else "GPT-2"], NEW_ROWS[:most]
        ),
    }
    if given.small:
        print(json.dumps(results))
    else:
        record(__file__, [0], **results)


if __name__ == "__main__":
    main()
