"""Limits of a submission: what it cannot reach, take or leave; test_table.py has the scores.

Judged as the grader judges: by numbers, compared here, outside of the submission's process.
"""

import os
import secrets
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest
from tiers import opened

from grader.enclose.sandbox import Limits, Sandbox
from grader.judge import compare

pytestmark = pytest.mark.linux
ROOT = Path(__file__).parents[2]
TIERS = ("bwrap", "plain")  # all walls, and the fewest with which it is still a boundary
GOOD = "def double(x):\n    return 2 * x\n"
INPUTS = [np.array([1.0, -2.0, 3.0]), np.array([[5.0], [-7.0]]), np.array([11.0])]
CALLS = [{"probe": "function", "args": {"x": x}, "grad": ["x"]} for x in INPUTS]
LIMITS = Limits(seconds=60, memory_mb=256)


@pytest.fixture(scope="module", params=TIERS)
def box(request):
    with opened(request.param, limits=LIMITS) as box:
        yield box


def points(outcome) -> int:
    """Cases whose output and gradient are right: the least that any grader compares."""
    score = 0
    for case, x in zip(outcome.cases, INPUTS, strict=False):
        found = case.get("values", {})
        weights = np.cos(np.arange(1, x.size + 1)).reshape(x.shape)
        right = {"output": 2 * x, "grad.x": 2 * weights}
        score += all(
            isinstance(found.get(name), np.ndarray)
            and found[name].shape == value.shape
            and np.allclose(found[name], value)
            for name, value in right.items()
        )
    return score


def family(pid: int) -> set[int]:
    """A process and all that descend from it."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return {pid}.union(*(family(int(child)) for child in children))


def attack(box: Sandbox, source: str, **limits):
    """Run it; then the server must be the same and alone, and the next answer right."""
    before = box._server.process.pid, family(os.getpid()), len(os.listdir("/proc/self/fd"))
    outcome = box.run(
        source, "double", CALLS, filename="double.py", limits=Limits(**{**vars(LIMITS), **limits})
    )
    after = box._server.process.pid, family(os.getpid()), len(os.listdir("/proc/self/fd"))
    assert after == before
    assert points(box.run(GOOD, "double", CALLS, filename="double.py")) == 3
    return outcome


# ---------------------------------------------------------------------------- taking too much


def test_threads_are_limited(box):
    source = """
import threading, time
threading.stack_size(2**16)
started = 0
def double(x):
    global started
    try:
        for started in range(5000):
            threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
    except RuntimeError:
        print("threads", started)
    return 2 * x
"""
    outcome = attack(box, source, seconds=10)
    if "root" in " ".join(box.missing):
        pytest.skip("threads of root are not limited (a Python outside of /root)")
    assert outcome.log.startswith("threads")


def test_prints_of_100_mb(box):
    source = """
import sys
def double(x):
    for _ in range(50):
        sys.stdout.write("y" * 1_000_000)
    return 2 * x
"""
    outcome = attack(box, source)
    assert (outcome.status, points(outcome)) == ("ok", 3)
    assert len(outcome.log) < 66_000
    assert "[cut: 300,000,000 bytes were printed, the first 65,536 are shown]" in outcome.log


def test_large_results(box):
    source = "import torch\ndef double(x):\n    return torch.zeros(10**6, dtype=torch.float64)\n"
    outcome = attack(box, source, result_bytes=2**20)
    assert {case["error"]["message"] for case in outcome.cases} == {
        "what it returned is larger than 1048576 bytes"
    }


def test_message_of_100_mb(box):
    outcome = attack(box, "def double(x):\n    raise ValueError('y' * 10**8)\n")
    assert [len(case["error"]["message"]) for case in outcome.cases] == [2000] * 3


def test_control_characters_are_stripped(box):
    source = """
def double(x):
    print("\\x1b[2J\\x1b[31mred\\x1b]0;title\\x07 \\u202eback\\x00\\r\\n")
    raise ValueError("\\x1b[1mbold\\x08\\u2066")
