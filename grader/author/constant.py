"""Points of functions that compute nothing: one value, one argument or one error in every case.

No code runs. Each result is written down as the sandbox would send it, and is as recorded in all
but what such a function returns. So it earns the most that any function of its kind can.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from grader.enclose.worker.entry import Kind, kind_of, only
from grader.judge import trivial
from grader.judge.records import Record, RecordedCase

MOST = 0.15  # share of the points that may be earned so
LEAST = 1  # point that may be earned so, however few there are
OUTPUTS = (Kind.OUTPUT, Kind.CLOSURE, Kind.BUFFER, Kind.STATE)


def gaps(record: Record, public: Record) -> Iterator[str]:
    """Answers that earn too much of a record, given by someone who knows the public one."""
    most = max(LEAST, MOST * sum(case.points for case in record.cases))
    for what, answers in _submissions(record, public):
        pairs = [*zip(record.cases, answers, strict=True)]
        right = [case.judge(values) is None for case, values in pairs]
        won = [case for case, good in zip(record.cases, right, strict=True) if good]
        earned = sum(case.points for case in won)
        if earned > most and not trivial.missing(record.cases, right):
            names = ", ".join(case.name for case in won)
            yield f"a function that {what} earns {earned}, at most {most:.3g} may be: {names}"


def _submissions(record: Record, public: Record) -> Iterator[tuple[str, list[Mapping]]]:
    """Names of functions that compute nothing, and what each returns in each case."""
    cases = record.cases
    errors = {case.expected["raised"] for case in cases if "raised" in case.expected}
    for error in sorted(errors | {"ValueError"}):
        yield f"raises {error}", [{"raised": error} for _ in cases]
    for filled in trivial.FILLED:
        yield f"returns {filled} everywhere", [_filled(case, filled) for case in cases]
    most = max(len(args) for case in cases for _, args in trivial.given(case))
    for place in range(most):
        yield f"returns argument {place + 1}", [_given(case, place) for case in cases]
    for due in _repeated(public):
        said = ", ".join(map(str, due.values()))
        yield f"returns {said[:60]} everywhere", [_with(case, due) for case in cases]


def _filled(case: RecordedCase, filled: float) -> Mapping:
    """One number everywhere, in results of the type and shape that is due, and as gradients 0."""
    if case.at_least is not None:
        return {"output": trivial.blank(case.held_out["labels"], filled)}
    return _with(case, {}) | {
        name: trivial.blank(value, filled) for name, value in only(case.expected, *OUTPUTS).items()
    }


def _given(case: RecordedCase, place: int) -> Mapping:
    """One of the arguments of each call, by its place."""
    returned: dict[str, object] = {}
    for name, args in trivial.given(case):
        values = [*args.values()]
        returned |= trivial.flat(name, values[place] if place < len(values) else None)
    return _with(case, returned, slopes=True)


def _repeated(record: Record) -> list[Mapping]:
    """Results that are due in several cases."""
    found: dict[str, list[Mapping]] = {}
    for case in record.cases:
        due = only(case.expected, Kind.OUTPUT)
        if due and case.at_least is None:
            found.setdefault(repr(due), []).append(due)
    return [alike[0] for alike in found.values() if len(alike) > 1]


def _with(case: RecordedCase, returned: Mapping, *, slopes: bool = False) -> dict:
    """These results, and beside them what is recorded; gradients are 0 unless `slopes`."""
    if "raised" in case.expected:
        return {"output": None, **returned}
    returns = only(case.expected, Kind.OUTPUT)
    rest = {name: value for name, value in case.expected.items() if name not in returns}
    for name, value in rest.items():
        if kind_of(name) is Kind.GRAD and value is not False and not slopes:
            rest[name] = trivial.blank(value, 0)
        elif trivial.is_drawn(name, value):
            rest[name] = value * [1, 0, 0, 0]  # so many zeros
    return rest | dict(returned)
