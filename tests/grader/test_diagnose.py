"""Wrong numbers without a known mistake: what can be said of them is said, and nothing else."""

from dataclasses import replace

import numpy as np
import pytest

from grader.judge import diagnose, records
from grader.judge.looks import looks
from grader.judge.records import Mistake, RecordedCase
from grader.judge.words import agreeing

RNG = np.random.default_rng(0)
SCORES = RNG.normal(size=(5, 7))
WEIGHTS = np.exp(SCORES) / np.exp(SCORES).sum(-1, keepdims=True)


def entry(output, *, mistakes=None, grad=None, **args):
    expected = {"output": output, "changed": [], "repeatable": True}
    if grad is not None:
        expected["grad.x"] = grad
    call = {"args": {"x": RNG.normal(size=(5, 11)), **args}}
    return RecordedCase(
        name="a case",
        points=1,
        call=call,
        held_out={},
        expected=expected,
        mistakes=mistakes or {},
        tolerance=1e-6,
    )


def answer(reference, **other):
    return {"values": reference.expected | {k.replace("_", "."): v for k, v in other.items()}}


def observed(reference, output):
    return list(diagnose.observe([reference], [answer(reference, output=output)]))


def test_nearly_right_is_told_from_wrong():
    (said,) = observed(entry(SCORES), SCORES * (1 + 4e-6 * np.cos(SCORES)))
    assert said.startswith("It is right to within 1e-05")
    assert observed(entry(SCORES), SCORES * (1 + 1e-3 * np.cos(SCORES))) == []


def test_a_transpose_of_integers_shows_beside_a_case_that_is_empty():
    full, empty = entry(np.arange(22).reshape(11, 2)), entry(np.zeros((0, 2), dtype=int))
    answers = [
        answer(full, output=np.arange(22).reshape(11, 2).T.copy()),
        answer(empty, output=np.zeros((2, 0), dtype=int)),
    ]
    said = list(diagnose.observe([full, empty], answers))
    assert said == ["It is the transpose of what it should be."]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (SCORES * 5, "It is what it should be times the size of `x` along axis -2."),
        (SCORES / 11, "It is what it should be divided by the size of `x` along axis -1."),
        (
            SCORES / np.sqrt(11),
            "It is what it should be divided by the square root of the size of `x` along axis -1.",
        ),
        (SCORES * 1.7, "It is off by one factor within each case."),
        (-SCORES, "It has the wrong sign."),
        (SCORES.T.copy(), "It is the transpose of what it should be."),
        (
            SCORES[:, [0, 2, 1, 3, 4, 6, 5]],
            "It has the right entries in another order along the last axis.",
        ),
        (
            np.sort(SCORES, axis=0),
            "It has the right entries in another order along axis -2.",
        ),
        (
            SCORES[::-1],
            "It has the right entries in another order along axis -2: it is reversed.",
        ),
        (
            np.roll(SCORES, -2, axis=1),
            "It has the right entries in another order along the last axis: it is shifted by 2.",
        ),
        (
            SCORES.reshape(7, 5),
            "It has the right numbers in their order: only a reshape is missing.",
        ),
    ],
)
def test_each_observation(wrong, sentence):
    assert observed(entry(SCORES), wrong) == [sentence]


HEADS = RNG.normal(size=(5, 3, 7))  # three heads of seven features


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (HEADS[:, [2, 0, 1]], "blocks of 7 (heads?) are right inside, and permuted"),
        (HEADS.swapaxes(1, 2), "look for a view where a transpose was meant"),
    ],
)
def test_heads_joined_in_the_wrong_order(wrong, words):
    (sentence,) = observed(entry(HEADS.reshape(5, 21)), wrong.reshape(5, 21))
    assert words in sentence


def test_rows_that_do_not_sum_to_one():
    wrong = np.exp(SCORES) / np.exp(SCORES).sum(-2, keepdims=True)
    assert observed(entry(WEIGHTS), wrong) == [
        "It should sum to 1 along the last axis, and does so along axis -2."
    ]


