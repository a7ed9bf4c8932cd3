"""How long `solutions` takes beside torch's own: the same numbers in, forward and backward.

    python benchmarks/speed.py [--repeats 60] [--only softmax]

One thread, float32, tensors as large as the chapters train with. Ours and torch's take turns, and
the fastest of all turns counts, which other work on the machine disturbs least. Writes
`speed.json`, from which `make sync` makes the table on the page on what the course builds.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch
from machine import machine
from torch import Tensor, nn
from torch.nn import functional as F

from solutions import (
    convolution,
    embeddings,
    linear,
    mlp,
    recurrent,
    self_attention,
    training,
    transformer,
)

HERE = Path(__file__).parent
BATCH, WIDTH, CLASSES, LENGTH = 256, 128, 10, 128

Step = Callable[[], object]


def draw(*shape: int) -> Tensor:
    return torch.randn(shape).requires_grad_()


def through(function: Callable[..., Tensor], *inputs: Tensor) -> Step:
    """Forward, and backward to every input that asks for it."""
    leaves = [part for part in inputs if part.requires_grad]

    def step() -> None:
        output = function(*inputs)
        torch.autograd.grad(output, leaves, torch.ones_like(output))

    return step


def pair(ours: Callable, theirs: Callable, *inputs: Tensor) -> tuple[Step, Step]:
    return through(ours, *inputs), through(theirs, *inputs)


def layers(ours: nn.Module, theirs: nn.Module, x: Tensor) -> tuple[Step, Step]:
    """The same with the gradients of the layer's parameters as well."""
    made = []
    for layer in (ours, theirs):
        leaves = [*layer.parameters()]
        made.append(through(lambda x, *_, layer=layer: layer(x), x, *leaves))
    return made[0], made[1]


def sequences(name: str, x: Tensor) -> tuple[Step, Step]:
    """The outputs of a recurrent layer of either kind."""
    made = []
    for layer in (getattr(recurrent, name), partial(getattr(nn, name), batch_first=True)):
        built = layer(x.shape[-1], WIDTH)
        leaves = [*built.parameters()]
        made.append(through(lambda x, *_, built=built: built(x)[0], x, *leaves))
    return made[0], made[1]


def transformers(part: str) -> tuple[Step, Step]:
    """A part of a Transformer, WIDTH wide with 4 heads, on sequences with a padding mask."""
    x, memory = draw(8, LENGTH, WIDTH), draw(8, LENGTH, WIDTH)
    padding = torch.arange(LENGTH) >= torch.arange(LENGTH - 7, LENGTH + 1)[:, None]
    mask = ~padding[:, None]
    future = ~self_attention.causal_mask(LENGTH)
    ours = {
        "MultiHeadAttention": lambda m, x: m(x, mask=mask),
        "EncoderLayer": lambda m, x: m(x, mask),
        "DecoderLayer": lambda m, x: m(x, memory, memory_mask=mask),
    }[part]
    theirs = {
        "MultiHeadAttention": lambda m, x: m(x, x, x, key_padding_mask=padding, need_weights=False)[
            0
        ],
        "EncoderLayer": lambda m, x: m(x, src_key_padding_mask=padding),
        "DecoderLayer": lambda m, x: m(
            x, memory, future, memory_key_padding_mask=padding, tgt_is_causal=True
        ),
    }[part]
    settings = {"batch_first": True, "dropout": 0.0}
    shape = (WIDTH, 4) if part == "MultiHeadAttention" else (WIDTH, 4, 4 * WIDTH)
    other = {"MultiHeadAttention": nn.MultiheadAttention}
    other |= {"EncoderLayer": nn.TransformerEncoderLayer}
    other |= {"DecoderLayer": nn.TransformerDecoderLayer}
    made = []
    for layer, call in (
        (getattr(transformer, part)(*shape), ours),
        (other[part](*shape, **settings), theirs),
    ):
        leaves = [*layer.parameters()]
        made.append(through(lambda x, *_, f=call, m=layer: f(m, x), x, *leaves))
    return made[0], made[1]


def optimizers(name: str, **settings: float) -> tuple[Step, Step]:
    """One step for the parameters of a network."""
    made = []
    for module in (training, torch.optim):
        parameters = [*mlp.MLP([64, WIDTH, WIDTH, CLASSES]).parameters()]
        for parameter in parameters:
            parameter.grad = torch.randn_like(parameter)
        made.append(getattr(module, name)(parameters, lr=1e-3, **settings).step)
    return made[0], made[1]


