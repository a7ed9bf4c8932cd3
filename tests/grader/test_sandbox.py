"""The sandbox as the grader uses it: protocol, errors, limits, tiers, and nothing left behind."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tiers import lacking, landlock, no_landlock, no_seccomp, opened, require

from grader.enclose import walls
from grader.enclose.outcome import clean
from grader.enclose.sandbox import TIERS, Cancelled, Limits, Sandbox, SandboxError

pytestmark = [pytest.mark.linux, pytest.mark.usefixtures("cold_servers")]
ROOT = Path(__file__).parents[2]
GOOD = "def double(x):\n    return 2 * x\n"
PATIENT = Limits(seconds=60)  # on a busy machine too
CALLS = [{"probe": "function", "args": {"x": np.array([1.0, -2.0, 3.0])}, "grad": ["x"]}]


@pytest.fixture(scope="module")
def box():
    with Sandbox(limits=PATIENT) as box:
        yield box


def run(box: Sandbox, source: str, calls=CALLS, **options):
    return box.run(source, "double", calls, filename="double.py", **options)


def right(outcome) -> bool:
    assert outcome.status == "ok", outcome
    return all(np.array_equal(case["values"]["output"], [2, -4, 6]) for case in outcome.cases)


def alive(owner: int) -> list[int]:
    """Servers, and whatever they forked, that this process started: it is in their arguments."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if f'"owner": {owner},'.encode() in command and state != "Z":
            found.append(int(pid))
    return found


