"""A submission that computes nothing earns nothing, or next to it."""

from dataclasses import replace
from textwrap import dedent

import pytest

from grader.author import constant
from grader.judge import grading, records, trivial
from grader.judge.submission import Submission

CHECKS = """
    import torch

    def windows(tokens, starts, span):
        if ((starts < 0) | (starts + span >= len(tokens))).any():
            raise ValueError("a window leaves the text")
"""


def graded(sandbox, name, text):
    slug, _, symbol = name.partition(".")
    return grading.check(
        records.load(slug, symbol), Submission(dedent(text), f"{slug}.py"), sandbox=sandbox
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("gpt.windows", "def windows(tokens, starts, span):\n    raise ValueError"),
        ("gpt.windows", f"{CHECKS}        raise NotImplementedError"),
        (
            "gpt.windows",  # right where there is no piece, and wherever an error is due
            f"{CHECKS}        empty = starts[:, None] + tokens[:span]\n"
            "        return empty, empty\n",
        ),
        (
            "self_attention.causal_mask",
            "import torch\n\ndef causal_mask(length, *, device=None):\n"
            "    return torch.ones(length, length, dtype=torch.bool, device=device)\n",
        ),
        (
            "preference.group_advantages",
            "def group_advantages(rewards, **_):\n    return 0 * rewards",
        ),
        ("tokenization.merge", "def merge(tokens, pair, new):\n    return tokens"),
    ],
)
def test_what_computes_nothing_earns_nothing(name, text, sandbox):
    result = graded(sandbox, name, text)
    assert [case.name for case in result.cases if case.earned] == []


def test_whoever_writes_the_checks_first_reads_what_is_missing(sandbox):
    result = graded(sandbox, "gpt.windows", f"{CHECKS}        raise NotImplementedError")
    told = {case.name: case.difference.message for case in result.cases if case.difference}
    assert len(told) == 4
    assert set(told.values()) == {
        "It raises an error here, as it should. That counts once a result that has to be computed"
        " is right, as in case 'three pieces'."
    }


def test_a_right_constructor_alone_is_called_that(sandbox):
    text = """
        import torch
        from torch import nn

        class LinearModel(nn.Module):
            def __init__(self, in_features, out_features, *, device=None):
                super().__init__()
                self.weight = nn.Parameter(torch.zeros(out_features, in_features, device=device))
                self.bias = nn.Parameter(torch.zeros(out_features, device=device))

            def forward(self, x):
                return x @ self.weight.T - self.bias
    """
    cases = {case.name: case for case in graded(sandbox, "linear.LinearModel", text).cases}
    made = cases["as it is made"]
    assert made.earned == 0
    assert made.difference.message.startswith("The object is constructed here as it should be. ")


def test_beside_a_right_result_all_that_is_right_counts(sandbox):
    """The targets are not shifted where the span is 1: one result is right that is computed."""
    text = (
        f"{CHECKS}        table = starts[:, None] + torch.arange(span)\n"
        "        return tokens[table], tokens[table + min(span, 2) % 2]\n"
    )
    won = [case.name for case in graded(sandbox, "gpt.windows", text).cases if case.earned]
    refused = ["beyond the end", "before the beginning", "one of three is beyond"]
    assert won == ["one token each", "no piece", *refused, "the first is before"]


def test_trivial_cases_are_those_that_a_constant_gets_right():
    def named(name):
        slug, _, symbol = name.partition(".")
        return [case.name for case in records.load(slug, symbol).cases if trivial.is_trivial(case)]

    assert named("convolution.output_size") == [
        "padding",  # the size that goes in comes out
        "one place",
        "one place in the padding",
        "too wide with its gaps",
        "one weight",  # so it does here
        "one weight that fits once",
        "too large a kernel",
        "too large by less than a stride",
        "too large by a stride",
    ]
    assert "padding as it starts" in named("embeddings.Embedding")  # zeros
    assert "as it is made" not in named("embeddings.Embedding")  # drawn


def test_every_exercise_has_a_core_case_that_is_not_trivial():
    none = [
        one.id
        for one in records.select()
        if all(map(trivial.is_trivial, records.load(one.slug, one.symbol).core.cases))
    ]
    assert none == []


def test_a_constant_that_earns_too_much_is_a_gap():
    record = records.load("tokenization", "wordpiece")
    unknown = next(case for case in record.cases if case.name == "a part that cannot begin")
    twice = replace(record, cases=(*record.cases, replace(unknown, name="another")))
    assert list(constant.gaps(twice, twice)) == []
    more = [replace(unknown, name=f"another {number}") for number in range(3)]
    (gap,) = constant.gaps(replace(record, cases=(*record.cases, *more)), twice)
    assert "returns ['[UNK]'] everywhere earns 5, at most 3.6 may be: a part that cannot" in gap


def test_an_argument_that_earns_too_much_is_a_gap():
    record = records.load("refresher", "broadcast_shape")
    case = next(case for case in record.cases if case.name == "a column and a row")
    due = [case.expected["output[0]"], case.expected["output[1]"]]
    swapped = {**case.call, "args": {"first": [1], "second": due}}
    record = replace(record, cases=(*record.cases, replace(case, call=swapped)))
    assert any("returns argument 2 earns" in gap for gap in constant.gaps(record, record))


def test_calls_that_the_worker_makes_are_not_read():
    cases = records.load("transformer", "MultiHeadAttention").cases
    made = next(case for case in cases if case.name == "a cache that begins with nothing")
    assert not isinstance(made.call["args"]["calls"], list)
    assert not trivial.is_trivial(made)