@pytest.mark.parametrize(
    "wrong", [SCORES + WEIGHTS, np.full((5, 7), np.nan), SCORES[:3, :5], SCORES.astype(str)]
)
def test_silence_where_nothing_can_be_said(wrong):
    assert observed(entry(SCORES), wrong) == []


def test_gradient_alone_wrong():
    right = entry(SCORES, grad=np.ones((5, 11)))
    (sentence,) = diagnose.observe([right], [answer(right, grad_x=np.zeros((5, 11)))])
    assert "the gradient with respect to `x` is not: it is 0 where it should not be" in sentence


def test_a_gradient_where_none_is_due_is_passed_over():
    right = entry(SCORES)
    right = replace(right, expected=right.expected | {"grad.x": None})
    assert list(diagnose.observe([right], [answer(right, grad_x=np.ones((5, 11)))])) == []


def test_gradient_that_is_not_finite():
    right = entry(SCORES, grad=np.ones((5, 11)))
    slopes = np.ones((5, 11))
    slopes[2, 3] = np.nan
    (sentence,) = diagnose.observe([right], [answer(right, grad_x=slopes)])
    assert "the gradient with respect to `x` is not finite" in sentence
    assert "detach" not in sentence


def test_an_input_that_was_written_to_is_said_alone():
    right = entry(SCORES)
    values = answer(right, output=2 * SCORES, changed=["x"])
    assert list(diagnose.observe([right], [values])) == []


def test_wrong_with_an_optional_argument_alone():
    plain, masked = entry(SCORES, mask=None), entry(SCORES, mask=np.ones((5, 7), bool))
    answers = [answer(plain), answer(masked, output=SCORES + WEIGHTS)]
    assert list(diagnose.observe([plain, masked], answers)) == [
        "It is right without `mask` and wrong with it."
    ]


def test_cases_of_another_probe_or_dtype_say_nothing_of_an_argument():
    plain = replace(entry(SCORES), call={"args": {"x": RNG.normal(size=(5, 11))}})
    made = replace(plain, call={"args": {}, "probe": "fresh"})
    answers = [answer(plain, output=SCORES + WEIGHTS), answer(made)]
    assert list(diagnose.observe([plain, made], answers)) == []
    single = replace(plain, call={"args": {"x": np.zeros(3)}, "dtype": "float32"})
    answers = [answer(plain, output=SCORES + WEIGHTS), answer(single)]
    assert list(diagnose.observe([plain, single], answers)) == []
    single = replace(plain, call=plain.call | {"dtype": "float32"})
    answers = [answer(plain), answer(single, output=SCORES + WEIGHTS)]
    said = list(diagnose.observe([plain, single], answers))
    assert said == ["It is right in float64 and wrong in float32."]


def test_an_error_that_is_due_says_nothing_of_an_argument():
    plain = replace(entry(SCORES), call={"args": {"x": RNG.normal(size=(5, 11))}})
    due = replace(plain, call={"args": {"x": np.zeros(3)}}, expected={"raised": "ValueError"})
    answers = [answer(plain, output=SCORES + WEIGHTS), {"values": {"raised": "ValueError"}}]
    assert list(diagnose.observe([plain, due], answers)) == []


def test_one_truth_value_is_not_the_wrong_way_round():
    right = entry(np.array(True))
    assert observed(right, np.array(False)) == []


def test_a_parameter_drawn_wrongly_is_not_blamed_on_an_argument():
    """A fresh module on a device that holds no numbers is right whatever is drawn."""

    def made(**more):
        call = {"args": {}, "init": {"size": 3, **more}, "probe": "fresh"}
        return replace(entry(SCORES), call=call, expected={"fresh.device": ["cpu"]})

    there, drawn = made(device="meta"), made(bias=True)
    spread = {"fresh.seeded": [], "fresh.weight": np.array([9.0, 0.0, 1.0, 2.0])}
    drawn = replace(drawn, expected=drawn.expected | spread)
    answers = [answer(there), {"values": drawn.expected | {"fresh.weight": np.zeros(4)}}]
    assert list(diagnose.observe([there, drawn], answers)) == []
    answers = [{"values": {"fresh.device": ["meta"]}}, answer(made())]
    said = list(diagnose.observe([there, made()], answers))
    assert said == ["It is right where `device` is left to its default, and wrong elsewhere."]


