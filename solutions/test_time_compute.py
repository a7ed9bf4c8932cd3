"""Test-time compute: verifiers, search over steps, and tools.

Builds a task whose answers are found by search and checked exactly; the labels and the loss of
verifiers; an estimate of what the best of n samples is worth; votes with weights; a beam search
over steps; the best use of a budget between training and answering; and the mask and the loop of a
model that calls a tool.

Sources: Cobbe et al. 2021, "Training Verifiers to Solve Math Word Problems"; Wang et al. 2023,
"Self-Consistency Improves Chain of Thought Reasoning in Language Models"; Li et al. 2023, "Making
Language Models Better Reasoners with Step-Aware Verifier" (weighted votes); Lightman et al. 2024,
"Let's Verify Step by Step"; Snell et al. 2024, "Scaling LLM Test-Time Compute Optimally Can Be More
Effective than Scaling Model Parameters"; Schick et al. 2023, "Toolformer".
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

from solutions.gpt import filtered
from solutions.recurrent import draw_next

COUNT, HIGHEST = 5, 9  # numbers of a problem, and the largest of them
REACH = COUNT * HIGHEST  # sums lie between −REACH and REACH
PLUS, MINUS, EQUALS = range(2 * REACH + 1, 2 * REACH + 4)  # tokens after those of the sums
SYMBOLS = EQUALS + 2  # the last one is padding
ASKED = COUNT + 2  # tokens of a prompt
CHARACTERS = "0123456789+?[=]."  # of texts with calls of a tool
CALL, RESULT, CLOSE, END = (CHARACTERS.index(sign) for sign in "[=].")

# a task: which signs reach the target?


class Problems(NamedTuple):
    """Numbers, a target, and the only choice of signs with which they add up to it.

    Attributes:
        target: (B,) int64.
        numbers: (B, `COUNT`) int64, from 1 to `HIGHEST`.
        signs: (B, `COUNT`) int64, 1 or −1.
    """

    target: Tensor
    numbers: Tensor
    signs: Tensor


def sign_problems(count: int, chance: torch.Generator) -> Problems:
    """Draw numbers and signs, and keep those problems that no other signs solve.

    Args:
        count: B.
        chance: draws them, on the device of the generator.

    Returns:
        B problems.
    """
    device = chance.device
    choices = torch.tensor(list(itertools.product((1, -1), repeat=COUNT)), device=device)
    found: list[Tensor] = []
    while sum(map(len, found)) < count:
        numbers = torch.randint(1, HIGHEST + 1, (3 * count, COUNT), generator=chance, device=device)
        picked = torch.randint(len(choices), (3 * count,), generator=chance, device=device)
        sums = numbers @ choices.T  # (3B, 2^COUNT)
        target = sums.gather(1, picked[:, None])
        alone = (sums == target).sum(dim=1) == 1
        found.append(torch.cat([target, numbers, choices[picked]], dim=1)[alone])
    rows = torch.cat(found)[:count]
    return Problems(rows[:, 0], rows[:, 1 : COUNT + 1], rows[:, COUNT + 1 :])


def write_problems(problems: Problems) -> Tensor:
    """Write problems and their solutions as tokens.

    A prompt is the target, the numbers and an equals sign. A solution is a step for each number:
    its sign, and the sum so far.

    Args:
        problems: B of them.

    Returns:
        (B, `ASKED` + 2 `COUNT`) int64.
    """
    target, numbers, signs = problems
    said = torch.where(signs > 0, PLUS, MINUS)  # (B, COUNT)
    sums = (numbers * signs).cumsum(dim=1) + REACH
    steps = torch.stack([said, sums], dim=2).flatten(1)  # -> (B, 2 COUNT)
    end = torch.full_like(target, EQUALS)
    return torch.cat([target[:, None] + REACH, numbers + REACH, end[:, None], steps], dim=1)


def read_signs(answers: Tensor) -> Tensor:
    """Read the signs of answers.

    Args:
        answers: (..., 2 S) int64, tokens after the prompt: S signs, each with a sum after it.

    Returns:
        (..., S) int64: 1 for a plus, −1 for a minus, 0 for any other token in its place.
    """
    said = answers[..., ::2]
    return (said == PLUS).long() - (said == MINUS).long()


# verifiers


def step_labels(steps: Tensor, solutions: Tensor) -> Tensor:
    """Label each step of an answer, by whether all is right up to and including it.

    A step after the first mistake is wrong, whatever it says (Lightman et al. 2024 train on labels
    up to the first mistake only).

    Args:
        steps: (B, S) int64, what an answer says in each step.
        solutions: (B, S) int64, the only right answer.

    Returns:
        (B, S) bool.
    """
    return (steps == solutions).cumprod(dim=1).bool()


def verifier_loss(scores: Tensor, labels: Tensor, mask: Tensor) -> Tensor:
    """Cross-entropy of a verifier that predicts at each token whether an answer is right.

    Args:
        scores: (B, T) float, logits: the verifier believes in the answer with probability σ(score).
        labels: bool, (B,): whether the answer is right, taught at each of its tokens (Cobbe et al.
            2021); or (B, T): labels of tokens.
        mask: (B, T) bool, the tokens that count. Scores of the others do not matter, even NaN, and
            their gradient is 0.

    Returns:
        (), the mean over all tokens that count, in nats.
    """
    labels = labels[:, None] if labels.ndim == 1 else labels
    wanted = labels.expand_as(scores)[mask].to(scores.dtype)
    return F.binary_cross_entropy_with_logits(scores[mask], wanted)


# choosing among samples


def expected_best(scores: Tensor, values: Tensor, n: int) -> Tensor:
    """Estimate without bias the value of the best of n samples, chosen by scores.

    Take the sample with the highest score among n, and average its value over all ways to choose n
    of the N samples. Equal scores are equally likely to win. If the scores are the values, 0 or 1,
    this is `solutions.preference.pass_at_k`.

    Args:
        scores: (..., N) float, also −∞; the highest wins.
        values: (..., N) float, for example 1 for a right answer and 0 for a wrong one.
        n: from 1 to N.

    Returns:
        (...), of the dtype of ``values``.

    Raises:
        ValueError: n is below 1 or above N.
    """
    samples = scores.shape[-1]
    if not 1 <= n <= samples:
        raise ValueError(f"n must be from 1 to {samples}, the number of samples; got {n}")
    scores = scores.contiguous()
    ordered = scores.sort().values
    below = torch.searchsorted(ordered, scores)  # (..., N): how many score lower
    upto = torch.searchsorted(ordered, scores, right=True)
    taken = torch.arange(n, device=scores.device, dtype=torch.float64)

    def all_among(count: Tensor) -> Tensor:  # C(count, n) / C(N, n)
        return ((count[..., None] - taken) / (samples - taken)).prod(dim=-1)

    chosen = (all_among(upto) - all_among(below)) / (upto - below)
    return (chosen * values).sum(dim=-1).to(values.dtype)


def weighted_vote(answers: Tensor, weights: Tensor) -> Tensor:
    """Choose the answer whose samples have the largest total weight.

    With equal weights, this is self-consistency (Wang et al. 2023).

    Args:
        answers: (B, N) int64, one number for each different answer.
        weights: (B, N) float, of any sign, for example a verifier's probabilities.

    Returns:
        (B,) int64, answers; of several with the same total, the one sampled first.
    """
    same = answers[:, :, None] == answers[:, None]  # (B, N, N)
    totals = torch.where(same, weights[:, None], 0.0).sum(dim=2)
    return answers.gather(1, totals.argmax(dim=1, keepdim=True))[:, 0]


# search over steps


def select_beams(candidates: Tensor, scores: Tensor, width: int) -> tuple[Tensor, Tensor]:
    """Keep the candidates with the highest scores, each only once.

    Args:
        candidates: (B, N, T) int64, N partial answers to each of B prompts.
        scores: (B, N) float, finite.
        width: W, from 1 to N.

    Returns:
        (B, W, T), the best first, the earlier of two with equal scores first; and their scores
        (B, W). Of equal candidates, only the first counts. If fewer than W differ, copies of any of
        them fill the rest, with a score of −∞.
    """
    same = (candidates[:, :, None] == candidates[:, None]).all(dim=3)  # (B, N, N)
    repeated = same.tril(diagonal=-1).any(dim=2)
    scores = scores.masked_fill(repeated, -torch.inf)
    order = scores.argsort(dim=1, descending=True, stable=True)[:, :width]
    places = order[..., None].expand(-1, -1, candidates.shape[2])
    return candidates.gather(1, places), scores.gather(1, order)


def beam_over_steps(
    prompts: Tensor,
    propose: Callable[[Tensor], Tensor],
    score: Callable[[Tensor], Tensor],
    *,
    steps: int,
    width: int,
    samples: int,
) -> tuple[Tensor, Tensor]:
    """Search step by step: sample continuations, and keep those that a verifier scores highest.

    A beam search with a verifier's scores (Snell et al. 2024).

    Args:
        prompts: (B, T) int64.
        propose: maps texts (M, n) to the same texts with one more step.
        score: maps texts (M, n) to scores (M,).
        steps: of an answer.
        width: beams that are kept after each step.
        samples: N, continuations per prompt and step, a multiple of ``width``.

    Returns:
        (B, width, T'), prompts with answers, the best first; and their scores (B, width).
    """
    beams = prompts[:, None]  # (B, 1, T)
    scores = beams.new_zeros(beams.shape[:2], dtype=torch.float32)
    for _ in range(steps):
        texts = beams.repeat_interleave(samples // beams.shape[1], dim=1)  # (B, N, n)
        longer = propose(texts.flatten(0, 1)).unflatten(0, texts.shape[:2])
        beams, scores = select_beams(
            longer, score(longer.flatten(0, 1)).view(texts.shape[:2]), width
        )
    return beams, scores


# training against answering


def best_allocation(
    training: Tensor, answering: Tensor, accuracy: Tensor, *, questions: float, budget: float
) -> tuple[int, int]:
    """Choose a model and a number of samples per question under a budget.

    Args:
        training: (M,) float, multiply-adds to train each model.
        answering: (M, K) float, multiply-adds per question, for each of K numbers of samples.
        accuracy: (M, K) float.
        questions: number of questions that the model has to answer.
        budget: multiply-adds for training and for all questions together.

    Returns:
        Row and column of the highest accuracy that fits; of equal ones, the cheapest.

    Raises:
        ValueError: nothing fits into the budget.
    """
    cost = training[:, None] + questions * answering  # (M, K)
    fits = cost <= budget
    if not fits.any():
        raise ValueError(f"nothing fits into {budget:g}; the cheapest takes {cost.min():g}")
    best = accuracy[fits].max()
    place = torch.where(fits & (accuracy == best), cost, torch.inf).argmin()
    return divmod(int(place), cost.shape[1])


# tools


def write_sum(first: int, second: int, *, style: str = "tool") -> str:
    """Write a sum as a question with its answer.

    Args:
        first: 0 or more.
        second: 0 or more.
        style: ``"tool"``: ``57+86?[57+86=143]143.``; ``"plain"``: ``57+86?143.``.

    Returns:
        A text of `CHARACTERS`.
    """
    answer = str(first + second)
    call = f"[{first}+{second}={answer}]" if style == "tool" else ""
    return f"{first}+{second}?{call}{answer}."


def encode_text(texts: list[str], *, length: int) -> Tensor:
    """Write texts as numbers of `CHARACTERS`.

    Args:
        texts: each at most ``length`` characters long.
        length: T; shorter texts are filled up with the end sign.

    Returns:
        (B, T) int64.
    """
    return torch.tensor([[CHARACTERS.index(c) for c in one.ljust(length, ".")] for one in texts])


def decode_text(tokens: Tensor) -> str:
    """Read one row of tokens.

    Args:
        tokens: (T,) int64.

    Returns:
        A text of T characters.
    """
    return "".join(CHARACTERS[token] for token in tokens.tolist())


class Calculator(dict[str, str]):
    """A tool: the result of each call, computed when asked for and kept.

    ``Calculator()["57+86"]`` is ``"143"``. A call that is no sum of whole numbers raises a
    `KeyError`.
    """

    def __contains__(self, call: object) -> bool:
        """Say whether a call has a result; a dict's own method would not compute."""
        return Mapping.__contains__(self, call)

    def get(self, call: str, default: str | None = None) -> str | None:  # type: ignore[override]
        """Compute a sum; where that cannot be done, return the default."""
        return Mapping.get(self, call, default)

    def __missing__(self, call: str) -> str:
        """Compute a sum.

        Args:
            call: numbers with plus signs between them.

        Returns:
            The sum, in digits.

        Raises:
            KeyError: the call is no such sum.
        """
        if not re.fullmatch(r"[0-9]+(\+[0-9]+)*", call):
            raise KeyError(call)
        self[call] = str(sum(map(int, call.split("+"))))
        return self[call]


def tool_mask(tokens: Tensor, *, result: int, close: int) -> Tensor:
    """Find the tokens that a model writes itself, for its loss.

    A tool writes what follows ``result``, up to and including the next ``close``. A model is not
    trained to predict these tokens: it will never have to write them.

    Args:
        tokens: (B, T) int64, any number of calls per row; the last may be cut off.
        result: the token that asks the tool for its result. The tool never writes it.
        close: the token that ends the result. The model never writes it.

    Returns:
        (B, T) bool, False for tokens of the tool.
    """
    asks, closes = (tokens == result).cumsum(dim=1), (tokens == close).cumsum(dim=1)
    asked, closed = (F.pad(count, (1, 0))[:, :-1] for count in (asks, closes))  # before each token
    return asked <= closed


def generate_with_tool(
    step: Callable[[Tensor, Any], tuple[Tensor, Any]],
    prompt: Tensor,
    uniform: Tensor,
    tool: Mapping[str, str],
    **settings: Any,
) -> Tensor:
    """Generate texts, and let a tool write the result of each call.

    A call is the text between the last ``[``, or the beginning, and ``=``. When a model has written
    ``=``, the tool's result follows, then ``]``, one character after another in place of the
    model's own; then the model goes on. If the tool has no result for a call, ``]`` follows at
    once. All rows advance together: a row in which the tool writes takes as long as one in which
    the model does, and its random numbers are skipped.

    Args:
        step: as in `solutions.gpt.generate`; it reads and scores numbers of `CHARACTERS`.
        prompt: (B, T) int64, T ≥ 1. Its own ``=`` calls nothing, but a call may begin in it.
        uniform: (B, count) float in [0, 1): number t samples token t of a row.
        tool: result of each call; a `KeyError` means that there is none.
        settings: of `solutions.gpt.filtered`; the tokens so far include the prompt.

    Returns:
        (B, count) int64, without the prompt; results that do not fit are cut off.
    """
    tokens = fed = prompt
    state = None
    waiting: list[str] = [""] * len(prompt)  # what the tool still has to write, in each row
    for chance in uniform.unbind(dim=1):
        logits, state = step(fed, state)
        drawn = draw_next(filtered(logits[:, -1], tokens, **settings), chance).tolist()
        for row, rest in enumerate(waiting):
            if rest:
                drawn[row], waiting[row] = CHARACTERS.index(rest[0]), rest[1:]
            elif drawn[row] == RESULT:
                call = decode_text(tokens[row]).rpartition("[")[2]
                try:
                    waiting[row] = tool[call] + "]"
                except KeyError:
                    waiting[row] = "]"
        fed = torch.tensor(drawn, device=tokens.device)[:, None]
        tokens = torch.cat([tokens, fed], dim=1)
    return tokens[:, prompt.shape[1] :]
