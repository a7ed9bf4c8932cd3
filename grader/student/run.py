"""Train a chapter's model twice: on the learner's own versions, and on the course's alone.

Both runs happen in the sandbox, as any submission's; what they return is compared here.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from grader import course
from grader.enclose.outcome import one_line
from grader.enclose.sandbox import Limits, Sandbox
from grader.errors import UserError
from grader.judge import given, records, syntax
from grader.student import progress
from grader.student.own import left_blank, own, with_own

LIMITS = Limits(seconds=60.0, memory_mb=2048)
CALL = {"probe": "defaults", "args": {}, "init": None, "grad": []}  # everything in float64
SAME = 1e-6  # relative difference up to which two losses count as one
HEAD = "from course.recipes import losses\n"
RUN = "\n\ndef run():\n    return losses(model, loss, steps=STEPS, rate=RATE)\n"


@dataclass(frozen=True)
class Run:
    """A recipe that was run on both.

    Attributes:
        title: what is trained.
        mine: ids of the exercises that it took from the learner.
        theirs: ids of those that it took from the course.
        losses: of every step, with the learner's versions; None where that run failed.
        reference: with the course's alone; None in a copy that holds no answer to these exercises.
        error: why the learner's run failed.
    """

    title: str
    mine: list[str]
    theirs: list[str]
    losses: np.ndarray | None
    reference: np.ndarray | None
    error: str = ""

    @property
    def parted(self) -> int | None:
        """The first step, counted from 1, at which the losses differ."""
        if self.losses is None or self.reference is None:
            return None
        alike = np.isclose(self.losses, self.reference, rtol=SAME, atol=0.0)
        return None if alike.all() else int(alike.argmin()) + 1


def recipes() -> list[str]:
    """Chapters that have one, in the order of the book."""
    return [slug for slug in records.slugs() if (_folder() / f"{slug}.py").is_file()]


def run(slug: str, folder: Path, sandbox: Sandbox) -> Run:
    """Run a chapter's recipe.

    Args:
        slug: the chapter.
        folder: a workspace, or one inside of it.
        sandbox: where both runs happen.

    Raises:
        UserError: no such recipe, no workspace, or nothing that the recipe uses has passed.
    """
    records.select([slug.partition(".")[0]])
    if slug not in recipes():
        raise UserError(
            f"{slug} has no model to run. These chapters have one: {', '.join(recipes())}."
        )
    workspace = progress.around(folder)
    if workspace is None:
        raise UserError(f"{folder.resolve()} is not a workspace. Make one: grade start FOLDER")
    trainer, text = (
        (_folder() / f"{name}.py").read_text(encoding="utf-8") for name in ("__init__", slug)
    )
    wanted = given.imports(f"{trainer}\n{text}")
    plain = given.collected(wanted)
    used = {name.partition(".")[2]: syntax.Module(part).binding for name, part in plain.items()}
    asked = [
        exercise for exercise in records.select() if exercise.symbol in used.get(exercise.slug, ())
    ]
    own_files = {
        name: own(workspace, name) for name in dict.fromkeys(exercise.slug for exercise in asked)
    }
    own_files = {name: mine for name, mine in own_files.items() if mine}
    mine = [
        exercise.id
        for exercise in asked
        if exercise.slug in own_files and exercise.symbol in own_files[exercise.slug].names
    ]
    theirs = [exercise.id for exercise in asked if exercise.id not in mine]
    if not mine:
        raise UserError(
            f"No exercise that the model of {slug} uses has passed yet: {', '.join(theirs)}. "
            "Write one of these, and check it: grade check"
        )
    blank = {f"{name[7:]}.{one}" for name, part in plain.items() for one in left_blank(name, part)}
    if lacking := [name for name in theirs if name in blank]:
        raise UserError(
            f"The model of {slug} also needs {', '.join(lacking)}, and this copy of the course "
            "holds no answer. Write these, and check them: grade check"
        )
    reference = None
    if not blank:
        reference, error = _losses(text, slug, plain | {"course.recipes": trainer}, sandbox)
        if reference is None:
            raise UserError(f"The course's own run of {slug} failed: {error}")
    built = with_own(wanted, own_files) | {"course.recipes": trainer}
    steps = None if reference is None else len(reference)
    losses, error = _losses(text, slug, built, sandbox, steps)
    return Run(ast.get_docstring(ast.parse(text)) or slug, mine, theirs, losses, reference, error)


def lines(result: Run) -> Iterator[str]:
    """Result of a run, in lines."""
    yield result.title
    for whose, names in (("yours", result.mine), ("the course's", result.theirs)):
        if names:
            yield from textwrap.wrap(
                ", ".join(names),
                98,
                initial_indent=f"{whose + ':':<14}",
                subsequent_indent=" " * 14,
            )
    if result.losses is None:
        yield f"\nWith your code the run did not finish. {result.error}"
        return
    last = len(result.losses)
    columns = {"loss with yours": result.losses}
    if result.reference is not None:
        columns["the course alone"] = result.reference
    yield f"\n{'step':>6}" + "".join(f"{name:>18}" for name in columns)
    for step in sorted({1, last // 4, last // 2, 3 * last // 4, last}):
        yield f"{step:>6}" + "".join(f"{values[step - 1]:>18.6f}" for values in columns.values())
    if result.reference is None:
        yield "\nThis copy of the course holds no answers, so there is no run to compare with."
    elif result.parted is None:
        yield "\nNothing differs: at every step the loss is the same."
    else:
        ends = result.losses[-1] - result.reference[-1]
        yield (
            f"\nThey differ from step {result.parted} on; at the last one the loss with yours is "
            f"{abs(ends):.2g} {'lower' if ends < 0 else 'higher'}."
        )


def _losses(
    text: str, slug: str, modules: Mapping[str, str], sandbox: Sandbox, steps: int | None = None
) -> tuple[np.ndarray | None, str]:
    """The losses of a run, or else why there are none; what came back is not trusted."""
    outcome = sandbox.run(
        f"{HEAD}{text}{RUN}",
        "run",
        [CALL],
        filename=f"{slug}.py",
        modules=modules,
        limits=LIMITS,
    )
    case = outcome.cases[0] if outcome.cases else {}
    if error := case.get("error"):
        return None, one_line(f"{error.get('type', '')}: {error.get('message', '')}")
    losses = (case.get("values") or {}).get("output")
    if not isinstance(losses, np.ndarray) or losses.dtype != np.float64 or losses.ndim != 1:
        return None, one_line(outcome.detail) or "no losses were returned"
    if steps not in (None, len(losses)):
        return None, f"expected {steps} losses, got {len(losses)}"
    return losses, ""


def _folder() -> Path:
    return course.ROOT / "course" / "recipes"
