"""Each case is core or corner: the rule, the mark's way to a student, and what is made of it."""

import json
from dataclasses import replace

import jsonschema
import numpy as np
import pytest
from test_cli import grade

from grader import course
from grader.author import catalog, core
from grader.author.exercise import Call, Case, Made
from grader.author.recording import save_index
from grader.judge import grading, records
from grader.judge.submission import Submission
from grader.student import export, progress, report

(SOFTMAX,) = catalog.select(["linear.softmax"])
RECORD = records.load("linear", "softmax")
SOLUTION = course.solution("linear")
HALF = "return powers / powers.sum(dim=dim, keepdim=True)"
DOUBLE = SOLUTION.replace(HALF, f"{HALF}.double()")  # right, but for the dtype
OVERFLOWS = SOLUTION.replace("powers = (input - largest).exp()", "powers = input.exp()")
ONES = np.ones(3)


def test_what_is_changed_here_stands_in_the_solution():
    assert SOLUTION not in (DOUBLE, OVERFLOWS)


@pytest.mark.parametrize(
    ("said", "given", "corner"),
    [
        ({}, {"input": 99 * ONES}, False),
        ({}, {"input": 100 * ONES}, True),
        ({}, {"input": np.array([1000])}, False),
        ({}, {"input": {"deeper": [np.array([1.0, np.nan])]}}, True),
        ({}, {"made": Made("model", {"table": -np.inf * ONES})}, True),
        ({}, {"scale": float("inf")}, True),
        ({}, {"text": ""}, True),
        ({}, {"graph": [1, []]}, False),
        ({}, {"rows": []}, True),
        ({}, {"input": np.ones((0, 2))}, True),
        ({"raises": "ValueError"}, {}, True),
        ({"dtype": "float32"}, {}, True),
        ({"budget": 9}, {}, True),
        ({"most": {"largest": 9}}, {}, True),
        ({"probe": "fresh"}, {}, True),
        ({"probe": "steps"}, {}, False),
        ({"probe": "fresh", "corner": False}, {}, False),
        ({"corner": True}, {"input": ONES}, True),
    ],
)
def test_what_a_case_does_not_say_follows_from_the_rest(said, given, corner):
    assert core.is_corner(Case("one", lambda rng: given, **said), Call(args=given)) is corner


def test_where_the_inputs_stand_does_not_matter():
    case, far = Case("one", lambda rng: {}), {"input": 100 * ONES}
    assert core.is_corner(case, Call(init={"sizes": []}))
    assert core.is_corner(case, Call(state=far, init={}))
    assert core.is_corner(case, Call(steps=(("read", None), ("call", far))))


def test_the_index_tells_of_each_exercise_which_cases_are_core():
    for exercise in catalog.select():
        known = records.core(exercise.slug, exercise.symbol)
        assert list(known) == core.names(exercise, hidden=False), exercise.id
        assert known, exercise.id


def test_hidden_records_tell_it_of_hidden_cases_too(tmp_path):
    save_index(tmp_path, [SOFTMAX], hidden=True)
    told = records.core("linear", "softmax", tmp_path)
    assert list(told) == core.names(SOFTMAX)
    save_index(tmp_path, catalog.select(["linear.linear"]), hidden=True)
    assert records.core("linear", "softmax", tmp_path) == told
    assert records.core("linear", "linear", tmp_path)
    assert records.core("linear", "train", tmp_path) == ()


def test_an_index_of_before_is_read_and_all_is_core(tmp_path):
    (tmp_path / records.INDEX).write_text('{"linear": ["softmax"]}')
    (tmp_path / "linear").mkdir()
    stored = records.FOLDER / "linear" / "softmax.safetensors"
    (tmp_path / "linear" / stored.name).write_bytes(stored.read_bytes())
    assert records.core("linear", "softmax", tmp_path) == ()
    assert not any(case.corner for case in records.load("linear", "softmax", tmp_path).cases)
    (told,) = records.manifests("linear", tmp_path)
    assert told.core_points == told.public_points


