"""Run the recorded public cases on a device that this machine need not have; prints JSON.

    python tests/solutions/elsewhere.py [cuda]

A process of its own, as torch knows the device ``elsewhere`` from then on. Its tensors are fake
ones: they have a shape, a dtype and a device, but no numbers, and an operation on tensors of two
devices fails as it does on CUDA. With the name of a device that this machine has, the tensors are
real ones there, and what comes back is compared with what the processor returns.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import inspect
import json
import sys
import traceback
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch._subclasses import fake_tensor
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode, unset_fake_temporarily
from torch.utils.backend_registration import _setup_privateuseone_for_python_backend

from grader.enclose import worker
from grader.judge import records

sys.path.insert(0, worker.__path__[0])
import fixtures
import probes

fixtures.PLAIN.add(FakeTensor)  # else a stand-in for a model refuses what computes by itself

FAKE = "elsewhere"
DEVICE = sys.argv[1] if sys.argv[1:] else FAKE
CASES = 2  # of each exercise: the first ones that are no error
LOWER = (
    *("linear", "matmul", "mm", "bmm", "addmm", "baddbmm", "conv1d", "conv2d"),
    "scaled_dot_product_attention",
)
HIGHER = ("softmax.int", "log_softmax.int", "exp", "log", "sum", "cumsum", "layer_norm")
REST = torch.library.Library("_", "IMPL", "AutocastPrivateUse1")
AUTOCAST = torch.library.Library("aten", "IMPL", "AutocastPrivateUse1")
PROBES = ("function", "module", "steps", "calls", "defaults", "elsewhere", "inside")


def over(value: Any, mode: FakeTensorMode | None, device: str = DEVICE) -> Any:
    """Inputs there: tensors and modules everywhere inside a nested value, floats in float32.

    Without a mode the tensors are real.
    """
    if isinstance(value, Tensor):
        fake = value if mode is None or isinstance(value, FakeTensor) else mode.from_tensor(value)
        return (fake.float() if fake.is_floating_point() else fake).to(device)
    if isinstance(value, nn.Module):
        return moved(value, mode, device)
    if isinstance(value, dict):
        return {name: over(part, mode, device) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(over(part, mode, device) for part in value)
    inner = [value, *(cell.cell_contents for cell in getattr(value, "__closure__", None) or ())]
    for one in inner:  # a stand-in for a model may be kept where calls alone reach it
        if hasattr(one, "__dict__") and type(one).__module__ == "fixtures":
            vars(one).update(over(vars(one), mode, device))
    return value


def holds(value: Any) -> bool:
    """Is there a tensor, or an array, inside a nested value?"""
    if isinstance(value, dict):
        return any(map(holds, value.values()))
    return any(map(holds, value)) if isinstance(value, list) else hasattr(value, "dtype")


def moved(net: nn.Module, mode: FakeTensorMode | None, device: str) -> nn.Module:
    """``net.to``, which cannot change the device of fake parameters; shared ones stay shared."""
    there: dict[int, nn.Parameter] = {}
    for part in net.modules():
        for name, own in part._parameters.items():
            if own is not None:
                new = nn.Parameter(over(own, mode, device).detach(), own.requires_grad)
                part._parameters[name] = there.setdefault(id(own), new)
        for name, own in part._buffers.items():
            if own is not None:
                part._buffers[name] = over(own, mode, device)
    return net


def tell_autocast() -> None:
    """Make autocast change what it changes on CUDA: these operations, among others."""
    backend = getattr(torch, DEVICE)
    backend.get_amp_supported_dtype = lambda: [torch.bfloat16, torch.float16]
    REST.fallback(torch.library.fallthrough_kernel)
    for names, dtype in ((LOWER, None), (HIGHER, torch.float32)):
        for name in names:
            AUTOCAST.impl(name, functools.partial(_cast, name, dtype))


def _cast(name: str, dtype: torch.dtype | None, *args: Any, **kwargs: Any) -> Any:
    """An operation of aten on floats that are cast, to autocast's own dtype if none is given."""
    wanted = dtype or torch.get_autocast_dtype(DEVICE)

    def change(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [change(part) for part in value]
        floats = isinstance(value, Tensor) and value.is_floating_point()
        return value.to(wanted) if floats else value

    packet, _, overload = name.partition(".")
    operation = getattr(getattr(torch.ops.aten, packet), overload or "default")
    with torch._C._ExcludeDispatchKeyGuard(
        torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastPrivateUse1)
    ):
        return operation(*change(args), **kwargs)