"""
    outcome = attack(box, source)
    assert outcome.log == "red0;title back\n\n" * 3
    assert outcome.cases[0]["error"]["message"] == "bold"


# -------------------------------------------------------------------- reaching out of the process


def tries(*lines: str) -> str:
    """A submission that tries each line and prints those that went through."""
    source = "import ctypes, os, resource, signal, socket, subprocess, sys, threading\n"
    source += "from pathlib import Path\nlibc = ctypes.CDLL(None, use_errno=True)\n"
    source += "def call(*a):\n    assert libc.syscall(*a) >= 0\n"
    for line in lines:
        source += f"try:\n    {line}\n    print('DONE', {line!r})\nexcept BaseException: pass\n"
    return source + GOOD


def reached(box: Sandbox, *lines: str) -> str:
    outcome = attack(box, tries(*lines))
    assert (outcome.status, points(outcome)) == ("ok", 3), outcome
    return outcome.log


def test_processes(box):
    assert not reached(
        box,
        "os.fork()",
        "os.forkpty()",
        "os.posix_spawn('/bin/sh', ['sh', '-c', 'true'], {})",
        "os.execv('/bin/sh', ['sh', '-c', 'true'])",
        "subprocess.run(['true'])",
        "assert os.system('true') == 0",
        "__import__('multiprocessing').get_context('fork').Process(target=print).start()",
        "call(57)",  # fork
        "call(58)",  # vfork
        "call(56, 17, 0, 0, 0, 0)",  # clone
        "call(435, bytes(64), 64)",  # clone3
        "call(0x40000000 + 57)",  # fork of the x32 tables
    )


def test_signals(box):
    assert not reached(
        box,
        "os.kill(os.getppid(), signal.SIGKILL)",
        "os.kill(1, signal.SIGKILL)",
        "os.kill(-1, signal.SIGKILL)",
        "os.killpg(0, signal.SIGKILL)",
        f"os.kill({os.getpid()}, signal.SIGUSR1)",
        f"os.kill({box._server.process.pid}, signal.SIGKILL)",
        f"call(62, {os.getpid()}, 10)",  # kill
        f"call(200, {os.getpid()}, 10)",  # tkill
        f"call(234, {os.getpid()}, {os.getpid()}, 10)",  # tgkill
        f"call(434, {os.getpid()}, 0)",  # pidfd_open
        f"__import__('fcntl').fcntl(1, 8, {os.getpid()})",  # F_SETOWN: SIGIO to another
        f"resource.prlimit({os.getpid()}, resource.RLIMIT_NOFILE)",
        f"os.setpriority(os.PRIO_PROCESS, {os.getpid()}, 19)",
        f"os.sched_setaffinity({os.getpid()}, [0])",
    )


def test_network(box):
    assert not reached(
        box,
        "socket.socket()",
        "socket.socket(socket.AF_UNIX)",
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
        "socket.socketpair()",
        "socket.create_connection(('1.1.1.1', 53), 1)",
        "__import__('urllib.request').request.urlopen('http://example.org', timeout=1)",
    )


def test_kernel(box):
    assert not reached(
        box,
        f"call(101, 16, {os.getpid()}, 0, 0)",  # ptrace
        f"call(310, {os.getpid()}, 0, 0, 0, 0, 0)",  # process_vm_readv
        "call(272, 0x10000000)",  # unshare
        "call(165, b'none', b'/tmp', b'tmpfs', 0, 0)",  # mount
        "call(155, b'/tmp', b'/tmp')",  # pivot_root
        "call(161, b'/usr')",  # chroot
        "call(321, 0, 0, 0)",  # bpf
        "call(425, 1, bytes(200))",  # io_uring_setup
        "call(250, 0, 0)",  # keyctl
        "call(29, 0, 4096, 0o1600)",  # shmget
        "os.memfd_create('x')",
        "os.setuid(0)",
        "os.setresuid(0, 0, 0)",
        "os.mknod('/tmp/x')",
    )


def test_limits_cannot_be_raised(box):
    assert not reached(
        box,
        "resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)",
        "resource.setrlimit(resource.RLIMIT_NPROC, (10**6,) * 2)",
        "resource.setrlimit(resource.RLIMIT_CPU, (10**6,) * 2)",
    )


def secret_files() -> list[str]:
    """One file of each kind that a submission would like to read."""
    ours = [
        "solutions/__init__.py",
        "grader/enclose/sandbox.py",
        "grader/author/exercise.py",
        "grader/exercises/linear/softmax.py",
        "pyproject.toml",
        "tests/grader/test_hostile.py",
        ".git/HEAD",
    ]
    ours += [str(path.relative_to(ROOT)) for path in ROOT.glob("grader/references/*/*")][:1]
    ours += [str(path.relative_to(ROOT)) for path in ROOT.glob("book/*.md")][:1]
    there = [str(ROOT / path) for path in ours if (ROOT / path).exists()]
    assert len(there) >= 5
    return [*there, "/etc/passwd", "/etc/hostname", "/proc/1/environ", "/proc/self/status"]


def test_reading(box, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("hidden")
    home = Path.home()
    assert not reached(
        box,
        *(f"open({path!r}).read()" for path in [str(secret), *secret_files()]),
        *(f"os.open({path!r}, os.O_RDONLY)" for path in secret_files()),
        f"os.listdir({str(ROOT)!r})",
        f"os.listdir({str(ROOT / 'solutions')!r})",
        f"os.listdir({str(home)!r})",
        "os.listdir('/tmp')",
        f"sys.path.insert(0, {str(ROOT)!r}); import solutions.linear",
        f"sys.path.insert(0, {str(ROOT)!r}); import grader.exercises",
        "import solutions.self_attention",
        "import grader.enclose.sandbox",
        "import book.figures",
    )


def test_writing(box):
    mark = f"hostile-{secrets.token_hex(8)}"
    site = Path(np.__file__).parents[1]
    places = ["/tmp", "/dev/shm", "/var/tmp", str(Path.home()), str(ROOT), str(site), "/"]
    places += [str(ROOT / "grader" / "enclose" / "worker"), str(site / "numpy")]
    victim = ROOT / "pyproject.toml"
    before = victim.read_bytes(), victim.stat().st_mode, victim.stat().st_mtime_ns
    assert not reached(
        box,
        *(f"open({f'{place}/{mark}'!r}, 'w')" for place in places),
        *(f"os.mkdir({f'{place}/{mark}'!r})" for place in places),
        *(f"os.symlink('/', {f'{place}/{mark}'!r})" for place in places),
        f"open({str(victim)!r}, 'a').write('x')",
        f"os.chmod({str(victim)!r}, 0)",
        f"os.utime({str(victim)!r})",
        f"os.truncate({str(victim)!r}, 0)",
        f"os.unlink({str(victim)!r})",
        f"os.rename({str(victim)!r}, '/tmp/{mark}')",
        f"open({str(site / 'numpy' / '__init__.py')!r}, 'r+')",
        f"open({str(ROOT / 'grader' / 'worker' / 'probes.py')!r}, 'r+')",
    )
    assert (victim.read_bytes(), victim.stat().st_mode, victim.stat().st_mtime_ns) == before
    assert not [place for place in places if os.path.lexists(f"{place}/{mark}")]


def test_the_attempts_would_work():
    """Where the report says that nothing protects, these very lines do go through."""
    mark = Path(tempfile.gettempdir()) / f"hostile-{secrets.token_hex(8)}"
    lines = [
        f"assert open({str(ROOT / 'solutions' / '__init__.py')!r}).read() is not None",
        f"sys.path.insert(0, {str(ROOT)!r}); import grader.exercises",
        f"open({str(mark)!r}, 'w')",
        f"os.unlink({str(mark)!r})",
        "socket.socket()",
        "subprocess.run(['true'])",
        "os.kill(os.getppid(), 0)",
        "os.memfd_create('x')",
    ]
    with Sandbox(tier="rlimits", limits=LIMITS) as box:
        assert "not a security boundary" in " ".join(box.missing)
        assert reached(box, *lines).count("DONE") == len(lines)


def test_daemon_is_found_without_namespaces(tmp_path):
    """Where it can be started, a daemon is killed all the same."""
    beat = tmp_path / "beat"
    source = f"""
