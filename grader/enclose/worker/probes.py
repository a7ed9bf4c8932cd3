"""Ways to call a student's code on one case. Each returns named values; nothing is judged here.

What they show beside what is returned (`after.`, `again.`) is compared outside, by
`grader.enclose.witness`.

Add a function to `PROBES` when an exercise needs another way of being called.
"""

from __future__ import annotations

import _thread
import contextlib
import copy
import functools
import gc
import inspect
import os
import re
import sys
import threading
import types
from time import process_time, thread_time

import fixtures
import numpy as np
import torch
from away import META, Away, Device
from cost import Cost
from decoy import aside, turned
from entry import BFLOAT16, BYTES, MADE, RETURNED, TYPE, Entry, Kind, item, named, only, paths
from torch.overrides import TorchFunctionMode, resolve_name

ELSEWHERE = 0.02  # seconds of computing outside of a thread in which something is counted
LAST = 8  # of the last digit; two right sums in another order differ by less
fixtures.PLAIN.add(Away)
STARTED: list[str] = []  # threads, since the process was told to note them


class Refusal(Exception):
    """The code cannot be called as the exercise says: ``kind`` and a sentence for the student."""

    def __init__(self, kind: str, message: str):
        super().__init__(message)
        self.kind = kind


def note_threads() -> None:
    """Note every thread that starts from now on."""
    for module in (_thread, threading):
        for name, start in [*vars(module).items()]:
            if re.fullmatch(r"_?start_(new|(new|joinable)_thread)", name):
                setattr(module, name, _noted(start))


def _noted(start):
    def noted(*args, **named):
        STARTED.append(start.__name__)
        return start(*args, **named)

    return noted


def note_codes() -> None:
    """Note whose lines are not counted, of all that is there and that `gc` does not leave alone."""
    names = {
        id(vars(module))
        for module in [*sys.modules.values()]
        if str(getattr(module, "__file__", None)).startswith(OTHERS)
    }
    found = [one for one in gc.get_objects() if type(one) is types.FunctionType]
    todo = [one.__code__ for one in found if id(one.__globals__) in names]
    while todo:
        code = todo.pop()
        if KNOWN.setdefault(id(code), code) is code:
            todo += [one for one in code.co_consts if type(one) is types.CodeType]


class Alone:
    """No other thread computes while something is counted, which it is in one thread alone."""

    def __enter__(self):
        self.started, self.elsewhere = len(STARTED), process_time() - thread_time()

    def __exit__(self, kind, *_):
        long = process_time() - thread_time() - self.elsewhere > ELSEWHERE
        if kind is None and (long or len(STARTED) != self.started):
            raise Refusal("cost", "it ran in other threads, where nothing is counted")


class Watch(TorchFunctionMode):
    """Notes the torch functions that are called while it is on: evidence, no proof.

    It makes every torch call slower, and is on only where something is ``asked`` for: a task that
    forbids nothing has no use for it.
    """

    def __init__(self):
        super().__init__()
        self.called: set = set()
        self.asked = True

    def over(self) -> contextlib.AbstractContextManager:
        """Watch what runs within, if that is asked for."""
        return self if self.asked else contextlib.nullcontext()

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.called.add(func)
        return func(*args, **(kwargs or {}))

    def names(self) -> list[str]:
        """Names of the functions, in alphabetical order."""
        return sorted(map(_name, self.called))


@functools.cache  # looking a name up takes longer than most of these functions
def _name(func) -> str:
    return resolve_name(func) or f"{func.__module__}.{func.__name__}"


WATCH = Watch()
# Whose lines are not counted: ours, torch's, and those with which torch calls us.
OTHERS = (__file__, os.path.dirname(torch.__file__) + os.sep, contextlib.__file__)
KNOWN: dict[int, types.CodeType] = {}  # such code, which is there before a student's, by address
GATES: tuple = ()  # shut while lines are counted


def function(symbol, call: dict) -> dict:
    """Call a function twice on the same inputs; the second time for the gradients, and with
    tensors that are not contiguous in memory.

    Returns:
        ``output`` (flattened, see `flatten`), ``again.output`` (of the second call),
        ``third.output`` (see `_third`), ``after.<argument>`` (as the first call leaves it),
        ``earlier.then`` and ``earlier.now`` (see `_earlier`),
        ``grad.<name>`` for each name in ``call["grad"]``, and ``attached`` (outputs that are part
        of a graph though no input is).
    """
    counted = _cost(lambda: symbol, call)
    kept = _before(symbol, call)
    values, _ = _twice(symbol, call)
    values |= _earlier(kept)
    return counted | values | _third(values, lambda: symbol(**inputs(call["args"], call)))