def test_an_error_that_is_due_is_no_example_of_a_right_value():
    right, due = entry(SCORES, levels=2), entry(SCORES, levels=0)
    due = replace(due, expected={"raised": "ValueError"})
    answers = [answer(right, output=SCORES + WEIGHTS), {"values": {"raised": "ValueError"}}]
    assert list(diagnose.observe([right, due], answers)) == []


def test_whole_numbers_and_infinities_are_not_explained_by_formulas():
    counted = entry(np.array(10))  # 10 / 9 of what it should be, or 11 where 10 is due
    assert observed(counted, np.array(11)) == []
    mask = entry(np.array([0.0, -np.inf]))
    assert observed(mask, np.array([0.0, np.inf])) == []


@pytest.mark.filterwarnings("error")
def test_what_an_integer_cannot_hold_is_compared_in_silence():
    whole = entry(np.arange(3), x=np.array([np.nan, np.inf, 1e30]))
    assert observed(whole, np.array([2, 5, 7])) == []
    assert observed(whole, np.array([np.nan, 1e30, 2.0])) == []


def test_factor_must_be_the_same_kind_in_every_case():
    first, second = entry(SCORES), entry(SCORES)
    answers = [answer(first, output=SCORES * 5), answer(second, output=SCORES * 1.7)]
    assert list(diagnose.observe([first, second], answers)) == [
        "It is off by one factor within each case."
    ]


SUM, SIGN = Mistake(name="sum", why="s"), Mistake(name="sign", why="m")


def with_mistakes(output=SCORES):
    wrong = {"sum": answer(entry(output * 7)), "sign": answer(entry(-output))}
    return entry(output, mistakes=wrong)


def test_one_known_mistake_explains_everything():
    cases = [with_mistakes(), with_mistakes(WEIGHTS)]
    answers = [answer(cases[0], output=SCORES * 7), answer(cases[1], output=WEIGHTS * 7)]
    assert diagnose.known([SUM, SIGN], cases, answers) == ([SUM], True)


def test_a_case_that_the_mistake_would_fail_but_passes_speaks_against_it():
    cases = [with_mistakes(), with_mistakes(WEIGHTS)]
    answers = [answer(cases[0], output=SCORES * 7), answer(cases[1])]
    assert diagnose.known([SUM, SIGN], cases, answers) == ([], False)


def test_a_mistake_that_gives_some_of_the_failed_cases_is_not_named():
    cases = [with_mistakes(), entry(WEIGHTS)]  # in the second it does not show
    answers = [answer(cases[0], output=SCORES * 7), answer(cases[1], output=WEIGHTS + 1)]
    assert diagnose.known([SUM, SIGN], cases, answers) == ([], False)


def in_turn(*factors):
    """Cases that go wrong by a factor each, and what is answered."""
    cases = [with_mistakes(SCORES + place) for place in range(len(factors))]
    pairs = zip(cases, factors, strict=True)
    return cases, [answer(case, output=case.expected["output"] * by) for case, by in pairs]


def test_of_pairs_that_fit_alike_none_is_named():
    twin = Mistake(name="twin", why="t")
    cases, answers = in_turn(7, 7, -1, -1)
    cases = [replace(c, mistakes={**c.mistakes, "twin": c.mistakes["sign"]}) for c in cases]
    assert diagnose.known([SUM, SIGN, twin], cases, answers) == ([], False)


def test_two_mistakes_in_different_cases_are_both_named():
    cases, answers = in_turn(7, -1, -1, 7)
    assert diagnose.known([SUM, SIGN], cases, answers) == ([SUM, SIGN], False)


