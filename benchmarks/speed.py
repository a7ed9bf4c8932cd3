"""Time of `solutions` against torch's own modules: the same inputs, forward and backward.

    python benchmarks/speed.py [--seconds 0.4] [--only softmax] [--device cuda]

One thread, float32, each at two sizes or more: one from the chapters, and one from models that are
trained for use. Ours and torch's take turns, and the median processor time of all turns counts; on
CUDA the median time on the device. Writes `speed.json`, from which, with the reasons in `WHY`,
`make sync` makes the table on the page on what the course builds; on CUDA `speed_cuda.json`.
"""

from __future__ import annotations

import argparse
import json
import statistics
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
LEAST = 5  # turns of each
WHY = {  # why a formula takes longer, and what is trained with
    "linear.softmax": (
        "torch has one kernel for it; the formula reads and writes the scores once for each of its "
        "operations. Attention calls `torch.softmax`."
    ),
    "linear.cross_entropy": (
        "torch has one kernel for the logarithm of the softmax; the formula reads and writes the "
        "scores once for each of its operations. Later chapters call `F.cross_entropy`."
    ),
    "mlp.relu": (
        "torch has one kernel for it; the formula makes a mask first and reads it again on the way "
        "back. Networks after the chapter on perceptrons call `Tensor.relu`."
    ),
    "mlp.sigmoid": (
        "torch has one kernel for it; the formula that never overflows is three operations, one of "
        "them two exponentials and a logarithm. Recurrent cells call `torch.sigmoid`."
    ),
    "mlp.gelu": (
        "torch has one kernel for it; the formula is five operations, and autograd keeps what goes "
        "into each. Transformers call `F.gelu`."
    ),
    "training.BatchNorm1d": (
        "torch has one kernel for it, forward and backward; here autograd goes back through each "
        "operation. The residual networks use `nn.BatchNorm2d`."
    ),
    "training.Adam": (
        "each step makes new tensors, as its formula `adam_step` says; torch writes into the old. "
        "So does `AdamW`, which trains most models here."
    ),
    "training.RMSprop": (
        "it writes into the old tensors, but computes in the order of its formula `rmsprop_step`, "
        "which takes one pass more over the gradient."
    ),
    "convolution.conv2d": (
        "torch calls oneDNN, which never writes the patches down; at 3 × 3 they hold "
        "each pixel nine times. "
        "With one group per channel each product has a row of nine numbers, too small to be "
        "quick. The long runs of the chapter call `F.conv2d`."
    ),
    "convolution.max_pool2d": (
        "torch has one kernel for it; the formula writes the windows down first. The long runs of "
        "the chapter call `F.max_pool2d`."
    ),
    "embeddings.lookup": (
        "its gradient goes back through indexing, which serves any index; `F.embedding` has one "
        "that adds up whole rows. Later chapters use `nn.Embedding`."
    ),
    "recurrent.LSTM": (
        "torch has one kernel for all steps and gates (oneDNN's); at small sizes the calls for "
        "each step weigh most. For the GRU it has none, and is no quicker."
    ),
}

Step = Callable[[], object]


def draw(*shape: int) -> Tensor:
    return torch.randn(shape).requires_grad_()


def through(function: Callable[..., Tensor], *inputs: Tensor) -> Step:
    """Forward, and backward to every input that requires a gradient."""
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


def sequences(name: str, rows: int, length: int, width: int) -> tuple[Step, Step]:
    """The outputs of a recurrent layer of either kind."""
    x, made = draw(rows, length, width), []
    for layer in (getattr(recurrent, name), partial(getattr(nn, name), batch_first=True)):
        built = layer(width, width)
        leaves = [*built.parameters()]
        made.append(through(lambda x, *_, built=built: built(x)[0], x, *leaves))
    return made[0], made[1]


def transformers(part: str, rows: int, length: int, width: int, heads: int) -> tuple[Step, Step]:
    """A part of a Transformer, on sequences with a padding mask."""
    x, memory = draw(rows, length, width), draw(rows, length, width)
    padding = torch.arange(length) >= torch.arange(length - rows + 1, length + 1)[:, None]
    mask = ~padding[:, None]
    future = ~self_attention.causal_mask(length)
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
    shape = (width, heads) if part == "MultiHeadAttention" else (width, heads, 4 * width)
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


