"""Runs a student's code on the cases of an exercise and writes down what it returns.

This is the confined process. Nothing that it says of itself is believed: the grader compares
the numbers, and that happens elsewhere.
"""

from __future__ import annotations

import ast
import difflib
import errno
import linecache
import logging
import marshal
import mmap
import os
import random
import signal
import sys
import tempfile
import traceback
import types
import warnings
from functools import partial

import absent
import decoy
import numpy as np
import probes
import torch
import wire

LONGEST = 2000  # characters of an error message
LATE = "timeout"  # kind of the error in a case that was stopped
SPARE = 32 * 2**20  # bytes kept free, to report with when memory has run out
WORKER = (
    "absent",
    "away",
    "child",
    "confine",
    "cost",
    "decoy",
    "entry",
    "execution",
    "fixtures",
    "probes",
    "server",
    "wire",
)
OWN: set[str] = set()  # names of modules that were loaded from sources
NEEDED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
tempfile.tempdir = "/tmp"  # libraries ask for its name on import; nothing is writable
logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)  # it warns of just that


def prepare(task: dict) -> None:
    """Prepare for a student's code: take away what it may not use, and leave no module
    of this folder to be found under its name.
    """
    absent.prepare()
    decoy.arrange(task["calls"])
    counted = any(call.get("counted") for call in task["calls"])
    elsewhere = any(call["probe"] == "elsewhere" for call in task["calls"])
    absent.take_away(task["forbidden"], counted=counted, elsewhere=elsewhere)
    budget = any(call.get("budget") is not None for call in task["calls"])
    if counted or budget:
        probes.note_threads()
    if budget:
        if not probes.KNOWN:  # there is no server that has noted them
            probes.note_codes()
        absent.guard_trace()
    probes.WATCH.asked = bool(task["forbidden"])
    warnings.formatwarning = partial(_warned, task["filename"])
    for name in WORKER:
        sys.modules.pop(name, None)
    sys.modules["__main__"] = types.ModuleType("__main__")
    for name, code in task["modules"].items():
        provide(name, code, task["filename"])


class Given(types.ModuleType):
    """A module of the package `course`, as far as a chapter builds on it."""

    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        said = f"{self.__file__} gets no {self.__name__.partition('.')[2]}.{name} from the course"
        raise ImportError(f"{said}: write it there, or copy yours")


def provide(name: str, code: np.ndarray, filename: str) -> None:
    """Make a module that the code may import, of its marshaled code."""
    package, _, inner = name.partition(".")
    sys.modules.setdefault(package, types.ModuleType(package)).__path__ = []
    module = sys.modules[name] = Given(name)
    module.__file__ = os.path.basename(filename)
    exec(marshal.loads(code), module.__dict__)
    setattr(sys.modules[package], inner, module)


def _warned(own: str, message, category, filename, lineno, line=None) -> str:
    """A warning, with the place where it arose if that is in the student's own file."""
    where = f"{own}:{lineno}: " if filename == own else ""
    return f"{where}{category.__name__}: {message}\n"


def check(task: dict, region: Region) -> None:
    """Run every call on every source; the region gets one document per call, in order."""
    for source in task["sources"]:
        run(source, task, region)


def run(source: str, task: dict, region: Region) -> None:
    """Load the code, and run every call."""
    emit = region.emit
    try:
        symbol = load(source, task)
        region.loaded()
    except BaseException as error:
        failure = {"error": explain(error, task, "import"), "called": []}
        for _ in task["calls"]:
            emit(failure)
        return
    late = None
    for call in task["calls"]:
        if late:
            emit(late)
            continue
        spare = None
        try:
            spare = mmap.mmap(-1, SPARE)
            reseed()
            probes.WATCH.called.clear()
            with CLOCK:
                values = probes.PROBES[call["probe"]](symbol, call)
            document: dict = {"values": values}
        except BaseException as error:  # SystemExit and KeyboardInterrupt are the student's too
            if spare is not None:  # else memory was short before the call
                spare.close()
            kinds = [kind.__name__ for kind in type(error).__mro__]
            document = {"error": explain(error, task, "exception"), "kinds": kinds}
        else:
            assert spare is not None  # made before the call
            spare.close()
        document = {"called": probes.WATCH.names(), **document}
        failed: dict = document.get("error", {})
        late = document if failed.get("kind") == LATE else None
        emit(document)


def load(source: str, task: dict):
    """Run the source as a module; the symbol in it."""
    filename = task["filename"]
    linecache.cache[filename] = (len(source), None, source.split("\n"), filename)
    module = types.ModuleType(os.path.splitext(os.path.basename(filename))[0])
    module.__file__ = filename
    if module.__name__ not in sys.modules or module.__name__ in OWN:
        sys.modules[module.__name__] = module  # dataclasses look their module up
        OWN.add(module.__name__)
    sys.argv = [filename]  # ours would be no command line that a student's parser knows
    reseed()
    execute(source, filename, module.__dict__, task["code"])
    if task["symbol"] not in module.__dict__:
        near = difflib.get_close_matches(task["symbol"], list(module.__dict__), n=1)
        guess = f", but {near[0]}" if near else ""
        raise probes.Refusal("missing", f"the file does not define {task['symbol']}{guess}")
    return module.__dict__[task["symbol"]]


