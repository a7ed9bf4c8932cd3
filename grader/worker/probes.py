"""Ways to call a student's code on one case. Each returns named values; nothing is judged here.

Add a function to `PROBES` when an exercise needs another way of being called.
"""

from __future__ import annotations

import contextlib
import copy
import inspect

import numpy as np
import torch
from torch.overrides import TorchFunctionMode, resolve_name


class Refusal(Exception):
    """The code cannot be called as the exercise says: ``kind`` and a sentence for the student."""

    def __init__(self, kind: str, message: str):
        super().__init__(message)
        self.kind = kind


class Watch(TorchFunctionMode):
    """Notes the names of the torch functions that are called while it is on: evidence, no proof."""

    def __init__(self):
        super().__init__()
        self.names: set[str] = set()

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.names.add(resolve_name(func) or f"{func.__module__}.{func.__name__}")
        return func(*args, **(kwargs or {}))


WATCH = Watch()


def function(symbol, call: dict) -> dict:
    """Call a function twice on the same inputs; the second time for the gradients.

    Returns:
        ``output`` (flattened, see `flatten`), ``grad.<name>`` for each name in ``call["grad"]``,
        ``changed`` (inputs that the call wrote to), ``repeatable``, and ``attached`` (outputs
        that are part of a graph though no input is).
    """
    args = tensors(call["args"])
    before = snapshot(args)
    with WATCH:  # once is enough, and it makes every torch call slower
        result = bind(symbol, args)
    first = flatten("output", result)
    attached = [index for index, out in enumerate(outputs_of(result)) if out.requires_grad]
    changed = [name for name in args if not same(args[name], before[name])]
    args = tensors(call["args"])
    if changed:  # autograd refuses to write to inputs that it watches
        second, slopes = bind(symbol, args), {f"grad.{name}": None for name in call["grad"]}
    else:
        leaves = {name: args[name].requires_grad_() for name in call["grad"]}
        second = bind(symbol, args)
        slopes = gradients(second, leaves)
    repeatable = same(first, flatten("output", second), rounding=1e-9)  # BLAS may round otherwise
    behavior = {"changed": changed, "repeatable": repeatable, "attached": attached}
    return {**first, **behavior, **slopes}


def module(symbol, call: dict) -> dict:
    """Construct a module, load the given parameters, and call it twice on the same inputs.

    Returns:
        ``parameters`` (name to shape), then what `function` returns, with
        ``grad.<parameter>`` for every parameter when parameters were given, and
        ``buffer.<name>`` for every buffer as one call leaves it.
    """
    net = bind(symbol, tensors(call["init"]))
    if not isinstance(net, torch.nn.Module):
        raise Refusal("type", "the class must derive from nn.Module")
    net = net.double()
    shapes = {name: list(value.shape) for name, value in net.state_dict().items()}
    if call.get("state") is not None:
        load(net, shapes, tensors(call["state"]))
    net.train(call.get("training", False))
    values = function(net, call)
    if call.get("state") is not None and not values["changed"]:
        net.zero_grad(set_to_none=True)
        args = tensors(call["args"])
        values |= gradients(bind(net, args), dict(net.named_parameters()))
        buffers = dict(net.named_buffers()).keys() & shapes.keys()
        if buffers:
            net.load_state_dict(tensors(call["state"]))
            bind(net, tensors(call["args"]))
            after = net.state_dict()
            values |= {f"buffer.{name}": plain(after[name]) for name in sorted(buffers)}
    return {"parameters": shapes, **values}


def optimizer(symbol, call: dict) -> dict:
    """Construct an optimizer, and hand it gradients step by step.

    ``call["args"]`` holds ``parameters``, a list; ``groups``, the settings of each parameter's own
    group; ``gradients``, per step one for each parameter, or None; ``rates``, the learning rate
    of the last group in each step, or None; and ``reload``, the step before which the state is
    saved and a fresh optimizer loads it, or None.

    Returns:
        ``output[step][index]``, the parameters after each step, and ``changed`` (gradients that
        a step wrote to).
    """
    given = tensors(call["args"])
    leaves = [torch.nn.Parameter(value) for value in given["parameters"]]

    def construct():
        pairs = zip(leaves, given["groups"], strict=True)
        groups = [{"params": [leaf], **settings} for leaf, settings in pairs]
        made = bind(symbol, {"params": groups, **init})
        if not isinstance(made, torch.optim.Optimizer):
            raise Refusal("type", "the class must derive from torch.optim.Optimizer")
        return made

    init = tensors(call["init"])
    used, path, changed = construct(), [], False
    for step, gradients_now in enumerate(given["gradients"]):
        if step == given["reload"]:
            kept, used = copy.deepcopy(used.state_dict()), construct()
            used.load_state_dict(kept)
        if given["rates"] is not None:
            used.param_groups[-1]["lr"] = given["rates"][step]
        for leaf, gradient in zip(leaves, gradients_now, strict=True):
            leaf.grad = None if gradient is None else gradient.clone()
        with WATCH:
            used.step()
        pairs = zip(leaves, gradients_now, strict=True)
        changed = changed or any(
            gradient is not None and not same(leaf.grad, gradient) for leaf, gradient in pairs
        )
        path.append(tuple(plain(leaf) for leaf in leaves))
    return {
        **{
            f"output[{step}][{index}]": value
            for step, values in enumerate(path)
            for index, value in enumerate(values)
        },
        "changed": ["grad"] if changed else [],
    }