def _before(used, call: dict) -> list:
    """Make the same call with other numbers, or with the arguments of another, where the task says
    so (`decoy`): what it returns, and a copy of it.
    """
    kept: list = []

    def use(moved):
        given = inputs(call.get("instead") or call["args"], call)
        result = bind(used, turned(given, lists=not outputs_of(given), moved=moved))
        kept.extend((result, sent(result)))

    done = not call.get("before") or aside(functools.partial(use, moved=False))
    if not done and not call.get("instead"):
        aside(functools.partial(use, moved=True))
    return kept


def _earlier(kept: list) -> dict:
    """The result of `_before`, as it was and as it is: nothing where that is the same."""
    if not kept or same(sent(kept[0]), kept[1]):
        return {}
    return named(Kind.EARLIER, {"then": kept[1], "now": sent(kept[0])})


def _others(symbol, call: dict) -> None:
    """Make an object of the settings of another call, where the task names some (`decoy`); where it
    says so, use it as this call does.
    """

    def use(other):
        made = bind(symbol, tensors(other["init"]))
        if not call.get("before"):
            return
        if isinstance(made, torch.nn.Module):
            in_dtype(made, call)
        if call.get("steps"):
            aside(lambda: walk(made, call["steps"], call))
        else:
            aside(lambda: bind(made, inputs(call["args"], call)))

    for other in call.get("others", ()):
        if aside(functools.partial(use, other)):
            return


def _cost(make, call: dict) -> dict:
    """Count the cost of a call, gradients included where they are asked for, with its result, as
    ``counted.<output>``; nothing if none asks. It is the first call on these inputs: there is
    nothing yet that could be kept for it.
    """
    if not call.get("counted"):
        return {}
    symbol, args = make(), inputs(call["args"], call)
    leaves = {} if call.get("steps") else asked(args, call)
    if isinstance(symbol, torch.nn.Module) and call.get("state") is not None:
        leaves |= dict(symbol.named_parameters())
    kept = list(symbol.state_dict().values()) if isinstance(symbol, torch.nn.Module) else []
    with Alone(), Cost([args, kept]) as cost:
        result = walk(symbol, call["steps"], call) if call.get("steps") else bind(symbol, args)
        derived(result, leaves)
    returned = flatten("output", tuple(result) if call.get("steps") else result)
    return cost.counts() | named(Kind.COUNTED, returned)


def _twice(symbol, call: dict) -> tuple[dict, bool]:
    """Call `function` twice: its result, and whether the first call wrote to its inputs."""
    args = inputs(call["args"], call)
    before = sent(args)
    accept(symbol, args)
    with WATCH.over(), budget(call):  # once is enough
        result = symbol(**args)
    first = flatten("output", result)
    attached = [index for index, out in enumerate(outputs_of(result)) if out.requires_grad]
    after = {name: sent(value) for name, value in args.items()}
    changed = not same(after, before)
    args = scattered(inputs(call["args"], call))
    if changed:  # autograd refuses to write to inputs that it watches
        second, slopes = bind(symbol, args), named(Kind.GRAD, dict.fromkeys(call["grad"]))
    else:
        leaves = asked(args, call)
        second = bind(symbol, args)
        slopes = gradients(second, leaves)
    again = named(Kind.AGAIN, flatten("output", second))
    after = named(Kind.AFTER, after)
    return {**first, **again, **after, "attached": attached, **slopes}, changed


def _third(values: dict, repeat) -> dict:
    """Return the results of a third call, as ``third.<output>``, if the second gave other numbers:
    its inputs lie in memory as in the first. If it fails, there are none. It is the last of all
    calls, because it may change what others return.

    Args:
        values: what the first two calls returned.
        repeat: makes the third.
    """
    first, again = only(values, Kind.OUTPUT), paths(values, Kind.AGAIN)
    if near(first, {name: again.get(name) for name in first}):
        return {}
    with contextlib.suppress(Exception):
        return named(Kind.THIRD, flatten("output", repeat()))
    return {}


