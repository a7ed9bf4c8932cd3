"""Measured assignments: what a training function reaches within a budget.

A submission is a module with two functions: ``train`` gets training data and returns weights,
``predict`` gets the weights and inputs that were held out, and returns predictions. Each call runs
in a process of its own in the sandbox. Here, outside of them, the seconds of processor of all calls
are added up, the numbers in the weights are counted, and the predictions are scored: the targets
never enter a process that runs a submission's code.
"""

from __future__ import annotations

import re
import statistics
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from grader.enclose.outcome import Outcome
from grader.enclose.sandbox import Limits, Sandbox
from grader.enclose.worker import wire
from grader.errors import UserError, unknown
from grader.judge import submission
from grader.judge.split import DRAWS, Pool, Split

FOLDER = Path(__file__).resolve().parents[1] / "measured"
SUFFIX = ".safetensors"
FORMAT = 1
PUBLIC = (1, 2, 3)  # seeds
SOURCES = ("sklearn", "pydoc_data", "babel")  # packages that hold what the pools were made of
LATE = "{}: all calls together took more than {:g} s of processor time"
WEIGHTS_BYTES = 64 * 2**20
PATIENT = 10  # seconds on the wall for each of processor, in all calls: for a busy machine
BYTES = 4000  # of a module, packed
LETTERS = 20_000  # in the names of all weights together
WIDEST = 10_000  # scores of an example


@dataclass(frozen=True, kw_only=True)
class Challenge:
    """A measured assignment, and the pool that its splits are drawn from.

    Attributes:
        slug: chapter whose page it goes with.
        name: of the module that is handed in; also names how splits are drawn (`split.DRAWS`).
        title: the task in a few words.
        section: anchor of the chapter's section that explains it.
        metric: one of `METRICS`.
        seconds: of processor, for training and prediction together, in each run.
        memory_mb: memory of each process beyond what torch and its inputs take.
        numbers: most numbers in all weights together.
        cutoffs: scores and the points that they earn, in rising order of points; linear between.
        license: of the data, and where they are from.
        skeleton: the module to fill in; its docstrings say what is given and returned.
        known: what answers reached when they were recorded: scores and seconds by name.
        pool: all examples.
    """

    slug: str = ""
    name: str = ""
    title: str
    section: str
    metric: str
    seconds: float
    memory_mb: int
    numbers: int
    cutoffs: Sequence[Sequence[float]]
    license: str
    skeleton: str = ""
    known: Mapping[str, Mapping[str, Sequence[float]]] = field(default_factory=dict)
    pool: Pool = field(default_factory=dict, repr=False)

    @property
    def id(self) -> str:
        return f"{self.slug}.{self.name}"

    @property
    def points(self) -> float:
        """Points of the last cut-off."""
        return self.cutoffs[-1][1]

    def earned(self, score: float) -> float:
        """The points of a score: none below the first cut-off, and no more than all."""
        scores, points = np.array(self.cutoffs, dtype=float).T
        sign = 1 if scores[-1] > scores[0] else -1
        return float(np.interp(sign * score, sign * scores, points))

    def split(self, seed: int | Sequence[int]) -> Split:
        """The split of a seed."""
        return DRAWS[self.name](self.pool, np.random.default_rng(seed))


@dataclass(frozen=True, kw_only=True)
class Run:
    """Result of one seed.

    Attributes:
        seed: public, or the number of a secret one.
        points: earned.
        score: as the metric has it; None where the run was stopped.
        seconds: of processor that the submission's processes took.
        numbers: in its weights.
        stopped: why it earns nothing, in one sentence; else empty.
        log: what it printed.
    """

    seed: int
    points: float = 0.0
    score: float | None = None
    seconds: float = 0.0
    numbers: int = 0
    stopped: str = ""
    log: str = ""


class Stopped(Exception):
    """A run ends here and earns nothing: one sentence for whoever wrote it."""


def measure(
    challenge: Challenge,
    text: str,
    sandbox: Sandbox,
    seeds: Sequence[int] = PUBLIC,
    *,
    secret: Sequence[int] = (),
) -> Iterator[Run]:
    """Run a submission with several seeds.

    Args:
        challenge: what is asked.
        text: the module.
        sandbox: made with ``without=SOURCES``, or a submission may read what is held out.
        seeds: one run each.
        secret: further numbers of every seed, which nobody who hands in knows.

    Yields:
        A run when it has ended.

    Raises:
        SandboxError: the sandbox failed, whatever the submission is worth.
    """
    size = len(zlib.compress(text.encode("utf-8", "replace"), 9))
    for seed in seeds:
        if size > BYTES:
            said = f"the module has {size:,} bytes when packed (zlib), {BYTES:,} are allowed"
            yield Run(seed=seed, stopped=f"{said}: it must not contain trained weights")
            continue
        yield Attempt(challenge, text, sandbox).run(seed, challenge.split([*secret, seed]))


