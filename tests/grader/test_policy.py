"""Marks from attempts: what being late costs, and which attempt counts."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.instruct import policy
from grader.instruct.assignment import Assignment, Late
from grader.instruct.policy import Attempt, Extension, kept, mark, rounded

DUE = datetime(2026, 12, 1, 12, tzinfo=UTC)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
TEN = Late(percent=10)
FREE = Late(percent=10, free_days=1)
WEEK = Assignment(
    name="week-1", title="", exercises={"linear.a": 6, "linear.b": 4}, due=DUE, late=TEN
)
NONE = Extension()


def attempt(number: int, late: timedelta = -HOUR, a: float | None = 6, b: float | None = 4, **more):
    return Attempt(number, DUE + late, {"linear.a": a, "linear.b": b}, **more)


@pytest.mark.parametrize(
    ("late", "rules", "budget", "share", "used"),
    [
        (0 * DAY, TEN, 0, 1.0, 0),
        (policy.MOMENT, TEN, 0, 0.9, 0),  # a day begun is a day
        (DAY, TEN, 0, 0.9, 0),
        (DAY + policy.MOMENT, TEN, 0, 0.8, 0),
        (2 * HOUR, replace(TEN, per="hour"), 0, 0.8, 0),
        (DAY, replace(TEN, per="hour"), 0, 0.0, 0),  # 240 percent: never below nothing
        (9 * DAY, replace(TEN, floor=50), 0, 0.5, 0),
        (HOUR, replace(TEN, grace_minutes=60), 0, 1.0, 0),
        (HOUR + policy.MOMENT, replace(TEN, grace_minutes=60), 0, 0.9, 0),
        (DAY + HOUR, replace(TEN, grace_minutes=60), 0, 0.8, 0),  # beyond it, all counts
        (HOUR, TEN, 3, 1.0, 1),
        (3 * DAY, TEN, 3, 1.0, 3),
        (3 * DAY + HOUR, TEN, 3, 0.9, 3),
        (2 * DAY, TEN, 5, 1.0, 2),
        (DAY + HOUR, replace(TEN, grace_minutes=60), 1, 1.0, 1),  # one is enough
        (9 * DAY, Late(), 3, 1.0, 0),  # late costs nothing: no free day is used
    ],
)
def test_what_being_late_costs(late, rules, budget, share, used):
    assert kept(late, rules, budget) == (share, used)


@given(
    st.timedeltas(timedelta(), 30 * DAY),
    st.timedeltas(timedelta(), 30 * DAY),
    st.builds(
        Late,
        percent=st.floats(0, 100),
        floor=st.floats(0, 100),
        per=st.sampled_from(("day", "hour")),
        grace_minutes=st.integers(0, 2000),
    ),
    st.integers(0, 5),
)
def test_later_never_keeps_more_and_free_days_never_cost(one, other, rules, budget):
    first, second = sorted((one, other))
    assert kept(first, rules)[0] >= kept(second, rules)[0] >= rules.floor / 100
    share, used = kept(second, rules, budget)
    assert share >= kept(second, rules)[0]
    assert used <= budget


def test_the_latest_attempt_counts_or_the_best():
    tries = [attempt(1), attempt(2, HOUR, a=3)]
    assert mark(tries, WEEK, NONE, {}).total == rounded(0.9 * 7)
    best = replace(WEEK, late=replace(TEN, attempt="best"))
    found = mark(tries, best, NONE, {})
    assert (found.total, found.attempt, found.share) == (10, 1, 1.0)
    found = mark([attempt(1, a=5.5), attempt(2, HOUR)], best, NONE, {})  # 9.5 on time, 9 late
    assert (found.total, found.attempt) == (9.5, 1)
    found = mark([attempt(1), attempt(2)], best, NONE, {})
    assert found.attempt == 1  # of equal ones the first


def test_an_attempt_that_cannot_be_read_does_not_hide_one_that_can():
    broken = Attempt(2, DUE, {}, problem="It is empty.")
    assert mark([attempt(1), broken], WEEK, NONE, {}).attempt == 1
    found = mark([broken], WEEK, NONE, {})
    assert (found.state, found.total, found.remark) == ("unreadable", 0, "It is empty.")


@pytest.mark.parametrize("which", ["latest", "best"])
def test_what_is_not_graded_has_no_total(which):
    given = replace(WEEK, late=replace(TEN, attempt=which))
    found = mark([attempt(1, a=None)], given, NONE, {})
    assert (found.state, found.earned, found.total) == ("ungraded", None, None)
    found = mark([attempt(1, a=None), attempt(2)], given, NONE, {})
    assert found.state == ("ungraded" if which == "best" else "graded")
    found = mark([Attempt(1, DUE, {"linear.a": 6})], given, NONE, {})  # no row at all
    assert (found.state, found.total) == ("ungraded", None)


def test_nothing_handed_in_is_zero_and_says_so():
    found = mark([], WEEK, NONE, {})
    assert (found.state, found.total, found.possible, found.attempt) == ("missing", 0, 10, None)


def test_marks_by_hand():
    given = replace(WEEK, by_hand={"report": 10})
    found = mark([attempt(1)], given, NONE, {})
    assert (found.state, found.total) == ("incomplete", None)
    found = mark([attempt(1)], given, NONE, {"report": 7.5})
    assert (found.state, found.total, found.possible) == ("graded", 17.5, 20)
    assert mark([], given, NONE, {"report": 5}).total == 5  # a talk, and nothing handed in


def test_parts_marked_by_hand_are_cut_only_where_the_assignment_says_so():
    given = replace(WEEK, by_hand={"viva": 10})
    found = mark([attempt(1, 30 * HOUR)], given, NONE, {"viva": 7.5})
    assert (found.earned, found.share, found.total) == (17.5, 0.8, 0.8 * 10 + 7.5)
    cut = replace(given, late=replace(TEN, by_hand=True))
    assert mark([attempt(1, 30 * HOUR)], cut, NONE, {"viva": 7.5}).total == 0.8 * 17.5
    best = replace(given, late=replace(TEN, attempt="best"))
    tries = [attempt(1, a=5.5), attempt(2, HOUR)]
    assert mark(tries, best, NONE, {"viva": 10}).attempt == 1  # 9.5 before 9, whatever the viva


def test_free_days_are_not_used_where_nothing_was_earned():
    given = replace(WEEK, late=replace(TEN, free_days=2), by_hand={"viva": 10})
    broken = Attempt(1, DUE + HOUR, {}, problem="It is empty.")
    for one, left in ((broken, 0), (attempt(1, HOUR, a=0, b=0), 0), (attempt(1, HOUR, a=1), 1)):
        assert mark([one], given, NONE, {"viva": 5}).free_days == left
    assert mark([attempt(1, HOUR, a=None, b=0)], given, NONE, {}).free_days == 1  # not known yet
    cut = replace(given, late=replace(given.late, by_hand=True))
    assert mark([broken], cut, NONE, {"viva": 5}).free_days == 1


@pytest.mark.parametrize(
    ("late", "rules", "said"),
    [
        (-HOUR, TEN, ""),
        (
            51 * HOUR,
            replace(TEN, free_days=1),
            "Late by 51 h: 1 free day used, 80% of the points kept.",
        ),
        (30 * HOUR, replace(TEN, free_days=2), "Late by 30 h: 2 free days used, all points kept."),
        (
            9.5 * timedelta(minutes=1),
            replace(TEN, grace_minutes=15),
            "Late by 10 min: all points kept.",
        ),
        (HOUR, replace(TEN, percent=12.5), "Late by 60 min: 87.5% of the points kept."),
        (61 * MINUTE, Late(), "Late by 2 h: all points kept."),
    ],
)
def test_what_being_late_cost_is_said_in_a_sentence(late, rules, said):
    assert mark([attempt(1, late)], replace(WEEK, late=rules), NONE, {}).lateness == said


def test_which_points_are_kept_is_said():
    given = replace(WEEK, by_hand={"viva": 10})
    told = "Late by 60 min: 90% of the exercises' points kept."
    assert mark([attempt(1, HOUR)], given, NONE, {}).lateness == told
    unknown = Attempt(1, None, {"linear.a": 6, "linear.b": 4}, late=True)
    assert mark([unknown], WEEK, NONE, {}).lateness == "90% of the points kept."


def test_extensions():
    late = [attempt(1, 30 * HOUR)]
    assert mark(late, WEEK, NONE, {}).share == 0.8
    assert mark(late, WEEK, Extension(days=1), {}).share == 0.9
    assert mark(late, WEEK, Extension(days=1.25), {}).share == 1.0
    assert mark(late, WEEK, Extension(due=DUE + 2 * DAY), {}).share == 1.0
    assert mark(late, WEEK, Extension(due=DUE - DAY, days=1), {}).share == 0.8
    found = mark(late, WEEK, Extension(drop=("linear.a",)), {})
    assert (found.possible, found.earned, [*found.points]) == (4, 4, ["linear.b"])


def test_a_due_date_that_moves_changes_every_penalty():
    late = [attempt(1, 30 * HOUR)]
    assert mark(late, replace(WEEK, due=DUE + 2 * DAY), NONE, {}).share == 1.0
    assert mark(late, replace(WEEK, due=None), NONE, {}).share == 1.0
    assert mark(late, replace(WEEK, due=DUE - DAY), NONE, {}).share == 0.7


def test_late_by_an_unknown_time_is_one_unit_and_said():
    one = Attempt(1, None, {"linear.a": 6, "linear.b": 4}, late=True)
    found = mark([one], replace(WEEK, late=replace(TEN, grace_minutes=90)), NONE, {})
    assert (found.total, found.late) == (9, timedelta())
    assert "not known" in found.remark
    unknown = Attempt(1, None, {"linear.a": 6, "linear.b": 4})
    assert mark([unknown], WEEK, NONE, {}).total == 10


def test_free_days_are_as_many_as_are_left():
    given = replace(WEEK, late=replace(TEN, free_days=2))
    late = [attempt(1, 30 * HOUR)]
    assert [mark(late, given, NONE, {}, left).share for left in (None, 2, 1, 0)] == [1, 1, 0.9, 0.8]
    assert [mark(late, given, NONE, {}, left).free_days for left in (None, 1, 0)] == [2, 1, 0]


@pytest.mark.parametrize(("points", "told"), [(20.125, 20.13), (0.285, 0.29), (1.004, 1.0)])
def test_halves_are_rounded_up(points, told):
    assert rounded(points) == told
