"""Cost of a computation, counted below Python: the same on every machine, unlike its time."""

from __future__ import annotations

import fixtures
import torch
from entry import Kind, named
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import flop_registry


class Cost(TorchDispatchMode):
    """Counts while it is on.

    Attributes:
        largest: how many numbers the largest tensor holds that torch made; a view makes none.
        written: how many numbers all tensors hold that torch made, together.
        multiply_adds: of matrix products and convolutions, forward and backward.
    """

    def __init__(self):
        super().__init__()
        self.largest = self.written = self.multiply_adds = 0

    def __enter__(self):
        fixtures.COUNTS.update(dict.fromkeys(fixtures.COUNTS, 0))
        return super().__enter__()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        made = func(*args, **(kwargs or {}))
        given = {_memory(value) for value in tree_leaves((args, kwargs)) if _is_tensor(value)}
        for value in tree_leaves(made):
            if _is_tensor(value) and _memory(value) not in given:
                size = value.untyped_storage().nbytes() // value.element_size()
                self.largest, self.written = max(self.largest, size), self.written + size
        if count := flop_registry.get(func.overloadpacket):
            self.multiply_adds += count(*args, **(kwargs or {}), out_val=made) // 2
        return made

    def counts(self) -> dict:
        """All counts so far, as a probe sends them."""
        names = ("largest", "written", "multiply_adds")
        counted = {name: getattr(self, name) for name in names} | fixtures.COUNTS
        return named(Kind.COST, counted)


def _is_tensor(value: object) -> bool:
    return isinstance(value, torch.Tensor) and value.layout == torch.strided


def _memory(value: torch.Tensor) -> int:
    return value.untyped_storage()._cdata
