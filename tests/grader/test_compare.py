"""The comparison finds the first difference and says it in one sentence."""

import re

import numpy as np
import pytest

from grader.judge.compare import compare, error_between, score

BASE = {
    "output": np.array([[1.0, -2.0, 3.0], [0.5, 0.0, 1e-9]]),
    "changed": [],
    "repeatable": True,
    "grad.x": np.array([1.0, 2.0]),
}


def with_(**other):
    return BASE | {key.replace("grad_", "grad."): value for key, value in other.items()}


def test_equal_results_agree():
    assert compare(BASE, with_(output=BASE["output"].copy()), 1e-6) is None


def test_of_two_dtypes_both_are_named():
    half = {"$bfloat16": np.ones(3, np.float32)}
    told = compare({"output": half}, {"output": np.ones(3, np.float32)}, 1e-6).message
    assert told == "The output is a tensor of torch.float32, expected a tensor of torch.bfloat16."
    told = compare({"output": np.ones(3)}, {"output": half}, 1e-6).message
    assert told == "The output is a tensor of torch.bfloat16, expected a tensor of torch.float64."


def test_rounding_agrees_and_real_differences_do_not():
    near = BASE["output"] * (1 + 1e-9)
    assert compare(BASE, with_(output=near), 1e-6) is None
    far = BASE["output"].copy()
    far[1, 2] = 2e-8  # small against the array's scale, but 20 times what it should be
    found = compare(BASE, with_(output=far), 1e-6)
    assert found.kind == "value"
    assert "[1, 2]" in found.message
    assert found.numbers == "got 2e-08, expected 1e-09"


@pytest.mark.parametrize(
    ("other", "kind", "words"),
    [
        ({"output": None}, "type", "None, expected a tensor"),
        ({"output": 3.0}, "type", "a float, expected a tensor"),
        ({"output": {"$type": "ndarray"}}, "type", "a NumPy array"),
        ({"output": np.zeros((3, 2))}, "shape", r"\(3, 2\), expected \(2, 3\)"),
        ({"output": BASE["output"].astype(np.float32)}, "dtype", "float32, expected float64"),
        ({"output": BASE["output"] * np.nan}, "finite", "nan at \\[0, 0\\]"),
        ({"output": BASE["output"] + np.inf}, "finite", "inf at"),
        ({"output": -BASE["output"]}, "value", "wrong in 4 of 6 entries, the first at"),
        ({"changed": ["x"]}, "changed", r"changed its input \(`x`\)"),
        ({"repeatable": False}, "repeatable", "Two calls"),
        ({"grad_x": None}, "value", "No gradient reaches `x`"),
        ({"grad_x": np.array([1.0, 2.5])}, "value", "The gradient with respect to `x` is wrong"),
    ],
)
def test_each_kind_of_difference(other, kind, words):
    found = compare(BASE, with_(**other), 1e-6)
    assert found.kind == kind
    assert re.search(words, found.message)


def test_message_never_holds_expected_values():
    found = compare({"output": np.array([123.456])}, {"output": np.array([1.0])}, 1e-6)
    assert "123" not in found.message
    assert "123.456" in found.numbers


def test_number_of_outputs():
    two = {"output[0]": np.zeros(2), "output[1]": np.zeros(3)}
    found = compare(two, {"output": np.zeros(2)}, 1e-6)
    assert found.message == "It returned one value, expected 2 values."
    assert compare(two, {}, 1e-6).message == "It returned no value, expected 2 values."
    found = compare({"output": 1.0}, {"output[1.5]": 1.0}, 1e-6)
    assert found.message == "It returned one value (output[1.5]), expected one value (output)."


def test_the_order_of_a_dictionary_does_not_count():
    want = {"output['sum']": 1.0, "output['mean']": 2.0}
    assert compare(want, dict(reversed(want.items())), 1e-6) is None
    assert compare(want, {"output['sum']": 1.0, "output['max']": 2.0}, 1e-6).kind == "type"


def test_module_parameters_come_first():
    want = {"parameters": {"weight": [2, 3], "bias": [2]}, "output": np.zeros(2)}
    got = {"parameters": {"weight": [3, 2], "b": [2]}, "output": np.ones(2)}
    found = compare(want, got, 1e-6)
    assert found.kind == "parameters"
    for words in ("extra: b", "missing: bias", "weight has shape (3, 2), expected (2, 3)"):
        assert words in found.message