def cases() -> dict[str, tuple[Step, Step]]:
    """What is measured, by the name that it has in `solutions`."""
    x, weight, bias = draw(BATCH, WIDTH), draw(WIDTH, WIDTH), draw(WIDTH)
    scores, labels = draw(BATCH, CLASSES), torch.randint(CLASSES, (BATCH,))
    words = torch.randint(5000, (BATCH,))
    pictures = draw(BATCH // 4, 8, 16, 16)
    query, key, value = (draw(8, LENGTH, 64) for _ in range(3))
    causal = self_attention.causal_mask(LENGTH)
    return {
        "linear.linear": pair(linear.linear, F.linear, x, weight, bias),
        "linear.softmax": pair(linear.softmax, lambda z: torch.softmax(z, -1), x),
        "linear.cross_entropy": pair(
            lambda z: linear.cross_entropy(z, labels), lambda z: F.cross_entropy(z, labels), scores
        ),
        "mlp.relu": pair(mlp.relu, torch.relu, x),
        "mlp.sigmoid": pair(mlp.sigmoid, torch.sigmoid, x),
        "mlp.gelu": pair(mlp.gelu, F.gelu, x),
        "mlp.MLP": layers(
            mlp.MLP([WIDTH, WIDTH, CLASSES]),
            nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, CLASSES)),
            x,
        ),
        "training.BatchNorm1d": layers(training.BatchNorm1d(WIDTH), nn.BatchNorm1d(WIDTH), x),
        "training.Dropout": layers(training.Dropout(0.5), nn.Dropout(0.5), x),
        "training.SGD": optimizers("SGD", momentum=0.9),
        "training.RMSprop": optimizers("RMSprop"),
        "training.Adam": optimizers("Adam"),
        "training.AdamW": optimizers("AdamW"),
        "convolution.conv2d": pair(
            lambda x, w: convolution.conv2d(x, w, padding=1),
            lambda x, w: F.conv2d(x, w, padding=1),
            pictures,
            draw(16, 8, 3, 3),
        ),
        "convolution.max_pool2d": pair(
            lambda x: convolution.max_pool2d(x, 2), lambda x: F.max_pool2d(x, 2), pictures
        ),
        "embeddings.lookup": pair(
            lambda table: embeddings.lookup(words, table),
            lambda table: F.embedding(words, table),
            draw(5000, WIDTH),
        ),
        "recurrent.LSTM": sequences("LSTM", draw(BATCH // 8, LENGTH // 2, 64)),
        "recurrent.GRU": sequences("GRU", draw(BATCH // 8, LENGTH // 2, 64)),
        **{
            f"transformer.{part}": transformers(part)
            for part in ("MultiHeadAttention", "EncoderLayer", "DecoderLayer")
        },
        "self_attention.scaled_dot_product_attention": pair(
            self_attention.scaled_dot_product_attention,
            F.scaled_dot_product_attention,
            query,
            key,
            value,
        ),
        "self_attention.scaled_dot_product_attention, masked": pair(
            lambda *qkv: self_attention.scaled_dot_product_attention(*qkv, causal),
            lambda *qkv: F.scaled_dot_product_attention(*qkv, causal),
            query,
            key,
            value,
        ),
    }


def fastest(steps: tuple[Step, Step], repeats: int) -> list[float]:
    """Seconds of the fastest turn of each."""
    found = [float("inf"), float("inf")]
    for step in steps:
        step()
    for _ in range(repeats):
        for index, step in enumerate(steps):
            begun = time.perf_counter()
            step()
            found[index] = min(found[index], time.perf_counter() - begun)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=60)
    parser.add_argument("--only", default="", help="what has this in its name; nothing is written")
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    document = {"machine": machine(), "repeats": options.repeats, "seconds": {}}
    for name, steps in cases().items():
        if options.only in name:
            ours, theirs = fastest(steps, options.repeats)
            document["seconds"][name] = {"ours": ours, "torch": theirs}
            print(f"{name:52} {1e6 * ours:9.0f} µs {1e6 * theirs:9.0f} µs {ours / theirs:6.2f}")
    if not options.only:
        (HERE / "speed.json").write_text(json.dumps(document, indent=2) + "\n")


if __name__ == "__main__":
    main()
