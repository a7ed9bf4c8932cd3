"""Questions on test-time compute: verifiers, votes, search, budgets and tools."""

from __future__ import annotations

import math
from random import Random

from grader.questions import Drawn, question
from grader.questions.kinds import prints, which_mistake
from grader.questions.shown import num
from solutions import test_time_compute


@question("short", "outcome-verifier", 4, public=True)
def verifier_that_guesses(rng: Random) -> Drawn:
    share = rng.choice([0.1, 0.2, 0.25])
    loss = -share * math.log(share) - (1 - share) * math.log(1 - share)
    return Drawn(
        text=f"A share of {share} of a model's samples is right. A verifier cannot tell right samples from wrong ones, and predicts the same probability for all. Which probability has the lowest loss, and what is this loss?",
        answer=f"${share}$; ${num(loss)}$ nats",
        wrong=[f"$0.5$; ${num(math.log(2))}$ nats", "$0$; $0$ nats"],
        steps=(
            (f"The best constant is the share of right samples, {share}.", 1),
            (f"$-{share} \\ln {share} - {num(1 - share)} \\ln {num(1 - share)} = {num(loss)}$", 2),
        ),
    )  # fmt: skip


@question("mistake", "outcome-verifier", 5)
def verifier_mistake(rng: Random) -> Drawn:
    score = rng.choice([1.5, 2.0])
    return which_mistake(
        rng,
        "test_time_compute.verifier_loss",
        {
            "scores": [[score, -1.0, 0.5], [0.25, -0.5, 1.0]],
            "labels": [True, False],
            "mask": [[False, True, True], [False, False, True]],
        },
        ["mask_left_out", "sum_over_tokens", "labels_swapped", "mean_of_answers"],
        text=f"A verifier has the scores ({score}, −1, 0.5) for the tokens of a right answer, of which the last two count, and (0.25, −0.5, 1) for a wrong one, of which the last one counts. A student computed the loss.",
    )


@question("short", "rank-samples", 4, public=True)
def best_of_two(rng: Random) -> Drawn:
    samples = rng.choice([4, 5, 6])
    found = 1 - (samples - 2) / samples
    return Drawn(
        text=f"Of {samples} samples, only the one with the second highest score of a verifier is right. All scores differ. Estimate without bias how often the best of two samples is right.",
        answer=f"${num((samples - 2) / math.comb(samples, 2))}$",
        wrong=[f"${num(found)}$", "0"],
        steps=(
            (f"There are {math.comb(samples, 2)} pairs of samples.", 1),
            (f"The right sample wins in the {samples - 2} pairs with a lower-scored one.", 2),
        ),
    )


@question("mistake", "rank-samples", 5)
def best_mistake(rng: Random) -> Drawn:
    high = rng.choice([3.0, 4.0, 5.0, 6.0])
    return which_mistake(
        rng,
        "test_time_compute.expected_best",
        {"scores": [2.0, 1.0, high, high], "values": [1.0, 0.0, 0.0, 1.0], "n": 2},
        ["first_n_alone", "with_replacement", "best_of_all", "lowest_score_wins"],
        text=f"Four samples have the scores 2, 1, {num(high)} and {num(high)}; the first and the last are right. A student estimated the share of right answers among the best of two.",
    )


@question("short", "rank-samples", 4)
def overoptimized(rng: Random) -> Drawn:
    few, many = rng.choice([(4, 256), (8, 512), (16, 1024), (4, 128)])
    return Drawn(
        text=f"With a learned verifier, the best of {few} samples is right more often than the best of {many}. A check finds a right answer among the {many} samples more often. What is the most likely reason?",
        answer=f"Among {many} samples there is more often a wrong one that the verifier scores highest: its own mistakes are selected",
        wrong=[
            f"{many} samples of the model contain fewer right answers than {few}",
            "The temperature of the samples is too low",
            "The estimate of the best of n has a bias that grows with n",
        ],
        steps=(
            ("The check shows that right answers are there; so the choice is at fault.", 2),
            ("The maximum over more samples looks for answers on which the verifier errs upwards.", 2),
        ),
    )  # fmt: skip


@question("short", "weighted-vote", 4, public=True)
def votes_with_weights(rng: Random) -> Drawn:
    heavy = rng.choice([0.6, 0.65, 0.7, 0.75])
    return Drawn(
        text=f"Five samples answer 12, 12, 15, 15, 15. A verifier gives them the probabilities 0.5, {heavy}, 0.2, 0.3 and 0.4. Which answer wins a vote, which one a weighted vote, and which one has the single best sample?",
        answer=f"15; 12, with {num(0.5 + heavy)} against 0.9; 12",
        wrong=["15; 15; 12", "12; 12; 12"],
        steps=(
            ("The vote counts three samples for 15 and two for 12.", 1),
            (f"The weights of 12 add up to {num(0.5 + heavy)}, those of 15 to 0.9.", 2),
        ),
    )