class Attempt:
    """One run, and what it has used."""

    def __init__(self, challenge: Challenge, text: str, sandbox: Sandbox):
        self.challenge, self.text, self.sandbox = challenge, text, sandbox
        self.used, self.numbers, self.log = 0.0, 0, ""
        self.left = PATIENT * challenge.seconds  # on the wall

    def run(self, seed: int, split: Split) -> Run:
        """Train, predict, score."""
        score, stopped = None, ""
        try:
            weights = self.train(seed, split)
            measured = METRICS[self.challenge.metric].of
            parts = [
                measured(self.call("predict", {"weights": weights, **inputs}), targets)
                for inputs, targets in split.rounds
            ]
            mean = float(np.concatenate(parts).mean())
            if not np.isfinite(mean):
                raise Stopped("predict gave the right answer a probability of 0: its score is ∞")
            score = mean
        except Stopped as reason:
            stopped = str(reason)
        return Run(
            seed=seed,
            points=0.0 if score is None else self.challenge.earned(score),
            score=score,
            seconds=self.used,
            numbers=self.numbers,
            stopped=stopped,
            log=self.log,
        )

    def train(self, seed: int, split: Split) -> dict:
        """The weights, counted."""
        told = {"seed": seed, "seconds": self.challenge.seconds}
        weights = self.call("train", {**split.train, **told})
        if not isinstance(weights, dict) or not weights:
            raise Stopped("train must return a dict of tensors by name, as state_dict does")
        for name, value in weights.items():
            if not re.fullmatch(r"[\w.-]+", name, re.ASCII):  # others mean something on their way
                raise Stopped(f"train returned {name!r}: names have letters, digits, _, . or -")
            if not _is_numbers(value):
                raise Stopped(f"train returned {name!r}, not a tensor of floats or integers")
            if not value.size:  # a name, or a shape, can say what is not counted
                raise Stopped(f"train returned {name!r}, which is empty")
        if (letters := sum(map(len, weights))) > LETTERS:
            said = f"{letters:,} letters in the names of its weights, {LETTERS:,} allowed"
            raise Stopped(f"it has {said}")
        self.numbers = sum(value.size * _words(value) for value in weights.values())
        if self.numbers > self.challenge.numbers:
            said = f"{self.numbers:,} numbers in its weights, {self.challenge.numbers:,} allowed"
            said += " (one of 64 bits counts as two)"
            raise Stopped(f"train returned {said}")
        return weights

    def call(self, symbol: str, args: Mapping) -> object:
        """Result of a function, called in a process of its own."""
        most = self.challenge.seconds
        if self.used >= most or self.left <= 0:
            raise Stopped(f"no time was left for {symbol}: the budget is {most:g} s")
        call = {"probe": "once", "args": args, "init": None, "grad": [], "dtype": "float32"}
        outcome = self.sandbox.run(
            self.text,
            symbol,
            [call],
            filename=f"{self.challenge.name}.py",
            limits=Limits(
                seconds=most - self.used,
                memory_mb=self.challenge.memory_mb,
                result_bytes=WEIGHTS_BYTES,
                patient=self.left / (most - self.used),
            ),
        )
        self.used += outcome.processor
        self.left -= outcome.seconds
        self.log += outcome.log
        found = _returned(outcome, symbol, most)
        if self.used > most:
            raise Stopped(LATE.format(symbol, most))
        return found


def _returned(outcome: Outcome, symbol: str, seconds: float) -> object:
    """Value that a call returned, or the reason why there is none."""
    if outcome.status == "timeout" and "computed" in outcome.detail:
        raise Stopped(LATE.format(symbol, seconds))
    if outcome.status != "ok":
        raise Stopped(f"{symbol}: {outcome.detail}")
    (case,) = outcome.cases
    if error := case.get("error"):
        kind = f"{error['type']}: " if error["type"] not in ("", "Refusal") else ""
        line = f" (line {error['line']})" if error["line"] else ""
        raise Stopped(f"{symbol}: {kind}{error['message']}{line}")
    return case["values"].get("output")