import os, time
def double(x):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            while True:
                open({str(beat)!r}, "a").write("x")
                time.sleep(0.01)
        os._exit(0)
    while not os.path.exists({str(beat)!r}): time.sleep(0.01)
    return 2 * x
"""
    tmp_path.chmod(0o777)
    with Sandbox(tier="rlimits", limits=LIMITS) as box:
        assert points(attack(box, source)) == 3
    size = beat.stat().st_size
    time.sleep(0.2)
    assert beat.stat().st_size == size > 0


def test_descriptors(box):
    """Open in the child: its empty input, the log twice, the region. No socket, no task."""
    source = """
import os
for fd in range(1000):
    try: print(fd, oct(os.fstat(fd).st_mode >> 12))
    except OSError: pass
"""
    kinds = [line.split()[1] for line in attack(box, source + GOOD).log.splitlines()]
    assert kinds == ["0o2", "0o1", "0o1", "0o10"]  # character device, pipes, file


def test_nothing_stays_in_the_server(box):
    source = """
import builtins, sys, torch
builtins.len = torch.Tensor.__mul__ = torch.Tensor.__rmul__ = lambda *a: 1 / 0
frame = sys._getframe()
while "probes" not in frame.f_globals:
    frame = frame.f_back
frame.f_globals["probes"].PROBES.clear()
torch.set_default_dtype(torch.float16)
torch.set_grad_enabled(False)
"""
    assert points(attack(box, source + GOOD)) == 0


def test_what_a_submission_counts_of_itself_it_can_rewrite(box):
    """Told in the guide for instructors: counts are taken, and lie, where its code runs. A thread
    that takes little time meanwhile is not seen.
    """
    source = """