def optimizers(name: str, sizes: list[int], **settings: float) -> tuple[Step, Step]:
    """One step for the parameters of a network."""
    made = []
    for module in (training, torch.optim):
        parameters = [*mlp.MLP(sizes).parameters()]
        for parameter in parameters:
            parameter.grad = torch.randn_like(parameter)
        made.append(getattr(module, name)(parameters, lr=1e-3, **settings).step)
    return made[0], made[1]


def matrices(rows: int, columns: int) -> tuple[Step, Step]:
    """One step of Muon for one matrix."""
    made = []
    for module in (training, torch.optim):
        parameter = nn.Parameter(torch.randn(rows, columns))
        parameter.grad = torch.randn_like(parameter)
        made.append(module.Muon([parameter], lr=1e-3).step)
    return made[0], made[1]


def networks(rows: int, sizes: list[int]) -> tuple[Step, Step]:
    """An `MLP` of one hidden layer, and the same of torch's parts."""
    inputs, hidden, outputs = sizes
    theirs = nn.Sequential(nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, outputs))
    return layers(mlp.MLP(sizes), theirs, draw(rows, inputs))


def losses(rows: int, classes: int) -> tuple[Step, Step]:
    labels = torch.randint(classes, (rows,))
    return pair(
        lambda z: linear.cross_entropy(z, labels),
        lambda z: F.cross_entropy(z, labels),
        draw(rows, classes),
    )


def pictures(
    rows: int, channels: int, side: int, outside: int, groups: int = 1
) -> tuple[Step, Step]:
    return pair(
        lambda x, w: convolution.conv2d(x, w, padding=1, groups=groups),
        lambda x, w: F.conv2d(x, w, padding=1, groups=groups),
        draw(rows, channels, side, side),
        draw(outside, channels // groups, 3, 3),
    )


def lookups(count: int, words: int, width: int) -> tuple[Step, Step]:
    read = torch.randint(words, (count,))
    return pair(
        lambda table: embeddings.lookup(read, table),
        lambda table: F.embedding(read, table),
        draw(words, width),
    )


def attention(rows: int, length: int, width: int, *, masked: bool) -> tuple[Step, Step]:
    mask = (self_attention.causal_mask(length),) if masked else ()
    return pair(
        lambda *qkv: self_attention.scaled_dot_product_attention(*qkv, *mask),
        lambda *qkv: F.scaled_dot_product_attention(*qkv, *mask),
        *(draw(rows, length, width) for _ in range(3)),
    )


def cases() -> dict[str, list[tuple[str, Callable[[], tuple[Step, Step]]]]]:
    """Everything that is measured, by its name in `solutions`: two sizes, and a constructor."""

    def entries(function: Callable, name: str) -> list:
        ours, theirs = getattr(mlp, name), function
        return [
            (f"{rows} × {width}", lambda r=rows, w=width: pair(ours, theirs, draw(r, w)))
            for rows, width in ((256, 128), (2048, 4096))
        ]

    def each(function: Callable, *sizes: tuple[str, tuple], **options: object) -> list:
        return [(said, partial(function, *given, **options)) for said, given in sizes]

    steps = tuple(
        (f"{sum(p.numel() for p in mlp.MLP(sizes).parameters()):,} numbers", (sizes,))
        for sizes in ([64, 128, 128, 10], [784, 2048, 2048, 10])
    )
    blocks = (("8 × 128 × 128", (8, 128, 128, 4)), ("4 × 256 × 512", (4, 256, 512, 8)))
    chains = (("32 × 64 × 64", (32, 64, 64)), ("64 × 64 × 256", (64, 64, 256)))
    scores = (("8 × 128 × 64", (8, 128, 64)), ("8 × 1024 × 64", (8, 1024, 64)))
    images = (("64 × 8 × 16 × 16", (64, 8, 16, 16)), ("64 × 32 × 32 × 32", (64, 32, 32, 32)))
    dropped = (("256 × 128", (256, 128)), ("2048 × 4096", (2048, 4096)))
    normal = (("256 × 128", (256, 128)), ("1024 × 2048", (1024, 2048)))
    affine = (("256 × 128", (256, 128, 128)), ("1024 × 1024", (1024, 1024, 1024)))
    return {
        "linear.linear": each(
            lambda rows, width, out: pair(
                linear.linear, F.linear, draw(rows, width), draw(out, width), draw(out)
            ),
            *affine,
        ),
        "linear.softmax": each(
            lambda *shape: pair(linear.softmax, lambda z: torch.softmax(z, -1), draw(*shape)),
            ("256 × 128", (256, 128)),
            ("4096 × 1000", (4096, 1000)),
        ),
        "linear.cross_entropy": each(
            losses,
            ("256 × 10", (256, 10)),
            ("4096 × 1000", (4096, 1000)),
            ("512 × 8192", (512, 8192)),
        ),
        "mlp.relu": entries(torch.relu, "relu"),
        "mlp.sigmoid": entries(torch.sigmoid, "sigmoid"),
        "mlp.gelu": entries(F.gelu, "gelu"),
        "mlp.MLP": each(
            networks,
            ("256 × 128", (256, [128, 128, 10])),
            ("1024 × 1024", (1024, [1024, 1024, 10])),
        ),
        "training.BatchNorm1d": each(
            lambda rows, width: layers(
                training.BatchNorm1d(width), nn.BatchNorm1d(width), draw(rows, width)
            ),
            *normal,
        ),
        "training.Dropout": each(
            lambda *shape: layers(training.Dropout(0.5), nn.Dropout(0.5), draw(*shape)), *dropped
        ),
        "training.SGD": each(partial(optimizers, "SGD"), *steps, momentum=0.9),
        "training.RMSprop": each(partial(optimizers, "RMSprop"), *steps),
        "training.Adam": each(partial(optimizers, "Adam"), *steps),
        "training.AdamW": each(partial(optimizers, "AdamW"), *steps),
        "training.Muon": each(matrices, ("128 × 128", (128, 128)), ("256 × 512", (256, 512))),
        "convolution.conv2d": each(
            pictures,
            *((said, (*shape[:3], 2 * shape[1])) for said, shape in images),
            ("32 × 64 × 16 × 16", (32, 64, 16, 64)),
            ("32 × 64 × 16 × 16, 64 groups", (32, 64, 16, 64, 64)),
        ),
        "convolution.max_pool2d": each(
            lambda *shape: pair(
                lambda x: convolution.max_pool2d(x, 2), lambda x: F.max_pool2d(x, 2), draw(*shape)
            ),
            *images,
        ),
        "embeddings.lookup": each(
            lookups,
            ("256 of 5,000 × 128", (256, 5000, 128)),
            ("16,384 of 32,000 × 256", (16384, 32000, 256)),
        ),
        "recurrent.LSTM": each(partial(sequences, "LSTM"), *chains),
        "recurrent.GRU": each(partial(sequences, "GRU"), *chains),
        **{
            f"transformer.{part}": each(partial(transformers, part), *blocks)
            for part in ("MultiHeadAttention", "EncoderLayer", "DecoderLayer")
        },
        "self_attention.scaled_dot_product_attention": each(attention, *scores, masked=False),
        "self_attention.scaled_dot_product_attention, masked": each(
            attention, *scores, masked=True
        ),
    }


def taken(step: Step, device: str) -> float:
    """Processor seconds of one turn, or seconds between its begin and its end on the device."""
    if device == "cpu":
        begun = time.process_time()
        step()
        return time.process_time() - begun
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    begin.record()
    step()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) / 1000


