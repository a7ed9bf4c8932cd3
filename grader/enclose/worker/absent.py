"""Operators behind the functions that an exercise asks to do without: in its process they are gone.

Whatever name a function of torch is called by, operators do its work, and torch looks each of them
up in one table for the whole process. Here their entries are replaced by a refusal, below Python,
in every thread, before the first line of a submission runs, and nothing that is left leads back to
what stood there. Automatic differentiation is no operator but an engine, with one method; where it
is refused, that method is gone, and with it the ways to the graph and the gradients of operators.

Other ways to the engine that are written in C (TorchScript, distributed autograd) are closed too.

What torch itself puts together from common operators (`nn.init`, `nn.utils`, `torch.optim`,
`nn.MultiheadAttention`, `torch.distributions`) has no operator of its own. These are functions of
Python: what they do is taken out of them, so that no name and no thread finds it. So it is out of
the functions in which torch writes an operator down in Python (`torch._refs`, `torch._decomp`), and
of others that do the same work under another name (`BESIDE`), which are loaded for that.
"""

from __future__ import annotations

import _ctypes
import contextlib
import ctypes
import importlib
import re
import sys
import types
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from operator import attrgetter

import cost
import numpy as np
import numpy.ctypeslib
import probes
import torch
from probes import Refusal
from torch._library.simple_registry import find_torch_dispatch_rule
from torch.utils._python_dispatch import _disable_current_modes as UNCOUNTED

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
    r"sigmoid|expit": r"\w*(?<!hard)sigmoid\w*|special_expit\w*|silu\w*|glu\w*",
    # the last of all sums is the sum of all, pair by pair they come to it, and a softmax, or
    # attention, is an exponential over it
    r"logsumexp": r"\w*log(cum)?sumexp\w*|logaddexp2?|\w*softmax\w*"
    r"|_?(scaled_dot_product|fused_sdp|flash_attention)\w*",
    r"(adaptive)?maxpool\dd": r"\w*max_pool\w*",
    # attention to an identity is a softmax
    r"softmax": r"\w*(?<!log_)softmax\w*|_?(scaled_dot_product|fused_sdp|flash_attention)\w*",
    r"scaleddotproductattention": r"_?(scaled_dot_product|fused_sdp|flash_attention)\w*",
    r"multiheadattention(forward)?": r"_native_multi_head_attention|_transformer_encoder_layer_fwd",
    r"rnn(cell)?": r"rnn_(tanh|relu)(_cell)?|mkldnn_rnn_layer",
    r"dropout": r"\w*dropout\w*",
    r"embedding": r"_?embedding(_bag|_dense|_sparse|_renorm)?(_forward_only|_backward)?_?",
    r"cdist": r"_?cdist\w*|_euclidean_dist|_?pdist\w*",
    r"fakequantizeper(tensor|channel)affine": r"\w*fake_quant\w*",
    # no tensor has a given shape: what is added to it, or put beside it, would tell
    r"broadcastshapes": r"(new_)?(empty|zeros|ones|full|rand\w*)\w*|_?broadcast_\w+|expand\w*"
    r"|as_strided\w*|repeat\w*|tile",
    # a copy into a quantized tensor quantizes
    r"quantizeper(tensor|channel)": r"quantize_per_\w+|_?(empty|make)_\w*quantized(_tensor)?",
}
OPTIMIZERS = [
    f"torch.optim.{name}"
    for name, one in vars(torch.optim).items()
    if isinstance(one, type) and issubclass(one, torch.optim.Optimizer) and name != "Optimizer"
]
BESIDE = {  # what else in Python does the work of a function: modules, functions and classes
    r"(nn|torch)\.(LSTM|lstm|GRU|gru|RNN|rnn_tanh)(_?[cC]ell)?": ("torch.ao.nn.quantizable",),
    r"nn\.MultiheadAttention": ("torch.ao.nn.quantizable", "F.multi_head_attention_forward"),
    r"F\.scaled_dot_product_attention|nn\.attention\.flex_attention": (
        "nn.attention.flex_attention",
        "torch._higher_order_ops.flex_attention",
        "torch.onnx.ops",
    ),
    r"F\.cross_entropy": ("F.linear_cross_entropy", "torch.nn.modules.linear_cross_entropy"),
    r"nn\.utils\.clip_grad_norm_": ("torch.nn.utils.clip_grad",),
    r"torch\.optim\.\w+": (*OPTIMIZERS, "torch.optim._functional"),  # each, by its settings
    r"F\.mse_loss": ("F.gaussian_nll_loss",),  # of variance 1
    r"torch\.(fake_)?quantize_per_(tensor|channel)(_affine)?": (
        "torch.ao.quantization.fx._decomposed",
        "torch.ao.quantization.observer",
    ),
    r"torch\.(cov|corrcoef)": ("numpy.cov", "numpy.ma.cov"),
    r"torch\.broadcast_shapes": (
        "numpy.broadcast_shapes",
        "numpy.broadcast_arrays",
        "numpy.broadcast_to",
    ),
}