@question("prints", "process-verifier", 4)
def printed_labels(rng: Random) -> Drawn:
    place = rng.choice([0, 1, 2])
    steps = [5, rng.choice([6, 7]), 2, 9]
    said = steps.copy()
    said[place] += 1
    return prints(
        f"""import torch
said = torch.tensor([{said}])
solution = torch.tensor([{steps}])
print((said == solution).int().tolist(), (said == solution).cumprod(dim=1).tolist())""",
        ("The comparison marks each step alone, right ones after a mistake, too.", 2),
        ("The product stays 0 from the first mistake on: these are labels of steps.", 1),
    )


@question("short", "search-over-steps", 4)
def tokens_of_a_search(rng: Random) -> Drawn:
    samples, width, steps, length = rng.choice([(16, 4, 5, 2), (12, 3, 4, 10), (32, 8, 6, 5)])
    return Drawn(
        text=f"A search over steps samples {samples} continuations per step and keeps {width}. Answers have {steps} steps of {length} tokens. How many tokens does it write, and with which best-of-n sampling must it be compared?",
        answer=f"{samples * steps * length}; the best of {samples}",
        wrong=[
            f"{width * steps * length}; the best of {width}",
            f"{samples**2 * length}; the best of {samples * width}",
        ],
        steps=(
            (f"Each of {steps} steps writes {samples} times {length} tokens.", 2),
            (f"{samples} whole answers have as many.", 1),
        ),
    )


@question("short", "training-answering", 5, public=True)
def number_of_questions(rng: Random) -> Drawn:
    small, large, samples = rng.choice([(2, 20, 4), (3, 30, 6), (1, 10, 5)])
    ratio = rng.choice([8, 10])
    per = samples * small
    each = ratio * small
    equal = (large - small) * 10**6 / (per - each)
    return Drawn(
        text=f"Training a small model costs {small}·10⁶, a large one {large}·10⁶. One sample costs {small} and {each}. The small model needs {samples} samples per question for the accuracy of one sample of the large model. Which one is cheaper, for which number of questions?",
        answer=f"The small one, for any number: {samples} samples cost {per}, less than {each}",
        wrong=[
            f"The large one, from {abs(round(equal)):,} questions on",
            "The large one, for any number: it needs one sample",
        ],
        steps=(
            (f"{samples} samples of the small model cost {per}, one of the large {each}.", 2),
            ("Its training costs less, too, so the small model is ahead at any number of questions.", 2),
        ),
    )  # fmt: skip


@question("mistake", "tool-mask", 5)
def mask_mistake(rng: Random) -> Drawn:
    token = rng.choice([2, 3])
    return which_mistake(
        rng,
        "test_time_compute.tool_mask",
        {"tokens": [[token, 8, 4, 9, token, 8, 5, 9, 1]], "result": 8, "close": 9},
        ["asking_left_out", "never_closed", "first_call_alone", "marks_alone"],
        text=f"A row of tokens is {token}, 8, 4, 9, {token}, 8, 5, 9, 1, where 8 asks a tool for its result, and 9 ends the result. A student computed the mask of the model's own tokens.",
    )


@question("short", "tool-calls", 4, public=True)
def text_with_a_tool(rng: Random) -> Drawn:
    first, second = rng.choice([(27, 15), (34, 58), (46, 37)])
    call = test_time_compute.Calculator()[f"{first}+{second}"]
    own = len(f"[{first}+{second}=") + len(call) + 1
    return Drawn(
        text=f"After a question, the text is `[{first}+{second}={call}]{call}.` How many of its characters count in the loss, and which ones do not?",
        answer=f"{own}; not `{call}]`, which the tool writes",
        wrong=[f"{own + 1}; not `{call}`", f"{own - 1}; not `={call}]`"],
        steps=(
            (f"The tool writes the result and the bracket, {len(call) + 1} characters.", 2),
            (f"The call up to `=` and the answer with its end remain: {own}.", 1),
        ),
    )


@question("short", "tool-calls", 4)
def longer_numbers(rng: Random) -> Drawn:
    digits = rng.choice([3, 4, 5, 6])
    return Drawn(
        text=f"A small GPT has learned to call a calculator for sums of numbers with up to {digits} digits. With {digits + 1} digits nearly all of its answers are wrong. Which measurement shows where it fails?",
        answer="The share of calls that repeat the numbers of the question",
        wrong=[
            "The share of results that the calculator computes correctly",
            "The loss on the tokens of the tool",
            "The accuracy of the same model without a calculator",
        ],
        steps=(
            ("The calculator adds numbers of any length, so its result is right for each call.", 1),
            ("What remains is the call, which the model writes, and the copy of the result.", 2),
        ),
    )  # fmt: skip
