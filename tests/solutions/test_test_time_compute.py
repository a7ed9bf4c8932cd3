"""Test-time compute: held against enumeration, loops over rows, and torch's own loss."""

import itertools
import math

import pytest
import torch
from torch.nn import functional as F

from solutions.preference import pass_at_k
from solutions.test_time_compute import (
    ASKED,
    CLOSE,
    COUNT,
    REACH,
    RESULT,
    Calculator,
    beam_over_steps,
    best_allocation,
    decode_text,
    encode_text,
    expected_best,
    generate_with_tool,
    read_signs,
    select_beams,
    sign_problems,
    step_labels,
    tool_mask,
    verifier_loss,
    weighted_vote,
    write_problems,
    write_sum,
)

DOUBLE = torch.float64


def chance(seed=0):
    return torch.Generator().manual_seed(seed)


def test_a_problem_has_one_solution():
    target, numbers, signs = sign_problems(50, chance())
    for want, row, own in zip(target.tolist(), numbers.tolist(), signs.tolist(), strict=True):
        found = [
            choice
            for choice in itertools.product((1, -1), repeat=COUNT)
            if sum(a * b for a, b in zip(choice, row, strict=True)) == want
        ]
        assert found == [tuple(own)]


def test_solutions_are_written_with_their_sums():
    problems = sign_problems(20, chance())
    tokens = write_problems(problems)
    assert (read_signs(tokens[:, ASKED:]) == problems.signs).all()
    assert (tokens[:, -1] - REACH == problems.target).all()
    assert (tokens[:, 0] - REACH == problems.target).all()
    assert (read_signs(tokens[:, ASKED + 1 :]) == 0).all()  # these are sums


def test_steps_are_right_up_to_the_first_mistake():
    solutions = torch.tensor([[1, -1, 1], [1, 1, 1]])
    steps = torch.tensor([[1, 1, 1], [1, 1, -1]])
    assert step_labels(steps, solutions).tolist() == [[True, False, False], [True, True, False]]


def test_the_loss_is_a_mean_over_all_tokens():
    scores = torch.randn(3, 5, generator=chance(), dtype=DOUBLE)
    right, mask = torch.tensor([True, False, True]), torch.rand(3, 5, generator=chance(1)) < 0.5
    each = F.binary_cross_entropy_with_logits(
        scores, right[:, None].expand(3, 5).double(), reduction="none"
    )
    torch.testing.assert_close(verifier_loss(scores, right, mask), each[mask].mean())
    nan = scores.masked_fill(~mask, torch.nan).requires_grad_()
    loss = verifier_loss(nan, right[:, None].expand(3, 5), mask)
    torch.testing.assert_close(loss.detach(), each[mask].mean())
    loss.backward()
    assert nan.grad.isfinite().all()


@pytest.mark.parametrize("n", [1, 2, 4, 7])
def test_the_best_of_n_is_a_mean_over_all_choices(n):
    scores = torch.tensor([1.0, 3, 3, 0, 2, 3, 1], dtype=DOUBLE)
    values = torch.randn(7, generator=chance(), dtype=DOUBLE)
    found = []
    for chosen in itertools.combinations(range(7), n):
        best = max(scores[i].item() for i in chosen)
        winners = [values[i].item() for i in chosen if scores[i] == best]
        found.append(sum(winners) / len(winners))
    expected = torch.tensor(sum(found) / len(found), dtype=DOUBLE)
    torch.testing.assert_close(expected_best(scores, values, n), expected)


def test_a_perfect_verifier_is_pass_at_k():
    right = torch.rand(4, 30, generator=chance()) < 0.2
    for k in (1, 3, 30):
        found = expected_best(right.double(), right.double(), k)
        torch.testing.assert_close(found, pass_at_k(right.sum(dim=1), 30, k))
    with pytest.raises(ValueError, match="from 1 to 30"):
        expected_best(right.double(), right.double(), 31)


def test_a_vote_adds_weights():
    answers = torch.tensor([[4, 9, 9, 4, 7], [1, 2, 2, 1, 3]])
    assert weighted_vote(answers, torch.ones(2, 5)).tolist() == [4, 1]
    weights = torch.tensor([[0.1, 0.1, 0.1, 0.2, 0.9], [0.1, 0.3, 0.3, 0.1, 0.5]])
    assert weighted_vote(answers, weights).tolist() == [7, 2]