def medians(steps: tuple[Step, Step], seconds: float, device: str) -> tuple[list[float], int]:
    """Seconds of the median turn of each, and how many turns there were."""
    found: tuple[list[float], list[float]] = [], []
    for step in steps:
        step()
    end = time.process_time() + seconds
    while len(found[0]) < LEAST or time.process_time() < end:
        for times, step in zip(found, steps, strict=True):
            times.append(taken(step, device))
    return [statistics.median(times) for times in found], len(found[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=0.4, help="of each row")
    parser.add_argument("--only", default="", help="what has this in its name; nothing is written")
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    torch.set_default_device(options.device)
    document: dict = {"seconds a row": options.seconds, "rows": []}
    for name, sizes in cases().items():
        if options.only not in name:
            continue
        for size, make in sizes:
            (ours, theirs), turns = medians(make(), options.seconds, options.device)
            row = {"name": name, "size": size, "ours": ours, "torch": theirs, "turns": turns}
            document["rows"].append(row)
            print(
                f"{name:52} {size:24} {1e6 * ours:9.0f} µs {1e6 * theirs:9.0f} µs"
                f" {ours / theirs:6.2f}",
                flush=True,
            )
    if not options.only:
        name = "speed.json" if options.device == "cpu" else "speed_cuda.json"
        document = {"machine": machine()} | document
        (HERE / name).write_text(json.dumps(document, indent=2) + "\n")


if __name__ == "__main__":
    main()