import os, re, threading, time, torch
def rewrite():
    while True:
        for fd in range(3, 16):
            try: data = os.pread(fd, 2**16, 0)
            except OSError: continue
            for found in re.finditer(rb"cost\\.largest\\W+([0-9]+)", data):
                os.pwrite(fd, b"1".rjust(len(found[1])), found.start(1))
        time.sleep(0.05)
threading.Thread(target=rewrite, daemon=True).start()
def double(x):
    torch.zeros(5000)
    if x.numel() == 1: time.sleep(0.2)  # the last case
    return 2 * x
"""
    counted = [{**call, "counted": True} for call in CALLS]
    found = {}
    for text in (source.replace(".start()", ""), source):
        outcome = box.run(text, "double", counted, filename="double.py", limits=LIMITS)
        found[text] = [case["values"]["cost.largest"] for case in outcome.cases]
    honest, rewritten = found.values()
    assert honest == [5000] * 3
    assert rewritten[:2] == [1, 1]


# Ways to hold a table of 100 × 100 numbers where only those that operators return are counted.
TABLES = {
    "a result written into an empty tensor": "torch.matmul(x, x.T, out=torch.empty(0).double())",
    "memory that grows": "torch.empty(0).resize_(100, 100).zero_()",
    "memory that grows without an operator": """torch.empty(0)
    table.untyped_storage().resize_(40_000)
    table.as_strided((100, 100), (100, 1)).zero_()""",
    "a sparse one": "torch.sparse.mm(x.to_sparse(), x.T.contiguous().to_sparse())",
    "a list": "torch.tensor([[0.0] * 100] * 100) + 0",
}
PRODUCTS = {
    "row by row": "torch.stack([y.mv(row) for row in y])",
    "number by number": "torch.stack([row.dot(other) for row in y for other in y])",
}


# Ways past the count, which is on in the first of all calls.
PAST = {
    "no dispatch": "with torch._C._DisableTorchDispatch(): x @ x.T",
    "no dispatch, under another name": """from torch.utils._mode_utils import no_dispatch
    with no_dispatch(): x @ x.T""",
    "an excluded key": """C = torch._C
    key = C.DispatchKeySet(C.DispatchKey.Python)
    with C._ExcludeDispatchKeyGuard(key): x @ x.T""",
    "an excluded key, without a guard": """C = torch._C
    C._dispatch_tls_set_dispatch_key_excluded(C.DispatchKey.Python, True)
    x @ x.T
    C._dispatch_tls_set_dispatch_key_excluded(C.DispatchKey.Python, False)""",
    "the mode taken off": """if torch._C._len_torch_dispatch_stack():
        mode = torch._C._pop_torch_dispatch_stack(None)
        x @ x.T
        torch._C._push_on_torch_dispatch_stack(mode)""",
    "the mode's own count": """x @ x.T
    if torch._C._len_torch_dispatch_stack():
        torch._C._get_dispatch_stack_at(0).largest = 300""",
    "no methods seen": """with torch._C.DisableTorchFunction(): y = x.numpy()
    y @ y.T""",
    "a method of what a tensor is": "y = torch._C.TensorBase.numpy(x); y @ y.T",
}


def counted_case(box, text: str, x) -> dict:
    call = {"probe": "function", "args": {"x": x}, "grad": [], "counted": True}
    source = f"import numpy as np, torch\ndef double(x):\n    {text}\n"
    source += "    return 2 * x if isinstance(x, torch.Tensor) else 2\n"
    return box.run(source, "double", [call], filename="double.py", limits=LIMITS).cases[0]


def counted(box, text: str) -> dict:
    return counted_case(box, text, np.ones((100, 3)))["values"]


@pytest.mark.parametrize("text", PAST.values(), ids=PAST)
def test_nothing_computes_past_the_count(box, text):
    case = counted_case(box, text, np.ones((100, 3)))
    assert "error" in case or compare.costs({"largest": 300}, case["values"])
    assert counted(box, "pass")["cost.largest"] == 300  # and the next one is counted as before


FREE = """
    class Free(torch.Tensor):
        def numel(self): return 0
        def as_subclass(self, kind): return self
        {}
    tokens = torch.ones(2, 3, dtype=int)
    {}"""
FED = {  # the first two count, and the others are no tensor
    "its own number": FREE.format("", "x(tokens.as_subclass(Free))"),
    "functions of its own": FREE.format(
        "@classmethod\n        def __torch_function__(cls, *_): raise ValueError",
        "x(tokens.as_subclass(Free))",
    ),
    "operators of its own": FREE.format(
        "@classmethod\n        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):\n"
        "            return tokens[:, -1]",
        "x(torch.Tensor._make_wrapper_subclass(Free, (2, 0), dtype=tokens.dtype))",
    ),
    "what looks like one": """class Free:
        def numel(self): return 0
        def __getitem__(self, _): return torch.ones(2, dtype=int)
    x(Free())""",
}


@pytest.mark.parametrize(("name", "text"), FED.items(), ids=FED)
def test_positions_are_counted_whatever_holds_them(box, name, text):
    case = counted_case(box, text, {"$made": ["last token", {"log_probs": np.ones((5, 5))}]})
    if name in [*FED][:2]:
        assert case["values"]["cost.positions"] == 6
    else:
        assert case["error"]["type"] in ("TypeError", "AttributeError")


# Ways to run lines that a trace does not see, or does not count.
UNTRACED = {
    "switched off": """trace = sys.gettrace()
    sys.settrace(None)
    slow(x)
    sys.settrace(trace)""",
    "its own count": """if sys.gettrace(): sys.gettrace().left = 10**9
    slow(x)""",
    "off in a frame": """frame = sys._getframe()
    trace, frame.f_trace = frame.f_trace, None
    for _ in range(100_000): pass
    frame.f_trace = trace""",
    "a frame without lines": """frame = sys._getframe()
    frame.f_trace_lines = False
    for _ in range(100_000): pass
    frame.f_trace_lines = True""",
    "inside of a profile": """done = []
    sys.setprofile(lambda *_: None if done else done.append(slow(x)))
    len(done)
    sys.setprofile(None)
    if not done: slow(x)""",
    "a file of torch": """code = slow.__code__.replace(co_filename=torch.__file__)
    types.FunctionType(code, {**globals()})(x)""",
    "names and a file of torch": """code = slow.__code__.replace(co_filename=torch.__file__)
    types.FunctionType(code, vars(torch))(x)""",
}


@pytest.mark.parametrize("text", ["return 2 * x", *UNTRACED.values()], ids=["none", *UNTRACED])
def test_lines_are_counted_however_they_run(box, text):
    source = f"""