def _words(value: np.ndarray) -> int:
    """As how many numbers one of these counts: what has 64 bits holds two of 32."""
    return max(1, value.dtype.itemsize // 4)


def _is_numbers(value: object) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "fiub"


# Metrics: each takes what was returned and the targets, and gives one number per example.


@dataclass(frozen=True)
class Metric:
    """How predictions are scored.

    Attributes:
        of: predictions and targets to a number for each example; their mean is the score.
        unit: what it is called.
        form: of a score, as `format` takes it.
    """

    of: Callable[[object, np.ndarray], np.ndarray]
    unit: str
    form: str

    def text(self, score: float) -> str:
        """A score as people read it."""
        return f"{score:{self.form}}"


def accuracy(got: object, labels: np.ndarray) -> np.ndarray:
    """Is each prediction right? Classes (examples,), or scores (examples, classes)."""
    got = _array(got, "classes (examples,) or scores (examples, classes)")
    if got.ndim == 2 and len(got) == len(labels) and got.shape[1]:
        got = _finite(got).argmax(axis=1)
    return _alike(got, labels) == labels


def bits(got: object, following: np.ndarray) -> np.ndarray:
    """Bits that each character takes under the softmax of scores (examples, characters)."""
    got = _array(got, "scores (examples, characters)")
    most = following.max(initial=0)
    if got.ndim != 2 or len(got) != len(following) or not most < got.shape[1] <= WIDEST:
        raise Stopped(f"predict returned shape {got.shape}, expected (windows, characters)")
    scores = _finite(got.astype(np.float64))
    with np.errstate(over="ignore"):  # then its probability is 0
        scores -= scores.max(axis=1, keepdims=True)
    total = np.log(np.exp(scores).sum(axis=1))
    return (total - scores[np.arange(len(following)), following]) / np.log(2)


def exact(got: object, targets: np.ndarray) -> np.ndarray:
    """Is every digit of an example (examples, 8) right?"""
    return (_alike(_array(got, "digits (examples, 8)"), targets) == targets).all(axis=1)


def _array(got: object, form: str) -> np.ndarray:
    if not isinstance(got, np.ndarray) or not _is_numbers(got):
        raise Stopped(f"predict must return a tensor: {form}")
    return got


def _alike(got: np.ndarray, targets: np.ndarray) -> np.ndarray:
    if got.shape != targets.shape:
        raise Stopped(f"predict returned shape {got.shape}, expected {targets.shape}")
    return got


def _finite(got: np.ndarray) -> np.ndarray:
    if not np.isfinite(got).all():
        raise Stopped("predict returned NaN or ∞")
    return got


METRICS: Mapping[str, Metric] = {
    "accuracy": Metric(accuracy, "accuracy", ".1%"),
    "bits": Metric(bits, "bits per character", ".3f"),
    "exact": Metric(exact, "exact matches", ".1%"),
}


# Records: one file for each challenge.


def names(folder: Path = FOLDER) -> list[str]:
    """The ids of all challenges, in the order of letters."""
    return sorted(path.name.removesuffix(SUFFIX) for path in folder.glob(f"*{SUFFIX}"))


def load(name: str, folder: Path = FOLDER) -> Challenge:
    """A challenge by its id, or by its name alone.

    Raises:
        UserError: there is none, or it cannot be read.
    """
    there = names(folder)
    found = [one for one in there if name in (one, one.rpartition(".")[2])]
    if len(found) != 1:
        raise unknown("measured assignment", name, there)
    path = folder / f"{found[0]}{SUFFIX}"
    try:
        document = wire.loads(path.read_bytes())
        if document["format"] != FORMAT:
            raise ValueError("it was written by another version")
        return Challenge(**document["challenge"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"{path} cannot be read: {error}.") from error


def read(path: Path, name: str) -> str:
    """The text of a module that is handed in.

    Args:
        path: the module, or a folder or ``.zip`` that holds it.
        name: of the module.

    Raises:
        UserError: there is none, or it cannot be read; a notebook is none.
    """
    found = submission.read(path, name, suffixes=(".py",))
    if found.cells is not None:
        raise UserError(f"{found.filename} is a notebook: hand in {name}.py.")
    return found.text


def summary(challenge: Challenge, runs: Sequence[Run]) -> str:
    """Mean and spread of the scores, and the points, in one line."""
    metric = METRICS[challenge.metric]
    scores = [one.score for one in runs if one.score is not None]
    points = statistics.mean(one.points for one in runs)
    earned = f"{points:.1f} of {challenge.points:g} points"
    if not scores:
        return earned
    mean, told = statistics.mean(scores), metric.text(statistics.mean(scores))
    if len(scores) > 1:
        told = f"{metric.text(mean)} ± {metric.text(statistics.stdev(scores))}"
    return f"{metric.unit} {told}, {earned}"