@pytest.mark.parametrize("factors", [(7, 7, -1), (7, 7, -1, -1, -7)])
def test_two_mistakes_need_several_cases_each_and_no_case_against_them(factors):
    cases, answers = in_turn(*factors)
    assert diagnose.known([SUM, SIGN], cases, answers) == ([], False)


def test_errors_match_by_their_words():
    error = {"error": {"kind": "exception", "type": "RuntimeError", "message": "sizes 3 and 5"}}
    case = entry(SCORES, mistakes={"sum": error})
    assert diagnose.known([SUM], [case], [error]) == ([SUM], True)
    other = {"error": error["error"] | {"message": "sizes 5 and 3"}}
    assert diagnose.known([SUM], [case], [other]) == ([], False)


def test_what_takes_too_much_to_look_at_is_not_looked_at():
    """Words of which one is long take as much room as an array as if all were; of 64 axes there are
    millions of ways to choose five.
    """
    words = ["x" * 10**6] + ["y"] * 300
    assert [*looks(["a"] * 301, words, {"args": {}}, 1e-9)] == []
    thin = np.ones((1,) * 59 + (5,))
    assert [*looks(np.ones(5) * 2, thin, {"args": {}}, 1e-9)] == []
    assert [*looks(np.ones(5), np.ones((1, 5)), {"args": {}}, 1e-9)] != []


def test_the_search_for_words_ends(monkeypatch):
    monkeypatch.setattr(diagnose, "SECONDS", 0.0)
    case = records.load("linear", "softmax").cases[0]
    answer = {"values": {**case.expected, "output": case.expected["output"] * 2}}
    with pytest.raises(diagnose.Exhausted):
        diagnose.known([], [case], [answer])


def test_a_single_number_that_went_through_float32_is_told_so():
    seen = [*looks(0.1, float(np.float32(0.1)), {"args": {}}, 1e-9, alone=True)]
    assert "holds numbers of float32" in seen[0]
    assert [*looks(0.1, 0.2, {"args": {}}, 1e-9, alone=True)] == []


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [
        ("ValueError", "max() arg is an empty sequence", "max() iterable argument is empty"),
        (
            "RecursionError",
            "maximum recursion depth exceeded",
            "maximum recursion depth exceeded in comparison",
        ),
    ],
)
def test_an_error_is_the_same_on_every_python(kind, one, other):
    left, right = (
        {"kind": "exception", "type": kind, "message": said, "line": 3} for said in (one, other)
    )
    assert diagnose.essence(left) == diagnose.essence(right)
    assert diagnose.essence(left) != diagnose.essence(left | {"message": "min() of it"})
    assert diagnose.essence(left) != diagnose.essence(left | {"type": "TypeError"})


ZEROS = np.array([[0.5, -2.0, -np.inf], [3.0, 0.0, -np.inf]])


@pytest.mark.parametrize(
    ("want", "wrong", "args"),
    [
        (np.array(3.0), np.array(0.0), {}),  # a number that the case shows by itself
        (np.array([True, False]), np.array([False, True]), {}),  # counted alike by chance
        (np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0]), {}),
        (np.array([3, 5]), np.array([0, 1]), {"x": np.array([0.3, 1.7])}),  # 0 and 1 as integers
        (SCORES, np.ones((5, 7)), {"x": np.ones((5, 7))}),  # ones are an argument by chance
        (np.array([[0.3, -0.4, 1.1]]), np.array([[0.5, 0.1, 0.7]]), {}),  # sums to 1 by chance
        (ZEROS, np.maximum(ZEROS, 0), {}),  # −∞ is more than a negative number
        (np.array([[0.9, 0.1]]), np.array([0]), {}),  # the argmax, and any other 0
        (np.float64(0.9999999), np.float64(1.0), {}),  # 1 is a float32, and any other number
    ],
)
def test_silence_where_it_may_be_chance(wrong, want, args):
    said = [*looks(want, wrong, {"args": args}, 1e-9)]
    assert not [one for one in said if "(eps)" not in one and "same number within" not in one]


def test_minus_infinity_is_no_negative_number():
    reference = entry(np.ones((2, 3)), x=ZEROS)
    wrong = np.where(np.isneginf(ZEROS), 2.0, 1.0)
    assert observed(reference, wrong) == ["It is wrong exactly where `x` is −∞."]


