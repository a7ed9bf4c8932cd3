"""Grading a submission: the score it deserves, and the sentence it needs."""

import json

import pytest

from grader import check, export, reference, report, source
from grader.exercise import select
from grader.submission import Submission, from_cells

SLUG = "self_attention"
(ATTENTION,) = select(f"{SLUG}.scaled_dot_product_attention")
(LAYER,) = select(f"{SLUG}.SelfAttention")
SOLUTION = reference.solution_source(SLUG)
SHORTCUT = (
    f"def {ATTENTION.symbol}(query, key, value, mask=None):\n"
    "    return F.scaled_dot_product_attention(query, key, value, mask)\n"
)


@pytest.fixture
def grade(sandbox):
    def run(text, exercise=ATTENTION, references=None):
        known = references or reference.load(SLUG)[exercise.symbol]
        submission = Submission(text, f"{SLUG}.py")
        return check.check(exercise, submission, references=known, sandbox=sandbox)

    return run


def wrong(**changes):
    return source.change(SOLUTION, ATTENTION.symbol, changes)


def mistake(name):
    return next(known for known in ATTENTION.mistakes if known.name == name)


def said(result):
    return "\n".join(f"{line.lead} {line.text}" for line in report.feedback(result))


def test_right_answer_gets_every_point(grade):
    result = grade(SOLUTION)
    assert result.status == "passed"
    assert result.earned == result.points > 0


def test_blank_gets_none_and_no_traceback(grade):
    result = grade(source.blank(SOLUTION, {ATTENTION.symbol}))
    assert (result.status, result.earned) == ("blank", 0)


def test_known_mistake_is_named_in_one_sentence(grade):
    known = mistake("not_scaled")
    result = grade(reference.mistaken_source(ATTENTION, known))
    assert [named.name for named in result.named] == [known.name]
    assert result.complete
    assert result.earned < result.points
    assert f"This is a known mistake. {known.why}" in said(result)
    assert ATTENTION.hint not in said(result)  # the sentence is better than the hint


def test_known_mistake_written_differently_is_named_too(grade):
    body = SOLUTION.replace(" / math.sqrt(query.shape[-1])", " * torch.ones(()).exp() / math.e")
    assert body != SOLUTION
    assert grade(body).named == [mistake("not_scaled")]


def test_unknown_mistake_gets_size_place_and_hint(grade):
    result = grade(SOLUTION.replace("math.sqrt(query.shape[-1])", "1.2345"))
    assert result.status == "failed"
    assert result.named == []
    assert "wrong in" in said(result)
    assert "the first at [0" in said(result)
    assert ATTENTION.hint in said(result)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (SOLUTION.replace(ATTENTION.symbol, "attention"), "It is not there"),
        (SOLUTION + "\ndef broken(:\n", "The file does not run: SyntaxError"),
        (SOLUTION.replace("import math", "import numpyy"), "No module named 'numpyy'"),
        (SOLUTION + "\n1 / 0\n", "ZeroDivisionError"),
        (f"def {ATTENTION.symbol}(q, k, v): return q", "It cannot be called"),
        (f"{ATTENTION.symbol} = 3", "It is of the wrong type"),
        (f"def {ATTENTION.symbol}(query, key, value, mask=None): return None", "None, expected a"),
        (
            f"def {ATTENTION.symbol}(query, key, value, mask=None):\n    return query @ key",
            "RuntimeError",
        ),
    ],
)
def test_what_does_not_work_gets_one_clear_message(grade, text, words):
    result = grade(text)
    assert (result.status, result.earned) == ("failed", 0)
    assert words in said(result)
    assert "Traceback" not in said(result)


def test_a_name_that_is_nearly_right_is_pointed_out_and_no_hint_given(grade):
    result = grade(SOLUTION.replace(f"def {ATTENTION.symbol}", "def scaled_dotproduct_attention"))
    assert "does not define scaled_dot_product_attention, but scaled_dotproduct" in said(result)
    assert "Hint:" not in said(result)


def test_a_shortcut_in_a_notebook_is_placed_in_its_cell(grade, sandbox):
    cells = ["import torch.nn.functional as F", "def f(*args):\n    return 1", SHORTCUT]
    submission = from_cells(cells, f"{SLUG}.ipynb")
    known = reference.load(SLUG)[ATTENTION.symbol]
    result = check.check(ATTENTION, submission, references=known, sandbox=sandbox)
    assert result.detail.startswith("Cell 3, line 2 uses F.scaled_dot_product_attention")


def test_a_line_that_moves_is_told_anew(sandbox):
    desk = check.Desk(sandbox)
    for above in range(2):
        text = "import torch.nn.functional as F\n" + "def g(): ...\n" * above + SHORTCUT
        (result,) = desk.grade([ATTENTION], {SLUG: Submission(text, f"{SLUG}.py")})
        assert result.detail.startswith(f"Line {3 + above} uses")


def test_the_line_that_raised_is_shown(grade):
    result = grade(
        f"def {ATTENTION.symbol}(query, key, value, mask=None):\n    return query @ key\n"
    )
    assert "line 2: return query @ key" in said(result)


