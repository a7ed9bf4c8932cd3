"""Cost of a computation, counted below Python: the same on every machine, unlike its time."""

from __future__ import annotations

import functools
import itertools

import fixtures
import torch
from entry import Kind, named
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import flop_registry

ATEN = torch.ops.aten
VECTORS = {  # products that torch's own registry leaves out: the operand that has all numbers
    ATEN.mv: 0,
    ATEN.addmv: 1,
    ATEN.addmv_: 1,
    ATEN.dot: 0,
    ATEN.vdot: 0,
}
LEAVING = (  # ways of numbers to NumPy or to lists, and where `departing` stands
    (torch.Tensor, "numpy"),
    (torch.Tensor, "tolist"),
    (torch._C, "_to_dlpack"),
    (torch._C, "_to_dlpack_versioned"),
)
GATES: tuple = ()  # shut while something is counted
DEPARTED = itertools.count()  # of numbers that were handed to what computes without torch


def departing(method, gate):
    """A method that counts in the place of one in C, which lets nothing through but from here."""

    @functools.wraps(method)
    def departs(value, *args, **named):
        bare = fixtures.bare(value)
        if bare.numel() and (bare.is_floating_point() or method.__name__ != "tolist"):
            next(DEPARTED)
        gate.open()
        try:
            return method(value, *args, **named)
        finally:
            gate.shut()

    gate.shut()
    return departs


class Cost(TorchDispatchMode):
    """Counts while it is on.

    Args:
        given: nested values with the tensors that are there before.

    Attributes:
        largest: how many numbers the largest tensor holds that torch made; a view makes none.
        written: how many numbers all tensors hold that torch made, together.
        multiply_adds: of matrix products and convolutions, forward and backward.
    """

    def __init__(self, given: object = ()):
        super().__init__()
        self.largest = self.written = self.multiply_adds = 0
        # Memory by its address, and how many bytes it had. A weak reference keeps the address
        # from being given to other memory.
        self.seen: dict[int, tuple[StorageWeakRef, int]] = {}
        for value in filter(_is_dense, tree_leaves(given)):
            self._has_grown(value)

    def __enter__(self):
        fixtures.COUNTS.update(dict.fromkeys(fixtures.COUNTS, 0))
        self.before = next(DEPARTED)
        super().__enter__()
        for gate in GATES:
            gate.shut()
        return self

    def __exit__(self, *error):
        for gate in GATES:
            gate.open()
        super().__exit__(*error)
        self.departed = next(DEPARTED) - self.before - 1

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        given = [*filter(_is_dense, _tensors((args, kwargs)))]
        self._note(given)  # what no operator has made, as from a list
        made = func(*args, **kwargs)
        self._note([*_tensors(made), *given])  # what is written to may have grown
        if count := flop_registry.get(func.overloadpacket):
            self.multiply_adds += count(*args, **kwargs, out_val=made) // 2
        elif func.overloadpacket in VECTORS:
            self.multiply_adds += args[VECTORS[func.overloadpacket]].numel()
        return made

    def _note(self, values: list[torch.Tensor]) -> None:
        """Count the memory of tensors that is new, or larger than it was."""
        for value in values:
            if self._has_grown(value):
                size = _numbers(value)
                self.largest, self.written = max(self.largest, size), self.written + size

    def _has_grown(self, value: torch.Tensor) -> bool:
        if not _is_dense(value):  # it has no memory to tell it by
            return True
        memory = value.untyped_storage()
        size = memory.nbytes()
        known = self.seen.get(memory._cdata)
        if known is not None and size <= known[1]:
            return False
        self.seen[memory._cdata] = (StorageWeakRef(memory), size)
        return True

    def counts(self) -> dict:
        """All counts so far, as a probe sends them."""
        names = ("largest", "written", "multiply_adds")
        counted = {name: getattr(self, name) for name in names} | fixtures.COUNTS
        if self.departed:
            counted["departed"] = self.departed
        return named(Kind.COST, counted)


def _tensors(value: object) -> list[torch.Tensor]:
    """The tensors that an operator takes or returns: they lie in tuples, lists and dicts. torch's
    own walk, through any class that is registered as a tree, takes longer than most operators.
    """
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, tuple | list):
        return []
    return [one for inner in value for one in _tensors(inner)]


def _is_dense(value: object) -> bool:
    return isinstance(value, torch.Tensor) and value.layout == torch.strided


def _numbers(value: torch.Tensor) -> int:
    """How many numbers a tensor keeps, those outside of a view among them."""
    if _is_dense(value):
        return value.untyped_storage().nbytes() // value.element_size()
    return value._nnz() if value.is_sparse or value.is_sparse_csr else value.numel()