BACKENDS = (
    "CPU",
    "QuantizedCPU",
    "MkldnnCPU",
    "SparseCPU",
    "SparseCsrCPU",
    "NestedTensorCPU",
    "Meta",
)
COMPOSITE = "CompositeImplicitAutograd"
PAST_ENGINE = ("_backward", "_make_dual")  # the second for differentiation forward
ENGINE_KEYS = ("AutogradCPU", "AutogradOther", "AutogradNestedTensor")
GRADIENTS = re.compile(
    r"_*(?:mkldnn_)?(?:(?:hard)?sigmoid|(?:hard)?tanh|threshold|gelu|silu|(?:log_)?softmax|linear|"
    r"(?:leaky_re|e|g)lu|softplus|mish|\w*attention\w*|rnn_layer|masked_softmax|log_sigmoid|"
    r"embedding(?:_dense)?|convolution|(?:mse|nll)_loss|\w+_norm)_backward(?:_data)?"
)
NOT_MET = re.compile(r"backward|^_(foreach|fused|cudnn|nested|sparse)|_make_dual|grad|quantize")
ENGINE = torch.autograd.Variable._execution_engine
# Functions of torch._C that lead to the engine, or to gradients without it, past what Python sees.
GATES = (
    "_dist_autograd_init",
    "_distributed_autograd._init",
    "_distributed_autograd.backward",
    "_distributed_autograd.get_gradients",
    "_jit_differentiate",
    "_jit_script_compile",
    "_jit_script_class_compile",
    "_jit_interpret_graph",
    "_create_function_from_graph",
    "_create_function_from_trace",
    "_create_function_from_trace_with_dict",
    "_create_method_from_trace",
    "_create_method_from_graph",
    "import_ir_module",
    "import_ir_module_from_buffer",
    "_import_ir_module_from_package",
    "_load_jit_module_from_bytes",
    "_load_jit_module_from_file",
    "_load_mobile_module_from_bytes",
    "_load_mobile_module_from_file",
    "_load_for_lite_interpreter",
    "_load_for_lite_interpreter_from_buffer",
    "ScriptMethod.__call__",
    "ScriptFunction.__call__",
    "CompilationUnit.__init__",
    "CompilationUnit.define",
    "CompilationUnit.create_function",
    "ScriptModule._create_method_from_trace",
    "ScriptModule._define",
)
PAST_TABLE = ("_jit_to_static_module", "_fuse_to_static_module")  # call no operator by the table
IN_PYTHON = ("torch._refs", "torch._decomp")  # operators, written in others
STEPS = re.compile(r"_fused_(adam|adamw|sgd|adagrad)_?(\..*)?")  # of an optimizer, in one operator
LOOKUPS = ("_jit_get_operation", "_get_operation_overload")
PAST_COUNT = (  # under which no mode sees an operator, or a method of a tensor
    *(f"{name}.__init__" for name in vars(torch._C) if re.search("DispatchKeyGuard$", name)),
    "_DisableTorchDispatch.__init__",
    "DisableTorchFunction.__enter__",
    "_dispatch_tls_set_dispatch_key_excluded",
    "_dispatch_tls_set_dispatch_key_included",
    "_set_skip_next_torch_function",
    "_skip_one_hop_torch_function",
)
MODES = (  # what hands out the modes that are on, or switches one off
    "_pop_torch_dispatch_stack",
    "_get_dispatch_stack_at",
    "_get_dispatch_mode",
    "_set_dispatch_mode",
    "_unset_dispatch_mode",
)
RECORD = torch._C._jit_get_operation.__self__  # what pybind11 keeps of a function
NO_ENGINE = tuple(
    f"'{type(one).__module__}.{type(one).__qualname__}' object is not callable"
    for one in (ENGINE, RECORD)
)
CALLED_LIKE = {  # by the flags of a method, which say what it is given
    0x01: "PyObject_CallObject",  # METH_VARARGS
    0x03: "PyObject_Call",  # METH_VARARGS, METH_KEYWORDS
    0x04: "PyObject_CallNoArgs",  # METH_NOARGS
    0x08: "PyObject_CallOneArg",  # METH_O
    0x82: "PyObject_Vectorcall",  # METH_FASTCALL, METH_KEYWORDS
}
ROOTS = {"F": torch.nn.functional, "nn": torch.nn, "Tensor": torch.Tensor, "torch": torch}
ROOTS |= {"numpy": np}


