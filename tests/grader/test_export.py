"""JSON as its schema says, and JUnit XML that other programs can read."""

import json
from xml.etree import ElementTree

import jsonschema
import pytest

from grader import course
from grader.judge import grading, records
from grader.judge.compare import Difference
from grader.judge.grading import CaseResult, ExerciseResult
from grader.judge.submission import Submission
from grader.student import export

SLUG = "self_attention"
RECORD = records.load(SLUG, "scaled_dot_product_attention")
ATTENTION = RECORD.manifest
SOLUTION = course.solution(SLUG)
SUBMISSIONS = {
    "right": SOLUTION,
    "wrong": SOLUTION.replace(" / math.sqrt(query.shape[-1])", ""),
    "another shape": SOLUTION.replace("scaled_dot_product_attention(", "f(", 1)
    + "\ndef scaled_dot_product_attention(query, key, value, mask=None):\n    return query[0]\n",
    "raises": "def scaled_dot_product_attention(query, key, value, mask=None):\n    1 / 0\n",
    "blank": "",
    "broken": "def f(:\n",
    "refused": "from torch.nn.functional import scaled_dot_product_attention\n",
    "exits": "import os\nos._exit(0)\n",
    "prints": f"{SOLUTION}\nprint('\\x00\\x1b[31m]]> <&')\n",
}


@pytest.fixture(scope="module")
def results(sandbox):
    return {
        name: grading.check(RECORD, Submission(text, "x.py"), sandbox=sandbox)
        for name, text in SUBMISSIONS.items()
    }


def test_the_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(export.schema())


@pytest.mark.parametrize("name", SUBMISSIONS)
def test_json_is_as_the_schema_says(name, results):
    document = json.loads(json.dumps(export.as_json([results[name]], ["one"])))
    jsonschema.validate(document, export.schema())
    (entry,) = document["exercises"]
    assert document["earned"] == entry["earned"] == sum(case["earned"] for case in entry["cases"])
    assert document["points"] == ATTENTION.public_points


def test_the_schema_refuses_what_is_not_described():
    document = export.as_json([], [])
    jsonschema.validate(document, export.schema())
    for wrong in ({**document, "more": 1}, {"earned": 0}, {**document, "format": 2}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, export.schema())


@pytest.mark.parametrize("name", SUBMISSIONS)
def test_junit_counts_what_is_in_it(name, results):
    root = ElementTree.fromstring(export.junit([results[name]]))
    (suite,) = root
    cases = suite.findall("testcase")
    bad = [case for case in cases if len(case)]
    assert len(cases) == int(root.get("tests")) == len(results[name].cases)
    assert len(bad) == int(suite.get("failures")) + int(suite.get("errors"))
    assert len(bad) == sum(not case.passed for case in results[name].cases)
    assert all(child.get("message") for case in bad for child in case)


def test_junit_tells_a_wrong_number_from_a_crash(results):
    def counts(name):
        root = ElementTree.fromstring(export.junit([results[name]]))
        return int(root.get("failures")) > 0, int(root.get("errors")) > 0

    assert counts("right") == (False, False)
    assert counts("wrong") == (True, False)
    assert counts("raises") == (False, True)
    assert counts("exits") == (False, True)


def test_secret_numbers_are_in_neither():
    difference = Difference("value", "output", "It is wrong.", "got 1, expected 12345")
    case = CaseResult("a case", 1, secret=True, difference=difference)
    result = ExerciseResult(ATTENTION, [case])
    assert "12345" not in json.dumps(export.as_json([result], [])) + export.junit([result])
    assert difference.numbers  # the result itself is left as it was