def asked(args: dict, call: dict) -> dict:
    """The arguments whose gradients are asked for, by name; items of lists as ``first[0]``."""
    leaves = {}
    for name in call["grad"]:
        owner, _, item = name.rstrip("]").partition("[")
        leaves[name] = (args[owner][int(item)] if item else args[owner]).requires_grad_()
    return leaves


def module(symbol, call: dict) -> dict:
    """Construct a module, load the given parameters, and call it twice on the same inputs.

    Returns:
        ``parameters`` (name to shape, with what a call adds), then what `function` returns, with
        ``grad.<parameter>`` for every parameter when parameters were given, and
        ``buffer.<name>`` for every buffer as one call leaves it; ``attached`` names those that it
        leaves in a graph.
    """
    counted = _cost(lambda: construct(symbol, call), call)
    net = used = construct(symbol, call)
    shapes = shapes_of(net)
    kept = _before(net, call)
    values, changed = _twice(net, call)
    shapes |= shapes_of(net)
    values |= _earlier(kept)
    if changed:  # no gradients then; what is told is that it wrote to its inputs
        values |= named(Kind.GRAD, {name: None for name, _ in net.named_parameters()})
    elif call.get("state") is not None:
        net.zero_grad(set_to_none=True)
        args = inputs(call["args"], call)
        values |= gradients(bind(net, args), dict(net.named_parameters()))
    buffers = sorted(dict(net.named_buffers()).keys() & shapes.keys())
    if buffers:
        net = construct(symbol, call)
        args = inputs(call["args"], call)
        for name in () if changed else call["grad"]:  # as behind other layers
            args[name].requires_grad_()
        bind(net, args)
        after = net.state_dict()
        values |= named(Kind.BUFFER, {name: plain(after[name]) for name in buffers})
        values["attached"] += [name for name, kept in net.named_buffers() if kept.requires_grad]
    third = _third(values, lambda: used(**inputs(call["args"], call)))
    return {"parameters": shapes, **values} | counted | third


def steps(symbol, call: dict) -> dict:
    """Make an object and use it step by step; then once more, another object.

    ``call["steps"]`` are pairs of a method's name (``""`` for the object itself) and its keyword
    arguments, or None for the value of an attribute. A module gets its parameters first.

    Returns:
        ``output[step]`` (flattened), ``again.output[step]``, ``third.output[step]``,
        ``after.<step>.<argument>``, ``attached``, of a module ``parameters`` and, where they were
        given, their gradients, and ``grad.<name>`` for each name in ``call["grad"]``, of the first
        step with this argument.
    """

    def make():
        if is_module:
            return construct(symbol, call)
        made = bind(symbol, tensors(call["init"] or {}))
        _others(symbol, call)
        return made

    is_module = isinstance(symbol, type) and issubclass(symbol, torch.nn.Module)
    counted = _cost(make, call)
    used, left = make(), {}
    with WATCH.over(), budget(call):
        results = walk(used, call["steps"], call, left=left)
    first = flatten("output", tuple(results))
    attached = [index for index, out in enumerate(outputs_of(results)) if out.requires_grad]
    values = {**first, **named(Kind.AFTER, left), "attached": attached}
    if is_module:
        values = {"parameters": shapes_of(used), **values}
    used, leaves = make(), {}
    second = walk(used, call["steps"], call, spread=True, leaves=leaves)
    values |= named(Kind.AGAIN, flatten("output", tuple(second)))
    if is_module and call.get("state") is not None:
        leaves |= dict(used.named_parameters())
    values |= gradients(second, leaves)
    third = _third(values, lambda: tuple(walk(make(), call["steps"], call)))
    return values | counted | third


def walk(
    used,
    steps: list,
    call: dict,
    *,
    left: dict | None = None,
    spread: bool = False,
    leaves: dict | None = None,
) -> list:
    """Run each step, and return its result.

    Args:
        used: the object.
        steps: as `steps` takes them.
        call: they are part of.
        left: filled with the arguments as each step leaves them, by ``<step>.<argument>``.
        spread: hand over tensors that are not contiguous in memory.
        leaves: filled with the arguments whose gradients are asked for.
    """
    results: list = []
    for index, (name, given) in enumerate(steps):
        part = part_of(used, name)
        if given is None:
            results.append(part)
            continue
        args = inputs(given, call)
        args = earlier(scattered(args) if spread else args, results)
        for argument in () if leaves is None else call["grad"]:
            if argument in given and argument not in leaves:
                leaves[argument] = args[argument].requires_grad_()
        if left is not None:
            own = {argument: args[argument] for argument in given}
        results.append(bind(part, args))
        if left is not None:
            left |= {f"{index}.{argument}": sent(value) for argument, value in own.items()}
    return results