def test_passing_the_core_says_that_the_idea_is_right(sandbox):
    result = grading.check(RECORD, Submission(DOUBLE, "linear.py"), sandbox=sandbox)
    corners = [case for case in result.cases if not case.passed]
    assert corners
    assert all(case.corner for case in corners)
    assert (result.status, result.idea_right) == ("failed", True)
    assert result.core_earned == result.core_points == RECORD.manifest.core_points < result.points
    for said in (report.plain([result], []), report.html([result], [])):
        assert "The idea is right." in said
        assert all(case.name in said for case in corners)
        assert "✗" in said.partition("The idea is right.")[2]
        assert "corner" in said.partition("The idea is right.")[2]
    total = f"{result.core_points} of {result.core_points} in the core"
    assert f"{result.earned} of {result.points} points, {total}" in report.plain([result], [])


def test_what_misses_a_core_case_does_not(sandbox):
    result = grading.check(RECORD, Submission(OVERFLOWS, "linear.py"), sandbox=sandbox)
    assert not result.idea_right
    assert 0 < result.core_earned < result.core_points
    said = report.plain([result], [])
    assert "The idea is right" not in said
    (names,) = (line for line in said.splitlines() if "numbers around a thousand" in line)
    assert "rows far apart; corners: ties around a thousand · in float32" in names


def test_the_json_tells_both(sandbox):
    result = grading.check(RECORD, Submission(DOUBLE, "linear.py"), sandbox=sandbox)
    document = export.as_json([result], [])
    jsonschema.validate(document, export.schema())
    (entry,) = document["exercises"]
    inside = [case for case in entry["cases"] if not case["corner"]]
    assert entry["idea_right"]
    assert entry["core_earned"] == document["core_earned"] == sum(c["earned"] for c in inside)
    assert entry["core_points"] == document["core_points"] == sum(c["points"] for c in inside)


def test_the_core_alone_can_be_run(tmp_path):
    (tmp_path / "linear.py").write_text(DOUBLE)
    (tmp_path / progress.NAME).write_text("{}")
    told = RECORD.manifest
    done = grade("check", told.id, "--core", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert f"{told.core_points} of {told.core_points} points in the core" in done.stdout
    done = grade("check", told.id, "--core", "--json", cwd=tmp_path)
    names = [case["name"] for case in json.loads(done.stdout)["exercises"][0]["cases"]]
    assert names == core.names(SOFTMAX, hidden=False)
    assert grade("check", told.id, cwd=tmp_path).returncode == 1
    assert f"core {told.core_points:>2}" in grade("list", told.id, cwd=tmp_path).stdout
    assert f"  {told.core_points} points  " in grade("list", told.id, "--core", cwd=tmp_path).stdout


def test_progress_counts_the_core_beside_all_points(tmp_path):
    progress.begin(tmp_path)
    told = replace(RECORD.manifest, public_points=9, core_points=4)

    def note(points, earned, inside):
        given = [(4, inside, False), (points - 4, earned - inside, True)]
        cases = [
            grading.CaseResult("a", most, got, corner=corner) for most, got, corner in given if most
        ]
        progress.keep(tmp_path, [grading.ExerciseResult(told, cases)])
        record = json.loads((tmp_path / progress.NAME).read_text())
        return record[told.id], record[f"{told.id} core"]

    assert note(4, 4, 4) == (4, 4)
    assert note(9, 7, 4) == (7, 4)
    assert note(4, 1, 1) == (4, 1)  # of the core alone: the corners stay as they were


def test_what_comes_next_is_an_idea_before_a_corner():
    first, second, *_ = records.manifests("linear")
    corners = progress.Earned(first, first.core_points, first.core_points)
    full = progress.Earned(second, second.public_points, 0)  # of before there was a core
    assert progress.following([corners, progress.Earned(second, 0, 0)]) == second
    assert progress.following([corners, full]) == first
    done = progress.Earned(first, first.public_points, first.core_points)
    assert progress.following([done, full]) is None
    assert progress.following([corners, progress.Earned(second, 0, 0)], asked=[first.id]) == first
    assert progress.Earned(first, 10**9, -1).core == first.core_points
