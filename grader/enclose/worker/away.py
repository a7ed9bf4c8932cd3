"""A device that this machine need not have: its tensors hold numbers, and mix with no others.

It goes by the name of ``meta``. What looks at a number there finds it, as on a GPU; what makes a
tensor without a word on the device makes it on the processor, and an operation on both fails.
"""

from __future__ import annotations

import numpy as np
import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

META = "meta"
ATEN = torch.ops.aten
BETWEEN = (  # what takes tensors of two devices on a GPU as well
    ATEN._to_copy.default,
    ATEN.copy_.default,
    ATEN.index.Tensor,
    ATEN.index_put.default,
    ATEN.index_put_.default,
    ATEN._index_put_impl_.default,
)


class Away(torch.Tensor):
    """A tensor there; ``inner`` holds its numbers."""

    __torch_function__ = torch._C._disabled_torch_function_impl
    inner: torch.Tensor

    @staticmethod
    def __new__(cls, inner: torch.Tensor) -> Away:
        made = torch.Tensor._make_wrapper_subclass(
            cls,
            inner.size(),
            strides=inner.stride(),
            storage_offset=inner.storage_offset(),
            dtype=inner.dtype,
            device=META,
        )
        made.inner = inner
        return made

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        return _run(func, args, kwargs or {})

    def tolist(self):
        return self.inner.tolist()


class Made(TorchFunctionMode):
    """Tensors of given numbers, and lists as indices: torch would leave the numbers out on the
    device ``meta``.
    """

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if func in (torch.Tensor.__getitem__, torch.Tensor.__setitem__):
            return func(args[0], _index(args[1]), *args[2:])
        anew = func is torch.Tensor.new_tensor
        place = kwargs.get("device", args[0].device if anew else None)
        if not (anew or func in (torch.tensor, torch.as_tensor)) or not _is_there(place):
            return func(*args, **kwargs)
        first = args[0].inner if anew else args[0]
        if isinstance(first, Away):  # `as_tensor` of one that is there
            return func(*args, **kwargs)
        return Away(func(first, *args[1:], **kwargs | {"device": "cpu"}))


class Device(TorchDispatchMode):
    """While it is on, tensors can be made on the device and moved to it."""

    def __enter__(self):
        self.made = Made()
        self.made.__enter__()
        return super().__enter__()

    def __exit__(self, *error):
        super().__exit__(*error)
        self.made.__exit__(*error)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return _run(func, args, kwargs or {})


def _index(value: object):
    """An index in which lists and arrays are tensors, which torch takes from any device."""
    if isinstance(value, tuple):
        return tuple(map(_index, value))
    return torch.as_tensor(value) if isinstance(value, list | np.ndarray) else value


def _is_there(device: object) -> bool:
    return device is not None and torch.device(device).type == META


def _run(func, args: tuple, kwargs: dict):
    """An operation on the numbers, with its result where it belongs."""
    given = [value for value in tree_leaves((args, kwargs)) if isinstance(value, torch.Tensor)]
    away = [value for value in given if isinstance(value, Away)]
    if away and func not in BETWEEN:
        for value in given:
            if not isinstance(value, Away) and value.ndim:  # single numbers may come from anywhere
                raise RuntimeError(
                    "Expected all tensors to be on the same device, but found at least two "
                    f"devices, {META} and {value.device}!"
                )
    known = {id(value.inner): value for value in away}
    args, kwargs = tree_map(
        lambda value: value.inner if isinstance(value, Away) else value, (args, kwargs)
    )
    there = bool(away)
    if kwargs.get("device") is not None:
        there = _is_there(kwargs["device"])
        kwargs = {**kwargs, "device": torch.device("cpu")}
    elif func is ATEN.copy_.default or func in BETWEEN[2:]:
        there = isinstance(given[0], Away)

    def placed(value):
        if id(value) in known:  # what an operation wrote to
            return known[id(value)]
        return Away(value) if there and isinstance(value, torch.Tensor) else value

    return tree_map(placed, func(*args, **kwargs))