def family(pid: int) -> list[int]:
    """A process and all that descend from it."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(one for child in children for one in family(int(child)))]


def commands(pid: int) -> list[str]:
    """Command lines of a process, and its state, for the message of a test that found it."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()[:8]
        return [Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")[:200], *lines]
    except OSError:
        return ["gone"]


def wait_until(condition, seconds: float = 20) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return False


# ------------------------------------------------------------------------------------- protocol


def test_values_log_and_names_come_back(box):
    source = """
import torch, warnings
def double(x):
    print("hello")
    warnings.warn("careful")
    return {"twice": 2 * x, "pair": (torch.softmax(x, -1), [1, "a"])}
"""
    outcome = run(box, source, CALLS * 2, forbidden=["F.gelu"])
    assert (outcome.status, outcome.detail, len(outcome.cases)) == ("ok", "", 2)
    values = outcome.cases[1]["values"]
    assert values["output['twice']"].tolist() == [2, -4, 6]
    assert values["output['pair'][1]"] == [1, "a"]
    assert values["grad.x"].shape == (3,)
    assert "torch.softmax" in outcome.cases[0]["called"]
    assert outcome.log.count("hello") == 4  # every case is called twice
    assert "careful" in outcome.log
    free = run(box, source)  # nothing is forbidden, and no call is noted
    assert free.cases[0]["values"].keys() == outcome.cases[0]["values"].keys()
    assert free.cases[0]["called"] == []
    assert 0 < outcome.seconds < 60


def test_an_error_that_is_due_is_found_outside(box):
    """The code is not told that one is: it could raise it without a check of its own."""
    source = """
import sys
class Odd(ValueError): pass
def double(x):
    frame, told = sys._getframe(), []
    while frame:
        told += [call for call in frame.f_locals.values() if isinstance(call, dict)]
        frame = frame.f_back
    assert any("probe" in call for call in told)
    assert not any("raises" in call for call in told)
    raise Odd
"""
    calls = [{**CALLS[0], "raises": name} for name in ("ValueError", "KeyError")]
    due, other = run(box, source, calls).cases
    assert due["values"] == {"raised": "ValueError"}
    assert other["error"]["type"] == "Odd"
    wrong = run(box, source.replace("raise Odd", "raise KeyError"), calls[:1]).cases[0]
    assert wrong["error"]["type"] == "KeyError"


def test_lines_count_wherever_they_run(box):
    above = """
import threading
from concurrent.futures import ThreadPoolExecutor
pool = ThreadPoolExecutor(1)
pool.submit(print).result()  # before any line is counted
def work():
    for i in range(2_000_000):
        i += 1
"""
    calls = [{**CALLS[0], "budget": 1000}]
    assert right(run(box, above + GOOD, calls))
    thread = "t = threading.Thread(target=work); t.start(); t.join()"
    for slow in ("work()", thread, "pool.submit(work).result()"):
        source = f"{above}def double(x):\n    {slow}\n    return 2 * x\n"
        assert run(box, source, calls).cases[0]["error"]["kind"] == "cost"


def test_modules(box):
    source = """
from torch import nn
class Scale(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.inner = nn.Linear(size, size, bias=False)
    def forward(self, x):
        return self.inner(x) * (3 if self.training else 1)
"""
    call = {
        "probe": "module",
        "args": {"x": np.array([[1.0, 2.0]])},
        "init": {"size": 2},
        "state": {"inner.weight": np.array([[1.0, 10.0], [100.0, 1000.0]])},
        "training": True,
        "grad": ["x"],
    }
    outcome = box.run(source, "Scale", [call], filename="scale.py")
    values = outcome.cases[0]["values"]
    assert values["output"].tolist() == [[63, 6300]]
    assert values["parameters"] == {"inner.weight": [2, 2]}
    assert values["grad.inner.weight"].shape == (2, 2)


def test_calls_in_turn_share_one_module(box):
    source = """
from torch import nn
class Kept(nn.Module):
    def forward(self, x):
        self.first = getattr(self, "first", x)
        return self.first
def plain(x):
    return x
"""
    turns = {"calls": [{"x": np.array([1.0])}, {"x": np.array([2.0, 3.0])}]}
    call = {"probe": "calls", "args": turns, "grad": []}
    (kept,) = box.run(source, "Kept", [{**call, "init": {}}], filename="kept.py").cases
    assert [kept["values"][f"output[{n}]"].tolist() for n in (0, 1)] == [[1], [1]]
    (free,) = box.run(source, "plain", [call], filename="kept.py").cases
    assert [free["values"][f"output[{n}]"].tolist() for n in (0, 1)] == [[1], [2, 3]]


def test_the_default_float_and_the_device_are_asked(box):
    source = """
import torch
def blind(x):
    return torch.zeros(x.shape, dtype=torch.float32)
def heedful(x):
    return torch.zeros(x.shape, device=x.device)
"""
    shown = {}
    for name in ("blind", "heedful"):
        for probe in ("defaults", "elsewhere", "function"):
            call = {"probe": probe, "args": {"x": np.ones(2)}, "grad": []}
            (case,) = box.run(source, name, [call], filename="made.py").cases
            value = case["values"]["output"]
            shown[name, probe] = str(value.dtype) if isinstance(value, np.ndarray) else value
    assert shown["blind", "defaults"] == shown["blind", "elsewhere"] == "float32"
    assert shown["heedful", "defaults"] == "float64"
    assert shown["heedful", "elsewhere"] == {"$type": "tensor on the device meta"}
    assert shown["heedful", "function"] == "float32"  # the defaults are as they were


THERE = {"$type": "tensor on the device meta"}
ELSEWHERE = {  # what is made of x, [3, 5], there: where it lies, or the error
    "x": THERE,
    "x.cpu()": [3, 5],
    "x.cpu().to(x.device)": THERE,
    "x + torch.tensor(1)": THERE,
    "x + torch.ones(2)": "two devices",
    "x.cpu() + torch.arange(2)": [3, 6],
    "torch.arange(int(x.max()), device=x.device)": THERE,
    "torch.arange(int(x.max()))": [0, 1, 2, 3, 4],
    "torch.tensor([n > 3 for n in x.tolist()], device=x.device)": THERE,
    "torch.tensor([n > 3 for n in x.tolist()])": [False, True],
    "x.new_tensor([1, 2])": THERE,
    "torch.as_tensor(x)": THERE,
    "torch.arange(9, device=x.device)[[8, 7]].cpu()": [8, 7],
    "torch.zeros(2, 9, device=x.device)[:, [8, 7]]": THERE,
    "x[x > 3]": THERE,
    "torch.zeros(7, device=x.device).index_put((x,), x.new_ones(()).float())": THERE,
    "x.clone().add_(1)": THERE,
    "x if x.sum() == 8 and x.clone().add_(1).tolist() == [4, 6] else None": THERE,
    "torch.where(x > 3, x, 0).unique()": THERE,
}


@pytest.mark.parametrize("forbidden", [(), ("torch.autograd.grad",)])
def test_a_device_that_holds_numbers_and_mixes_with_no_other(box, forbidden):
    call = {"probe": "elsewhere", "args": {"x": np.array([3, 5])}, "grad": []}
    for text, due in ELSEWHERE.items():
        source = f"import torch\ndef made(x):\n    return {text}\n"
        run = box.run(source, "made", [call], filename="made.py", forbidden=forbidden)
        (case,) = run.cases
        if isinstance(due, str):
            assert due in case["error"]["message"], text
            continue
        value = case["values"]["output"]
        assert (value.tolist() if isinstance(value, np.ndarray) else value) == due, text


@pytest.mark.parametrize("place", ["", ", device=x.device"])
def test_a_module_is_made_and_called_on_a_device(box, place):
    source = f"""
import torch
from torch import nn
class Shift(nn.Module):
    def __init__(self, size, device=None):
        super().__init__()
        self.shift = nn.Parameter(torch.ones(size, device=device))
    def forward(self, x):
        return x + self.shift * torch.arange(3.0{place})
"""
    call = {
        "probe": "elsewhere",
        "init": {"size": 3, "device": None},
        "args": {"x": np.zeros((2, 3))},
        "dtype": "float32",
        "grad": [],
    }
    (case,) = box.run(source, "Shift", [call], filename="shift.py").cases
    if place:
        assert case["values"]["output"] == THERE
    else:
        assert "found at least two devices" in case["error"]["message"]


def test_buffers_are_those_after_one_call(box):
    source = """
import torch
from torch import nn
class Count(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.tensor(0))
        self.register_buffer("unsaved", torch.tensor(0), persistent=False)
        self.register_buffer("total", torch.zeros(2))
    def forward(self, x):
        if self.training:
            self.calls += 1
            self.total += x.detach()
        return 2 * x
"""
    call = {
        "probe": "module",
        "args": {"x": np.array([1.0, 2.0])},
        "init": {},
        "state": {"calls": np.array(6), "total": np.array([10.0, 20.0])},
        "grad": ["x"],
    }
    calls = [{**call, "training": training} for training in (True, False)]
    first, second = (
        case["values"] for case in box.run(source, "Count", calls, filename="count.py").cases
    )
    assert first["buffer.calls"] == 7
    assert first["buffer.total"].tolist() == [11, 22]
    assert second["buffer.calls"] == 6
    assert second["buffer.total"].tolist() == [10, 20]
    assert "buffer.unsaved" not in first


def test_what_a_call_adds_to_what_a_module_saves_is_seen(box):
    source = """
import torch
class Mask(torch.nn.Module):
    def forward(self, x):
        self.register_buffer("mask", torch.ones(len(x)), persistent={kept})
        return x * self.mask
"""
    call = {"probe": "module", "args": {"x": np.ones(2)}, "init": {}, "grad": []}
    for kept, saved in ((True, {"mask": [2]}), (False, {})):
        outcome = box.run(source.format(kept=kept), "Mask", [call], filename="mask.py")
        assert outcome.cases[0]["values"]["parameters"] == saved


OPTIMIZER = """
import torch
class Count(torch.optim.Optimizer):
    def __init__(self, params, lr=1.0):
        super().__init__(params, {"lr": lr})
    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    state = self.state[p]
                    state["n"] = state.get("n", 0) + 1
                    p.sub_(group["lr"] * state["n"] * p.grad)
"""
OPTIMIZER_CALL = {
    "probe": "optimizer",
    "args": {
        "parameters": [np.zeros(2), np.zeros(1)],
        "groups": [{}, {"lr": 10.0}],
        "gradients": [[np.ones(2), None], [np.ones(2), np.ones(1)], [None, np.ones(1)]],
        "rates": None,
        "reload": None,
    },
    "init": {"lr": 0.5},
    "grad": [],
}


def run_count(box, source, call):
    return box.run(source, "Count", [call], filename="count.py")


@pytest.mark.parametrize(
    ("more", "second"),
    [
        ({}, [0, -10, -30]),
        ({"reload": 2}, [0, -10, -30]),  # the state came along
        ({"rates": [1.0, 3.0, 4.0]}, [0, -3, -11]),
        ({"added": 2}, [0, 0, -10]),  # the last group: it has made one step less
        ({"added": 1, "reload": 2}, [0, -10, -30]),
    ],
)
def test_optimizers(box, more, second):
    call = {**OPTIMIZER_CALL, "args": {**OPTIMIZER_CALL["args"], **more}}
    values = run_count(box, OPTIMIZER, call).cases[0]["values"]
    assert [values[f"output[{step}][0]"].tolist() for step in range(3)] == [
        [-0.5, -0.5],
        [-1.5, -1.5],
        [-1.5, -1.5],
    ]
    assert [values[f"output[{step}][1]"].item() for step in range(3)] == second
    assert values["changed"] == []


def test_all_that_an_optimizer_keeps_is_named(box):
    call = {**OPTIMIZER_CALL, "args": {**OPTIMIZER_CALL["args"], "state": True, "added": 2}}
    values = run_count(box, OPTIMIZER, call).cases[0]["values"]
    assert [values[f"state[{index}].keys()"] for index in range(2)] == [["n"], ["n"]]
    assert [values[f"state[{index}].n"] for index in range(2)] == [2.0, 1.0]


def test_lists_that_are_written_to_are_seen(box):
    call = {"probe": "function", "args": {"xs": [np.ones(2), np.zeros(3)]}, "grad": []}
    for body, changed in (("return xs[0] + 1", []), ("return xs[1].add_(1)", ["xs"])):
        source = f"def count(xs):\n    {body}\n"
        outcome = box.run(source, "count", [call], filename="count.py")
        assert outcome.cases[0]["values"]["changed"] == changed


def test_optimizers_that_forget_are_told_apart(box):
    forgetful = OPTIMIZER.replace("self.state[p]", "self.__dict__.setdefault(p, {})")
    call = {**OPTIMIZER_CALL, "args": {**OPTIMIZER_CALL["args"], "reload": 2}}
    values = run_count(box, forgetful, call).cases[0]["values"]
    assert values["output[2][1]"].item() == -20
    greedy = OPTIMIZER.replace("p.sub_(", "p.grad.mul_(2); p.sub_(")
    assert run_count(box, greedy, OPTIMIZER_CALL).cases[0]["values"]["changed"] == ["grad"]
    other = "class Count:\n    def __init__(self, params, lr): ..."
    error = run_count(box, other, OPTIMIZER_CALL)
    assert error.cases[0]["error"]["message"] == (
        "the class must derive from torch.optim.Optimizer"
    )


def test_each_case_has_the_same_random_numbers(box):
    source = """
import random, numpy, torch
on_import = torch.rand(1).item()
def double(x):
    return [on_import, torch.rand(1).item(), numpy.random.rand(), random.random(), hash("a")]
"""
    first, second = (run(box, source, CALLS * 2).cases for _ in range(2))
    with Sandbox() as other:
        third = run(other, source).cases
    drawn = [case["values"]["output"] for case in [*first, *second, *third]]
    assert all(numbers == drawn[0] for numbers in drawn)


def test_how_another_ended_is_nowhere_to_be_found(box):
    first = run(box, "import os\nend = os._exit\nos._exit = lambda _: end(77)\n" + GOOD)
    assert right(first)
    source = """
import sys
def double(x):
    frame, names = sys._getframe(), []
    while frame:
        names += frame.f_locals
        assert not any(isinstance(v, dict) and "exit" in v for v in frame.f_locals.values())
        frame = frame.f_back
    assert "request" in names, "these are the server's frames"
    return 2 * x
"""
    assert right(second := run(box, source)), second


def test_what_aborts_is_told_as_that(box):
    """Also by the first process of a namespace, which no signal of its own ends."""
    died = run(box, "import os\ndef double(x):\n    os.abort()\n")
    assert (died.status, "aborted" in died.detail.lower()) == ("died", True), died.detail
    said = "terminate called after throwing an instance of 'std::bad_alloc'"
    died = run(box, f'import os\ndef double(x):\n    os.write(2, b"{said}")\n    os.abort()\n')
    assert (died.status, "memory" in died.detail) == ("memory", True), died.detail


def test_large_inputs_are_not_the_students_memory(box):
    call = {"probe": "function", "args": {"x": np.ones(8_000_000)}, "grad": []}
    outcome = run(
        box, "def double(x):\n    return x.sum()\n", [call], limits=replace(PATIENT, memory_mb=16)
    )
    assert outcome.status == "ok", outcome
    assert outcome.cases[0]["values"]["output"] == 8_000_000


def test_optimizers_and_checkpointing_work(box):
    source = (
        """
import sys, torch
from torch.utils.checkpoint import checkpoint
torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1).step()
w = torch.ones(1, requires_grad=True)
checkpoint(lambda a: 2 * a, w, use_reentrant=True).sum().backward()
"""
        + GOOD
    )
    assert right(run(box, source))
    assert right(run(box, source))


def test_what_all_submissions_need_is_there_before_the_fork():
    """And the server, whose memory moves after many of them, goes on as it was."""
    look = "import torch\nprint(torch.overrides._get_overridable_functions.cache_info().currsize)\n"
    with Sandbox(limits=PATIENT) as box:
        if box.tier == "rlimits":
            pytest.skip("without walls each submission loads torch itself")
        server = box._server
        for _ in range(40):  # the memory moves after 30
            outcome = run(box, look + GOOD)
            assert right(outcome)
            assert outcome.log == "1\n"
        assert box._server is server


def test_no_submission_makes_the_server_load_anything():
    """A module that takes a second to load is loaded where an exercise needs it, and never else."""
    look = "import sys\nprint(f'loaded: {\"torch._dynamo\" in sys.modules}')\n"
    with Sandbox(limits=PATIENT) as box:
        if box.tier == "rlimits":
            pytest.skip("without walls each submission loads torch itself")
        for text in ("import os, torch._dynamo\nos._exit(3)\n", "import os\nos._exit(3)\n"):
            run(box, text)
        assert "loaded: False" in run(box, look + GOOD).log
        assert "loaded: True" in run_count(box, look + OPTIMIZER, OPTIMIZER_CALL).log


def test_several_at_once():
    found = []

    def work():
        with Sandbox() as box:
            found.append(all(right(run(box, GOOD)) for _ in range(5)))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 2


# --------------------------------------------------------------------------------------- errors

ERRORS = {
    "syntax": (
        "x = 1\ndef double(x:\n    return\n",
        {"kind": "import", "type": "SyntaxError", "line": 2, "text": "def double(x:"},
    ),
    "import": (
        "\nimport nothing_of_that_name\n",
        {"kind": "import", "type": "ModuleNotFoundError", "line": 2},
    ),
    "exit_on_import": ("import sys\nsys.exit()\n", {"kind": "import", "type": "SystemExit"}),
    "not_text": ("x = '\x00'", {"kind": "import"}),  # SyntaxError or, before 3.11.4, ValueError
    "missing": (
        "def triple(x): ...",
        {"kind": "missing", "message": "the file does not define double"},
    ),
    "blank": (
        'def double(x):\n    """Twice."""\n    raise NotImplementedError\n',
        {"kind": "blank", "message": "double is not written yet", "line": 3},
    ),
    "blank_inside": (
        "def half(x):\n    raise NotImplementedError\ndef double(x):\n    return half(4 * x)\n",
        {"kind": "needs", "line": 2},
    ),
    "not_implemented_by_torch": (
        "import torch\ndef double(x):\n    return torch.Tensor.unknown(x)\n",
        {"kind": "exception", "type": "AttributeError", "line": 3},
    ),
    "signature": ("def double(y): ...", {"kind": "signature", "line": None}),
    "not_callable": (
        "double = 3",
        {"kind": "type", "message": "it is a int, not a function or class"},
    ),
    "exception": (
        "def double(x):\n    y = helper(x)\n    return y\n\ndef helper(x):\n    return x @ 'a'\n",
        {"kind": "exception", "type": "TypeError", "line": 6, "text": "return x @ 'a'"},
    ),
    "below_torch": (
        "import torch\ndef double(x):\n    return torch.nn.functional.linear(x, x[None, None])\n",
        {"kind": "exception", "type": "RuntimeError", "line": 3},
    ),
    "recursion": ("def double(x):\n    return double(x)\n", {"type": "RecursionError", "line": 2}),
    "result": ("def double(x):\n    return [object()]\n", {"kind": "type"}),
    "surrogate": ("def double(x):\n    return '\\ud800'\n", {"kind": "type"}),
    "unprintable": (
        "class E(Exception):\n    def __str__(self): raise E\ndef double(x):\n    raise E\n",
        {"kind": "exception", "type": "E", "message": "", "line": 4},
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(box, name):
    source, expected = ERRORS[name]
    outcome = run(box, source, CALLS * 2)
    assert outcome.status == "ok"
    assert len(outcome.cases) == 2
    for case in outcome.cases:
        assert case["error"].items() >= expected.items()


def test_source_that_is_not_unicode(box):
    assert right(run(box, "# \ud800\n" + GOOD))


def test_parameters_that_do_not_fit(box):
    source = "from torch import nn\nclass double(nn.Linear): ...\n"
    call = {
        "probe": "module",
        "args": {},
        "init": {"in_features": 2, "out_features": 3},
        "grad": [],
    }
    call["state"] = {"weight": np.zeros((3, 5))}
    error = run(box, source, [call]).cases[0]["error"]
    assert error["kind"] == "parameters"
    assert "weight has shape (3, 2), expected (3, 5)" in error["message"]
    assert "it has bias" in error["message"]


def test_a_failed_set_up_is_not_the_students(box):
    with pytest.raises(SandboxError, match="could not be set up"):
        run(box, GOOD, limits=Limits(threads="many"))
    assert right(run(box, GOOD))


def test_misuse():
    with pytest.raises(ValueError, match="tier is 'docker', expected one of bwrap"):
        Sandbox(tier="docker")
    box = Sandbox()
    box.close()
    with pytest.raises(SandboxError, match="closed"):
        run(box, GOOD)


def test_control_characters():
    assert clean("a\x1b[31mred\x1b[0m\x1b]b\x07\x9b1m\r\n\tc\u202ed\u2066é😀") == "aredb1m\n\tcdé😀"


# ---------------------------------------------------------------------------------------- tiers


ONE_AFTER_ANOTHER = """
import ctypes
def double(x):
    return bytearray(2**40) if x[0] == 10 else ctypes.string_at(0) if x[0] == 20 else 2 * x
"""


@pytest.mark.parametrize("tier", TIERS)
def test_tiers(tier):
    with opened(tier, limits=PATIENT) as box:
        assert tier == "bwrap" or box.missing
        outcome = run(box, "def double(x):\n    while True: pass\n", limits=Limits(seconds=0.3))
        assert (outcome.status, outcome.cases) == ("timeout", [])
        outcome = run(box, "import os\nprint('last words')\nos._exit(0)\n")
        assert (outcome.status, outcome.log) == ("died", "last words\n")
        calls = [{**CALLS[0], "args": {"x": np.array([x, -2.0, 3.0])}} for x in (1.0, 10.0, 20.0)]
        outcome = run(box, ONE_AFTER_ANOTHER, calls)
        assert np.array_equal(outcome.cases[0]["values"]["output"], [2, -4, 6])
        assert "1024 MB" in outcome.cases[1]["error"]["message"]
        assert outcome.detail == "it was killed by signal 11 (segmentation fault)"
        assert "double.py" in outcome.log  # where it crashed
        assert right(run(box, GOOD))


@pytest.mark.parametrize("tier", ["bwrap", "plain"])  # `static` sees the /proc of bubblewrap, too
def test_half_precision_works_on_an_older_processor(tier, monkeypatch):
    monkeypatch.setenv("ATEN_CPU_CAPABILITY", "default")  # torch then asks /proc what it is
    with opened(tier, limits=PATIENT) as box:
        assert right(run(box, "def double(x):\n    return 2 * x.float().half().double()\n"))


def test_without_bubblewrap_it_says_so(tmp_path, monkeypatch):
    require(lacking("plain"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with Sandbox() as box:
        assert box.tier == "plain"
        assert "without bubblewrap" in box.missing[0]
        assert right(run(box, GOOD))


def test_where_bubblewrap_fails_it_says_why(tmp_path, monkeypatch):
    require(lacking("plain"))
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with Sandbox() as box:
        assert box.tier == "plain"
        assert "uid map: Permission denied" in box.missing[0]
        assert right(run(box, GOOD))
    with pytest.raises(SandboxError, match="uid map"):
        run(Sandbox(tier="bwrap"), GOOD)


def test_without_landlock_it_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(walls, "DEVICES", ["/nonexistent"])  # Landlock has to open it
    monkeypatch.setenv("PATH", str(tmp_path))
    with Sandbox() as box:
        assert box.tier == "rlimits"
        said = " ".join(box.missing)
        assert "Landlock does not work here" in said
        assert "not a security boundary" in said


@pytest.mark.parametrize("tier", ["bwrap", "plain"])
def test_a_server_that_could_import_the_solutions_refuses(tier, monkeypatch, tmp_path):
    package = tmp_path / "solutions"
    package.mkdir()
    (package / "__init__.py").touch()
    for folder in (tmp_path, package):
        folder.chmod(0o755)
    paths = walls.import_paths()
    monkeypatch.setattr(walls, "import_paths", lambda: (*paths, tmp_path))
    monkeypatch.setattr(walls, "OURS", ())
    with pytest.raises(SandboxError, match="could import the solutions"):
        opened(tier)


def test_what_can_be_read_when_installed_among_other_packages(tmp_path, monkeypatch):
    site = tmp_path / "site-packages"
    worker = "grader/enclose/worker"
    for name in ("torch", worker, "grader/references", "solutions", "book", "aside"):
        (site / name).mkdir(parents=True)
    (site / "one.py").touch()
    (site / "link").symlink_to(site / "solutions")
    (site / "deeper").symlink_to(site / "grader" / "references")
    (site / "alias").symlink_to(site / "torch")
    monkeypatch.setattr(walls, "import_paths", lambda: (site,))
    monkeypatch.setattr(walls, "ROOT", site)
    monkeypatch.setattr(walls, "WORKER", site / "grader" / "enclose" / "worker")
    inside = {
        str(path.relative_to(site)) for path in walls.readable_paths() if site in path.parents
    }
    assert inside == {"torch", "aside", "one.py", worker}


# ------------------------------------------------------------------------------ each layer alone


def confined(*steps: str) -> list[str]:
    """Try what still works after these steps of confinement, in another process."""
    script = f"""
import os, socket, sys
sys.path.insert(0, {str(walls.WORKER)!r})
import confine
confine.prctl(confine.PR_SET_NO_NEW_PRIVS, 1)
{chr(10).join(steps)}
attempts = {{
    "read": lambda: open({str(ROOT / "pyproject.toml")!r}).close(),
    "list": lambda: os.listdir({str(ROOT)!r}),
    "write": lambda: os.open("/tmp", os.O_TMPFILE | os.O_WRONLY),
    "device": lambda: open("/dev/null", "w").close(),
    "system": lambda: open("/usr/bin/env", "rb").close(),
    "socket": lambda: socket.socket().close(),
    "fork": lambda: os.fork() or os._exit(0),
    "signal": lambda: os.kill(os.getppid(), 0),
}}
for name, attempt in attempts.items():
    try:
        attempt()
    except OSError:
        continue
    os.write(1, name.encode() + b" ")
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_landlock_alone():
    require(no_landlock())
    left = ["device", "system", "socket", "fork"] + ["signal"] * (landlock() < 6)
    assert confined("confine.landlock(['/usr'])") == left


def test_seccomp_alone():
    require(no_seccomp())
    assert confined("confine.seccomp()") == ["read", "list", "write", "device", "system"]


def test_without_a_layer_all_of_it_works():
    assert len(confined()) == 8


def test_bubblewrap_alone():
    require(lacking("static"))
    script = """
import os, socket
print(os.path.exists(ROOT + "/grader/enclose/worker/probes.py"), os.getpid())
for path in ("pyproject.toml", "solutions", "grader/references", "grader/exercises", "book"):
    print(os.path.exists(ROOT + "/" + path))
print(os.path.exists(HOME + "/.profile"), os.path.exists("/etc/passwd"))
for path in ("/x", ROOT + "/grader/enclose/worker/x", "/usr/x"):
    try: print(os.open(path, os.O_CREAT | os.O_WRONLY))
    except OSError: print(False)
try: print(socket.create_connection(("1.1.1.1", 53), 1))
except OSError as error: print(error.strerror)
"""
    script = f"ROOT, HOME = {str(ROOT)!r}, {str(Path.home())!r}\n{script}"
    python = [os.path.realpath(sys.executable), "-S", "-c", script]
    command = [*walls.bubblewrap_command(), *python]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n") == [
        "True 1",
        *["False"] * 5,
        "False False",
        *["False"] * 3,
        "Network is unreachable",
        "",
    ]


# --------------------------------------------------------------------------- nothing left behind


def test_close_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    descriptors, before = len(os.listdir("/proc/self/fd")), alive(os.getpid())

    def new():
        return {pid: commands(pid) for pid in alive(os.getpid()) if pid not in before}

    for tier in TIERS:
        if not lacking(tier):
            with Sandbox(tier=tier) as box:
                assert right(run(box, GOOD))
                assert new()
    for milliseconds in range(20):
        with Sandbox():
            time.sleep(milliseconds / 1000)  # closed while it starts
    assert wait_until(lambda: not new()), new()
    assert len(os.listdir("/proc/self/fd")) == descriptors
    assert os.listdir(tmp_path) == []


def test_a_killed_server_is_replaced():
    with Sandbox() as box:
        tier = box.tier
        first = family(box._server.process.pid)
        for pid in first:  # the server too, where what was started is bubblewrap
            os.kill(pid, signal.SIGKILL)
        assert right(run(box, GOOD))
        assert not set(first) & set(family(box._server.process.pid))
        assert box.tier == tier


def test_a_server_killed_during_a_run_is_replaced():
    with Sandbox(limits=Limits(seconds=20)) as box:
        box.tier  # noqa: B018 - waits for the server
        server = family(box._server.process.pid)[-1]
        threading.Timer(0.3, os.kill, [server, signal.SIGKILL]).start()
        assert right(run(box, "import time\ntime.sleep(0.6)\n" + GOOD))
        assert server not in family(box._server.process.pid)


def test_a_forked_copy_refuses(box):
    child = os.fork()
    if child == 0:
        try:
            run(box, GOOD)
        except SandboxError:
            os._exit(7)
        os._exit(0)
    assert os.WEXITSTATUS(os.waitpid(child, 0)[1]) == 7
    assert right(run(box, GOOD))


GRADER = """
import signal, sys
from threading import Timer
import numpy as np
from grader.enclose.sandbox import Limits, Sandbox, SandboxError
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
calls = [{"probe": "function", "args": {"x": np.ones(2)}, "grad": ["x"]}]
def run(box, source):
    return box.run(source, "double", calls, filename="double.py", limits=Limits(seconds=60))
with Sandbox(tier=sys.argv[1]) as box:
    try:
        run(box, "def double(x): return 2 * x")
    except SandboxError as error:
        sys.exit(error)
    endless = "def double(x):\\n    while True: pass"
    try:  # whenever the signal comes after "busy", it comes in here
        Timer(0.5, print, ["busy"], {"flush": True}).start()
        run(box, endless)
    except KeyboardInterrupt:
        print("interrupted", run(box, "def double(x): return 2 * x").status, flush=True)
    run(box, endless)
"""


@pytest.fixture
def grader(request):
    """A grader in a process group of its own, in the middle of an endless submission."""
    require(lacking(request.param))
    command = [sys.executable, "-c", GRADER, request.param]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(command, **pipes, start_new_session=True) as process:
        said = process.stdout.readline().decode()
        assert said == "busy\n", said + process.stdout.read().decode()
        assert wait_until(lambda: len(alive(process.pid)) >= 2)  # the server and the submission
        yield process
        process.kill()


@pytest.mark.parametrize("grader", TIERS, indirect=True)
def test_a_grader_goes_on_after_control_c_and_leaves_nothing_when_killed(grader):
    first = set(alive(grader.pid))
    os.killpg(grader.pid, signal.SIGINT)
    said = grader.stdout.readline()
    if said != b"interrupted ok\n":
        grader.terminate()
        pytest.fail((said + grader.stdout.read()).decode())  # all of a traceback
    assert wait_until(lambda: len(alive(grader.pid)) >= 2)  # another server, busy again
    assert not first & set(alive(grader.pid))
    grader.kill()
    grader.wait()
    assert wait_until(lambda: not alive(grader.pid)), alive(grader.pid)


# -------------------------------------------------------------------------------- ordinary users


@pytest.mark.root
def test_as_an_ordinary_user(nobody):
    """Root runs the tests of reach and of the tiers that are sandboxes once more as nobody."""
    require(lacking("plain"))
    chosen = "(test_hostile and plain) or (test_tiers and not rlimits) or bubblewrap_alone"
    command = [*nobody, sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q"]
    command += [str(Path(__file__).with_name("test_hostile.py")), __file__]
    command += ["-k", chosen, "-o", "addopts="]
    environment = {**os.environ, "HOME": "/nonexistent", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout


# Cancelling


def test_a_run_can_be_cancelled_and_the_server_runs_the_next_one(box):
    right(run(box, GOOD))
    server = box._server.process.pid
    for wait in (0.0, 0.5):
        timer = threading.Thread(target=lambda wait=wait: cancel_soon(box, wait))
        timer.start()
        begun = time.monotonic()
        with pytest.raises(Cancelled):
            run(box, "def double(x):\n    while True: pass\n")
        timer.join()
        assert time.monotonic() - begun < PATIENT.seconds / 2
        assert right(run(box, GOOD))
    assert box._server.process.pid == server


def cancel_soon(box: Sandbox, wait: float) -> None:
    """Cancel again and again until the run that goes on has ended."""
    time.sleep(wait)
    for _ in range(10_000):
        if box._server.asked:
            break
        time.sleep(0.001)
    while box._server.asked:
        box.cancel()
        time.sleep(0.01)


def test_a_cancel_that_comes_late_ends_nothing(box):
    box.cancel()  # nothing runs
    server = box._server
    for _ in range(3):
        server.sock.send(b"\n")  # as if the answer had crossed it
        assert right(run(box, GOOD))
    assert box._server is server
