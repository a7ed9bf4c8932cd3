"""Train a GPT on one process or on several: data parallel, resumable.

    python -m solutions.pretrain --steps 200
    python -m torch.distributed.run --nproc-per-node 2 -m solutions.pretrain --steps 200

Every process holds the whole model and reads its rows of each batch; gradients are averaged before
each step, so that all make the same one. Number n of the batches follows from the seed and n alone,
and so does the loss curve, on however many processes (Li et al. 2020, "PyTorch Distributed:
Experiences on Accelerating Data Parallel Training").
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import torch
from torch import Tensor, distributed, nn
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel

from solutions.data import text, tiny_shakespeare
from solutions.device import pick_device
from solutions.fit import History, fit
from solutions.gpt import GPT, windows
from solutions.training import warmup_cosine


@contextlib.contextmanager
def processes() -> Iterator[tuple[int, int, torch.device]]:
    """Join the processes that ``torch.distributed.run`` has started; without it, be the only one.

    Yields:
        The number of this process, from 0; how many there are; and where its tensors live: with
        CUDA a GPU of its own, joined by NCCL, otherwise the processor, joined by gloo.
    """
    if "WORLD_SIZE" not in os.environ:
        yield 0, 1, pick_device()
        return
    device = pick_device()
    if device.type == "cuda":
        device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        torch.cuda.set_device(device)
    distributed.init_process_group("nccl" if device.type == "cuda" else "gloo")
    try:
        yield distributed.get_rank(), distributed.get_world_size(), device
    finally:
        distributed.destroy_process_group()


def pieces(
    tokens: Tensor, *, batch: int, span: int, steps: int, rank: int = 0, world: int = 1
) -> Iterator[tuple[Tensor, Tensor]]:
    """The rows of each batch that one process reads.

    Args:
        tokens: (n,) int64, the text.
        batch: rows of a batch, those of all processes together.
        span: tokens of a row.
        steps: how many batches.
        rank: number of the process, from 0; it reads rows rank, rank + world, and so on.
        world: how many processes there are; divides ``batch``.

    Yields:
        What is read and what is asked, (batch / world, span) each, as `windows` cuts them. The
        starts come from torch's own generator, which all processes have seeded alike: each draws
        those of the whole batch.

    Raises:
        ValueError: the rows cannot be shared evenly, so that a mean of means would not be the mean.
    """
    if batch % world:
        raise ValueError(f"{batch} rows cannot be shared evenly by {world} processes")
    for _ in range(steps):
        starts = torch.randint(len(tokens) - span, (batch,))
        yield windows(tokens, starts[rank::world], span)


def everywhere(loss: Tensor, world: int) -> Tensor:
    """The mean of all processes' losses, whose gradient is that of this process's alone.

    `DistributedDataParallel` averages gradients by itself; this is for what is written down.

    Args:
        loss: (), of this process.
        world: how many processes there are.

    Returns:
        ().
    """
    if world == 1:
        return loss
    total = loss.detach().clone()
    distributed.all_reduce(total)
    return loss + (total / world - loss.detach())


def pretrain(
    tokens: Tensor,
    model: nn.Module,
    *,
    steps: int,
    batch: int = 12,
    span: int = 64,
    rate: float = 1e-3,
    seed: int = 0,
    rank: int = 0,
    world: int = 1,
    mixed_precision: torch.dtype | None = None,
    compiled: bool = False,
    checkpoint: str | os.PathLike | None = None,
    every: int | None = None,
) -> History:
    """Train a language model on pieces of a text, in `fit`.

    AdamW as nanoGPT has it: a rate that rises over the first twentieth of the steps, and falls
    along a cosine to a tenth; betas 0.9 and 0.99; gradients no longer than 1.

    Args:
        tokens: (n,) int64, the text.
        model: trained in place; maps (B, span) to logits (B, span, V).
        steps: how many.
        batch: rows of a batch, those of all processes together.
        span: tokens of a row.
        rate: the largest learning rate.
        seed: of the batches, and of dropout.
        rank: number of this process.
        world: how many processes there are; from two on they have to be joined, see `processes`.
        mixed_precision: as for `fit`: on CUDA alone.
        compiled: let `torch.compile` make kernels of the model.
        checkpoint: file to go on from where it exists. The first process writes it; it fits any
            number of processes.
        every: steps between two writes.

    Returns:
        What was seen; the losses are those of whole batches.
    """
    wrapped = model
    if world > 1:
        place = next(model.parameters()).device
        wrapped = DistributedDataParallel(model, [place] if place.type == "cuda" else None)
    if compiled:
        wrapped = torch.compile(wrapped)

    def loss(_: nn.Module, part: tuple[Tensor, Tensor]) -> Tensor:
        read, asked = part
        return everywhere(F.cross_entropy(wrapped(read).flatten(0, 1), asked.flatten()), world)

    share = {"batch": batch, "span": span, "steps": steps, "rank": rank, "world": world}
    adamw = torch.optim.AdamW(model.parameters(), lr=rate, betas=(0.9, 0.99), weight_decay=0.1)
    with _own_checkpoint(checkpoint, rank, world) as own:
        return fit(
            model,
            lambda epoch: pieces(tokens, **share),
            loss=loss,
            optimizer=adamw,
            epochs=1,
            schedule=partial(warmup_cosine, warmup=max(1, steps // 20), total=steps, floor=0.1),
            clip_norm=1.0,
            mixed_precision=mixed_precision,
            seed=seed,
            checkpoint=own,
            checkpoint_every=every,
            resume=True,
        )


@contextlib.contextmanager
def _own_checkpoint(
    path: str | os.PathLike | None, rank: int, world: int
) -> Iterator[str | os.PathLike | None]:
    """Give the first process the checkpoint, and each other one a copy that is thrown away."""
    with tempfile.TemporaryDirectory() as folder:
        own = path
        if rank and path is not None:
            own = Path(folder) / "copy.pt"
            if Path(path).exists():
                shutil.copyfile(path, own)
        if world > 1:
            distributed.barrier()  # nobody writes before all have read
        yield own


def _arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--text", choices=("reference", "shakespeare"), default="reference")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--batch", type=int, default=12, help="rows, of all processes together")
    parser.add_argument("--span", type=int, default=64)
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--double", action="store_true", help="float64: the curve to its last digit"
    )
    parser.add_argument("--bf16", action="store_true", help="bfloat16 products, on CUDA")
    parser.add_argument("--compile", action="store_true", help="torch.compile")
    parser.add_argument("--checkpoint", help="file to go on from, and to write")
    parser.add_argument("--every", type=int, help="steps between two checkpoints")
    parser.add_argument("--losses", help="file for the losses, as JSON")
    return parser.parse_args()


def main() -> None:
    """Train from the command line; the first process says what the loss was."""
    given = _arguments()
    whole = tiny_shakespeare() if given.text == "shakespeare" else text()
    alphabet = sorted(set(whole))
    ids = {character: token for token, character in enumerate(alphabet)}
    tokens = torch.tensor([ids[character] for character in whole[: len(whole) * 9 // 10]])
    with processes() as (rank, world, device):
        torch.manual_seed(given.seed)
        model = GPT(
            len(alphabet),
            embed_dim=given.width,
            num_heads=given.heads,
            num_layers=given.layers,
            longest=given.span,
        ).to(device, torch.float64 if given.double else torch.float32)
        history = pretrain(
            tokens,
            model,
            steps=given.steps,
            batch=given.batch,
            span=given.span,
            rate=given.rate,
            seed=given.seed,
            rank=rank,
            world=world,
            mixed_precision=torch.bfloat16 if given.bf16 else None,
            compiled=given.compile,
            checkpoint=given.checkpoint,
            every=given.every,
        )
        if rank == 0:
            found = f"loss {history.train_loss[-1]:.4f} after {given.steps} steps"
            print(f"{world} processes on {device.type}: {found}")
            if given.losses:
                Path(given.losses).write_text(json.dumps(history.train_loss))


if __name__ == "__main__":
    main()