def test_beams_are_different():
    candidates = torch.tensor([[[1, 2], [1, 2], [3, 4], [5, 6]]])
    beams, scores = select_beams(candidates, torch.tensor([[2.0, 9, 1, 2]]), 3)
    assert beams.tolist() == [[[1, 2], [5, 6], [3, 4]]]
    assert scores.tolist() == [[2, 2, 1]]
    beams, scores = select_beams(candidates[:, :3], torch.tensor([[2.0, 9, 1]]), 3)
    assert beams.tolist() == [[[1, 2], [3, 4], [1, 2]]]
    assert scores.tolist() == [[2, 1, -math.inf]]


def test_a_wide_search_finds_the_best_text():
    """With both bits proposed for each beam, and the score of the digits read as a number."""

    def propose(texts):
        bits = torch.arange(len(texts)) % 2
        return torch.cat([texts, bits[:, None]], dim=1)

    def score(texts):
        return (texts[:, 1:] * 2.0 ** -torch.arange(texts.shape[1] - 1)).sum(dim=1)

    prompts = torch.tensor([[7], [8]])
    beams, scores = beam_over_steps(prompts, propose, score, steps=3, width=2, samples=4)
    assert beams.tolist() == [[[7, 1, 1, 1], [7, 1, 1, 0]], [[8, 1, 1, 1], [8, 1, 1, 0]]]
    assert scores.tolist() == [[1.75, 1.5]] * 2


def test_the_best_allocation_fits():
    training = torch.tensor([10.0, 100.0])
    answering = torch.tensor([[1.0, 8.0], [10.0, 80.0]])
    accuracy = torch.tensor([[0.2, 0.5], [0.4, 0.7]])

    def best(questions, budget):
        return best_allocation(training, answering, accuracy, questions=questions, budget=budget)

    assert best(1, 200) == (1, 1)
    assert best(1, 100) == (0, 1)
    assert best(20, 300) == (0, 1)
    assert best(100, 115) == (0, 0)
    with pytest.raises(ValueError, match="nothing fits"):
        best(1, 5)


def test_the_tools_tokens_are_left_out():
    text = write_sum(57, 86)
    assert text == "57+86?[57+86=143]143."
    (mask,) = tool_mask(encode_text([text], length=len(text)), result=RESULT, close=CLOSE)
    assert "".join(sign for sign, own in zip(text, mask, strict=True) if own) == "57+86?[57+86=143."
    assert write_sum(57, 86, style="plain") == "57+86?143."


def test_a_calculator_adds():
    tool = Calculator()
    assert "57+86" in tool
    assert Calculator().get("57+86") == tool["57+86"] == "143"
    assert tool["1+2+3"] == "6"
    for call in ("", "57+", "5-3", "5+3]"):
        with pytest.raises(KeyError):
            tool[call]
        assert call not in tool
        assert tool.get(call, "") == ""


def test_the_tool_writes_in_place_of_the_model():
    wanted = encode_text(["[2+3=....5.", "....[9+9=.."], length=11)
    seen = []

    def step(tokens, state):
        seen.append(tokens.clone())
        place = 0 if state is None else state
        return 100 * F.one_hot(wanted[:, place : place + 1], 16).double(), place + 1

    prompt = encode_text(["2+3?", "9+9?"], length=4)
    written = generate_with_tool(step, prompt, torch.full((2, 11), 0.5), Calculator())
    assert decode_text(written[0]) == "[2+3=5]..5."
    assert decode_text(written[1]) == "....[9+9=18"
    read = torch.cat(seen, dim=1)
    assert (read[:, 4:] == written[:, :-1]).all()


def test_a_call_without_a_bracket_begins_with_the_text():
    wanted = encode_text(["=...", "4=.."], length=4)

    def step(tokens, state):
        place = 0 if state is None else state
        return 100 * F.one_hot(wanted[:, place : place + 1], 16).double(), place + 1

    prompt = encode_text(["2+3", "1+1"], length=3)
    written = generate_with_tool(step, prompt, torch.full((2, 4), 0.5), Calculator())
    assert [decode_text(row) for row in written] == ["=5].", "4=15"]