def execute(source: str, filename: str, names: dict, code: np.ndarray | None) -> None:
    """Run a module, of which the code may be known. What stands at its top may compare with what
    the exercise refuses: such a statement ends there, and so may others behind it; definitions and
    imports may not.
    """
    try:
        exec(compile(source, filename, "exec") if code is None else marshal.loads(code), names)
        return
    except Exception as error:
        if not _refused(error):
            raise
        lines = [at for frame, at in traceback.walk_tb(error.__traceback__) if _top(frame, names)]
        refused = error
    if not lines:
        raise refused
    for node in ast.parse(source, filename).body:
        if node.lineno <= lines[-1]:
            if (node.end_lineno or 0) >= lines[-1] and isinstance(node, NEEDED):
                raise refused
            continue
        try:
            exec(compile(ast.Module([node], []), filename, "exec"), names)
        except Exception:
            if isinstance(node, NEEDED):
                raise


def _refused(error: BaseException) -> bool:
    """Did it call what is gone?"""
    engine = type(error) is TypeError and str(error) in absent.NO_ENGINE
    return engine or isinstance(error, probes.Refusal)


def _top(frame: types.FrameType, names: dict) -> bool:
    return frame.f_locals is names


def reseed() -> None:
    """Every case sees the same random numbers, whatever ran before it."""
    torch.default_generator.manual_seed(0)  # torch.manual_seed also asks for devices, and is slow
    np.random.seed(0)
    random.seed(0)


def explain(error: BaseException, task: dict, kind: str) -> dict:
    """An exception as plain values: what it is, and the last line of the student's file in it."""
    try:
        message = str(error)[:LONGEST]
    except BaseException:
        message = ""
    frames = [(frame.f_code, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    inside = [place for place in frames if place[0].co_filename == task["filename"]]
    code, line = inside[-1] if inside else (None, None)
    if isinstance(error, SyntaxError) and error.filename == task["filename"]:
        line, message = error.lineno, error.msg
    if message in absent.NO_ENGINE:
        engine = any(map(absent.AUTOGRAD.match, task["forbidden"]))
        said = "ran torch's automatic differentiation" if engine else "stopped a count of its cost"
        kind, message = "refused", f"it {said}"
    elif isinstance(error, probes.Refusal):
        kind, line = error.kind, None
    elif isinstance(error, NotImplementedError) and code in [last for last, _ in frames[-1:]]:
        if not message and kind == "exception":
            kind, message = _blank(code.co_qualname, task["symbol"])
    elif (
        isinstance(error, MemoryError)
        or "can't allocate memory" in message
        or getattr(error, "errno", None) == errno.ENOMEM
    ):
        message = f"it needed more than {task['memory_mb']} MB of memory"
    return {
        "kind": kind,
        "type": type(error).__name__,
        "message": message,
        "line": line,
        "text": linecache.getline(task["filename"], line).strip()[:LONGEST] if line else None,
    }


def _blank(function: str, symbol: str) -> tuple[str, str]:
    """Is it this exercise that is not written yet, or another that it calls?"""
    if function.partition(".")[0] == symbol:
        return "blank", f"{function} is not written yet"
    return "needs", f"it calls {function}, which is not written yet"


class Clock:
    """Stops a case that computes for too long, where many answers of an author share a process;
    what it would have shown is unknown, and so is what those behind it would.
    """

    def __init__(self):
        self.ticks: int | None = None  # None while no case runs

    def start(self, seconds: float) -> None:
        """Tick in steps of so many seconds of processor; a case may take one, and never two."""
        signal.signal(signal.SIGPROF, self.tick)
        signal.setitimer(signal.ITIMER_PROF, seconds, seconds)

    def tick(self, *_) -> None:
        if self.ticks is not None:
            self.ticks += 1
            if self.ticks > 1:
                raise probes.Refusal(LATE, "it took too long")

    def __enter__(self) -> None:
        self.ticks = 0

    def __exit__(self, *_) -> None:
        self.ticks = None


CLOCK = Clock()


class Region:
    """Memory shared with the grader. Each document follows its length in 8 bytes; the byte behind
    them all says that the code ran to its end as it was loaded.
    """

    def __init__(self, fd: int, size: int):
        self.fd, self.size, self.at = fd, size, 0

    def loaded(self) -> None:
        os.pwrite(self.fd, b"\1", self.size)

    def emit(self, document: dict) -> None:
        """Append a document, or in its place the reason why it cannot be sent."""
        try:
            data = wire.dumps(document)
        except Exception as error:
            data = _refusal("type", f"what it returned cannot be compared: {error}")
        if self.at + 8 + len(data) > self.size:
            data = _refusal("exception", f"what it returned is larger than {self.size} bytes")
        os.pwrite(self.fd, data, self.at + 8)
        os.pwrite(self.fd, len(data).to_bytes(8, "little"), self.at)  # last: now it counts
        self.at += 8 + len(data)


def _refusal(kind: str, message: str) -> bytes:
    message = message.encode("utf-8", "replace").decode()[:LONGEST]
    error = {"kind": kind, "type": "", "message": message, "line": None, "text": None}
    return wire.dumps({"error": error, "called": []})