def part_of(used, name: str):
    """An attribute, or one of an attribute, as "trunk.training"; the object itself for no name."""
    part = used
    for one in filter(None, name.split(".")):
        if not hasattr(part, one):
            raise Refusal("missing", f"the object has no {name}")
        part = getattr(part, one)
    return part


def earlier(value, results: list):
    """Put what earlier steps returned in the places that name it."""
    if isinstance(value, dict) and set(value) == {RETURNED}:
        step, item = value[RETURNED]
        return results[step] if item is None else results[step][item]
    if isinstance(value, dict):
        return {key: earlier(item, results) for key, item in value.items()}
    if isinstance(value, list):
        return [earlier(item, results) for item in value]
    return value


def calls(symbol, call: dict) -> dict:
    """Call a function, or one and the same module, on several inputs in turn.

    ``call["args"]`` holds ``calls``, a list of arguments. Before a module is used, another is made
    of its settings with their tensors reversed: what it keeps must not be what the first kept.

    Returns:
        ``output[0]``, ``output[1]`` and so on: each as if it had been the only call.
    """
    used = symbol if call.get("init") is None else construct(symbol, call)
    given = tensors(call.get("init") or {})
    if any(isinstance(value, torch.Tensor) for value in given.values()):
        bind(symbol, {k: v.flip(0) if isinstance(v, torch.Tensor) else v for k, v in given.items()})
    every = inputs(call["args"]["calls"], call)
    return flatten("output", tuple(bind(used, args) for args in every))


def defaults(symbol, call: dict) -> dict:
    """Call a function where torch's default float is float64.

    Returns:
        ``output``, flattened.
    """
    usual = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        return flatten("output", bind(symbol, inputs(call["args"], call)))
    finally:
        torch.set_default_dtype(usual)


def once(symbol, call: dict) -> dict:
    """Call a function once, in the dtype of the call: one that trains for a minute, for example.

    Returns:
        ``output``: what it returned, its tensors as arrays, and nothing flattened.
    """
    return {"output": sent(bind(symbol, inputs(call["args"], call)))}


def elsewhere(symbol, call: dict) -> dict:
    """Call a function, or a module that is made there, on inputs that lie on a device of their own
    (`away`).

    Returns:
        ``output``, flattened: of what lies there, only that it does.
    """
    args, init = inputs(call["args"], call), call.get("init")
    with Device():
        used = symbol if init is None else bind(symbol, {**tensors(init), "device": META})
        made = bind(used, {name: moved(value) for name, value in args.items()})
        return flatten("output", made)


def moved(value):
    """Tensors on the device `away`, everywhere inside a nested value."""
    if isinstance(value, dict):
        return {key: moved(item) for key, item in value.items()}
    if isinstance(value, list):
        return [moved(item) for item in value]
    return value.to(META) if isinstance(value, torch.Tensor) else value


def dropped(symbol, call: dict) -> dict:
    """Compare what a module does in training with what it does in evaluation, to see its dropout.

    ``call["args"]`` holds ``given``, the arguments; ``around``, the one to which the rest of the
    result is added, or None; and, where it is not the result of the module itself that is looked
    at, ``method`` and ``item``, the method to call and which of its results.

    Returns:
        ``output[0]``, the factors between the two, in rising order; ``output[1]``, whether most
        positions show several of them.
    """
    args, told = inputs(call["args"]["given"], call), call["args"]
    start, net = args.get(told["around"], 0), construct(symbol, call)

    def made(mode):
        found = bind(part_of(net.train(mode), told.get("method", "")), args)
        return (found if told.get("item") is None else found[told["item"]]) - start

    with torch.no_grad():
        noisy, still = made(True), made(False)
    factors = (noisy / still).mul(1e6).round() / 1e6
    several = (factors != factors[..., :1]).any(dim=-1).double().mean() > 0.5
    return flatten("output", (factors.unique().tolist(), bool(several)))


