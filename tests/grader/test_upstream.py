"""An exercise that builds on a wrong one says so, and its own right part loses nothing."""

import json
import os
import subprocess
import sys
import time

import pytest

from grader import course
from grader.enclose.sandbox import Limits, Sandbox
from grader.errors import UserError
from grader.judge import grading, records, source, syntax
from grader.judge.grading import Grader
from grader.judge.submission import Submission
from grader.student import export, report

PPMI, PMI = records.select(["embeddings.ppmi", "embeddings.pmi"])
SOLUTION = course.solution("embeddings")
SKELETON = source.blank(SOLUTION, {"pmi"})
WRONG = source.replace(SOLUTION, "pmi", "def pmi(counts):\n    return counts.double() * 0 - 1\n")


def grade(sandbox, text, *exercises):
    submission = Submission(text, f"{exercises[0].slug}.py")
    return Grader(sandbox).grade(exercises, {exercises[0].slug: submission})


def said(results):
    return " ".join(report.plain(results, []).split())


@pytest.fixture(scope="module")
def sandbox():
    """Patient: whether something takes long is not what is asked here."""
    with Sandbox(limits=Limits(seconds=120)) as patient:
        yield patient


@pytest.fixture
def no_solutions(monkeypatch):
    def nothing(slug):
        raise UserError("not here")

    monkeypatch.setattr(course, "solution", nothing)


def test_a_right_answer_on_a_wrong_one_loses_nothing_and_is_told(sandbox):
    (result,) = results = grade(sandbox, WRONG, PPMI)
    assert (result.status, result.earned) == ("passed", PPMI.public_points)
    assert ([*result.upstream], result.stood_in) == ([PMI.id], True)
    assert "It builds on embeddings.pmi, which is not right yet." in said(results)
    assert "the course's version" in said(results)
    assert "embeddings.pmi 0/" not in said(results)  # it was not asked for


def test_it_is_told_in_a_notebook_too(sandbox):
    cells = ["import torch", *(text for _, text in source.parts(WRONG, {"pmi", "ppmi"}))]
    submission = Submission("", "embeddings.ipynb", cells=tuple(cells))
    (result,) = Grader(sandbox).grade([PPMI], {"embeddings": submission})
    assert (result.status, [*result.upstream]) == ("passed", [PMI.id])


def test_a_blank_below_is_not_the_blank_of_what_builds_on_it(sandbox, no_solutions):
    (result,) = results = grade(sandbox, SKELETON, PPMI)
    assert (result.status, result.earned, [*result.upstream]) == ("failed", 0, [PMI.id])
    assert "It builds on embeddings.pmi, which is not written yet." in said(results)
    assert "not written yet" not in report.plain(results, []).splitlines()[0]


def test_without_the_solutions_nothing_stands_in_and_no_mistake_is_named(sandbox, no_solutions):
    (result,) = results = grade(sandbox, WRONG, PPMI)
    assert (result.status, result.earned, result.stood_in) == ("failed", 0, False)
    assert [*result.upstream] == [PMI.id]
    assert result.named == result.observed == []
    assert "known mistake" not in said(results)


UNCUT = (
    "def ppmi(counts, *, power=1.0, negatives=1.0):\n"
    "    return pmi(counts, power=power) - math.log(negatives)\n"
)


def test_its_own_mistake_is_named_by_what_stands_in(sandbox):
    broken = source.replace(
        WRONG,
        "ppmi",
        UNCUT,
    )
    (result,) = grade(sandbox, broken, PPMI)
    own = source.replace(
        SOLUTION,
        "ppmi",
        UNCUT,
    )
    (alone,) = grade(sandbox, own, PPMI)
    assert result.stood_in
    assert not result.passed
    assert result.earned == alone.earned
    assert [known.name for known in result.named] == [known.name for known in alone.named] != []


def test_who_does_not_call_it_does_not_build_on_it(sandbox):
    alone = "def ppmi(counts):\n    return counts.double()\n"
    (result,) = grade(sandbox, source.replace(WRONG, "ppmi", alone), PPMI)
    assert (result.upstream, result.stood_in) == ({}, False)
    local = "def ppmi(counts):\n    pmi = counts.double()\n    return pmi\n"
    (result,) = grade(sandbox, source.replace(WRONG, "ppmi", local), PPMI)
    assert (result.upstream, result.stood_in) == ({}, False)


def test_what_is_not_written_is_not_checked_twice(sandbox, monkeypatch):
    ran = []
    monkeypatch.setattr(grading, "_answers", lambda wrong: ran.append(wrong) or {})
    (result,) = grade(sandbox, source.blank(SOLUTION, {"pmi", "ppmi"}), PPMI)
    assert (result.status, ran) == ("blank", [])


def test_what_stood_in_is_not_shown_to_the_code_that_ran(sandbox):
    """The solution must not travel to a student through what her code prints or raises."""
    spy = (
        "def ppmi(counts):\n    import linecache, sys\n    pmi\n"
        "    text = ''.join(linecache.getlines('embeddings.py'))\n"
        "    print(text)\n    raise ValueError(text)\n"
    )
    (result,) = results = grade(sandbox, source.replace(WRONG, "ppmi", spy), PPMI)
    assert result.stood_in
    shown = json.dumps(export.as_json(results, [])) + report.plain(results, [])
    shown += export.junit(results) + report.html(results, []) + result.log
    body = syntax.text_of(SOLUTION, "pmi").strip().splitlines()[-1].strip()
    assert len(body) > 20
    assert "import linecache, sys" in shown  # its own text is
    assert body not in shown