def test_a_number_that_is_small_beside_others_is_not_called_0():
    want = np.array([3e199, -4e199, 2e199])
    assert any("set to 0" in one for one in looks(want, np.maximum(want, 0), {"args": {}}, 1e-9))
    clamped = np.maximum(want, -1e30)
    assert not [one for one in looks(want, clamped, {"args": {}}, 1e-9) if "set to 0" in one]


def test_nan_where_infinity_is_due_is_called_nan():
    reference = entry(np.where(np.isneginf(ZEROS), -np.inf, 1.0), x=ZEROS)
    wrong = np.where(np.isneginf(ZEROS), np.nan, 1.0)
    assert observed(reference, wrong) == ["It is NaN exactly where `x` is −∞."]
    turned = np.where(np.isneginf(ZEROS), np.inf, 1.0)
    assert "It is wrong exactly where `x` is −∞." in observed(reference, turned)


def test_what_is_infinite_by_right_is_not_told_as_wrong():
    reference = entry(np.array([-np.inf, 1.0, 2.0]), x=np.array([3.0, 0.0, 1.0]))
    said = observed(reference, np.array([-np.inf, np.nan, 2.0]))
    assert said == ["It is wrong exactly where `x` is 0."]


@pytest.mark.parametrize(
    ("got", "sentence"),
    [
        (SCORES[None, None], "has the right numbers and 2 axes of size 1 too many"),
        (np.stack([SCORES, -SCORES, SCORES]) * 3, "has too many axes: its mean over axis -3 is"),
    ],
)
def test_axes_that_are_too_many(got, sentence):
    (said,) = observed(entry(SCORES), got)
    assert sentence in said


def test_two_truths_are_in_no_order():
    reference = replace(entry(0), expected={"output[0]": True, "output[1]": False})
    swapped = {"values": {"output[0]": False, "output[1]": True}}
    assert [*diagnose.observe([reference], [swapped])] == []


def test_what_is_seen_is_told_of_the_cases_that_fail():
    right, failed = entry(SCORES), entry(SCORES)
    said = [*diagnose.observe([right, failed], [answer(right), answer(failed, output=-SCORES)])]
    assert said == ["Where it fails, it has the wrong sign."]


def settings(good, bad):
    """Say what cases with one setting right, and with another wrong, lead to."""
    cases = [replace(entry(SCORES), call={"args": {"setting": value}}) for value in good + bad]
    answers = [answer(case) for case in cases[: len(good)]]
    answers += [answer(case, output=SCORES + WEIGHTS) for case in cases[len(good) :]]
    return [*diagnose.observe(cases, answers)]


def test_settings_that_tell_right_from_wrong():
    assert settings([None], [False]) == ["It is wrong only with `setting` = False."]
    assert settings([False], [True, None]) == [
        "It is right with `setting` = False and wrong otherwise."
    ]
    assert settings([0.0], [0.5, 0.9]) == ["It is right with `setting` = 0 and wrong otherwise."]
    assert settings([None], [0.5]) == [
        "It is right where `setting` is left to its default, and wrong elsewhere."
    ]
    assert settings(["a"] * 3, ["b"]) == ["It is wrong only with `setting` = 'b'."]
    assert settings(["one", "two", "three"], ["four"]) == []  # texts, each of its own case
    assert settings([0], [3, 5]) == []  # a count: of nothing, anything is right


@pytest.mark.parametrize(
    ("subject", "said"),
    [
        ("The labels", "The labels are the transpose of what they should be"),
        ("The keys to keep", "The keys to keep are the transpose of what they should be"),
        ("The loss", "The loss is the transpose of what it should be"),
        ("The gradient of the scores", "The gradient of the scores is the transpose of what it"),
        ("What is read", "What is read is the transpose of what it should be"),
    ],
)
def test_several_things_are(subject, said):
    assert agreeing(subject, "is the transpose of what it should be").startswith(said)
