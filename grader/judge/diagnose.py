"""From wrong numbers to words: which known mistake gives them, or what is seen in them at least.

A cause is named where its numbers agree in every failed case; a wrong name is worse than none.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from grader.enclose.worker.entry import Kind, kind_of, only
from grader.judge import prints
from grader.judge.compare import BEHAVIOR, differ, wrong
from grader.judge.difference import Difference
from grader.judge.looks import looks, nearly, returned, where
from grader.judge.prints import Print
from grader.judge.records import Mistake, RecordedCase
from grader.judge.words import agreeing, label

MOST = 2  # sentences on what is seen
SEVERAL = 2  # failed cases that speak for each of two mistakes at once
DESCRIBED = (Kind.OUTPUT, Kind.BUFFER, Kind.STATE, Kind.GRAD)  # what sentences are on
SECONDS = 3.0  # of processor for one answer; honest ones take hundredths
SPEAKS = (
    *BEHAVIOR,
    "layout",
    "parameters",
    "raises",
    "fresh",
    "score",
    "cost",
)  # kinds that say it all
WORDED = (  # errors that Python words differently from version to version, and one word for each
    (r"^maximum recursion depth exceeded.*", "maximum recursion depth exceeded"),
    (r"^(max|min)\(\) (arg is an empty sequence|iterable argument is empty)", r"\1() of nothing"),
)

Results = Sequence[Mapping]  # what the worker sent for each case


@dataclass
class Fit:
    """How a known mistake fits an answer: the failed cases in which it shows, and where alike."""

    mistake: Mistake
    shows: set[int] = field(default_factory=set)
    agrees: set[int] = field(default_factory=set)


class Exhausted(Exception):
    """It takes too long to find words for an answer. The verdict stands without them."""


class Clock:
    """Ends what has computed for longer than `SECONDS`."""

    def __init__(self):
        self.end = time.thread_time() + SECONDS

    def look(self) -> None:
        """
        Raises:
            Exhausted: the time is up.
        """
        if time.thread_time() > self.end:
            raise Exhausted


def known(
    mistakes: Sequence[Mistake], cases: Sequence[RecordedCase], answers: Results
) -> tuple[list[Mistake], bool]:
    """Name the known mistakes that give these numbers.

    One mistake explains a submission when it gives the same numbers, or the same error, on every
    case that fails and is right on every case that passes. Where none does, two at once may: of the
    failed cases, each alone gives the numbers of several. Where several pairs could be meant, none
    is named.

    Args:
        mistakes: of the exercise.
        cases: of the exercise.
        answers: what the worker sent, one per case.

    Returns:
        The mistakes, and whether each of them explains every case; False for two at once.
    """
    fits = {mistake.name: Fit(mistake) for mistake in mistakes}
    failed, telling, clock = set(), set(), Clock()
    for index, (entry, answer) in enumerate(zip(cases, answers, strict=True)):
        clock.look()
        passed, difference = _judged(entry, answer)
        for name, result in entry.mistakes.items():
            if passed:  # it would have failed here
                fits.pop(name, None)
            elif name in fits:
                fits[name].shows.add(index)
                if same(result, answer, entry):
                    fits[name].agrees.add(index)
        if not passed:
            failed.add(index)
        if difference and _is_telling(difference, answer["values"].get(difference.where)):
            telling.add(index)
    if whole := [fit.mistake for fit in fits.values() if fit.agrees == failed]:
        return whole, True
    return _two_at_once([*fits.values()], failed, telling), False


def observe(cases: Sequence[RecordedCase], answers: Results) -> Iterator[str]:
    """Describe wrong numbers that no known mistake gives.

    Args:
        cases: of the exercise.
        answers: what the worker sent, one per case.

    Yields:
        Sentences for the student, each true of every failed case, which it says where others are
        right; none holds an expected number.
    """
    right, failed = [], []
    for entry, answer in zip(cases, answers, strict=True):
        passed, difference = _judged(entry, answer)
        if passed:
            right.append(entry)
        else:
            failed.append((entry, answer.get("values"), difference))
    places = {difference.where for *_, difference in failed if difference}
    if places and all(kind_of(place) is Kind.GRAD for place in places):  # not looked at everywhere
        right = [entry for entry in right if places & entry.expected.keys()]
    if any(kind_of(place) is Kind.FRESH for place in places - {"fresh.device"}):
        right = [entry for entry in right if _is_drawn(entry)]
    yield from _only_with(right, [entry for entry, *_ in failed])
    if any(difference is None or difference.kind in SPEAKS for *_, difference in failed):
        return
    wants: list[Any] = [entry.expected.get(way.where) for entry, _, way in failed if way]
    shown = [case for case, want in zip(failed, wants, strict=True) if not _is_empty(want)]
    alone = len(shown) == 1 and np.ndim(wants[0]) == 0  # one number, which anything may resemble
    clock = Clock()
    common: list[tuple[str, str]] | None = None
    for entry, values, _ in shown:
        seen = [*_seen(entry, values or {}, alone, clock)]
        common = seen if common is None else [one for one in common if one in seen]
        if not common:
            break
    said: dict[str, str] = {}
    for subject, sentence in common or ():
        said.setdefault(subject, sentence)
    where_it_fails = len(answers) > len(failed)
    for sentence in [*said.values()][:MOST]:
        yield f"Where it fails, {_lower(sentence)}" if where_it_fails else sentence


def essence(error: Mapping) -> dict:
    """Return what identifies an error, on every version of Python."""
    found = {key: error.get(key) for key in ("kind", "type", "message")}
    for pattern, plain in WORDED:
        found["message"] = re.sub(pattern, plain, found["message"] or "")
    return found


def same(wrong: Mapping, answer: Mapping, entry: RecordedCase) -> bool:
    """Did an answer go wrong exactly as a recorded mistake did, in the same costs if in any?"""
    if "error" in wrong:
        return essence(answer.get("error") or {}) == essence(wrong["error"])
    values = answer.get("values")
    if values is None:
        return False
    due = prints.whole(wrong, entry.expected)
    printed = {name: value for name, value in due.items() if isinstance(value, Print)}
    if not all(each.fits(values.get(name), entry.tolerance) for name, each in printed.items()):
        return False
    plain, rest = ({n: of[n] for n in of if n not in printed} for of in (due, values))
    if differ(plain, rest, entry.tolerance):
        return False
    one, other = ([cost.where for cost in entry.beyond(of)] for of in (due, values))
    return one == other


def _judged(entry: RecordedCase, answer: Mapping) -> tuple[bool, Difference | None]:
    """Is it right, and if it returned something wrong, what is wrong?"""
    if "values" not in answer:
        return False, None
    difference = entry.judge(answer["values"])
    return difference is None, difference


def _is_telling(difference: Difference, got: object) -> bool:
    """Would other mistakes hardly give these numbers as well, as they would 0 or NaN or 3?"""
    if difference.kind != "value" or not isinstance(got, np.ndarray | float):
        return False
    got = np.asarray(got)
    return bool(np.any(got[np.isfinite(got)])) if got.dtype.kind == "f" else got.size > 3


def _two_at_once(fits: Sequence[Fit], failed: set[int], telling: set[int]) -> list[Mistake]:
    """The only two mistakes that explain all that failed; none where there is no such pair. What
    both together give is not recorded, so a case in which neither alone does speaks against them.
    """
    found = []
    for one, other in combinations(fits, 2):
        alone = one.agrees & telling - other.agrees, other.agrees & telling - one.agrees
        if min(map(len, alone)) >= SEVERAL and failed == one.agrees | other.agrees:
            found.append([one.mistake, other.mistake])
    return found[0] if len(found) == 1 else []


def _only_with(right: Sequence[RecordedCase], failed: Sequence[RecordedCase]) -> Iterator[str]:
    """The one setting that tells all failed cases from all others; no word where several do."""
    probes = {entry.call.get("probe") for entry in failed}  # a fresh module has no arguments
    right = [entry for entry in right if entry.call.get("probe") in probes]
    if not any("raised" in entry.expected for entry in failed):  # an error tells of no numbers
        right = [entry for entry in right if "raised" not in entry.expected]
    if not right or not failed:
        return
    passing, failing = [[_settings(entry) for entry in some] for some in (right, failed)]
    sentences = []
    for name in dict.fromkeys(name for settings in failing for name in settings):
        good = {settings.get(name) for settings in passing}
        bad = {settings.get(name) for settings in failing}
        right_value, wrong_value = min(good, key=str), min(bad, key=str)
        if good & bad:
            continue
        if name == "training":
            modes = ("in training", "in evaluation")
            sentences.append(
                "It is right {} and wrong {}.".format(*modes[:: 1 if right_value else -1])
            )
        elif name == "dtype":  # that it is right where less is asked says nothing
            kinds = (
                ", ".join(sorted(str(kind or "float64") for kind in some)) for some in (good, bad)
            )
            sentence = "It is right in {} and wrong in {}.".format(*kinds)
            sentences.append("" if None in bad else sentence)
        elif len(bad) == 1 and _is_option(wrong_value, good | bad, len(right) + len(failed)):
            sentences.append(f"It is wrong only with {name} = {wrong_value!r}.")
        elif good == {None} and bad == {...}:
            sentences.append(f"It is right without {name} and wrong with it.")
        elif bad == {None} and good == {...}:
            sentences.append(f"It is right with {name} and wrong without it.")
        elif good == {None}:
            sentences.append(
                f"It is right where {name} is left to its default, and wrong elsewhere."
            )
        elif bad == {None}:
            sentences.append(
                f"It is wrong where {name} is left to its default, and right elsewhere."
            )
        elif len(good) == 1 and isinstance(right_value, bool | float) and right_value in (0, 1):
            value = right_value if isinstance(right_value, bool) else f"{right_value:g}"
            sentences.append(f"It is right with {name} = {value} and wrong otherwise.")
    if axes := list(_only_axes(right, failed)):
        sentences.append(axes[0])  # several arguments may have grown together
    if len(sentences) == 1 and sentences[0]:
        yield sentences[0]


def _is_option(value: object, all_values: set, cases: int) -> bool:
    """Is it one of a few words or truths, and no text of its own in each case?"""
    return isinstance(value, bool) or (isinstance(value, str) and 2 * len(all_values) <= cases)


def _settings(entry: RecordedCase) -> dict[str, object]:
    """Settings of a case, by name: numbers, truths and words as they are, of the rest its kind."""
    call, settings = entry.call, {}
    for name, value in {**(call.get("init") or {}), **call["args"]}.items():
        plain = value is None or isinstance(value, bool | int | float | str)
        settings[f"`{name}`"] = value if plain else ...
    return settings | {"training": bool(call.get("training")), "dtype": call.get("dtype")}


def _only_axes(right: Sequence[RecordedCase], failed: Sequence[RecordedCase]) -> Iterator[str]:
    """Is it wrong where an argument has more axes, or fewer, than in any case that is right?"""

    def axes(entries: Sequence[RecordedCase]) -> list[int]:
        return [np.ndim(entry.call["args"].get(name)) for entry in entries]

    for name in failed[0].call["args"]:
        given = [entry.call["args"].get(name) for entry in [*right, *failed]]
        if not all(isinstance(value, np.ndarray) for value in given):
            continue
        if min(axes(failed)) > max(axes(right)):
            yield f"It is right up to {_axes(max(axes(right)))} of `{name}` and wrong with more."
        elif max(axes(failed)) < min(axes(right)):
            yield f"It is right from {_axes(min(axes(right)))} of `{name}` on, wrong with fewer."


def _axes(count: int) -> str:
    return "1 axis" if count == 1 else f"{count} axes"


def _seen(
    entry: RecordedCase, values: Mapping, alone: bool, clock: Clock
) -> Iterator[tuple[str, str]]:
    """Yield the name of each wrong value in a failed case, and a sentence on it."""
    tolerance = entry.tolerance
    if not entry.call.get("steps"):  # what a step returns, it returns alone
        for sentence in returned(entry.expected, values, tolerance, entry.label):
            yield "all", sentence
    bad = [
        name
        for name, want in only(entry.expected, *DESCRIBED).items()
        if name in values and differ({name: want}, {name: values[name]}, tolerance)
    ]
    for name in bad:
        clock.look()
        if kind_of(name) is not Kind.GRAD:
            subject = "It" if name == "output" else entry.label(name)
            for look in looks(entry.expected[name], values[name], entry.call, tolerance, alone):
                yield name, f"{agreeing(subject, look)}."
    if all(kind_of(name) is Kind.GRAD for name in bad):
        for name in bad:
            clock.look()
            for look in _slopes(entry.expected[name], values[name], entry.call, tolerance):
                yield name, f"Every output is right, and {_lower(label(name))} {look}."


def _slopes(want: np.ndarray, got: object, call: Mapping, tolerance: float) -> Iterator[str]:
    """Describe a wrong gradient when every output is right."""
    if got is None and np.any(want):
        yield (
            "is missing: look for what cuts it off (detach(), .data, .item(), torch.no_grad(), "
            "torch.tensor(...)), or for a branch that leaves it unused"
        )
    if not isinstance(want, np.ndarray) or not isinstance(got, np.ndarray):
        return
    if got.shape != want.shape or got.dtype != want.dtype:
        return
    bad = wrong(want, got, tolerance)
    yield from nearly(want, got, tolerance)
    if not np.isfinite(got).all():
        yield (
            "is not finite: look for 0 that meets ∞, as in the branch that torch.where does not "
            "take, in a square root of 0, or in 0 · log 0"
        )
    yield from where(want, got, call, tolerance)
    if not np.any(got[bad]):
        yield (
            "is not: it is 0 where it should not be. Look for a detach, .data, .item(), "
            "torch.no_grad(), rounding, clamping, or a step that is left out for these numbers"
        )
    elif not np.any(want[bad]):
        yield "is not 0 where it should be"
    else:
        yield from looks(want, got, call, tolerance)
    yield "is not"


def _is_drawn(entry: RecordedCase) -> bool:
    """Is it a fresh module with numbers, which one on a device that holds none has not?"""
    return "fresh.seeded" in entry.expected


def _lower(text: str) -> str:
    """In the middle of a sentence; what is no word stays, such as W_1."""
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def _is_empty(value: object) -> bool:
    return isinstance(value, np.ndarray) and value.size == 0
