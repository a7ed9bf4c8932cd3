"""Grading a submission: the score it deserves, and the sentence it needs."""

import json
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from grader import course
from grader.author import catalog
from grader.author.bench import Bench, mistaken
from grader.author.recording import record
from grader.judge import grading, records, source
from grader.judge.submission import Submission
from grader.student import export, report

SLUG = "self_attention"
RECORD = records.load(SLUG, "scaled_dot_product_attention")
ATTENTION = RECORD.manifest
LAYER = records.load(SLUG, "SelfAttention")
(EXERCISE,) = catalog.select([ATTENTION.id])
SOLUTION = course.solution(SLUG)
SHORTCUT = (
    f"def {ATTENTION.symbol}(query, key, value, mask=None):\n"
    "    return F.scaled_dot_product_attention(query, key, value, mask)\n"
)


@pytest.fixture
def grade(sandbox):
    def run(text, record=RECORD):
        return grading.check(record, Submission(text, f"{SLUG}.py"), sandbox=sandbox)

    return run


def wrong(**changes):
    return source.change(SOLUTION, ATTENTION.symbol, changes)


def mistake(name):
    return next(known for known in EXERCISE.mistakes if known.name == name)


def named(*names):
    return [known for known in ATTENTION.mistakes if known.name in names]


@pytest.fixture(scope="module")
def hidden(sandbox):
    """Hidden cases, as an instructor records them."""
    return records.parse(record(Bench(EXERCISE, sandbox), seed=7))


def said(result):
    return "\n".join(f"{line.lead} {line.text}" for line in report.feedback(result))


def test_right_answer_gets_every_point(grade):
    result = grade(SOLUTION)
    assert result.status == "passed"
    assert result.earned == result.points > 0


def test_a_blank_gets_no_hint_before_there_is_an_answer(grade):
    result = grade(source.blank(SOLUTION, {ATTENTION.symbol}))
    assert "Hint" not in report.html([result], []) + report.plain([result], [])
    broken = grade(SOLUTION.replace("math.sqrt(query.shape[-1])", "1.2345"))
    assert "Hint" in report.html([broken], [])


def test_a_warning_shows_no_file_but_the_answers_own(grade):
    shown = "import warnings\nwarnings.warn('of mine')\n"
    hidden = "torch.tensor(torch.ones(2))\n"  # torch warns where it is called
    below = "import numpy as np\nnp.float64(1) / np.float64(0)\n"
    log = grade(SOLUTION + shown + hidden + below).log
    assert f"{SLUG}.py:" in log
    assert "UserWarning: of mine" in log
    assert "RuntimeWarning: divide by zero" in log
    assert "/" not in log.replace("sourceTensor.detach().clone()", "")


def test_blank_gets_none_and_no_traceback(grade):
    result = grade(source.blank(SOLUTION, {ATTENTION.symbol}))
    assert (result.status, result.earned) == ("blank", 0)


def test_known_mistake_is_named_in_one_sentence(grade):
    known = mistake("not_scaled")
    result = grade(mistaken(EXERCISE, known))
    assert [one.name for one in result.named] == [known.name]
    assert result.complete
    assert result.earned < result.points
    assert f"This is a known mistake. {known.why}" in said(result)
    assert ATTENTION.hint not in said(result)  # the sentence is better than the hint
    assert f"See it: {SLUG}.html#see-{known.name}" in said(result)


def test_known_mistake_written_differently_is_named_too(grade):
    body = SOLUTION.replace(
        " / math.sqrt(query.shape[-1])", " * torch.ones(()).double().exp() / math.e"
    )
    assert body != SOLUTION
    assert grade(body).named == named("not_scaled")


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


def test_a_shortcut_in_a_notebook_is_placed_in_its_cell(sandbox):
    cells = ["import torch.nn.functional as F", "def f(*args):\n    return 1", SHORTCUT]
    submission = Submission("", f"{SLUG}.ipynb", cells=tuple(cells))
    result = grading.check(RECORD, submission, sandbox=sandbox)
    assert result.detail.startswith("Cell 3, line 2 uses F.scaled_dot_product_attention")


def test_a_line_that_moves_is_told_anew(sandbox):
    grader = grading.Grader(sandbox)
    for above in range(2):
        text = "import torch.nn.functional as F\n" + "def g(): ...\n" * above + SHORTCUT
        (result,) = grader.grade([ATTENTION], {SLUG: Submission(text, f"{SLUG}.py")})
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
    assert "it ran torch's operator scaled_dot_product_attention" in said(result)


def test_prints_and_warnings_cost_nothing(grade):
    noisy = SOLUTION + "\nimport warnings\nwarnings.warn('deprecated')\nprint('hello')\n"
    result = grade(noisy)
    assert result.passed
    assert "hello" in result.log
    assert "deprecated" in result.log
    (told,) = export.as_json([result], [])["exercises"]
    assert told["log"] == result.log


def test_a_long_log_is_cut_in_documents(grade):
    result = grade(SOLUTION + "\nprint('x' * 40_000)\n")
    assert len(result.log) > 40_000
    (told,) = export.as_json([result], [])["exercises"]
    assert told["log"] == f"{'x' * export.LONGEST_LOG}\n[cut]\n"
    (printed,) = ElementTree.fromstring(export.junit([result])).iter("system-out")
    assert printed.text == told["log"]


def test_input_changed_in_place_is_caught(grade):
    body = SOLUTION.replace("scores = query /", "query.mul_(1.0 + 1e-3)\n    scores = query /", 1)
    assert "changed its input (`query`) in place" in said(grade(body))


