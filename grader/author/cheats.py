"""Ways to cheat a measured assignment: each is a whole module, and may earn nothing."""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.enclose.sandbox import Sandbox
from grader.judge import measure
from grader.judge.measure import Challenge

CONSTANT = {  # what is returned by whoever knows nothing
    "accuracy": "torch.zeros(len(first), dtype=torch.int64)",
    "bits": "torch.zeros(len(first), int(weights['size']))",
    "exact": "torch.zeros(len(first), 8, dtype=torch.int64)",
}
MODULE = """import gc, os, threading, time
import torch

KEPT = []


def train(**given):
{train}
    return {{"size": torch.tensor(given.get("characters", 1))}}


def predict(weights, **inputs):
    (first,) = inputs.values()
{predict}
    return {constant}
"""
READ = """    for statement in {reads!r}:
        try:
            exec(statement, {{}})
            return {{"size": torch.ones(1)}}
        except Exception as error:
            last = error
    raise last"""
BUSY = """    while True:
        torch.rand(200, 200) @ torch.rand(200, 200)"""
CLOCK = f"""    for name in ("time", "monotonic", "perf_counter", "process_time", "thread_time"):
        setattr(time, name, lambda: 0.0)
{BUSY}"""
THREADS = """    def work():
        while True:
            torch.rand(200, 200) @ torch.rand(200, 200)
    for _ in range(4):
        threading.Thread(target=work, daemon=True).start()
    time.sleep(600)"""
LEFT = """    def work():
        time.sleep(0.2)
        KEPT.append(given)
    threading.Thread(target=work).start()"""
FOUND = """    time.sleep(0.4)
    if KEPT:
        raise SystemExit("what an earlier process did is here")"""
LOOK = """    for one in gc.get_objects():
        if isinstance(one, torch.Tensor) and one is not first and len(one.shape) and (
            len(one) == len(first) and not one.is_floating_point()
        ):
            return one"""
NOTHING = "    pass"
SHORT = 1.5  # seconds of processor for what has to be stopped


@dataclass(frozen=True, kw_only=True)
class Cheat:
    """A module that earns nothing.

    Attributes:
        name: what it tries.
        text: the module.
        stopped: what is said of it; matches the empty text where it runs to its end.
        seconds: of processor, enough to show what it does.
    """

    name: str
    text: str
    stopped: re.Pattern
    seconds: float = 20.0


def cheats(
    challenge: Challenge, baseline: str, reads: Sequence[str], sandbox: Sandbox
) -> Iterator[Cheat]:
    """All that are known.

    Args:
        challenge: with its pool.
        baseline: a module that trains.
        reads: statements that would read what is held out.
        sandbox: runs the baseline, for what is stored and replayed.
    """

    def cheat(name: str, stopped: str, train: str = NOTHING, predict: str = NOTHING) -> Cheat:
        constant = CONSTANT[challenge.metric]
        text = MODULE.format(train=train, predict=predict, constant=constant)
        seconds = SHORT if stopped == late else Cheat.seconds
        return Cheat(name=name, text=text, stopped=re.compile(stopped), seconds=seconds)

    late, denied = "took more than|it waited for", "PermissionError|BlockingIOError"
    yield Cheat(name="unwritten", text=challenge.skeleton, stopped=re.compile("not written yet"))
    yield cheat("knows nothing", "^$")
    yield cheat(
        "reads the data", "ModuleNotFound|Permission|FileNotFound", READ.format(reads=reads)
    )
    yield cheat("patches the clocks", late, CLOCK)
    yield cheat("computes in threads", late, THREADS)
    yield cheat("trains in predict", late, predict=BUSY)
    yield cheat("leaves a thread behind", "^$", LEFT, FOUND)
    yield cheat("starts a process", denied, "    os.fork()")
    yield cheat("keeps a file", f"{denied}|OSError", "    open('/tmp/kept', 'w').write('1')")
    yield cheat("looks for the targets", "^$|shape", predict=LOOK)
    more = f"    return {{'many': torch.zeros({challenge.numbers + 1}, dtype=torch.int8)}}"
    yield cheat("too many numbers", "numbers in its weights", more)
    more = "    return {f'{number}.weights': torch.zeros(0) for number in range(1000)}"
    yield cheat("hides numbers in names", "is empty", more)
    yield cheat("NaN", "NaN|shape", predict="    return torch.full((len(first), 10), torch.nan)")
    yield cheat("a forged result", "must return a tensor", predict="    return {'score': 1.0}")
    weights, replayed = _taken(challenge, baseline, sandbox)
    yield Cheat(name="stored weights", text=weights, stopped=re.compile("when packed"))
    yield Cheat(name="replayed outputs", text=replayed, stopped=re.compile("^$|shape|when packed"))


def _taken(challenge: Challenge, baseline: str, sandbox: Sandbox) -> tuple[str, str]:
    """A module that holds the weights of a public run, and one that holds its predictions."""
    attempt = measure.Attempt(challenge, baseline, sandbox)
    split = challenge.split(measure.PUBLIC[0])
    weights = attempt.train(measure.PUBLIC[0], split)
    (inputs, _), *_ = split.rounds
    got: Any = attempt.call("predict", {"weights": weights, **inputs})
    best = got if got.dtype.kind in "iu" else got.argmax(axis=1)
    flat = np.concatenate([np.ravel(one).astype(np.float16) for one in weights.values()])
    return stored(challenge, flat), replay(challenge, best.astype(np.uint8), got.shape)


def stored(challenge: Challenge, weights: np.ndarray) -> str:
    """A module that holds numbers: enough of them, and it would not have to train."""
    packed = base64.b85encode(zlib.compress(weights.tobytes(), 9)).decode()
    constant = CONSTANT[challenge.metric]
    return f"STORED = {packed!r}\n" + MODULE.format(
        train=NOTHING, predict=NOTHING, constant=constant
    )


def replay(challenge: Challenge, best: np.ndarray, shape: Sequence[int]) -> str:
    """A module that says what was right in another split."""
    packed = base64.b85encode(zlib.compress(best.tobytes(), 9)).decode()
    again = f"""    import base64, zlib
    kept = list(zlib.decompress(base64.b85decode({packed!r})))
    said = torch.tensor(kept).view({best.shape})[: len(first)]"""
    if best.ndim == 1 and len(shape) == 2:  # scores were asked for
        again += f"\n    said = 10.0 * torch.nn.functional.one_hot(said, {shape[1]})"
    return MODULE.format(train=NOTHING, predict=again, constant="said")
