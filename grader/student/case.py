"""One public case taken in hand: what goes in, what is due, what an answer gives; as a program."""

from __future__ import annotations

import difflib
import io
import pprint
import textwrap
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path

import numpy as np

from grader import files
from grader.enclose.sandbox import Sandbox
from grader.enclose.worker.entry import (
    BFLOAT16,
    BYTES,
    MADE,
    TYPE,
    Kind,
    kind_of,
    only,
    path_of,
    paths,
)
from grader.errors import UserError
from grader.judge import grading, records
from grader.judge.records import Manifest, Record, RecordedCase
from grader.judge.submission import Submission

WHOLE = 60  # numbers of an example, inputs and what is due together
FEW = 12  # numbers of an array that are shown; of longer ones the first and last
LONGEST = 8_000  # characters of a program that a notebook shows
LITERAL = 60  # numbers that a program writes down; more lie in a file beside it
RUNS = ("function", "module", "calls", "defaults")  # probes whose call is a few lines of Python
SHOWN = (Kind.OUTPUT, Kind.GRAD, Kind.BUFFER, Kind.FRESH, Kind.COST)
FINDINGS = ("raised", "parameters", "changed")  # shown, too


PLAIN = """
def plain(value):  # tuples are as good as lists
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value

"""


def find(record: Record, name: str) -> RecordedCase:
    """A case by its name, or by a part of it that only one has.

    Raises:
        UserError: none, or several.
    """
    names = [case.name for case in record.cases]
    exact = [case for case in record.cases if case.name == name]
    some = exact or [case for case in record.cases if name.lower() in case.name.lower()]
    if len(some) == 1:
        return some[0]
    if some:
        raise UserError(f"{name!r} could be {', '.join(repr(case.name) for case in some)}.")
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    guess = f"Did you mean {near[0]!r}?" if near else f"There are: {', '.join(map(repr, names))}."
    raise UserError(f"{record.manifest.id} has no case {name!r}. {guess}")


def answered(
    record: Record, case: RecordedCase, submission: Submission, sandbox: Sandbox
) -> tuple[Mapping, str]:
    """Run an answer on a case: its results by name, and the error if it raises one."""
    reading = submission.reading(record.manifest)
    if reading.error or reading.refused:
        return {}, reading.refused or str((reading.error or {})["message"])
    manifest = record.manifest
    options = grading.options(manifest, submission)
    outcome = sandbox.run(reading.text, manifest.symbol, [dict(case.call)], **options)
    return _parted(outcome.cases[0]) if outcome.cases else ({}, outcome.detail)


def _parted(answer: Mapping) -> tuple[Mapping, str]:
    """Results of a case by name, and the error."""
    error = answer.get("error")
    if error:
        kind = f"{error['type']}: " if error.get("type") not in (None, "", "Refusal") else ""
        return {}, f"{kind}{error['message']}"
    return answer.get("values", {}), ""


def first(result: grading.ExerciseResult, record: Record | None = None) -> str:
    """The first public case that an answer fails, as `fold` shows it; nothing where all pass or it
    did not run. Where what it builds on is wrong, what it returns says nothing of it.

    Args:
        result: of an exercise.
        record: the exercise's public one, if it is loaded already.
    """
    failed = [case for case in result.cases if not case.passed and not case.secret]
    ran = failed and (failed[0].difference or (failed[0].error or {}).get("kind") == "exception")
    if result.status != "failed" or not ran:
        return ""
    record = record or records.load(result.exercise.slug, result.exercise.symbol)
    case = find(record, failed[0].name)
    answer = failed[0].answer
    return fold(record, case, *(_parted(answer) if answer and not result.upstream else ()))


# ----------------------------------------------------------------------------------- to be read


def example(record: Record) -> tuple[str, str] | None:
    """The first case that can be shown whole, inputs and what is due: its name, and its lines.
    None where each has an error due, many numbers, or something that no line shows.
    """
    for case in record.cases:
        due = {f"result{path}": value for path, value in paths(case.expected, Kind.OUTPUT).items()}
        plain = case.call["probe"] == "function" and not _makes(case.call)
        if plain and due and _count([*case.call["args"].values(), *due.values()]) <= WHOLE:
            shown = [f"{name} = {brief(value)}" for name, value in case.call["args"].items()]
            shown += ["", *(f"{name} = {brief(value)}" for name, value in due.items())]
            return case.name, "\n".join(shown)
    return None


