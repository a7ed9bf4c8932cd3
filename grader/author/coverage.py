"""Coverage: the public cases of an exercise try everything that its statement promises."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from grader import course
from grader.author.exercise import PUBLIC_SEED, Call, Case, Exercise
from grader.enclose.worker.entry import Kind, only
from grader.judge import records, syntax

ERROR = re.compile(r"^\s*(\w+(?:Error|Exception|Warning)):", re.MULTILINE)


def missing(exercise: Exercise) -> Iterator[str]:
    """Yield what no public case tries, one sentence each."""
    node, methods = _parts(exercise)
    tried = exercise.calls(PUBLIC_SEED, hidden=False)
    called = [node] if isinstance(node, ast.FunctionDef) else methods
    for error in promised(exercise):
        if not any(case.raises == error for case, _ in tried):
            yield f"the docstring promises a {error} that no public case tries: raises={error!r}"
    for name, default in _options(called):
        if not any(_given(call, name, default) for _, call in tried):
            yield f"the option {name!r} keeps its default in every public case"
    bases = [syntax.dotted(base) for base in getattr(node, "bases", ())]
    if any(base.endswith("Module") for base in bases):
        yield from _module(tried)
    if any(base.endswith("Optimizer") for base in bases):
        yield from _optimizer(tried)
    given = [[call.args, call.steps] for case, call in tried if not case.raises]
    floats = any(map(_has_floats, given))
    if floats and not any(case.dtype for case, _ in tried):
        yield 'no public case is in another dtype: dtype="float32"'


def promised(exercise: Exercise) -> list[str]:
    """The errors that the docstrings of a solution name, in alphabetical order."""
    node, methods = _parts(exercise)
    return sorted(set(_errors(node, *methods)))


def _parts(exercise: Exercise) -> tuple[syntax.Definition, list[ast.FunctionDef]]:
    """The definition of a solution, and its methods if it is a class."""
    node = syntax.definition(course.solution(exercise.slug), exercise.symbol)
    named = {part.name: part for part in node.body if isinstance(part, ast.FunctionDef)}
    return node, list(named.values())


def size_one(cases: Sequence[records.RecordedCase]) -> Iterator[str]:
    """Where tensors of floats are returned, is there one with an axis of size 1?"""
    shapes = [
        value.shape
        for case in cases
        for value in only(case.expected, Kind.OUTPUT).values()
        if isinstance(value, np.ndarray) and value.dtype.kind == "f"
    ]
    if any(shapes) and not any(1 in shape for shape in shapes):
        yield "no case returns a tensor with an axis of size 1: a `squeeze` in the answer passes"


def _module(tried: list[tuple[Case, Call]]) -> Iterator[str]:
    if not any(case.probe == "fresh" for case, _ in tried):
        yield 'no public case looks at a fresh module: probe="fresh"'
    run = [call.training for case, call in tried if case.probe != "fresh" and not case.raises]
    for mode, training in (("training", True), ("evaluation", False)):
        if training not in run:
            yield f"no public case is in {mode} mode"


def _optimizer(tried: list[tuple[Case, Call]]) -> Iterator[str]:
    groups = [group for _, call in tried for group in _groups(call)]
    if not any(group.get("count", 1) > 1 for group in groups):
        yield 'no public case has a group of several parameters: "count": 2'
    if not any(call.args.get("state") for _, call in tried):
        yield 'no public case looks at what is kept of each parameter: "state": True'
    given = [call.args.get("gradients") for _, call in tried]
    steps = [step for steps in given if isinstance(steps, list | tuple) for step in steps]
    if not any(None in [g if g is None else 0 for g in step[:-1]] for step in steps):
        yield "no public case lacks the gradient of a parameter that others follow"


def _errors(*nodes: syntax.Definition) -> Iterator[str]:
    """Errors that docstrings promise."""
    for node in nodes:
        _, _, rest = (ast.get_docstring(node) or "").partition("Raises:")
        yield from ERROR.findall(rest)


def _options(functions: list[ast.FunctionDef]) -> Iterator[tuple[str, object]]:
    """Parameters with a default, and the default, of public functions and constructors."""
    for function in functions:
        if function.name.startswith("_") and function.name != "__init__":
            continue
        given = function.args
        plain = [*given.posonlyargs, *given.args]
        pairs = list(zip(plain[len(plain) - len(given.defaults) :], given.defaults, strict=True))
        named = zip(given.kwonlyargs, given.kw_defaults, strict=True)
        pairs += [(parameter, default) for parameter, default in named if default]
        for parameter, default in pairs:
            try:
                yield parameter.arg, ast.literal_eval(default)
            except ValueError:  # no literal: whatever is given counts
                yield parameter.arg, _given


def _given(call: Call, name: str, default: object) -> bool:
    """Does a call give a parameter anything but its default?"""
    holders: list[Mapping] = [call.args, call.init or {}, *_groups(call)]
    holders += [args for _, args in call.steps if args]
    values = [holder[name] for holder in holders if name in holder]
    return any(isinstance(value, np.ndarray) or value != default for value in values)


def _groups(call: Call) -> list[Mapping]:
    """The settings of an optimizer's groups; a convolution's groups are a number."""
    groups = call.args.get("groups")
    return list(groups) if isinstance(groups, list | tuple) else []


def _has_floats(value: object) -> bool:
    if isinstance(value, Mapping):
        return any(map(_has_floats, value.values()))
    if isinstance(value, list | tuple):
        return any(map(_has_floats, value))
    return isinstance(value, np.ndarray) and value.dtype.kind == "f"
