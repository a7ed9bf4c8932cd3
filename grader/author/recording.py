"""Recording: what the solution, and every known mistake, returns on every case.

A stored case that still agrees is kept as it is, to the byte. Rounding differs from processor to
processor, so recording on another one changes nothing, and a new exercise adds one file.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

import numpy as np

from grader import course, files
from grader.author import catalog, core
from grader.author.bench import Bench
from grader.author.exercise import (
    PUBLIC_SEED,
    Call,
    Case,
    Exercise,
    Made,
    Returned,
)
from grader.enclose.outcome import Outcome
from grader.enclose.sandbox import Sandbox
from grader.enclose.worker import wire
from grader.enclose.worker.entry import BYTES, MADE, RETURNED
from grader.errors import UserError
from grader.judge import diagnose, prints, records, stored
from grader.judge.compare import compare
from grader.judge.records import Record

COARSE = {
    "float32": 1e-4,
    "float16": 4e-3,
    "bfloat16": 3e-2,
}  # tolerances where inputs are no float64
ROUNDING = 1e-12  # relative; what a generator's numbers may differ by between processors


def record(
    bench: Bench,
    *,
    seed: int | None = None,
    second: int | None = None,
    kept: Record | None = None,
) -> dict:
    """Run the solution and every known mistake on every case of an exercise.

    Args:
        bench: of the exercise.
        seed: an instructor's, for all cases; without it, the public cases with the public seed.
        second: another, for what is held out; the first one unless said.
        kept: an earlier record: what agrees with it is taken from it.

    Returns:
        The document that `save` writes.

    Raises:
        UserError: the solution itself fails on a case, or mistakes cannot be made; all that are
            are listed at once.
    """
    exercise, secret = bench.exercise, seed is not None
    drawn = exercise.calls(PUBLIC_SEED if seed is None else seed, hidden=secret, second=second)
    earlier = {case.name: case for case in kept.cases} if kept and not secret else {}
    inputs = [_inputs(exercise, case, call, earlier.get(case.name)) for case, call in drawn]
    calls = [call for call, _ in inputs]
    right, *wrong = bench.run([bench.solution, *bench.mistakes.values()], calls)
    cases = []
    for index, ((case, _), sent) in enumerate(zip(drawn, inputs, strict=True)):
        values = _solved(exercise, case, right, index)
        before = earlier.get(case.name)
        entry = _entry(exercise, case, sent, values, before)
        shown = {
            name: run.cases[index] if index < len(run.cases) else _lost(run)
            for name, run in zip(bench.mistakes, wrong, strict=True)
        }
        shown = {
            name: _kept(before, name, result, entry)
            for name, result in shown.items()
            if "error" in result or entry.judge(result["values"])
        }
        told = asdict(entry)
        plain = {key: told[key] for key in told if key not in ("returns", "corner")}
        if entry.most is None:
            del plain["most"]
        cases.append(plain | {"mistakes": shown})
    return {"format": records.FORMAT, "manifest": manifest(exercise, secret), "cases": cases} | {
        "versions": {
            "python": platform.python_version(),
            **{name: version(name).partition("+")[0] for name in ("numpy", "torch")},
        }
    }


def _solved(exercise: Exercise, case: Case, right: Outcome, index: int) -> Mapping:
    """Return what the solution returns on a case; raise a `UserError` if it cannot be recorded."""
    where = f"{exercise.id}, case {case.name!r}"
    if index >= len(right.cases):
        raise UserError(f"{where}: the solution {right.detail}")
    result = right.cases[index]
    if "error" in result:
        raise UserError(f"{where}: {_failed(case, result['error'])}")
    if not result["values"]:
        raise UserError(f"{where}: nothing comes back that could be compared")
    if result["values"].get("repeatable") is False:
        raise UserError(f"{where}: the solution gives other results when called twice")
    return result["values"]


def _entry(
    exercise: Exercise,
    case: Case,
    sent: tuple[dict, dict],
    values: Mapping,
    before: records.RecordedCase | None,
) -> records.RecordedCase:
    """A case as it is recorded, with the earlier values where they still agree."""
    tolerance = COARSE.get(case.dtype or "", exercise.tolerance)
    kept = before is not None and _agree(before.expected, values, tolerance)
    entry = records.RecordedCase(
        name=case.name,
        points=case.points,
        call=sent[0],
        held_out=sent[1],
        expected=before.expected if before and kept else values,
        mistakes={},
        at_least=case.at_least,
        tolerance=tolerance,
        most=case.most,
    )
    if judged := entry.judge(values):
        raise UserError(f"{exercise.id}, case {case.name!r}: {judged.message}")
    return entry


def manifest(exercise: Exercise, secret: bool) -> dict:
    """Metadata of an exercise, as `grader.judge.records.Manifest` has it."""
    return {
        "slug": exercise.slug,
        "symbol": exercise.symbol,
        "title": exercise.title,
        "section": exercise.section,
        "hint": exercise.hint,
        "tolerance": exercise.tolerance,
        "forbidden": list(exercise.forbidden),
        "needs": list(exercise.needs),
        "mistakes": [{"name": known.name, "why": known.why} for known in exercise.mistakes],
        "public_points": exercise.public_points,
        "points": exercise.points,
        "secret": secret,
    } | ({"returns": list(exercise.returns)} if exercise.returns else {})


def save(document: Mapping, folder: Path) -> Path:
    """Write ``<folder>/<slug>/<symbol>.safetensors``, whole or not at all; the bytes of a case that
    is as it was there stay.
    """
    told = document["manifest"]
    file = path(told["slug"], told["symbol"], folder)
    earlier = file.read_bytes() if file.is_file() else b""
    return files.write(file, stored.dumps(document, earlier))


def save_index(folder: Path, chosen: Sequence[Exercise], *, hidden: bool = False) -> Path:
    """Write the order of chapters beside the records, and which cases are core. Public records
    of a project are listed in its own folder.

    Args:
        folder: of the records.
        chosen: the exercises that are recorded; of the others what is known stays.
        hidden: with the cases that are recorded with an instructor's seed alone.
    """
    cores = {one.id: core.names(one, hidden=hidden) for one in chosen}
    order = {
        slug: {
            name: cores.get(f"{slug}.{name}") or [*records.core(slug, name, folder)]
            for name in catalog.symbols(slug)
        }
        for slug in catalog.slugs()
        if hidden or records.home(slug) == folder
    }
    return files.write(
        folder / records.INDEX, json.dumps(order, indent=1, ensure_ascii=False) + "\n"
    )


def update(bench: Bench, folder: Path) -> tuple[Path, bool]:
    """Record the public cases where they changed; the file, and whether it was written."""
    file = path(bench.exercise.slug, bench.exercise.symbol, folder)
    document = renewed(bench, folder)
    return file, document is not None and bool(save(document, folder))


def renewed(bench: Bench, folder: Path) -> dict | None:
    """The document that recording would write; None where what is there still holds."""
    try:
        file = path(bench.exercise.slug, bench.exercise.symbol, folder)
        before = stored.loads(file.read_bytes())
        kept = records.parse(before)
    except (OSError, ValueError, KeyError, TypeError):
        before = kept = None
    document = record(bench, kept=kept)
    same = before and stored.identity(before) == stored.identity(document)
    return None if same else document


def require_current(chosen: Sequence[Exercise], sandbox: Sandbox) -> None:
    """Require that the public records of projects hold; those of the course are tested with it.

    Raises:
        UserError: an exercise has no record, or one of another solution or other cases.
    """
    for exercise in chosen:
        if not course.project(exercise.slug):
            continue
        folder = records.home(exercise.slug)
        listed = [*records.core(exercise.slug, exercise.symbol)]
        stale = listed != core.names(exercise, hidden=False)
        if stale or renewed(Bench(exercise, sandbox), folder):
            raise UserError(
                f"{exercise.id} has no record, or one that is out of date. Record it: grade record"
                f" {exercise.id}"
            )


def path(slug: str, symbol: str, folder: Path) -> Path:
    """A record is named as its exercise's file is."""
    return folder / slug / f"{catalog.files(slug)[symbol].stem}{records.SUFFIX}"