def _count(value: object) -> int:
    """How many numbers or texts are in it; too many, where an array is not shown whole."""
    if isinstance(value, Mapping):
        return sum(map(_count, value.values()))
    if isinstance(value, list | tuple):
        return 1 + sum(map(_count, value))
    if isinstance(value, np.ndarray):
        return value.size if value.size <= FEW else WHOLE + 1
    return 1


def lines(
    exercise: Manifest, case: RecordedCase, got: Mapping | None = None, error: str = ""
) -> Iterator[str]:
    """The case in lines: inputs, and what is due, beside what came instead if that is known."""
    call = case.call
    yield f"{exercise.id}, case {case.name!r}{', a corner case' if case.corner else ''}"
    if call.get("dtype"):
        yield f"  everything in {call['dtype']}"
    for title, given in (("made with", call.get("init")), ("called with", call["args"])):
        if given:
            yield f"\n{title}"
            yield from (_named(name, value) for name, value in given.items())
    for name, given in call.get("steps") or ():
        yield f"\nthen {name or 'the object itself'}" + ("" if given else ", as it is")
        yield from (_named(name, value) for name, value in (given or {}).items())
    if "raised" in case.expected:
        yield f"\nexpected is an error: {case.expected['raised']}"
        if got is not None:
            yield f"yours: {error or 'no error'}"
        return
    if case.at_least is not None:
        yield f"\nexpected are predictions, right on {case.at_least:.1%} of the held-out examples"
    if error:
        yield f"\nyours: {error}"
    wanted = {
        name: want
        for name, want in case.expected.items()
        if kind_of(name) in SHOWN or name in FINDINGS
    }
    for name, want in wanted.items():
        if name == "changed" and not want and not (got or {}).get(name):
            continue
        yield f"\n{_label(case, name)}"
        yield f"  expected  {brief(want)}"
        if got is not None and not error:
            right = _is_right(case, name, got)
            mark = "" if right else "   ✗"
            yield f"  yours     {brief(got[name]) if name in got else 'nothing'}{mark}"


def _is_right(case: RecordedCase, name: str, got: Mapping) -> bool:
    try:
        return name in got and case.judge({**case.expected, name: got[name]}) is None
    except Exception:  # values that no probe sends: somebody wrote them by hand
        return False


def _label(case: RecordedCase, name: str) -> str:
    as_it_is = name == "changed" or kind_of(name) in (Kind.FRESH, Kind.COST)
    return name if as_it_is else case.label(name)


def _named(name: str, value: object) -> str:
    return f"  {name} = {brief(value)}"


def brief(value: object) -> str:
    """A value in a line or a few: shape, dtype and some of its numbers."""
    try:
        return _brief(value)
    except Exception:  # what no probe sends
        return "a value that cannot be read"


def _brief(value: object) -> str:
    if isinstance(value, Mapping) and BFLOAT16 in value:
        return brief(value[BFLOAT16]).replace("float32", "bfloat16")
    if isinstance(value, Mapping) and MADE in value:
        return f"a {value[MADE][0]}, made from {brief(value[MADE][1])}"
    if not isinstance(value, np.ndarray):
        said = repr(_unpacked(value))
        return said if len(said) <= 300 else said[:299] + "…"
    numbers = np.array2string(value, precision=6, threshold=FEW, edgeitems=2, separator=", ")
    shape = "×".join(map(str, value.shape)) or "a number"
    inner = (
        textwrap.indent(numbers, "            ").strip()
        if value.ndim < 2
        else "\n" + textwrap.indent(numbers, "            ")
    )
    return f"{shape}, {value.dtype}: {inner}"


def _unpacked(value: object) -> object:
    """Lists and dicts with the bytes in them."""
    if isinstance(value, Mapping) and BYTES in value:
        return bytes.fromhex(value[BYTES])
    if isinstance(value, Mapping):
        return {name: _unpacked(item) for name, item in value.items()}
    return [_unpacked(item) for item in value] if isinstance(value, list | tuple) else value


# ------------------------------------------------------------------------------------ to be run