def outputs(
    symbol: Any, call: Mapping, mode: FakeTensorMode | None, device: str = DEVICE
) -> list[Tensor]:
    """Call a solution as its case says; what it returns, in any form, as a list of tensors."""

    def given(value: Any) -> Any:
        with unset_fake_temporarily():
            made = probes.tensors(value)
        return over(made, mode, device)

    if call["probe"] != "function" and call["init"] is not None:
        symbol = symbol(**given(call["init"]))
        if isinstance(symbol, nn.Module):
            symbol = moved(symbol, mode, device).train(bool(call["training"]))
    if call["probe"] == "calls":
        return probes.outputs_of([symbol(**given(args)) for args in call["args"]["calls"]])
    if call["probe"] != "steps":
        args = given(call["args"])
        if not holds(args) and "device" in inspect.signature(symbol).parameters:
            args["device"] = device
        return probes.outputs_of(symbol(**args))
    results: list = []
    for name, args in call["steps"]:
        used = getattr(symbol, name) if name else symbol
        results.append(used if args is None else used(**probes.earlier(given(args), results)))
    return probes.outputs_of(results)


def run(symbol: Any, call: Mapping, dtype: torch.dtype | None) -> str:
    """Run a call: "" where all is well, or the error and the line that made it."""
    with contextlib.ExitStack() as stack:
        try:
            mode = stack.enter_context(FakeTensorMode()) if DEVICE == FAKE else None
            if dtype is not None:
                stack.enter_context(torch.autocast(DEVICE, dtype))
            found = outputs(symbol, call, mode)
            floats = [out.float().sum() for out in found if out.requires_grad]
            if floats:
                sum(floats).backward()
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            own = [frame for frame in frames if "site-packages" not in frame.filename][-1]
            where = f"{Path(own.filename).name}:{own.lineno} {own.line}"
            return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]} ({where})"
    if not holds(call["args"]) and "device" not in inspect.signature(symbol).parameters:
        return ""  # numbers in, and no word of a device
    left = {out.device.type for out in found} - {torch.device(DEVICE).type}
    return f"returned on {', '.join(sorted(left))}" if left else ""


def agree(symbol: Any, call: Mapping) -> str:
    """Does a call return there what the processor returns? "" if it does, in float32."""
    found = []
    for device in ("cpu", DEVICE):
        torch.manual_seed(0)
        try:
            found.append([out.detach().cpu() for out in outputs(symbol, call, None, device)])
        except Exception as error:
            return f"{type(error).__name__} on {device}: {error}"
    try:
        torch.testing.assert_close(*found, rtol=1e-3, atol=1e-4, equal_nan=True)
    except AssertionError as error:
        return str(error)
    return ""


def compiled(symbol: Any, call: Mapping) -> str:
    """Does a module return the same on the processor when it is compiled? "" if it does."""
    net = probes.construct(symbol, call)
    args = probes.cast(probes.tensors(call["args"]), call.get("dtype"))
    torch._dynamo.reset()
    try:
        found = probes.outputs_of(torch.compile(net, backend="eager")(**args))
        torch.testing.assert_close(found, probes.outputs_of(net(**args)), equal_nan=True)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def cases() -> Iterator[tuple[str, Any, Mapping]]:
    """The id of each exercise, its solution, and calls of it."""
    for slug in records.slugs():
        module = importlib.import_module(f"solutions.{slug}")
        for symbol in records.symbols(slug):
            calls = [
                case.call
                for case in records.load(slug, symbol).cases
                if case.call["probe"] in PROBES
                and not any(n.startswith("error") for n in case.expected)
            ]
            for call in calls[:CASES]:
                yield f"{slug}.{symbol}", getattr(module, symbol), call


def main() -> None:
    """Print what happened, by kind of run and exercise; "" where all was well."""
    warnings.simplefilter("ignore")
    gc.disable()  # a process that soon ends has room for what fake tensors leave
    every = [*cases()]
    found: dict[str, dict[str, str]] = {"compiled": {}, "float32": {}, "bfloat16": {}}
    if DEVICE == FAKE:
        for name, symbol, call in every:
            if call["probe"] == "module" and name not in found["compiled"]:
                found["compiled"][name] = compiled(symbol, call)
        _setup_privateuseone_for_python_backend(DEVICE)
        tell_autocast()
        fake_tensor.CONSTANT_NUMEL_LIMIT = -1  # no number is known: nothing can be computed there
    for name, symbol, call in every:
        for kind in ("float32", "bfloat16"):
            results, dtype = found[kind], torch.bfloat16 if kind == "bfloat16" else None
            results[name] = results.get(name) or run(symbol, call, dtype)
        if DEVICE != FAKE:
            results = found.setdefault("equal", {})
            results[name] = results.get(name) or agree(symbol, call)
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
