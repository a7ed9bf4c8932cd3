"""A public case in hand: shown beside an answer, and as a program that runs without the grader."""

import json
import os
import subprocess
import sys

import pytest

from grader import course
from grader.errors import UserError
from grader.judge import records
from grader.judge.submission import Submission
from grader.student import case as cases

SOFTMAX = records.load("linear", "softmax")
WRONG = (
    "import torch\n\n\ndef softmax(input, dim=-1):\n"
    "    powers = (input - input.max()).exp()\n    return powers / powers.sum(-1, keepdim=True)\n"
)
RUN = """
import json, runpy, sys, torch, traceback
wrong = {}
for path in json.load(sys.stdin):
    torch.set_default_dtype(torch.float32)
    try:
        runpy.run_path(path)
    except BaseException as error:
        wrong[path] = "".join(traceback.format_exception_only(error))[:500]
print(json.dumps(wrong))
"""


def programs(slug, folder):
    """Each case of a chapter that can be one, by the path where it was written."""
    found = {}
    folder.mkdir()
    for exercise in records.manifests(slug):
        for number, case in enumerate(records.load(slug, exercise.symbol).cases):
            path = folder / f"{exercise.symbol}_{number}.py"
            try:
                cases.write(cases.Program(exercise, case, path))
            except UserError:
                continue
            found[str(path)] = (exercise.id, case.name)
    return found


def run(paths, folder):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", RUN],
        input=json.dumps([*paths]),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=600,
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": f"{folder}:{course.ROOT}"},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Each chapter's programs, and what was wrong with those that failed: all run in one process,
    for each of its own would import torch.
    """
    folder = tmp_path_factory.mktemp("saved")
    found = {}
    for slug in records.slugs():
        (folder / f"{slug}.py").write_text(course.solution(slug))
        found[slug] = programs(slug, folder / f"{slug} cases")
    wrong = run([path for paths in found.values() for path in paths], folder)
    return found, wrong


@pytest.mark.parametrize("slug", records.slugs())
def test_every_case_that_is_saved_runs_on_the_solution(slug, saved):
    found, wrong = saved
    every = sum(len(records.load(slug, one.symbol).cases) for one in records.manifests(slug))
    assert len(found[slug]) > every / 2
    assert {name: wrong[path] for path, name in found[slug].items() if path in wrong} == {}


def test_an_example_is_a_public_case_shown_whole():
    found = {
        exercise.id: cases.example(records.load(slug, exercise.symbol))
        for slug in records.slugs()
        for exercise in records.manifests(slug)
    }
    shown = {name: example for name, example in found.items() if example}
    assert len(shown) > len(found) / 3
    assert not any("..." in lines for _, lines in shown.values())
    name, lines = shown["tokenization.encode_word"]
    assert name == records.load("tokenization", "encode_word").cases[0].name
    assert lines.startswith("tokens = [")
    assert lines.splitlines()[-2:] == ["", "result = [1, 256]"]
    assert found["linear.train"] is None


def test_a_wrong_answer_fails_where_the_report_says(tmp_path):
    (tmp_path / "linear.py").write_text(WRONG)
    fine, fails = tmp_path / "fine.py", tmp_path / "fails.py"
    for name, path in (("a batch", fine), ("the first of three axes", fails)):
        cases.write(cases.Program(SOFTMAX.manifest, cases.find(SOFTMAX, name), path))
    wrong = run([str(fine), str(fails)], tmp_path)
    assert [*wrong] == [str(fails)]
    assert "AssertionError: Tensor-likes are not close!" in wrong[str(fails)]


def test_a_case_is_shown_beside_an_answer(sandbox):
    case = cases.find(SOFTMAX, "first of three")
    got, error = cases.answered(SOFTMAX, case, Submission(WRONG, "linear.py"), sandbox)
    said = "\n".join(cases.lines(SOFTMAX.manifest, case, got, error))
    assert "linear.softmax, case 'the first of three axes'" in said
    assert "dim = 0" in said
    assert "The output\n  expected  3×5×7, float64:" in said
    assert said.count("✗") == 2
    right = course.solution("linear")
    got, error = cases.answered(SOFTMAX, case, Submission(right, "linear.py"), sandbox)
    assert "✗" not in "\n".join(cases.lines(SOFTMAX.manifest, case, got, error))


def test_cases_are_found_by_a_part_of_their_name():
    assert cases.find(SOFTMAX, "ties").name == "ties around a thousand"
    with pytest.raises(UserError, match="could be 'numbers around a thousand', 'ties around"):
        cases.find(SOFTMAX, "a thousand")
    with pytest.raises(UserError, match="Did you mean 'a batch'"):
        cases.find(SOFTMAX, "a btch")


def test_what_no_few_lines_repeat_is_said_to_be_so(tmp_path):
    record = records.load("training", "Adam")
    case = next(case for case in record.cases if case.call["probe"] == "optimizer")
    with pytest.raises(UserError, match="not a single call, so no program can repeat it"):
        cases.Program(record.manifest, case, tmp_path / "try.py")