class Program:
    """A case as Python that runs without the grader, on the answer in the file beside it.

    Args:
        exercise: of the case.
        case: a public one.
        path: of the program; arrays too long to be written down go beside it, as ``.npz``.
        beside: whether the answer lies in a file; in a notebook it is there already.

    Raises:
        UserError: the case is no call that a few lines could repeat.
    """

    def __init__(self, exercise: Manifest, case: RecordedCase, path: Path, *, beside: bool = True):
        self.exercise, self.case, self.path, self.beside = exercise, case, path, beside
        self.arrays: dict[str, np.ndarray] = {}
        probe = case.call["probe"]
        if probe not in RUNS or case.at_least is not None or _makes(case.call):
            raise UserError(
                f"Case {case.name!r} is not a single call, so no program can repeat it; "
                "without --save, grade case shows it."
            )
        self.dtype = case.call.get("dtype")
        self.text = "\n".join([*self._lines()]) + "\n"

    def _lines(self) -> Iterator[str]:
        call, symbol = self.case.call, self.exercise.symbol
        body = [*self._body()]
        yield f'"""Case {self.case.name!r} of {self.exercise.id}: run it, or step through it."""'
        yield ""
        if self.arrays:
            yield "from pathlib import Path\n"
            yield "import numpy as np"
        yield "import torch"
        yield ""
        if self.beside:
            yield f"from {self.exercise.slug} import {symbol}"
            yield ""
        if self.arrays:
            yield f"stored = np.load(Path(__file__).with_suffix({'.npz'!r}))"
        if call["probe"] == "defaults":
            yield "torch.set_default_dtype(torch.float64)"
        outputs = only(self.case.expected, Kind.OUTPUT)
        if any(isinstance(want, list) for want in outputs.values()):
            yield PLAIN
        yield from body
        yield 'print("This case is right.")'

    def _body(self) -> Iterator[str]:
        called = [*self._called()]
        if "raised" in self.case.expected:
            due = self.case.expected["raised"]
            yield "try:"
            yield from (f"    {line}" for one in called for line in one.split("\n"))
            yield f"except {due} as error:"
            yield "    print(repr(error))"
            yield "else:"
            yield f'    raise AssertionError("expected {due}")'
            return
        yield from called
        yield "print(result)"
        yield from self._outputs()
        yield from self._gradients()

    def _called(self) -> Iterator[str]:
        call, called = self.case.call, self.exercise.symbol
        if call.get("init") is not None:
            yield f"net = {called}({self._arguments(call['init'], '')})"
            yield f"net = net.to(torch.{self.dtype or 'float64'})"
            if call.get("state") is not None:
                yield f"net.load_state_dict({self._value(call['state'], 'state')})"
            if call.get("training", False) is not None:
                yield f"net.train({bool(call.get('training', False))})"
            called = "net"
        if call["probe"] == "calls":
            every = call["args"]["calls"]
            calls = [f"{called}({self._arguments(one, f'c{n}_')})" for n, one in enumerate(every)]
            yield "result = (" + "".join(f"\n    {one}," for one in calls) + "\n)"
            return
        for name, value in call["args"].items():
            yield f"{name} = {self._value(value, name)}"
        for name in call["grad"]:
            yield f"{name}.requires_grad_()"
        yield f"result = {called}({', '.join(f'{name}={name}' for name in call['args'])})"

    def _outputs(self) -> Iterator[str]:
        for number, (name, want) in enumerate(self.case.expected.items()):
            if kind_of(name) is not Kind.OUTPUT or (isinstance(want, Mapping) and TYPE in want):
                continue
            value = f"result{path_of(name)}"
            if isinstance(want, np.ndarray) or (isinstance(want, Mapping) and BFLOAT16 in want):
                yield f"expected = {self._value(want, f'expected{number}', cast=False)}"
                yield self._close(value, "expected")
            elif isinstance(want, float):
                yield self._close(f"torch.tensor({value}, dtype=torch.float64)", self._number(want))
            elif isinstance(want, list):
                yield f"assert plain({value}) == {self._value(want, '', cast=False)}"
            else:
                yield f"assert {value} == {self._value(want, '', cast=False)}"

    def _gradients(self) -> Iterator[str]:
        wants = {
            name: want
            for name, want in paths(self.case.expected, Kind.GRAD).items()
            if isinstance(want, np.ndarray | Mapping)
        }
        if not wants:
            return
        yield ""
        yield "# Gradients of the sum of all outputs, each times its own factor"
        yield "total_ = 0"
        for path, want in paths(self.case.expected, Kind.OUTPUT).items():
            floats = isinstance(want, np.ndarray) and want.dtype.kind == "f"
            if floats or (isinstance(want, Mapping) and BFLOAT16 in want):
                value = f"result{path}"
                yield f"out_ = {value}"
                yield "factors = torch.cos(torch.arange(1, out_.numel() + 1, dtype=out_.dtype))"
                yield "total_ = total_ + (out_ * factors.reshape(out_.shape)).sum()"
        yield "total_.backward()"
        for number, (name, want) in enumerate(wants.items()):
            leaf = name if name in self.case.call["grad"] else f'net.get_parameter("{name}")'
            yield f"expected = {self._value(want, f'slope{number}', cast=False)}"
            yield self._close(f"{leaf}.grad", "expected")

    def _close(self, got: str, want: str) -> str:
        tolerance = f"rtol={self.case.tolerance:g}, atol={self.case.tolerance:g}"
        return f"torch.testing.assert_close({got}, {want}, {tolerance}, equal_nan=True)"

    def _number(self, value: float) -> str:
        return f"torch.tensor({self._float(value)}, dtype=torch.float64)"

    @staticmethod
    def _float(value: float) -> str:
        return repr(value) if np.isfinite(value) else f'float("{value}")'

    def _arguments(self, given: Mapping, prefix: str) -> str:
        return ", ".join(
            f"{name}={self._value(value, prefix + name)}" for name, value in given.items()
        )

    def _value(self, value: object, name: str, *, cast: bool = True) -> str:
        """Python that makes a value; floats in the dtype of the case."""
        if isinstance(value, Mapping) and BFLOAT16 in value:
            return self._value(value[BFLOAT16], name, cast=False) + ".bfloat16()"
        if isinstance(value, Mapping) and BYTES in value:
            return repr(bytes.fromhex(value[BYTES]))
        if isinstance(value, Mapping):
            items = (
                f"{key!r}: {self._value(item, f'{name}_{n}', cast=cast)}"
                for n, (key, item) in enumerate(value.items())
            )
            return "{" + ", ".join(items) + "}"
        if isinstance(value, list | tuple):
            items = [self._value(item, f"{name}_{n}", cast=cast) for n, item in enumerate(value)]
            return "[" + ", ".join(items) + "]"
        if isinstance(value, float):
            return self._float(value)
        if not isinstance(value, np.ndarray):
            return repr(value)
        made = f"torch.from_numpy(stored[{name!r}])"
        if value.size > LITERAL:
            self.arrays[name] = value
        else:
            text = pprint.pformat(value.tolist(), width=92, compact=True)
            text = text.replace("nan", 'float("nan")').replace("inf", 'float("inf")')
            made = f"torch.tensor({text}, dtype=torch.{value.dtype})"
            if not value.size:
                made = f"torch.empty({value.shape}, dtype=torch.{value.dtype})"
        floats = value.dtype.kind == "f" and cast and self.dtype
        return f"{made}.to(torch.{self.dtype})" if floats else made