def test_hidden_numbers_are_never_shown(grade, hidden):
    assert hidden.manifest.secret
    assert len(hidden.cases) > len(RECORD.cases)
    printing = "print(query)\n    scores = query /"
    changed = SOLUTION.replace("math.sqrt(query.shape[-1])", "1.2345")
    result = grade(changed.replace("scores = query /", printing, 1), hidden)
    assert "tensor" in result.log
    assert all(case.secret and not case.picture for case in result.cases)
    assert any(case.difference and case.difference.numbers for case in result.cases)
    assert not export.as_json([result], [])["exercises"][0]["log"]
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


def test_an_authors_emphasis_is_plain_in_a_terminal(grade):
    why = "The *mean* was taken; x * y * z and `f(*a, *b)` stay."
    result = grade(wrong(**mistake("not_scaled").change))
    result = replace(result, named=[replace(result.named[0], why=why)])
    assert "The mean was taken; x * y * z and `f(*a, *b)` stay." in report.plain([result], [])
    assert "The <em>mean</em> was taken; x * y * z and <code>" in report.html([result], [])


def test_another_seed_gives_other_numbers_of_the_same_cases(hidden):
    others = {entry.name: entry for entry in hidden.cases}
    for entry in RECORD.cases:
        if "raised" in entry.expected:  # an error has no numbers
            continue
        other = others[entry.name]
        assert entry.judge(other.expected) is not None


def test_held_out_labels_never_reach_the_worker():
    judged = [
        entry
        for told in records.select()
        for entry in records.load(told.slug, told.symbol).cases
        if entry.at_least is not None
    ]
    assert judged
    for entry in judged:
        assert "labels" in entry.held_out
        assert "held_out" not in entry.call


def test_what_predictions_are_judged_by_has_a_seed_of_its_own():
    (exercise,) = catalog.select(["linear.predict_tuned"])

    def drawn(seed, second):
        calls = exercise.calls(seed, hidden=True, second=second)
        return [call for case, call in calls if case.at_least is not None]

    for one, other, same in zip(drawn(1, 2), drawn(1, 3), drawn(1, 2), strict=True):
        differ = {name for name in one.args if not np.array_equal(one.args[name], other.args[name])}
        assert differ == {"new_features"}
        assert not np.array_equal(one.held_out["labels"], other.held_out["labels"])
        assert np.array_equal(one.held_out["labels"], same.held_out["labels"])


def test_forged_values_are_a_wrong_answer_not_a_crash():
    (entry, *_) = RECORD.cases
    for forged in ({}, {"output": [1]}, {"output": {}, "changed": 3}, {"parameters": {"a": 3}}):
        case = grading.CaseResult(entry.name, entry.points)
        grading._judge(case, entry, {"values": forged})
        assert case.earned == 0
        assert case.difference is not None
    case = grading.CaseResult(entry.name, 1)
    grading._judge(case, entry, {"error": "no mapping"})
    assert case.earned == 0


def test_two_mistakes_at_once_are_not_named_where_another_pair_fits_as_well(grade):
    first, second = mistake("not_scaled"), mistake("mask_inverted")
    result = grade(wrong(**{**first.change, **second.change}))
    assert not result.complete
    assert result.named == []  # where the mask alone shows, two more mistakes give the same
    assert "a known mistake" not in said(result)
    assert grade(wrong(**second.change)).named == named("mask_inverted")  # the other remains


NETWORK = course.solution("mlp")
BACKWARD = records.load("mlp", "backward")


def test_two_mistakes_at_once_are_both_named_where_no_other_pair_fits(grade):
    record = records.load("mlp", "activation_backward")
    (exercise,) = catalog.select([record.manifest.id])
    pair = ("square_forgotten", "relu_lets_everything_through")
    both = [known for known in exercise.mistakes if known.name in pair]
    text = NETWORK
    for known in both:
        text = source.change(text, exercise.symbol, known.change)
    result = grade(text, record)
    assert [known.name for known in result.named] == [known.name for known in both]
    assert not result.complete
    assert f"These may be two known mistakes at once. One: {both[0].why}" in said(result)
    assert f"The other: {both[1].why}" in said(result)


def test_values_are_called_by_what_they_are(grade):
    change = {"bias_grads.insert(0, bias_grad)": "bias_grads.insert(0, 0 * bias_grad)"}
    result = grade(source.change(NETWORK, "backward", change), BACKWARD)
    assert "The gradient of b_1 is wrong" in said(result)


def test_lists_in_lists_are_read(grade):
    nested = "return grad, [[*pair] for pair in zip(weight_grads, bias_grads)]"
    change = {"return grad, weight_grads, bias_grads": nested}
    result = grade(source.change(NETWORK, "backward", change), BACKWARD)
    assert "It returned 2 values (the second holds 6), expected 3 values" in said(result)
    assert "put together in another way" in said(result)


def test_zeros_at_the_start_are_no_fixed_seed(grade):
    zeros = "self.activation = activation\n        nn.init.zeros_(self.layers[0].bias)"
    text = source.change(NETWORK, "MLP", {"self.activation = activation": zeros})
    result = said(grade(text, records.load("mlp", "MLP")))
    assert "Every number of `layers.0.bias` starts at 0, where they are to be drawn." in result
    assert "seed" not in result


def test_results_are_plain_json(grade):
    document = export.as_json([grade(SOLUTION), grade("")], ["something"])
    again = json.loads(json.dumps(document))
    assert again["earned"] == ATTENTION.public_points
    assert [entry["status"] for entry in again["exercises"]] == ["passed", "failed"]
    assert again["missing_protections"] == ["something"]
