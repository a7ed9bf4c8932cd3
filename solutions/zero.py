"""Train a network on digits whose optimizer is sharded over processes, and compare with FSDP.

    python -m solutions.zero --losses one.json
    python -m torch.distributed.run --nproc-per-node 2 -m solutions.zero --losses two.json
    python -m torch.distributed.run --nproc-per-node 2 -m solutions.zero --fsdp --losses three.json

The same steps as `solutions.distributed.ShardedAdamW`, with processes in place of lists: every
process reads its rows of each batch, its gradient is scattered, it steps its own shard, and
the parameters are gathered. With ``--fsdp``, PyTorch's `fully_shard` does all of it (Zhao et al.
2023). The losses are those of one process, up to rounding.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import cast

import torch
from torch import Tensor, distributed, nn
from torch.nn import functional as F
from torch.nn.utils import parameters_to_vector, vector_to_parameters

from solutions.data import digits
from solutions.distributed import shard, unshard
from solutions.pretrain import everywhere, processes
from solutions.training import adamw_step


class ShardedOptimizer:
    """AdamW of which this process keeps and steps its own shard; its numbers are counted.

    Attributes:
        own: the shard of the parameters, (⌈N/n⌉,).
        averages: running means of its gradients and of their squares.
        sent: numbers that this process has sent, if the processes form a ring.
    """

    def __init__(self, model: nn.Module, *, rank: int, world: int, lr: float) -> None:
        """Keep one shard of the parameters.

        Args:
            model: the same on all processes; its parameters are changed by `step`.
            rank: number of this process.
            world: how many there are.
            lr: learning rate.
        """
        self.model, self.world, self.lr = model, world, lr
        self.own = shard(parameters_to_vector(model.parameters()).detach(), world)[rank].clone()
        self.averages = [torch.zeros_like(self.own) for _ in range(2)]
        self.steps = self.sent = 0

    def step(self) -> None:
        """Scatter the gradients, step the shard, gather the parameters."""
        self.steps += 1
        parameters = list(self.model.parameters())
        flat = torch.cat([cast(Tensor, p.grad).flatten() for p in parameters])
        parts = shard(flat, self.world)
        mean = parts[0]
        if self.world > 1:
            mean = torch.empty_like(self.own)
            distributed.reduce_scatter(mean, parts)
        self.own, *self.averages = adamw_step(
            self.own, mean / self.world, self.averages[0], self.averages[1], self.steps, lr=self.lr
        )
        if self.world > 1:
            parts = [torch.empty_like(self.own) for _ in range(self.world)]
            distributed.all_gather(parts, self.own)
        else:
            parts = [self.own]
        vector_to_parameters(unshard(parts, flat.shape), parameters)
        self.sent += 2 * (self.world - 1) * len(self.own)


def _stepper(model: nn.Sequential, given: argparse.Namespace, rank: int, world: int):
    """The optimizer, and how many of its numbers this process keeps."""
    if not given.fsdp:
        own = ShardedOptimizer(model, rank=rank, world=world, lr=given.rate)
        return own, lambda: sum(part.numel() for part in (own.own, *own.averages))
    from torch.distributed.fsdp import fully_shard

    for layer in model:
        if isinstance(layer, nn.Linear):
            fully_shard(layer)
    fully_shard(model)
    theirs = torch.optim.AdamW(model.parameters(), given.rate)

    def kept() -> int:
        states = [value for of in theirs.state.values() for value in of.values()]
        tensors = [*model.parameters(), *(value for value in states if value.dim())]
        return sum(tensor.to_local().numel() for tensor in tensors)

    return theirs, kept


def _arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--batch", type=int, default=60, help="rows, of all processes together")
    parser.add_argument("--hidden", type=int, default=37)
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--double", action="store_true", help="float64")
    parser.add_argument("--fsdp", action="store_true", help="shard by PyTorch's fully_shard")
    parser.add_argument("--losses", help="file for what was found, as JSON")
    return parser.parse_args()


def main() -> None:
    """Train from the command line; the first process says what the loss was."""
    given = _arguments()
    with processes() as (rank, world, device):
        if given.batch % world:
            raise SystemExit(f"{given.batch} rows cannot be shared evenly by {world} processes")
        dtype = torch.float64 if given.double else torch.float32
        train = digits(seed=given.seed, device=device).train
        torch.manual_seed(given.seed)
        model = nn.Sequential(nn.Linear(64, given.hidden), nn.ReLU(), nn.Linear(given.hidden, 10))
        model.to(device, dtype)
        optimizer, kept = _stepper(model, given, rank, world)
        losses, begin = [], time.perf_counter()
        for _ in range(given.steps):
            chosen = torch.randint(len(train.labels), (given.batch,))[rank::world].to(device)
            model.zero_grad()
            loss = F.cross_entropy(model(train.features[chosen].to(dtype)), train.labels[chosen])
            loss.backward()
            optimizer.step()
            losses.append(everywhere(loss, world).item())
        seconds = time.perf_counter() - begin
        found = {"losses": losses, "kept": kept(), "seconds": seconds}
        found["sent"] = getattr(optimizer, "sent", None)
        if rank == 0:
            print(f"{world} processes on {device.type}: loss {losses[-1]:.4f}")
            if given.losses:
                Path(given.losses).write_text(json.dumps(found))


if __name__ == "__main__":
    main()
