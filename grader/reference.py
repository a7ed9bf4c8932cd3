"""Recorded references: what the solution, and every known mistake, returns on every case.

One safetensors file per chapter. Checking reads it and nothing else: no answer is imported.
"""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from grader import files, source
from grader.compare import compare, score
from grader.exercise import PUBLIC_SEED, Call, Case, Exercise, Mistake, UserError, exercises
from grader.sandbox import Sandbox
from grader.worker import codec

FOLDER = Path(__file__).parent / "references"
FORMAT = 1


@dataclass(frozen=True)
class Reference:
    """What is known of one case.

    Attributes:
        case: points, name and the rest, as the exercise declares it.
        call: what the worker is asked to run.
        held_out: what it never sees.
        expected: named values that the solution returned.
        mistakes: for each known mistake that goes wrong on this case, what it returned: named
            values, or an error.
        secret: recorded with the instructor's seed: no number of it may be shown.
    """

    case: Case
    call: Mapping
    held_out: Mapping
    expected: Mapping
    mistakes: Mapping[str, Mapping]
    secret: bool = False

    def judge(self, got: Mapping, tolerance: float):
        """Compare with the solution; None when the case is passed."""
        if self.case.at_least is not None:
            return score(self.case.at_least, self.held_out["labels"], got)
        return compare(self.expected, got, tolerance)


def solution_source(slug: str) -> str:
    """Source text of ``solutions/<slug>.py``, read without importing it.

    Raises:
        UserError: the solutions are not on this machine (a student's edition).
    """
    package = find_spec("solutions")
    path = Path(package.submodule_search_locations[0], f"{slug}.py") if package else None
    if path is None or not path.is_file():
        raise UserError(f"solutions/{slug}.py is not here; this needs the instructor's edition.")
    return path.read_text(encoding="utf-8")


def mistaken_source(exercise: Exercise, mistake: Mistake) -> str:
    """The solution module with one known mistake in it."""
    solution = solution_source(exercise.slug)
    if mistake.change is not None:
        return source.change(solution, exercise.symbol, mistake.change)
    return source.replace(solution, exercise.symbol, mistake.source or "")


def record(slug: str, sandbox: Sandbox, *, seed: int | None = None) -> dict:
    """Run the solution and every known mistake on every case of a chapter.

    Args:
        slug: chapter.
        sandbox: runs them exactly as it runs a submission.
        seed: the instructor's, for all cases; without it, the public cases with the public seed.

    Returns:
        The document that `save` writes.

    Raises:
        UserError: the solution itself fails on a case, or a mistake cannot be made.
    """
    found = {
        exercise.symbol: list(record_cases(exercise, sandbox, seed)) for exercise in exercises(slug)
    }
    return {
        "format": FORMAT,
        "slug": slug,
        "cases": "public" if seed is None else "public and hidden",
        "versions": {
            "python": platform.python_version(),
            **{name: version(name).partition("+")[0] for name in ("numpy", "torch")},
        },
        "exercises": found,
    }


def record_cases(exercise: Exercise, sandbox: Sandbox, seed: int | None = None) -> Iterator[dict]:
    """The same for one exercise, case by case."""
    drawn = exercise.calls(PUBLIC_SEED if seed is None else seed, hidden=seed is not None)
    calls = [call_document(exercise, case, call) for case, call in drawn]
    outcome = sandbox.run(
        solution_source(exercise.slug), exercise.symbol, calls, filename=f"{exercise.slug}.py"
    )
    wrong = {}
    for mistake in exercise.mistakes:
        try:
            text = mistaken_source(exercise, mistake)
        except LookupError as error:
            raise UserError(f"{exercise.id}, mistake {mistake.name}: {error}") from error
        run = sandbox.run(text, exercise.symbol, calls, filename=f"{exercise.slug}.py")
        lost = {"error": {"kind": run.status, "message": run.detail}}
        wrong[mistake.name] = run.cases + [lost] * (len(calls) - len(run.cases))
    for index, ((case, call), document) in enumerate(zip(drawn, calls, strict=True)):
        if index >= len(outcome.cases):
            raise UserError(f"{exercise.id}, case {case.name!r}: the solution {outcome.detail}")
        result = outcome.cases[index]
        if "error" in result:
            said = result["error"]["message"]
            raise UserError(f"{exercise.id}, case {case.name!r}: the solution raises {said}")
        entry = Reference(case, document, call.held_out, result["values"], {})
        judged = entry.judge(result["values"], exercise.tolerance)
        if judged:
            raise UserError(f"{exercise.id}, case {case.name!r}: {judged.message}")
        yield {
            "name": case.name,
            "call": document,
            "held_out": dict(call.held_out),
            "expected": result["values"],
            "mistakes": {
                name: _essence(results[index])
                for name, results in wrong.items()
                if "error" in results[index]
                or entry.judge(results[index]["values"], exercise.tolerance)
            },
        }


def call_document(exercise: Exercise, case: Case, call: Call) -> dict:
    """What the worker is sent for one case; `grader.worker.probes` reads it."""
    default = "function" if call.init is None else "module"
    return {
        "probe": exercise.probe or default,
        "args": dict(call.args),
        "init": None if call.init is None else dict(call.init),
        "state": None if call.state is None else dict(call.state),
        "training": call.training,
        "grad": list(case.grad),
    }


def save(document: Mapping, folder: Path) -> Path:
    """Write ``<folder>/<slug>.safetensors``, whole or not at all."""
    return files.write(folder / f"{document['slug']}.safetensors", codec.dumps(document))


def load(slug: str, folder: Path | None = None) -> dict[str, list[Reference]]:
    """The references of a chapter by symbol, cases in the order of the exercise.

    Raises:
        UserError: there are none, they cannot be read, or they are of other cases than the
            exercise declares now.
    """
    path = (folder or FOLDER) / f"{slug}.safetensors"
    try:
        document = codec.loads(path.read_bytes())
    except FileNotFoundError:
        raise UserError(f"There are no references at {path}. Make them: grade record.") from None
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read as references: {error}") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise UserError(f"{path} was written by another version. Record it again: grade record.")
    return parse(document)


def parse(document: Mapping) -> dict[str, list[Reference]]:
    """Join what was recorded with what the exercises declare.

    Raises:
        UserError: the two do not fit.
    """
    hidden = document["cases"] != "public"
    return {
        exercise.symbol: join(exercise, document["exercises"].get(exercise.symbol, []), hidden)
        for exercise in exercises(document["slug"])
    }


def join(exercise: Exercise, entries: Sequence[Mapping], hidden: bool) -> list[Reference]:
    """The same for one exercise; ``hidden`` says whether its hidden cases were recorded too."""
    cases = [case for case in exercise.cases if hidden or not case.hidden]
    if [case.name for case in cases] != [entry["name"] for entry in entries]:
        raise UserError(
            f"The references of {exercise.id} are of other cases than the exercise has now. "
            f"Record them again: grade record {exercise.slug}."
        )
    return [
        Reference(
            case, entry["call"], entry["held_out"], entry["expected"], entry["mistakes"], hidden
        )
        for case, entry in zip(cases, entries, strict=True)
    ]


def _essence(result: Mapping) -> dict:
    """What identifies a wrong result: its values, or the kind and words of its error."""
    if "values" in result:
        return {"values": result["values"]}
    error = result["error"]
    return {"error": {key: error.get(key) for key in ("kind", "type", "message")}}