def operators(function: str) -> tuple[str, ...]:
    """The operators behind a function: ``"F.softmax"`` has ``_softmax``, ``softmax.int`` …"""
    if "optim." in function:
        return tuple(name for name in entries() if STEPS.fullmatch(name))
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
    return found | dict.fromkeys(PAST_ENGINE, ENGINE_KEYS)


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


class Member(ctypes.Structure):
    """An attribute that has a place in its object (PyMemberDef)."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("type", ctypes.c_int),
        ("offset", ctypes.c_ssize_t),
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


@cache  # the server does this, too, for all processes that it forks from then on
def look_up() -> None:
    """Have torch look operators up by name while it can, for a device in Python (`away`) that is
    handed them: all that do their work at once, and none that leads to a gradient.
    """
    for name in entries():
        packet, _, overload = name.partition(".")
        if not NOT_MET.search(packet) and not overload.endswith("out"):
            operator = getattr(getattr(torch.ops.aten, packet), overload or "default")
            find_torch_dispatch_rule(operator, torch.Tensor)  # torch keeps what it finds


def take_away(functions: Sequence[str], *, counted: bool = False, elsewhere: bool = False) -> None:
    """Take away what these functions need, for as long as the process lives.

    Args:
        functions: names, as in the text of an exercise.
        counted: costs are counted, for which torch looks operators up by name: that way to the
            engine stays open, and a text that goes it is left to those who read it.
        elsewhere: some calls are on another device, for which operators are looked up before.

    Not a step of this may wait until a student's code has run: whatever Python holds until then
    can be found, emptied or replaced by it.
    """
    table = torch._C._dispatch_library("IMPL", "aten", "", "", 0)
    # One reference that nobody holds: when the last one goes, the old entries come back.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(table))
    replaced, codes = planned(tuple(functions))
    for operator, key, refusal in replaced:
        table.impl(operator, key, refusal, False)
    if functions:
        take_away_libraries()
    for one, code in codes:
        one.__code__ = code
    if counted:
        guard_count()
    for gate in PAST_TABLE if functions else ():
        with contextlib.suppress(AttributeError):
            shut(attrgetter(gate)(torch._C))
    if any(map(AUTOGRAD.match, functions)):
        if elsewhere:
            look_up()
        shut(ENGINE.run_backward)
        for gate in GATES if counted else GATES + LOOKUPS:
            with contextlib.suppress(AttributeError):  # not every build of torch has all
                shut(attrgetter(gate)(torch._C))
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


def guard_count() -> None:
    """Leave nothing that computes past the count of costs, or switches it off while it is on."""
    for one in (UNCOUNTED, UNCOUNTED.__wrapped__):
        one.__code__ = emptied(one, "torch.utils._python_dispatch._disable_current_modes")
    for gate in PAST_COUNT:
        shut(attrgetter(gate)(torch._C))
    cost.GATES = tuple(Gate(getattr(torch._C, name)) for name in MODES)
    for owner, name in cost.LEAVING:
        method = vars(torch._C.TensorBase).get(name) or getattr(torch._C, name)
        setattr(owner, name, cost.departing(method, Gate(method)))
    torch.utils.dlpack.to_dlpack = torch._C._to_dlpack


def guard_trace() -> None:
    """Leave nothing that switches the trace of lines off, or hands it out, while it is on."""
    probes.GATES = tuple(
        Gate(method, by=sys.getprofile)  # which looks at no argument, and finds None
        for method in (sys.settrace, sys.setprofile, sys.gettrace)
    )
    _behind(Member, vars(types.FrameType)["f_trace_lines"], 3, b"f_trace_lines").flags = 1
    own = _behind(Attribute, vars(types.FrameType)["f_trace"], 3, b"f_trace")
    own.function = own.setter = None


@cache
def planned(functions: tuple[str, ...]) -> tuple[list[tuple], list[tuple]]:
    """Look up what `take_away` will do to the table and to functions of Python, and touch neither:
    the server does this once, and every process that it forks has it.

    Returns:
        Operator, key and refusal of each entry; and each function with its new code.
    """
    behind = {operator: function for function in functions for operator in operators(function)}
    replaced = [
        (operator, key, partial(refuse, operator, function))
        for operator, function in behind.items()
        for key in entries()[operator]
    ]
    codes = [(one, emptied(one, name)) for one, name in copies(behind, functions)]
    functions = tuple(one for one in functions if not AUTOGRAD.match(one))
    for function in functions:
        for other in beside(function):
            said = f"{other}, which does the work of {function}"
            codes += [(one, emptied(one, said)) for one in written(other)]
    for function in functions:  # one that is beside another is told under its own name
        codes += [(one, emptied(one, function)) for one in written(function)]
    return replaced, codes


def beside(function: str) -> Iterator[str]:
    """Other names under which Python does the work of a function."""
    for ours, others in BESIDE.items():
        yield from others if re.fullmatch(ours, function) else ()


def kept() -> int:
    """How much was looked up."""
    return planned.cache_info().currsize + look_up.cache_info().currsize


def forget() -> None:
    """Look up again what was planned before more of torch was loaded."""
    planned.cache_clear()
    written_down.cache_clear()


def take_away_libraries() -> None:
    """No library is loaded by `ctypes` any more, nor by what NumPy has in its place."""
    for one in vars(np.ctypeslib).values():
        if isinstance(one, types.FunctionType) and one.__module__.startswith("numpy."):
            one.__code__ = emptied(one, f"numpy.ctypeslib.{one.__name__}")
    ctypes._dlopen = _ctypes.dlopen = _no_library


def _no_library(name: object, *_):
    raise OSError(f"{name}: no library is loaded here")


class Gate:
    """A function that is written in C, which can have another one of Python's own in its place: by
    default one that finds that what the method belongs to cannot be called.
    """

    def __init__(self, method, by=None):
        method = getattr(method, "__func__", method)  # of a class of pybind11
        self.found = _method(method)
        call = getattr(ctypes.pythonapi, CALLED_LIKE[self.found.flags])
        closed = _method(by).function if by else ctypes.cast(call, ctypes.c_void_p).value
        self.opened, self.closed = self.found.function, closed

    def shut(self) -> None:
        self.found.function = self.closed

    def open(self) -> None:
        self.found.function = self.opened


def _method(method) -> ctypes.Structure:
    words = 3 * isinstance(method, types.MethodDescriptorType)
    return _behind(Method, method, words, method.__name__.encode())


def shut(method) -> None:
    """Put a function of Python's own in the place of one that is written in C."""
    Gate(method).shut()