def _inputs(
    exercise: Exercise, case: Case, call: Call, before: records.RecordedCase | None
) -> tuple[dict, dict]:
    """Split a case into what the worker is sent and what it never sees: as stored, where equal."""
    try:
        new = call_document(exercise, case, call), dict(call.held_out)
        wire.pack(new)
    except (TypeError, ValueError) as error:
        why = f"{error}."
        if "ellipsis" in why:
            why = "it is not filled in, and ... stands where an input belongs."
        raise UserError(
            f"{exercise.id}, case {case.name!r}: {why} Its inputs can be numbers, texts, bytes, "
            "NumPy arrays, Made, and lists and dicts of them."
        ) from None
    if before and same_inputs([before.call, before.held_out], list(new)):
        return dict(before.call), dict(before.held_out)
    return new


def call_document(exercise: Exercise, case: Case, call: Call) -> dict:
    """Document for the worker about one case; `grader.enclose.worker.probes` reads it."""
    default = "steps" if call.steps else "function" if call.init is None else "module"
    document = {
        "probe": case.probe or exercise.probe or default,
        "args": sendable(call.args),
        "init": None if call.init is None else sendable(call.init),
        "state": None if call.state is None else dict(call.state),
        "training": call.training,
        "grad": list(case.grad),
    }
    special = {
        "raises": case.raises,
        "dtype": case.dtype,
        "budget": case.budget,
        "steps": sendable(call.steps) or None,
        "counted": bool(case.most) or None,
    }
    return document | {name: value for name, value in special.items() if value is not None}


