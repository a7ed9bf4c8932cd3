"""An answer that leaves something on its class, in a global or a default argument is found."""

import numpy as np
import pytest

from grader import course
from grader.judge import records
from grader.judge.grading import check
from grader.judge.submission import Submission

SEEN = """
import torch, warnings
import numpy as np
import random


def softmax(input, dim=-1):
    print(f"asked with {input.flatten()[:1].tolist()}")
    warnings.warn("asked")
    torch.rand(1), np.random.rand(), random.random()
    global asked
    asked = asked + 1
    if asked == 1:
        raise SystemExit
    powers = (input - input.detach().amax(dim, keepdim=True)).exp()
    return powers / powers.sum(dim, keepdim=True)


asked = 0
"""


def result(name, answer, sandbox, **changes):
    """The solution with texts in it changed, and code behind it."""
    slug, symbol = name.split(".")
    text = course.solution(slug)
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    submission = Submission(f"{text}\n{answer}", f"{slug}.py")
    return check(records.load(slug, symbol), submission, sandbox=sandbox)


BY_SHAPE = """
_solved, _known = {symbol}, {{}}


def {symbol}(*args, **named):
    key = tuple(tuple(v.shape) if hasattr(v, "shape") else str(v) for v in [*args, *named.values()])
    if key not in _known:
        _known[key] = _solved(*args, **named)
    return _known[key]
"""
A_BUFFER = """
_solved = {symbol}


def {symbol}(*args, kept={{}}, **named):
    made = _solved(*args, **named)
    return kept.setdefault(made.shape, torch.empty_like(made)).copy_(made)
"""


@pytest.mark.parametrize("name", ["mlp.softmax_jacobian", "mlp.activation_backward"])
def test_results_kept_by_their_shape_are_no_answer(name, sandbox):
    assert result(name, "", sandbox).passed
    found = result(name, BY_SHAPE.format(symbol=name.split(".")[1]), sandbox)
    assert found.status == "failed"


def test_a_result_that_a_later_call_writes_into_is_no_answer(sandbox):
    found = result("mlp.softmax_jacobian", A_BUFFER.format(symbol="softmax_jacobian"), sandbox)
    told = [case.difference.message for case in found.cases if case.difference]
    assert "".join(told[:1]).startswith("A later call wrote into the result of an earlier one")


BY_LENGTH = """
_solved, _known = {symbol}, {{}}


def {symbol}(*args, **named):
    key = tuple(len(v) if hasattr(v, "__len__") else v for v in [*args, *named.values()])
    if key not in _known:
        _known[key] = _solved(*args, **named)
    return _known[key]
"""


@pytest.mark.parametrize("name", ["mlp.reverse_mode", "tokenization.best_pair"])
def test_results_kept_by_the_length_of_lists_are_no_answer(name, sandbox):
    assert result(name, "", sandbox).passed
    assert not result(name, BY_LENGTH.format(symbol=name.split(".")[1]), sandbox).passed


def test_lists_get_the_arguments_of_another_call_that_is_as_long(sandbox):
    calls = [
        {"probe": "function", "args": {"words": words}, "grad": []}
        for words in (["a", "b"], ["c"], ["d", "e"])
    ]
    text = "def seen(words, told=[]):\n    told.append(''.join(words))\n    return list(told)\n"
    outcome = sandbox.run(text, "seen", calls[:1], filename="seen.py")
    assert outcome.cases[0]["values"]["output"] == ["ab"]
    outcome = sandbox.run(text, "seen", calls, filename="seen.py")
    assert outcome.cases[0]["values"]["output"] == ["de", "ab"]


def test_an_array_without_numbers_gets_those_of_another_call(sandbox):
    calls = [
        {"probe": "function", "args": {"words": ["a"], "at": np.zeros(size)}, "grad": []}
        for size in (0, 7)
    ]
    text = "def seen(words, at, told=[]):\n    told.append(len(at))\n    return list(told)\n"
    outcome = sandbox.run(text, "seen", calls, filename="seen.py")
    assert outcome.cases[0]["values"]["output"] == [7, 0]


MODES = """
_solved, _first = softmax, []


def softmax(input, dim=-1):
    torch.set_grad_enabled(False), torch.set_default_dtype(torch.float16)
    if not _first:
        _first.append(True)
        raise ValueError
    torch.set_grad_enabled(True), torch.set_default_dtype(torch.float32)
    return _solved(input, dim)
"""


def test_modes_are_set_back_that_an_error_left(sandbox):
    assert result("linear.softmax", MODES, sandbox).passed


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        (
            "training.BatchNorm1d",
            "self.eps, self.momentum = eps, momentum",
            "type(self).eps, type(self).momentum = eps, momentum",
        ),
        (
            "efficient_attention.CachedAttention",
            "self.heads, self.key_heads, self.window =",
            "self.heads, self.key_heads, type(self).window =",
        ),
        (
            "tokenization.BytePairTokenizer",
            "self._rank = {pair",
            "type(self)._rank = {pair",
        ),
    ],
)
def test_settings_that_all_instances_share_are_no_answer(name, old, new, sandbox):
    assert result(name, "", sandbox).passed
    assert not result(name, "", sandbox, **{old: new}).passed


def test_what_goes_before_is_neither_seen_nor_counted(sandbox):
    """It fails, prints, warns and draws: nothing of it shows."""
    found = result("linear.softmax", SEEN, sandbox)
    assert found.passed
    first = records.load("linear", "softmax").cases[0].call["args"]["input"].flat[0]
    assert found.log.startswith(f"asked with [{first}")
    assert found.log.splitlines()[1].endswith("UserWarning: asked")