PROBES = {"function": function, "module": module, "optimizer": optimizer}


def load(net: torch.nn.Module, shapes: dict, state: dict) -> None:
    """Load parameters by name, or refuse with a sentence that says which do not fit."""
    missing = sorted(set(state) - set(shapes))
    extra = sorted(set(shapes) - set(state))
    wrong = [
        f"{name} has shape {tuple(shapes[name])}, expected {tuple(state[name].shape)}"
        for name in sorted(set(shapes) & set(state))
        if tuple(shapes[name]) != tuple(state[name].shape)
    ]
    said = []
    if missing:
        said.append(f"it has no parameter {', '.join(missing)}")
    if extra:
        said.append(f"it has {', '.join(extra)}, which the docstring does not list")
    if said or wrong:
        raise Refusal("parameters", "; ".join(said + wrong))
    net.load_state_dict(state)


def bind(symbol, args: dict):
    """Call with keyword arguments; a signature that does not take them is refused as such."""
    if not callable(symbol):
        raise Refusal("type", f"it is a {type(symbol).__name__}, not a function or class")
    target = symbol.forward if isinstance(symbol, torch.nn.Module) else symbol
    with contextlib.suppress(ValueError):  # builtins have no signature to look at
        try:
            inspect.signature(target).bind(**args)
        except TypeError as error:
            expected = ", ".join(args)
            raise Refusal("signature", f"it must accept ({expected}): {error}") from None
    return symbol(**args)


def tensors(value):
    """Arrays to fresh tensors, everywhere inside a nested value."""
    if isinstance(value, dict):
        return {key: tensors(item) for key, item in value.items()}
    if isinstance(value, list):
        return [tensors(item) for item in value]
    if hasattr(value, "dtype"):
        return torch.from_numpy(value.copy())
    return value


def flatten(name: str, value) -> dict:
    """Name every leaf of a returned value: ``output``, ``output[0]``, ``output['key']``."""
    if isinstance(value, torch.Tensor):
        return {name: plain(value)}
    if isinstance(value, dict):
        items = {f"{name}[{key!r}]": item for key, item in value.items()}
    elif isinstance(value, tuple) or (
        isinstance(value, list) and any(isinstance(item, torch.Tensor) for item in value)
    ):
        items = {f"{name}[{index}]": item for index, item in enumerate(value)}
    elif value is None or isinstance(value, str | int | float | list):
        return {name: value}
    else:
        return {name: {"$type": type(value).__name__}}
    return {key: leaf for part, item in items.items() for key, leaf in flatten(part, item).items()}


def plain(tensor: torch.Tensor):
    """A NumPy copy of the raw values, whatever subclass wraps them."""
    with torch._C.DisableTorchFunctionSubclass():
        tensor = tensor.as_subclass(torch.Tensor).detach()
        if tensor.dtype in (torch.bfloat16, torch.complex32) or tensor.layout != torch.strided:
            return {"$type": f"tensor of {tensor.dtype} ({tensor.layout})"}
        return tensor.resolve_conj().resolve_neg().cpu().numpy().copy()


def gradients(result, leaves: dict) -> dict:
    """Gradients of Σ cᵢ·outputᵢ with fixed, distinct cᵢ, so that no two outputs look alike."""
    if not leaves:
        return {}
    outputs = [out for out in outputs_of(result) if out.is_floating_point()]
    total = None
    for out in outputs:
        weights = torch.cos(torch.arange(1, out.numel() + 1, dtype=out.dtype)).reshape(out.shape)
        part = (out * weights).sum()
        total = part if total is None else total + part
    if total is None or not total.requires_grad:
        return {f"grad.{name}": None for name in leaves}
    grads = torch.autograd.grad(total, list(leaves.values()), allow_unused=True)
    return {
        f"grad.{name}": None if grad is None else plain(grad)
        for name, grad in zip(leaves, grads, strict=True)
    }


def outputs_of(value) -> list:
    """Every tensor inside a returned value, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return [out for item in value for out in outputs_of(item)]
    return []


def snapshot(args: dict) -> dict:
    """Copies of the tensor arguments, to see afterwards whether they were written to."""
    return {name: plain(v) if isinstance(v, torch.Tensor) else v for name, v in args.items()}


def same(left, right, *, rounding: float = 0.0) -> bool:
    """Equal values, NaN equal to NaN; tensors and arrays by their content, up to rounding."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(
            same(left[key], right[key], rounding=rounding) for key in left
        )
    left, right = (
        plain(side) if isinstance(side, torch.Tensor) else side for side in (left, right)
    )
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        if left.dtype != right.dtype or left.shape != right.shape:
            return False
        if np.array_equal(left, right):  # the usual case, and the one that takes least memory
            return True
        if left.dtype.kind not in "fc":
            return False
        scale = rounding * np.abs(left[np.isfinite(left)]).max(initial=0.0)
        return np.allclose(left, right, rtol=rounding, atol=scale, equal_nan=True)
    return type(left) is type(right) and (left == right or left is right)