import sys, torch, types
def slow(x):
    left = 100_000
    while left: left -= 1
def double(x):
    {text}
    return 2 * x
"""
    calls = [{**call, "budget": 1000} for call in CALLS]
    outcome = box.run(source, "double", calls, filename="double.py", limits=LIMITS)
    assert ["values" in case for case in outcome.cases] == [text not in UNTRACED.values()] * 3


@pytest.mark.parametrize("text", TABLES.values(), ids=TABLES)
def test_a_table_is_counted_however_it_is_made(box, text):
    assert counted(box, "pass")["cost.largest"] == 300
    assert counted(box, f"table = {text}")["cost.largest"] == 10_000


@pytest.mark.parametrize("text", PRODUCTS.values(), ids=PRODUCTS)
def test_products_of_vectors_are_counted(box, text):
    assert counted(box, f"y = x[:10]; {text}")["cost.multiply_adds"] == 10 * 10 * 3


@pytest.mark.parametrize(
    "text",
    [
        "x.numpy() @ x.numpy().T",
        "np.asarray(x)",
        "np.from_dlpack(x)",
        "np.exp(x)",
        "np.array(x.tolist())",
        "torch.utils.dlpack.to_dlpack(x)",
        "torch._C._to_dlpack(x)",
        """
    class Own(torch.Tensor):
        def numel(self): return 0
    x.as_subclass(Own).numpy()""",
    ],
)
def test_what_numpy_does_earns_no_case_that_counts(box, text):
    most = {"largest": 1000}
    assert not compare.costs(most, counted(box, "x @ x.T[:, :3]"))
    assert [found.where for found in compare.costs(most, counted(box, text))] == ["departed"]
    assert not compare.costs({"calls": 1}, counted(box, text))
