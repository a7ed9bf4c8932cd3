"""Study a student's files before anything of them runs.

This happens in a process of its own (`grader.judge.reader`), for nobody knows what a text does to
those who read it. Standard library only.

A module runs whole, as Python would run it. Of a notebook an exercise is given what its
definition reaches: imports, functions, classes and values, by name, in the last version that ran.
A cell that fails costs nothing outside of itself.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import hashlib
import json
import marshal
import signal
import sys
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence

from grader.judge import source, syntax
from grader.judge.cells import Notebook, Statement, defined, no_python
from grader.judge.inspection import Inspection
from grader.judge.likeness import fragments
from grader.judge.needs import Needs
from grader.judge.unpack import MODULE, TOO_MUCH, BadFile, lines_ended, unpack

SECONDS = 5.0  # of computing for one text; an honest one takes hundredths
MEMORY = 512 * 2**20  # bytes
CODE = 2**20  # bytes of a module's code; texts of a few bytes can stand for much of it
Wanted = Mapping[str, tuple[Collection[str], Collection[str]]]


def study_module(name: str, text: str, wanted: Wanted) -> dict:
    """Read a module.

    Args:
        name: of the file; tracebacks call it that.
        text: Python.
        wanted: symbols of exercises; of each, names that it may not use, and those of all
            exercises of the chapter.

    Returns:
        For each symbol what `grader.judge.submission.Reading` holds.
    """
    text = lines_ended(text)
    if len(text.encode()) > MODULE:
        raise BadFile(f"{name} is larger than {MODULE // 2**10} KB.")
    try:
        module = Inspection(text)
    except (SyntaxError, ValueError) as error:
        return dict.fromkeys(wanted, _reading(text, error=no_python(error, text)))
    notebook = Notebook([text])
    code = _compiled(text, name) if len(wanted) > 1 else ""
    found = {}
    for symbol, (forbidden, needs) in wanted.items():
        try:
            uses = Needs(notebook, [symbol]).uses(needs)
        except RecursionError:
            uses = []
        found[symbol] = _judged(module, text, symbol, forbidden) | {"uses": uses, "code": code}
    return found


def _compiled(text: str, name: str) -> str:
    """Code of a module, in base64, which each of its exercises would compile anew; none where that
    would warn or fail, which the student is to see. Like there, annotations are not evaluated.
    """
    with warnings.catch_warnings(), contextlib.suppress(Exception):
        warnings.simplefilter("error")
        code = marshal.dumps(compile(text, name, "exec"))
        return base64.b64encode(code).decode() if len(code) <= CODE else ""
    return ""


def _reading(text: str, **more) -> dict:
    nothing = {"fingerprint": "", "shortcut": None, "unwritten": True, "uses": [], "left_out": []}
    made = {"text": text, "code": "", "pieces": [], "error": None, "refused": ""}
    return made | nothing | more


def _judged(module: Inspection, text: str, symbol: str, forbidden: Collection[str]) -> dict:
    """Study the source of one exercise."""
    own = module.binding.get(symbol, ())[-1:]
    return _reading(
        text,
        fingerprint=hashlib.sha256(module.fingerprint(symbol).encode()).hexdigest(),
        shortcut=next(module.shortcuts(symbol, forbidden), module.way_out),
        unwritten=not own or _unwritten(own[0]),
    )


def _unwritten(node: ast.stmt) -> bool:
    """Does it still raise what skeletons raise?"""
    for part in ast.walk(node):
        if isinstance(part, ast.Raise) and part.exc is not None:
            raised = part.exc.func if isinstance(part.exc, ast.Call) else part.exc
            if syntax.dotted(raised) == "NotImplementedError":
                return True
    return False


def stand_in(name: str, text: str, given: Mapping[str, str]) -> dict:
    """Put other definitions in the place of a module's own, or at its end where it has none.

    Args:
        name: of the file.
        text: Python.
        given: for each symbol the text that takes the place of its definition.
    """
    for symbol, other in given.items():
        try:
            text = source.replace(text, symbol, other)
        except LookupError:
            text = f"{text}\n\n{other}"
    return {"text": text}


def learned(
    name: str, cells: Sequence[str], passed: Sequence[str], others: Collection[str], home: str
) -> dict:
    """Select what has passed of a file, and all that it needs of it.

    Args:
        name: of the file.
        cells: of a notebook; a module is one.
        passed: exercises.
        others: exercises that have not passed, which are imported in the place of what is there.
        home: the module that has them.

    Returns:
        ``names``, those of the passed that are written here, ``text``, and ``pieces``, where its
        lines come from.
    """
    notebook = Notebook([lines_ended(cell) for cell in cells])
    if len(cells) == 1 and notebook.broken:
        told = no_python(notebook.broken[1], cells[0])
        raise BadFile(f"{name}, line {told['line']}, is no Python: {told['message']}.")
    last = {symbol: there[-1] for symbol, there in notebook.ran.items()}
    for symbol in last.keys() & {*others}:
        text, there = f"from {home} import {symbol}", last[symbol]
        one = Statement(ast.parse(text).body[0], text, there.cell, there.place, there.future)
        notebook.ran[symbol] = [one]
    names = [one for one in passed if one in last and not _unwritten(last[one].node)]
    text, pieces = Needs(notebook, names).text() if names else ("", [])
    return {"names": names, "text": text, "pieces": pieces}


def study_notebook(
    name: str,
    cells: Sequence[str],
    wanted: Wanted,
    failed: Sequence[tuple[int, tuple[int, int]]] = (),
) -> dict:
    """Read the code cells of a notebook.

    Args:
        name: of the file.
        cells: in the order in which they stand, or ran.
        wanted: as for a module.
        failed: cells that did not run to their end, counted from 1, and the line and column in
            which each stopped; line 0 where that is not known.

    Returns:
        For each symbol what `grader.judge.submission.Reading` holds.
    """
    notebook = Notebook([lines_ended(cell) for cell in cells], dict(failed))
    found = {}
    for symbol, (forbidden, needs) in wanted.items():
        try:
            found[symbol] = _of_notebook(notebook, symbol, forbidden, needs)
        except (MemoryError, RecursionError):
            found[symbol] = _reading("", refused=f"{name} {TOO_MUCH}.")
    return found


def _of_notebook(
    notebook: Notebook, symbol: str, forbidden: Collection[str], needs: Collection[str]
) -> dict:
    """Select what is to run for one exercise, and say what its source shows."""
    known = notebook.ran.keys() | notebook.unsure.keys()
    if symbol not in known:
        for cell, error in reversed(notebook.broken.items()):
            if symbol in defined(text := notebook.codes[cell]):
                place = [1, cell, 1, text.count("\n") + 1]
                return _reading(text, pieces=[place], error=no_python(error, text))
    # near names are looked for among all definitions
    taken = Needs(notebook, [symbol] if symbol in known else notebook.definitions)
    text, pieces = taken.text()
    if len(text.encode()) > MODULE:
        return _reading("", refused=f"It needs more than {MODULE // 2**10} KB of code.")
    more = {"pieces": pieces, "uses": taken.uses(needs), "left_out": list(taken.left_out())}
    return _judged(Inspection(text), text, symbol, forbidden) | more


TASKS: dict[str, Callable[..., object]] = {
    "unpack": unpack,
    "study_module": study_module,
    "study_notebook": study_notebook,
    "learned": learned,
    "stand_in": stand_in,
    "fragments": fragments,
}


def serve() -> None:
    """Answer lines with lines until there are no more."""
    import resource  # here, so that this module can be imported on Windows

    for what, value in (("AS", MEMORY), ("CORE", 0)):
        with contextlib.suppress(ValueError, OSError):  # not every system knows every limit
            resource.setrlimit(getattr(resource, f"RLIMIT_{what}"), (value, value))
    _say({})
    for line in sys.stdin.buffer:
        signal.setitimer(signal.ITIMER_PROF, SECONDS)  # ends the process when it rings
        name = "It"
        try:
            request = json.loads(line)
            name = request["given"]["name"]
            answer = {"done": TASKS[request["task"]](**request["given"])}
        except BadFile as refusal:
            answer = {"refused": str(refusal)}
        except (MemoryError, RecursionError):
            answer = {"refused": f"{name} {TOO_MUCH}."}
        except Exception as error:
            answer = {"failed": f"{type(error).__name__}: {error}"}
        _say(answer)
        signal.setitimer(signal.ITIMER_PROF, 0)


def _say(answer: dict) -> None:
    sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
    sys.stdout.buffer.flush()
