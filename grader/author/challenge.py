"""Measured assignments as authors write them: definitions, answers, records, and the audit.

``challenges/<slug>/<name>.py`` holds ``CHALLENGE``, a `grader.judge.measure.Challenge` without its
pool and its records; ``pool``, a function that makes the pool; and ``READS``, statements that would
read from an installed package what is held out. Beside it lie three whole modules:
``<name>_skeleton.py``, the one to fill in, ``<name>_baseline.py``, a model as the book has it, and
``<name>_best.py``, the best answer that is known. Ways to cheat are in `grader.author.cheats`.
"""

from __future__ import annotations

import importlib
import secrets
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from grader import files
from grader.author import cheats
from grader.enclose.sandbox import Sandbox
from grader.enclose.worker import wire
from grader.errors import UserError, unknown
from grader.judge import measure
from grader.judge.measure import Challenge, Run
from grader.judge.split import Pool

HERE = Path(__file__).resolve().parent / "challenges"
ANSWERS = ("baseline", "best")
BESIDE = ("skeleton", *ANSWERS)
BITS = 64  # of a seed that nobody knows
MOST = 0.8  # share of the points that the best answer earns on a split of its own


@dataclass(frozen=True, kw_only=True)
class Task:
    """A measured assignment with its answers.

    Attributes:
        challenge: without its pool and what is recorded.
        pool: makes the pool; another version of a package may make another one, and the one that
            is recorded counts.
        answers: modules by name: ``baseline`` and ``best``.
        reads: statements that would read what is held out.
    """

    challenge: Challenge
    pool: Callable[[], Pool]
    answers: Mapping[str, str]
    reads: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Result of one answer in an audit.

    Attributes:
        name: of the answer.
        run: what was measured.
        gap: why this is not as it must be; else empty.
    """

    name: str
    run: Run
    gap: str = ""


def select(targets: Sequence[str] = ()) -> list[Task]:
    """The measured assignments of some ids; without one all there are.

    Raises:
        UserError: no such assignment, or one without an answer.
    """
    there = {
        f"{path.parent.name}.{path.stem}": path
        for path in sorted(HERE.glob("*/*.py"))
        if not path.stem.endswith(("__init__", *BESIDE))
    }
    for target in targets:
        if target not in there:
            raise unknown("measured assignment", target, [*there])
    return [_task(there[name]) for name in targets or there]


def _task(path: Path) -> Task:
    slug, name = path.parent.name, path.stem
    module = importlib.import_module(f"grader.author.challenges.{slug}.{name}")
    beside = {}
    for kind in BESIDE:
        file = path.with_name(f"{name}_{kind}.py")
        if not file.is_file():
            raise UserError(f"{file} is missing: every measured assignment has one.")
        beside[kind] = file.read_text(encoding="utf-8")
    more = {"slug": slug, "name": name, "skeleton": beside.pop("skeleton")}
    challenge = replace(module.CHALLENGE, **more)
    return Task(challenge=challenge, pool=module.pool, answers=beside, reads=module.READS)


def record(task: Task, sandbox: Sandbox, folder: Path = measure.FOLDER) -> Path:
    """Measure the answers with the public seeds, and write the record.

    Raises:
        UserError: an answer does not run.
    """
    known, challenge = {}, replace(task.challenge, pool=task.pool())
    for name, text in task.answers.items():
        runs = [*measure.measure(challenge, text, sandbox)]
        if stopped := [run.stopped for run in runs if run.stopped]:
            raise UserError(f"{task.challenge.id}, {name}: {stopped[0]}.")
        known[name] = {
            "scores": [run.score for run in runs if run.score is not None],
            "seconds": [round(run.seconds, 1) for run in runs],
        }
    told = asdict(replace(challenge, known=known))
    path = folder / f"{task.challenge.id}{measure.SUFFIX}"
    return files.write(path, wire.dumps({"format": measure.FORMAT, "challenge": told}))


def audit(task: Task, sandbox: Sandbox, folder: Path = measure.FOLDER) -> Iterator[Finding]:
    """Prove an assignment on a split that nobody has seen: the baseline earns something, the best
    answer that is known nearly everything, and an unwritten module and every cheat nothing.

    Yields:
        What each answer came to; of a record that is not as it must be, its gap alone.
    """
    if said := gaps(task, folder):
        yield Finding(name="record", run=Run(seed=0), gap="; ".join(said))
        return
    challenge = measure.load(task.challenge.id, folder)
    secret, most = [secrets.randbits(BITS)], challenge.points
    for name, text in task.answers.items():
        (run,) = measure.measure(challenge, text, sandbox, [1], secret=secret)
        low, high = (0, most) if name == "baseline" else (MOST * most, most + 1)
        fits = not run.stopped and low < run.points < high
        gap = f"it earns {run.points:.1f} of {most:g} points. {run.stopped}".strip()
        yield Finding(name=name, run=run, gap="" if fits else gap)
    for cheat in cheats.cheats(challenge, task.answers["baseline"], task.reads, sandbox):
        short = replace(challenge, seconds=min(cheat.seconds, challenge.seconds))
        (run,) = measure.measure(short, cheat.text, sandbox, [1], secret=secret)
        gap = ""
        if run.points:
            gap = f"it earns {run.points:.1f} points"
        elif not cheat.stopped.search(run.stopped):
            gap = f"it earns nothing for another reason: {run.stopped or run.score}"
        yield Finding(name=cheat.name, run=run, gap=gap)


def gaps(task: Task, folder: Path = measure.FOLDER) -> list[str]:
    """Faults of a record, found without running anything."""
    try:
        found = measure.load(task.challenge.id, folder)
    except UserError as error:
        return [f"{error} Record it: grade challenge record {task.challenge.id}"]
    said = []
    for name, value in asdict(task.challenge).items():
        if name not in ("known", "pool") and _plain(getattr(found, name)) != _plain(value):
            said.append(f"its {name} is not what the record says")
    earned = {
        name: statistics.mean(map(found.earned, one["scores"])) for name, one in found.known.items()
    }
    if not 0 < earned.get("baseline", 0) < earned.get("best", 0) == found.points:
        said.append(f"its answers earned {earned}: something, and everything")
    return said


def _plain(value: object) -> object:
    """Lists and tuples alike."""
    return [*map(_plain, value)] if isinstance(value, list | tuple) else value
