"""Operators behind the functions that an exercise asks to do without: in its process they are gone.

Whatever name a function of torch is called by, operators do its work, and torch looks each of them
up in one table for the whole process. Here their entries are replaced by a refusal, below Python,
in every thread, before the first line of a submission runs, and nothing that is left leads back to
what stood there. Automatic differentiation is no operator but an engine, with one method; where it
is refused, that method is gone, and with it the ways to the graph and the gradients of operators.

What torch itself puts together from common operators (`nn.init`, `nn.utils`, `torch.optim`,
`torch.distributions`) has no operator of its own, and is refused by name alone.
"""

from __future__ import annotations

import ctypes
import re
import warnings
from collections.abc import Sequence
from functools import cache, partial

import torch
from probes import Refusal

COMPOSED = re.compile(r"(?:torch\.)?(?:nn\.(?:init|utils)|optim|distributions)\.")
AUTOGRAD = re.compile(r"torch\.(?:autograd|func)\.|Tensor\.backward$")

# An operator is named as the function is, with some of these before it and one of those after it.
AROUND = re.compile(
    r"_*(?:(?:special|native|mkldnn|quantized|sparse|safe|masked|foreach|fused)_)*"
    r"(.+?)(?:_forward|_with_indices|_functional|(?:_dense|_sparse)?_backward(?:_data)?)?_?"
)
BEHIND = {  # where it is not: functions, without their underscores, and names of operators
    r"batchnorm(\dd)?": r"\w*batch_norm\w*",
    r"conv(\dd|olution|2d(input|weight)|transpose2d)": r"\w*conv(\dd|_|olution)\w*",
    r"crossentropy(loss)?": r"cross_entropy_loss",
    r"nllloss": r"nll_loss(2d|_nd)?(_forward|_backward)?",
    r"bce(withlogits)?loss": r"binary_cross_entropy(_with_logits)?",
    r"unfold": r"im2col",  # and not `Tensor.unfold`, which is another function
    r"fold": r"col2im",
    r"interpolate": r"_?upsample_\w+",
    r"logsumexp": r"\w*log(cum)?sumexp\w*",  # the last of all sums is the sum of all
    r"(adaptive)?maxpool\dd": r"\w*max_pool\w*",
    # attention to an identity is a softmax
    r"softmax": r"\w*(?<!log_)softmax\w*|_?(scaled_dot_product|fused_sdp|flash_attention)\w*",
    r"scaleddotproductattention": r"_?(scaled_dot_product|fused_sdp|flash_attention)\w*",
    r"multiheadattention(forward)?": r"_native_multi_head_attention",
    r"rnn(cell)?": r"rnn_(tanh|relu)(_cell)?",
}

BACKENDS = ("CPU", "MkldnnCPU", "SparseCPU", "SparseCsrCPU", "NestedTensorCPU")
COMPOSITE = "CompositeImplicitAutograd"
PAST_ENGINE = ("_backward", "_make_dual")  # the second for differentiation forward
GRADIENTS = re.compile(
    r"_*(?:mkldnn_)?(?:(?:hard)?sigmoid|(?:hard)?tanh|threshold|gelu|silu|(?:log_)?softmax|linear|"
    r"log_sigmoid|embedding(?:_dense)?|convolution|(?:mse|nll)_loss|\w+_norm)_backward(?:_data)?"
)
ENGINE = torch.autograd.Variable._execution_engine
NO_ENGINE = f"'{type(ENGINE).__module__}.{type(ENGINE).__qualname__}' object is not callable"


def operators(function: str) -> tuple[str, ...]:
    """The operators behind a function: ``"F.softmax"`` has ``_softmax``, ``softmax.int`` …"""
    if COMPOSED.match(function):
        return ()
    if AUTOGRAD.match(function):
        return PAST_ENGINE + gradients()
    by_name, others = known()
    name = plain(function.rpartition(".")[2].lower())
    other = next((theirs for ours, theirs in others.items() if re.fullmatch(ours, name)), None)
    return by_name.get(name, ()) if other is None else other


