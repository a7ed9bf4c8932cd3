"""A known mistake is recognized by its print: by all that rounds differently, and by no other."""

from dataclasses import replace

import numpy as np
import pytest

from grader.judge import diagnose, prints
from grader.judge.prints import taken, trace
from grader.judge.records import RecordedCase

TOLERANCE = 1e-6
SUMS = [-12.459478178682435, 11.789111396817365, -5.778176164184755, 5.890160937202904]
SHAPES = [(), (1,), (3,), (2, 2), (5,), (7, 11), (13, 17, 19), (0, 3)]


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("scale", [1e-300, 1e-9, 1.0, 1e9, 1e308])
def test_what_rounds_differently_fits(shape, scale, rng):
    for _ in range(20):
        array = np.asarray(rng.uniform(-1, 1, shape) * scale)
        off = np.asarray(array * (1 + TOLERANCE / 100 * rng.choice([-1, 1], shape)))
        assert taken(array, TOLERANCE).fits(off, TOLERANCE)
        assert taken(array, TOLERANCE).fits(array.copy(), TOLERANCE)


def test_errors_all_on_one_side_fit_while_they_are_what_right_answers_may_have(rng):
    """The audit wants those to be a hundredth of the tolerance."""
    array = rng.normal(size=20_000)
    assert taken(array, TOLERANCE).fits(array * (1 + TOLERANCE / 100), TOLERANCE)


@pytest.mark.parametrize("shape", SHAPES[:-1])
def test_one_entry_that_is_off_is_seen(shape, rng):
    array = np.asarray(rng.normal(size=shape))
    printed, spread = taken(array, TOLERANCE), float(np.sqrt(np.mean(array**2)))
    for at in np.ndindex(shape):
        other = array.copy()
        other[at] += 1e-3 * max(spread, abs(array[at]))
        assert not printed.fits(other, TOLERANCE)


def test_entries_that_change_places_are_seen(rng):
    array = rng.normal(size=(7, 11))
    for one, other in rng.permuted(np.tile(np.arange(7), (50, 1)), axis=1)[:, :2]:
        swapped = array.copy()
        swapped[[one, other]] = swapped[[other, one]]
        assert not taken(array, TOLERANCE).fits(swapped, TOLERANCE)
    assert not taken(array, TOLERANCE).fits(array.T.reshape(7, 11), TOLERANCE)
    assert not taken(array, TOLERANCE).fits(-array, TOLERANCE)
    assert not taken(array, TOLERANCE).fits(np.zeros((7, 11)), TOLERANCE)


def test_shape_dtype_and_what_is_not_finite_are_exact(rng):
    array = rng.normal(size=(7, 11))
    array[2, 3], array[4, 5], array[6, 7] = np.nan, np.inf, -np.inf
    printed = taken(array, TOLERANCE)
    assert printed.fits(array.copy(), TOLERANCE)
    assert not printed.fits(array.reshape(11, 7), TOLERANCE)
    assert not printed.fits(array.astype(np.float32), TOLERANCE)
    for at, value in (((2, 3), np.inf), ((4, 5), -np.inf), ((6, 7), 0.0), ((0, 0), np.nan)):
        other = array.copy()
        other[at] = value
        assert not printed.fits(other, TOLERANCE)
    assert taken(np.full(5, np.nan), TOLERANCE).fits(np.full(5, np.nan), TOLERANCE)
    for value in (None, False, 1.0, [1.0], {"$bfloat16": array}, array[:, 0], np.array("text")):
        assert not printed.fits(value, TOLERANCE)


@pytest.mark.parametrize("dtype", [bool, np.int64, np.uint8])
def test_whole_numbers_and_truths_are_exact(dtype):
    array = (np.arange(77) % 2).reshape(7, 11).astype(dtype)
    other = array.copy()
    other[3, 4] = not other[3, 4]
    assert taken(array, TOLERANCE).fits(array.copy(), TOLERANCE)
    assert not taken(array, TOLERANCE).fits(other, TOLERANCE)
    assert taken(array, TOLERANCE).sums.size == 0