def written(function: str) -> Iterator[types.FunctionType]:
    """The functions of Python that do the work of one that is refused; of a class its methods, and
    of an optimizer what its module holds.
    """
    found = named(function)
    todo = [found]
    if isinstance(found, types.ModuleType):
        values = [value for module in inside(found.__name__) for value in vars(module).values()]
        todo = [one for one in values if getattr(one, "__module__", "").startswith(found.__name__)]
        todo += [part for one in todo if isinstance(one, type) for part in vars(one).values()]
    if isinstance(found, type):
        todo = [*vars(found).values()]
        if issubclass(found, torch.optim.Optimizer):
            todo += [
                one
                for one in vars(sys.modules[found.__module__]).values()
                if getattr(one, "__module__", None) == found.__module__
            ]
    done: set[int] = set()
    while todo:
        one = todo.pop()
        if isinstance(one, classmethod | staticmethod):
            todo.append(one.__func__)
        elif isinstance(one, types.FunctionType) and id(one) not in done:
            done.add(id(one))
            todo += [getattr(one, "__wrapped__", None)]
            if (one.__module__ or "").partition(".")[0] in ("torch", "numpy"):
                yield one
        elif type(one) is type(np.cov):  # NumPy's own, around one of Python
            todo.append(one.__wrapped__)