def write(program: Program) -> None:
    """Write a program, and what it loads beside it."""
    if program.arrays:
        content = io.BytesIO()
        np.savez(content, **program.arrays)  # type: ignore[arg-type] # no array is called so
        files.write(program.path.with_suffix(".npz"), content.getvalue())
    files.write(program.path, program.text)


def fold(record: Record, case: RecordedCase, got: Mapping | None = None, error: str = "") -> str:
    """A case as HTML behind a fold: what `lines` says, and the program where it is short."""
    _, *rest = lines(record.manifest, case, got, error)
    parts = [_code("\n".join(rest).strip())]
    command = f'grade case {record.manifest.id} "{case.name}" --save case.py'
    try:
        program = Program(record.manifest, case, Path("case.py"), beside=False)
    except UserError:
        pass  # what the worker alone can make
    else:
        if program.arrays or len(program.text) > LONGEST:
            parts.append(f"As a program: <code>{escape(command)}</code>")
        else:
            parts.append(_folded("As a program, for a cell of its own", _code(program.text)))
    return _folded(f"Look at the case <b>{escape(case.name)}</b>", "".join(parts))


def _folded(summary: str, content: str) -> str:
    return f"<details><summary>{summary}</summary>{content}</details>"


def _code(text: str) -> str:
    style = "overflow-x:auto;white-space:pre;line-height:1.3;margin:.4em 0"
    return f'<pre style="{style}">{escape(text.strip())}</pre>'


def _makes(value: object) -> bool:
    """Does something in it exist in the worker alone?"""
    if isinstance(value, Mapping):
        return MADE in value or any(map(_makes, value.values()))
    return isinstance(value, list | tuple) and any(map(_makes, value))