def test_a_few_numbers_are_kept_as_they_are(rng):
    for size in range(prints.COUNT + 1):
        array = rng.normal(size=size)
        assert np.array_equal(taken(array, 1e-9).sums, array)
    assert taken(rng.normal(size=(50, 50)), TOLERANCE).sums.size == prints.COUNT


def test_prints_are_the_same_for_ever():
    """They lie in records."""
    sums = taken(np.arange(1.0, 12.0), 1e-9).sums
    assert sums == pytest.approx(SUMS, rel=1e-15)


def case(expected, **mistakes):
    traces = {name: trace(values, expected, TOLERANCE) for name, values in mistakes.items()}
    return RecordedCase(
        name="a case",
        points=1,
        call={"args": {}},
        held_out={},
        expected=expected,
        mistakes=traces,
        tolerance=TOLERANCE,
    )


def test_a_trace_holds_what_is_wrong_alone(rng):
    right = {"output": rng.normal(size=7), "grad.x": rng.normal(size=7), "changed": []}
    wrong = right | {"grad.x": 2 * right["grad.x"], "cost.calls": 3}
    entry = case(right | {"cost.calls": 2}, twice=wrong)
    assert [*entry.mistakes["twice"]["values"]] == ["grad.x", "cost.calls"]
    lost = {"output": right["output"]}
    assert case(right, lost=lost).mistakes["lost"] == {
        "values": {},
        "absent": ["grad.x", "changed"],
    }


def test_a_mistake_is_recognized_in_all_that_it_returns(rng):
    right = {
        "output[0]": rng.normal(size=(5, 7)),
        "output[1]": ["a", 1, 0.5],
        "grad.x": rng.normal(size=7),
        "changed": [],
        "attached": True,
    }
    wrong = right | {"output[0]": right["output[0]"] * 2, "output[1]": ["a", 2, 0.25]}
    entry = case(right, twice=wrong)
    known = entry.mistakes["twice"]
    assert diagnose.same(known, {"values": wrong}, entry)
    for name, value in (
        ("output[0]", right["output[0]"]),
        ("output[1]", right["output[1]"]),
        ("output[2]", 0.0),
        ("grad.x", None),
        ("grad.x", right["grad.x"] * 2),
        ("changed", ["x"]),
        ("attached", False),
    ):
        assert not diagnose.same(known, {"values": wrong | {name: value}}, entry), name
    for name in wrong:
        left = {key: value for key, value in wrong.items() if key != name}
        assert not diagnose.same(known, {"values": left}, entry), name
    assert not diagnose.same(known, {"values": right}, entry)
    assert not diagnose.same(known, {"error": {"kind": "exception"}}, entry)
    assert not diagnose.same(known, {}, entry)


def test_costs_that_are_too_high_tell_mistakes_apart(rng):
    right = {"output": rng.normal(size=7), "cost.calls": 1, "cost.largest": 7}
    slow = right | {"cost.calls": 5}
    entry = replace(case(right, slow=slow), most={"calls": 2, "largest": 10})
    known = entry.mistakes["slow"]
    assert diagnose.same(known, {"values": slow | {"cost.calls": 9}}, entry)
    assert not diagnose.same(known, {"values": slow | {"cost.largest": 49}}, entry)
    assert not diagnose.same(known, {"values": right}, entry)


def test_an_error_where_numbers_are_due_and_numbers_where_an_error_is_due(rng):
    right, raised = {"output": rng.normal(size=7)}, {"raised": "ValueError"}
    for due, came, other in ((right, raised, {"raised": "KeyError"}), (raised, right, raised)):
        entry = case(due, mistake=came)
        assert diagnose.same(entry.mistakes["mistake"], {"values": came}, entry)
        assert not diagnose.same(entry.mistakes["mistake"], {"values": other}, entry)