def named(name: str) -> object:
    """A function, class or module of that name. A module is loaded: what a submission loads later
    is not emptied.
    """
    root, _, rest = name.partition(".")
    module = f"{ROOTS[root].__name__}.{rest}" if root != "Tensor" else name
    with contextlib.suppress(ImportError):
        return importlib.import_module(module)
    try:
        return attrgetter(rest)(ROOTS[root])
    except AttributeError:
        return None


def copies(
    behind: Mapping[str, str], functions: Sequence[str]
) -> Iterator[tuple[types.FunctionType, str]]:
    """The functions in which torch writes these operators down in Python, and parts of what these
    functions do (`one_layer_rnn`), and of which function each is.
    """
    for function in functions:
        name = plain(function.rpartition(".")[2].lower())
        if not (COMPOSED.match(function) or AUTOGRAD.match(function)):
            parts = [ones for short, ones in written_down().items() if name in short]
            for one in (one for ones in parts for one in ones):
                yield one, f"{one.__name__}, which does the work of {function}"
    names = {plain(operator.partition(".")[0]): one for operator, one in behind.items()}
    for name, function in names.items():
        for one in written_down().get(name, ()):
            yield one, function


@cache
def written_down() -> dict[str, list[types.FunctionType]]:
    """All functions in which torch writes an operator down in Python, by its name."""
    found: dict[str, list[types.FunctionType]] = {}
    for module in [one for name in IN_PYTHON for one in inside(name)]:
        for name, one in vars(module).items():
            short = plain(name.lower()) if name.strip("_") else ""
            own = found.setdefault(short, [])
            while isinstance(one, types.FunctionType):
                if not any(one is other for other in own):
                    own.append(one)
                one = getattr(one, "__wrapped__", None)
    return found


def inside(package: str) -> list[types.ModuleType]:
    """A package, and the modules of it that are loaded."""
    return [
        module
        for name, module in [*sys.modules.items()]
        if f"{name}.".startswith(f"{package}.") and isinstance(module, types.ModuleType)
    ]


def emptied(function: types.FunctionType, name: str) -> types.CodeType:
    """Code that refuses, in the place of what a function does."""
    code = _raises.__code__
    said = Refusal("refused", f"it called {name}")
    constants = tuple(said if one == "said" else one for one in code.co_consts)
    cells = function.__code__.co_freevars  # as many as the function has
    return code.replace(co_consts=constants, co_name=function.__name__, co_freevars=cells)


def _raises(*_, **__):
    raise "said"  # noqa: B016 - its place is taken by an exception


def _behind(kind: type, value: object, words: int, name: bytes) -> ctypes.Structure:
    """Structure that an object points to, some words behind its head."""
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
    written_down()
    del torch._C._dispatch_get_computed_kernel_for_dispatch_key
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = torch._C._dispatch_library("IMPL", "aten", "", "", 0)
        table.impl("relu", "CPU", refuse, False)
        table.reset()