def sendable(value: object) -> object:
    """Arguments as the worker is sent them: what is no value is told by a dict with one ``$``."""
    if isinstance(value, bytes):
        return {BYTES: value.hex()}
    if isinstance(value, Returned):
        return {RETURNED: [value.step, value.item]}
    if isinstance(value, Made):
        return {MADE: [value.name, sendable(value.given)]}
    if isinstance(value, Mapping):
        return {name: sendable(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [sendable(item) for item in value]
    return value


def same_inputs(left: object, right: object) -> bool:
    """Are two nested values the same, arrays of floats up to what processors differ by?"""
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(same_inputs(left[k], right[k]) for k in left)
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return len(left) == len(right) and all(map(same_inputs, left, right))
    if isinstance(left, np.ndarray | float) and isinstance(right, np.ndarray | float):
        one, other = np.asarray(left), np.asarray(right)
        if one.dtype != other.dtype or one.shape != other.shape:
            return False
        if one.dtype.kind != "f":
            return np.array_equal(one, other)
        largest = np.abs(one[np.isfinite(one)]).max(initial=0.0)
        return np.allclose(one, other, rtol=ROUNDING, atol=ROUNDING * largest, equal_nan=True)
    if isinstance(left, np.generic):
        return same_inputs(left.item(), right)
    if isinstance(right, np.generic):
        return same_inputs(left, right.item())
    return type(left) is type(right) and left == right


def _failed(case: Case, error: Mapping) -> str:
    """Say what the solution did where it should have returned, or raised something else."""
    kind, message = error.get("type"), error["message"]
    raised = kind and kind != "Refusal"  # that is the worker's own
    said = f"the solution raises {kind}: {message}" if raised else f"the solution fails: {message}"
    return f"{said}. The case says raises={case.raises!r}." if case.raises else said


def _kept(
    before: records.RecordedCase | None, name: str, result: dict, entry: records.RecordedCase
) -> dict:
    """Return what identifies a mistake: as stored, where that still does, or where today's run took
    too long to say.
    """
    old = before.mistakes.get(name) if before else None
    if old is None:
        return _essence(result, entry)
    late = result.get("error", {}).get("kind") == "timeout"
    names = prints.whole(old, entry.expected).keys() if "values" in old else ()
    both = {*names} == {*_without_layout(result.get("values", {}))}
    return (
        dict(old)
        if late or (both and diagnose.same(old, result, entry))
        else _essence(result, entry)
    )


def _without_layout(values: Mapping) -> dict:
    """Without what says only why a result was not repeatable."""
    return {name: value for name, value in values.items() if name != "layout"}


def _agree(before: Mapping, now: Mapping, tolerance: float) -> bool:
    """The same values by name, and the same numbers?"""
    return before.keys() == now.keys() and compare(before, now, tolerance) is None


def _lost(run) -> dict:
    return {"error": {"kind": run.status, "message": run.detail}}


def _essence(result: Mapping, entry: records.RecordedCase) -> dict:
    """Return what identifies a wrong result: its trace, or the kind and words of its error."""
    if "values" in result:
        return prints.trace(_without_layout(result["values"]), entry.expected, entry.tolerance)
    return {"error": diagnose.essence(result["error"])}