def test_expected_infinities_and_nan_must_be_there():
    want = {"output": np.array([-np.inf, np.nan, 1.0])}
    assert compare(want, {"output": np.array([-np.inf, np.nan, 1.0])}, 1e-6) is None
    assert compare(want, {"output": np.array([-1e9, np.nan, 1.0])}, 1e-6)
    assert compare(want, {"output": np.array([-np.inf, 0.0, 1.0])}, 1e-6)


def test_exact_zero_allows_rounding_and_nothing_else():
    want = {"output": np.zeros(3)}
    assert compare(want, {"output": np.full(3, 1e-16)}, 1e-6) is None
    assert compare(want, {"output": np.full(3, 1e-9)}, 1e-6)


def test_integers_and_booleans_compare_exactly():
    assert compare({"output": np.array([1, 2])}, {"output": np.array([1, 2])}, 0.5) is None
    assert compare({"output": np.array([1, 2])}, {"output": np.array([1, 3])}, 0.9)
    assert compare({"output": True}, {"output": 1}, 1e-6).kind == "type"
    assert compare({"output": ["a", 1]}, {"output": ["a", 2]}, 1e-6).kind == "value"


def test_error_between_is_in_units_of_the_tolerance():
    want, got = {"output": np.array([2.0, 4.0])}, {"output": np.array([2.0, 4.0 * (1 + 1e-4)])}
    error = error_between(want, got)
    assert compare(want, got, error * 1.001) is None
    assert compare(want, got, error * 0.999)


def test_score_takes_labels_or_logits():
    labels = np.array([0, 1, 2, 1])
    logits = np.eye(3)[[0, 1, 2, 2]]
    assert score(0.75, labels, {"output": logits}) is None
    assert score(0.75, labels, {"output": np.array([0, 1, 2, 0])}) is None
    found = score(0.8, labels, {"output": logits})
    said = "It is right on too few of the held-out examples; 80.0% are needed."
    assert (found.message, found.numbers) == (said, "it is right on 75.0%")
    assert score(0.5, labels, {"output": np.zeros(3)}).kind == "shape"
    assert score(0.5, labels, {"output": None}).kind == "type"


def test_words_fit_what_is_wrong():
    """Single numbers have no place, lists have one, digits are shown until they differ."""
    nan = compare({"output": np.array(1.0)}, {"output": np.array(np.nan)}, 1e-6)
    assert nan.message == "The output is nan, but a finite number is expected."
    words = compare({"output[1]": ["a", "b", "c"]}, {"output[1]": ["a", "c", "b"]}, 1e-6)
    assert words.message.startswith("The second value that it returned is wrong in 2 of 3 items")
    assert words.numbers == "got 'c', expected 'b'"
    shorter = compare({"output": ["a", "b"]}, {"output": ["a"]}, 1e-6)
    assert shorter.message == "The output has 1 item, expected 2."
    near = compare({"output": np.array([1.0])}, {"output": np.array([1.0 + 1e-9])}, 1e-12)
    assert near.numbers.split()[1].rstrip(",") != near.numbers.split()[3]


@pytest.mark.parametrize(
    ("want", "got", "words"),
    [([0], [], "cut off"), ([], [0], "still attached"), ([0], [1], "other")],
)
def test_attached_says_which_way_round(want, got, words):
    assert words in compare({"attached": want}, {"attached": got}, 1e-6).message


@pytest.mark.parametrize(
    "due", [{"output": np.ones(3)}, {"output": None}, {"raised": "ValueError"}]
)
@pytest.mark.parametrize("sent", [{}, {"raised": None}, {"raised": None, "output": None}])
def test_an_error_that_nobody_raised_agrees_with_nothing(due, sent):
    assert compare(due, sent, 1e-6) is not None


def test_a_tuple_is_a_list_where_a_list_is_expected():
    for name in ("output", "output[1]"):
        due, items = {name: [7, 8]}, {f"{name}[0]": 7, f"{name}[1]": 8}
        assert compare(due, items, 1e-6) is None
        assert compare(due, items | {f"{name}[1]": 9}, 1e-6).kind == "value"
        assert compare(due, items, 1e-6, exact=True).kind == "type"
    assert compare({"output[0]": 7, "output[1]": 8}, {"output": [7, 8]}, 1e-6) is None
    told = compare({"output[0][0]": 7, "output[0][1]": 8}, {"output[0]": [7, 8]}, 1e-6)
    assert (told.kind, told.message) == (
        "type",
        "The first value that it returned is a list, expected a tuple.",
    )