def fresh(symbol, call: dict) -> dict:
    """Look at a module as its constructor leaves it, under two seeds.

    Returns:
        ``parameters`` (name to shape); ``after.one`` and ``after.other``, the parameters under
        either seed; ``buffer.<name>``; ``fresh.training``; ``fresh.absent``, arguments that are
        modules and no part of it; ``fresh.shared`` and ``fresh.frozen``, names of parameters that
        are the same tensor, that ask for no gradient; and ``fresh.device`` and ``fresh.dtype``,
        where and what they are.
    """
    nets = []
    for seed in (1, 2):
        torch.default_generator.manual_seed(seed)
        given = tensors(call["init"])
        net = bind(symbol, dict(given))
        if not isinstance(net, torch.nn.Module):
            raise Refusal("type", "the class must derive from nn.Module")
        nets.append(net)
    inside = set(nets[-1].modules())
    one, other = (dict(net.named_parameters(remove_duplicate=False)) for net in nets)
    state = nets[0].state_dict()
    found = {
        "training": nets[0].training,
        "absent": sorted(
            n for n, m in given.items() if isinstance(m, torch.nn.Module) and m not in inside
        ),
        "frozen": sorted(name for name, value in one.items() if not value.requires_grad),
        "shared": sorted(
            name for name, value in one.items() if any(value is one[n] for n in one if n < name)
        ),
        "device": sorted({value.device.type for value in state.values()}),
        "dtype": sorted({str(value.dtype) for value in one.values()}),
    }
    values = {"parameters": shapes_of(nets[0]), **named(Kind.FRESH, found)}
    if all(value.device.type == "cpu" for value in state.values()):
        values |= named(Kind.AFTER, {"one": sent(one), "other": sent(other)})
        buffers = {name: plain(state[name]) for name in sorted(state.keys() - one.keys())}
        values |= named(Kind.BUFFER, buffers)
    return values


def optimizer(symbol, call: dict) -> dict:
    """Construct an optimizer, and hand it gradients step by step.

    ``call["args"]`` holds ``parameters``, a list; ``groups``, the settings of each group in turn,
    which takes the next ``count`` parameters (1 unless said); ``gradients``, per step one for each
    parameter, or None; ``rates``, the learning rate of the last group in each step, or None; and
    ``reload``, the step before which the state is saved and a fresh optimizer loads it, or None.
    If ``closure`` is true, each step gets a closure that sets the gradients, and returns a loss.
    The last group is added before the step ``added``, if there is one.

    Returns:
        ``output[step][index]``, the parameters after each step; ``returned[step]``, what a step
        with a closure returned; ``after.gradients``, as each step
        leaves them; ``replaced`` (parameters whose memory is no longer their own); and, if
        ``call["args"]["state"]`` is true, ``state[index].<key>``, what is kept of each parameter
        at the end, and ``state[index].keys()``, the names of all of it.
    """
    given = inputs(call["args"], call)
    leaves = [torch.nn.Parameter(value) for value in given["parameters"]]
    groups, added = _groups_of(leaves, given["groups"]), given.get("added")
    present = groups if added is None else groups[:-1]
    build = functools.partial(_optimizer_of, symbol, present, tensors(call["init"]))
    used, path, left, losses, asked = build(), [], [], [], []
    for other in call.get("others", ()):
        aside(functools.partial(_stepped, symbol, other))
    memory = [leaf.data_ptr() for leaf in leaves]
    for step, gradients_now in enumerate(given["gradients"]):
        if step == given["reload"]:
            kept, used = copy.deepcopy(used.state_dict()), build()
            used.load_state_dict(kept)
        if step == added:
            used.add_param_group({**groups[-1]})
            present.append(groups[-1])
        if given["rates"] is not None:
            used.param_groups[-1]["lr"] = given["rates"][step]

        def closure(step=step, gradients_now=gradients_now):
            for leaf, gradient in zip(leaves, gradients_now, strict=True):
                leaf.grad = None if gradient is None else gradient.clone()
            asked.append(step)  # what a second call in one step returns is another loss
            return torch.tensor(float(step + asked.count(step) if torch.is_grad_enabled() else -1))

        if not given.get("closure"):
            closure()
        with WATCH.over():
            loss = used.step(closure) if given.get("closure") else used.step()
        if given.get("closure"):
            losses.append(plain(loss))
        left.append([sent(leaf.grad) for leaf in leaves])
        path.append(tuple(plain(leaf) for leaf in leaves))
    return {
        **{
            item(item("output", step), index): value
            for step, values in enumerate(path)
            for index, value in enumerate(values)
        },
        **{str(Entry(Kind.CLOSURE, f"[{step}]")): loss for step, loss in enumerate(losses)},
        **named(Kind.AFTER, {"gradients": left}),
        "replaced": [n for n, leaf in enumerate(leaves) if leaf.data_ptr() != memory[n]],
        **(kept_state(used, leaves) if given.get("state") else {}),
    }


