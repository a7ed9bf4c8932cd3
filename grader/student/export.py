"""Results for other programs: JSON (described by ``schema.json``) and JUnit XML."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from xml.etree import ElementTree

from grader.judge.grading import CaseResult, ExerciseResult

SCHEMA = Path(__file__).with_name("schema.json")
FORMAT = 1
LONGEST_LOG = 4_000  # characters of what was printed that a document carries


def schema() -> dict:
    """The JSON Schema (draft 2020-12) of what `as_json` returns."""
    return json.loads(SCHEMA.read_text(encoding="utf-8"))


def as_json(
    results: Sequence[ExerciseResult], missing: Sequence[str], errors: Sequence[str] = ()
) -> dict:
    """Results as plain values. Numbers of hidden cases are never in it; their messages may quote
    a submission that quotes the inputs, and are for the instructor alone.

    Args:
        results: of one submission.
        missing: protections that did not hold while it ran.
        errors: why something was not graded, a sentence each.
    """
    return {
        "format": FORMAT,
        "earned": sum(result.earned for result in results),
        "points": sum(result.points for result in results),
        "core_earned": sum(result.core_earned for result in results),
        "core_points": sum(result.core_points for result in results),
        "missing_protections": list(missing),
        "errors": list(errors),
        "exercises": [_exercise(result) for result in results],
    }


def junit(results: Sequence[ExerciseResult]) -> str:
    """The same as JUnit XML: a test suite per exercise, a test case per case.

    A wrong case is a failure; one that could not be run to its end is an error.
    """
    root = ElementTree.Element("testsuites", name="grade")
    for result in results:
        name = result.exercise.id
        suite = ElementTree.SubElement(root, "testsuite", name=name, time=f"{result.seconds:.4f}")
        for case in result.cases:
            entry = ElementTree.SubElement(suite, "testcase", classname=name, name=case.name)
            if not case.passed:
                kind, said = _fate(result, case)
                ElementTree.SubElement(entry, kind, message=_legal(said))
        if log := _log(result):
            ElementTree.SubElement(suite, "system-out").text = _legal(log)
        for element in (suite, root):
            for tag in ("testcase", "failure", "error"):
                plural = "tests" if tag == "testcase" else f"{tag}s"
                element.set(plural, str(len(list(element.iter(tag)))))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _fate(result: ExerciseResult, case: CaseResult) -> tuple[str, str]:
    """``failure`` or ``error``, and why."""
    why = " ".join(mistake.why for mistake in result.named)
    if case.difference:
        numbers = "" if case.secret else case.difference.numbers
        return "failure", " ".join(filter(None, [case.difference.message, numbers, why]))
    if case.error:
        said = f"{case.error.get('type') or case.error.get('kind')}: {case.error.get('message')}"
        kind = "failure" if case.error.get("kind") in ("blank", "needs") else "error"
        return kind, f"{said} {why}".strip()
    return "error", result.detail or result.status


def _legal(text: str) -> str:
    """Without the characters that XML 1.0 cannot hold."""
    return re.sub("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "", text)


def _exercise(result: ExerciseResult) -> dict:
    exercise = result.exercise
    return {
        "id": exercise.id,
        "title": exercise.title,
        "status": result.status,
        "earned": result.earned,
        "points": result.points,
        "core_earned": result.core_earned,
        "core_points": result.core_points,
        "idea_right": result.idea_right,
        "detail": result.detail,
        "mistakes": [{"name": known.name, "why": known.why} for known in result.named],
        "mistakes_explain_everything": result.complete,
        "observed": result.observed,
        "builds_on_failing": [*result.upstream],
        "checked_with_course_versions": result.stood_in,
        "left_out": result.left_out,
        "hint": "" if result.passed else exercise.hint,
        "log": _log(result),
        "seconds": round(result.seconds, 4),
        "cases": [_case(case) for case in result.cases],
    }


def _log(result: ExerciseResult) -> str:
    """The beginning of what was printed; nothing where cases are hidden, which it may show."""
    if any(case.secret for case in result.cases):
        return ""
    cut = "" if len(result.log) <= LONGEST_LOG else "\n[cut]\n"
    return result.log[:LONGEST_LOG] + cut


def _case(case: CaseResult) -> dict:
    difference = asdict(case.difference) if case.difference else None
    if difference and case.secret:
        difference["numbers"] = ""
    return {
        "name": case.name,
        "secret": case.secret,
        "corner": case.corner,
        "earned": case.earned,
        "points": case.points,
        "difference": difference,
        "error": case.error,
    }
