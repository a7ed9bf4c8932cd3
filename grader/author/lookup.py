"""Find what public records give away: which cases of an instructor's record they answer,
and what a submission earns that has memorized them.
"""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from grader.author.bench import Bench
from grader.author.recording import same_inputs
from grader.enclose.witness import opened
from grader.enclose.worker import wire
from grader.enclose.worker.entry import MADE, RETURNED, Kind, item, paths
from grader.judge import grading
from grader.judge.records import Record, RecordedCase
from grader.judge.submission import Submission

TEXT = Path(__file__).with_name("by_heart.py.txt")
SIZE = 150_000  # bytes of what is learned, so that it fits into one file
MOST = 0.1  # share of the points that may be earned from memory
LEAST = 0.5  # share of the exercise's points that an instructor's record is worth at least


def unseen(document: Mapping, public: Record) -> dict:
    """An instructor's record without the cases that a public one answers: those with the inputs of
    a public case, and those in which what is due is what is due in the public case of that name.

    Args:
        document: as `grader.author.recording.record` makes it.
        public: the same exercise's.
    """
    cases = [case for case in document["cases"] if not _known(case, public)]
    points = sum(case["points"] for case in cases)
    return {**document, "cases": cases, "manifest": {**document["manifest"], "points": points}}


def _known(case: Mapping, public: Record) -> bool:
    if any(same_inputs(dict(one.call), dict(case["call"])) for one in public.cases):
        return True
    twin = next((one for one in public.cases if one.name == case["name"]), None)
    return twin is not None and RecordedCase(**case).judge(twin.expected) is None


def gaps(bench: Bench, public: Record, hidden: Record) -> Iterator[str]:
    """Yield what is wrong with an instructor's record, as `unseen` leaves it."""
    points, whole = sum(case.points for case in hidden.cases), bench.exercise.points
    if points < LEAST * whole:
        yield (
            f"public cases answer all but {points} of its {whole} points: draw other inputs for an"
            " instructor (`afresh`)"
        )
    submission = Submission(by_heart(public), f"{bench.exercise.slug}.py")
    result = grading.check(hidden, submission, sandbox=bench.sandbox)
    if result.status in ("refused", "unread", "ungraded"):
        yield f"the submission that memorized could not be tried: {result.detail}"
    if result.earned > MOST * points:
        won = ", ".join(case.name for case in result.cases if case.earned)
        yield f"memorizing the public cases earns {result.earned} of {points}: {won}"


def by_heart(public: Record) -> str:
    """A submission that returns what was due in the public case that is most like the call."""
    kept, size = [], 0
    for entry in sorted(_entries(public), key=lambda entry: len(wire.dumps(entry))):
        size += len(wire.dumps(entry))
        if size < SIZE:
            kept.append(entry)
    learned = base64.b64encode(zlib.compress(wire.dumps(kept))).decode()
    shapes = {
        name: shape
        for case in public.cases
        for name, shape in case.expected.get("parameters", {}).items()
    }
    values = [
        name
        for case in public.cases
        for name, given in case.call.get("steps") or ()
        if given is None
    ]
    kind = "Layer" if shapes else "Thing" if public.cases[0].call["probe"] == "steps" else "answer"
    text = TEXT.read_text(encoding="utf-8").replace("LEARNED", f'"{learned}"')
    text = text.replace("VALUES", repr(sorted({*values})))
    symbol = public.manifest.symbol
    if kind == "answer":
        return f"{text}\n\ndef {symbol}(**given):\n    return answer(None, [], '', given)\n"
    return f"{text}\n\nclass {symbol}({kind}):\n    pass\n"


def _entries(public: Record) -> Iterator[dict]:
    """Yield each call or step of the public cases, with the result that was due."""
    for case in public.cases:
        call, due = case.call, case.expected
        whole = {"parameters": due.get("parameters", {}), "slopes": paths(due, Kind.GRAD)}
        if call["probe"] in ("fresh", "optimizer", "dropped"):
            continue
        if call.get("steps"):
            parts = [(name, given) for name, given in call["steps"]]
        elif call["probe"] == "calls":
            every = call["args"]["calls"]
            if isinstance(every, Mapping):  # made by the worker, of such a list
                every = every[MADE][1]["calls"]
            parts = [("", given) for given in every]
        else:
            parts = [("", call["args"])]
        several, before, earlier = bool(call.get("steps")) or call["probe"] == "calls", [], []
        for index, (name, given) in enumerate(parts):
            head = item("output", index) if several else "output"
            shown = {
                "output" + key.removeprefix(head): value
                for key, value in due.items()
                if re.match(re.escape(head) + r"($|\[)", key)
            }
            if "raised" in due:
                shown = {"raised": due["raised"]}
            given = {
                key: earlier[value[RETURNED][0]].get("output", value)
                if isinstance(value, Mapping) and RETURNED in value
                else value
                for key, value in (given or {}).items()
            }
            asked = opened([call["init"], [*before], given])
            yield {"name": name, "asked": asked, "shown": shown} | whole
            earlier.append(shown)
            if several and call["probe"] != "calls":
                before.append(given)