def _stepped(symbol, call: dict) -> None:
    """Make an optimizer of a call's settings and parameters, and take a step."""
    given = inputs(call["args"], call)
    leaves = [torch.nn.Parameter(value) for value in given["parameters"]]
    groups = _groups_of(leaves, given["groups"])
    used = _optimizer_of(symbol, groups, tensors(call["init"]))
    for leaf, gradient in zip(leaves, given["gradients"][0], strict=True):
        leaf.grad = gradient
    used.step()


def _groups_of(leaves: list, settings: list) -> list[dict]:
    """Groups of these parameters, as `optimizer` shares them out."""
    rest, groups = list(leaves), []
    for one in settings:
        count = one.get("count", 1)
        own = {name: value for name, value in one.items() if name != "count"}
        groups.append({"params": rest[:count], **own})
        rest = rest[count:]
    return groups


def _optimizer_of(symbol, groups: list[dict], init: dict) -> torch.optim.Optimizer:
    """A new optimizer of these groups, which stay as they are: torch completes copies."""
    made = bind(symbol, {"params": [{**group} for group in groups], **init})
    if not isinstance(made, torch.optim.Optimizer):
        raise Refusal("type", "the class must derive from torch.optim.Optimizer")
    return made


def kept_state(used: torch.optim.Optimizer, leaves: list) -> dict:
    """State that an optimizer keeps of each parameter, and the names of it: a name too many is
    seen by them alone. A counter is a number, tensor or not.
    """
    found: dict = {}
    for index, leaf in enumerate(leaves):
        kept = dict(sorted(used.state.get(leaf, {}).items()))
        found[str(Entry(Kind.STATE, f"[{index}].keys()"))] = [*map(str, kept)]
        for key, value in kept.items():
            if isinstance(value, torch.Tensor) and value.ndim == 0:
                value = value.item()
            number = isinstance(value, int | float) and not isinstance(value, bool)
            name = str(Entry(Kind.STATE, f"[{index}].{key}"))
            found |= {name: float(value)} if number else flatten(name, value)
    return found


def inside(symbol, call: dict) -> dict:
    """Call a function that changes the module ``model`` in place, and look at that module.

    Returns:
        ``output``, flattened: first what the function returned, then the names of parameters that
        ask for a gradient, then what each linear layer of the module, or what stands in its place,
        makes of fixed numbers once these parameters hold other fixed numbers, then the names of
        all that the module saves.
    """
    args = inputs(call["args"], call)
    model, layers = args["model"], {}
    for name, layer in model.named_modules():
        if isinstance(layer, torch.nn.Linear):
            layers[name] = torch.cos(torch.arange(layer.in_features, dtype=layer.weight.dtype))
    returned = bind(symbol, args)
    trained = [(name, value) for name, value in model.named_parameters() if value.requires_grad]
    with torch.no_grad():
        for _, value in trained:
            numbers = torch.arange(1, value.numel() + 1, dtype=value.dtype)
            value.copy_(torch.sin(numbers).reshape(value.shape))
        made = {name: model.get_submodule(name)(x) for name, x in layers.items()}
    return flatten("output", (returned, [name for name, _ in trained], made, [*model.state_dict()]))


PROBES = {
    "function": function,
    "inside": inside,
    "module": module,
    "steps": steps,
    "optimizer": optimizer,
    "fresh": fresh,
    "calls": calls,
    "defaults": defaults,
    "elsewhere": elsewhere,
    "dropped": dropped,
    "once": once,
}