def test_what_an_answer_calls_is_covered_though_the_solution_does_without(sandbox):
    (exercise,) = records.select(["linear.softmax"])
    assert exercise.needs == ()
    text = "import torch\n\n" + "\n\n".join(
        [
            "def linear(input, weight, bias=None):\n    raise NotImplementedError\n",
            "def softmax(input, dim=-1):\n"
            "    one = input.new_ones(())\n"
            "    input = linear(input[..., None], one[None, None])[..., 0]\n"
            "    input = input - input.amax(dim, keepdim=True)\n"
            "    return input.exp() / input.exp().sum(dim, keepdim=True)\n",
        ]
    )
    (result,) = results = grade(sandbox, text, exercise)
    assert result.upstream == {"linear.linear": "blank"}
    assert result.stood_in
    assert result.earned > 0
    assert "It builds on linear.linear, which is not written yet." in said(results)


@pytest.mark.parametrize(
    ("exercise", "above"),
    [
        ("convolution.output_size", "correlate2d"),
        ("attention.masked_softmax", "attend"),
        ("linear.cross_entropy", "squared_loss"),
        ("recurrent.rnn_states", "unroll"),
    ],
)
def test_nothing_stands_in_for_itself(exercise, above, sandbox):
    """An answer that names another exercise whose needs lead back to it."""
    (told,) = records.select([exercise])
    text = (
        f"def {told.symbol}(*given, **named):\n    {above}\n\n\n"
        f"def {above}(*given, **named):\n    pass\n"
    )
    (result,) = grade(sandbox, text, told)
    assert result.earned == 0


def test_every_exercise_is_no_way_to_itself():
    for slug in records.slugs():
        chapter = records.manifests(slug)
        for one in chapter:
            every = [other.symbol for other in chapter if other is not one]
            names = "".join(f"    {name}\n" for name in every)
            text = f"def {one.symbol}():\n{names}\n" + "".join(
                f"def {name}():\n    pass\n\n" for name in every
            )
            reached = grading._reached(one, Submission(text, f"{slug}.py"), chapter)
            assert one not in reached


def test_what_comes_later_is_no_way_to_an_earlier_answer(sandbox):
    (exercise,) = records.select(["embeddings.pmi"])
    text = source.replace(SOLUTION, "pmi", "def pmi(counts):\n    return ppmi(counts)\n")
    text = source.blank(text, {"ppmi"})
    (result,) = grade(sandbox, text, exercise)
    assert (result.earned, result.stood_in) == (0, False)


def test_what_runs_out_of_time_says_so_and_costs_it_once(sandbox, monkeypatch):
    exercises = records.select(["embeddings"])
    # on a busy machine, too, it is the processor's time that runs out
    monkeypatch.setattr(sandbox, "limits", Limits(seconds=0.5, patient=100))
    start = time.monotonic()
    results = grade(sandbox, SOLUTION + "\nwhile True: pass\n", *exercises)
    assert {result.status for result in results} == {"timeout"}
    assert {result.earned for result in results} == {0}
    assert "Before any exercise was called, it computed for longer than 0.5 s." in said(results)
    assert "Hint:" not in said(results)
    assert time.monotonic() - start < 60  # once 0.5 s, and not for each of the 25


def test_waiting_for_the_processor_costs_nothing(sandbox):
    """Three others compute on each core, so that the wall's clock runs several times as fast."""
    (exercise,) = records.select(["linear.softmax"])
    busy = "import time; end = time.time() + 60\nwhile time.time() < end: pass"
    slow = "import time\nend = time.process_time() + 0.2\nwhile time.process_time() < end: pass\n"
    text = course.solution("linear") + slow
    with Sandbox(limits=Limits(seconds=0.5)) as box:
        assert box.tier  # its server has started
        others = [  # each in a session of its own, for Linux shares time out among sessions
            subprocess.Popen([sys.executable, "-c", busy], start_new_session=True)
            for _ in range(3 * os.cpu_count())
        ]
        try:
            (result,) = grade(box, text, exercise)
        finally:
            for other in others:
                other.kill()
                other.wait()
    assert result.passed
    assert result.seconds > 0.5


def test_a_shortcut_below_costs_what_builds_on_it_nothing(sandbox):
    exercise, below = records.select(["convolution.Conv2d", "convolution.conv2d"])
    text = source.replace(
        course.solution("convolution"),
        "conv2d",
        "def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):\n"
        "    import torch.nn.functional as F\n"
        "    return F.conv2d(input, weight, bias, stride, padding, dilation, groups)\n",
    )
    results = grade(sandbox, text, below, exercise)
    assert [result.status for result in results] == ["refused", "passed"]
    assert [*results[1].upstream] == [below.id]


@pytest.mark.parametrize("slug", records.slugs())
def test_right_answers_stand_on_the_course_s_versions(slug, sandbox):
    """Exercises of the solution with all that they build on thrown away: those that build on most,
    and on what others of the chapter build on.
    """
    chosen, solution = records.manifests(slug), course.solution(slug)
    symbols = {exercise.symbol for exercise in chosen}
    built = {one: symbols.intersection(one.needs) for one in chosen}
    covered, lost = set(), []
    for exercise in sorted(chosen, key=lambda one: -len(built[one])):
        below = built[exercise]
        if not below <= covered:
            covered |= below
            submission = Submission(source.blank(solution, below), f"{slug}.py")
            (result,) = Grader(sandbox).grade([exercise], {slug: submission})
            lost += [] if result.passed else [(exercise.id, result.cases[0].error)]
    assert lost == []