@cache
def entries() -> dict[str, Sequence[str]]:
    """Of each operator the entries that do its work."""
    there = torch._C._dispatch_has_computed_kernel_for_dispatch_key
    one_for_all = torch._C._dispatch_has_kernel_for_dispatch_key
    found = {}
    for name in torch._C._dispatch_get_all_op_names():
        if name.startswith("aten::"):
            whole = one_for_all(name, COMPOSITE)
            found[name[6:]] = [COMPOSITE] if whole else [k for k in BACKENDS if there(name, k)]
    return found | dict.fromkeys(PAST_ENGINE, ("AutogradCPU",))


@cache
def known() -> tuple[dict, dict]:
    """The operators behind the functions of a name, and behind those of `BEHIND`."""
    names = sorted(entries())
    by_name: dict[str, tuple[str, ...]] = {}
    for name in names:
        short = plain(name.partition(".")[0])
        by_name[short] = (*by_name.get(short, ()), name)
    others = {
        ours: tuple(name for name in names if re.fullmatch(theirs, name.partition(".")[0]))
        for ours, theirs in BEHIND.items()
    }
    return by_name, others


@cache
def gradients() -> tuple[str, ...]:
    """The operators that know the gradient of another one."""
    return tuple(name for name in entries() if GRADIENTS.fullmatch(name.partition(".")[0]))


def plain(name: str) -> str:
    """Without what stands around it, and without underscores."""
    return AROUND.fullmatch(name)[1].replace("_", "")


class Method(ctypes.Structure):
    """A method that is written in C, as Python keeps it (PyMethodDef in its C API)."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


class Attribute(ctypes.Structure):
    """An attribute whose value a function in C finds (PyGetSetDef)."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("setter", ctypes.c_void_p),
        ("doc", ctypes.c_char_p),
        ("closure", ctypes.c_void_p),
    )


def take_away(functions: Sequence[str]) -> None:
    """Take away what these functions need, for as long as the process lives.

    Not a step of this may wait until a student's code has run: whatever Python holds until then
    can be found, emptied or replaced by it.
    """
    table = torch._C._dispatch_library("IMPL", "aten", "", "", 0)
    # One reference that nobody holds: when the last one goes, the old entries come back.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(table))
    behind = {operator: function for function in functions for operator in operators(function)}
    for operator, function in behind.items():
        for key in entries()[operator]:
            table.impl(operator, key, partial(refuse, operator, function), False)
    if any(map(AUTOGRAD.match, functions)):
        # A function of Python's own in its place, which finds that the engine cannot be called.
        call = ctypes.cast(ctypes.pythonapi.PyObject_Call, ctypes.c_void_p).value
        _behind(Method, ENGINE.run_backward, 0, b"run_backward").function = call
        # The graph could be walked by hand: nothing leads to it from a tensor, as none has these
        # hooks, nor from what a function of one's own is given, as none has these tensors.
        for owner, name, other in (
            (torch._C.TensorBase, "grad_fn", "_backward_hooks"),
            (torch._C._FunctionBase, "next_functions", "dirty_tensors"),
        ):
            way, empty = (
                _behind(Attribute, vars(owner)[one], 3, one.encode()) for one in (name, other)
            )
            way.function = empty.function


def _behind(kind: type, value: object, words: int, name: bytes) -> ctypes.Structure:
    """What an object points to, some words behind its head."""
    at = id(value) + object.__basicsize__ + words * ctypes.sizeof(ctypes.c_void_p)
    found = kind.from_address(ctypes.c_void_p.from_address(at).value)
    if found.name != name:
        raise LookupError(f"this Python keeps {name.decode()} in another way")
    return found


def refuse(operator: str, function: str, *_, **__):
    operator = operator.partition(".")[0]
    said = f"it ran torch's operator {operator}, which does the work of {function}"
    raise Refusal("refused", said)


@cache
def prepare() -> None:
    """Look the operators up, have torch warn for the only time that an entry is replaced, and
    drop the one function that hands entries out to be called later.
    """
    known()
    gradients()
    del torch._C._dispatch_get_computed_kernel_for_dispatch_key
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = torch._C._dispatch_library("IMPL", "aten", "", "", 0)
        table.impl("relu", "CPU", refuse, False)
        table.reset()