class Budget:
    """Counts the lines of Python that run beside torch's, and stops what runs too many."""

    def __init__(self, lines: int):
        self.lines, self.left, self.hidden = lines, lines, False

    def __enter__(self):
        self.alone = Alone()
        self.alone.__enter__()
        sys.settrace(self)
        for gate in GATES:
            gate.shut()

    def __exit__(self, kind, *_):
        for gate in GATES:
            gate.open()
        whole = (
            sys.gettrace() is self and not self.hidden
        )  # what a trace raises ends it, and may have been caught
        sys.settrace(None)
        if kind is None and self.left < 0:
            raise self.refusal()
        if kind is None and not whole:
            raise Refusal("cost", "it stopped the count of its lines, which a cost is measured by")
        self.alone.__exit__(kind)

    def __call__(self, frame, event, arg):
        if event == "call" and id(frame.f_code) in KNOWN:
            return None
        self.left -= event == "line"
        self.hidden |= not frame.f_trace_lines
        if self.left < 0:
            raise self.refusal()
        return self

    def refusal(self) -> Refusal:
        said = f"it ran more than {self.lines:,} lines of Python here; far fewer will do"
        return Refusal("cost", said)


def budget(call: dict):
    """The limit on a call's lines, if it has one."""
    lines = call.get("budget")
    return contextlib.nullcontext() if lines is None else Budget(lines)


def inputs(value, call: dict):
    """Arguments as fresh tensors, floats in the dtype of the call."""
    return cast(tensors(value), call.get("dtype"))


def cast(value, dtype: str | None):
    """Floating-point tensors of another dtype, everywhere inside a nested value."""
    if dtype is None:
        return value
    if isinstance(value, dict):
        return {key: cast(item, dtype) for key, item in value.items()}
    if isinstance(value, list):
        return [cast(item, dtype) for item in value]
    floats = isinstance(value, torch.Tensor) and value.is_floating_point()
    return value.to(getattr(torch, dtype)) if floats else value


def scattered(value):
    """Tensors with the same numbers that are not contiguous in memory: only every second place is
    used, and the first axis changes fastest, so that no two axes can be viewed as one.
    """
    if isinstance(value, dict):
        return {key: scattered(item) for key, item in value.items()}
    if isinstance(value, list):
        return [scattered(item) for item in value]
    if isinstance(value, torch.Tensor):
        axes = [*reversed(range(value.ndim))]
        return torch.stack((value.permute(axes),) * 2, dim=-1)[..., 0].permute(axes)
    return value


def construct(symbol, call: dict) -> torch.nn.Module:
    """The module of a call: in float64, with its parameters loaded, in the mode that is asked."""
    net = bind(symbol, tensors(call["init"]))
    if not isinstance(net, torch.nn.Module):
        raise Refusal("type", "the class must derive from nn.Module")
    net = in_dtype(net, call)
    if call.get("state") is not None:
        load(net, inputs(call["state"], call))
    _others(symbol, call)
    mode = call.get("training", False)
    return net if mode is None else net.train(mode)


def shapes_of(net: torch.nn.Module) -> dict[str, list[int]]:
    """The shape of all that a module saves, by name."""
    return {name: list(value.shape) for name, value in net.state_dict().items()}


def in_dtype(net: torch.nn.Module, call: dict) -> torch.nn.Module:
    """A module with its parameters in the dtype of a call."""
    return net.to(getattr(torch, call.get("dtype") or "float64"))


def load(net: torch.nn.Module, state: dict) -> None:
    """Load parameters by name, or refuse with a sentence that says which do not fit."""
    shapes = {name: value.shape for name, value in net.state_dict().items()}
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
    accept(symbol, args)
    return symbol(**args)


def accept(symbol, args: dict) -> None:
    """Refuse what cannot be called, or not with these keyword arguments."""
    if not callable(symbol):
        raise Refusal("type", f"it is a {type(symbol).__name__}, not a function or class")
    target = symbol.forward if isinstance(symbol, torch.nn.Module) else symbol
    with contextlib.suppress(ValueError):  # builtins have no signature to look at
        try:
            _signature(target).bind(**args)
        except TypeError as error:
            expected = ", ".join(args)
            raise Refusal("signature", f"it must accept ({expected}): {error}") from None


def _signature(target) -> inspect.Signature:
    """The signature of what is called; a function is looked at once."""
    plain = isinstance(target, types.FunctionType)
    return _signature_of_function(target) if plain else inspect.signature(target)


_signature_of_function = functools.lru_cache(inspect.signature)