def test_parameters_that_do_not_fit_are_named(grade):
    result = grade(SOLUTION.replace("self.query", "self.q"), LAYER)
    assert result.earned == 0
    assert "The given parameters do not fit" in said(result)
    assert "query.weight" in said(result)


def test_shortcut_is_refused_by_name_and_line(grade):
    body = (
        "import torch.nn.functional as F\n"
        f"def {ATTENTION.symbol}(query, key, value, mask=None):\n"
        "    return F.scaled_dot_product_attention(query, key, value, mask)\n"
    )
    result = grade(body)
    assert (result.status, result.earned) == ("refused", 0)
    assert "Line 3 uses F.scaled_dot_product_attention" in said(result)


def test_shortcut_behind_a_computed_name_is_refused(grade):
    body = (
        "import torch.nn.functional as F\n"
        f"def {ATTENTION.symbol}(query, key, value, mask=None):\n"
        "    name = 'scaled_dot_product' + '_attention'\n"
        "    return getattr(F, name)(query, key, value, mask)\n"
    )
    result = grade(body)
    assert (result.status, result.earned) == ("refused", 0)
    assert "F.scaled_dot_product_attention was called while the code ran" in said(result)


def test_prints_and_warnings_cost_nothing(grade):
    noisy = SOLUTION + "\nimport warnings\nwarnings.warn('deprecated')\nprint('hello')\n"
    result = grade(noisy)
    assert result.passed
    assert "hello" in result.log
    assert "deprecated" in result.log


def test_input_changed_in_place_is_caught(grade):
    body = SOLUTION.replace(
        "scores = query @ key", "query.mul_(1.0 + 1e-3)\n    scores = query @ key", 1
    )
    assert "changed its input (query) in place" in said(grade(body))


def test_hidden_numbers_are_never_shown(grade, sandbox):
    hidden = reference.parse(reference.record(SLUG, sandbox, seed=7))[ATTENTION.symbol]
    assert len(hidden) > len(reference.load(SLUG)[ATTENTION.symbol])
    result = grade(SOLUTION.replace("math.sqrt(query.shape[-1])", "1.2345"), references=hidden)
    assert all(case.secret and not case.picture for case in result.cases)
    assert any(case.difference and case.difference.numbers for case in result.cases)
    text = json.dumps(export.as_json([result], [])) + report.plain([result], [])
    text += report.html([result], [])
    for case in result.cases:
        if case.difference and case.difference.numbers:
            assert case.difference.numbers not in text


def test_a_picture_shows_the_first_wrong_public_case(grade):
    result = grade(wrong(**mistake("not_scaled").change))
    drawn = [line for line in report.feedback(result) if line.picture]
    assert len(drawn) == 1
    assert report.html([result], []).count("<svg") == 3
    assert "<svg" not in report.html([grade(SOLUTION)], [])


def test_another_seed_gives_other_numbers_of_the_same_cases(sandbox):
    public = reference.load(SLUG)[ATTENTION.symbol]
    hidden = reference.parse(reference.record(SLUG, sandbox, seed=7))[ATTENTION.symbol]
    names = [entry.case.name for entry in hidden]
    for entry in public:
        other = hidden[names.index(entry.case.name)]
        assert entry.judge(other.expected, ATTENTION.tolerance) is not None


def test_held_out_labels_never_reach_the_worker(sandbox):
    judged = [
        (entry, exercise)
        for exercise in select(None)
        for entry in reference.load(exercise.slug)[exercise.symbol]
        if entry.case.at_least is not None
    ]
    assert judged
    for entry, _ in judged:
        assert "labels" in entry.held_out
        assert "held_out" not in entry.call


def test_forged_values_are_a_wrong_answer_not_a_crash():
    (entry, *_) = reference.load(SLUG)[ATTENTION.symbol]
    for forged in ({}, {"output": [1]}, {"output": {}, "changed": 3}, {"parameters": {"a": 3}}):
        case = check.CaseResult(entry.case.name, entry.case.points)
        check._judge(case, entry, {"values": forged}, 1e-6)
        assert case.earned == 0
        assert case.difference is not None
    case = check.CaseResult(entry.case.name, 1)
    check._judge(case, entry, {"error": "no mapping"}, 1e-6)
    assert case.earned == 0


def test_two_mistakes_at_once_are_both_named(grade):
    first, second = mistake("not_scaled"), mistake("mask_inverted")
    both = wrong(**{**first.change, **second.change})
    result = grade(both)
    assert result.named == [first, second]  # each shows alone in some case
    assert not result.complete
    assert "Part of it may be a known mistake." in said(result)
    assert grade(wrong(**second.change)).named == [second]  # then the other one remains


def test_results_are_plain_json(grade):
    document = export.as_json([grade(SOLUTION), grade("", ATTENTION)], ["something"])
    again = json.loads(json.dumps(document))
    assert again["earned"] == ATTENTION.points - sum(c.points for c in ATTENTION.cases if c.hidden)
    assert [entry["status"] for entry in again["exercises"]] == ["passed", "failed"]
    assert again["missing_protections"] == ["something"]