def tensors(value):
    """Arrays to fresh tensors, everywhere inside a nested value; bytes and fixtures as named."""
    if isinstance(value, dict) and set(value) == {BYTES}:
        return bytes.fromhex(value[BYTES])
    if isinstance(value, dict) and set(value) == {MADE}:
        name, given = value[MADE]
        return fixtures.FIXTURES[name](**tensors(given))
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
        items = {item(name, key): inner for key, inner in value.items()}
    elif isinstance(value, tuple) or (isinstance(value, list) and outputs_of(value)):
        items = {item(name, index): inner for index, inner in enumerate(value)}
    elif isinstance(value, np.generic):
        return {name: value.item()}
    elif isinstance(value, bytes):
        return {name: {BYTES: value.hex()}}
    elif isinstance(value, list):
        return {name: _inside(value)}
    elif value is None or isinstance(value, str | int | float):
        return {name: value}
    else:
        return {name: {TYPE: type(value).__name__}}
    return {key: leaf for part in items for key, leaf in flatten(part, items[part]).items()}


def _inside(value):
    """A list with the bytes in it as they are sent."""
    if isinstance(value, list | tuple):
        return [_inside(item) for item in value]
    return {BYTES: value.hex()} if isinstance(value, bytes) else value


def plain(tensor: torch.Tensor):
    """A NumPy copy of the raw values, whatever subclass wraps them."""
    with torch._C.DisableTorchFunctionSubclass():
        tensor = tensor.as_subclass(torch.Tensor).detach()
        if tensor.dtype == torch.bfloat16 and tensor.layout == torch.strided:
            return {BFLOAT16: tensor.float().cpu().numpy().copy()}
        if tensor.device.type != "cpu":
            return {TYPE: f"tensor on the device {tensor.device.type}"}
        if tensor.dtype == torch.complex32 or tensor.layout != torch.strided:
            return {TYPE: f"tensor of {tensor.dtype} ({tensor.layout})"}
        return tensor.resolve_conj().resolve_neg().cpu().numpy().copy()


def gradients(result, leaves: dict) -> dict:
    """Gradients, as `derived` finds them, as they are sent."""
    slopes = derived(result, leaves)
    sendable = {n: plain(g) if isinstance(g, torch.Tensor) else g for n, g in slopes.items()}
    return named(Kind.GRAD, sendable)


def derived(result, leaves: dict) -> dict:
    """Gradients of Σ cᵢ·outputᵢ with fixed, distinct cᵢ, so that no two outputs look alike.

    None stands for a leaf that gets none, False for a parameter that takes none.
    """
    slopes: dict = {name: False for name, leaf in leaves.items() if not leaf.requires_grad}
    leaves = {name: leaf for name, leaf in leaves.items() if leaf.requires_grad}
    if not leaves:
        return slopes
    outputs = [out for out in outputs_of(result) if out.is_floating_point()]
    total = None
    for out in outputs:
        weights = torch.cos(torch.arange(1, out.numel() + 1, dtype=out.dtype)).reshape(out.shape)
        part = (out * weights).sum()
        total = part if total is None else total + part
    if total is None or not total.requires_grad:
        return slopes | dict.fromkeys(leaves)
    grads = torch.autograd.grad(total, list(leaves.values()), allow_unused=True)
    return slopes | dict(zip(leaves, grads, strict=True))


def outputs_of(value) -> list:
    """Every tensor inside a returned value, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return [out for item in value for out in outputs_of(item)]
    return []


def sent(value):
    """A copy of arguments as they are now, of things that can be sent."""
    if isinstance(value, torch.Tensor):
        return plain(value)
    if isinstance(value, dict):
        return {str(key): sent(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [sent(item) for item in value]
    if isinstance(value, bytes):
        return {BYTES: value.hex()}
    if value is None or isinstance(value, str | int | float):
        return value
    return {TYPE: type(value).__name__}


def same(left, right) -> bool:
    """Are two copies alike? NaN is equal to NaN."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        return left.shape == right.shape and np.array_equal(left, right, equal_nan=True)
    return left == right or left is right


def near(left: dict, right: dict) -> bool:
    """Are two results alike up to the last digits of their dtype?"""
    return left.keys() == right.keys() and all(
        _near(value, right[name]) if isinstance(value, np.ndarray) else same(value, right[name])
        for name, value in left.items()
    )


def _near(left: np.ndarray, right) -> bool:
    if same(left, right) or left.dtype.kind != "f" or getattr(right, "shape", None) != left.shape:
        return same(left, right)
    last = LAST * np.finfo(left.dtype).eps
    scale = last * np.abs(left[np.isfinite(left)]).max(initial=0.0)
    return np.allclose(left, right, rtol=last, atol=scale, equal_nan=True)
